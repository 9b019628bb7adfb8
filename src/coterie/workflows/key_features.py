"""What tells a group from the rest: key terms by information, key columns by standardized difference, courses by their shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.parts.sequences import filled
from coterie.parts.windows import WORD, attributes

KeyFeatures = tuple[tuple[str, float], ...]
_SPARK = 40  # points of a mean trace


def key_terms(
    counts: Any, names: Sequence[str], labels: np.ndarray, n_groups: int, most: int = 12
) -> list[KeyFeatures]:
    """Per group the things whose presence tells most: p(thing | group) log(p(thing | group) / p(thing)), by members."""
    import scipy.sparse as sp

    present = sp.csr_array(counts, copy=True)
    present.data = np.ones_like(present.data)
    kept = labels >= 0
    member = sp.csr_array(
        (np.ones(int(kept.sum())), (labels[kept], np.flatnonzero(kept))),
        shape=(n_groups, len(labels)),
    )
    sizes = np.maximum(np.bincount(labels[kept], minlength=n_groups), 1)
    overall = (np.asarray(present.sum(axis=0)).ravel() + 0.5) / (len(labels) + 1.0)
    share = np.asarray((member @ present).todense()) / sizes[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(share > 0, share * np.log(np.maximum(share, 1e-300) / overall), 0.0)
    found: list[KeyFeatures] = []
    for g in range(n_groups):
        best = [int(j) for j in np.argsort(-gain[g], kind="stable")[:most] if gain[g, j] > 0]
        found.append(tuple((names[j], float(gain[g, j])) for j in best))
    return found


def key_columns(
    table: Table, labels: np.ndarray, n_groups: int, most: int = 8
) -> list[KeyFeatures]:
    """Per group the columns that differ most from the rest: in standard deviations, or as a share of one category."""
    values = table.values.toarray() if table.sparse else table.values
    found: list[KeyFeatures] = []
    for g in range(n_groups):
        inside = values[labels == g]
        rest = values[labels != g]
        if not len(inside) or not len(rest):
            found.append(())
            continue
        rows = [
            _column(table, j, inside[:, j], rest[:, j], values[:, j]) for j in range(table.shape[1])
        ]
        ranked = sorted((row for row in rows if row is not None), key=lambda row: -row[1])
        found.append(tuple(ranked[:most]))
    return found


def _column(
    table: Table, j: int, inside: np.ndarray, rest: np.ndarray, all_values: np.ndarray
) -> tuple[str, float] | None:
    inside = inside[~np.isnan(inside)]
    rest = rest[~np.isnan(rest)]
    if not len(inside) or not len(rest):
        return None
    name = table.names[j]
    if j in table.categories:
        here = np.bincount(inside.astype(int), minlength=len(table.categories[j])) / len(inside)
        there = np.bincount(rest.astype(int), minlength=len(table.categories[j])) / len(rest)
        level = int(np.argmax(here - there))
        gap = float(here[level] - there[level])
        return (
            (
                f"{name} is {table.categories[j][level]} ({here[level]:.0%} against {there[level]:.0%})",
                gap,
            )
            if gap > 0.02
            else None
        )
    spread = float(np.nanstd(all_values))
    if spread == 0:
        return None
    gap = float(inside.mean() - rest.mean()) / spread
    if j in table.dates:
        late = "late" if gap > 0 else "early"
        said = f"{name} is {late} ({table.level(j, float(inside.mean()))} against {table.level(j, float(rest.mean()))})"
        return (said, abs(gap)) if abs(gap) > 0.2 else None
    word = "high" if gap > 0 else "low"
    said = f"{name} is {word} ({readable(inside.mean())} against {readable(rest.mean())})"
    return (said, abs(gap)) if abs(gap) > 0.2 else None


def readable(number: float) -> str:
    """A number as one would write it: 23,250 and not 2.325e+04."""
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def trace_table(sequences: Ragged) -> Table:
    """A few plain properties of each sequence or set, to tell groups of them apart in words."""
    sequences = filled(sequences)
    lengths = np.maximum(sequences.lengths, 1)
    known = list(getattr(sequences, "names", ()))
    dims = known or (
        [f"dimension {d + 1}" for d in range(sequences.dim)] if sequences.dim > 1 else ["value"]
    )
    owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
    total = np.zeros((len(sequences), sequences.dim))
    np.add.at(total, owner, sequences.values)
    mean = total / lengths[:, None]
    square = np.zeros_like(total)
    np.add.at(square, owner, (sequences.values - mean[owner]) ** 2)
    spread = np.sqrt(square / lengths[:, None])
    if not sequences.ordered:
        names = [
            "number of vectors",
            *(f"{what} of {dim}" for what in ("mean", "spread") for dim in dims),
        ]
        return Table(np.column_stack([sequences.lengths.astype(float), mean, spread]), tuple(names))
    step = np.zeros_like(total)
    inner = owner[1:] == owner[:-1]
    np.add.at(step, owner[1:][inner], np.abs(np.diff(sequences.values, axis=0))[inner])
    change = step / np.maximum(lengths - 1, 1)[:, None]
    names = [
        "length",
        *(f"{what} of {dim}" for what in ("mean", "spread", "change per step") for dim in dims),
    ]
    return Table(
        np.column_stack([sequences.lengths.astype(float), mean, spread, change]), tuple(names)
    )


def sound_table(sound: Ragged) -> Table:
    """What can be heard at once: how long a recording is, how loud, and how bright (crossings of zero a second)."""
    seconds = np.maximum(sound.lengths, 1) / sound.rate
    owner = np.repeat(np.arange(len(sound)), sound.lengths)
    wave = sound.values[:, 0]
    power = np.bincount(owner, weights=wave**2, minlength=len(sound)) / np.maximum(sound.lengths, 1)
    turns = (
        (np.diff(np.signbit(wave)) & (np.diff(owner) == 0)).astype(float)
        if len(wave) > 1
        else np.zeros(0)
    )
    crossings = np.bincount(owner[1:], weights=turns, minlength=len(sound)) / seconds
    loud = 10 * np.log10(np.maximum(power, 1e-12))
    return Table(
        np.stack([seconds, loud, crossings], axis=1),
        ("seconds", "loudness in dB", "zero crossings a second"),
    )


def sparks(sequences: Ragged, members: np.ndarray, dims: int = 3) -> tuple[tuple[float, ...], ...]:
    """The mean course of some sequences, stretched to one length, for small drawings."""
    sequences = filled(sequences.take(members))
    members = np.arange(len(members))
    places = np.linspace(0.0, 1.0, _SPARK)
    total = np.zeros((min(dims, sequences.dim), _SPARK))
    used = 0
    for member in members:
        trace = sequences[int(member)]
        if len(trace):
            at = np.linspace(0.0, 1.0, len(trace))
            total += np.array([np.interp(places, at, trace[:, d]) for d in range(len(total))])
            used += 1
    return tuple(tuple(float(v) for v in row) for row in total / max(used, 1))


def key_surroundings(
    text: TaggedText, labels: np.ndarray, n_groups: int
) -> dict[str, list[KeyFeatures]]:
    """What tells groups of mentions: their own words, and the words around them."""
    around, names = attributes(text, columns=[WORD])
    own = text.owners if text.owners is not None else np.arange(len(text.spans))
    if text.owners is not None:
        around = coo_counts(own, np.arange(len(own)), (len(text), len(own))) @ around
    here = np.array([name.startswith(f"{WORD} is ") for name in names])
    forms = text.forms()
    spelled = [
        " ".join(map(str, text.tokens[a:b]))
        for a, b in text.spans[np.unique(forms, return_index=True)[1]]
    ]
    counts = coo_counts(own, forms, (len(text), len(spelled)))
    beside = [
        name.removeprefix(f"{WORD} ") for name, mine in zip(names, here, strict=True) if not mine
    ]
    return {
        "words": key_terms(counts, spelled, labels, n_groups),
        "surroundings": key_terms(
            around[:, np.flatnonzero(~here)], beside, labels, n_groups, most=8
        ),
    }


def coo_counts(rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> Any:
    """How often each row met each column, as a sparse matrix."""
    import scipy.sparse as sp

    return sp.csr_array((np.ones(len(rows)), (rows, cols)), shape=shape)
