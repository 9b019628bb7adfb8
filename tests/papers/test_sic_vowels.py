"""The vowel experiments and their baseline, on a small generated stand-in: every row and relation is there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from coterie.compare.sic.convergence import Convergence
from coterie.core.ragged import Ragged
from coterie_papers import sic_convergence
from coterie_papers.baselines import dtw
from coterie_papers.experiment import Ledger
from coterie_papers.experiments import find


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three speakers, twelve short recordings each, in the form and the place of the real ones."""
    rng = np.random.default_rng(0)
    speakers = np.repeat(np.arange(3), 12)
    members = [
        np.cumsum(rng.normal(size=(rng.integers(6, 10), 4)), axis=0) * 0.3 + 1.5 * s
        for s in speakers
    ]
    root = tmp_path_factory.mktemp("data")
    (root / "sequences").mkdir()
    np.savez(
        root / "sequences" / "JapaneseVowels.npz",
        values=np.concatenate(members).astype(np.float32),
        lengths=np.array([len(m) for m in members]),
        labels=speakers.astype(str),
    )
    return root


def warped(a: np.ndarray, b: np.ndarray) -> float:
    """The least sum of distances over all ways of matching, step by step, over the sum of the lengths."""
    cost = np.full((len(a) + 1, len(b) + 1), np.inf)
    cost[0, 0] = 0.0
    for i, j in product(range(len(a)), range(len(b))):
        cost[i + 1, j + 1] = np.linalg.norm(a[i] - b[j]) + min(
            cost[i, j], cost[i, j + 1], cost[i + 1, j]
        )
    return float(cost[-1, -1] / (len(a) + len(b)))


def test_warping_is_as_it_is_defined():
    rng = np.random.default_rng(1)
    members = [rng.normal(size=(length, 3)) for length in (4, 9, 6, 1)]
    found = dtw(Ragged.of(members))
    assert found.kind == "distance"
    wanted = [[warped(a, b) for b in members] for a in members]
    np.testing.assert_allclose(found.values, wanted, atol=1e-12)


def test_vowels(folder):
    result = find("sic-vowels").conduct(quick=True, folder=folder)
    assert not result.skipped
    for name in ("H1", "H4", "H9", "H11", "H12"):
        assert any(name in relation.text for relation in result.relations), f"{name} is not asked"
    assert all(np.isfinite(row.ours) for row in result.rows)
    maps = {
        row.method: row.ours
        for row in result.rows
        if row.measure == "mAP" and row.data == "JapaneseVowels"
    }
    assert maps["SIC, HMM, 150 iterations"] > 50, "three speakers far apart are not found"


def test_convergence(folder):
    result = find("sic-convergence").conduct(quick=True, folder=folder)
    for name in ("H8",):
        assert any(name in relation.text for relation in result.relations), f"{name} is not asked"
    rising = next(relation for relation in result.relations if "reliability rises" in relation.text)
    assert rising.holds, rising.text
    assert {row.measure for row in result.rows} >= {
        "mAP",
        "pearson",
        "spearman",
        "reliability",
        "entropy",
    }
    for data, depth in (("JapaneseVowels", 50), ("digits (600)", 50), ("generated text", 200)):
        seen = {
            row.measure
            for row in result.rows
            if (row.data, row.method) == (data, "SIC, 50 iterations")
        }
        assert seen >= {f"F@{depth}", "ARI", "V", "NMI", "adjusted purity", "groups"}
        assert any(picture.title.startswith(f"{data}: quality") for picture in result.pictures)
    ours = {(row.data, row.method, row.measure): row.ours for row in result.rows}
    early, late = (ours["generated text", f"SIC, {n} iterations", "mAP"] for n in (25, 100))
    assert ours["generated text", "SIC, 25 iterations", "share of the mAP at 100"] == pytest.approx(
        early / late
    )
    assert sum("text settles before audio" in relation.text for relation in result.relations) == 3


def course(
    quality: dict[int, float], reliability: tuple[float, ...], entropy: tuple[float, ...]
) -> sic_convergence._Course:
    """A run that was looked at where its quality is known."""
    at = np.array(list(quality))
    curve = Convergence(
        at, np.array(entropy), np.ones(len(at)), np.ones(len(at)), np.array(reliability), 10, 0
    )
    further = {mark: {"F@50": value / 2, "groups": 9.0} for mark, value in quality.items()}
    return sic_convergence._Course(quality, further, curve, curve, {})


def test_quality_that_climbs_late_does_not_flatten():
    for quality, flattens in (
        ({25: 40.0, 50: 60.0, 100: 62.0}, True),
        ({25: 40.0, 50: 42.0, 100: 60.0}, False),
    ):
        ledger = Ledger()
        sic_convergence._climbing(
            ledger, [course(quality, (0.5, 0.6, 0.7), (0.1, 0.2, 0.2))], list(quality)
        )
        (relation,) = ledger.relations
        assert relation.holds == flattens
        assert [row.ours for row in ledger.rows if row.measure == "F@50"] == [
            value / 2 for value in quality.values()
        ]
        (picture,) = ledger.pictures
        assert picture.lines == {
            "mAP": tuple(value / 100 for value in quality.values()),
            "F@50": tuple(value / 200 for value in quality.values()),
        }


def test_what_settles_before_is_told_by_three_measures():
    early = course({25: 45.0, 50: 48.0, 100: 50.0}, (0.7, 0.8, 0.9), (0.1, 0.20, 0.21))
    late = course(
        {25: 60.0, 50: 75.0, 100: 90.0, 200: 95.0}, (0.6, 0.7, 0.8, 0.9), (0.1, 0.15, 0.20, 0.22)
    )
    for text, audio, holds in ((early, late, True), (late, early, False)):
        ledger = Ledger()
        sic_convergence._sooner(ledger, {"generated text": [text], "JapaneseVowels": [audio]})
        assert [relation.holds for relation in ledger.relations] == [holds] * 3, ledger.relations
    moves = {
        row.data: row.ours
        for row in ledger.rows
        if row.measure == "move of the entropy between two looks"
    }
    assert moves == {"generated text": pytest.approx(0.05), "JapaneseVowels": pytest.approx(0.01)}
    assert ledger.pictures[0].x == (25.0, 50.0, 100.0)


def test_without_data_there_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    result = find("sic-vowels").conduct(quick=True, folder=tmp_path)
    assert len(result.skipped) == 1
    assert "JapaneseVowels" in result.skipped[0]
    assert not result.rows


def test_settling_on_other_data_needs_no_vowels(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    result = find("sic-convergence").conduct(quick=True, folder=tmp_path)
    assert len(result.skipped) == 1
    assert "JapaneseVowels" in result.skipped[0]
    assert result.lacked == ("sequences/JapaneseVowels.npz",)
    assert {row.data for row in result.rows} == {"digits (600)", "generated text"}
    for data in ("digits (600)", "generated text"):
        asked = [relation for relation in result.relations if relation.text.startswith(data)]
        assert len(asked) == 4
        assert all(relation.holds for relation in asked), asked
