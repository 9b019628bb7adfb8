"""Further spaces beside counts: likelihoods against a slow twin, votes that find what counts do not hold, any order, any sample."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from tests.oracles import word_vectors as slow

from coterie import using
from coterie.core.errors import DataError
from coterie.organize import ConsensusIB
from coterie.organize.space_votes import Directions, Multinomials, unit_rows


def members(n=120, k=3, seed=0):
    """Counts that tell nothing, rows that tell groups, and the groups."""
    generator = np.random.default_rng(seed)
    group = generator.permutation(np.arange(n) % k)
    counts = generator.poisson(0.25, size=(n, 40))
    rows = generator.normal(size=(n, 6))
    rows[np.arange(n), group] += 4.0
    return counts, rows, group


def test_likelihoods_are_those_of_von_mises_and_fisher():
    _, rows, group = members(30)
    unit = unit_rows(rows)
    found = Directions.of(unit[:20], group[:20], 3).log_likelihood(unit[20:])
    np.testing.assert_allclose(found, slow.von_mises_fisher(unit[:20], group[:20], 3, unit[20:]))


def test_counts_are_those_of_multinomials_mixed_with_the_background():
    counts, _, group = members(30)
    rows = sp.csr_array(counts.astype(float))
    found = Multinomials.of(rows, group, 3).log_likelihood(rows, group)
    np.testing.assert_allclose(found, slow.multinomial(counts, group, 3))


def test_a_row_of_zeros_is_as_likely_everywhere():
    _, rows, group = members(30)
    directions = Directions.of(unit_rows(rows), group, 3)
    assert not directions.log_likelihood(np.zeros((2, 6))).any()


def test_vectors_find_what_words_do_not_tell():
    counts, rows, group = members()
    alone = ConsensusIB(n_groups=3, random_state=0).fit(counts)
    both = ConsensusIB(n_groups=3, n_beside=12, random_state=0).fit(counts, spaces=(rows,))
    assert adjusted_rand_score(group, alone.labels_) < 0.2
    assert adjusted_rand_score(group, both.labels_) > 0.8
    chosen = ConsensusIB(candidates=(2, 3, 4, 6), n_beside=12, random_state=0).fit(
        counts, spaces=(rows,)
    )
    assert chosen.partition_.n_groups == 3


def test_the_order_of_the_members_changes_nothing():
    counts, rows, _ = members(seed=1)
    counts[5] = counts[4]  # told apart by their vectors alone
    order = np.random.default_rng(3).permutation(len(counts))
    first = ConsensusIB(n_groups=3, random_state=0).fit(counts, spaces=(rows,))
    second = ConsensusIB(n_groups=3, random_state=0).fit(counts[order], spaces=(rows[order],))
    assert adjusted_rand_score(first.labels_[order], second.labels_) == 1.0


def test_workers_change_no_bit():
    counts, rows, _ = members(seed=2)
    found = []
    for n_jobs in (1, 3):
        with using(n_jobs=n_jobs):
            one = ConsensusIB(random_state=0).fit(counts, spaces=(rows,))
        found.append((one.labels_, one.scores_, one.directions_[0].centers))
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)


def test_beyond_the_sample_and_later_members_are_placed_by_both():
    counts, rows, group = members(240)
    some = ConsensusIB(n_groups=3, sample_size=90, n_beside=12, random_state=0).fit(
        counts, spaces=(rows,)
    )
    assert adjusted_rand_score(group, some.labels_) > 0.8
    fitted = ConsensusIB(n_groups=3, n_beside=12, random_state=0)
    fitted.fit(counts[:180], spaces=(rows[:180],))
    later = fitted.predict(counts[180:], spaces=(rows[180:],))
    assert adjusted_rand_score(group[180:], later) > 0.8


def test_members_without_counts_are_grouped_by_their_vectors():
    counts, rows, group = members()
    counts[:10] = 0
    rows[0] = 0
    found = ConsensusIB(n_groups=3, n_beside=12, random_state=0).fit(counts, spaces=(rows,))
    assert found.labels_[0] == -1
    assert (found.labels_[1:] >= 0).all()
    assert adjusted_rand_score(group[1:10], found.labels_[1:10]) > 0.5


@pytest.mark.parametrize(
    ("spaces", "said"),
    [
        ((np.ones((3, 2)),), r"shape \(3, 2\) where there are 120 members"),
        (
            (np.where(np.arange(240).reshape(120, 2) == 11, np.nan, 1.0),),
            "row 5 of a space is not finite",
        ),
    ],
)
def test_spaces_that_do_not_fit_are_refused(spaces, said):
    counts, _, _ = members()
    with pytest.raises(DataError, match=said):
        ConsensusIB(n_groups=2).fit(counts, spaces=spaces)
