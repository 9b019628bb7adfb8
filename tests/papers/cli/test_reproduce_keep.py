"""coterie reproduce --keep: a trial that was finished is not made again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coterie.core.workplace import once
from coterie_papers.cli.reproduce import command
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.trials import Trials


def test_finished_trials_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def run(trial: Trial, ledger: Ledger) -> None:
        def make() -> dict[str, np.ndarray]:
            made.append(1)
            return {"value": np.array(7.0)}

        ledger.add("method", "measure", "data", float(once("trial", make)["value"]))

    tiny = Experiment(
        name="tiny", title="Tiny", work="ours", table="-", needs=(), minutes=1, seeds=1, run=run
    )
    monkeypatch.setattr("coterie_papers.experiments.find", lambda name: tiny)
    for _ in range(2):
        done = CliRunner().invoke(command, ["tiny", "--keep", str(tmp_path / "kept")])
        assert done.exit_code == 0, done.output
        assert "7" in done.output
    assert len(made) == 1
    assert CliRunner().invoke(command, ["tiny"]).exit_code == 0
    assert len(made) == 2  # nothing is kept without the option
    assert (
        CliRunner().invoke(command, ["tiny", "--keep", str(tmp_path / "kept"), "--quick"]).exit_code
        == 0
    )
    assert (
        len(made) == 3
    )  # trials of other settings are others, though they are made in the same order
    file = tmp_path / "tiny.json"
    again = ["tiny", "--keep", str(tmp_path / "kept")]
    assert CliRunner().invoke(command, [*again, "--json", str(file)]).exit_code == 0
    assert len(made) == 3
    assert CliRunner().invoke(command, [*again, "--check", str(file)]).exit_code == 0
    assert (
        len(made) == 4
    )  # a check makes its own trials, and does not compare a result with what it was made of


def test_a_run_that_goes_on_tells_the_time_of_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(
        [100.0, 103.5, 5000.0]
    )  # the first run begins and ends its trial; the second one begins
    monkeypatch.setattr("coterie_papers.trials.time.time", lambda: next(times))
    first = Trials(tmp_path, by="code", then="give another folder")
    first.put("trial", {"value": np.array(7.0)})
    assert first.before == 0.0
    assert Trials(tmp_path, by="code", then="give another folder").before == 3.5


def test_time_is_that_of_the_same_code(tmp_path: Path) -> None:
    Trials(tmp_path, by="code", then="give another folder").put("trial", {"value": np.array(7.0)})
    assert Trials(tmp_path, by="other", then="give another folder").before == 0.0
