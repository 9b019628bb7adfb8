"""Cores of a run: found by a job, kept by method, asked for once, and a sentence where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import DataError, Interrupted, ParameterError
from coterie.core.workplace import using
from coterie.run.coring import (
    Way,
    ask_core,
    check_core,
    check_record,
    core_changed,
    find_cores,
    kept_core,
    problem_of,
    wanted_cores,
)
from coterie.run.engine import explore
from coterie.run.live import Live
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.workflows.cores import core_of

CORE = ["kettle", "leaf", "cup", "brew", "pot", "steep", "oolong", "mint"]
OTHER = [
    f"{one}{two}"
    for one in ("ba", "ko", "mi", "ru", "ze")
    for two in ("lan", "por", "tik", "vum", "sed", "gra", "nol", "fis")
]
TEXTS = [" ".join(CORE[(i + at) % 8] for at in range(6)) for i in range(12)] + [
    " ".join(OTHER[(7 * i + 3 * at * at) % 40] for at in range(6)) for i in range(28)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coring") / "store"
    explore(TEXTS, store=folder, name="pile", k=2, nulls=0)
    explore(
        np.random.default_rng(0).normal(size=(12, 2)), store=folder, name="numbers", k=2, nulls=0
    )
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Run:
    return Store(shutil.copytree(made, tmp_path / "store")).open("pile-1")


def test_all_that_were_asked_for_are_found_and_kept(run: Run) -> None:
    ways = [Way("ltb", "uniform"), Way("occc", "uniform")]
    for way in [*ways, ways[0]]:
        ask_core(run, way)
    assert wanted_cores(run) == [ways[1], ways[0]]
    assert kept_core(run, ways[0]) is None
    assert core_changed(run, ways[0]) == 0
    find_cores(run.folder.parent, run.name)
    assert wanted_cores(run) == []
    assert all(core_changed(run, way) for way in ways)
    alone = core_of(run.collection(), method="ltb", background="uniform").record()
    assert kept_core(run, ways[0]) == alone
    assert {int(row["id"]) for row in alone["members"][:12]} == set(range(12))
    check_record(alone, 40)


def test_ways_are_told_apart_where_they_differ() -> None:
    assert Way("ltb", "bundled").key != Way("ltb", "uniform").key
    assert Way("ocsvm", "uniform") == Way("ocsvm", "bundled")
    for wrong in (("best", "bundled"), ("ltb", "mine")):
        with pytest.raises(ParameterError, match="must be one of"):
            Way(*wrong)


def test_a_core_that_cannot_be_found_keeps_its_sentence(made: Path, tmp_path: Path) -> None:
    run = Store(shutil.copytree(made, tmp_path / "other")).open("numbers-1")
    with pytest.raises(DataError, match="words, links or counts"):
        check_core(run.collection())
    ask_core(run, Way())
    find_cores(run.folder.parent, run.name)
    assert "counts" in problem_of(kept_core(run, Way()) or {})
    assert wanted_cores(run) == []


def test_stopped_it_is_asked_for_no_more_and_not_kept(run: Run, tmp_path: Path) -> None:
    ask_core(run, Way())
    watch = Live(tmp_path / "live")
    watch.ask_stop()
    with pytest.raises(Interrupted), using(watch=watch):
        find_cores(run.folder.parent, run.name)
    assert wanted_cores(run) == []
    assert kept_core(run, Way()) is None


def test_a_record_of_others_is_refused(run: Run) -> None:
    with pytest.raises(DataError, match="does not fit"):
        check_record({"size": 2, "members": []}, 40)
