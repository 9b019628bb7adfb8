"""The experiment on questions, on a tiny file of postings in the form of the newsgroups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coterie_papers import next_question
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.text_data import NEWS, NEWS_FILE


def written(folder: Path, each: int = 24, groups: int = 4) -> Path:
    """Postings of a few groups, each with some words of its own."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    rows = []
    own = [[f"w{chr(97 + g)}{chr(97 + i)}" for i in range(12)] for g in range(groups)]
    common = [f"common{chr(97 + i)}" for i in range(20)]
    for g in range(groups):
        for i in range(each):
            body = " ".join([*rng.choice(own[g], 6), *rng.choice(common, 10)])
            rows.append(
                (f"group{g}", str(i), f"From: a@b\nSubject: {rng.choice(own[g])}\n\n{body}")
            )
    place = folder / NEWS
    place.mkdir()
    label, ident, text = map(list, zip(*rows, strict=True))
    pq.write_table(pa.table({"label": label, "id": ident, "text": text}), place / NEWS_FILE)
    return folder


def test_rows_relations_and_a_picture(tmp_path: Path) -> None:
    result = next_question.EXPERIMENT.conduct(quick=True, seeds=2, folder=written(tmp_path))
    methods = {row.method for row in result.rows}
    assert methods == {
        next_question.BASE,
        next_question.PAIRS,
        next_question.SPREAD,
        next_question.ASKED,
    }
    assert len(result.relations) == 3
    assert all(np.isfinite(row.ours) for row in result.rows)
    assert len(result.pictures) == 1
    assert result.skipped == []


def test_answers_are_as_many_as_asked_and_true(tmp_path: Path) -> None:
    trial = Trial(1, True, written(tmp_path))
    ledger = Ledger()
    tied = next_question.balanced(trial, ledger, 20)
    assert tied is not None
    assert np.bincount(np.unique(tied.truth, return_inverse=True)[1]).tolist() == [20] * 4
    base = next_question.without(tied, 0, True)
    asking, along, yes = next_question.answered(tied, base, 0, next_question.PAIRS)
    assert len(asking.answers) == 20
    assert len(along) == 5
    said = [
        (tied.truth[one] == tied.truth[other]) == (what == "together")
        for one, other, what in asking.answers
    ]
    assert all(said)
    assert yes == sum(what == "together" for *_, what in asking.answers)


def test_without_the_data_it_says_so(tmp_path: Path) -> None:
    result = next_question.EXPERIMENT.conduct(quick=True, folder=tmp_path)
    assert result.rows == []
    assert "is not here" in result.skipped[0]
