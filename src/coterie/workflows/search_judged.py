"""A search measured: mean average precision and more on queries with known answers, tuned on others, never on the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.judge.overlap import shared_documents
from coterie.judge.queries import QueryScores, over_queries
from coterie.judge.significance import TestResult, wilcoxon
from coterie.organize.retrieval.role import best
from coterie.represent.tokens import words as words_of
from coterie.workflows.search_words import Asked, asked
from coterie.workflows.searching import Searcher
from coterie.workflows.system_words import p_words

AT = (5, 10, 20)
_FEW_TUNED = 20  # development queries below which the weight found on them is little sure
Topics = Mapping[str, str]
Judgements = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What was measured: each way to rank with its measures, and the test of the last against the first."""

    name: str
    members: int
    topics: tuple[str, ...]  # numbers of the queries, in the order of the values per query
    systems: Mapping[str, QueryScores]
    test: TestResult | None = None
    weight: float | None = None  # of the words beside a learned space
    tuned: int = 0  # development queries it was found on
    notes: tuple[str, ...] = ()

    def rows(self) -> list[list[str]]:
        """The table of measures as words: a measure per row, a way to rank per column."""
        found = list(self.systems.values())
        lines = [
            ("mean average precision", [one.mean_ap for one in found]),
            ("11-point precision", [one.eleven_point for one in found]),
        ]
        lines += [(f"precision at {r}", [one.precision_at[r] for one in found]) for r in AT]
        return [[name, *(f"{value:.4f}" for value in values)] for name, values in lines]

    def sentences(self) -> list[str]:
        """What was found, in sentences."""
        first, *others = self.systems.items()
        n = first[1].queries
        asked_of = (
            f"{n:,} quer{'y' if n == 1 else 'ies'} on {self.members:,} members of '{self.name}'"
        )
        best_of = (others or [first])[-1]
        said = [f"{asked_of}: mean average precision {best_of[1].mean_ap:.4f} with {best_of[0]}."]
        if self.tuned:
            of = f"{self.tuned:,} development quer{'y' if self.tuned == 1 else 'ies'}"
            said.append(f"The weight of the words, {self.weight:g}, was found on {of}.")
        if self.test is not None:
            gap = best_of[1].mean_ap - first[1].mean_ap
            better = "above" if gap >= 0 else "below"
            sure = "is significant" if self.test.significant() else "may be chance"
            p = p_words(self.test.p_value).replace("<", "below")
            said.append(
                f"That is {abs(gap):.4f} {better} {first[0]} alone, which {sure} (Wilcoxon on the average precision of each "
                f"query: p {p})."
            )
        return said

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        systems = {
            name: {
                **one.summary(),
                "ap_per_query": dict(zip(self.topics, _plain(one.ap_per_query), strict=True)),
            }
            for name, one in self.systems.items()
        }
        said = {
            "collection": self.name,
            "members": self.members,
            "weight": self.weight,
            "tuned_on": self.tuned,
        }
        return {
            **said,
            "p_value": None if self.test is None else self.test.p_value,
            "systems": systems,
            "notes": list(self.notes),
        }


def evaluate(
    searcher: Searcher,
    topics: Topics,
    qrels: Judgements,
    *,
    development: tuple[Topics, Judgements] | None = None,
    allow_overlap: bool = False,
) -> Evaluated:
    """Measure a searcher on queries (by number) and the documents relevant to them (by topic and id).

    With a learned space its weight is found on `development` first, where that is given; queries that are in both are refused
    unless `allow_overlap`. Measured is what a search lists: a relevant document that it does not list, or that is no member,
    counts as never found.
    """
    numbers = _judged(topics, qrels)
    tuned = 0
    notes = []
    if development is not None:
        notes += _apart(
            development[0], {number: topics[number] for number in numbers}, allow_overlap
        )
        tuned = tune(searcher, *development)
        notes += few_tuned(tuned)
    said, unknown = _asked(searcher, [topics[number] for number in numbers])
    wanted, lost = _relevant(searcher, numbers, qrels)
    totals = [len(of) + missing for of, missing in zip(wanted, lost, strict=True)]
    systems = {}
    before = _measured(
        searcher.index.rows(searcher.weighed(said, expand=False)), wanted, totals, len(searcher)
    )
    systems[searcher.words_how] = before
    if searcher.how != searcher.words_how:
        systems[searcher.how] = _measured(searcher.rows(said), wanted, totals, len(searcher))
    after = list(systems.values())[-1]
    used = ~np.isnan(before.ap_per_query)
    test = (
        wilcoxon(after.ap_per_query[used], before.ap_per_query[used])
        if len(systems) > 1 and used.sum() > 1
        else None
    )
    notes += _notes(before.skipped, sum(lost), unknown, len(topics) - len(numbers))
    weight = None if searcher.combined is None else searcher.combined.weight_
    return Evaluated(
        searcher.collection.name,
        len(searcher),
        tuple(numbers),
        systems,
        test,
        weight,
        tuned,
        tuple(notes),
    )


def tune(searcher: Searcher, topics: Topics, qrels: Judgements) -> int:
    """Find the weight of the words on development queries; how many of them have a relevant member."""
    numbers = [number for number in _judged(topics, qrels) if words_of(topics[number])]
    if not numbers:
        raise DataError("No development query has a word, so that no weight can be found.")
    wanted, _ = _relevant(searcher, numbers, qrels)
    searcher.tune([topics[number] for number in numbers], wanted)
    return sum(bool(of) for of in wanted)


def few_tuned(queries: int) -> list[str]:
    """A note where a weight was found on few queries."""
    if queries >= _FEW_TUNED:
        return []
    few = f"{queries:,} development quer{'y is' if queries == 1 else 'ies are'} few to find a weight on"
    return [f"{few}: others could give another one; {_FEW_TUNED} or more make it steadier."]


def rankings(
    searcher: Searcher, topics: Topics, most: int = 1000
) -> dict[str, list[tuple[str, float]]]:
    """The best members of every topic with their scores, as a run of TREC has them."""
    said, _ = _asked(searcher, list(topics.values()))
    found = {}
    for number, (scores, listed) in zip(topics, searcher.rows(said), strict=True):
        order = best(scores, listed, most)
        found[number] = [(str(searcher.collection.ids[at]), float(scores[at])) for at in order]
    return found


def _judged(topics: Topics, qrels: Judgements) -> list[str]:
    """The topics that were judged."""
    found = [number for number in topics if number in qrels]
    if not found:
        one = next(iter(topics), "none")
        other = next(iter(qrels), "none")
        raise DataError(
            f"No topic was judged: topics are called such as '{one}', and the judgements are of such as '{other}'."
        )
    return found


def _apart(development: Topics, test: Topics, allow_overlap: bool) -> list[str]:
    """Refuse queries that are both tuned and tested on, or note how many there are."""
    shared = shared_documents(development.values(), test.values())
    if not shared:
        return []
    one = list(development)[shared[0][0]]
    other = list(test)[shared[0][1]]
    if not allow_overlap:
        more = f", as do {len(shared) - 1:,} more" if len(shared) > 1 else ""
        raise DataError(
            f"Development topic '{one}' and topic '{other}' ask the same{more}: what was tuned on a query is no promise for "
            "others; take it out of one file, or allow it.",
            parameter="allow_overlap",
        )
    many = "1 query is" if len(shared) == 1 else f"{len(shared):,} queries are"
    return [f"{many} among the development queries too, so that these measures may flatter."]


def _asked(searcher: Searcher, queries: Sequence[str]) -> tuple[list[Asked], int]:
    """The queries in terms, and how many have no word that is known; such a query finds nothing."""
    said = []
    for query in queries:
        try:
            said.append(asked(query, searcher.dictionary))
        except DataError:
            said.append(Asked((), ()))
    return said, sum(not one.terms for one in said)


def _relevant(
    searcher: Searcher, numbers: Sequence[str], qrels: Judgements
) -> tuple[list[list[int]], list[int]]:
    """Per topic the positions of its relevant members, and how many relevant documents are no members."""
    place = {str(member): at for at, member in enumerate(searcher.collection.ids)}
    found = []
    lost = []
    for number in numbers:
        wanted = [document for document, relevance in qrels[number].items() if relevance > 0]
        found.append([place[one] for one in wanted if one in place])
        lost.append(len(wanted) - len(found[-1]))
    if not any(found) and any(lost):
        known = next(iter(place))
        sample = next(d for one in numbers for d, r in qrels[one].items() if r > 0)
        raise DataError(
            f"No relevant document is among the members, whose ids are such as '{known}', and not such as '{sample}'."
        )
    return found, lost


def _measured(
    rows: Any, wanted: Sequence[Sequence[int]], totals: Sequence[int], n: int
) -> QueryScores:
    """The measures of what a search lists: a relevant member that it does not list was never found."""
    lists = []
    for (scores, listed), of in zip(rows, wanted, strict=True):
        marks = np.zeros(n, dtype=bool)
        marks[list(of)] = True
        lists.append((scores[listed], marks[listed]))
    return over_queries(lists, at=AT, totals=totals)


def _notes(skipped: int, lost: int, unknown: int, unjudged: int) -> list[str]:
    """What was left out, each as a sentence."""
    said = (
        (
            unjudged,
            "topic has no judgement and is left out.",
            "topics have no judgement and are left out.",
        ),
        (
            skipped,
            "query has no relevant document and is left out.",
            "queries have no relevant document and are left out.",
        ),
        (
            lost,
            "relevant document is no member, and counts as never found.",
            "relevant documents are no members, and count as never found.",
        ),
        (
            unknown,
            "query has no known word, and finds nothing.",
            "queries have no known word, and find nothing.",
        ),
    )
    return [f"{n:,} {one if n == 1 else many}" for n, one, many in said if n]


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
