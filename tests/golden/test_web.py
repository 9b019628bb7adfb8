"""The API of the local page: its schema made small, typical answers to looks and changes, and the headings of its pages.

Positions on the map differ between processors in their last digits and are stored by their number only.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from tests.golden.normal import cells, headings, normal
from tests.golden.stored import FILES, check
from tests.web.serving import Visitor

_RUN = "/api/runs/posts-1"
_PAIR = "first=posts-1&second=posts-2"
LOOKS = {
    "health": "/health",
    "collections-none": "/api/collections",
    "methods": "/api/methods?room=organize",
    "method": "/api/methods/Leiden",
    "runs": "/api/runs",
    "runs-found": "/api/runs?q=flow",
    "run": _RUN,
    "run-unknown": "/api/runs/nobody",
    "run-state": f"{_RUN}/state",
    "run-curves": f"{_RUN}/curves",
    "run-answers": f"{_RUN}/answers",
    "run-taught": f"{_RUN}/taught",
    "map": f"{_RUN}/map",
    "map-column": f"{_RUN}/map/columns/0",
    "map-search": f"{_RUN}/map/search?q=gonu",
    "map-of-a-table": "/api/runs/flowers-1/map",
    "members": f"{_RUN}/members?at=3&at=5",
    "member": f"{_RUN}/members/3",
    "member-of-a-table": "/api/runs/flowers-1/members/3",
    "member-unknown": f"{_RUN}/members/999",
    "groups": f"{_RUN}/groups",
    "group-members": f"{_RUN}/groups/1/members?size=3",
    "group-halves": f"{_RUN}/groups/1/halves",
    "edits": f"{_RUN}/edits",
    "board": f"{_RUN}/board?most=2",
    "question": f"{_RUN}/question",
    "words": f"{_RUN}/words",
    "core-state": f"{_RUN}/core/state",
    "core-not-yet": f"{_RUN}/core",
    "search": f"{_RUN}/search?q=gonu&most=3",
    "search-empty": f"{_RUN}/search?q=",
    "mates": "/api/runs/post-1/mates?source=north&target=south&member=letters-03.txt&most=3",
    "mates-quality": "/api/runs/post-1/mates/quality",
    "compare": f"/api/compare?{_PAIR}",
    "compare-movers": f"/api/compare/movers?{_PAIR}&most=3",
    "compare-with-one": "/api/compare?first=posts-1",
    "export-labels-csv": "/runs/posts-1/export/labels.csv",
    "export-groups-csv": "/runs/posts-1/export/groups.csv",
    "export-again-py": "/runs/posts-1/export/again.py",
    "export-again-sh": "/runs/posts-1/export/again.sh",
}
# What is changed, one request after the other in a store of its own: address and body.
CHANGES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "merge-rename-undo": (
        (f"{_RUN}/edits", {"kind": "merge", "groups": [1, 2]}),
        (f"{_RUN}/edits", {"kind": "rename", "groups": [1], "name": "Both"}),
        (f"{_RUN}/undo", {"seen": 2}),
    ),
    "split-move-lock": (
        (f"{_RUN}/edits", {"kind": "split", "groups": [1]}),
        (f"{_RUN}/edits", {"kind": "move", "groups": [2], "members": ["topics-03"]}),
        (f"{_RUN}/edits", {"kind": "lock", "groups": [2]}),
        (f"{_RUN}/edits", {"kind": "move", "groups": [2], "members": ["topics-06"]}),
    ),
    "edit-unknown-kind": ((f"{_RUN}/edits", {"kind": "melt"}),),
    "edit-unknown-group": ((f"{_RUN}/edits", {"kind": "merge", "groups": [1, 99]}),),
    "edit-further-field": ((f"{_RUN}/edits", {"kind": "merge", "groups": [1], "more": 1}),),
    "undo-nothing": ((f"{_RUN}/undo", {}),),
    "labels-of-some": ((f"{_RUN}/labels", {"members": [1, 3]}),),
    "labels-of-nobody": ((f"{_RUN}/labels", {"members": [999]}),),
    "choices-good": (("/api/choices/check", {"run": "posts-1", "choices": {"k": 3}}),),
    "choices-bad": (("/api/choices/check", {"run": "posts-1", "choices": {"k": "0"}}),),
    "run-refused": (("/api/runs", {"run": "posts-1", "choices": {"k": "0"}}),),
    "run-of-nothing": (("/api/runs", {}),),
    "collection": (("/api/collections", {"name": "mine"}),),
    "collection-refused": (("/api/collections", {"name": 7}),),
    "core-refused": ((f"{_RUN}/core", {"method": "none"}),),
    "refit-without-edits": ((f"{_RUN}/refit", {}),),
}
PAGES = {
    "collections": "/collections",
    "runs": "/runs",
    "new": "/new",
    "docs": "/docs",
    "compare": f"/compare?{_PAIR}",
    "run": "/runs/posts-1",
    "run-of-a-table": "/runs/flowers-1",
    "map": "/runs/posts-1/map",
    "groups": "/runs/posts-1/groups",
    "group": "/runs/posts-1/groups/1",
    "member": "/runs/posts-1/members/3",
    "steer": "/runs/posts-1/steer",
    "words": "/runs/posts-1/words",
    "core": "/runs/posts-1/core",
    "search": "/runs/posts-1/search?q=gonu",
    "mates": "/runs/post-1/mates",
    "export": "/runs/posts-1/export",
    "report": "/runs/posts-1/report",
    "unknown": "/runs/nobody",
}


@pytest.fixture(scope="module")
def looking(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A visitor who changes nothing."""
    store = shutil.copytree(prepared / "runs", tmp_path_factory.mktemp("web") / "runs")
    with Visitor(store) as visitor:
        yield visitor


@pytest.fixture
def changing(prepared: Path, tmp_path: Path) -> Iterator[Visitor]:
    """A visitor with a store of their own."""
    with Visitor(Path(shutil.copytree(prepared / "runs", tmp_path / "store"))) as visitor:
        yield visitor


@pytest.mark.parametrize("name", LOOKS)
def test_look(name: str, looking: Visitor) -> None:
    check("web", name, answered(patiently(looking, LOOKS[name]), looking))


@pytest.mark.parametrize("name", CHANGES)
def test_change(name: str, changing: Visitor) -> None:
    told = [answered(patiently(changing, path, body), changing) for path, body in CHANGES[name]]
    check("web", f"change-{name}", told)


def test_a_session_with_words(changing: Visitor) -> None:
    """The number of groups, the type of features and seeds, each on the version that was told before."""
    path = f"{_RUN}/words"
    steps: tuple[dict[str, Any], ...] = (
        {"do": "groups", "k": 2, "names": ["one", "two"]},
        {"do": "types", "types": ["words"]},
        {"do": "seeds", "type": "words", "features": ["gonu", "leilu"], "to": 1},
    )
    told = []
    for step in steps:
        version = patiently(changing, path).json()["version"]
        told.append(answered(patiently(changing, path, {**step, "on": version}), changing))
    for look in ("candidates?type=words&most=5", "places?type=words&word=gonu"):
        told.append(answered(patiently(changing, f"{path}/{look}"), changing))
    check("web", "words-session", told)


def test_a_deleted_run_is_gone(changing: Visitor) -> None:
    told = [
        answered(changing.change("/api/runs/posts-2", method="DELETE"), changing),
        answered(changing.change("/api/runs/posts-2", method="DELETE"), changing),
    ]
    check("web", "delete-run", told)


def test_a_change_without_the_token_is_refused(looking: Visitor) -> None:
    body = {"kind": "merge", "groups": [1, 2]}
    check(
        "web", "change-without-token", answered(looking.post(f"{_RUN}/edits", json=body), looking)
    )


def test_the_points_of_the_map(looking: Visitor) -> None:
    check("web", "map-points", {"bytes": len(looking.get(f"{_RUN}/map.bin").content)})


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, looking: Visitor) -> None:
    page = looking.get(PAGES[name], headers={"accept": "text/html"})
    check("web", f"page-{name}", {"status": page.status_code, "headings": headings(page.text)})


def test_the_schema(looking: Visitor) -> None:
    schema = looking.get("/openapi.json").json()
    calls = {
        f"{method.upper()} {path}": call_of(call, schema)
        for path, methods in schema["paths"].items()
        for method, call in methods.items()
    }
    check("web", "schema", calls)


def test_every_golden_file_has_a_case() -> None:
    alone = ("change-without-token", "delete-run", "map-points", "schema", "words-session")
    known = {*LOOKS, *alone, *(f"change-{n}" for n in CHANGES), *(f"page-{n}" for n in PAGES)}
    assert {path.stem for path in (FILES / "web").iterdir()} == known


def patiently(visitor: Visitor, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
    """The answer, asked for again while it is still being made."""
    for _ in range(100):
        answer = visitor.get(path) if body is None else visitor.change(path, body)
        if answer.status_code != 409:
            return answer
        time.sleep(0.1)
    raise AssertionError(answer.text)


def answered(answer: httpx.Response, visitor: Visitor) -> dict[str, Any]:
    """Status, kind and content of an answer."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    told: Any = answer.text.splitlines()
    if kind == "application/json":
        text = re.sub(r"\bmine-[0-9a-f]{6}\b", "mine-<id>", answer.text)
        told = without_positions(json.loads(text))
    elif kind == "text/csv":
        told = cells(answer.text)
    value = {"status": answer.status_code, "kind": kind, "told": told}
    return normal(value, {"store": visitor.store.folder})


def without_positions(value: Any) -> Any:
    """An answer with places on the map by their number."""
    if isinstance(value, dict):
        return {
            key: len(item) if key == "anchor" and item else without_positions(item)
            for key, item in value.items()
        }
    return [without_positions(item) for item in value] if isinstance(value, list) else value


def call_of(call: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """What a call takes and gives: parameters, the shape of the body, and the shape of each good answer."""
    taken = {
        f"{one['in']} {one['name']}{'' if one.get('required') else ' (optional)'}": shape(
            one["schema"], schema
        )
        for one in call.get("parameters", ())
    }
    body = call.get("requestBody", {}).get("content", {})
    given = {
        f"{status} {kind}": shape(content.get("schema", {}), schema)
        for status, answer in call["responses"].items()
        if status.startswith("2")
        for kind, content in answer.get("content", {}).items()
    }
    return {
        "parameters": taken,
        "body": {kind: shape(content["schema"], schema) for kind, content in body.items()},
        "answers": given,
    }


def shape(part: dict[str, Any], schema: dict[str, Any], inside: tuple[str, ...] = ()) -> Any:
    """A part of the schema as fields and types; the names of models are private and left out."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name in inside:
            return "itself"
        return shape(schema["components"]["schemas"][name], schema, (*inside, name))
    if "properties" in part:
        needed = part.get("required", ())
        return {
            f"{name}{'' if name in needed else ' (optional)'}": shape(field, schema, inside)
            for name, field in part["properties"].items()
        }
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in part:
            return {choice: [shape(one, schema, inside) for one in part[choice]]}
    if part.get("type") == "array":
        each = part.get("prefixItems") or [part.get("items", {})]
        return [shape(one, schema, inside) for one in each]
    kind = str(part.get("type", "anything"))
    if "enum" in part or "const" in part:
        return {kind: part.get("enum") or [part["const"]]}
    if isinstance(part.get("additionalProperties"), dict):
        return {"each": shape(part["additionalProperties"], schema, inside)}
    return kind
