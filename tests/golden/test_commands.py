"""What every command of `coterie` answers on small files: its JSON where it has one, else its lines.

Times, paths, versions and sizes are taken out (`normal`), everything else is stored as it is said.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import coterie as library
from coterie.cli import main as door
from coterie.cli.main import COMMANDS
from coterie.core.errors import Interrupted
from tests.cli.running import Said, coterie
from tests.golden.normal import cells, headings, normal
from tests.golden.stored import FILES, check

_READ = ("--progress", "silent")
_VIEWS = ("--views", "north", "south")
_CORE = ("core", "letters.csv", "--size", 20)
_SEARCH = ("search", "notes.csv", "--text", "text")
_MATES = ("mates", "post", *_VIEWS)
_SYSTEMS = ("compare-systems", "first.csv", "second.csv", "--replicates", 100)
_DIVERGENCE = ("divergence", "a.csv", "b.csv", "--replicates", 10, "--permutations", 99)


@dataclass(frozen=True)
class Case:
    """One call: its words, what is typed, and which files it writes that are looked at."""

    words: tuple[Any, ...]
    typed: str = ""
    files: tuple[str, ...] = ()
    before: Callable[[], object] | None = None  # what is done first


class Impatient:
    """Watches work, and asks for a stop when the third task begins."""

    begun = 0

    def begin(self, name: str, total: int | None) -> Impatient:
        self.begun += 1
        return self

    def advance(self, steps: int = 1) -> None:
        pass

    def end(self, task: object) -> None:
        pass

    def note(self, sentence: str) -> None:
        pass

    def measure(self, name: str, step: int, value: float) -> None:
        pass

    def wants_stop(self) -> bool:
        return self.begun > 2


def stop_a_run() -> None:
    """Leave a run that was stopped before it was done."""
    with library.using(watch=Impatient()), pytest.raises(Interrupted):
        library.explore("posts.jsonl", store=True, name="half", nulls=2)


def merge_two_groups() -> None:
    """Make an edit on a stored run."""
    assert coterie("steer", "posts-1", "--do", "merge 1 2").code == 0


def case(*words: Any, **more: Any) -> Case:
    """A call of these words."""
    return Case(words, **more)


CASES: dict[str, Case] = {
    "explore-table": case(
        "explore",
        "flowers.csv",
        "--truth",
        "kind",
        "--nulls",
        2,
        *_READ,
        files=("runs/flowers-2/report.html",),
    ),
    "explore-text": case("explore", "posts.jsonl", "--truth", "topic", "--nulls", 2, *_READ),
    "explore-views": case("explore", "post", *_VIEWS, "--k", 6, "--nulls", 0, *_READ),
    "explore-sequences": case("explore", "sample:traces", "--k", 4, "--nulls", 0, *_READ),
    "cluster-labels": case(
        "cluster", "posts.jsonl", "--labels", "labels.csv", "--nulls", 0, *_READ
    ),
    "cluster-apart": case(
        "cluster", "flowers.csv", "--apart", "apart.csv", "--truth", "kind", "--nulls", 0, *_READ
    ),
    "steer-run": case(
        "steer",
        "posts-1",
        *("--do", "merge 1 2"),
        *("--do", 'rename 1 "Tea and sea"'),
        *("--do", "split 3"),
        *("--do", "undo"),
        *("--do", "question"),
        *("--do", "log"),
        *_READ,
        files=("runs/posts-1/steering.jsonl",),
    ),
    "steer-refit": case("steer", "posts-1", "--do", "merge 1 2", "--do", "refit", *_READ),
    "steer-path": case(
        "steer",
        "letters.csv",
        *("--text", "text", "--session", "session.json"),
        *_READ,
        typed="k 2 tea other\ntypes words\nseeds tea kettle oolong\nseeds other engine bridge\ncluster\nshow\naccept\nquit\n",
    ),
    "replay": case("replay", "posts-1", "new_posts.jsonl", *_READ, before=merge_two_groups),
    "core": case(*_CORE, "--out", "core.csv", *_READ, files=("core.csv",)),
    "core-json": case(*_CORE, "--json", *_READ),
    "core-occc-json": case(*_CORE, "--method", "occc", "--json", *_READ),
    "core-weeks-json": case("core", "letters.csv", "--weeks", "day", "--json", *_READ),
    "rerank": case(
        *("rerank", "results.csv", "--text", "snippet", "--size", 14, "--out", "new.csv"),
        *_READ,
        files=("new.csv",),
    ),
    "categorize": case("categorize", "posts.jsonl", "--labels", "labels.csv", *_READ),
    "categorize-json": case(
        "categorize", "posts.jsonl", "--labels", "labels.csv", "--json", *_READ
    ),
    "search": case(*_SEARCH, "tea leaves", *_READ),
    "search-json": case(*_SEARCH, "tea leaves", "--json", *_READ),
    "search-run-json": case("search", "posts-1", "gonu", "--most", 3, "--json", *_READ),
    "search-measures-json": case(
        *_SEARCH, "--topics", "topics.tsv", "--qrels", "qrels", "--with", "lsa", "--json", *_READ
    ),
    "mates-lost": case(*_MATES, *_READ),
    "mates-member-json": case(*_MATES, "--member", "letters-03.txt", "--json", *_READ),
    "mates-held-out-json": case(*_MATES, "--held-out", 0.3, "--json", *_READ),
    "compare": case("compare", "posts-1", "posts-2"),
    "compare-json": case("compare", "posts-1", "posts-2", "--json"),
    "compare-systems": case(*_SYSTEMS),
    "compare-systems-json": case(*_SYSTEMS, "--json", "-"),
    "compare-systems-accuracy-json": case(*_SYSTEMS, "--measure", "accuracy", "--json", "-"),
    "report": case("report", "posts-1", "--out", "page.html", files=("page.html",)),
    "runs": case("runs"),
    "runs-json": case("runs", "--json"),
    "resume": case("resume", *_READ, before=stop_a_run),
    "runs-stopped": case("runs", before=stop_a_run),
    "resume-finished": case("resume", "flowers-1", *_READ),
    "add": case("add", "posts-1", "new_posts.jsonl", *_READ),
    "add-table": case("add", "flowers-1", "new_flowers.csv", *_READ),
    "neighbors": case("neighbors", "posts-1", "topics-03", "--most", 5),
    "neighbors-json": case("neighbors", "posts-1", "topics-03", "--most", 5, "--json"),
    "explain-members": case("explain", "post-1", "letters-03.txt", "letters-04.txt"),
    "explain-group": case("explain", "post-1", "--group", 1),
    "judge": case("judge", "posts-1", "--truth", "topic"),
    "judge-json": case("judge", "posts-1", "--truth", "topic", "--json"),
    "judge-from-json": case("judge", "posts-1", "--from", "labels.csv", "--json"),
    "divergence": case(*_DIVERGENCE, "--test"),
    "divergence-json": case(*_DIVERGENCE, "--test", "--json", "-"),
    "methods": case("methods"),
    "methods-room": case("methods", "--room", "compare"),
    "methods-one": case("methods", "Leiden"),
    "reproduce-list": case("reproduce"),
    "reproduce-coverage": case("reproduce", "--coverage"),
}
REASONS = {
    "serve": "ends only when it is told to; its answers are stored by test_web",
    "demo": "reads the packages of this machine; what it runs is what `explore` runs",
}


@pytest.fixture
def place(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, in which the command is called; nothing was said before."""
    folder = Path(shutil.copytree(prepared, tmp_path / "place"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COTERIE_STORE", "runs")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    monkeypatch.setattr(door, "_SAID", set())
    return folder


@pytest.mark.parametrize("name", CASES)
def test_command(name: str, prepared: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = CASES[name]
    if asked.before is not None:
        asked.before()
    monkeypatch.setattr(sys, "stdin", io.StringIO(asked.typed))
    value = told(coterie(*asked.words), {"place": place, "prepared": prepared})
    if asked.files:
        value["files"] = {file: written(place / file, place) for file in asked.files}
    check("commands", name, value)


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    said = coterie(name, "--help")
    assert said.code == 0
    check("commands", f"help-{name}", said.out.splitlines())


def test_help_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    check("commands", "help", coterie("--help").out.splitlines())


def test_doctor(place: Path) -> None:
    """Of lines on the machine only what they are about is stored: what they say differs between machines."""
    said = coterie("doctor", "--json")
    found = json.loads(said.out)
    value = {
        "code": said.code,
        "ok": found["ok"],
        "fields": list(found["lines"][0]),
        "areas": list(dict.fromkeys(line["area"] for line in found["lines"])),
        "store": [line for line in found["lines"] if line["area"] == "store"],
    }
    check("commands", "doctor-json", normal(value, {"place": place}))


def test_every_command_has_a_case_or_a_reason() -> None:
    called = {str(asked.words[0]) for asked in CASES.values()} | {"doctor"}
    assert called | REASONS.keys() == COMMANDS.keys()
    assert not called & REASONS.keys()


def test_every_golden_file_has_a_case() -> None:
    known = {*CASES, "doctor-json", "help", *(f"help-{name}" for name in COMMANDS)}
    assert {path.stem for path in (FILES / "commands").iterdir()} == known


def told(said: Said, places: Mapping[str, Path]) -> dict[str, Any]:
    """What a command said: its exit status, its JSON or its lines, and its notes."""
    out: Any = said.out.splitlines()
    if said.out[:1] in ("{", "["):
        out = json.loads(said.out)
    return normal({"code": said.code, "out": out, "err": said.err.splitlines()}, places)


def written(path: Path, place: Path) -> Any:
    """What a file holds: a page by its headings, a table by its cells, everything else by its lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return cells(text)
    if path.suffix == ".html":
        return headings(text)
    return normal(text.splitlines(), {"place": place})
