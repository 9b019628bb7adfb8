"""Figures that rows give: bars by data and method, curves over numbers, and nothing where there are no such rows."""

from __future__ import annotations

import math

from coterie_papers.experiment import Row
from coterie_papers.row_figures import bars, curves

ROWS = [
    Row("SIC", "mAP", "a", 50.0),
    Row("DTW", "mAP", "a", -1.0),
    Row("SIC", "P@1", "a", 70.0),
    Row("SIC", "mAP", "b", 40.0),
    Row("HMM", "mAP", "b", math.nan),
]


def test_bars_by_data_and_method() -> None:
    (picture,) = bars(ROWS, "t", "mAP")
    assert picture.panels == {"a": (("SIC", 50.0), ("DTW", 0.0)), "b": (("SIC", 40.0),)}
    (picture,) = bars(ROWS, "t", "mAP", {"SIC": "ours"})
    assert picture.panels == {"a": (("ours", 50.0),), "b": (("ours", 40.0),)}
    (picture,) = bars(ROWS, "t", "mAP", lambda name: name if name == "DTW" else None)
    assert picture.panels == {"a": (("DTW", 0.0),)}
    assert bars(ROWS, "t", "F1") == []


def test_curves_over_numbers_with_gaps() -> None:
    rows = [
        Row(name, "error %", f"length {x}", y)
        for name, x, y in (("A", 200, 1.0), ("A", 50, 3.0), ("B", 50, 2.0))
    ]
    (picture,) = curves(
        rows, "t", lambda row: (row.method, float(row.data.split()[1])), "length", "error %"
    )
    assert picture.x == (50.0, 200.0)
    assert picture.lines["A"] == (3.0, 1.0)
    assert picture.lines["B"][0] == 2.0
    assert math.isnan(picture.lines["B"][1])
    assert curves(rows, "t", lambda row: None, "length", "error %") == []
