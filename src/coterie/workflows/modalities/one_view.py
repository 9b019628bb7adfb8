"""Members seen in one view: what tells their groups apart is that view, their other tables and what they are tied to."""

from __future__ import annotations

import numpy as np

from coterie.core.table import Table
from coterie.workflows.describe import gather_features
from coterie.workflows.prepared import ByPopulation, PreparedCollection


class OneView(PreparedCollection):
    """Members prepared by one of their views."""

    terms: Table | None = None  # of text, the counts of the words that were weighed

    def describe(self, labels: np.ndarray, n_groups: int) -> list[ByPopulation]:
        """Per group, what tells it from the rest."""
        found = gather_features(self.collection, self.view, labels, n_groups, self.terms)
        return list(found)
