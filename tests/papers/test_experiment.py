"""Experiments: the ledger, the agreed JSON, where data is looked for, and every one of them by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from coterie.core.errors import DataError, ParameterError
from coterie_papers import experiments
from coterie_papers.experiment import Experiment, Ledger, Result, Trial
from tests.cli.running import coterie, refused

KEYS = [
    "experiment",
    "rows",
    "relations",
    "skipped",
    "seconds",
    "seeds",
    "quick",
    "pictures",
    "version",
    "date",
    "machine",
]


@pytest.mark.parametrize("experiment", experiments.every(), ids=lambda e: e.name)
def test_every_experiment_says_what_it_is(experiment: Experiment) -> None:
    assert experiments.find(experiment.name) is experiment
    assert experiment.title
    assert experiment.table
    assert experiment.minutes > 0
    assert experiment.seeds >= 1


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sample", "Did you mean samples?"),
        ("sic-vowel", "Did you mean sic-vowels?"),
        ("smaples", "Did you mean samples?"),
        ("mates", "Did you mean mates-two-languages or mates-three-languages?"),
        ("sic", "`coterie reproduce` lists them all."),
        ("poems", "`coterie reproduce` lists them all."),
        ("", "`coterie reproduce` lists them all."),
    ],
)
def test_names_near_an_unknown_one(name: str, hint: str) -> None:
    with pytest.raises(ParameterError) as told:
        experiments.find(name)
    assert str(told.value) == f"There is no experiment '{name}'. {hint}"


def test_ledger_takes_the_mean_and_its_error() -> None:
    ledger = Ledger()
    assert ledger.add("ours", "NMI", "toy", [0.5, 0.7, 0.9], paper=0.8) == pytest.approx(0.7)
    assert ledger.rows[0].se == pytest.approx(0.2 / 3**0.5)
    assert ledger.add("ours", "NMI", "toy", 0.5) == 0.5
    assert ledger.rows[1].se == 0
    ledger.relate("a is above b", 3 > 2)
    assert ledger.relations[0].holds is True


def _toy(trial: Trial, ledger: Ledger) -> None:
    ledger.add("ours", "NMI", "toy", [0.1 * seed for seed in range(trial.seeds)], paper=0.3)
    ledger.add("ours", "NMI", "none", float("nan"))
    ledger.relate("it is quick", trial.quick)
    ledger.skip("The rest was left out.")


TOY = Experiment("toy", "A toy", "coterie", "none", (), 0.1, 3, _toy)


def test_conduct_and_its_record() -> None:
    result = TOY.conduct()
    assert result.seeds == 3
    record = json.loads(result.to_json())
    assert list(record) == KEYS
    first = record["rows"][0]
    assert list(first) == ["method", "measure", "data", "ours", "se", "paper"]
    assert (first["method"], first["ours"], first["se"], first["paper"]) == (
        "ours",
        pytest.approx(0.1),
        pytest.approx(0.0577, abs=1e-3),
        0.3,
    )
    assert record["rows"][1]["ours"] is None
    assert record["relations"] == [{"text": "it is quick", "holds": False}]
    assert record["skipped"] == ["The rest was left out."]
    assert TOY.conduct(quick=True).seeds == 1
    assert TOY.conduct(quick=True, seeds=2).seeds == 2
    assert isinstance(result, Result)


def test_data_is_looked_for_in_the_folder_and_then_in_the_environment(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    (tmp_path / "here" / "wine").mkdir(parents=True)
    (tmp_path / "there" / "wine").mkdir(parents=True)
    (tmp_path / "there" / "wine" / "a.csv").write_text("x")
    trial = Trial(1, True, tmp_path / "here")
    assert trial.data("wine") == tmp_path / "here" / "wine"
    with pytest.raises(
        DataError,
        match=r"The data set 'wine' \(file a.csv\) is not here; put it in a sub-folder 'wine'",
    ):
        trial.data("wine", "a.csv")
    assert not trial.has("wine", "a.csv")
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path / "there"))
    assert trial.data("wine", "a.csv") == tmp_path / "there" / "wine" / "a.csv"
    assert trial.has("wine", "a.csv")


def test_toy_on_the_command_line(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "find", lambda name: TOY)
    said = coterie(
        "reproduce", "toy", "--json", tmp_path / "toy.json", "--seeds", 4, "--progress", "silent"
    )
    assert said.code == 0
    assert "0.15 ± 0.065" in said.out
    assert "FAILS  it is quick" in said.out
    assert "left out: The rest was left out." in said.out
    assert set(json.loads((tmp_path / "toy.json").read_text())) == set(KEYS)


def test_wrong_words_on_the_command_line(tmp_path: Path) -> None:
    assert refused("reproduce", "nothing").startswith("There is no experiment 'nothing'")
    assert "which is not a folder" in refused("reproduce", "samples", "--data", tmp_path / "none")
    assert "--seeds" in refused("reproduce", "samples", "--seeds", "0")


def test_what_needs_data_that_is_not_here_says_so(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    for experiment in experiments.every():
        assert experiment.lacks(tmp_path) == experiment.needs
        assert all(
            name in said for name in experiment.sets for said in [" ".join(experiment.needs)]
        )


def test_sums_have_one_order_on_any_number_of_cores() -> None:
    found: list[int] = []

    def run(trial: Trial, ledger: Ledger) -> None:
        found.extend(
            pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
        )

    with threadpool_limits(2):
        Experiment("toy", "A toy", "coterie", "none", (), 0.1, 1, run).conduct()
    assert found
    assert set(found) == {1}
