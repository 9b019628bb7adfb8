"""Nine speakers of one vowel pair: likelihood distances, model selection, product kernels and state-space dynamics.

The likelihood distances are clustered spectrally, and by complete linkage too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coterie.compare.likelihoods import Likelihood, from_likelihoods
from coterie.compare.product_kernel import ProductKernel
from coterie.compare.ssd import SSD
from coterie.judge import clustering_error
from coterie.models import HMM
from coterie.organize.agglomerative import Agglomerative
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.smyth_hmms import FAMILY
from coterie_papers.traces import Labeled, error, recorded

NAME = "JapaneseVowels"
DATA = "Japanese Vowels, 270"
# tables 2.1 and 3.2 of the thesis
PAPER = {
    "SYM": {2: 33.33, 3: 32.82, 4: 32.04, 5: 29.56},
    "BP": {2: 14.70, 3: 24.66, 4: 21.45, 5: 20.23},
    "YY": {2: 14.89, 3: 20.99, 4: 26.59, 5: 17.19},
    "POR": {2: 58.99, 3: 54.88, 4: 61.49, 5: 58.60},
    "KL-LL": {2: 12.72, 3: 19.68, 4: 16.33, 5: 18.05},
    "KL-LL, models chosen": {2: 9.85, 3: 18.86, 4: 14.45, 5: 17.70},
    "PPK": {2: 24.52, 3: 17.41, 4: 20.22, 5: 21.85},
}
SSD_PAPER = {20: 17.70, 30: 14.52, 40: 12.07, 50: 23.63}
SHARE = {2: 66.63, 3: 72.28, 4: 75.3}
LINKED = ", complete linkage"
_CLEAR = 5.0  # points of error that are called clearly worse


def run(trial: Trial, ledger: Ledger) -> None:
    """Both tables, and the bars."""
    labeled = recorded(trial, ledger, NAME, "train")
    if labeled is None:
        return
    likelihood = _likelihoods(trial, ledger, labeled)
    dynamics = _dynamics(trial, ledger, labeled)
    mine = likelihood["KL-LL", 2]
    ledger.relate(
        f"KL-LL with 2 states has an error of at most 12% ({mine:.1f}; thesis 12.72)", mine <= 12
    )
    ledger.relate(
        f"SSD with 40 states has an error of at most 11% ({dynamics[40, 1]:.1f}; thesis 12.07)",
        dynamics[40, 1] <= 11,
    )
    ledger.relate(
        f"SSD averaged over five models of 40 states: at most 8% ({dynamics[40, 5]:.1f})",
        dynamics[40, 5] <= 8,
    )
    if (30, 5) in dynamics:
        ledger.relate(
            f"and over five models of 30 states: at most 9% ({dynamics[30, 5]:.1f}) (R4)",
            dynamics[30, 5] <= 9,
        )
    rest = {name: likelihood[name, 2] for name in FAMILY if name != "KL-LL"}
    best = min(rest, key=lambda name: rest[name])
    text = f"KL-LL with 2 states ({mine:.1f}) has the lowest error of the likelihood family (next {best} {rest[best]:.1f})"
    ledger.relate(text, mine <= rest[best])
    chosen = likelihood["KL-LL, models chosen", 2]
    text = f"choosing models lowers the error of KL-LL with 2 states ({mine:.1f} to {chosen:.1f}; thesis 12.72 to 9.85)"
    ledger.relate(text, chosen < mine)
    ledger.relate(
        f"Porikli's distance is above 55% ({likelihood['POR', 2]:.1f})", likelihood["POR", 2] > 55
    )
    _linked(ledger, likelihood)


def _likelihoods(trial: Trial, ledger: Ledger, labeled: Labeled) -> dict[tuple[str, int], float]:
    view, truth = labeled
    found = {}
    for states in (2,) if trial.quick else (2, 3, 4, 5):
        runs: dict[str, list[float]] = {}
        shares = []
        for seed in range(trial.seeds):
            model = HMM(n_states=states, random_state=seed)
            fitted = Likelihood(model=model, random_state=seed).fit(view)
            for name, distance in FAMILY.items():
                affinity = from_likelihoods(fitted.likelihoods_, distance)
                runs.setdefault(name, []).append(error(affinity, truth, seed))
                tree = Agglomerative(n_groups=9, linkage="complete").fit(affinity)
                runs.setdefault(name + LINKED, []).append(
                    100.0 * clustering_error(tree.labels_, truth)
                )
            chosen = Likelihood(model=model, models="eigengap", n_groups=9, random_state=seed).fit(
                view
            )
            runs.setdefault("KL-LL, models chosen", []).append(error(chosen.affinity_, truth, seed))
            shares.append(100.0 * len(chosen.chosen_) / len(truth))
            kernel = ProductKernel(model=model, random_state=seed).fit(view)
            runs.setdefault("PPK", []).append(error(kernel.affinity_, truth, seed))
        for name, values in runs.items():
            paper = PAPER.get(name, {}).get(states)
            found[name, states] = ledger.add(
                name, "error %", f"{DATA}, {states} states", values, paper
            )
        ledger.add("models kept", "% of all", f"{DATA}, {states} states", shares, SHARE.get(states))
    return found


def _linked(ledger: Ledger, found: Mapping[tuple[str, int], float]) -> None:
    """Complete linkage against spectral clustering of the same distances; the thesis prints no numbers of the former."""
    pairs = np.array(
        [
            [value, found[name + LINKED, states]]
            for (name, states), value in found.items()
            if name in FAMILY
        ]
    )
    spectral, linked = pairs.mean(axis=0)
    many = int((pairs[:, 1] > pairs[:, 0]).sum())
    text = (
        f"complete linkage ({linked:.1f}) is clearly worse than spectral clustering ({spectral:.1f}): its error is at least "
        f"{_CLEAR:g} points higher, mean over distances and states (higher in {many} of {len(pairs)})"
    )
    ledger.relate(text, linked - spectral >= _CLEAR)


def _dynamics(trial: Trial, ledger: Ledger, labeled: Labeled) -> dict[tuple[int, int], float]:
    view, truth = labeled
    found = {}
    for states in (40,) if trial.quick else (20, 30, 40, 50):
        for models in (1, 5):
            values = [
                error(
                    SSD(n_states=states, n_models=models, random_state=seed).fit(view).affinity_,
                    truth,
                    seed,
                )
                for seed in range(trial.seeds)
            ]
            name = "SSD" if models == 1 else f"SSD, {models} models"
            paper = SSD_PAPER[states] if models == 1 else None
            found[states, models] = ledger.add(
                name, "error %", f"{DATA}, {states} states", values, paper
            )
            ledger.add(name, "largest error %", f"{DATA}, {states} states", float(np.max(values)))
    return found


EXPERIMENT = Experiment(
    name="japanese-vowels",
    title="Nine speakers by their likelihoods, their models and their dynamics",
    work="Sequences",
    table="tables 2.1, 2.2 and 3.2",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=11,
    seeds=10,
    run=run,
)
