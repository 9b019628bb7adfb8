"""Scorers of substitutes: Bayes against its slow twin, similarity and senses by hand, networks by either door, unknown words."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie.represent.terms import Terms
from coterie_papers.substitution.asked import columns_of
from coterie_papers.substitution.places import Senses, Substitutions
from coterie_papers.substitution.scorers import (
    Asked,
    SubstituteBayes,
    SubstituteFrequency,
    SubstituteNetwork,
    SubstituteSenses,
    SubstituteSimilarity,
    ranked_candidates,
)
from tests.oracles import substitution as oracle

TEXT = [
    "the bright lamp shines at night",
    "a shiny lamp shines at home",
    "the clever child reads at home",
    "a bright child reads books",
    "the clever child thinks",
    "the lamp is shiny",
    "night night sleep",
]


@pytest.fixture(scope="module")
def index():
    return Terms(weights="tf", stop_words="none", min_df=1).fit(TEXT)


@pytest.fixture(scope="module")
def learned(index):
    return index.tokens(TEXT)


@pytest.fixture(scope="module")
def asked(index):
    examples = Substitutions(
        sentences=[
            ["the", "bright", "lamp", "shines", "zzz"],
            ["the", "bright", "child", "thinks"],
            ["qq", "bright"],
        ],
        sentence=np.array([0, 1, 2]),
        position=np.array([1, 1, 1]),
        targets=("bright", "bright", "bright"),
        kinds=("a", "a", "a"),
        owners=np.array([0, 0, 0, 1, 1, 1, 2]),
        candidates=("shiny", "clever", "luminous", "shiny", "clever", "night", "shiny"),
    )
    return Asked.of(examples, index)


def test_places_in_numbers(index, asked):
    place = index.dictionary_
    assert asked.words.tolist() == [
        place["shiny"],
        place["clever"],
        -1,
        place["shiny"],
        place["clever"],
        place["night"],
        place["shiny"],
    ]
    assert asked.targets.tolist() == [place["bright"]] * 3
    assert asked.contexts[[0]].indices.tolist() == sorted(
        place[word] for word in ("the", "lamp", "shines")
    )
    assert asked.unknown_share == pytest.approx(1 / 7)
    assert columns_of(["shiny lamp", "Shiny", "s-h", "shiny!"], index).tolist() == [
        -1,
        place["shiny"],
        -1,
        place["shiny"],
    ]


@pytest.mark.parametrize("alpha", [0.1, 1.5])
def test_bayes_equals_the_walk_through_all_sentences(index, learned, asked, alpha):
    found = SubstituteBayes(alpha=alpha).fit(learned).scores(asked)
    rows = np.split(learned.tokens, learned.ends[:-1])
    sentences = [row[row >= 0].tolist() for row in rows]
    for row, value in enumerate(found):
        context = asked.contexts[[asked.owners[row]]]
        words = np.repeat(context.indices, context.data.astype(int)).tolist()
        word = int(asked.words[row])
        expected = oracle.bayes(
            sentences, learned.n_words, words, word if word >= 0 else None, alpha
        )
        assert value == pytest.approx(expected, abs=1e-10)
    assert found[0] > found[1]  # a lamp that shines is shiny and not clever
    assert found[4] > found[3]


def test_bayes_of_many_candidates_in_blocks(monkeypatch, index, learned, asked):
    whole = SubstituteBayes().fit(learned).scores(asked)
    monkeypatch.setattr("coterie_papers.substitution.scorers._WORDS", 1)
    assert np.array_equal(SubstituteBayes().fit(learned).scores(asked), whole)


def test_similarity_looks_at_what_stands_beside(learned, asked):
    found = SubstituteSimilarity(width=1).fit(learned).scores(asked)
    assert found[0] == found[3] == found[6]  # the sentence is not looked at
    assert found[2] == 0.0  # not in the dictionary
    assert found[0] > 0
    assert found[5] == 0.0  # bright and night share no neighbors


def test_frequency_and_senses(index, learned, asked):
    frequency = SubstituteFrequency().fit(learned).scores(asked)
    assert frequency == pytest.approx(np.log1p([2, 2, 0, 2, 2, 3, 2]))
    senses = Senses(
        {
            "1.a": ("bright", "shiny"),
            "2.a": ("bright", "clever", "smart"),
            "3.s": ("bright", "shiny"),
        }
    )
    found = SubstituteSenses(senses=senses).fit(learned).scores(asked)
    assert found.round(3).tolist() == [0.667, 0.333, 0, 0.667, 0.333, 0, 0.667]
    assert found[5] > found[2]  # neither shares a sense, and night is seen more often
    with pytest.raises(ParameterError, match="senses must be given"):
        SubstituteSenses().fit(learned).scores(asked)


class _Table:
    """A model that gives words x documents; or pairs."""

    def scores(self, words, documents):
        return np.outer(words, np.ones(documents.shape[0])) + documents.sum(axis=1)[None, :] / 100


class _Pairs(_Table):
    def pair_scores(self, words, documents):
        assert len(words) == documents.shape[0]
        return words + documents.sum(axis=1) / 100


def test_networks_by_either_door(monkeypatch, asked):
    found = SubstituteNetwork(model=_Table()).scores(asked)
    known = asked.words[:2]
    assert found[:2] == pytest.approx(known + 0.03)
    assert found[2] == -np.inf  # the dictionary lacks it
    assert found[6] == -np.inf  # nothing is known of its sentence
    assert SubstituteNetwork(model=_Pairs()).scores(asked) == pytest.approx(found)
    monkeypatch.setattr("coterie_papers.substitution.scorers._PAIRS", 2)
    assert SubstituteNetwork(model=_Pairs()).scores(asked) == pytest.approx(found)
    with pytest.raises(ParameterError, match="model must be a fitted model"):
        SubstituteNetwork(model=3).scores(asked)
    _Table.scores, kept = (lambda self, words, documents: np.zeros(99)), _Table.scores
    with pytest.raises(DataError, match="gave 99 scores"):
        SubstituteNetwork(model=_Table()).scores(asked)
    _Table.scores = kept


def test_candidates_in_order(asked):
    ranked = ranked_candidates(asked, np.array([1.0, 3.0, 2.0, 5.0, 5.0, 4.0, 0.0]))
    assert [one.ids for one in ranked] == [
        ("clever", "luminous", "shiny"),
        ("shiny", "clever", "night"),
        ("shiny",),
    ]
    assert ranked[0].scores.tolist() == [3, 2, 1]


def test_bad_use_is_one_sentence(learned, asked):
    with pytest.raises(ParameterError, match="SubstituteBayes has learned from no sentences yet"):
        SubstituteBayes().scores(asked)
    with pytest.raises(ParameterError, match="alpha must be above 0"):
        SubstituteBayes(alpha=0.0).fit(learned)
    other = Terms(weights="tf", stop_words="none", min_df=1).fit(["one two"])
    with pytest.raises(DataError, match="use the same index for both"):
        SubstituteBayes().fit(other.tokens(["one two"])).scores(asked)
    with pytest.raises(DataError, match="no sentence holds a word"):
        SubstituteBayes().fit(other.tokens(["three"]))
