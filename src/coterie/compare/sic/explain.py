"""Why are these alike? The iterations that took members for each other, what those classifiers leaned on, and near misses."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.roles import Reason
from coterie.core.errors import DataError, ParameterError

_ASKED = 15  # classifiers made again to be asked for their reasons
_SHOWN = 6  # reasons and near misses given
_CROWD = 40  # members of a group whose reasons are looked at


@dataclass(frozen=True, slots=True)
class Explanation:
    """What can be said of two members, or of a group: numbers, reasons, near misses, and all of it in words."""

    members: tuple[int, ...]
    together: tuple[int, ...]  # iterations that gave them one code
    tested: int  # iterations that could have
    expected: float  # how often any two members share a code in those iterations
    reasons: tuple[tuple[str, float], ...]  # what the classifiers leaned on, and its share
    near_misses: tuple[
        tuple[int, float], ...
    ]  # others that come close and yet are told apart, and how close
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def asked(a: Any, b: Any, n: int) -> list[int]:
    """The positions a person asked about: two, a list of them, or a mask; a sentence when they are no positions."""
    given = [a, b] if b is not None else a
    if isinstance(given, np.ndarray) and given.dtype.kind == "b" and len(given) == n:
        given = np.flatnonzero(given)
    if isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray)):
        raise ParameterError(
            "explain takes the positions of two members, or a list of positions.", owner="SIC"
        )
    for m in given:
        if not isinstance(m, numbers.Integral) or isinstance(m, (bool, np.bool_)):
            raise ParameterError(
                f"explain takes positions of members, whole numbers from 0, and one was {m!r}.",
                owner="SIC",
            )
        if not 0 <= int(m) < n:
            raise DataError(f"There is no member {m}; there are {n}, counted from 0.")
    if len(set(given)) < 2:
        raise DataError("An explanation needs two different members.")
    return [int(m) for m in given]


def explain_pair(sic: Any, a: int, b: int, name: Callable[[int], str]) -> Explanation:
    """Why two members are as alike as they are."""
    same, both = sic.codes_.pairs(np.array([a]), np.array([b]))
    weight = np.nan_to_num(np.asarray(same[0], dtype=float))
    tested = np.flatnonzero(both[0])
    rates = np.nan_to_num(sic.codes_.rates(), nan=1.0)
    expected = float(rates[tested].mean()) if len(tested) else 0.0
    together = np.flatnonzero(weight > 0)
    alike = float(weight.sum()) > expected * len(tested)
    told = (
        _reasons(sic, together[np.argsort(rates[together], kind="stable")], np.array([a, b]))
        if alike
        else ()
    )
    misses = _told_apart(sic, a, b, expected)
    sentences = [_how_often(name(a), name(b), float(weight.sum()), len(tested), expected)]
    if len(tested):
        sentences += _said_reasons(told) if alike else ["They are not alike beyond chance."]
    for c, (near, far) in misses:
        one, other = (a, b) if near >= far else (b, a)
        close = max(near, far)
        away = min(near, far)
        sentences.append(
            f"{name(c)} is like {name(one)} ({close:.2f}) and not like {name(other)} ({away:.2f})."
        )
    near_misses = tuple((c, max(pair)) for c, pair in misses)
    found = tuple(map(int, together))
    return Explanation((a, b), found, len(tested), expected, told, near_misses, tuple(sentences))


def explain_group(sic: Any, members: Sequence[int], name: Callable[[int], str]) -> Explanation:
    """What holds a group of members together, and who comes closest from outside."""
    inside = np.unique(np.asarray(members, dtype=np.int64))
    crowd = inside[np.linspace(0, len(inside) - 1, min(len(inside), _CROWD)).astype(np.int64)]
    hold = _cohesion(sic.codes_, crowd)
    rates = np.nan_to_num(sic.codes_.rates(), nan=1.0)
    order = np.argsort(-(hold - rates), kind="stable")
    together = order[(hold - rates)[order] > 0]
    told = _reasons(sic, together, crowd)
    outside = np.setdiff1d(np.arange(sic.codes_.n_members), inside)
    close = np.nan_to_num(_mean_similarity(sic, crowd, outside))
    best = np.argsort(-close, kind="stable")[:_SHOWN]
    misses = tuple((int(outside[i]), float(close[i])) for i in best if close[i] > 0)
    own = float(np.nanmean(hold)) if len(hold) else 0.0
    expected = float(rates.mean()) if len(rates) else 0.0
    sentences = [
        f"Two of these {len(inside)} members get one label in {own:.0%} of the iterations, any two members in {expected:.0%}.",
        *_said_reasons(told),
    ]
    if misses:
        named = ", ".join(f"{name(m)} ({value:.2f})" for m, value in misses[:3])
        sentences.append(f"Nearest from outside: {named}.")
    found = tuple(map(int, np.sort(together)))
    return Explanation(
        tuple(map(int, inside)), found, len(hold), expected, told, misses, tuple(sentences)
    )


def _cohesion(codes: Any, members: np.ndarray) -> np.ndarray:
    """Per iteration the share of pairs of these members that got one code."""
    first, second = np.triu_indices(len(members), 1)
    same, both = codes.pairs(members[first], members[second])
    return np.asarray(same, dtype=float).sum(axis=0) / np.maximum(np.asarray(both).sum(axis=0), 1)


def _reasons(
    sic: Any, iterations: np.ndarray, members: np.ndarray
) -> tuple[tuple[str, float], ...]:
    """Reasons of some classifiers, each weighted to one, added up; shares of the whole, the strongest first.

    Reasons that differ only in where a limit lies ("alcohol above 12.8", "alcohol above 12.7") are one, at the median limit.
    """
    course = sic.course()
    total: dict[tuple[str, bool], float] = {}
    limits: dict[tuple[str, bool], list[tuple[float, ...]]] = {}
    for i in iterations[:_ASKED]:
        told = course.diverter.reasons(
            sic.classifier(int(i)), course.data, _samples(sic, int(i), members)
        )
        found = [(words, weight) for words, weight in told if weight > 0]
        whole = sum(weight for _, weight in found) or 1.0
        for words, weight in found:
            limited = isinstance(words, Reason)
            key = (words.head if limited else words, limited)
            total[key] = total.get(key, 0.0) + weight / whole
            if limited:
                limits.setdefault(key, []).append(words.limits)
    ranked = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
    scale = sum(total.values()) or 1.0
    return tuple(
        (
            Reason(key[0], np.median(limits[key], axis=0).tolist()) if key in limits else key[0],
            weight / scale,
        )
        for key, weight in ranked
    )


def _samples(sic: Any, i: int, members: np.ndarray) -> np.ndarray:
    """The samples of these members: those with the most common code of iteration i, or all their occurrences."""
    samples = sic.course().samples
    if samples.owner is not None or not isinstance(sic.codes_, Codes):
        return np.flatnonzero(np.isin(samples.owners, members))[:_CROWD]
    codes = sic.codes_.labels[i, members]
    known = codes >= 0
    return members[codes == np.bincount(codes[known]).argmax()] if known.any() else members


def _told_apart(sic: Any, a: int, b: int, expected: float) -> list[tuple[int, tuple[float, float]]]:
    """For each of the two the member that is clearly like it (twice the chance) and not like the other, where there is one."""
    rows = np.stack(
        [sic.affinity_.block(slice(m, m + 1), slice(0, sic.codes_.n_members))[0] for m in (a, b)]
    )
    gap = np.nan_to_num(rows[0] - rows[1])
    gap[[a, b]] = 0.0
    chosen = dict.fromkeys([int(np.argmax(gap)), int(np.argmin(gap))])
    pairs = [(c, (float(rows[0, c]), float(rows[1, c]))) for c in chosen]
    return [
        (c, pair)
        for c, pair in pairs
        if max(pair) >= 2 * expected and min(pair) <= max(expected, max(pair) / 2)
    ]


def _mean_similarity(sic: Any, members: np.ndarray, others: np.ndarray) -> np.ndarray:
    from coterie.parts.pairwise import submatrix

    return (
        np.nanmean(submatrix(sic.affinity_, others, members), axis=1)
        if len(others)
        else np.zeros(0)
    )


def _how_often(a: str, b: str, times: float, tested: int, expected: float) -> str:
    if not tested:
        return f"{a} and {b} were never tested together; more iterations would tell."
    often = f"{times:.0f}" if float(times).is_integer() else f"{times:.1f}"
    return f"{a} and {b} got one label in {often} of {tested} iterations; any two members do in {expected * tested:.0f}."


def _said_reasons(told: Sequence[tuple[str, float]]) -> list[str]:
    if not told:
        return ["The classifier gives no reasons."]
    return [
        "The classifiers leaned on: "
        + "; ".join(f"{words} ({share:.0%})" for words, share in told)
        + "."
    ]
