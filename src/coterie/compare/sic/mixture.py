"""Two kinds of pairs, similar and dissimilar, told apart without labels: a mixture of Bernoulli products fitted by masked EM.

The kind of a pair is drawn once and shared by all iterations; iteration i gives one code to a similar pair with chance
p1[i] and to a dissimilar one with chance p0[i]. Pairs not tested together in an iteration say nothing there.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from coterie.compare.sic import laws
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.pairs import BLOCK, Words, drawn_pairs
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import steady, workplace
from coterie.parts.iterate import State, iterate

# iterations without which nothing can be told, and which a person should have
_LEAST = 3
_ENOUGH = 10
_CLIP = 1e-6
_STARTS = (0.7, 0.85, 0.95)  # quantiles of k / t above which pairs are taken as similar at first
_APART = 1e-3  # the two kinds must differ by this much in some iteration


@dataclass(frozen=True, eq=False)
class Mixture:
    """Shares of dissimilar and similar pairs, and the chances of each kind to get one code, iteration by iteration."""

    pi0: float
    pi1: float
    p0: np.ndarray  # (iterations,)
    p1: np.ndarray
    log_likelihood: float
    history: tuple[float, ...]  # log-likelihood after every round, never falling
    converged: bool
    separable: bool  # False: one kind of pairs explains the codes as well; use k / t
    n_pairs: int
    informative: (
        np.ndarray
    )  # (iterations,) bool: control iterations in which some pairs, and not all, got one code

    @property
    def prior(self) -> float:
        """Log-odds of a pair of which nothing is known."""
        return float(logit(self.pi1))

    @property
    def weights(self) -> np.ndarray:
        """What one code in common adds to the log-odds of a pair; 0 in uninformative iterations."""
        return np.where(self.informative, logit(self.p1) - logit(self.p0), 0.0)

    @property
    def offsets(self) -> np.ndarray:
        """What being tested together adds to the log-odds, before the codes are seen."""
        return np.where(self.informative, np.log1p(-self.p1) - np.log1p(-self.p0), 0.0)

    def log_odds(self, same: np.ndarray, both: np.ndarray) -> np.ndarray:
        """Log-odds that each pair is similar, from (pairs, iterations) of same code and both tested; NaN if never tested.

        Rank by these; the posterior runs into 0 and 1.
        """
        same = np.asarray(same, dtype=bool)
        both = np.asarray(both, dtype=bool)
        if same.shape != both.shape or same.ndim != 2 or same.shape[1] != self.p0.size:
            raise DataError(
                f"Pairs of this mixture have {self.p0.size} iterations, and were given with shape {same.shape}."
            )
        odds = self.prior + both @ self.offsets + (same & both) @ self.weights
        return np.where(both.any(axis=1), odds, np.nan)

    def posterior(self, same: np.ndarray, both: np.ndarray) -> np.ndarray:
        """Probability that each pair is similar."""
        return np.asarray(expit(self.log_odds(same, both)))

    def means(self) -> tuple[float, float]:
        """Mean p0 and mean p1 over the informative iterations."""
        if not self.informative.any():
            return float(self.p0.mean()), float(self.p1.mean())
        return float(self.p0[self.informative].mean()), float(self.p1[self.informative].mean())

    def densities(self, n_tests: int | None = None) -> Densities:
        """The two components of S = k / t for pairs tested together so often (in all informative iterations by default)."""
        p0, p1, t = self._tested(n_tests)
        return Densities(
            np.arange(t + 1) / t,
            self.pi0 * laws.law_given_tests(p0, t),
            self.pi1 * laws.law_given_tests(p1, t),
        )

    def _tested(self, n_tests: int | None) -> tuple[np.ndarray, np.ndarray, int]:
        p0 = self.p0[self.informative]
        p1 = self.p1[self.informative]
        if not p0.size:
            raise DataError(
                "No iteration tells pairs apart, so the two kinds of pairs have no law."
            )
        t = p0.size if n_tests is None else int(n_tests)
        if not 1 <= t <= p0.size:
            raise ParameterError(
                f"n_tests must be from 1 to {p0.size}, the informative iterations, and was {n_tests}."
            )
        return p0, p1, t


@dataclass(frozen=True, eq=False)
class Densities:
    """Curve data: at every value x of k / t the probability of a dissimilar and of a similar pair there."""

    x: np.ndarray
    dissimilar: np.ndarray
    similar: np.ndarray


def fit_mixture(codes: Codes, *, max_pairs: int = 200_000, random_state: Any = 0) -> Mixture:
    """Fit on all pairs of the members, or on `max_pairs` of them drawn evenly; only control iterations are used."""
    if not isinstance(codes, Codes):
        raise DataError(
            f"The mixture is fitted on hard codes, one label per member and iteration, and was given {type(codes).__name__}; "
            "score profiles with 'binary' or 'weighted'."
        )
    if codes.n_members < 4:
        raise DataError(
            f"Telling two kinds of pairs apart needs at least 4 members, and there are {codes.n_members}."
        )
    if max_pairs < 1:
        raise ParameterError(f"max_pairs must be from 1, and was {max_pairs}.")
    control = (
        np.ones(codes.n_iterations, dtype=bool)
        if codes.control is None
        else np.asarray(codes.control, dtype=bool)
    )
    first, second = drawn_pairs(codes.n_members, max_pairs, random_state)
    words = Words.of_codes(codes.take(control), first, second)
    rates = codes.rates()
    with steady():
        fitted = _fit(words, np.nan_to_num(rates[control]))
    if control.all():
        return fitted
    p0, p1, informative = (np.zeros(control.size) for _ in range(3))
    p0[control] = fitted.p0
    p1[control] = fitted.p1
    informative[control] = fitted.informative
    p0[~control] = p1[~control] = _clipped(np.nan_to_num(rates[~control]))
    return Mixture(**{**fitted.__dict__, "p0": p0, "p1": p1, "informative": informative > 0})


def fit_pairs(same: np.ndarray, both: np.ndarray | None = None) -> Mixture:
    """Fit on given pairs: (pairs, iterations) of same code and both tested (all, when not given)."""
    same = np.asarray(same, dtype=bool)
    both = np.ones_like(same) if both is None else np.asarray(both, dtype=bool)
    words = Words([(same & both, both)])
    with steady():
        return _fit(words, words.n_same / np.maximum(words.n_both, 1))


def _fit(words: Words, rates: np.ndarray) -> Mixture:
    if words.n < _LEAST:
        raise DataError(
            f"Telling two kinds of pairs apart needs at least {_LEAST} iterations, and there are {words.n}."
        )
    informative = (rates > 0) & (rates < 1)
    note = workplace().watch.note
    if words.n < _ENOUGH:
        note(
            f"Two kinds of pairs were told apart from {words.n} iterations only; ask for {_ENOUGH} or more."
        )
    if informative.sum() < _LEAST:
        note(
            f"Only {informative.sum()} of {words.n} iterations tell pairs apart, so there are no two kinds of pairs."
        )
        same = _clipped(rates)
        whole = float(
            (words.n_same * np.log(same) + (words.n_both - words.n_same) * np.log1p(-same)).sum()
        )
        return Mixture(
            0.5, 0.5, same, same, whole, (whole,), True, False, words.n_pairs, informative
        )
    outcomes = []
    for quantile in _STARTS:
        start = _maximized(
            words,
            np.where(words.shares > np.quantile(words.shares, quantile), 0.95, 0.05),
            informative,
            rates,
        )
        found = iterate(
            lambda state: _step(words, state, informative, rates),
            start,
            max_iter=500,
            tol=1e-9,
            label="mixture of pairs",
            quiet=True,
        )
        outcomes.append((found, expected(words, found.state)[1]))
    best, likelihood = max(outcomes, key=lambda pair: pair[1])
    if not best.converged:
        note("The mixture of pairs was still moving after 500 rounds; what it has is used.")
    p0 = best.state["p0"]
    p1 = best.state["p1"]
    pi1 = float(best.state["pi1"][0])
    if p0[informative].mean() > p1[informative].mean():
        p0, p1, pi1 = p1, p0, 1.0 - pi1
    apart = bool(np.abs(p1 - p0).max() >= _APART)
    if not apart:
        note(
            "The pairs are of one kind as far as these iterations show; similarities are shares of common codes."
        )
    history = (*best.history, likelihood)
    return Mixture(
        1.0 - pi1,
        pi1,
        p0,
        p1,
        likelihood,
        history,
        best.converged,
        apart,
        words.n_pairs,
        informative,
    )


def expected(words: Words, state: State) -> tuple[np.ndarray, float]:
    """Per pair the probability to be similar, and the log-likelihood of the whole (products are never formed)."""
    p0 = state["p0"]
    p1 = state["p1"]
    pi1 = float(state["pi1"][0])
    odds = words.over_iterations(logit(p1) - logit(p0), np.log1p(-p1) - np.log1p(-p0))
    odds += logit(pi1)
    base = words.n_pairs * np.log1p(-pi1) + float(
        (words.n_both * np.log1p(-p0) + words.n_same * logit(p0)).sum()
    )
    return np.asarray(expit(odds)), base + float(np.logaddexp(0.0, odds).sum())


def _maximized(
    words: Words, similar: np.ndarray, informative: np.ndarray, rates: np.ndarray
) -> State:
    """The chances and shares that fit best when pair j is similar with probability `similar[j]`."""
    same, both = words.over_pairs(similar)
    with np.errstate(invalid="ignore", divide="ignore"):
        p1 = same / both
        p0 = (words.n_same - same) / (words.n_both - both)
    p0, p1 = (np.where(informative & np.isfinite(p), p, rates) for p in (p0, p1))
    return {"p0": _clipped(p0), "p1": _clipped(p1), "pi1": _clipped(np.array([similar.mean()]))}


def _step(
    words: Words, state: State, informative: np.ndarray, rates: np.ndarray
) -> tuple[State, float]:
    similar, likelihood = expected(words, state)
    return _maximized(words, similar, informative, rates), likelihood


def _clipped(p: np.ndarray) -> np.ndarray:
    return np.clip(p, _CLIP, 1.0 - _CLIP)


def tail_p_values(
    codes: Codes,
    first: np.ndarray,
    second: np.ndarray,
    mixture: Mixture,
    *,
    most_exact: int = 200_000,
) -> np.ndarray:
    """Per pair the chance that a dissimilar pair shares its code at least as often; NaN for pairs never tested together.

    Exact for up to `most_exact` pairs. Beyond, every pair gets the skewness-corrected normal tail first, and the
    `most_exact` smallest are then computed exactly.
    """
    informative = mixture.informative
    p0 = mixture.p0[informative]
    chosen = codes.take(informative)
    out = np.full(len(first), np.nan)
    spread = p0 * (1 - p0)
    sums = np.stack([p0, spread, spread * (1 - 2 * p0)], axis=1)
    for at in range(0, len(first), BLOCK):
        part = slice(at, at + BLOCK)
        same, both = chosen.pairs(first[part], second[part])
        tested = both.any(axis=1)
        k = same.sum(axis=1)
        if len(first) <= most_exact:
            values = laws.tails(p0, both, k)
        else:
            mean, variance, third = (both @ sums).T
            values = laws.refined(mean, variance, third, k)
        out[part] = np.where(tested, values, np.nan)
    if len(first) > most_exact:
        small = np.sort(np.argsort(out, kind="stable")[:most_exact])
        out[small] = tail_p_values(
            codes, first[small], second[small], mixture, most_exact=most_exact
        )
    return out


@dataclass(frozen=True)
class Threshold:
    """From which value on a pair is taken as similar, and what that means by the mixture.

    The mixture takes all dissimilar pairs as alike. Where some of them are nearer than others (they mostly are), more
    than `risk` of them pass and precision is lower.
    """

    value: float
    risk: float  # share of dissimilar pairs that pass
    recall: float  # expected share of similar pairs that pass
    precision: float  # expected share of similar pairs among those that pass
    n_tests: int
    score: str = "share"
    passing: int | None = None  # pairs that pass Benjamini-Hochberg
    n_pairs: int | None = None

    @property
    def sentence(self) -> str:
        """The same in words."""
        if not np.isfinite(self.value):
            return f"With {self.n_tests} common tests no pair can be taken as similar at this risk; make more iterations."
        what = (
            f"share {self.value:.3f}"
            if self.score == "share"
            else f"weighted score {self.value:.3f}"
        )
        said = (
            f"A pair with a {what} or more in {self.n_tests} common tests is taken as similar; by the mixture {self.risk:.2%} "
            f"of dissimilar pairs pass too (more if some of them are nearer than others), {self.recall:.1%} of similar pairs are "
            f"found, and {self.precision:.1%} of those that pass are similar"
        )
        known = self.passing is not None and self.n_pairs is not None
        return said + (
            f"; {self.passing} of {self.n_pairs} pairs pass Benjamini-Hochberg." if known else "."
        )


def threshold(
    mixture: Mixture,
    risk: float = 0.05,
    *,
    n_tests: int | None = None,
    score: str = "share",
    p_values: np.ndarray | None = None,
) -> Threshold:
    """The value of k / t ("share") or of the weighted score ("weighted") that at most `risk` of dissimilar pairs reach.

    For pairs tested together `n_tests` times (in all informative iterations by default). With `p_values` of pairs it
    also counts those that pass Benjamini-Hochberg at the same rate.
    """
    p0, p1, t = mixture._tested(n_tests)
    if not isinstance(risk, numbers.Real) or not 0 < risk < 1:
        raise ParameterError(f"threshold: risk must be above 0 and below 1, and was {risk!r}.")
    if score == "share":
        over = laws.upper(laws.law_given_tests(p0, t))
        k = int(np.argmax(np.append(over, 0.0) <= risk))
        value = k / t if k <= t else float("inf")
        real, recall = (
            (float(over[k]), float(laws.upper(laws.law_given_tests(p1, t))[k]))
            if k <= t
            else (0.0, 0.0)
        )
    elif score == "weighted":
        from scipy.special import ndtr

        value = float(laws.risk_threshold(t, risk))
        real = risk
        mean, variance = laws.off_center(p1, p0)
        recall = float(ndtr((mean - value) / np.sqrt(variance / t)))
    else:
        raise ParameterError(f"threshold: score must be share | weighted, and was {score!r}.")
    counted = None if p_values is None else int(laws.benjamini_hochberg(p_values, risk).sum())
    tested = None if p_values is None else int(np.sum(~np.isnan(p_values)))
    return Threshold(
        value,
        real,
        recall,
        laws.precision_of(real, recall, mixture.pi1),
        t,
        score,
        passing=counted,
        n_pairs=tested,
    )
