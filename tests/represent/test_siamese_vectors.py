"""Siamese without training: vectors of arrays made by hand, empty documents, and sentences for what cannot be."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from coterie.core.errors import DataError, MissingExtra, ParameterError
from coterie.core.random import stream
from coterie.parts.siamese import mapped, start
from coterie.represent import Siamese, Terms

SEA = "boat fish river stream water flood"
HALL = "choir song violin tune piano music"
DOCUMENTS = [
    f"{SEA}\n\nboat water fish river",
    f"{HALL}\n\nsong choir piano music",
    f"{SEA}\n\n{SEA}",
]


def by_hand():
    """As fit leaves it, with random arrays."""
    model = Siamese(n_hidden=4, n_components=3, min_words=3, min_df=1, random_state=0)
    model.terms_ = Terms(min_df=1).fit(DOCUMENTS)
    model.arrays_ = start(len(model.terms_.terms_), 4, 3, 0, stream(1))
    model.arrays_["terms"] = model.arrays_["terms"] * 100
    model.n_features_out_ = 3
    return model


def test_vectors_are_those_of_the_network_on_whole_documents():
    model = by_hand()
    np.testing.assert_array_equal(
        model.transform(DOCUMENTS), mapped(model.arrays_, model.terms_.transform(DOCUMENTS))
    )
    assert model.represent(DOCUMENTS).names == ("siamese0", "siamese1", "siamese2")


def test_a_document_without_a_known_word_is_zero():
    found = by_hand().transform(["", "boat", "unknown words only"])
    assert (found[[0, 2]] == 0).all()
    assert (found[1] != 0).all()


def test_words_are_documents_of_one_word_and_the_largest_are_told():
    model = by_hand()
    words = [str(word) for word in model.terms_.terms_]
    alone = model.transform(words)
    np.testing.assert_allclose(model.transform_words(), alone, atol=1e-12)
    assert model.top_words(4) == [
        [words[at] for at in np.argsort(-column)[:4]] for column in alone.T
    ]


def test_the_loss_of_vectors_that_say_nothing_is_one():
    model = by_hand()
    model.arrays_["units"] = np.zeros_like(model.arrays_["units"])
    assert model.triplet_loss(DOCUMENTS, n=50) == 1.0
    other = by_hand()
    assert other.triplet_loss(DOCUMENTS, n=50) == other.triplet_loss(DOCUMENTS, n=50) != 1.0


def test_a_model_survives_pickle_with_the_same_vectors():
    model = by_hand()
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).transform(DOCUMENTS), model.transform(DOCUMENTS)
    )


def test_what_cannot_be_is_one_sentence():
    with pytest.raises(
        DataError, match=r"Siamese: no document has two paragraphs.*lower min_words"
    ):
        Siamese(min_df=1).fit(DOCUMENTS)
    with pytest.raises(DataError, match="one document"):
        Siamese(min_df=1, min_words=3).fit([DOCUMENTS[0], "", ""])
    with pytest.raises(ParameterError, match="n_components"):
        Siamese(n_components=0).fit(DOCUMENTS)
    with pytest.raises(NotFittedError):
        Siamese().transform(DOCUMENTS)
    with pytest.raises(DataError, match="not a string"):
        Siamese().fit([3, 4])


def test_without_torch_the_extra_is_named(monkeypatch):
    def refuse(name, package=None):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", refuse)
    with pytest.raises(MissingExtra, match=r"coterie\[neural\]"):
        Siamese(min_df=1, min_words=3).fit(DOCUMENTS)
