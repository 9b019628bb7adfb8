"""nntr-ranks on small texts written here: sentences taken out of documents, ranks, weights, and the rows of the table."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.represent.terms import Terms
from coterie_papers import nntr_ranks
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.nntr_ranks import (
    TFIDF,
    Bench,
    asked_on,
    bench,
    held_out_auc,
    settings_of,
    told,
    ways,
)
from coterie_papers.sentence_queries import Asked, mixed, texts_of, tuned

THEMES = (
    ("river", "water", "bank", "boat", "fish", "stream", "flood", "bridge", "shore", "tide"),
    ("piano", "music", "song", "note", "choir", "violin", "tune", "concert", "drum", "opera"),
    ("engine", "wheel", "motor", "brake", "gear", "road", "fuel", "driver", "truck", "tire"),
)


def _texts(n=90, seed=0):
    g = np.random.default_rng(seed)
    found = []
    for at in range(n):
        rows = [" ".join(g.choice(THEMES[at % 3], size=8)).capitalize() + "." for _ in range(5)]
        found.append(" ".join(rows))
    return found


@pytest.fixture(scope="module")
def asked():
    terms = Terms(weights="tf", min_df=1).fit(_texts())
    return Asked.of(_texts(12, seed=4), terms, np.random.default_rng(0))


def test_a_sentence_and_what_is_left_make_the_document(asked):
    whole = asked.documents[asked.owners].toarray()
    np.testing.assert_array_equal(asked.queries.toarray() + asked.rest.toarray(), whole)
    assert (asked.rest.toarray() >= 0).all()
    assert asked.queries.sum(axis=1).tolist() == [8] * len(asked)


def test_every_document_gives_three_sentences_at_most(asked):
    np.testing.assert_array_equal(np.bincount(asked.owners), 3)


def test_cosines_take_the_sentence_out_of_its_own_document_only(asked):
    found = asked.cosines(lambda counts: counts)
    for at in (0, 7):
        query = asked.queries.toarray()[at]
        for row in range(12):
            other = (
                asked.rest.toarray()[at]
                if row == asked.owners[at]
                else asked.documents.toarray()[row]
            ).astype(float)
            expected = query @ other / np.linalg.norm(query) / np.linalg.norm(other)
            assert found[at, row] == pytest.approx(expected, abs=1e-6)


def test_dense_and_sparse_vectors_give_the_same_cosines(asked):
    np.testing.assert_allclose(
        asked.cosines(lambda c: c.toarray()), asked.cosines(lambda c: c), atol=1e-6
    )


def test_found_among_the_first_ten_and_equal_scores_count_against():
    twenty = Asked(None, None, None, np.array([0, 0, 0]))
    scores = np.zeros((3, 20))
    scores[0, 1:10] = 2.0
    scores[0, 0] = 1.0
    scores[1, 1:11] = 2.0
    scores[1, 0] = 1.0
    np.testing.assert_array_equal(twenty.found(scores), [True, False, False])


def test_the_weight_is_the_best_of_the_grid_and_the_largest_of_equals():
    owners = np.arange(15)
    asked = Asked(None, None, None, owners)
    right = np.eye(15)
    wrong = 1 - np.eye(15)
    weight, shares = tuned(asked, right, wrong)
    assert weight == 1.0
    assert shares.max() == shares[-1] == 1.0
    assert tuned(asked, wrong, right)[0] < 0.5
    assert tuned(asked, right, right)[0] == 1.0


def test_scores_are_brought_to_one_spread():
    a = np.random.default_rng(0).normal(size=(2, 9))
    np.testing.assert_allclose(mixed(a, a * 100, 0.3), mixed(a, a, 0.3))
    np.testing.assert_array_equal(mixed(np.zeros((2, 3)), np.zeros((2, 3)), 0.5), 0.0)
    flat = (0.1 + 1e-9 * np.random.default_rng(1).normal(size=(2, 9))).astype(
        np.float32
    )  # the same but for rounding
    np.testing.assert_array_equal(np.argsort(mixed(a, flat, 0.5), axis=1), np.argsort(a, axis=1))


def test_scores_of_nothing_become_the_lowest(asked):
    found = asked.with_own(np.full((len(asked), 12), -np.inf), np.linspace(-2, 1, len(asked)))
    assert np.isfinite(found).all()
    assert found[0, (asked.owners[0] + 1) % 12] == -2


def test_texts_are_without_header_and_quotations_and_come_once(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    body = " ".join(["word"] * 40)
    post = f"From: a@b\nSubject: hats\n\n> quoted line\n{body}\n"
    (tmp_path / "newsgroups20").mkdir()
    table = pa.table({"text": [post, post, "Subject: x\n\nshort"]})
    pq.write_table(table, tmp_path / "newsgroups20" / "newsgroups20.parquet")
    assert texts_of(Trial(1, True, tmp_path), "newsgroups20") == [body]


@pytest.fixture(scope="module")
def small() -> Bench:
    return bench("made", _texts(120), 0, True)


def test_a_bench_learns_its_dictionary_from_documents_that_are_not_asked(small):
    assert small.counts.shape[0] == 120 - 2 * 24
    assert small.development.documents.shape[0] == small.test.documents.shape[0] == 24


def test_pieces_are_kept_by_all_that_they_depend_on(small, monkeypatch):
    whole = Bench(
        small.name, small.terms, small.counts, small.development, small.test, small.seed, False
    )
    assert small.where != whole.where
    wider = Bench(small.name, small.terms, small.counts, small.development, whole.test, 1, True)
    assert wider.where != small.where
    names = ("NNTR-W", "NNTR-P", "PLSA 50")
    assert all(settings_of(name, True) != settings_of(name, False) for name in names)
    before = settings_of("NNTR-W", False)
    monkeypatch.setitem(nntr_ranks.NETS, "NNTR-W", {"word_power": 0.5})
    assert settings_of("NNTR-W", False) != before
    keys = []
    monkeypatch.setattr(
        nntr_ranks, "kept", lambda where, name, seed, make: keys.append(f"{where}/{name}") or make()
    )
    monkeypatch.setattr(nntr_ranks, "ways", lambda b: {"NNTR-W": lambda: _scores(b)})
    asked_on(Ledger(), small)
    assert small.where in keys[0]
    assert settings_of("NNTR-W", True) in keys[0]


def _scores(b):
    found = {
        part: asked.cosines(lambda counts: counts)
        for part, asked in (("development", b.development), ("test", b.test))
    }
    return {**found, "seconds": np.array(1.0)}


@pytest.mark.parametrize(("seconds", "holds"), [((60.0, 899.0), True), ((60.0, 901.0), False)])
def test_the_time_of_training_is_a_relation(seconds, holds):
    hits = np.arange(20) % 2 == 0
    runs = []
    for taken in seconds:
        one = nntr_ranks.Ranked(hits, hits, 0.5, True, taken, 0.7)
        runs.append(
            dict.fromkeys((TFIDF, nntr_ranks.LENGTH, "LSA 50", "PLSA 50", "NNTR-W", "NNTR-P"), one)
        )
    ledger = Ledger()
    told(runs, "made", ledger)
    found = [relation for relation in ledger.relations if "in under 15 minutes" in relation.text]
    assert [relation.holds for relation in found] == [holds]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_and_relations_without_networks(small, monkeypatch):
    few = {
        name: make
        for name, make in ways(small).items()
        if not name.startswith(("NNTR", "LSA 50", "PLSA"))
    }
    monkeypatch.setattr(nntr_ranks, "ways", lambda b: few)
    ledger = Ledger()
    run = asked_on(ledger, small)
    told([run], "made", ledger, quick=True)
    share = {row.method: row.ours for row in ledger.rows if row.measure == nntr_ranks.MEASURE}
    assert set(share) == {
        TFIDF,
        "document length",
        "document length + TFIDF",
        "LSA 10",
        "LSA 10 + TFIDF",
    }
    assert share[TFIDF] > 0.5
    assert share["document length"] < share[TFIDF]
    assert all(relation.holds for relation in ledger.relations)
    assert {row.measure for row in ledger.rows} >= {"McNemar p", "weight of TFIDF"}


def test_a_missing_library_is_said_and_the_others_are_shown(small, monkeypatch):
    from coterie.core.errors import MissingExtra

    def missing():
        raise MissingExtra("This needs torch.")

    monkeypatch.setattr(
        nntr_ranks, "ways", lambda b: {TFIDF: ways(small)[TFIDF], "NNTR-W": missing}
    )
    ledger = Ledger()
    assert list(asked_on(ledger, small)) == [TFIDF]
    assert ledger.skipped == ["NNTR-W: This needs torch."]


def test_without_data_the_experiment_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    found = nntr_ranks.EXPERIMENT.conduct(quick=True, folder=tmp_path)
    assert not found.rows
    assert len(found.skipped) == 2


class Knows:
    """A network that knows which words are of which theme, or the opposite."""

    def __init__(self, sign):
        self.sign = sign

    def pair_scores(self, words, documents):
        return self.sign * np.asarray(documents[np.arange(len(words)), words]).ravel()


@pytest.mark.parametrize(("sign", "expected"), [(1, 1.0), (-1, 0.0), (0, 0.5)])
def test_auc_of_a_network_that_knows(asked, sign, expected):
    assert held_out_auc(Knows(sign), asked.documents, np.random.default_rng(0)) == expected
