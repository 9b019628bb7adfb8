"""How many groups, and whether there are any: the separation of every cut set against null collections.

For k = 2, 3, ... the members are cut by the walk's own spectral clustering, and s is the mean silhouette of the cut times the
square root of its evenness (the effective number of groups, exp of the entropy of their shares, over k), so that a few
stragglers cut off from the rest do not count as an answer. The *separation* is -ln(1.01 - s): silhouettes crowd below 1
where there are few members or dimensions, and on this scale 0.99 stands as far above 0.9 as it should. It is taken
twice: in the spectral coordinates, where the cut was made (this decides k), and in the space of the members (a second
witness of structure). The same is done on null collections of one or more families. There is structure when for both
witnesses the greatest separation above the mean of every family reaches 4 of the standard deviations of that family. The
*excess* at k is the separation minus the highest mean of any family; k is the smallest whose excess reaches 98% of the
greatest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.affinity import Affinity
from coterie.core.findings import Evidence
from coterie.core.random import stream, streams
from coterie.core.workplace import stage, workplace
from coterie.parts.groups import mean_silhouette
from coterie.parts.pairwise import submatrix
from coterie.parts.workers import in_order

_JUDGED = 1000  # members whose silhouettes are taken
_ENOUGH = 4.0  # standard deviations of the nulls
_NEAR_BEST = 0.98
_ROOM = 1.01  # silhouettes end at 1; this is where the scale of separation ends
_MEASURE = "separation of the cut into k groups (log scale)"

Compare = Callable[[Any], Affinity]  # what a comparer is given -> distances between members
Cut = Callable[[Affinity, int], tuple[np.ndarray, Callable[[int], tuple[np.ndarray, np.ndarray]]]]


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked: members (a sample of them), how they are compared and cut, and their nulls."""

    members: Any  # in the form the walk's comparer takes
    compare: Compare
    cut: Cut  # (distances, most groups) -> eigenvalues, and a function of k giving coordinates and labels
    nulls: Mapping[str, Callable[[np.random.Generator], Any]]  # family -> a null in the same form
    n: int

    @property
    def most(self) -> int:
        """The largest number of groups that this many members can speak for."""
        return max(2, min(self.n - 1, max(3, self.n // 8)))


def seek(question: Question, *, k: int | None, max_k: int, nulls: int, seed: int) -> Evidence:
    """The curve over k, the nulls, and the choice; with k given only the question of structure is answered."""
    top = min(max_k, question.most)
    ks = tuple(range(2, top + 1))
    own, eigenvalues = _curve(question, question.members, top)
    if not nulls or len(ks) < 1:
        return _without_nulls(ks, own, eigenvalues, k)
    families = _null_curves(question, top, nulls, seed)
    means = np.array([curves.mean(axis=0) for curves in families.values()])  # families x 2 x ks
    spreads = np.maximum(
        [np.sqrt(curves.var(axis=0, ddof=1).mean(axis=1)) for curves in families.values()], 1e-3
    )
    strength = _strength(own, means, spreads)
    every = np.concatenate(list(families.values()))
    beaten = sum(_strength(curve, means, spreads) >= strength for curve in every)
    best = _smallest_near_best(ks, (own - means.max(axis=0))[0])
    structured = strength >= _ENOUGH
    chosen = best if structured else 1
    return Evidence(
        n_groups=chosen if k is None else k,
        chosen=k is None,
        structured=structured,
        p_value=(1 + beaten) / (1 + len(every)),
        measure=_MEASURE,
        n_nulls=len(every),
        ks=ks,
        scores=tuple(map(float, own[0])),
        null_mean=tuple(map(float, means.max(axis=0)[0])),
        null_sd=tuple(float(spreads[:, 0].max()) for _ in ks),
        eigenvalues=tuple(map(float, eigenvalues)),
        sentences=tuple(
            _explain(k, best, structured, strength, len(every), beaten, list(families))
        ),
    )


def _strength(curve: np.ndarray, means: np.ndarray, spreads: np.ndarray) -> float:
    """The greatest excess over a null family in its standard deviations; of the weaker witness, over the nearest family."""
    return float(((curve - means) / spreads[:, :, None]).max(axis=2).min())


def _curve(question: Question, members: Any, top: int) -> tuple[np.ndarray, np.ndarray]:
    """(2, number of ks) separations: in the cut's own coordinates, and between the members."""
    distances = question.compare(members)
    eigenvalues, cut = question.cut(distances, top)
    n = distances.shape[0]
    seen = np.arange(n) if n <= _JUDGED else np.sort(stream(0, n).choice(n, _JUDGED, replace=False))
    apart = submatrix(distances, seen, seen)
    found = np.full((2, top - 1), _separation(0.0))
    for k in range(2, top + 1):
        rows, labels = cut(k)
        balance = np.sqrt(evenness(labels, k))
        labels = labels[seen]
        if 1 < len(np.unique(labels)) < len(seen):
            inside = mean_silhouette(rows[seen], labels, embedded=True)
            outside = mean_silhouette(apart, labels)
            found[:, k - 2] = _separation(balance * inside), _separation(balance * outside)
        workplace().stop_if_asked()
    return found, eigenvalues


def _separation(silhouette: float) -> float:
    return float(-np.log(_ROOM - silhouette))


def _null_curves(question: Question, top: int, count: int, seed: int) -> dict[str, np.ndarray]:
    """family -> (nulls, 2, ks), the count shared by the families; each null is one task that is kept when it is done."""
    names = list(question.nulls)
    each = max(2, -(-count // len(names)))  # one alone has no spread
    generators = streams(seed, each * len(names))
    tasks = [(name, generators[f * each + i]) for f, name in enumerate(names) for i in range(each)]

    def work(task: tuple[str, np.random.Generator]) -> np.ndarray:
        here = workplace()
        key = here.key("null")
        kept = here.keeper.get(key)
        if kept is not None:
            return kept["curve"]
        name, generator = task
        curve, _ = _curve(question, question.nulls[name](generator), top)
        here.keeper.put(key, {"curve": curve})
        return curve

    with stage("nulls"):
        curves = list(in_order(work, tasks, "null collections"))
    return {
        name: np.array([c for (owner, _), c in zip(tasks, curves, strict=True) if owner == name])
        for name in names
    }


def evenness(labels: np.ndarray, k: int) -> float:
    """The effective number of groups (exp of the entropy of their shares) over k: 1 when all are of one size."""
    shares = np.bincount(labels, minlength=k) / len(labels)
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum())) / k


def _smallest_near_best(ks: tuple[int, ...], excess: np.ndarray) -> int:
    top = float(excess.max())
    return ks[int(np.flatnonzero(excess >= top - (1 - _NEAR_BEST) * abs(top))[0])]


def _without_nulls(
    ks: tuple[int, ...], own: np.ndarray, eigenvalues: np.ndarray, k: int | None
) -> Evidence:
    best = _smallest_near_best(ks, own[0])
    asked = (
        f"You asked for {_many(k)}; the best separated cut has {best}."
        if k is not None
        else f"The best separated cut has {best} groups."
    )
    return Evidence(
        n_groups=k or best,
        chosen=k is None,
        structured=True,
        p_value=float("nan"),
        measure=_MEASURE,
        ks=ks,
        scores=tuple(map(float, own[0])),
        eigenvalues=tuple(map(float, eigenvalues)),
        sentences=(
            asked,
            "No null collections were looked at, so nothing is said on whether the groups are real.",
        ),
    )


def _explain(
    k: int | None,
    best: int,
    structured: bool,
    strength: float,
    count: int,
    beaten: int,
    families: list[str],
) -> list[str]:
    against = f"{count} null collections ({', '.join(families)})"
    if not structured:
        height = f"{abs(strength):.1f} standard deviations {'higher' if strength >= 0 else 'lower'}"
        told = f"Against {against}, the best cut stands {height}"
        told += f"; groups are claimed from {_ENOUGH:g}."
        return (
            [told, "Ask for a number of groups with --k to see a cut anyway."]
            if k is None
            else [told]
        )
    rank = (
        "none of them was as well separated"
        if beaten == 0
        else f"{beaten} of them were as well separated"
    )
    first = (
        f"Against {against}, the best cut stands {strength:.0f} standard deviations higher; {rank}."
    )
    if k is None:
        return [
            first,
            f"{best} groups: the smallest number whose separation beyond the nulls is within 2% of the best.",
        ]
    agreed = (
        "which is also what coterie would choose" if best == k else f"coterie would choose {best}"
    )
    return [first, f"You asked for {_many(k)}; {agreed}."]


def _many(k: int) -> str:
    return "1 group" if k == 1 else f"{k} groups"
