"""Frames: every family against its slow twin and against other people's code, known answers, and what is refused."""

from __future__ import annotations

import pickle

import kaldi_native_fbank as knf
import numpy as np
import pytest
import python_speech_features as psf
from scipy.linalg import solve_toeplitz
from sklearn.base import clone
from tests.oracles import frames as slow

from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts import signal
from coterie.represent import Frames, FrameSettings
from coterie.represent.cepstra import BASES

RATE = 8000
HTK = {
    "preem_coef": 0.97,
    "cep_lifter": 22,
    "lpc_order": 12,
    "delta_window": 2,
    "acc_window": 2,
    "use_power": False,
}
HTK |= {
    "normalize_energy": True,
    "num_ceps": 12,
    "num_chans": 26,
    "band": (0.0, RATE / 2),
    "window": 200,
    "step": 80,
}


def voice(n: int, seed: int = 0, loud: float = 0.2) -> np.ndarray:
    """Noise through three resonances, louder in the middle: something like a vowel."""
    generator = np.random.default_rng(seed)
    out = generator.normal(size=n)
    for hz in (600 + 50 * seed, 1200, 2600):
        pole = 2 * 0.97 * np.cos(2 * np.pi * hz / RATE)
        for t in range(2, n):
            out[t] += pole * out[t - 1] - 0.97**2 * out[t - 2]
    out *= np.hanning(n + 2)[1:-1]
    return loud * out / np.abs(out).max()


def sound(*waves: np.ndarray, rate: float = RATE) -> Ragged:
    whole = Ragged.of(list(waves))
    return Ragged(whole.values, whole.offsets, names=("amplitude",), rate=rate)


@pytest.fixture(scope="module")
def three() -> Ragged:
    return sound(voice(1200), voice(520, 1), voice(120, 2))  # the last is shorter than a window


@pytest.mark.parametrize(
    "kind", [*BASES, "MFCC_E_0_D_A_Z", "PLP_0_D_A_Z", "LPC_E_D", "LPCEPSTRA_E_0_D_Z", "FBANK_Z"]
)
def test_every_family_is_its_slow_twin(three, kind):
    found = Frames(target_kind=kind).fit_transform(three)
    for wave, frames in zip(three, found, strict=True):
        expected = slow.features(wave[:, 0], RATE, kind, HTK)
        assert frames.shape == expected.shape
        assert np.allclose(frames, expected, rtol=1e-9, atol=1e-9)


def test_other_settings_are_followed(three):
    given = HTK | {
        "preem_coef": 0.5,
        "cep_lifter": 0,
        "lpc_order": 8,
        "delta_window": 3,
        "acc_window": 1,
        "use_power": True,
    }
    given |= {
        "normalize_energy": False,
        "num_ceps": 9,
        "num_chans": 18,
        "band": (200.0, 3400.0),
        "window": 160,
        "step": 100,
    }
    chosen = FrameSettings(
        preem_coef=0.5,
        cep_lifter=0,
        lpc_order=8,
        delta_window=3,
        acc_window=1,
        use_power=True,
        band=(200, 3400),
        normalize_energy=False,
    )
    for kind in ("MFCC_E_D_A", "PLP_0_D", "LPCEPSTRA_E", "FBANK_D_A"):
        frames = Frames(
            target_kind=kind,
            target_rate_ms=12.5,
            window_size_ms=20,
            num_ceps=9,
            num_chans=18,
            settings=chosen,
        ).fit_transform(three)
        assert frames.rate == 80
        for wave, rows in zip(three, frames, strict=True):
            assert np.allclose(
                rows, slow.features(wave[:, 0], RATE, kind, given), rtol=1e-9, atol=1e-9
            )


def kaldi(samples: np.ndarray, *, cepstra: bool) -> np.ndarray:
    """Kaldi's features in its HTK-like setting: no dither, mel triangles, magnitudes; single precision."""
    options = knf.MfccOptions() if cepstra else knf.FbankOptions()
    frame = options.frame_opts
    frame.samp_freq = RATE
    frame.dither = 0.0
    frame.preemph_coeff = 0.97
    frame.window_type = "hamming"
    frame.remove_dc_offset = False
    frame.snip_edges = True
    frame.round_to_power_of_two = True
    options.mel_opts.num_bins = 26
    options.mel_opts.low_freq = 0.0
    options.mel_opts.high_freq = RATE / 2
    options.use_energy = False
    if cepstra:
        options.num_ceps = 13
        options.cepstral_lifter = 22.0
    else:
        options.use_power = False
    online = (knf.OnlineMfcc if cepstra else knf.OnlineFbank)(options)
    online.accept_waveform(RATE, (samples * 32768.0).tolist())
    online.input_finished()
    return np.array([online.get_frame(i) for i in range(online.num_frames_ready)])


def test_filters_are_those_of_kaldi():
    # compared: framing, pre-emphasis inside the frame, window, transform, mel triangles and logarithm, in 32 bits
    wave = voice(4000)
    found = Frames(target_kind="FBANK").fit_transform(sound(wave))
    expected = kaldi(wave, cepstra=False)
    assert found.values.shape == expected.shape
    assert np.abs(found.values - expected).max() < 1e-3


def test_cepstra_are_those_of_kaldi():
    # compared: the same and the cosine transform and the lifter; Kaldi's cepstra are of powers, and its c0 is scaled otherwise
    wave = voice(4000)
    found = (
        Frames(target_kind="MFCC_0", settings=FrameSettings(use_power=True))
        .fit_transform(sound(wave))
        .values
    )
    expected = kaldi(wave, cepstra=True)
    assert np.abs(found[:, :12] - expected[:, 1:]).max() < 2e-3
    assert np.allclose(found[:, 12] / np.sqrt(2), expected[:, 0], rtol=1e-4)


def test_cepstra_are_those_of_python_speech_features(monkeypatch):
    # compared: framing, transform, logarithm, cosine transform, lifter and differences in double precision. Its filters are
    # straight in Hz and not in mel, so ours are put in their place; its pre-emphasis crosses frames, so there is none.
    monkeypatch.setattr(
        psf.base, "get_filterbanks", lambda *given: signal.triangles(26, 256, RATE, 0, RATE / 2).T
    )
    wave = voice(200 + 20 * 80)
    chosen = FrameSettings(preem_coef=0.0, use_power=True, delta_window=2)
    found = Frames(target_kind="MFCC_D", settings=chosen).fit_transform(sound(wave)).values
    theirs = psf.mfcc(
        wave * 32768, RATE, 0.025, 0.01, 13, 26, 256, 0, RATE / 2, 0, 22, False, np.hamming
    )
    assert np.allclose(found[:, :12], theirs[:, 1:], rtol=1e-9, atol=1e-9)
    assert np.allclose(found[:, 12:], psf.delta(theirs, 2)[:, 1:], rtol=1e-9, atol=1e-9)


def test_prediction_is_that_of_scipy():
    frame = voice(300)[50:250] * np.hamming(200)
    lags = signal.autocorrelation(frame[None], 12)
    assert np.allclose(lags[0], np.correlate(frame, frame, "full")[199:212])
    found, error = signal.levinson(lags, 12)
    assert np.allclose(found[0], solve_toeplitz(lags[0, :12], -lags[0, 1:]))
    whitened = np.convolve(frame, [1, *found[0]])
    assert np.isclose(error[0], whitened @ whitened)


class TestKnownAnswers:
    def test_an_autoregressive_process_gives_its_coefficients(self):
        generator = np.random.default_rng(3)
        wave = np.zeros(80_000)
        for t, noise in enumerate(generator.normal(size=len(wave))):
            wave[t] = 1.3 * wave[t - 1] - 0.6 * wave[t - 2] + noise
        frames = Frames(
            target_kind="LPC",
            window_size_ms=10_000,
            target_rate_ms=10_000,
            settings=FrameSettings(lpc_order=2, preem_coef=0.0),
        )
        found = frames.fit_transform(sound(wave / 20)).values
        assert found.shape == (1, 2)
        assert np.allclose(found[0], [-1.3, 0.6], atol=0.02)

    def test_cepstra_of_a_prediction_are_those_of_its_spectrum(self):
        poles = np.array([0.9 * np.exp(1j * 0.7), 0.8 * np.exp(1j * 1.9)])
        polynomial = np.poly([*poles, *poles.conj()]).real
        found = signal.prediction_cepstra(polynomial[None, 1:], np.array([2.5]), 20)[0]
        log_power = np.log(2.5 / np.abs(np.fft.fft(polynomial, 4096)) ** 2)
        expected = np.fft.ifft(log_power).real[:21]
        assert np.allclose(found, expected, atol=1e-12)
        by_poles = [2 * np.sum(poles**n).real / n for n in range(1, 21)]
        assert np.allclose(found[1:], by_poles)

    def test_filters_peak_at_their_centers(self):
        weights = signal.triangles(26, 16384, RATE, 0, RATE / 2)
        peaks = weights.argmax(axis=0) * RATE / 16384
        centers = 700 * (np.exp(np.arange(1, 27) * (1127 * np.log(1 + 4000 / 700)) / 27 / 1127) - 1)
        assert np.abs(peaks - centers).max() <= RATE / 16384
        inside = weights[
            (np.arange(8193) * RATE / 16384 > centers[0])
            & (np.arange(8193) * RATE / 16384 < centers[-1])
        ]
        assert np.allclose(inside.sum(axis=1), 1.0)

    def test_a_tone_is_loudest_in_its_filter(self):
        tone = 0.3 * np.sin(2 * np.pi * 1000 * np.arange(800) / RATE)
        rows = Frames(target_kind="FBANK").fit_transform(sound(tone)).values
        expected = int(
            np.argmin(np.abs(signal.mel(1000.0) - np.arange(1, 27) * signal.mel(4000.0) / 27))
        )
        assert (rows.argmax(axis=1) == expected).all()

    def test_a_low_tone_masks_what_lies_above_it_more_than_below(self):
        centers = signal.critical_centers(0, 4000)
        assert np.allclose(np.diff(signal.bark(centers)), 15.575 / 16, atol=1e-3)
        bands = signal.critical_bands(centers, 256, RATE)[32]  # 1000 Hz
        middle = int(bands.argmax())
        assert bands[middle] == 1
        assert bands[middle + 2] > 10 * bands[middle - 2]
        loud = signal.equal_loudness(np.array([100.0, 1000.0, 4000.0]))
        assert loud[0] < loud[1] < loud[2]

    def test_energy_of_a_sine(self):
        tone = 0.5 * np.sin(
            2 * np.pi * 400 * np.arange(800) / RATE
        )  # 10 periods in a window of 200 samples
        chosen = FrameSettings(normalize_energy=False)
        rows = Frames(target_kind="MFCC_E", settings=chosen).fit_transform(sound(tone))
        assert rows.names[-1] == "mfcc:E"
        assert np.allclose(rows.values[:, -1], np.log(200 * (0.5 * 32768) ** 2 / 2))
        louder = sound(np.concatenate([tone, tone / 10, np.zeros(800)]))
        relative = Frames(target_kind="MFCC_E").fit_transform(louder).values[:, -1]
        assert np.isclose(relative[0], 1.0)
        assert np.isclose(relative[13], 1.0 - 0.1 * 2 * np.log(10))  # 20 dB less
        assert np.isclose(relative[-1], 1.0 - 0.1 * 5 * np.log(10))  # nothing is below 50 dB

    def test_the_difference_of_a_ramp_is_its_slope(self):
        ramp = np.outer(np.arange(20.0), [1.0, -3.0])
        both = np.concatenate([ramp, np.full((5, 2), 7.0)])
        slope = signal.differences(both, np.array([0, 20, 25]), 3)
        assert np.allclose(slope[3:17], [1.0, -3.0])
        assert not slope[20:].any(), "the ramp leaked into the next member"
        assert np.allclose(signal.differences(slope, np.array([0, 20, 25]), 2)[6:14], 0)

    def test_means_are_zero_and_energy_keeps_its_own(self):
        found = Frames(target_kind="MFCC_E_D_Z+PLP_0_Z").fit_transform(
            sound(voice(2000), voice(900, 1))
        )
        names = list(found.names)
        static = [j for j, name in enumerate(names) if not name.endswith(("_D", ":E"))]
        for frames in found:
            assert np.allclose(frames[:, static].mean(axis=0), 0, atol=1e-9)
            assert frames[:, names.index("mfcc:E")].max() == 1.0

    def test_loudness_moves_only_the_zeroth(self):
        wave = voice(1600)
        quiet, loud = (
            Frames(target_kind="MFCC_0").fit_transform(sound(gain * wave)).values
            for gain in (1.0, 4.0)
        )
        assert np.allclose(quiet[3:-3, :12], loud[3:-3, :12], atol=1e-6)
        assert np.allclose(loud[3:-3, 12] - quiet[3:-3, 12], np.sqrt(2 * 26) * np.log(4), atol=1e-6)


def test_names_and_rate(three):
    frames = Frames(
        target_kind="MFCC_E_0_D_A_Z+LPC_D+FBANK",
        num_ceps=3,
        num_chans=5,
        settings=FrameSettings(lpc_order=2),
    )
    found = frames.fit_transform(three)
    mfcc = ["c1", "c2", "c3", "c0", "E"]
    expected = [f"mfcc:{name}{end}" for end in ("", "_D", "_A") for name in mfcc]
    expected += ["lpc:a1", "lpc:a2", "lpc:a1_D", "lpc:a2_D", *(f"fbank:m{j}" for j in range(1, 6))]
    assert list(found.names) == expected
    assert list(frames.get_feature_names_out()) == expected
    assert found.rate == 100
    assert found.ordered
    assert found.lengths.tolist() == [13, 5, 1]
    assert np.array_equal(frames.represent(three).values, found.values)


def test_families_together_are_families_apart(three):
    together = Frames(target_kind="MFCC_D_Z+PLP_D_Z+LPCEPSTRA").fit_transform(three).values
    apart = [
        Frames(target_kind=kind).fit_transform(three).values
        for kind in ("MFCC_D_Z", "PLP_D_Z", "LPCEPSTRA")
    ]
    assert np.array_equal(together, np.concatenate(apart, axis=1))


def test_a_recording_does_not_depend_on_the_others(three):
    frames = Frames(target_kind="MFCC_E_D_A_Z+PLP_0_D_Z+LPC").fit(three[:1])
    found = frames.transform(three)
    for i in range(3):
        assert np.allclose(
            frames.transform(three[i : i + 1]).values, found[i], rtol=1e-10, atol=1e-10
        )
    listed = frames.transform(
        [wave[:, 0] for wave in three]
    )  # a list of plain arrays: the rate is that of fit
    assert np.array_equal(listed.values, found.values)


def test_many_blocks_and_workers_are_the_same_bits():
    many = sound(
        *(voice(1500, seed) for seed in range(4)),
        np.random.default_rng(0).normal(size=700_000) * 0.1,
    )
    with using(n_jobs=1):
        one = Frames(target_kind="MFCC_D_A_Z+PLP").fit_transform(many)
    with using(n_jobs=3):
        three = Frames(target_kind="MFCC_D_A_Z+PLP").fit_transform(many)
    assert len(one.values) > 2 * 4096
    assert one.values.tobytes() == three.values.tobytes()


def test_silence_and_tones_have_finite_features():
    quiet = np.zeros(800)
    steady = np.sin(2 * np.pi * 500 * np.arange(1600) / RATE)
    click = np.zeros(800)
    click[100] = 1.0
    found = Frames(target_kind="MFCC_E_0_D_A_Z+PLP_E_0+LPC+LPCEPSTRA_0+FBANK").fit_transform(
        sound(quiet, steady, click, np.ones(400), np.array([0.5]))
    )
    assert np.isfinite(found.values).all()
    assert not found[0][:, list(found.names).index("lpc:a1")].any()
    assert np.abs(found.values).max() < 1e3


def test_estimator_manners(three):
    frames = Frames(target_kind="PLP", settings=FrameSettings(lpc_order=5))
    copy = clone(frames)
    assert (
        repr(copy)
        == repr(frames)
        == "Frames(target_kind='PLP', settings=FrameSettings(lpc_order=5))"
    )
    fitted = frames.fit(three)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(three).values, fitted.transform(three).values)
    before = three.values.copy()
    fitted.transform(three)
    assert np.array_equal(before, three.values)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"target_kind": "MFCC_N_E"}, "cannot drop the absolute energy"),
        ({"target_kind": "MFCC_A"}, "needs _D"),
        ({"target_kind": "MELSPEC"}, "must begin with one of MFCC"),
        ({"target_kind": ""}, "must begin with one of MFCC"),
        ({"target_kind": "MFCC_D_D"}, "each once"),
        ({"target_kind": "MFCC_T"}, "takes _E, _0, _D, _A, _Z"),
        ({"target_kind": "MFCC+MFCC_D"}, "names MFCC twice"),
        ({"target_kind": "LPC_0"}, "for cepstra only"),
        ({"target_kind": 3}, "must be words"),
        ({"num_ceps": 26}, "num_ceps must be below num_chans"),
        ({"num_chans": 200}, "num_chans is too large: filter 1 of 200"),
        ({"target_rate_ms": 0.01}, "at least one sample"),
        ({"target_rate_ms": 0}, "target_rate_ms must be above 0"),
        ({"rate": 16000}, "rate must be that of the recordings, 8000"),
        ({"settings": {"lpc_order": 3}}, "settings must be a FrameSettings"),
        ({"settings": FrameSettings(band=(0, 5000))}, "band must lie between 0 and 4000 Hz"),
        ({"settings": FrameSettings(band="low")}, "band must be two frequencies"),
        ({"settings": FrameSettings(lpc_order=0)}, "lpc_order must be at least 1"),
        ({"settings": FrameSettings(use_power="yes")}, "use_power must be"),
        ({"target_kind": "PLP", "settings": FrameSettings(lpc_order=17)}, "17 critical bands"),
        ({"target_kind": "LPC", "settings": FrameSettings(lpc_order=200)}, "below the 200 samples"),
    ],
)
def test_what_is_refused(three, given, says):
    with pytest.raises(ParameterError, match=says):
        Frames(**given).fit(three)


def test_data_that_are_no_sound(three):
    frames = Frames().fit(three)
    with pytest.raises(
        DataError, match="one amplitude per step, and was given sequences of 2 values"
    ):
        frames.fit([np.zeros((500, 2))])
    with pytest.raises(DataError, match="sets without an order"):
        Frames(rate=8000).fit(Ragged(three.values, three.offsets, ordered=False))
    with pytest.raises(ParameterError, match="rate must be given"):
        Frames().fit([np.zeros(500)])
    with pytest.raises(DataError, match="recording 1 has NaN or infinity at sample 2"):
        Frames(rate=8000).fit([[0.0, 0.1, 0.2], [0.0, 0.1, np.nan]])
    with pytest.raises(DataError, match="recording 1 has no samples"):
        Frames(rate=8000).fit([[0.0, 0.1], []])
    with pytest.raises(
        DataError, match="fitted on 8000 samples per second, and these recordings have 16000"
    ):
        frames.transform(sound(voice(800), rate=16000))
    with using(memory="20KB"), pytest.raises(DataError, match="Features of 3 recordings takes"):
        frames.transform(sound(*([voice(2000)] * 3)))
