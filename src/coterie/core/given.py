"""What a person gives as numbers, or as yes and no: taken as it is meant, or refused in one sentence that names the place."""

from __future__ import annotations

import numbers
import reprlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError


def numbers_of(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Real numbers, in the shape they have; words are refused, even those that spell a number.

    >>> numbers_of(["1", "2"], "The scores")
    Traceback (most recent call last):
    coterie.core.errors.DataError: The scores must be numbers, and value 0 is '1'.
    """
    array = _array(values, f"{what} must be numbers in a list or a table")
    if array.dtype.kind not in "biuf":
        _all_real(array, f"{what} must be numbers", numbers.Real, type(None))
        array = array.astype(np.float64)
    return array.astype(np.float64, copy=False)


def whole_of(values: ArrayLike, what: str) -> NDArray[np.int64]:
    """Whole numbers; a number such as 1.7 is refused and not cut to 1."""
    array = numbers_of(values, what)
    wrong = ~np.isfinite(array) | (array != np.round(array))
    if wrong.any():
        raise DataError(f"{what} must be whole numbers, and {_named(array, wrong)}.")
    return np.asarray(values).astype(np.int64)


def yes_no_of(values: ArrayLike, what: str, hint: str = "") -> NDArray[np.bool_]:
    """Yes and no, given as True and False or as 1 and 0; anything else is refused and never taken for yes.

    >>> yes_no_of([1, 0, 1], "The truth").tolist()
    [True, False, True]
    """
    must = f"{what} must be yes or no (True and False, or 1 and 0){hint}"
    array = _array(values, must)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind not in "iuf":
        _all_real(array, must, numbers.Real, np.bool_)
        array = array.astype(np.float64)
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        raise DataError(f"{must}, and {_named(array, wrong)}.")
    return array.astype(bool)


def _array(values: ArrayLike, must: str) -> NDArray[Any]:
    """The values as an array; rows of unequal length make none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise DataError(f"{must}, and were given in rows of unequal length.") from None


def _all_real(array: NDArray[Any], must: str, *kinds: type) -> None:
    """Refuse the first value of an array of anything that is of none of these kinds."""
    wrong = np.array(
        [not isinstance(value, kinds) for value in array.ravel().tolist()], dtype=bool
    ).reshape(array.shape)
    if wrong.any():
        raise DataError(f"{must}, and {_named(array, wrong)}.")


def _named(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    """Where the first wrong value stands, and what it is."""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    value = array[place]
    shown = reprlib.repr(value.item() if isinstance(value, np.generic) else value)
    if array.ndim == 2:
        return f"the value in row {place[0]}, column {place[1]} is {shown}"
    return f"value {place[0]} is {shown}" if place else f"it is {shown}"
