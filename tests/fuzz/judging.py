"""What is asked of a method that was given anything: one sentence, or a finite result; nothing else, and nothing changed."""

from __future__ import annotations

import dataclasses
import faulthandler
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

import coterie
from coterie import Affinity, Partition, Ragged, Table
from coterie.core.affinity import Condensed, Dense, Graph, Lazy
from coterie.core.errors import DataError, MissingExtra, NotConverged, ParameterError
from coterie.core.partition import Ranking, Segmentation

REFUSALS = (DataError, ParameterError, MissingExtra)
LIMIT = 40  # seconds of work of one example: far more than any needs, also when kernels are compiled for the first time
AGAIN = 5.0  # seconds until it is ended again, where a library swallowed the first exception
_HOUSE = str(Path(coterie.__file__).parent)


class TooLong(BaseException):
    """An example ran past its limit."""


class Elsewhere(Exception):
    """The data could not even be made, and not by a fault of ours."""


@contextmanager
def limited(seconds: int, what: str) -> Iterator[None]:
    """End what works longer: by an exception in Python, and, where a library never gives control back, with the process.

    The seconds are of this process's own work, since the machine may be shared; ten times as many on the clock end it too.
    """

    def late(*_: Any) -> None:
        raise TooLong(f"{what} ran for more than {seconds} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    faulthandler.dump_traceback_later(10 * seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def quiet() -> Iterator[None]:
    """Only warnings of ours, each a sentence, get out."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    for one in said:
        if issubclass(one.category, (DeprecationWarning, PendingDeprecationWarning)):
            continue
        known = one.category in (UserWarning, NotConverged, DataConversionWarning)
        assert known, f"{one.category.__name__} leaked: {one.message} ({one.filename}:{one.lineno})"
        assert str(one.message).rstrip().endswith((".", "?")), (
            f"a warning that is no sentence of ours: {one.message}"
        )


def told(error: BaseException) -> str:
    """The sentence of a refusal, checked; anything else is raised as it is."""
    if not isinstance(error, REFUSALS):
        raise error
    sentence = str(error)
    assert sentence.strip(), f"{type(error).__name__} says nothing"
    assert "\n" not in sentence.strip(), f"a refusal of several lines: {sentence!r}"
    assert len(sentence) < 1000, f"a refusal of {len(sentence)} characters: {sentence[:200]!r}"
    return sentence


def ours(error: BaseException) -> bool:
    """Whether code of the house was at work when this was raised."""
    return any(
        frame.filename.startswith(_HOUSE) for frame in traceback.extract_tb(error.__traceback__)
    )


# ------------------------------------------------------------------------------------------------------------ nothing changed


def seen(data: Any, depth: int = 0) -> Any:
    """Everything a caller could notice of a value, to be compared before and after."""
    if depth > 6:
        return type(data)
    if isinstance(data, np.ma.MaskedArray):
        return "masked", seen(np.asarray(data.data), depth), np.ma.getmaskarray(data).tobytes()
    if isinstance(data, np.ndarray):
        held = (
            [seen(one, depth + 1) for one in data.ravel().tolist()]
            if data.dtype.kind == "O"
            else data.tobytes()
        )
        return str(data.dtype), data.shape, data.flags.writeable, held
    if hasattr(data, "tocsr"):
        parts = {"coo": ("row", "col", "data")}.get(data.format, ("indptr", "indices", "data"))
        return (
            data.format,
            data.shape,
            tuple(seen(getattr(data, part), depth + 1) for part in parts),
        )
    if isinstance(data, (pd.DataFrame, pd.Series)):
        return seen(list(data.axes), depth + 1), [seen(data.to_numpy(), depth + 1)]
    if isinstance(data, pl.DataFrame):
        return data.columns, [seen(column, depth + 1) for column in data.rows()]
    if isinstance(data, BaseEstimator):
        return type(data), seen(vars(data), depth + 1)
    if isinstance(data, Graph):
        return data.kind, data.symmetric, data.own, seen(data.values, depth + 1)
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return type(data), [
            (field.name, seen(getattr(data, field.name), depth + 1))
            for field in dataclasses.fields(data)
        ]
    if isinstance(data, dict):
        return [(seen(key, depth + 1), seen(value, depth + 1)) for key, value in data.items()]
    if isinstance(data, (list, tuple, pd.Index)):
        return type(data), [seen(one, depth + 1) for one in data]
    return repr(data)


# ------------------------------------------------------------------------------------------------------------ finite results


def finite(values: Any, what: str) -> None:
    """No NaN and no infinity, dense or sparse; other than numbers are as they are."""
    values = values.data if hasattr(values, "tocsr") else np.asarray(values)
    if values.dtype.kind in "fc":
        assert np.isfinite(values).all(), f"{what} has {values[~np.isfinite(values)].ravel()[0]}"


def no_nan(method: Any, but: frozenset[str]) -> None:
    """No number that was learned (an attribute that ends in _) is NaN."""
    for name, value in vars(method).items():
        if (
            not name.endswith("_")
            or name.startswith("_")
            or f"{type(method).__name__}.{name}" in but
        ):
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            held = one.data if hasattr(one, "tocsr") else one
            if (
                isinstance(held, (float, np.floating, np.ndarray))
                and np.asarray(held).dtype.kind in "fc"
            ):
                assert not np.isnan(held).any(), f"{name} holds NaN"


def right_table(values: Any, n: int, what: str) -> None:
    """One row of finite numbers per member; a category alone may be missing."""
    if isinstance(values, Ragged):
        assert len(values) == n, f"{what} has {len(values)} members, and there are {n}"
        finite(values.values, what)
        return
    if isinstance(values, Table):
        values = values.values[:, values.numeric] if values.categories else values.values
    assert values.shape[0] == n, f"{what} has {values.shape[0]} rows, and there are {n} members"
    assert len(values.shape) == 2, f"{what} has {len(values.shape)} dimensions"
    finite(values, what)


def right_affinity(
    found: Affinity, shape: tuple[int, int], what: str, square: bool, unmet: Any = None
) -> None:
    """Finite values of every pair (a graph of distances: of those it stores), symmetric where it says so.

    `unmet` are pairs that may be NaN.
    """
    assert isinstance(found, (Dense, Condensed, Graph, Lazy)), f"{what} is {type(found).__name__}"
    assert found.shape == shape, f"{what} is {found.shape} and should be {shape}"
    assert found.kind in ("similarity", "distance")
    values = found.block(slice(0, shape[0]), slice(0, shape[1]))
    if unmet is not None:
        values = np.where(np.isnan(values) & unmet, 0.0, values)
    finite(found.values if isinstance(found, Graph) else values, what)
    if found.kind == "distance":
        assert (values >= 0).all(), f"{what} has the distance {values.min()}"
    if square and found.symmetric:
        largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
        assert np.allclose(values, values.T, rtol=1e-9, atol=1e-9 * largest), (
            f"{what} says it is symmetric, and is not"
        )


def right_labels(labels: Any, n: int, groups: int | None, what: str) -> None:
    """A group from -1 per member."""
    labels = np.asarray(labels)
    assert labels.shape == (n,), f"{what} are of shape {labels.shape}, and there are {n} members"
    assert labels.dtype.kind in "iu", f"{what} are {labels.dtype}"
    assert not n or labels.min() >= -1, f"{what} hold {labels.min()}"
    assert groups is None or not n or labels.max() < groups, (
        f"{what} hold {labels.max()}, and there are {groups} groups"
    )


def right_partition(found: Partition, n: int, what: str) -> None:
    right_labels(found.labels, n, found.n_groups, what)
    if found.confidence is not None:
        finite(found.confidence, f"the confidence of {what}")
        assert (np.asarray(found.confidence) >= -1e-9).all(), f"{what}: a confidence below 0"
        assert (np.asarray(found.confidence) <= 1 + 1e-9).all(), f"{what}: a confidence above 1"


def right_ranking(found: Ranking, n: int, what: str) -> None:
    assert sorted(np.asarray(found.order).tolist()) == list(range(n)), (
        f"{what} is no order of {n} members"
    )
    assert not np.isnan(np.asarray(found.scores, dtype=np.float64)).any(), (
        f"{what} has a score of NaN"
    )


def right_cuts(found: list[Segmentation], lengths: np.ndarray, what: str) -> None:
    assert len(found) == len(lengths), f"{what}: {len(found)} cuts of {len(lengths)} sequences"
    for cut, length in zip(found, lengths, strict=True):
        assert cut.boundaries[0] == 0, f"{what} begins at {cut.boundaries[0]}"
        assert cut.boundaries[-1] == length, f"{what} ends at {cut.boundaries[-1]} of {length}"
