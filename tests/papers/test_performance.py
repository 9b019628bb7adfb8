"""The experiments on Expected Performance Curves and on tests: known laws, quick runs, and relations that can fail."""

from __future__ import annotations

import re

import numpy as np
import pytest

from coterie_papers import epc, f1_tests
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.experiments import every
from tests.architecture.pages import DOCS


def test_the_law_has_the_printed_values():
    assert epc.hter_of_law(np.array(list(epc.KNOWN))) == pytest.approx(
        list(epc.KNOWN.values()), abs=6e-5
    )
    scores, clients = epc.clients(5000, 0, 0)
    assert scores[clients].mean() == pytest.approx(2, abs=0.06)
    assert not np.array_equal(scores, epc.clients(5000, 0, 1)[0])


def test_epc_runs_without_its_data_and_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    result = epc.EXPERIMENT.conduct(quick=True, folder=tmp_path)
    assert len(result.skipped) == 1
    assert all(relation.holds for relation in result.relations)
    assert len(result.relations) == 6
    assert sum(row.paper is not None for row in result.rows) == 10


def test_the_roc_is_drawn_beside_the_curve():
    scores, truth = epc.clients(300, 0, 0)
    picture = epc._roc(
        "a against b: ROC", {"good": (scores, truth), "none": (np.zeros(600), truth)}
    )
    assert picture.lines["chance"] == picture.x == picture.lines["none"]
    good = np.array(picture.lines["good"])
    assert good[0] < 0.5
    assert good[-1] == 1
    assert (np.diff(good) >= 0).all()
    assert np.trapezoid(good, picture.x) == pytest.approx(epc.auc(scores, truth), abs=0.005)
    assert "none 0.500" in picture.sentence


def test_f1_tests_tell_every_case(monkeypatch):
    monkeypatch.setattr(f1_tests, "SIZES", (500, 2000))
    made = f1_tests.benchmark_tests
    asked = []

    def fewer(case, n, samples, level):
        asked.append((case.name, n, level, samples))
        return made(case, n, samples=60, replicates=200, level=level)

    monkeypatch.setattr(f1_tests, "benchmark_tests", fewer)
    ledger = Ledger()
    f1_tests.run(Trial(1, True), ledger)
    assert len(ledger.rows) == 4 * (6 * (2 + 1 + 2 * 3) + 1)
    assert len({(row.method, row.measure.split(" (")[0], row.data) for row in ledger.rows}) == len(
        ledger.rows
    )
    assert {(n, level) for _, n, level, _ in asked} == {
        (n, level) for n in (100, 500, 2000) for level in (0.05, 0.1, 0.01)
    }
    assert {samples for *_, level, samples in asked if level != 0.05} == {60}
    beside = {
        (row.measure[:16], row.data.split("N = ")[1])
        for row in ledger.rows
        if row.paper is not None
    }
    assert beside == {
        ("rejections at 5%", "500"),
        ("rejections at 5%", "2000"),
    }  # no reference elsewhere
    assert len(ledger.relations) == 4 * 4 + 2
    parts = ("5%, N = 100: ", "10%: ", "1%: ")
    assert [sum(one.text.startswith(part) for one in ledger.relations) for part in parts] == [
        4,
        4,
        4,
    ]
    assert len(ledger.pictures) == 2


def test_rates_at_another_level_are_of_the_same_samples():
    """And those at 5 % are what they are without the others."""
    case = f1_tests.equal_f1()
    rates = {
        level: f1_tests.benchmark_tests(case, 100, samples=80, level=level).rates
        for level in (0.1, 0.05, 0.01)
    }
    assert rates[0.05] == f1_tests.benchmark_tests(case, 100, samples=80).rates
    assert all(
        rates[0.1][test] >= rates[0.05][test] >= rates[0.01][test]
        for test in ("McNemar", "proportion")
    )
    assert rates[0.1]["McNemar"] > rates[0.01]["McNemar"]


def test_equal_f1_and_unequal_error():
    case = f1_tests.equal_f1()
    assert case.f1_difference == pytest.approx(0, abs=1e-12)
    assert case.error_difference < -0.01


def test_a_test_that_rejects_too_often_fails_its_relation():
    ledger = Ledger()
    rates = dict.fromkeys(f1_tests.TESTS, 0.12)
    row = f1_tests.Rejections("H0 balanced, different", 500, 4000, rates)
    f1_tests._relations(ledger, [row], [])
    assert not ledger.relations[0].holds


def test_the_bar_of_the_sizes_is_the_bar_itself():
    for rate, holds in ((0.068, True), (0.069, False)):
        ledger = Ledger()
        row = f1_tests.Rejections(
            "H0 balanced, different",
            500,
            300,
            dict.fromkeys(f1_tests.TESTS, 0.01) | {"bootstrap F1": rate},
        )
        f1_tests._relations(ledger, [row], [])
        f1_tests._other(
            ledger,
            f1_tests.Rejections(
                "equal", 500, 300, dict.fromkeys(f1_tests.TESTS, 0.5) | {"bootstrap F1": rate}
            ),
        )
        assert (ledger.relations[0].holds, ledger.relations[-1].holds) == (holds, holds)
        assert f"simulation error of {row.error('bootstrap F1'):.4f}" in ledger.relations[0].text


def test_the_bars_go_with_the_level():
    for level, bar in f1_tests.LARGEST.items():
        assert bar == pytest.approx(level + 2 * np.sqrt(level * (1 - level) / 600), abs=5e-4)
        for share, holds in ((0.99, True), (1.01, False)):
            rates = {
                "McNemar": 0.0,
                "proportion": share * level / 2,
                "bootstrap error": share * 0.6 * level,
            }
            row = f1_tests.Rejections(
                "H0 balanced, different", 500, 300, rates | {"bootstrap F1": share * bar}
            )
            ledger = Ledger()
            f1_tests._relations(ledger, [row], [], level, "here: ")
            assert [relation.holds for relation in ledger.relations] == [holds, True, holds, holds]
            assert all(relation.text.startswith("here: ") for relation in ledger.relations)


def test_few_examples_are_asked_at_every_level():
    for test, rate, holds in (
        ("McNemar", 0.009, True),
        ("bootstrap error", 0.01, False),
        ("bootstrap F1", 0.5, True),
    ):
        rows = {
            level: [
                f1_tests.Rejections(
                    "H0", 100, 300, dict.fromkeys(f1_tests.TESTS, 0.0) | {test: rate}
                )
            ]
            for level in (0.05, 0.1, 0.01)
        }
        ledger = Ledger()
        f1_tests._small(ledger, rows)
        assert [relation.holds for relation in ledger.relations] == [holds]
    assert (
        "(at most 0.0000 at 5%, at most 0.0000 at 10%, at most 0.0000 at 1%)"
        in ledger.relations[0].text
    )


def test_the_order_of_powers_has_no_slack():
    null = f1_tests.Rejections(
        "H0 balanced, different", 500, 300, dict.fromkeys(f1_tests.TESTS, 0.01)
    )
    for mcnemar, holds in ((0.40, True), (0.41, False)):
        rates = {"bootstrap F1": 0.5, "bootstrap error": 0.4, "McNemar": mcnemar, "proportion": 0.1}
        ledger = Ledger()
        f1_tests._relations(ledger, [null], [f1_tests.Rejections("H1", 500, 300, rates)])
        assert ledger.relations[1].holds is holds


def test_a_bent_map_leaves_the_curve_only_where_test_is_development():
    ledger = Ledger()
    epc._maps(ledger, epc.clients(20, 100, 0), epc.clients(500, 100, 1))
    assert [relation.holds for relation in ledger.relations] == [True, True]
    assert "where the test data are the development data" in ledger.relations[1].text
    assert "moved by up to 0.0000" not in ledger.relations[1].text


def test_the_page_of_the_room_names_every_experiment_and_types_no_rate():
    page = (DOCS / "rooms" / "judge.md").read_text(encoding="utf-8")
    published = page.partition("## Published numbers")[2].partition("\n## ")[0]
    for one in every():
        if one.work == epc.EXPERIMENT.work:
            assert f"`{one.name}`" in published, one.name
    tests = page.partition("benchmark_tests` measures")[2].partition("\n\n")[0]
    assert re.findall(r"\d[\d.,]* %", tests) == [
        "5 %"
    ]  # the nominal level; what was measured is printed by f1-tests
    assert "`coterie reproduce f1-tests`" in tests
