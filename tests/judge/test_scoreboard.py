"""Scoreboard: means, the best, marks from paired tests with Holm's correction, and its printed forms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from coterie.core.errors import DataError, ParameterError
from coterie.judge import Scoreboard


def board():
    rng = np.random.default_rng(0)
    base = rng.normal(0.8, 0.05, 8)
    b = Scoreboard("Runs <1>", higher={"error": False})
    b.add("good", "ari", "wine", base)
    b.add("close", "ari", "wine", base - 0.001 + np.tile([0.02, -0.02], 4))
    b.add("bad|er", "ari", "wine", base - 0.2 + rng.normal(0, 0.02, 8))
    b.add("once", "ari", "wine", 0.5)
    b.add("good", "error", "wine", [0.1, 0.2])
    b.add("bad|er", "error", "wine", [0.4, 0.6])
    return b


def test_means_best_and_marks():
    b = board()
    runs = list(b.values("close", "ari", "wine").values())
    assert b.mean("close", "ari", "wine") == pytest.approx(np.mean(runs))
    assert b.se("close", "ari", "wine") == pytest.approx(np.std(runs, ddof=1) / np.sqrt(8))
    assert math.isnan(b.se("once", "ari", "wine"))
    assert b.best("ari", "wine") == "good"
    assert b.best("error", "wine") == "good"
    marks = {cell.method: cell.mark for cell in b.cells("ari", "wine")}
    assert marks == {"good": "*", "close": "=", "bad|er": "", "once": "?"}


def test_p_values_are_paired_by_seed_and_corrected():
    rng = np.random.default_rng(1)
    base = rng.normal(size=6)
    b = Scoreboard()
    b.add("top", "m", "d", base + 1, seeds=range(6))
    other = base + 0.5 + rng.normal(0, 0.3, 6)
    third = base + rng.normal(0, 0.3, 6)
    order = [3, 1, 0, 5, 4, 2]
    b.add("other", "m", "d", other[order], seeds=order)
    b.add("third", "m", "d", third)
    raw = [ttest_rel(other, base + 1).pvalue, ttest_rel(third, base + 1).pvalue]
    expected = [2 * p if p == min(raw) else max(2 * min(raw), p) for p in raw]
    cells = {c.method: c.p_value for c in b.cells("m", "d")}
    assert [cells["other"], cells["third"]] == pytest.approx(expected)


def test_only_shared_seeds_are_compared():
    b = Scoreboard()
    b.add("top", "m", "d", [5.0, 6.0, 7.5, 8.0], seeds=[0, 1, 2, 3])
    b.add("other", "m", "d", [1.0, 4.0, 5.0, 5.0], seeds=[9, 2, 1, 3])
    shared = ttest_rel([6.0, 7.5, 8.0], [5.0, 4.0, 5.0]).pvalue
    assert b.cells("m", "d")[1].p_value == pytest.approx(shared)


def test_runs_add_up_and_seeds_are_unique():
    b = Scoreboard()
    b.add("m", "x", "d", 1.0)
    b.add("m", "x", "d", [2.0, 3.0])
    assert b.values("m", "x", "d") == {0: 1.0, 1: 2.0, 2: 3.0}
    with pytest.raises(DataError, match="seed 2 is given twice"):
        b.add("m", "x", "d", 4.0, seeds=[2])
    with pytest.raises(DataError, match="as many seeds"):
        b.add("m", "x", "d", 4.0, seeds=[8, 9])
    with pytest.raises(DataError, match="run 1 is not a finite number"):
        b.add("m", "x", "d", [1.0, math.nan])
    with pytest.raises(DataError, match="no value for"):
        b.mean("nobody", "x", "d")
    with pytest.raises(DataError, match="no value for"):
        b.best("y", "d")


def test_text_is_aligned():
    text = board().to_text()
    lines = text.splitlines()
    assert lines[0] == "Runs <1>"
    head = next(line for line in lines if line.startswith("method"))
    column = head.index("error (lower is better)")
    good = next(line for line in lines if line.startswith("good"))
    once = next(line for line in lines if line.startswith("once"))
    assert good[column:].startswith("0.150 ± 0.050*")
    assert once[column:] == "-"


def test_markdown_and_html_escape_and_show_the_best():
    markdown = board().to_markdown()
    html = board().to_html(digits=2)
    assert "| bad\\|er |" in markdown
    assert "**0.150 ± 0.050**" in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1
    assert "Runs &lt;1&gt;" in html
    assert "<strong>0.15 ± 0.05</strong>" in html
    assert "<1>" not in html


def test_json_ready_and_records():
    b = board()
    again = json.loads(json.dumps(b.to_json(), allow_nan=False))
    assert again["records"] == b.records()
    once = next(r for r in b.records() if r["method"] == "once")
    assert (once["runs"], once["se"], once["p_value"], once["mark"]) == (1, None, None, "?")
    assert [r["higher_is_better"] for r in b.records() if r["measure"] == "error"] == [False, False]


@pytest.mark.parametrize("test", ["wilcoxon", "permutation"])
def test_other_tests(test):
    b = Scoreboard(test=test)
    b.add("a", "m", "d", np.arange(10.0) + 1)
    b.add("b", "m", "d", np.arange(10.0))
    assert [cell.mark for cell in b.cells("m", "d")] == ["*", ""]


def test_bad_options_and_an_empty_board():
    with pytest.raises(ParameterError, match="test must be one of"):
        Scoreboard(test="z")
    with pytest.raises(ParameterError, match="level"):
        Scoreboard(level=2)
    assert Scoreboard().records() == []
    assert "best mean" in Scoreboard().to_text()
