"""Members that repeat others are found, listed, and folded where that was asked for."""

from __future__ import annotations

import csv
import time

import numpy as np
import pytest

import coterie
from coterie.core.errors import CoterieError
from coterie.represent import Terms
from coterie.workflows.duplicates import repeats_of_members, repeats_of_texts, similar_sets
from tests.oracles.duplicates import similar_pairs

RNG = np.random.default_rng(3)
WORDS = np.array(["".join(RNG.choice(list("bdfgklmnoprstu"), 6)) for _ in range(3000)])


def written(n: int, topics: int = 3) -> list[str]:
    return [
        " ".join(WORDS[(i % topics) * 1000 + RNG.integers(0, 1000, RNG.integers(30, 60))])
        for i in range(n)
    ]


def with_repeats() -> list[str]:
    texts = written(90)
    texts += [f"  {text.upper()}\n" for text in texts[:6]]
    return texts + [f"changed {text} twice" for text in texts[10:14]]


@pytest.mark.parametrize("least", [1, 4])
def test_similar_sets_are_those_of_all_pairs(least):
    pairs = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        kinds = rng.random((6, 30)) < rng.random()
        rows = kinds[rng.integers(6, size=40)] ^ (rng.random((40, 30)) < 0.04)
        wanted = similar_pairs(rows, 0.8, least)
        assert similar_sets(rows.astype(int), 0.8, least).tolist() == wanted
        pairs += len(wanted)
    assert pairs > 1000


def test_texts_of_one_template_stay_cheap_and_together():
    same = " ".join(WORDS[:40])
    texts = [f"{same} {WORDS[100 + i]}" for i in range(1500)]
    counts = Terms(min_df=1, weights="tf").fit_transform(texts)
    start = time.process_time()
    found = repeats_of_texts(texts, counts)
    assert time.process_time() - start < 3  # every pair would be a million
    assert len(found) == 1499
    assert len(set(found.of.tolist())) == 1


def test_exact_and_near_repeats_of_texts_do_not_depend_on_the_order():
    texts = with_repeats()
    counts = Terms(min_df=1, weights="tf").fit_transform(texts)
    found = repeats_of_texts(texts, counts)
    assert dict(zip(found.members.tolist(), found.of.tolist(), strict=True)) == {
        **{90 + i: i for i in range(6)},
        **{10 + i: 96 + i for i in range(4)},  # the longest is the one that is repeated
    }
    assert found.exact.tolist() == [False] * 4 + [True] * 6
    order = np.random.default_rng(0).permutation(len(texts))
    moved = [texts[i] for i in order]
    again = repeats_of_texts(moved, Terms(min_df=1, weights="tf").fit_transform(moved))
    pairs = {frozenset(pair) for pair in zip(found.members, found.of, strict=True)}
    assert {
        frozenset(pair) for pair in zip(order[again.members], order[again.of], strict=True)
    } == pairs


def test_empty_texts_repeat_nobody():
    texts = ["", " ", *written(5)]
    assert not len(repeats_of_texts(texts, Terms(min_df=1, weights="tf").fit_transform(texts)))


def test_rows_and_near_members():
    rows = np.array([[1.0, 2.0], [3.0, np.nan], [1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    near = np.array([[2], [3], [0], [1], [0]])
    distances = np.array([[0.0], [0.0], [0.0], [0.0], [4.0]])
    found = repeats_of_members(rows, near, distances, 0.0)
    assert (found.members.tolist(), found.of.tolist()) == ([2, 3], [0, 1])
    assert found.exact.all()
    distances = np.array([[0.001], [1.0], [0.001], [2.0], [4.0]])
    found = repeats_of_members(None, near, distances, 0.01)
    assert (found.members.tolist(), found.of.tolist()) == ([2], [0])
    assert not found.exact.any()


def test_they_are_in_the_answer_the_frame_and_the_labels(tmp_path):
    found = coterie.explore(with_repeats(), k=3, nulls=0, store=tmp_path)
    assert (
        "10 texts repeat another one, 6 exactly and 4 nearly (10 repeats 96, ...)."
        in found.sentences()
    )
    assert found.frame("arrow").column("duplicate_of").to_pylist()[90:] == [*"012345", *[""] * 4]
    with (found.run.path / "labels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["duplicate_of"] for row in rows[9:15]] == ["", "96", "97", "98", "99", ""]
    again = found.run.findings()
    assert again.duplicates.named(again.ids) == found.findings.duplicates.named(found.findings.ids)
    assert "repeat another one" in (found.run.path / "report.html").read_text(encoding="utf-8")
    assert not any("repeat the text" in note for note in found.findings.notes)


def test_folded_repeats_are_left_out_and_join_whom_they_repeat():
    texts = with_repeats()
    found = coterie.explore(texts, k=3, nulls=0, duplicates="fold")
    repeats = found.findings.duplicates
    assert repeats.folded
    assert (found.labels[repeats.members] == found.labels[repeats.of]).all()
    kept = np.setdiff1d(np.arange(len(texts)), repeats.members)
    alone = coterie.explore([texts[i] for i in kept], k=3, nulls=0)
    np.testing.assert_array_equal(found.labels[kept], alone.labels)
    assert sum(group.size for group in found.findings.groups) == len(texts)
    assert found.place([texts[0]]).labels.tolist() == [found.labels[0]]
    with pytest.raises(CoterieError, match="default methods") as caught:
        coterie.explore(texts, k=3, nulls=0, duplicates="fold", organize="Spectral")
    assert caught.value.parameter == "duplicates"
    with pytest.raises(CoterieError, match=r"keep \| fold"):
        coterie.explore(texts, duplicates="drop")


@pytest.mark.parametrize("kind", ["table", "sequences", "sets", "pictures"])
def test_other_kinds_list_what_is_the_same(kind):
    rng = np.random.default_rng(1)
    if kind == "table":
        rows = rng.normal(size=(30, 6))
        rows[7] = rows[3]
        rows[9] = rows[4] + 1e-9
        found = coterie.explore(rows, k=2, nulls=0)
        wanted = {7: (3, True), 9: (4, False)}
    else:
        if kind == "pictures":
            from coterie.core.collection import Collection
            from coterie.core.pictures import Pictures

            shots = [rng.integers(0, 255, (16, 16, 3)).astype(np.uint8) for _ in range(24)]
            shots[7] = shots[3].copy()
            members = Collection([str(i) for i in range(24)], {"pictures": Pictures.of(shots)})
            found = coterie.explore(members, k=2, nulls=0)
        else:
            members = [rng.normal(size=(20, 2)) for _ in range(24)]
            members[7] = members[3].copy()
            found = coterie.explore(members, kind=kind, k=2, nulls=0)
        wanted = {7: (3, True)}
    repeats = found.findings.duplicates
    pairs = zip(repeats.of.tolist(), repeats.exact.tolist(), strict=True)
    assert dict(zip(repeats.members.tolist(), pairs, strict=True)) == wanted
