"""Shapes of SIC's scores: like and unlike pairs under the binary, EM, weighted and randomized scores (figures 6 to 9)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import kstest

from coterie.core.findings import Lines
from coterie.judge import separation
from coterie.parts.pairwise import dense
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.sic_collections import Bed, beds, whole

_BINS = 40
_SPLIT = 30  # iterations at which EM and the binary score are compared, as in figure 7
_SCORES = {
    "binary": None,
    "EM": "posterior",
    "weighted": "weighted",
    "weighted, randomized": "weighted_var",
}


def run(trial: Trial, ledger: Ledger) -> None:
    """Per collection: how far like and unlike pairs stand apart early, and how unlike pairs lie under each score later."""
    n = 60 if trial.quick else 300
    for bed in beds(trial, ledger):
        early = [whole(bed, _SPLIT, seed) for seed in range(trial.seeds)]
        gaps = {
            name: [_gap(fit.similarity(_SCORES[name]), bed) for fit in early]
            for name in ("binary", "EM")
        }
        mean = {
            name: ledger.add(name, f"gap at N={_SPLIT}", bed.name, values)
            for name, values in gaps.items()
        }
        text = f"{bed.name}: the EM score splits like and unlike pairs further ({mean['EM']:.2f}) than the binary one"
        ledger.relate(
            f"{text} ({mean['binary']:.2f}) at N={_SPLIT} (figure 7)", mean["EM"] > mean["binary"]
        )
        _shapes(trial, ledger, bed, n)


def _shapes(trial: Trial, ledger: Ledger, bed: Bed, n: int) -> None:
    fits = [whole(bed, n, seed) for seed in range(trial.seeds)]
    far: dict[str, list[float]] = {"weighted": [], "weighted, randomized": []}
    peaks = []
    for at, fit in enumerate(fits):
        for name in far:
            like, unlike = pairs(fit.similarity(_SCORES[name]), bed.truth)
            far[name].append(from_normal(unlike))
            if name == "weighted":
                peaks.append(peak(unlike))
            if at == 0:
                ledger.draw(shapes(f"{bed.name}: {name} score, N={n}", like, unlike))
    top = ledger.add("weighted", f"peak of unlike pairs at N={n}", bed.name, peaks)
    ledger.relate(
        f"{bed.name}: unlike pairs peak below zero under the weighted score ({top:.3f}) (figure 8)",
        top < 0,
    )
    name = f"distance of unlike pairs from a normal law at N={n}"
    plain, drawn = (ledger.add(score, name, bed.name, values) for score, values in far.items())
    text = f"{bed.name}: randomized, the weighted score is nearer to a normal law ({drawn:.3f}) than without ({plain:.3f})"
    ledger.relate(f"{text} (figure 9)", drawn < plain)


def _gap(affinity: Any, bed: Bed) -> float:
    return float(separation(affinity, bed.truth).d_prime)


def pairs(affinity: Any, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scores of like and of unlike pairs, each pair once; pairs that never met are left out."""
    one, other = np.triu_indices(len(truth), 1)
    values = np.asarray(dense(affinity).values)[one, other]
    known = np.isfinite(values)
    same = truth[one] == truth[other]
    return values[known & same], values[known & ~same]


def from_normal(values: np.ndarray) -> float:
    """How far the law of some values is from the normal one of their mean and spread (Kolmogorov)."""
    return float(kstest((values - values.mean()) / (values.std() or 1.0), "norm").statistic)


def peak(values: np.ndarray) -> float:
    """The middle of the fullest of equal bins."""
    counts, edges = np.histogram(values, bins=_BINS)
    at = int(counts.argmax())
    return float(edges[at : at + 2].mean())


def shapes(title: str, like: np.ndarray, unlike: np.ndarray) -> Lines:
    """Shares of like and of unlike pairs in equal bins of the score."""
    edges = np.linspace(min(like.min(), unlike.min()), max(like.max(), unlike.max()), _BINS + 1)
    lines = {
        name: tuple((np.histogram(values, bins=edges)[0] / len(values)).tolist())
        for name, values in (("like pairs", like), ("unlike pairs", unlike))
    }
    return Lines(
        title, tuple(((edges[1:] + edges[:-1]) / 2).tolist()), lines, "score", "share of the pairs"
    )


EXPERIMENT = Experiment(
    name="sic-scores",
    title="SIC: how the scores of like and unlike pairs are spread",
    work="SIC",
    table="figures 6 to 9",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=2,
    seeds=3,
    run=run,
    also=("digits (scikit-learn)",),
)
