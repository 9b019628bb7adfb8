"""Integration: its slow twin, a law that is known, silence, windows, scales and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.oracles import autoregression as slow

from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.represent import Frames, FrameSettings, Integration
from coterie.testing import promises

LAW = np.array([[[0.5, 0.2], [-0.1, 0.3]], [[-0.3, 0.0], [0.1, 0.2]]])  # B_1 and B_2
LEVEL = np.array([1.0, -0.5])
SPREAD = np.array([[1.0, 0.4], [0.4, 0.5]])


def process(steps: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    shocks = generator.multivariate_normal(np.zeros(2), SPREAD, size=steps + 50)
    made = np.zeros((steps + 50, 2))
    for t in range(2, len(made)):
        made[t] = LEVEL + LAW[0] @ made[t - 1] + LAW[1] @ made[t - 2] + shocks[t]
    return made[50:]


@pytest.mark.parametrize(
    "promise",
    [*promises(Integration()), *promises(Integration(method="moments", scale="standard"))],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_promise(promise):
    promise()


def test_every_window_is_its_slow_twin():
    generator = np.random.default_rng(1)
    members = [np.cumsum(generator.normal(size=(n, 3)), axis=0) for n in (70, 133, 200, 41)]
    found = Integration(window=40, hop=13.5, order=2, ridge=0.0).fit_transform(members)
    for member, rows in zip(members, found, strict=True):
        expected = slow.integrated(member, 2, 40, 13.5)
        assert rows.shape == expected.shape
        assert np.allclose(rows, expected, rtol=1e-7, atol=1e-8)


def test_a_known_law_is_recovered():
    found = Integration(window=20000, order=2).fit_transform([process(20000)])
    expected = np.concatenate([LAW.ravel(), LEVEL, SPREAD[np.triu_indices(2)]])
    assert found.values.shape == (1, len(expected))
    assert np.allclose(found.values[0], expected, atol=0.05)


def test_the_ridge_hardly_moves_what_is_not_silent():
    without, with_it = (
        Integration(window=200, ridge=ridge).fit_transform([process(1000)]).values
        for ridge in (0.0, 1e-6)
    )
    assert not np.array_equal(without, with_it)
    assert np.allclose(without, with_it, atol=1e-4)


def test_music_has_windows_of_135_numbers():
    """Six cepstra of 60 s: 3999 frames, 59 windows of 2 s, 108 coefficients, 6 levels and 21 covariances."""
    sound = Ragged(
        0.1 * np.random.default_rng(0).normal(size=(60 * 4000, 1)),
        np.array([0, 60 * 4000]),
        rate=4000.0,
    )
    plain = FrameSettings(preem_coef=0.0, cep_lifter=0, window_shape="hann")
    heard = Frames(
        target_kind="MFCC",
        target_rate_ms=15,
        window_size_ms=30,
        num_ceps=6,
        num_chans=30,
        settings=plain,
    )
    frames = heard.fit_transform(sound)
    assert frames.lengths.tolist() == [3999]
    made = Integration().fit(frames)
    found = made.transform(frames)
    assert found.values.shape == (59, 135)
    assert found.rate == pytest.approx(1.0)
    assert found.ordered
    assert found.names[:2] == ("c1 by c1, 1 before", "c1 by c2, 1 before")
    assert found.names[107:109] == ("c6 by c6, 3 before", "level of c1")
    assert found.names[-1] == "error of c6 with c6"
    assert list(made.get_feature_names_out()) == list(found.names)
    assert np.allclose(found.values[58], slow.vector(frames[0][3866:3999], 3), atol=1e-3)


def test_silence_has_an_answer():
    quiet = np.full((100, 2), -3.7)
    mixed = np.concatenate([quiet, process(100)])
    found = Integration(window=50, order=1).fit_transform([quiet, np.zeros((100, 2)), mixed])
    assert np.isfinite(found.values).all()
    assert np.allclose(found[0], [0, 0, 0, 0, -3.7, -3.7, 0, 0, 0], atol=1e-9)
    assert not found[1].any()


def test_moments_are_means_and_covariances():
    data = process(300)
    found = Integration(method="moments", window=100).fit_transform([data])
    assert len(found.values) == 5
    piece = data[50:150]
    expected = [*piece.mean(axis=0), *np.cov(piece.T, bias=True)[np.triu_indices(2)]]
    assert np.allclose(found.values[1], expected)
    assert found.names == (
        "mean of x1",
        "mean of x2",
        "covariance of x1 with x1",
        "covariance of x1 with x2",
        "covariance of x2 with x2",
    )
    bag = Integration(method="moments", window=100).fit_transform(Ragged.of([data], ordered=False))
    assert np.array_equal(bag.values, found.values)


def test_scales_are_learned_once_and_kept():
    old = [process(400, seed) for seed in range(3)]
    new = [process(400, 9)]
    plain = Integration(window=50).fit(old)
    scaled = Integration(window=50, scale="standard").fit(old)
    assert np.allclose(scaled.transform(old).values.std(axis=0), 1.0)
    spread = plain.transform(old).values.std(axis=0)
    assert np.allclose(scaled.transform(new).values, plain.transform(new).values / spread)


def test_short_members_are_one_window_and_very_short_ones_are_refused():
    members = [process(200), process(60), process(20)]
    with pytest.warns(
        UserWarning, match=r"1 member\(s\) have fewer than 30 steps, the first is member 2"
    ):
        found = Integration(window=100).fit_transform(members)
    assert found.lengths.tolist() == [3, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Integration(window=100).fit_transform(members[:2])) == 2
    with pytest.raises(DataError, match="member 1 has 4 step"):
        Integration(window=100).fit([process(200), process(4)])


def test_seconds_and_steps():
    frames = Ragged.of([process(500)])
    timed = Ragged(frames.values, frames.offsets, rate=50.0)
    by_steps = Integration(window=50, hop=10).fit_transform(frames)
    by_seconds = Integration(window=1, hop=0.2).fit_transform(timed)
    assert np.array_equal(by_steps.values, by_seconds.values)
    assert by_seconds.rate == pytest.approx(5.0)
    assert by_steps.rate == 0
    assert Integration().fit(frames).length_ == 100
    assert Integration().fit(timed).length_ == 100


def test_workers_change_nothing():
    members = [process(2000 + 7 * i, i) for i in range(4)]
    with using(n_jobs=1):
        one = Integration(window=900, hop=2).fit_transform(members).values  # several blocks
    with using(n_jobs=2):
        two = Integration(window=900, hop=2).fit_transform(members).values
    assert one.tobytes() == two.tobytes()


def test_refusals():
    data = process(200)
    hole = data.copy()
    hole[3, 1] = np.nan
    with pytest.raises(DataError, match="member 1 has a missing value"):
        Integration().fit([data, hole])
    with pytest.raises(DataError, match="takes sequences"):
        Integration().fit(Ragged.of([data], ordered=False))
    with pytest.raises(ParameterError, match="window must hold at least 30 steps"):
        Integration(window=20).fit([data])
    timed = Ragged(data, np.array([0, 200]), rate=20.0)
    with pytest.raises(ParameterError, match="1 seconds are 20 steps"):
        Integration(window=1).fit(timed)
    with pytest.raises(ParameterError, match="hop must be at least one step"):
        Integration(window=2, hop=0.01).fit(timed)
    fitted = Integration(window=2).fit(timed)
    with pytest.raises(DataError, match="fitted on 20 steps per second"):
        fitted.transform(Ragged(data, np.array([0, 200]), rate=40.0))
    with pytest.raises(DataError, match="3 values per step where the fitted ones have 2"):
        fitted.transform([np.zeros((100, 3))])


def test_a_hann_window_is_zero_at_its_ends():
    wave = np.zeros(400)
    wave[0] = (
        0.5  # only the first sample of a frame sounds: a Hann window does not hear it, a Hamming window does
    )
    sound = Ragged(wave[:, None], np.array([0, 400]), rate=8000.0)
    hann = FrameSettings(preem_coef=0.0, window_shape="hann")
    deaf = Frames(target_kind="FBANK", window_size_ms=50, settings=hann).fit_transform(sound)
    heard = Frames(
        target_kind="FBANK", window_size_ms=50, settings=FrameSettings(preem_coef=0.0)
    ).fit_transform(sound)
    assert not deaf.values.any()
    assert heard.values.any()
