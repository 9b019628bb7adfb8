"""Okapi BM25 beside bm25s on the same counts in the same run.

    python benchmarks/speed/search.py [documents] [words]

CPU seconds of building the index from words already counted or numbered, and of 500 queries of four words (the best ten members
of each), with both, and how often the best member is the same.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import scipy.sparse as sp
from timing import OURS, race, report, sizes

from coterie.organize.retrieval import Index

_QUERIES = 500
_WORDS = 4
_BEST = 10


def made(n: int, m: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Counts of documents of about 90 words, some words frequent as in text, and queries of words in the middle."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(5, m + 5)
    lengths = rng.poisson(90, n) + 5
    words = rng.choice(m, size=int(lengths.sum()), p=share / share.sum())
    rows = np.repeat(np.arange(n), lengths)
    counts = sp.csr_array((np.ones(len(words)), (rows, words)), shape=(n, m))
    counts.sum_duplicates()
    return counts, np.stack(
        [rng.choice(np.arange(20, m // 4), _WORDS, replace=False) for _ in range(_QUERIES)]
    )


def asked(queries: np.ndarray, width: int) -> Any:
    rows = np.repeat(np.arange(len(queries)), queries.shape[1])
    return sp.csr_array(
        (np.ones(queries.size), (rows, queries.ravel())), shape=(len(queries), width)
    )


def tokens_of(counts: Any, names: list[str]) -> Any:
    """The documents as bm25s takes them, words numbered."""
    import bm25s

    rows = [slice(a, b) for a, b in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)]
    tokens = [np.repeat(counts.indices[row], counts.data[row].astype(int)).tolist() for row in rows]
    return bm25s.tokenization.Tokenized(
        ids=tokens, vocab={name: at for at, name in enumerate(names)}
    )


def indexed(texts: Any) -> Any:
    import bm25s

    model = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    model.index(texts, show_progress=False)
    return model


def main() -> None:
    n, m = sizes(full=(20_000, 40_000), small=(4_000, 8_000))
    counts, queries = made(n, m)
    rows = asked(queries, m)
    names = [f"w{word}" for word in range(m)]
    index = Index().fit(counts)
    build = {OURS: lambda: Index().fit(counts)}
    ask = {OURS: lambda: index.search(rows, most=_BEST)}
    if there := importlib.util.find_spec("bm25s") is not None:
        texts = tokens_of(counts, names)
        lines = [[names[word] for word in query] for query in queries]
        model = indexed(texts)
        build["bm25s"] = lambda: indexed(texts)
        ask["bm25s"] = lambda: model.retrieve(lines, k=_BEST, show_progress=False, n_threads=1)
    size = f"{n} documents, {m} words, {counts.nnz} counts"
    report(race(build).row("search", "building the index", size, peer="bm25s"))
    found = race(ask)
    more = dict[str, Any]()
    if there:
        best = np.array([one.order[0] if len(one) else -1 for one in index.search(rows, most=1)])
        same = float(np.mean(np.asarray(found.results["bm25s"][0])[:, 0] == best))
        more = {"quality": same, "quality_of": "same best member", "note": "idf differs a little"}
    report(
        found.row(
            "search",
            f"{_QUERIES} queries of {_WORDS} words, the best {_BEST}",
            size,
            peer="bm25s",
            **more,
        )
    )


if __name__ == "__main__":
    main()
