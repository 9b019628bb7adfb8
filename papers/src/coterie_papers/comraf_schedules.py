"""How long and in which order: schedules, length of the local search, single moves, and precision along the last unions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from coterie.core.findings import Lines
from coterie.organize.comraf.estimator import Comraf
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.measures.accuracy import precision_along
from coterie_papers.text_data import (
    MAIL,
    MICRO,
    NEWS,
    WORDS,
    Arrays,
    Tied,
    kept,
    mail,
    newsgroups,
    not_below,
    said,
    told,
)

NAME = "comraf-schedules"
PASSES = (0.25, 0.5, 1.0, 2.0, 4.0)
# sections 4.6.4 and 4.6.5 of the thesis, on its whole 20 Newsgroups; the mean of five mail sets for single moves
PAPER = {
    "newsgroups": {"auto": 69.5, "reverse": 69.3, "shuffled": 67.2},
    "mail": {"auto": 55.2, "shuffled": 55.2},
}
_DOCUMENTS = 5000
_QUICK = 800
_CLOSE = 3.0  # points within which 1, 2 and 4 passes stay
VARIANTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "reverse": {"schedule": "reverse"},
    "shuffled": {"optimize": "shuffled"},
    "2 splits first": {"lead": 2},
    "6 splits first": {"lead": 6},
    "last unions from 2k": {"last": 2},
    "last unions from 8k": {"last": 8},
    "balance 0.5": {"balance": 0.5},
    "balance 1": {"balance": 1.0},
}
Micro = dict[str, np.ndarray]


def run(trial: Trial, ledger: Ledger) -> None:
    """Every variant on a part of the newsgroups and on mail; curves over passes and over the last unions."""
    news = newsgroups(trial, ledger, _QUICK if trial.quick else _DOCUMENTS)
    post = mail(trial, ledger)
    sets = {"newsgroups": news, "mail": post and Tied(post.only(WORDS), post.truth, post.name)}
    for kind, tied in sets.items():
        if tied is not None:
            runs = {name: _runs(trial, tied, name, settings) for name, settings in VARIANTS.items()}
            micro = _variants(ledger, tied, runs, PAPER[kind])
            _passes(trial, ledger, tied, runs, micro)
            _relations(ledger, tied.name, micro)


def fitted(tied: Tied, seed: int, restarts: int, settings: Mapping[str, Any]) -> Arrays:
    """The groups, how many there were at each of the last unions, and how many documents were in the first class of theirs."""
    found = Comraf(n_groups=tied.n_groups, restarts=restarts, random_state=seed, **settings).fit(
        tied.links
    )
    along = np.array(precision_along(found.levels_, tied.truth)).reshape(-1, 2)
    return {"labels": found.labels_, "along": along, "objective": np.array(found.objective_)}


def _runs(trial: Trial, tied: Tied, name: str, settings: Mapping[str, Any]) -> list[Arrays]:
    restarts = 2 if trial.quick else 4
    where = f"{NAME}/{tied.name}/{restarts}"
    return [
        kept(where, name, seed, partial(fitted, tied, seed, restarts, settings))
        for seed in range(trial.seeds)
    ]


def _variants(
    ledger: Ledger, tied: Tied, runs: Mapping[str, list[Arrays]], paper: Mapping[str, float]
) -> Micro:
    micro = {}
    for name, of in runs.items():
        micro[name] = told(
            ledger, name, tied.name, of, tied.truth, {MICRO: paper[name]} if name in paper else {}
        )[MICRO]
    drawn = ("auto", "shuffled", "last unions from 8k")
    ledger.draw(unions(tied, {name: [run["along"] for run in runs[name]] for name in drawn}))
    return micro


def unions(tied: Tied, curves: Mapping[str, list[np.ndarray]]) -> Lines:
    """The share of documents that are of the first class of their cluster, as clusters are united one by one."""
    counts = sorted({int(k) for runs in curves.values() for along in runs for k in along[:, 0]})
    lines = {}
    for name, runs in curves.items():
        at: dict[int, list[float]] = {}
        for along in runs:
            for k, share in along:
                at.setdefault(int(k), []).append(100.0 * share)
        lines[name] = tuple(float(np.mean(at[k])) if k in at else float("nan") for k in counts)
    title = f"Precision along the last unions (as in figure 4.7): {tied.name}"
    told_so = f"From the right to the left; at {tied.n_groups} clusters, as many as classes, it is the micro accuracy."
    return Lines(
        title,
        tuple(map(float, counts)),
        lines,
        "clusters of documents",
        "micro precision %",
        sentence=told_so,
    )


def _passes(
    trial: Trial, ledger: Ledger, tied: Tied, known: Mapping[str, list[Arrays]], micro: Micro
) -> None:
    """The length of the local search, with passes over all elements and with as many single moves."""
    lines: dict[str, tuple[float, ...]] = {}
    for optimize, usual in (("sequential", "auto"), ("shuffled", "shuffled")):
        names = {
            passes: f"{passes:g} passes" + (", shuffled" if usual == "shuffled" else "")
            for passes in PASSES
        }
        for passes, name in names.items():
            again = passes == 2.0  # what the variants have
            runs = (
                known[usual]
                if again
                else _runs(trial, tied, name, {"passes": passes, "optimize": optimize})
            )
            micro[name] = told(ledger, name, tied.name, runs, tied.truth)[MICRO]
        lines[optimize] = tuple(float(micro[name].mean()) for name in names.values())
    title = f"Length of the local search (as in figure 4.4): {tied.name}"
    ledger.draw(
        Lines(title, PASSES, lines, "passes after every split or union", "micro accuracy %")
    )


def _relations(ledger: Ledger, data: str, micro: Micro) -> None:
    three = [f"{passes} passes" for passes in (1, 2, 4)]
    means = [float(micro[name].mean()) for name in three]
    some = said(micro, *three, "0.25 passes")
    text = f"R9: 1, 2 and 4 passes differ by less than {_CLOSE:g} points, {data} ({some})"
    ledger.relate(text, max(means) - min(means) < _CLOSE)
    text = f"R4: passes over all elements are not worse than single moves, {data} ({said(micro, 'auto', 'shuffled')})"
    ledger.relate(text, not_below(micro["auto"], micro["shuffled"]))
    text = f"the schedule of the thesis is not worse than its reverse, {data} ({said(micro, 'auto', 'reverse')})"
    ledger.relate(text, not_below(micro["auto"], micro["reverse"]))
    ends = ["auto", "last unions from 2k", "last unions from 8k"]
    spread = [float(micro[name].mean()) for name in ends]
    text = f"where single unions begin matters by less than {_CLOSE:g} points, {data} ({said(micro, *ends)})"
    ledger.relate(text, max(spread) - min(spread) < _CLOSE)


EXPERIMENT = Experiment(
    name=NAME,
    title="Schedules and search lengths of clustering several populations",
    work="Comraf",
    table="sections 4.6.4 and 4.6.5, figures 4.4 and 4.7",
    needs=(NEWS, MAIL),
    minutes=130,
    seeds=8,
    run=run,
    beside="paper, on other sets",
)
