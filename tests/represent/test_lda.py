"""LDA: the same as by the formulas and as scikit-learn, planted topics, words, kept models, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import psi as scipy_psi
from sklearn.decomposition import LatentDirichletAllocation
from tests.oracles import dirichlet
from tests.represent.test_plsa import planted
from tests.run.examples import stored_again

from coterie._kernels.dirichlet import psi
from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.random import small_seed, stream
from coterie.core.workplace import using
from coterie.parts.lda import pass_by_pass
from coterie.represent.hidden_words import held_out_score
from coterie.represent.lda import LDA


@pytest.fixture(scope="module")
def fitted():
    return LDA(n_topics=3, random_state=0).fit(planted()[0])


def test_it_is_that_of_the_library():
    table, _ = planted()
    ours = LDA(n_topics=4, alpha=0.3, eta=0.05, passes=7, random_state=5).fit(table)
    theirs = LatentDirichletAllocation(
        4,
        doc_topic_prior=0.3,
        topic_word_prior=0.05,
        max_iter=7,
        learning_method="batch",
        random_state=small_seed(stream(5)),
    ).fit(table)
    fresh, _ = planted(1)
    near = 1e-6  # the library's psi is good to some 1e-9
    assert ours.transform(fresh) == pytest.approx(theirs.transform(fresh), rel=near)
    assert ours.topics_ == pytest.approx(
        theirs.components_ / theirs.components_.sum(axis=1, keepdims=True), rel=near
    )
    assert ours.history_ == pytest.approx([theirs.score(table) / table.sum()], rel=near)
    assert ours.n_iter_ == 7


def test_it_is_that_of_the_formulas():
    table, _ = planted()
    ours = LDA(n_topics=4, alpha=0.3, eta=0.05, passes=5, random_state=5).fit(table)
    slow = dirichlet.learn(table, 4, 0.3, 0.05, 5, small_seed(stream(5)))
    assert ours.weights_ == pytest.approx(slow, rel=1e-10)
    assert ours.history_ == pytest.approx(
        [dirichlet.bound(table, slow, 0.3, 0.05) / table.sum()], rel=1e-11
    )
    fresh = planted(1)[0][:5]
    gammas = np.array([dirichlet.settle(row, slow, 0.3, np.ones(4)) for row in fresh])
    assert ours.transform(fresh) == pytest.approx(
        gammas / gammas.sum(axis=1, keepdims=True), rel=1e-10
    )


def test_psi_is_that_of_scipy():
    places = np.concatenate([np.logspace(-12, 12, 400), np.linspace(0.1, 12, 400)])
    assert [psi(x) for x in places] == pytest.approx(scipy_psi(places), rel=1e-11, abs=1e-11)


def test_bits_do_not_depend_on_workers(monkeypatch):
    table, _ = planted()
    monkeypatch.setattr("coterie.parts.plsa._PIECE", 50)  # counts of one piece of work: many pieces
    found = []
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            found.append(LDA(n_topics=4, passes=3, random_state=1).fit(table).weights_)
    assert np.array_equal(*found)


def test_prior_weights_next_to_nothing_are_counted_as_little():
    table, _ = planted()
    found = LDA(n_topics=3, alpha=1e-200, eta=1e-200, passes=5, random_state=0).fit(table)
    assert np.isfinite(found.shares_).all()
    assert np.isfinite(found.history_[0])


def test_planted_topics_are_found_in_documents_and_words(fitted):
    table, topic = planted(1)
    shares = fitted.transform(table)
    assert shares.sum(axis=1) == pytest.approx(np.ones(60))
    assert len({(a, b) for a, b in zip(topic, shares.argmax(axis=1), strict=True)}) == 3
    words = fitted.transform_words()
    assert words.sum(axis=1) == pytest.approx(np.ones(60))
    assert len({(a // 20, b) for a, b in enumerate(words.argmax(axis=1))}) == 3
    assert {len({int(word[1:]) // 20 for word in top}) for top in fitted.top_words(5)} == {1}
    assert np.array_equal(fitted.shares_, fitted.transform(planted()[0]))
    assert fitted.prior_.sum() == pytest.approx(1)


def test_likelihoods(fitted):
    table, _ = planted()
    chance = fitted.transform(table) @ fitted.topics_
    assert fitted.log_likelihood(table) == pytest.approx((table * np.log(chance)).sum(axis=1))
    assert -np.log(60) < held_out_score(fitted, table) < fitted.score(table)


def test_alpha_is_one_over_the_topics_unless_given():
    table, _ = planted()
    plain, given = (
        LDA(n_topics=4, alpha=alpha, random_state=1).fit(table).topics_ for alpha in (None, 0.25)
    )
    assert np.array_equal(plain, given)


def test_passes_one_at_a_time_are_those_of_the_library():
    table, _ = planted()
    whole = LDA(n_topics=4, passes=6, random_state=5).fit(table)
    with pytest.warns(NotConverged, match="LDA did not converge in 6 iterations"):
        single = LDA(n_topics=4, passes=6, tol=1e-15, random_state=5).fit(table)
    assert np.array_equal(single.weights_, whole.weights_)
    assert len(single.history_) == 6
    assert single.history_[-1] == whole.history_[0]
    assert not single.converged_


def test_passes_end_when_the_bound_is_still():
    table, _ = planted()
    found = LDA(n_topics=3, passes=200, tol=1e-5, random_state=0).fit(table)
    assert found.converged_
    assert found.n_iter_ == len(found.history_) < 200
    moved = np.abs(np.diff(found.history_)) / np.abs(found.history_[1:])
    assert moved[-1] <= 1e-5 < moved[:-1].min()
    assert np.array_equal(
        found.weights_, LDA(n_topics=3, passes=found.n_iter_, random_state=0).fit(table).weights_
    )


def test_passes_are_taken_up_again_with_the_same_bits(monkeypatch):
    rows = sp.csr_array(planted()[0], dtype=np.float64)
    limits = {"alpha": 0.3, "eta": 0.05, "tol": 1e-15, "seed": 2}
    kept = {}

    class Keeper:
        def get(self, key):
            return None if key not in kept else {**kept[key], "done": np.array(False)}

        def put(self, key, arrays):
            kept[key] = dict(arrays)

    monkeypatch.setattr("coterie.parts.iterate._KEEP_EVERY", -1.0)
    with pytest.warns(NotConverged), using(keeper=Keeper()):
        pass_by_pass(rows, 3, passes=3, **limits)
    assert len(kept) == 1
    with pytest.warns(NotConverged), using(keeper=Keeper()):
        again = pass_by_pass(rows, 3, passes=7, **limits)
    with pytest.warns(NotConverged):
        whole = pass_by_pass(rows, 3, passes=7, **limits)
    assert again.history == whole.history
    assert np.array_equal(again.state["weights"], whole.state["weights"])


def test_documents_without_words_have_the_prior(fitted):
    assert fitted.transform(np.zeros((1, 60)))[0] == pytest.approx(np.full(3, 1 / 3))


def test_a_kept_model_gives_the_same_vectors(fitted):
    table, _ = planted()
    assert np.array_equal(stored_again(fitted).transform(table), fitted.transform(table))


def test_bad_input():
    with pytest.warns(UserWarning, match="LDA: 5 topics are more than 4 documents"):
        LDA(n_topics=5, random_state=0).fit(np.eye(4) + 1)
    with pytest.raises(DataError, match="egative"):
        LDA().fit(np.array([[1.0, -1.0]]))
    with pytest.raises(ParameterError, match="alpha"):
        LDA(alpha=0).fit(np.eye(4))
