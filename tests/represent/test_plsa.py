"""PLSA as an estimator: planted topics, folding-in, prior for empty documents, unseen words, seeds, kept models, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.run.examples import stored_again

from coterie.core.errors import DataError, ParameterError
from coterie.core.table import Table
from coterie.core.workplace import using
from coterie.represent.hidden_words import held_out_score
from coterie.represent.plsa import PLSA


def planted(seed=0, n=60):
    random = np.random.default_rng(seed)
    topic = np.arange(n) % 3
    return random.poisson(np.where(topic[:, None] == np.arange(60) // 20, 0.8, 0.05)).astype(
        float
    ), topic


@pytest.fixture(scope="module")
def fitted():
    return PLSA(n_topics=3, random_state=0).fit(planted()[0])


def test_planted_topics_are_found_in_documents_new_ones_and_words(fitted):
    _, topic = planted()
    fresh, _ = planted(1)
    for shares in (fitted.shares_, fitted.transform(fresh)):
        assert shares.shape == (60, 3)
        assert shares.sum(axis=1) == pytest.approx(np.ones(60))
        found = shares.argmax(axis=1)
        assert len({(a, b) for a, b in zip(topic, found, strict=True)}) == 3
    words = fitted.transform_words()
    assert words.sum(axis=1) == pytest.approx(np.ones(60))
    assert len({(a // 20, b) for a, b in enumerate(words.argmax(axis=1))}) == 3
    assert fitted.prior_ == pytest.approx(np.full(3, 1 / 3), abs=0.1)
    block = [{int(word[1:]) // 20 for word in top} for top in fitted.top_words(5)]
    assert sorted(map(tuple, block)) == [(0,), (1,), (2,)]
    assert fitted.get_feature_names_out().tolist() == ["plsa0", "plsa1", "plsa2"]


def test_likelihood_score_and_perplexity(fitted):
    table, _ = planted()
    each = fitted.log_likelihood(table)
    assert each.sum() == pytest.approx(fitted.history_[-1], rel=1e-3)
    assert fitted.score(table) == pytest.approx(each.sum() / table.sum())
    assert fitted.perplexity(table) == pytest.approx(np.exp(-fitted.score(table)))
    even = -np.log(60)
    assert even < held_out_score(fitted, table) < fitted.score(table)


def test_folding_in_gives_the_fitted_documents_their_shares_again():
    table, _ = planted()
    found = PLSA(n_topics=3, tol=1e-12, max_iter=3000, random_state=0).fit(table)
    assert np.abs(found.transform(table) - found.shares_).max() < 0.01
    assert np.array_equal(found.fit_transform(table), found.transform(table))


def test_documents_without_words_have_the_prior(fitted):
    table, _ = planted()
    table[[4, 9]] = 0
    found = PLSA(n_topics=3, random_state=0).fit(sp.csr_array(table))
    assert found.empty_.tolist() == [4, 9]
    assert found.shares_[4] == pytest.approx(found.prior_)
    assert found.transform(np.zeros((1, 60)))[0] == pytest.approx(found.prior_)


def test_words_never_trained_on_are_left_out():
    table, _ = planted()
    table[:, 7] = 0
    found = PLSA(n_topics=3, random_state=0).fit(table)
    assert not found.topics_[:, 7].any()
    assert found.transform_words()[7] == pytest.approx(found.prior_)
    new = table[:4].copy()
    known = found.transform(new), found.score(new)
    new[:, 7] = 50
    assert np.array_equal(found.transform(new), known[0])
    assert found.score(new) == known[1]
    only = np.zeros((1, 60))
    only[0, 7] = 3
    assert found.transform(only)[0] == pytest.approx(found.prior_)
    with pytest.raises(DataError, match="word of the dictionary"):
        found.score(only)


def test_names_of_words_come_from_the_table():
    table, _ = planted()
    named = PLSA(n_topics=3, random_state=0).fit(
        Table(sp.csr_array(table), tuple(f"word{j}" for j in range(60)))
    )
    assert all(word.startswith("word") for top in named.top_words(3) for word in top)


class TestHeldOut:
    def test_early_stopping_holds_documents_out(self):
        table, _ = planted()
        found = PLSA(n_topics=8, early_stopping=True, validation=0.2, random_state=0).fit(table)
        assert len(found.validation_) == 12
        assert found.beta_ == 1
        assert len(found.validation_history_) == len(found.history_) == found.n_iter_
        assert found.shares_.sum(axis=1) == pytest.approx(np.ones(60))
        others = np.setdiff1d(np.arange(60), found.validation_)
        # a word that only documents held out have
        table[others, 0] = 0
        table[found.validation_, 0] = 5
        again = PLSA(n_topics=8, early_stopping=True, validation=0.2, random_state=0).fit(table)
        assert np.array_equal(again.validation_, found.validation_)
        assert not again.topics_[:, 0].any()
        assert again.topics_[:, 1].any()

    def test_tempered_it_foretells_new_documents_better(self):
        random = np.random.default_rng(0)
        laws = random.dirichlet(np.full(60, 0.1), size=4)
        shares = random.dirichlet(np.full(4, 0.3), size=160)
        table = np.array([random.multinomial(20, law) for law in shares @ laws])
        plain = PLSA(n_topics=10, random_state=0, tol=1e-6, max_iter=500).fit(table[:100])
        warm = PLSA(n_topics=10, random_state=0, tempering="held-out", max_iter=500).fit(
            table[:100]
        )
        assert warm.beta_ < 1
        assert held_out_score(warm, table[100:]) > held_out_score(plain, table[100:]) + 0.02

    def test_too_few_documents(self):
        with pytest.raises(
            DataError, match=r"1 of the documents .* has two words or more, and at least two must"
        ):
            PLSA(n_topics=1, early_stopping=True).fit(np.array([[2, 3]]))
        for guard in ({"early_stopping": True}, {"tempering": "held-out"}):
            with pytest.raises(
                DataError, match=r"0 of the documents \(n_samples = 5\) have two words or more"
            ):
                PLSA(n_topics=1, **guard).fit(np.eye(5))


def test_more_starts_are_never_worse():
    table, _ = planted()
    values = [PLSA(n_topics=6, restarts=r, random_state=0).fit(table).history_[-1] for r in (1, 4)]
    assert values[1] >= values[0]


@pytest.mark.parametrize(
    "options", [{}, {"restarts": 2}, {"tempering": "held-out", "max_iter": 30}], ids=str
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_same_seed_same_bits_whatever_the_workers(options):
    table, _ = planted()
    bits = set()
    for workers in (1, 2):
        with using(n_jobs=workers):
            found = PLSA(n_topics=4, random_state=7, **options).fit(table)
            bits.add(found.transform(table).tobytes() + found.topics_.tobytes())
    assert len(bits) == 1
    other = PLSA(n_topics=4, random_state=8, **options).fit(table)
    assert other.topics_.tobytes() not in bits.pop()


def test_a_kept_model_gives_the_same_vectors(fitted):
    table, _ = planted()
    again = stored_again(fitted)
    assert np.array_equal(again.transform(table), fitted.transform(table))
    assert again.top_words(3) == fitted.top_words(3)


def test_kernels_of_documents(fitted):
    table, topic = planted()
    same = topic[:, None] == topic[None, :]
    for kind in ("k1", "k2", "cosine"):
        values = fitted.kernel(table, kind=kind).values
        assert values[same].mean() > 3 * values[~same].mean()
        assert fitted.kernel(table[:4], table, kind).values == pytest.approx(values[:4], rel=1e-9)


class TestBadInput:
    def test_more_topics_than_can_be_told_apart(self):
        with pytest.warns(UserWarning, match="PLSA: 5 topics are more than 4 documents"):
            PLSA(n_topics=5, random_state=0).fit(np.eye(4) + 1)

    def test_one_topic_is_the_law_of_all_words(self):
        table, _ = planted()
        found = PLSA(n_topics=1, random_state=0).fit(table)
        assert found.topics_[0] == pytest.approx(table.sum(axis=0) / table.sum())

    def test_negative_counts_and_no_counts(self):
        with pytest.raises(DataError, match="egative"):
            PLSA().fit(np.array([[1.0, -1.0]]))
        with pytest.raises(DataError, match="none of the 2 documents holds a word"):
            PLSA().fit(np.zeros((2, 3)))

    def test_parameters(self):
        with pytest.raises(ParameterError, match="tempering"):
            PLSA(tempering="warm").fit(np.eye(3))
        with pytest.raises(ParameterError, match="k1"):
            PLSA(n_topics=1, random_state=0).fit(np.eye(3)).kernel(np.eye(3), kind="k4")
