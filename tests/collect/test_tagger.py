"""The averaged perceptron: what it learns, that it is kept whole, that shortcuts change nothing, and broken models."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles.tagger import averaged, tags

from coterie.collect import Perceptron, Tagger
from coterie.collect.tagger import _Averaged, _learn, features, framed, shape
from coterie.core.errors import DataError, ParameterError

Tagged = list[tuple[str, str]]


def corpus(n: int, seed: int = 0) -> list[Tagged]:
    """A grammar in which "run" is a noun after "the" and a verb after "they", and endings tell the rest."""
    draw = np.random.default_rng(seed)
    stems = ["bral", "dron", "gilp", "mun", "sarv", "tolk", "vin", "zeb"]
    found = []
    for _ in range(n):
        noun = "run" if draw.random() < 0.3 else draw.choice(stems) + "ness"
        verb = "run" if draw.random() < 0.3 else draw.choice(stems) + "ate"
        adverb = [(draw.choice(stems) + "ly", "ADV")] if draw.random() < 0.5 else []
        subject = (
            [("They", "PRON")]
            if draw.random() < 0.5
            else [("The", "DET"), (draw.choice(stems) + "er", "NOUN")]
        )
        found.append(
            [*subject, (verb, "VERB"), ("the", "DET"), (str(noun), "NOUN"), *adverb, (".", "PUNCT")]
        )
    return [[(str(word), tag) for word, tag in sentence] for sentence in found]


def test_words_are_told_by_their_neighbors_and_endings() -> None:
    tagger = Perceptron.train(corpus(150), epochs=4, random_state=1)
    assert isinstance(tagger, Tagger)
    assert tagger.accuracy(corpus(100, seed=9)) > 0.98
    assert tagger.tag(["They", "run", "the", "run", "."]) == [
        "PRON",
        "VERB",
        "DET",
        "NOUN",
        "PUNCT",
    ]
    assert tagger.tag(["The", "unseener", "unseenate", "the", "unseenness", "."]) == [
        "DET",
        "NOUN",
        "VERB",
        "DET",
        "NOUN",
        "PUNCT",
    ]
    assert tagger.tag([]) == []


def test_the_same_seed_gives_the_same_tagger_and_another_seed_another() -> None:
    rows = corpus(60)
    first, again, other = (
        Perceptron.train(rows, epochs=1, random_state=seed) for seed in (3, 3, 4)
    )
    assert first.weights == again.weights
    assert first.weights != other.weights


def test_shortcuts_change_no_tag() -> None:
    tagger = Perceptron.train(corpus(40), epochs=2, random_state=0)
    for sentence in corpus(40, seed=5):
        words = [word for word, _ in sentence]
        assert tagger.tag(words) == tags(tagger.weights, tagger.tagdict, tagger.classes, words)


def test_means_equal_those_added_up_at_every_word() -> None:
    rows = corpus(12)
    classes = tuple(sorted({tag for row in rows for _, tag in row}))
    model = _Averaged()
    for row in rows:
        _learn(model, row, {}, classes)
    slow = averaged(rows, classes)
    fast = {
        (feature, tag): weight
        for feature, row in model.mean().items()
        for tag, weight in row.items()
    }
    assert fast.keys() == {key for key, value in slow.items() if round(value, 6)}
    assert all(abs(fast[key] - slow[key]) < 1e-6 for key in fast)


def test_frequent_words_with_one_tag_are_looked_up() -> None:
    tagger = Perceptron.train(corpus(60), epochs=1)
    assert tagger.tagdict["the"] == "DET"
    assert "run" not in tagger.tagdict


@pytest.mark.parametrize("name", ["tagger.json", "tagger.json.gz"])
def test_a_kept_tagger_comes_back_whole(tmp_path: Path, name: str) -> None:
    tagger = Perceptron.train(corpus(30), epochs=1)
    path = tagger.save(tmp_path / name)
    again = Perceptron.load(path)
    assert (again.weights, again.tagdict, again.classes) == (
        tagger.weights,
        tagger.tagdict,
        tagger.classes,
    )
    assert path.read_bytes() == again.save(tmp_path / f"again-{name}").read_bytes()
    assert "tagger" in repr(again)


def test_weights_of_others_apply_by_the_names_of_features(tmp_path: Path) -> None:
    weights = {
        "i word fish": {"NN": 1.0},
        "i-1 tag MD": {"VB": 2.0},
        "i suffix can": {"MD": 1.0},
        "i+1 word -END-": {".": 0.5},
    }
    made = {"weights": weights, "tagdict": {"I": "PRP"}, "classes": [".", "MD", "NN", "PRP", "VB"]}
    path = tmp_path / "made.json.gz"
    path.write_bytes(gzip.compress(json.dumps(made).encode()))
    tagger = Perceptron.load(path)
    assert tagger.tag(["I", "can", "fish", "today"]) == ["PRP", "MD", "VB", "."]
    assert tagger.tag(["fish", "x"]) == ["NN", "."]


def test_features_and_shapes() -> None:
    words = ["The", "well-known", "1987", "3rd", "-", "-x"]
    assert [shape(word) for word in words] == ["the", "!HYPHEN", "!YEAR", "!DIGITS", "-", "-x"]
    seen = features(0, "Dogs", framed(["Dogs", "bark"]), "-START-", "-START2-")
    assert {
        "bias",
        "i suffix ogs",
        "i pref1 D",
        "i word dogs",
        "i-1 word -START2-",
        "i+1 word bark",
        "i+2 word -END-",
    } <= set(seen)
    assert "i tag+i-2 tag -START- -START2-" in seen


@pytest.mark.parametrize(
    ("sentences", "sentence"),
    [
        ([], "no tagged sentences"),
        ([[]], "no tagged sentences"),
        ([[("a", "x")], [("b",)]], "Word 0 of sentence 1"),
        ([["ab", ("c", "")]], "Word 1 of sentence 0"),
        ([[("a", 3)]], "Word 0 of sentence 0"),
    ],
)
def test_what_cannot_be_learned_from_is_named(sentences: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        Perceptron.train(sentences)


@pytest.mark.parametrize("epochs", [0, -1, 1.5, True])
def test_epochs_are_whole_numbers(epochs: Any) -> None:
    with pytest.raises(ParameterError, match="epochs"):
        Perceptron.train(corpus(2), epochs=epochs)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"no json", "cannot be read as JSON"),
        (b"\x1f\x8bbroken", "cannot be read as JSON"),
        (b"[1]", "needs the keys"),
        (b'{"weights": {}, "tagdict": {}, "classes": []}', "classes"),
        (b'{"weights": {}, "tagdict": {"a": 1}, "classes": ["X"]}', "tagdict"),
        (b'{"weights": {"f": 1}, "tagdict": {}, "classes": ["X"]}', "weights"),
        (b'{"weights": {"f": {"X": "1"}}, "tagdict": {}, "classes": ["X"]}', "feature 'f'"),
        (b'{"weights": {"f": {"Y": 1}}, "tagdict": {}, "classes": ["X"]}', "weighs 'Y'"),
    ],
)
def test_broken_models_are_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        Perceptron.load(path)


def test_no_model_and_nothing_to_measure(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file"):
        Perceptron.load(tmp_path / "nowhere.json")
    with pytest.raises(DataError, match="no word to measure"):
        Perceptron.train(corpus(2)).accuracy([])
