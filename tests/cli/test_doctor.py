"""coterie doctor: every line is a sentence, what is wrong is found, and nothing that is broken breaks it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from coterie import Store
from coterie.run import doctor, doctor_install, doctor_machine, doctor_store
from coterie.run.doctor import Line, examine

from .running import coterie

AREAS = [
    "python",
    "libraries",
    "extras",
    "kernels",
    "threads",
    "memory",
    "gpu",
    "terminal",
    "disk",
    "store",
]


def looked(*words: object) -> tuple[int, list[dict[str, str]]]:
    said = coterie("doctor", "--json", *words)
    assert said.err == ""
    found = json.loads(said.out)
    assert found["ok"] is (said.code == 0)
    return said.code, found["lines"]


@pytest.fixture(autouse=True)
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading it takes longer than all the rest."""
    monkeypatch.setattr(doctor_machine, "find_spec", lambda name: None)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run in it."""
    place = tmp_path_factory.mktemp("kept") / "runs"
    Store(place).create("mail").put_json("told", {"a": 1})
    return place


def test_all_is_well_here(kept: Path) -> None:
    code, lines = looked("--store", kept)
    assert [line for line in lines if line["state"] == "wrong"] == []
    assert code == 0
    assert list(dict.fromkeys(line["area"] for line in lines)) == AREAS
    for line in lines:
        assert line["state"] in ("ok", "note", "wrong")
        assert re.fullmatch(r"[A-Z0-9c/].*\.|torch .*\.", line["sentence"]), line
        assert line["state"] != "ok" or not line["todo"]
    said = {line["area"]: line["sentence"] for line in lines if line["state"] == "ok"}
    assert f"numpy {metadata.version('numpy')}" in said["libraries"]
    assert "is whole: 1 run, every file read" in said["store"]
    assert said["threads"] == "The same products on one worker and on two are the same bits."


def test_what_a_person_sees(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        Line("ok", "All is well.", "", "python"),
        Line("note", "It is old.", "Renew it.", "disk"),
    ]
    monkeypatch.setattr(doctor, "examine", lambda store: iter(lines))
    said = coterie("doctor", "--store", kept)
    assert said.code == 0
    assert said.out == (
        "ok     python     All is well.\nnote   disk       It is old.\n                  Renew it.\n\nNothing is wrong.\n"
    )
    lines.append(Line("wrong", "It is gone.", "", "store"))
    said = coterie("doctor", "--store", kept)
    assert said.code == 1
    assert said.out.endswith("wrong  store      It is gone.\n\nOne thing is wrong.\n")


def test_nothing_is_made_where_no_store_is(tmp_path: Path) -> None:
    lines = list(doctor_store.disk(str(tmp_path / "a" / "b"))) + list(
        doctor_store.store(str(tmp_path / "a" / "b"))
    )
    assert [line.state for line in lines] == ["ok", "ok"]
    assert "yet; it can be made there" in lines[1].sentence
    assert list(tmp_path.iterdir()) == []


def test_a_spoilt_run_is_wrong(kept: Path, tmp_path: Path) -> None:
    store = shutil.copytree(kept, tmp_path / "other")
    (store / "mail-1" / "values" / "told.json").write_text("{")
    code, lines = looked("--store", store)
    wrong = [line for line in lines if line["state"] == "wrong"]
    assert code == 1
    assert [line["area"] for line in wrong] == ["store"]
    assert "told.json is damaged" in wrong[0]["sentence"]
    assert "coterie runs --delete mail-1" in wrong[0]["todo"]


def test_very_many_flaws_are_counted(kept: Path, tmp_path: Path) -> None:
    store = shutil.copytree(kept, tmp_path / "other")
    for number in range(30):
        (store / "mail-1" / "values" / f"v{number}.json").write_text("{")
    lines = list(doctor_store.store(str(store)))
    assert len(lines) == 21
    assert lines[-1].sentence.startswith("And 10 more of this kind")


@pytest.mark.parametrize("what", ["file", "index"])
def test_a_broken_store_is_a_line_and_no_traceback(kept: Path, tmp_path: Path, what: str) -> None:
    store = tmp_path / "other"
    if what == "file":
        store.touch()
    else:
        shutil.copytree(kept, store)
        (store / "index.sqlite").write_bytes(b"nonsense" * 1000)
    lines = [*doctor_store.disk(str(store)), *doctor_store.store(str(store))]
    assert any(line.state == "wrong" and line.todo for line in lines)


def test_a_disk_with_little_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for left, state in ((50_000_000, "wrong"), (1_000_000_000, "note"), (10**12, "ok")):
        usage = shutil._ntuple_diskusage(10**12, 0, left)
        monkeypatch.setattr(shutil, "disk_usage", lambda folder, usage=usage: usage)
        assert next(doctor_store.disk(str(tmp_path))).state == state


def test_a_folder_that_cannot_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor_store.tempfile, "TemporaryFile", refused)
    lines = list(doctor_store.disk(str(tmp_path)))
    assert [line.state for line in lines] == ["ok", "wrong"]
    assert "cannot be written to (Permission denied)" in lines[1].sentence


def test_a_disk_of_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_store, "_file_system", lambda folder: "nfs4")
    assert "disk of another machine (nfs4)" in list(doctor_store.disk(str(tmp_path)))[-1].sentence


def test_a_check_that_breaks_is_itself_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor, "_AREAS", (("python", "doctor_install:python"), ("odd", "doctor_install:nothing"))
    )
    monkeypatch.setattr(doctor, "_OF_STORE", ())

    def more() -> list[Line]:
        return [Line("ok", "The cluster answers.")]

    lines = list(examine(more=[("cluster", more)]))
    assert [(line.state, line.area) for line in lines] == [
        ("ok", "python"),
        ("wrong", "odd"),
        ("ok", "cluster"),
    ]
    assert lines[1].sentence.startswith("This could not be looked at (AttributeError")


@pytest.mark.parametrize("library", ["numpy", "numba"])
def test_a_missing_library_is_named_and_nothing_breaks(library: str, tmp_path: Path) -> None:
    code = f"import sys\nsys.modules[{library!r}] = None\nfrom coterie.cli.main import main\n"
    code += "import coterie.run.doctor_machine as machine\nmachine.find_spec = lambda name: None\n"
    code += "sys.argv = ['coterie', 'doctor', '--json', '--store', sys.argv[1]]\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "runs")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    lines = json.loads(done.stdout)["lines"]
    assert {line["area"] for line in lines} >= {
        "python",
        "libraries",
        "kernels",
        "threads",
        "memory",
        "gpu",
        "disk",
    }
    assert done.returncode == 1
    assert f"The library '{library}' is missing." in [line["sentence"] for line in lines]
    assert any(
        line["area"] == "gpu" and "torch is not installed" in line["sentence"] for line in lines
    )


@pytest.mark.parametrize(
    ("usable", "number", "states"),
    [(False, 0.0, ["note"]), (True, 499500.0, ["ok"]), (True, 5.0, ["wrong"])],
)
def test_the_graphics_card(
    usable: bool, number: float, states: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    card = SimpleNamespace(
        is_available=lambda: usable,
        device_count=lambda: 1,
        get_device_name=lambda at: "A Card",
        mem_get_info=lambda at: (10**9, 2 * 10**9),
    )
    numbers = SimpleNamespace(sum=lambda: number)
    torch = SimpleNamespace(
        __version__="9", __spec__=True, cuda=card, float64=0, arange=lambda *_, **__: numbers
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(doctor_machine, "find_spec", lambda name: torch)
    lines = list(doctor_machine.gpu())
    assert [line.state for line in lines] == states
    assert not usable or "A Card" in lines[0].sentence


def test_old_and_broken_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tea_pot.py").write_text("raise RuntimeError('no water')")
    monkeypatch.syspath_prepend(tmp_path)
    assert (
        doctor_install._problem("tea-pot", "")
        == "The library 'tea-pot' breaks when it is loaded (no water)."
    )
    assert (
        doctor_install._problem("numpy", "99.1")
        == f"The library 'numpy' is of version {metadata.version('numpy')}, and 99.1 is needed."
    )
    assert doctor_install._problem("numpy", "2.0") == ""
    assert doctor_install._problem("numpy", metadata.version("numpy") + ".0.0") == ""
    wanted = {
        "": {"numpy": "99.1"},
        "tea": {"scipy": "99"},
        "sea": {"no-such-sea": "1"},
        "docs": {"no-such": ""},
    }
    monkeypatch.setattr(doctor_install, "_wanted", lambda: wanted)
    assert [line.todo for line in doctor_install.libraries()] == [
        "Install it with: pip install 'numpy>=99.1'"
    ]
    assert [(line.state, line.todo) for line in doctor_install.extras()] == [
        ("wrong", "Run: pip install -U 'coterie[tea]'"),
        ("note", "Where you want it: pip install 'coterie[sea]'"),
    ]


def test_every_extra_says_what_it_is_for() -> None:
    import tomllib

    project = tomllib.loads(
        (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    extras = set(project["optional-dependencies"]) - set(doctor_install._TOOLS)
    assert extras == set(doctor_install.USES)


def test_too_many_threads_and_limits_of_a_container(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert (
        doctor_machine._pool(
            {"internal_api": "openblas", "version": "1", "num_threads": 64}, 2
        ).state
        == "note"
    )
    assert doctor_machine._pool({"internal_api": "openblas", "num_threads": 1}, 2).state == "ok"
    monkeypatch.setattr(doctor_machine, "_GROUP", tmp_path)
    assert (doctor_machine._quota(), doctor_machine._limit()) == (0.0, 0)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert (doctor_machine._quota(), doctor_machine._limit()) == (0.0, 0)
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    (tmp_path / "memory.max").write_text("1000000000\n")
    assert (doctor_machine._quota(), doctor_machine._limit()) == (0.5, 10**9)
    assert any(line.todo == "Give --memory 0.6GB." for line in doctor_machine.memory())
    assert any(line.todo == "Give --jobs 1." for line in doctor_machine.threads())


def test_a_kernel_that_gives_a_wrong_number(monkeypatch: pytest.MonkeyPatch) -> None:
    from coterie._kernels import probe

    monkeypatch.setattr(probe, "weighed", lambda values: 1.0)
    assert [line.state for line in doctor_machine.kernels()] == ["wrong"]


def test_sums_that_depend_on_workers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from coterie.core.workplace import workplace
    from coterie.parts import workers

    monkeypatch.setattr(
        workers, "in_order", lambda work, tasks, label: iter([np.array([workplace().workers])])
    )
    assert doctor_machine._same_sums().state == "wrong"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs folders with permissions")
def test_kernels_that_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_machine.os, "access", lambda place, how: False)
    lines = list(doctor_machine.kernels())
    assert [line.state for line in lines] == ["ok", "note"]
    assert "NUMBA_CACHE_DIR" in lines[1].todo


def test_text_that_is_not_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_machine.sys, "getfilesystemencoding", lambda: "ascii")
    lines = list(doctor_machine.terminal())
    assert (lines[0].state, lines[0].todo) == ("note", "Set PYTHONUTF8=1.")
    monkeypatch.setattr(doctor_machine.time, "time", lambda: 0.0)
    assert "shows the year" in list(doctor_machine.terminal())[-1].sentence
