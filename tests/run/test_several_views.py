"""A walk on several views as a stored run: made from folders, resumed with the same bits, reported, judged and added to."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from coterie.collect.samples import sample
from coterie.core.errors import DataError, Interrupted
from coterie.core.workplace import Silent, using
from coterie.judge import adjusted_rand
from coterie.messages.exploration import summarize
from coterie.run.engine import explore, load, resume
from coterie.run.questions import add, judged, neighbors
from coterie.run.replaying import replay
from coterie.run.store import Store

VIEWS = ["north", "south"]


@pytest.fixture(scope="module")
def letters():
    return sample("letters_in_two_languages", 96)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, letters) -> Path:
    """The letters as files in two sub-folders, and a third that holds only a few of them."""
    root = tmp_path_factory.mktemp("post")
    for name in VIEWS:
        _written(root / name, letters, name, range(90))
    _written(root / "west", letters, "north", range(3))
    return root


def _written(place: Path, letters, view: str, which) -> None:
    place.mkdir(parents=True)
    for at in which:
        (place / f"{letters.ids[at]}.txt").write_text(letters.view(view)[at])


@pytest.fixture(scope="module")
def made(folder, tmp_path_factory):
    store = tmp_path_factory.mktemp("runs")
    return explore(folder, views=VIEWS, k=6, nulls=0, store=store, name="both"), store


def test_only_the_named_folders_are_read(made) -> None:
    found, _ = made
    assert list(found.collection.views) == VIEWS
    assert len(found.collection) == 90
    assert list(found.run.request.reading.views) == VIEWS
    assert "views=['north', 'south']" in found.findings.python


def test_the_run_is_loaded_judged_and_reported(made, letters, tmp_path) -> None:
    found, store = made
    again = load("both", store=store)
    assert again.analysis.views == ("north", "south")
    np.testing.assert_array_equal(again.labels, found.labels)
    place = {f"{member}.txt": at for at, member in enumerate(letters.ids)}
    answers = [str(letters.truth["group"][place[member]]) for member in found.findings.ids]
    assert again.judge(answers).measures["nmi"] > 0.9
    rows = [
        "id,group",
        *(f"{member},{answer}" for member, answer in zip(found.findings.ids, answers, strict=True)),
    ]
    (tmp_path / "truth.csv").write_text("\n".join(rows) + "\n")
    assert (
        judged("both", "group", file=str(tmp_path / "truth.csv"), store=store).measures["nmi"] > 0.9
    )
    near = neighbors("both", found.findings.ids[0], most=3, store=store)
    assert len(near) == 3
    page = (found.run.path / "report.html").read_text()
    assert "<bdi>words (north)</bdi>" in page
    assert "<bdi>words (south)</bdi>" in page
    assert "Consensus of the views by component" in page
    assert "by more than chance" in page


def test_new_members_are_added_from_both_views_or_one(made, letters, tmp_path) -> None:
    _, store = made
    for name in VIEWS:
        _written(tmp_path / "new" / name, letters, name, range(90, 94))
    placed = add("both", tmp_path / "new", store=store)
    assert len(placed.ids) == 4
    assert placed.fits.all()
    truth = letters.truth["group"]
    found = load("both", store=store)
    by_group = {
        int(g): found.findings.labels[:90][truth[_places(found, letters)] == g]
        for g in np.unique(truth)
    }
    for at, label in zip(range(90, 94), placed.labels, strict=True):
        assert np.bincount(by_group[int(truth[at])]).argmax() == label
    _written(tmp_path / "later" / "south", letters, "south", range(94, 96))
    alone = add("both", tmp_path / "later", store=store)
    assert len(alone.ids) == 2
    assert alone.fits.all()
    assert alone.snippets[0]
    (tmp_path / "odd" / "north").mkdir(parents=True)
    (tmp_path / "odd" / "north" / "odd.txt").write_text("zzz qqq")
    strange = add("both", tmp_path / "odd", store=store)
    assert not strange.fits.any()


def _places(found, letters) -> np.ndarray:
    place = {f"{member}.txt": at for at, member in enumerate(letters.ids)}
    return np.array([place[member] for member in list(found.findings.ids)[:90]])


class Impatient(Silent):
    """A person who asks to stop after being asked so many times."""

    asked = 0

    def wants_stop(self) -> bool:
        self.asked += 1
        return self.asked > 14


def test_a_stopped_run_goes_on_with_the_same_bits(folder, tmp_path) -> None:
    whole = explore(folder, views=VIEWS, nulls=2, store=tmp_path / "one", name="whole")
    with (
        using(watch=Impatient(), n_jobs=1),
        pytest.raises(Interrupted, match="coterie resume part"),
    ):
        explore(folder, views=VIEWS, nulls=2, store=tmp_path / "two", name="part")
    assert Store(tmp_path / "two").open("part").status == "stopped"
    gone_on = resume("part", store=tmp_path / "two")
    np.testing.assert_array_equal(gone_on.findings.map, whole.findings.map)
    np.testing.assert_array_equal(gone_on.labels, whole.labels)
    assert repr(gone_on.findings.evidence) == repr(whole.findings.evidence)
    assert list(summarize(gone_on.findings)) == list(summarize(whole.findings))


def test_wrong_names_leave_no_run_behind(folder, tmp_path) -> None:
    for views, said in ((["north", "east"], "no sub-folder 'east'; it has north, south, west"),):
        with pytest.raises(DataError, match=said):
            explore(folder, views=views, store=tmp_path)
    with pytest.raises(DataError, match=re.escape("has no view 'x'; it has columns")):
        explore([[0.0, 1.0], [1.0, 2.0], [2.0, 1.0]], views=["x", "y"], store=tmp_path)
    assert Store(tmp_path).runs() == []


def test_new_members_are_placed_by_the_views_each_has(made, letters, tmp_path) -> None:
    found, _ = made
    _written(tmp_path / "new" / "north", letters, "north", range(90, 93))
    _written(tmp_path / "new" / "south", letters, "south", range(91, 96))
    placed = found.place(tmp_path / "new")
    assert sorted(placed.ids) == sorted(
        f"{letters.ids[at]}.txt" for at in range(90, 96)
    )  # nobody is left out
    assert placed.fits.all()
    assert (
        "They were placed by the views they have: 1 by north alone, 2 by north and south, 3 by south alone."
        in placed.sentences()
    )
    assert not any("left out" in note for note in placed.notes)
    assert all(placed.snippets)
    truth = letters.truth["group"]
    place = {f"{member}.txt": at for at, member in enumerate(letters.ids)}
    for member, label in zip(placed.ids, placed.labels, strict=True):
        alike = found.labels[truth[_places(found, letters)] == truth[place[member]]]
        assert np.bincount(alike).argmax() == label


def test_members_that_lack_a_view_are_replayed(made, letters, tmp_path) -> None:
    _, store = made
    _written(tmp_path / "new" / "south", letters, "south", range(90, 96))
    again = replay("both", tmp_path / "new", store=store, name="later")
    assert len(again.ids) == 6
    known = load("both", store=store)
    truth = letters.truth["group"]
    names = {
        int(g): known.findings.groups[
            int(np.bincount(known.labels[:90][truth[_places(known, letters)] == g]).argmax())
        ].name
        for g in np.unique(truth)
    }
    right = [
        names[int(truth[at])] == row[1] for at, row in zip(range(90, 96), again.rows(), strict=True)
    ]
    assert sum(right) >= 5


def _matrices(path: Path, n: int, seed: int) -> np.ndarray:
    """Two tables of three shared groups in one file."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % 3
    tables = {
        name: (6 * np.eye(3)[groups] + rng.normal(size=(n, 3))).astype(np.float32) for name in "ab"
    }
    np.savez(path, **tables, ids=np.array([f"s{seed}m{i}" for i in range(n)]))
    return groups


def test_views_that_nobody_named_are_analyzed_and_added_to(tmp_path) -> None:
    groups = _matrices(tmp_path / "first.npz", 90, 0)
    found = explore(
        tmp_path / "first.npz", kind="views", k=3, nulls=0, store=tmp_path / "runs", name="ab"
    )
    assert found.analysis.views == ("a", "b")
    assert adjusted_rand(groups, found.labels) == 1.0
    more = _matrices(tmp_path / "more.npz", 30, 1)
    placed = add("ab", tmp_path / "more.npz", store=tmp_path / "runs")
    assert adjusted_rand(more, placed.labels) == 1.0
    again = load("ab", store=tmp_path / "runs")
    assert len(again.findings.ids) == 120
