"""Divergences of two samples: the value, the interval from half samples, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.judge import (
    Estimate,
    cross_entropy,
    divergence,
    entropy,
    independence_test,
    mutual_information,
    two_sample_test,
)
from coterie.judge.two_samples import Measure, halves, samples
from coterie.parts.fdivergences import fdivergence
from coterie.parts.risks import risk_for


def _apart(
    n: int, m: int, shift: float, dim: int = 2, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim))
    y = rng.normal(size=(m, dim))
    x[:, 0] += shift
    return x, y


@pytest.mark.parametrize(("f", "risk"), [("kl", "nn"), ("hellinger", "nn"), ("kl", "bound")])
def test_value_is_that_of_the_parts(f, risk):
    x, y = _apart(40, 50, 1.0)
    by = risk_for(risk, "test")
    pair = Ragged.of([x, y], ordered=False)
    expected = by.divergences(by.look(pair, learned=by.learned(pair)), fdivergence(f, "test"))[0, 1]
    assert divergence(x, y, f, risk, replicates=0).value == pytest.approx(expected, rel=1e-12)


def test_value_is_near_the_truth():
    x, y = _apart(1000, 1000, 1.0)
    found = divergence(x, y, "hellinger", replicates=20, random_state=0)
    assert found.value == pytest.approx(2 * (1 - np.exp(-1 / 8)), abs=0.06)
    assert found.lower <= found.value <= found.upper
    assert (found.n, found.m, found.name) == (1000, 1000, "hellinger by NN")


def test_a_classifier_is_called_by_its_name():
    found = divergence(*_apart(60, 60, 1.0), "hellinger", "logistic", replicates=4, random_state=0)
    assert found.name == "hellinger by logistic"
    assert 0 < found.value < 0.6


def test_halves_are_disjoint_and_nobody_is_drawn_twice():
    found = halves(11, 8, 6, seed=3)
    assert len(found) == 6
    for (a, b), (c, d) in zip(found[::2], found[1::2], strict=True):
        assert sorted([*a, *c]) == list(range(11))
        assert sorted([*b, *d]) == list(range(8))
    assert len(halves(11, 8, 5, seed=3)) == 5


def test_spread_is_the_deviation_over_half_samples():
    x, y = _apart(30, 40, 0.3)
    found = divergence(x, y, "js", replicates=40, random_state=5)
    measure = Measure.of("js", "nn", 0, "test")
    values = [measure.uncut(measure.look(x[a], y[b])) for a, b in halves(30, 40, 40, 5)]
    assert min(values) < 0
    assert np.clip(values, 0, np.log(2)).tolist() == pytest.approx(
        [measure(x[a], y[b]) for a, b in halves(30, 40, 40, 5)]
    )
    assert found.spread == pytest.approx(np.std(values, ddof=1), rel=1e-10)
    assert found.upper == pytest.approx(found.value + 1.959964 * found.spread, rel=1e-6)


def test_spread_is_that_of_new_samples():
    """The standard deviation read off one pair of samples is about that over many pairs."""
    values = []
    spreads = []
    for seed in range(30):
        found = divergence(
            *_apart(60, 60, 1.5, seed=seed), "hellinger", replicates=16, random_state=seed
        )
        values.append(found.value)
        spreads.append(found.spread)
    assert np.mean(spreads) / np.std(values) == pytest.approx(1.0, abs=0.35)


def test_level_widens_the_interval():
    x, y = _apart(60, 60, 1.5)
    narrow, wide = (
        divergence(x, y, "js", level=level, replicates=30, random_state=0) for level in (0.5, 0.99)
    )
    assert narrow.upper - narrow.lower < 0.5 * (wide.upper - wide.lower)
    assert wide.upper <= np.log(2)


def test_interval_stays_above_zero_and_same_samples_have_nothing_between_them():
    x, _ = _apart(40, 40, 0.0)
    found = divergence(x, x, "hellinger", replicates=20, random_state=0)
    assert found.value == 0
    assert found.lower == 0
    assert any("share vectors" in note for note in found.notes)


def test_few_rows_and_no_replicates_are_said():
    x, y = _apart(10, 12, 1.0)
    assert any(
        "the interval is rough" in note
        for note in divergence(x, y, replicates=10, random_state=0).notes
    )
    found = divergence(x, y, replicates=0)
    assert np.isnan(found.lower)
    assert str(found) == f"hellinger by NN = {found.value:.4g} on a scale from 0 to 2"


def test_a_moving_estimate_is_said():
    from coterie.judge.two_samples import estimated

    halved = np.array([1.0, 1.1, 0.9])
    assert any(
        "Half as many rows give 1 on average" in note
        for note in estimated(0.5, halved, 0.9, "kl", (99, 99)).notes
    )
    assert estimated(1.02, halved, 0.9, "kl", (99, 99)).notes == ()


def test_same_bits_for_any_number_of_workers_and_any_kind_of_frame():
    x, y = _apart(30, 30, 1.0)
    with using(n_jobs=1):
        first = divergence(x, y, replicates=12, random_state=7)
    with using(n_jobs=2):
        assert divergence(x, y, replicates=12, random_state=7) == first
    names = ["a", "b"]
    assert (
        divergence(
            pd.DataFrame(x, columns=names),
            pd.DataFrame(y, columns=names),
            replicates=12,
            random_state=7,
        )
        == first
    )
    assert (
        divergence(
            pl.DataFrame(x, schema=names),
            pl.DataFrame(y, schema=names),
            replicates=12,
            random_state=7,
        )
        == first
    )
    turned = pd.DataFrame(y[:, ::-1], columns=["b", "a"])
    assert (
        divergence(pd.DataFrame(x, columns=names), turned, replicates=12, random_state=7) == first
    )


def test_one_dimension_is_one_column():
    x, y = _apart(30, 30, 1.0, dim=1)
    whole = divergence(x, y, replicates=0).value
    assert divergence(x[:, 0], y[:, 0].tolist(), replicates=0).value == whole
    assert divergence(pd.Series(x[:, 0]), pl.Series(y[:, 0]), replicates=0).value == whole


def test_estimate_is_a_number_and_a_sentence():
    found = Estimate(0.5, 0.25, 0.75, 0.9, "kl by NN", 10, 12, 0.1)
    assert float(found) == 0.5
    assert str(found) == "kl by NN = 0.5 (90 % interval 0.25 to 0.75)"


def test_an_estimate_below_zero_is_said():
    x, y = _apart(40, 40, 0.0, seed=1)
    measure = Measure.of("kl", "nn", 0, "test")
    below = measure.uncut(measure.look(x, y))
    assert below < 0
    found = divergence(x, y, "kl", replicates=0)
    assert found.value == 0
    (note,) = found.notes
    assert note.startswith(
        f"The estimate came out at {below:.3g}, below what a divergence can be, and was cut at 0; that does"
    )
    assert "two_sample_test" in note
    assert not any(
        "cut at 0" in note for note in divergence(*_apart(40, 40, 2.0), "kl", replicates=0).notes
    )


def test_an_estimate_of_zero_that_was_not_cut_is_said_without_a_number():
    x, y = _apart(40, 40, 0.0, seed=5)
    found = divergence(x, y, "kl", "wang", replicates=0)
    assert found.value == 0
    assert found.notes[-1].startswith(
        "The estimate came out at 0; that does not show that there is no difference"
    )


def test_samples_are_called_by_their_names():
    copies = np.repeat([[1.0, 2.0]], 20, axis=0)
    with pytest.raises(
        DataError, match=r"^divergence: the vectors of sample y are copies .*; take risk='nn'\.$"
    ):
        divergence(_apart(20, 20, 1.0)[0], copies, "kl", "wang")
    with pytest.raises(DataError, match=r"^test: there has 2 columns and here has 1; both need"):
        samples(np.ones((5, 2)), np.ones(5), "test", names=("there", "here"))
    one = pd.DataFrame({"a": np.arange(5.0)})
    with pytest.raises(DataError, match=r"^test: the column 'b' is in here and not in there;"):
        samples(one, one.assign(b=1.0), "test", names=("there", "here"))


def test_what_cannot_be_compared_is_refused():
    x, y = _apart(20, 20, 1.0)
    bad = y.copy()
    bad[3, 1] = np.nan
    with pytest.raises(
        DataError,
        match=r"^divergence: row 3 of y \(counting from 0\) has a missing value in column 'x1'; leave",
    ):
        divergence(x, bad)
    bad[3, 1] = np.inf
    with pytest.raises(DataError, match=r"row 3 of y .* has an infinite"):
        divergence(x, bad)
    with pytest.raises(DataError, match="x has 2 columns and y has 1;"):
        divergence(x, y[:, :1])
    with pytest.raises(DataError, match="y has 3 rows and at least 4 are needed"):
        divergence(x, y[:3])
    with pytest.raises(DataError, match="the column 'c' is in y and not in x"):
        divergence(
            pd.DataFrame(x, columns=["a", "b"]),
            pd.DataFrame(np.c_[y, y[:, :1]], columns=["a", "b", "c"]),
        )
    with pytest.raises(DataError, match="the column 'a' of x holds words"):
        divergence(pd.DataFrame({"a": ["p", "q"] * 4}), y)
    with pytest.raises(DataError, match="x cannot be taken as rows of numbers"):
        divergence(x[:, :, None], y)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (["a", "b"] * 9, "the column 'x0' of x holds words or objects; give numbers only"),
        ([object()] * 18, "the column 'x0' of x holds words or objects; give numbers only"),
        ("words", "x cannot be taken as rows of numbers: a single str is no array and no frame"),
        (None, "x cannot be taken as rows of numbers: a single NoneType is no array and no frame"),
        (
            [[1.0, 2.0], [3.0]] * 9,
            "x cannot be taken as rows of numbers: its rows have different lengths",
        ),
        (
            np.zeros(18, dtype=[("a", int), ("b", float)]),
            "x cannot be taken as rows of numbers: a table holds numbers",
        ),
        ([1.0, None] * 9, r"row 1 of x \(counting from 0\) has a missing value"),
    ],
)
@pytest.mark.parametrize(
    "asked",
    [divergence, two_sample_test, independence_test, mutual_information, cross_entropy, entropy],
)
def test_words_and_objects_are_one_sentence(asked, bad, why):
    rest = () if asked is entropy else (np.arange(18.0),)
    with pytest.raises(DataError, match=f"^{asked.__name__}: {why}"):
        asked(bad, *rest)


def test_wrong_settings_are_refused():
    x, y = _apart(20, 20, 1.0)
    for words, match in (
        ({"f": "none"}, "f must be kl"),
        ({"f": "chi2"}, "chi2"),
        ({"risk": "none"}, "risk must be nn"),
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"replicates": -1}, "replicates must be 0 or a whole number from 2, and was -1"),
        ({"replicates": 4.5}, "replicates must be 0 or a whole number from 2, and was 4.5"),
    ):
        with pytest.raises(ParameterError, match=match):
            divergence(x, y, **words)
