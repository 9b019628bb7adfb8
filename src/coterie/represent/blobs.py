"""Blobs: pictures as counts of kinds of regions, the kinds found by k-means on what the regions look like."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady
from coterie.parts.spectra import squared
from coterie.parts.workers import in_order
from coterie.represent.pixels import check_cells
from coterie.represent.regions import COLUMNS, ROWS, region_features

_MOST = 2000  # blobs, where none are asked for
_EACH = 10  # regions per blob, where none are asked for
_CONSTANT = 1e-3  # spread of a number over all regions below which it tells nothing but rounding
_BLOCK = 1024  # regions placed at a time; a constant, so that results never depend on the workplace


class Blobs(Representer):
    """Pictures as counts of blobs: kinds of regions, found by k-means on their texture and colour.

    The thirty numbers of every region (see RegionFeatures) are brought to mean 0 and spread 1 over the fitted pictures;
    a region of a new picture goes to the nearest kind.
    """

    takes: ClassVar[type] = Pictures

    n_blobs: int | None = param(
        None, "Kinds of regions; None for 2000, or a tenth of the regions where that is less.", ge=1
    )
    columns: int = param(COLUMNS, "Regions side by side.", ge=1)
    rows: int = param(ROWS, "Regions one below the other.", ge=1)
    rounds: int = param(30, "Rounds of k-means at most.", ge=1, advanced=True)
    random_state: int | None = param(None, "Seed of the starting centers.")

    mean_: np.ndarray
    spread_: np.ndarray
    centers_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the kinds of regions."""
        self._learned(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Learn the kinds, and count them; the pixels are looked at once."""
        return self._counts(self._learned(X))

    def transform(self, X: Any) -> Any:
        """Pictures x blobs, how many regions, as a sparse array."""
        return self._counts(self._seen(X, new=True))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Numbers of the blobs."""
        return np.array(
            [f"blob {number + 1}" for number in range(self.n_features_out_)], dtype=object
        )

    def _seen(self, X: Any, *, new: bool) -> Ragged:
        pictures = self.check(X, new=new)
        check_cells(pictures, self.rows, self.columns, "Blobs")
        return region_features(pictures, self.rows, self.columns)

    def _learned(self, X: Any) -> Ragged:
        regions = self._seen(X, new=False)
        self.mean_ = regions.values.mean(axis=0)
        spread = regions.values.std(axis=0)
        self.spread_ = np.where(spread > _CONSTANT, spread, np.inf)
        wanted = self.n_blobs or max(1, min(_MOST, len(regions.values) // _EACH))
        rows = self._standard(regions)
        differ = len(np.unique(rows, axis=0))
        self.centers_ = _centers(
            rows, min(wanted, differ), self.rounds, small_seed(stream(self.random_state, 5))
        )
        self.n_features_out_ = len(self.centers_)
        return regions

    def _standard(self, regions: Ragged) -> np.ndarray:
        return np.asarray((regions.values - self.mean_) / self.spread_, dtype=np.float64)

    def _counts(self, regions: Ragged) -> Any:
        rows = self._standard(regions)
        blocks = [rows[a : a + _BLOCK] for a in range(0, len(rows), _BLOCK)]
        placed = np.concatenate(
            list(
                in_order(
                    lambda block: squared(block, self.centers_).argmin(axis=1), blocks, "blobs"
                )
            )
        )
        picture = np.repeat(np.arange(len(regions)), regions.lengths)
        counts = sp.csr_array(
            (np.ones(len(placed)), (picture, placed)), shape=(len(regions), self.n_features_out_)
        )
        counts.sum_duplicates()
        return counts


def _centers(rows: np.ndarray, k: int, rounds: int, seed: int) -> np.ndarray:
    """Centers of k-means from one k-means++ start; kinds of regions need not be the best, so it may end early."""
    from sklearn.cluster import KMeans

    with steady():
        model = KMeans(k, n_init=1, random_state=seed, max_iter=rounds, tol=1e-3).fit(rows)
    return np.asarray(model.cluster_centers_)
