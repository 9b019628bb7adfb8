"""Few labels: unsupervised, seeded, constrained and intrinsic schemes on newsgroups and mail, and word clusters carried over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from coterie.core.links import MEMBERS, Links
from coterie.core.random import stream
from coterie.organize.comraf.estimator import Comraf
from coterie.organize.comraf.transfer import lesson, taught
from coterie_papers.experiment import Experiment, Ledger, Picture, Row, Trial
from coterie_papers.few_labels import Told, accuracy_of
from coterie_papers.measures.accuracy import accuracies
from coterie_papers.row_figures import bars, curves
from coterie_papers.text_data import (
    MAIL,
    MICRO,
    NEWS,
    PEOPLE,
    WORDS,
    Arrays,
    Tied,
    above,
    kept,
    mail,
    newsgroups,
    not_below,
    said,
)

NAME = "semi-supervised"
PAPER = {
    "unsupervised": 69.5,
    "constrained": 74.8,
    "intrinsic": 78.9,
}  # 20 Newsgroups, a tenth labeled
_QUICK = 1000  # documents of a quick run
_SHARES = (0.1, 0.2, 0.3)
_GAIN = 6.0  # points of the intrinsic scheme over none
_ALIKE = 3.0  # points by which two that are alike may differ
_TRANSFER = 2000  # documents of ten groups, half of them labeled
_CLUSTERS = 50  # of words that are carried over
_UNLABELED = f"{MICRO}, unlabeled"
_SHARE = re.compile(r"(.*), (\d+)% labeled")

Micro = dict[str, np.ndarray]


def run(trial: Trial, ledger: Ledger) -> None:
    """Newsgroups with a tenth of the labels, mail with one to three tenths, and words carried from one half to the other."""
    news = newsgroups(trial, ledger, _QUICK if trial.quick else None)
    if news is not None:
        micro = _schemes(trial, ledger, news, 0.1, None, PAPER)
        _relations(ledger, micro, f"{news.name}, 10% labeled")
        gain = float((micro["intrinsic"] - micro["unsupervised"]).mean())
        text = f"the intrinsic scheme is {_GAIN:g} points or more above no labels on newsgroups (by {gain:.1f})"
        ledger.relate(text, gain >= _GAIN)
        _transfer(trial, ledger)
    letters = mail(trial, ledger)
    if letters is not None and not trial.quick:
        for share in _SHARES:
            micro = _schemes(trial, ledger, letters, share, letters.only(WORDS, PEOPLE), {})
            _relations(ledger, micro, f"{letters.name}, {share:.0%} labeled")


def _schemes(
    trial: Trial,
    ledger: Ledger,
    tied: Tied,
    share: float,
    links: Links | None,
    paper: dict[str, float],
) -> Micro:
    """Accuracy on the unlabeled documents by every scheme; the unsupervised groups are judged on the same documents."""
    where = f"{NAME}/{'quick' if trial.quick else 'whole'}"
    data = f"{tied.name}, {share:.0%} labeled"
    intrinsic = Told(share)
    weights: dict[str, Any] = {} if links is None else {"weights": "root"}
    found = {
        "unsupervised": accuracy_of(
            where, tied, None, trial.seeds, shown=intrinsic, links=links, **weights
        )
    }
    for told in (Told(share, "seeded"), Told(share, "constrained"), intrinsic):
        found[told.scheme] = accuracy_of(where, tied, told, trial.seeds, links=links, **weights)
    for name, values in found.items():
        ledger.add(name, _UNLABELED, data, values.tolist(), paper.get(name))
    return found


def _relations(ledger: Ledger, micro: Micro, data: str) -> None:
    """R10: no labels, then constraints, then labels as a population; and starting from labels changes nothing."""
    rising = above(micro["constrained"], micro["unsupervised"]) and above(
        micro["intrinsic"], micro["constrained"]
    )
    order = said(micro, "unsupervised", "constrained", "intrinsic")
    ledger.relate(f"R10: unsupervised < constrained < intrinsic, {data} ({order})", rising)
    near = abs(micro["seeded"].mean() - micro["unsupervised"].mean()) < _ALIKE
    ledger.relate(
        f"R10: seeding is like no labels, {data} ({said(micro, 'unsupervised', 'seeded')})",
        bool(near),
    )


def _transfer(trial: Trial, ledger: Ledger) -> None:
    """Clusters of words learned on one half of some newsgroups, observed in the other half, of which no label is known."""
    whole = newsgroups(trial, ledger)
    if whole is None:
        return
    where = f"{NAME}/transfer/{trial.quick}"
    data = f"newsgroups, {_documents(trial.quick) // 2} documents of ten groups"
    micro = Micro()
    for name, known in (("by itself", False), ("carried over", True)):
        runs = [
            kept(where, name, seed, partial(_carried, whole, seed, known, trial.quick))
            for seed in range(trial.seeds)
        ]
        micro[name] = np.array([100.0 * float(run["micro"]) for run in runs])
    ledger.add("by itself", MICRO, data, micro["by itself"].tolist())
    ledger.add(
        "word clusters of the other half observed", MICRO, data, micro["carried over"].tolist()
    )
    text = f"word clusters carried over from a labeled half are no loss ({said(micro, 'by itself', 'carried over')})"
    ledger.relate(text, not_below(micro["carried over"], micro["by itself"]))


def _documents(quick: bool) -> int:
    return _TRANSFER // 4 if quick else _TRANSFER


def _carried(whole: Tied, seed: int, known: bool, quick: bool) -> Arrays:
    generator = stream(seed, 42)
    names = generator.permutation(np.unique(whole.truth))[:10]
    able = generator.permutation(np.flatnonzero(np.isin(whole.truth, names)))[: _documents(quick)]
    half = [np.sort(able[side::2]) for side in (0, 1)]
    links = [whole.links.take(side) for side in half]
    truth = whole.truth[half[1]]
    settings: dict[str, Any] = {
        "n_groups": 10,
        "restarts": 3,
        "polish": "raw",
        "random_state": seed,
    }
    if not known:
        labels = Comraf(**settings).fit(links[1]).labels_
    else:
        learned = lesson(links[0], whole.truth[half[0]], WORDS, _CLUSTERS, seed)
        weights = dict.fromkeys(
            [(MEMBERS, WORDS), (MEMBERS, learned.called), (WORDS, learned.called)], 1.0
        )
        labels = (
            Comraf(**settings, observed=(learned.called,), weights=weights)
            .fit(taught(links[1], learned))
            .labels_
        )
    return {"micro": np.array(accuracies(labels, truth).micro)}


def figures(rows: Sequence[Row]) -> list[Picture]:
    """Figure 5.2 a to e: the schemes over the share of labels where there are several, and side by side where there is one."""
    of: dict[str, list[Row]] = {}
    for row in rows:
        if row.measure == _UNLABELED and (found := _SHARE.fullmatch(row.data)):
            of.setdefault(found[1], []).append(row)
    drawn: list[Picture] = []
    for name, mine in of.items():
        title = f"{name}: accuracy on unlabeled members (as in figure 5.2)"
        if len({row.data for row in mine}) > 1:
            drawn += curves(mine, title, _at, "labeled members %", MICRO)
        else:
            drawn += bars(mine, title, _UNLABELED)
    return drawn


def _at(row: Row) -> tuple[str, float] | None:
    found = _SHARE.fullmatch(row.data)
    return (row.method, float(found[2])) if found else None


EXPERIMENT = Experiment(
    name=NAME,
    title="A few labels: as constraints, as an observed population, as seeds; and words carried from one collection to another",
    work="Comraf",
    table="section 5.1, figure 5.2",
    needs=(NEWS, MAIL),
    minutes=190,
    seeds=8,
    run=run,
    figures=figures,
    beside="paper, on 19,997 messages",
)
