"""What fuzzing found in representers: settings and members that fit did not see."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Ragged, TaggedText
from coterie.core.affinity import Dense
from coterie.core.errors import DataError, ParameterError
from coterie.parts import lda
from coterie.represent import KCCA, Attributes, Embedding, Frames, Shapes, Texture

ROWS = np.random.default_rng(0).normal(size=(12, 3))


def test_shapes_of_sets_are_no_shapes_of_sequences() -> None:
    sets = Ragged.of([ROWS, ROWS + 1, ROWS * 2], ordered=False)
    with pytest.raises(DataError, match="fitted on sets, and these members are sequences"):
        Shapes(points=5).fit(sets).transform([ROWS, ROWS])


def test_a_window_of_millions_of_samples_is_refused_before_it_is_made() -> None:
    sound = Ragged(np.zeros((100, 1)), np.array([0, 100]), rate=1e9)
    with pytest.raises(ParameterError, match="window_size_ms and target_rate_ms must be at most"):
        Frames().fit(sound)


def test_a_map_has_no_room_for_the_infinite() -> None:
    far = np.array([[0.0, np.inf, 1.0], [np.inf, 0.0, 1.0], [1.0, 1.0, 0.0]])
    with pytest.raises(DataError, match="infinite distance"):
        Embedding().fit(Dense(far, "distance"))


def test_a_threshold_beyond_all_waves_makes_all_flat() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Texture(threshold=1e300).fit_transform(
            [np.arange(300, dtype=np.uint8).reshape(10, 10, 3)]
        )
    assert found[0, 0] == found.sum() == 100


@pytest.mark.parametrize("offsets", [("a",), (0.5,), ()])
def test_offsets_are_whole_numbers(offsets) -> None:
    text = TaggedText(np.array(["a", "b"]), np.array([0, 2]), np.array([[0, 1], [1, 2]]))
    with pytest.raises(ParameterError, match="offsets must be whole numbers"):
        Attributes(offsets=offsets).fit(text)


@pytest.mark.parametrize("width", [1e-300, 1e300])
def test_a_width_whose_square_is_no_number_is_refused(width) -> None:
    with pytest.raises(ParameterError, match="KCCA: view 'one': width must lie between"):
        KCCA(kernel="gaussian", width=width).fit({"one": ROWS, "two": ROWS * 2})


def test_a_prior_of_next_to_nothing_gives_finite_topics() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = sp.csr_array(np.eye(4) + 0.5)
        model = lda.learned(rows, 2, alpha=5e-324, eta=5e-324, passes=3, seed=0)
        assert np.isfinite(model.weights).all()
        assert np.isfinite(model.shares(rows)).all()
        assert np.isfinite(model.bound(rows))


def test_many_topics_of_next_to_no_words_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = sp.csr_array(np.eye(6) * 1e-4)
        model = lda.learned(rows, 1000, alpha=1e-3, eta=0.01, passes=2, seed=0)
        assert np.isfinite(model.weights).all()
        assert np.isfinite(model.bound(rows))


def test_amplitudes_whose_powers_are_no_numbers_are_refused() -> None:
    sound = Ragged(np.ones((900, 1)), np.array([0, 900]), rate=8000.0)
    with pytest.raises(DataError, match="an amplitude is above 1e"):
        Frames().fit(sound).transform(sound.with_values(sound.values * 1e300))
