"""The whole of `coterie explore`, report included: 2,000 documents, and 20,000 x 50 rows. Seconds, and the peak of memory.

    python benchmarks/speed/explore.py [folder of data sets]

The documents are 20 Newsgroups (headers stripped) where the folder (or COTERIE_DATA) has them, else generated ones.
Goals: 60 s and 2 GB; 120 s, and never a dense 20,000 x 20,000 matrix (3.2 GB).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import Row, quick, report

_RUN = (
    "import sys; from coterie.cli.main import main; sys.argv = ['coterie', *sys.argv[1:]]; main()"
)


def documents(folder: Path, data: Path | None, n: int) -> tuple[Path, str]:
    """Documents as one .jsonl file, and what they are."""
    file = data / "newsgroups20" / "newsgroups20.parquet" if data else None
    if file is not None and file.exists():
        from coterie_papers.defaults import newsgroups

        # type: ignore[call-overload]
        texts = list(newsgroups(file, 0).view())[:n]
        said = "20 Newsgroups"
    else:
        from coterie.collect.samples import sample

        # type: ignore[call-overload]
        texts = list(sample("topics", n=n).view())
        said = "generated documents"
    path = folder / "documents.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": str(i), "text": text}) for i, text in enumerate(texts))
    )
    return path, said


def rows(folder: Path, n: int) -> Path:
    """Rows of 50 numbers in 12 groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(0)
    values = generator.normal(size=(12, 50))[
        generator.integers(12, size=n)
    ] * 1.6 + generator.normal(size=(n, 50))
    path = folder / "rows.parquet"
    pq.write_table(pa.table({f"c{j}": values[:, j] for j in range(50)}), path)
    return path


def run(path: Path, store: Path) -> tuple[float, float]:
    """Seconds on the clock and the most memory of a process of its own."""
    begun = time.perf_counter()
    command = [
        sys.executable,
        "-c",
        _RUN,
        "explore",
        str(path),
        "--store",
        str(store),
        "--progress",
        "silent",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"coterie explore {path.name} ended with {process.returncode}.")
    return time.perf_counter() - begun, 1024.0 * used.ru_maxrss


def main() -> None:
    folders = [word for word in sys.argv[1:] if not word.startswith("--")]
    given = folders[0] if folders else os.environ.get("COTERIE_DATA")
    n, m = (500, 4_000) if quick() else (2_000, 20_000)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path, said = documents(folder, Path(given) if given else None, n)
        taken, peak = run(path, folder / "runs")
        size = f"{n} documents, report included"
        report(
            Row(
                "explore",
                "coterie explore",
                size,
                ours=taken,
                unit="wall s",
                limit=60.0,
                peak=peak,
                room=2e9,
                note=said,
            )
        )
        taken, peak = run(rows(folder, m), folder / "runs")
        size = f"{m} x 50 table, report included"
        report(
            Row(
                "explore",
                "coterie explore",
                size,
                ours=taken,
                unit="wall s",
                limit=120.0,
                peak=peak,
                room=2e9,
            )
        )


if __name__ == "__main__":
    main()
