"""The board on two small collections: every answer in a process of its own, in two orders of the rows, measured against the classes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

BOARD = Path(__file__).parent.parent / "benchmarks" / "quality" / "board.py"


def write_collection(folder: Path, name: str, rows: np.ndarray, classes: np.ndarray | None) -> None:
    """A table in the form of the board."""
    place = folder / name
    place.mkdir(parents=True)
    with (place / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", *(["class"] if classes is not None else [])])
        for at, row in enumerate(rows):
            writer.writerow([*row.round(4), *([classes[at]] if classes is not None else [])])
    said = {
        "name": name,
        "family": name,
        "kind": "table",
        "file": f"{name}.csv",
        "read": {},
        "label_column": None if classes is None else "class",
        "labels": None,
        "other_labels": [],
        "n": len(rows),
        "classes": None if classes is None else len(set(classes)),
        "tags": [] if classes is not None else ["structureless"],
    }
    (place / "meta.json").write_text(json.dumps(said))


def test_a_small_board(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    classes = np.repeat(["red", "green", "blue"], 20)
    centers = np.repeat(np.eye(3) * 12, 20, axis=0)
    folder = tmp_path / "collections"
    write_collection(folder, "clear", random.normal(size=(60, 3)) + centers, classes)
    write_collection(folder, "cloud", random.normal(size=(60, 3)), None)
    made = tmp_path / "board.json"
    page = tmp_path / "board.md"
    done = subprocess.run(
        [sys.executable, BOARD, folder, "--no-rivals", "--json", made, "--page", page],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "COTERIE_STORE": str(tmp_path / "store")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(made.read_text())
    rows = {(row["name"], row["mode"]): row for row in said["rows"]}
    assert set(rows) == {("clear", "free"), ("clear", "k"), ("cloud", "free")}
    assert rows["clear", "k"]["ari"] > 0.95
    assert rows["clear", "free"]["orders"] > 0.95
    assert not rows["cloud", "free"]["is_grouped"]
    assert all(not row["problems"] for row in said["rows"])
    assert "| clear |" in page.read_text()
