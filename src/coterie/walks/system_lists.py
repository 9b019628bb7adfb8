"""Ranked lists of systems for the same queries, matched by query; relevance is what any of the files says of a document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.core.errors import DataError
from coterie.judge.queries import QueryScores, over_queries
from coterie.walks.system_files import Outputs, grades

Relevance = dict[str, dict[str, bool]]


def queried(systems: Sequence[Outputs]) -> tuple[dict[str, np.ndarray], list[str]]:
    """Each measure as a table of queries x systems, and what was noticed."""
    relevance = _relevance(systems)
    used = [query for query, documents in relevance.items() if any(documents.values())]
    if not used:
        raise DataError("No query has a relevant document, so there is nothing to judge.")
    notes, found = [], []
    if len(used) < len(relevance):
        notes.append(f"{len(relevance) - len(used)} queries without a relevant document were left out.")
    for one in systems:
        scores, note = _of_system(one, used, relevance)
        found.append(scores)
        notes += note
    if len({frozenset(one.about()) for one in systems}) > 1:
        notes.append(
            "The lists hold different documents: relevant ones that a list lacks count 0, unjudged ones as not relevant."
        )
    tables = {
        "mean average precision": [one.ap_per_query for one in found],
        "11-point precision": [one.eleven_per_query for one in found],
        **{f"P@{r}": [one.precision_per_query[r] for one in found] for r in found[0].precision_per_query},
    }
    return {name: np.stack(columns, axis=1) for name, columns in tables.items()}, notes


def _relevance(systems: Sequence[Outputs]) -> Relevance:
    known: Relevance = {}
    for one in systems:
        if one.truth is None:
            continue
        judged = one.truth != ""
        marks = grades(one.truth[judged])
        if marks is None:
            raise DataError(f"The truth of '{one.file}' must be relevance: 1 and 0, or grades from 0.")
        for (document, query), mark in zip(
            (key for key, told in zip(one.about(), judged, strict=True) if told), marks, strict=True
        ):
            if known.setdefault(query, {}).setdefault(document, bool(mark)) != mark:
                raise DataError(f"'{document}' is relevant for query '{query}' in one file and not in '{one.file}'.")
    if not known:
        raise DataError(f"None of the files has a column of truth ('{systems[0].file}' has none); name it with --truth.")
    return known


def _of_system(one: Outputs, used: Sequence[str], relevance: Relevance) -> tuple[QueryScores, list[str]]:
    if one.scores is None or one.of is None:
        raise DataError(f"'{one.file}' has no column of scores, which ranked lists need; name it with --score.")
    rows: dict[str, list[int]] = {}
    for row, query in enumerate(one.of):
        rows.setdefault(query, []).append(row)
    lists = []
    for query in used:
        at = rows.get(query, [])
        lists.append((one.scores[at], np.array([relevance[query].get(one.ids[i], False) for i in at], dtype=bool)))
    totals = [sum(relevance[query].values()) for query in used]
    lost = sum(query not in rows for query in used)
    notes = [f"'{one.file}' has no list for {lost} of the queries: they count 0."] if lost else []
    return over_queries(lists, totals=totals), notes
