"""The commands around a stored run: runs, report, neighbors, judge, methods, resume, and what helps to find them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from coterie import Store, __version__, catalog
from coterie.cli.main import COMMANDS
from coterie.collect import installed
from coterie.collect.samples import sample
from coterie.core.params import params_of
from coterie.run.engine import load

from .made import TRUTH, numbers
from .running import coterie, explored, refused


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A store with the run blobs-1."""
    place = tmp_path_factory.mktemp("kept") / "runs"
    explored("sample:blobs", "--store", place)
    return place


@pytest.fixture
def store(kept: Path, tmp_path: Path) -> Path:
    """A store of the test's own with the run blobs-1; it is the default one."""
    return shutil.copytree(kept, tmp_path / "runs")


def test_version_and_help() -> None:
    assert coterie("--version").out == f"coterie {__version__}\n"
    for words in ((), ("--help",), ("-h",)):
        said = coterie(*words)
        assert said.code == 0
        assert "Begin with:   coterie explore PATH" in said.out
        assert all(f"  {name}  " in said.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    said = coterie(command, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: coterie {command} ")
    assert said.err == ""


def test_explore_help_says_every_choice_with_its_range() -> None:
    from coterie.workflows.choices import Choices

    text = " ".join(coterie("explore", "--help").out.split())
    for info in params_of(Choices):
        assert f"--{info.name.replace('_', '-')} " in text
        assert info.sentence.split(";")[0].split(",")[0] in text
    assert "[from 1]" in text


def test_runs(store) -> None:
    said = coterie("runs")
    assert said.out.splitlines()[0].split() == [
        "run",
        "status",
        "kind",
        "members",
        "groups",
        "made",
        "summary",
    ]
    assert said.out.splitlines()[2].startswith("blobs-1  done    table  300      5 ")
    explored("sample:moons", "--nulls", 0)
    rows = json.loads(coterie("runs", "--json").out)
    assert [row["name"] for row in rows] == ["moons-1", "blobs-1"]
    assert rows[1]["request"]["choices"]["nulls"] == 2
    assert rows[1]["status"] == "done"
    assert coterie("runs", "--delete", "moons-1").out == "Deleted moons-1.\n"
    assert [record.name for record in Store().runs()] == ["blobs-1"]


def test_several_runs_are_deleted_at_once_or_none(store) -> None:
    for name in ("one", "two"):
        Store().create(name)
    assert "There is no run 'three'" in refused("runs", "--delete", "one", "three")
    assert "stand after --delete" in refused("runs", "one")
    assert len(Store()) == 3
    assert coterie("runs", "--delete", "one", "two").out == "Deleted one-1.\nDeleted two-1.\n"


def test_a_failed_run_says_why(store) -> None:
    run = Store().create("bad")
    run.finish("failed", problem="Every column is the same.")
    assert "Every column is the same." in coterie("runs").out.splitlines()[2]


def test_tables_fit_a_terminal(store, monkeypatch) -> None:
    from coterie.cli import say

    monkeypatch.setattr(say.shutil, "get_terminal_size", lambda: os.terminal_size((60, 20)))
    assert max(map(len, coterie("methods").out.splitlines())) > 60, (
        "cut where nobody sees a terminal"
    )
    rows = [["a", "word " * 30], ["b", "short"]]
    monkeypatch.setattr(say.sys.stdout, "isatty", lambda: True, raising=False)
    lines = say.table(["name", "what"], rows).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[2].endswith("\u2026")
    assert lines[3] == "b     short"


def test_many_groups_are_cut_short(monkeypatch, capsys) -> None:
    from coterie import explore
    from coterie.cli.say import tell_exploration

    tell_exploration(explore(sample("uniform", 90), k=23, nulls=0))
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.strip()[:1].isdigit() and line.startswith("  ") for line in lines) == 20
    assert any(line.split() == ["...", "and", "3", "more", "groups"] for line in lines)


def test_runs_of_an_empty_store(tmp_path) -> None:
    assert coterie("runs", "--store", tmp_path / "none").out.startswith(
        "There are no runs here yet; begin with: coterie explore"
    )
    assert json.loads(coterie("runs", "--json", "--store", tmp_path / "none").out) == []


def test_report_is_written_again(store, tmp_path) -> None:
    page = store / "blobs-1" / "report.html"
    was = page.read_bytes()
    page.unlink()
    assert coterie("report", "blobs-1").out == f"Report: {page}\n"
    assert page.read_bytes() == was
    assert "there is no folder" in refused("report", "--out", tmp_path / "new" / "page.html")
    assert not (tmp_path / "new").exists()
    assert coterie("report", "--out", tmp_path / "page.html").code == 0
    assert (tmp_path / "page.html").read_bytes() == was


def test_neighbors(store) -> None:
    found = load("blobs-1")
    said = coterie("neighbors", "blobs-1", "blobs-007", "--most", 4, "--json")
    rows = json.loads(said.out)
    nearest = [found.findings.ids[i] for i in found.findings.neighbors[7][:4]]
    assert [row["id"] for row in rows] == nearest
    assert "blobs-007" not in nearest
    values = np.asarray(found.collection.view().values)
    gaps = np.linalg.norm(values - values[7], axis=1)
    gaps[7] = np.inf
    assert nearest == [found.findings.ids[i] for i in np.argsort(gaps)[:4]]
    plain = coterie("neighbors", "blobs-1", "blobs-007", "--most", 4).out.splitlines()
    assert plain[0].split() == ["nearness", "member", "group", "what", "it", "is"]
    assert [line.split()[1] for line in plain[2:]] == nearest


def test_judge(store, tmp_path) -> None:
    from coterie.judge import nmi

    said = coterie("judge", "blobs-1")
    assert said.out.startswith("Against 'group', the groups of blobs-1 share ")
    values = {
        line.rsplit(None, 1)[0]: line.rsplit(None, 1)[-1] for line in said.out.splitlines() if line
    }
    assert [values[name] for name in ("members", "unknown", "unassigned", "classes")] == [
        "300",
        "0",
        "0",
        "5",
    ]
    assert values["well balanced"] in ("yes", "no")
    assert "." in values["nmi"]
    assert "NMI is the information" in said.out
    assert "Micro accuracy counts" in said.out
    record = json.loads(coterie("judge", "blobs-1", "--truth", "group", "--json").out)
    found = load("blobs-1")
    assert record["measures"]["nmi"] == pytest.approx(
        nmi(found.labels, found.collection.truth["group"])
    )
    assert (record["members"], record["unknown"]) == (300, 0)


def test_judge_from_a_file(store, tmp_path) -> None:
    truth = sample("blobs").truth["group"].tolist()
    rows = [f"blobs-{i:03d},kind {g}" for i, g in enumerate(truth)]
    (tmp_path / "answers.csv").write_text(
        "\n".join(["id,colour", "stranger,kind 0", *reversed(rows[:200])])
    )
    record = json.loads(
        coterie(
            "judge", "blobs-1", "--from", tmp_path / "answers.csv", "--truth", "colour", "--json"
        ).out
    )
    assert (record["members"], record["unknown"]) == (200, 100)
    assert record["measures"]["nmi"] == pytest.approx(1.0)
    assert (
        "(100 members without an answer left out)"
        in coterie("judge", "blobs-1", "--from", tmp_path / "answers.csv", "--truth", "colour").out
    )


def test_methods() -> None:
    lines = coterie("methods").out.splitlines()
    assert lines[0].split()[:4] == ["method", "room", "takes", "gives"]
    assert [line.split()[0] for line in lines[2:]] == list(catalog.NAMES)
    only = coterie("methods", "--room", "organize").out.splitlines()
    assert [line.split()[0] for line in only[2:]] == [
        entry.name for entry in catalog.room("organize")
    ]


@pytest.mark.parametrize("entry", catalog.ENTRIES, ids=lambda entry: entry.name)
def test_one_method_is_described_whole(entry) -> None:
    said = coterie("methods", entry.name.lower()).out
    assert said.splitlines()[1] == entry.sentence
    assert f"Takes {entry.takes}, gives {entry.gives}." in said
    for info in params_of(entry.load()):
        line = next(line for line in said.splitlines() if line.startswith(f"{info.name} "))
        assert repr(info.default) in line
        assert info.range in line
        assert info.sentence in line


def test_resume_of_a_finished_run_tells_it_again(store) -> None:
    files = {file: file.stat().st_mtime_ns for file in store.rglob("*.html")}
    said = coterie("resume", "blobs-1")
    assert said.code == 0
    assert said.out.startswith("The run blobs-1 was finished already.\n")
    assert "5 clear groups in 300 rows" in said.out
    assert {file: file.stat().st_mtime_ns for file in store.rglob("*.html")} == files


def _completed(monkeypatch, *words: str) -> list[str]:
    monkeypatch.setenv("_COTERIE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["coterie", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    said = coterie()
    assert said.code == 0
    return [line.split(",")[1] for line in said.out.splitlines() if line]


def test_completion(store, monkeypatch) -> None:
    assert _completed(monkeypatch, "re") == ["replay", "rerank", "report", "resume", "reproduce"]
    for command in ("report", "resume", "neighbors", "judge", "add", "steer", "replay"):
        assert _completed(monkeypatch, command, "bl") == ["blobs-1"]
    assert _completed(monkeypatch, "methods", "m") == [
        name for name in catalog.NAMES if name.lower().startswith("m")
    ]
    assert "--truth" in _completed(monkeypatch, "explore", "--t")
    assert _completed(monkeypatch, "reproduce", "sam") == ["samples"]
    (store / "index.sqlite").write_bytes(b"nonsense" * 100)
    assert _completed(monkeypatch, "report", "bl") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_turned_on_by_one_line(shell: str) -> None:
    line = coterie("--install-completion", shell).out.strip()
    assert f"_COTERIE_COMPLETE={shell}_source coterie" in line
    assert "\n" not in line


@pytest.mark.slow
def test_demo_groups_the_documentation_that_is_here(monkeypatch) -> None:
    monkeypatch.setattr(
        installed, "PACKAGES", ("sklearn",)
    )  # and the standard library: all of them take many seconds
    said = coterie("demo", "--most", 150, "--progress", "silent")
    assert said.code == 0, said.err
    assert ", the groups of demo-1 share " in said.out
    assert Store().open("demo-1").status == "done"


def test_another_store(tmp_path) -> None:
    place = tmp_path / "elsewhere"
    said = explored(numbers(tmp_path), "--truth", TRUTH, "--nulls", 0, "--store", place)
    assert f"add flowers-1 --store {place})" in said.out
    assert [record.name for record in Store(place).runs()] == ["flowers-1"]
    assert Store().runs() == []
    assert coterie("judge", "--store", place).out.startswith(f"Against '{TRUTH}'")
