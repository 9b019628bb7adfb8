"""Gaussian states with whole covariances: log-densities by Cholesky factors, the sums of training, and floors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError

_FRAMES = 128  # frames and
_CELLS = (
    2**16
)  # numbers held at once, half a megabyte: constants, so that results never depend on the workplace
_MANY = 256  # frames of one model from which a matrix product is worth its call
_FAR = 1e5  # deviations from the center beyond which a state is done by itself, so that nothing cancels


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
    """Inverse Cholesky factors of all states, and what one matrix product needs to use them together."""

    inverses: np.ndarray  # (M, K, d, d)
    sizes: np.ndarray  # (M, K): log(det(2 pi covariance))
    center: np.ndarray  # (d,)
    groups: list[
        tuple[int, np.ndarray, np.ndarray, np.ndarray]
    ]  # first column, (d, d * n), (d, n), (n,)
    far: np.ndarray  # columns k * M + m that are done by themselves


def roots(means: np.ndarray, spreads: np.ndarray) -> Roots:
    """The factors of the covariances (M, K, d, d); an error that names the state where one has none."""
    from coterie._kernels.covariances import inverse_roots

    n_models, n_states, d = means.shape
    flat = np.ascontiguousarray(spreads).reshape(-1, d, d)
    sizes = np.empty(n_models * n_states)
    found = np.empty(flat.shape)
    bad = int(inverse_roots(flat, found, sizes))
    if bad >= 0:
        raise DataError(
            f"The covariance of state {bad % n_states} of model {bad // n_states} is not positive definite; raise the floor, "
            "or use diagonal states."
        )
    inverses: np.ndarray = found.reshape(spreads.shape)
    columns = sizes.reshape(n_models, n_states).T.ravel()
    center = means.mean(axis=(0, 1))
    shifts = np.einsum("mkij,mkj->ikm", inverses, means - center).reshape(d, -1)
    turned = inverses.transpose(3, 2, 1, 0).reshape(d, d, -1)  # value in, value out, column
    together = max(1, _CELLS // (_FRAMES * d))
    groups = []
    for lo in range(0, len(columns), together):
        part = slice(lo, lo + together)
        factors = np.ascontiguousarray(turned[:, :, part]).reshape(d, -1)
        groups.append((lo, factors, np.ascontiguousarray(shifts[:, part]), columns[part]))
    return Roots(
        inverses,
        sizes.reshape(n_models, n_states),
        center,
        groups,
        np.flatnonzero((np.abs(shifts) > _FAR).any(axis=0)),
    )


def whole_rows(
    frames: np.ndarray, means: np.ndarray, spreads: np.ndarray, kept: Roots
) -> np.ndarray:
    """Log-densities of all frames in all states of all models: (T, K * M)."""
    import coterie._kernels.covariances as kernels

    squared: Any = kernels.squared
    own_whole: Any = kernels.own_whole
    n_models, n_states, _ = means.shape
    out = np.empty((len(frames), n_models * n_states))
    for lo in range(0, len(frames), _FRAMES):
        part = frames[lo : lo + _FRAMES] - kept.center
        for first, factors, shifts, sizes in kept.groups:
            squared(
                part @ factors, shifts, sizes, out[lo : lo + len(part), first : first + len(sizes)]
            )
    for column in kept.far:
        k, m = divmod(int(column), n_models)
        one = (slice(m, m + 1), slice(k, k + 1))
        found = np.empty((len(frames), 1))
        own_whole(
            frames,
            np.zeros(len(frames), dtype=np.int64),
            means[one],
            kept.inverses[one],
            kept.sizes[one],
            found,
        )
        out[:, column] = found[:, 0]
    holed = np.flatnonzero(np.isnan(frames).any(axis=1))
    if len(holed):
        order, kinds = _kinds(frames, holed)
        for column in range(out.shape[1]):
            k, m = divmod(column, n_models)
            out[order, column] = _of_gaps(frames[order], kinds, means[m, k], spreads[m, k])
    return out


def whole_own(
    frames: np.ndarray, owners: np.ndarray, means: np.ndarray, spreads: np.ndarray, kept: Roots
) -> np.ndarray:
    """Log-densities of all frames in the states of their own model: (T, K)."""
    import coterie._kernels.covariances as kernels

    own_whole: Any = kernels.own_whole
    out = np.empty((len(frames), means.shape[1]))
    many = np.bincount(owners, minlength=len(means)) >= _MANY
    if many.any():
        for m in np.flatnonzero(many):
            mine = np.flatnonzero(owners == m)
            one = slice(m, m + 1)
            own = kept if len(means) == 1 else roots(means[one], spreads[one])
            out[mine] = whole_rows(frames[mine], means[one], spreads[one], own)
        few = np.flatnonzero(~many[owners])
        if len(few):
            out[few] = whole_own(frames[few], owners[few], means, spreads, kept)
        return out
    own_whole(frames, owners, means, kept.inverses, kept.sizes, out)
    holed = np.flatnonzero(np.isnan(frames).any(axis=1))
    if len(holed):
        order, kinds = _kinds(frames, holed, owners)
        for who, part in _runs(owners[order]):
            for k in range(means.shape[1]):
                out[order[part], k] = _of_gaps(
                    frames[order[part]], kinds[part], means[who, k], spreads[who, k]
                )
    return out


def whole_sums(
    frames: np.ndarray,
    owners: np.ndarray,
    shares: np.ndarray,
    means: np.ndarray,
    spreads: np.ndarray,
) -> dict[str, np.ndarray]:
    """Shares of the states, sums of gaps to their means and of products of gaps; missing values as they are expected."""
    import coterie._kernels.covariances as kernels

    add_whole: Any = kernels.add_whole
    gap_sums: Any = kernels.gap_sums
    n_models, n_states, d = means.shape
    seen = np.zeros((n_models, n_states))
    total = np.zeros(means.shape)
    square = np.zeros((n_models, n_states, d, d))
    holes = np.isnan(frames).any(axis=1)
    many = np.bincount(owners, minlength=n_models) >= _MANY
    few = np.flatnonzero(~many[owners] & ~holes)
    if len(few):
        add_whole(frames[few], owners[few], shares[few], means, seen, total, square)
    for m in np.flatnonzero(many):
        mine = np.flatnonzero((owners == m) & ~holes)
        for k in range(n_states):
            gap = frames[mine] - means[m, k]
            share = shares[mine, k]
            parts = gap * share[:, None]
            seen[m, k] = share.sum()
            total[m, k] = parts.sum(axis=0)
            square[m, k] = parts.T @ gap
    holed = np.flatnonzero(holes)
    if len(holed):
        order, kinds = _kinds(frames, holed, owners)
        gap_sums(
            frames[order], kinds, owners[order], shares[order], means, spreads, seen, total, square
        )
    lower = np.tril(square)
    return {
        "seen": seen,
        "total": total,
        "square": lower + np.swapaxes(np.tril(square, -1), -1, -2),
    }


def floored(spreads: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Covariances without an eigenvalue below one in units of the least variances (d,); as they are where one of these is 0."""
    if least.min(initial=np.inf) <= 0:
        return spreads
    from coterie._kernels.covariances import without_root

    d = len(least)
    low = np.zeros(spreads.shape[:-2], dtype=bool)
    without_root(np.ascontiguousarray(spreads - np.diag(least)).reshape(-1, d, d), low.reshape(-1))
    if not low.any():
        return spreads
    scale = np.sqrt(least)
    scale = scale[:, None] * scale[None, :]
    unit = spreads[low] / scale
    values, vectors = np.linalg.eigh((unit + np.swapaxes(unit, -1, -2)) / 2)
    raised = (vectors * np.maximum(values, 1.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    out = spreads.copy()
    out[low] = (raised + np.swapaxes(raised, -1, -2)) / 2 * scale
    return out


def _kinds(
    frames: np.ndarray, holed: np.ndarray, owners: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Frames with missing values by owner and by what they miss: positions, and a number for what each misses."""
    _, kinds = np.unique(np.packbits(np.isnan(frames[holed]), axis=1), axis=0, return_inverse=True)
    kinds = kinds.ravel()
    order = np.lexsort((kinds,) if owners is None else (kinds, owners[holed]))
    return holed[order], kinds[order]


def _runs(owners: np.ndarray) -> list[tuple[int, slice]]:
    """Owners in order as (owner, its slice)."""
    who, first = np.unique(owners, return_index=True)
    ends = [*first[1:].tolist(), len(owners)]
    return [(int(m), slice(int(lo), hi)) for m, lo, hi in zip(who, first, ends, strict=True)]


def _of_gaps(
    frames: np.ndarray, kinds: np.ndarray, mean: np.ndarray, spread: np.ndarray
) -> np.ndarray:
    from coterie._kernels.covariances import gap_densities

    out = np.empty(len(frames))
    gap_densities(frames, kinds, mean, spread, out)
    return out
