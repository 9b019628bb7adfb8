"""The baselines of a core: OC-SVM as the library has it, and OC-IB against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import OneClassSVM
from tests.oracles import one_class as slow

from coterie.core.errors import DataError
from coterie.core.random import streams
from coterie.organize import one_class
from coterie.organize.one_class import ball, machine, unit_rows


def rows(seed: int, n: int = 40, m: int = 12) -> sp.csr_array:
    counts = np.random.default_rng(seed).poisson(0.7, size=(n, m)).astype(float)
    counts[7] = 0
    return sp.csr_array(counts)


def test_rows_have_length_one_and_empty_ones_stay() -> None:
    found = unit_rows(rows(0)).toarray()
    lengths = np.linalg.norm(found, axis=1)
    assert np.delete(lengths, 7) == pytest.approx(1.0)
    assert lengths[7] == 0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_machine_is_that_of_the_library(kernel: str) -> None:
    counts = rows(1)
    used = np.delete(np.arange(40), 7)
    theirs = OneClassSVM(kernel=kernel, nu=1 - 10 / 39).fit(unit_rows(counts)[used])
    found = machine(counts, 10, kernel).place(counts)
    assert found[used] == pytest.approx(theirs.decision_function(unit_rows(counts)[used]))
    assert found[7] == -np.inf


def test_the_machine_refuses_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_class, "_MOST", 20)
    with pytest.raises(DataError, match="at most 20 members, and 39"):
        machine(rows(0), 10)


@pytest.mark.parametrize("seed", range(3))
def test_the_ball_is_the_best_of_the_slow_ones(seed: int) -> None:
    counts = rows(seed)
    used = np.delete(np.arange(40), 7)
    dense = unit_rows(counts).toarray()[used]
    starts = [int(generator.integers(39)) for generator in streams(seed, 20)]
    best, inside = min(
        (total, inside)
        for inside, total in (slow.ball(dense.tolist(), dense[i].tolist(), 9) for i in starts)
    )
    found = ball(counts, 9, seed).place(counts)
    nearest = np.argsort(-found, kind="stable")[:9]
    assert sorted(used[inside].tolist()) == sorted(nearest.tolist())
    assert -found[nearest].sum() == pytest.approx(best)
    assert found[7] == -np.inf
