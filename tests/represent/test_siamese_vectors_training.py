"""Siamese trained: documents of one kind come together though they share few words, and the same seed gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.workplace import using
from coterie.represent import Siamese

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")


def documents(n, seed, parts=3):
    """Documents of three kinds; a paragraph has six of the kind's thirty words."""
    generator = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    texts = [
        "\n\n".join(
            " ".join(f"w{'abc'[k]}{_letters(j)}" for j in generator.choice(30, 6, replace=False))
            for _ in range(parts)
        )
        for k in kind
    ]
    return texts, kind


def _letters(j):
    return "abcdefghij"[j // 10] + "abcdefghij"[j % 10]


def model(**other):
    return Siamese(
        **{
            "n_hidden": 12,
            "n_components": 6,
            "min_words": 5,
            "max_iter": 15,
            "random_state": 2,
            **other,
        }
    )


@pytest.fixture(scope="module")
def fitted():
    return model().fit(documents(90, 0)[0])


def _separation(vectors, kind):
    """The mean of inner products within a kind less that between kinds, over the mean size."""
    products = vectors @ vectors.T
    same = kind[:, None] == kind[None, :]
    off = ~np.eye(len(kind), dtype=bool)
    return (products[same & off].mean() - products[~same].mean()) / np.abs(products[off]).mean()


def test_kinds_come_apart_in_documents_that_were_not_seen(fitted):
    texts, kind = documents(60, 7, parts=1)
    assert fitted.transform(texts).shape == (60, 6)
    within = kind[:, None] == kind[None, :]
    lone = (fitted.terms_.transform(texts) @ fitted.terms_.transform(texts).T).toarray() == 0
    assert (lone & within).any()  # some of one kind share no word at all
    vectors = fitted.transform(texts)
    assert _separation(vectors, kind) > 0.8
    assert (vectors @ vectors.T)[lone & within].mean() > (vectors @ vectors.T)[~within].mean() + 0.5


def test_the_loss_on_held_out_triplets_falls_and_the_best_is_kept(fitted):
    assert (
        min(fitted.history_) < 0.6
    )  # a third of the others are of the same kind; 1 is what says nothing
    assert fitted.triplet_loss(documents(60, 9)[0]) < 0.6
    assert fitted.n_triplet_documents_ == 90


def test_same_seed_same_bits_for_any_number_of_workers():
    texts = documents(30, 0)[0]
    found = []
    for workers in (1, 2):
        with using(n_jobs=workers):
            found.append(model(max_iter=2).fit(texts).transform(texts))
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(
        found[0], model(max_iter=2, random_state=3).fit(texts).transform(texts)
    )


def test_empty_documents_are_kept_and_named():
    texts = [*documents(30, 0)[0], "", "!"]
    found = model(max_iter=2).fit(texts)
    assert found.empty_.tolist() == [30, 31]
    assert (found.transform(texts)[30:] == 0).all()
