"""Series as rows: convolutions, quantiles, spectra and paths against sums, gaps and lengths, order of the rows, workers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import series as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.workplace import using
from coterie.represent import Means, Paths, PowerSpectrum, Quantiles, RandomConvolutions
from coterie.represent.convolutions import split_level
from coterie.represent.series import bring_to_length, common_length, without_level
from coterie.testing import promises

ALL = (Means, Paths, PowerSpectrum, Quantiles, RandomConvolutions)


def walks(n: int = 20, channels: int = 2, seed: int = 0, least: int = 20, most: int = 60) -> Ragged:
    random = np.random.default_rng(seed)
    lengths = random.integers(least, most, size=n)
    return Ragged.of([np.cumsum(random.normal(size=(m, channels)), axis=0) for m in lengths])


def made(kind: type, **settings: object):
    own = {"random_state": 0, "n_kernels": 40} if kind is RandomConvolutions else {}
    return kind(**{**own, **settings})


@pytest.mark.parametrize(
    "promise", [promise for kind in ALL for promise in promises(made(kind))], ids=str
)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("level", ["keep", "center", "standardize"])
def test_shares_are_those_of_the_slow_twin(channels, level):
    members = walks(8, channels)
    method = RandomConvolutions(n_kernels=25, random_state=1, level=level).fit(members)
    rows = method.transform(members)
    frames = method.scaled(members)
    for i, trace in enumerate(frames):
        values = trace / method.rms_
        if level != "keep":
            values = values - values.mean(axis=0)
        if level == "standardize":
            values = values / (values.std(axis=0) + 1e-9)
        brought = np.transpose(
            [slow.stretched(list(values[:, c]), method.steps_) for c in range(channels)]
        )
        for j in range(25):
            used = slice(method.starts_[j], method.starts_[j + 1])
            response = slow.convolution(
                brought, method.weights_[used], method.channels_[used], method.dilations_[j]
            )
            share = slow.share_above(response, method.thresholds_[j])
            assert rows[i, j] == pytest.approx(share, abs=1e-12)


def test_weights_have_mean_zero_and_use_a_channel_once():
    method = RandomConvolutions(n_kernels=60, random_state=2).fit(walks(10, 4))
    assert np.allclose(method.weights_.mean(axis=1), 0.0)
    assert set(np.log2(method.dilations_) % 1) == {0.0}
    for j in range(60):
        channels = method.channels_[method.starts_[j] : method.starts_[j + 1]]
        assert len(set(channels)) == len(channels) >= 1
    assert (np.diff(method.starts_) > 1).any()


def test_a_threshold_lies_between_two_responses_and_above_equal_ones():
    random = np.random.default_rng(0)
    values = random.normal(size=101)
    for level in (0.1, 0.37, 0.9):
        share = float((values > split_level(values, level)).mean())
        assert abs(share - (1 - level)) < 0.02
    assert not (np.full(9, 0.3) > split_level(np.full(9, 0.3), 0.5)).any()


def test_quantiles_are_those_of_the_slow_twin():
    members = walks(5, 2)
    method = Quantiles(levels=(0.1, 0.5, 0.8)).fit(members)
    rows = method.transform(members)
    for row, trace in zip(rows, method.scaled(members), strict=True):
        values = trace / method.rms_
        first = values[1:] - values[:-1]
        second = np.abs(first[1:] - first[:-1])
        expected = [
            slow.quantile(list(part[:, c]), level)
            for part, levels in (
                (values, (0.1, 0.5, 0.8)),
                (first, (0.1, 0.5, 0.8)),
                (second, (0.1, 0.5, 0.9)),
            )
            for level in levels
            for c in range(2)
        ]
        assert np.allclose(row, expected)


@pytest.mark.parametrize("level", ["keep", "standardize"])
def test_bands_are_those_of_the_slow_twin(level):
    members = walks(4, 1, least=16, most=40)
    method = PowerSpectrum(bands=4, level=level).fit(members)
    rows = method.transform(members)
    for row, trace in zip(rows, method.scaled(members), strict=True):
        wave = np.array(slow.stretched(list(trace[:, 0] / method.rms_), method.steps_))
        if level == "standardize":
            wave = (wave - wave.mean()) / (wave.std() + 1e-9)
        assert np.allclose(row, slow.bands(slow.power(list(wave)), method.edges_, 1e-3))


def test_a_wave_has_its_power_in_its_band():
    t = np.arange(128)
    members = Ragged.of([np.sin(2 * np.pi * t * f / 128) for f in (2, 40)])
    method = PowerSpectrum(bands=6).fit(members)
    rows = method.transform(members)
    for row, frequency in zip(rows, (2, 40), strict=True):
        band = int(np.argmax(row))
        assert method.edges_[band] <= frequency < method.edges_[band + 1]


@pytest.mark.parametrize("steps", [1, 2, 7, 12, 30])
def test_lengths_are_changed_as_by_the_slow_twin(steps):
    trace = np.random.default_rng(steps).normal(size=(steps, 2))
    found = bring_to_length(trace, 12)
    for c in range(2):
        assert np.allclose(found[:, c], slow.stretched(list(trace[:, c]), 12))


def test_means_and_covariances():
    members = walks(6, 2)
    means = Means().fit_transform(members)
    both = Means(covariances=True).fit(members)
    rows = both.transform(members)
    frames = both.scaled(members)
    for row, mean, trace in zip(rows, means, frames, strict=True):
        values = trace / both.rms_
        assert np.allclose(row[:2], mean)
        covariance = np.cov(values.T, bias=True)[np.triu_indices(2)]
        assert np.allclose(np.sign(row[2:]) * row[2:] ** 2, covariance)


def test_the_level_of_a_member_can_be_taken_off():
    quiet = walks(6, 3)
    louder = quiet.with_values(quiet.values + np.repeat(np.arange(6.0), quiet.lengths)[:, None])
    method = Quantiles(same_level=True)
    assert np.allclose(method.fit_transform(quiet), method.fit_transform(louder))
    assert not np.allclose(Quantiles().fit_transform(quiet), Quantiles().fit_transform(louder))
    assert np.allclose(
        np.add.reduceat(without_level(quiet).values.sum(axis=1), quiet.offsets[:-1]), 0
    )


@pytest.mark.parametrize("kind", ALL)
def test_standard_columns_have_no_extremes(kind):
    members = walks(40, 2)
    rows = made(kind, standardize=True).fit_transform(members)
    assert np.abs(rows).max() <= 4.0
    varied = rows.std(axis=0) > 0
    assert varied.any()
    assert (rows[:, varied].std(axis=0) > 0.5).all()


@pytest.mark.parametrize("kind", ALL)
def test_gaps_short_series_and_many_channels(kind):
    random = np.random.default_rng(3)
    members = [random.normal(size=(n, 25)) for n in (1, 2, 3, 9, 30, 300)]
    members[4][3:6, :] = np.nan
    rows = made(kind).fit_transform(members)
    assert rows.shape[0] == 6
    assert np.isfinite(rows).all()


@pytest.mark.parametrize("kind", ALL)
def test_rows_do_not_depend_on_their_order_or_on_workers(kind):
    members = walks(90, 2)
    order = np.random.default_rng(1).permutation(90)
    with using(n_jobs=1):
        rows = made(kind).fit_transform(members)
    with using(n_jobs=2):
        again = made(kind).fit_transform(members)
        turned = made(kind).fit_transform(members.take(order))
    assert np.array_equal(rows, again)
    assert np.allclose(turned, rows[order], atol=1e-9)


def test_what_cannot_be_used_is_refused_by_member():
    good = walks(5, 2)
    with pytest.raises(DataError, match="member 1 has NaN or infinity at step 2"):
        Quantiles().fit([np.zeros((3, 1)), np.array([[0.0], [1.0], [np.inf]])])
    with pytest.raises(DataError, match="every dimension is constant"):
        RandomConvolutions(random_state=0).fit([np.ones((9, 1))] * 3)
    with pytest.raises(DataError, match="was fitted on 2 values per step"):
        Paths().fit(good).transform(walks(3, 3))
    for kind in (Paths, PowerSpectrum, RandomConvolutions):
        with pytest.raises(DataError, match="these members are sets"):
            made(kind).fit(Ragged(good.values, good.offsets, ordered=False))
    with pytest.raises(ParameterError, match="levels must be numbers from 0 to 1"):
        Quantiles(levels=(0.5, 2.0)).fit(good)


def test_common_lengths_are_bounded():
    assert common_length(walks(9, 1, least=300, most=400), 200) == 200
    assert common_length(walks(9, 1, least=2, most=4), 200) == 8
