"""Every score against its slow twin, and what the scores promise about each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest
from tests.oracles import codes as slow
from tests.run.examples import stored_again

from coterie import Affinity
from coterie.compare.sic.calibration import informative, lumped
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.profiles import Profiles
from coterie.compare.sic.scores import (
    Binary,
    Occurrence,
    Posterior,
    Randomized,
    Score,
    Shared,
    Weighted,
    named,
)
from coterie.core.errors import DataError, ParameterError
from coterie.judge import retrieval
from coterie.parts.pairwise import dense, submatrix

CASES = {
    "few classes": (40, 60, 6, 0.7),
    "many classes": (40, 60, 400, 0.8),
    "long": (600, 30, 5, 0.6),
    "always": (40, 60, 6, 1.0),
}


@dataclass
class Kinds:
    """A mixture as the scores read it."""

    pi0: float
    pi1: float
    p0: np.ndarray
    p1: np.ndarray


def drawn(n: int, d: int, classes: int, tested: float, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    labels = np.minimum(random.geometric(3.0 / classes, (n, d)) - 1, classes - 1)
    labels[random.random((n, d)) > tested] = -1
    return labels


def kinds(n: int, seed: int = 1) -> Kinds:
    random = np.random.default_rng(seed)
    p0 = random.uniform(0.05, 0.3, n)
    return Kinds(0.8, 0.2, p0, p0 + random.uniform(0.05, 0.5, n))


def values(affinity: Affinity) -> np.ndarray:
    return dense(affinity).values


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    return np.allclose(found, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    return matrix[~np.eye(len(matrix), dtype=bool)]


@pytest.fixture(params=CASES, scope="module")
def labels(request):
    return drawn(*CASES[request.param])


class TestAgainstSlowTwins:
    def test_binary(self, labels):
        expected = slow.binary(labels, labels)
        found = values(Binary().affinity(Codes(labels)))
        assert close(off_diagonal(found), off_diagonal(expected))
        assert (np.diagonal(found) == 1).all()
        assert close(values(Occurrence(cosine=True).affinity(Codes(labels))), found)
        assert close(values(Shared().affinity(Codes(labels))), found)

    def test_weighted(self, labels):
        codes = Codes(labels)
        assert close(
            values(Weighted().affinity(codes)), slow.weighted(labels, labels, slow.rates(labels))
        )
        found = Weighted(sigma=2.5, mu=-0.7).affinity(codes)
        assert close(values(found), slow.weighted(labels, labels, slow.rates(labels), 2.5, -0.7))

    def test_weighted_by_a_mixture(self, labels):
        mixture = kinds(len(labels))
        found = Weighted(p0="em").affinity(Codes(labels), mixture=mixture)
        assert close(values(found), slow.weighted(labels, labels, list(mixture.p0)))

    def test_randomized(self, labels):
        part = labels[:, :25]
        codes = Codes(part)
        p0 = slow.rates(part)
        kept = informative(codes)
        left = part[kept]
        chosen = [p0[i] for i in kept]
        found = values(Randomized(q=0.2, seed=11).affinity(codes))
        assert close(found, slow.randomized(left, left, chosen, [0.2] * len(kept), 11))
        assert not close(found, values(Randomized(q=0.2, seed=12).affinity(codes)))

    def test_randomized_by_a_mixture(self, labels):
        part = labels[:, :20]
        mixture = kinds(len(labels))
        codes = Codes(part)
        q = 0.2 * (1 - mixture.p1) / (0.2 * (1 - mixture.p1) + 0.8 * (1 - mixture.p0))
        assert close(lumped(mixture), q)
        kept = informative(codes)
        found = Randomized(p0="em", seed=3).affinity(codes, mixture=mixture)
        assert close(
            values(found),
            slow.randomized(part[kept], part[kept], list(mixture.p0[kept]), list(q[kept]), 3),
        )

    def test_randomized_in_expectation(self, labels):
        codes = Codes(labels)
        kept = informative(codes)
        rates = slow.rates(labels)
        left = labels[kept]
        pay = [slow.earned(rates[i] + (1 - rates[i]) * 0.3) for i in kept]
        expected = slow.mean_score(
            left, left, lambda i, a, b: pay[i][0] if a == b else 0.3 * pay[i][0] + 0.7 * pay[i][1]
        )
        assert close(values(Randomized(q=0.3, expected=True).affinity(codes)), expected)

    def test_log_odds(self, labels):
        mixture = kinds(len(labels))
        codes = Codes(labels)
        kept = informative(codes)
        expected = slow.log_odds(
            labels[kept], labels[kept], mixture.p0[kept], mixture.p1[kept], 0.2
        )
        found = values(Posterior().affinity(codes, mixture=mixture))
        assert close(found, expected)
        assert close(
            values(Posterior(odds=False).affinity(codes, mixture=mixture)),
            1 / (1 + np.exp(-expected)),
        )

    def test_queries(self, labels):
        members = Codes(labels[:, 8:])
        asked = labels[:, :8].copy()
        asked[:5] = 7000  # classes that no member got, tested all the same
        mixture = kinds(len(labels))
        rates = slow.rates(labels[:, 8:])
        queries = Codes(asked)
        assert close(
            values(Binary().affinity(members, queries)), slow.binary(asked, members.labels)
        )
        assert close(
            values(Weighted().affinity(members, queries)),
            slow.weighted(asked, members.labels, rates),
        )
        kept = informative(members)
        expected = slow.log_odds(
            asked[kept], members.labels[kept], mixture.p0[kept], mixture.p1[kept], 0.2
        )
        assert close(values(Posterior().affinity(members, queries, mixture)), expected)
        coins = slow.randomized(
            asked[kept],
            members.labels[kept],
            [rates[i] for i in kept],
            [0.2] * len(kept),
            0,
            members.n_members,
        )
        found = Randomized(q=0.2).affinity(members, queries)
        assert close(values(found), coins)
        assert not found.square


class TestProperties:
    def test_always_tested_is_a_kernel_and_a_metric(self):
        found = values(Binary().affinity(Codes(drawn(50, 30, 6, 1.0))))
        assert np.linalg.eigvalsh(found).min() > -1e-12
        far = 1 - found
        for p, q, r in permutations(range(12), 3):
            assert far[p, q] <= far[p, r] + far[r, q] + 1e-12
        assert (found == found.T).all()
        assert found.min() >= 0
        assert found.max() <= 1

    def test_partly_tested_need_not_be_a_kernel(self):
        found = values(Binary().affinity(Codes(drawn(8, 30, 3, 0.6))))
        assert np.linalg.eigvalsh(np.nan_to_num(found)).min() < -0.05

    @pytest.mark.parametrize(
        "score",
        [
            Binary(),
            Weighted(),
            Weighted(p0="em", recenter=True),
            Posterior(),
            Randomized(expected=True),
        ],
    )
    def test_order_of_iterations_does_not_matter(self, score):
        codes = Codes(drawn(60, 30, 6, 0.7))
        shuffled = np.random.default_rng(0).permutation(60)
        plain, mixed = (values(score.affinity(part)) for part in (codes, codes.take(shuffled)))
        assert np.allclose(
            plain, mixed, rtol=1e-6 if isinstance(score, Posterior) else 1e-9, atol=1e-9
        )

    def test_never_tested_together_is_missing(self):
        labels = np.full((4, 6), -1)
        labels[:2, :3] = [[0, 0, 1], [1, 0, 1]]
        labels[2:, 3:] = [[2, 2, 0], [1, 2, 1]]
        for score in (Binary(), Weighted(), Randomized(q=0.1), Posterior(), Shared()):
            found = values(score.affinity(Codes(labels), mixture=kinds(4)))
            assert np.isnan(found[:3, 3:]).all()
            assert np.isfinite(found[0, 1])
            assert np.isfinite(found[3, 4])


def planted(kept: np.ndarray, d: int, seed: int, classes: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Codes that are the true class with chance kept[i], else drawn at random; classes are named anew in each iteration."""
    random = np.random.default_rng(seed)
    truth = np.arange(d) % 4
    rows = [
        np.where(
            random.random(d) < k, random.permutation(classes)[truth], random.integers(0, classes, d)
        )
        for k in kept
    ]
    return np.array(rows), truth


class TestRankings:
    def test_equal_iterations_rank_alike_by_every_score(self):
        random = np.random.default_rng(9)
        truth = np.repeat(np.arange(6), 10)
        rows = []
        for _ in range(25):  # every iteration has the same class sizes, so the same rate
            row = truth.copy()
            who = random.choice(60, 30, replace=False)
            row[who] = row[random.permutation(who)]
            rows.append(row)
        codes = Codes(np.array(rows))
        assert np.ptp(codes.rates()) == 0
        mixture = Kinds(0.85, 0.15, np.full(25, 0.1), np.full(25, 0.4))
        found = [
            retrieval(
                Affinity.of(values(score.affinity(codes, mixture=mixture)), kind="similarity"),
                truth,
            )
            for score in (
                Binary(),
                Weighted(),
                Weighted(p0="em"),
                Posterior(),
                Randomized(q=0.1, expected=True),
            )
        ]
        for other in found[1:]:
            assert np.allclose(other.ap_per_query, found[0].ap_per_query, atol=1e-9)
            assert other.mean_ap == pytest.approx(found[0].mean_ap, abs=1e-9)
        assert 0.2 < found[0].mean_ap < 0.99

    def test_log_odds_beat_the_share_when_iterations_differ(self):
        labels, truth = planted(np.where(np.arange(30) % 5 == 0, 0.7, 0.05), d=100, seed=10)
        codes = Codes(labels)
        share, odds = (
            retrieval(Affinity.of(values(s.affinity(codes)), kind="similarity"), truth).mean_ap
            for s in (Binary(), Posterior())
        )
        assert odds > share + 0.05


class TestDoors:
    def test_names(self):
        assert isinstance(named("binary"), Binary)
        assert isinstance(named("em"), Posterior)
        assert isinstance(named("weighted_var"), Randomized)
        mine = Weighted(sigma=2.0)
        assert named(mine) is mine
        with pytest.raises(ParameterError, match="did you mean weighted"):
            named("wieghted")
        with pytest.raises(ParameterError, match="no score 'xyz'; it is one of binary"):
            named("xyz")
        with pytest.raises(ParameterError, match="was an int"):
            named(3)

    def test_bad_settings_and_data(self):
        codes = Codes(drawn(12, 10, 3, 1.0))
        with pytest.raises(ParameterError, match=r"p0 must be independence \| em"):
            Weighted(p0="guess").affinity(codes)
        with pytest.raises(ParameterError, match="sigma"):
            Weighted(sigma=0.0).affinity(codes)
        with pytest.raises(ParameterError, match="q must be"):
            Randomized(q=1.0).affinity(codes)
        with pytest.raises(DataError, match="same classifiers"):
            Binary().affinity(codes, codes.take(slice(3)))
        with pytest.raises(DataError, match="chances of 3 iterations"):
            Posterior().affinity(codes, mixture=kinds(3))
        with pytest.raises(NotImplementedError, match="Score does not define"):
            Score().affinity(codes)

    @pytest.mark.parametrize(
        "score",
        [
            Binary(),
            Weighted(),
            Posterior(),
            Posterior(odds=False),
            Randomized(q=0.1),
            Occurrence(),
            Shared(),
        ],
    )
    def test_stored_by_name_and_read_again(self, score):
        codes = Codes(drawn(30, 25, 4, 0.8))
        sources = (
            [codes] if isinstance(score, (Posterior, Randomized)) else [codes, Profiles.of(codes)]
        )
        for source in sources:
            affinity = score.affinity(source)
            again = stored_again(affinity)
            assert again.square
            assert again.rows is again.cols
            whole = values(affinity)
            assert np.array_equal(values(again), whole, equal_nan=True)
            rows = np.array([7, 3, 20])
            cols = np.array([1, 7, 24, 0])
            assert np.array_equal(
                submatrix(affinity, rows, cols), whole[np.ix_(rows, cols)], equal_nan=True
            )

    def test_pairs_of_one_kind_fall_back_to_shares(self):
        codes = Codes(drawn(12, 10, 3, 1.0))
        same = kinds(12)
        same.separable = False
        assert close(
            values(Posterior().affinity(codes, mixture=same)), values(Binary().affinity(codes))
        )
