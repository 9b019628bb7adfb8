"""Categories of members read once: one label each, several labels each, or a table of zeros and ones, as one boolean table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import DataConversionWarning

from coterie.core.errors import DataError

_SHOWN = 5  # names listed in a sentence

Form = Literal["one", "several", "table"]


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """Who is in which category: `indicator` (members x categories, bool), the categories' `names`, and who is `known`.

    `single` says that every known member is in exactly one category because one label was given per member.

    >>> said = Categories.of(["b", "a", None])
    >>> said.names, said.single, said.indicator.astype(int).tolist(), said.known.tolist()
    (('a', 'b'), True, [[0, 1], [1, 0], [0, 0]], [True, True, False])
    >>> Categories.of([["a", "b"], []]).indicator.astype(int).tolist()
    [[1, 1], [0, 0]]
    """

    indicator: np.ndarray
    names: tuple[Any, ...]
    known: np.ndarray
    form: Form = "one"

    @classmethod
    def of(
        cls, y: Any, names: Sequence[Any] | None = None, owner: str = "Categories"
    ) -> Categories:
        """From one label per member, a list or set of labels per member, or members x categories of zeros and ones.

        None, "" and NaN are unknown; an empty list is a member of no category. `names` fixes the categories and their order:
        a label outside of them is refused.
        """
        if isinstance(y, Categories):
            return y
        y = _plain(y, owner)
        if isinstance(y, np.ndarray) and y.ndim == 2:
            return cls._of_table(y, names, owner)
        rows = list(y)
        if not rows:
            raise DataError("there are no labels.", owner=owner)
        several = [row for row in rows if _several(row)]
        if not several:
            part = next((at for at, row in enumerate(rows) if _continuous(row)), None)
            if part is not None:
                raise DataError(
                    f"the label of member {part} is {rows[part]!r:.20}; "
                    "labels are words or whole numbers, and not continuous.",
                    owner=owner,
                )
            return cls._of_rows(
                [None if _unknown(row) else (row,) for row in rows], names, owner, "one"
            )
        odd = next((at for at, row in enumerate(rows) if not (_several(row) or row is None)), None)
        if odd is not None:
            raise DataError(
                f"other members have lists of labels, and the label of member {odd} is {rows[odd]!r:.40}; "
                "put it in a list too.",
                owner=owner,
            )
        given = [
            None if row is None else tuple(row.tolist() if isinstance(row, np.ndarray) else row)
            for row in rows
        ]
        return cls._of_rows(given, names, owner, "several")

    @classmethod
    def _of_rows(
        cls, rows: list[Any], names: Sequence[Any] | None, owner: str, form: Form
    ) -> Categories:
        for at, row in enumerate(rows):
            for label in row or ():
                if isinstance(label, (list, dict, set, complex, np.ndarray)) or (
                    form == "several" and _unknown(label)
                ):
                    raise DataError(
                        f"a label of member {at} is {label!r:.40}; a label is a word or a number.",
                        owner=owner,
                    )
        seen = {label for row in rows if row is not None for label in row}
        levels = _ordered(seen) if names is None else tuple(names)
        strange = seen.difference(levels)
        if strange:
            first = next(
                at for at, row in enumerate(rows) if row is not None and strange.intersection(row)
            )
            raise DataError(
                f"member {first} is labeled {next(label for label in rows[first] if label in strange)!r}, which is none "
                f"of the categories ({_listed(levels)}).",
                owner=owner,
            )
        if not levels:
            raise DataError(f"none of the {len(rows)} members has a label.", owner=owner)
        place = {level: at for at, level in enumerate(levels)}
        indicator = np.zeros((len(rows), len(levels)), dtype=bool)
        for at, row in enumerate(rows):
            indicator[at, [place[label] for label in row or ()]] = True
        return cls(indicator, levels, np.array([row is not None for row in rows], dtype=bool), form)

    @classmethod
    def _of_table(cls, table: np.ndarray, names: Sequence[Any] | None, owner: str) -> Categories:
        values = table.astype(np.float64) if table.dtype.kind in "biuf" else None
        wrong = None if values is None else np.argwhere((values != 0) & (values != 1))
        if values is None or wrong is None or len(wrong):
            where = (
                ""
                if wrong is None
                else f", and member {int(wrong[0][0])} has {table[tuple(wrong[0])]!r:.30}"
            )
            raise DataError(
                f"a table of categories holds 0 or 1 in every cell{where}.", owner=owner
            )
        levels = tuple(range(table.shape[1])) if names is None else tuple(names)
        if len(levels) != table.shape[1]:
            raise DataError(
                f"the table has {table.shape[1]} categories and there are {len(levels)} names.",
                owner=owner,
            )
        if not table.size:
            raise DataError("there are no labels.", owner=owner)
        return cls(values.astype(bool), levels, np.ones(len(table), dtype=bool), "table")

    def __len__(self) -> int:
        return len(self.indicator)

    @property
    def single(self) -> bool:
        """Whether every known member is in one category and no more."""
        return self.form == "one"

    @property
    def n_categories(self) -> int:
        """How many categories there are."""
        return len(self.names)

    @property
    def sizes(self) -> np.ndarray:
        """Known members of every category."""
        return np.asarray(self.indicator[self.known].sum(axis=0))

    @property
    def codes(self) -> np.ndarray:
        """The one category of every member as a number, -1 where there is none; of several, the first."""
        return np.where(self.indicator.any(axis=1), self.indicator.argmax(axis=1), -1)

    def take(self, rows: Any) -> Categories:
        """The members at these positions."""
        return replace(self, indicator=self.indicator[rows], known=self.known[rows])

    def given_back(self, indicator: np.ndarray) -> Any:
        """A boolean table of decisions in the form in which the labels were given: names, lists of names, or zeros and ones."""
        if self.form == "table":
            return indicator.astype(np.int64)
        if self.form == "several":
            return [tuple(self.names[at] for at in np.flatnonzero(row)) for row in indicator]
        return as_array(self.names)[indicator.argmax(axis=1)]

    def __repr__(self) -> str:
        many = "one each" if self.single else "several each"
        return f"Categories({int(self.known.sum())} of {len(self)} members labeled, {self.n_categories} categories, {many})"


def as_array(names: Sequence[Any]) -> np.ndarray:
    """Names as an array that keeps what they are: numbers stay numbers, words words, and a mixture objects."""
    kinds = {type(name) for name in names}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(names)
    found = np.empty(len(names), dtype=object)
    found[:] = list(names)
    return found


def _plain(y: Any, owner: str) -> Any:
    """Labels as an array or a list, whatever they came in."""
    if hasattr(y, "labels") and hasattr(y, "names"):  # a Partition
        return [None if code < 0 else y.names[code] for code in y.labels]
    if hasattr(y, "toarray"):
        y = y.toarray()
    if isinstance(y, (str, bytes)) or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise DataError(
            f"labels are a list or an array with one entry per member, and were {y!r:.40}.",
            owner=owner,
        )
    if not isinstance(y, (list, tuple)):
        y = np.asarray(y)
        if y.ndim > 2 or y.ndim == 0:
            raise DataError(
                f"labels have one or two dimensions, and were given {y.ndim}.", owner=owner
            )
        if y.ndim == 2 and y.shape[1] == 1 and not _indicates(y):
            said = "A column-vector y was passed when a 1d array was expected"
            warnings.warn(
                f"{said}: {owner} takes each entry as the one label of its member.",
                DataConversionWarning,
                stacklevel=4,
            )
            return y.ravel().tolist()
        return y if y.ndim == 2 else y.tolist()
    return np.array(y) if _indicating(y) else y


def _indicating(rows: Sequence[Any]) -> bool:
    """Whether these are lists of zeros and ones, as many in each, two or more: a table written as lists."""
    if not len(rows) or not all(_several(row) and len(row) == len(rows[0]) > 1 for row in rows):
        return False
    return all(
        isinstance(cell, (int, np.integer, np.bool_)) and cell in (0, 1)
        for row in rows
        for cell in row
    )


def _indicates(y: np.ndarray) -> bool:
    return y.dtype.kind in "biuf" and bool(np.isin(y, (0, 1)).all())


def _several(row: Any) -> bool:
    return isinstance(row, (list, tuple, set, frozenset)) or (
        isinstance(row, np.ndarray) and row.ndim == 1
    )


def _unknown(value: Any) -> bool:
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return (isinstance(value, (float, np.floating)) and bool(np.isnan(value))) or type(
        value
    ).__name__ in ("NAType", "NaTType")


def _continuous(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and not _unknown(value) and value % 1 != 0


def _ordered(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Numbers first, in their order, then words in theirs."""
    return tuple(
        sorted(
            labels,
            key=lambda label: (
                isinstance(label, str),
                label if not isinstance(label, tuple) else str(label),
            ),
        )
    )


def _listed(names: Sequence[Any]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(map(str, names[:_SHOWN]))}{more}"
