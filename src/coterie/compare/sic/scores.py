"""Scores: what is read off the codes. Each turns the same matrix of codes into an affinity, without training anything again.

A pair is scored only in iterations that tested both members; one that no iteration tested together is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from coterie.compare.sic import tiles
from coterie.compare.sic.calibration import (
    Coded,
    TwoKinds,
    chances,
    clear,
    fitted,
    informative,
    levels,
    lumped,
    median_score,
    moments,
    refuse_profiles,
)
from coterie.compare.sic.profiles import Profiles
from coterie.core.affinity import ROWS, Affinity, Lazy, smallest
from coterie.core.errors import ParameterError
from coterie.core.params import Settings, kind_of, param
from coterie.core.workplace import workplace
from coterie.parts.near_rows import CodeRows
from coterie.parts.pairwise import reduce_bands
from coterie.parts.workers import in_order


class Score(Settings):
    """A way to read codes: `affinity` gives members x members, or queries x members for codes of new members."""

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        """The similarity of all pairs, computed when asked; queries must be coded by the same classifiers as the members.

        A mixture that was fitted before is used by the scores that need one.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define affinity")


class Binary(Score):
    """The share of iterations with one code among those that tested both; for profiles, the mean probability of one class."""

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        self.check_params()
        if isinstance(codes, Profiles) or isinstance(queries, Profiles):
            return Occurrence().affinity(codes, queries)
        rows, cols, always = tiles.sides(codes, queries)
        search = None if queries is not None else partial(CodeRows, *cols[:2], always)
        return _lazy(
            partial(tiles.share_tile, n=codes.n_iterations, always=always), rows, cols, search
        )


class Occurrence(Score):
    """The mean probability that one tested occurrence of each member, drawn at random, got one class."""

    cosine: bool = param(
        False,
        "Divide by the lengths of the two profiles, so that mixed profiles are not alike by being mixed.",
    )

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        self.check_params()
        if not (isinstance(codes, Profiles) or isinstance(queries, Profiles)):
            return Binary().affinity(codes, queries)
        n = codes.n_iterations
        return _linear(codes, queries, np.ones(n), np.zeros(n), unit=self.cosine, unity=True)


class Shared(Score):
    """The share of iterations in which two members have any class in common; frequent members are alike by being frequent."""

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        if not (isinstance(codes, Profiles) or isinstance(queries, Profiles)):
            return Binary().affinity(codes, queries)
        rows, cols, always = tiles.sides(codes, queries)
        iteration = Profiles.of(codes).iteration_of
        return _lazy(
            partial(tiles.any_tile, iteration=iteration, n=codes.n_iterations, always=always),
            rows,
            cols,
        )


class Weighted(Score):
    """Rare coincidences earn more: every iteration has mean mu and deviation sigma over dissimilar pairs; the mean of these."""

    p0: str = param(
        "independence",
        "Chance of one code for a dissimilar pair: of all pairs, or fitted.",
        choices=("independence", "em"),
    )
    sigma: float = param(
        1.0, "Deviation of one iteration over dissimilar pairs; only a scale.", gt=0
    )
    mu: float = param(0.0, "Mean of one iteration over dissimilar pairs.")
    recenter: bool = param(
        False, "Shift the scores so that the median pair, nearly surely a dissimilar one, is at mu."
    )

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        self.check_params()
        kept = informative(codes)
        means, spreads = moments(codes, self.p0, mixture)
        codes = codes.take(kept)
        same = self.sigma / spreads[kept]
        both = self.mu - same * means[kept]
        shift = median_score(codes, same, both) - self.mu if self.recenter else 0.0
        return _linear(
            codes, None if queries is None else queries.take(kept), same, both, shift=shift
        )


class Randomized(Score):
    """Weighted scores in which two codes count as one with a small chance, so that dissimilar pairs look more Gaussian."""

    q: float | None = param(
        None,
        "Chance that two codes count as one; read off the fitted mixture when not given.",
        ge=0,
        lt=1,
    )
    expected: bool = param(False, "Take the mean over all coins and not one throw of each.")
    sigma: float = param(
        1.0, "Deviation of one iteration over dissimilar pairs; only a scale.", gt=0
    )
    seed: int = param(0, "Seed of the coins.", ge=0)
    p0: str = param(
        "independence",
        "Chance of one code for a dissimilar pair: of all pairs, or fitted.",
        choices=("independence", "em"),
    )

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        self.check_params()
        refuse_profiles(self, codes, queries)
        needed = self.q is None or self.p0 == "em"
        kinds = fitted(codes) if mixture is None and needed else mixture
        kept = informative(codes)
        p = moments(codes, self.p0, kinds)[0][kept]
        q = (
            lumped(kinds)[kept]
            if self.q is None and kinds is not None
            else np.full(len(kept), self.q or 0.0)
        )
        high, low = levels(p + (1.0 - p) * q, self.sigma)
        codes = codes.take(kept)
        queries = None if queries is None else queries.take(kept)
        if self.expected:
            low = q * high + (1.0 - q) * low
            return _linear(codes, queries, high - low, low)
        rows, cols, always = tiles.sides(codes, queries)
        limit = np.floor(q * 2.0**53).astype(np.uint64)
        tile = partial(
            tiles.coin_tile,
            levels=np.stack([high, low], axis=1),
            limit=limit,
            seed=int(self.seed),
            always=always,
        )
        return _lazy(tile, rows, cols)


class Posterior(Score):
    """Log-odds (or probability) that a pair is of the similar kind, by a mixture of two kinds of pairs."""

    odds: bool = param(
        True, "Give log-odds, which keep their order; probabilities run into 0 and 1."
    )

    def affinity(
        self, codes: Coded, queries: Coded | None = None, mixture: TwoKinds | None = None
    ) -> Lazy:
        self.check_params()
        refuse_profiles(self, codes, queries)
        found = fitted(codes) if mixture is None else mixture
        if not getattr(found, "separable", True):
            workplace().watch.note(
                "The pairs are not of two kinds that can be told apart; similarities are shares of common codes."
            )
            return Binary().affinity(codes, queries)
        telling = clear(codes)
        p0, p1 = (chances(p, codes) for p in (found.p0, found.p1))
        same = np.where(telling, np.log(p1) - np.log1p(-p1) - np.log(p0) + np.log1p(-p0), 0.0)
        both = np.where(telling, np.log1p(-p1) - np.log1p(-p0), 0.0)
        start = float(np.log(found.pi1) - np.log(found.pi0))
        return _linear(
            codes, queries, same, both, start=start, shape="odds" if self.odds else "probability"
        )


_NAMED: dict[str, Callable[[], Score]] = {
    "binary": Binary,
    "occurrence": Occurrence,
    "cosine": partial(Occurrence, cosine=True),
    "shared": Shared,
    "weighted": Weighted,
    "weighted_em": partial(Weighted, p0="em"),
    "weighted_var": Randomized,
    "weighted_var_expected": partial(Randomized, expected=True),
    "em": Posterior,
    "posterior": partial(Posterior, odds=False),
}


def named(score: Any) -> Score:
    """A score by its name; a Score stays.

    >>> named("weighted_em")
    Weighted(p0='em')
    """
    if isinstance(score, Score):
        return score
    if not isinstance(score, str):
        raise ParameterError(
            f"score must be one of {', '.join(_NAMED)} or a Score, and was {kind_of(score)}."
        )
    if score not in _NAMED:
        import difflib

        near = difflib.get_close_matches(score, _NAMED, n=1)
        raise ParameterError(
            f"There is no score '{score}'; "
            + (f"did you mean {near[0]}?" if near else f"it is one of {', '.join(_NAMED)}.")
        )
    return _NAMED[score]()


def top(codes: Coded, k: int, queries: Coded | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Each member's (or query's) k most similar members by the binary score: positions and values, best first.

    A member is not its own neighbor, ties go to the lower position, and pairs never tested together stand last, as NaN.
    """
    if k < 1:
        raise ParameterError(f"k must be from 1, and was {k}.", owner="top")
    own = queries is None
    n = codes.n_members
    shape = (n if queries is None else queries.n_members, max(0, min(k, n - 1 if own else n)))
    index = np.empty(shape, dtype=np.int64)
    value = np.empty(shape)
    if not shape[0] or not shape[1]:
        return index, value
    if isinstance(codes, Profiles) or isinstance(queries, Profiles):
        for at, near, values in reduce_bands(
            partial(_best, k=shape[1]), Binary().affinity(codes, queries), label="neighbors"
        ):
            index[at] = near
            value[at] = values
        return index, value
    from coterie._kernels.nearest_codes import nearest

    rows, cols, always = tiles.sides(codes, queries)
    if workplace().device != "cpu":
        from coterie.parts.gpu.near_codes import nearest as on_card

        right = tiles.as_cols(cols[0])
        left = right if own and always else tiles.as_rows(rows[0])
        found = on_card(left, right, None if always else (rows[1], cols[1]), shape[1], own)
        if found is not None:
            return found
    right = tiles.as_cols(cols[0])
    words = 0 if always else cols[1].shape[1]
    bits = np.ascontiguousarray(cols[1].T[:words])

    def work(at: slice) -> tuple[slice, np.ndarray, np.ndarray]:
        near = np.empty((at.stop - at.start, shape[1]), dtype=np.int64)
        values = np.empty((at.stop - at.start, shape[1]))
        tested = np.ascontiguousarray(rows[1][at, :words])
        nearest(
            tiles.as_rows(rows[0][at]), right, tested, bits, at.start if own else -1, values, near
        )
        return at, near, values

    bands = [slice(a, min(a + ROWS, shape[0])) for a in range(0, shape[0], ROWS)]
    for at, near, values in in_order(work, bands, "neighbors", travels=True):
        index[at] = near
        value[at] = values
    return index, value


def _best(
    values: np.ndarray, rows: slice, affinity: Affinity, *, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same of one band of an affinity."""
    keys = np.where(np.isnan(values), 2.0, -values)
    if affinity.square:
        keys[np.arange(len(keys)), np.arange(rows.start, rows.stop)] = np.inf
    near = smallest(keys, k)
    return near, np.take_along_axis(values, near, axis=1)


def _lazy(tile: Any, rows: tiles.Side, cols: tiles.Side, search: Any = None) -> Lazy:
    return Lazy(tile, rows, cols, "similarity", symmetric=rows is cols, search=search)


def _linear(
    codes: Coded,
    queries: Coded | None,
    same: np.ndarray,
    both: np.ndarray,
    *,
    start: float = 0.0,
    shift: float = 0.0,
    shape: tiles.Shape = "mean",
    unit: bool = False,
    unity: bool = False,
) -> Lazy:
    """The affinity that is linear in the score of every iteration."""
    rows, cols, always = tiles.sides(codes, queries, unit)
    if isinstance(codes, Profiles) or isinstance(queries, Profiles):
        iteration = Profiles.of(codes).iteration_of
        tile = partial(
            tiles.profile_tile,
            iteration=iteration,
            same=same,
            both=both,
            shift=shift,
            unity=unity,
            always=always,
        )
        return _lazy(tile, rows, cols)
    n_codes = int(codes.labels.max(initial=0)) + 1
    words = partial(tiles.sum_tile, n_codes=n_codes, same=same, both=both)
    return _lazy(partial(words, start=start, shift=shift, shape=shape, always=always), rows, cols)
