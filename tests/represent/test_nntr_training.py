"""NNTR trained on small text of known topics."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import nntr as twin

from coterie.core.errors import DataError
from coterie.testing import promises

pytest.importorskip("torch")

from coterie.represent import NNTR

COUNTS = twin.topics(n=300)
SMALL = {"n_units": 10, "n_hidden": 10, "batch": 128, "rate": 1e-2}


@pytest.fixture(scope="module")
def model():
    return NNTR(**SMALL, max_iter=15).fit(sp.csr_array(COUNTS))


def test_documents_find_themselves_better_and_better(model):
    assert min(model.validation_history_) < 0.8 * model.validation_history_[0]
    assert len(model.history_) == len(model.validation_history_) == model.n_iter_
    assert model.history_[-1] < model.history_[0]


def test_words_of_a_topic_are_similar(model):
    near = [int(name[1:]) // 40 for name, _ in model.similar_words("x5", 15)]
    assert np.mean(np.array(near) == 0) > 0.6


def test_a_query_of_a_topic_finds_documents_of_it(model):
    queries = np.zeros((3, 160))
    for topic in range(3):
        queries[topic, topic * 40 : topic * 40 + 8] = 1
    found = np.argsort(-model.relevance(queries, COUNTS), axis=1)[:, :10] % 3
    assert np.mean(found == np.arange(3)[:, None]) > 0.8


def test_the_same_seed_gives_the_same_bits_and_another_seed_does_not():
    one, two, other = (
        NNTR(**SMALL, max_iter=2, random_state=seed).fit(COUNTS) for seed in (5, 5, 6)
    )
    for name, value in one.arrays_.items():
        np.testing.assert_array_equal(value, two.arrays_[name])
    assert not np.array_equal(one.word_table_, other.word_table_)


def test_a_saved_network_gives_the_same_vectors(model):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(COUNTS), model.transform(COUNTS))
    np.testing.assert_array_equal(
        again.relevance(COUNTS[:2], COUNTS), model.relevance(COUNTS[:2], COUNTS)
    )


@pytest.mark.parametrize(
    "settings",
    [{"loss": "logistic"}, {"negatives": "uniform"}, {"balanced": False, "loss": "logistic"}],
)
def test_other_forms_train(settings):
    found = NNTR(**SMALL, max_iter=3, early_stopping=False, **settings).fit(COUNTS)
    assert found.history_[-1] < found.history_[0]
    assert found.validation_history_ == []
    assert not found.converged_


def test_a_small_dictionary_is_said():
    with pytest.warns(UserWarning, match="a dictionary of 15 words is small"):
        NNTR(**SMALL, max_iter=1).fit(twin.counts())


@pytest.mark.filterwarnings("ignore:.*dictionary of 3 words")
def test_words_that_are_everywhere_teach_nothing_and_that_is_said():
    with pytest.warns(UserWarning, match="there is nothing to learn"):
        found = NNTR(**SMALL).fit(np.ones((5, 3)))
    assert found.history_ == []


def test_no_words_are_refused():
    with pytest.raises(DataError, match="none of the 4 documents holds a word"):
        NNTR().fit(np.zeros((4, 120)))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("promise", promises(NNTR(max_iter=2)), ids=str)
def test_promise(promise):
    promise()
