"""nntr-ranks: sentences find the documents they were taken from, by words, by topics and by a network (Keller 2006, 5.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coterie.core.errors import MissingExtra
from coterie.core.findings import Bars
from coterie.core.random import stream
from coterie.judge.significance import mcnemar
from coterie.organize.retrieval.combined import GRID
from coterie.parts.nntr import weighted
from coterie.parts.term_weights import by_column
from coterie.represent.lsa import LSA
from coterie.represent.nntr import NNTR
from coterie.represent.plsa import PLSA
from coterie.represent.terms import Terms
from coterie_papers.experiment import Experiment, Ledger, Row, Trial
from coterie_papers.row_figures import bars
from coterie_papers.sentence_queries import FIRST, REUTERS, Asked, mixed, texts_of, tuned
from coterie_papers.text_data import NEWS, NEWS_FILE, kept

NAME = "nntr-ranks"
TFIDF = "TFIDF cosine"
LENGTH = "document length"
WORDS = "NNTR-W"
PLSA_ = "PLSA 50"
MEASURE = f"right document in first {FIRST}"
PAPER = {
    "NNTR-W": 0.20,
    "NNTR-P": 0.10,
    PLSA_: 0.10,
}  # RCV1, read off a figure ("about"); it has no bag of words
_SIZES = {
    False: (100_000, 1300, 5),
    True: (1200, 200, 3),
}  # quick -> documents to train on at most, to ask, least df
# of NNTR; of PLSA's EM
_QUICK_ROUNDS = 4
_STEPS = {False: 50, True: 10}
_ELSEWHERE = "paper, about, on RCV1"
_WITH = " + TFIDF"
_LEVEL = 0.05
_MOST_SECONDS = 15 * 60  # of training and scoring one network
NETS: dict[str, dict[str, Any]] = {  # of NNTR, ours first; the last two as in the source
    "NNTR-W": {},
    "NNTR-P": {"loss": "logistic", "word_power": 1.0},
    "NNTR-W, eq. 5.3, 10 units": {
        "word_power": 0.0,
        "negatives": "uniform",
        "n_units": 10,
        "n_hidden": 10,
    },
    "NNTR-P, all pairs, 10 units": {
        "loss": "logistic",
        "word_power": 1.0,
        "negatives": "uniform",
        "balanced": False,
        "n_units": 10,
        "n_hidden": 10,
    },
}


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What all methods get: counts to learn from, development and test queries, and the terms."""

    name: str
    terms: Terms
    counts: Any
    development: Asked
    test: Asked
    seed: int
    quick: bool

    @property
    def where(self) -> str:
        """What the finished pieces of this bench are kept under: whatever a result depends on but the method."""
        learned = f"{self.counts.shape[0]} documents of {self.counts.shape[1]} words, least df {_SIZES[self.quick][2]}"
        asked = f"{len(self.development)} and {len(self.test)} queries"
        return f"{self.name}, {'quick' if self.quick else 'whole'}, {learned}, {asked}, seed {self.seed}"


def run(trial: Trial, ledger: Ledger) -> None:
    """Newsgroups and, where the files are there, Reuters: every method alone and together with TFIDF."""
    for title, name, here in (
        ("20 Newsgroups", NEWS, trial.has(NEWS, NEWS_FILE)),
        ("Reuters-21578", REUTERS, trial.has(REUTERS)),
    ):
        if not here:
            ledger.skip(
                f"{title}: the data set '{name}' is not here (give its parent folder with --data or COTERIE_DATA)."
            )
            continue
        texts = texts_of(trial, name)
        runs = [
            asked_on(ledger, bench(title, texts, seed, trial.quick)) for seed in range(trial.seeds)
        ]
        told(runs, title, ledger, trial.quick)


def bench(name: str, texts: list[str], seed: int, quick: bool) -> Bench:
    """The texts cut into those to learn from, and as many for development as for the test; the dictionary is of the first."""
    most, part, least = _SIZES[quick]
    part = min(part, len(texts) // 5)
    order = stream(seed, 1).permutation(len(texts))
    mine = [texts[at] for at in order]
    terms = Terms(weights="tf", min_df=least)
    taught = mine[2 * part : 2 * part + most]
    terms.fit(taught)
    asked = [Asked.of(mine[a : a + part], terms, stream(seed, 2, a)) for a in (0, part)]
    return Bench(name, terms, terms.counts(taught), asked[0], asked[1], seed, quick)


def settings_of(name: str, quick: bool) -> str:
    """The settings of a method in words, for what is kept of it; of a network also those that were not named."""
    if name == PLSA_:
        return f"{_STEPS[quick]} steps"
    return str(NNTR(**_net_settings(name, quick)).get_params()) if name in NETS else ""


def _net_settings(name: str, quick: bool) -> dict[str, Any]:
    return {**NETS[name], **({"max_iter": _QUICK_ROUNDS} if quick else {})}


def ways(b: Bench) -> dict[str, Callable[[], dict[str, np.ndarray]]]:
    """Every method by name: a function that learns it and gives scores of development and test queries."""
    idf = b.terms.idf_
    found: dict[str, Callable[[], dict[str, np.ndarray]]] = {
        TFIDF: partial(_cosines, b, lambda counts: by_column(counts, idf)),
        LENGTH: partial(_lengths, b),
        "LSA 10": partial(_lsa, b, 10),
        "LSA 50": partial(_lsa, b, 50),
        PLSA_: partial(_plsa, b, _STEPS[b.quick]),
    }
    nets = list(NETS)[:2] if b.quick else list(NETS)
    return found | {name: partial(_net, b, _net_settings(name, b.quick)) for name in nets}


def _cosines(b: Bench, vectors: Callable[[Any], Any]) -> dict[str, np.ndarray]:
    return {"development": b.development.cosines(vectors), "test": b.test.cosines(vectors)}


def _lengths(b: Bench) -> dict[str, np.ndarray]:
    """The log of the number of words, whatever the query: a control, since long documents give more queries."""
    found = {}
    for name, asked in (("development", b.development), ("test", b.test)):
        sizes, own = (
            np.log1p(np.asarray(counts.sum(axis=1)).ravel())
            for counts in (asked.documents, asked.rest)
        )
        found[name] = asked.with_own(np.broadcast_to(sizes, (len(asked), len(sizes))), own)
    return found


def _lsa(b: Bench, size: int) -> dict[str, np.ndarray]:
    model = LSA(n_components=size, random_state=b.seed).fit(weighted(b.counts, b.terms.idf_))
    return _cosines(b, lambda counts: model.transform(weighted(counts, b.terms.idf_)))


def _plsa(b: Bench, steps: int) -> dict[str, np.ndarray]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the number of steps is set, as in the source
        model = PLSA(n_topics=50, max_iter=steps, random_state=b.seed).fit(b.counts)
    return _cosines(b, model.transform)


def _net(b: Bench, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    model = NNTR(random_state=b.seed, **settings).fit(b.counts)
    found = {}
    for name, asked in (("development", b.development), ("test", b.test)):
        own = model.paired_relevance(asked.queries, asked.rest)
        found[name] = asked.with_own(model.relevance(asked.queries, asked.documents), own)
    return {**found, "auc": np.array(held_out_auc(model, b.test.documents, stream(b.seed, 3)))}


def held_out_auc(model: NNTR, documents: Any, generator: np.random.Generator) -> float:
    """How often a word of a held-out document scores higher there than in another document that does not have it.

    The other documents are those of the other words drawn, so that both sides are equally long and length tells nothing.
    """
    owners = np.repeat(np.arange(documents.shape[0]), np.diff(documents.indptr))
    at = generator.permutation(len(owners))[:5000]
    words = documents.indices[at]
    mine = owners[at]
    other = generator.permutation(mine)
    good = np.asarray(documents[other, words]).ravel() == 0
    words = words[good]
    mine = mine[good]
    other = other[good]
    here = model.pair_scores(words, documents[mine])
    there = model.pair_scores(words, documents[other])
    return float(np.mean(here > there) + 0.5 * np.mean(here == there))


@dataclass(slots=True, eq=False)
class Ranked:
    """What a method found of the test queries, alone and together with TFIDF, the weight of TFIDF there, and more numbers."""

    alone: np.ndarray
    together: np.ndarray
    weight: float
    ends: bool  # whether the weight found is on development queries no worse than either end
    seconds: float
    auc: float | None


def asked_on(ledger: Ledger, b: Bench) -> dict[str, Ranked]:
    """Every method on one bench; a network that needs a library which is not here is left out, with a sentence."""
    found: dict[str, Ranked] = {}
    words: Mapping[str, np.ndarray] = {}
    for name, make in ways(b).items():
        try:
            scores = kept(f"{NAME}/{b.where}", f"{name} {settings_of(name, b.quick)}", b.seed, make)
        except MissingExtra as error:
            ledger.skip(f"{name}: {error}")
            continue
        words = words or scores
        weight, shares = tuned(b.development, words["development"], scores["development"])
        both = b.test.found(mixed(words["test"], scores["test"], weight))
        ends = shares[np.searchsorted(GRID, weight)] >= max(shares[0], shares[-1])
        auc = float(scores["auc"]) if "auc" in scores else None
        found[name] = Ranked(
            b.test.found(scores["test"]), both, weight, bool(ends), float(scores["seconds"]), auc
        )
    return found


def told(runs: list[dict[str, Ranked]], data: str, ledger: Ledger, quick: bool = False) -> None:
    """The rows and relations of one data set; a network trained for moments (quick) is asked for no relation."""
    for name in runs[0]:
        mine = [one[name] for one in runs]
        ledger.add(
            name,
            MEASURE,
            data,
            [float(one.alone.mean()) for one in mine],
            PAPER.get(name),
            _ELSEWHERE,
        )
        if name != TFIDF:
            ledger.add(
                f"{name}{_WITH}", MEASURE, data, [float(one.together.mean()) for one in mine]
            )
            ledger.add(f"{name} + TFIDF", "weight of TFIDF", data, [one.weight for one in mine])
            p = mcnemar(*_joined(runs, name, True, TFIDF, False)).p_value
            ledger.add(f"{name} + TFIDF against TFIDF", "McNemar p", data, p)
        if mine[0].auc is not None:
            ledger.add(name, "held-out AUC", data, [float(one.auc or 0) for one in mine])
            ledger.add(name, "seconds", data, [one.seconds for one in mine])
    for first, second in ((WORDS, "NNTR-P"), (WORDS, PLSA_), ("LSA 50", PLSA_)):
        if first in runs[0]:
            p = mcnemar(*_joined(runs, first, False, second, False)).p_value
            ledger.add(f"{first} against {second}, alone", "McNemar p", data, p)
    text = f"{data}: the weight found on development queries is there no worse than either method alone"
    ledger.relate(text, all(one.ends for run in runs for one in run.values()))
    if WORDS in runs[0] and not quick:
        _related(runs, data, ledger)


def _joined(
    runs: list[dict[str, Ranked]], one: str, both: bool, other: str, other_both: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Which queries either finds, over all seeds."""
    return (
        np.concatenate([run[one].together if both else run[one].alone for run in runs]),
        np.concatenate([run[other].together if other_both else run[other].alone for run in runs]),
    )


def _related(runs: list[dict[str, Ranked]], data: str, ledger: Ledger) -> None:
    """What should hold of NNTR-W."""
    together, words = _joined(runs, WORDS, True, TFIDF, False)
    p = mcnemar(together, words).p_value
    text = f"{data}: NNTR-W with TFIDF finds more than TFIDF alone ({together.mean():.3f}, {words.mean():.3f}, p = {p:.2g})"
    ledger.relate(text, bool(together.mean() > words.mean() and p < _LEVEL))
    together, length = _joined(runs, WORDS, True, LENGTH, True)
    text = f"{data}: ... and more than TFIDF with the length of documents ({together.mean():.3f}, {length.mean():.3f})"
    ledger.relate(text, bool(together.mean() > length.mean()))
    alone = _joined(runs, WORDS, False, TFIDF, False)
    text = f"{data}: alone NNTR-W finds less than TFIDF, as in 5.2.2 ({alone[0].mean():.3f}, {alone[1].mean():.3f})"
    ledger.relate(text, bool(alone[0].mean() < alone[1].mean()))
    if "NNTR-P" in runs[0]:
        alone = _joined(runs, WORDS, False, "NNTR-P", False)
        shown = f"{alone[0].mean():.3f}, {alone[1].mean():.3f}; about .20 and .10 in the source"
        text = f"{data}: alone NNTR-W finds more than NNTR-P, as in 5.2.1 ({shown})"
        ledger.relate(
            text, bool(alone[0].mean() > alone[1].mean() and mcnemar(*alone).p_value < _LEVEL)
        )
    together, words = _joined(runs, PLSA_, True, TFIDF, False)
    text = f"{data}: PLSA with TFIDF finds more than TFIDF alone, as in 5.2.2 ({together.mean():.3f}, {words.mean():.3f})"
    ledger.relate(
        text, bool(together.mean() > words.mean() and mcnemar(together, words).p_value < _LEVEL)
    )
    auc = float(np.mean([run[WORDS].auc for run in runs]))
    ledger.relate(f"{data}: held-out AUC of NNTR-W above .55 ({auc:.3f})", auc > 0.55)
    longest = max(run[WORDS].seconds for run in runs)
    text = f"{data}: NNTR-W is trained and asked in under 15 minutes ({longest / 60:.1f})"
    ledger.relate(text, longest < _MOST_SECONDS)


def figures(rows: Sequence[Row]) -> list[Bars]:
    """The figure of 5.2.1, and what each method adds to TFIDF."""
    alone = bars(
        rows,
        "Alone (as in the figure of 5.2.1)",
        MEASURE,
        lambda name: None if name.endswith(_WITH) else name,
    )
    both = bars(
        rows,
        "Together with TFIDF",
        MEASURE,
        lambda name: name if name == TFIDF or name.endswith(_WITH) else None,
    )
    return [*alone, *both]


EXPERIMENT = Experiment(
    name=NAME,
    title="Sentences find their documents: words, topics and a network of words in documents",
    work="Keller 2006",
    table="figure of 5.2.1",
    needs=(NEWS, REUTERS),
    minutes=12,
    seeds=1,
    run=run,
    figures=figures,
)
