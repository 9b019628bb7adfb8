"""Latent Dirichlet allocation by variational Bayes on all rows at once, after Blei, Ng and Jordan 2003 and Hoffman et al. 2010.

Random starts are drawn as scikit-learn draws them, so that the same seed gives its weights, but for rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln, psi

from coterie.parts import plsa
from coterie.parts.iterate import Outcome, State, iterate

_LEAST = 1e-100  # prior weights below it count as this much: the logarithm of their gamma function is no number
# a document ends after so many steps, or when its weights move by less in the mean
_STEPS = 100
_TOL = 1e-3
# of the gamma law that starts are drawn from
_SHAPE = 100.0
_SCALE = 0.01


@dataclass(frozen=True, eq=False)
class Topical:
    """Dirichlet weights of words in topics (topics x words), with the prior weights of topics and of words."""

    weights: np.ndarray
    alpha: float
    eta: float

    def shares(self, counts: Any) -> np.ndarray:
        """The posterior mean of the shares of every row; rows without counts have the prior, which is even."""
        found = self._rows(counts)
        return found / found.sum(axis=1, keepdims=True)

    def bound(self, counts: Any) -> float:
        """The bound on the log-likelihood of all rows."""
        from coterie._kernels.dirichlet import likelihoods

        found = self._rows(counts)
        rows = plsa.plain(counts)
        theta = _logs(found)
        phi = _logs(self.weights)
        logs = theta, np.ascontiguousarray(phi.T)
        each = np.empty(len(found))
        plsa.dealt(lambda span: likelihoods(rows, logs, span, each), rows[0])
        beside = _beside(found, theta, max(self.alpha, _LEAST)) + _beside(
            self.weights, phi, max(self.eta, _LEAST)
        )
        return float(each.sum()) + beside

    def _rows(self, counts: Any) -> np.ndarray:
        """Dirichlet weights of the shares of every row, from even ones."""
        rows = plsa.plain(counts)
        return _settled(
            rows, self.weights, self.alpha, np.ones((counts.shape[0], len(self.weights)))
        )[0]


def learned(
    counts: Any, n_topics: int, *, alpha: float, eta: float, passes: int, seed: int
) -> Topical:
    """The weights after so many passes over all rows."""
    both = plsa.Counts.of(counts)
    generator = np.random.RandomState(seed)
    weights = _drawn(generator, n_topics, counts.shape[1])
    for _ in range(passes):
        weights = _passed(both, weights, alpha, eta, generator)
    return Topical(weights, alpha, eta)


def pass_by_pass(
    counts: Any, n_topics: int, *, alpha: float, eta: float, passes: int, tol: float, seed: int
) -> Outcome:
    """The same passes, until the bound on the log-likelihood per word moves by less than `tol` of itself.

    The state has the weights, and where the generator stands.
    """
    both = plsa.Counts.of(counts)
    total = float(counts.sum())

    def step(state: State) -> tuple[dict[str, np.ndarray], float]:
        if state["weights"].size:
            weights = np.array(state["weights"])
            generator = _generator(state)
        else:
            generator = np.random.RandomState(seed)
            weights = _drawn(generator, n_topics, counts.shape[1])
        weights = _passed(both, weights, alpha, eta, generator)
        return {"weights": weights, **_place(generator)}, Topical(weights, alpha, eta).bound(
            counts
        ) / total

    return iterate(step, {"weights": np.zeros((0, 0))}, max_iter=passes, tol=tol, label="LDA")


def _passed(
    counts: plsa.Counts,
    weights: np.ndarray,
    alpha: float,
    eta: float,
    generator: np.random.RandomState,
) -> np.ndarray:
    """One pass: the rows settle from a random start, and every topic gets the counts that are expected of it."""
    from coterie._kernels.aspects import by_words

    begun = _drawn(generator, counts.shape[0], len(weights))
    _, shares, ratios, topics = _settled(counts.rows, weights, alpha, begun)
    expected = np.empty_like(topics)
    by_word = ratios[counts.places]
    plsa.dealt(
        lambda span: by_words(counts.posted, by_word, (shares, topics), span, expected),
        counts.posted[0],
    )
    return np.ascontiguousarray(expected.T) + max(eta, _LEAST)


def _settled(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    weights: np.ndarray,
    alpha: float,
    begun: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weights of the shares of every row, exp E[log theta], count over chance of every count, and exp E[log phi] by words."""
    from coterie._kernels.dirichlet import settled

    topics = np.ascontiguousarray(np.exp(_logs(weights)).T)
    shares = np.empty_like(begun)
    ratios = np.empty(len(rows[2]))
    out = begun, shares, ratios
    plsa.dealt(
        lambda span: settled(rows, topics, max(alpha, _LEAST), (_STEPS, _TOL), span, out), rows[0]
    )
    return begun, shares, ratios, topics


def _drawn(generator: np.random.RandomState, n: int, width: int) -> np.ndarray:
    return generator.gamma(_SHAPE, _SCALE, (n, width))


def _logs(weights: np.ndarray) -> np.ndarray:
    """E[log of a share] of every row of Dirichlet weights."""
    return np.asarray(psi(weights) - psi(weights.sum(axis=1, keepdims=True)))


def _beside(weights: np.ndarray, logs: np.ndarray, prior: float) -> float:
    """E[log p] - E[log q] of Dirichlet laws, a row each: what the bound has beside the likelihood."""
    n, width = weights.shape
    found = ((prior - weights) * logs).sum() + gammaln(weights).sum() - n * width * gammaln(prior)
    return float(found + n * gammaln(prior * width) - gammaln(weights.sum(axis=1)).sum())


def _place(generator: np.random.RandomState) -> dict[str, np.ndarray]:
    """Where a generator stands, as arrays."""
    _, key, place, cached, value = generator.get_state(legacy=True)
    return {"key": np.asarray(key), "place": np.array([place, cached]), "cached": np.array([value])}


def _generator(state: State) -> np.random.RandomState:
    found = np.random.RandomState()
    place, cached = (int(value) for value in state["place"])
    found.set_state(("MT19937", np.asarray(state["key"]), place, cached, float(state["cached"][0])))
    return found
