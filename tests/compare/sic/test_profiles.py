"""Profiles of members with several occurrences, and of soft labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import codes as slow

from coterie import Affinity
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.profiles import Profiles
from coterie.compare.sic.scores import Binary, Occurrence, Posterior, Randomized, Shared, Weighted
from coterie.core.errors import DataError
from coterie.parts.pairwise import dense


@pytest.fixture(scope="module")
def occurrences():
    random = np.random.default_rng(0)
    owner = np.concatenate([np.arange(12), random.integers(0, 12, 28)])
    labels = random.integers(0, 4, (15, 40))
    labels[random.random((15, 40)) < 0.4] = -1
    labels[7] = -1
    labels[8, 1:] = -1
    return labels, owner


def test_profile_is_the_share_of_occurrences(occurrences):
    labels, owner = occurrences
    found = Profiles.of_occurrences(labels, owner)
    assert (found.n_iterations, found.n_members) == (15, 12)
    dense = found.shares.toarray()
    for i in range(15):
        for p in range(12):
            seen = [
                label
                for label, who in zip(labels[i], owner, strict=True)
                if who == p and label >= 0
            ]
            assert found.tested[i, p] == bool(seen)
            for c in range(found.starts[i], found.starts[i + 1]):
                assert dense[p, c] == pytest.approx(
                    seen.count(c - found.starts[i]) / max(len(seen), 1), abs=1e-15
                )


def test_score_is_the_chance_that_two_occurrences_share_a_class(occurrences):
    labels, owner = occurrences
    found = Profiles.of_occurrences(labels, owner)
    share, _ = slow.occurrence(labels, owner, labels, owner)
    first, second = np.triu_indices(12, 1)
    score, both = found.pairs(first, second)
    expected = share[:, first, second].T
    assert (both == ~np.isnan(expected)).all()
    assert np.allclose(score[both], expected[both], atol=1e-15)
    assert (score[~both] == 0).all()


def test_rates_and_spreads_are_over_pairs(occurrences):
    labels, owner = occurrences
    found = Profiles.of_occurrences(labels, owner)
    score, both = found.pairs(*np.triu_indices(12, 1))
    rates = found.rates()
    spreads = found.spreads()
    for i in range(15):
        if found.n_tested[i] < 2:
            assert np.isnan(rates[i])
            assert np.isnan(spreads[i])
        else:
            assert rates[i] == pytest.approx(score[both[:, i], i].mean(), abs=1e-14)
            assert spreads[i] == pytest.approx(score[both[:, i], i].std(), abs=1e-12)


def test_hard_codes_are_profiles_of_one_class():
    random = np.random.default_rng(1)
    labels = random.integers(-1, 4, (10, 20))
    codes = Codes(labels, control=np.arange(10) < 5)
    found = Profiles.of(codes)
    first, second = np.triu_indices(20, 1)
    for one, other in zip(found.pairs(first, second), codes.pairs(first, second), strict=True):
        assert (one == other).all()
    assert np.allclose(found.rates(), codes.rates(), atol=1e-14)
    assert (found.tested == codes.tested).all()
    assert found.control.sum() == 5
    assert Profiles.of(found) is found


def test_some_iterations_and_all_of_two(occurrences):
    labels, owner = occurrences
    whole = Profiles.of_occurrences(labels, owner)
    chosen = np.array([9, 2, 3])
    part = whole.take(chosen)
    assert (
        part.shares.toarray() == Profiles.of_occurrences(labels[chosen], owner).shares.toarray()
    ).all()
    again = whole.take(slice(0, 6)).joined(whole.take(slice(6, None)))
    assert (again.shares.toarray() == whole.shares.toarray()).all()
    assert (again.starts == whole.starts).all()
    assert (again.tested == whole.tested).all()
    with pytest.raises(DataError, match="cannot follow"):
        whole.joined(Profiles.of_occurrences(labels[:, :5], owner[:5], 5))


def test_soft_labels_and_repeated_parts():
    parts = [
        (np.array([0, 0, 2, 2, 2]), np.array([0, 1, 1, 1, 0]), np.array([0.3, 0.1, 1.0, 1.0, 2.0])),
        (np.zeros(0), np.zeros(0), np.zeros(0)),
    ]
    found = Profiles.stack(parts, 3)
    assert np.allclose(found.shares.toarray(), [[0.75, 0.25], [0, 0], [0.5, 0.5]], atol=1e-15)
    assert found.tested.tolist() == [[True, False, True], [False] * 3]


def test_classes_of_other_profiles():
    members = Profiles.of(Codes(np.array([[0, 1, 1], [0, 0, 0]])))
    asked = Profiles.of_occurrences(np.array([[0, 2, 2, 1], [0, 0, 3, 3]]), np.zeros(4, dtype=int))
    assert asked.columns(members.starts).toarray().tolist() == [[0.25, 0.25, 0.5]]
    lengths = np.sqrt([0.0625 + 0.25 + 0.0625, 0.5])
    assert np.allclose(
        asked.columns(members.starts, unit=True).toarray()[0],
        [0.25 / lengths[0], 0.25 / lengths[0], 0.5 / lengths[1]],
    )


def test_bad_profiles_are_named():
    good = sp.csr_array(np.array([[1.0, 0.0], [0.5, 0.5]]))
    tested = np.ones((1, 2), dtype=bool)
    Profiles(good, np.array([0, 2]), tested)
    with pytest.raises(DataError, match="member 1 in iteration 0"):
        Profiles(good, np.array([0, 2]), np.array([[True, False]]))
    with pytest.raises(DataError, match="member 0 in iteration 0"):
        Profiles(sp.csr_array(np.array([[1.5, -0.5], [0.5, 0.5]])), np.array([0, 2]), tested)
    with pytest.raises(DataError, match="where its columns start"):
        Profiles(good, np.array([0, 1]), tested)
    with pytest.raises(DataError, match="names member 5"):
        Profiles.stack([(np.array([5]), np.array([0]), np.array([1.0]))], 3)
    with pytest.raises(DataError, match="each with its owner"):
        Profiles.of_occurrences(np.zeros((2, 3), dtype=int), np.zeros(4, dtype=int))


def _values(affinity: Affinity) -> np.ndarray:
    return dense(affinity).values


def _off(matrix: np.ndarray) -> np.ndarray:
    return matrix[~np.eye(len(matrix), dtype=bool)]


def _close(found: np.ndarray, expected: np.ndarray) -> bool:
    return np.allclose(found, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


class TestScores:
    @pytest.fixture(scope="class")
    def spans(self):
        random = np.random.default_rng(4)
        owner = np.concatenate([np.arange(15), random.integers(0, 15, 25)])
        labels = random.integers(0, 4, (20, 40))
        labels[random.random((20, 40)) < 0.5] = -1
        return labels, owner

    def test_against_slow_twins(self, spans):
        labels, owner = spans
        share, shared = slow.occurrence(labels, owner, labels, owner)
        profiles = Profiles.of_occurrences(labels, owner)
        off = ~np.eye(15, dtype=bool)
        for score, expected in ((Occurrence(), share), (Binary(), share), (Shared(), shared)):
            found = _values(score.affinity(profiles))
            assert _close(found[off], np.nanmean(expected, axis=0)[off])
            assert (np.diagonal(found) == 1).all()

    def test_cosine(self, spans):
        labels, owner = spans
        share, _ = slow.occurrence(labels, owner, labels, owner)
        own = np.sqrt(np.diagonal(share, axis1=1, axis2=2))
        expected = np.nanmean(share / own[:, :, None] / own[:, None, :], axis=0)
        found = _values(Occurrence(cosine=True).affinity(Profiles.of_occurrences(labels, owner)))
        assert _close(_off(found), _off(expected))

    def test_weighted_by_mean_and_deviation_over_pairs(self, spans):
        labels, owner = spans
        share, _ = slow.occurrence(labels, owner, labels, owner)
        first, second = np.triu_indices(15, 1)
        pairs = share[:, first, second]
        z = (
            0.5
            + 2.0
            * (share - np.nanmean(pairs, axis=1)[:, None, None])
            / np.nanstd(pairs, axis=1)[:, None, None]
        )
        found = _values(
            Weighted(sigma=2.0, mu=0.5).affinity(Profiles.of_occurrences(labels, owner))
        )
        assert np.allclose(found, np.nanmean(z, axis=0), rtol=1e-11, atol=1e-11)

    def test_queries_with_unknown_classes(self, spans):
        labels, owner = spans
        members = Profiles.of_occurrences(labels, owner)
        asked = labels[:, :9] + 2 * (labels[:, :9] > 1)
        whose = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
        share, shared = slow.occurrence(asked, whose, labels, owner)
        queries = Profiles.of_occurrences(asked, whose)
        for score, expected in ((Occurrence(), share), (Shared(), shared)):
            assert _close(_values(score.affinity(members, queries)), np.nanmean(expected, axis=0))
        hard = Codes(labels[:, :15])
        share, _ = slow.occurrence(asked, whose, labels[:, :15], np.arange(15))
        assert _close(_values(Binary().affinity(hard, queries)), np.nanmean(share, axis=0))

    def test_scores_of_codes_only(self, spans):
        profiles = Profiles.of_occurrences(*spans)
        for score in (Posterior(), Randomized(q=0.1), Weighted(p0="em")):
            with pytest.raises(DataError, match="one code per member"):
                score.affinity(profiles)
