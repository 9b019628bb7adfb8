"""TTMM as a method: the toy's likelihoods, posteriors of new documents, what is held out, bad input, and taken up again."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import DataError, NotConverged, ParameterError
from coterie.core.table import Table
from coterie.core.workplace import using
from coterie.represent.ttmm import TTMM
from coterie_papers.ttmm_toy import letters

PLANTED = 4


def planted(n: int = 80, m: int = 24, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Documents of four themes; each theme mixes two of four topics, each topic has its own six words."""
    rng = np.random.default_rng(seed)
    mixing = np.array([[0.7, 0.3, 0, 0], [0, 0.7, 0.3, 0], [0, 0, 0.7, 0.3], [0.3, 0, 0, 0.7]])
    topics = np.kron(np.eye(4), np.full(m // 4, 4 / m))
    truth = np.arange(n) % 4
    return sp.csr_array(
        np.array([rng.multinomial(60, mixing[t] @ topics) for t in truth], dtype=np.float64)
    ), truth


@pytest.mark.parametrize(
    ("themes", "topics", "best"),
    [(1, 1, -73.1638), (2, 2, -53.7078), (3, 2, -53.7078), (3, 3, -46.9777), (3, 4, -46.9777)],
)
@pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")
def test_the_toy_of_the_specification(themes: int, topics: int, best: float) -> None:
    model = TTMM(
        n_themes=themes,
        n_topics=topics,
        smoothing=0.0,
        restarts=20,
        max_iter=800,
        tol=1e-10,
        random_state=0,
    )
    found = model.fit(letters())
    assert found.log_likelihood(letters()).sum() == pytest.approx(best, abs=5e-5)
    assert found.history_[-1] == pytest.approx(best, abs=5e-5)
    if (themes, topics) == (3, 3):
        np.testing.assert_allclose(np.sort(found.prior_) * 9, [2, 3, 4], atol=1e-3)
        assert found.effective_themes_ == 3
        assert (
            len({tuple(found.labels_[kind]) for kind in (slice(0, 3), slice(3, 5), slice(5, 9))})
            == 3
        )


def test_one_theme_is_the_law_of_all_words() -> None:
    counts, _ = planted()
    found = TTMM(n_themes=1, n_topics=1, smoothing=0.0, random_state=0).fit(counts)
    totals = np.asarray(counts.sum(axis=0)).ravel()
    assert found.log_likelihood(counts).sum() == pytest.approx(
        float(totals @ np.log(totals / totals.sum())), rel=1e-12
    )


@pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")
def test_a_topic_more_is_not_worse() -> None:
    counts, _ = planted(24)
    values = [
        TTMM(
            n_themes=4,
            n_topics=k,
            smoothing=0.0,
            restarts=8,
            tol=1e-9,
            max_iter=600,
            random_state=0,
        )
        .fit(counts)
        .history_[-1]
        for k in (2, 3, 4)
    ]
    assert values[0] < values[1] < values[2]


def test_planted_themes_are_found_and_new_documents_placed() -> None:
    counts, truth = planted()
    found = TTMM(n_themes=PLANTED, n_topics=PLANTED, restarts=5, random_state=0).fit(counts)
    together = found.labels_[:, None] == found.labels_
    assert np.array_equal(together, truth[:, None] == truth)
    new, _ = planted(seed=1)
    assert np.array_equal(found.themes(new).argmax(axis=1), found.labels_)
    assert found.effective_themes_ == PLANTED
    assert found.score(new) == pytest.approx(found.log_likelihood(new).sum() / new.sum(), rel=1e-12)
    assert found.perplexity(new) < 24
    np.testing.assert_allclose(found.themes_, found.themes(counts), atol=1e-12)


@pytest.mark.parametrize("posterior", ["predictive", "token_share", "printed", "themes"])
def test_rows_sum_to_one_and_empty_documents_have_the_prior(posterior: str) -> None:
    counts, _ = planted()
    counts = sp.csr_array(sp.vstack([counts, np.zeros((2, 24))]))
    found = TTMM(n_themes=6, n_topics=3, posterior=posterior, random_state=0).fit(counts)
    rows = found.transform(counts)
    assert rows.shape == (82, 6 if posterior == "themes" else 3)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=1e-12)
    assert found.empty_.tolist() == [80, 81]
    prior = found.prior_ if posterior == "themes" else found.prior_ @ found.mixing_
    np.testing.assert_allclose(rows[80:], [prior, prior], atol=1e-12)
    np.testing.assert_allclose(found.transform(counts[[7]])[0], rows[7], atol=1e-12)
    names = found.get_feature_names_out()
    assert names[0] == ("theme0" if posterior == "themes" else "topic0")
    assert found.represent(counts).names == tuple(names)
    assert found.log_likelihood(counts)[80:] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_empty_documents_change_nothing_learned() -> None:
    counts, _ = planted()
    padded = sp.csr_array(sp.vstack([np.zeros((1, 24)), counts]))
    one, other = (
        TTMM(n_themes=4, n_topics=3, random_state=2).fit(data) for data in (counts, padded)
    )
    np.testing.assert_array_equal(one.topics_, other.topics_)
    np.testing.assert_array_equal(one.prior_, other.prior_)


def test_unseen_words_are_left_out_smoothed_or_not() -> None:
    counts, _ = planted()
    wide = sp.csr_array(sp.hstack([counts, np.zeros((80, 1))]))
    new = np.zeros((2, 25))
    new[0, [0, 24]] = [3, 2]
    new[1, 24] = 5
    source = TTMM(n_themes=4, n_topics=4, smoothing=0.0, random_state=0).fit(wide)
    known = new.copy()
    known[:, 24] = 0
    np.testing.assert_allclose(source.transform(new), source.transform(known), atol=1e-14)
    np.testing.assert_allclose(source.themes(new)[1], source.prior_, atol=1e-14)
    smooth = TTMM(n_themes=4, n_topics=4, random_state=0).fit(wide)
    assert (smooth.topics_[:, 24] > 0).all()
    assert np.isfinite(smooth.log_likelihood(new)).all()
    np.testing.assert_array_equal(smooth.log_likelihood(new), smooth.log_likelihood(known))
    np.testing.assert_allclose(smooth.themes(new)[1], smooth.prior_, atol=1e-14)


def test_topics_of_words() -> None:
    counts, _ = planted()
    found = TTMM(n_themes=4, n_topics=4, restarts=5, random_state=0).fit(counts)
    words = found.transform_words()
    np.testing.assert_allclose(words.sum(axis=1), 1.0, atol=1e-12)
    joint = (found.prior_ @ found.mixing_)[:, None] * found.topics_
    np.testing.assert_allclose(words, (joint / joint.sum(axis=0)).T, atol=1e-12)


def test_words_of_held_out_documents_alone_are_not_known() -> None:
    counts, _ = planted()
    table = counts.toarray()
    held = (
        TTMM(n_themes=4, n_topics=3, early_stopping=True, validation=0.25, random_state=0)
        .fit(table)
        .validation_
    )
    table[:, 0] = np.where(np.isin(np.arange(80), held), 5, 0)
    found = TTMM(n_themes=4, n_topics=3, early_stopping=True, validation=0.25, random_state=0).fit(
        table
    )
    assert np.array_equal(found.validation_, held)
    assert not found.known()[0]
    np.testing.assert_allclose(found.themes(np.eye(24)[:1])[0], found.prior_, atol=1e-14)


def test_documents_held_out_are_not_trained_on() -> None:
    counts, _ = planted()
    found = TTMM(
        n_themes=12, n_topics=6, early_stopping=True, validation=0.25, restarts=2, random_state=0
    ).fit(counts)
    assert len(found.validation_) == 20
    assert len(found.validation_history_) == found.n_iter_ == len(found.history_)
    assert found.themes_.shape == (80, 12)
    changed = counts.toarray()
    changed[found.validation_] = np.roll(
        changed[found.validation_], 1, axis=0
    )  # the same documents, in another order
    again = TTMM(
        n_themes=12, n_topics=6, early_stopping=True, validation=0.25, restarts=2, random_state=0
    ).fit(changed)
    np.testing.assert_allclose(again.topics_, found.topics_, atol=1e-12)
    reached = (
        found.log_likelihood(counts[found.validation_]).sum() / counts[found.validation_].sum()
    )
    assert reached == pytest.approx(max(found.validation_history_), abs=1e-3)


def test_same_seed_same_bits_and_other_starts_differ() -> None:
    counts, _ = planted()
    one, two, other = (
        TTMM(n_themes=5, n_topics=3, random_state=seed).fit(counts) for seed in (1, 1, 2)
    )
    assert one.transform(counts).tobytes() == two.transform(counts).tobytes()
    assert one.topics_.tobytes() != other.topics_.tobytes()


def test_restarts_keep_the_best() -> None:
    counts, _ = planted()
    alone = [
        TTMM(n_themes=4, n_topics=4, random_state=0, restarts=n).fit(counts).history_[-1]
        for n in (1, 6)
    ]
    assert alone[1] >= alone[0]


class Memory:
    """A keeper in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, np.ndarray]] = {}

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        found = self.kept.get(key)
        return dict(found) if found else None

    def put(self, key: str, arrays) -> None:
        self.kept[key] = {name: np.array(value) for name, value in arrays.items()}


@pytest.mark.parametrize("early", [False, True])
def test_a_fit_is_taken_up_again_with_the_same_bits(monkeypatch, early: bool) -> None:
    monkeypatch.setattr("coterie.parts.iterate._KEEP_EVERY", -1.0)
    counts, _ = planted()
    settings = {
        "n_themes": 6,
        "n_topics": 3,
        "early_stopping": early,
        "random_state": 0,
        "tol": 0.0,
    }
    keeper = Memory()
    with using(keeper=keeper), pytest.warns(NotConverged):
        TTMM(**settings, max_iter=4).fit(counts)
    with using(keeper=keeper), pytest.warns(NotConverged):
        again = TTMM(**settings, max_iter=12).fit(counts)
    with pytest.warns(NotConverged):
        whole = TTMM(**settings, max_iter=12).fit(counts)
    assert again.history_ == whole.history_
    assert again.topics_.tobytes() == whole.topics_.tobytes()


def test_words_of_a_table_name_the_topics() -> None:
    counts, _ = planted()
    found = TTMM(n_themes=4, n_topics=4, restarts=5, random_state=0).fit(
        Table(counts, tuple(f"word{w}" for w in range(24)))
    )
    tops = [sorted(int(word[4:]) // 6 for word in words) for words in found.top_words(3)]
    assert all(len(set(owners)) == 1 for owners in tops)


def test_bad_input_is_one_sentence() -> None:
    counts, _ = planted()
    with pytest.raises(DataError, match="document 1 has -1"):
        TTMM().fit([[1.0, 2.0], [3.0, -1.0]])
    with pytest.raises(DataError, match="none of the 3 documents holds a word"):
        TTMM().fit(np.zeros((3, 2)))
    with pytest.raises(ParameterError, match="posterior must be predictive"):
        TTMM(posterior="best").fit(counts)
    with pytest.warns(
        UserWarning,
        match="90 themes of 3 topics are more than 80 documents of 24 words can tell apart",
    ):
        TTMM(n_themes=90, n_topics=3, random_state=0).fit(counts)
    with pytest.raises(DataError, match="needs at least two"):
        TTMM(n_themes=1, n_topics=1, early_stopping=True).fit([[1.0, 2.0]])
    found = TTMM(n_themes=2, n_topics=2, random_state=0).fit(counts)
    with pytest.raises(DataError, match="none of these documents holds a word"):
        found.score(np.zeros((2, 24)))
