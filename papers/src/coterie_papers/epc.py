"""Expected Performance Curves: two Gaussians whose curve is known, and classifiers of newsgroups beside their ROC curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from coterie.core.findings import Lines
from coterie.core.links import MEMBERS
from coterie.core.random import stream
from coterie.judge import auc, break_even, equal_error, expected_areas, expected_performance, roc
from coterie.parts.thresholds import cut
from coterie.show.lines import Ruled
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.text_data import WORDS, newsgroups

ALPHAS = np.round(np.arange(1, 10) / 10, 1)
KNOWN = {0.1: 0.2786, 0.2: 0.2123, 0.3: 0.1797, 0.4: 0.1636, 0.5: 0.1587}
NEARLY = 0.0063  # by which 10^5 + 10^5 scores per set lay off the law in the specification
_SHIFT = 2.0
_RATES = np.round(np.arange(201) / 200, 3)  # false positive rates at which a ROC curve is drawn
_TOPICS = (
    ("comp.graphics", "comp.windows.x"),
    ("rec.autos", "rec.motorcycles"),
    ("talk.religion.misc", "soc.religion.christian"),
)
Scores = tuple[np.ndarray, np.ndarray]


def run(trial: Trial, ledger: Ledger) -> None:
    """Gaussians of known curve, the relations of section 13, and pairs of newsgroups."""
    _gaussians(trial, ledger)
    _relations(trial, ledger)
    _newsgroups(trial, ledger)


def clients(n: int, seed: int, part: int) -> Scores:
    """Scores of n clients, N(2, 1), and n impostors, N(0, 1)."""
    values = stream(seed, part, n).normal(size=2 * n)
    values[:n] += _SHIFT
    return values, np.arange(2 * n) < n


def hter_of_law(alphas: np.ndarray) -> np.ndarray:
    """The half total error rate at the best threshold of the law, 1 + log(alpha / (1 - alpha)) / 2."""
    theta = _SHIFT / 2 + np.log(alphas / (1 - alphas)) / _SHIFT
    return np.asarray((stats.norm.sf(theta) + stats.norm.cdf(theta - _SHIFT)) / 2)


def _gaussians(trial: Trial, ledger: Ledger) -> None:
    n = 20_000 if trial.quick else 100_000
    runs = max(trial.seeds, 2)
    found = np.array(
        [
            expected_performance(
                clients(n, seed, 0), clients(n, seed, 1), rates="far-frr", alphas=ALPHAS
            ).curve.y
            for seed in range(runs)
        ]
    )
    data = f"N(2,1) against N(0,1), {n} + {n} per set"
    for at, alpha in enumerate(ALPHAS):
        ledger.add(
            "EPC",
            f"HTER at alpha {alpha:g}",
            data,
            found[:, at].tolist(),
            KNOWN.get(round(min(alpha, 1 - alpha), 1)),
        )
    law = hter_of_law(ALPHAS)
    worst = float(np.abs(found.mean(axis=0) - law).max())
    scatter = (100_000 / n) ** (
        1 / 3
    ) / runs**0.5  # the best cut of a sample scatters with the cube root of its size
    allowed = NEARLY * scatter
    text = f"the mean HTER of {runs} runs is within {allowed:.4f} of the law at every alpha (at most {worst:.4f} off)"
    ledger.relate(text, worst <= allowed)
    off = max(abs(hter_of_law(np.array([alpha]))[0] - known) for alpha, known in KNOWN.items())
    ledger.relate(f"the printed values are those of the law (at most {off:.5f} off)", off < 6e-5)
    pictured = {
        "law": tuple(law.tolist()),
        **{f"seed {seed}": tuple(row.tolist()) for seed, row in enumerate(found[:2])},
    }
    title = "Expected performance of two Gaussians"
    told = f"N(2, 1) against N(0, 1), {n:,} + {n:,} scores per set."
    ledger.draw(
        Ruled(
            title, tuple(ALPHAS.tolist()), pictured, "alpha", "HTER", sentence=told, from_zero=True
        )
    )


def _relations(trial: Trial, ledger: Ledger) -> None:
    n = 500 if trial.quick else 5_000
    dev = clients(n, 100, 0)
    test = clients(n, 100, 1)
    areas = expected_areas(test, test, rates="tpr-tnr", low=0.0, high=1.0)
    expected = (auc(*test) + 0.5) / 2
    ledger.add("areas", "G with test as development", f"{n} + {n}", areas.both, expected)
    text = f"with thresholds from the test set G of TPR and TNR is (AUC + 1/2)/2 ({areas.both:.5f} and {expected:.5f})"
    ledger.relate(text, abs(areas.both - expected) < 1 / n)
    _maps(ledger, clients(20, 100, 0), test)
    best, other = (expected_performance(d, test, rates="far-frr") for d in (test, dev))
    alphas = best.curve.x
    cost = [alphas * one.first + (1 - alphas) * one.second for one in (best, other)]
    ledger.relate(
        "with test as development the criterion is smallest everywhere",
        bool((cost[0] <= cost[1] + 1e-12).all()),
    )


def _maps(ledger: Ledger, dev: Scores, test: Scores) -> None:
    """What rising maps of all scores do: thresholds are midpoints of development scores, which a bent map moves.

    The fewer development scores there are, the farther apart they lie and the more it shows.
    """
    told = {}
    rising: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "none": lambda scores: scores,
        "straight": lambda scores: 4.0 * scores - 8.0,
        "bent": np.exp,
    }
    for name, rises in rising.items():
        moved = [(rises(scores), truth) for scores, truth in (dev, test)]
        told[name] = [expected_performance(one, moved[1], rates="far-frr").curve.y for one in moved]
    ledger.relate(
        "a rising straight map of all scores changes nothing",
        bool(np.array_equal(told["none"][0], told["straight"][0])),
    )
    off = float(np.abs(told["none"][0] - told["bent"][0]).max())
    text = (
        "a bent rising map (exp) changes nothing where the test data are the development data; with others test scores may cross "
        f"the midpoint of two development scores (with {len(dev[0])} of them HTER moved by up to {off:.4f})"
    )
    ledger.relate(text, bool(np.array_equal(told["none"][1], told["bent"][1])))


def _newsgroups(trial: Trial, ledger: Ledger) -> None:
    """Linear and Gaussian SVMs on pairs of like newsgroups: the curve that tunes on the test beside the one that does not."""
    tied = newsgroups(trial, ledger)
    if tied is None:
        return
    counts = tied.links.tables[MEMBERS, WORDS].counts.tocsr()
    for one, other in _TOPICS[:1] if trial.quick else _TOPICS:
        rows = np.flatnonzero(np.isin(tied.truth, (one, other)))
        x = counts[rows]
        y = tied.truth[rows] == one
        order = stream(0, len(rows)).permutation(len(rows))
        fit, dev, test = np.split(order, [len(order) // 10, len(order) // 2])
        scored = _classifiers(x, y, fit)
        pictured: dict[str, tuple[float, ...]] = {}
        for name, scores in scored.items():
            _told(ledger, name, f"{one} / {other}", (scores, y), (dev, test), pictured)
        told = f"F1 on {len(test):,} test documents at thresholds chosen on {len(dev):,} others, for each trade-off alpha."
        places = tuple(np.round(np.arange(5, 96) / 100, 2).tolist())
        ledger.draw(
            Ruled(
                f"{one} against {other}",
                places,
                pictured,
                "alpha",
                "F1",
                sentence=told,
                from_zero=True,
            )
        )
        ledger.draw(
            _roc(
                f"{one} against {other}: ROC",
                {name: (scores[test], y[test]) for name, scores in scored.items()},
            )
        )


def _roc(title: str, tests: dict[str, Scores]) -> Lines:
    """The ROC curves that stand beside the expected ones: every threshold is taken from the test documents themselves."""
    curves = {name: roc(*one) for name, one in tests.items()}
    lines = {name: tuple(curve.at(_RATES).tolist()) for name, curve in curves.items()} | {
        "chance": tuple(_RATES.tolist())
    }
    areas = ", ".join(f"{name} {curve.area():.3f}" for name, curve in curves.items())
    told = f"Every threshold of the test documents. Areas: {areas}."
    axes = ("false positive rate", "true positive rate")
    return Ruled(title, tuple(_RATES.tolist()), lines, *axes, sentence=told, from_zero=True)


def _classifiers(x: Any, y: np.ndarray, fit: np.ndarray) -> dict[str, np.ndarray]:
    """Scores of every document by two classifiers fitted to a tenth of them."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import SVC, LinearSVC

    weights = TfidfTransformer().fit_transform(x)
    # what SVC takes
    weights.indices = weights.indices.astype(np.int32)
    weights.indptr = weights.indptr.astype(np.int32)
    made = {"linear SVM": LinearSVC(), "Gaussian SVM": SVC(gamma=1.0)}
    return {
        name: model.fit(weights[fit], y[fit]).decision_function(weights)
        for name, model in made.items()
    }


def _told(
    ledger: Ledger,
    name: str,
    data: str,
    judged: Scores,
    parts: Scores,
    pictured: dict[str, tuple[float, ...]],
) -> None:
    """Rows of one classifier: what the test data say of themselves, and what thresholds chosen before bring."""
    scores, truth = judged
    dev, test = ((scores[part], truth[part]) for part in parts)
    found = expected_performance(dev, test)
    pictured[name] = tuple(found.curve.y.tolist())
    at = float(found.curve.at([0.5])[0])
    ledger.add(name, "AUC", data, roc(*test).area())
    ledger.add(name, "EER", data, equal_error(*test).value)
    ledger.add(name, "break-even point (tuned on test)", data, break_even(*test).value)
    ledger.add(name, "F1 at alpha .5 (EPC)", data, at)
    ledger.add(name, "largest F1 (tuned on test)", data, float(cut(*test).f1.max()))
    ledger.add(name, "G, P and R from .5", data, expected_areas(dev, test, low=0.5, high=1.0).both)


EXPERIMENT = Experiment(
    "epc",
    "Expected Performance Curves: the known curve of two Gaussians, and newsgroups beside their ROC",
    "Keller 2006",
    "section 3.3.3, algorithm 3.1",
    ("newsgroups20",),
    1.0,
    5,
    run,
    beside="the law",
)
