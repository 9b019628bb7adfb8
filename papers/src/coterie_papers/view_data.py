"""Data of the experiments on views: lines of texts in several languages that say the same, sets seen in many ways, made ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.parts import term_weights as weighting
from coterie.represent.scaling import Scaling
from coterie.represent.terms import Terms
from coterie_papers.experiment import Ledger, Trial

EUROPARL = "europarl7"
LIBRE = "libreoffice_help"
TITLES = {EUROPARL: "Europarl sentences", LIBRE: "LibreOffice help lines"}
DIGITS = "mfeat_digits"
MANY = "multiview"
SETS = ("100Leaves", "MSRC-v5", "Movies", "Cora", "Reuters-1200")
_LONG = 40  # characters of a line, at the least, in every language
_TEXT = "text_"
_END = re.compile(
    r"(?<=[.!?])\s+(?=[^\W\d_a-zà-öø-ÿ]|[¿¡\"«])"
)  # of a sentence: a capital letter or an opening mark follows

# ---- lines in several languages -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sheet:
    """One draw: the same members in every view, some to be fitted and others to be searched."""

    name: str
    train: Mapping[str, Any]
    test: Mapping[str, Any]
    truth: np.ndarray = field(
        default_factory=lambda: np.zeros(0, dtype=np.int64)
    )  # clusters of those to be fitted, where known

    @property
    def views(self) -> tuple[str, ...]:
        return tuple(self.train)

    def only(self, names: Sequence[str], most: int | None = None) -> Sheet:
        """Some of the views, and only the first so many members to be searched."""
        return Sheet(
            self.name, {n: self.train[n] for n in names}, {n: self.test[n][:most] for n in names}
        )

    def parted(self, seed: int, share: float = 0.25) -> Sheet:
        """The members to be fitted as a draw of their own, a share of them set aside to choose settings by."""
        size = next(iter(self.train.values())).shape[0]
        order = stream(seed, 5).permutation(size)
        aside = max(int(share * size), 2)
        kept = np.sort(order[aside:])
        held = np.sort(order[:aside])
        fitted, searched = (
            {n: rows[chosen] for n, rows in self.train.items()} for chosen in (kept, held)
        )
        return Sheet(self.name, fitted, searched)


def lines_of(texts: Mapping[str, Sequence[str]], least: int = _LONG) -> dict[str, list[str]]:
    """Lines that stand at the same place of documents with equally many lines in every language.

    A line is kept when it is long enough everywhere, when no two languages have the same words (nobody translated it), and
    when none of its forms was there before.
    """
    seen: dict[str, set[str]] = {language: set() for language in texts}
    found: dict[str, list[str]] = {language: [] for language in texts}
    for document in zip(*texts.values(), strict=True):
        parts = [str(text or "").split("\n") for text in document]
        if len({len(part) for part in parts}) > 1:
            continue
        for line in zip(*parts, strict=True):
            known = any(text in seen[language] for language, text in zip(texts, line, strict=True))
            if known or min(map(len, line)) < least or len(set(line)) < len(line):
                continue
            for language, text in zip(texts, line, strict=True):
                seen[language].add(text)
                found[language].append(text)
    return found


def sentences_of(lines: Mapping[str, Sequence[str]], least: int = _LONG) -> dict[str, list[str]]:
    """Sentences that stand at the same place of lines with equally many sentences in every language, by the rules of lines."""
    parts = {
        language: ["\n".join(_END.split(line)) for line in texts]
        for language, texts in lines.items()
    }
    return lines_of(parts, least)


def read_lines(trial: Trial, ledger: Ledger, data: str) -> dict[str, list[str]] | None:
    """The aligned lines of a data set by language, or nothing and a sentence."""
    import pyarrow.parquet as pq

    file = f"{data}.parquet"
    if not trial.has(data, file):
        ledger.skip(
            f"{TITLES[data]}: the data set '{data}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
        return None
    columns: Mapping[str, list[str]] = pq.read_table(trial.data(data, file)).to_pydict()
    return lines_of(
        {
            name.removeprefix(_TEXT): columns[name]
            for name in sorted(columns)
            if name.startswith(_TEXT)
        }
    )


def drawn(name: str, lines: Mapping[str, Sequence[str]], seed: int, train: int, test: int) -> Sheet:
    """So many lines to be fitted and others to be searched, drawn at random, as TFIDF rows of length one in every language.

    The words and their weights are those of the lines to be fitted; nothing is left out as a stop word, in any language.
    """
    size = len(next(iter(lines.values())))
    if size < train + test:
        raise DataError(
            f"{name} has {size:,} lines in all its languages, and {train + test:,} are needed."
        )
    order = stream(seed, 3).permutation(size)
    fitted = {}
    searched = {}
    for language, texts in lines.items():
        terms = Terms(stop_words="none")
        fitted[language] = terms.fit_transform([texts[at] for at in order[:train]])
        searched[language] = terms.transform([texts[at] for at in order[train : train + test]])
    return Sheet(name, fitted, searched)


def combos(
    views: Iterable[str], size: int, most: int | None = None, seed: int = 0
) -> list[tuple[str, ...]]:
    """All combinations of views of a size, or some of them drawn at random, in their order."""
    every = list(combinations(views, size))
    if most is None or most >= len(every):
        return every
    return [every[at] for at in np.sort(stream(seed, 9, size).permutation(len(every))[:most])]


# ---- views made by the generator of the specification, 9.1 ------------------------------------------------------------------


def generated(
    seed: int, private: float = 1.0, *, views: int = 3, train: int = 300, test: int = 1000
) -> Sheet:
    """Members of 8 clusters in 10 shared directions, seen through `views` mixings with private directions and noise."""
    shared = 10
    own = 10
    wide = 150
    clusters = 8
    rng = stream(seed, 17)
    n = train + test
    members = 1.5 * rng.standard_normal((clusters, shared))
    own_cluster = rng.integers(clusters, size=n)
    common = members[own_cluster] + 0.5 * rng.standard_normal((n, shared))
    tables = {}
    for at in range(views):
        mixing, hidden = (rng.standard_normal((size, wide)) / np.sqrt(10) for size in (shared, own))
        rows = (
            common @ mixing
            + private * rng.standard_normal((n, own)) @ hidden
            + rng.standard_normal((n, wide))
        )
        tables[f"view {at + 1}"] = rows
    fitted, searched = (
        {name: rows[part] for name, rows in tables.items()}
        for part in (slice(train), slice(train, None))
    )
    return Sheet("generated views", fitted, searched, own_cluster[:train])


# ---- sets with classes ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Seen:
    """Members in several views, prepared, and their classes."""

    name: str
    views: Mapping[str, Any]
    truth: np.ndarray

    @property
    def n_groups(self) -> int:
        return len(np.unique(self.truth))


def read_sets(trial: Trial, ledger: Ledger) -> list[Seen]:
    """Handwritten digits and the multi-view sets; in haste the two smallest. What is not here is said."""
    found = []
    wanted = SETS[1:3] if trial.quick else SETS
    if not trial.quick:
        if trial.has(DIGITS, "mfeat.npz"):
            found.append(read_set(trial.data(DIGITS, "mfeat.npz"), "digits"))
        else:
            ledger.skip(
                f"Digits: the data set '{DIGITS}' is not here (give its parent folder with --data or COTERIE_DATA)."
            )
    for name in wanted:
        if trial.has(MANY, f"{name}.npz"):
            found.append(read_set(trial.data(MANY, f"{name}.npz"), name))
        else:
            ledger.skip(
                f"{name}: '{MANY}/{name}.npz' is not here (give its parent folder with --data or COTERIE_DATA)."
            )
    return found


def read_set(path: Path, name: str) -> Seen:
    """One set: dense views with columns of one spread, sparse ones as TFIDF rows of length one."""
    with np.load(path, allow_pickle=False) as file:
        held = {key: file[key] for key in file.files}
    truth = held.pop("labels").ravel()
    views: dict[str, Any] = {}
    for key, values in held.items():
        stem, _, part = key.rpartition("_")
        if part == "data":
            shape = tuple(int(size) for size in held[f"{stem}_shape"])
            views[stem] = sparse_view(
                sp.csr_array((values, held[f"{stem}_indices"], held[f"{stem}_indptr"]), shape=shape)
            )
        elif part not in ("indices", "indptr", "shape"):
            views[key] = (
                Scaling(method="standard")
                .fit(values.astype(np.float64))
                .transform(values.astype(np.float64))
            )
    return Seen(f"{name}, {len(truth)} members", views, truth)


def sparse_view(counts: Any) -> Any:
    """Counts as TFIDF rows of length one, columns that nobody has left out."""
    rows = sp.csr_array(counts, dtype=np.float64)
    rows.eliminate_zeros()
    frequency = np.bincount(rows.indices, minlength=rows.shape[1])
    rows = sp.csr_array(rows[:, np.flatnonzero(frequency)])
    return weighting.unit_length(
        weighting.by_column(
            rows, weighting.inverse_frequency(frequency[frequency > 0], rows.shape[0])
        )
    )
