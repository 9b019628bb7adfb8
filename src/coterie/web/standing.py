"""Groups as they stand: what a run found, and the edits on it since."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from coterie.core.edits import Edit, Steered, effective
from coterie.core.errors import DataError
from coterie.core.findings import Findings, Group
from coterie.run.steered import as_steered, state_of
from coterie.run.steering import Steering
from coterie.run.steering_log import FILE, read_log
from coterie.run.stored import Run
from coterie.show.markup import clean
from coterie.web.desk import Desk
from coterie.web.faces import NOBODY, Faces, faces_of
from coterie.web.keeping import Versions, found_mark

_FOUND = Versions(12)
_STANDING = Versions(8)
_STEERING = Versions(4)


@dataclass(frozen=True, eq=False)
class Standing:
    """A run as it was found, and its groups after every edit."""

    run: str
    found: Findings
    state: Steered
    log: list[Edit]
    others: tuple[int, ...] = ()  # from where to where members of another run stand for groups
    folder: str = ""  # whose lines are kept through all edits, and in which state
    mark: Hashable = None
    faces: Faces = NOBODY  # where its members are seen and heard

    @cached_property
    def held(self) -> list[Edit]:
        """The edits that hold."""
        return effective(self.log)

    @cached_property
    def own(self) -> np.ndarray:
        """Whether each member is one of the run's own."""
        own = np.ones(len(self.found), dtype=bool)
        own[slice(*self.others) if self.others else slice(0, 0)] = False
        return own

    @cached_property
    def sure(self) -> np.ndarray:
        """How sure each member's place was when it was found, from 0 to 1."""
        return np.nan_to_num(np.asarray(self.found.confidence, dtype=np.float64), nan=0.0)

    @cached_property
    def groups(self) -> dict[int, Group]:
        """The groups as they are now, by their numbers from 1; those that lost every member among them."""
        there = {group.label + 1: group for group in as_steered(self.found, self.state).groups}
        gone = {
            n + 1: Group(n, name, 0, 0.0, (), ())
            for n, name in self.state.names.items()
            if n + 1 not in there
        }
        return dict(sorted({**there, **gone}.items()))

    @property
    def lines(self) -> list[str]:
        """What is searched of every member: its id and its line, case aside; no edit changes them."""
        made: list[str] = _FOUND.of(self.folder, self.mark, "lines", lambda: _lines(self.found))
        return made

    @property
    def n(self) -> int:
        """Members of the run itself."""
        return int(self.own.sum())

    @cached_property
    def moved(self) -> np.ndarray:
        """Positions of those who are in another group than the one they were found in."""
        changed: np.ndarray = np.flatnonzero(
            (np.asarray(self.found.labels) != self.state.labels) & self.own
        )
        return changed

    def inside(self, number: int) -> np.ndarray:
        """Positions of the members of a group; 0 is none."""
        if number and number - 1 not in self.state.names:
            numbers = ", ".join(str(n + 1) for n in sorted(self.state.names)) or "none"
            raise DataError(f"There is no group {number}; there are {numbers}.")
        here: np.ndarray = np.flatnonzero((self.state.labels == number - 1) & self.own)
        return here

    def called(self, number: int) -> str:
        """What a group is called; 0 is being in none."""
        return clean(self.state.names[number - 1]) if number else "In no group"


def found_of(run: Run) -> Findings:
    """What a run found, before any edit."""
    found: Findings = _FOUND.of(str(run.folder), found_mark(run), "found", run.findings)
    return found


def standing_of(desk: Desk, run: Run) -> Standing:
    """The groups of a run as they stand now; nothing is written."""

    def make() -> Standing:
        found = found_of(run)
        log = read_log(run.path / FILE)
        state = state_of(found, log, run.path / FILE)
        return Standing(
            run.name,
            found,
            state,
            log,
            run.request.standing,
            str(run.folder),
            found_mark(run),
            faces_of(desk, run),
        )

    made: Standing = _STANDING.of(
        str(run.folder), (desk.version(run), _size(run.path / FILE)), "standing", make
    )
    return made


def steering_of(run: Run) -> Steering:
    """Whoever changes a run; kept, as its members need not be read again for every edit."""
    made: Steering = _STEERING.of(
        str(run.folder), found_mark(run), "steering", lambda: Steering(run)
    )
    return made


def _lines(found: Findings) -> list[str]:
    return [f"{a}\n{b}".casefold() for a, b in zip(found.ids, found.snippets, strict=True)]


def _size(path: Path) -> int:
    """The length of a log; two edits may fall into one tick of the clock, and a log only grows."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
