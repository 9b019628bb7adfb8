"""Mutual information against known laws, independence tests, and entropies against closed forms."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import digamma

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import using
from coterie.judge import cross_entropy, divergence, entropy, independence_test, mutual_information
from coterie.judge.dependence import _split


def _related(n: int, rho: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    z = np.random.default_rng(seed).normal(size=(n, 2))
    return z[:, 0], rho * z[:, 0] + np.sqrt(1 - rho**2) * z[:, 1]


def test_information_of_gaussians():
    """Spec 7.9: pairs and unrelated pairs of other rows give 0.529, of shared rows 0.376, and the truth is 0.511."""
    apart = []
    shared = []
    for seed in range(5):
        x, y = _related(500, 0.8, seed)
        apart.append(mutual_information(x, y, replicates=0, random_state=seed).value)
        mixed = np.random.default_rng(seed).permutation(y)
        shared.append(divergence(np.c_[x, y], np.c_[x, mixed], "kl", replicates=0).value)
    assert np.mean(apart) == pytest.approx(-np.log(1 - 0.8**2) / 2, abs=0.06)
    assert np.mean(shared) < np.mean(apart) - 0.06


def test_nothing_is_known_of_what_is_unrelated():
    values = [
        mutual_information(*_related(300, 0.0, s), "hellinger", replicates=0, random_state=s).value
        for s in range(6)
    ]
    assert np.mean(values) < 0.03


def test_scale_does_not_matter_unless_it_is_kept():
    x, y = _related(120, 0.8)
    plain = mutual_information(x, y, "js", replicates=0, random_state=0).value
    assert mutual_information(
        1000 * x, y - 5, "js", replicates=0, random_state=0
    ).value == pytest.approx(plain, rel=1e-9)
    kept = mutual_information(
        1000 * x, y, "js", standardize=False, replicates=0, random_state=0
    ).value
    assert kept < 0.7 * plain


def test_no_row_is_in_both_samples_and_no_pair_is_whole():
    x = np.arange(20.0)[:, None]
    parts = list(_split(x, x + 100, 3, np.random.default_rng(0)))
    assert len(parts) == 6
    for joint, apart in parts:
        assert np.array_equal(joint[:, 1], joint[:, 0] + 100)
        assert not np.any(apart[:, 1] == apart[:, 0] + 100)
        assert sorted([*joint[:, 0], *apart[:, 0]]) == x[:, 0].tolist()
        assert sorted(apart[:, 1] - 100) == sorted(apart[:, 0])


def test_interval_and_workers():
    x, y = _related(100, 0.9)
    with using(n_jobs=1):
        found = mutual_information(x, y, "js", splits=2, replicates=12, random_state=1)
    with using(n_jobs=2):
        assert mutual_information(x, y, "js", splits=2, replicates=12, random_state=1) == found
    assert 0 < found.lower < found.value < found.upper <= np.log(2)
    assert found.name == "mutual information (js by NN)"


def test_other_estimates_are_averaged():
    x, y = _related(200, 0.9)
    x = (x - x.mean()) / x.std()
    y = (y**2 - (y**2).mean()) / (y**2).std()
    found = mutual_information(x, y, risk="bound", splits=3, replicates=0, random_state=0)
    parts = list(_split(x[:, None], y[:, None], 3, stream(0, 0)))
    each = [divergence(*part, "kl", "bound", replicates=0).value for part in parts]
    assert len(each) == 6
    assert np.std(each) > 0
    assert found.value == pytest.approx(np.mean(each), rel=1e-9)
    assert found.name == "mutual information (kl by Bound)"


def test_what_the_estimate_has_to_say_is_said():
    x, y = _related(40, 0.8)
    few = "Halves of the pairs were compared: the smallest set has 20 vectors"
    assert any(
        note.startswith(few)
        for note in mutual_information(x, y, replicates=0, random_state=0).notes
    )
    assert not any(
        few in note for note in mutual_information(x, y, "js", replicates=0, random_state=0).notes
    )
    copies = np.repeat(np.arange(3.0), 20)
    notes = mutual_information(copies, copies, "js", replicates=0, random_state=0).notes
    assert notes[0].startswith(
        "100 % of the pairs are copies of one another: the information is that of the values as"
    )
    assert not any("share vectors" in note for note in notes)
    some = x.copy()
    some[1] = some[0]
    y[1] = y[0]
    assert (
        mutual_information(some, y, risk="wang", replicates=0)
        .notes[0]
        .startswith("5 % of the pairs are copies of one")
    )
    found = mutual_information(*_related(40, 0.0, seed=1), replicates=0, random_state=0)
    assert found.value == 0
    assert "cut at 0" in found.notes[-1]
    assert "independence_test" in found.notes[-1]
    with pytest.raises(DataError, match="the vectors of the pairs are copies"):
        mutual_information(np.zeros(40), np.zeros(40), risk="wang", replicates=0)


def test_information_of_categories():
    """Laws with few values have no density, and an information all the same."""
    joint = np.full((3, 3), 0.2 / 9) + 0.8 / 3 * np.eye(3)
    truth = float((joint * np.log(9 * joint)).sum())
    values = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 3, size=600)
        y = np.where(rng.random(600) < 0.8, x, rng.integers(0, 3, size=600))
        values.append(mutual_information(x, y, replicates=0, random_state=seed).value)
    assert np.mean(values) == pytest.approx(truth, abs=0.05)


@pytest.mark.parametrize("statistic", ["mmd", "energy", "hellinger"])
def test_dependence_is_found_also_where_nothing_correlates(statistic):
    rng = np.random.default_rng(0)
    x = rng.normal(size=160)
    y = x**2 + 0.3 * rng.normal(size=160)
    assert independence_test(x, y, statistic, permutations=39, random_state=0).p_value <= 0.05


@pytest.mark.parametrize("statistic", ["mmd", "energy", "js"])
def test_level_is_exact_where_nothing_is_related(statistic):
    rounds = 30 if statistic == "js" else 90
    p = [
        independence_test(*_related(24, 0.0, s), statistic, permutations=19, random_state=s).p_value
        for s in range(rounds)
    ]
    for level in (0.1, 0.3):
        assert np.mean(np.asarray(p) <= level) <= level + 3.3 * np.sqrt(
            level * (1 - level) / rounds
        )
    assert 0.38 < np.mean(p) < 0.66


def test_statistic_is_the_squared_distance_of_joint_and_product():
    """MMD of all pairs and all products, with the product kernel, written out."""
    x, y = (one[:, None] for one in _related(16, 0.7))
    x = (x - x.mean()) / x.std()
    y = (y - y.mean()) / y.std()

    def kernel(a):
        far = np.abs(a - a.T)
        return np.exp(-((far / np.median(far[np.triu_indices(len(a), 1)])) ** 2))

    k = kernel(x)
    h = kernel(y)
    expected = np.mean(k * h) + k.mean() * h.mean() - 2 * np.mean(k.mean(axis=0) * h.mean(axis=0))
    assert independence_test(x, y, permutations=1, random_state=0).statistic == pytest.approx(
        expected, rel=1e-9
    )


def test_entropy_is_the_formula_and_near_the_truth():
    x = np.random.default_rng(0).normal(size=(1500, 2))
    far = np.linalg.norm(x[:, None] - x[None], axis=2)
    far.sort(axis=1)
    for k in (1, 3):
        expected = digamma(1500) - digamma(k) + np.log(np.pi) + 2 * np.log(far[:, k]).mean()
        assert entropy(x, k) == pytest.approx(expected, rel=1e-9)
    assert entropy(x) == pytest.approx(np.log(2 * np.pi * np.e), abs=0.1)
    assert entropy(3 * x) == pytest.approx(entropy(x) + 2 * np.log(3), rel=1e-9)


def test_cross_entropy():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1500, 1))
    y = 2 * rng.normal(size=(1500, 1)) + 1
    truth = np.log(2 * np.sqrt(2 * np.pi)) + (1 + 1) / 8
    assert cross_entropy(x, y) == pytest.approx(truth, abs=0.1)
    assert cross_entropy(x, y, "nn") == pytest.approx(truth, abs=0.25)
    assert cross_entropy(x, y, "bound") < cross_entropy(x, y)
    assert cross_entropy(x, y) > entropy(x)


def test_copies_are_stepped_over_or_refused():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 1))
    twice = np.concatenate([rows, rows[:100]])
    with pytest.warns(
        UserWarning, match=r"^entropy: 40 % of the rows of x are copies of one another, which .*\.$"
    ):
        assert entropy(twice) == pytest.approx(entropy(rows), abs=0.3)
    with pytest.warns(UserWarning, match=r"^cross_entropy: 25 % of the rows of x are in y too"):
        cross_entropy(rows, np.concatenate([rows[:100], rng.normal(size=(400, 1))]))
    with pytest.warns(UserWarning, match=r"^cross_entropy: 40 % of the rows of y are copies"):
        cross_entropy(rng.normal(size=(30, 1)), twice)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        entropy(rows)
        cross_entropy(
            twice, rng.normal(size=(30, 1))
        )  # copies in x alone do no harm to a mean over its rows


def test_a_law_with_copies_has_no_entropy():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 2))
    whole = rng.integers(0, 10, size=(500, 2))
    for copied in (whole, np.repeat(rows, 2, axis=0), np.zeros((20, 2))):
        with pytest.raises(
            DataError,
            match=r"^entropy: \d+ % of the rows of x are copies of one another, and a law with copies",
        ):
            entropy(copied)
    with pytest.raises(
        DataError, match=r"^cross_entropy: 100 % of the rows of x are in y too, and a law"
    ):
        cross_entropy(rows, rows)
    with pytest.raises(DataError, match=r"^cross_entropy: \d+ % of the rows of y are copies"):
        cross_entropy(rows, whole)
    with pytest.raises(DataError, match=r"^cross_entropy: \d+ % of the rows of x are copies"):
        cross_entropy(whole, rows, "nn")


def test_what_never_changes_tells_nothing():
    x = np.random.default_rng(0).normal(size=40)
    for statistic in ("mmd", "energy"):
        assert (
            independence_test(x, np.ones(40), statistic, permutations=19, random_state=0).p_value
            == 1
        )


def test_refusals():
    x, y = _related(40, 0.5)
    with pytest.raises(
        DataError, match="x has 40 rows and y has 39; row i of both must belong together"
    ):
        mutual_information(x, y[1:])
    with pytest.raises(DataError, match="there are 10 pairs and at least 16 are needed"):
        independence_test(x[:10], y[:10])
    for splits in (0, 1.5):
        with pytest.raises(
            ParameterError, match=f"splits must be a whole number from 1, and was {splits}"
        ):
            mutual_information(x, y, splits=splits)
    for k in (0, 1.5):
        with pytest.raises(
            ParameterError, match=f"entropy: k must be a whole number from 1, and was {k}"
        ):
            entropy(x, k=k)
        with pytest.raises(
            ParameterError, match=f"cross_entropy: k must be a whole number from 1, and was {k}"
        ):
            cross_entropy(x, y, k=k)
    with pytest.raises(ParameterError, match="k must be a whole number from 1 to 39"):
        entropy(x, k=40)
    for statistic in ("none", "nn"):
        with pytest.raises(
            ParameterError,
            match=rf"^independence_test: statistic must be mmd \| energy \| kl .* was '{statistic}'",
        ):
            independence_test(x, y, statistic)
    with pytest.raises(DataError, match=r"row 2 of y .* has a missing value"):
        mutual_information(x, np.where(np.arange(40) == 2, np.nan, y))
