"""Where the pages, the sources and the examples lie, and a desk with the files that the pages speak of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "coterie"
PAPERS = ROOT / "papers" / "src" / "coterie_papers"
PACKAGES = (SOURCE, PAPERS)
EXAMPLES = ROOT / "examples"
if str(DOCS / "_ext") not in sys.path:
    sys.path.insert(0, str(DOCS / "_ext"))

import reading as reading  # the part of the documentation's extension that needs no Sphinx  # noqa: E402

ROOMS = (
    "collect",
    "represent",
    "models",
    "compare",
    "organize",
    "judge",
    "show",
    "run",
    "catalog",
    "testing",
)


def pages() -> list[Path]:
    """Every page of the documentation."""
    return sorted(
        path
        for path in DOCS.rglob("*.md")
        if not any(part.startswith("_") for part in path.relative_to(DOCS).parts)
    )


def _mailbox(path: Path) -> None:
    from coterie.collect.samples import write_mailbox

    write_mailbox(path, 60)


def _documents(path: Path) -> None:
    from coterie.collect.samples import sample

    for number, document in enumerate(sample("topics", 60).view()):
        place = path / ("north" if number % 2 else "south") / f"report-{number:02d}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(document, encoding="utf-8")


def _store(path: Path) -> None:
    import coterie
    from coterie.collect.samples import sample

    for _ in range(2):
        coterie.explore(sample("mail", 60), k=6, nulls=0, store=path, name="mail")


DESK: dict[str, Callable[[Path], None]] = {
    "archive.mbox": _mailbox,
    "mail.mbox": _mailbox,
    "reports": _documents,
    "my_runs": _store,
}


def _things_to_show() -> dict[str, Any]:
    import numpy as np
    from scipy.cluster.hierarchy import linkage

    import coterie
    from coterie.collect.samples import sample
    from coterie.core.partition import Hierarchy, Segmentation

    blobs = sample("blobs", 60)
    found = coterie.explore(blobs, k=5, nulls=0)
    return {
        "findings": found.findings,
        "positions": found.findings.map,
        "partition": found.partition,
        "affinity": found.findings.matrix,
        "labels": found.labels[found.findings.matrix_members],
        "hierarchy": Hierarchy(linkage(blobs.view().values, "average")),
        "ids": blobs.ids,
        "segmentation": Segmentation(np.array([0, 5, 9, 20]), np.array([0, 1, 0])),
    }


GIVEN: dict[str, Callable[[], dict[str, Any]]] = {
    "rooms/show.md": _things_to_show
}  # names a page says the reader has


def given(page: Path) -> dict[str, Any]:
    """The names that a page takes as given."""
    make = GIVEN.get(str(page.relative_to(DOCS)))
    return make() if make else {}


def lay_out(folder: Path, page: str) -> None:
    """Put into a folder those files of the desk that a page names."""
    for name, make in DESK.items():
        if f'"{name}"' in page:
            make(folder / name)
