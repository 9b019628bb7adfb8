"""The two-task experiment on a few invented posts: rows, relations, and what is said where torch or the data is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coterie.core.errors import MissingExtra
from coterie_papers import two_task
from coterie_papers.experiment import Ledger, Trial

GROUPS = ("rec.autos", "sci.space", "talk.religion.misc")


def _posts(folder, n=360, seed=0):
    """A table like that of 20 Newsgroups."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    generator = np.random.default_rng(seed)
    kind = np.arange(n) % 3

    def paragraph(k):
        return " ".join(
            f"{'xyz'[k]}{'abcdefgh'[a]}{'abcdefgh'[b]}"
            for a, b in generator.integers(8, size=(16, 2))
        )

    texts = [
        f"From: a@b\nSubject: hello\n\n{paragraph(k)}\n\n> {paragraph((k + 1) % 3)}\n\n{paragraph(k)}\n"
        for k in kind
    ]
    split = ["train" if i < 2 * n // 3 else "test" for i in range(n)]
    place = folder / two_task.NEWS
    place.mkdir()
    labels = [GROUPS[k] for k in kind]
    pq.write_table(
        pa.table(
            {"split": split, "label": labels, "id": [str(i) for i in range(n)], "text": texts}
        ),
        place / two_task.NEWS_FILE,
    )
    return folder


def test_posts_are_cut_without_header_and_quotes(tmp_path):
    ledger = Ledger()
    stock = two_task.newsgroups(Trial(1, True, _posts(tmp_path)), ledger)
    assert stock is not None
    assert len(stock.unlabeled) == 168
    assert len(stock.pool) == 72
    assert stock.truth.shape == (72, 3)
    assert len(stock.test) == 120
    for text, told in zip(stock.pool, stock.truth, strict=True):
        assert {word[0] for word in text.split() if word != "hello"} == {"xyz"[told.argmax()]}
    tables = two_task.Tables.of(stock)
    assert tables.paragraphs.shape[0] == len(tables.owners) == 2 * 168
    fewer = two_task.Tables.of(stock, 50)
    assert fewer.owners.max() == 49
    assert fewer.pool.shape[0] == 72


def test_missing_data_and_missing_torch_are_said(tmp_path, monkeypatch):
    ledger = Ledger()
    assert two_task.newsgroups(Trial(1, True, tmp_path), ledger) is None
    assert "newsgroups20" in ledger.skipped[0]

    def gone():
        raise MissingExtra("This needs the library 'torch'.")

    monkeypatch.setattr(two_task, "torch_here", gone)
    ledger = Ledger()
    two_task.run(Trial(1, True, tmp_path), ledger)
    assert ledger.skipped == ["Two tasks: This needs the library 'torch'."]
    assert not ledger.rows


def test_machines_and_thresholds_without_torch(tmp_path):
    stock = two_task.newsgroups(Trial(1, True, _posts(tmp_path)), Ledger())
    tables = two_task.Tables.of(stock)
    found = two_task._drawn(tables, 24, two_task.SVM, True, 0)
    assert float(found["bep"]) > 90
    assert float(found["at"]) > 80
    assert two_task._drawn(tables, 24, two_task.SVM, True, 0)["bep"] == found["bep"]


def test_relations_say_what_was_measured():
    ledger = Ledger()
    few = {
        two_task.SVM: [40.0, 42],
        two_task.ALONE: [30.0, 31],
        two_task.BOTH: [36.0, 38],
        two_task.ONLY: [20.0, 22],
    }
    many = {**few, two_task.BOTH: [29.0, 30]}
    by_labels = {
        n: {name: np.array(values) for name, values in found.items()}
        for n, found in ((100, few), (200, many), (500, few))
    }
    two_task._bar(ledger, "made", by_labels)
    assert [relation.holds for relation in ledger.relations] == [
        True,
        False,
        True,
        True,
        True,
    ]  # all numbers of labels are asked
    assert "two tasks 37.0, single task 30.5" in ledger.relations[0].text
    assert set(ledger.pictures[0].lines) == set(few)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_quick_form_runs(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(two_task, "_LABELS", (12,))
    monkeypatch.setattr(two_task, "_BAR", (12,))
    ledger = Ledger()
    before = two_task._network
    monkeypatch.setattr(
        two_task,
        "_network",
        lambda method, quick, seed: before(method, quick, seed).set_params(max_iter=4),
    )
    two_task.run(Trial(1, True, _posts(tmp_path, 120)), ledger)
    methods = {row.method for row in ledger.rows}
    assert methods == {two_task.SVM, two_task.ALONE, two_task.BOTH, two_task.BEFORE, two_task.ONLY}
    assert all(math.isfinite(row.ours) and 0 <= row.ours <= 100 for row in ledger.rows)
    assert len(ledger.relations) == 2
