"""Samples: deterministic, with the groups they promise, and groups that are really there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coterie import Ragged, Table, TaggedText, Text
from coterie.collect.invented import vocabulary, write_mailbox
from coterie.collect.samples import SAMPLES, sample
from coterie.core.errors import DataError, ParameterError
from coterie.core.pictures import Pictures
from coterie.core.random import stream


def flat(view: object) -> object:
    if isinstance(view, TaggedText):
        return " ".join(view.tokens.tolist())
    if isinstance(view, Pictures):
        return view.pixels.tobytes()
    return view.documents if isinstance(view, Text) else view.values.tobytes()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_keeps_its_promises(name: str) -> None:
    make, sentence, groups = SAMPLES[name]
    first = make(40, random_state=3)
    again = make(40, random_state=3)
    other = make(40, random_state=4)
    assert sentence.endswith(".")
    assert len(first) == 40
    assert len(np.unique(first.truth["group"])) == groups
    for view in first.views:
        assert flat(first.views[view]) == flat(again.views[view])
        assert flat(first.views[view]) != flat(other.views[view])
    assert len(sample(name)) >= 80


def test_sizes_are_checked() -> None:
    for name, (make, _, groups) in SAMPLES.items():
        assert len(make(groups)) == groups, name
        with pytest.raises(ParameterError, match="n must be at least"):
            make(groups - 1)


def nearest_agrees(points: np.ndarray, labels: np.ndarray) -> float:
    gaps = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    return float(np.mean(labels[gaps.argmin(axis=1)] == labels))


@pytest.mark.parametrize(("name", "least"), [("blobs", 0.97), ("rings", 0.99), ("moons", 0.98)])
def test_points_lie_near_their_own(name: str, least: float) -> None:
    collection = sample(name)
    table = collection.view()
    assert isinstance(table, Table)
    assert nearest_agrees(table.values, collection.truth["group"]) >= least


def test_topics_share_words_with_their_own() -> None:
    collection = sample("topics", 160)
    bags = [set(document.lower().replace(".", "").split()) for document in collection.view()]  # type: ignore[union-attr]
    place = {word: i for i, word in enumerate(sorted(set().union(*bags)))}
    points = np.zeros((len(bags), len(place)))
    for row, bag in enumerate(bags):
        points[row, [place[word] for word in bag]] = 1 / np.sqrt(len(bag))
    assert nearest_agrees(points, collection.truth["group"]) > 0.95


def test_traces_differ_in_movement_and_not_in_place() -> None:
    collection = sample("traces")
    traces = collection.view()
    labels = collection.truth["group"]
    assert isinstance(traces, Ragged)
    assert traces.lengths.min() >= 40
    assert len(set(traces.lengths.tolist())) > 10
    spread = np.array([member.std() for member in traces])
    assert all(0.4 < spread[labels == g].mean() < 1.6 for g in range(4))
    turn = np.array(
        [np.mean(member[4:] * member[:-4]) / member.var() for member in traces]
    )  # half a swing is four steps
    assert turn[labels == 1].mean() < -0.4 < 0.4 < turn[labels == 0].mean()


def test_bags_have_one_mean_and_several_shapes() -> None:
    collection = sample("bags_of_vectors")
    sets = collection.view()
    labels = collection.truth["group"]
    assert isinstance(sets, Ragged)
    assert not sets.ordered
    means = np.array([member.mean(axis=0) for member in sets])
    assert all(np.abs(means[labels == g].mean(axis=0)).max() < 0.5 for g in range(4))
    shape = np.array([np.log(member.var(axis=0)) for member in sets])
    assert nearest_agrees(shape, labels) > 0.85


def test_two_languages_share_no_word() -> None:
    collection = sample("letters_in_two_languages", 30)
    north, south = (
        {w for d in collection.view(v) for w in d.lower().replace(".", "").split()}
        for v in ("north", "south")
    )  # type: ignore[union-attr]
    assert not north & south


def test_vocabulary_has_no_repeats() -> None:
    words = vocabulary(500, stream(0))
    assert len(set(words)) == 500
    assert all(word.isalpha() for word in words)


def test_mailbox_is_written_once(tmp_path: Path) -> None:
    write_mailbox(tmp_path / "a.mbox", n=9, random_state=1)
    write_mailbox(tmp_path / "b.mbox", n=9, random_state=1)
    assert (tmp_path / "a.mbox").read_bytes() == (tmp_path / "b.mbox").read_bytes()
    with pytest.raises(DataError, match="already there"):
        write_mailbox(tmp_path / "a.mbox")
