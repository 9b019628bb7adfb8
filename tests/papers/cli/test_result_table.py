"""The table of a result: columns where they fit, and on a narrow terminal data sets as headings, with nothing cut."""

from __future__ import annotations

from collections import Counter

import pytest

from coterie_papers.cli.reproduce_list import HEADS, result_table
from coterie_papers.page import HEAD

DATA = "Dutch, 6557 mentions of names"
LONG = "rejections at 5% in both halves of the table"
ROWS = [
    [
        DATA,
        "SIC, split by sentence, all of its classes",
        LONG,
        "41.5 \u00b1 0.2",
        "58.4 (paper, on ESTER2)",
        "-16.9",
    ],
    [DATA, "SIC, split by sentence, all of its words", LONG, "40.1", "3 (reference run)", "+37.1"],
    ["generated", "Hamming", "mAP", "31.24", "31.2", "+0.04"],
    [DATA, "Hamming", "mAP", "30", "57 (paper, on ESTER2)", "-27"],
]


@pytest.fixture
def wide(monkeypatch):
    """Set the width of the terminal."""

    def narrowed(columns: int | None) -> None:
        monkeypatch.setattr("coterie_papers.cli.reproduce_list.terminal", lambda: columns)

    return narrowed


@pytest.mark.parametrize("columns", [None, 200])
def test_columns_with_short_heads_where_they_fit(columns, wide):
    wide(columns)
    lines = result_table(ROWS).splitlines()
    assert len(HEADS) == len(HEAD)
    assert [part.strip() for part in lines[0].split("  ") if part] == list(HEADS)
    assert len(lines) == 2 + len(ROWS)
    assert lines[2].startswith(DATA)
    assert lines[2].endswith("58.4 (paper, on ESTER2)  -16.9")


@pytest.mark.parametrize("columns", [72, 80, 100])
def test_a_narrow_table_has_its_data_as_headings_and_cuts_nothing(columns, wide):
    wide(columns)
    text = result_table(ROWS)
    lines = text.splitlines()
    assert max(map(len, lines)) <= columns
    assert "\u2026" not in text
    assert lines[0].split() == ["method", "measure", "ours", "\u00b1", "s.e.", "beside", "diff."]
    assert [line for line in lines if not line.startswith(" ")] == [
        DATA,
        "generated",
        "[1] paper, on ESTER2",
        "[2] reference run",
    ]
    assert lines.index("generated") == len(lines) - 4
    assert not Counter(" ".join(" ".join(row[1:4]) for row in ROWS).split()) - Counter(text.split())
    assert "58.4 [1]" in text
    assert "3 [2]" in text


def test_columns_that_are_all_empty_are_left_out(wide):
    rows = [[*row[:4], "", ""] for row in ROWS]
    for columns in (None, 80):
        wide(columns)
        assert "beside" not in result_table(rows)
        assert "diff." not in result_table(rows)
    assert result_table(rows).splitlines()[-1].split() == ["Hamming", "mAP", "31.24"]
