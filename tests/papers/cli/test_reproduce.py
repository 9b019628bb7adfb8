"""coterie reproduce: the list fits a terminal, results are kept and checked, and lacking data says what to get and where."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from coterie.core.errors import Interrupted, MissingExtra
from coterie_papers import experiments
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.works import WORKS
from tests.cli.running import coterie, refused


@pytest.fixture(autouse=True)
def _no_data(monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)


def test_the_list_has_everything_and_cuts_nothing_where_there_is_no_terminal():
    said = coterie("reproduce").out.splitlines()
    assert not any("…" in line for line in said)
    assert any(line.rstrip().endswith("section 5.2.3") for line in said)
    assert said[0].split("  ")[0] == "experiment"
    for heading in ("minutes", "data", "status", "last result", "table or figure"):
        assert heading in said[0]
    named = [line.split()[0] for line in said if line.startswith("  ")]
    assert sorted(named) == sorted(experiments.MODULES)
    works = [line for line in said if line.endswith(":") and not line.startswith(" ")]
    assert works == [*(f"{name} ({title}):" for name, title in WORKS.items()), "our own:"]
    lines = {line.split()[0]: line for line in said if line.startswith("  ")}
    assert "generated" in lines["f1-tests"]
    assert "ready" in lines["f1-tests"]
    assert "not here: conll2002" in lines["sic-ner"]
    assert "lacks" not in "".join(said)
    assert "wine and digits (scikit-learn)" in lines["sic-sequential"]


def test_the_list_fits_a_terminal_of_120_columns(monkeypatch):
    monkeypatch.setattr("coterie_papers.cli.reproduce_list.terminal", lambda: 120)
    said = coterie("reproduce").out.splitlines()
    assert max(map(len, said)) <= 120
    assert said[0].split("  ")[0] == "experiment"


@pytest.mark.parametrize("wide", [52, 60])
def test_everything_fits_a_very_narrow_terminal(monkeypatch, toys, wide):
    monkeypatch.setattr("coterie_papers.cli.reproduce_list.terminal", lambda: wide)
    for asked in ((), ("--coverage",), ("toy", "--quick", "--progress", "silent")):
        said = coterie("reproduce", *asked).out.splitlines()
        assert max(len(line) for line in said if not line.startswith(("Kept:", "Page:"))) <= wide, (
            asked
        )


@pytest.fixture
def narrow(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setattr("coterie_papers.cli.reproduce_list.terminal", lambda: 80)


def test_a_narrow_list_has_two_lines_per_experiment_and_cuts_no_table(narrow, toys):
    coterie("reproduce", "toy", "--quick", "--progress", "silent")
    said = coterie("reproduce").out.splitlines()
    assert max(map(len, said)) <= 80
    named = [line.split()[0] for line in said[: said.index("")] if not line.startswith(" ")]
    assert sorted(named) == sorted([*experiments.MODULES, *toys])
    at = next(at for at, line in enumerate(said) if line.startswith("f1-tests "))
    tests = next(one for one in experiments.every() if one.name == "f1-tests")
    assert said[at].split() == ["f1-tests", f"{tests.minutes:g}", "min", "ready"]
    assert " ".join(said[at + 1 : at + 3]).split() == f"{tests.after}; data: generated".split()
    at = next(at for at, line in enumerate(said) if line.startswith("toy "))
    assert said[at + 1] == "    Our own: table 3; data: generated"
    assert said[at + 2].startswith("    last result: 1 holds, 1 fails, quick 20")


def test_coverage_is_wrapped_with_its_notes_further_in(narrow):
    said = coterie("reproduce", "--coverage").out.splitlines()
    assert max(map(len, said)) <= 80
    assert said[0].startswith("SIC: section 3.1, figure 12")
    assert said[0].endswith("(specification, 8.1)")
    assert said[1].startswith("    sic-ner. ESTER2 is sold")
    assert said[2].startswith("      ")


def test_the_list_says_what_is_here_and_what_came_out_last(toys, tmp_path):
    (tmp_path / "newsgroups20").mkdir()
    said = coterie("reproduce", "--data", tmp_path).out
    line = next(line for line in said.splitlines() if line.startswith("  nntr-ranks "))
    assert "not here: reuters21578" in line
    coterie("reproduce", "toy", "--data", tmp_path, "--quick", "--progress", "silent")
    line = next(line for line in coterie("reproduce").out.splitlines() if line.startswith("  toy "))
    assert "1 holds, 1 fails, quick 20" in line
    Path(os.environ["COTERIE_STORE"], "reproduced", "toy.quick.json").write_text("{")
    line = next(line for line in coterie("reproduce").out.splitlines() if line.startswith("  toy "))
    assert "not readable" in line


def test_nothing_that_ran_is_one_sentence_and_no_success(tmp_path):
    said = refused("reproduce", "nntr-ranks", "--data", tmp_path, "--progress", "silent")
    assert said.startswith(
        "Nothing of 'nntr-ranks' was run for want of data, which goes into a folder that is named with --data"
    )
    assert (
        "(1) 20 Newsgroups, by date: get the archive 20news-bydate, and make of it, in a sub-folder 'newsgroups20',"
        in said
    )
    assert "(2) Reuters-21578: get the archive reuters21578.tar.gz" in said


@pytest.fixture
def toys(monkeypatch):
    """One experiment that needs nothing, and three that cannot be run."""

    def run(trial: Trial, ledger: Ledger) -> None:
        ledger.add("ours", "words learned from", "toys", [32841.0, 32843.0], 0.25, "reference run")
        ledger.add("ours", "seconds", "toys", float(os.urandom(2)[0]))
        ledger.relate("one is below two", True)
        ledger.relate("two is below one", False)

    def lacking(trial: Trial, ledger: Ledger) -> None:
        if not trial.has("brown"):
            ledger.skip("Texts: they are not here.")

    def torch(trial: Trial, ledger: Ledger) -> None:
        raise MissingExtra("This needs the library 'torch'.")

    def broken(trial: Trial, ledger: Ledger) -> None:
        raise ZeroDivisionError("by nothing")

    made = {
        "toy": Experiment("toy", "A toy", "coterie", "table 3", (), 0.1, 3, run),
        "lacking": Experiment(
            "lacking", "A toy", "coterie", "table 3", ("brown",), 0.1, 3, lacking
        ),
        "torch": Experiment("torch", "A toy", "coterie", "table 3", (), 0.1, 3, torch),
        "broken": Experiment("broken", "A toy", "coterie", "table 3", (), 0.1, 3, broken),
        "other": Experiment("other", "A toy", "coterie", "table 3", (), 0.1, 3, lacking),
    }
    every = experiments.every()
    monkeypatch.setattr("coterie_papers.experiments.find", made.__getitem__)
    monkeypatch.setattr("coterie_papers.experiments.every", lambda: [*every, *made.values()])
    return made


def test_another_reason_is_said(toys, tmp_path):
    assert (
        refused("reproduce", "other", "--data", tmp_path)
        == "Nothing of 'other' was run: Texts: they are not here."
    )


def test_rows_are_told_in_words_with_differences_and_kept(toys, tmp_path):
    said = coterie(
        "reproduce", "toy", "--quick", "--progress", "silent", "--json", tmp_path / "out.json"
    )
    assert said.code == 0, said.err
    assert said.out.startswith(
        "Experiment toy: A toy (1 seed, quick: smaller settings, with which a relation may fail; 0 s)\nOur own: table 3\n"
    )
    assert said.out.splitlines()[3].split("  ")[-1] == "diff."
    words = [part.strip() for part in said.out.splitlines()[5].split("  ") if part]
    assert words[-3:] == ["32,842 ± 1", "0.25 (reference run)", "+32,842"]
    kept = Path(os.environ["COTERIE_STORE"]) / "reproduced" / "toy.quick.json"
    assert f"Kept: {kept}" in said.out
    assert kept.read_text() == (tmp_path / "out.json").read_text()
    page = kept.with_suffix(".html").read_text(encoding="utf-8")
    assert "<b>FAILS</b>" in page
    assert "reference run" in page


def test_a_result_is_checked_by_running_again(toys, tmp_path):
    file = tmp_path / "toy.json"
    coterie("reproduce", "toy", "--seeds", 2, "--json", file, "--progress", "silent")
    said = coterie("reproduce", "toy", "--check", file, "--progress", "silent")
    assert said.code == 0, said.out + said.err
    assert (
        said.out
        == "toy: the same 1 rows as in 'toy.json', to the last digit (1 that tell time were not compared).\n"
    )
    record = json.loads(file.read_text())
    record["rows"][0]["ours"] += 1e-9
    file.write_text(json.dumps(record))
    said = coterie("reproduce", "toy", "--check", file, "--progress", "silent")
    assert said.code == 1
    end = "(1 that tell time were not compared); numbers differ by 3e-14 of their size at most.\n"
    assert said.out.endswith(f"toy: 1 difference from 'toy.json' {end}")
    assert "scikit-learn" in record["machine"]
    for other, told in (("a mill", "on a mill"), ("", "before results told on what")):
        file.write_text(json.dumps({**record, "machine": other}))
        last = coterie(
            "reproduce", "toy", "--check", file, "--progress", "silent"
        ).out.splitlines()[-1]
        assert last.startswith(
            f"It was made {told}, and this is {record['machine']}: another processor"
        )
    assert "is a result of 'toy' and not of 'other'" in refused(
        "reproduce", "other", "--check", file
    )


@pytest.mark.parametrize("name", ["rankings", "f1-tests"])
def test_stored_seeds_give_the_same_table(name, tmp_path):
    file = tmp_path / "stored.json"
    assert (
        coterie(
            "reproduce", name, "--quick", "--json", file, "--progress", "silent", "--jobs", 1
        ).code
        == 0
    )
    said = coterie("reproduce", name, "--check", file, "--progress", "silent", "--jobs", 1)
    assert said.code == 0, said.out + said.err
    assert f"{name}: the same {len(json.loads(file.read_text())['rows'])} rows" in said.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--quick",), "--quick needs the name of an experiment"),
        (("--seeds", "3"), "--seeds needs the name of an experiment"),
        (("--coverage", "--page", "a.html"), "--page needs the name of an experiment"),
        (("--all", "--json", "a.json"), "--json is for one experiment"),
        (("rankings", "--check", "a.json", "--seeds", "3"), "leave out --seeds"),
        (("rankings", "--check", "a.json", "--json", "b.json"), "leave out --json"),
    ],
)
def test_options_that_would_do_nothing_are_refused(words, said):
    assert said in refused("reproduce", *words)


def test_places_that_cannot_be_written_to_are_refused_before_the_run(toys, tmp_path, monkeypatch):
    def never(trial: Trial, ledger: Ledger) -> None:
        raise AssertionError("it was run")

    monkeypatch.setattr(
        "coterie_papers.experiments.find", lambda name: replace(toys["toy"], run=never)
    )
    file = tmp_path / "file"
    file.write_text("kept")
    for option in ("--store", "--keep"):
        assert f"{option} names '{file}', which is not a folder" in refused(
            "reproduce", "toy", option, file
        )
        inside = file / "below" / "it"
        assert f"{option} names '{inside}', in '{file}', which is not a folder" in refused(
            "reproduce", "toy", option, inside
        )
    for option in ("--json", "--page"):
        assert f"{option} names '{tmp_path}', which is a folder and not a file" in refused(
            "reproduce", "toy", option, tmp_path
        )
        assert "and there is no folder" in refused(
            "reproduce", "toy", option, tmp_path / "none" / "a"
        )
    assert "which is not a folder" in refused("reproduce", "--all", "--store", file)
    assert "--keep names" in refused("reproduce", "toy", "--check", file, "--keep", file)
    assert file.read_text() == "kept"
    (tmp_path / "shut").mkdir()
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path).name != "shut"
    )  # who runs the tests may be allowed all
    assert "shut' may not be written to" in refused(
        "reproduce", "toy", "--store", tmp_path / "shut"
    )
    assert "a.json', which may not be written to" in refused(
        "reproduce", "toy", "--json", tmp_path / "shut" / "a.json"
    )


def test_data_that_is_not_here_is_said_before_the_run(toys, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    said = coterie("reproduce", "lacking", "--data", tmp_path / "elsewhere", "--progress", "lines")
    notes = [line for line in said.err.splitlines() if "Without brown (not in" in line]
    assert len(notes) == 1


def test_a_stop_says_what_would_have_been_kept(toys, tmp_path, monkeypatch):
    def stop(trial: Trial, ledger: Ledger) -> None:
        raise Interrupted("Stopped as asked; what was finished is kept.")

    monkeypatch.setattr(
        "coterie_papers.experiments.find", lambda name: replace(toys["toy"], run=stop)
    )
    said = coterie("reproduce", "toy", "--progress", "silent")
    assert "nothing of this experiment is kept: with --keep DIR finished trials are" in said.err
    said = coterie("reproduce", "toy", "--progress", "silent", "--keep", tmp_path)
    assert "what was finished is kept" in said.err


def test_all_are_run_one_after_another(toys, tmp_path, monkeypatch):
    monkeypatch.setattr("coterie_papers.experiments.every", lambda: list(toys.values()))
    said = coterie("reproduce", "--all", "--quick", "--progress", "silent")
    assert said.code == 1, said.err  # one of them broke
    lines = said.out.splitlines()
    assert lines[0].startswith(" 1 of 5  toy: run, 1, 1, ")
    assert lines[1].startswith(" 2 of 5  lacking: Nothing of 'lacking' was run for want of data")
    assert lines[2] == " 3 of 5  torch: This needs the library 'torch'."
    assert lines[3] == " 4 of 5  broken: broke with ZeroDivisionError: by nothing"
    assert lines[-1].startswith("1 of 5 were run; 1 relation fails. They are kept in: ")
    place = Path(os.environ["COTERIE_STORE"]) / "reproduced"
    assert sorted(path.name for path in place.iterdir()) == ["toy.quick.html", "toy.quick.json"]


def test_a_stopped_run_over_all_goes_on(toys, monkeypatch):
    done = []

    def make(name: str, stop: bool) -> Experiment:
        def run(trial: Trial, ledger: Ledger) -> None:
            if stop and len(done) == 1:
                done.append("stop")
                raise Interrupted("Stopped as asked.")
            done.append(name)
            ledger.add("ours", "NMI", "toy", 1.0)

        return Experiment(name, "A toy", "coterie", "-", (), 0.1, 1, run)

    made = [make("first", False), make("second", True), make("third", False)]
    monkeypatch.setattr("coterie_papers.experiments.every", lambda: list(made))
    assert coterie("reproduce", "--all", "--quick", "--progress", "silent").code != 0
    assert done == ["first", "stop"]
    said = coterie("reproduce", "--all", "--quick", "--progress", "silent")
    assert said.out.startswith("Going on: 1 of 3 were done before.\n 2 of 3  second: run")
    assert done == ["first", "stop", "second", "third"]
    assert [line.split()[0] for line in said.out.splitlines()[6:9]] == ["first", "second", "third"]
    coterie("reproduce", "--all", "--quick", "--progress", "silent")
    assert done[4:] == ["first", "second", "third"]  # the next run begins anew


def test_one_thing_at_a_time(tmp_path):
    assert "--all stands alone; leave out the name 'samples'" in refused(
        "reproduce", "samples", "--all"
    )
    assert "--all and --coverage cannot be asked for together" in refused(
        "reproduce", "--all", "--coverage"
    )
    assert "--check needs the name" in refused("reproduce", "--check", tmp_path / "a.json")
    assert "there is no folder" in refused(
        "reproduce", "samples", "--page", tmp_path / "no" / "a.html"
    )
