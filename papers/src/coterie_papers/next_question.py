"""The best next question: twenty answers on 2,000 newsgroup documents, asked where runs disagree, or on pairs at random."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from coterie.collect.words import count_names, words
from coterie.core.findings import Lines
from coterie.core.hints import Hints
from coterie.core.links import MEMBERS, Links
from coterie.core.random import stream
from coterie.organize.asking import Questions, coarser_of
from coterie.organize.comraf.estimator import MDC
from coterie.represent.stopwords import ENGLISH
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.measures.accuracy import accuracies
from coterie_papers.text_data import (
    MICRO,
    NEWS,
    NEWS_FILE,
    WORDS,
    Arrays,
    Tied,
    columns,
    kept,
    news_text,
    told,
)

NAME = "next-question"
BASE = "no answers"
PAIRS = "random pairs"
SPREAD = "random pairs, spread over cells"
ASKED = "questions"
# documents of every newsgroup
_EACH = 100
_QUICK_EACH = 20
_ANSWERS = 20
_MARKS = (0, 5, 10, 15, 20)  # answers after which the consensus is looked at
_LEAST = 3  # documents a word must be in


def balanced(trial: Trial, ledger: Ledger, each: int) -> Tied | None:
    """So many documents of every newsgroup, drawn at random once, by their words."""
    if not trial.has(NEWS, NEWS_FILE):
        ledger.skip(
            f"Newsgroups: the data set '{NEWS}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    table = columns(trial, NEWS, NEWS_FILE, ("label", "id", "text"))
    labels = np.array(table["label"])
    draw = stream(0, each)
    parts = [np.flatnonzero(labels == name) for name in np.unique(labels)]
    chosen = np.sort(
        np.concatenate([draw.choice(part, min(each, len(part)), replace=False) for part in parts])
    )
    ids = [f"{table['label'][i]}/{table['id'][i]}" for i in chosen]
    bags = (
        Counter(word for word in words(news_text(table["text"][i])) if len(word) > 1)
        for i in chosen
    )
    link = count_names(bags, ids, _LEAST, ENGLISH)
    return Tied(
        Links({(MEMBERS, WORDS): link}), labels[chosen], f"20 Newsgroups, {len(chosen)} documents"
    )


def fitted(tied: Tied, seed: int, quick: bool, hints: Hints | None = None) -> MDC:
    """The clustering that is asked about, and the one that is taught."""
    effort: dict[str, Any] = {"restarts": 1} if quick else {}
    return MDC(n_groups=tied.n_groups, random_state=seed, **effort).fit(
        tied.links, hints=hints or None
    )


def without(tied: Tied, seed: int, quick: bool) -> Arrays:
    """Groups without any answer, and all that questions are made from."""
    found = fitted(tied, seed, quick)
    confidence = found.partition_.confidence
    return {
        "labels": found.labels_,
        "runs": found.runs_,
        "coarser": coarser_of(found.hierarchy_, tied.n_groups),
        "confidence": np.zeros(len(tied.truth)) if confidence is None else confidence,
    }


def asking_of(base: Arrays) -> Questions:
    """Questions on the runs behind these groups."""
    return Questions(
        base["runs"], coarser=base["coarser"], confidence=base["confidence"], groups=base["labels"]
    )


def answered(
    tied: Tied, base: Arrays, seed: int, chosen: str
) -> tuple[Questions, list[float], int]:
    """Twenty answers of one who knows the newsgroups; the accuracy of the consensus on the way, and how many were 'together'."""
    asking = asking_of(base)
    along = list[float]()
    yes = 0
    draw = stream(seed, 1 << 18)
    n = len(tied.truth)
    for count in range(_ANSWERS + 1):
        if count in _MARKS:
            along.append(
                100.0 * accuracies(asking.partition(tied.n_groups).labels, tied.truth).micro
            )
        if count == _ANSWERS:
            break
        if chosen == ASKED:
            pair = asking.next_question().members
            if not pair:
                continue
        else:
            pair = tuple(draw.choice(n, 2, replace=False).tolist())
        same = bool(tied.truth[pair[0]] == tied.truth[pair[1]])
        yes += same
        asking.told(pair[0], pair[1], "together" if same else "apart")
    return asking, along, yes


def taught(tied: Tied, base: Arrays, seed: int, quick: bool, name: str) -> Arrays:
    """Groups found anew with the answers: as pairs alone, or with what they say of all who are grouped alike."""
    asking, along, yes = answered(tied, base, seed, ASKED if name == ASKED else PAIRS)
    hints = asking.hints() if name != PAIRS else asking.pairs()
    found = fitted(tied, seed, quick, hints)
    return {"labels": found.labels_, "along": np.array(along), "together": np.array(float(yes))}


def run(trial: Trial, ledger: Ledger) -> None:
    """Accuracy without answers, with random ones, and with those to questions."""
    tied = balanced(trial, ledger, _QUICK_EACH if trial.quick else _EACH)
    if tied is None:
        return
    where = f"{NAME}/{tied.name}/{'quick' if trial.quick else 'whole'}"
    runs: dict[str, list[Arrays]] = {name: [] for name in (BASE, PAIRS, SPREAD, ASKED)}
    for seed in range(trial.seeds):
        base = kept(where, BASE, seed, partial(without, tied, seed, trial.quick))
        runs[BASE].append(base)
        for name in (PAIRS, SPREAD, ASKED):
            runs[name].append(
                kept(where, name, seed, partial(taught, tied, base, seed, trial.quick, name))
            )
    micro = {
        name: told(ledger, name, tied.name, own, tied.truth)[MICRO] for name, own in runs.items()
    }
    for name in (PAIRS, ASKED):
        ledger.add(
            name, "answers 'together'", tied.name, [float(one["together"]) for one in runs[name]]
        )
    for name in (PAIRS, SPREAD, ASKED):
        ledger.add(name, "points above no answers", tied.name, (micro[name] - micro[BASE]).tolist())
    _relations(ledger, micro)
    _draw(ledger, tied, runs)


def _relations(ledger: Ledger, micro: dict[str, np.ndarray]) -> None:
    for other in (BASE, PAIRS, SPREAD):
        gap = micro[ASKED] - micro[other]
        slack = float(gap.std(ddof=1) / np.sqrt(len(gap))) if len(gap) > 1 else 0.0
        text = f"{_ANSWERS} answers to questions are worth more than {other} ({gap.mean():+.1f} points, standard error {slack:.1f})"
        ledger.relate(text, bool(gap.mean() > slack))


def _draw(ledger: Ledger, tied: Tied, runs: dict[str, list[Arrays]]) -> None:
    lines = {
        name: tuple(np.mean([one["along"] for one in runs[name]], axis=0).tolist())
        for name in (PAIRS, ASKED)
    }
    said = "Accuracy of the consensus of the runs under the answers so far, before anything is found anew."
    ledger.draw(
        Lines(
            f"Answers: {tied.name}",
            tuple(map(float, _MARKS)),
            lines,
            "answers",
            MICRO,
            sentence=said,
        )
    )


EXPERIMENT = Experiment(
    name=NAME,
    title="Twenty answers to the best next question, and twenty on pairs at random",
    work="coterie",
    table="the best next question (ours; no numbers beside)",
    needs=(NEWS,),
    minutes=45,
    seeds=10,
    run=run,
)
