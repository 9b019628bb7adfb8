"""How an iteration is weighed: how often a dissimilar pair gets one code there, and what one code and two codes earn then."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.pairs import BLOCK, drawn_pairs
from coterie.compare.sic.profiles import Profiles
from coterie.core.errors import DataError
from coterie.core.workplace import steady

Coded = Codes | Profiles
_NOISE = 1e-7  # deviations below this are rounding
_LEAST = 1e-12  # a chance is at least this
_PAIRS = 200_000  # pairs looked at when a middle is read off them


class TwoKinds(Protocol):
    """What a fitted mixture of similar (1) and dissimilar (0) pairs tells: their shares, and their chances of one code."""

    @property
    def pi0(self) -> float: ...
    @property
    def pi1(self) -> float: ...
    @property
    def p0(self) -> np.ndarray: ...
    @property
    def p1(self) -> np.ndarray: ...


def levels(p: np.ndarray, sigma: float = 1.0, mu: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """What one code and what two codes earn, so that the mean is mu and the deviation sigma when one code has chance p."""
    return mu + sigma * np.sqrt((1.0 - p) / p), mu - sigma * np.sqrt(p / (1.0 - p))


def lumped(mixture: TwoKinds) -> np.ndarray:
    """Per iteration the chance that a pair with two codes is similar all the same."""
    similar = mixture.pi1 * (1.0 - np.asarray(mixture.p1))
    return np.asarray(similar / (similar + mixture.pi0 * (1.0 - np.asarray(mixture.p0))))


def informative(codes: Coded) -> np.ndarray:
    """Positions of the iterations that tell pairs apart: some of them, and not all, got one code."""
    found = np.flatnonzero(clear(codes))
    if not len(found):
        raise DataError(
            "No iteration tells two pairs apart: each put all tested members in one class, or every one in its own. "
            "Change the number of labels or the size of the training part."
        )
    return found


def clear(codes: Coded) -> np.ndarray:
    """Which iterations tell pairs apart."""
    if isinstance(codes, Profiles):
        return np.asarray(np.nan_to_num(codes.spreads()) > _NOISE)
    rates = codes.rates()
    return np.asarray((rates > 0) & (rates < 1))


def chances(p: np.ndarray, codes: Coded) -> np.ndarray:
    """Chances of a mixture, one per iteration of these codes, away from 0 and 1."""
    found = np.asarray(p, dtype=np.float64)
    if found.shape != (codes.n_iterations,):
        raise DataError(
            f"The mixture has chances of {found.size} iterations, and the codes have {codes.n_iterations}."
        )
    return np.clip(found, _LEAST, 1.0 - _LEAST)


def moments(codes: Coded, p0: str, mixture: TwoKinds | None) -> tuple[np.ndarray, np.ndarray]:
    """Per iteration the mean and the deviation of the score over pairs taken for dissimilar ones."""
    if p0 == "em":
        refuse_profiles(p0, codes, None)
        found = chances((fitted(codes) if mixture is None else mixture).p0, codes)
    else:
        found = codes.rates()
    if isinstance(codes, Profiles):
        return found, codes.spreads()
    least = 1.0 / np.maximum(codes.n_tested.astype(np.float64), 2.0) ** 2
    means = np.clip(found, least, 1.0 - least)
    return means, np.sqrt(means * (1.0 - means))


def median_score(codes: Coded, same: np.ndarray, both: np.ndarray) -> float:
    """The median weighted score over pairs; a fixed draw of them when there are many."""
    first, second = drawn_pairs(codes.n_members, _PAIRS)
    found = []
    with steady():
        for at in range(0, len(first), BLOCK):
            score, tested = codes.pairs(first[at : at + BLOCK], second[at : at + BLOCK])
            times = tested.sum(axis=1)
            sums = score @ same + tested @ both
            found.append(sums[times > 0] / times[times > 0])
    values = np.concatenate(found) if found else np.zeros(0)
    if not len(values):
        raise DataError("No two members were ever tested together, so the scores have no middle.")
    return float(np.median(values))


def fitted(codes: Coded) -> TwoKinds:
    """The mixture of two kinds of pairs, fitted now."""
    from coterie.compare.sic.mixture import fit_mixture

    return fit_mixture(codes)  # type: ignore[arg-type]


def refuse_profiles(what: Any, codes: Coded, queries: Coded | None) -> None:
    """One sentence where a score needs one code per member and iteration."""
    if isinstance(codes, Profiles) or isinstance(queries, Profiles):
        name = f"Weighted(p0='{what}')" if isinstance(what, str) else type(what).__name__
        raise DataError(
            f"{name} needs one code per member and iteration, and these members have several occurrences each; "
            "use 'occurrence' or 'weighted'."
        )
