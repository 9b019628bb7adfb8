"""Data of the Comraf experiments on links: papers, packages, tagged texts and pictures; and how they are clustered in trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.collect.ngrams import base_tag, tag_ngrams
from coterie.collect.tagged import unslashed
from coterie.collect.words import count_names, words
from coterie.core.collection import Collection
from coterie.core.links import MEMBERS, Cooccurrence, Links
from coterie.core.text import Text
from coterie.organize.comraf.estimator import MDC
from coterie.organize.comraf.role import Populations
from coterie.represent.stopwords import ENGLISH
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.text_data import MICRO, Arrays, Tied, kept, told

CORA = "cora_text"
DEBIAN = "debian_packages"
BROWN = "brown"
COREL = "corel5k"
FLICKR = "flickr8k_subset"
FILES = {
    CORA: ("documents.parquet", "citations.parquet"),
    DEBIAN: ("debian_packages.parquet",),
    BROWN: ("brown.parquet",),
    COREL: ("corel5k.npz",),
    FLICKR: ("captions.csv.gz", "images"),
}
TITLES = "title words"
WORDS = "words"
CITED = "citations"
NEEDED = "dependencies"
PEOPLE = "maintainers"
TAGS = "tags"
TWOS = "tag bigrams"
THREES = "tag trigrams"
BLOBS = "blobs"
BOTH = "both as one"
_TITLE = 8  # words of an abstract that stand for a title
_FOLDER = 90  # training pictures of one Corel folder, which follow each other in the file


# ---- trials: one way to cluster and one seed at a time ------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """How members are clustered: which populations stand beside them, by which organizer, with which settings."""

    beside: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    kind: Any = MDC
    paper: float | None = None  # micro accuracy in the thesis
    also: Mapping[str, int] = field(default_factory=dict)  # groups of other populations

    def __call__(self, tied: Tied, seed: int, quick: bool, k: int | None = None) -> Arrays:
        own = groups_of(tied) if k is None else k
        given = {**self.settings, **effort(self.kind, quick)}
        asked: Any = {MEMBERS: own, **self.also} if self.also else own
        return {
            "labels": self.kind(n_groups=asked, random_state=seed, **given)
            .fit(only(tied, self.beside))
            .labels_
        }


def effort(kind: Any, quick: bool) -> dict[str, int]:
    """How often is tried: the default of MDC and of what is no Comraf, four attempts at every step of all else; less in haste."""
    if not issubclass(kind, Populations):
        return {}
    if kind is MDC:
        return {"runs": 1, "restarts": 2} if quick else {}
    return {"restarts": 2 if quick else 4}


def only(tied: Tied, beside: Sequence[str]) -> Links:
    """The tables that tie the members and these populations, and these among themselves."""
    wanted = {MEMBERS, *beside}
    return Links(
        {pair: table for pair, table in tied.links.tables.items() if wanted.issuperset(pair)}
    )


def groups_of(tied: Tied) -> int:
    """The number of classes, members without one aside."""
    return len(set(tied.truth.tolist()) - {""})


def tried(
    trial: Trial, ledger: Ledger, where: str, tied: Sequence[Tied], ways: Mapping[str, Way]
) -> dict[str, np.ndarray]:
    """Every way with every seed: rows of the table, and the micro accuracies by way.

    With several collections (generated ones) every seed has its own, else all seeds share the only one.
    """
    place = f"{where}/{tied[0].name}/{'quick' if trial.quick else 'whole'}"
    found = {}
    for name, way in ways.items():
        runs = [
            kept(place, name, seed, partial(way, tied[seed % len(tied)], seed, trial.quick))
            for seed in range(trial.seeds)
        ]
        found[name] = rows(ledger, name, tied, runs, way.paper)
    return found


def rows(
    ledger: Ledger,
    name: str,
    tied: Sequence[Tied],
    runs: Sequence[Arrays],
    paper: float | None = None,
) -> np.ndarray:
    """The rows of one way over its runs; gives the micro accuracies."""
    printed = {} if paper is None else {MICRO: paper}
    if len(tied) == 1:
        return told(ledger, name, tied[0].name, runs, tied[0].truth, printed)[MICRO]
    parts = [
        told(Ledger(), name, one.name, [run], one.truth)
        for one, run in zip(tied, runs, strict=True)
    ]
    values = {measure: np.concatenate([part[measure] for part in parts]) for measure in parts[0]}
    for measure, over in values.items():
        ledger.add(name, measure, tied[0].name, over.tolist(), printed.get(measure))
    return values[MICRO]


def here(trial: Trial, ledger: Ledger, name: str, title: str) -> Path | None:
    """The folder of a data set, or nothing and a sentence."""
    if all(trial.has(name, file) for file in FILES[name]):
        return trial.data(name)
    ledger.skip(
        f"{title}: the data set '{name}' is not here (give its parent folder with --data or COTERIE_DATA)."
    )
    return None


def tied_of(collection: Collection, truth: str = "group") -> Tied:
    """A collection of links as what trials take."""
    return Tied(
        Links(dict(collection.links)),
        np.asarray(collection.truth[truth]).astype(str),
        collection.name,
    )


def with_both(tied: Tied, beside: Sequence[str]) -> Tied:
    """One more population: these, written side by side as one table."""
    tables = [tied.links.tables[MEMBERS, name] for name in beside]
    cols = [
        f"{name}: {col}" for name, table in zip(beside, tables, strict=True) for col in table.cols
    ]
    table = Cooccurrence(
        sp.hstack([table.counts for table in tables]).tocsr(), tables[0].rows, cols
    )
    return Tied(Links({**tied.links.tables, (MEMBERS, BOTH): table}), tied.truth, tied.name)


# ---- papers and packages --------------------------------------------------------------------------------------------------


def cora(folder: Path) -> Tied:
    """Papers on machine learning: words of the abstracts, their first eight words (there are no titles), and citations.

    A paper is tied to every paper that it cites or that cites it. Papers without a class are clustered and not judged.
    """
    documents, cited = (_columns(folder / name) for name in FILES[CORA])
    ids = [str(i) for i in documents["id"]]
    texts = [words(str(text or "")) for text in documents["abstract"]]
    known = set(ids)
    ties: dict[str, set[str]] = {name: set() for name in ids}
    for one, other in zip(map(str, cited["source"]), map(str, cited["target"]), strict=True):
        if one != other and {one, other} <= known:
            ties[one].add(other)
            ties[other].add(one)
    links = {
        (MEMBERS, TITLES): _bagged(ids, [text[:_TITLE] for text in texts], 2),
        (MEMBERS, WORDS): _bagged(ids, texts, 3),
        (MEMBERS, CITED): _bagged(ids, [sorted(ties[name]) for name in ids], 2),
    }
    return Tied(Links(links), named(documents["label"]), f"Cora, {len(ids)} papers")


def debian(folder: Path) -> Tied:
    """Packages of 31 sections: words of the short descriptions, of all descriptions, dependencies and maintainers."""
    columns = _columns(folder / FILES[DEBIAN][0])
    ids = [str(i) for i in columns["package"]]
    short, long = (
        [words(str(text or "")) for text in columns[name]] for name in ("short_en", "long_en")
    )
    needs = [[name for name in str(row or "").split("|") if name] for row in columns["depends"]]
    keepers = [[str(name)] if name else [] for name in columns["maintainer"]]
    links = {
        (MEMBERS, TITLES): _bagged(ids, short, 2),
        (MEMBERS, WORDS): _bagged(
            ids, [[*one, *other] for one, other in zip(short, long, strict=True)], 3
        ),
        (MEMBERS, NEEDED): _bagged(ids, needs, 2),
        (MEMBERS, PEOPLE): _bagged(ids, keepers, 2),
    }
    return Tied(Links(links), named(columns["section"]), f"Debian, {len(ids)} packages")


def _bagged(ids: Sequence[str], bags: Iterable[Iterable[str]], least: int) -> Cooccurrence:
    """Counts of names of at least `least` members, stop words left out."""
    return count_names((Counter(bag) for bag in bags), ids, least, ENGLISH)


def named(classes: Iterable[Any]) -> np.ndarray:
    """Classes as words; nothing and empty names are unknown, and `judge` leaves such members out."""
    return np.array(
        ["" if name is None or name != name else str(name) for name in classes], dtype=object
    )


def _columns(path: Path) -> Mapping[str, list[Any]]:
    import pyarrow.parquet as pq

    found: Mapping[str, list[Any]] = pq.read_table(path).to_pydict()
    return found


# ---- texts with parts of speech -------------------------------------------------------------------------------------------


def brown(folder: Path) -> Tied:
    """Texts of 15 genres: words of three texts or more, and parts of speech one by one, in twos and in threes."""
    columns = _columns(folder / FILES[BROWN][0])
    ids = [str(i) for i in columns["file"]]
    texts = Text(tuple(str(text).lower() for text in columns["tagged_text"]))
    read = unslashed(Collection(ids, {"text": texts}, name="Brown"))
    plain = read.view("text")
    assert isinstance(plain, Text)
    read = tag_ngrams(read, 1, 1, called=base_tag)
    read = tag_ngrams(tag_ngrams(read, 2, 2, called=base_tag), 3, 10, called=base_tag)
    links = {(MEMBERS, WORDS): _bagged(ids, map(words, plain), 3), **read.links}
    return Tied(Links(links), named(columns["category"]), f"Brown corpus, {len(ids)} texts")


# ---- pictures -------------------------------------------------------------------------------------------------------------


def corel(folder: Path) -> Tied:
    """Pictures with words and blobs; the truth is the folder each was sold in, read off the order of the training pictures.

    The file names no classes. The pictures stand in it folder by folder, 90 for training of each: the words of pictures that
    follow each other change at every 90th picture, and nowhere else as much (`folder_gap`).
    """
    with np.load(folder / FILES[COREL][0], allow_pickle=False) as file:
        held = {name: file[name] for name in file.files}
    train = np.flatnonzero(held["split"].astype(str) == "train")
    ids = [f"picture {i}" for i in train.tolist()]
    names = {
        WORDS: held["word_names"].astype(str).tolist(),
        BLOBS: [f"blob {j}" for j in range(int(held["blobs_shape"][1]))],
    }
    links = {}
    for kind, cols in names.items():
        indices = held[f"{kind}_indices"]
        ends = held[f"{kind}_indptr"]
        table = sp.csr_array(
            (np.ones(len(indices)), indices, ends), shape=tuple(held[f"{kind}_shape"].tolist())
        )
        links[MEMBERS, kind] = Cooccurrence(table[train], ids, cols)
    truth = named(f"folder {i // _FOLDER}" for i in range(len(ids)))
    return Tied(Links(links), truth, f"Corel, {len(ids)} pictures")


def folder_gap(tied: Tied, width: int = 20) -> tuple[float, float]:
    """Cosine of the words of `width` pictures before and after a place: at the ends of folders, and halfway between them."""
    counts = tied.links.tables[MEMBERS, WORDS].counts
    ends = np.arange(_FOLDER, len(tied.truth), _FOLDER)

    def alike(at: int) -> float:
        one, other = (
            np.asarray(counts[part].sum(axis=0)).ravel()
            for part in (slice(at - width, at), slice(at, at + width))
        )
        return float(one @ other / max(np.sqrt((one @ one) * (other @ other)), 1e-12))

    return float(np.mean([alike(int(at)) for at in ends])), float(
        np.mean([alike(int(at) - _FOLDER // 2) for at in ends])
    )
