"""Planted populations: counts between members and other populations whose groups are known by construction.

The four generators of Bekkerman 2008's stand-in data: blocks of a table, a corpus of sparse topics over a background, papers
seen through two weak populations that only together tell the venue, and a pool in which some documents share one topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.collect.invented import vocabulary
from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.links import Cooccurrence
from coterie.core.random import stream, streams
from coterie.core.text import Text
from coterie.parts.background import bundled

MEMBERS = "members"
_PAPERS = 10  # topics of the sample of papers
# items, Zipf, draws, share of the paper's topic
_TITLES = (1400, 0.8, (4, 8), 0.35)
_CITED = (4000, 0.5, (3, 13), 0.5)

_OWN = (
    2.0,
    6.0,
)  # the beta law of the share of topic words in a document of a pool; its mean is a quarter


def blocks(
    n: int = 200,
    columns: int = 300,
    groups: int = 5,
    rates: tuple[float, float] = (0.6, 0.03),
    random_state: Any = 0,
) -> Collection:
    """A table of counts in which five groups of rows meet five groups of columns more often than all others.

    Every cell is a Poisson count with the first rate where row and column are of one group, and the second elsewhere. The
    names of the columns tell their groups: 'c3-017' is the 17th column, of group 3.
    """
    _check_n(n, groups)
    if columns < groups:
        raise ParameterError(
            f"columns must be at least the number of groups, {groups}, and was {columns}."
        )
    generator = stream(random_state)
    rows = generator.permutation(np.arange(n) % groups)
    cols = generator.permutation(np.arange(columns) % groups)
    counts = generator.poisson(np.where(rows[:, None] == cols[None], rates[0], rates[1]))
    names = [f"c{group}-{j:03d}" for j, group in enumerate(cols.tolist())]
    return _made("blocks", {"columns": (sp.csr_array(counts), names)}, rows)


def corpus(
    n: int = 500,
    topics: int = 10,
    words: int = 5000,
    lengths: tuple[int, int] = (40, 120),
    share: float = 0.3,
    random_state: Any = 0,
) -> Collection:
    """Documents of ten sparse topics: a share of the words from the topic, all others from a background of Zipf's law.

    A topic is 100 words of the vocabulary with weights of a gamma law of shape 0.5; topics may share words. `lengths` are the
    fewest and the most words of a document. The counts are the link ('members', 'words'), the documents the view 'text'.
    """
    _check_n(n, topics)
    tongue, who, what = streams(random_state, 3)
    labels = who.permutation(np.arange(n) % topics)
    background = _zipf(words, 1.0)
    own = min(100, words)
    chosen = [
        (what.choice(words, own, replace=False), what.gamma(0.5, size=own) + 1e-6)
        for _ in range(topics)
    ]
    rows = []
    for topic in labels.tolist():
        size = int(what.integers(lengths[0], lengths[1] + 1))
        places, weights = chosen[topic]
        mine = places[what.choice(own, size=size, p=weights / weights.sum())]
        rows.append(
            np.where(what.random(size) < share, mine, what.choice(words, size=size, p=background))
        )
    spelled = vocabulary(words, tongue)
    counts, kept = _counted(rows, words, 1)
    text = Text(tuple(" ".join(spelled[i] for i in row.tolist()) for row in rows))
    return _made(
        "corpus", {"words": (counts, [spelled[j] for j in kept.tolist()])}, labels, {"text": text}
    )


def papers(
    n: int = 1500,
    groups: int = _PAPERS,
    titles: tuple[int, float, tuple[int, int], float] = _TITLES,
    cited: tuple[int, float, tuple[int, int], float] = _CITED,
    random_state: Any = 0,
) -> Collection:
    """Papers of ten venues seen in a few title words and a few citations, each of which alone tells little.

    Both populations are given by the number of items, the exponent of their Zipf law, the fewest and the most draws of a
    paper, and the share of the draws from the paper's own topic; every item belongs to one topic. An item counts once in a
    paper, and items of a single paper are left out. The third link, words to citations, counts the papers that hold both.
    """
    _check_n(n, groups)
    who, *views = streams(random_state, 3)
    labels = who.permutation(np.arange(n) % groups)
    tables = {
        name: _view(labels, groups, view, at)
        for name, view, at in zip(("words", "citations"), (titles, cited), views, strict=True)
    }
    sides = {
        name: (table, [f"{name[0]}{j:04d}" for j in kept.tolist()])
        for name, (table, kept) in tables.items()
    }
    made = _made("papers", sides, labels)
    one, other = (made.links[MEMBERS, name] for name in sides)
    both = Cooccurrence(sp.csr_array(one.counts.T @ other.counts), one.cols, other.cols)
    return Collection(
        made.ids, {}, {**made.links, ("words", "citations"): both}, made.truth, "papers"
    )


def pool(
    n: int = 1000,
    share: float = 0.35,
    topics: int = 0,
    words: int = 12_000,
    relevant: int = 800,
    lengths: tuple[int, int] = (60, 600),
    random_state: Any = 0,
) -> Collection:
    """A pool of documents, a third of which share one topic (group 0): the core among noise in general English words.

    The topic is 800 of the 12,000 words with weights of a gamma law of shape 0.5. A document of the core draws each word from it
    with a probability of its own (a quarter in the mean), and else from Zipf's law over all words; all others draw from the law
    alone, or, with `topics`, mix one of so many other topics (groups 1, 2, ...) in the same way. Lengths are spread evenly on
    the log scale. The words are those of the bundled list, in its order of frequency; `pool_background` gives the law.
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must be above 0 and below 1, and was {share}.")
    if topics < 0 or not 1 <= relevant <= words:
        raise ParameterError(
            f"topics must be from 0 and relevant from 1 to {words}, and were {topics} and {relevant}."
        )
    _check_n(n, 2)
    spelled = _general_words(words)
    who, what = streams(random_state, 2)
    core = min(max(1, round(share * n)), n - 1)
    rest = 1 + np.arange(n - core) % max(topics, 1)
    labels = who.permutation(np.concatenate([np.zeros(core, dtype=np.int64), rest]))
    law = _zipf(words, 1.0)
    chosen = [_topic(words, relevant, what) for _ in range(topics + 1)]
    low = np.log(lengths[0])
    high = np.log(lengths[1] + 1)
    rows = []
    for group in labels.tolist():
        row = what.choice(words, size=int(np.exp(what.uniform(low, high))), p=law)
        if group < len(chosen):
            own = what.random(len(row)) < what.beta(*_OWN)
            (places, weights) = chosen[group]
            row[own] = places[what.choice(relevant, size=int(own.sum()), p=weights)]
        rows.append(row)
    counts, kept = _counted(rows, words, 1)
    text = Text(tuple(" ".join(spelled[i] for i in row.tolist()) for row in rows))
    return _made(
        "pool", {"words": (counts, [spelled[j] for j in kept.tolist()])}, labels, {"text": text}
    )


def pool_background(words: int = 12_000) -> dict[str, float]:
    """How often each word of a pool is in general, in a million: Zipf's law.

    >>> [word for word in pool_background(3)], round(sum(pool_background(3).values()))
    (['the', 'to', 'of'], 1000000)
    """
    return dict(zip(_general_words(words), (1e6 * _zipf(words, 1.0)).tolist(), strict=True))


def _general_words(n: int) -> list[str]:
    """The most frequent words of the bundled list."""
    known = bundled()
    if n > len(known):
        raise ParameterError(f"words must be at most {len(known)}, and was {n}.")
    return sorted(known, key=lambda word: (-known[word], word))[:n]


def _topic(words: int, own: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Some of the words, and their chances in a topic."""
    weights = generator.gamma(0.5, size=own) + 1e-9
    return generator.choice(words, own, replace=False), weights / weights.sum()


def _view(
    labels: np.ndarray,
    groups: int,
    wish: tuple[int, float, tuple[int, int], float],
    generator: np.random.Generator,
) -> Any:
    """Which items each paper holds: some of its topic, the rest of all, the frequent ones more often."""
    items, exponent, (least, most), share = wish
    often = _zipf(items, exponent)
    topic = generator.integers(groups, size=items)
    topic[:groups] = generator.permutation(groups)  # every topic has an item
    within = [np.flatnonzero(topic == group) for group in range(groups)]
    rows = []
    for label in labels.tolist():
        size = int(generator.integers(least, most + 1))
        places = within[label]
        mine = generator.choice(places, size=size, p=often[places] / often[places].sum())
        rows.append(
            np.unique(
                np.where(
                    generator.random(size) < share,
                    mine,
                    generator.choice(items, size=size, p=often),
                )
            )
        )
    return _counted(rows, items, 2)


def _zipf(n: int, exponent: float) -> np.ndarray:
    weights = np.arange(1.0, n + 1) ** -exponent
    return weights / weights.sum()


def _counted(rows: Sequence[np.ndarray], items: int, least: int) -> tuple[Any, np.ndarray]:
    """Rows x items, how often, without the items that fewer than `least` rows hold; and which items stay."""
    ends = np.cumsum([0, *(len(row) for row in rows)])
    table = sp.csr_array((np.ones(ends[-1]), np.concatenate(rows), ends), shape=(len(rows), items))
    table.sum_duplicates()
    kept = np.flatnonzero(np.bincount(table.indices, minlength=items) >= least)
    kept = kept if len(kept) else np.flatnonzero(np.bincount(table.indices, minlength=items))
    return sp.csr_array(table[:, kept]), kept


def _check_n(n: int, groups: int) -> None:
    if groups < 1:
        raise ParameterError(f"There must be at least one group, and {groups} were asked for.")
    if n < groups:
        raise ParameterError(f"n must be at least the number of groups, {groups}, and was {n}.")


def _made(
    name: str,
    tables: dict[str, tuple[Any, list[str]]],
    labels: np.ndarray,
    views: dict[str, Any] | None = None,
) -> Collection:
    width = len(str(len(labels) - 1))
    ids = [f"{name}-{i:0{width}d}" for i in range(len(labels))]
    links = {
        (MEMBERS, other): Cooccurrence(counts, ids, names)
        for other, (counts, names) in tables.items()
    }
    return Collection(ids, views or {}, links, {"group": labels}, name)
