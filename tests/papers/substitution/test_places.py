"""Substitutions and senses: contexts without the word, places taken with their candidates, shares of senses, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie_papers.substitution.places import Senses, Substitutions


def examples(**changed) -> Substitutions:
    given = {
        "sentences": [["a", "mission", "to", "end", "a", "war"], ["the", "bright", "bulb"]],
        "sentence": np.array([0, 0, 1]),
        "position": np.array([1, 5, 1]),
        "targets": ("mission", "war", "bright"),
        "kinds": ("n", "n", "a"),
        "owners": np.array([0, 0, 1, 2, 2, 2]),
        "candidates": ("task", "plan", "fight", "clever", "shiny", "vivid"),
        "labels": np.array([1, 1, 1, 0, 1, 0]),
    }
    return Substitutions(**{**given, **changed})


def test_a_context_is_the_sentence_without_the_word():
    assert examples().contexts() == ["a to end a war", "a mission to end a", "the bulb"]
    assert examples().groups().tolist() == [0, 0, 0, 1, 1, 1]
    assert "6 candidates for 3 places in 2 sentences" in repr(examples())


def test_places_are_taken_with_their_candidates():
    part = examples().take(np.array([2, 0]))
    assert part.candidates == ("clever", "shiny", "vivid", "task", "plan")
    assert part.owners.tolist() == [0, 0, 0, 1, 1]
    assert part.labels.tolist() == [False, True, False, True, True]
    assert (part.targets, part.kinds, part.contexts()) == (
        ("bright", "mission"),
        ("a", "n"),
        ["the bulb", "a to end a war"],
    )
    assert examples(labels=None).take(np.array([1])).labels is None


def test_senses_that_are_shared():
    senses = Senses(
        {
            "1.n": ("war", "fight"),
            "2.n": ("war", "state of war"),
            "3.v": ("fight", "struggle"),
            "4.s": ("bright", "shiny"),
        },
        seen={("war", "1.n"): 9.0, ("war", "2.n"): 1.0},
    )
    assert senses.shared("war", "fight", "n") == pytest.approx(0.9)
    assert senses.shared("fight", "war", "n") == 1.0  # never seen: its one sense as a noun
    assert senses.shared("fight", "war") == 0.5
    assert senses.shared("war", "peace", "n") == senses.shared("unknown", "war") == 0.0
    assert senses.shared("bright", "shiny", "a") == 1.0  # satellites are adjectives
    assert senses.synonyms("fight") == ["war", "struggle"]
    assert senses.synonyms("fight", "v") == ["struggle"]


def test_bad_input_is_one_sentence():
    with pytest.raises(DataError, match="place 1 is token 9 of a sentence of 6"):
        examples(position=np.array([1, 9, 1]))
    with pytest.raises(DataError, match="place 2 has no candidate"):
        examples(owners=np.array([0, 0, 1, 1, 1, 1]))
    with pytest.raises(DataError, match="in the order of their places"):
        examples(owners=np.array([1, 0, 1, 2, 2, 2]))
    with pytest.raises(DataError, match="6 candidates and 2 labels"):
        examples(labels=[1, 0])
    with pytest.raises(DataError, match="no candidate"):
        examples(owners=np.array([]), candidates=())
    with pytest.raises(DataError, match="every place needs"):
        examples(targets=("one",))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"sentence": np.array([0, 0, 2])},
            "place 2 is in sentence 2, and there are 2 sentences, counted from 0",
        ),
        ({"sentence": np.array([0, -1, 1])}, "place 1 is in sentence -1"),
        ({"position": [1.7, 5, 1]}, "position must be whole numbers, and value 0 is 1.7"),
        ({"position": ["1", "5", "1"]}, "position must be numbers, and value 0 is '1'"),
        ({"labels": ["0", "1"] * 3}, "labels must be yes or no .* value 0 is '0'"),
        ({"labels": [1, 2, 1, 2, 1, 2]}, "labels must be yes or no .* value 1 is 2"),
        (
            {"candidates": ("task", "", "fight", "clever", "shiny", "vivid")},
            "candidate 1 is ''; a candidate is a word",
        ),
        (
            {"candidates": ("task", None, "fight", "clever", "shiny", "vivid")},
            "candidate 1 is None",
        ),
    ],
)
def test_what_is_no_place_no_word_and_no_label(changed, said):
    with pytest.raises(DataError, match=said):
        examples(**changed)
