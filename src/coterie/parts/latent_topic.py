"""Topic and background as a latent model of words (LTB): EM in the log domain, in bands of members.

Bekkerman 2008, section 6.5 and appendix B. A member of the core draws each word from the topic p_r with its own probability
pi, else from the general p_g; every other member draws all words from p_g.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from coterie.parts.iterate import iterate
from coterie.parts.workers import in_order

STARTS = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9)  # of pi, tried by pi="auto"
_BAND = (
    1 << 20
)  # counts worked on at once; a constant, so that results never depend on the workplace
_EDGE = 1e-12  # pi stays this far from 0 and 1
_TRACE = 1e-9  # of a mean word count, given to every word of both laws
_SHARES = 1e-3  # the share of the core, where it is learned, stays this far from 0 and 1


@dataclass(frozen=True, eq=False)
class Ltb:
    """A fitted model: log-odds of every member, and what places further members exactly as the fitted ones."""

    log_odds: np.ndarray  # Lambda: prior log-odds and the log-likelihood ratio of the last E-step
    pi: np.ndarray  # share of topic words in each member, after the last M-step
    log_topic: np.ndarray  # ln p_r after the last M-step
    log_general: np.ndarray  # ln p_g after the last M-step
    ratios: np.ndarray  # iterations x words: ln p_r - ln p_g that each E-step used
    share: float  # p_d of the last E-step
    start: float  # pi at the start
    likelihoods: tuple[float, ...]  # of the parameters of each E-step

    @property
    def likelihood(self) -> float:
        """Log-likelihood at the last E-step."""
        return self.likelihoods[-1]

    @property
    def posterior(self) -> np.ndarray:
        """The probability that each member is of the core."""
        return np.asarray(expit(self.log_odds))

    def place(self, counts: Any) -> np.ndarray:
        """The log-odds of further members: their own pi goes through the same iterations, the laws as they were."""
        ratio = np.zeros(counts.shape[0])
        pi = np.full(counts.shape[0], self.start)
        for logs in self.ratios:
            ratio, pi, _ = _swept(counts, pi, logs, None)
        return logit(self.share) + ratio


def logit(share: float) -> float:
    """ln(p / (1 - p))."""
    return float(np.log(share) - np.log1p(-share))


def ltb(
    counts: Any,
    scores: np.ndarray,
    share: float,
    pi: float = 0.5,
    iterations: int = 5,
    *,
    learn_share: bool = False,
    label: str = "LTB",
) -> Ltb:
    """Fit the model from p_r ~ exp(s), p_g ~ exp(-s) and the same pi for all members.

    `share` is the probability of the core. With `learn_share` it is only where that begins: each M-step then takes the mean of
    the probabilities of the members, after half the log of a member's length is taken off its log-odds, because every member
    has a pi of its own to fit.
    """
    n, m = counts.shape
    lengths, totals = (
        np.asarray(counts.sum(axis=axis), dtype=np.float64).ravel() for axis in (1, 0)
    )
    whole = float(totals.sum())
    trace = _TRACE * float(totals.sum()) / m
    cost = 0.5 * np.log(np.maximum(lengths, 1.0)) if learn_share else np.zeros(n)

    def step(kept: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        logs = kept["topic"] - kept["general"]
        odds = logit(float(kept["share"]))
        ratio, own, held = _swept(counts, kept["pi"], logs, odds - cost)
        likelihood = _likelihood(kept, ratio, totals)
        drawn = float(held.sum())
        topic = np.log((held + trace) / (drawn + m * trace))
        general = np.log((np.maximum(totals - held, 0.0) + trace) / (whole - drawn + m * trace))
        used = kept["share"]
        learned = kept["share"]
        if learn_share:
            learned = np.array(
                np.clip(expit(odds + ratio - cost)[lengths > 0].mean(), _SHARES, 1.0 - _SHARES)
            )
        found = {
            "ratio": ratio,
            "pi": own,
            "topic": topic,
            "general": general,
            "share": learned,
            "used": used,
        }
        return {**found, "ratios": np.vstack([kept["ratios"], logs])}, likelihood

    begun = {
        "topic": _law(scores),
        "general": _law(-scores),
        "pi": np.full(n, float(pi)),
        "ratio": np.zeros(n),
    }
    begun = {
        **begun,
        "share": np.array(float(share)),
        "used": np.array(float(share)),
        "ratios": np.zeros((0, m)),
    }
    done = iterate(
        step, begun, max_iter=iterations, tol=0.0, label=label, settled=lambda *_: False, quiet=True
    )
    end = done.state
    used = float(done.state["used"])
    return Ltb(
        logit(used) + end["ratio"],
        end["pi"],
        end["topic"],
        end["general"],
        end["ratios"],
        used,
        float(pi),
        tuple(done.history),
    )


def best_start(
    counts: Any,
    scores: np.ndarray,
    share: float,
    iterations: int = 5,
    *,
    learn_share: bool = False,
    label: str = "LTB",
) -> Ltb:
    """The model from the start of pi that ends with the highest likelihood; of equal ones the first."""
    found = [
        ltb(
            counts,
            scores,
            share,
            pi,
            iterations,
            learn_share=learn_share,
            label=f"{label} from pi {pi:g}",
        )
        for pi in STARTS
    ]
    return max(found, key=lambda model: model.likelihood)


def learned_size(model: Ltb, lengths: np.ndarray) -> int:
    """How many members are more likely of the core than not, each paying for its own pi (see `ltb`)."""
    return int((model.log_odds - 0.5 * np.log(np.maximum(lengths, 1.0)) > 0)[lengths > 0].sum())


def _law(scores: np.ndarray) -> np.ndarray:
    """ln of exp(s) brought to sum one."""
    high = scores - scores.max()
    return np.asarray(high - np.log(np.exp(high).sum()))


def _likelihood(kept: Mapping[str, np.ndarray], ratio: np.ndarray, totals: np.ndarray) -> float:
    share = float(kept["share"])
    members = len(ratio) * np.log1p(-share) + np.logaddexp(0.0, logit(share) + ratio).sum()
    return float(members + totals @ kept["general"])


def _bands(ptr: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of members with about a million counts each; one member at least."""
    first = 0
    n = len(ptr) - 1
    while first < n:
        last = max(first + 1, int(np.searchsorted(ptr, ptr[first] + _BAND, side="right")) - 1)
        yield first, last
        first = last


def _swept(
    counts: Any, pi: np.ndarray, logs: np.ndarray, odds: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One E-step: the log-likelihood ratio of every member, its next pi, and the count of each word drawn from the topic.

    `odds` are the prior log-odds of the members; without them (new members) no words are counted.
    """
    ratio = np.zeros(len(pi))
    own = np.zeros(len(pi))
    held = np.zeros(len(logs))

    def band(ends: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        return _band(
            counts, ends, pi[slice(*ends)], logs, None if odds is None else odds[slice(*ends)]
        )

    bands = list(_bands(counts.indptr))
    for (first, last), (ratios, shares, drawn) in zip(
        bands, in_order(band, bands, ""), strict=True
    ):
        ratio[first:last] = ratios
        own[first:last] = shares
        if drawn is not None:
            held += drawn
    return ratio, own, held


def _band(
    counts: Any, ends: tuple[int, int], pi: np.ndarray, logs: np.ndarray, odds: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The same of some members: x = ln(pi / (1 - pi)) + l, of which beta is the logistic and m - ln(1 - pi) the softplus."""
    ptr = counts.indptr[ends[0] : ends[1] + 1]
    part = slice(int(ptr[0]), int(ptr[-1]))
    words = counts.indices[part]
    amount = counts.data[part]
    sizes = np.diff(ptr)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    n = len(sizes)
    rest = np.log1p(-pi)
    x = (np.log(pi) - rest)[owner] + logs[words]
    small = np.exp(-np.abs(x))
    lengths = np.bincount(owner, weights=amount, minlength=n)
    ratio = lengths * rest + np.bincount(
        owner, weights=amount * (np.maximum(x, 0.0) + np.log1p(small)), minlength=n
    )
    drawn = amount * (np.where(x > 0, 1.0, small) / (1.0 + small))
    own = np.bincount(owner, weights=drawn, minlength=n) / np.where(lengths > 0, lengths, 1.0)
    own = np.where(lengths > 0, np.clip(own, _EDGE, 1.0 - _EDGE), pi)
    if odds is None:
        return ratio, own, None
    return (
        ratio,
        own,
        np.bincount(words, weights=expit(odds + ratio)[owner] * drawn, minlength=len(logs)),
    )
