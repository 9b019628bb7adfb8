"""Few labels: topics, themes and latent directions learned without labels against TFIDF, under one support vector machine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from coterie.core.collection import Collection, as_view
from coterie.core.findings import Lines
from coterie.core.random import stream
from coterie.core.text import Text
from coterie.show.lines import Ruled
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.label_trials import (
    LATENT,
    LDA_,
    LSA_,
    PLSA_,
    TFIDF,
    TTMM_,
    Stock,
    crossing,
    features,
    stocked,
    tried,
)
from coterie_papers.reuters import read_reuters
from coterie_papers.text_data import NEWS, NEWS_FILE, above, columns, kept, news_text, slack

NAME = "reuters-features"
REUTERS = "reuters21578"
# percent of labels; few are up to 5
SHARES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
QUICK_SHARES = (1.0, 5.0, 20.0)
FEW = 5.0
ACCURACY = "accuracy"
F1 = "F1"
CROSSING = "TFIDF overtakes at % of labels"
_DOCUMENTS = 8500
_QUICK = 2000
_OPINIONS = ("talk.", "soc.religion.", "alt.atheism")
_MACHINES = ("comp.", "sci.electronics", "sci.crypt")
# table 3.1 of the thesis: shares of the ten largest topics among the 9,603 stories to train, in percent
LARGEST = {
    "earn": 30.0,
    "acq": 17.2,
    "money-fx": 5.6,
    "grain": 4.5,
    "crude": 4.1,
    "trade": 3.8,
    "interest": 3.6,
    "wheat": 2.2,
    "ship": 2.1,
    "corn": 1.9,
}
MODAPTE = {
    "stories to train": 9603,
    "stories to test": 3299,
    "topics to train": 115,
    "topics in both": 90,
}

Curves = dict[
    str, dict[float, np.ndarray]
]  # representation -> percent of labels -> one value per split


def run(trial: Trial, ledger: Ledger) -> None:
    """Newsgroups and, where the files are there, Reuters: every representation, every share of labels, several splits."""
    news = newsgroup_tasks(trial, ledger)
    if news is not None:
        found = _stock(trial, ledger, news)
        for kernel, tasks in found.items():
            _bar(ledger, "newsgroups", kernel, tasks)
    if not trial.has(REUTERS):
        ledger.skip(
            f"Reuters: the data set '{REUTERS}' (a folder with reut2-000.sgm, ...) is not here (give its parent folder with "
            "--data or COTERIE_DATA)."
        )
        return
    collection = read_reuters(trial.data(REUTERS))
    _checked(ledger, collection)
    for kernel, tasks in _stock(trial, ledger, reuters_tasks(collection, trial.quick)).items():
        _bar(ledger, "Reuters", kernel, tasks)
        _reuters(ledger, kernel, tasks)


# ---- the tasks ------------------------------------------------------------------------------------------------------------


def newsgroup_tasks(trial: Trial, ledger: Ledger) -> Stock | None:
    """Newsgroups as yes or no: rare ones (one group, 5%) and wide ones (a union of groups, about a third)."""
    if not trial.has(NEWS, NEWS_FILE):
        ledger.skip(
            f"Newsgroups: the data set '{NEWS}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    table = columns(trial, NEWS, NEWS_FILE, ("label", "text"))
    most = min(_QUICK if trial.quick else _DOCUMENTS, len(table["label"]))
    chosen = np.sort(stream(0, most).permutation(len(table["label"]))[:most])
    labels = [table["label"][i] for i in chosen]
    tasks = {
        "space": [label == "sci.space" for label in labels],
        "machines": [label.startswith(_MACHINES) for label in labels],
        "guns": [label == "talk.politics.guns" for label in labels],
        "opinions": [label.startswith(_OPINIONS) for label in labels],
    }
    wanted = list(tasks)[:2] if trial.quick else list(tasks)
    texts = [news_text(table["text"][i]) for i in chosen]
    return stocked("20 Newsgroups", texts, {name: np.array(tasks[name]) for name in wanted})


def reuters_tasks(collection: Collection, quick: bool) -> Stock:
    """The topics earn and grain of the stories to train that have a body; in haste, of some of them."""
    text = as_view(collection, Text, NAME).documents
    topics = collection.truth["topics"]
    whole = np.array(
        [one != title for one, title in zip(text, collection.cards["title"], strict=True)]
    )
    chosen = np.flatnonzero((collection.truth["split"] == "train") & whole)
    if quick and len(chosen) > _QUICK:
        chosen = np.sort(stream(0, _QUICK).permutation(chosen)[:_QUICK])
    tasks = {name: np.array([name in topics[i] for i in chosen]) for name in ("grain", "earn")}
    return stocked("Reuters-21578", [text[i] for i in chosen], tasks)


# ---- the trials -----------------------------------------------------------------------------------------------------------


def _stock(trial: Trial, ledger: Ledger, stock: Stock) -> dict[str, dict[str, Curves]]:
    """All trials on one collection: kernel -> task -> accuracies."""
    rows = features(stock, NAME, trial.quick)
    found: dict[str, dict[str, Curves]] = {}
    for kernel in ("Gaussian",) if trial.quick else ("Gaussian", "linear"):
        found[kernel] = {}
        for task, yes in stock.tasks.items():
            curves = _curves(trial, stock, rows, kernel, task, yes)
            _rows(ledger, f"{stock.name}: {task}", kernel, curves)
            found[kernel][task] = curves[ACCURACY]
            ledger.draw(_picture(stock, task, kernel, ACCURACY, curves[ACCURACY]))
            if yes.mean() < 0.1:
                ledger.draw(_picture(stock, task, kernel, F1, curves[F1]))
    return found


def _curves(
    trial: Trial,
    stock: Stock,
    rows: Mapping[str, np.ndarray],
    kernel: str,
    task: str,
    yes: np.ndarray,
) -> dict[str, Curves]:
    shares = QUICK_SHARES if trial.quick else SHARES
    found: dict[str, Curves] = {ACCURACY: {}, F1: {}}
    for name, values in rows.items():
        where = f"{NAME}/{stock.name}/{'quick' if trial.quick else 'whole'}/{kernel}/{task}"
        form = "rbf" if kernel == "Gaussian" else "linear"
        for share in shares:
            runs = [
                kept(
                    where,
                    f"{name} {share:g}",
                    seed,
                    partial(tried, values, yes, share / 100.0, seed, form),
                )
                for seed in range(trial.seeds)
            ]
            found[ACCURACY].setdefault(name, {})[share] = np.array(
                [float(one["accuracy"]) for one in runs]
            )
            found[F1].setdefault(name, {})[share] = np.array([float(one["f1"]) for one in runs])
    return found


def _rows(ledger: Ledger, data: str, kernel: str, curves: Mapping[str, Curves]) -> None:
    for measure, by_name in curves.items():
        for name, by_share in by_name.items():
            for share, values in by_share.items():
                ledger.add(
                    f"{name}, {kernel} SVM", f"{measure}, {share:g}% labeled", data, values.tolist()
                )
    for name in LATENT:
        at = _overtaken(curves[ACCURACY], name)
        if math.isfinite(at):
            ledger.add(f"{name}, {kernel} SVM", CROSSING, data, at)


def _means(curves: Curves, name: str) -> tuple[float, ...]:
    return tuple(float(values.mean()) for values in curves[name].values())


def _overtaken(curves: Curves, name: str) -> float:
    """The percent of labels from which TFIDF is at least as accurate as this representation; NaN where there is none."""
    return crossing(tuple(curves[TFIDF]), _means(curves, name), _means(curves, TFIDF))


def _picture(stock: Stock, task: str, kernel: str, measure: str, curves: Curves) -> Lines:
    """The measured curves over the share of labels; where TFIDF overtakes one of the others is told in words."""
    marks = {name: at for name in LATENT if math.isfinite(at := _overtaken(curves, name))}
    told = (
        "; ".join(f"{name} at {at:.2g}%" for name, at in marks.items())
        if marks
        else "none in this range, or already at the smallest share"
    )
    return Ruled(
        title=f"{stock.name}: {task}, {kernel} SVM",
        x=tuple(curves[TFIDF]),
        lines={name: _means(curves, name) for name in curves},
        x_name=f"share of labels, of {len(stock):,} documents",
        y_name=measure,
        sentence=f"Dots are measured. Where TFIDF overtakes, on straight lines between them: {told}.",
        over_logs=True,
        unit="%",
    )


# ---- what must hold ---------------------------------------------------------------------------------------------------------


def _splits(tasks: Mapping[str, Curves], name: str, share: float) -> np.ndarray:
    """The mean accuracy over the tasks, of every split."""
    return np.mean([curves[name][share] for curves in tasks.values()], axis=0)


def _pooled(tasks: Mapping[str, Curves], name: str, share: float) -> float:
    return float(_splits(tasks, name, share).mean())


def _bar(ledger: Ledger, data: str, kernel: str, tasks: Mapping[str, Curves]) -> None:
    """With few labels some latent representation is above TFIDF in mean accuracy over tasks; with many the gain is smaller."""
    shares = list(next(iter(tasks.values()))[TFIDF])
    names = (LSA_, PLSA_, TTMM_[0])
    source = (LDA_, PLSA_, TTMM_[0])  # the three of the thesis
    for share in (one for one in shares if one <= FEW):
        means = {name: _pooled(tasks, name, share) for name in (*names, TFIDF)}
        said = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
        text = f"{data}, {share:g}% labeled, {kernel} SVM: LSA, PLSA or TTMM above TFIDF in mean accuracy ({said})"
        ledger.relate(text, max(means[name] for name in names) > means[TFIDF])
        _each(ledger, f"{data}, {share:g}% labeled, {kernel} SVM", tasks, share, (LSA_, *source))
    gains = [
        max(_pooled(tasks, name, share) for name in names) - _pooled(tasks, TFIDF, share)
        for share in shares
    ]
    text = (
        f"{data}, {kernel} SVM: the gain over TFIDF shrinks with labels "
        f"({gains[0]:+.3f} at {shares[0]:g}%, {gains[-1]:+.3f} at {shares[-1]:g}%)"
    )
    ledger.relate(text, gains[-1] < gains[0])
    most = shares[-1]
    late = {name: _pooled(tasks, name, most) for name in (*source, TFIDF)}
    text = f"{data}, {most:g}% labeled, {kernel} SVM: none of LDA, PLSA and TTMM is above TFIDF by more than .005"
    told = ", ".join(f"{name} {value:.3f}" for name, value in late.items())
    ledger.relate(f"{text} ({told})", max(late[name] for name in source) - late[TFIDF] <= 0.005)
    middle = {name: _pooled(tasks, name, FEW) for name in source}
    told = ", ".join(f"{name} {value:.3f}" for name, value in middle.items())
    text = f"{data}, {FEW:g}% labeled, {kernel} SVM: LDA, PLSA and TTMM are within .02 of each other ({told})"
    ledger.relate(text, max(middle.values()) - min(middle.values()) <= 0.02)


def _each(
    ledger: Ledger, where: str, tasks: Mapping[str, Curves], share: float, names: Sequence[str]
) -> None:
    """Of each of these by itself: whether it is above TFIDF by more than one standard error of the difference."""
    words = _splits(tasks, TFIDF, share)
    for name in names:
        mine = _splits(tasks, name, share)
        said = f"{mine.mean() - words.mean():+.3f}, standard error {slack(mine, words):.3f}, {len(words)} splits"
        ledger.relate(
            f"{where}: {name} above TFIDF by more than a standard error ({said})",
            above(mine, words),
        )


def _reuters(ledger: Ledger, kernel: str, tasks: Mapping[str, Curves]) -> None:
    """Relation 10 of the specification, on the stories themselves: earn at 1%, grain at 20%."""
    by = {name.split(" ", 1)[0]: curves for name, curves in tasks.items()}
    first = {name: float(by["earn"][name][1.0].mean()) for name in (LSA_, PLSA_, TFIDF)}
    late = by["grain"]
    said = ", ".join(f"{name} {value:.3f}" for name, value in first.items())
    for name in (LSA_, PLSA_):
        text = f"Reuters earn, 1% labeled, {kernel} SVM: {name} at least .02 above TFIDF ({said})"
        ledger.relate(text, first[name] - first[TFIDF] >= 0.02)
    best = max(float(late[name][20.0].mean()) for name in (LSA_, PLSA_, LDA_, *TTMM_))
    own = float(late[TFIDF][20.0].mean())
    text = f"Reuters grain, 20% labeled, {kernel} SVM: no gain of .005 over TFIDF (best {best:.3f}, TFIDF {own:.3f})"
    ledger.relate(text, best - own < 0.005)


def _checked(ledger: Ledger, collection: Collection) -> None:
    """The counts of the ModApte split and of its largest topics beside those of the thesis."""
    split = collection.truth["split"]
    topics = collection.truth["topics"]
    train, test = (np.flatnonzero(split == part) for part in ("train", "test"))
    held = [{name for at in part for name in topics[at]} for part in (train, test)]
    counted = dict(
        zip(MODAPTE, (len(train), len(test), len(held[0]), len(held[0] & held[1])), strict=True)
    )
    for name, count in counted.items():
        ledger.add("ModApte split", name, "Reuters-21578", float(count), MODAPTE[name])
    shares = {
        name: 100.0 * sum(name in topics[at] for at in train) / max(len(train), 1)
        for name in LARGEST
    }
    for name, share in shares.items():
        ledger.add(
            "ModApte split", f"{name}, % of stories to train", "Reuters-21578", share, LARGEST[name]
        )
    ledger.relate("Reuters: 9,603 stories to train and 3,299 to test", counted == MODAPTE)
    ledger.relate("Reuters: the ten largest topics as in table 3.1", _same(shares, LARGEST))


def _same(ours: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    return all(abs(ours[name] - theirs[name]) < 0.0501 for name in theirs)


EXPERIMENT = Experiment(
    name=NAME,
    title="Few labels: representations learned from unlabeled text against TFIDF",
    work="Keller 2006",
    table="figures 4.3, 4.4",
    needs=(NEWS, REUTERS),
    minutes=10,
    seeds=5,
    run=run,
)
