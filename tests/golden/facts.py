"""What an exploration found, and why one was refused, as plain facts without a sentence.

Every golden exploration goes through here: where a public name changes, it changes in this file only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from coterie.core.errors import CoterieError
from tests.golden.stored import Loose

_TIED = 1e-6  # nearness closer than this is a tie: another processor may order it otherwise
_KEPT = 0.05  # the share of neighbors that a map keeps moves with the processor: t-SNE is chaotic
_STATEMENT = " is "  # in what is told of a column or a trace: `height is low (151 against 180)`
_SPOKEN = (_STATEMENT, " of the time)")  # in names that are sentences


def facts_of(exploration: Any) -> dict[str, Any]:
    """Labels, confidence, map, neighbors, evidence, groups and what else was found."""
    found = exploration.findings
    return {
        "members": len(exploration.collection),
        "kind": found.kind,
        "ids": [*map(str, found.ids[:3])],
        "truth": {name: len(set(map(str, known))) for name, known in _truth(exploration).items()},
        "labels": exploration.labels,
        "confidence": found.confidence,
        "neighbors": untied(found.neighbors, found.nearness),
        "nearness": found.nearness,
        "map": {"shape": list(found.map.shape), "neighbors kept": _kept_on_map(found)},
        "evidence": _evidence(found.evidence),
        "groups": [_group(group) for group in found.groups],
        "populations": [_population(one) for one in found.populations],
        "meetings": [
            {"rows": list(one.rows), "columns": list(one.columns), "lift": one.lift}
            for one in found.meetings
        ],
        "strips": [
            {
                "names": list(strip.names),
                "rate": strip.rate,
                "pieces": [
                    {"boundaries": piece.boundaries, "labels": piece.labels}
                    for piece in strip.pieces
                ],
            }
            for strip in found.strips
        ],
        "grids": [grid.values for grid in found.grids],
        "curves": [np.array(points, dtype=float) for points in found.curves.values()],
        "notes": len(found.notes),
        "cards": sorted(found.cards),
    }


def refusal_of(error: CoterieError, options: Iterable[str]) -> dict[str, Any]:
    """The type of a refusal and the option that it is about: the first of those asked for that its words name."""
    words = set(re.findall(r"\w+", str(error)))
    about = [option for option in options if option in words]
    return {"refused": type(error).__name__, "parameter": about[0] if about else None}


def placement_of(placement: Any) -> dict[str, Any]:
    """Where new members went."""
    return {
        "ids": [*map(str, placement.ids)],
        "labels": placement.labels,
        "confidence": placement.confidence,
        "fits": placement.fits,
        "neighbors": untied(placement.neighbors, placement.nearness),
        "nearness": placement.nearness,
        "skipped": placement.skipped,
        "views": [*placement.by],
        "notes": len(placement.notes),
    }


def untied(neighbors: np.ndarray, nearness: np.ndarray) -> np.ndarray:
    """The nearest members of each, those that are equally near by position; the last ones equally near are left out.

    Which of several equally near members come last, or are left out, another processor may decide otherwise.
    """
    rows = np.full(neighbors.shape, -2, dtype=np.int64)
    for row, places, near in zip(rows, neighbors, nearness, strict=True):
        known = int((places >= 0).sum())
        steps = np.flatnonzero(np.abs(np.diff(near[:known])) > _TIED) + 1
        edges = [0, *steps.tolist()]
        for first, last in itertools.pairwise(edges):
            row[first:last] = np.sort(places[first:last])
    return rows


def _kept_on_map(found: Any) -> Loose:
    """The share of the nearest members of each that are also among the nearest on the map."""
    apart = ((found.map[:, None, :] - found.map[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    most = found.neighbors.shape[1]
    near = np.argsort(apart, axis=1, kind="stable")[:, :most]
    shares = [
        np.isin(own[own >= 0], seen).mean()
        for own, seen in zip(found.neighbors, near, strict=True)
        if (own >= 0).any()
    ]
    return Loose(float(np.mean(shares)), _KEPT)


def _evidence(evidence: Any) -> dict[str, Any]:
    return {
        "n_groups": evidence.n_groups,
        "chosen": evidence.chosen,
        "structured": evidence.structured,
        "p_value": evidence.p_value,
        "n_nulls": evidence.n_nulls,
        "ks": list(evidence.ks),
        "scores": np.array(evidence.scores, dtype=float),
        "null_mean": np.array(evidence.null_mean, dtype=float),
        "null_sd": np.array(evidence.null_sd[:1], dtype=float),
        "eigenvalues": np.array(evidence.eigenvalues, dtype=float),
        "stability": evidence.stability,
        "overlaps": np.array(evidence.overlaps, dtype=float),
    }


def _group(group: Any) -> dict[str, Any]:
    return {
        "name": None if any(word in group.name for word in _SPOKEN) else group.name,
        "size": group.size,
        "confidence": group.confidence,
        "typical": list(group.typical),
        "borderline": list(group.doubtful),
        "key features": {
            population: [[name.split(_STATEMENT)[0], value] for name, value in rows[:6]]
            for population, rows in group.telling.items()
        },
        "stability": group.stability,
        "reasons": len(group.why),
        "mean traces": np.array(group.spark, dtype=float) if group.spark else None,
    }


def _population(one: Any) -> dict[str, Any]:
    return {
        "name": one.name,
        "size": one.size,
        "clusters": [
            {
                "size": cluster.size,
                "share": cluster.share,
                "key": [[str(name), value] for name, value in cluster.telling[:4]],
            }
            for cluster in one.clusters
        ],
        "lift": one.lift,
    }


def _truth(exploration: Any) -> Mapping[str, Any]:
    return exploration.collection.truth or {}
