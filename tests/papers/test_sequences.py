"""The experiments on sequences, on small stand-ins: every row and relation is there, and the numbers are errors."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.compare.likelihoods import Likelihood, from_likelihoods
from coterie.judge import clustering_error
from coterie.models import HMM
from coterie.organize.agglomerative import Agglomerative
from coterie_papers import japanese_vowels
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.experiments import find
from coterie_papers.segmentation import two_chains
from coterie_papers.smyth_hmms import FAMILY, errors
from coterie_papers.traces import CHAINS, chain, chains, error, recorded, some_of_each

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Nine speakers, or six kinds of charts, or a few characters, in the form and the place of the real ones."""
    rng = np.random.default_rng(0)
    root = tmp_path_factory.mktemp("data")
    (root / "sequences").mkdir()
    for name, kinds, each, dim in (
        ("JapaneseVowels", 9, 8, 3),
        ("SyntheticControl", 6, 8, 1),
        ("CharTraj100", 4, 5, 2),
    ):
        labels = np.repeat(np.arange(kinds), each)
        levels = 4.0 * rng.normal(size=(kinds, dim))
        members = [levels[s] + 0.5 * rng.normal(size=(rng.integers(12, 20), dim)) for s in labels]
        np.savez(
            root / "sequences" / f"{name}.npz",
            values=np.concatenate(members).astype(np.float32),
            lengths=np.array([len(m) for m in members]),
            labels=labels.astype(str),
            split=np.where(np.arange(len(labels)) % 8 < 6, "train", "test"),
        )
    return root


def test_chains_have_the_law_they_are_named_for():
    view, truth = chains(40, 400, 2, 0)
    assert (view.lengths >= 240).all()
    assert (view.lengths <= 560).all()
    far = [np.mean(np.abs(np.diff(view[i][:, 0])) > 2.5) for i in range(40)]
    assert np.mean(np.array(far)[truth == 1]) > np.mean(np.array(far)[truth == 0]) + 0.05
    long = chain(CHAINS[0], 20000, np.random.default_rng(0))[:, 0]
    assert long.mean() == pytest.approx(1.5, abs=0.1)
    assert long.var() == pytest.approx(1 + 9 / 4, abs=0.15)


def test_two_chains_are_cut_where_the_truth_says():
    view, cut = two_chains(3)
    assert len(cut.labels) == 20
    assert np.bincount(cut.labels).tolist() == [10, 10]
    assert cut.boundaries[-1] == len(view.values)
    assert np.diff(cut.boundaries).min() >= 350


def test_errors_of_a_mixture_are_percentages_and_dynamics_win():
    view, truth = chains(24, 120, 2, 1)
    found = errors(view, truth, 0, 2)
    assert {"KL-LL", "YY", "BP", "SYM", "POR", "PPK", "SSD", "SSD, 5 models"} <= set(found)
    assert all(0 <= value <= 50 for value in found.values())
    assert found["SSD"] <= found["PPK"]


def test_parts_of_a_recorded_set(folder):
    ledger = Ledger()
    view, truth = recorded(Trial(1, True, folder), ledger, "JapaneseVowels", "train")
    assert len(view) == 54
    few, labels = some_of_each((view, truth), 2)
    assert np.bincount(labels).tolist() == [2] * 9
    assert len(few) == 18
    assert recorded(Trial(1, True), ledger, "JapaneseVowels") is None
    assert "is not here" in ledger.skipped[0]


def test_error_is_that_of_the_best_matching():
    from coterie.core.affinity import Dense

    points = np.repeat([0.0, 5.0], 6)[:, None] + np.random.default_rng(0).normal(size=(12, 1)) * 0.1
    far = Dense(np.abs(points - points.T), "distance")
    truth = np.repeat([1, 0], 6)
    assert error(far, truth, 0) == 0.0
    truth[0] = 0
    assert error(far, truth, 0) == pytest.approx(100 / 12)


@pytest.mark.parametrize("name", ["japanese-vowels", "control-charts", "character-trajectories"])
def test_an_experiment_fills_its_table(folder, name):
    experiment = find(name)
    found = experiment.conduct(seeds=1, quick=True, folder=folder)
    assert len(found.rows) >= 3
    assert all(np.isfinite(row.ours) for row in found.rows)
    assert found.relations
    assert any(row.paper is not None for row in found.rows)
    assert experiment.conduct(seeds=1, quick=True).rows == []


def test_vowels_are_linked_by_the_distances_that_are_clustered(folder):
    ledger = Ledger()
    trial = Trial(1, True, folder)
    view, truth = recorded(trial, ledger, "JapaneseVowels", "train")
    found = japanese_vowels._likelihoods(trial, ledger, (view, truth))
    affinity = from_likelihoods(
        Likelihood(model=HMM(n_states=2, random_state=0), random_state=0).fit(view).likelihoods_,
        "bp",
    )
    labels = Agglomerative(n_groups=9, linkage="complete").fit(affinity).labels_
    assert found["BP" + japanese_vowels.LINKED, 2] == pytest.approx(
        100 * clustering_error(labels, truth)
    )
    assert found["BP", 2] == pytest.approx(error(affinity, truth, 0))
    rows = {row.method: row.paper for row in ledger.rows}
    assert all(
        rows[name] is not None and rows[name + japanese_vowels.LINKED] is None for name in FAMILY
    )


def test_complete_linkage_is_clearly_worse_or_the_relation_fails():
    for more, holds in ((5.0, True), (4.9, False)):
        ledger = Ledger()
        spectral = {(name, states): 10.0 * states for name in FAMILY for states in (2, 3)}
        linked = {
            (name + japanese_vowels.LINKED, states): value + more
            for (name, states), value in spectral.items()
        }
        linked["BP" + japanese_vowels.LINKED, 3] = 30.0  # once no worse
        linked["YY" + japanese_vowels.LINKED, 3] += more
        japanese_vowels._linked(ledger, {**spectral, **linked, ("PPK", 2): 99.0})
        assert [relation.holds for relation in ledger.relations] == [holds]
        assert "(higher in 9 of 10)" in ledger.relations[0].text
