"""The estimate of Wang, and entropies from neighbor distances: formulas, known laws, twins and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import sampling as slow

from coterie import Ragged
from coterie.compare import Wang
from coterie.core.errors import DataError, ParameterError
from coterie.parts.fdivergences import CATALOGUE
from coterie.parts.knn_entropy import cross_entropy_knn, entropy_knn


def sets_of(*sizes, gap=0.6, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    return Ragged.of(
        [rng.normal(size=(n, dim)) + gap * k for k, n in enumerate(sizes)], ordered=False
    )


def found(view, name="kl", risk=None):
    risk = Wang() if risk is None else risk
    return risk.divergences(risk.look(view, learned=risk.learned(view)), CATALOGUE[name])


@pytest.mark.parametrize("k", [1, 3])
def test_it_is_the_formula(k):
    view = sets_of(9, 14, 30)
    values = found(view, "kl", Wang(k=k))
    for i in range(3):
        for j in range(3):
            expected = 0.0 if i == j else max(slow.wang(view[i], view[j], k), 0.0)
            assert values[i, j] == pytest.approx(expected, abs=1e-10)


def test_reverse_and_jeffreys_cut_only_at_the_end():
    rng = np.random.default_rng(1)
    view = Ragged.of(
        [rng.normal(size=(30, 2)) * 0.3, rng.normal(size=(40, 2)), rng.normal(size=(35, 2)) * 0.6],
        ordered=False,
    )
    forth = np.array(
        [[0.0 if i == j else slow.wang(view[i], view[j]) for j in range(3)] for i in range(3)]
    )
    assert (forth < 0).any()  # so that cutting sooner would be seen
    assert found(view, "reverse-kl") == pytest.approx(np.maximum(forth.T, 0), abs=1e-10)
    both = found(view, "jeffreys")
    assert both == pytest.approx(np.maximum(forth + forth.T, 0), abs=1e-10)
    assert np.array_equal(both, both.T)


def test_rows_and_columns_apart_agree_with_the_square():
    view = sets_of(9, 14, 30, 12)
    risk = Wang()
    middle = risk.learned(view)
    for name in ("kl", "reverse-kl", "jeffreys"):
        apart = risk.divergences(risk.look(view[:1], view[1:], middle), CATALOGUE[name])
        assert apart == pytest.approx(found(view, name)[:1, 1:], abs=1e-9)
    again = risk.divergences(risk.look(view, view, middle), CATALOGUE["jeffreys"])
    assert again == pytest.approx(found(view, "jeffreys"), abs=1e-9)


def test_known_laws_are_near_the_truth_in_every_norm():
    view = sets_of(3000, 3000, gap=0.7, dim=2, seed=2)
    for metric in ("euclidean", "cityblock", "chebyshev"):
        assert found(view, "kl", Wang(metric=metric))[0, 1] == pytest.approx(0.49, abs=0.1)


def test_only_the_kullback_leibler_family_is_given():
    for name in ("hellinger", "js", "chi2"):
        with pytest.raises(ParameterError, match=f"kl, reverse-kl, jeffreys, and f was {name}"):
            Wang().check_f(CATALOGUE[name], "Divergence")
    with pytest.raises(ParameterError, match="metric"):
        Wang(metric="cosine").check_params()
    with pytest.raises(ParameterError, match="k must be"):
        Wang(k=0).check_params()


def test_sets_too_small_are_named():
    with pytest.raises(DataError, match=r"^Divergence: member 1 has 1 vector, and"):
        Wang().look(sets_of(5, 1, 4))
    with pytest.raises(DataError, match=r"member 2 has 3 vectors.*k=3 needs 4"):
        Wang(k=3).look(sets_of(5, 6, 3))
    with pytest.raises(DataError, match="member 0 has 1 vector, and"):
        Wang().look(sets_of(5, 6), sets_of(1, 4))


def test_copies_of_one_vector_are_named():
    view = Ragged.of([np.random.default_rng(0).normal(size=(9, 2)), np.ones((8, 2))], ordered=False)
    with pytest.raises(DataError, match="vectors of member 1 are copies"):
        Wang().look(view)


def test_shared_vectors_are_skipped_and_told():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 2))
    y = np.concatenate([x[:8], rng.normal(size=(12, 2))])
    view = Ragged.of([x, y], ordered=False)
    seen = Wang().look(view)
    values = Wang().divergences(seen, CATALOGUE["jeffreys"])
    assert np.isfinite(values).all()
    assert Wang().notes(seen) == []  # the next neighbors do
    heap = np.concatenate([np.repeat(x[:1], 7, axis=0), x[1:]])
    seen = Wang().look(Ragged.of([heap, y], ordered=False))
    (note,) = Wang().notes(seen)
    assert "skipped" in note
    assert np.isfinite(Wang().divergences(seen, CATALOGUE["kl"])).all()


def test_a_set_within_another_is_at_zero():
    two = np.array([[0.0, 0.0], [1.0, 0.0]])
    view = Ragged.of([two, two, np.array([[3.0, 0.0], [4.0, 2.0], [3.0, 3.0]])], ordered=False)
    values = found(view, "jeffreys")
    assert values[0, 1] == 0.0
    assert values[0, 2] > 0


def test_the_difference_of_entropies_is_the_divergence():
    view = sets_of(500, 600, gap=0.5, dim=2)
    difference = cross_entropy_knn(view[0], view[1]) - entropy_knn(view[0])
    assert difference == pytest.approx(found(view)[0, 1], abs=2 / 500)
