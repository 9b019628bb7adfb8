"""What memory.py runs: every driver with data of a size, and the budgets it is run under."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tables import topic_counts

Work = Callable[[], Any]
GB = 10**9


@dataclass(frozen=True)
class Driver:
    """How to make the work of a size (its data are made before the block), and the sizes and budgets it is run with."""

    words: str
    make: Callable[[int], Work]
    sizes: tuple[tuple[int, float], ...]
    unit: str = "members"
    tiny: int = 60
    mapped: bool = False  # numbers stay in files


def folder_of_its_own() -> Path:
    """A folder that is gone when the process ends."""
    folder = tempfile.mkdtemp(prefix="coterie-memory-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def rows(n: int, d: int = 20) -> np.ndarray:
    generator = np.random.default_rng(0)
    return generator.normal(size=(n, d)) + 6.0 * generator.integers(0, 5, size=n)[:, None]


def euclidean(n: int) -> Any:
    from coterie.compare import Euclidean

    return Euclidean().fit(rows(n)).affinity_


def sets(n: int, size: int = 30, d: int = 4) -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [generator.normal(size=(size, d)) + (i % 4) for i in range(n)]


def _dense(n: int) -> Work:
    from coterie.parts.pairwise import dense

    lazy = euclidean(n)
    return lambda: dense(lazy)


def _condensed(n: int) -> Work:
    from coterie.parts.pairwise import condensed

    lazy = euclidean(n)
    return lambda: condensed(lazy)


def _graph(n: int) -> Work:
    from coterie.parts.pairwise import graph

    lazy = euclidean(n)
    return lambda: graph(lazy, 10)


def _organized(name: str, **settings: Any) -> Callable[[int], Work]:
    def make(n: int) -> Work:
        import coterie.organize as organize

        lazy = euclidean(n)
        return lambda: getattr(organize, name)(**settings).fit(lazy)

    return make


def _graphed(name: str, **settings: Any) -> Callable[[int], Work]:
    """An organizer on the graph of neighbors, which is made before."""

    def make(n: int) -> Work:
        import coterie.organize as organize
        from coterie.compare import Neighborhood

        near = Neighborhood().fit(euclidean(n)).affinity_
        return lambda: getattr(organize, name)(**settings).fit(near)

    return make


def _compared(
    name: str, data: Callable[[int], Any], ask: Callable[[Any], Any] | None = None, **settings: Any
) -> Callable[[int], Work]:
    def make(n: int) -> Work:
        import coterie.compare as compare

        given = data(n)

        def work() -> Any:
            fitted = getattr(compare, name)(**settings).fit(given)
            return fitted if ask is None else (fitted, ask(fitted))

        return work

    return make


def _represented(name: str, data: Callable[[int], Any], **settings: Any) -> Callable[[int], Work]:
    def make(n: int) -> Work:
        import coterie.represent as represent

        given = data(n)
        return lambda: getattr(represent, name)(**settings).fit_transform(given)

    return make


def _counted(name: str, **settings: Any) -> Callable[[int], Work]:
    def make(n: int) -> Work:
        import coterie.organize as organize

        counts = topics(n)
        return lambda: getattr(organize, name)(**settings).fit(counts)

    return make


def topics(n: int) -> Any:
    return topic_counts(n, max(200, min(20_000, n)), 5, length=80, seed=0)[0]


def documents(n: int) -> list[str]:
    generator = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(
        ["".join(word) for word in letters[generator.integers(0, 26, size=(20_000, 6))]]
    )
    return [" ".join(words[generator.zipf(1.3, size=120) % len(words)]) for _ in range(n)]


def _embedded(n: int) -> Work:
    from coterie.represent import Embedding

    lazy = euclidean(n)
    return lambda: Embedding(method="classical").fit_transform(lazy)


def _dense_of(fitted: Any) -> Any:
    from coterie.parts.pairwise import dense

    return dense(fitted.affinity_)


def _explore(n: int) -> Work:
    import coterie

    table = rows(n)
    store = folder_of_its_own()
    return lambda: coterie.explore(table, store=store)


def _explore_text(n: int) -> Work:
    import coterie

    folder = folder_of_its_own()
    _lines(folder / "lines.txt", n)
    return lambda: coterie.explore(folder / "lines.txt", store=folder / "store")


def _terms_file(n: int) -> Work:
    read = _saved("txt")(n)

    def work() -> Any:
        from coterie.represent import Terms

        return Terms(max_terms=1000, weights="tf").fit_transform(read())

    return work


def _near_in_file(n: int) -> Work:
    import coterie
    from coterie.compare import Euclidean
    from coterie.parts.pairwise import graph

    path = folder_of_its_own() / "rows.npy"
    _npy(path, n, 5_000)
    return lambda: graph(Euclidean().fit(coterie.read(path)).affinity_, 10)


def _views(n: int) -> dict[str, np.ndarray]:
    return {"one": rows(n, 12), "other": rows(n, 9)}


def _saved(kind: str) -> Callable[[int], Work]:
    """Reading of a file that was written before."""

    def make(n: int) -> Work:
        import coterie

        path = folder_of_its_own() / f"data.{kind}"
        _WRITE[kind](path, n)
        return lambda: coterie.read(path)

    return make


def _npy(path: Any, n: int, width: int = 100) -> None:
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, width))
    generator = np.random.default_rng(0)
    for at in range(0, n, 1_000):
        out[at : at + 1_000] = generator.normal(size=(min(1_000, n - at), width))
    out.flush()


def _parquet(path: Any, n: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(50)])
    generator = np.random.default_rng(0)
    with pq.ParquetWriter(path, schema) as writer:
        for at in range(0, n, 20_000):
            part = generator.normal(size=(min(20_000, n - at), 50))
            writer.write_table(pa.table([part[:, j] for j in range(50)], schema=schema))


def _csv(path: Any, n: int) -> None:
    generator = np.random.default_rng(0)
    with path.open("w") as file:
        file.write(",".join(f"x{j}" for j in range(20)) + "\n")
        for at in range(0, n, 10_000):
            part = generator.normal(size=(min(10_000, n - at), 20))
            file.writelines(",".join(f"{v:.6f}" for v in row) + "\n" for row in part.tolist())


def _lines(path: Any, n: int) -> None:
    some = documents(500)
    with path.open("w") as file:
        file.writelines(some[i % 500] + f" number{i}\n" for i in range(n))


def _jsonl(path: Any, n: int) -> None:
    import json

    some = documents(500)
    with path.open("w") as file:
        file.writelines(
            json.dumps({"id": f"d{i}", "text": some[i % 500] + f" number{i}"}) + "\n"
            for i in range(n)
        )


_WRITE: dict[str, Callable[[Any, int], None]] = {
    "npy": _npy,
    "parquet": _parquet,
    "csv": _csv,
    "txt": _lines,
    "jsonl": _jsonl,
}


DRIVERS: dict[str, Driver] = {
    "dense": Driver(
        "All distances in one array", _dense, ((10_000, 1 * GB), (14_000, 1 * GB), (15_000, 2 * GB))
    ),
    "condensed": Driver("The upper triangle", _condensed, ((14_000, 1 * GB), (20_000, 1 * GB))),
    "graph": Driver("Ten nearest neighbors, exact", _graph, ((16_000, 1 * GB), (16_000, 0.3 * GB))),
    "spectral": Driver(
        "Spectral, one width",
        _organized("Spectral", n_groups=5, scale=3.0),
        ((6_000, 1 * GB), (8_000, 1 * GB)),
    ),
    "spectral-graph": Driver(
        "Spectral on a graph", _graphed("Spectral", n_groups=5), ((30_000, 1 * GB),)
    ),
    "agglomerative": Driver(
        "Agglomerative, average", _organized("Agglomerative"), ((10_000, 1 * GB), (14_000, 1 * GB))
    ),
    "ward": Driver(
        "Agglomerative, Ward", _organized("Agglomerative", linkage="ward"), ((10_000, 1 * GB),)
    ),
    "medoids": Driver(
        "Medoids", _organized("Medoids", n_groups=5), ((8_000, 1 * GB), (10_000, 0.6 * GB))
    ),
    "hdbscan": Driver(
        "Density, HDBSCAN", _organized("Density"), ((5_000, 1 * GB), (8_000, 1 * GB))
    ),
    "dbscan": Driver(
        "Density, DBSCAN",
        _organized("Density", method="dbscan"),
        ((8_000, 1 * GB), (9_000, 0.6 * GB)),
    ),
    "mcl": Driver("MCL on a graph", _graphed("MCL"), ((30_000, 1 * GB),)),
    "classical": Driver("Classical scaling", _embedded, ((6_000, 1 * GB), (9_000, 1 * GB))),
    "sic": Driver(
        "SIC, 50 iterations, and its neighbors",
        _compared("SIC", rows, None, n_iterations=50),
        ((20_000, 1 * GB),),
    ),
    "sic-dense": Driver(
        "SIC, the dense affinity",
        _compared("SIC", rows, _dense_of, n_iterations=30),
        ((10_000, 1 * GB), (13_000, 1 * GB)),
    ),
    "likelihood": Driver(
        "Likelihood matrix",
        _compared("Likelihood", lambda n: sets(n, 12, 2), _dense_of),
        ((3_000, 0.3 * GB),),
    ),
    "ssd": Driver(
        "SSD", _compared("SSD", lambda n: sets(n, 20, 2), _dense_of), ((6_000, 0.5 * GB),)
    ),
    "mmd": Driver("MMD", _compared("MMD", sets, _dense_of), ((1_500, 0.3 * GB),)),
    "risk": Driver(
        "Nearest neighbor risk", _compared("NearestRisk", sets, _dense_of), ((800, 0.3 * GB),)
    ),
    "dtw": Driver(
        "Dynamic time warping",
        _compared("Alignment", lambda n: sets(n, 12, 2), _dense_of),
        ((6_000, 0.4 * GB),),
    ),
    "terms": Driver(
        "Terms of texts in memory",
        _represented("Terms", documents),
        ((60_000, 1 * GB), (150_000, 0.5 * GB)),
        "documents",
    ),
    "lsa": Driver(
        "LSA, 100 dimensions",
        _represented("LSA", topics),
        ((100_000, 1 * GB),),
        "documents",
        tiny=300,
    ),
    "plsa": Driver(
        "PLSA",
        _represented("PLSA", topics, n_topics=10, max_iter=5),
        ((50_000, 1 * GB),),
        "documents",
        tiny=300,
    ),
    "ttmm": Driver(
        "TTMM",
        _represented("TTMM", topics, n_themes=10, n_topics=10, max_iter=3),
        ((20_000, 1 * GB),),
        "documents",
        tiny=300,
    ),
    "lda": Driver(
        "LDA", _represented("LDA", topics, n_topics=10), ((4_000, 0.3 * GB),), "documents", tiny=300
    ),
    "scaling": Driver(
        "Scaling",
        _represented("Scaling", lambda n: rows(n, 100)),
        ((300_000, 1 * GB), (300_000, 0.3 * GB)),
        mapped=True,
    ),
    "mdc": Driver("MDC", _counted("MDC", n_groups=5), ((1_000, 0.3 * GB),), "documents", tiny=300),
    "itcc": Driver(
        "ITCC", _counted("ITCC", n_groups=5), ((2_000, 0.3 * GB),), "documents", tiny=300
    ),
    "sib": Driver(
        "Sequential bottleneck",
        _counted("SequentialIB", n_groups=5),
        ((20_000, 1 * GB),),
        "documents",
        tiny=300,
    ),
    "pwca": Driver("PWCA", _represented("PWCA", _views), ((3_000, 0.5 * GB), (4_000, 0.5 * GB))),
    "kcca": Driver("KCCA", _represented("KCCA", _views), ((2_500, 0.5 * GB),)),
    "explore-text": Driver(
        "explore, a text file", _explore_text, ((3_000, 0.3 * GB),), "lines", tiny=200
    ),
    "terms-file": Driver(
        "Terms, 1,000 of a text file, read in pieces",
        _terms_file,
        ((100_000, 0.08 * GB),),
        "lines",
        tiny=300,
    ),
    "euclidean-npy": Driver(
        "Neighbors of rows that lie in a file",
        _near_in_file,
        ((12_000, 0.3 * GB),),
        "rows of 5,000",
        tiny=50,
        mapped=True,
    ),
    "explore": Driver("explore, a table", _explore, ((5_000, 1 * GB),)),
    "read-npy": Driver(
        "Reading .npy", _saved("npy"), ((2_000_000, 0.5 * GB),), "rows", tiny=100, mapped=True
    ),
    "read-parquet": Driver(
        "Reading Parquet",
        _saved("parquet"),
        ((500_000, 0.5 * GB), (2_000_000, 0.5 * GB)),
        "rows",
        tiny=100,
        mapped=True,
    ),
    "read-csv": Driver(
        "Reading CSV", _saved("csv"), ((400_000, 0.3 * GB),), "rows", tiny=100, mapped=True
    ),
    "read-txt": Driver(
        "Reading lines of text", _saved("txt"), ((500_000, 0.3 * GB),), "lines", tiny=100
    ),
    "read-jsonl": Driver(
        "Reading .jsonl", _saved("jsonl"), ((400_000, 0.3 * GB),), "lines", tiny=100
    ),
}
