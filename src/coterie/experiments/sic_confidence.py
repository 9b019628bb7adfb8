"""Does SIC know how good it is? Confidence of each member against its average precision (figure 26, table of 8.9)."""

from __future__ import annotations

import numpy as np
from scipy.stats import pearsonr, spearmanr

from coterie.experiments.experiment import Experiment, Ledger, Trial
from coterie.experiments.sic_collections import Bed, beds
from coterie.judge import retrieval

_KINDS = ("max", "variance", "skewness", "bimodality")
_PAPER = {  # Pearson, Spearman on NERrich and AUDIO_tiny of the report: the kinds of data nearest to ours
    "generated mentions": ((0.367, 0.330), (0.364, 0.423), (-0.353, -0.367), (0.216, 0.295)),
    "JapaneseVowels": ((0.470, 0.455), (0.619, 0.567), (0.144, 0.261), (0.020, -0.331)),
}
_NONE = ((None, None),) * len(_KINDS)


def run(trial: Trial, ledger: Ledger) -> None:
    """Correlations per collection and kind of confidence; only `max` is asked to be positive everywhere."""
    for bed in beds(trial, ledger):
        found = [_correlations(bed, seed, 60 if trial.quick else 150) for seed in range(trial.seeds)]
        for kind, paper in zip(_KINDS, _PAPER.get(bed.name, _NONE), strict=True):
            ledger.add(kind, "Pearson with AP", bed.name, [f[kind][0] for f in found], paper=paper[0])
            rank = ledger.add(kind, "Spearman with AP", bed.name, [f[kind][1] for f in found], paper=paper[1])
            if kind == "max":
                said = f"{bed.name}: 'max' goes with average precision (Spearman {rank:.2f}, 0.2 asked) (H11)"
                ledger.relate(said, rank >= 0.2)


def _correlations(bed: Bed, seed: int, n_iterations: int) -> dict[str, tuple[float, float]]:
    fit = bed.fit(n_iterations, seed)
    precision = retrieval(fit.affinity_, bed.truth, missing="last").ap_per_query
    found = {}
    for kind in _KINDS:
        sure = fit.confidence_[kind]
        known = ~(np.isnan(sure) | np.isnan(precision))
        found[kind] = (float(pearsonr(sure[known], precision[known])[0]), float(spearmanr(sure[known], precision[known])[0]))
    return found


EXPERIMENT = Experiment(
    name="sic-confidence",
    title="SIC: does the confidence of a member go with how well its neighbors are found?",
    work="SIC",
    table="figure 26",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=2,
    seeds=3,
    run=run,
    beside="paper, on ESTER2",
)
