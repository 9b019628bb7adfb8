"""Phrases and stop lists: the ratio against its slow twin, pairs that cross no border, lists of several languages."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.substitution import log_likelihood_ratio

from coterie.core.errors import ParameterError
from coterie.represent import stop_list
from coterie.represent.phrases import collocations, log_likelihood, neighbors, phrased
from coterie.represent.stop_lists import STOP_LISTS
from coterie.represent.tokens import words


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 5, 300), np.sort(np.append(rng.integers(0, 301, 20), 300))


def test_pairs_cross_no_border_and_no_stop_word():
    tokens, ends = drawn(0)
    owner = np.searchsorted(ends, np.arange(300), side="right")
    expected = [
        i for i in range(299) if owner[i] == owner[i + 1] and tokens[i] >= 0 and tokens[i + 1] >= 0
    ]
    assert neighbors(tokens, ends).tolist() == expected
    assert neighbors(np.array([1]), np.array([1])).tolist() == []


def test_ratio_and_order_equal_the_slow_twin():
    tokens, ends = drawn(1)
    at = neighbors(tokens, ends)
    pairs = [(int(tokens[i]), int(tokens[i + 1])) for i in at]
    kinds = sorted(set(pairs))
    slow = {pair: log_likelihood_ratio(pairs, *pair) for pair in kinds}
    front, behind = (np.bincount([pair[side] for pair in pairs], minlength=5) for side in (0, 1))
    one, other = np.array(kinds).T
    found = log_likelihood(
        np.array([pairs.count(pair) for pair in kinds]), front[one], behind[other], len(pairs)
    )
    assert found == pytest.approx([slow[pair] for pair in kinds], abs=1e-9)
    above = [
        p
        for p in kinds
        if pairs.count(p) >= 2 and pairs.count(p) * len(pairs) > front[p[0]] * behind[p[1]]
    ]
    best = sorted(above, key=lambda pair: (-slow[pair], pair))[:3]
    assert [tuple(row) for row in collocations(tokens, ends, 5, 3, 2).tolist()] == best


def test_places_of_phrases():
    tokens = np.array([0, 1, 2, 0, 1, 0])
    ends = np.array([4, 6])
    assert phrased(tokens, ends, 3, np.array([[2, 0], [0, 1]])).tolist() == [1, -1, 0, -1, -1, -1]
    assert phrased(tokens, ends, 3, np.zeros((0, 2), dtype=int)).tolist() == [-1] * 6


@pytest.mark.parametrize("language", STOP_LISTS)
def test_every_list_holds_single_words_as_they_are_read(language):
    found = STOP_LISTS[language]
    assert 90 < len(found) < 260
    assert all(words(word) == [word] for word in found)


def test_lists_are_put_together():
    both = stop_list("german", "french")
    assert both == STOP_LISTS["german"] | STOP_LISTS["french"]
    assert stop_list() == frozenset()
    with pytest.raises(ParameterError, match="no stop list 'klingon'"):
        stop_list("klingon")
