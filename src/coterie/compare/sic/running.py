"""A run of SIC while it goes: rows taken as they come, rows made before taken again, failures judged, and what should be said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.iterations import Course, Row, assembled, rows
from coterie.compare.sic.pairs import drawn_pairs
from coterie.compare.sic.profiles import Profiles
from coterie.core.errors import DataError
from coterie.core.workplace import workplace

FAILING = 0.1  # share of failed iterations at which the run is given up
EARLY = 10  # iterations before that is judged
_MANY_UNMET = 0.01  # share of pairs never tested together from which it is said
_MANY_FLAT = 0.2  # share of iterations that tell nothing from which it is said
_LOOKED_AT = 50_000  # pairs looked at for that


def collected(course: Course, wanted: range, key: str, watcher: Any) -> tuple[list[Row], bool]:
    """The rows as they come, and whether the stop rule is content."""
    found: list[Row] = []
    coming = rows(course, wanted, key)
    for row in coming:
        found.append(row)
        _judge_failures(found, wanted)
        if watcher is None or row.failed:
            continue
        looks = len(watcher.history)
        content = _shown(
            watcher, assembled([row], course.samples.n_members, row.weights is not None)
        )
        if len(watcher.history) > looks:
            workplace().watch.measure(type(watcher.rule).__name__.lower(), *watcher.history[-1])
        if content:
            coming.close()
            return found, True
    return found, False


def _shown(watcher: Any, one: Codes | Profiles) -> bool:
    """Show one iteration to the stop rule; True when it is content."""
    if isinstance(one, Codes):
        return bool(watcher.add(one.labels[0]))
    scores, both = one.pairs(watcher.first, watcher.second)
    return bool(watcher.add_similarities(scores[:, 0], both[:, 0]))


def replayed(kept: Any, most: int, watcher: Any) -> tuple[Any, bool]:
    """Codes of the same task made before, up to `most` or to where the stop rule is content with them."""
    if kept is None:
        return None, False
    for i in range(min(most, kept.n_iterations) if watcher is not None else 0):
        if _shown(watcher, kept.take(slice(i, i + 1))):
            return kept.take(slice(0, i + 1)), True
    return kept.take(slice(0, most)), False


def _judge_failures(found: list[Row], wanted: range) -> None:
    """Give up, with the first reason, when more than a tenth of the iterations failed."""
    bad = [row.failed for row in found if row.failed]
    if (
        bad
        and (len(found) >= EARLY or len(found) == len(wanted))
        and len(bad) > FAILING * len(found)
    ):
        raise DataError(
            f"{len(bad)} of {len(found)} iterations failed; the first because {bad[0].rstrip('.')}.",
            owner="SIC",
        )


def unmet(codes: Any) -> float:
    """The share of pairs never tested together, from a fixed draw of pairs."""
    first, second = drawn_pairs(codes.n_members, _LOOKED_AT)
    met = np.zeros(len(first), dtype=bool)
    for row in codes.tested:
        met |= row[first] & row[second]
        if met.all():
            break
    return float(np.mean(~met)) if len(met) else 0.0


def advise(codes: Any, unmet_share: float) -> None:
    """Say what is wrong with the codes as a whole: pairs that never met, iterations that tell nothing."""
    if unmet_share >= 1:
        raise DataError(
            "no two members were ever tested together; train on fewer members or run more iterations.",
            owner="SIC",
        )
    if unmet_share > _MANY_UNMET:
        _warn(
            f"{unmet_share:.0%} of the pairs were never tested together and have no similarity (NaN); run more iterations or "
            "train on fewer members."
        )
    rates = codes.rates()
    flat = np.isnan(rates) | (rates <= 0) | (rates >= 1)
    if flat.mean() > _MANY_FLAT:
        fine = not (rates[flat] >= 1).any()
        advice = (
            "train on fewer members or offer fewer labels"
            if fine
            else "train on more members or offer more labels"
        )
        what = "put no two members together" if fine else "put all members together"
        _warn(f"{flat.mean():.0%} of the iterations {what} and tell nothing; {advice}.")


def _warn(sentence: str) -> None:
    """To whoever watches, and to whoever calls."""
    workplace().watch.note(sentence)
    warnings.warn(f"SIC: {sentence}", UserWarning, stacklevel=5)
