"""The shelf of collections: made, sent, looked at, shown, and taken away."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from coterie.run.looking import look, looked
from tests.web.serving import Visitor

ROWS = "id,title,kind\n" + "".join(
    f"m{i},<script>alert({i})</script> a vessel of fired clay that was found near the river,{'ab'[i % 2]}\n"
    for i in range(12)
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with nothing in it: no run is needed here."""
    return tmp_path / "store"


def make(visitor: Visitor, **body: Any) -> str:
    answer = visitor.change("/api/collections", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def send(visitor: Visitor, name: str, path: str, data: bytes) -> Any:
    return visitor.put(
        f"/api/uploads/{name}/files",
        params={"path": path},
        content=data,
        headers={"x-csrf-token": visitor.token()},
    )


def waited(visitor: Visitor, name: str) -> dict[str, Any]:
    for _ in range(300):
        visitor.app.app.state.desk.jobs.look_after()  # type: ignore[attr-defined]
        found: dict[str, Any] = visitor.get(f"/api/collections/{name}").json()
        if found["state"] != "looking":
            return found
        time.sleep(0.1)
    raise AssertionError("the look did not end")


def test_what_is_sent_is_looked_at_and_shown_escaped(visitor: Visitor, store: Path) -> None:
    name = make(visitor, name="<img src=x onerror=alert(1)>")
    assert visitor.get(f"/api/collections/{name}").json()["state"] == "empty"
    assert visitor.change(f"/api/collections/{name}/look").status_code == 422
    assert send(visitor, name, "clay/museum.csv", ROWS.encode()).json()["files"] == 1
    assert visitor.change(f"/api/collections/{name}/look").status_code == 200
    found = waited(visitor, name)
    assert (found["state"], found["kind"], found["members"]) == ("ready", "text", 12)
    assert {c["name"]: c["role"] for c in found["columns"]} == {
        "id": "id",
        "title": "text",
        "kind": "category",
    }
    assert found["first"][0]["id"] == "m0"
    page = visitor.get(f"/collections/{name}").text
    assert "&lt;script&gt;alert(0)" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "12 texts" in page
    assert f"/new?collection={name}" in page
    shelf = visitor.get("/collections").text
    assert "<img src=x" not in shelf
    assert "onerror=alert(1)&gt;" in shelf


def test_what_cannot_be_read_is_said(visitor: Visitor, store: Path) -> None:
    name = make(visitor, name="odd")
    send(visitor, name, "a.xyz", b"1")
    send(visitor, name, "b.xyz", b"1")
    look(store, name)
    found = visitor.get(f"/api/collections/{name}").json()
    assert found["state"] == "problem"
    assert "not read (.xyz)" in found["sentence"]
    assert "This cannot be read as it is" in visitor.get(f"/collections/{name}").text


def test_a_file_lands_nowhere_else(visitor: Visitor, store: Path) -> None:
    name = make(visitor, name="one")
    before = sorted(str(p) for p in store.parent.rglob("*"))
    for path in ("../../evil", "/etc/x", "a\\b", "a/../b", "con", "x\0y", "a" * 1001, ""):
        assert send(visitor, name, path, b"x").status_code == 422, path
    assert sorted(str(p) for p in store.parent.rglob("*")) == before


def test_limits_of_size_and_count_hold(store: Path) -> None:
    with Visitor(store, upload=10, files=2) as visitor:
        name = make(visitor, name="small")
        assert send(visitor, name, "big.txt", b"x" * 11).status_code == 413
        assert [send(visitor, name, f"{i}.txt", b"x").status_code for i in range(3)] == [
            200,
            200,
            413,
        ]
        assert len(list((store / "uploads" / name / "files").rglob("*.txt"))) == 2


def test_a_path_is_named_on_this_machine_only(store: Path, tmp_path: Path) -> None:
    place = tmp_path / "museum.csv"
    place.write_text(ROWS)
    with Visitor(store) as visitor:
        name = make(visitor, source=str(place))
        assert make(visitor, source=str(place)) == name, "the same path is the same collection"
        look(store, name)
        assert visitor.get(f"/api/collections/{name}").json()["members"] == 12
        assert str(place) in visitor.get(f"/collections/{name}").text
        assert (
            visitor.change("/api/collections", {"source": str(tmp_path / "nothing")}).status_code
            == 422
        )
        for odd in ("~nobody-here/x", "a\0b", "x" * 1999, "sample:nothing"):
            assert visitor.change("/api/collections", {"source": odd}).status_code == 422, odd
        assert visitor.change(f"/api/collections/{name}", method="DELETE").status_code == 200
        assert place.exists()
    with Visitor(store, host="0.0.0.0", token="secret") as visitor:
        visitor.headers["authorization"] = "Bearer secret"
        answer = visitor.change("/api/collections", {"source": str(place)})
        assert answer.status_code == 422
        assert "this machine alone" in answer.json()["detail"]
        assert 'id="by-path"' not in visitor.get("/collections").text


def test_samples_are_there_and_a_sample_is_made_once(visitor: Visitor, store: Path) -> None:
    page = visitor.get("/collections").text
    assert "sample:topics" in page
    assert "The documentation on this machine" in page
    assert "The shelf is empty" in page
    name = make(visitor, source="sample:mail")
    look(store, name)
    found = visitor.get(f"/api/collections/{name}").json()
    assert found["kind"] == "mail"
    assert found["populations"] == [{"name": "correspondents", "others": 48}]
    assert [one["id"] for one in visitor.get("/api/collections").json()] == [name]


def test_a_collection_goes_with_its_files_and_not_while_a_run_reads_it(
    visitor: Visitor, store: Path
) -> None:
    name = make(visitor, name="gone")
    send(visitor, name, "a.csv", ROWS.encode())
    visitor.app.app.state.desk.jobs.at_once = 0  # type: ignore[attr-defined]  # nobody begins
    run = visitor.change("/api/runs", {"collection": name}).json()["name"]
    refused = visitor.change(f"/api/collections/{name}", method="DELETE")
    assert refused.status_code == 422
    assert run in refused.json()["detail"]
    visitor.store.open(run).update(status="stopped")
    assert visitor.change(f"/api/collections/{name}", method="DELETE").status_code == 200
    assert not (store / "uploads" / name).exists()
    assert visitor.get(f"/collections/{name}").status_code == 404
    assert send(visitor, name, "a.csv", b"x").status_code == 404


def test_no_other_folder_is_a_collection(visitor: Visitor) -> None:
    for name in ("nothing", "A", "a" * 90, "%2e%2e", "%2e%2e%2ftopics-1", ".trash-1", "arriving"):
        for answer in (
            visitor.get(f"/collections/{name}"),
            visitor.change(f"/api/collections/{name}", method="DELETE"),
        ):
            assert answer.status_code in (404, 405), name


def test_a_look_that_was_damaged_is_no_look(visitor: Visitor, store: Path) -> None:
    name = make(visitor, source="sample:moons")
    (store / "uploads" / name / "look.json").write_text("[1, 2")
    assert looked(store, name) == {}
    assert visitor.get(f"/collections/{name}").status_code == 200


@pytest.mark.parametrize(
    ("path", "data"),
    [("bad.parquet", b"PAR1 no"), ("my mail/in.mbox", b"no mail here"), ("a/b.txt", b"\0")],
)
def test_sentences_on_a_collection_name_no_place_of_the_machine(
    visitor: Visitor, store: Path, path: str, data: bytes
) -> None:
    name = make(visitor, name="John Smith")
    send(visitor, name, path, data)
    look(store, name)
    found = visitor.get(f"/api/collections/{name}").json()
    assert found["state"] == "problem"
    for text in (
        found["sentence"],
        visitor.get("/collections").text,
        visitor.get(f"/collections/{name}").text,
    ):
        assert str(store.parent) not in text
        assert "/files/" not in text
        assert "uploads/" not in text


def test_what_a_look_noticed_names_no_place_either(visitor: Visitor, store: Path) -> None:
    name = make(visitor, source="sample:topics")
    waited(visitor, name)
    place = store / "uploads" / name / "look.json"
    found = {
        **looked(store, name),
        "notes": ["'/srv/John Smith/x.csv' was left out."],
        "why": f"read from {store}/uploads/x.csv",
    }
    place.write_text(json.dumps(found), encoding="utf-8")
    seen = visitor.get(f"/api/collections/{name}").json()
    assert seen["noticed"] == ["'x.csv' was left out."]
    assert seen["sentence"] == "read from x.csv"
    assert "John Smith" not in visitor.get(f"/collections/{name}").text
