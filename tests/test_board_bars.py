"""The bars of the board, the record of its verdicts and its page, on a small made-up run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

QUALITY = Path(__file__).parent.parent / "benchmarks" / "quality"
NAN = float("nan")


def row(name: str, mode: str = "k", **given: Any) -> dict[str, Any]:
    """A row of a run, as `--json` keeps it."""
    said: dict[str, Any] = {
        "name": name,
        "family": name,
        "half": "choose",
        "modality": "sequences",
        "mode": mode,
        "members": 100,
        "classes": 4,
        "structureless": False,
        "ari": 0.6,
        "nmi": 0.6,
        "groups": 4,
        "largest": 0.3,
        "is_grouped": True,
        "verdict": "strong",
        "stability": 0.9,
        "orders": 1.0,
        "seeds": 0.95,
        "seconds": 1.0,
        "peak": 1e6,
        "rivals": {},
        "best": "",
        "regret": NAN,
        "problems": [],
        "tags": [],
        "judged_as": "sequences",
        **given,
    }
    if said["rivals"]:
        said["best"] = max(said["rivals"], key=said["rivals"].get)
        said["regret"] = said["rivals"][said["best"]] - said["ari"]
    return said


def nothing(name: str, *tags: str, **given: Any) -> dict[str, Any]:
    """A row of a collection without classes."""
    said = {"classes": 0, "ari": NAN, "structureless": True, "verdict": "none", "is_grouped": False}
    return row(name, "free", tags=["structureless", *tags], **{**said, **given})


MADE = [
    row("a", rivals={"moments + k-means": 0.4, "DTW + medoids": 0.1}),
    row("b", rivals={"moments + k-means": 0.2, "DTW + medoids": 0.5}, half="report", ari=0.55),
    row("c", modality="tables", rivals={"k-means": 0.5, "Gaussian mixture": 0.55}),
    row("d", modality="tables", rivals={"k-means": 0.9, "Gaussian mixture": 0.3}),
    row("a", "free", ari=0.5, rivals={"moments + silhouette k-means": 0.3}),
    row("b", "free", ari=0.2, groups=30, stability=0.7, rivals={"UMAP + HDBSCAN": 0.05}),
    row("c", "free", modality="tables", ari=0.1, verdict="weak", largest=0.9, stability=0.2),
    row(
        "d",
        "free",
        modality="tables",
        ari=0.0,
        verdict="none",
        is_grouped=False,
        orders=0.8,
        stability=0.8,
    ),
    nothing("cloud", "strict"),
    nothing("square", "strict", is_grouped=True, verdict="weak"),
    nothing("one class", "one-class", is_grouped=True, verdict="moderate"),
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the command makes of that run."""
    folder = tmp_path_factory.mktemp("run")
    run = folder / "run.json"
    run.write_text(json.dumps({"rows": MADE}))
    files = {name: folder / name for name in ("again.json", "board.md", "verdicts.json")}
    done = subprocess.run(
        [sys.executable, QUALITY / "board.py", folder, "--merge", run]
        + ["--json", files["again.json"], "--page", files["board.md"]]
        + ["--record", files["verdicts.json"]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    bars = json.loads(files["again.json"].read_text())["bars"]
    return {
        "lines": done.stdout.splitlines(),
        "bars": {bar["name"]: bar for bar in bars},
        "page": files["board.md"].read_text(),
        "record": json.loads(files["verdicts.json"].read_text()),
    }


@pytest.mark.parametrize(
    ("name", "figure", "held"),
    [
        ("sequences: above the best single rival", 0.275, True),  # DTW: .5 and .05
        ("tables: above k-means", -0.1, False),
        ("tables: above Gaussian mixture / Gaussian mixture, tied", 0.175, True),
        ("report half, less the choose half", -0.05, False),
        ("sequences: above the best rival that chooses its own number", 0.15, True),
        ("below ours with the number given", 0.3875, False),
        ("share with a shown number within a factor 2 of the classes", 0.75, False),
        ("collections of over two classes answered with one group over 80%", 1.0, False),
        ("two orders of the rows, all members: least ARI", 0.8, False),
        ("two seeds, verdicts other than weak and none: mean ARI", 0.95, True),
        ("strict structureless (2) called grouped", 0.5, False),
        ("called none though a rival with k reaches .4", 0.25, False),
        ("strong and below ARI .3", 0.5, False),
        ("median ARI of strong", 0.35, False),
        ("rank correlation of stability with ARI", 0.4, False),
        ("a single class called strong", 0.0, True),
    ],
)
def test_each_bar(printed: dict[str, Any], name: str, figure: float, held: bool) -> None:
    bar = printed["bars"][name]
    assert bar["figure"] == pytest.approx(figure)
    assert bar["held"] is held


def test_what_a_run_does_not_say_is_neither_held_nor_missed(printed: dict[str, Any]) -> None:
    bar = printed["bars"]["pictures: above the best single rival"]
    assert bar["figure"] is None
    assert bar["held"] is None


def test_a_collection_far_below_is_excused_only_by_the_record() -> None:
    sys.path.insert(0, str(QUALITY))
    import board
    import board_bars

    rows = board.rows_from(json.dumps({"rows": MADE}))
    name = "collections over .15 below their best rival that the record does not name"
    found = {bar.name: bar for bar in board_bars.measure_bars(rows, record="")}[name]
    assert found.names == ("d",)
    excused = {bar.name: bar for bar in board_bars.measure_bars(rows, record="of `d`")}[name]
    assert excused.is_held


def test_shown_levels_count() -> None:
    sys.path.insert(0, str(QUALITY))
    from types import SimpleNamespace

    import board_bars

    assert not board_bars.is_within_two(SimpleNamespace(groups=30, classes=4))
    assert board_bars.is_within_two(SimpleNamespace(groups=30, classes=4, levels=[30, 6]))


def test_a_line_for_each_bar(printed: dict[str, Any]) -> None:
    said = [line for line in printed["lines"] if line[:2] in ("1 ", "2 ", "3 ", "4 ")]
    assert len(said) == len(printed["bars"])
    assert sum(line.count("NOT HELD") for line in said) == sum(
        bar["held"] is False for bar in printed["bars"].values()
    )
    assert "called none though a rival with k reaches .4" in printed["page"]
    assert "moments + silhouette k-means" in printed["page"].split("## With nothing given")[1]


def test_the_record_of_the_verdicts(printed: dict[str, Any]) -> None:
    assert printed["record"] == {
        "all": {
            "strong": {"collections": 2, "agreed": 1},
            "weak": {"collections": 1, "agreed": 0},
        }
    }


def test_a_modality_has_a_record_where_there_are_enough() -> None:
    sys.path.insert(0, str(QUALITY))
    import board

    many = [row(f"m{at}", "free", ari=0.1 * at) for at in range(board.ENOUGH)]
    rows = board.rows_from(json.dumps({"rows": [*many, *MADE]}))
    found = board.record_verdicts([one for one in rows if one.mode == "free"])
    assert found["sequences"] == {"strong": {"collections": 12, "agreed": 8}}
    assert found["all"]["weak"] == {"collections": 1, "agreed": 0}


def test_twenty_collections_without_structure_are_read(tmp_path: Path) -> None:
    sys.path.insert(0, str(QUALITY))
    import board
    from board_nothing import write_nothing

    write_nothing(tmp_path)
    cases = board.read_cases(tmp_path)
    assert len(cases) == 20
    assert {case.modality for case in cases} >= {"tables", "sequences", "sets", "text"}
    for case in cases:
        collection, classes = board.read_collection(case.folder)
        assert len(collection) == case.members
        assert set(classes) == {None}
        assert "strict" in case.tags
