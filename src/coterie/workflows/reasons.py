"""Why members are alike where they were grouped by what they are tied to: the words and people they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.findings import Group
from coterie.core.links import Cooccurrence, Links
from coterie.workflows.key_features import key_terms

_SHOWN = 6  # elements named per population


def in_common(
    links: Links, members: Sequence[int], labels: np.ndarray, groups: Sequence[Group]
) -> list[str]:
    """What these members share, the rarest first, and whether they are in one group."""
    places = list(dict.fromkeys(int(m) for m in members))
    if len(places) < 2:
        raise DataError("Name two different members.")
    ids = links.ids[links.target]
    who = (
        " and ".join(str(ids[m]) for m in places)
        if len(places) == 2
        else f"These {len(places)} members"
    )
    said = [placed_in(who, places, labels, groups)]
    for name, table in _tables(links):
        said.append(_shared(name, table, places))
    return said


def placed_in(who: str, places: Sequence[int], labels: np.ndarray, groups: Sequence[Group]) -> str:
    """Whether members are in one group or in several, in a sentence."""
    names = {group.label: group.name for group in groups}
    own = {int(labels[m]) for m in places}
    if len(own) == 1:
        return (
            f"{who} are in no group."
            if own == {-1}
            else f"{who} are in one group: {names.get(own.pop(), '')}."
        )
    return f"{who} are in {len(own)} groups: {'; '.join(names.get(g, 'in none') for g in sorted(own))}."


def named_group(groups: Sequence[Group], label: int) -> Group:
    """The group of this number."""
    return next(one for one in groups if one.label == label)


def _shared(name: str, table: Cooccurrence, places: Sequence[int]) -> str:
    """The elements that all of these members have, those of the fewest members first."""
    there = _present(table)
    common = np.flatnonzero(np.asarray(there[list(places)].sum(axis=0)).ravel() == len(places))
    if not len(common):
        return f"They share none of their {name}."
    often = np.asarray(there.sum(axis=0)).ravel()[common]
    order = np.lexsort((common, often))[:_SHOWN]
    told = ", ".join(
        f"{table.cols[common[i]]} (in {int(often[i]):,} of {there.shape[0]:,})" for i in order
    )
    more = f" and {len(common) - len(order):,} more" if len(common) > len(order) else ""
    return f"They share {name}: {told}{more}."


def of_group(links: Links, label: int, labels: np.ndarray, groups: Sequence[Group]) -> list[str]:
    """What holds a group together: what its members have far more often than all members."""
    inside = np.flatnonzero(labels == label)
    group = named_group(groups, label)
    said = [
        f"The {len(inside):,} members of '{group.name}' go together by what they are tied to more often than all members."
    ]
    for name, table in _tables(links):
        there = _present(table)
        rows = key_terms(table.counts, table.cols, (labels == label).astype(np.int64), 2, _SHOWN)[1]
        place = {col: j for j, col in enumerate(table.cols)}
        shares = [(word, there[:, [place[word]]].toarray().ravel()) for word, _ in rows]
        told = ", ".join(
            f"{word} ({has[inside].mean():.0%} against {has.mean():.0%})" for word, has in shares
        )
        if told:
            said.append(f"By {name}: {told}.")
    return said


def _tables(links: Links) -> list[tuple[str, Cooccurrence]]:
    found = [
        (name, links.between(links.target, name))
        for name in links.populations
        if name != links.target
    ]
    return [(name, table) for name, table in found if table is not None]


def _present(table: Cooccurrence) -> Any:
    import scipy.sparse as sp

    counts = sp.csr_array(table.counts)
    return sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
