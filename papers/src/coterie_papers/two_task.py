"""Two tasks at once: labels beside triplets of unlabeled paragraphs, against labels alone, triplets alone, and a linear SVM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coterie.collect.quotes import own_words
from coterie.core.collection import as_view
from coterie.core.errors import MissingExtra
from coterie.core.findings import Lines
from coterie.core.random import stream
from coterie.core.text import Text
from coterie.judge.decisions import decisions, micro_break_even
from coterie.organize.classifiers import grid, learn, ready
from coterie.organize.thresholds import thresholds_of
from coterie.organize.two_task import TwoTask
from coterie.parts.nets.bags import torch_here
from coterie.parts.paragraphs import cut
from coterie.represent.terms import Terms
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.reuters import read_reuters
from coterie_papers.text_data import (
    NEWS,
    NEWS_FILE,
    Arrays,
    above,
    columns,
    kept,
    news_text,
    not_below,
)

NAME = "two-task"
REUTERS = "reuters21578"
SVM = "linear SVM"
ALONE = "single task"
BOTH = "two tasks"
BEFORE = "triplets before labels"
ONLY = "triplets, then a linear layer"
BEP = "micro-F1 at break-even %"
AT = "micro-F1 at validation thresholds %"
DEVIATION = "deviation of it over draws"
PAPER = {
    (SVM, 500): 68.0,
    (ALONE, 500): 52.0,
    (BOTH, 500): 65.0,
}  # section 6.2.1 of the thesis, on RCV1
_LABELS = (100, 200, 500, 1000)
_BAR = (100, 200)
# documents; the thesis varies them at 1,000 labels
_UNLABELED = 8000
_SIZES = (1000, 2000, 4000, 8000)
_AT_SIZES = 200
_QUICK = {"unlabeled": 1200, "test": 1500}
_CATEGORIES = 20  # of Reuters, the largest
_LEAST = 3  # documents a word must be in

Found = dict[str, np.ndarray]  # method -> one value per draw


@dataclass(frozen=True, eq=False)
class Stock:
    """Documents: those whose paragraphs are used, those that labels are drawn from, and those that judge."""

    name: str
    unlabeled: Sequence[str]
    pool: Sequence[str]
    truth: np.ndarray
    test: Sequence[str]
    test_truth: np.ndarray


@dataclass(frozen=True, eq=False)
class Tables:
    """A stock as weighted terms; the dictionary and the weights are of the unlabeled documents."""

    name: str
    paragraphs: Any
    owners: np.ndarray
    pool: Any
    truth: np.ndarray
    test: Any
    test_truth: np.ndarray

    @classmethod
    def of(cls, stock: Stock, most: int | None = None) -> Tables:
        """With so many unlabeled documents at most."""
        unlabeled = list(stock.unlabeled[:most])
        terms = Terms(min_df=_LEAST).fit(unlabeled)
        texts, owners = cut(unlabeled)
        rows = [terms.transform(part) for part in (texts, list(stock.pool), list(stock.test))]
        return cls(stock.name, rows[0], owners, rows[1], stock.truth, rows[2], stock.test_truth)


def run(trial: Trial, ledger: Ledger) -> None:
    """Newsgroups, and Reuters where the files are there: numbers of labels; then numbers of unlabeled documents."""
    try:
        torch_here()
    except MissingExtra as missing:
        ledger.skip(f"Two tasks: {missing}")
        return
    news = newsgroups(trial, ledger)
    if news is not None:
        tables = Tables.of(news)
        _bar(ledger, news.name, {n: _tried(trial, ledger, tables, n) for n in _numbers(trial)})
        if not trial.quick:
            _sizes(trial, ledger, news)
    if trial.quick:
        return
    if not trial.has(REUTERS):
        ledger.skip(
            f"Reuters: the data set '{REUTERS}' (a folder with reut2-000.sgm, ...) is not here."
        )
        return
    stock = reuters(trial)
    _bar(
        ledger, stock.name, {n: _tried(trial, ledger, Tables.of(stock), n) for n in _numbers(trial)}
    )


def _numbers(trial: Trial) -> tuple[int, ...]:
    return _LABELS[:1] if trial.quick else _LABELS


# ---- data -----------------------------------------------------------------------------------------------------------------


def newsgroups(trial: Trial, ledger: Ledger) -> Stock | None:
    """20 Newsgroups by date, the subject and the author's own words: most of the older posts without labels, the others with."""
    if not trial.has(NEWS, NEWS_FILE):
        ledger.skip(
            f"Newsgroups: the data set '{NEWS}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    table = columns(trial, NEWS, NEWS_FILE, ("split", "label", "text"))
    older = np.array([split == "train" for split in table["split"]])
    order = stream(0, 60).permutation(np.flatnonzero(older))
    free = min(_QUICK["unlabeled"] if trial.quick else _UNLABELED, 7 * len(order) // 10)
    pool = np.sort(order[free:])
    test = np.flatnonzero(~older)
    if trial.quick:
        pool = np.sort(order[free : free + 2 * _LABELS[0] * 5])
        test = np.sort(stream(0, 61).permutation(test)[: _QUICK["test"]])
    texts = [
        [own_words(news_text(table["text"][i])) for i in part]
        for part in (order[:free], pool, test)
    ]
    codes = np.unique(np.array(table["label"]), return_inverse=True)[1]
    told = np.eye(int(codes.max()) + 1, dtype=bool)[codes]
    return Stock("20 Newsgroups", texts[0], texts[1], told[pool], texts[2], told[test])


def reuters(trial: Trial) -> Stock:
    """Reuters-21578: the 20 largest topics of the ModApte split; the paragraphs of all stories that are not to test."""
    collection = read_reuters(trial.data(REUTERS), bodies=True)
    text = as_view(collection, Text, NAME).documents
    topics = collection.truth["topics"]
    split = collection.truth["split"]
    pool, test, free = (
        np.flatnonzero(who) for who in (split == "train", split == "test", split != "test")
    )
    names = [
        name
        for name, _ in Counter(one for at in pool for one in topics[at]).most_common(_CATEGORIES)
    ]
    told = np.array([[name in found for name in names] for found in topics])
    return Stock(
        f"Reuters-21578, {len(names)} topics",
        [text[i] for i in stream(0, 62).permutation(free)],
        [text[i] for i in pool],
        told[pool],
        [text[i] for i in test],
        told[test],
    )


# ---- trials ---------------------------------------------------------------------------------------------------------------


def _tried(trial: Trial, ledger: Ledger, tables: Tables, labels: int) -> Found:
    """Every method with so many labels (and as many to validate), one value per draw; rows in the ledger."""
    data = f"{tables.name}, {labels} labels"
    found: Found = {}
    for method in (SVM, ALONE, BOTH, BEFORE, ONLY):
        if method == BEFORE and labels not in _BAR:
            continue
        where = f"{NAME}/{'quick' if trial.quick else 'whole'}/{data}/{len(tables.owners)}"
        make = partial(_drawn, tables, labels, method, trial.quick)
        runs = [kept(where, method, seed, partial(make, seed)) for seed in range(trial.seeds)]
        found[method] = np.array([float(run["bep"]) for run in runs])
        ledger.add(method, BEP, data, found[method].tolist(), PAPER.get((method, labels)))
        if trial.seeds > 1:
            ledger.add(method, DEVIATION, data, float(found[method].std(ddof=1)))
        ledger.add(method, AT, data, [float(run["at"]) for run in runs])
        if method == BOTH and not trial.quick:
            ledger.add(
                method,
                "weight of the triplets, chosen",
                data,
                [float(run["weight"]) for run in runs],
            )
    return found


def _drawn(tables: Tables, labels: int, method: str, quick: bool, seed: int) -> Arrays:
    """One draw of labeled and validation documents, one method: F1 on the test documents."""
    order = stream(seed, 63, labels).permutation(tables.pool.shape[0])
    learn_at = order[:labels]
    held_at = order[labels : 2 * labels]
    lesson = tables.pool[learn_at], tables.truth[learn_at]
    held = tables.pool[held_at], tables.truth[held_at]
    weight = 0.0
    if method == SVM:
        validated, scores = _machines(lesson, held, tables.test)
    else:
        model = _network(method, quick, seed).fit(
            *lesson, unlabeled=tables.paragraphs, owners=tables.owners, validation=held
        )
        validated = model.scores(held[0])
        scores = model.scores(tables.test)
        weight = model.unlabeled_weight_
    return {
        "bep": np.array(100 * micro_break_even(_finite(scores), tables.test_truth)),
        "at": np.array(
            100 * _at_thresholds(_finite(validated), held[1], _finite(scores), tables.test_truth)
        ),
        "weight": np.array(weight),
    }


def _network(method: str, quick: bool, seed: int) -> TwoTask:
    schedule = {BEFORE: "before", ONLY: "only"}.get(method, "joint")
    weight = 0.0 if method == ALONE else 0.3 if quick else None
    return TwoTask(
        schedule=schedule, unlabeled_weight=weight, max_iter=25 if quick else 100, random_state=seed
    )


def _machines(
    lesson: tuple[Any, np.ndarray], held: tuple[Any, np.ndarray], test: Any
) -> tuple[np.ndarray, np.ndarray]:
    """A linear support vector machine per category, C chosen on the validation documents: their scores, and of the test."""
    rows = [ready(part, "svm", True) for part in (lesson[0], held[0], test)]
    best: tuple[float, list[np.ndarray]] | None = None
    for setting in grid("svm", "linear", None, len(lesson[1])):
        models = [learn("svm", setting, rows[0], column) for column in lesson[1].T]
        scores = [
            _finite(np.stack([model.scores(part) for model in models], axis=1)) for part in rows[1:]
        ]
        value = micro_break_even(scores[0], held[1])
        if best is None or value > best[0]:
            best = value, scores
    return (
        (best[1][0], best[1][1])
        if best
        else (np.zeros(held[1].shape), np.zeros((test.shape[0], held[1].shape[1])))
    )


def _finite(scores: np.ndarray) -> np.ndarray:
    """A category that was not learned comes last."""
    return np.nan_to_num(scores, nan=-1e9, neginf=-1e9, posinf=1e9)


def _at_thresholds(
    validated: np.ndarray, held: np.ndarray, scores: np.ndarray, truth: np.ndarray
) -> float:
    """Micro-F1 on the test documents at thresholds that are best on the validation documents."""
    return float(decisions(scores > thresholds_of(validated, held, "f1"), truth).micro_f1)


# ---- what must hold -------------------------------------------------------------------------------------------------------


def _bar(ledger: Ledger, data: str, by_labels: dict[int, Found]) -> None:
    """Two tasks above one with few labels; the map of triplets alone below; the linear SVM not below with many labels."""
    for labels, found in by_labels.items():
        text = f"{data}, {labels} labels: two tasks are above the single task ({_means(found, BOTH, ALONE, SVM)})"
        ledger.relate(text, above(found[BOTH], found[ALONE]))
    most = max(by_labels)
    found = by_labels[most]
    text = f"{data}, {most} labels: triplets and a linear layer stay below the single task ({_means(found, ONLY, ALONE)})"
    ledger.relate(text, found[ONLY].mean() < found[ALONE].mean())
    if most > max(_BAR):
        text = f"{data}, {most} labels: the linear SVM is not below two tasks ({_means(found, SVM, BOTH)})"
        ledger.relate(text, not_below(found[SVM], found[BOTH]))
        methods = [name for name in found if name != BEFORE]
        lines = {
            name: tuple(float(by_labels[n][name].mean()) for n in by_labels) for name in methods
        }
        axis = tuple(float(n) for n in by_labels)
        ledger.draw(Lines(f"{data}: labels", axis, lines, "labeled documents", BEP))


def _sizes(trial: Trial, ledger: Ledger, stock: Stock) -> None:
    """More unlabeled documents with the same labels: section 6.2.2 of the thesis, with 200 labels in place of 1,000."""
    few = Trial(min(trial.seeds, 3), trial.quick, trial.folder)
    sizes = [size for size in _SIZES if size <= len(stock.unlabeled)]
    by_size: dict[int, Found] = {}
    for size in sizes:
        tables = Tables.of(stock, size)
        named = Tables(**{**vars(tables), "name": f"{stock.name}, {size} unlabeled"})
        by_size[size] = _tried(few, ledger, named, _AT_SIZES)
    if len(sizes) < 2:
        return
    first = by_size[sizes[0]]
    last = by_size[sizes[-1]]
    text = (
        f"two tasks gain from more unlabeled documents, {sizes[0]} to {sizes[-1]} with {_AT_SIZES} labels "
        f"({first[BOTH].mean():.1f} to {last[BOTH].mean():.1f})"
    )
    ledger.relate(text, above(last[BOTH], first[BOTH]))
    text = f"so does the map of triplets with a linear layer ({first[ONLY].mean():.1f} to {last[ONLY].mean():.1f})"
    ledger.relate(text, above(last[ONLY], first[ONLY]))
    lines = {name: tuple(float(by_size[size][name].mean()) for size in sizes) for name in first}
    ledger.draw(
        Lines(
            f"{stock.name}: unlabeled documents",
            tuple(map(float, sizes)),
            lines,
            "unlabeled documents",
            BEP,
        )
    )


def _means(found: Found, *names: str) -> str:
    return ", ".join(f"{name} {found[name].mean():.1f}" for name in names)


EXPERIMENT = Experiment(
    name=NAME,
    title="Few labels and much unlabeled text: one network trained on both at once, against labels alone and a linear SVM",
    work="Keller 2006",
    table="sections 6.2.1 to 6.2.3",
    needs=(NEWS, REUTERS),
    minutes=18,
    seeds=5,
    run=run,
    beside="paper, on RCV1",
)
