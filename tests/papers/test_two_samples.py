"""The experiment on two samples: laws are what they are named for, truths are those of formulas, relations are asked rightly."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from coterie.judge import mutual_information
from coterie.judge.dependence import _copied
from coterie_papers import two_samples
from coterie_papers.experiment import Ledger
from coterie_papers.two_samples import (
    BLURRED,
    DIFFERENT,
    DIVERGENCES,
    EXPERIMENT,
    MEAN,
    RATIO,
    REJECTED,
    SAME,
    SETTINGS,
    SHARP,
    SHIFTS,
    STATISTICS,
    WIDER,
    Read,
    Setting,
)


def asked(relate, *given) -> dict[str, bool]:
    """What is asked, by its sentence without the numbers in brackets."""
    ledger = Ledger()
    relate(ledger, *given)
    return {relation.text.split(" (")[0]: relation.holds for relation in ledger.relations}


@pytest.mark.parametrize("apart", [0.0, 0.5, 1.0, 2.0])
def test_truths_are_those_of_formulas(apart):
    assert two_samples.truth("kl", apart) == pytest.approx(apart**2 / 2, abs=1e-6)
    assert two_samples.truth("hellinger", apart) == pytest.approx(
        2 - 2 * math.exp(-(apart**2) / 8), abs=1e-6
    )
    assert 0 <= two_samples.truth("js", apart) <= math.log(2)


def test_the_truth_of_categories_is_that_of_many_pairs():
    x, y = two_samples.categories(20_000, 0)
    counts = np.histogram2d(x, y, bins=3)[0] / len(x)
    seen = (counts * np.log(counts / np.outer(counts.sum(axis=1), counts.sum(axis=0)))).sum()
    assert two_samples.of_categories() == pytest.approx(seen, abs=0.02)
    assert two_samples.of_categories() == pytest.approx(
        mutual_information(x[:800], y[:800], replicates=0).value, abs=0.15
    )


def test_samples_have_the_laws_they_are_named_for():
    x, y = two_samples.gaussians(4000, 3, 1.0, 0)
    assert y.mean(axis=0) - x.mean(axis=0) == pytest.approx([1, 0, 0], abs=0.1)
    assert [x.std(), y[:, 1].std()] == pytest.approx([1, 1], abs=0.05)
    x, y = two_samples.related(4000, 0)
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(0.8, abs=0.03)
    assert y.std() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_so_many_rows_are_copies(share):
    assert _copied(two_samples.with_copies(600, share, 0)) == share


def test_situations_are_what_they_are_named_for():
    pairs = {
        name: [
            np.concatenate(one)
            for one in zip(*(two_samples.drawn(name, s) for s in range(40)), strict=True)
        ]
        for name in (*SAME, *DIFFERENT)
    }
    for name, (x, y) in pairs.items():
        shift = [0.5, 0.8][list(SHIFTS).index(name)] if name in SHIFTS else 0
        assert (y.mean(axis=0) - x.mean(axis=0))[0] == pytest.approx(shift, abs=0.12)
        assert y.std() / x.std() == pytest.approx(1.3 if name == WIDER else 1, abs=0.05)
        assert f"{x.shape[1]} columns" in name or x.shape[1] == 1
        assert f"{len(x) // 40} rows" in name
    assert len(np.unique(pairs["one law on 9 points, 50 rows, 2 columns"][0], axis=0)) == 9
    near = {name: float((np.abs(pairs[name][1]) < 0.2).mean()) for name in (SHARP, BLURRED)}
    assert near[SHARP] < near[BLURRED] < 0.1


def test_a_pair_is_the_same_every_time_and_every_seed_has_its_own():
    for draw in (
        lambda seed: two_samples.gaussians(20, 2, 1.0, seed),
        lambda seed: two_samples.drawn(SHARP, seed),
    ):
        assert all(np.array_equal(one, two) for one, two in zip(draw(3), draw(3), strict=True))
        assert not np.array_equal(draw(3)[0], draw(4)[0])


def test_what_the_least_share_can_be_by_chance():
    assert two_samples.limit(0.95, 100, 1) == pytest.approx(
        0.95 - 2.33 * math.sqrt(0.95 * 0.05 / 100), abs=0.015
    )
    assert two_samples.limit(0.95, 100, 10) < two_samples.limit(0.95, 100, 1)
    assert two_samples.limit(0.95, 10_000, 1) > 0.94


def _seen(
    setting: Setting, off: float = 0.0, ratio: float = 1.2, missed: int = 2, n: int = 100
) -> Read:
    """Estimates around the truth plus `off`, even to both sides, with s so many times their deviation."""
    true = two_samples.truth(setting.f, setting.apart)
    uncut = true + off + 0.1 * np.resize([-1.0, 1.0], n)
    half = np.where(np.arange(n) < missed, 0.0, 0.5)
    return Read(
        true,
        np.maximum(uncut, 0),
        uncut,
        np.full(n, ratio * uncut.std(ddof=1)),
        uncut - half,
        uncut + half,
    )


def _read(**changes) -> dict[Setting, Read]:
    """Read in every setting as the page says; changes are given as {setting: ...} of arguments."""
    found = {}
    for one in SETTINGS:
        given = {"off": -0.04, "ratio": 1.0} if one.risk != "nn" else {}
        found[one] = _seen(one, **{**given, **changes.get(one.risk, {})})
    return found


def _replaced(read: dict[Setting, Read], risk: str, **arrays) -> dict[Setting, Read]:
    return {
        one: replace(seen, **arrays) if one.risk == risk else seen for one, seen in read.items()
    }


MEAN_HELD = "intervals of 95% hold the mean of the estimate in every setting as often as they say, or more often"
TRUTH_HELD = "intervals of 95% hold the truth too where neighbors estimate it as often as they say, or more often"
TOO_LARGE = "by neighbors s is larger than the deviation of the estimate in every setting"
RIGHT = "by Wang and by the bound s is within a quarter of the deviation of the estimate"


def test_intervals_must_hold_as_often_as_they_say_up_to_chance():
    assert asked(two_samples.of_intervals, _read())[MEAN_HELD]
    assert asked(two_samples.of_intervals, _read(nn={"missed": 10}))[TRUTH_HELD]
    few = asked(two_samples.of_intervals, _read(nn={"missed": 30}))
    assert (few[MEAN_HELD], few[TRUTH_HELD]) == (False, False)
    assert not asked(two_samples.of_intervals, _read(wang={"off": -0.04, "missed": 30}))[MEAN_HELD]


def test_spreads_must_be_too_large_by_neighbors_and_about_right_elsewhere():
    found = asked(two_samples.of_intervals, _read())
    assert (found[TOO_LARGE], found[RIGHT]) == (True, True)
    assert not asked(two_samples.of_intervals, _read(nn={"ratio": 0.9}))[TOO_LARGE]
    assert not asked(two_samples.of_intervals, _read(bound={"off": -0.04, "ratio": 1.3}))[RIGHT]
    assert not asked(two_samples.of_intervals, _read(wang={"off": -0.04, "ratio": 0.7}))[RIGHT]


def test_a_bias_must_be_seen_in_the_mean_and_in_the_intervals():
    below = "the mean is below the truth by more than two standard errors"
    less = "intervals hold the truth"
    found = asked(two_samples.of_intervals, _read())
    assert found[f"kl, wang: {below}"]
    assert not found[f"kl, wang: {less}"]  # all of these are wide
    assert not asked(two_samples.of_intervals, _read(wang={"off": -0.01}))[f"kl, wang: {below}"]
    narrow = _read()[Setting(100, 2, 1.0, "kl", "bound")]
    tight = {"lower": np.full(100, narrow.mean - 0.01), "upper": np.full(100, narrow.mean + 0.01)}
    assert asked(two_samples.of_intervals, _replaced(_read(), "bound", **tight))[
        f"kl, bound: {less}"
    ]


def test_where_nothing_differs_estimates_must_be_around_zero():
    at = "kl, nn, 100 rows, 2 columns, means 0 apart"
    centered = f"{at}: before the cut the mean is within three standard errors of 0"
    second = f"{at}: about every second estimate"
    found = asked(two_samples.of_intervals, _read())
    assert found[centered]
    assert found[f"{second} is below 0 before the cut"]
    found = asked(two_samples.of_intervals, _read(nn={"off": 0.11}))
    assert not found[centered]
    assert not found[f"{second} is below 0 before the cut"]


def test_kl_must_scatter_most_for_its_size():
    said = "by neighbors kl scatters most for its size"
    assert not asked(two_samples.of_intervals, _read())[
        said
    ]  # one deviation for all: kl is the largest
    wide = {one: _seen(one) for one in SETTINGS}
    kl = SETTINGS[0]
    wide[kl] = Read(
        *(getattr(wide[kl], name) for name in ("truth", "values")),
        wide[kl].uncut * 20,
        *[wide[kl].spreads] * 3,
    )
    assert asked(two_samples.of_intervals, wide)[said]


def _shares(**changes) -> dict[str, dict[str, np.ndarray]]:
    """How often tests reject, as the page says; changes are {situation: (mmd, energy, nn, hellinger, kl)} by short names."""
    said = {
        "one": (0.05, 0.05, 0.05, 0.05, 0.05),
        "means": (0.6, 0.8, 0.3, 0.2, 0.2),
        "deviations": (0.9, 0.5, 0.3, 0.1, 0.0),
        "sharp": (0.7, 0.4, 0.95, 0.6, 0.6),
        "blurred": (0.3, 0.2, 0.2, 0.1, 0.1),
    } | changes
    found = {}
    for name in (*SAME, *DIFFERENT):
        shares = said[
            next(
                word for word in ("sharp", "blurred", "means", "deviations", "one") if word in name
            )
        ]
        rows = [np.arange(200) < 200 * share for share in shares]
        found[name] = dict(
            zip((*STATISTICS, *DIVERGENCES), np.array(rows, dtype=float), strict=True)
        )
    return found


def test_what_is_asked_of_tests():
    assert all(asked(two_samples.of_tests, _shares()).values())
    assert len(asked(two_samples.of_tests, _shares())) == 9


@pytest.mark.parametrize(
    ("where", "shares", "begins"),
    [
        ("one", (0.05, 0.05, 0.15, 0.05, 0.05), "where nothing differs every test rejects 5%"),
        (
            "means",
            (0.9, 0.7, 0.3, 0.2, 0.2),
            "means 0.5 apart, 50 rows, 2 columns: no statistic is ahead of energy",
        ),
        (
            "means",
            (0.79, 0.8, 0.3, 0.2, 0.2),
            "means 0.5 apart, 50 rows, 2 columns: energy finds the difference most",
        ),
        (
            "deviations",
            (0.5, 0.6, 0.3, 0.1, 0.0),
            "deviations 1 and 1.3, 50 rows, 10 columns: mmd finds",
        ),
        ("sharp", (0.97, 0.4, 0.95, 0.6, 0.6), "one peak and two sharp ones, 60 rows: nn finds"),
        (
            "blurred",
            (0.3, 0.2, 0.5, 0.1, 0.1),
            "one peak and two blurred ones, 60 rows: nn is not ahead of mmd",
        ),
        ("sharp", (0.1, 0.4, 0.95, 0.6, 0.6), "mmd is good all round"),
        ("blurred", (0.3, 0.2, 0.2, 0.1, 0.4), "in every situation mmd, energy or nn finds more"),
    ],
)
def test_each_of_these_can_fail(where, shares, begins):
    found = asked(two_samples.of_tests, _shares(**{where: shares}))
    assert [holds for text, holds in found.items() if text.startswith(begins)] == [False]


def test_what_is_asked_of_information_and_entropy():
    nearer, off, words = asked(
        two_samples.of_information, (0.49, 0.33, 0.61), (0.511, 0.614)
    ).values()
    assert (nearer, off, words) == (True, True, True)
    assert list(asked(two_samples.of_information, (0.44, 0.50, 0.55), (0.511, 0.614)).values()) == [
        False,
        False,
        False,
    ]
    assert not asked(two_samples.of_information, (0.51, 0.45, 0.61), (0.511, 0.614))[
        "by halves it is within 10% of the truth, and by shared rows it is more than 20% too small"
    ]
    assert list(asked(two_samples.of_entropy, (2.84, 2.80, 2.60, 2.83), 2.84).values()) == [
        True,
        True,
    ]
    assert list(asked(two_samples.of_entropy, (2.84, 2.85, 2.86, 2.60), 2.84).values()) == [
        False,
        False,
    ]


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_samples, "_FEWEST", 3)
        patch.setattr(two_samples, "_LEVELS", 1)
        patch.setattr(two_samples, "_HALVES", (4, 4))
        patch.setattr(two_samples, "_PERMUTATIONS", (19, 19))
        return EXPERIMENT.conduct(quick=True)


def test_a_quick_run_fills_the_table(result):
    rows = {(row.data, row.method, row.measure): row for row in result.rows}
    assert (
        len(rows)
        == len(result.rows)
        == 7 * len(SETTINGS) + 2 * 2 + 5 * (len(SAME) + len(DIFFERENT)) + 7
    )
    assert all(np.isfinite(row.ours) for row in result.rows)
    for one in SETTINGS:
        assert rows[one.data, one.method, MEAN].paper == pytest.approx(
            two_samples.truth(one.f, one.apart)
        )
        assert rows[one.data, one.method, RATIO].ours > 0
    shares = [row for row in result.rows if row.measure == REJECTED]
    assert all(0 <= row.ours <= 1 and (row.paper == 0.05) == (row.data in SAME) for row in shares)
    nats = {(row.data, row.method): row.paper for row in result.rows if row.measure == "nats"}
    assert nats["500 pairs, correlation 0.8", "pairs of halves"] == pytest.approx(
        -math.log(0.36) / 2
    )
    assert nats["600 rows, 50% with copies", "entropy"] == pytest.approx(1 + math.log(2 * math.pi))
    assert {row.beside for row in EXPERIMENT.told(result.rows) if row.paper is not None} == {
        "truth",
        "level",
    }
    assert all(row["ours"] is not None for row in json.loads(result.to_json())["rows"])


def test_a_quick_run_asks_and_draws(result):
    assert len(result.relations) == 4 + 2 * 2 + 2 * 2 + 1 + 9 + 3 + 2
    shares, spreads = result.pictures
    assert set(shares.panels) == {*SAME, *DIFFERENT}
    assert set(spreads.panels) == {one.data for one in SETTINGS}
    assert not result.skipped
