"""Expected Performance Curves: two Gaussians whose curve is known, and classifiers of newsgroups beside their ROC curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from coterie.core.findings import Lines
from coterie.core.links import MEMBERS
from coterie.core.random import stream
from coterie.experiments.experiment import Experiment, Ledger, Trial
from coterie.experiments.text_data import WORDS, newsgroups
from coterie.judge import auc, break_even, equal_error, expected_areas, expected_performance, roc
from coterie.parts.thresholds import cut

ALPHAS = np.round(np.arange(1, 10) / 10, 1)
KNOWN = {0.1: 0.2786, 0.2: 0.2123, 0.3: 0.1797, 0.4: 0.1636, 0.5: 0.1587}
NEARLY = 0.0063  # by which 10^5 + 10^5 scores per set lay off the law in the specification
_SHIFT = 2.0
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
            expected_performance(clients(n, seed, 0), clients(n, seed, 1), rates="far-frr", alphas=ALPHAS).curve.y
            for seed in range(runs)
        ]
    )
    data = f"N(2,1) against N(0,1), {n} + {n} per set"
    for at, alpha in enumerate(ALPHAS):
        ledger.add("EPC", f"HTER at alpha {alpha:g}", data, found[:, at].tolist(), KNOWN.get(round(min(alpha, 1 - alpha), 1)))
    law = hter_of_law(ALPHAS)
    worst = float(np.abs(found.mean(axis=0) - law).max())
    allowed = NEARLY * (100_000 / n) ** (1 / 3)  # the best cut of a sample scatters with the cube root of its size
    text = f"the mean HTER of {runs} runs is within {allowed:.4f} of the law at every alpha (at most {worst:.4f} off)"
    ledger.relate(text, worst <= allowed)
    off = max(abs(hter_of_law(np.array([alpha]))[0] - known) for alpha, known in KNOWN.items())
    ledger.relate(f"the printed values are those of the law (at most {off:.5f} off)", off < 6e-5)
    pictured = {"law": tuple(law.tolist()), **{f"seed {seed}": tuple(row.tolist()) for seed, row in enumerate(found[:2])}}
    ledger.draw(Lines("Expected performance of two Gaussians", tuple(ALPHAS.tolist()), pictured, "alpha", "HTER"))


def _relations(trial: Trial, ledger: Ledger) -> None:
    n = 500 if trial.quick else 5_000
    dev, test = clients(n, 100, 0), clients(n, 100, 1)
    areas = expected_areas(test, test, rates="tpr-tnr", low=0.0, high=1.0)
    expected = (auc(*test) + 0.5) / 2
    ledger.add("areas", "G with test as development", f"{n} + {n}", areas.both, expected)
    text = f"with thresholds from the test set G of TPR and TNR is (AUC + 1/2)/2 ({areas.both:.5f} and {expected:.5f})"
    ledger.relate(text, abs(areas.both - expected) < 1 / n)
    plain, mapped = (expected_performance(_map(dev, m), _map(test, m), rates="far-frr").curve.y for m in (False, True))
    ledger.relate("a rising straight map of all scores changes nothing", bool(np.array_equal(plain, mapped)))
    best, other = (expected_performance(d, test, rates="far-frr") for d in (test, dev))
    alphas = best.curve.x
    cost = [alphas * one.first + (1 - alphas) * one.second for one in (best, other)]
    ledger.relate("with test as development the criterion is smallest everywhere", bool((cost[0] <= cost[1] + 1e-12).all()))


def _map(scores: Scores, mapped: bool) -> Scores:
    return (4.0 * scores[0] - 8.0 if mapped else scores[0]), scores[1]


def _newsgroups(trial: Trial, ledger: Ledger) -> None:
    """Linear and Gaussian SVMs on pairs of like newsgroups: the curve that tunes on the test beside the one that does not."""
    tied = newsgroups(trial, ledger)
    if tied is None:
        return
    counts = tied.links.tables[MEMBERS, WORDS].counts.tocsr()
    for one, other in _TOPICS[:1] if trial.quick else _TOPICS:
        rows = np.flatnonzero(np.isin(tied.truth, (one, other)))
        x, y = counts[rows], tied.truth[rows] == one
        order = stream(0, len(rows)).permutation(len(rows))
        fit, dev, test = np.split(order, [len(order) // 10, len(order) // 2])
        pictured: dict[str, tuple[float, ...]] = {}
        for name, scores in _classifiers(x, y, fit).items():
            _told(ledger, name, f"{one} / {other}", (scores, y), (dev, test), pictured)
        ledger.draw(Lines(f"{one} against {other}", tuple(np.round(np.arange(5, 96) / 100, 2)), pictured, "alpha", "F1"))


def _classifiers(x: Any, y: np.ndarray, fit: np.ndarray) -> dict[str, np.ndarray]:
    """Scores of every document by two classifiers fitted to a tenth of them."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import SVC, LinearSVC

    weights = TfidfTransformer().fit_transform(x)
    weights.indices, weights.indptr = weights.indices.astype(np.int32), weights.indptr.astype(np.int32)  # what SVC takes
    made = {"linear SVM": LinearSVC(), "Gaussian SVM": SVC(gamma=1.0)}
    return {name: model.fit(weights[fit], y[fit]).decision_function(weights) for name, model in made.items()}


def _told(ledger: Ledger, name: str, data: str, judged: Scores, parts: Scores, pictured: dict[str, tuple[float, ...]]) -> None:
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
    "epc", "Expected Performance Curves: the known curve of two Gaussians, and newsgroups beside their ROC", "Keller 2006",
    "section 3.3.3, algorithm 3.1", ("newsgroups20",), 1.0, 5, run,
)  # fmt: skip
