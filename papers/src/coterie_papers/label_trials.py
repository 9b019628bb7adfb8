"""Few labels: representations learned from all documents without labels, then one support vector machine on a share of labels."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coterie.core.errors import NotConverged
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.organize.categorize import Categorize
from coterie.parts.folds import drawn
from coterie.parts.term_weights import by_column, inverse_frequency, unit_length
from coterie.represent.terms import Terms
from coterie_papers.text_data import Arrays, kept

TFIDF = "TFIDF"
LSA_ = "LSA"
PLSA_ = "PLSA"
LDA_ = "LDA"
TTMM_ = ("TTMM predictive", "TTMM token share", "TTMM printed")
LATENT = (
    LSA_,
    PLSA_,
    *TTMM_[:2],
)  # those the bar is about; the printed posterior is there for replication only
TOPICS = 50
_TEST = 0.5  # of the documents are never labeled
_LEAST = 2  # labeled documents of a class, however small the share
# streams of who is tested, and of who is labeled
_SPLIT = 50
_DRAW = 51


@dataclass(frozen=True, eq=False)
class Stock:
    """Documents as counts of words, and yes or no per document for every task."""

    name: str
    counts: Table
    tasks: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.counts)


def stocked(
    name: str, documents: Sequence[str], tasks: Mapping[str, np.ndarray], least: int = 3
) -> Stock:
    """Words stopped and not stemmed, in `least` documents or more; the share of yes is in the name of a task."""
    terms = Terms(weights="tf", min_df=least).fit(Text(tuple(documents)))
    table = terms.represent(Text(tuple(documents)))
    named = {
        f"{task} ({yes.mean():.0%})": np.asarray(yes, dtype=bool) for task, yes in tasks.items()
    }
    return Stock(f"{name}, {len(documents)} documents, {table.shape[1]} words", table, named)


def weighted(counts: Table) -> Any:
    """TFIDF with rows of length one."""
    values = counts.values
    frequency = np.bincount(values.indices, minlength=values.shape[1])
    return unit_length(by_column(values, inverse_frequency(frequency, values.shape[0])))


def features(stock: Stock, where: str, quick: bool, seed: int = 0) -> dict[str, Any]:
    """Every representation of all documents by name, 50 dimensions each beside TFIDF; learned without any label."""
    place = f"{where}/{stock.name}/features{'/quick' if quick else ''}"
    tfidf = weighted(stock.counts)
    found: dict[str, Any] = {TFIDF: tfidf}
    for name, make in (
        (LSA_, partial(_lsa, tfidf, seed)),
        (PLSA_, partial(_plsa, stock.counts, quick, seed)),
        (LDA_, partial(_lda, stock.counts, quick, seed)),
    ):
        found[name] = kept(place, name, seed, make)["rows"]
    themes = kept(place, "TTMM", seed, partial(_ttmm, stock.counts, quick, seed))
    return found | {name: themes[name] for name in TTMM_}


def _lsa(tfidf: Any, seed: int) -> Arrays:
    from coterie.represent.lsa import LSA

    return {"rows": LSA(n_components=TOPICS, random_state=seed).fit_transform(tfidf)}


def _plsa(counts: Table, quick: bool, seed: int) -> Arrays:
    from coterie.represent.plsa import PLSA

    with quiet():
        return {
            "rows": PLSA(n_topics=TOPICS, max_iter=30 if quick else 60, tol=0.0, random_state=seed)
            .fit(counts)
            .shares_
        }


def _lda(counts: Table, quick: bool, seed: int) -> Arrays:
    from coterie.represent.lda import LDA

    return {
        "rows": LDA(n_topics=TOPICS, passes=5 if quick else 30, random_state=seed).fit_transform(
            counts
        )
    }


def _ttmm(counts: Table, quick: bool, seed: int) -> Arrays:
    from coterie.represent.ttmm import TTMM

    model = TTMM(
        n_themes=100 if quick else 500,
        n_topics=TOPICS,
        max_iter=15 if quick else 40,
        tol=0.0,
        random_state=seed,
    )
    with quiet():
        fitted = model.fit(counts)
    ways = zip(TTMM_, ("predictive", "token_share", "printed"), strict=True)
    return {name: fitted.set_params(posterior=way).transform(counts) for name, way in ways}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """EM of a fixed number of steps ends at its limit on purpose, and says nothing of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        yield


def split(yes: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Who is labeled and who is tested: half of the documents are tested, a share of all is labeled out of the other half.

    Both hold their share of yes; two documents of each class are labeled at least.
    """
    n = len(yes)
    both = np.stack([yes, ~yes], axis=1)
    test = drawn(both, round(_TEST * n), stream(seed, _SPLIT))
    rest = np.setdiff1d(np.arange(n), test)
    wanted = min(max(round(share * n), 2 * _LEAST), len(rest))
    labeled = rest[
        drawn(both[rest], wanted, stream(seed, _DRAW, round(1000 * share)), least=_LEAST)
    ]
    return labeled, test


def tried(rows: Any, yes: np.ndarray, share: float, seed: int, kernel: str = "rbf") -> Arrays:
    """Accuracy and F1 on the tested half after learning from a share of labels; width and C by cross-validation in five folds."""
    labeled, test = split(yes, share, seed)
    model = Categorize(classifier="svm", kernel=kernel, random_state=seed)
    found = np.asarray(model.fit(rows[labeled], yes[labeled]).predict(rows[test]), dtype=bool)
    truth = yes[test]
    hits = float((found & truth).sum())
    f1 = 2.0 * hits / max(float(found.sum() + truth.sum()), 1.0)
    return {"accuracy": np.array(float((found == truth).mean())), "f1": np.array(f1)}


def crossing(shares: Sequence[float], first: Sequence[float], later: Sequence[float]) -> float:
    """The share at which `later` overtakes `first` for good, on straight lines over the logarithm of the share.

    NaN where `later` is never below, or never at or above at the end.

    >>> round(crossing((1, 10, 100), (0.9, 0.9, 0.9), (0.8, 0.9, 1.0)), 6)
    10.0
    """
    gaps = [b - a for a, b in zip(first, later, strict=True)]
    behind = [at for at, gap in enumerate(gaps) if gap < 0]
    if not behind or behind[-1] == len(gaps) - 1:
        return math.nan
    at = behind[-1]
    part = -gaps[at] / (gaps[at + 1] - gaps[at])
    low = math.log(shares[at])
    high = math.log(shares[at + 1])
    return math.exp(low + part * (high - low))
