"""An unstable group is marked wherever the groups are listed: terminal, report, map, labels.csv, frame."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coterie import show
from coterie.cli.say import tell_exploration
from coterie.core.findings import Findings, find_unstable
from coterie.core.partition import Partition
from coterie.run.frames import member_frame
from coterie.run.stored import write_labels
from coterie.show import map as still
from tests.show import made


@pytest.fixture(scope="module")
def found() -> Findings:
    """Three groups, the second of which was not found again."""
    findings = made.findings(60, 3)
    stabilities = (0.9, 0.3, float("nan"))
    groups = [
        replace(group, stability=stability)
        for group, stability in zip(findings.groups, stabilities, strict=True)
    ]
    return replace(findings, groups=tuple(groups))


def test_a_group_that_was_not_looked_for_is_not_unstable(found: Findings) -> None:
    assert [group.is_unstable for group in found.groups] == [False, True, False]
    assert find_unstable(found) == {1}


def test_in_the_terminal(found: Findings, capsys: pytest.CaptureFixture[str]) -> None:
    tell_exploration(SimpleNamespace(findings=found, sentences=list, run=None))  # type: ignore[arg-type]
    lines = capsys.readouterr().out.splitlines()
    listed = [line for line in lines if re.match(r"\s+\d+  \S", line)]
    assert [line.endswith("(unstable)") for line in listed] == [False, True, False]


def test_in_labels_and_frame(found: Findings, tmp_path: Path) -> None:
    with write_labels(found, tmp_path / "labels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["unstable"] == "True" for row in rows] == (found.labels == 1).tolist()
    frame = member_frame(found, "pandas")
    assert frame["unstable"].tolist() == (found.labels == 1).tolist()


def test_in_the_report(found: Findings) -> None:
    page = show.render(found)
    items = re.search(r'<ul class="still-legend">(.*?)</ul>', page, re.DOTALL)
    assert items is not None
    assert [", unstable" in item for item in items.group(1).split("</li>")[:-1]] == [
        False,
        True,
        False,
    ]
    assert page.count('"unstable":true') == 1


@pytest.mark.parametrize(
    ("numbers", "signs"), [(False, ["A", "B?", "C"]), (True, ["1", "2?", "3"])]
)
def test_on_the_map(numbers: bool, signs: list[str]) -> None:
    labels = np.repeat([0, 1, 2], 5)
    drawn = still.draw(
        np.random.default_rng(0).normal(size=(15, 2)),
        Partition(labels),
        numbers=numbers,
        unstable={1},
    )
    assert re.findall(r">([^<>]+)</text>", drawn) == signs
