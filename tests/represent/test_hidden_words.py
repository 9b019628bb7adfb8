"""Hidden words: the score by hand, the same halves for one seed, models that cannot be asked."""

from __future__ import annotations

import numpy as np
import pytest
from tests.represent.test_plsa import planted

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.parts.held_out import halved
from coterie.represent.hidden_words import held_out_score
from coterie.represent.plsa import PLSA


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
    one, three = (held_out_score(PLSA(n_topics=k, early_stopping=True, random_state=0).fit(table), new) for k in (1, 3))
    assert three > one + 0.1


def test_documents_of_one_word():
    table, _ = planted()
    model = PLSA(n_topics=3, random_state=0).fit(table)
    with pytest.raises(DataError, match="no document holds two words"):
        held_out_score(model, np.eye(60)[:5])
