"""Runs and indexes that were written before there were requests: their settings are brought up to one."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from coterie.core.errors import Damaged
from coterie.run.bundle import current_format, request_of_settings
from coterie.run.engine import resume
from coterie.run.index import MIGRATIONS
from coterie.run.store import Store
from coterie.workflows.choices import Choices
from coterie.workflows.request import (
    Constraints,
    Copy,
    ExploreRequest,
    New,
    Reading,
    Refit,
    Replay,
)

READING = {"kind": None, "text": "body", "id": None, "time": None, "truth": ["topic"]}
PLAIN: dict[str, Any] = {
    "source": "notes.jsonl",
    "path": "here/notes.jsonl",
    "command": "coterie explore notes.jsonl",
    "reading": READING,
    "choices": {"k": None, "seed": 3, "views": ["en", "de"], "max_k": 30, "nulls": 2},
}
COUNTS = {"kept": True, "labels": 2, "together": 1, "apart": 0, "scheme": "seeded"}
OLDER: dict[str, tuple[Mapping[str, Any], Any]] = {
    "read": ({}, New()),
    "planned": ({"planned": True}, New(planned=True)),
    "copied": ({"planned": True, "copied": "mail-1"}, Copy(run="mail-1")),
    "replayed": (
        {"replayed": "mail-1", "standing": [40, 55], "python": "found = replay('mail-1', 'x')"},
        Replay(run="mail-1", standing=(40, 55)),
    ),
    "refit": ({"steered": "mail-1", "python": "..."}, Refit(run="mail-1")),
    "session": (
        {"steered": "mail-1", "again": "on its page Words"},
        Refit(run="mail-1", by="session"),
    ),
    "refit of a replay": (
        {"steered": "mail-2", "replayed": "mail-1", "standing": [40, 55]},
        Refit(run="mail-2", replay=Replay(run="mail-1", standing=(40, 55))),
    ),
}


@pytest.mark.parametrize("name", OLDER)
def test_settings_become_a_request(name: str) -> None:
    more, origin = OLDER[name]
    request = ExploreRequest.of_json(request_of_settings({**PLAIN, **more}))
    assert request == ExploreRequest(
        source="notes.jsonl",
        path="here/notes.jsonl",
        command="coterie explore notes.jsonl",
        reading=Reading(text="body", truth=("topic",)),
        choices=Choices(seed=3, views=("en", "de"), nulls=2),
        origin=origin,
    )


@pytest.mark.parametrize(("key", "checked"), [("hints", True), ("said", False)])
def test_what_was_known_of_members_is_counted_as_before(key: str, checked: bool) -> None:
    request = ExploreRequest.of_json(request_of_settings({**PLAIN, key: COUNTS}))
    assert request is not None
    assert request.constraints == Constraints(
        labels=2, together=1, scheme="seeded", checked=checked
    )


@pytest.mark.parametrize("said", [None, [], {}, {"seed": 3}])
def test_what_asked_for_nothing_stays_so(said: Any) -> None:
    assert request_of_settings(said) is None


NONSENSE: list[Any] = [
    {"choices": {}, "reading": [1]},
    {"choices": {}, "hints": "many", "path": 3},
    {"choices": 3},
    {"choices": {}, "replayed": {}, "standing": "x"},
]


@pytest.mark.parametrize("said", NONSENSE, ids=repr)
def test_nonsense_is_no_error_where_runs_are_listed(tmp_path: Path, said: Any) -> None:
    store = Store(tmp_path)
    run = store.create("notes")
    manifest = json.loads((run.folder / "run.json").read_text())
    del manifest["request"]
    (run.folder / "run.json").write_text(json.dumps({**manifest, "format": 2, "settings": said}))
    (tmp_path / "index.sqlite").unlink()
    assert [record.name for record in Store(tmp_path)] == ["notes-1"]


def test_a_run_that_does_not_say_what_it_was_asked_is_not_gone_on_with(tmp_path: Path) -> None:
    run = Store(tmp_path).create("notes")
    with pytest.raises(Damaged, match="'notes-1' does not say what it was asked; delete that run"):
        resume(run.name, store=tmp_path)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A store with one run, as it was before there were requests."""
    store = Store(tmp_path / "runs")
    run = store.create("notes")
    manifest = json.loads((run.folder / "run.json").read_text())
    del manifest["request"]
    manifest |= {"format": 2, "settings": PLAIN}
    (run.folder / "run.json").write_text(json.dumps(manifest))
    with sqlite3.connect(store.folder / "index.sqlite") as db:
        db.execute("ALTER TABLE runs RENAME COLUMN request TO settings")
        db.execute("UPDATE runs SET settings = ?", (json.dumps(PLAIN),))
        db.execute("PRAGMA user_version = 1")
    return store.folder


def test_an_older_index_is_brought_up(older: Path) -> None:
    run = Store(older).open("notes-1")
    assert run.request.choices.seed == 3
    assert run.manifest["format"] == current_format() == 3
    assert run.manifest["request"]["reading"]["text"] == "body"
    assert Store(older).check() == []
    run.update(title="Notes")
    assert Store(older).open("notes-1").request == run.request
    with sqlite3.connect(older / "index.sqlite") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


def test_a_run_without_its_index_is_listed_with_its_request(older: Path) -> None:
    (older / "index.sqlite").unlink()
    assert Store(older).open("notes-1").request.reading.truth == ("topic",)


def test_an_older_store_that_cannot_be_written_to_is_read(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert [record.request and record.request.choices.seed for record in Store(older)] == [3]
    with sqlite3.connect(older / "index.sqlite") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
