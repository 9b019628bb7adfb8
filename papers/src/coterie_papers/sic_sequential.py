"""Sequential SIC: later tasks use what earlier ones found; against independent tasks at equal cost (section 11 of the spec)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine

from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.sequential import Sequential
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.judge import retrieval
from coterie_papers.experiment import Experiment, Ledger, Trial

_PILOT = {  # mAP of an independent prototype: independent, sequential
    "wine": {50: (70.0, 73.0), 100: (74.2, 77.9), 200: (78.5, 80.3)},
    "digits, 600": {50: (53.3, 55.0), 100: (57.6, 61.2), 200: (61.0, 65.1)},
    "no structure": {200: (34.1, 33.9)},
}


def run(trial: Trial, ledger: Ledger) -> None:
    """mAP at equal numbers of iterations, a quarter of the members trained on, nearest neighbor."""
    for name, (rows, truth) in _tables().items():
        for n in (50, 100) if trial.quick else (50, 100, 200):
            pilot = _PILOT[name].get(n, (None, None))
            alone = [_map(rows, truth, n, s, None) for s in range(trial.seeds)]
            plain = ledger.add("independent", f"mAP, N={n}", name, alone, pilot[0])
            linked = [_map(rows, truth, n, s, Sequential()) for s in range(trial.seeds)]
            later = ledger.add("sequential", f"mAP, N={n}", name, linked, pilot[1])
            if name == "no structure":
                ledger.relate(
                    f"{name}, N={n}: no change ({later - plain:+.2f} mAP, 1 allowed)",
                    abs(later - plain) <= 1,
                )
            else:
                ledger.relate(
                    f"{name}, N={n}: sequential gains {later - plain:+.2f} mAP (1 asked)",
                    later - plain >= 1,
                )


def _map(rows: Any, truth: np.ndarray, n: int, seed: int, annotator: Any) -> float:
    sic = SIC(diverter="nearest", annotator=annotator, train_size=0.25, n_labels=100)
    sic.set_params(n_iterations=n, stop=None, random_state=seed)
    return 100 * retrieval(sic.fit(rows).affinity_, truth, missing="last").mean_ap


def _tables() -> dict[str, tuple[Table, np.ndarray]]:
    wine = load_wine()
    digits = load_digits()
    generator = stream(0, 600)
    chosen = np.sort(generator.choice(len(digits.data), 600, replace=False))
    noise = generator.normal(size=(300, 10))
    return {
        "wine": (Table.of(wine.data), np.asarray(wine.target)),
        "digits, 600": (Table.of(digits.data[chosen]), np.asarray(digits.target)[chosen]),
        "no structure": (Table.of(noise), np.arange(300) % 3),
    }


EXPERIMENT = Experiment(
    name="sic-sequential",
    title="Sequential SIC: what is gained when later tasks use what earlier ones found",
    work="SIC",
    table="future work of the report",
    needs=(),
    minutes=0.5,
    seeds=3,
    run=run,
    also=("wine and digits (scikit-learn)",),
    beside="pilot",
)
