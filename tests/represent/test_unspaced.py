"""Words of scripts without spaces between words, and parts of words."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.represent import Terms
from coterie.represent.tokens import bigrams, fragments, words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("北京大学", ["北京", "京大", "大学"]),
        ("東京タワーに iPhone 12", ["東京", "京タ", "タワ", "ワー", "ーに", "iphone"]),
        ("茶", ["茶"]),
        ("Größe 水 naïve", ["größe", "水", "naïve"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("привет мир, γειά", ["привет", "мир", "γειά"]),
    ],
)
def test_runs_without_spaces_become_pairs_of_characters(text, wanted):
    assert words(text) == wanted


def test_a_mark_belongs_to_the_letter_it_is_written_on():
    assert words("ที่นี่") == bigrams("ที่นี่") == ["ที่นี่"]
    assert words("ไทยดี") == ["ไท", "ทย", "ยดี"]


def test_parts_of_words():
    assert fragments("Tea") == ["_te", "tea", "ea_"]
    assert fragments("a") == ["_a_"]
    fitted = Terms(min_df=1, characters=3).fit(["teapot", "teacup"])
    assert set(fitted.terms_) == {
        "_te",
        "tea",
        "eap",
        "apo",
        "pot",
        "ot_",
        "eac",
        "acu",
        "cup",
        "up_",
    }
    assert np.diff(fitted.counts(["a teapot"]).indptr).tolist() == [6]


def test_texts_that_share_no_word_are_grouped_by_parts_of_words():
    rng = np.random.default_rng(0)
    ends = ["ification", "ological"]
    names = ["".join(rng.choice(list("bcdfgjkm"), 5)) + ends[i % 2] for i in range(40)]
    found = coterie.explore(names, k=2)
    assert found.labels[0] != found.labels[1]
    assert len(set(found.labels[::2].tolist())) == 1
    assert "fragments" in [step.code for step in found.findings.steps]
    assert found.place(["zzzzification"]).labels.tolist() == [found.labels[0]]
