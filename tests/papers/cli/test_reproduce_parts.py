"""coterie reproduce without some of the data: what to get is said, a fuller result stays, and a check says what it lacks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.sources import told
from tests.cli.running import coterie, refused

QUIET = ("--progress", "silent")


@pytest.fixture
def both(monkeypatch, tmp_path):
    """An experiment with a generated part, and a part that needs the Brown corpus; the folder has that corpus."""

    def run(trial: Trial, ledger: Ledger) -> None:
        ledger.add("ours", "NMI", "generated", 0.5)
        if trial.has("brown"):
            ledger.add("ours", "NMI", "Brown", 0.4)
        else:
            ledger.skip("Texts: the data set 'brown' is not here.")
        ledger.relate("ours is above nothing", True)

    made = Experiment("both", "Two parts", "coterie", "table 3", ("brown",), 0.1, 1, run)
    monkeypatch.setattr("coterie_papers.experiments.find", {"both": made}.__getitem__)
    (tmp_path / "data" / "brown").mkdir(parents=True)
    return tmp_path / "data"


def test_what_to_get_is_said_and_the_fuller_result_stays(both, tmp_path):
    said = coterie("reproduce", "both", "--data", both, *QUIET)
    assert "To get" not in said.out
    said = coterie("reproduce", "both", *QUIET)
    assert said.code == 0, said.err
    assert "left out: Texts" in said.out
    assert "To get, and to put into a folder that is named with --data" in said.out
    assert f"  - {told('brown')}" in said.out
    kept = Path(os.environ["COTERIE_STORE"]) / "reproduced"
    assert f"Kept: {kept / 'both.part.json'} (beside the one that had more of its data)" in said.out
    assert '"Brown"' in (kept / "both.json").read_text(encoding="utf-8")
    assert (kept / "both.part.html").exists()


def test_the_list_says_that_a_result_is_in_part(both, monkeypatch):
    from coterie_papers import experiments

    coterie("reproduce", "both", *QUIET)
    made = experiments.find("both")
    monkeypatch.setattr("coterie_papers.experiments.every", lambda: [made])
    (line,) = (line for line in coterie("reproduce").out.splitlines() if "both" in line)
    assert "not here: brown" in line
    assert ", in part" in line


def test_a_check_without_the_data_says_so(both, tmp_path):
    file = tmp_path / "out.json"
    assert coterie("reproduce", "both", "--data", both, "--json", file, *QUIET).code == 0
    said = refused("reproduce", "both", "--check", file, *QUIET)
    assert said.startswith(
        "'out.json' cannot be checked: it was made with data that is not here. Texts: the data set 'brown' is"
    )
    assert "sub-folder 'brown'" in said
    assert coterie("reproduce", "both", "--data", both, "--check", file, *QUIET).code == 0
