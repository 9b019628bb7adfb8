"""The topic of the week: a stream of messages in which every week has one topic larger than all others, of changing size.

The thesis took 26 weeks of labeled news (TDT-5), which are not public. Here a week is a random mixture of newsgroups.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from coterie.core.links import Links
from coterie.core.random import stream
from coterie.organize.core_of import Core
from coterie.workflows.weeks import REST, Week, weeks
from coterie_papers.core_data import ACCURACY, HALF, OCCC, SHARE, accuracy
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.text_data import NEWS, Tied, kept, newsgroups, not_below, said

NAME = "topic-of-week"
BEST = "OCCC, best number of words (hindsight)"
PAPER = {OCCC: 61.4, BEST: 68.3, HALF: 65.3, SHARE: 68.0}  # table 6.3 of the thesis, in percent
_BEGINS = date(2024, 1, 1)  # a Monday
_WEEKS = 26
_QUICK = 6
_SIZES = (138, 600)  # messages of a week; the thesis has up to 1292, of other data
_MAIN = (0.15, 0.6)  # share of the largest topic
_OTHERS = 8  # further topics of a week
_RELEVANT = (25, 50, 100, 200, 400, 800, 1600)  # relevant words, tried for the best number of them
_TAIL = 20  # messages of the incomplete week at the end


@dataclass(frozen=True, eq=False)
class Stream:
    """Messages with their days, which newsgroup each is from, and the size of the largest of every week."""

    links: Links
    days: Sequence[date]
    truth: np.ndarray
    sizes: Mapping[date, int]


def made(tied: Tied, seed: int, n_weeks: int) -> Stream:
    """Weeks of a main newsgroup and eight others, and a Monday after the last week, which is to be left out.

    The number of messages is even on a logarithmic scale, the share of the main topic is even from 15 to 60%, and the others
    have shares of a uniform Dirichlet law, none of them larger than nine tenths of the main one. A message may be in two weeks.
    """
    generator = stream(seed, n_weeks)
    names = np.unique(tied.truth)
    within = {name: np.flatnonzero(tied.truth == name) for name in names}
    members = list[np.ndarray]()
    days = list[date]()
    sizes = dict[date, int]()
    for week in range(n_weeks):
        begins = _BEGINS + timedelta(weeks=week)
        n = round(float(np.exp(generator.uniform(*np.log(_SIZES)))))
        main = round(float(generator.uniform(*_MAIN)) * n)
        chosen = generator.permutation(names)[: _OTHERS + 1]
        main = min(main, len(within[chosen[0]]))
        shares = generator.dirichlet(np.ones(len(chosen) - 1))
        parts = np.minimum((shares * (n - main)).astype(int), int(0.9 * main))
        drawn = [
            _some(within[name], int(k), generator)
            for name, k in zip(chosen, (main, *parts.tolist()), strict=True)
        ]
        members.append(generator.permutation(np.concatenate(drawn)))
        days += [
            begins + timedelta(days=int(day))
            for day in np.sort(generator.integers(7, size=len(members[-1])))
        ]
        days[-1] = begins + timedelta(days=6)
        sizes[begins] = main
    members.append(generator.choice(len(tied.truth), min(_TAIL, len(tied.truth)), replace=False))
    days += [_BEGINS + timedelta(weeks=n_weeks)] * len(members[-1])
    every = np.concatenate(members)
    table = tied.links.tables[tied.links.target, "words"].take(every)
    ids = [f"message {at}" for at in range(len(every))]
    renamed = type(table)(table.counts, ids, table.cols)
    return Stream(Links({(tied.links.target, "words"): renamed}), days, tied.truth[every], sizes)


def _some(places: np.ndarray, k: int, generator: np.random.Generator) -> np.ndarray:
    return generator.choice(places, min(k, len(places)), replace=False)


def judged(found: Week, truth: np.ndarray) -> float:
    """How much of the core is of the largest newsgroup of the week, in percent."""
    names, codes = np.unique(truth[found.members], return_inverse=True)
    main = names[np.bincount(codes).argmax()]
    return accuracy(
        np.flatnonzero(np.isin(found.members, found.core)), truth[found.members] == main
    )


def second(found: Week, truth: np.ndarray) -> bool:
    """Whether most of the core is of one newsgroup, and that not the largest of the week."""
    own, sizes = np.unique(truth[found.core], return_counts=True)
    names, counts = np.unique(truth[found.members], return_counts=True)
    return bool(
        len(own)
        and sizes.max() > 0.5 * len(found.core)
        and own[sizes.argmax()] != names[counts.argmax()]
    )


def run(trial: Trial, ledger: Ledger) -> None:
    """One stream per seed; all weeks of all streams are judged together."""
    tied = newsgroups(trial, ledger, 6000 if trial.quick else None)
    if tied is None:
        return
    n_weeks = _QUICK if trial.quick else _WEEKS
    streams = [made(tied, seed, n_weeks) for seed in range(trial.seeds)]
    for background in (REST, "bundled"):
        data = f"{trial.seeds * n_weeks} weeks, against {'the other weeks' if background == REST else 'bundled words'}"
        values = _ways(ledger, data, streams, background)
        text = f"R15, {data}: "
        for one, other in ((SHARE, HALF), (HALF, OCCC)):
            ledger.relate(
                f"{text}{one} is not below {other} where core sizes vary ({said(values, one, other)})",
                not_below(values[one], values[other]),
            )


def _ways(
    ledger: Ledger, data: str, streams: Sequence[Stream], background: str
) -> dict[str, np.ndarray]:
    """Rows of every way on these streams; gives the accuracies of all weeks by way."""
    ways: dict[str, dict[str, Any]] = {
        OCCC: {"method": "occc"},
        "OCCC, by length": {"method": "occc", "norm": "length"},
        HALF: {"method": "ltb", "pi": 0.5},
        SHARE: {"method": "ltb", "pi": "share"},
        "LTB, pi auto": {"method": "ltb", "pi": "auto"},
    }
    found = dict[str, np.ndarray]()
    clean = dict[str, float]()
    for way, settings in ways.items():
        rows = [
            _judged(f"{data}/{way}", at, one, background, settings)
            for at, one in enumerate(streams)
        ]
        found[way] = np.concatenate([row[0] for row in rows])
        clean[way] = 100.0 * float(np.concatenate([row[1] for row in rows]).mean())
    found[BEST] = np.maximum(found[OCCC], _best(data, streams, background))
    for way in (OCCC, BEST, "OCCC, by length", HALF, SHARE, "LTB, pi auto"):
        ledger.add(way, ACCURACY, data, found[way].tolist(), PAPER.get(way))
        ledger.add(
            way, "weeks above 90% accuracy, %", data, float(100.0 * (found[way] > 90).mean())
        )
        if way in clean:
            ledger.add(way, "weeks in which another topic was returned, %", data, clean[way])
    return found


def _judged(
    label: str, at: int, one: Stream, background: str, settings: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The accuracy of every week of a stream, and whether another topic was returned."""

    def make() -> dict[str, np.ndarray]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = weeks(
                one.days,
                one.links,
                core=Core(random_state=0, **settings),
                sizes=one.sizes,
                background=background,
            )
        return {
            "labels": np.array([judged(week, one.truth) for week in found]),
            "second": np.array([second(week, one.truth) for week in found]),
        }

    done = kept(NAME, label, at, make)
    return np.asarray(done["labels"]), np.asarray(done["second"])


def _best(data: str, streams: Sequence[Stream], background: str) -> np.ndarray:
    """OCCC with the best of several numbers of relevant words for each week, chosen with hindsight."""
    tried = []
    for count in _RELEVANT:
        settings = {"method": "occc", "relevant": count}
        rows = [
            _judged(f"{data}/{BEST}/{count}", at, one, background, settings)[0]
            for at, one in enumerate(streams)
        ]
        tried.append(np.concatenate(rows))
    return np.asarray(np.max(tried, axis=0))


EXPERIMENT = Experiment(
    name=NAME,
    title="The topic of every week of a stream of messages",
    work="Comraf",
    table="table 6.3",
    needs=(NEWS,),
    minutes=1,
    seeds=3,
    run=run,
    beside="paper, on TDT-5",
)
