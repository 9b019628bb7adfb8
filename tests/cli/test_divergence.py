"""coterie divergence: what it prints and writes, how it reads files, and what it refuses in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from coterie.cli import divergence as door
from coterie.judge import divergence, two_sample_test
from coterie.parts.risks.naming import NAMES

from .running import coterie, refused

FAST = ("--replicates", 10, "--permutations", 99)


def _table(path: Path, rows: np.ndarray, names: str, *more: list[str]) -> Path:
    lines = [",".join([*map(repr, map(float, row)), *(column[at] for column in more)]) for at, row in enumerate(rows)]
    path.write_text("\n".join([names, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 2)) + [2.0, 0.0], rng.normal(size=(50, 2))


def test_value_interval_verdict_and_json(tmp_path, rows) -> None:
    x, y = rows
    a, b = _table(tmp_path / "a.csv", x, "p,q"), _table(tmp_path / "b.csv", y[:, ::-1], "q,p")
    said = coterie("divergence", a, b, "--test", "--seed", 3, "--json", tmp_path / "out.json", *FAST)
    assert said.code == 0, said.err
    found = divergence(x, y, replicates=10, random_state=3)
    lines = said.out.splitlines()
    assert lines[:2] == ["a.csv (40 rows) from b.csv (50 rows), 2 columns:", str(found)]
    assert lines[2] == "The two do not come from one law, at the level of 5 % (p = 0.01 by 99 permutations, mmd)."
    record = json.loads((tmp_path / "out.json").read_text())
    assert record["value"] == found.value
    assert record["upper"] == found.upper
    assert record["test"]["p_value"] == two_sample_test(x, y, permutations=99, random_state=3).p_value
    assert record["columns"] == ["p", "q"]


def test_one_law_is_said_and_nothing_is_tested_unasked(tmp_path) -> None:
    x = np.random.default_rng(1).normal(size=(60, 1))
    np.save(tmp_path / "a.npy", x[:30])
    np.save(tmp_path / "b.npy", x[30:, 0])
    said = coterie("divergence", tmp_path / "a.npy", tmp_path / "b.npy", "--test", "--statistic", "energy", *FAST)
    assert "Nothing shows that the two come from different laws (p = 0." in said.out
    assert "1 column:" in said.out
    plain = coterie("divergence", tmp_path / "a.npy", tmp_path / "b.npy", "--replicates", 0, "--json", "-")
    record = json.loads(plain.out)
    assert "test" not in record
    assert record["lower"] is None


def test_words_and_ids_are_left_out_and_said(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", x, "p,q,town", ["Oslo", "Rome"] * 20)
    b = _table(tmp_path / "b.csv", y, "p,q")
    said = coterie("divergence", a, b, "--f", "hellinger", *FAST)
    assert said.code == 0, said.err
    assert "  note: Left out of 'a.csv', no numbers to compare: town." in said.out
    numbered = _table(tmp_path / "c.csv", np.c_[np.arange(40), x], "id,p,q")
    assert coterie("divergence", numbered, b, "--f", "hellinger", *FAST).out.splitlines()[1] == said.out.splitlines()[1]


def test_a_constant_column_stays(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", np.c_[x, np.ones(40)], "p,q,r")
    b = _table(tmp_path / "b.csv", np.c_[y, 2 * np.ones(50)], "p,q,r")
    assert "3 columns:" in coterie("divergence", a, b, *FAST).out


def test_columns_may_be_named(tmp_path, rows) -> None:
    x, y = rows
    a, b = _table(tmp_path / "a.csv", x, "p,q"), _table(tmp_path / "b.csv", np.c_[y, y], "p,q,r,s")
    assert refused("divergence", a, b).startswith("The column 'r' is in 'b.csv' and not in 'a.csv'; both files need the same")
    record = json.loads(coterie("divergence", a, b, "--columns", "q", "--json", "-", *FAST).out)
    assert record["value"] == divergence(x[:, 1], y[:, 1], replicates=0).value
    assert refused("divergence", a, b, "--columns", "r") == "'a.csv' has no column of numbers 'r'; it has p, q."


def test_an_array_and_a_table_go_by_position(tmp_path, rows) -> None:
    x, y = rows
    np.save(tmp_path / "a.npy", x)
    b = _table(tmp_path / "b.csv", y, "p,q")
    record = json.loads(coterie("divergence", tmp_path / "a.npy", b, "--json", "-", *FAST).out)
    assert record["value"] == divergence(x, y, replicates=0).value
    np.save(tmp_path / "c.npy", x[:, :1])
    assert (
        refused("divergence", tmp_path / "c.npy", b) == "'c.npy' has 1 columns and 'b.csv' has 2; both files need the same ones."
    )


def test_bad_input_is_one_sentence(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", x, "p,q")
    bad = y.copy()
    bad[7, 1] = np.nan
    np.save(tmp_path / "gap.npy", bad)
    assert refused("divergence", a, tmp_path / "gap.npy") == (
        "Row 7 of 'gap.npy' (counting from 0) has a gap in column 'x1'; leave it out."
    )
    np.save(tmp_path / "cube.npy", np.ones((3, 3, 3)))
    assert "rows of numbers have two dimensions" in refused("divergence", a, tmp_path / "cube.npy")
    (tmp_path / "words.csv").write_text("p,q\n" + "one,two\n" * 9, encoding="utf-8")
    assert refused("divergence", a, tmp_path / "words.csv").startswith("'words.csv' has no columns of numbers")
    (tmp_path / "prose.txt").write_text("one line\nanother line\n", encoding="utf-8")
    assert refused("divergence", a, tmp_path / "prose.txt") == (
        "'prose.txt' is read as text; a divergence needs a table of numbers."
    )
    np.save(tmp_path / "few.npy", y[:3])
    assert refused("divergence", a, tmp_path / "few.npy") == "divergence: y has 3 rows and at least 4 are needed."
    assert refused("divergence", a, tmp_path / "none.csv") == f"There is no file or folder '{tmp_path / 'none.csv'}'."
    assert refused("divergence", a) == "Missing argument 'B'; see: coterie divergence --help"


def test_wrong_words_are_one_sentence(tmp_path, rows) -> None:
    a = _table(tmp_path / "a.csv", rows[0], "p,q")
    assert "f must be kl" in refused("divergence", a, a, "--f", "none")
    assert "chi2" in refused("divergence", a, a, "--f", "chi2")
    assert "'--risk': 'none' is not one of 'nn'" in refused("divergence", a, a, "--risk", "none")
    assert "'--level': 2.0 is not in the range" in refused("divergence", a, a, "--level", 2)
    assert "No such file or directory" in refused("divergence", a, a, "--json", tmp_path / "no" / "out.json", *FAST)


def test_names_of_estimates_are_those_of_the_parts() -> None:
    assert door._RISKS == NAMES
