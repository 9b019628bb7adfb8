"""Gaussian states with variances alone: the log-densities of all frames in all states as one matrix product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LOG_2PI = float(np.log(2 * np.pi))
_FAR = 1e6  # squared deviations from the center beyond which a state is done by itself, so that nothing cancels


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """What turns frames into log-densities under variances by one matrix product; values count from the center."""

    center: np.ndarray  # (d,)
    plain: np.ndarray  # (2 d + 1, K * M)
    gapped: np.ndarray  # (3 d, K * M), where values are missing
    far: np.ndarray  # columns k * M + m too far from the center for this

    def features(self, frames: np.ndarray) -> tuple[np.ndarray, bool]:
        """[x^2, x, 1] of the frames, or [x^2, x, is there] where values are missing."""
        d = len(self.center)
        gaps = bool(np.isnan(frames.sum()))
        features = np.empty(
            (3 * d if gaps else 2 * d + 1, len(frames))
        )  # laid out by value: that is four times as fast
        middle = features[d : 2 * d]
        np.subtract(frames.T, self.center[:, None], out=middle)
        features[2 * d :] = np.isfinite(middle) if gaps else 1.0
        if gaps:
            np.nan_to_num(middle, copy=False)
        np.multiply(middle, middle, out=features[:d])
        return features.T, gaps

    def sums(
        self, frames: np.ndarray, shares: np.ndarray, means: np.ndarray
    ) -> dict[str, np.ndarray] | None:
        """What training needs of the frames of one model, by one matrix product; None where that would not be exact."""
        features, gaps = self.features(frames)
        if gaps or len(self.far):
            return None
        d = len(self.center)
        found = shares.T @ features
        gap = means - self.center
        seen = np.repeat(found[:, 2 * d :], d, axis=1)
        square = found[:, :d]
        total = found[:, d : 2 * d]
        return {
            "seen": seen,
            "total": total - seen * gap,
            "square": square - 2 * gap * total + seen * gap * gap,
        }


def product(means: np.ndarray, spreads: np.ndarray) -> Product:
    """What states with these means and variances (M, K, d) need for that."""
    center = means.mean(axis=(0, 1))
    d = len(center)
    gap = means - center
    precision = 1.0 / spreads
    away = gap * gap * precision
    last = -0.5 * (np.log(spreads) + LOG_2PI + away)
    first = [
        (-0.5 * precision).transpose(2, 1, 0).reshape(d, -1),
        (gap * precision).transpose(2, 1, 0).reshape(d, -1),
    ]
    plain = np.concatenate([*first, last.sum(axis=2).T.reshape(1, -1)])
    gapped = np.concatenate([*first, last.transpose(2, 1, 0).reshape(d, -1)])
    return Product(center, plain, gapped, np.flatnonzero(away.sum(axis=2).T.ravel() > _FAR))
