"""The whole of `coterie explore`, report included: 2,000 documents, and 20,000 x 50 rows. Seconds, and the peak of memory.

    python benchmarks/speed/explore.py [folder of data sets]

The documents are 20 Newsgroups (headers stripped) where the folder (or COTERIE_DATA) has them, else generated ones.
Bars: 60 s and 2 GB; 120 s, and
never a dense 20,000 x 20,000 matrix (3.2 GB). The machine was shared when this was last run.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

_RUN = "import sys; from coterie.cli.main import main; sys.argv = ['coterie', *sys.argv[1:]]; main()"


def documents(folder: Path, data: Path | None) -> Path:
    """2,000 documents as one .jsonl file."""
    file = data / "newsgroups20" / "newsgroups20.parquet" if data else None
    if file is not None and file.exists():
        from coterie.experiments.defaults import newsgroups

        texts = list(newsgroups(file, 0).view())  # type: ignore[call-overload]
    else:
        from coterie.collect.samples import sample

        texts = list(sample("topics", n=2000).view())  # type: ignore[call-overload]
    path = folder / "documents.jsonl"
    path.write_text("\n".join(json.dumps({"id": str(i), "text": text}) for i, text in enumerate(texts)))
    return path


def rows(folder: Path) -> Path:
    """20,000 rows of 50 numbers in 12 groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(0)
    values = generator.normal(size=(12, 50))[generator.integers(12, size=20_000)] * 1.6 + generator.normal(size=(20_000, 50))
    path = folder / "rows.parquet"
    pq.write_table(pa.table({f"c{j}": values[:, j] for j in range(50)}), path)
    return path


def main() -> None:
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("COTERIE_DATA")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path, bar in ((documents(folder, Path(given) if given else None), 60), (rows(folder), 120)):
            begun = time.perf_counter()
            command = [sys.executable, "-c", _RUN, "explore", str(path), "--store", str(folder / "runs"), "--progress", "silent"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            taken = time.perf_counter() - begun
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
            print(f"{path.name}: {taken:.1f} s (bar {bar}), largest process so far {peak:.2f} GB (bar 2)")


if __name__ == "__main__":
    main()
