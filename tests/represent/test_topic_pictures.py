"""Topics and themes as bars: the likeliest first, by name, with their probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from coterie.core.errors import DataError, ParameterError
from coterie.represent import TTMM, Scaling, theme_bars, topic_bars
from coterie.show import topics


@pytest.fixture
def model() -> TTMM:
    found = TTMM()
    found.topics_ = np.array([[0.1, 0.7, 0.2, 0.0], [0.25, 0.25, 0.1, 0.4]])
    found.mixing_ = np.array([[0.9, 0.1], [0.3, 0.7]])
    found.prior_ = np.array([0.2, 0.8])
    found.words_ = np.array(["ant", "bee", "cat", "dog"], dtype=object)
    return found


def test_likeliest_words_first(model) -> None:
    bars = topic_bars(model, n=3)
    assert bars.panels["topic 0"] == (("bee", 0.7), ("cat", 0.2), ("ant", 0.1))
    assert bars.panels["topic 1"] == (("dog", 0.4), ("ant", 0.25), ("bee", 0.25))
    assert "bee" in topics.draw(bars)


def test_some_topics_other_names_and_no_word_of_chance_zero(model) -> None:
    bars = topic_bars(model, n=4, topics=[0], words=["w0", "w1", "w2", "w3"])
    assert list(bars.panels) == ["topic 0"]
    assert [name for name, _ in bars.panels["topic 0"]] == ["w1", "w2", "w0"]


def test_themes_of_most_documents_first(model) -> None:
    bars = theme_bars(model)
    assert list(bars.panels) == ["theme 1", "theme 0"]
    assert bars.panels["theme 1"] == (("1: dog", 0.7), ("0: bee", 0.3))


def test_errors_are_sentences(model) -> None:
    with pytest.raises(ParameterError, match="no topic 2; they go from 0 to 1"):
        topic_bars(model, topics=[2])
    with pytest.raises(ParameterError, match="n must be a whole number from 1"):
        topic_bars(model, n=0)
    with pytest.raises(DataError, match="4 columns and 1 names"):
        topic_bars(model, words=["a"])
    with pytest.raises(DataError, match="Scaling has no topics to draw"):
        topic_bars(Scaling().fit(np.eye(3)))
    with pytest.raises(NotFittedError):
        topic_bars(TTMM())
