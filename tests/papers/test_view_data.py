"""Lines and sentences that say the same in several languages, draws of them, sets of many views, and generated views."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie_papers.view_data import (
    combos,
    drawn,
    generated,
    lines_of,
    read_set,
    sentences_of,
    sparse_view,
)


def test_lines_are_those_that_every_language_has_and_translated():
    english = [
        "a first line\nuntranslated here\nshort\na second line",
        "only one line",
        "a first line\nsome other line",
    ]
    german = [
        "die erste Zeile\nuntranslated here\nkurz\ndie zweite Zeile",
        "eine Zeile\nund noch eine",
        "wieder etwas\nnoch etwas",
    ]
    found = lines_of({"en": english, "de": german}, least=6)
    assert found == {
        "en": ["a first line", "a second line", "some other line"],
        "de": ["die erste Zeile", "die zweite Zeile", "noch etwas"],
    }


def test_sentences_of_lines_with_equally_many_everywhere():
    lines = {
        "en": ["One is here. Two is there!", "No. More."],
        "es": ["Uno está aquí. ¿Dónde está dos?", "Sin punto medio"],
    }
    assert sentences_of(lines, least=3) == {
        "en": ["One is here.", "Two is there!"],
        "es": ["Uno está aquí.", "¿Dónde está dos?"],
    }


def test_draws_are_apart_and_the_same_for_a_seed():
    words = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"]
    texts = [f"{words[i % 10]} {words[(i * i + 3) % 10]} {words[i // 4]} common" for i in range(40)]
    one, again = (drawn("texts", {"a": texts, "b": texts[::-1]}, 3, 20, 15) for _ in range(2))
    assert one.train["a"].shape[0] == 20
    assert one.test["b"].shape[0] == 15
    assert one.test["a"].sum() > 15
    np.testing.assert_array_equal(one.test["a"].toarray(), again.test["a"].toarray())
    part = one.only(("a",), 5)
    assert part.views == ("a",)
    assert part.test["a"].shape[0] == 5
    parted = one.parted(0)
    assert (parted.train["a"].shape[0], parted.test["a"].shape[0]) == (15, 5)
    together = np.vstack([parted.train["a"].toarray(), parted.test["a"].toarray()])
    assert sorted(map(tuple, together)) == sorted(map(tuple, one.train["a"].toarray()))
    with pytest.raises(
        DataError, match="texts has 40 lines in all its languages, and 60 are needed"
    ):
        drawn("texts", {"a": texts}, 0, 30, 30)


def test_combinations_all_or_some():
    assert len(combos("abcd", 2)) == 6
    some = combos("abcdefg", 3, 4)
    assert len(set(some)) == 4
    assert some == sorted(some)


def test_generated_views_share_clusters():
    sheet = generated(0, test=10)
    assert len(sheet.truth) == 300
    assert {rows.shape for rows in sheet.train.values()} == {(300, 150)}
    assert {rows.shape for rows in sheet.test.values()} == {(10, 150)}
    for rows in sheet.train.values():
        means = np.array([rows[sheet.truth == one].mean(axis=0) for one in range(8)])
        nearest = np.linalg.norm(rows[:, None] - means, axis=2).argmin(axis=1)
        assert np.mean(nearest == sheet.truth) > 0.8


def test_a_set_of_dense_and_sparse_views(tmp_path):
    rng = np.random.default_rng(0)
    counts = sp.csr_array(rng.poisson(0.5, size=(12, 9)) * (np.arange(9) != 4))
    parts = {f"view2_{name}": getattr(counts, name) for name in ("data", "indices", "indptr")}
    dense = rng.normal(size=(12, 3)) * [1, 10, 100]
    np.savez(
        tmp_path / "set.npz",
        labels=np.arange(12) % 3,
        view1=dense,
        **parts,
        view2_shape=np.array(counts.shape),
    )
    seen = read_set(tmp_path / "set.npz", "a set")
    assert (seen.name, seen.n_groups, list(seen.views)) == (
        "a set, 12 members",
        3,
        ["view1", "view2"],
    )
    np.testing.assert_allclose(seen.views["view1"].std(axis=0), 1)
    assert seen.views["view2"].shape == (12, 8)
    lengths = np.sqrt(
        np.asarray(seen.views["view2"].multiply(seen.views["view2"]).sum(axis=1)).ravel()
    )
    np.testing.assert_allclose(lengths[lengths > 0], 1)
    assert sparse_view(counts).shape == (12, 8)
