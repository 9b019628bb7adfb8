"""Whether a store is whole: a good one has no flaws, every way of spoiling it is found, and looking changes nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import coterie
from coterie.core.errors import StoreError
from coterie.run import bundle
from coterie.run.bundle import host
from coterie.run.engine import resume
from coterie.run.flaws import Flaw
from coterie.run.integrity import check, sound
from coterie.run.jobs import WORKING, Job, Jobs
from coterie.run.steering import Steering
from coterie.run.store import Store

RUN = "blobs-1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one finished run that was steered, and all kinds of values beside it."""
    place = tmp_path_factory.mktemp("made") / "runs"
    run = coterie.explore("sample:blobs", k=3, nulls=0, store=place).run
    run.put_json("told", {"a": [1, 2]})
    run.put_arrays("numbers", {"x": np.arange(500.0)})
    Steering(run.name, store=place).rename(1, "Firsts")
    (run.path / "session.json").write_text('{"log": []}')
    return place


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "runs")


def marks(place: Path) -> dict[str, str]:
    """Every file of a folder with a mark of its bytes."""
    found = sorted(path for path in place.rglob("*") if path.is_file())
    return {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in found
    }


def head_of(store: Path, part: str) -> tuple[Path, dict]:
    path = store / RUN / part / f"{'model' if part.startswith('models') else part}.json"
    return path, json.loads(path.read_bytes())


def test_a_good_store_has_no_flaws_and_is_not_changed(store: Path) -> None:
    before = marks(store)
    assert check(store) == []
    assert marks(store) == before
    assert Store(store).check() == []


def test_an_empty_or_absent_store_has_no_flaws(tmp_path: Path) -> None:
    assert check(tmp_path / "nowhere") == []
    assert not (tmp_path / "nowhere").exists()
    assert check(tmp_path) == []


def test_runs_of_every_status_have_no_wrong_flaws(store: Path) -> None:
    there = Store(store)
    for status in ("new", "stopped", "failed", "done"):
        there.create("other").update(status=status)
    assert check(store) == []


# ---- files that are spoilt ------------------------------------------------------------------------------------------------

FILES = [
    "run.json",
    "collection/collection.json",
    "findings/findings.json",
    "models/walk/model.json",
    "values/told.json",
    "values/numbers.npz",
    "session.json",
    "report.html",
]
ARRAYS = ["collection", "findings", "models/walk"]


def shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x01
    path.write_bytes(bytes(data))


def nonsense(path: Path) -> None:
    path.write_bytes(np.random.default_rng(0).bytes(max(64, path.stat().st_size)))


SPOILING = [shortened, emptied, nonsense]


@pytest.mark.parametrize("spoil", SPOILING, ids=lambda one: one.__name__)
@pytest.mark.parametrize("file", FILES)
def test_a_spoilt_file_is_found_and_named(
    store: Path, file: str, spoil: Callable[[Path], None]
) -> None:
    path = store / RUN / file
    spoil(path)
    before = marks(store)
    flaws = [flaw for flaw in check(store) if flaw.wrong]
    assert len(flaws) == 1, flaws
    assert flaws[0].where == path or flaws[0].where == path.parent
    assert flaws[0].run == RUN
    assert flaws[0].what.endswith(".")
    assert flaws[0].todo
    assert str(path) in flaws[0].what
    assert marks(store) == before


@pytest.mark.parametrize("spoil", [*SPOILING, flipped], ids=lambda one: one.__name__)
@pytest.mark.parametrize("part", ARRAYS)
def test_a_spoilt_array_is_found(store: Path, part: str, spoil: Callable[[Path], None]) -> None:
    arrays = sorted((store / RUN / part).glob("*.npy"), key=lambda path: path.stat().st_size)
    for path in (arrays[0], arrays[-1]):  # one of a few numbers and one of many
        good = path.read_bytes()
        spoil(path)
        assert [flaw.where for flaw in check(store) if flaw.wrong] == [path]
        path.write_bytes(good)
    assert check(store) == []


@pytest.mark.parametrize("part", ARRAYS)
def test_an_array_that_is_gone_is_found(store: Path, part: str) -> None:
    path = next((store / RUN / part).glob("*.npy"))
    path.unlink()
    flaws = [flaw for flaw in check(store) if flaw.wrong]
    assert len(flaws) == 1
    assert path.name in flaws[0].what


@pytest.mark.parametrize("part", ARRAYS)
def test_one_changed_letter_in_the_tree_of_a_value_is_found(store: Path, part: str) -> None:
    path, _ = head_of(store, part)
    text = path.read_text(encoding="utf-8")
    at = next(found.end() for found in re.finditer(r'"value": .*?[a-z]{4}', text))
    letter = "x" if text[at - 1] != "x" else "y"
    path.write_text(text[: at - 1] + letter + text[at:], encoding="utf-8")
    assert [flaw.where for flaw in check(store) if flaw.wrong] == [path]


def test_a_value_without_check_sums_is_damaged(store: Path) -> None:
    for part in ARRAYS:
        path, head = head_of(store, part)
        path.write_text(json.dumps({key: head[key] for key in ("format", "arrays", "value")}))
    assert len([flaw for flaw in check(store) if flaw.wrong]) == len(ARRAYS)


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said | {"status": "sleeping"},
        lambda said: said | {"members": "many"},
        lambda said: {"format": said["format"]},
        lambda said: [],
        lambda said: said | {"name": "other-1"},
        lambda said: said | {"format": 999},
    ],
)
def test_a_manifest_that_is_of_no_run_is_found(
    store: Path, change: Callable[[dict], object]
) -> None:
    path = store / RUN / "run.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    flaws = [flaw for flaw in check(store) if flaw.wrong]
    assert [flaw.where for flaw in flaws] == [path]


@pytest.mark.parametrize("part", ["collection", "findings", "models", "run.json"])
def test_a_finished_run_lacks_nothing(store: Path, part: str) -> None:
    path = store / RUN / part
    path.unlink() if path.is_file() else shutil.rmtree(path)
    flaws = [flaw for flaw in check(store) if flaw.wrong]
    assert len(flaws) == 1
    assert "coterie runs --delete" in flaws[0].todo


@pytest.mark.parametrize("file", ["labels.csv", "report.html"])
def test_what_can_be_written_again_does_no_harm(store: Path, file: str) -> None:
    (store / RUN / file).unlink()
    flaws = check(store)
    assert [flaw.wrong for flaw in flaws] == [False]
    assert f"coterie {'steer' if file == 'labels.csv' else 'report'} {RUN}" in flaws[0].todo
    assert sound(flaws)


def test_labels_of_other_groups_are_found(store: Path) -> None:
    path = store / RUN / "labels.csv"
    path.write_text(path.read_text().replace("Firsts", "Lasts"))
    assert ["not of the groups as they stand" in flaw.what for flaw in check(store)] == [True]
    Steering(RUN, store=store)
    assert check(store) == []


def test_a_log_of_edits_that_does_not_fit_is_found(store: Path) -> None:
    path = store / RUN / "steering.jsonl"
    good = path.read_bytes()
    path.write_bytes(good + b'{"do": "merge", "groups": [1, 77]}\n')
    assert any(flaw.wrong and flaw.where == path for flaw in check(store))
    path.write_bytes(good + b"no edit\n" + good)
    assert any(flaw.wrong and flaw.where == path for flaw in check(store))
    path.write_bytes(good + b'{"do": "mer')  # torn by a kill
    assert check(store) == []


def test_findings_of_other_members_are_found(store: Path) -> None:
    run = Store(store).open(RUN)
    run.save_collection(coterie.collect.samples.sample("blobs", 50))
    flaws = [flaw for flaw in check(store) if flaw.wrong]
    assert ["other members" in flaw.what for flaw in flaws] == [True]


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("labels", "groups that are not there"),
        ("neighbors", "members that are not there"),
        ("map", "'map' has"),
    ],
)
def test_findings_that_cannot_be_are_found(store: Path, field: str, words: str) -> None:
    from dataclasses import replace

    run = Store(store).open(RUN)
    found = run.findings()
    value = getattr(found, field)
    spoilt = value[:-3] if field == "map" else np.where(value == value.max(), 10_000, value)
    bundle.save(run.folder / "findings", "findings", replace(found, **{field: spoilt}))
    assert any(flaw.wrong and words in flaw.what for flaw in check(store))


# ---- what killed processes leave ------------------------------------------------------------------------------------------


def dead() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_leftovers_do_no_harm_are_named_and_go(store: Path) -> None:
    number = dead()
    for folder in (".", RUN, f"{RUN}/values", ".jobs"):
        (store / folder).mkdir(exist_ok=True)
        (store / folder / f".part-{host()}-{number}-0123456789ab").write_bytes(b"half")
    (store / ".trash-0123").mkdir()
    flaws = check(store)
    assert sound(flaws)
    assert len(flaws) == 5
    Store(store).open(RUN)
    assert check(store) == []


def test_pieces_of_a_finished_run_are_named_and_go_with_resume(store: Path) -> None:
    run = Store(store).open(RUN)
    run.pieces().put("one", {"a": np.arange(3)})
    run.pieces().put("two", {"a": np.arange(3)})
    emptied(run.pieces().path("two"))
    flaws = check(store)
    assert sound(flaws)
    assert ["damaged and counts as absent" in flaw.what for flaw in flaws] == [True, False]
    assert f"coterie resume {RUN}" in flaws[1].todo
    resume(RUN, store=store)
    assert check(store) == []


def test_arrays_that_nothing_names_are_told(store: Path) -> None:
    np.save(store / RUN / "findings" / "labels-4.deadbeef.npy", np.arange(9))
    assert ["belong to nothing" in flaw.what and not flaw.wrong for flaw in check(store)] == [True]


def test_an_interrupted_run_is_told(store: Path) -> None:
    Store(store).open(RUN).update(status="running")
    with sqlite3.connect(store / "index.sqlite") as db:
        db.execute("UPDATE runs SET pid = ?, birth = ''", (dead(),))
    told = [flaw for flaw in check(store) if "was interrupted" in flaw.what]
    assert [flaw.todo for flaw in told] == [f"Go on with: coterie resume {RUN}"]
    assert sound(check(store))


def test_a_job_whose_process_is_gone_is_told(store: Path) -> None:
    jobs = Jobs(store)
    jobs.queue.mkdir()
    jobs._keep(
        Job("0123456789ab", "walk", RUN, f"{RUN}/work", time.time(), WORKING, time.time(), dead())
    )
    (jobs.queue / "spoilt.json").write_text("{")
    flaws = check(store)
    assert sound(flaws)
    assert [flaw.where.name for flaw in flaws] == ["spoilt.json", "0123456789ab.json"]


# ---- index and folders ----------------------------------------------------------------------------------------------------


def test_a_store_without_its_index_is_told_and_mends_itself(store: Path) -> None:
    (store / "index.sqlite").unlink()
    flaws = check(store)
    assert sound(flaws)
    assert "has runs and no index" in flaws[0].what
    assert Store(store).open(RUN).status == "done"
    assert check(store) == []


@pytest.mark.parametrize("spoil", [shortened, nonsense], ids=lambda one: one.__name__)
def test_a_damaged_index_is_found_and_its_runs_are_looked_at_all_the_same(
    store: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(store / "index.sqlite")
    shortened(store / RUN / "report.html")
    wrong = [flaw for flaw in check(store) if flaw.wrong]
    assert {flaw.where.name for flaw in wrong} == {"index.sqlite", "report.html"}
    assert "move that file away" in next(
        flaw.todo for flaw in wrong if flaw.where.name == "index.sqlite"
    )


def test_an_index_of_a_newer_version_is_found(store: Path) -> None:
    with sqlite3.connect(store / "index.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    assert any(flaw.wrong and "newer coterie" in flaw.what for flaw in check(store))


def test_a_run_that_is_not_in_the_index_is_told_and_listed(store: Path) -> None:
    shutil.copytree(store / RUN, store / "blobs-7")
    said = json.loads((store / "blobs-7" / "run.json").read_text())
    (store / "blobs-7" / "run.json").write_text(json.dumps(said | {"name": "blobs-7"}))
    flaws = check(store)
    assert ["not in the index" in flaw.what and not flaw.wrong for flaw in flaws] == [True]
    there = Store(store)
    assert [record.name for record in there.runs()] == ["blobs-7", RUN]
    assert there.create("blobs").name == "blobs-8"
    assert check(store) == []


def test_a_link_in_a_store_is_no_run_of_it(store: Path, tmp_path: Path) -> None:
    shutil.copytree(store / RUN, tmp_path / "blobs-7")
    (store / "blobs-7").symlink_to(tmp_path / "blobs-7", target_is_directory=True)
    assert check(store) == []
    assert [record.name for record in Store(store).runs()] == [RUN]


def test_a_run_whose_folder_is_gone_is_told_and_forgotten(store: Path) -> None:
    shutil.rmtree(store / RUN)
    flaws = check(store)
    assert ["deleted half way" in flaw.what and not flaw.wrong for flaw in flaws] == [True]
    assert Store(store).runs() == []
    assert check(store) == []


def test_a_folder_in_which_nothing_was_kept_goes_and_others_stay(store: Path) -> None:
    (store / "mail-1").mkdir()
    (store / "mail-1" / f".part-{host()}-{dead()}-0123456789ab").touch()
    (store / "my notes").mkdir()
    (store / "mail-2").mkdir()
    (store / "mail-2" / "a.txt").touch()
    flaws = check(store)
    assert [flaw.where.name for flaw in flaws] == ["mail-1"]
    assert sound(flaws)
    Store(store)
    assert sorted(path.name for path in store.iterdir() if path.is_dir()) == [
        RUN,
        "mail-2",
        "my notes",
    ]


def test_a_run_is_made_while_the_folders_are_brought_in_line(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on its way into the index when another process looks is neither listed twice nor removed."""
    there = Store(store)
    real = bundle.write_json

    def looked_at(path: Path, *args: object, **kwargs: object) -> None:
        if path.name == "run.json":
            monkeypatch.setattr("coterie.run.index._PATIENCE", 0.1)
            Store(store)  # finds the index busy, and the folder empty
            assert path.parent.is_dir()
        real(path, *args, **kwargs)

    monkeypatch.setattr(bundle, "write_json", looked_at)
    assert there.create("mail").name == "mail-1"
    assert [record.name for record in Store(store).runs()] == ["mail-1", RUN]


def test_run_json_and_index_that_differ_are_told(store: Path) -> None:
    path = store / RUN / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"title": "Other"}))
    flaws = check(store)
    assert ["differ in title" in flaw.what and not flaw.wrong for flaw in flaws] == [True]


def test_a_file_for_a_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert [flaw.wrong for flaw in check(tmp_path / "file")] == [True]
    with pytest.raises(StoreError):
        Store(tmp_path / "file")


def test_flaws_are_sentences() -> None:
    flaw = Flaw("It is so.", Path("x"), True, "Do this.")
    assert flaw.sentence() == "It is so. Do this."
    assert Flaw("It is so.", Path("x"), False, "").sentence() == "It is so."


def test_what_was_committed_before_a_kill_is_seen(store: Path) -> None:
    """The last words of a killed process lie beside the index; looking leaves them there."""
    code = (
        "import os, sys\nfrom coterie.run.store import Store\nfrom coterie.run.index import Index\n"
    )
    code += "i = Index(Store(sys.argv[1])._index.path)\nd = i._connect(False)\n"
    code += "d.execute(\"UPDATE runs SET title = 'Last words'\")\nos._exit(9)"
    subprocess.run([sys.executable, "-c", code, str(store)], timeout=60)
    assert os.path.getsize(store / "index.sqlite-wal") > 0
    before = marks(store)
    assert ["differ in title" in flaw.what for flaw in check(store)] == [True]
    after = marks(store)
    assert {name: after[name] for name in before if not name.endswith("-shm")} == {
        name: mark for name, mark in before.items() if not name.endswith("-shm")
    }
