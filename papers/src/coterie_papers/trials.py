"""Finished trials of an experiment, kept with the seconds that were spent on them by all the runs that made them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from coterie.run.stored import Pieces

_SPENT = "seconds spent"
_EVERY = 1.0  # seconds between notes of the time


class Trials(Pieces):
    """Pieces that know how long work on them took `before` this run, so that a run that went on tells the time of all of it.

    What a run did after its last finished piece is not counted: the next one does it again.
    """

    def __init__(self, folder: Path, *, by: str, then: str) -> None:
        super().__init__(folder, by=by, then=then)
        found = self.get(_SPENT)
        self.before = float(found["seconds"]) if found else 0.0
        self._begun = time.time()  # not a counter: workers, who keep pieces too, have their own
        self._noted = -_EVERY

    def put(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep a bundle, and at times how long it took to get here."""
        super().put(key, arrays)
        passed = time.time() - self._begun
        if passed - self._noted >= _EVERY:
            super().put(_SPENT, {"seconds": np.array(self.before + passed)})
            self._noted = passed
