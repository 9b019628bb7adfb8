"""Files of systems: a score or a relevance that is none is named by its row and its value."""

from __future__ import annotations

import pytest

from coterie.core.errors import DataError
from coterie.workflows.system_files import read_outputs
from coterie.workflows.system_lists import queried


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (
            "high",
            "Row 2 of 'run.csv' has 'high' in the column 'score', which is no score; give each row a number.",
        ),
        (
            "inf",
            "Row 2 of 'run.csv' has the score inf in the column 'score'; give every row a finite number.",
        ),
        (
            "",
            "Row 2 of 'run.csv' has no score in the column 'score'; give every row a finite number.",
        ),
    ],
)
def test_a_bad_score_is_named(tmp_path, score, said):
    (tmp_path / "run.csv").write_text(f"id,query,score,relevance\na,1,0.5,1\nb,1,{score},0\n")
    with pytest.raises(DataError) as caught:
        read_outputs(str(tmp_path / "run.csv"), {})
    assert str(caught.value) == said


def test_a_bad_relevance_is_named(tmp_path):
    (tmp_path / "run.csv").write_text(
        "id,query,score,relevance\na,1,0.5,1\nb,1,0.25,\nc,1,0.1,perhaps\n"
    )
    with pytest.raises(
        DataError,
        match=r"Row 3 of 'run.csv' has the relevance 'perhaps'; it must be 1 or 0, or a grade from 0",
    ):
        queried([read_outputs(str(tmp_path / "run.csv"), {})])
