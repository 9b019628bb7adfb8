"""`coterie reproduce samples --quick`: planted groups are found and none are claimed where there are none."""

from __future__ import annotations

import json
from pathlib import Path

from coterie.collect.samples import SAMPLES
from tests.cli.running import coterie


def test_known_answers(tmp_path: Path, monkeypatch) -> None:
    some = {name: SAMPLES[name] for name in ("blobs", "topics", "uniform")}
    monkeypatch.setattr("coterie_papers.samples.SAMPLES", some)
    file = tmp_path / "samples.json"
    said = coterie("reproduce", "samples", "--quick", "--json", file, "--progress", "silent")
    assert said.code == 0, said.err
    record = json.loads(file.read_text())
    assert {"experiment", "rows", "relations", "skipped", "seconds", "seeds"} <= set(record)
    assert (record["experiment"], record["seeds"], record["skipped"]) == ("samples", 1, [])
    assert {row["data"] for row in record["rows"]} == set(some)
    assert [relation["text"] for relation in record["relations"] if not relation["holds"]] == []
