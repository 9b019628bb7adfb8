"""The judge of the fuzzing itself: a fault of every kind is seen, so that a quiet night means something."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Partition, Table
from coterie.core.affinity import Dense, Graph
from coterie.core.errors import DataError
from coterie.organize import KMeans
from tests.fuzz import judging, rows
from tests.fuzz.test_fuzz import Case, judge


class Sound(KMeans):
    """A method without a fault."""


class Breaks(Sound):
    def fit(self, X: Any, y: Any = None) -> Any:
        raise ZeroDivisionError("a fault")


class Says(Sound):
    def fit(self, X: Any, y: Any = None) -> Any:
        raise DataError("two\nlines")


class Warns(Sound):
    def fit(self, X: Any, y: Any = None) -> Any:
        warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)
        return super().fit(X)


class Changes(Sound):
    def fit(self, X: Any, y: Any = None) -> Any:
        super().fit(X)
        X[0, 0] += 1.0
        return self


class ChangesLater(Sound):
    def predict(self, X: Any) -> Any:
        found = super().predict(X)
        X[0, 0] += 1.0
        return found


class Doubts(Sound):
    def fit(self, X: Any, y: Any = None) -> Any:
        super().fit(X)
        self.partition_ = Partition(
            self.partition_.labels, self.partition_.names, np.full(len(X), np.nan)
        )
        return self


class Learns(Sound):
    def fit(self, X: Any, y: Any = None) -> Any:
        super().fit(X)
        self.centers_ = [np.zeros(2), np.array([0.0, np.nan])]
        return self


class Forgets(Sound):
    def predict(self, X: Any) -> Any:
        return super().predict(X)[:-1]


def judged(owner: type[Any]) -> str:
    values = rows.block("counts", (9, 3), 0) + 1.0
    given = rows.Given("rows", lambda: values, 9, 3)
    return judge(
        SimpleNamespace(load=lambda: owner), Case({"n_groups": 2}, given, None, None, None)
    )  # type: ignore[arg-type]


def test_a_sound_method_passes() -> None:
    assert judged(Sound) == "fitted"


@pytest.mark.parametrize(
    ("owner", "fault"),
    [
        (Breaks, "a fault"),
        (Says, "several lines"),
        (Warns, "RuntimeWarning leaked"),
        (Changes, "fit changed an argument"),
        (ChangesLater, "an argument was changed later"),
        (Doubts, "nan"),
        (Learns, "centers_ holds NaN"),
        (Forgets, "there are 9 members"),
    ],
)
def test_every_fault_is_seen(owner: type[Any], fault: str) -> None:
    with pytest.raises((AssertionError, ZeroDivisionError), match=fault):
        judged(owner)


def endless() -> None:
    while True:
        pass


def deaf() -> None:
    """Swallows the first exception that comes, as a callback of a library may."""
    try:
        endless()
    except BaseException:
        endless()


@pytest.mark.parametrize("work", [endless, deaf])
def test_work_without_end_is_ended(
    work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "AGAIN", 0.2)
    begun = time.process_time()
    with (
        pytest.raises(judging.TooLong, match="this ran for more than 1 s"),
        judging.limited(1, "this"),
    ):
        work()
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_seen(value: float) -> None:
    odd = np.array([[0.0, value], [value, 0.0]])
    for found in (odd, sp.csr_array(odd), np.array([[0.0, value]])):
        with pytest.raises(AssertionError, match="has"):
            judging.right_table(found, found.shape[0], "it")
    with pytest.raises(AssertionError, match="it has"):
        judging.right_affinity(Dense(odd, "similarity"), (2, 2), "it", square=True)


def test_what_a_caller_could_notice_is_seen() -> None:
    graph = Graph(sp.csr_array(np.eye(2)), "similarity")
    nested = {"a": [np.zeros(3), {"b": (graph, Table.of(np.zeros((2, 2))))}]}
    before = judging.seen(nested)
    assert judging.seen(nested) == before
    graph.values.data[0] = 2.0
    assert judging.seen(nested) != before
