"""A folder with a small stand-in for every file that the shown command lines name."""

from __future__ import annotations

import csv
import datetime as dt
import wave
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from coterie.collect.samples import sample, write_mailbox
from tests.letters import letters

GOOD = ("good", "great", "lovely", "superb")
BAD = ("bad", "awful", "dull", "poor")
ELSE = ("film", "plot", "actor", "scene", "music", "story", "ending", "camera")
FEW = 40  # members of most stand-ins


def lay_out(folder: Path) -> None:
    """Write all stand-ins."""
    folder.mkdir(exist_ok=True)
    for make in MAKERS:
        make(folder)


def _rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def _folder(path: Path, texts: Sequence[str], names: Sequence[str] | None = None) -> None:
    path.mkdir()
    for at, text in enumerate(texts):
        (path / (names[at] if names else f"{at:03d}.txt")).write_text(text, encoding="utf-8")


def _texts(folder: Path) -> None:
    """Folders of text, with a few labels for one of them."""
    topics = sample("topics", FEW)
    _folder(folder / "articles", list(topics.view()))
    kinds = [f"topic {group % 3}" for group in topics.truth["group"]]
    _rows(
        folder / "labels.csv",
        ("id", "label"),
        [(f"{at:03d}.txt", kinds[at]) for at in range(0, FEW, 2)],
    )
    _rows(
        folder / "answers.csv",
        ("id", "topic"),
        [(f"{at:03d}.txt", kinds[at]) for at in range(0, FEW, 4)],
    )
    for name, seed in (("next_month", 1), ("later", 2)):
        more = list(sample("topics", FEW // 2, random_state=seed).view())
        _folder(folder / name, more, [f"{name}-{at:02d}.txt" for at in range(len(more))])
    _folder(folder / "pages", letters(FEW * 2))
    drawn = np.random.default_rng(0)
    said = [
        f"It was {' '.join([*drawn.choice((GOOD, BAD)[at % 2], 2), *drawn.choice(ELSE, 2)])}."
        for at in range(FEW)
    ]
    _folder(folder / "reviews", said)


def _tables(folder: Path) -> None:
    """Tables of numbers, of notes and of results, files of pairs, and the rows of two samples."""
    blobs = sample("blobs", FEW)
    head = ("customer", *blobs.view().names, "segment")
    _rows(
        folder / "customers.csv",
        head,
        zip(blobs.ids, *blobs.view().values.T, blobs.truth["group"], strict=True),
    )
    _rows(
        folder / "table.csv",
        ("id", *blobs.view().names),
        zip(blobs.ids, *blobs.view().values.T, strict=True),
    )
    _rows(
        folder / "wine.csv",
        ("id", *blobs.view().names),
        zip(blobs.ids, *blobs.view().values.T, strict=True),
    )
    groups = blobs.truth["group"]
    like = np.flatnonzero(groups == groups[0])[:2]
    other = int(np.flatnonzero(groups != groups[0])[0])
    _rows(folder / "same.csv", ("one", "other"), [(blobs.ids[like[0]], blobs.ids[like[1]])])
    _rows(folder / "different.csv", ("one", "other"), [(blobs.ids[like[0]], blobs.ids[other])])
    said = letters(FEW)
    _rows(
        folder / "notes.csv",
        ("id", "said", "body"),
        [(f"note-{at}", text, text) for at, text in enumerate(said)],
    )
    _rows(
        folder / "month2.csv",
        ("id", "said", "body"),
        [(f"later-{at}", text, text) for at, text in enumerate(letters(FEW, 1))],
    )
    _rows(
        folder / "results.csv",
        ("id", "snippet"),
        [(f"hit-{at}", text) for at, text in enumerate(letters(60))],
    )
    first = dt.date(2024, 1, 1)
    dated = [
        (f"story-{at}", first + dt.timedelta(days=at // 3), text)
        for at, text in enumerate(letters(60))
    ]
    _rows(folder / "news.csv", ("id", "date", "text"), dated)
    drawn = np.random.default_rng(0)
    for at, name in enumerate(("A.csv", "B.csv", "before.csv", "after.csv")):
        _rows(folder / name, ("x", "y"), (drawn.normal(size=(30, 2)) + at % 2).round(3).tolist())
    truth = drawn.random(80) < 0.4
    for name, gap in (("svm.csv", 3.0), ("bayes.csv", 1.0)):
        guessed = (drawn.normal(size=80) + gap * truth > 1).astype(int)
        _rows(
            folder / name,
            ("id", "truth", "prediction"),
            zip(range(80), truth.astype(int), guessed, strict=True),
        )
    steps = [
        (f"machine-{at % 12}", at // 12, round(float(np.sin(at / (3 + at % 3))), 3))
        for at in range(12 * 30)
    ]
    _rows(folder / "steps.csv", ("machine", "second", "load"), steps)
    events = [(f"c{at % 12}", *np.round(drawn.normal(size=2) + at % 3, 3)) for at in range(120)]
    _rows(folder / "events.csv", ("customer", "amount", "hour"), events)


def _vectors(folder: Path) -> None:
    """Texts, and a vector for each, by row, by id and in a column of lists."""
    import pandas as pd

    topics = sample("topics").take(range(60))
    ids, texts = list(topics.ids), list(topics.view())
    rows = np.random.default_rng(0).normal(size=(60, 6))
    np.save(folder / "emb.npy", rows)
    _rows(folder / "texts.csv", ("id", "text"), zip(ids, texts, strict=True))
    _rows(folder / "titles.csv", ("id", "text"), zip(ids, texts, strict=True))
    lists = rows.tolist()
    pd.DataFrame({"id": ids, "vector": lists}).to_parquet(folder / "emb.parquet")
    pd.DataFrame({"id": ids, "text": texts, "embedding": lists}).to_parquet(
        folder / "texts.parquet"
    )


def _mail(folder: Path) -> None:
    """Mailboxes, and labels of one of them."""
    write_mailbox(folder / "mail.mbox", FEW, 3)
    write_mailbox(folder / "mails.mbox", FEW, 3)
    write_mailbox(folder / "more.mbox", 12, 3, random_state=1)
    text = (folder / "more.mbox").read_text(encoding="utf-8")
    (folder / "more.mbox").write_text(
        text.replace("Message-ID: <", "Message-ID: <more-"), encoding="utf-8"
    )
    from coterie.collect import read_mail

    ids = read_mail(folder / "mails.mbox").ids
    _rows(
        folder / "mail_labels.csv",
        ("id", "label"),
        [(ids[at], f"kind {at % 2}") for at in range(0, FEW, 4)],
    )


def _linked(folder: Path) -> None:
    """Papers with texts and citations."""
    topics = sample("topics", FEW)
    _rows(folder / "papers.csv", ("id", "text"), zip(topics.ids, topics.view(), strict=True))
    groups = topics.truth["group"]
    cites = [
        (topics.ids[at], f"work-{groups[at]}-{other}") for at in range(FEW) for other in range(3)
    ]
    _rows(folder / "cites.csv", ("paper", "cited"), cites)


def _traces(folder: Path) -> None:
    """Sequences, newer ones, sets, one long trace."""
    traces = sample("traces", 16).view()
    np.savez(folder / "recordings.npz", values=traces.values, offsets=traces.offsets)
    newer = sample("traces", 6, random_state=1).view()
    np.savez(folder / "newer.npz", values=newer.values, offsets=newer.offsets)
    bags = sample("bags_of_vectors", 16).view()
    np.savez(folder / "sets.npz", values=bags.values, offsets=bags.offsets)
    drawn = np.random.default_rng(0)
    level = np.repeat([0.0, 3.0, 0.0, 3.0, 0.0, 3.0], 60)
    np.savez(
        folder / "day.npz",
        values=(level + drawn.normal(size=360))[:, None],
        offsets=np.array([0, 360]),
    )


def _sound(folder: Path) -> None:
    """Spoken words, music, and long recordings of two speakers in turn."""
    from coterie import Ragged

    (folder / "recordings").mkdir()
    spoken = sample("words", 20).view()
    assert isinstance(spoken, Ragged)
    for at in range(len(spoken.lengths)):
        _wave(
            folder / "recordings" / f"word-{at:02d}.wav",
            spoken.values[spoken.offsets[at] : spoken.offsets[at + 1], 0],
        )
    (folder / "music").mkdir()
    drawn = np.random.default_rng(0)
    seconds = np.arange(5 * 8000) / 8000
    for at in range(8):
        pitch = (220.0, 440.0)[at % 2] * np.where(
            np.sin(2 * np.pi * seconds * (1 + at % 2)) > 0, 1.0, 1.5
        )
        tune = np.sin(2 * np.pi * np.cumsum(pitch) / 8000) + 0.3 * drawn.normal(size=len(seconds))
        _wave(folder / "music" / f"piece-{at}.wav", tune)
    parts = [np.sin(2 * np.pi * pitch * np.arange(12_000) / 8000) for pitch in (200, 900, 200, 900)]
    talk = np.concatenate(parts) + 0.2 * drawn.normal(size=48_000)
    for name in ("recording.wav", "talk.wav"):
        _wave(folder / name, talk)


def _wave(path: Path, values: np.ndarray) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes((values / np.abs(values).max() * 20_000).astype("<i2").tobytes())


def _pictures(folder: Path) -> None:
    """Photographs with captions, and two new ones."""
    from PIL import Image

    drawn = np.random.default_rng(0)
    for name, count in (("photos", 16), ("new", 2)):
        (folder / name).mkdir()
        for at in range(count):
            color = np.array([(200, 40, 40), (40, 40, 200)][at % 2])
            pixels = (color + drawn.normal(scale=20, size=(24, 32, 3))).clip(0, 255).astype("uint8")
            called = f"{name}-{at:02d}"
            Image.fromarray(pixels).save(folder / name / f"{called}.png")
            words = ("a red barn in a field", "the blue sea and a boat")[at % 2]
            (folder / name / f"{called}.txt").write_text(words, encoding="utf-8")


def _languages(folder: Path) -> None:
    """Letters in three languages; the third is the second with other endings, and one letter lacks the second."""
    found = sample("letters_in_two_languages", FEW)
    named = [f"{at:03d}.txt" for at in range(FEW)]
    (folder / "letters").mkdir()
    _folder(folder / "letters" / "en", list(found.view("north")), named)
    south = list(found.view("south"))
    invited = [
        f"{text} Einladung zum Sommerfest" if at % 5 == 0 else text for at, text in enumerate(south)
    ]
    _folder(folder / "letters" / "de", invited[:-1], named)
    _folder(
        folder / "letters" / "fr",
        [" ".join(f"{word}e" for word in text.split()) for text in south],
        named,
    )


def _tagged(folder: Path) -> None:
    """Sentences with names, a token and its tag per line."""
    places = ("Berlin", "Paris", "Rome", "Lima")
    people = ("Anna", "Otto", "Maria", "Karl")
    drawn = np.random.default_rng(0)
    lines = []
    for _ in range(60):
        who = drawn.choice(people)
        where = drawn.choice(places)
        lines += [f"{who} B-PER", "went O", "to O", f"{where} B-LOC", "today O", ""]
    (folder / "names.conll").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _searches(folder: Path) -> None:
    """Queries, topics and judgements of the form that TREC has, for the folder of articles."""
    (folder / "queries.txt").write_text("river stone\n\nmarket price\n", encoding="utf-8")
    words = [
        (folder / "articles" / f"{at:03d}.txt").read_text(encoding="utf-8").split()[:3]
        for at in range(8)
    ]
    parts = {
        ("topics.txt", "qrels.txt"): range(8),
        ("test.txt", "test.qrels"): range(4),
        ("dev.txt", "dev.qrels"): range(4, 8),
    }
    for (name, qrels), part in parts.items():
        topics = [
            f"<top>\n<num> Number: {at + 1}\n<title> {' '.join(words[at])}\n</top>\n" for at in part
        ]
        (folder / name).write_text("\n".join(topics), encoding="utf-8")
        (folder / qrels).write_text(
            "".join(f"{at + 1} 0 {at:03d}.txt 1\n" for at in part), encoding="utf-8"
        )


MAKERS: tuple[Callable[[Path], None], ...] = (
    _texts,
    _tables,
    _vectors,
    _mail,
    _linked,
    _traces,
    _sound,
    _pictures,
    _languages,
    _tagged,
    _searches,
)
