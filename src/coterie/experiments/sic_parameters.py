"""Two kinds of pairs seen in the codes alone: EM and the independence estimate against the truth (figure 5, table of 8.2)."""

from __future__ import annotations

import numpy as np

from coterie.compare.sic.calibration import levels
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.scores import Weighted
from coterie.core.findings import Lines
from coterie.experiments.experiment import Experiment, Ledger, Trial
from coterie.experiments.sic_collections import Bed, beds, true_rates, whole
from coterie.judge import separation

_PAPER = {"truth": (0.798, 0.0263, 0.148), "EM": (0.859, 0.0165, 0.260), "independence": (None, 0.0607, None)}
_NAMES = ("share of unlike pairs", "one code if unlike (p0)", "one code if like (p1)")


def run(trial: Trial, ledger: Ledger) -> None:
    """Per collection: truth, EM and independence side by side, then H5 and H6."""
    for bed in beds(trial, ledger):
        fits = [whole(bed, 60, seed) for seed in range(trial.seeds)]
        found: dict[str, list[tuple[float, float, float]]] = {"truth": [], "EM": [], "independence": []}
        for fit in fits:
            pi0, p0, p1 = true_rates(fit.codes_, bed.truth)
            mixture = fit.mixture_
            found["truth"].append((pi0, float(np.nanmean(p0)), float(np.nanmean(p1))))
            found["EM"].append((mixture.pi0, *mixture.means()))
            found["independence"].append((np.nan, float(np.nanmean(fit.codes_.rates())), np.nan))
        _tell(ledger, bed, found)
        _gaps(trial, ledger, bed)
        _centre(ledger, bed, fits[0])
        ledger.draw(_picture(bed, fits[0]))


def _tell(ledger: Ledger, bed: Bed, found: dict[str, list[tuple[float, float, float]]]) -> None:
    mean = {}
    for method, rows in found.items():
        for at, name in enumerate(_NAMES):
            values = [row[at] for row in rows]
            if not np.isnan(values).any():
                mean[method, at] = ledger.add(method, name, bed.name, values, paper=_PAPER[method][at])
    gap = {method: abs(mean[method, 1] - mean["truth", 1]) for method in ("EM", "independence")}
    ledger.relate(
        f"{bed.name}: EM is nearer to the true p0 ({gap['EM']:.4f} off) than independence ({gap['independence']:.4f} off) (H5)",
        gap["EM"] < gap["independence"],
    )
    ledger.relate(
        f"{bed.name}: the independence estimate is not below the true p0 (H6)", mean["independence", 1] >= mean["truth", 1]
    )


def _gaps(trial: Trial, ledger: Ledger, bed: Bed) -> None:
    """How far like and unlike pairs stand apart, in pooled standard deviations, after 10, 30 and 60 iterations."""
    for n in (10, 30, 60):
        fits = [whole(bed, n, seed) for seed in range(trial.seeds)]
        plain = ledger.add("k/t", f"gap at N={n}", bed.name, [separation(f.affinity_, bed.truth).d_prime for f in fits])
        gaps = [separation(f.similarity("posterior"), bed.truth).d_prime for f in fits]
        odds = ledger.add("EM", f"gap at N={n}", bed.name, gaps)
        if n == 30:
            said = f"{bed.name}: EM separates pairs further ({odds:.2f}) than k/t ({plain:.2f}) at N=30 (H5)"
            ledger.relate(said, odds > plain)


def _centre(ledger: Ledger, bed: Bed, fit: object) -> None:
    """The weighted score of unlike pairs is not centred, by as much as the formula says."""
    codes = fit.codes_  # type: ignore[attr-defined]
    _, p0, _ = true_rates(codes, bed.truth)
    rate = codes.rates()
    a, b = levels(rate)
    predicted = float(np.mean(p0 * a + (1 - p0) * b))
    seen = separation(Weighted().affinity(codes), bed.truth).between_mean
    ledger.add("weighted", "mean of unlike pairs", bed.name, seen)
    ledger.add("weighted", "the same, predicted", bed.name, predicted)
    ledger.relate(
        f"{bed.name}: unlike pairs have the predicted negative mean ({seen:.3f}, predicted {predicted:.3f}) (H6)",
        abs(seen - predicted) <= 0.02 and seen < 0,
    )


def _picture(bed: Bed, fit: SIC) -> Lines:
    """Figure 5: how often pairs get one code in every iteration, by the truth and as it is estimated."""
    _, p0, p1 = true_rates(fit.codes_, bed.truth)
    order = np.argsort(p0, kind="stable")
    curves = {
        "like, truth": p1,
        "like, EM": fit.mixture_.p1,
        "unlike, truth": p0,
        "unlike, EM": fit.mixture_.p0,
        "unlike, independence": fit.codes_.rates(),
    }
    lines = {name: tuple(float(value) for value in values[order]) for name, values in curves.items()}
    places = tuple(float(at + 1) for at in range(len(order)))
    told = "The first seed; iterations stand in the order of the truth for unlike pairs."
    title = f"{bed.name}: chance that a pair gets one code (as in figure 5)"
    return Lines(title, places, lines, "iterations, in order", "chance of one code", sentence=told)


EXPERIMENT = Experiment(
    name="sic-parameters",
    title="SIC: the two kinds of pairs, as EM and independence see them, against the truth",
    work="SIC",
    table="figure 5",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=2,
    seeds=3,
    run=run,
    beside="paper, on ESTER2",
)
