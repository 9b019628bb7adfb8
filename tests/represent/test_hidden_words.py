"""Hidden words: the score by hand, the same halves for one seed, models that cannot be asked."""

from __future__ import annotations

import numpy as np
import pytest
from tests.represent.test_plsa import planted

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.parts.held_out import halved
from coterie.represent import LDA, LSA, NNTR, PLSA, TTMM, held_out_score


def test_it_is_the_mean_log_chance_of_the_hidden_half():
    table, _ = planted()
    model = PLSA(n_topics=3, random_state=0).fit(table)
    new, _ = planted(1)
    seen, hidden = halved(new, stream(4))
    chance = model.transform(seen) @ model.topics_
    by_hand = (hidden.toarray() * np.log(np.maximum(chance, 1e-300))).sum() / hidden.sum()
    assert held_out_score(model, new, random_state=4) == pytest.approx(by_hand, rel=1e-10)
    assert held_out_score(model, new, random_state=4) != held_out_score(model, new, random_state=5)


def test_a_model_of_the_true_topics_foretells_better_than_one_of_all_words():
    table, _ = planted()
    new, _ = planted(1)
    one, three = (
        held_out_score(PLSA(n_topics=k, early_stopping=True, random_state=0).fit(table), new)
        for k in (1, 3)
    )
    assert three > one + 0.1


def test_documents_of_one_word():
    table, _ = planted()
    model = PLSA(n_topics=3, random_state=0).fit(table)
    with pytest.raises(DataError, match="no document holds two words"):
        held_out_score(model, np.eye(60)[:5])


@pytest.mark.parametrize("posterior", ["token_share", "printed", "themes"])
def test_what_transform_gives_does_not_matter(posterior):
    table, _ = planted()
    new, _ = planted(1)
    plain = TTMM(n_themes=3, n_topics=3, random_state=0).fit(table)
    other = TTMM(n_themes=3, n_topics=3, posterior=posterior, random_state=0).fit(table)
    assert not np.allclose(other.transform(new), plain.transform(new))
    np.testing.assert_array_equal(other.predictive(new), plain.transform(new))
    assert held_out_score(other, new) == held_out_score(plain, new)


@pytest.mark.parametrize(
    "model",
    [
        PLSA(n_topics=3, random_state=0),
        LDA(n_topics=3, random_state=0),
        TTMM(n_themes=4, n_topics=3),
    ],
)
def test_words_that_were_not_fitted_are_left_out_by_every_model(model):
    table, _ = planted()
    table[:, 59] = 0
    model.fit(table)
    new, _ = planted(1)
    known = new.copy()
    only = np.zeros((1, 60))
    known[:, 59] = 0
    new[:, 59] = 7
    only[0, 59] = 3
    np.testing.assert_array_equal(model.transform(new), model.transform(known))
    np.testing.assert_array_equal(model.log_likelihood(new), model.log_likelihood(known))
    np.testing.assert_array_equal(model.transform(only), model.transform(np.zeros((1, 60))))
    assert held_out_score(model, new) == held_out_score(model, known)


@pytest.mark.parametrize("kind", [PLSA, LDA, TTMM, LSA, NNTR])
@pytest.mark.parametrize(
    "given", [["a b", "b c"], np.array(["a b", None], dtype=object)], ids=["list", "array"]
)
def test_texts_in_place_of_counts_are_sent_to_terms(kind, given):
    with pytest.raises(
        DataError,
        match=r"a list of texts was given; count their words first, as represent\.Terms does",
    ):
        kind().fit(given)
