"""Pairs of hints that groups do not keep: which they are, and one warning that names the first."""

from __future__ import annotations

import warnings

import numpy as np

from coterie.parts.constrained import Ties

LIGHT = "a larger weight keeps more, and laws are always kept"


def broken(ties: Ties, groups: np.ndarray) -> np.ndarray:
    """The pairs of members that these groups do not keep: those given, and some of labels where labels are pairs.

    Of labels these are one pair for each member away from where most of its label are, and for two labels in one group.
    """
    pairs = [ties.hints.broken(groups)]
    known = ties.hints.known[groups[ties.hints.known] >= 0]
    if ties.pulling and len(known):
        tags, first = np.unique(ties.labels[known], return_index=True)
        table = np.zeros((len(tags), int(groups.max()) + 1), dtype=np.int64)
        np.add.at(table, (np.searchsorted(tags, ties.labels[known]), groups[known]), 1)
        usual = table.argmax(axis=1)
        own = usual[np.searchsorted(tags, ties.labels[known])]
        away = known[groups[known] != own]
        at_home = {
            int(tag): known[(ties.labels[known] == tag) & (groups[known] == own)][0] for tag in tags
        }
        pairs.append(
            np.array(
                [[at_home[int(ties.labels[m])], m] for m in away.tolist()], dtype=np.int64
            ).reshape(-1, 2)
        )
        one, other = np.nonzero(np.triu(usual[:, None] == usual[None, :], 1))
        pairs.append(np.stack([known[first[one]], known[first[other]]], axis=1))
    return np.concatenate(pairs)


def tell_unkept(ties: Ties, groups: np.ndarray, why: str = LIGHT) -> None:
    """Warn of the pairs that these groups do not keep: how many, and the first; to be called by `fit` itself."""
    pairs = broken(ties, groups)
    if not len(pairs):
        return
    many = (
        "1 pair of the hints was" if len(pairs) == 1 else f"{len(pairs):,} pairs of the hints were"
    )
    one, other = (ties.called(int(member)) for member in pairs[0])
    warnings.warn(
        f"{ties.owner}: {many} not kept, such as {one} and {other}; {why}.",
        UserWarning,
        stacklevel=3,
    )
