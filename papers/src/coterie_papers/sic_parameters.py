"""Two kinds of pairs seen in the codes alone: EM and the independence estimate against the truth (figures 5 to 7)."""

from __future__ import annotations

import numpy as np

from coterie.compare.sic.calibration import levels
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.scores import Binary, Randomized, Weighted
from coterie.core.affinity import Affinity
from coterie.core.findings import Lines
from coterie.judge import separation
from coterie.show.lines import Ruled
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.sic_collections import Bed, beds, true_rates, whole
from coterie_papers.sic_scores import from_normal, pairs

_PAPER = {
    "truth": (0.798, 0.0263, 0.148),
    "EM": (0.859, 0.0165, 0.260),
    "independence": (None, 0.0607, None),
}
_NAMES = ("share of unlike pairs", "one code if unlike (p0)", "one code if like (p1)")
_SPLIT = 30  # iterations at which EM and k/t are compared, as in figure 7
_SEEN = 1e-4  # share of the pairs from which a value of k/t is drawn


def run(trial: Trial, ledger: Ledger) -> None:
    """Per collection: truth, EM and independence side by side, then H5, H6 and the shapes of the scores."""
    for bed in beds(trial, ledger):
        fits = [whole(bed, 60, seed) for seed in range(trial.seeds)]
        found: dict[str, list[tuple[float, float, float]]] = {
            "truth": [],
            "EM": [],
            "independence": [],
        }
        for fit in fits:
            pi0, p0, p1 = true_rates(fit.codes_, bed.truth)
            mixture = fit.mixture_
            found["truth"].append((pi0, float(np.nanmean(p0)), float(np.nanmean(p1))))
            found["EM"].append((mixture.pi0, *mixture.means()))
            found["independence"].append((np.nan, float(np.nanmean(fit.codes_.rates())), np.nan))
        _tell(ledger, bed, found)
        ledger.draw(_picture(bed, fits[0]))
        _apart(ledger, bed, fits)
        _gaps(trial, ledger, bed, fits)
        _centre(ledger, bed, fits[0])
        _scale(ledger, bed, fits[0])


def _tell(ledger: Ledger, bed: Bed, found: dict[str, list[tuple[float, float, float]]]) -> None:
    mean = {}
    for method, rows in found.items():
        for at, name in enumerate(_NAMES):
            values = [row[at] for row in rows]
            if not np.isnan(values).any():
                mean[method, at] = ledger.add(
                    method, name, bed.name, values, paper=_PAPER[method][at]
                )
    gap = {method: abs(mean[method, 1] - mean["truth", 1]) for method in ("EM", "independence")}
    ledger.relate(
        f"{bed.name}: EM is nearer to the true p0 ({gap['EM']:.4f} off) than independence ({gap['independence']:.4f} off) (H5)",
        gap["EM"] < gap["independence"],
    )
    ledger.relate(
        f"{bed.name}: the independence estimate is not below the true p0 (H6)",
        mean["independence", 1] >= mean["truth", 1],
    )


def _gaps(trial: Trial, ledger: Ledger, bed: Bed, last: list[SIC]) -> None:
    """How far like and unlike pairs stand apart, in pooled standard deviations, after 10, 30 and 60 iterations (`last`)."""
    for n in (10, _SPLIT, 60):
        fits = last if n == 60 else [whole(bed, n, seed) for seed in range(trial.seeds)]
        plain = ledger.add(
            "k/t",
            f"gap at N={n}",
            bed.name,
            [separation(f.affinity_, bed.truth).d_prime for f in fits],
        )
        scores = [f.similarity("posterior") for f in fits]
        odds = ledger.add(
            "EM",
            f"gap at N={n}",
            bed.name,
            [separation(score, bed.truth).d_prime for score in scores],
        )
        if n == _SPLIT:
            said = f"{bed.name}: EM separates pairs further ({odds:.2f}) than k/t ({plain:.2f}) at N=30 (H5)"
            ledger.relate(said, odds > plain)
            ledger.draw(_split(bed, n, {"k/t": fits[0].affinity_, "EM": scores[0]}))


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
    lines = {
        name: tuple(float(value) for value in values[order]) for name, values in curves.items()
    }
    places = tuple(float(at + 1) for at in range(len(order)))
    told = "The first seed; iterations stand in the order of the truth for unlike pairs."
    title = f"{bed.name}: chance that a pair gets one code (as in figure 5)"
    return Lines(title, places, lines, "iterations, in order", "chance of one code", sentence=told)


def _apart(ledger: Ledger, bed: Bed, fits: list[SIC]) -> None:
    """Figure 6: the two kinds as EM sees them share hardly a value of k/t; like and unlike pairs by the truth share many."""
    kinds = [_kinds(bed, fit) for fit in fits]
    shared = {
        method: ledger.add(
            method,
            "overlap of the two kinds",
            bed.name,
            [_overlap(k[f"like, {method}"], k[f"unlike, {method}"]) for k in kinds],
        )
        for method in ("truth", "EM")
    }
    ledger.relate(
        f"{bed.name}: EM sees the two kinds further apart ({shared['EM']:.3f} of their laws in common) than they are by the "
        f"truth ({shared['truth']:.3f}) (figure 6)",
        shared["EM"] < shared["truth"],
    )
    seen = np.flatnonzero(np.max(list(kinds[0].values()), axis=0) > _SEEN)[-1] + 1
    places = np.arange(seen) / (len(kinds[0]["all pairs"]) - 1)
    lines = {name: tuple(values[:seen].tolist()) for name, values in kinds[0].items()}
    title = f"{bed.name}: like and unlike pairs, by the truth and by EM (as in figure 6)"
    axes = "share of iterations with one code (k/t)", "share of all pairs"
    ledger.draw(
        Ruled(
            title, tuple(places.tolist()), lines, *axes, sentence="The first seed.", from_zero=True
        )
    )


def _kinds(bed: Bed, fit: SIC) -> dict[str, np.ndarray]:
    """Shares of all pairs at every value of k/t: all of them, and the like and the unlike ones by the truth and by EM."""
    law = fit.mixture_.densities()
    n = len(law.x) - 1
    like, unlike = pairs(Binary().affinity(fit.codes_.take(fit.mixture_.informative)), bed.truth)
    share = len(like) / (len(like) + len(unlike))
    truth = share * _steps(like, n), (1 - share) * _steps(unlike, n)
    return {
        "all pairs": truth[0] + truth[1],
        "like, truth": truth[0],
        "like, EM": law.similar,
        "unlike, truth": truth[1],
        "unlike, EM": law.dissimilar,
    }


def _steps(values: np.ndarray, n: int) -> np.ndarray:
    """The shares of values from 0 to 1 that lie nearest to each of 0, 1/n, 2/n ... 1."""
    return np.bincount(np.rint(values * n).astype(np.int64), minlength=n + 1) / max(len(values), 1)


def _overlap(one: np.ndarray, other: np.ndarray) -> float:
    """What two laws have in common: 0 where they never meet, 1 where they are the same."""
    return float(np.minimum(one / one.sum(), other / other.sum()).sum())


def _split(bed: Bed, n: int, scores: dict[str, Affinity]) -> Lines:
    """Figure 7: like and unlike pairs under each score early in a run."""
    lines = {}
    for name, score in scores.items():
        for kind, values in zip(("like", "unlike"), pairs(score, bed.truth), strict=True):
            lines[f"{kind}, {name}"] = tuple(_steps(values, n).tolist())
    title = f"{bed.name}: scores of like and unlike pairs at N={n} (as in figure 7)"
    places = tuple((np.arange(n + 1) / n).tolist())
    axes = "k/t, and the chance to be alike by EM", "share of the like (unlike) pairs"
    return Ruled(title, places, lines, *axes, sentence="The first seed.", from_zero=True)


def _scale(ledger: Ledger, bed: Bed, fit: SIC) -> None:
    """Twice the sigma makes the randomized scores of unlike pairs twice as wide, and leaves them their shape."""
    wide = []
    shape = []
    for sigma in (1.0, 2.0):
        _, unlike = pairs(
            Randomized(sigma=sigma).affinity(fit.codes_, mixture=fit.mixture_), bed.truth
        )
        method = f"weighted, randomized, sigma {sigma:g}"
        wide.append(ledger.add(method, "spread of unlike pairs", bed.name, float(unlike.std())))
        shape.append(
            ledger.add(
                method, "distance of unlike pairs from a normal law", bed.name, from_normal(unlike)
            )
        )
    ledger.relate(
        f"{bed.name}: sigma only changes the spread ({wide[0]:.3f}, doubled {wide[1]:.3f}; {shape[0]:.3f} and {shape[1]:.3f} "
        "from a normal law) (figure 9)",
        bool(np.isclose(wide[1], 2 * wide[0]) and np.isclose(shape[0], shape[1])),
    )


EXPERIMENT = Experiment(
    name="sic-parameters",
    title="SIC: the two kinds of pairs, as EM and independence see them, against the truth",
    work="SIC",
    table="figures 5 to 7",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=2,
    seeds=3,
    run=run,
    also=("digits (scikit-learn)",),
    beside="paper, on ESTER2",
)
