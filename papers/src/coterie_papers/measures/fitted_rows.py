"""Members that were fitted are told from others: by ids, by what their rows hold, or by their factors in every view."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coterie.core.errors import DataError

_SAME = 1e-9  # of the largest factor of a component: the same row placed twice


def content_ids(views: Mapping[str, Any]) -> list[str]:
    """A name for every member made from what its rows hold in all views: tables, dense or sparse, or texts.

    >>> one, other = content_ids({"en": ["a cat", "a hat"], "de": ["eine Katze", "ein Hut"]})
    >>> one == content_ids({"en": ["a cat"], "de": ["eine Katze"]})[0], one == other
    (True, False)
    """
    sizes = {
        name: int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
        for name, rows in views.items()
    }
    if len(set(sizes.values())) != 1:
        said = ", ".join(f"'{name}' has {size}" for name, size in sizes.items()) or "there is none"
        raise DataError(f"Views show the same members row by row: {said}.")
    hashes = [hashlib.blake2b(digest_size=16) for _ in range(next(iter(sizes.values())))]
    for name in sorted(views):
        for held, row in zip(hashes, _contents(views[name]), strict=True):
            held.update(name.encode() + b"\0" + len(row).to_bytes(8, "little") + row)
    return [held.hexdigest() for held in hashes]


def _contents(rows: Any) -> list[bytes]:
    """What every row holds; a sparse row by its entries, in order of the columns."""
    if hasattr(rows, "tocsr"):
        table = rows.tocsr().copy()
        table.sum_duplicates()
        table.eliminate_zeros()
        ends = table.indptr
        columns = table.indices.astype(np.int64)
        values = table.data.astype(np.float64)
        parts = [slice(ends[at], ends[at + 1]) for at in range(table.shape[0])]
        return [columns[part].tobytes() + values[part].tobytes() for part in parts]
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf":
        dense = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # no negative zero
        return [row.tobytes() for row in dense]
    return [str(row).encode() for row in rows]


def fitted_again(
    fitted: Mapping[str, np.ndarray], held_out: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Per held-out member the fitted one with the same factors in every view, up to rounding; -1 where there is none."""
    from scipy.spatial import cKDTree

    before, after = (
        np.hstack([np.asarray(given[name], dtype=np.float64) for name in fitted])
        for given in (fitted, held_out)
    )
    size = np.abs(before).max(axis=0)
    scale = np.divide(1.0, size, out=np.ones_like(size), where=size > 0)
    _, at = cKDTree(before * scale).query(after * scale, p=np.inf, distance_upper_bound=_SAME)
    return np.where(at < len(before), at, -1)


def refuse_fitted(
    fitted: Mapping[str, np.ndarray],
    held_out: Mapping[str, np.ndarray],
    ids: tuple[Sequence[Any], Sequence[Any]] | None,
) -> None:
    """A certificate is for members that were not fitted: the first that was, or that looks the same, is named."""
    if ids is None:
        at = fitted_again(fitted, held_out)
        again = np.flatnonzero(at >= 0)
        how = (
            f", or looks exactly like fitted member {int(at[again[0]])} in every view"
            if len(again)
            else ""
        )
    else:
        sizes = [len(next(iter(given.values()))) for given in (fitted, held_out)]
        if [len(one) for one in ids] != sizes:
            raise DataError(
                f"ids must name {sizes[0]} fitted and {sizes[1]} held-out members, and name {len(ids[0])} and {len(ids[1])}."
            )
        known = set(ids[0])
        again = np.array([at for at, name in enumerate(ids[1]) if name in known], dtype=np.int64)
        how = (
            f": its id, {ids[1][int(again[0])]!r}, is that of a fitted member" if len(again) else ""
        )
    if len(again):
        rest = (
            "leave it out"
            if len(again) == 1
            else f"leave it out, and {len(again) - 1:,} more like it"
        )
        raise DataError(f"Held-out member {int(again[0])} was fitted{how}; {rest}.")
