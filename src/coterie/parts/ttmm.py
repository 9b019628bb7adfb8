"""TTMM, the theme-topic mixture model: EM in blocks of themes, exact likelihood, and what a document says of its topics.

Keller 2006, section 4.1 and appendix B. A document draws one theme H, each of its words a topic T from P(T|H) and then itself
from P(w|T). `prior` is P(H), `mixing` themes x topics, `words` words x topics. P(T|w,H) is never stored for all words and themes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.workplace import fits
from coterie.parts.workers import in_order

FLOOR = 1e-300  # the least chance a logarithm is taken of
NEGLIGIBLE = 1e-20  # of the largest share of a theme: documents below it do not move the theme
SPARSE = 0.1  # share of the documents x themes that matter below which only those are summed
_HELD = 1 << 24  # shares of themes held at once
_LIGHT = 1 << 22  # products of a step below which workers are not worth waking
_HALF = 0.5  # of the start of a topic is the law of all words
State = Mapping[str, np.ndarray]
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Sheet:
    """Some documents: their counts by rows and by words, each as starts, positions and counts."""

    rows: Arrays
    posted: Arrays

    def __len__(self) -> int:
        return len(self.rows[0]) - 1


def sheets(counts: Any, n_themes: int) -> list[Sheet]:
    """The documents in pieces whose shares of themes fit in memory; the pieces depend on the numbers alone."""
    high = max(256, _HELD // n_themes)
    parts = [counts[first : first + high] for first in range(0, counts.shape[0], high)]
    return [Sheet(_plain(part), _plain(part.tocsc())) for part in parts]


def start(counts: Any, n_themes: int, n_topics: int, generator: np.random.Generator) -> State:
    """Equal themes, random mixing, and topics that are half a random law and half the law of all words."""
    fits(
        16 * n_themes * counts.shape[1],
        f"TTMM of {n_themes} themes over {counts.shape[1]} words",
        "use fewer of either",
    )
    random = generator.dirichlet(np.ones(counts.shape[1]), size=n_topics)
    every = np.asarray(counts.sum(axis=0)).ravel()
    return {
        "prior": np.full(n_themes, 1.0 / n_themes),
        "mixing": generator.dirichlet(np.ones(n_topics), size=n_themes),
        "words": np.ascontiguousarray(
            (1 - _HALF) * random.T + _HALF * (every / every.sum())[:, None]
        ),
    }


class Desk:
    """Room for one step of EM, in blocks of themes, used again by the next: P(w|H) and something like it."""

    def __init__(self, state: State) -> None:
        themes = len(state["prior"])
        words = len(state["words"])
        self.spans = [
            slice(first, min(first + _width(), themes)) for first in range(0, themes, _width())
        ]
        self.laws, self.spare = (
            [np.empty((words, span.stop - span.start)) for span in self.spans] for _ in range(2)
        )
        self.shares: list[np.ndarray] = [
            np.empty((0, span.stop - span.start)) for span in self.spans
        ]

    def lay_out(self, state: State) -> None:
        """P(w|H) of this state: words x themes."""
        for span, law in zip(self.spans, self.laws, strict=True):
            np.matmul(state["words"], state["mixing"][span].T, out=law)

    def of(self, sheet: Sheet, at: int) -> np.ndarray:
        """Documents x themes of one block, not yet filled."""
        if len(self.shares[at]) < len(sheet):
            self.shares[at] = np.empty((len(sheet), self.shares[at].shape[1]))
        return self.shares[at][: len(sheet)]


def desk_for(state: State) -> Desk:
    """A desk with P(w|H) of this state on it."""
    desk = Desk(state)
    desk.lay_out(state)
    return desk


def step(
    documents: list[Sheet], state: State, smoothing: float = 0.0, desk: Desk | None = None
) -> tuple[State, float]:
    """One step of EM: the new state, and the log-likelihood of the old one (with that of the smoothing, which never falls).

    `smoothing` is added to the expected count of every word in every topic. `desk` holds P(w|H) of this state.
    """
    mixing = state["mixing"]
    words = state["words"]
    on = desk_for(state) if desk is None else desk
    weight = np.zeros(len(mixing))
    of_themes = np.zeros_like(mixing)
    of_words = np.zeros_like(words)
    value = 0.0
    for sheet in documents:
        shares, likelihoods = _assigned(sheet, state, on)
        value += float(likelihoods.sum())

        def gathered(
            at: int, sheet: Sheet = sheet, shares: list[np.ndarray] = shares
        ) -> tuple[np.ndarray, np.ndarray]:
            ratio = _ratio(sheet, shares[at], on.laws[at], on.spare[at])
            return ratio.T @ words, ratio @ mixing[on.spans[at]]

        for span, mine, (themed, worded) in zip(
            on.spans, shares, _over(gathered, on, sheet), strict=True
        ):
            weight[span] += mine.sum(axis=0)
            of_themes[span] += themed
            of_words += worded
    value += _penalty(words, smoothing)
    of_words *= words
    of_words += smoothing
    fresh = {
        "prior": weight / weight.sum(),
        "mixing": _laws(mixing * of_themes, mixing, 1),
        "words": _laws(of_words, words, 0),
    }
    return fresh, value


def posteriors(counts: Any, state: State) -> tuple[np.ndarray, np.ndarray]:
    """P(H|d), documents x themes, and the log-likelihood log P(d) of every document; one without words has the prior."""
    desk = desk_for(state)
    themes = [np.empty((0, len(state["prior"])))]
    likelihoods = [np.empty(0)]
    for sheet in sheets(counts, len(state["prior"])):
        shares, fit = _assigned(sheet, state, desk)
        themes.append(np.concatenate(shares, axis=1))
        likelihoods.append(fit)
    return np.concatenate(themes), np.concatenate(likelihoods)


def likelihood(documents: list[Sheet], state: State, desk: Desk) -> float:
    """The log-likelihood of all these documents; `desk` holds P(w|H) of this state."""
    return sum(float(_assigned(sheet, state, desk)[1].sum()) for sheet in documents)


def objective(documents: list[Sheet], state: State, smoothing: float, desk: Desk) -> float:
    """What EM never lowers: the log-likelihood, and that of the smoothing."""
    return likelihood(documents, state, desk) + _penalty(state["words"], smoothing)


def predictive(themes: np.ndarray, state: State) -> np.ndarray:
    """The law of the topic of one more word of each document."""
    return np.asarray(themes @ state["mixing"])


def token_share(counts: Any, themes: np.ndarray, state: State) -> np.ndarray:
    """The expected share of each topic in the words of each document; the predictive law for one without words."""
    from coterie._kernels.themes import token_shares

    found = predictive(themes, state)
    rows = _plain(counts)
    laws = (state["words"], np.ascontiguousarray(state["mixing"]))
    spans = [(first, min(first + 256, len(found))) for first in range(0, len(found), 256)]
    for _ in in_order(lambda span: token_shares(rows, themes, laws, span, found), spans, ""):
        pass
    return found


def printed(counts: Any, state: State) -> np.ndarray:
    """The formula of the source, brought to sum one: the whole document as if it were drawn from one topic."""
    fit = np.asarray(counts @ np.log(np.maximum(state["words"], FLOOR)))
    fit += np.log(np.maximum(state["prior"] @ state["mixing"], FLOOR))
    fit -= fit.max(axis=1, keepdims=True)
    np.exp(fit, out=fit)
    return np.asarray(fit / fit.sum(axis=1, keepdims=True))


def topic_prior(state: State) -> np.ndarray:
    """P(T): how probable each topic is for a word of a document not yet seen."""
    return np.asarray(state["prior"] @ state["mixing"])


def _assigned(sheet: Sheet, state: State, desk: Desk) -> tuple[list[np.ndarray], np.ndarray]:
    """P(H|d) in blocks of themes, and log P(d): each block by itself, then brought to one scale."""
    from coterie._kernels.themes import products

    with np.errstate(divide="ignore"):
        prior = np.log(state["prior"])

    def one(at: int) -> np.ndarray:
        fit = desk.of(sheet, at)
        logs = np.maximum(desk.laws[at], FLOOR, out=desk.spare[at])
        products(*sheet.rows, np.log(logs, out=logs), fit)
        fit += prior[desk.spans[at]]
        top = fit.max(axis=1)
        fit -= np.where(np.isfinite(top), top, 0.0)[:, None]
        np.exp(fit, out=fit)
        return top

    tops = np.array(list(_over(one, desk, sheet)))
    most = tops.max(axis=0)
    scale = np.exp(tops - most)
    found = [desk.of(sheet, at) for at in range(len(desk.spans))]
    total = sum(
        (scale[at] * shares.sum(axis=1) for at, shares in enumerate(found)), np.zeros(len(sheet))
    )
    for at, shares in enumerate(found):
        shares *= (scale[at] / total)[:, None]
    return found, most + np.log(total)


def _ratio(sheet: Sheet, shares: np.ndarray, law: np.ndarray, out: np.ndarray) -> np.ndarray:
    """C / B of a block: the expected counts of its themes and words over P(w|H), from all documents or those that matter."""
    from coterie._kernels import themes

    least = NEGLIGIBLE * shares.max(axis=0)
    many = int(np.count_nonzero(shares >= least))
    if many < SPARSE * shares.size:
        rows = np.empty(len(sheet) + 1, np.int64), np.empty(many, np.int32), np.empty(many)
        themes.kept(shares, least, *rows)
        themes.sparse_products(*sheet.posted, rows, out)
    else:
        themes.products(*sheet.posted, shares, out)
    themes.divide(out, law)
    return out


def _over(work: Callable[[int], Any], desk: Desk, sheet: Sheet) -> Iterable[Any]:
    """One piece of work per block of themes, in order; on the workers there are where it is worth it."""
    tasks = list(range(len(desk.spans)))
    if len(tasks) == 1 or len(sheet.rows[2]) * desk.spans[-1].stop < _LIGHT:
        return map(work, tasks)
    return in_order(work, tasks, "")


def _penalty(words: np.ndarray, smoothing: float) -> float:
    return smoothing * float(np.log(np.maximum(words, FLOOR)).sum()) if smoothing else 0.0


def _laws(found: np.ndarray, old: np.ndarray, axis: int) -> np.ndarray:
    """Brought to sum one along an axis; what is all zero keeps its old law."""
    total = found.sum(axis=axis, keepdims=True)
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), old)


def _width() -> int:
    from coterie._kernels.themes import WIDTH

    return WIDTH


def _plain(counts: Any) -> Arrays:
    starts = np.ascontiguousarray(counts.indptr, dtype=np.int64)
    return (
        starts,
        counts.indices.astype(np.int32),
        np.ascontiguousarray(counts.data, dtype=np.float64),
    )
