"""Letters of which every third is about tea and the others of anything: what the tests of cores share."""

from __future__ import annotations

import numpy as np

TOPIC = ["kettle", "teapot", "infusion", "leaves", "oolong", "steep", "brew", "teacup"]
NOISE = [
    "engine",
    "bridge",
    "violin",
    "meadow",
    "harbor",
    "ledger",
    "pigeon",
    "canyon",
    "velvet",
    "turbine",
    "orchard",
    "magnet",
]


def letters(n: int, seed: int = 0, *further: str) -> list[str]:
    """Texts of eight words of anything, six more about tea in every third, and further words in all."""
    rng = np.random.default_rng(seed)
    rows = []
    for at in range(n):
        own = rng.choice(TOPIC, 6).tolist() if at % 3 == 0 else []
        rows.append(" ".join([*own, *rng.choice(NOISE, 8).tolist(), *further]))
    return rows
