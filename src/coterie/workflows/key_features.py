"""What tells a group from the rest: things by information, columns by standardized difference, courses by their shape.

Key terms of texts are in `key_terms`, what is measured of sequences, recordings and pictures in `attributes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from coterie.core.findings import Trait
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.parts.sequences import filled
from coterie.parts.windows import WORD, attributes, in_words

KeyFeatures = tuple[tuple[str, float], ...]
_SPARK = 40  # points of a mean trace
_SLIGHT = 0.2  # standard deviations up to which a difference is not spoken of
_DIFFERS = 0.5  # from where it may name a group
_SURE = 2.5  # standard errors of the difference that it is more than, too
_ALIKE = 0.8  # correlation of two columns from which the weaker one says nothing new


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


class KeyColumns(tuple[tuple[str, float], ...]):
    """Statements on columns with their strengths, the strongest first; `traits` are the facts of those that may name a group."""

    traits: tuple[Trait, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[str, float]], traits: Iterable[Trait]) -> KeyColumns:
        """From the statements and the facts."""
        found = cls(rows)
        found.traits = tuple(traits)
        return found


AttributeWords = Mapping[
    str, tuple[str, str]
]  # attribute -> what low and high values of it are called


def key_columns(
    table: Table,
    labels: np.ndarray,
    n_groups: int,
    most: int = 8,
    words: AttributeWords | None = None,
) -> list[KeyColumns]:
    """Per group the columns that differ most from the rest, by standardized difference.

    Of a number that is the difference of the means in standard deviations of all members; of a category the same of
    having it or not. Traits, which may name the group, differ by half a standard deviation or more, and by more than chance
    (2.5 standard errors), and follow from no stronger one (a correlation of 0.8).
    """
    values = table.values.toarray() if table.sparse else table.values
    found: list[KeyColumns] = []
    for g in range(n_groups):
        inside = values[labels == g]
        rest = values[labels != g]
        if not len(inside) or not len(rest):
            found.append(KeyColumns())
            continue
        rows = [
            (_column(table, j, inside[:, j], rest[:, j], values[:, j], words or {}), j)
            for j in range(table.shape[1])
        ]
        ranked = [(*row, j) for row, j in rows if row is not None]
        ranked = sorted(ranked, key=lambda row: -abs(row[1].effect))[:most]
        sure = _SURE * float(np.sqrt(1 / len(inside) + 1 / len(rest)))
        named: list[tuple[Trait, int]] = []
        for _, trait, j in ranked:
            if _names(trait, sure) and not any(_follows(values, j, other) for _, other in named):
                named.append((trait, j))
        statements = [(statement, abs(trait.effect)) for statement, trait, _ in ranked]
        found.append(KeyColumns.of(statements, [trait for trait, _ in named]))
    return found


def _names(trait: Trait, sure: float) -> bool:
    """Whether a group differs enough in a trait to be named by it; a category is one that most of its members have."""
    enough = abs(trait.effect) >= max(_DIFFERS, sure) and bool(trait.word)
    return enough and (not trait.category or trait.inside >= 0.5)


def _follows(values: np.ndarray, one: int, other: int) -> bool:
    """Whether two columns say nearly the same of all members."""
    pair = values[:, [one, other]]
    pair = pair[~np.isnan(pair).any(axis=1)]
    off = pair - pair.mean(axis=0) if len(pair) else pair
    size = float(np.sqrt((off**2).sum(axis=0).prod()))
    return size > 0 and abs(float((off[:, 0] * off[:, 1]).sum())) > _ALIKE * size


def _column(
    table: Table,
    j: int,
    inside: np.ndarray,
    rest: np.ndarray,
    all_values: np.ndarray,
    words: AttributeWords,
) -> tuple[str, Trait] | None:
    """How a group differs in a column, as a statement and as a fact; None where it hardly does."""
    inside = inside[~np.isnan(inside)]
    rest = rest[~np.isnan(rest)]
    if not len(inside) or not len(rest):
        return None
    name = table.names[j]
    called = name.replace("_", " ")
    if j in table.categories:
        levels = table.categories[j]
        here = np.bincount(inside.astype(int), minlength=len(levels)) / len(inside)
        there = np.bincount(rest.astype(int), minlength=len(levels)) / len(rest)
        at = int(np.argmax(here - there))
        share, other = float(here[at]), float(there[at])
        if share - other <= 0.02:
            return None
        overall = (share * len(inside) + other * len(rest)) / (len(inside) + len(rest))
        effect = (share - other) / float(np.sqrt(overall * (1 - overall)))
        level = str(levels[at])
        said = f"{name} is {level} ({share:.0%} against {other:.0%})"
        return said, Trait(name, f"{called} {level}", effect, share, other, level)
    spread = float(np.nanstd(all_values))
    if spread == 0:
        return None
    mean, other = float(inside.mean()), float(rest.mean())
    effect = (mean - other) / spread
    if abs(effect) <= _SLIGHT:
        return None
    if j in table.dates:
        word = "late" if effect > 0 else "early"
        said = f"{name} is {word} ({table.level(j, mean)} against {table.level(j, other)})"
    else:
        word = "high" if effect > 0 else "low"
        said = f"{name} is {word} ({readable(mean)} against {readable(other)})"
    short = words[name][effect > 0] if name in words else f"{called} {word}"
    return said, Trait(name, short, effect, mean, other)


def readable(number: float) -> str:
    """A number as one would write it: 23,250 and not 2.325e+04."""
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"


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
) -> Mapping[str, Sequence[KeyFeatures]]:
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
    near = around[:, np.flatnonzero(~here)]
    told = key_terms(near, beside, labels, n_groups, most=8)
    before = {
        in_words(WORD, -1, value).removeprefix(f"{WORD} "): value
        for value in set(map(str, text.tokens))
    }
    place = {statement: at for at, statement in enumerate(beside)}
    surroundings = []
    for g, rows in enumerate(told):
        traits = []
        for statement, _ in rows:
            if statement in before:
                held = near[:, [place[statement]]].toarray().ravel() > 0
                trait = _context(before[statement], held, labels == g)
                traits += [trait] if trait.effect >= _DIFFERS else []
        surroundings.append(KeyColumns.of(rows, traits))
    return {
        "words": key_terms(counts, spelled, labels, n_groups),
        "surroundings": surroundings,
    }


def _context(word: str, held: np.ndarray, inside: np.ndarray) -> Trait:
    """How much more often the mentions of a group follow a word than the others do."""
    share = float(held[inside].mean())
    rest = float(held[~inside].mean()) if not inside.all() else 0.0
    overall = float(held.mean())
    effect = (share - rest) / max(float(np.sqrt(overall * (1 - overall))), 1e-12)
    return Trait("word before", f"after \u201c{word}\u201d", effect, share, rest, word)


def coo_counts(rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> Any:
    """How often each row met each column, as a sparse matrix."""
    import scipy.sparse as sp

    return sp.csr_array((np.ones(len(rows)), (rows, cols)), shape=shape)
