"""A comparer of one's own: one tile, one declared parameter, and the promises every estimator keeps."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

import coterie
from coterie.collect.samples import sample
from coterie.compare import Comparer
from coterie.core.affinity import Affinity, Lazy
from coterie.core.params import param
from coterie.core.table import Table
from coterie.organize import Medoids
from coterie.testing import promises


def canberra_tile(rows: np.ndarray, cols: np.ndarray, floor: float) -> np.ndarray:
    """Sum over the columns of |x - y| / (|x| + |y|), for every row against every column."""
    gaps = np.abs(rows[:, None, :] - cols[None, :, :])
    sizes = np.abs(rows)[:, None, :] + np.abs(cols)[None, :, :]
    return (gaps / np.maximum(sizes, floor)).sum(axis=2)


class Canberra(Comparer):
    """Canberra distance: every difference in units of the size of the two values."""

    takes: ClassVar[type] = Table
    floor: float = param(
        1e-9, "Sizes below this count as this, so that two zeros do not differ.", gt=0
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the rows; the distances are computed when asked for."""
        rows = self.check(X).values
        self.affinity_ = Lazy(partial(canberra_tile, floor=self.floor), rows, rows, "distance")
        return self

    def compare(self, X: Any) -> Affinity:
        """How new rows relate to the fitted ones."""
        rows = self.check(X, new=True).values
        return Lazy(self.affinity_.tile, rows, self.affinity_.cols, "distance", symmetric=False)


def main() -> None:
    for promise in promises(Canberra()):
        promise()
        print("kept:", promise)
    walk = coterie.Pipeline([Canberra(), Medoids(n_groups=5, random_state=0)])
    print(walk.fit(sample("blobs", 150)).partition_)


if __name__ == "__main__":
    main()
