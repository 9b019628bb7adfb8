"""Make the stored runs that later releases must open: `python -m tests.golden.make_run`.

Two small runs are explored on relative paths and packed into files/run/NAME.zip, without the report and
the index, which are made from the rest, and without anything that names the machine: times, the process
and the folder are replaced by fixed ones. Make them again only when the format of stored runs changes on
purpose, then run `make golden ONLY=stored_run UPDATE=yes`.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np

import coterie
from tests.golden.stored import FILES

PLACE = FILES / "run"
RUNS = {"notes-1": "notes.jsonl", "rows-1": "rows.csv"}  # name of the run -> file that was read
_MADE = "2026-01-01T00:00:00.000+00:00"
_FIXED = {
    "created": _MADE,
    "updated": _MADE,
    "seconds": 1.0,
    "pid": 1,
    "host": "host",
    "birth": "1",
}
_LEFT_OUT = ("report.html",)
_TOPICS = {
    "tea": ["kettle", "leaf", "cup", "brew", "pot", "steep", "oolong", "mint"],
    "sea": ["wave", "boat", "harbor", "tide", "sail", "salt", "anchor", "reef"],
    "law": ["court", "judge", "appeal", "jury", "clause", "verdict", "bail", "oath"],
}
_EMPTY = 4  # the row whose width is missing
_COMMON = ["day", "time", "year", "place"]


def write_sources(folder: Path) -> None:
    """Forty-two notes on three topics, and forty-two rows around three centers; one cell is empty."""
    rng = np.random.default_rng(0)
    notes = []
    for topic, words in _TOPICS.items():
        for at in range(14):
            text = " ".join([*rng.choice(words, 6), *rng.choice(_COMMON, 3)])
            notes.append({"id": f"{topic}-{at}", "text": text, "topic": topic})
    lines = "".join(json.dumps(note) + "\n" for note in notes)
    (folder / "notes.jsonl").write_text(lines, encoding="utf-8")
    rows = ["id,length,width,color,species"]
    for at in range(42):
        kind = at % 3
        length, width = rng.normal(size=2) + [6.0 * kind, 3.0 * (kind == 1)]
        width_cell = "" if at == _EMPTY else f"{width:.3f}"
        color = ("red", "blue", "green")[kind]
        rows.append(f"row-{at},{length:.3f},{width_cell},{color},species {kind}")
    (folder / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def make_run(name: str, store: Path) -> Path:
    """Explore the file of a run in the current folder, and pack it."""
    source = RUNS[name]
    truth = "topic" if source.endswith(".jsonl") else "species"
    made = coterie.explore(
        source,
        truth=truth,
        store=store,
        name=name.removesuffix("-1"),
        nulls=2,
        command=f"coterie explore {source} --truth {truth} --nulls 2 --seed 0",
    )
    assert made.run is not None
    assert made.run.name == name
    return pack(Path(made.run.path))


def pack(run: Path) -> Path:
    """The files of a run as one archive, without dates."""
    path = PLACE / f"{run.name}.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(run.rglob("*")):
            if file.is_dir() or file.name in _LEFT_OUT:
                continue
            content = file.read_bytes()
            if file == run / "run.json":
                content = without_machine(content.decode("utf-8")).encode("utf-8")
            entry = zipfile.ZipInfo(str(file.relative_to(run.parent)))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return path


def without_machine(manifest: str) -> str:
    """The text of run.json with a relative path and fixed times."""
    found = json.loads(manifest)
    found |= {key: value for key, value in _FIXED.items() if key in found}
    found["request"]["path"] = Path(found["request"]["path"]).name
    return json.dumps(found, indent=1) + "\n"


def unpack(store: Path) -> None:
    """Put both runs into a store."""
    for name in RUNS:
        with zipfile.ZipFile(PLACE / f"{name}.zip") as archive:
            archive.extractall(store)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_sources(Path(folder))
        for name in RUNS:
            path = make_run(name, Path("runs"))
            print(f"{os.path.relpath(path, PLACE.parent)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
