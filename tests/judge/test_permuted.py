"""Permutation tests of two samples: statistics against plain formulas, exact level, power, ties and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from coterie.compare import NN
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.judge import divergence, two_sample_test
from coterie.judge.permuted import _of_neighbors, _of_orders, kernel_matrix
from coterie.judge.two_samples import Measure


def _apart(
    n: int, m: int, shift: float = 0.0, dim: int = 2, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim))
    y = rng.normal(size=(m, dim))
    x[:, 0] += shift
    return x, y


def _energy(x, y) -> float:
    return float(2 * cdist(x, y).mean() - cdist(x, x).mean() - cdist(y, y).mean())


def _mmd(x, y) -> float:
    pool = np.concatenate([x, y])
    far = cdist(pool, pool)
    width = np.median(far[np.triu_indices(len(pool), 1)])
    k = np.exp(-((far / width) ** 2))
    n = len(x)
    return float(k[:n, :n].mean() + k[n:, n:].mean() - 2 * k[:n, n:].mean())


def _nearest(x, y, k=5) -> float:
    pool = np.concatenate([x, y])
    far = cdist(pool, pool)
    np.fill_diagonal(far, np.inf)
    near = np.argsort(far, axis=1)[:, :k]
    mine = np.arange(len(pool)) < len(x)
    same = (mine[near] == mine[:, None]).mean(axis=1)
    return float(same[mine].mean() + same[~mine].mean()) / 2


@pytest.mark.parametrize(
    ("statistic", "plain"), [("energy", _energy), ("mmd", _mmd), ("nn", _nearest)]
)
def test_statistic_is_the_plain_formula(statistic, plain):
    x, y = _apart(25, 35, 0.6)
    found = two_sample_test(x, y, statistic, permutations=19, random_state=0)
    assert found.statistic == pytest.approx(plain(x, y), rel=1e-9)
    assert found.n == 60
    assert found.test == f"two samples ({statistic})"


@pytest.mark.parametrize("statistic", ["energy", "mmd", "nn", "hellinger"])
def test_shuffled_labels_are_counted_by_hand(statistic):
    """The p-value is that of computing the statistic anew for samples with exchanged rows."""
    x, y = _apart(12, 14, 1.0)
    pool = np.concatenate([x, y])
    plain = {"energy": _energy, "mmd": _mmd, "nn": _nearest}.get(statistic)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(120):
        order = rng.permutation(26)
        a = pool[order[:12]]
        b = pool[order[12:]]
        drawn.append(plain(a, b) if plain else divergence(a, b, statistic, replicates=0).value)
    observed = plain(x, y) if plain else divergence(x, y, statistic, replicates=0).value
    expected = np.mean(np.asarray(drawn) >= observed - 1e-12)
    assert two_sample_test(
        x, y, statistic, permutations=999, random_state=0
    ).p_value == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(("n", "m", "shift"), [(20, 30, 0.5), (90, 70, 9.0), (4, 100, 0.0)])
@pytest.mark.parametrize("f", ["kl", "js", "triangular"])
def test_fast_divergence_is_the_slow_one(n, m, shift, f):
    x, y = _apart(n, m, shift)
    measure = Measure.of(f, "nn", 0, "test")
    fast = _of_orders(np.concatenate([x, y]), n, measure)((np.arange(n + m) < n)[None])[0]
    assert np.clip(fast, 0, measure.f.most) == pytest.approx(measure(x, y), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "m", "values"), [(25, 30, 3), (40, 12, 8), (4, 60, 3), (300, 40, 100)]
)
@pytest.mark.parametrize("f", ["kl", "hellinger"])
def test_ties_are_taken_as_divergence_takes_them(n, m, values, f):
    """On whole numbers the statistic is the estimate that is not cut, for the labels that were given and for any others."""
    rng = np.random.default_rng(2)
    pool = rng.integers(0, values, size=(n + m, 2)).astype(float)
    measure = Measure.of(f, "nn", 0, "test")
    labels = rng.permuted(np.tile(np.arange(n + m) < n, (4, 1)), axis=1)
    slow = [measure.uncut(measure.look(pool[mine], pool[~mine])) for mine in labels]
    assert _of_orders(pool, n, measure)(labels) == pytest.approx(slow, abs=1e-9)
    assert np.ptp(slow) > 1e-3


@pytest.mark.parametrize(
    "metric", ["cityblock", "cosine", lambda a, b: np.abs(a[:, None] - b[None]).sum(axis=2) + 1.0]
)
def test_ties_by_other_distances(metric):
    pool = np.random.default_rng(0).integers(1, 5, size=(50, 2)).astype(float)
    measure = Measure.of("js", NN(metric=metric), 0, "test")
    found = _of_orders(pool, 20, measure)((np.arange(50) < 20)[None])[0]
    assert found == pytest.approx(measure.uncut(measure.look(pool[:20], pool[20:])), abs=1e-9)


def test_neither_the_seed_nor_the_order_of_tied_rows_decides():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, size=(50, 2))
    y = rng.integers(0, 3, size=(60, 2))
    found = [
        two_sample_test(
            rng.permutation(x), rng.permutation(y), "kl", permutations=399, random_state=seed
        )
        for seed in range(5)
    ]
    measure = Measure.of("kl", "nn", 0, "test")
    expected = measure.uncut(measure.look(x.astype(float), y.astype(float)))
    assert [one.statistic for one in found] == pytest.approx([expected] * 5, abs=1e-9)
    assert (
        np.ptp([one.p_value for one in found]) < 0.15
    )  # six standard deviations of a share of 399


@pytest.mark.parametrize("statistic", ["mmd", "energy", "nn", "kl"])
def test_level_is_exact_where_nothing_differs(statistic):
    rounds = 60 if statistic == "kl" else 150
    p = [
        two_sample_test(*_apart(12, 18, seed=s), statistic, permutations=39, random_state=s).p_value
        for s in range(rounds)
    ]
    for level in (0.1, 0.3, 0.6):
        assert np.mean(np.asarray(p) <= level) <= level + 3.3 * np.sqrt(
            level * (1 - level) / rounds
        )
    assert 0.4 < np.mean(p) < 0.62


@pytest.mark.parametrize("statistic", ["nn", "kl"])
def test_level_holds_with_ties(statistic):
    """Rows at one distance must not be told apart by the sample they came with."""
    rng = np.random.default_rng(0)
    p = []
    for s in range(80):
        x = rng.integers(0, 3, size=(15, 2)).astype(float)
        y = rng.integers(0, 3, size=(20, 2)).astype(float)
        p.append(two_sample_test(x, y, statistic, permutations=39, random_state=s).p_value)
    assert np.mean(np.asarray(p) <= 0.2) <= 0.2 + 3.3 * np.sqrt(0.16 / 80)
    assert np.mean(p) > 0.4


def test_tied_neighbors_share_the_last_place():
    value = _of_neighbors(np.zeros((8, 1)), 4)
    labels = np.array([[True] * 4 + [False] * 4, [True, False] * 4])
    assert value(labels) == pytest.approx([3 / 7, 3 / 7])


@pytest.mark.parametrize("statistic", ["mmd", "energy", "nn", "hellinger"])
def test_a_shift_is_found(statistic):
    found = two_sample_test(*_apart(60, 50, 1.5), statistic, permutations=99, random_state=0)
    assert found.p_value == 0.01
    assert found.significant()
    assert found.difference > 0


def test_other_estimates_are_computed_anew():
    found = two_sample_test(
        *_apart(25, 25, 2.0), "kl", risk="bound", permutations=39, random_state=0
    )
    assert found.test == "two samples (kl by Bound)"
    assert found.p_value == 1 / 40


def test_same_bits_for_any_number_of_workers():
    x, y = _apart(20, 20, 0.5)
    for words in ({"statistic": "mmd"}, {"statistic": "js", "risk": "bound"}):
        with using(n_jobs=1):
            first = two_sample_test(x, y, permutations=29, random_state=3, **words)
        with using(n_jobs=2):
            assert repr(two_sample_test(x, y, permutations=29, random_state=3, **words)) == repr(
                first
            )


def test_identical_rows_are_no_difference():
    ones = np.ones((10, 2))
    for statistic in ("energy", "mmd", "nn", "kl"):
        assert two_sample_test(ones, ones, statistic, permutations=19, random_state=0).p_value == 1
    assert (
        two_sample_test(ones, np.ones((7, 2)), "kl", permutations=19, random_state=0).statistic == 0
    )
    many = np.ones((8000, 1))
    many[0] = 2.0
    with pytest.raises(
        DataError,
        match="nearly all rows are copies of one, so no width can be read off; take 'energy'",
    ):
        kernel_matrix(many, "mmd", "test")


def test_cautions_and_refusals():
    x, y = _apart(4, 4)
    assert "only 70 ways to label 8 rows" in two_sample_test(x, y, random_state=0).caution
    x, y = _apart(10, 10)
    assert (
        "With 9 permutations p cannot be below 0.1"
        in two_sample_test(x, y, permutations=9, random_state=0).caution
    )
    with pytest.raises(
        ParameterError,
        match=r"^two_sample_test: statistic must be nn \| mmd \| energy \| kl .* was 'none'\.$",
    ):
        two_sample_test(x, y, "none")
    with pytest.raises(
        ParameterError, match="permutations must be a whole number from 1, and was 0"
    ):
        two_sample_test(x, y, permutations=0)
    with pytest.raises(
        ParameterError, match=r"permutations must be a whole number from 1, and was 9.5"
    ):
        two_sample_test(x, y, permutations=9.5)
    with pytest.raises(
        ParameterError, match=r"^two_sample_test: statistic must be nn .* and was 'power:none'"
    ):
        two_sample_test(x, y, "power:none")
    with pytest.raises(ParameterError, match="convex"):
        two_sample_test(x, y, lambda t: -((t - 1) ** 2))
    with using(memory="1KB"), pytest.raises(DataError, match="A kernel of 20 rows takes"):
        two_sample_test(x, y, "mmd")
