"""coterie rerank: the core first and the order kept inside both parts, every cell as it was, in every form of a table."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.letters import NOISE, letters

from .running import coterie, refused

QUIET = ("--progress", "silent")


def results() -> list[dict[str, str]]:
    """40 results, every third about tea; codes with leading zeros, and one cell with a line break and quotes."""
    rows = [
        {"code": f"{at:04d}", "snippet": text, "price": f"1.{at}0"}
        for at, text in enumerate(letters(40, 1))
    ]
    rows[5]["snippet"] += '\nhe said "yes"'
    return rows


def written(path, rows):
    """The rows in the form that the name of the file tells."""
    if path.suffix == ".csv" or path.suffix == ".tsv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(
                file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ","
            )
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read_back(path):
    if path.suffix == ".csv" or path.suffix == ".tsv":
        return list(
            csv.DictReader(path.open(newline=""), delimiter="\t" if path.suffix == ".tsv" else ",")
        )
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    return (
        json.loads(path.read_text())
        if path.suffix == ".json"
        else [json.loads(line) for line in path.open()]
    )


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_core_first_and_both_orders_kept(tmp_path, suffix):
    rows = results()
    path = written(tmp_path / f"results{suffix}", rows)
    out = tmp_path / f"new{suffix}"
    said = coterie("rerank", path, "--text", "snippet", "--size", 14, "--out", out, *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith("14 of 40 results share one topic and come first.")
    assert "not at what was asked" in said.out
    back = read_back(out)
    assert sorted(row["code"] for row in back) == [row["code"] for row in rows]
    assert all(row == rows[int(row["code"])] for row in back)
    codes = [int(row["code"]) for row in back]
    assert codes[:14] == sorted(codes[:14])
    assert codes[14:] == sorted(codes[14:])
    assert np.mean([code % 3 == 0 for code in codes[:14]]) > 0.9


def test_the_terminal_says_where_results_stood(tmp_path):
    path = written(tmp_path / "results.csv", results())
    lines = coterie("rerank", path, "--text", "snippet", "--size", 14, *QUIET).out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("now  was  core"))
    assert lines[at + 2].split()[:3] == ["1", "1", "yes"]
    assert lines[at + 3].split()[:3] == ["2", "4", "yes"]
    assert lines[-1] == "... and 20 more; --out FILE writes all"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_lines_end_as_they_did(tmp_path, suffix, end):
    path = tmp_path / f"results{suffix}"
    out = tmp_path / f"new{suffix}"
    rows = results()
    rows[7]["price"] = "1\r2"  # an end of a line of old, inside a cell
    written(path, rows)
    body = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", end.encode())
    path.write_bytes(body.rstrip())
    assert (
        coterie("rerank", path, "--text", "snippet", "--size", 14, "--out", out, *QUIET).code == 0
    )
    back = out.read_bytes()
    assert back.endswith(end.encode())
    assert back.count(b"\r\n") == (back.count(b"\n") if end == "\r\n" else 0)
    assert {row["price"] for row in read_back(out)} == {row["price"] for row in rows}


def test_no_topic_among_results_is_said_first(tmp_path):
    rng = np.random.default_rng(1)
    rows = [{"code": str(at), "snippet": " ".join(rng.choice(NOISE, 8))} for at in range(60)]
    said = coterie("rerank", written(tmp_path / "results.csv", rows), "--text", "snippet", *QUIET)
    assert said.out.startswith("No topic stands out among the 60 results; ")


def test_refusals(tmp_path):
    path = written(tmp_path / "results.csv", results())
    assert "must end in .csv" in refused("rerank", path, "--out", tmp_path / "x.jsonl", *QUIET)
    assert "written unpacked, so that it must end in .csv" in refused(
        "rerank", path, "--out", tmp_path / "x.csv.gz", *QUIET
    )
    assert "no column 'body'" in refused("rerank", path, "--text", "body", *QUIET)
    assert "is not a table of results" in refused("rerank", tmp_path, *QUIET)
    assert "no file or folder" in refused("rerank", tmp_path / "none.csv", *QUIET)
    assert "40 members" in refused("rerank", path, "--text", "snippet", "--size", 40, *QUIET)
