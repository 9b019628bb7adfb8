"""Samples: what is trained on and tested; members themselves, or their occurrences where a member has several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.text import TaggedText


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Per sample: its member, the unit that is on one side as a whole (a sentence), and its surface form."""

    n: int
    n_members: int
    owner: np.ndarray | None = None  # None: every member is one sample
    unit: np.ndarray | None = None  # None: every sample is a unit
    form: np.ndarray | None = None  # None: no two samples must share a label

    @classmethod
    def of(cls, view: Any) -> Samples:
        """The samples of a view: marked spans of tagged text (kept together by sentence), else the members."""
        if isinstance(view, TaggedText):
            return cls(len(view.spans), len(view), view.owners, view.sentence_of(), view.forms())
        return cls(len(view), len(view))

    @property
    def units(self) -> np.ndarray:
        """The unit of every sample."""
        return np.arange(self.n) if self.unit is None else self.unit

    @property
    def owners(self) -> np.ndarray:
        """The member of every sample."""
        return np.arange(self.n) if self.owner is None else self.owner
