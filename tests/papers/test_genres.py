"""The experiment on genres, on small stand-ins: its rows, relations and pictures, its emulated sets, and its measures."""

from __future__ import annotations

import wave

import numpy as np
import pytest

from coterie.core.affinity import Dense
from coterie.core.ragged import Ragged
from coterie_papers import genres
from coterie_papers.experiment import Ledger, Trial

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Six excerpts of 3 s per genre, in the form and the place of the real ones: noise of four colors, and one of another."""
    rng = np.random.default_rng(0)
    root = tmp_path_factory.mktemp("data") / genres.NAME
    root.mkdir()
    rows = ["file,genre,samples"]
    for at, genre in enumerate((*genres.GENRES, "polka")):
        for i in range(6):
            noise = rng.normal(size=4000 * 3 + at)
            sound = np.convolve(noise, np.cos(np.arange(8 + 4 * at)), mode="same") * (
                1 + np.sin(np.arange(len(noise)) / (200 + i))
            )
            with wave.open(str(root / f"{genre}.{i}.wav"), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(4000)
                file.writeframes((8000 * sound / np.abs(sound).max()).astype("<i2").tobytes())
            rows.append(f"{genre}.{i}.wav,{genre},{len(noise)}")
    (root / "index.csv").write_text("\n".join(rows))
    return root.parent


@pytest.fixture
def fewer_states(monkeypatch):
    """Shared models of few states: the stand-ins have few windows."""

    class Small(genres.SSD):
        def fit(self, X, y=None):
            self.set_params(n_states=4, n_models=1)
            return super().fit(X, y)

    monkeypatch.setattr(genres, "SSD", Small)


def test_every_row_relation_and_picture_is_there(folder, fewer_states, monkeypatch):
    monkeypatch.setattr(genres, "_emulated", lambda trial, ledger: None)
    ledger = Ledger()
    genres.run(Trial(1, True, folder), ledger)
    data = "24 excerpts, 135 numbers"
    errors = {
        row.method: row for row in ledger.rows if row.data == data and row.measure == "error %"
    }
    assert set(errors) == {
        "SSD",
        "NN risk",
        "NN-J",
        "Wang-J",
        "bound-J",
        "MMD",
        "mean vectors",
        "SPH",
    }
    assert errors["NN-J"].paper == 21.25
    assert all(row.ours < 60 for row in errors.values())  # four kinds by chance: about 65 of 24
    pairs = [row for row in ledger.rows if row.data == "rock and metal"]
    assert {row.method for row in pairs} == {"SSD", "SSD-ST", "mean vectors"}
    assert len(ledger.pictures) == len(errors)
    said = [relation.text.split()[0] for relation in ledger.relations]
    assert said == ["on", "on", "NN-J", "Wang-J", "bound-J"]
    assert not ledger.skipped


def test_without_the_data_only_the_emulation_runs(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    made = genres.manifolds
    monkeypatch.setattr(genres, "manifolds", lambda per, seed: made(6, seed))
    ledger = Ledger()
    genres.run(Trial(1, True, tmp_path), ledger)
    assert genres.NAME in ledger.skipped[0]
    found = {row.method: row.ours for row in ledger.rows if row.measure == "error %"}
    assert found["NN-J"] < 10  # the shape of a surface is enough
    assert found["mean vectors"] > 30  # and its mean says nothing
    assert found["bound-J"] > 30
    assert [relation.text.split()[0] for relation in ledger.relations] == [
        "NN-J",
        "Wang-J",
        "bound-J",
        "the",
        "the",
    ]


def test_emulated_sets_differ_in_shape_alone():
    view, truth = genres.manifolds(30, 0)
    assert view.shape == (120, 135)
    assert set(view.lengths) == {60}
    means = np.array([view.take(np.flatnonzero(truth == k)).values.mean(axis=0) for k in range(4)])
    spread = view.values.std(axis=0).max()
    assert np.abs(means - means.mean(axis=0)).max() < 0.2 * spread
    first = np.linalg.svd(view.values - view.values.mean(axis=0), compute_uv=False)
    assert first[5] > 2 * first[6]  # six directions, and noise
    again, _ = genres.manifolds(30, 0)
    assert np.array_equal(view.values, again.values)


def test_confusions_are_shares_under_the_best_match():
    truth = np.array([0, 0, 0, 1, 1, 1])
    grid = genres.confusion("x", np.array([1, 1, 0, 0, 0, 0]), truth, ("a", "b"))
    assert np.allclose(grid.values, [[2 / 3, 1 / 3], [0, 1]])
    one = genres.confusion("x", np.zeros(6, dtype=int), truth, ("a", "b"))
    assert np.allclose(one.values.sum(axis=1), 1)


def test_sets_that_do_not_overlap_are_equally_far():
    rng = np.random.default_rng(0)
    apart = Ragged.of([rng.normal(size=(20, 3)) + 100 * i for i in range(6)], ordered=False)
    mixed = Ragged.of([rng.normal(size=(20, 3)) + i for i in range(6)], ordered=False)
    assert genres.crowded(apart) == 1.0
    assert genres.crowded(mixed) < 0.8


def test_equally_near_members_count_in_part():
    truth = np.array([0, 0, 1])
    gaps = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    assert genres.nearest_wrong(Dense(gaps, "distance"), truth) == pytest.approx((0.5 + 0 + 1) / 3)
    assert genres.nearest_wrong(Dense(-gaps, "similarity"), truth) == pytest.approx(
        (0.5 + 0 + 1) / 3
    )


def test_the_thesis_has_135_numbers():
    frames = Ragged(
        np.random.default_rng(0).normal(size=(399, 6)), np.array([0, 399]), rate=1000 / 15
    )
    assert genres.THESIS.fit(frames).transform(frames).values.shape == (41, 135)
