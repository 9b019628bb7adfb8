"""Types of features of texts: what each counts, where features stand, and what is made only when it is asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from coterie import Collection, Cooccurrence, Table
from coterie.collect import features, texts, with_tags
from coterie.collect.features import contexts_of, features_of
from coterie.core.errors import ParameterError

DOCUMENTS = [
    "It is not good. Not at all good...",
    "A good film; it is GOOD!",
    "Nothing. Film -- nothing else, is it?",
]


class Shapes:
    """A tagger by the first letter."""

    def tag(self, tokens):
        return [
            "UP" if token[0].isupper() else "LOW" if token[0].isalpha() else "MARK"
            for token in tokens
        ]


def bags(table: Cooccurrence) -> list[dict[str, int]]:
    rows = table.counts.toarray().astype(int)
    return [
        {name: int(count) for name, count in zip(table.cols, row, strict=True) if count}
        for row in rows
    ]


def test_what_every_type_counts():
    made = features_of(texts(DOCUMENTS), min_df=1)
    assert list(made) == ["words", "word bigrams", "stop-words", "punctuation"]
    assert bags(made["words"]()) == [{"good": 2}, {"good": 2, "film": 1}, {"film": 1}]
    assert bags(made["stop-words"]())[1] == {"a": 1, "it": 1, "is": 1}
    assert bags(made["punctuation"]()) == [
        {".": 1, "...": 1},
        {";": 1, "!": 1},
        {".": 1, "--": 1, ",": 1, "?": 1},
    ]
    pairs = bags(made["word bigrams"]())
    assert pairs[0] == Counter(["it is", "is not", "not good", "not at", "at all", "all good"])
    assert "film it" not in pairs[1]  # a semicolon stands between
    assert "nothing film" not in pairs[2]


def test_all_types_have_the_members_of_the_collection():
    for make in features_of(texts(DOCUMENTS, ["a", "b", "c"])).values():
        assert list(make().rows) == ["a", "b", "c"]


def test_rare_features_are_left_out():
    assert features_of(texts(DOCUMENTS))["words"]().cols == ["film", "good"]
    assert features_of(texts(DOCUMENTS), min_df=3)["words"]().cols == []


def test_longer_runs():
    made = features_of(texts(DOCUMENTS), ngrams=3, min_df=1)
    assert "word trigrams" in made
    assert bags(made["word trigrams"]())[0]["is not good"] == 1
    with pytest.raises(ParameterError, match="ngrams must be a whole number from 2"):
        features_of(texts(DOCUMENTS), ngrams=1)


def test_tags_of_a_tagger_and_of_a_tagged_text():
    by_tagger = features_of(texts(DOCUMENTS), tagger=Shapes(), min_df=1)
    of_view = features_of(with_tags(texts(DOCUMENTS), Shapes()), min_df=1)
    for made in (by_tagger, of_view):
        assert {"tags", "tag bigrams"} <= made.keys()
        assert made["tags"]().cols == ["LOW", "MARK", "UP"]
        assert "UP LOW" in made["tag bigrams"]().cols
    assert "tags" not in features_of(texts(DOCUMENTS))


def test_links_are_types_also_where_some_members_have_none():
    people = Cooccurrence.of([(0, "ann", 1.0), (1, "bob", 1.0)], ["c", "a"])
    mail = replace(texts(DOCUMENTS, ["a", "b", "c"]), links={("members", "correspondents"): people})
    table = features_of(mail)["correspondents"]()
    assert list(table.rows) == ["a", "b", "c"]
    assert bags(table) == [{"bob": 1}, {}, {"ann": 1}]


def test_a_table_of_counts_has_its_columns():
    counts = Collection(["a", "b"], {"table": Table.of([[1, 0], [0, 2]])})
    made = features_of(counts)
    assert list(made) == ["table"]
    assert made["table"]().counts.toarray().tolist() == [[1, 0], [0, 2]]


def test_nothing_is_counted_before_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(features, "count_names", lambda *given: pytest.fail("counted"))
    features_of(texts(DOCUMENTS), tagger=Shapes())


def test_places():
    places = contexts_of(texts([*DOCUMENTS, "x " * 60 + "good " + "y " * 60]))
    assert places("words", "good") == [
        DOCUMENTS[0],
        DOCUMENTS[1],
        "… " + "x " * 19 + "good " + "y " * 19 + "…",
    ]
    assert places("words", "goo") == []
    assert places("word bigrams", "not good") == [DOCUMENTS[0]]
    assert places("punctuation", "--") == [DOCUMENTS[2]]
    assert contexts_of(Collection(["a", "b"], {"table": Table.of([[1, 0], [0, 2]])})) is None
