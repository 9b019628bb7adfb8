"""A certificate for pairwise clusters: how often views of members that were not fitted contradict them, and what bounds it.

A pairwise cluster is one indicator per view; a member contradicts it when its indicators are not all equal. The candidates and
their even prior are fixed by the fitted members, and the bound holds for every weighting of them at once (see parts.pac_bayes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie_papers.measures.certified import Certificate, PairedCluster
from coterie_papers.measures.fitted_rows import refuse_fitted
from coterie_papers.measures.pac_bayes import Weighting, best_weighting, budget, lower

QUANTILES = (0.5, 0.7, 0.8, 0.9)
# share of the fitted members in a cluster below and above which it says nothing
RARE = 0.02
COMMON = 0.98
CANDIDATES = ("components", "clusters")
BY = ("risk", "ratio")
Marks = list[np.ndarray]  # per view: members x candidates, whether a member is in


def certify(
    fitted: Mapping[str, ArrayLike],
    held_out: Mapping[str, ArrayLike],
    *,
    delta: float = 0.05,
    candidates: str = "components",
    by: str = "risk",
    quantiles: Sequence[float] = QUANTILES,
    ids: tuple[Sequence[Any], Sequence[Any]] | None = None,
) -> Certificate:
    """Bound how often members contradict the clusters that views share; with probability 1 - delta both bounds hold.

    `fitted` and `held_out` have per view the factors (members x components) of the members that were fitted and of others:
    `{name: model.transform_view(name, rows)}`. A candidate is a component, a sign and a quantile of the fitted factors: a member
    is in, by a view, when sign * factor lies above that view's quantile. With `candidates="clusters"` both have per view the
    cluster of every member (as `model.assign` gives them), and each cluster is a candidate; then `ids` must name the members.

    The candidates must be fixed before the held-out members are looked at, but not by fitted members: where a model fits its
    members more closely than others (many components, a small tau), their factors are larger, and other members that are
    neither fitted nor held out fix better candidates.

    Of all weightings the one with the smallest bound is taken (`by="risk"`), or the one whose bound is smallest beside chance
    (`by="ratio"`), which prefers clusters that many members are in.

    Members that were fitted are refused: those with the factors of a fitted one in every view, or, where `ids` names the fitted
    and the held-out members, those named in both (`content_ids` makes names from what the rows hold). Candidates that hold
    fewer than 2% or more than 98% of the fitted members are dropped, since an empty cluster is never contradicted; those that
    hold so few or so many of the held-out members have no weight.
    """
    for name, value, among in (("candidates", candidates, CANDIDATES), ("by", by, BY)):
        if value not in among:
            raise ParameterError(f"{name} must be one of {', '.join(among)}, and was {value!r}.")
    if not (isinstance(delta, Real) and 0 < delta < 1):
        raise ParameterError(f"delta must lie between 0 and 1, and was {delta!r}.")
    before, after = _views(fitted, held_out, 2 if candidates == "components" else 1)
    if ids is None and candidates == "clusters":
        raise DataError(
            "Clusters alone do not tell whether a member was fitted: give ids=(of the fitted, of the held-out members)."
        )
    refuse_fitted(before, after, ids)
    if candidates == "components":
        names, marks, tested = _by_quantile(before, after, quantiles)
    else:
        names, marks, tested = _by_cluster(before, after)
    within = np.all(marks, axis=0).mean(axis=0)
    keep = np.flatnonzero((within >= RARE) & (within <= COMMON))
    if not len(keep):
        raise DataError(
            f"None of the {len(names)} candidate clusters holds 2% to 98% of the fitted members in every view, so that there is "
            "nothing to certify."
        )
    counted = Counted.of([names[at] for at in keep.tolist()], [view[:, keep] for view in tested])
    weighting = counted.weighting(delta / 2, by)
    return _told(counted, weighting, tuple(before), delta, len(names) - len(keep))


@dataclass(frozen=True, eq=False)
class Counted:
    """The candidates on the held-out members: shares that contradict them, would by chance, and that every view puts in."""

    n: int
    names: Sequence[str]
    risks: np.ndarray
    chance: np.ndarray
    inside: np.ndarray
    shares: np.ndarray  # views x candidates: in by one view

    @classmethod
    def of(cls, names: Sequence[str], marks: Marks) -> Counted:
        """By counting."""
        inside = np.all(marks, axis=0)
        outside = ~np.any(marks, axis=0)
        shares = np.array([view.mean(axis=0) for view in marks])
        chance = 1.0 - shares.prod(axis=0) - (1.0 - shares).prod(axis=0)
        return cls(
            len(inside),
            names,
            (~(inside | outside)).mean(axis=0),
            chance,
            inside.mean(axis=0),
            shares,
        )

    def weighting(self, delta: float, by: str) -> Weighting:
        """The best weighting of the candidates that are neither nearly empty nor nearly all; others weigh nothing.

        The prior stays even over all candidates, so that this choice is paid for like any other.
        """
        kept = np.flatnonzero((self.inside >= RARE) & (self.inside <= COMMON))
        if not len(kept):
            raise DataError(
                "No candidate cluster holds 2% to 98% of the held-out members in every view; where fitted members have larger "
                "factors than others, let members that were not fitted fix the candidates."
            )
        prior = np.full(len(kept), 1 / len(self.names))
        chance = self.chance[kept] if by == "ratio" else None
        found = best_weighting(self.risks[kept], self.n, delta, prior, chance=chance)
        weights = np.zeros(len(self.names))
        weights[kept] = found.weights
        return replace(found, weights=weights)


def _told(
    counted: Counted, found: Weighting, views: tuple[str, ...], delta: float, dropped: int
) -> Certificate:
    """Both bounds at delta / 2, and every candidate told by its risk beside chance."""
    weights, coverage = found.weights, float(min(found.weights @ counted.inside, 1.0))
    values = zip(weights, counted.risks, counted.chance, counted.inside, strict=True)
    clusters = [
        PairedCluster(name, *map(float, row))
        for name, row in zip(counted.names, values, strict=True)
    ]
    return Certificate(
        n=counted.n,
        delta=delta,
        bound=found.bound,
        risk=found.risk,
        divergence=found.divergence,
        beta=found.beta,
        chance=float(weights @ counted.chance),
        coverage=coverage,
        coverage_bound=lower(coverage, budget(found.divergence, counted.n, delta / 2)),
        power={
            name: float(weights @ share) for name, share in zip(views, counted.shares, strict=True)
        },
        clusters=tuple(sorted(clusters, key=lambda one: (one.ratio, one.risk, -one.coverage))),
        dropped=dropped,
    )


def _by_quantile(
    before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray], quantiles: Sequence[float]
) -> Any:
    """Names of the candidates, and who is in by each view, of the fitted and of the held-out members."""
    if not len(quantiles) or not all(0 < q < 1 for q in quantiles):
        raise ParameterError(f"quantiles must lie between 0 and 1, and were {tuple(quantiles)}.")
    width = next(iter(before.values())).shape[1]
    ways = [(sign, q) for sign in (1.0, -1.0) for q in quantiles]
    names = [
        f"component {at + 1} {'above' if sign > 0 else 'below'} its {100 * (q if sign > 0 else 1 - q):.4g}% point"
        for sign, q in ways
        for at in range(width)
    ]
    marks = []
    tested = []
    for name, rows in before.items():
        signed = [(sign, np.quantile(sign * rows, q, axis=0)) for sign, q in ways]
        marks.append(np.hstack([sign * rows > edge for sign, edge in signed]))
        tested.append(np.hstack([sign * after[name] > edge for sign, edge in signed]))
    return names, marks, tested


def _by_cluster(before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray]) -> Any:
    """One candidate for every cluster that a fitted member is in; members in none are -1."""
    known = np.unique(np.concatenate(list(before.values())))
    known = known[known != -1] if known.dtype.kind in "iuf" else known
    marks, tested = (
        [rows[:, None] == known for rows in given.values()] for given in (before, after)
    )
    return [f"cluster {one}" for one in known.tolist()], marks, tested


def _views(
    fitted: Mapping[str, ArrayLike], held_out: Mapping[str, ArrayLike], depth: int
) -> tuple[dict[str, np.ndarray], ...]:
    """Both as arrays: the same views of at least two, as many members in each, as many factors everywhere, all finite."""
    if len(fitted) < 2 or set(fitted) != set(held_out):
        raise DataError(
            f"A certificate needs the same two or more views of both; fitted are {', '.join(fitted) or 'none'}, and held out "
            f"{', '.join(held_out) or 'none'}."
        )
    both = tuple({name: np.asarray(given[name]) for name in fitted} for given in (fitted, held_out))
    for what, views in zip(("fitted", "held-out"), both, strict=True):
        sizes = {rows.shape[0] if rows.ndim else 0 for rows in views.values()}
        for name, rows in views.items():
            if rows.ndim != depth:
                wanted = "members x components" if depth == 2 else "one cluster per member"
                raise DataError(
                    f"View '{name}' of the {what} members must be {wanted}, and has the shape {rows.shape}."
                )
            if not rows.size:
                missing = "components" if len(rows) else "members"
                raise DataError(
                    f"View '{name}' of the {what} members has no {missing}, so that there is nothing to certify."
                )
            if depth == 2 and rows.dtype.kind not in "biuf":
                raise DataError(
                    f"View '{name}' of the {what} members must hold numbers, the factors of its members."
                )
            if rows.dtype.kind == "f" and not np.isfinite(rows).all():
                raise DataError(
                    f"View '{name}' of the {what} members is not finite at member {int(np.argwhere(~np.isfinite(rows))[0][0])}."
                )
        if len(sizes) > 1:
            raise DataError(
                f"The views of the {what} members have {' and '.join(map(str, sorted(sizes)))} rows; rows are members."
            )
    if len({_kind(rows) for views in both for rows in views.values()}) > 1:
        raise DataError(
            "The clusters of all views must be named alike: by numbers in all of them, or by words."
        )
    if len({rows.shape[1:] for views in both for rows in views.values()}) > 1:
        raise DataError(
            "The views of the fitted and the held-out members must have the same components."
        )
    return both


def _kind(rows: np.ndarray) -> str:
    """Whether rows hold numbers or words; an array of objects is looked at one by one."""
    words = rows.dtype.kind in "US" or (
        rows.dtype.kind == "O" and all(isinstance(one, str) for one in rows.flat)
    )
    if not words and (rows.dtype.kind not in "biuf"):
        raise DataError(
            "Clusters are named by whole numbers or by words, and -1 where a view does not have a member."
        )
    return "words" if words else "numbers"
