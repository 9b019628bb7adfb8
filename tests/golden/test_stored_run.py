"""Two stored runs of this release, which every later one must open: notes-1 (texts) and rows-1 (a table).

`python -m tests.golden.make_run` made them; they lie packed in files/run. Each test unpacks them into a
store of its own and does with them what a person does with a run: look, ask, add members, edit.
"""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from coterie.run.engine import load
from coterie.run.store import Store
from tests.cli.running import coterie
from tests.golden.make_run import PLACE, RUNS, unpack
from tests.golden.normal import headings, normal
from tests.golden.stored import FILES, check

_MOST = 300_000  # bytes of both archives
_NEW = {
    "notes-1": "id,text\nnew-tea,kettle cup oolong mint brew day\nnew-law,jury court bail oath appeal year\n",
    "rows-1": "id,length,width,color\nnew-0,0.1,-0.2,red\nnew-1,6.2,2.9,blue\n",
}
_ASKED = {
    "neighbors": ("neighbors", "{run}", "{member}", "--most", "5", "--json"),
    "judge": ("judge", "{run}", "--json"),
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with both runs; it is the default one."""
    place = tmp_path / "store"
    place.mkdir()
    unpack(place)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COTERIE_STORE", str(place))
    return place


def test_they_are_small_and_name_no_machine() -> None:
    assert sum((PLACE / f"{name}.zip").stat().st_size for name in RUNS) < _MOST
    for name in RUNS:
        with zipfile.ZipFile(PLACE / f"{name}.zip") as archive:
            for entry in archive.namelist():
                content = archive.read(entry)
                for word in (b"/tmp", b"/home", b"/root", b"/work", b"/Users"):
                    assert word not in content, f"{entry} names {word.decode()}"
            manifest = json.loads(archive.read(f"{name}/run.json"))
    assert manifest["settings"]["path"] == RUNS[name]


def test_the_store_lists_them(store: Path) -> None:
    assert sorted(record.name for record in Store(store).runs()) == sorted(RUNS)
    said = coterie("runs", "--json")
    check("run", "runs", normal(json.loads(said.out), {"store": store}))


@pytest.mark.parametrize("name", RUNS)
def test_it_opens_with_its_findings(name: str, store: Path) -> None:
    run = Store(store).open(name)
    found = load(name, store=store)
    assert run.record().members == len(found.labels) == len(found.collection)
    with (store / name / "labels.csv").open(newline="", encoding="utf-8") as file:
        written = [int(row["group"]) for row in csv.DictReader(file)]
    assert found.labels.tolist() == written
    told = found.findings
    value = {
        "ids": list(told.ids),
        "labels": told.labels,
        "confidence": told.confidence,
        "neighbors": told.neighbors,
        "nearness": told.nearness,
        "groups": [(group.name, group.size) for group in told.groups],
        "map": list(told.map.shape),
    }
    check("run", f"{name}-findings", value)


@pytest.mark.parametrize("asked", _ASKED)
@pytest.mark.parametrize("name", RUNS)
def test_it_answers(name: str, asked: str, store: Path) -> None:
    member = {"notes-1": "tea-3", "rows-1": "row-7"}[name]
    said = coterie(*(word.format(run=name, member=member) for word in _ASKED[asked]))
    assert said.code == 0, said.err
    check("run", f"{name}-{asked}", normal(json.loads(said.out), {"store": store}))


@pytest.mark.parametrize("name", RUNS)
def test_new_members_are_placed(name: str, store: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text(_NEW[name], encoding="utf-8")
    said = coterie("add", name, "new.csv", "--progress", "silent")
    assert said.code == 0, said.err
    check("run", f"{name}-add", lines_of(said.out, store))


@pytest.mark.parametrize("name", RUNS)
def test_it_can_be_edited(name: str, store: Path) -> None:
    said = coterie("steer", name, "--do", "merge 1 2", "--do", "rename 1 Both", "--do", "log")
    assert said.code == 0, said.err
    check("run", f"{name}-steer", lines_of(said.out, store))
    said = coterie("steer", name, "--do", "undo", "--do", "refit", "--progress", "silent")
    assert said.code == 0, said.err
    check("run", f"{name}-refit", lines_of(said.out, store))


@pytest.mark.parametrize("name", RUNS)
def test_its_report_is_written(name: str, store: Path) -> None:
    said = coterie("report", name)
    assert said.code == 0, said.err
    page = (store / name / "report.html").read_text(encoding="utf-8")
    check("run", f"{name}-report", headings(page))


def test_the_doctor_finds_nothing_wrong(store: Path) -> None:
    for name in RUNS:
        assert coterie("report", name).code == 0
    said = coterie("doctor", "--json")
    found = json.loads(said.out)
    assert found["ok"], said.out
    about = [line["sentence"] for line in found["lines"] if line["area"] == "store"]
    assert about == [f"The store {store} is whole: 2 runs, every file read."]


def test_every_golden_file_has_a_case() -> None:
    kinds = ("findings", *_ASKED, "add", "steer", "refit", "report")
    known = {"runs", *(f"{name}-{kind}" for name in RUNS for kind in kinds)}
    assert {path.stem for path in (FILES / "run").glob("*.json")} == known


def lines_of(text: str, store: Path) -> Any:
    """The lines of an answer without notes, which may tell of other versions of libraries."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("note:")]
    return normal(lines, {"store": store})
