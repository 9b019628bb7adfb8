"""Transfer: what one collection teaches of words, its tables in another, and too little in common."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Cooccurrence
from coterie.collect.planted import corpus
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Links, linked
from coterie.organize import Comraf
from coterie.organize.comraf.transfer import lesson, taught


@pytest.fixture(scope="module")
def halves():
    found = corpus(240, 4, random_state=2)
    links = linked(found.ids, found.links)
    truth = np.asarray(found.truth["group"])
    sides = [np.arange(0, 240, 2), np.arange(1, 240, 2)]
    return [(links.take(side), truth[side]) for side in sides]


def test_words_of_one_label_are_one_lesson(halves):
    (links, truth), _ = halves
    found = lesson(links, truth, n_clusters=8)
    table = links.between(MEMBERS, "words")
    counts = np.array([table.counts.toarray()[truth == t].sum(axis=0) for t in np.unique(truth)])
    place = {word: at for at, word in enumerate(table.cols)}
    sure = [at for at, word in enumerate(found.ids) if counts[:, place[word]].max() >= 8]
    peak = np.array([counts[:, place[found.ids[at]]].argmax() for at in sure])
    share = [
        np.bincount(peak[found.clusters[sure] == c]).max() for c in np.unique(found.clusters[sure])
    ]
    assert sum(share) / len(sure) > 0.7
    assert "8 clusters" in repr(found)


def test_the_tables_of_a_lesson(halves):
    (links, truth), (other, _) = halves
    learned = lesson(links, truth, n_clusters=6)
    more = taught(other, learned)
    place = dict(zip(learned.ids, learned.clusters, strict=True))
    table = other.between(MEMBERS, "words")
    dense = table.counts.toarray()
    expected = np.zeros((len(other), 6))
    for at, word in enumerate(table.cols):
        if word in place:
            expected[:, place[word]] += dense[:, at]
    assert np.array_equal(more.between(MEMBERS, "known words").counts.toarray(), expected)
    words = more.between("words", "known words").counts.toarray()
    known = np.array([word in place for word in table.cols])
    assert np.array_equal(words.sum(axis=1), np.where(known, dense.sum(axis=0), 0))
    found = Comraf(n_groups=4, restarts=2, observed=("known words",), random_state=0).fit(more)
    assert found.partition_.n_groups == 4
    assert 0 < learned.shared(other) <= 1


def test_a_lesson_that_cannot_be_taken(halves):
    (links, truth), _ = halves
    with pytest.raises(DataError, match="3 labels for 120 members"):
        lesson(links, [0, 1, 2])
    with pytest.raises(DataError, match="two groups or more"):
        lesson(links, np.zeros(120, dtype=int))
    with pytest.raises(ParameterError, match="n_clusters must be from 2 to"):
        lesson(links, truth, n_clusters=10**6)
    with pytest.raises(DataError, match="There is no table of 'members' and 'people'"):
        lesson(links, truth, "people")
    strange = Links({(MEMBERS, "words"): Cooccurrence.of([(0, "qq", 1), (1, "zz", 1)], ["a", "b"])})
    with pytest.raises(DataError, match=r"Only 0\.0% of the counts of 'words' are known"):
        taught(strange, lesson(links, truth, n_clusters=4))
