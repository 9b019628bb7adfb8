"""The table of benchmarks in the docs is what the last run measured, and rows say truly whether their goals are reached."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.pages import DOCS, ROOT

BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    """The modules of the benchmarks."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield {name: importlib.import_module(name) for name in ("table", "pages", "run")}
    for name in ("pages", "run", "table"):
        sys.modules.pop(name, None)


def test_page_is_what_the_last_run_measured(bench):
    results = json.loads((BENCHMARKS / "results" / "last.json").read_text(encoding="utf-8"))
    told = "is not what results/last.json gives; python benchmarks/run.py --page writes it"
    assert (DOCS / "benchmarks.md").read_text(encoding="utf-8") == bench["pages"].markdown(
        results
    ), f"docs/benchmarks.md {told}"
    assert (BENCHMARKS / "results" / "last.html").read_text(encoding="utf-8") == bench[
        "pages"
    ].page(results), f"last.html {told}"
    assert not results["quick"]


def test_every_script_is_in_the_last_table_or_said_to_be_missing(bench):
    results = json.loads((BENCHMARKS / "results" / "last.json").read_text(encoding="utf-8"))
    assert set(results["scripts"]) | set(results["missing"]) == set(bench["run"].scripts()), (
        "benchmarks/run.py --page mends it"
    )
    assert not set(results["scripts"]) & set(results["missing"])
    assert all(script["rows"] for script in results["scripts"].values())


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ({"ours": 1.0, "theirs": 5.0, "goal": 5.0}, True),
        ({"ours": 1.0, "theirs": 4.9, "goal": 5.0}, False),
        ({"ours": 61.0, "limit": 60.0}, False),
        ({"ours": 1.0, "theirs": 9.0, "goal": 5.0, "error": 1e-3, "tolerance": 1e-8}, False),
        ({"error": float("nan"), "tolerance": 1e-8}, False),
        ({"peak": 114.0, "budget": 100.0}, True),
        ({"peak": 116.0, "budget": 100.0}, False),
        ({"peak": 101.0, "room": 100.0}, False),
        ({"budget": 100.0}, False),
        ({"quality": 0.94, "quality_of": "recall", "quality_goal": 0.95}, False),
        ({"quality": 0.95, "quality_of": "recall", "quality_goal": 0.95}, True),
        ({"ours": 3.0}, None),
    ],
)
def test_row_says_whether_goals_are_reached(bench, given, reached):
    row = bench["table"].Row("pairs", "something", **given)
    assert row.reached() is reached
    assert (
        bench["pages"].outcome(row) == {True: "reached", False: "missed", None: "no goal"}[reached]
    )


def test_row_of_no_section_is_refused(bench):
    with pytest.raises(ValueError, match="no section"):
        bench["table"].Row("elsewhere", "something")


def test_script_that_fails_or_hangs_is_a_row(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(bench["run"].os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    row = 'from table import Row, report; report(Row("pairs", "good", ours=1.0))\n'
    begin = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n" + row
    for name, more, words in (
        ("bad", "raise OSError('gone')", "it failed: OSError: gone"),
        ("long", "import time; time.sleep(60)", "longer"),
    ):
        path = Path(tmp_path) / f"{name}.py"
        path.write_text(begin + more + "\n", encoding="utf-8")
        found = bench["run"].measured(name, path, [], 5.0, {"PATH": ""})
        assert [one["name"] for one in found["rows"]] == ["good", f"benchmarks/speed/{name}.py"]
        assert words in found["rows"][1]["failed"]


def test_rows_of_another_machine_say_so_and_stay_in_a_whole_run(bench, tmp_path):
    run = bench["run"]
    row = {"section": "gpu", "name": "counts", "ours": 1.0}
    other = run.empty(quick=False)
    script = {
        "begun": "then",
        "commit": "abc",
        "alone": False,
        "seconds": 1.0,
        "cpu": 1.0,
        "peak": 1e6,
        "load": 0.0,
    }
    other["machine"] |= {"card": "A Card", "processor": "A Chip", "cores": 16}
    other["scripts"] = {"gpu": script | {"rows": [row]}, "hmm": script | {"rows": [row]}}
    file = tmp_path / "other.json"
    file.write_text(json.dumps(other), encoding="utf-8")
    here = run.empty(quick=False)
    here |= {"noise": {"least": 1.0, "most": 1.0, "waited": 1.0}, "missing": []}
    found = run.taken(here, file, ["gpu"])
    assert {name: told["on"] for name, told in found["scripts"].items()} == {
        "gpu": "A Card, A Chip, 16 cores"
    }
    assert "`gpu` was measured on another machine: A Card, A Chip, 16 cores." in bench[
        "pages"
    ].markdown(found)
    last = tmp_path / "last.json"
    last.write_text(
        json.dumps(found | {"scripts": found["scripts"] | {"mcl": script | {"rows": [row]}}}),
        encoding="utf-8",
    )
    assert list(run.from_elsewhere(last)) == ["gpu"]
    assert run.from_elsewhere(tmp_path / "none.json") == {}


def test_a_run_that_was_stopped_goes_on(bench, tmp_path, monkeypatch):
    run = bench["run"]
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("pass", encoding="utf-8")
    row = {"section": "pairs", "name": "x", "ours": 1.0}
    asked = []

    def measured(name, path, words, longest, env):
        asked.append(name)
        return {"rows": [row], "seconds": 1.0, "cpu": 1.0, "peak": 1e6, "load": 0.0}

    monkeypatch.setattr(run, "measured", measured)
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(
        run, "scripts", lambda: {name: tmp_path / f"{name}.py" for name in ("one", "two", "three")}
    )
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert run.main() == 0
    results = json.loads((tmp_path / "last.json").read_text(encoding="utf-8"))
    results["scripts"].pop("three")
    results["scripts"]["two"]["rows"].append(
        {"section": "pairs", "name": "y", "failed": "it was ended from outside, by signal 9"}
    )
    (tmp_path / "last.json").write_text(json.dumps(results), encoding="utf-8")
    asked.clear()
    monkeypatch.setattr(sys, "argv", ["run.py", "--rest"])
    assert run.main() == 0
    assert asked == ["two", "three"]
    again = json.loads((tmp_path / "last.json").read_text(encoding="utf-8"))
    assert again["begun"] == results["begun"]
    assert not any(script["alone"] for script in again["scripts"].values())


def test_race_takes_turns_and_judges_equal_work_as_equal(tmp_path):
    code = (
        "import sys, json; sys.path.insert(0, {where!r})\n"
        "from timing import race\n"
        "seen = []\n"
        "def work(name): seen.append(name); sum(range(2_000_000))\n"
        "found = race({{'coterie': lambda: work('a'), 'peer': lambda: work('b')}}, 3, scale={{'peer': 4.0}})\n"
        "row = found.row('pairs', 'x', peer='peer', goal=1.0)\n"
        "gone = found.row('pairs', 'x', peer='nobody', goal=1.0)\n"
        "json.dump([seen, row.ratio, row.note, gone.failed, found.peak], sys.stdout)\n"
    ).format(where=str(BENCHMARKS / "speed"))
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    seen, ratio, note, gone, peak = json.loads(out)
    first = seen.index("b")
    assert seen[:first] == ["a"]  # the turn that is not counted; then both by turns
    assert [one for at, one in enumerate(seen) if at == 0 or one != seen[at - 1]] == ["a", "b"] * 4
    assert 1.3 < ratio < 12
    assert "times 4" in note
    assert gone == "nobody is not installed"
    assert peak > 10e6


def test_scripts_hand_in_rows():
    for path in sorted((BENCHMARKS / "speed").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__"' in text:
            called = {
                node.func.id
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            assert "report" in called, f"{path.name} hands in no row"
