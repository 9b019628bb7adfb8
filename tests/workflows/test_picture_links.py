"""Links of pictures: every population, its counts, and what is refused; words and colours together tell what neither tells."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.collect.scenes import scenes
from coterie.core.collection import as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.represent import Colours
from coterie.workflows.picture_links import picture_links


def test_every_population_is_tied():
    made = scenes(16)
    found = picture_links(made, n_blobs=12)
    assert list(found.links) == [
        ("members", "caption words"),
        ("members", "colours"),
        ("members", "blobs"),
        ("members", "regions"),
        ("regions", "region colours"),
        ("regions", "texture"),
    ]
    links = as_view(found, Links, "Comraf")
    assert {name: len(ids) for name, ids in links.ids.items()} | {"caption words": 0} == {
        "members": 16,
        "caption words": 0,
        "colours": 216,
        "blobs": 12,
        "regions": 384,
        "region colours": 8,
        "texture": 13,
    }
    pixels = 96 * 64
    assert found.links["members", "colours"].counts.sum(axis=1).tolist() == [pixels] * 16
    assert found.links["members", "blobs"].counts.sum(axis=1).tolist() == [24] * 16
    assert (
        found.links["regions", "texture"].total
        == found.links["regions", "region colours"].total
        == 16 * pixels
    )
    expected = Colours().fit_transform(made.view()).toarray()
    assert np.array_equal(found.links["members", "colours"].counts.toarray(), expected)
    assert made.links.keys() == {("members", "caption words")}


def test_only_what_is_asked_for_is_made():
    found = picture_links(scenes(8), "colours", colours=2)
    assert list(found.links) == [("members", "caption words"), ("members", "colours")]
    assert len(found.links["members", "colours"].cols) == 8


def test_what_is_refused():
    made = scenes(8)
    with pytest.raises(
        ParameterError,
        match="populations must be some of colours, blobs, regions, and names 'faces'",
    ):
        picture_links(made, ("faces",))
    with pytest.raises(DataError, match="needs a view of pictures"):
        picture_links(made, view="caption")


def test_words_and_colours_together_tell_more_classes_than_either():
    from coterie.judge import micro_accuracy
    from coterie.organize import Comraf

    made = picture_links(scenes(400, random_state=1), "colours")
    found = {}
    for name, graph in {
        "words": "members-caption words",
        "colours": "members-colours",
        "both": "members-caption words, members-colours",
    }.items():
        observed = [pair.split("-")[1] for pair in graph.split(", ")]
        model = Comraf(
            graph=graph, n_groups=8, observed=observed, weights="one", restarts=4, random_state=0
        ).fit(made)
        found[name] = micro_accuracy(model.labels_, made.truth["group"])
    assert found["words"] > found["colours"] + 0.05
    assert found["both"] > found["words"] + 0.05
