"""The two parts of a group that have least to do with each other, looked for beside the request, and a name for the new one."""

from __future__ import annotations

import numpy as np

from coterie.core.errors import DataError
from coterie.run.stored import Run
from coterie.run.wondering import halves
from coterie.web.desk import Desk, NotYet
from coterie.web.retold import proposed
from coterie.web.standing import standing_of


def parts_of(desk: Desk, run: Run, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of those who would stay and of those who would become a new group; NotYet while they are looked for."""
    standing = standing_of(desk, run)
    inside = standing.inside(number)
    if number == 0:
        raise DataError("Those in no group are no group that could be split.")
    if len(inside) < 2:
        raise DataError(
            f"Group {number} has {'one member' if len(inside) else 'no members'}, and cannot be split."
        )

    def make() -> tuple[np.ndarray, np.ndarray]:
        goes = halves(standing.found, inside)
        return np.setdiff1d(inside, goes), goes

    key = ("halves", str(run.folder), number, inside.tobytes())
    found: tuple[np.ndarray, np.ndarray] = desk.warm(key, make)
    return found


def called_anew(desk: Desk, run: Run, part: np.ndarray, number: int) -> str:
    """What these members of a group may be called as a group of their own; empty where nothing tells them, or not yet."""
    try:
        return proposed(desk, run, standing_of(desk, run), part, number)
    except NotYet:
        return ""
