"""Terms: tokens, dictionary, weights by hand, labels only where asked for, and bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from coterie.core.errors import DataError, ParameterError
from coterie.parts.term_weights import okapi
from coterie.represent import Terms, stop_list
from coterie.represent.stopwords import ENGLISH
from coterie.represent.tokens import words

DOCS = [
    "The cat sat on the mat, the cat!",
    "A dog and a cat.",
    "Dogs sat; dogs ran 99 times",
    "the mat",
]


def plain(**options) -> Terms:
    return Terms(min_df=1, stop_words="none", **options)


def test_tokens_are_runs_of_letters():
    assert words("It's 2 CAFÉs_x m² ÄÖ") == ["it", "s", "cafés", "x", "m", "äö"]
    assert words("cafe\u0301") == ["café"]
    assert words("123 ...") == []


def test_tfidf_by_hand():
    model = plain(normalize=False)
    found = model.fit_transform(DOCS).toarray()
    place = model.dictionary_
    assert found[0, place["cat"]] == pytest.approx(2 * math.log(4 / 2))
    assert found[0, place["the"]] == pytest.approx(3 * math.log(4 / 2))
    assert found[2, place["dogs"]] == pytest.approx(2 * math.log(4))
    assert list(model.terms_) == sorted(model.terms_)
    assert model.idf_[place["ran"]] == pytest.approx(math.log(4))
    logged = plain(normalize=False, sublinear=True)
    assert logged.fit_transform(DOCS).toarray()[0, place["the"]] == pytest.approx(
        (1 + math.log(3)) * math.log(2)
    )


def test_rows_have_length_one_and_empty_documents_stay_zero():
    found = plain().fit_transform([*DOCS, "", "42"])
    lengths = np.sqrt(found.multiply(found).sum(axis=1))
    assert lengths == pytest.approx([1, 1, 1, 1, 0, 0])
    assert plain(weights="binary").fit_transform(DOCS).max() == 1
    assert plain(weights="tf").fit_transform(DOCS).sum() == sum(len(words(d)) for d in DOCS)


def test_relations_that_must_hold():
    once = plain().fit(DOCS)
    twice = plain().fit(DOCS * 2)
    assert np.allclose(once.transform(DOCS).toarray(), twice.transform(DOCS).toarray())
    mixed = [" ".join(reversed(d.split())) for d in DOCS]
    assert np.allclose(once.transform(DOCS).toarray(), once.transform(mixed).toarray())
    assert np.array_equal(once.transform(DOCS).toarray(), clone(once).fit_transform(DOCS).toarray())
    everywhere = plain(normalize=False).fit(["a b", "a c"])
    assert everywhere.transform(["a a b"]).toarray()[0].tolist() == [
        0,
        pytest.approx(math.log(2)),
        0,
    ]


def test_okapi_and_its_limits():
    model = plain(weights="bm25").fit(DOCS)
    counts = model.counts(DOCS)
    idf = model.idf_
    mean = model.mean_length_
    lengths = counts.sum(axis=1)
    cat = model.dictionary_["cat"]
    expected = 2.2 * 2 * idf[cat] / (1.2 * (0.25 + 0.75 * lengths[0] / mean) + 2)
    assert model.transform(DOCS).toarray()[0, cat] == pytest.approx(expected)
    present = counts.toarray() > 0
    tf = counts.toarray()
    assert np.allclose(okapi(counts, idf, mean, k1=1e-12).toarray(), present * idf)
    assert np.allclose(okapi(counts, idf, mean, k1=1e12, b=0.0).toarray(), tf * idf)
    assert np.allclose(
        okapi(counts, idf, mean, k1=1e12, b=1.0).toarray(), tf * idf / (lengths / mean)[:, None]
    )
    assert (okapi(counts, idf, mean).toarray() <= 2.2 * idf).all()


def test_dictionary_is_pruned_and_frozen():
    model = Terms().fit(DOCS)
    assert list(model.terms_) == ["cat", "mat", "sat"]
    assert list(Terms(stem="porter").fit(DOCS).terms_) == ["cat", "dog", "mat", "sat"]
    assert list(Terms(min_df=1, max_df=0.25, stop_words=["The", "on"]).fit(DOCS).terms_) == [
        "a",
        "and",
        "dog",
        "dogs",
        "ran",
        "times",
    ]
    before = model.idf_.copy()
    model.transform(["cat bird the mat", "tree"])
    assert model.unknown_share_ == pytest.approx(2 / 4)
    assert np.array_equal(model.idf_, before)
    assert 150 < len(ENGLISH) < 260
    assert {"the", "of", "isn", "myself"} <= ENGLISH


def test_most_frequent_terms_are_kept_and_ties_go_by_name():
    model = Terms(min_df=1, stop_words="none", max_terms=3).fit(["b a c", "b a", "b d"])
    assert list(model.terms_) == ["a", "b", "c"]
    assert model.scores_.tolist() == [2, 3, 1]


def test_names_of_columns_and_pickling():
    model = Terms().fit(DOCS)
    table = model.represent(DOCS)
    assert table.names == ("cat", "mat", "sat")
    assert table.sparse
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(DOCS).toarray(), model.transform(DOCS).toarray())


def test_labels_are_read_only_where_asked_for():
    docs = ["x q", "x q", "y q", "y q z"]
    labels = ["one", "one", "two", "two"]
    assert list(plain(select="chi2", max_terms=2).fit(docs, labels).terms_) == ["x", "y"]
    assert list(plain(max_terms=1).fit(docs, labels).terms_) == ["q"]
    with pytest.raises(ParameterError, match="needs labels"):
        plain(select="gain").fit(docs)
    with pytest.raises(DataError, match="4 documents"):
        plain(select="gain").fit(docs, [1, 2])


def test_bad_input_is_one_sentence():
    with pytest.raises(DataError, match="lower min_df"):
        Terms().fit(["one cat", "two dogs"])
    with pytest.raises(DataError, match="no words besides stop words"):
        Terms().fit(["the", "12", ""])
    with pytest.raises(DataError, match="Document 1 is an int"):
        Terms().fit(["cat", 3])
    with pytest.raises(DataError, match="one string"):
        Terms().fit("cat")
    with pytest.raises(ParameterError, match="weights must be"):
        Terms(weights="idf").fit(DOCS)


def test_columns_divided_by_their_spread():
    raw = plain(normalize=False).fit_transform(DOCS).toarray()
    by_deviation = plain(weights="tfidf_var", normalize=False).fit_transform(DOCS).toarray()
    by_variance = (
        plain(weights="tfidf_var", spread="variance", normalize=False).fit_transform(DOCS).toarray()
    )
    assert np.allclose(by_deviation, raw / raw.std(axis=0))
    assert np.allclose(by_variance, raw / raw.var(axis=0))
    model = plain(weights="tfidf_var").fit(DOCS)
    rows = model.transform(DOCS).toarray()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1)
    assert np.allclose(rows, plain(weights="tfidf_var").fit(DOCS * 2).transform(DOCS).toarray())
    assert np.array_equal(rows, clone(model).fit_transform(DOCS).toarray())
    alone = model.transform(DOCS[:1]).toarray()  # what was learned is frozen
    assert np.array_equal(alone[0], rows[0])
    everywhere = plain(weights="tfidf_var").fit(["a b", "a c"]).transform(["a a", "b"]).toarray()
    assert everywhere.tolist() == [
        [0, 0, 0],
        [0, 1, 0],
    ]  # a column without spread stays and weighs nothing


def test_phrases_are_terms_where_asked_for():
    docs = [
        "New York is big",
        "old new york times",
        "the new cat of york",
        "in new york again",
        "a cat",
    ]
    model = Terms(weights="tf", phrases=3, min_df=2)
    found = model.fit_transform(docs)
    assert list(model.terms_) == ["cat", "new", "new york", "york"]
    assert np.array_equal(found.toarray(), model.transform(docs).toarray())
    assert model.counts(["new york new dog york"]).toarray().tolist() == [[0, 2, 1, 2]]
    assert model.unknown_share_ == pytest.approx(1 / 5)  # a phrase is no word
    assert not any(" " in term for term in Terms(min_df=2).fit(docs).terms_)
    cut = Terms(weights="tf", phrases=3, min_df=2, max_terms=2).fit(docs)
    assert list(cut.terms_) == ["new", "york"]
    stems = Terms(weights="tf", phrases=2, min_df=2, stem="porter").fit(
        ["running shoes", "runs a shoe", "old hat"] * 2
    )
    assert list(stems.terms_) == ["hat", "old", "old hat", "run", "run shoe", "shoe"]
    assert stems.counts(["He runs. Shoe!"]).toarray().tolist() == [
        [0, 0, 0, 1, 1, 1]
    ]  # signs do not part a phrase
    assert stems.counts(["runs a shoe"]).toarray().tolist() == [[0, 0, 0, 1, 0, 1]]  # stop words do


def test_languages_case_and_own_words():
    docs = ["Der Hund und die Katze", "das Haus und der Garten"]
    assert list(Terms(min_df=1, stop_words="german").fit(docs).terms_) == [
        "garten",
        "haus",
        "hund",
        "katze",
    ]
    cased = Terms(min_df=1, stop_words="german", lower_case=False).fit(docs)
    assert list(cased.terms_) == ["Garten", "Haus", "Hund", "Katze"]
    assert cased.counts(["hund Hund"]).sum() == 1
    own = Terms(min_df=1, stop_words=stop_list("german") | {"garten"}).fit(docs)
    assert list(own.terms_) == ["haus", "hund", "katze"]
    with pytest.raises(ParameterError, match="stop_words must be"):
        Terms(stop_words="klingon").fit(docs)


def test_columns_of_tokens_in_their_order():
    model = Terms(min_df=2).fit(DOCS)
    found = model.tokens(["the mat sat, zebra", "", "cat"])
    assert found.tokens.tolist() == [-1, 1, 2, -2, 0]
    assert found.ends.tolist() == [4, 4, 5]
    assert np.array_equal(
        found.counts().toarray(), model.counts(["the mat sat, zebra", "", "cat"]).toarray()
    )


def test_empty_and_giant_documents_are_told():
    assert plain().fit([*DOCS, "", "42"]).empty_.tolist() == [4, 5]
    few = ["a b", "c d", "a c", "b d"] * 3
    with pytest.warns(UserWarning, match=r"^Terms: document 12 holds 68% of all words"):
        plain().fit([*few, "a b c " * 17])
