"""Okapi BM25 beside bm25s on the same counts in the same run.

    python benchmarks/speed/search.py [documents] [words]

Prints CPU seconds of building the index from words already counted or numbered, and of 500 queries of four words (the best ten
members of each), with both, and how often the best member is the same. Needs `pip install bm25s` for the peer.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
from timing import seconds, timed

from coterie.organize.retrieval import Index

_QUERIES, _WORDS, _BEST = 500, 4, 10


def made(n: int, m: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Counts of documents of about 90 words, some words frequent as in text, and queries of words in the middle."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(5, m + 5)
    lengths = rng.poisson(90, n) + 5
    words = rng.choice(m, size=int(lengths.sum()), p=share / share.sum())
    rows = np.repeat(np.arange(n), lengths)
    counts = sp.csr_array((np.ones(len(words)), (rows, words)), shape=(n, m))
    counts.sum_duplicates()
    return counts, np.stack([rng.choice(np.arange(20, m // 4), _WORDS, replace=False) for _ in range(_QUERIES)])


def asked(queries: np.ndarray, width: int) -> Any:
    rows = np.repeat(np.arange(len(queries)), queries.shape[1])
    return sp.csr_array((np.ones(queries.size), (rows, queries.ravel())), shape=(len(queries), width))


def peer(counts: Any, queries: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Seconds of building and of searching with bm25s, and the best member of every query."""
    import bm25s

    names = [f"w{word}" for word in range(counts.shape[1])]
    rows = [slice(a, b) for a, b in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)]
    tokens = [np.repeat(counts.indices[row], counts.data[row].astype(int)).tolist() for row in rows]
    texts = bm25s.tokenization.Tokenized(ids=tokens, vocab={name: at for at, name in enumerate(names)})
    model = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    build, _ = timed(lambda: model.index(texts, show_progress=False))
    lines = [[names[word] for word in query] for query in queries]
    search = seconds(lambda: model.retrieve(lines, k=_BEST, show_progress=False, n_threads=1))
    found, _ = model.retrieve(lines, k=_BEST, show_progress=False, n_threads=1)
    return build, search, np.asarray(found)[:, 0]


def main(n: int = 20_000, m: int = 40_000) -> None:
    counts, queries = made(n, m)
    rows = asked(queries, m)
    build, index = timed(lambda: Index().fit(counts))
    search = seconds(lambda: index.search(rows, most=_BEST))
    best = np.array([one.order[0] if len(one) else -1 for one in index.search(rows, most=1)])
    print(f"{n} documents, {m} words, {counts.nnz} counts; {_QUERIES} queries of {_WORDS} words")
    print(f"  coterie  index {build:.3f} s, queries {search:.3f} s ({1000 * search / _QUERIES:.2f} ms each)")
    if importlib.util.find_spec("bm25s") is None:
        print("  bm25s is not installed")
        return
    theirs, asking, first = peer(counts, queries)
    print(f"  bm25s    index {theirs:.3f} s, queries {asking:.3f} s; ratios {theirs / build:.1f} and {asking / search:.1f}")
    print(f"  the same best member in {np.mean(first == best):.1%} of the queries (idf differs a little)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
