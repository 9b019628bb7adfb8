"""Small files of every kind that the commands read, made with fixed seeds."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.samples import sample
from tests.letters import letters

POSTS = 60
_LABELED = 30


def write_all(folder: Path) -> None:
    """Write every file into the folder."""
    write_posts(folder)
    write_flowers(folder)
    write_letters(folder)
    write_notes(folder)
    write_views(folder)
    write_systems(folder)
    write_samples(folder)


def write_posts(folder: Path) -> None:
    """Texts on five topics; more of them that are new; labels of some; a pair of them."""
    collection = sample("topics", POSTS + 6)
    topics = [f"topic {group}" for group in collection.truth["group"].tolist()]
    rows = [
        {"id": member, "text": text, "topic": topic}
        for member, text, topic in zip(collection.ids, collection.view(), topics, strict=True)
    ]
    _write_lines(folder / "posts.jsonl", rows[:POSTS])
    _write_lines(
        folder / "new_posts.jsonl", [{"id": r["id"], "text": r["text"]} for r in rows[POSTS:]]
    )
    labels = [(row["id"], row["topic"]) for row in rows[:_LABELED]]
    _write_table(folder / "labels.csv", ("id", "label"), labels)
    _write_table(folder / "apart.csv", ("one", "other"), [(rows[0]["id"], rows[1]["id"])])


def write_flowers(folder: Path) -> None:
    """A table of numbers with known kinds, and further rows without."""
    collection = sample("blobs", 64)
    table = collection.view()
    kinds = [f"kind {group}" for group in collection.truth["group"].tolist()]
    rows = [
        (member, *row, kind)
        for member, row, kind in zip(collection.ids, table.values.tolist(), kinds, strict=True)
    ]
    _write_table(folder / "flowers.csv", ("id", *table.names, "kind"), rows[:60])
    _write_table(folder / "new_flowers.csv", ("id", *table.names), [row[:-1] for row in rows[60:]])


def write_letters(folder: Path) -> None:
    """Dated letters of which every third is about tea, and the same as results of a search."""
    texts = letters(60)
    first = dt.date(2024, 1, 1)
    dated = [
        (f"letter-{at}", first + dt.timedelta(days=at * 21 // 60), text)
        for at, text in enumerate(texts)
    ]
    _write_table(folder / "letters.csv", ("id", "day", "text"), dated)
    results = [(f"{at:04d}", text, f"1.{at}0") for at, text in enumerate(texts[:40])]
    _write_table(folder / "results.csv", ("code", "snippet", "price"), results)


def write_notes(folder: Path) -> None:
    """Four notes to search in, queries, and which notes answer them."""
    rows = [
        ("a1", "Tea", "The kettle is warm, and the tea leaves are steeping in the pot."),
        ("a2", "Road", "The motor of the car failed on the road to the harbor."),
        ("a3", "Tea again", "Oolong is a tea made of leaves which were left in the sun."),
        ("a4", "Music", "A violin was played in the concert of the evening."),
    ]
    _write_table(folder / "notes.csv", ("id", "title", "text"), rows)
    (folder / "topics.tsv").write_text("1\ttea leaves\n2\tviolin\n", encoding="utf-8")
    (folder / "qrels").write_text("1 0 a1 1\n1 0 a3 1\n2 0 a4 1\n", encoding="utf-8")


def write_views(folder: Path) -> None:
    """Letters in two languages with the same file names; one has no mate."""
    collection = sample("letters_in_two_languages", 60)
    for view in ("north", "south"):
        place = folder / "post" / view
        place.mkdir(parents=True)
        for at, text in enumerate(collection.view(view)):
            name = collection.ids[at] if at or view == "north" else "lost"
            (place / f"{name}.txt").write_text(text, encoding="utf-8")


def write_systems(folder: Path) -> None:
    """Scores and ratings of two systems for the same members."""
    rng = np.random.default_rng(0)
    truth = (rng.random(120) < 0.4).astype(int)
    for name, gap in (("first", 3.0), ("second", 1.0)):
        scores = np.round(rng.normal(size=120) + gap * truth, 2)
        rows = [
            (f"d{at}", int(truth[at]), float(scores[at]), int(scores[at] > 1)) for at in range(120)
        ]
        _write_table(folder / f"{name}.csv", ("id", "truth", "score", "prediction"), rows)


def write_samples(folder: Path) -> None:
    """Two samples of two columns with different means."""
    rng = np.random.default_rng(0)
    a = np.round(rng.normal(size=(40, 2)) + [2.0, 0.0], 6)
    b = np.round(rng.normal(size=(50, 2)), 6)
    _write_table(folder / "a.csv", ("p", "q"), a.tolist())
    _write_table(folder / "b.csv", ("p", "q"), b.tolist())


def _write_table(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def _write_lines(path: Path, rows: Iterable[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
