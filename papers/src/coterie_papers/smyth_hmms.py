"""Mixtures of hidden Markov models: likelihood distances, product kernels and state-space dynamics by length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.compare.likelihoods import Likelihood, from_likelihoods
from coterie.compare.product_kernel import ProductKernel
from coterie.compare.ssd import SSD
from coterie.core.findings import Lines
from coterie.core.ragged import Ragged
from coterie.judge import clustering_error
from coterie.models import HMM
from coterie.organize.agglomerative import Agglomerative
from coterie_papers.experiment import Experiment, Ledger, Row, Trial
from coterie_papers.row_figures import curves
from coterie_papers.traces import chains, error

FAMILY = {"KL-LL": "kl-ll", "YY": "yin-yang", "BP": "bp", "SYM": "symmetric", "POR": "porikli"}
LENGTHS = {2: (50, 100, 200), 3: (200, 400)}
_CHANCE = 40.0  # error in percent that is called near chance with two classes of equal size
# our reference run of the specification (10 data sets, eigengap width); the thesis prints figures only
REFERENCE = {
    (2, 50): {
        "SSD": 14.2,
        "KL-LL": 43.5,
        "YY": 46.9,
        "BP": 46.8,
        "SYM": 40.4,
        "POR": 46.9,
        "PPK": 46.9,
    },
    (2, 100): {
        "SSD": 5.9,
        "KL-LL": 7.8,
        "YY": 10.0,
        "BP": 10.6,
        "SYM": 10.2,
        "POR": 10.1,
        "PPK": 45.4,
    },
    (2, 200): {"SSD": 1.4, "KL-LL": 1.5, "YY": 1.6, "BP": 1.6, "SYM": 1.5, "POR": 1.6, "PPK": 45.6},
    (3, 200): {
        "SSD": 10.8,
        "KL-LL": 9.8,
        "YY": 31.8,
        "BP": 31.1,
        "SYM": 39.1,
        "POR": 31.5,
        "PPK": 42.7,
    },
    (3, 400): {
        "SSD": 3.2,
        "KL-LL": 2.7,
        "YY": 6.8,
        "BP": 3.9,
        "SYM": 35.1,
        "POR": 6.7,
        "PPK": 36.7,
    },
}


def run(trial: Trial, ledger: Ledger) -> None:
    """Error by mean length for two and three classes."""
    found: dict[tuple[int, int], dict[str, float]] = {}
    for n_classes, lengths in LENGTHS.items():
        for length in lengths[:2] if trial.quick else lengths:
            found[n_classes, length] = _at(trial, ledger, n_classes, length)
    _relations(ledger, found)


def _at(trial: Trial, ledger: Ledger, n_classes: int, length: int) -> dict[str, float]:
    runs: dict[str, list[float]] = {}
    for seed in range(trial.seeds):
        view, truth = chains(80 if n_classes == 2 else 100, length, n_classes, seed)
        for name, value in errors(view, truth, seed, n_classes).items():
            runs.setdefault(name, []).append(value)
    data = f"{n_classes} classes, mean length {length}"
    return {
        name: ledger.add(
            name, "error %", data, values, REFERENCE.get((n_classes, length), {}).get(name)
        )
        for name, values in runs.items()
    }


def errors(view: Ragged, truth: np.ndarray, seed: int, n_classes: int) -> dict[str, float]:
    """The error of every method on one data set; per-sequence models are trained once."""
    model = HMM(n_states=2, random_state=seed)
    fitted = Likelihood(model=model, random_state=seed).fit(view)
    found = {}
    for name, distance in FAMILY.items():
        affinity = from_likelihoods(fitted.likelihoods_, distance)
        found[name] = error(affinity, truth, seed, "eigengap")
        if name == "KL-LL":
            found["KL-LL, complete linkage"] = 100.0 * clustering_error(
                Agglomerative(n_groups=n_classes, linkage="complete").fit(affinity).labels_, truth
            )
    found["PPK"] = error(
        ProductKernel(model=model, random_state=seed).fit(view).affinity_, truth, seed, "eigengap"
    )
    states = 4 if n_classes == 2 else 6
    for name, settings in {"SSD": {"n_models": 1}, "SSD, 5 models": {"n_models": 5}}.items():
        ssd = SSD(n_states=states, random_state=seed, **settings).fit(view)
        found[name] = error(ssd.affinity_, truth, seed, "eigengap")
    still = SSD(n_states=states, n_models=1, variant="stationary", random_state=seed).fit(view)
    found["SSD, stationary"] = error(still.affinity_, truth, seed, "eigengap")
    return found


def _relations(ledger: Ledger, found: dict[tuple[int, int], dict[str, float]]) -> None:
    for (n_classes, length), row in found.items():
        at = f"{n_classes} classes, mean length {length}"
        mine = row["KL-LL"]
        rest = {name: row[name] for name in FAMILY if name != "KL-LL"}
        best = min(rest, key=lambda name: rest[name])
        text = f"{at}: KL-LL ({mine:.1f}) has the lowest error of the likelihood family (next {best} {rest[best]:.1f})"
        ledger.relate(text, mine <= rest[best])
        per_sequence = min([*rest.values(), mine, row["PPK"]])
        if n_classes == 2 and length <= 100:
            text = f"{at}: SSD ({row['SSD']:.1f}) is below every per-sequence method ({per_sequence:.1f})"
            ledger.relate(text, row["SSD"] < per_sequence)
        if n_classes == 2:
            _two(ledger, at, length, row)
        if (n_classes, length) == (3, 200):
            text = f"{at}: KL-LL ({mine:.1f}) is ahead of the other likelihood distances by 15 points ({rest[best]:.1f})"
            ledger.relate(text, mine <= rest[best] - 15)
    every = np.array(
        [[row["KL-LL"], row["KL-LL, complete linkage"]] for row in found.values()]
    ).mean(axis=0)
    text = f"KL-LL: spectral ({every[0]:.1f}) is no worse than complete linkage ({every[1]:.1f}), mean over lengths"
    ledger.relate(text, every[0] <= every[1] + 2)


def _two(ledger: Ledger, at: str, length: int, row: dict[str, float]) -> None:
    """R1 at both ends of the lengths, and R10: with two classes only the order of the states differs, not their shares."""
    family = {name: row[name] for name in FAMILY}
    if length <= 50:
        least = min(*family.values(), row["PPK"])
        text = f"{at}: SSD ({row['SSD']:.1f}) is below 20% and every per-sequence method above 30% (least {least:.1f})"
        ledger.relate(text, row["SSD"] < 20 and least > 30)
    if length >= 200:
        spread = max(*family.values(), row["SSD"]) - min(*family.values(), row["SSD"])
        text = f"{at}: SSD and all likelihood distances are within 2 points of each other ({spread:.1f})"
        ledger.relate(text, spread <= 2)
        ledger.relate(
            f"{at}: PPK stays near chance, at {_CHANCE:g}% or more ({row['PPK']:.1f})",
            row["PPK"] >= _CHANCE,
        )
    still = row["SSD, stationary"]
    text = f"{at}: stationary laws alone are near chance, at {_CHANCE:g}% or more ({still:.1f}, SSD {row['SSD']:.1f})"
    ledger.relate(text, still >= _CHANCE)


def figures(rows: Sequence[Row]) -> list[Lines]:
    """Figures 2.1 to 2.3 and 3.1: the error over the mean length, with two classes and with three."""
    found = []
    for n_classes in LENGTHS:
        before = f"{n_classes} classes, mean length "

        def place(row: Row, before: str = before) -> tuple[str, float] | None:
            return (
                (row.method, float(row.data.removeprefix(before)))
                if row.data.startswith(before)
                else None
            )

        title = f"Error over the length, {n_classes} classes (as in figures 2.1 to 2.3 and 3.1)"
        found += curves(rows, title, place, "mean length of the sequences", "error %")
    return found


EXPERIMENT = Experiment(
    name="smyth-hmms",
    title="Mixtures of hidden Markov models: which distance needs how long sequences",
    work="Sequences",
    table="figures 2.1 to 2.3 and 3.1 (beside: a reference run, since no numbers are printed)",
    needs=(),
    minutes=5,
    seeds=20,
    run=run,
    beside="reference run",
    figures=figures,
)
