"""A collection searched with a trained network: queries that it does not know find nobody, or are left to the words."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from coterie.workflows.search_choices import Search
from coterie.workflows.searching import Searcher
from tests.workflows.test_searching import PETS, two_topics

pytestmark = pytest.mark.filterwarnings("ignore:.*dictionary of .* words is small")


def test_an_unknown_query_finds_nobody():
    found = Searcher.over([text for text in PETS if text] * 4, model="nntr").search("zzzz")
    assert len(found) == 0
    assert found.notes == ("No member holds 'zzzz'.",)
    assert found.sentence() == "Nothing in 'texts' matches 'zzzz'."


def test_words_that_the_network_left_out_are_ranked_by_the_words():
    documents, _ = two_topics()
    documents[7] += " xylophone"  # one member holds it, so that it is no word of the network
    found = Searcher.over(documents, model="nntr").search("xylophone", most=80)
    assert [hit.position for hit in found.hits] == [7]
    assert np.isfinite(found.hits[0].score)
    alone = Searcher.over(documents, Search(weight=0.0), model="nntr").search("xylophone", most=80)
    assert len(alone) == 0
