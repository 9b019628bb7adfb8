"""Explorations of every modality and option: what they find does not move unless a commit says so.

One case is a function that makes a small collection and gives the source and the options of `coterie.explore`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coterie
from coterie.core.errors import CoterieError
from tests.golden import materials as made
from tests.golden.facts import facts_of, placement_of, refusal_of
from tests.golden.stored import check

RTOL = 1e-4  # eigenvectors and k-means are iterations: their last digits are the processor's
ATOL = 1e-6
SLOW = os.environ.get("COTERIE_GOLDEN_SLOW") == "yes"

Asked = tuple[Any, dict[str, Any]]  # the source, and the options of `explore`
Case = Callable[[Path], Asked]

CASES: dict[str, Case] = {
    # texts
    "texts": lambda at: (made.texts(), {}),
    "texts-k": lambda at: (made.texts(), {"k": 4, "nulls": 0}),
    "texts-k-with-nulls": lambda at: (made.texts(seed=1), {"k": 2}),
    "texts-one": lambda at: (made.texts(own=0.0, length=12, seed=2), {}),
    "texts-one-group-asked": lambda at: (made.texts(seed=1), {"k": 1}),
    "texts-seed": lambda at: (made.texts(own=0.3, seed=3), {"seed": 5, "max_k": 6}),
    "texts-duplicates": lambda at: (made.texts(60) + made.texts(60)[:20] + [""] * 3, {"nulls": 4}),
    "texts-compare": lambda at: (made.texts(), {"compare": "Gaussian", "nulls": 4}),
    "texts-mcl": lambda at: (made.texts(), {"organize": "MCL(inflation=2)", "nulls": 4}),
    "texts-density": lambda at: (made.texts(), {"organize": "Density", "nulls": 4}),
    "texts-labels": lambda at: (
        made.texts(own=0.3),
        {"hints": _known_labels(), "nulls": 4, "max_k": 6},
    ),
    "texts-pairs": lambda at: (
        made.texts(own=0.3),
        {"hints": {"together": [("0", "1"), ("2", "3")], "apart": [("0", "2")]}, "nulls": 0},
    ),
    "text-folder": lambda at: (made.text_folder(at / "texts"), {"nulls": 4}),
    "text-lines": lambda at: (made.text_lines(at / "lines.txt"), {"nulls": 4}),
    "text-csv": lambda at: (
        made.text_csv(at / "texts.csv"),
        {"text": "body", "id": "id", "time": "day", "truth": "topic", "nulls": 4},
    ),
    "text-jsonl": lambda at: (made.text_jsonl(at / "texts.jsonl"), {"kind": "text", "nulls": 4}),
    # tables
    "vectors": lambda at: (made.vectors(), {}),
    "vectors-one": lambda at: (made.cloud(), {}),
    "vectors-three": lambda at: (made.vectors(3, 1), {}),
    "vectors-minkowski": lambda at: (made.vectors(), {"compare": "Minkowski(p=1)", "nulls": 4}),
    "vectors-medoids": lambda at: (made.vectors(), {"organize": "Medoids", "nulls": 4}),
    "vectors-agglomerative": lambda at: (
        made.vectors(),
        {"organize": "Agglomerative(linkage=average)", "k": 4},
    ),
    "vectors-leiden": lambda at: (made.vectors(), {"organize": "Leiden", "nulls": 4}),
    "vectors-labels": lambda at: (
        made.vectors(),
        {"hints": _known_labels(4), "organize": "Medoids", "nulls": 0},
    ),
    "table": lambda at: (made.frame(), {"id": "id", "truth": "class"}),
    "table-csv": lambda at: (
        made.table_csv(at / "table.csv"),
        {"id": "id", "truth": ["class"], "compare": "Gower", "k": 3, "nulls": 4},
    ),
    "table-rows": lambda at: (made.vectors(20, 2).tolist(), {"nulls": 4}),
    "sparse": lambda at: (made.counts(), {"nulls": 4}),
    # sequences and sets
    "sequences": lambda at: (made.sequences(), {"nulls": 4}),
    "sequences-equal": lambda at: (np.stack(made.sequences(equal=True)), {"nulls": 4}),
    "sequences-long-table": lambda at: (
        made.long_csv(at / "long.csv"),
        {"kind": "long", "id": "series", "time": "time", "nulls": 4},
    ),
    "sets-divergence": lambda at: (
        made.sequences(40, ordered=False),
        {"kind": "sets", "compare": "Divergence", "nulls": 2, "max_k": 5},
    ),
    "sequences-segment": lambda at: (made.changing(), {"segment": True, "nulls": 19}),
    "sequences-segment-k": lambda at: (
        made.changing(1),
        {"segment": True, "k": 3, "pieces": 4, "window": 8, "nulls": 9},
    ),
    "sets": lambda at: (made.sequences(50, ordered=False), {"kind": "sets", "nulls": 2}),
    # sound and pictures
    "sound": lambda at: (made.waves(at / "sounds"), {"nulls": 2, "max_k": 5}),
    "sound-segment": lambda at: (
        made.recording(at / "long.wav"),
        {"segment": True, "nulls": 9},
    ),
    "pictures": lambda at: (made.pictures(at / "pictures"), {"nulls": 4}),
    "pictures-captions": lambda at: (
        made.pictures(at / "pictures", captions=True),
        {"nulls": 4},
    ),
    # tagged text and mail
    "tagged": lambda at: (made.tagged(at / "names.conll"), {"nulls": 2, "max_k": 5}),
    "mail": lambda at: (made.mail(at / "mail"), {"nulls": 2}),
    # views, links and words
    "views": lambda at: (made.aligned(), {"views": "all", "nulls": 4}),
    "views-one": lambda at: (made.aligned(), {"view": "right", "nulls": 4}),
    "views-tables": lambda at: (
        made.tables(at / "tables"),
        {"views": ["left", "right"], "nulls": 2},
    ),
    "views-languages": lambda at: (
        made.languages(at / "letters"),
        {"views": "all", "nulls": 2, "max_k": 6},
    ),
    "links": lambda at: (
        made.texts(),
        {"links": {"citations": made.citations()}, "nulls": 2},
    ),
    "links-words": lambda at: (
        made.texts(),
        {"words": True, "organize": "SequentialIB", "k": 3, "nulls": 2},
    ),
    "links-comraf": lambda at: (
        made.texts(),
        {"words": True, "organize": "Comraf", "nulls": 0, "k": 3},
    ),
    # further organizers and comparers, samples, objects in memory
    "texts-topics": lambda at: (
        made.texts(),
        {"words": True, "organize": "Topics", "k": 3, "nulls": 0},
    ),
    "texts-kmeans": lambda at: (
        made.texts(),
        {"words": True, "organize": "KMeans", "k": 3, "nulls": 0},
    ),
    "texts-itcc": lambda at: (
        made.texts(own=0.4),
        {"words": True, "organize": "ITCC", "k": 3, "nulls": 0},
    ),
    "texts-object": lambda at: (coterie.Text(tuple(made.texts(40, 2))), {"nulls": 2}),
    "links-both-ways": lambda at: (
        made.texts(60),
        {
            "links": {"citations": made.citations(60), "replies": made.replies(60)},
            "both_ways": True,
            "nulls": 0,
        },
    ),
    "vectors-propagation": lambda at: (made.vectors(80), {"organize": "Propagation", "nulls": 2}),
    "vectors-mcl-target": lambda at: (made.vectors(80), {"organize": "MCL", "k": 4, "nulls": 0}),
    "vectors-pairs": lambda at: (
        made.vectors(80, spread=2.5),
        {
            "hints": coterie.Hints.of(80, together=[(0, 1), (1, 2)], apart=[(0, 3), (4, 5)]),
            "organize": "Spectral",
            "nulls": 0,
        },
    ),
    "vectors-overlapping": lambda at: (
        made.vectors(150, 3, 2, spread=2.5),
        {"nulls": 6, "seed": 1},
    ),
    "vectors-many": lambda at: (made.vectors(2400, 3, 3), {"nulls": 2, "max_k": 4}),
    "table-unlike-units": lambda at: (
        {"columns": made.vectors(60, 3) * np.array([1.0, 1e3, 1e-3, 1.0, 50.0])},
        {"nulls": 4},
    ),
    "table-columns": lambda at: (
        coterie.Table.of(made.vectors(60, 3)),
        {"compare": "Mahalanobis", "nulls": 4},
    ),
    "sequences-likelihood": lambda at: (
        made.sequences(24, equal=True),
        {"organize": "HMMMixture", "k": 3, "nulls": 0},
    ),
    "sequences-one": lambda at: (made.sequences(40, 1), {"nulls": 4, "max_k": 4}),
    "sets-spheres": lambda at: (
        made.sequences(40, ordered=False),
        {"kind": "sets", "organize": "SpherePacking", "k": 3, "nulls": 0},
    ),
    "sets-mmd": lambda at: (
        made.sequences(40, ordered=False),
        {"kind": "sets", "compare": "MMD", "nulls": 2, "max_k": 5},
    ),
    "tagged-groups": lambda at: (
        made.tagged(at / "names.conll", 150, 2, is_spelled=True),
        {"k": 2, "nulls": 0, "seed": 2},
    ),
    "views-mixed": lambda at: (
        {"words": made.texts(60, seed=4), "values": made.vectors(60, 3, seed=4)},
        {"views": "all", "nulls": 2, "max_k": 5},
    ),
    "views-language-alone": lambda at: (
        made.languages(at / "letters", 40),
        {"view": "en", "nulls": 2},
    ),
    "sample-mixed": lambda at: ("sample:mixed", {"nulls": 2}),
    "sample-rings": lambda at: ("sample:rings", {"nulls": 4}),
    "sample-traces": lambda at: ("sample:traces", {"nulls": 2}),
    "sample-bags": lambda at: ("sample:bags-of-vectors", {"nulls": 2, "max_k": 6}),
    "sample-mail": lambda at: ("sample:mail", {"nulls": 0}),
    "sample-scenes": lambda at: ("sample:scenes", {"nulls": 0}),
    "sample-words": lambda at: ("sample:words", {"nulls": 2, "max_k": 12}),
    "sample-mentions": lambda at: ("sample:mentions", {"nulls": 2, "max_k": 8}),
    "sample-topics": lambda at: ("sample:topics", {}),
    "sample-letters": lambda at: ("sample:letters-in-two-languages", {"views": "all", "nulls": 4}),
    "sample-corpus": lambda at: ("sample:corpus", {"nulls": 2, "max_k": 12}),
    "sample-movies": lambda at: ("sample:movies", {"nulls": 0, "k": 6}),
}
SLOW_CASES = {"sample-words", "sample-mentions"}  # those that take more than eight seconds
UNSTEADY = {
    # case -> facts that rounding decides, and so the processor
    # The null model of sets draws along axes whose signs LAPACK chooses (`nulls.bent`).
    "sets-divergence": ("evidence.null_mean", "evidence.null_sd"),
    "sets-mmd": ("evidence.null_mean", "evidence.null_sd"),
    # Iterations of SIC in which a mention stands exactly between two answers.
    "tagged": ("neighbors", "nearness", "confidence", "curves"),
}

REFUSED: dict[str, Case] = {
    "too-few-members": lambda at: (made.vectors(2, 1), {}),
    "k-above-members": lambda at: (made.vectors(5, 1), {"k": 9}),
    "k-zero": lambda at: (made.vectors(), {"k": 0}),
    "unknown-comparer": lambda at: (made.vectors(), {"compare": "Euclidian"}),
    "unknown-organizer-parameter": lambda at: (made.vectors(), {"organize": "MCL(speed=2)"}),
    "comparer-as-organizer": lambda at: (made.vectors(), {"organize": "Cosine"}),
    "unknown-view": lambda at: (made.aligned(), {"view": "middle"}),
    "view-and-views": lambda at: (made.aligned(), {"view": "left", "views": "all"}),
    "unknown-kind": lambda at: (made.vectors(), {"kind": "smell"}),
    "unknown-text-column": lambda at: (made.text_csv(at / "texts.csv"), {"text": "title"}),
    "unknown-truth": lambda at: (made.frame(), {"truth": "grade"}),
    "unknown-option": lambda at: (made.vectors(), {"groups": 3}),
    "no-such-path": lambda at: (str(at / "nothing.csv"), {}),
    "empty-list": lambda at: ([], {}),
    "same-words": lambda at: (["tea and honey"] * 12, {}),
    "hints-unknown-member": lambda at: (
        made.vectors(),
        {"hints": {"together": [("0", "nobody")]}},
    ),
    "pieces-without-segment": lambda at: (made.changing(), {"pieces": 3}),
    "segment-texts": lambda at: (made.texts(), {"segment": True}),
    "nulls-negative": lambda at: (made.vectors(), {"nulls": -1}),
}


def _known_labels(k: int = 3) -> dict[str, Any]:
    """The first ten members with the groups that were planted."""
    groups = made.planted(90 if k == 3 else 120, k)
    return {"labels": {str(i): "abcd"[groups[i]] for i in range(10)}}


@pytest.mark.parametrize("name", CASES)
def test_explore(name: str, tmp_path: Path) -> None:
    if name in SLOW_CASES and not SLOW:
        pytest.skip("slow: it runs where COTERIE_GOLDEN_SLOW=yes")
    source, options = CASES[name](tmp_path)
    found = facts_of(coterie.explore(source, **options))
    for place in UNSTEADY.get(name, ()):
        *above, last = place.split(".")
        del (found[above[0]] if above else found)[last]
    check("explore", name, found, rtol=RTOL, atol=ATOL)


LATER: dict[str, tuple[str, Callable[[], Any]]] = {
    # name of the golden file -> the case, and what is placed later
    "later-texts": ("texts", lambda: [*made.texts(12, seed=9), "nothing known here"]),
    "later-vectors": ("vectors", lambda: made.vectors(9, seed=3)),
    "later-table": ("table", lambda: made.frame(112).iloc[95:]),
    "later-sequences": ("sequences", lambda: made.sequences(6, seed=2)),
    "later-views": ("views", lambda: made.aligned(8)),
}


@pytest.mark.parametrize("name", LATER)
def test_later(name: str, tmp_path: Path) -> None:
    case, new = LATER[name]
    source, options = CASES[case](tmp_path)
    found = coterie.explore(source, **options | {"nulls": 0})
    check("explore", name, placement_of(found.place(new())), rtol=RTOL, atol=ATOL)


def test_judged(tmp_path: Path) -> None:
    source, options = CASES["table"](tmp_path)
    found = coterie.explore(source, **options | {"nulls": 0})
    measures = dict(found.judge("class").measures)
    near = found.neighbors("person-003", 5)
    nearest = [[one["id"], one["nearness"]] for one in near]
    check("explore", "judged", {"measures": measures, "neighbors": nearest}, rtol=RTOL, atol=ATOL)


def test_refusals(tmp_path: Path) -> None:
    found = {name: _refused(case, tmp_path / name) for name, case in REFUSED.items()}
    check("explore", "refusals", found)


def _refused(case: Case, at: Path) -> dict[str, Any]:
    at.mkdir()
    source, options = case(at)
    try:
        coterie.explore(source, **options)
    except CoterieError as error:
        return refusal_of(error, options)
    raise AssertionError("it was not refused")


def test_every_case_has_its_file_and_every_file_its_case() -> None:
    from tests.golden.stored import FILES

    stored = {path.stem for path in (FILES / "explore").glob("*.json")}
    assert stored == {*CASES, *LATER, "judged", "refusals"}
