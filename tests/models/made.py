"""Models with known numbers, and members drawn from them."""

from __future__ import annotations

import numpy as np

from coterie import Ragged
from coterie.models import HMM

RING = np.array([[0.9, 0.08, 0.02], [0.03, 0.9, 0.07], [0.08, 0.02, 0.9]])
CENTERS = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])


def three_states() -> HMM:
    """Three states that stand apart."""
    return HMM.of([0.5, 0.3, 0.2], RING, CENTERS, [[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]])


def three_state_members(
    n: int = 20, length: int = 80, seed: int = 1
) -> tuple[Ragged, list[np.ndarray]]:
    """Members of that model, and their states."""
    return three_states().sample(n, length, random_state=seed)


def alternating(n: int = 8, length: int = 40) -> tuple[Ragged, np.ndarray]:
    """Sequences 1010.. and 1100..: equal frequencies of the symbols, other order; and which is which."""
    generator = np.random.default_rng(5)
    truth = np.arange(n) % 2
    patterns = (np.tile([1.0, 0.0], length), np.tile([1.0, 1.0, 0.0, 0.0], length))
    begins = generator.integers(0, 2, size=n) * (1 + truth)
    return Ragged.of(
        [patterns[t][b : b + length] for t, b in zip(truth, begins, strict=True)]
    ), truth
