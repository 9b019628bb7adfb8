"""Mates across views: the scores of the shared space, empty rows, ranks, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import mates as slow

from coterie.core.errors import DataError, ParameterError
from coterie.organize.retrieval import Mates
from coterie.testing import promises


def made(seed=0):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(40, 5))
    return shared + 0.3 * rng.normal(size=shared.shape), shared + 0.3 * rng.normal(
        size=shared.shape
    )


def test_the_mates_are_those_counted_one_by_one():
    one, other = made()
    retriever = Mates().fit(other)
    assert retriever.ranks(one).average_precision == pytest.approx(
        slow.average_precision(one, other), abs=1e-12
    )
    both = (slow.average_precision(one, other) + slow.average_precision(other, one)) / 2
    assert retriever.average_precision(one) == pytest.approx(both, abs=1e-12)
    assert retriever.average_precision(one) > 0.5
    assert retriever.ranks(one[::-1]).average_precision < 0.3


def test_search_lists_the_best_first_by_every_measure():
    one, other = made(1)
    products = one @ other.T
    for measure, wanted in (("signed", products), ("abs", np.abs(products))):
        retriever = Mates(measure=measure).fit(other)
        np.testing.assert_allclose(retriever.scores(one), wanted)
        found = retriever.search(one[:3], most=4)
        for query, ranking in enumerate(found):
            assert ranking.order.tolist() == np.argsort(-wanted[query], kind="stable")[:4].tolist()
    lengths = np.linalg.norm(one, axis=1)[:, None] * np.linalg.norm(other, axis=1)
    np.testing.assert_allclose(Mates().fit(other).scores(one), products / lengths, atol=1e-11)


def test_rows_without_a_direction_match_nobody():
    one, other = made(2)
    one[3] = 0
    other[7] = 0
    for measure in ("cosine", "signed", "abs"):
        retriever = Mates(measure=measure).fit(other)
        assert retriever.empty_.tolist() == [at == 7 for at in range(40)]
        assert np.isneginf(retriever.scores(one)[:, 7]).all()
        with pytest.warns(UserWarning, match="Mates: query 3 matches no member"):
            found = retriever.search(one, most=None)
        assert len(found[3]) == 0
        assert 7 not in found[0].order.tolist()
    assert Mates().fit(other).ranks(one).ranks[3] == 40


def test_what_is_wrong_is_one_sentence():
    one, other = made()
    with pytest.raises(ParameterError, match="measure"):
        Mates(measure="dot").fit(other)
    with pytest.raises(DataError, match="39 and 40 rows"):
        Mates().fit(other).ranks(one[:39])
    with pytest.raises(DataError, match="4 features"):
        Mates().fit(other).search(one[:, :4])
    other[2, 1] = np.nan
    with pytest.raises(DataError, match="NaN at row 2"):
        Mates().fit(other)


@pytest.mark.parametrize(
    "promise", promises(Mates()), ids=lambda one: getattr(one, "__name__", str(one))
)
def test_promises(promise):
    promise()
