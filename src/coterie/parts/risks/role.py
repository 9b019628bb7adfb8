"""What every estimate of a divergence from samples is: it looks at the sets once, and then any divergence is read off."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie.core.params import Settings
from coterie.core.ragged import Ragged
from coterie.parts.fdivergences import FDivergence

_APART = 20  # times that one set may have the vectors of another before it is worth a word


class Risk(Settings):
    """Sets in, divergences out: `learned` from the members, `look` at pairs of sets, `divergences` of what was seen.

    What needs the data is in `look`, so that another f costs nothing anew.
    """

    often: ClassVar[int] = 600  # sets at most where all pairs are looked at a dozen times over

    def learned(self, members: Ragged) -> Any:
        """What is known of all members before any pair is looked at (a pooled covariance); None where nothing is."""
        return None

    def look(
        self,
        rows: Ragged,
        cols: Ragged | None = None,
        learned: Any = None,
        *,
        seed: int = 0,
        owner: str = "Divergence",
    ) -> Any:
        """What must be known of every set of `rows` with every set of `cols` (with one another, where there are none)."""
        raise NotImplementedError(f"{type(self).__name__} does not define look")

    def divergences(self, seen: Any, f: FDivergence, *, owner: str = "Divergence") -> np.ndarray:
        """The divergence of rows from columns, (rows, columns); never below zero, exactly zero on a square's diagonal."""
        raise NotImplementedError(f"{type(self).__name__} does not define divergences")

    def check_f(self, f: FDivergence, owner: str) -> None:
        """Refuse, in one sentence, a divergence that this estimate cannot give."""

    def symmetric(self, f: FDivergence) -> bool:
        """Whether the divergence that is given is the same both ways."""
        return f.symmetric

    def notes(self, seen: Any, f: FDivergence | None = None) -> list[str]:
        """Sentences on what a user should know: twins in two sets, very different sizes, small sets, an f that is induced.

        They have neither the name of the method before them nor a stop at the end.
        """
        return []


def uneven(sizes: np.ndarray) -> list[str]:
    """A sentence where sizes differ very much, or none."""
    if sizes.max() <= _APART * sizes.min():
        return []
    return [
        f"the sets have {sizes.min()} to {sizes.max()} vectors, and little can be told of the smallest"
    ]


def alone(sizes: np.ndarray, why: str, new: bool = False) -> list[str]:
    """A sentence where sets have one vector only, or none; `why` goes on after it."""
    single = np.flatnonzero(sizes == 1)
    if not len(single):
        return []
    first = f"{'new ' if new else ''}member {single[0]}"
    others = (
        f" and {len(single) - 1} other{'s' if len(single) > 2 else ''}" if len(single) > 1 else ""
    )
    return [f"{first}{others} {'have' if others else 'has'} one vector only, {why}"]


def induced_note(f: FDivergence | None, loss: str, exact: bool) -> list[str]:
    """A sentence where what a loss gives of f is another divergence than f, or none."""
    if f is None or exact:
        return []
    return [
        f"{f.name} has no exact form in the {loss} loss; what is given is the divergence that f and the loss induce, which can "
        "be larger or smaller"
    ]
