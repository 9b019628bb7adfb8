"""coterie reproduce: the list fits a terminal, and an experiment without its data says what to get and where to put it."""

from __future__ import annotations

import pytest

from coterie.experiments.experiment import Experiment, Ledger, Trial

from .running import coterie, refused


def test_the_list_fits_120_columns():
    said = coterie("reproduce").out.splitlines()
    assert max(map(len, said)) <= 120
    assert said[0].split() == ["experiment", "minutes", "data", "what", "it", "shows"]
    assert any(line.startswith("f1-tests ") for line in said)


def test_nothing_that_ran_is_one_sentence_and_no_success(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    assert refused("reproduce", "nntr-ranks", "--data", tmp_path, "--progress", "silent") == (
        "Nothing of 'nntr-ranks' was run for want of the data sets newsgroups20 and reuters21578; put them into sub-folders of "
        "these names in a folder, and name that folder with --data (or COTERIE_DATA)."
    )


@pytest.fixture
def toy(monkeypatch):
    def run(trial: Trial, ledger: Ledger) -> None:
        if trial.has("toys"):
            ledger.add("ours", "words learned from", "toys", 32841.0, 0.25, "reference run")
        else:
            ledger.skip("Toys: they are not here.")

    found = Experiment("toy", "A toy", "coterie", "table 3", (), 0.1, 3, run)
    monkeypatch.setattr("coterie.experiments.find", lambda name: found)


def test_another_reason_is_said(toy, tmp_path):
    assert refused("reproduce", "toy", "--data", tmp_path) == "Nothing of 'toy' was run: Toys: they are not here."


def test_rows_are_told_in_words(toy, tmp_path):
    (tmp_path / "toys").mkdir()
    said = coterie("reproduce", "toy", "--data", tmp_path, "--quick", "--progress", "silent")
    assert said.code == 0, said.err
    assert said.out.startswith(
        "Experiment toy: A toy (1 seed, quick: smaller settings, with which a relation may fail; 0 s)\nAfter: "
    )
    assert "32,841  0.25 (reference run)" in said.out
