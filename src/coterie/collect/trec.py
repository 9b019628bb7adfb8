"""Retrieval tests in the files of TREC: topics (queries), qrels (which documents are relevant to them), and runs (rankings)."""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from coterie.collect.columns import plain, words
from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of, text_of
from coterie.collect.reading import existing
from coterie.core.errors import DataError

FIELDS = {"title": "Topic", "desc": "Description", "narr": "Narrative"}
_TOPIC = re.compile(r"<top>(.*?)</top>", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)


def read_topics(path: str | os.PathLike[str], fields: Sequence[str] = ("title",)) -> dict[str, str]:
    """Queries by their number: of a TREC file of topics, of a table whose first columns are number and query, or of such lines.

    Of a TREC topic the `fields` are taken together: title, desc (the description) and narr (the narrative).
    """
    for field in fields:
        if field not in FIELDS:
            raise DataError(f"A topic has the fields {', '.join(FIELDS)}, and no '{field}'.")
    file = _file(path)
    if suffix_of(file) in TABLE_SUFFIXES:
        rows = _cells(file)
    else:
        text = text_of(file)[0]
        if _judges(text):
            raise DataError(
                f"'{file.name}' holds judgements (topic, 0, document, relevance) where topics belong; are both swapped?"
            )
        rows = (
            _topics(text, fields, file.name)
            if re.search("<top>", text, re.IGNORECASE)
            else _lines(text, file.name)
        )
    found: dict[str, str] = {}
    for number, query in rows:
        if number in found:
            raise DataError(f"'{file.name}' has two topics '{number}'.")
        found[number] = " ".join(query.split())
    if not found:
        raise DataError(
            f"'{file.name}' has no topic: neither <top> blocks, nor lines of a number, a tab and a query."
        )
    empty = next((number for number, query in found.items() if not query), None)
    if empty is not None:
        raise DataError(
            f"Topic '{empty}' of '{file.name}' has no words in its {' and '.join(fields)}."
        )
    return found


def read_qrels(path: str | os.PathLike[str]) -> dict[str, dict[str, int]]:
    """Per topic the documents that were judged, and how relevant each is (0 and less is not).

    Lines of four words (topic, iteration, document, relevance), or of three without the iteration. A grade between two whole
    numbers counts as the upper one, so that whatever is above 0 is relevant.
    """
    file = _file(path)
    found: dict[str, dict[str, int]] = {}
    lines = list(_split(file))
    numbers = any(
        _number(word) for _, parts in lines for word in (parts[1:2] + parts[-1:])
    )  # iterations, relevances
    if lines and ("<top>" in lines[0][1] or not numbers):
        raise DataError(
            f"'{file.name}' holds no judgements (topic, 0, document, relevance) but what looks like topics; are both swapped?"
        )
    for at, parts in lines:
        if len(parts) not in (3, 4):
            raise DataError(
                f"Line {at} of '{file.name}' has {len(parts)} words where qrels have 4: topic, 0, document, relevance."
            )
        try:
            grade = float(parts[-1])
        except ValueError:
            if at == 1 and not found:  # the names of the columns
                continue
            raise DataError(
                f"Line {at} of '{file.name}' ends in '{parts[-1]}', which is no relevance such as 0 or 1."
            ) from None
        if not math.isfinite(grade):
            raise DataError(
                f"Line {at} of '{file.name}' has the relevance '{parts[-1]}', which is no finite number."
            )
        found.setdefault(number_of(parts[0]), {})[parts[-2]] = math.ceil(grade)
    if not found:
        raise DataError(f"'{file.name}' has no judgement.")
    return found


def read_run(path: str | os.PathLike[str]) -> dict[str, list[tuple[str, float]]]:
    """Per topic the documents of a run and their scores, the best first."""
    file = _file(path)
    found: dict[str, list[tuple[str, float]]] = {}
    for at, parts in _split(file):
        if len(parts) != 6:
            raise DataError(
                f"Line {at} of '{file.name}' has {len(parts)} words where a run has 6: topic, Q0, document, rank, score, name."
            )
        try:
            scored = (parts[2], float(parts[4]))
        except ValueError:
            raise DataError(
                f"Line {at} of '{file.name}' has the score '{parts[4]}', which is no number."
            ) from None
        if math.isnan(scored[1]):
            raise DataError(
                f"Line {at} of '{file.name}' has the score '{parts[4]}', which is no number and has no rank."
            )
        found.setdefault(number_of(parts[0]), []).append(scored)
    if not found:
        raise DataError(f"'{file.name}' has no line of a run.")
    return {topic: sorted(rows, key=lambda row: -row[1]) for topic, rows in found.items()}


def run_text(rankings: Mapping[str, Iterable[tuple[str, float]]], name: str = "coterie") -> str:
    """Rankings, each from the best score to the least, as the lines of a run.

    Scores have ten digits, or as many as it takes where two of one topic would look alike without being so. Ids with white
    space cannot be written in this form and are refused, as are scores that rise along a ranking or are NaN.
    """
    lines = []
    for topic, given in rankings.items():
        rows = list(given)
        for rank, (document, score) in enumerate(rows, 1):
            if not document or document.split() != [document]:
                raise DataError(
                    f"A run is written in words set apart by spaces, and the member '{document}' has one in its id."
                )
            if math.isnan(score) or (rank > 1 and score > rows[rank - 2][1]):
                raise DataError(
                    f"The ranking of topic '{topic}' must go from the best score to the least, and at rank {rank} it has {score}."
                )
        told = _written([score for _, score in rows])
        lines += [
            f"{topic} Q0 {document} {rank} {told[rank - 1]} {name}\n"
            for rank, (document, _) in enumerate(rows, 1)
        ]
    return "".join(lines)


def _written(scores: Sequence[float]) -> list[str]:
    """Scores in ten digits, or in all their digits where ten would make two of them alike."""
    short = [f"{score:.10g}" for score in scores]
    return (
        short
        if len(set(short)) == len({float(score) for score in scores})
        else [repr(float(score)) for score in scores]
    )


def number_of(topic: str) -> str:
    """A topic's number without zeros before it, as files differ in them.

    >>> number_of("051"), number_of("0"), number_of("q7")
    ('51', '0', 'q7')
    """
    return topic.lstrip("0") or "0" if topic.isdecimal() else topic


def _topics(text: str, fields: Sequence[str], name: str) -> Iterable[tuple[str, str]]:
    for at, block in enumerate(_TOPIC.findall(text), 1):
        number = _NUMBER.search(block)
        if number is None:
            raise DataError(f"Topic {at} of '{name}' has no <num>.")
        parts = [found[1] for field in fields if (found := _field(block, field)) is not None]
        yield number_of(html.unescape(number[1])), html.unescape(" ".join(parts))


def _field(block: str, field: str) -> re.Match[str] | None:
    return re.search(rf"<{field}>\s*(?:{FIELDS[field]}:?)?\s*([^<]*)", block, re.IGNORECASE)


def _lines(text: str, name: str) -> Iterable[tuple[str, str]]:
    """Lines of a number, a tab (or a colon, or blanks) and a query."""
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip():
            number, query = [*re.split(r"\t|:|\s+", line.strip(), maxsplit=1), ""][:2]
            if not query.strip():
                raise DataError(f"Line {at} of '{name}' has no query after its number.")
            yield number_of(number), query


def _cells(file: Path) -> Iterable[tuple[str, str]]:
    """The first two columns of a table; what stands on top is a topic too where it begins with a number."""
    table = load(file).table
    names = [str(name) for name in table.column_names]
    if len(names) < 2:
        raise DataError(f"'{file.name}' has one column where topics have two: number and query.")
    first = [(names[0], names[1])] if names[0].isdecimal() else []
    rows = zip(*(words(plain(table.column(at))) for at in (0, 1)), strict=True)
    return ((number_of(number), query) for number, query in (*first, *rows) if number)


def _judges(text: str) -> bool:
    """Whether the first lines are of four words, of which the second and the last are numbers: judgements, and no queries."""
    lines = [line.split() for line in text.splitlines() if line.strip()][:20]
    return bool(lines) and all(
        len(parts) == 4 and _number(parts[1]) and _number(parts[3]) for parts in lines
    )


def _number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _split(file: Path) -> Iterable[tuple[int, list[str]]]:
    for at, line in enumerate(text_of(file)[0].splitlines(), 1):
        if line.strip():
            yield at, line.split()


def _file(path: str | os.PathLike[str]) -> Path:
    found = existing(os.fspath(path))
    if found.is_dir():
        raise DataError(f"'{found.name}' is a folder, and a file was wanted.")
    return found
