"""What a person can get wrong: one sentence on stderr, exit status 2, no traceback, and nothing that was there is lost."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from coterie import Store, catalog
from coterie.collect.samples import write_mailbox
from coterie.run import bundle
from coterie.run.engine import load

from .made import TRUTH, npz, numbers
from .running import coterie, explored, refused

QUIET = ("--progress", "silent", "--nulls", "2")


@pytest.fixture(scope="module")
def moons(tmp_path_factory) -> Path:
    """A store with one run."""
    place = tmp_path_factory.mktemp("kept") / "runs"
    explored("sample:moons", "--nulls", 0, "--store", place)
    return place


@pytest.fixture
def before(tmp_path: Path, moons: Path) -> Path:
    """A run that is there before the mistake is made."""
    return shutil.copytree(moons, tmp_path / "runs") / "moons-1"


@pytest.fixture(autouse=True)
def _nothing_is_lost(request):
    """The run made before holds the same bytes after the mistake."""
    if "before" not in request.fixturenames:
        yield
        return
    place = request.getfixturevalue("before")
    kept = {file: file.read_bytes() for file in place.rglob("*") if file.is_file()}
    yield
    assert {file: file.read_bytes() for file in place.rglob("*") if file.is_file()} == kept
    assert Store().open("moons-1").status == "done"


def _written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_missing_path(tmp_path, before) -> None:
    assert (
        refused("explore", tmp_path / "nowhere")
        == f"There is no file or folder '{tmp_path / 'nowhere'}'."
    )


def test_empty_folder(tmp_path, before) -> None:
    (tmp_path / "hollow").mkdir()
    assert refused("explore", tmp_path / "hollow") == "The folder 'hollow' is empty."


def test_undecodable_bytes(tmp_path, before) -> None:
    file = _written(tmp_path / "a.csv", b"a,b\n1,2\n\xff\xfe\x81,3\n")
    assert "'a.csv' is not UTF-8 text: byte 0xff on line 3" in refused("explore", file)
    for at in range(5):
        (tmp_path / "bits").mkdir(exist_ok=True)
        _written(tmp_path / "bits" / f"{at}.txt", bytes(range(128, 256)) + b"\x00" * 40)
    assert "bits' has no text files (those that are there are empty or binary)" in refused(
        "explore", tmp_path / "bits"
    )


def test_ragged_rows(tmp_path, before) -> None:
    file = _written(tmp_path / "a.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n")
    assert refused("explore", file) == "Line 3 of 'a.csv' has 2 cells where the first line has 3."


def _rows(*odd: str) -> str:
    rows = [f"{x:.3f},{y:.3f}" for x, y in np.random.default_rng(0).normal(size=(30, 2))]
    return "\n".join(["a,b", *rows[:10], *odd, *rows[10:]]) + "\n"


def test_infinity_is_refused_by_row_and_column(tmp_path, before) -> None:
    file = _written(tmp_path / "a.csv", _rows("inf,1"))
    assert "Column 'a' holds an infinity in row 10" in refused("explore", file, *QUIET)


def test_nan_in_a_table_is_a_gap_and_said(tmp_path) -> None:
    said = explored(_written(tmp_path / "a.csv", _rows("nan,1", "2,nan")))
    assert "2 gaps in 2 of 2 columns (a 1, b 1)" in said.out


def test_nan_in_a_sequence_is_a_gap_and_infinity_is_refused_by_member_and_step(
    tmp_path, before
) -> None:
    values = np.random.default_rng(0).normal(size=(12, 9, 2))
    values[3, 4, 1] = np.nan
    np.save(tmp_path / "a.npy", values)
    for words in ((), ("--compare", "SSD(n_states=2, n_models=1)"), ("--compare", "Alignment")):
        assert "The sequence '3' has gaps" in explored(tmp_path / "a.npy", *words).out
    values[3, 4, 1] = np.inf
    np.save(tmp_path / "b.npy", values)
    assert "The member '3' of 'b' has an infinity at step 4, dimension 1" in refused(
        "explore", tmp_path / "b.npy", *QUIET
    )


def test_constant_columns(tmp_path, before) -> None:
    file = _written(tmp_path / "a.csv", "a,b\n" + "1,2\n" * 20)
    assert (
        refused("explore", file, *QUIET)
        == "Every column of 'a.csv' is the same for all members: nothing tells them apart."
    )


def test_duplicate_ids(tmp_path, before) -> None:
    file = _written(
        tmp_path / "a.csv", "id,x,y\n" + "".join(f"m{min(i, 8)},{i},{i * i}\n" for i in range(10))
    )
    assert "The column 'id' repeats, so the rows are numbered." in explored(file).out
    assert "The id 'm8' stands in rows 8 and 9 of 'a" in refused(
        "explore", file, "--id", "id", *QUIET
    )


def test_one_member(tmp_path, before) -> None:
    file = _written(tmp_path / "a.csv", "a,b\n1,2\n")
    assert refused("explore", file, *QUIET) == "'a' has 1 member; grouping needs at least 3."


def test_more_groups_than_members(tmp_path, before) -> None:
    assert (
        refused("explore", numbers(tmp_path), "--k", 61, *QUIET)
        == "k is 61 and there are only 60 members."
    )


def test_truncated_npz(tmp_path, before) -> None:
    file = npz(tmp_path)
    _written(file, file.read_bytes()[:-2000])
    assert "'traces.npz' is damaged or no numpy file" in refused("explore", file, *QUIET)


def test_a_broken_message_is_a_note_and_no_failure(tmp_path) -> None:
    file = tmp_path / "inbox.mbox"
    write_mailbox(file, 60)
    broken = (
        b"From x@example.org Mon Jan 01 08:00:00 2001\n"
        + bytes(range(256))
        + b"\n\n\xff\xfe\x00\n\n"
    )
    odd = (
        b"From y@example.org Mon Jan 01 08:00:00 2001\nContent-Type: text/plain; charset=no-such\n"
    )
    _written(file, file.read_bytes() + broken + odd + b"Subject: =?bad?q?=ZZ?=\n\n\xff\xff hm\n\n")
    said = explored(file)
    found = load(said.run)
    assert 60 <= len(found.collection) <= 62
    notes = " ".join(found.findings.notes)
    assert "broken" in notes or "skipped" in notes or "left out" in notes, notes
    assert "note: " in said.out


@pytest.mark.parametrize("stage", ["collection.json", "findings.json", "report.html"])
def test_full_disk_says_how_to_go_on_and_going_on_works(
    stage: str, tmp_path, before, monkeypatch
) -> None:
    real = bundle.os.replace

    def full(source, target):
        if Path(target).name == stage and "rows" in str(target):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(source, target)

    monkeypatch.setattr(bundle.os, "replace", full)
    said = refused("explore", numbers(tmp_path), "--name", "rows", "--truth", TRUTH, *QUIET)
    assert "is full" in said
    assert "Free some space and run: coterie resume rows-1." in said
    assert Store().open("rows-1").status in ("failed", "new")
    monkeypatch.undo()
    monkeypatch.setenv("COTERIE_STORE", str(tmp_path / "runs"))
    assert coterie("resume", "rows-1", "--progress", "silent").code == 0
    fresh = explored(tmp_path / "flowers.csv", "--truth", TRUTH)
    assert load("rows-1").labels.tolist() == load(fresh.run).labels.tolist()


def test_store_of_a_newer_version(before) -> None:
    with sqlite3.connect(before.parent / "index.sqlite") as db:
        was = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute("PRAGMA user_version = 999")
    try:
        for words in (
            ["runs"],
            ["report", "moons-1"],
            ["explore", "sample:moons", *QUIET],
            ["resume", "moons-1"],
        ):
            assert "newer" in refused(*words)
    finally:
        with sqlite3.connect(before.parent / "index.sqlite") as db:
            db.execute(f"PRAGMA user_version = {was}")


@pytest.mark.parametrize(
    ("name", "how"), [("Core", "coterie core PATH finds it"), ("Rankings", "use it from Python")]
)
def test_methods_that_make_no_groups(name: str, how: str, before) -> None:
    assert f"{name} puts members in order and makes no groups; {how}" in refused(
        "explore", "sample:moons", "--organize", name
    )


@pytest.mark.parametrize(
    ("name", "how"),
    [("Categorize", "coterie categorize PATH does"), ("TwoTask", "use it from Python")],
)
def test_methods_that_learn_from_labels(name: str, how: str, before) -> None:
    assert f"{name} learns from labels and makes no groups of its own; {how}" in refused(
        "explore", "sample:moons", "--organize", name
    )


@pytest.mark.parametrize("option", ["--compare", "--organize"])
def test_unknown_method(option: str, before) -> None:
    said = refused("explore", "sample:moons", option, "Euclidan")
    known = ", ".join(entry.name for entry in catalog.room("organize"))
    near = "Near it: Euclidean" if option == "--compare" else f"The room 'organize' has {known}"
    assert said == f"There is no method 'Euclidan'. {near} ({option})."
    assert len(Store()) == 1, "a run was begun before the choices were looked at"


def test_a_method_of_another_room(before) -> None:
    assert "MCL is in the room 'organize'" in refused("explore", "sample:moons", "--compare", "MCL")
    assert "Cosine is in the room 'compare'" in refused(
        "explore", "sample:moons", "--organize", "Cosine"
    )
    assert (
        refused("explore", "sample:moons", "--compare", "Minkowski(p=0)")
        == "Minkowski: p must be at least 1, and was 0."
    )
    assert len(Store()) == 1


def test_a_comparer_that_does_not_fit_the_data(before) -> None:
    assert "Linear gives similarities above one here" in refused(
        "explore", "sample:blobs", "--compare", "Linear", *QUIET
    )
    assert "JensenShannon: Negative values in data" in refused(
        "explore", "sample:blobs", "--compare", "JensenShannon", *QUIET
    )


def test_unknown_command(before) -> None:
    assert refused("explor") == "There is no command 'explor'. Did you mean explore or report?"
    assert refused("zzz") == "There is no command 'zzz'; see: coterie --help"


def test_wrong_words(before) -> None:
    assert refused("explore") == "Missing argument 'PATH'; see: coterie explore --help"
    assert "'--kind': 'poem' is not one of 'text'" in refused("explore", "x", "--kind", "poem")
    assert "No such option '--colour'" in refused("explore", "x", "--colour", "red")
    assert "'--k': 'three' is not a valid integer" in refused("explore", "x", "--k", "three")
    assert refused("explore", "x", "--k", "0") == "--k must be at least 1, and was 0."
    assert refused("explore", "x", "--max-k", "1") == "--max-k must be at least 2, and was 1."
    assert (
        refused("explore", "x", "--nulls", "1000") == "--nulls must be from 0 to 999, and was 1000."
    )
    assert refused("explore", "x", "--jobs", "0").startswith(
        "--jobs must be a whole number of workers"
    )
    small = refused("explore", "sample:moons", "--memory", "1KB", "--progress", "silent")
    assert re.search(
        r"MB and 1\.0 KB are allowed; .*, or allow more with --memory [\d.]+MB\.$", small
    ), small
    assert "There is no experiment 'smaples'. Did you mean samples?" in refused(
        "reproduce", "smaples"
    )
    assert "--memory must be a size such as" in refused(
        "explore", "sample:moons", "--memory", "lots"
    )
    assert "There is no sample 'nope'; there are blobs, rings" in refused("explore", "sample:nope")


@pytest.mark.parametrize(
    "words", [["report"], ["resume"], ["neighbors"], ["judge"], ["add"], ["runs", "--delete"]]
)
def test_unknown_run(words: list[str], before, tmp_path) -> None:
    more = {"neighbors": ["moons-000"], "add": [tmp_path]}.get(words[0], [])
    assert "There is no run 'moon-7'" in refused(*words, "moon-7", *more)
    assert "near it: moons-1." in refused(*words, "moon-7", *more)


@pytest.mark.parametrize("words", [["report"], ["resume"], ["judge"]])
def test_nothing_is_stored_yet(words: list[str], tmp_path) -> None:
    assert "There are no runs here yet" in refused(*words, "--store", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_unknown_member(before) -> None:
    assert refused("neighbors", "moons-1", "moons-999").startswith(
        "'moons-1' has no member 'moons-999'. Near it: moons-"
    )


def test_wrong_truth(tmp_path, before) -> None:
    assert "has no column of truth 'colour'; it has group" in refused(
        "judge", "moons-1", "--truth", "colour"
    )
    assert "'flowers.csv' has no column 'colour' (named as truth)" in refused(
        "explore", numbers(tmp_path), "--truth", "colour"
    )
    run = explored(tmp_path / "flowers.csv", "--nulls", 0).run
    assert (
        "was made without a column of truth; give a table that has one, and name it (--from)"
        in refused("judge", run)
    )
    assert "name the one that holds the answers (--truth)" in refused(
        "judge", run, "--from", tmp_path / "flowers.csv"
    )


def test_a_folder_that_may_not_be_written(before, tmp_path) -> None:
    if os.geteuid() == 0:
        file = _written(tmp_path / "file", "")
        assert "is a file and not a folder" in refused(
            "explore", "sample:moons", "--store", file, *QUIET
        )
        return
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "may not be written to" in refused(
        "explore", "sample:moons", "--store", locked / "runs", *QUIET
    )


def test_no_memory_and_no_permission_are_sentences_too(before, monkeypatch) -> None:
    def fails(error: Exception):
        def explore(*args, **kwargs):
            raise error

        return explore

    monkeypatch.setattr(
        "coterie.run.engine.read_asked", fails(MemoryError("Unable to allocate 90 GiB"))
    )
    assert "not enough memory" in refused("explore", "sample:moons")
    monkeypatch.setattr(
        "coterie.run.engine.read_asked",
        fails(PermissionError(errno.EACCES, "Permission denied", "secret.csv")),
    )
    assert refused("explore", "secret.csv") == "Permission denied: 'secret.csv'."
    monkeypatch.setattr("coterie.run.engine.read_asked", fails(RuntimeError("a bug")))
    with pytest.raises(RuntimeError):
        coterie("explore", "sample:moons")
