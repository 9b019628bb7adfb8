"""The experiments on Expected Performance Curves and on tests: known laws, quick runs, and relations that can fail."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.experiments import epc, f1_tests
from coterie.experiments.experiment import Ledger, Trial


def test_the_law_has_the_printed_values():
    assert epc.hter_of_law(np.array(list(epc.KNOWN))) == pytest.approx(list(epc.KNOWN.values()), abs=6e-5)
    scores, clients = epc.clients(5000, 0, 0)
    assert scores[clients].mean() == pytest.approx(2, abs=0.06)
    assert not np.array_equal(scores, epc.clients(5000, 0, 1)[0])


def test_epc_runs_without_its_data_and_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    result = epc.EXPERIMENT.conduct(quick=True, folder=tmp_path)
    assert len(result.skipped) == 1
    assert all(relation.holds for relation in result.relations)
    assert len(result.relations) == 5
    assert sum(row.paper is not None for row in result.rows) == 10


def test_f1_tests_tell_every_case(monkeypatch):
    monkeypatch.setattr(f1_tests, "SIZES", (500, 2000))
    made = f1_tests.benchmark_tests
    monkeypatch.setattr(f1_tests, "benchmark_tests", lambda case, n, samples: made(case, n, samples=60, replicates=100))
    ledger = Ledger()
    f1_tests.run(Trial(1, True), ledger)
    assert len(ledger.rows) == 4 * (6 * 2 + 1)
    assert len(ledger.relations) == 5
    assert len(ledger.pictures) == 2


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
