"""Does SIC know how good it is? Confidence of each member against its average precision (figure 26, table of 8.9)."""

from __future__ import annotations

import numpy as np
from scipy.stats import pearsonr, spearmanr

from coterie.core.findings import Lines
from coterie.judge import retrieval
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.sic_collections import Bed, beds

_KINDS = ("max", "variance", "skewness", "bimodality")
_PAPER = {  # Pearson, Spearman on NERrich, AUDIO_tiny and AUDIO of the report: the kinds of data nearest to ours
    "generated mentions": {"": ((0.367, 0.330), (0.364, 0.423), (-0.353, -0.367), (0.216, 0.295))},
    "JapaneseVowels": {
        "": ((0.470, 0.455), (0.619, 0.567), (0.144, 0.261), (0.020, -0.331)),
        " (beside AUDIO)": ((0.416, 0.381), (-0.04, -0.036), (0.542, 0.536), (-0.508, -0.556)),
    },
}
_NONE = {"": ((None, None),) * len(_KINDS)}
_TENTHS = 10

Seen = dict[
    str, tuple[np.ndarray, np.ndarray]
]  # kind -> confidence and average precision of the members that have both


def run(trial: Trial, ledger: Ledger) -> None:
    """Correlations per collection and kind of confidence; only `max` is asked to be positive everywhere."""
    for bed in beds(trial, ledger):
        seen = [_seen(bed, seed, 60 if trial.quick else 150) for seed in range(trial.seeds)]
        found = [{kind: _correlations(*one[kind]) for kind in _KINDS} for one in seen]
        for beside, column in _PAPER.get(bed.name, _NONE).items():
            for kind, (linear, ranked) in zip(_KINDS, column, strict=True):
                ledger.add(
                    f"{kind}{beside}",
                    "Pearson with AP",
                    bed.name,
                    [f[kind][0] for f in found],
                    paper=linear,
                )
                ledger.add(
                    f"{kind}{beside}",
                    "Spearman with AP",
                    bed.name,
                    [f[kind][1] for f in found],
                    paper=ranked,
                )
        rank = float(np.mean([f["max"][1] for f in found]))
        said = (
            f"{bed.name}: 'max' goes with average precision (Spearman {rank:.2f}, 0.2 asked) (H11)"
        )
        ledger.relate(said, rank >= 0.2)
        ledger.draw(_picture(bed.name, seen))


def _seen(bed: Bed, seed: int, n_iterations: int) -> Seen:
    fit = bed.fit(n_iterations, seed)
    precision = retrieval(fit.affinity_, bed.truth, missing="last").ap_per_query
    found = {}
    for kind in _KINDS:
        sure = fit.confidence_[kind]
        known = ~(np.isnan(sure) | np.isnan(precision))
        found[kind] = sure[known], precision[known]
    return found


def _correlations(sure: np.ndarray, precision: np.ndarray) -> tuple[float, float]:
    return float(pearsonr(sure, precision)[0]), float(spearmanr(sure, precision)[0])


def _picture(name: str, seen: list[Seen]) -> Lines:
    """Figure 26: the mean precision of every tenth of the members, from the least to the most sure; a mean over the runs."""
    lines = {}
    for kind in _KINDS:
        runs = [
            [
                float(part.mean())
                for part in np.array_split(precision[np.argsort(sure, kind="stable")], _TENTHS)
            ]
            for sure, precision in (one[kind] for one in seen)
        ]
        lines[kind] = tuple(float(value) for value in np.mean(runs, axis=0))
    tenths = tuple(float(at + 1) for at in range(_TENTHS))
    title = f"{name}: precision by confidence (as in figure 26)"
    return Lines(
        title, tenths, lines, "tenth of the members, the least sure first", "mean average precision"
    )


EXPERIMENT = Experiment(
    name="sic-confidence",
    title="SIC: does the confidence of a member go with how well its neighbors are found?",
    work="SIC",
    table="figure 26",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=2,
    seeds=3,
    run=run,
    also=("digits (scikit-learn)",),
    beside="paper, on ESTER2",
)
