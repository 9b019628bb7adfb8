"""Names of groups: how coherent, how diverse and how clear key terms are, beside class-based TF-IDF for the same groups.

    python benchmarks/quality/names.py DIR [--only NAME ...] [--half choose] [--terms 10] [--show] [--json FILE]

DIR is a folder of the board (see `board.py`). Every labelled collection of texts is grouped by coterie into as many groups as
it has classes, and each group is named twice: by coterie, and by class-based TF-IDF as BERTopic computes it,
tf(t, c) ln(1 + A / f(t)), where tf is how often term t occurs in the texts of group c, f how often in all of them, and A the mean
number of words of a group. It is given the stop words of the language of the collection, which helps it.

Of the first terms of each group, read as they are written (a phrase is its words in a row), with presence in texts:

- coherence: mean over pairs of terms of NPMI = ln(p(a, b) / (p(a) p(b))) / -ln p(a, b), from -1 to 1;
- diversity: the share of distinct words among all words of the terms of all groups;
- inflections: the share of terms of a group that share a stem with an earlier term of it;
- intruders: how often an oracle finds a term of another group among the first five of one: it takes the term whose mean NPMI with
  the others is the lowest. Every pair of groups, every one of the other's first five that is not among the own terms.

The labels are read only to know the number of groups. Means are taken inside families first.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

SAME_TEXTS = ("cora_cited_2211", "m10_cited_4000", "libreoffice_views_997", "brown_slashed_500")
INTRUDED = 5  # terms of a group among which an intruder is looked for
MEASURES = ("coherence", "diversity", "inflections", "intruders")

Lists = Sequence[Sequence[str]]  # terms of every group, the most telling first


def presence_of(documents: Sequence[Sequence[str]], terms: Sequence[str]) -> np.ndarray:
    """Documents (as words in their order) x terms, whether the term occurs; a phrase is its words in a row."""
    place = {term: at for at, term in enumerate(terms)}
    longest = max((term.count(" ") + 1 for term in terms), default=1)
    found = np.zeros((len(documents), len(terms)), dtype=bool)
    for row, document in enumerate(documents):
        for size in range(1, longest + 1):
            shifted = [document[at:] for at in range(size)]
            for words in zip(*shifted, strict=False):
                at = place.get(" ".join(words))
                if at is not None:
                    found[row, at] = True
    return found


def npmi_of(present: np.ndarray) -> np.ndarray:
    """Normalized pointwise mutual information of every two columns; -1 of those that never meet, 0 of those that always do."""
    n = max(len(present), 1)
    held = present.astype(np.float64)
    single = held.mean(axis=0)
    both = held.T @ held / n
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(both / np.outer(single, single)) / -np.log(both)
    found[both <= 0] = -1.0
    found[both >= 1] = 0.0
    return np.asarray(found)


def coherence_of(lists: Lists, npmi: np.ndarray, place: Mapping[str, int]) -> float:
    """The mean over groups of the mean NPMI of two of their terms."""
    means = []
    for terms in lists:
        at = [place[term] for term in terms]
        if len(at) > 1:
            own = npmi[np.ix_(at, at)]
            means.append(float(own[np.triu_indices(len(at), 1)].mean()))
    return statistics.fmean(means) if means else math.nan


def diversity_of(lists: Lists) -> float:
    """The share of distinct words among all words of all terms."""
    words = [word for terms in lists for term in terms for word in term.split(" ")]
    return len(set(words)) / len(words) if words else math.nan


def inflections_of(lists: Lists) -> float:
    """The share of terms that share the stem of a word with an earlier term of their group."""
    from coterie.represent.tokens import stem

    again = 0
    for terms in lists:
        known: set[str] = set()
        for term in terms:
            stems = {stem(word) for word in term.split(" ")}
            again += bool(stems & known)
            known |= stems
    total = sum(map(len, lists))
    return again / total if total else math.nan


def intruders_of(lists: Lists, npmi: np.ndarray, place: Mapping[str, int]) -> float:
    """How often the term with the lowest mean NPMI with the others is the one that came from another group."""
    hits = []
    for own in lists:
        kept = [place[term] for term in own[:INTRUDED]]
        if len(kept) < INTRUDED:
            continue
        for other in lists:
            if other is own:
                continue
            for term in other[:INTRUDED]:
                if term in own:
                    continue
                at = [*kept, place[term]]
                means = npmi[np.ix_(at, at)]
                scores = (means.sum(axis=1) - means.diagonal()) / INTRUDED
                lowest = np.flatnonzero(scores <= scores.min() + 1e-12)
                hits.append((INTRUDED in lowest.tolist()) / len(lowest))
    return statistics.fmean(hits) if hits else math.nan


def measure(lists: Lists, documents: Sequence[Sequence[str]]) -> dict[str, float]:
    """The four measures of the terms of every group."""
    terms = sorted({term for own in lists for term in own})
    place = {term: at for at, term in enumerate(terms)}
    npmi = npmi_of(presence_of(documents, terms))
    return {
        "coherence": coherence_of(lists, npmi, place),
        "diversity": diversity_of(lists),
        "inflections": inflections_of(lists),
        "intruders": intruders_of(lists, npmi, place),
    }


def class_tfidf(
    counts: Any, names: Sequence[str], labels: np.ndarray, most: int, stopped: frozenset[str]
) -> list[list[str]]:
    """The first terms of every group by class-based TF-IDF, tf(t, c) ln(1 + A / f(t)), words of two letters or more."""
    kept = [j for j, name in enumerate(names) if len(name) > 1 and name not in stopped]
    known = np.flatnonzero(labels >= 0)
    n_groups = int(labels.max()) + 1
    member = sp.csr_array(
        (np.ones(len(known)), (labels[known], known)), shape=(n_groups, len(labels))
    )
    tf = np.asarray((member @ sp.csr_array(counts)[:, kept]).todense())
    total = tf.sum(axis=0)
    mean_words = tf.sum() / n_groups
    weights = tf * np.log1p(mean_words / np.maximum(total, 1))[None, :]
    return [
        [names[kept[j]] for j in np.argsort(-row, kind="stable")[:most] if row[j] > 0]
        for row in weights
    ]


def name_both(collection: Any, n_groups: int, most: int) -> dict[str, Any]:
    """One collection: its groups, their terms by coterie and by class-based TF-IDF, and both measured."""
    from coterie.represent.stop_lists import STOP_LISTS
    from coterie.represent.tokens import words
    from coterie.workflows.choices import Choices
    from coterie.workflows.modalities import modality_of
    from coterie.workflows.modalities.text import guess_language

    view = collection.main
    data = collection.view(view)
    choices = Choices(k=n_groups)
    prepared = modality_of(data).prepare(collection, view, choices)
    labels = np.asarray(prepared.ensemble(n_groups, choices).organizer_.labels_)
    began = time.perf_counter()
    told = prepared.describe(labels, int(labels.max()) + 1)
    seconds = time.perf_counter() - began
    ours = [[term for term, _ in own.get("words", ())[:most]] for own in told]
    stopped = STOP_LISTS.get(guess_language(data), frozenset())
    theirs = class_tfidf(prepared.counts, prepared.names, labels, most, stopped)
    documents = [words(document) for document in data.documents]
    return {
        "groups": len(ours),
        "seconds": seconds,
        "coterie": {**measure(ours, documents), "terms": ours},
        "class TF-IDF": {**measure(theirs, documents), "terms": theirs},
    }


def print_means(found: Mapping[str, dict[str, Any]], halves: Sequence[str]) -> None:
    """The mean of every measure, inside families first."""
    for half in halves:
        rows = [row for row in found.values() if row["half"] == half]
        families = sorted({row["family"] for row in rows})
        if not families:
            continue
        print(f"\n{half} half: {len(rows)} collections of {len(families)} families")
        for who in ("coterie", "class TF-IDF"):
            means = []
            for name in MEASURES:
                inside = [
                    statistics.fmean(
                        row[who][name]
                        for row in rows
                        if row["family"] == family and not math.isnan(row[who][name])
                    )
                    for family in families
                    if any(
                        row["family"] == family and not math.isnan(row[who][name]) for row in rows
                    )
                ]
                means.append(f"{name} {statistics.fmean(inside):.3f}")
            print(f"  {who:>13}: {', '.join(means)}")


def main() -> None:
    """Name the groups of every labelled collection of texts in both ways, and print the measures."""
    parsed = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parsed.add_argument("folder", type=Path)
    parsed.add_argument("--only", nargs="*", default=())
    parsed.add_argument("--half", choices=("choose", "report"))
    parsed.add_argument("--terms", type=int, default=10)
    parsed.add_argument("--show", action="store_true")
    parsed.add_argument("--json", type=Path)
    said = parsed.parse_args()
    from board import read_cases, read_collection

    found: dict[str, dict[str, Any]] = {}
    for case in read_cases(said.folder):
        wanted = case.modality == "text" and case.classes > 1 and case.name not in SAME_TEXTS
        if not wanted or (said.only and case.name not in said.only):
            continue
        if said.half and case.half != said.half:
            continue
        collection, _ = read_collection(case.folder)
        row = name_both(collection, case.classes, said.terms)
        found[case.name] = {"half": case.half, "family": case.family, **row}
        for who in ("coterie", "class TF-IDF"):
            values = "  ".join(f"{name} {row[who][name]:.3f}" for name in MEASURES)
            print(f"{case.name:>24} {who:>13}  {values}", flush=True)
            for terms in row[who]["terms"] if said.show else ():
                print(f"{'':>26}{', '.join(terms)}")
    print_means(found, ("choose", "report"))
    if said.json:
        said.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
