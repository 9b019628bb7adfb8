"""Ranked lists of systems for the same queries, matched by query; relevance is what any of the files says of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import DataError
from coterie.judge.queries import QueryScores, over_queries
from coterie.workflows.system_files import Outputs, grades, no_grade

Relevance = dict[str, dict[str, bool]]
RECALLS = np.arange(11) / 10


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Ranked lists measured: each measure as a table of queries x systems, and what was noticed."""

    values: dict[str, np.ndarray]
    queries: tuple[str, ...]
    relevant: tuple[int, ...]  # documents of each query
    eleven: np.ndarray  # systems x 11: mean precision at recall 0, .1, ..., 1
    notes: list[str]


def queried(systems: Sequence[Outputs]) -> Listed:
    """Every measure of every list."""
    relevance = _relevance(systems)
    used = [query for query, documents in relevance.items() if any(documents.values())]
    if not used:
        raise DataError("No query has a relevant document, so there is nothing to judge.")
    notes = []
    found = []
    eleven = []
    if len(used) < len(relevance):
        notes.append(
            f"{len(relevance) - len(used):,} queries without a relevant document were left out."
        )
    for one in systems:
        scores, levels, note = _of_system(one, used, relevance)
        found.append(scores)
        eleven.append(levels)
        notes += note
    if len({frozenset(one.about()) for one in systems}) > 1:
        notes.append(
            "The lists hold different documents: relevant ones that a list lacks count 0, unjudged ones as not relevant."
        )
    tables = {
        "mean average precision": [one.ap_per_query for one in found],
        "11-point precision": [one.eleven_per_query for one in found],
        **{
            f"P@{r}": [one.precision_per_query[r] for one in found]
            for r in found[0].precision_per_query
        },
    }
    values = {name: np.stack(columns, axis=1) for name, columns in tables.items()}
    return Listed(
        values,
        tuple(used),
        tuple(sum(relevance[query].values()) for query in used),
        np.stack(eleven),
        notes,
    )


def _relevance(systems: Sequence[Outputs]) -> Relevance:
    known: Relevance = {}
    for one in systems:
        if one.truth is None:
            continue
        judged = one.truth != ""
        marks = grades(one.truth[judged])
        if marks is None:
            row = int(np.flatnonzero(judged)[no_grade(one.truth[judged])])
            raise DataError(
                f"Row {row + 1} of '{one.file}' has the relevance '{one.truth[row]}'; it must be 1 or 0, or a grade from 0."
            )
        for (document, query), mark in zip(
            (key for key, told in zip(one.about(), judged, strict=True) if told), marks, strict=True
        ):
            if known.setdefault(query, {}).setdefault(document, bool(mark)) != mark:
                raise DataError(
                    f"'{document}' is relevant for query '{query}' in one file and not in '{one.file}'."
                )
    if not known:
        raise DataError(
            f"None of the files has a column of truth ('{systems[0].file}' has none); name it.",
            parameter="truth",
        )
    return known


def _of_system(
    one: Outputs, used: Sequence[str], relevance: Relevance
) -> tuple[QueryScores, np.ndarray, list[str]]:
    if one.scores is None or one.of is None:
        raise DataError(
            f"'{one.file}' has no column of scores, which ranked lists need; name it.",
            parameter="score",
        )
    rows: dict[str, list[int]] = {}
    for row, query in enumerate(one.of):
        rows.setdefault(query, []).append(row)
    lists = []
    for query in used:
        at = rows.get(query, [])
        lists.append(
            (
                one.scores[at],
                np.array([relevance[query].get(one.ids[i], False) for i in at], dtype=bool),
            )
        )
    totals = [sum(relevance[query].values()) for query in used]
    lost = sum(query not in rows for query in used)
    notes = [f"'{one.file}' has no list for {lost:,} of the queries: they count 0."] if lost else []
    levels = np.mean(
        [eleven_levels(*each, total) for each, total in zip(lists, totals, strict=True)], axis=0
    )
    return over_queries(lists, totals=totals), levels, notes


def eleven_levels(scores: np.ndarray, relevant: np.ndarray, total: int) -> np.ndarray:
    """The largest precision at recall 0, .1, ..., 1 or more, of which `judge.eleven_point` is the mean.

    Of documents with equal scores the relevant ones come first, or last; what is given is the mean of the two orders.
    """
    needed = -(-np.arange(11) * total // 10)
    found = []
    for ties in (~relevant, relevant):
        hits = np.cumsum(relevant[np.lexsort((ties, -scores))])
        precision = hits / np.arange(1, hits.size + 1)
        most = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
        found.append(most[np.searchsorted(hits, needed, "left")])
    return np.mean(found, axis=0)
