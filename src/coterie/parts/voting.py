"""Several labelings of the same members: brought to the same numbers, voted on, and how far they agree.

A labeling is one whole number per member, and -1 is 'in no group': such a member has no vote there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from coterie.core.errors import DataError, ParameterError

_STAY = 1e-9  # of a vote: between equals a member stays where it is


@dataclass(frozen=True, slots=True, eq=False)
class Vote:
    """What a majority says: the group of every member, and the share of the votes that each group has."""

    labels: np.ndarray  # (n,); -1 where nobody voted
    shares: np.ndarray  # (n, groups)

    @property
    def confidence(self) -> np.ndarray:
        """The share of the votes for a member's own group; 0 where nobody voted."""
        own = self.shares[np.arange(len(self.labels)), np.maximum(self.labels, 0)]
        return np.asarray(np.where(self.labels >= 0, own, 0.0))


def align_labels(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """The labels with the numbers of the reference: one-to-one, as many members as possible keep theirs.

    It is the Hungarian method on the table of members in both. Numbers go from 0 to the larger number of groups; a
    group that is left without a partner gets a number that nobody has.

    >>> align_labels([1, 1, 1, 0, 0, 2], [0, 0, 0, 1, 1, 1]).tolist()
    [0, 0, 0, 1, 1, 2]
    """
    labels, reference = _checked([labels, reference])
    size = max(_groups(labels), _groups(reference))
    if not size:
        return labels
    rows, columns = linear_sum_assignment(_shared(labels, reference, size, size), maximize=True)
    number = np.empty(size, dtype=np.int64)
    number[rows] = columns
    return np.where(labels >= 0, number[labels], -1)


def majority_vote(
    labelings: Sequence[np.ndarray],
    reference: np.ndarray | None = None,
    *,
    weights: Sequence[float] | None = None,
    max_iter: int = 20,
) -> Vote:
    """The group that most labelings put each member in, with all of them aligned to the outcome.

    The labelings are aligned to the reference and vote; they are aligned to what came out and vote again, until
    nothing changes. Between equals a member stays in the group it had. Without a reference the labeling that agrees
    best with the others is the first one.

    >>> majority_vote([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]]).labels.tolist()
    [0, 0, 1, 1]
    """
    voters = _checked(labelings)
    power = _weights(weights, len(voters))
    if reference is None:
        current = voters[int(np.argmax(agreements(voters).sum(axis=1)))]
    else:
        current = _checked([*voters, reference])[-1]
    size = max(1, *map(_groups, [*voters, current]))
    rows = np.arange(len(current))
    for _ in range(max_iter):
        votes = np.zeros((len(current), size))
        for voter, weight in zip(voters, power, strict=True):
            aligned = align_labels(voter, current)
            votes[rows, np.maximum(aligned, 0)] += np.where(aligned >= 0, weight, 0.0)
        total = votes.sum(axis=1)
        lean = votes.copy()
        lean[rows, np.maximum(current, 0)] += np.where(current >= 0, _STAY, 0.0)
        elected = np.where(total > 0, lean.argmax(axis=1), -1)
        settled = np.array_equal(elected, current)
        current = elected
        if settled:
            break
    shares = np.divide(votes, total[:, None], out=np.zeros_like(votes), where=total[:, None] > 0)
    return Vote(current, shares)


def agreements(labelings: Sequence[np.ndarray]) -> np.ndarray:
    """The adjusted Rand index of every two labelings, over the members that both put in a group.

    >>> agreements([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]]).round(2).tolist()
    [[1.0, 1.0, -0.5], [1.0, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    """
    voters = _checked(labelings)
    sizes = [_groups(voter) for voter in voters]
    found = np.eye(len(voters))
    for a in range(len(voters)):
        for b in range(a):
            table = _shared(voters[a], voters[b], sizes[a], sizes[b])
            found[a, b] = found[b, a] = _adjusted_rand(table)
    return found


def mean_agreement(labelings: Sequence[np.ndarray]) -> float:
    """The mean adjusted Rand index over all pairs of labelings; 1 where there is only one.

    >>> mean_agreement([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]])
    1.0
    """
    found = agreements(labelings)
    several = len(found) > 1
    return float(found[np.triu_indices(len(found), 1)].mean()) if several else 1.0


def _shared(one: np.ndarray, other: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Members in both: a row per group of one labeling, a column per group of the other."""
    both = (one >= 0) & (other >= 0)
    cells = one[both] * columns + other[both]
    return np.bincount(cells, minlength=rows * columns).reshape(rows, columns)


def _adjusted_rand(table: np.ndarray) -> float:
    together, first, second, pairs = (
        float((counts * (counts - 1)).sum()) / 2
        for counts in (table, table.sum(axis=1), table.sum(axis=0), table.sum())
    )
    expected = first * second / pairs if pairs else 0.0
    span = (first + second) / 2 - expected
    return 1.0 if span == 0 else (together - expected) / span


def _groups(labels: np.ndarray) -> int:
    return int(labels.max(initial=-1)) + 1


def _checked(labelings: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Arrays of whole numbers from -1, all of one length."""
    found = [np.asarray(labels) for labels in labelings]
    if not found:
        raise DataError("There is no labeling to compare or to vote; give one at least.")
    for at, labels in enumerate(found):
        if labels.ndim != 1 or (labels.size and labels.dtype.kind not in "iub"):
            raise DataError(f"Labeling {at} must be one whole number per member.")
        if len(labels) != len(found[0]):
            raise DataError(
                f"Labeling {at} has {len(labels)} members and the first has {len(found[0])}; "
                "give labelings of the same members."
            )
        if labels.size and labels.min() < -1:
            raise DataError(
                f"Labeling {at} has a group {labels.min()}; groups are numbered from 0, -1 is none."
            )
    return [labels.astype(np.int64) for labels in found]


def _weights(weights: Sequence[float] | None, voters: int) -> np.ndarray:
    power = np.ones(voters) if weights is None else np.asarray(weights, dtype=np.float64)
    if power.shape != (voters,) or not np.isfinite(power).all() or (power <= 0).any():
        raise ParameterError(
            f"majority_vote: weights must be {voters} numbers above 0, one per labeling.",
            parameter="weights",
        )
    return power
