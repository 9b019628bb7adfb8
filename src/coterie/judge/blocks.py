"""An affinity read strip by strip: only a few rows at a time, so that memory stays proportional to n."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.judge.labels import Coded, Floats, Labels, code_truth
from coterie.parts.pairwise import reduce_bands

Missing = Literal["error", "last"]


@runtime_checkable
class AffinityLike(Protocol):
    """What this room needs of an affinity: its shape, its kind, and any rectangular part of it."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def kind(self) -> str: ...

    def block(self, rows: slice, cols: slice) -> Any: ...


def check_affinity(
    affinity: Any, *, square: bool = False, members: int | None = None, rows: int | None = None
) -> None:
    """Say in one sentence what is wrong with an affinity, if anything."""
    if not isinstance(affinity, AffinityLike):
        raise DataError(
            f"An affinity is needed, not {type(affinity).__name__}: wrap a plain array with "
            "Affinity.of(array, kind='similarity') or kind='distance'."
        )
    if affinity.kind not in ("similarity", "distance"):
        raise DataError(
            f"The kind of an affinity must be 'similarity' or 'distance', and was {affinity.kind!r}."
        )
    if min(affinity.shape) < 1:
        raise DataError("The affinity is empty: give at least one member.")
    if square and affinity.shape[0] != affinity.shape[1]:
        raise DataError(
            f"The affinity must be members x members, and was {affinity.shape[0]} x {affinity.shape[1]}."
        )
    if members is not None and affinity.shape[1] != members:
        raise DataError(
            f"The affinity has {affinity.shape[1]} columns, but there are {members} labels."
        )
    if rows is not None and affinity.shape[0] != rows:
        raise DataError(f"The affinity has {affinity.shape[0]} rows, but there are {rows} labels.")


def strips(affinity: AffinityLike) -> Iterator[tuple[int, Floats]]:
    """The rows in order as (number of the first row, rows x all columns)."""
    source: Any = affinity  # anything with a shape and blocks will do
    for rows, strip in reduce_bands(_plain, source, label="judge"):
        yield rows.start, strip


def _plain(values: Any, rows: slice, affinity: Any) -> tuple[Floats]:
    return (
        np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64),
    )


def score_rows(affinity: AffinityLike) -> Iterator[tuple[int, Floats]]:
    """The rows one by one as scores where more is nearer: distances change their sign."""
    for start, strip in strips(affinity):
        scores = -strip if affinity.kind == "distance" else strip
        for offset in range(scores.shape[0]):
            yield start + offset, scores[offset]


def query_rows(
    affinity: AffinityLike, truth: Labels, member_truth: Labels | None, missing: Missing
) -> tuple[Coded, Iterator[tuple[int, Floats, np.ndarray[Any, np.dtype[np.bool_]]]]]:
    """The coded truth of the queries, and per query of known truth: its number, scores, and who is
    relevant.

    Without `member_truth` queries and members are the same and a query is not in its own list. Members of
    unknown truth are in no list. A score that is NaN is a missing pair: an error, or (missing="last") left
    for the end.
    """
    if missing not in ("error", "last"):
        raise ParameterError(f"missing must be 'error' or 'last', and was {missing!r}.")
    itself = member_truth is None
    both = truth if member_truth is None else [*_listed(truth), *_listed(member_truth)]
    coded = code_truth(both)
    n_queries = coded.codes.size if member_truth is None else len(_listed(truth))
    queries = coded.codes[:n_queries]
    members = queries if itself else coded.codes[n_queries:]
    check_affinity(affinity, square=itself, members=members.size, rows=n_queries)
    if not (queries >= 0).any():
        raise DataError(
            f"The truth of all {n_queries} queries is unknown, so there is nothing to judge against."
        )
    return Coded(queries, coded.names), _query_rows(affinity, queries, members, itself, missing)


def _query_rows(
    affinity: AffinityLike, queries: Any, members: Any, itself: bool, missing: Missing
) -> Iterator[tuple[int, Floats, Any]]:
    listed = members >= 0
    for query, scores in score_rows(affinity):
        if queries[query] < 0:
            continue
        keep = listed.copy()
        if itself:
            keep[query] = False
        shown = scores[keep]
        if missing == "error" and np.isnan(shown).any():
            member = int(np.flatnonzero(np.isnan(scores) & keep)[0])
            raise DataError(
                f"The score of members {query} and {member} is NaN; fill it, or pass missing='last' to rank such pairs last."
            )
        yield query, shown, members[keep] == queries[query]


def _listed(truth: Labels) -> list[Any]:
    raw: Any = getattr(truth, "labels", truth)
    return list(raw.tolist() if hasattr(raw, "tolist") else raw)
