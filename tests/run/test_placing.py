"""Placing new members: those that share nothing with the run, or lie between its groups, fit nowhere and are not sure."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.collect.samples import sample
from coterie.run.engine import Exploration


@pytest.fixture(scope="module")
def topics() -> Exploration:
    return coterie.explore(sample("topics", 90), k=8, nulls=0)


def test_texts_without_any_known_word_fit_nowhere(topics: Exploration) -> None:
    placed = topics.place(
        ["zzqx wwkv plokijuh", "the and of", sample("topics", 90).view().documents[0]]
    )
    assert placed.fits.tolist() == [False, False, True]
    assert placed.confidence[:2].tolist() == [0.0, 0.0]
    assert placed.confidence[2] > 0.5
    assert placed.sentences()[1].startswith("2 of them fit nowhere well: ")


def test_a_far_member_is_not_sure() -> None:
    found = coterie.explore(sample("blobs", 80), k=5, nulls=0)
    placed = found.place(np.full((1, 4), 1e3))
    assert placed.fits.tolist() == [False]
    assert placed.confidence[0] < 0.34
    assert placed.rows()[0][2:] == (placed.confidence[0], False)


def test_a_member_among_strangers_to_its_group_fits_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = coterie.explore(sample("blobs", 80), k=5, nulls=0)
    own = found.labels[:3]
    monkeypatch.setattr(type(found.analysis.pipeline), "predict", lambda self, view: (own + 1) % 5)
    placed = found.place(np.asarray(found.collection.view().values)[:3])
    assert placed.confidence.max() < 0.34
    assert not placed.fits.any()
