"""RandomPatches: pictures convolved with whitened patches drawn from the pictures themselves, pooled over a grid."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.random import content_order, seed_of, stream
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.parts.workers import in_order
from coterie.represent.gradients import gray_square, to_square, upright

_PICTURES = 300  # that patches are drawn from, at most
_PATCHES = 20000  # that the whitening is learned from, at most
_BLOCK = 32  # pictures at a time; a constant, so that results never depend on the workplace
_CONTRAST = 0.01  # added to the variance of a patch
_PLAIN = 0.01  # of the spread of all patches: those that vary less are not drawn
_SHRINK = 0.1  # of the mean eigenvalue, added before whitening
_ABOVE = 0.5  # standard deviations over its mean where a response begins to count


class RandomPatches(Representer):
    """Pictures as responses to whitened random patches of the pictures, pooled over a grid.

    Patches are brought to mean zero and one contrast, and whitened (ZCA); some are drawn as filters of length one. At every
    place of a picture the response to filter j counts by how far it exceeds the mean response there plus half a standard
    deviation; the square root of the mean in each cell of the grid is a column. After Coates and Ng's random patches.
    """

    takes: ClassVar[type] = Pictures
    gives: ClassVar[type] = Table

    n_filters: int = param(150, "How many patches are filters.", ge=2)
    patch: int = param(5, "Height and width of a patch.", ge=2)
    grid: int = param(4, "Rows and columns of the cells that responses are averaged over.", ge=1)
    size: int = param(32, "Height and width that pictures are brought to.", ge=8)
    color: bool = param(
        False, "Whether patches have color; else gray_square of gray.", choices=(False, True)
    )
    deskew: bool = param(
        False,
        "Whether what differs from the border is first sheared upright; for gray_square of gray.",
        choices=(False, True),
    )
    random_state: int | None = param(None, "Seed of the patches.")

    mean_: np.ndarray
    whitening_: np.ndarray
    filters_: np.ndarray

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range."""
        super().check_params()
        places = self.size - self.patch + 1
        if places < self.grid:
            raise ParameterError(
                f"RandomPatches: patch must leave {self.grid} places for the grid in {self.size} pixels, and was {self.patch}."
            )
        if self.color and self.deskew:
            raise ParameterError("RandomPatches: deskew must be False where color is True.")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw patches by the contents of the pictures, and learn the whitening."""
        pictures: Pictures = self.check(X)
        random = stream(seed_of(self.random_state), 0)
        chosen = content_order(pictures)
        if len(chosen) > _PICTURES:
            chosen = chosen[:_PICTURES]
        with steady():
            seen = np.concatenate([self._patches(pictures[int(i)]) for i in chosen])
            if len(seen) > _PATCHES:
                seen = seen[random.choice(len(seen), _PATCHES, replace=False)]
            spread = seen.std(axis=1)
            seen = _contrast(seen[spread > _PLAIN * seen.std() + 1e-6])
            if len(seen) < 2:
                raise DataError("RandomPatches: all pictures are plain, so there are no patches.")
            self.mean_ = seen.mean(axis=0)
            values, vectors = np.linalg.eigh(np.cov(seen.T))
            scale = 1.0 / np.sqrt(np.maximum(values, 0.0) + _SHRINK * max(values.mean(), 1e-12))
            self.whitening_ = (vectors * scale) @ vectors.T
            picked = random.choice(len(seen), min(self.n_filters, len(seen)), replace=False)
            filters = (seen[picked] - self.mean_) @ self.whitening_
            self.filters_ = filters / np.maximum(
                np.linalg.norm(filters, axis=1, keepdims=True), 1e-12
            )
        self.n_features_out_ = self.grid**2 * len(self.filters_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row per picture: the pooled response of each cell to each filter."""
        pictures: Pictures = self.check(X, new=True)

        def work(block: list[np.ndarray]) -> np.ndarray:
            return np.array([self._row(picture) for picture in block])

        seen = list(pictures)
        blocks = [seen[first : first + _BLOCK] for first in range(0, len(seen), _BLOCK)]
        return np.concatenate(list(in_order(work, blocks, "patches", size=len)))

    def _patches(self, picture: np.ndarray) -> np.ndarray:
        """The patches at every place of a picture, row by row: (places, values)."""
        if self.color:
            brought = to_square(picture.astype(np.float64) / 255.0, self.size)
        else:
            gray = gray_square(picture, self.size)
            brought = (upright(gray) if self.deskew else gray)[:, :, None]
        shape = (self.patch, self.patch)
        windows = np.lib.stride_tricks.sliding_window_view(brought, shape, axis=(0, 1))
        places = windows.shape[0] * windows.shape[1]
        return np.ascontiguousarray(windows).reshape(places, -1)

    def _row(self, picture: np.ndarray) -> np.ndarray:
        responses = ((_contrast(self._patches(picture)) - self.mean_) @ self.whitening_) @ (
            self.filters_.T
        )
        limit = responses.mean(axis=1, keepdims=True)
        limit += _ABOVE * responses.std(axis=1, keepdims=True)
        high = np.maximum(responses - limit, 0.0)
        side = self.size - self.patch + 1
        pooled = to_square(high.reshape(side, side, -1), self.grid)
        return np.sqrt(pooled).ravel()


def _contrast(patches: np.ndarray) -> np.ndarray:
    """Patches with a mean of zero and comparable contrast."""
    off = patches - patches.mean(axis=1, keepdims=True)
    return np.asarray(off / np.sqrt((off**2).mean(axis=1, keepdims=True) + _CONTRAST))
