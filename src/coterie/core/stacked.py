"""Stacked: members of two collections of the same kind, one after the other, as one collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.core.collection import Collection, View
from coterie.core.errors import DataError
from coterie.core.links import MEMBERS, Cooccurrence
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.vectors import Vectors


def stacked(one: Collection, other: Collection, name: str) -> Collection:
    """The members of the first and then those of the second: the views both have, and all links of members.

    Truth and cards are those of the first; the second has none.
    """
    views = {
        key: _views(view, other.views[key], key)
        for key, view in one.views.items()
        if key in other.views
    }
    links = {}
    for pair in dict.fromkeys((*one.links, *other.links)):
        tables = [own.links.get(pair) for own in (one, other)]
        if MEMBERS in pair:
            links[pair] = _links(tables, [one.ids, other.ids], pair[0] == MEMBERS)
        elif tables[0] is not None:
            links[pair] = tables[0]
    if not views and not links:
        raise DataError(f"'{one.name}' and '{other.name}' have no view and no link in common.")
    blank = [""] * len(other)
    truth = {
        key: np.array([*np.asarray(rows).tolist(), *blank], dtype=object)
        for key, rows in one.truth.items()
    }
    cards = {key: [*rows, *blank] for key, rows in one.cards.items()}
    return Collection((*one.ids, *other.ids), views, links, truth, name, one.notes, cards)


def _views(one: View, other: View, name: str) -> View:
    if isinstance(one, Text) and isinstance(other, Text):
        return Text((*one.documents, *other.documents))
    if isinstance(one, Table) and isinstance(other, Table):
        return _tables(one, other, name)
    if (
        isinstance(one, Ragged)
        and isinstance(other, Ragged)
        and one.dim == other.dim
        and one.ordered == other.ordered
    ):
        offsets = np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]])
        return Ragged(
            np.concatenate([one.values, other.values]),
            offsets,
            one.ordered,
            one.names,
            one.rate or other.rate,
        )
    if isinstance(one, Pictures) and isinstance(other, Pictures):
        return Pictures(
            np.concatenate([one.pixels, other.pixels]), np.concatenate([one.sizes, other.sizes])
        )
    if isinstance(one, Vectors) and isinstance(other, Vectors) and one.dimension == other.dimension:
        return Vectors(np.concatenate([one.values, other.values]))
    raise DataError(f"Members seen as {one!r} and as {other!r} ('{name}') cannot be put together.")


def _tables(one: Table, other: Table, name: str) -> Table:
    """Rows on the columns of the first; words of a column that only the second has come after those of the first."""
    import scipy.sparse as sp

    if set(one.names) != set(other.names):
        strange = sorted(set(one.names) ^ set(other.names))[0]
        raise DataError(f"Only one of the two tables '{name}' has the column '{strange}'.")
    order = [other.names.index(column) for column in one.names]
    rows = other.values[:, order]
    if one.sparse or other.sparse:
        return Table(
            sp.csr_array(sp.vstack([sp.csr_array(one.values), sp.csr_array(rows)])), one.names
        )
    rows = rows.copy()
    categories = dict(one.categories)
    for column, at in enumerate(order):
        if (column in one.categories) != (at in other.categories):
            raise DataError(
                f"The column '{one.names[column]}' holds words in one of the two tables, and numbers in the other."
            )
        if column in one.categories:
            levels = (
                *one.categories[column],
                *(w for w in other.categories[at] if w not in one.categories[column]),
            )
            codes = np.array(
                [levels.index(word) for word in other.categories[at]], dtype=np.float64
            )
            known = ~np.isnan(rows[:, column])
            rows[known, column] = codes[rows[known, column].astype(np.int64)]
            categories[column] = levels
    return Table(np.concatenate([one.values, rows]), one.names, categories, one.dates)


def _links(
    tables: Sequence[Cooccurrence | None], ids: Sequence[Sequence[str]], upright: bool
) -> Cooccurrence:
    """Counts of both lists of members on all that either is tied to; nothing where a list has no table, or lacks a member."""
    import scipy.sparse as sp

    turned = [None if table is None else table if upright else table.transposed for table in tables]
    cols = list(dict.fromkeys(name for table in turned if table is not None for name in table.cols))
    place = {name: j for j, name in enumerate(cols)}
    parts = list[Any]()
    for table, members in zip(turned, ids, strict=True):
        if table is None:
            parts.append(sp.csr_array((len(members), len(cols))))
            continue
        row = {name: i for i, name in enumerate(table.rows)}
        known = [(at, row[member]) for at, member in enumerate(members) if member in row]
        to, own = np.array(known, dtype=np.int64).reshape(-1, 2).T
        pick = sp.csr_array((np.ones(len(to)), (to, own)), shape=(len(members), len(table.rows)))
        move = (
            np.ones(len(table.cols)),
            (np.arange(len(table.cols)), [place[name] for name in table.cols]),
        )
        parts.append(pick @ table.counts @ sp.csr_array(move, shape=(len(table.cols), len(cols))))
    found = Cooccurrence(sp.csr_array(sp.vstack(parts)), [*ids[0], *ids[1]], cols)
    return found if upright else found.transposed
