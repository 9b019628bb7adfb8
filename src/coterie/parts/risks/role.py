"""What every estimate of a divergence from samples is: it looks at the sets once, and then any divergence is read off."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.params import Settings
from coterie.core.ragged import Ragged
from coterie.parts.fdivergences import FDivergence


class Risk(Settings):
    """Sets in, divergences out: `learned` from the members, `look` at pairs of sets, `divergences` of what was seen.

    What needs the data is in `look`, so that another f costs nothing anew.
    """

    def learned(self, members: Ragged) -> Any:
        """What is known of all members before any pair is looked at (a pooled covariance); None where nothing is."""
        return None

    def look(
        self, rows: Ragged, cols: Ragged | None = None, learned: Any = None, *, seed: int = 0, owner: str = "Divergence"
    ) -> Any:
        """What must be known of every set of `rows` with every set of `cols` (with one another, where there are none)."""
        raise NotImplementedError(f"{type(self).__name__} does not define look")

    def divergences(self, seen: Any, f: FDivergence, *, owner: str = "Divergence") -> np.ndarray:
        """The divergence of rows from columns, (rows, columns); never below zero, exactly zero on a square's diagonal."""
        raise NotImplementedError(f"{type(self).__name__} does not define divergences")

    def check_f(self, f: FDivergence, owner: str) -> None:
        """Refuse, in one sentence, a divergence that this estimate cannot give."""

    def notes(self, seen: Any, f: FDivergence | None = None) -> list[str]:
        """Sentences on what a user should know of what was seen: twins in two sets, very different sizes, small sets."""
        return []
