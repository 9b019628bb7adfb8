"""Comparing systems by their outputs: files read and matched, measured by what they hold, tested, and drawn as curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.judge.overlap import shared_documents
from coterie.judge.systems import Comparison, Decided, Judged, Queried, Scored, compare_systems
from coterie.parts.thresholds import Marks
from coterie.workflows.system_curves import Figure, eleven_figure, figures_of
from coterie.workflows.system_files import Outputs, called, read_outputs, same_members, yes_no
from coterie.workflows.system_lists import queried
from coterie.workflows.system_parts import (
    MACRO,
    Breakdown,
    Confusions,
    confusions,
    f1_of_each,
    scored_categories,
)
from coterie.workflows.system_tables import Tabled, tabled, thresholded
from coterie.workflows.system_words import remarks, strange

MEASURES = {
    "f1": "F1",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "hter": "HTER",
    "micro-f1": "micro F1",
    "macro-f1": "macro F1",
    "micro-precision": "micro precision",
    "micro-recall": "micro recall",
    "ap": "average precision",
    "auc": "AUC",
    "bep": "break-even point",
    "eer": "EER",
    "map": "mean average precision",
    "11-point": "11-point precision",
    "p@5": "P@5",
    "p@10": "P@10",
    "p@20": "P@20",
}


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a person may say of a comparison."""

    measure: str | None = None
    positive: str | None = None
    threshold: float | None = None
    allow_overlap: bool = False
    replicates: int = 2000
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A comparison with the sentence that says of what, what was noticed, the curves to look at, and measures piece by piece."""

    comparison: Comparison
    headline: str
    notes: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    parts: tuple[Breakdown, ...] = ()
    confused: Confusions | None = None


def compare_files(
    files: Sequence[str], named: Mapping[str, str | None] | None = None, asked: Asked | None = None
) -> Compared:
    """Compare the systems whose outputs are in these files, one system a file or NAME=FILE.

    See `Asked` and `system_files.ROLES`.
    """
    asked = asked or Asked()
    if len(files) < 2:
        raise DataError("A comparison needs the files of at least two systems.")
    systems = _named([read_outputs(source, named or {}) for source in files], files)
    kinds = {one.kind for one in systems}
    if len(kinds) > 1:
        raise DataError(
            f"'{systems[0].file}' is about {systems[0].kind} and another file about {(kinds - {systems[0].kind}).pop()}."
        )
    if systems[0].kind == "queries":
        return _of_queries(systems, asked)
    return _of_members(_with_truth(systems), asked)


def _named(systems: list[Outputs], sources: Sequence[str]) -> list[Outputs]:
    """Systems by the names given, or those of their files; by the paths where two files are called the same."""
    names = [one.name for one in systems]
    twice = {name for name in names if names.count(name) > 1}
    given = [called(source)[0] for source in sources]
    same = next((name for name in twice if given.count(name) > 1), None)
    if same is not None:
        raise DataError(f"Two systems are called '{same}'; give each a name of its own.")
    systems = [
        replace(one, name=source) if one.name in twice and not own else one
        for one, source, own in zip(systems, sources, given, strict=True)
    ]
    if len({one.name for one in systems}) < len(systems):
        raise DataError(
            "The same file is given twice; a comparison needs the files of different systems."
        )
    return systems


def _with_truth(systems: list[Outputs]) -> list[Outputs]:
    """Every system with the truth of all; files that have none take it from the others, and two truths must agree."""
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for one in systems:
        for key, truth in zip(
            one.about(), one.truth if one.truth is not None else (), strict=False
        ):
            if truth and known.setdefault(key, (truth, one.file))[0] != truth:
                raise DataError(
                    f"The truth of '{key[0]}' is '{known[key][0]}' in '{known[key][1]}' and '{truth}' in '{one.file}'; "
                    "systems are compared with one truth."
                )
    if not known:
        raise DataError(
            f"None of the files has a column of truth ('{systems[0].file}' has none); name it.",
            parameter="truth",
        )
    return [
        replace(
            one, truth=np.array([known.get(key, ("", ""))[0] for key in one.about()], dtype=object)
        )
        for one in systems
    ]


def _of_queries(systems: list[Outputs], asked: Asked) -> Compared:
    listed = queried(systems)
    judged = Queried(listed.values)
    found = _compared(systems, [judged], asked)
    table = listed.values["mean average precision"]
    each = Breakdown("average precision", "query", listed.queries, listed.relevant, table)
    parts = (each.ordered(np.argsort(table[:, 1] - table[:, 0], kind="stable")),)
    figures = (eleven_figure(found.systems, listed.eleven),)
    headline = f"{_many(len(systems))} on {_counted(judged.n, 'query', 'queries')}"
    return Compared(
        found, headline, _noted(found, [*_said(systems), *listed.notes], asked), figures, parts
    )


def _of_members(systems: list[Outputs], asked: Asked) -> Compared:
    notes = _said(systems)
    tests = []
    devs = []
    for one in systems:
        test = one.part("test")
        if test is None:
            raise DataError(f"The column of parts of '{one.file}' marks no row as test.")
        tests.append(test)
        devs.append(one.part("dev"))
    if any(dev is None for dev in devs) and any(dev is not None for dev in devs):
        raise DataError(
            "Some files have a development part and some have none; thresholds must be chosen alike for all systems."
        )
    dev_part = same_members([dev for dev in devs if dev is not None]) if devs[0] is not None else []
    test_part, lost = _judgeable(same_members(tests))
    notes += lost + _apart(dev_part, test_part, asked.allow_overlap)
    rows = sum(len(one.ids) for one in (*dev_part[:1], *tests[:1]))
    if rows < len(systems[0].ids):
        notes.append(
            f"{len(systems[0].ids) - rows:,} rows that are neither development nor test were left out."
        )
    classes = {word for one in systems if one.truth is not None for word in one.truth if word}
    if asked.positive is not None and asked.positive not in classes:
        raise ParameterError.of(
            "",
            "positive",
            f"must be one of {', '.join(sorted(classes)[:8])}, and was {asked.positive!r}.",
        )
    decided = yes_no(np.array(sorted(classes), dtype=object), asked.positive) is not None
    notes += strange(test_part, classes, asked.positive, decided)
    if not decided:
        return _of_labels(test_part, asked, notes, classes)
    return _of_yes_no(test_part, dev_part, asked, notes)


def _of_labels(
    systems: list[Outputs], asked: Asked, notes: list[str], classes: set[str]
) -> Compared:
    if systems[0].kind == "categories":
        raise DataError(
            f"The truth of categories must be yes or no (1 and 0), and has the values {_some(classes)}."
        )
    lacking = next((one for one in systems if one.said is None), None)
    if lacking is not None:
        raise DataError(
            f"The truth has the values {_some(classes)} and '{lacking.file}' has scores only: say which value they are "
            "for.",
            parameter="positive",
        )
    names = sorted(classes)
    code = {name: at for at, name in enumerate(names)}
    words = [one.said for one in systems if one.said is not None]
    said = [_indicator([code.get(word, -1) for word in one], len(names)) for one in words]
    known = _there(systems[0].truth)
    truth = _indicator([code[word] for word in known], len(names))
    if len(names) == 2:
        notes.append(
            f"There are two labels, {names[0]} and {names[1]}; positive {names[1]} gives precision, recall and F1 of it."
        )
    found = _compared(systems, [Decided(truth, said, "labels")], asked)
    headline = f"{_many(len(systems))} on {_counted(len(truth), 'member')} with {_counted(len(names), 'label')}"
    parts = (f1_of_each(names, truth, said, "class"),)
    return Compared(
        found, headline, _noted(found, notes, asked), (), parts, confusions(known, words)
    )


def _of_yes_no(
    systems: list[Outputs], dev: list[Outputs], asked: Asked, notes: list[str]
) -> Compared:
    tests = [tabled(one, asked.positive) for one in systems]
    developed = [tabled(one, asked.positive) for one in dev]
    truth = tests[0].truth
    several = systems[0].kind == "categories"
    if not truth.any():
        raise DataError(
            f"All {'documents' if several else 'members'} are negative, so that nothing can be found."
        )
    said, told = thresholded(tests, developed, asked.threshold)
    notes += [*tests[0].notes, *told]
    judged: list[Judged] = (
        [Decided(truth, said, "categories" if several else "yes/no")] if said else []
    )
    parts = [f1_of_each(tests[0].categories, truth, said, "category")] if said and several else []
    scored = all(one.scores is not None for one in tests)
    if scored:
        ranked, more, lost = _ranked(tests, several)
        judged.append(ranked)
        parts += more
        notes += lost
    found = _compared(systems, judged, asked)
    share = f"{100 * truth.mean():.3g}% of them positive"
    what = (
        f"{_counted(len(truth), 'document')} in {_counted(truth.shape[1], 'category', 'categories')}"
        if several
        else f"{_counted(len(truth), 'member')}, {share}"
    )
    figures = figures_of(found.systems, tests, developed, asked.seed) if scored else ()
    return Compared(
        found,
        f"{_many(len(systems))} on {what}",
        _noted(found, notes, asked),
        figures,
        tuple(parts),
    )


def _ranked(
    tests: Sequence[Tabled], several: bool
) -> tuple[Judged, Sequence[Breakdown], Sequence[str]]:
    """What scores tell without a threshold, of the members or of every category."""
    truth = tests[0].truth
    scores = [_there(one.scores) for one in tests]
    if several:
        return scored_categories(tests[0].categories, truth, scores)
    if truth.all():
        raise DataError("All members are positive, so that nothing can be ranked.")
    told = "The break-even point and the EER take their threshold from the test data: they compare, and promise nothing."
    return Scored(truth[:, 0], [one[:, 0] for one in scores]), (), (told,)


def _compared(systems: Sequence[Outputs], judged: Sequence[Judged], asked: Asked) -> Comparison:
    there = [name for one in judged for name in one.observed()]
    main = None
    if asked.measure is not None:
        main = MEASURES[
            "map" if asked.measure == "ap" and "mean average precision" in there else asked.measure
        ]
        main = MACRO[main] if main in MACRO and main not in there else main
        if main not in there:
            able = [
                short
                for short, name in MEASURES.items()
                if name in there or MACRO.get(name) in there
            ]
            raise ParameterError.of(
                "",
                "measure",
                f"{asked.measure} cannot be told from these files; they allow {', '.join(able)}.",
            )
    names = [one.name for one in systems]
    return compare_systems(
        names, judged, main, replicates=asked.replicates, level=asked.level, random_state=asked.seed
    )


def _judgeable(systems: list[Outputs]) -> tuple[list[Outputs], list[str]]:
    """Rows whose truth is known."""
    known = np.array([truth != "" for truth in _there(systems[0].truth)])
    if known.all():
        return systems, []
    if not known.any():
        raise DataError("The truth of no test member is known.")
    said = f"{int((~known).sum()):,} rows of unknown truth were left out."
    return [one.rows(np.flatnonzero(known)) for one in systems], [said]


def _apart(dev: list[Outputs], test: list[Outputs], allowed: bool) -> list[str]:
    """Refuse development members that are in the test part too, by name or by text."""
    if not dev:
        return []
    ids = sorted(set(dev[0].ids) & set(test[0].ids))
    by = "the member" if ids else "a text of"
    first = f"'{ids[0]}'" if ids else ""
    many = len(ids)
    if not ids and dev[0].texts is not None and test[0].texts is not None:
        same = shared_documents(dev[0].texts, test[0].texts)
        many = len(same)
        first = f"'{test[0].ids[same[0][1]]}'" if same else ""
    if not many:
        return []
    more = f" (and {many - 1:,} more)" if many > 1 else ""
    told = f"{by} {first}{more} is both in the development part and in the test part"
    if not allowed:
        raise DataError(
            f"{told[0].upper()}{told[1:]}, so that thresholds would be tuned on the test; allow_overlap lets it pass.",
            parameter="allow_overlap",
        )
    return [f"{told[0].upper()}{told[1:]}: the numbers flatter."]


def _said(systems: Sequence[Outputs]) -> list[str]:
    return [note for one in systems for note in one.notes]


def _indicator(codes: Sequence[int], many: int) -> Marks:
    return np.asarray(codes)[:, None] == np.arange(many)


def _there(value: Any) -> Any:
    """A part that an earlier check has seen."""
    if value is None:
        raise DataError("A part of the outputs is missing.")
    return value


def _some(classes: set[str]) -> str:
    listed = sorted(classes)
    return ", ".join(listed[:5]) + (", ..." if len(listed) > 5 else "")


def _many(systems: int) -> str:
    return f"{systems} systems"


def _counted(many: int, noun: str, plural: str = "") -> str:
    return f"{many:,} {noun if many == 1 else plural or noun + 's'}"


def _noted(found: Comparison, notes: Sequence[str], asked: Asked) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*notes, *remarks(found, asked.level)]))
