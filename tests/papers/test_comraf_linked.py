"""Comraf on papers, genres and pictures: their data is read as meant, and their tables fill, on tiny data of the same form."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie.core.links import MEMBERS, Cooccurrence, Links
from coterie_papers import comraf_genre, comraf_images, comraf_papers
from coterie_papers.linked_data import (
    BLOBS,
    BOTH,
    BROWN,
    CITED,
    CORA,
    COREL,
    DEBIAN,
    FLICKR,
    NEEDED,
    PEOPLE,
    TAGS,
    THREES,
    TITLES,
    TWOS,
    WORDS,
    Way,
    brown,
    cora,
    corel,
    debian,
    folder_gap,
    groups_of,
    only,
    with_both,
)
from coterie_papers.text_data import Tied

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
_THEMES = (
    "rule tree node leaf branch prune split",
    "gene cell mutate breed fitness chromosome crossover",
)


def draw(rng, theme, size):
    return " ".join(rng.choice(_THEMES[theme].split(), size))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Every data set in the form and the place of the real one, with two classes."""
    rng = np.random.default_rng(0)
    root = tmp_path_factory.mktemp("data")
    kinds = np.arange(24) % 2
    papers(root / CORA, rng, kinds)
    packages(root / DEBIAN, rng, kinds)
    genres(root / BROWN, rng, kinds)
    pictures(root / COREL, rng)
    photographs(root / FLICKR, rng, kinds)
    return root


def write(place, name, **columns):
    place.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), place / name)


def papers(place, rng, kinds):
    labels = [str(kind) for kind in kinds]
    labels[3] = ""
    write(
        place,
        "documents.parquet",
        id=list(range(24)),
        label=labels,
        abstract=[draw(rng, kind, 12) for kind in kinds],
    )
    ties = [
        (i, int(rng.choice(np.flatnonzero(kinds == kinds[i])))) for i in range(24) for _ in range(3)
    ]
    write(place, "citations.parquet", source=[a for a, _ in ties], target=[b for _, b in ties])


def packages(place, rng, kinds):
    write(
        place,
        "debian_packages.parquet",
        package=[f"p{i}" for i in range(24)],
        section=[("devel", "science")[kind] for kind in kinds],
        maintainer=[("Ann", "Ben")[kind] if i > 1 else None for i, kind in enumerate(kinds)],
        depends=[f"lib{kind}|libc{i % 3}" if i else None for i, kind in enumerate(kinds)],
        short_en=[draw(rng, kind, 3) for kind in kinds],
        long_en=[draw(rng, kind, 10) for kind in kinds],
    )


def genres(place, rng, kinds):
    forms = ("The/at {0}/nn-tl ran/vbd ./.", "Run/vb ,/, {0}/fw-nn !/.")
    texts = [
        "\n".join(forms[kind].format(word) for word in draw(rng, kind, 9).split()) for kind in kinds
    ]
    write(
        place,
        "brown.parquet",
        file=[f"c{i}" for i in range(24)],
        category=[f"k{kind}" for kind in kinds],
        tagged_text=texts,
    )


def pictures(place, rng):
    place.mkdir()
    counts = {"words": 6, "blobs": 10}
    held = {
        "split": np.array(["train"] * 180 + ["test"] * 20),
        "word_names": np.array(list("abcdef")),
    }
    for name, size in counts.items():
        kinds = np.append(np.repeat([0, 1], 90), np.zeros(20, dtype=int))
        rows = [rng.choice(size // 2, 3, replace=False) + kind * (size // 2) for kind in kinds]
        held |= {
            f"{name}_indices": np.concatenate(rows),
            f"{name}_indptr": 3 * np.arange(201),
            f"{name}_shape": np.array([200, size]),
        }
    np.savez(place / "corel5k.npz", **held)


def photographs(place, rng, kinds):
    image = pytest.importorskip("PIL.Image")
    (place / "images").mkdir(parents=True)
    lines = ["image,caption1,caption2,caption3,caption4,caption5"]
    for i, kind in enumerate(kinds):
        level = np.clip(rng.normal(60 + 120 * kind, 25, (24, 36, 3)), 0, 255).astype(np.uint8)
        image.fromarray(level).save(place / "images" / f"{i}.png")
        lines.append(",".join([f"{i}.png", *(draw(rng, kind, 3) for _ in range(5))]))
    with gzip.open(place / "captions.csv.gz", "wt") as file:
        file.write("\n".join(lines))


def test_papers_are_tied_to_those_they_cite_and_those_that_cite_them(folder):
    tied = cora(folder / CORA)
    assert groups_of(tied) == 2
    assert (tied.truth == "").sum() == 1
    table = tied.links.tables[MEMBERS, CITED]
    edges = pq.read_table(folder / CORA / "citations.parquet").to_pydict()
    for one, other in zip(edges["source"], edges["target"], strict=True):
        for a, b in ((one, other), (other, one)):
            held = table.counts[[a]].indices
            if a != b and str(b) in table.cols:
                assert list(table.cols).index(str(b)) in held
    assert table.counts.data.max() == 1
    assert (
        tied.links.tables[MEMBERS, TITLES].total <= 8 * 24 < tied.links.tables[MEMBERS, WORDS].total
    )


def test_packages_have_four_populations(folder):
    tied = debian(folder / DEBIAN)
    tables = {pair[1]: table for pair, table in tied.links.tables.items()}
    assert set(tables) == {TITLES, WORDS, NEEDED, PEOPLE}
    assert set(tables[NEEDED].cols) == {"lib0", "lib1", "libc0", "libc1", "libc2"}
    assert tables[NEEDED].counts[[0]].nnz == 0
    assert tables[PEOPLE].counts.sum() == 22
    assert tables[WORDS].counts.sum() == pytest.approx(13 * 24)


def test_tags_lose_their_marks_and_slide_within_sentences(folder):
    tied = brown(folder / BROWN)
    tables = {pair[1]: table for pair, table in tied.links.tables.items()}
    assert set(tables[TAGS].cols) == {"at", "nn", "vbd", ".", "vb", ","}
    assert tables[TAGS].counts[[0]].sum() == 36
    assert tables[TWOS].counts[[0]].sum() == 27
    assert tables[THREES].counts[[0]].sum() == 18
    assert not {"the", "ran/vbd", "nn"} & set(tables[WORDS].cols)


def test_folders_are_read_off_the_order(folder):
    tied = corel(folder / COREL)
    assert len(tied.truth) == 180
    assert groups_of(tied) == 2
    ends, middles = folder_gap(tied)
    assert ends == 0.0
    assert middles > 0.9
    assert tied.links.tables[MEMBERS, BLOBS].counts.shape == (180, 10)


def test_ways_see_only_what_stands_beside():
    counts = Cooccurrence(np.array([[4, 0], [4, 1], [0, 5], [1, 4]]), list("abcd"), ["x", "y"])
    noise = Cooccurrence(np.array([[9, 0], [0, 9], [9, 0], [0, 9]]), list("abcd"), ["p", "q"])
    tied = Tied(
        Links({(MEMBERS, WORDS): counts, (MEMBERS, CITED): noise}), np.array(list("1122")), "four"
    )
    assert only(tied, (WORDS,)).populations == (MEMBERS, WORDS)
    labels = Way((WORDS,))(tied, 0, quick=True)["labels"]
    assert labels[0] == labels[1] != labels[2] == labels[3]
    labels = Way((CITED,))(tied, 0, quick=True)["labels"]
    assert labels[0] == labels[2] != labels[1] == labels[3]
    both = with_both(tied, (WORDS, CITED)).links.tables[MEMBERS, BOTH]
    assert np.array_equal(
        both.counts.toarray(), np.hstack([counts.counts.toarray(), noise.counts.toarray()])
    )
    assert both.cols[0] == "words: x"


def test_information_of_held_out_words_is_above_chance_for_the_right_groups():
    counts = Cooccurrence(
        np.repeat([[6, 0], [0, 6]], 10, axis=0), [str(i) for i in range(20)], ["x", "y"]
    )
    right = np.repeat([0, 1], 10)
    assert comraf_images.told_of(right, counts, 0) == pytest.approx(np.log(2), abs=0.1)
    assert abs(comraf_images.told_of(np.arange(20) % 2, counts, 0)) < 0.1
    assert comraf_images.told_of(np.where(np.arange(20) < 15, right, -1), counts, 0) > 0.3


@pytest.mark.parametrize("module", [comraf_papers, comraf_genre, comraf_images])
def test_tables_fill(folder, module, monkeypatch):
    monkeypatch.setattr(comraf_papers, "_QUICK", 60)
    monkeypatch.setattr(comraf_images, "_QUICK", 24)
    monkeypatch.setattr(comraf_images, "_KINDS", 4)
    found = module.EXPERIMENT.conduct(seeds=1, quick=True, folder=folder)
    assert not found.skipped
    assert found.relations
    assert all(np.isfinite(row.ours) for row in found.rows)
    printed = {row.paper for row in found.rows if row.paper is not None}
    assert printed >= {"comraf-papers": {38.8, 61.4, 63.9}, "comraf-genre": {9.1, 58.5}}.get(
        found.experiment, {44.2, 69.0, 58.6}
    )


@pytest.mark.parametrize(("module", "left"), [(comraf_papers, 2), (comraf_genre, 1)])
def test_without_data_they_say_so(module, left, monkeypatch):
    monkeypatch.setattr(comraf_papers, "_QUICK", 40)
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    found = module.EXPERIMENT.conduct(seeds=1, quick=True)
    assert len(found.skipped) == left
    assert all("is not here" in sentence for sentence in found.skipped)
