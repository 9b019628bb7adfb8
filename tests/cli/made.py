"""Small real files of every kind that is read, each with groups that are known."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from coterie.collect.samples import sample, write_mailbox

TRUTH = "species"


def texts(folder: Path) -> Path:
    """A folder of text files."""
    place = folder / "letters"
    place.mkdir()
    collection = sample("topics", 60)
    for member, text in zip(collection.ids, collection.view(), strict=True):
        (place / f"{member}.txt").write_text(text, encoding="utf-8")
    return place


def jsonl(folder: Path) -> Path:
    """One document per line, with its known topic."""
    collection = sample("topics", 60)
    rows = zip(collection.ids, collection.view(), collection.truth["group"].tolist(), strict=True)
    lines = [json.dumps({"id": i, "text": text, TRUTH: f"topic {g}"}) for i, text, g in rows]
    return _written(folder / "posts.jsonl", "\n".join(lines))


def numbers(folder: Path) -> Path:
    """A table of numbers with ids and known groups."""
    collection = sample("blobs", 60)
    return _table(
        folder / "flowers.csv",
        collection.ids,
        collection.view().values,
        collection.view().names,
        collection.truth["group"],
    )


def mixed(folder: Path) -> Path:
    """A table of numbers and words with gaps."""
    collection = sample("mixed", 60)
    table = collection.view()
    cells = [
        ["" if np.isnan(v) else table.level(j, v) for j, v in enumerate(row)]
        for row in table.values
    ]
    return _table(
        folder / "people.csv", collection.ids, cells, table.names, collection.truth["group"]
    )


def parquet(folder: Path) -> Path:
    """The same numbers as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    collection = sample("blobs", 60)
    columns = {name: collection.view().column(name) for name in collection.view().names}
    pq.write_table(pa.table({"id": list(collection.ids), **columns}), folder / "flowers.parquet")
    return folder / "flowers.parquet"


def mbox(folder: Path) -> Path:
    """A mailbox in one file."""
    write_mailbox(folder / "inbox.mbox", 60)
    return folder / "inbox.mbox"


def maildir(folder: Path) -> Path:
    """A mailbox as a Maildir."""
    import mailbox

    box = mailbox.Maildir(str(folder / "Maildir"))
    for message in mailbox.mbox(str(mbox(folder))):
        box.add(message)
    (folder / "inbox.mbox").unlink()
    return folder / "Maildir"


def eml(folder: Path) -> Path:
    """A folder of single messages."""
    import mailbox

    place = folder / "saved"
    place.mkdir()
    for at, message in enumerate(mailbox.mbox(str(mbox(folder)))):
        (place / f"{at}.eml").write_bytes(message.as_bytes())
    (folder / "inbox.mbox").unlink()
    return place


def npz(folder: Path) -> Path:
    """Sequences of different lengths as values and offsets."""
    collection = sample("traces", 50)
    ragged = collection.view()
    np.savez(
        folder / "traces.npz",
        values=ragged.values,
        offsets=ragged.offsets,
        labels=collection.truth["group"],
    )
    return folder / "traces.npz"


def npy(folder: Path) -> Path:
    """A plain array of rows and columns."""
    np.save(folder / "points.npy", sample("blobs", 60).view().values)
    return folder / "points.npy"


def npy_of_sequences(folder: Path) -> Path:
    """A plain array of members, steps and dimensions."""
    np.save(folder / "cube.npy", np.array([trace[:40] for trace in sample("traces", 50).view()]))
    return folder / "cube.npy"


def ts(folder: Path) -> Path:
    """The format of the time series archives."""
    collection = sample("traces", 50)
    head = "@problemName Walks\n@timeStamps false\n@univariate false\n@classLabel true 0 1 2 3\n@data\n"
    cases = [
        ":".join(",".join(f"{v:.6f}" for v in dimension) for dimension in trace.T) + f":{g}"
        for trace, g in zip(collection.view(), collection.truth["group"], strict=True)
    ]
    return _written(folder / "walks.ts", head + "\n".join(cases))


def long(folder: Path) -> Path:
    """Many rows per member: id, time, values."""
    collection = sample("traces", 50)
    lines = ["id,time,u,v"]
    for member, trace in zip(collection.ids, collection.view(), strict=True):
        lines += [f"{member},{t},{u:.6f},{v:.6f}" for t, (u, v) in enumerate(trace)]
    return _written(folder / "recordings.csv", "\n".join(lines))


KINDS: dict[
    Callable[[Path], Path], tuple[str, str]
] = {  # maker -> kind in the store, what the guess says
    texts: ("text", "The folder 'letters' holds text files: read as text, one document per file."),
    jsonl: ("text", "A .jsonl with running text in 'text': read as text."),
    numbers: ("table", "A .csv of numbers and categories: read as a table."),
    mixed: ("table", "A .csv of numbers and categories: read as a table."),
    parquet: ("table", "A .parquet of numbers and categories: read as a table."),
    mbox: ("text", "'inbox.mbox' holds messages: read as mail."),
    maildir: ("text", "The folder 'Maildir' holds messages: read as mail."),
    eml: ("text", "The folder 'saved' holds messages: read as mail."),
    npz: (
        "sequences",
        "'traces.npz' is an .npz with 'values' and their lengths: read as sequences.",
    ),
    npy: ("table", "An .npy of rows and columns: read as a table."),
    npy_of_sequences: (
        "sequences",
        "An .npy of three dimensions (members, steps, values): read as sequences.",
    ),
    ts: ("sequences", "A .ts file: read as sequences with their classes as truth."),
    long: (
        "sequences",
        "A .csv in which 'id' repeats and 'time' orders its rows: read as sequences, one per 'id'.",
    ),
}


def talk(folder: Path) -> Path:
    """One recording of two speakers in turn."""
    import wave

    from coterie.collect.spoken import RATE, conversation

    sound = conversation(2, 6, 4.0, random_state=11)[0].view().values[:, 0]
    path = folder / "talk.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(int(RATE))
        file.writeframes((sound / np.abs(sound).max() * 30000).astype("<i2").tobytes())
    return path


def _table(path: Path, ids, rows, names, truth) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *names, TRUTH])
        writer.writerows(
            [i, *row, f"kind {g}"] for i, row, g in zip(ids, rows, truth.tolist(), strict=True)
        )
    return path


def _written(path: Path, text: str) -> Path:
    path.write_text(text + "\n", encoding="utf-8")
    return path
