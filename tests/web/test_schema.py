"""The API against its own description: whatever fits it, and much that does not, is answered, and never by 5xx."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from coterie.run.jobs import DONE, Jobs
from coterie.web.security import CSRF_HEADER
from tests.web.serving import PORT, Visitor

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
_EXAMPLES = 12  # of each call
_SECONDS = 30.0  # for all of them; what is left then is asked less
_BASE = f"http://127.0.0.1:{PORT}"


@pytest.fixture(scope="module")
def tried(looked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A visitor of a store of their own, where jobs are asked for and not begun."""
    store = Path(shutil.copytree(looked, tmp_path_factory.mktemp("schema") / "store"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "_start", lambda self, job: self._keep(replace(job, status=DONE)))
        with Visitor(store) as visitor:
            visitor.token()
            yield visitor


def operations(visitor: Visitor) -> list[Any]:
    schema = schemathesis.openapi.from_dict(visitor.get("/openapi.json").json())
    return [found.ok() for found in schema.get_all_operations()]


def sent(visitor: Visitor, case: Any, name: str | None) -> Any:
    """One case as a request; where a run is named, often one that is there."""
    if name is not None and "name" in (case.path_parameters or {}):
        case.path_parameters["name"] = name
    if case.path.endswith("/events"):
        case.query = {**(case.query or {}), "seconds": 0}
    made = case.as_transport_kwargs(base_url=_BASE)
    headers = {
        key: value
        for key, value in (made.get("headers") or {}).items()
        if key.lower() not in ("host", "content-length", "user-agent")
    }
    body = (
        {"json": made["json"]}
        if made.get("json") is not None
        else {"content": made.get("data") if isinstance(made.get("data"), (bytes, str)) else None}
    )
    return visitor.request(
        made["method"],
        made["url"],
        params=made.get("params"),
        headers={**headers, CSRF_HEADER: visitor.token()},
        **body,
    )


def test_no_call_fails_whatever_it_is_given(tried: Visitor) -> None:
    until = time.monotonic() + _SECONDS
    asked = 0
    broken = []
    statuses: dict[int, int] = {}
    for operation in operations(tried):
        deletes = operation.method.upper() == "DELETE"
        names = (
            st.just(None)
            if deletes
            else st.sampled_from(["topics-1", "letters-1", "traces-1", None])
        )
        hurried = time.monotonic() > until
        modes = [
            operation.as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode
        ]

        @seed(10)
        @settings(
            max_examples=2 if hurried else _EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=modes[0] if deletes else st.one_of(modes), name=names)
        def one(case: Any, name: str | None) -> None:
            nonlocal asked
            try:
                answer = sent(tried, case, name)
            except (UnicodeEncodeError, ValueError):  # what cannot even be sent
                return
            asked += 1
            statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
            if answer.status_code >= 500 and not any(
                entry[0] == operation.label for entry in broken
            ):
                broken.append(
                    (
                        operation.label,
                        answer.status_code,
                        case.path_parameters,
                        case.query,
                        str(case.body)[:300],
                    )
                )

        try:
            one()
        except Exception as error:  # some calls take nothing that could be wrong
            if "generat" not in str(error).lower() and type(error).__name__ not in (
                "Unsatisfiable",
                "SkipTest",
            ):
                raise
    assert not broken, "\n".join(map(str, broken))
    assert asked > 300
    assert statuses.keys() >= {200, 404, 422}, statuses
    assert min(statuses[code] for code in (200, 404, 422)) > 20, statuses


def test_every_call_says_what_it_is_for(tried: Visitor) -> None:
    described = tried.get("/openapi.json").json()
    for path, found in described["paths"].items():
        for method, call in found.items():
            assert call.get("tags"), (method, path)
            assert call.get("description", "").strip().endswith((".", "`", ")")), (method, path)
    shown = tried.get("/docs").text
    assert all(path in shown for path in described["paths"])
