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
    lines = [
        ",".join([*map(repr, map(float, row)), *(column[at] for column in more)])
        for at, row in enumerate(rows)
    ]
    path.write_text("\n".join([names, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 2)) + [2.0, 0.0], rng.normal(size=(50, 2))


def test_value_interval_verdict_and_json(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", x, "p,q")
    b = _table(tmp_path / "b.csv", y[:, ::-1], "q,p")
    said = coterie(
        "divergence", a, b, "--test", "--seed", 3, "--json", tmp_path / "out.json", *FAST
    )
    assert said.code == 0, said.err
    found = divergence(x, y, replicates=10, random_state=3)
    lines = said.out.splitlines()
    assert lines[:2] == ["a.csv (40 rows) from b.csv (50 rows), 2 columns:", str(found)]
    assert (
        lines[2]
        == "The two do not come from one law, at the level of 5 % (p = 0.01 by 99 permutations, mmd)."
    )
    record = json.loads((tmp_path / "out.json").read_text())
    assert record["value"] == found.value
    assert record["upper"] == found.upper
    assert record["most"] == 2
    assert found.name == "hellinger by NN"
    assert (
        record["test"]["p_value"] == two_sample_test(x, y, permutations=99, random_state=3).p_value
    )
    assert record["columns"] == ["p", "q"]


def test_one_law_is_said_and_nothing_is_tested_unasked(tmp_path) -> None:
    x = np.random.default_rng(1).normal(size=(60, 1))
    np.save(tmp_path / "a.npy", x[:30])
    np.save(tmp_path / "b.npy", x[30:, 0])
    said = coterie(
        "divergence",
        tmp_path / "a.npy",
        tmp_path / "b.npy",
        "--test",
        "--statistic",
        "energy",
        *FAST,
    )
    assert "Nothing shows that the two come from different laws (p = 0." in said.out
    assert "1 column:" in said.out
    plain = coterie(
        "divergence", tmp_path / "a.npy", tmp_path / "b.npy", "--replicates", 0, "--json", "-"
    )
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
    assert (
        coterie("divergence", numbered, b, "--f", "hellinger", *FAST).out.splitlines()[1]
        == said.out.splitlines()[1]
    )


def test_a_constant_column_stays(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", np.c_[x, np.ones(40)], "p,q,r")
    b = _table(tmp_path / "b.csv", np.c_[y, 2 * np.ones(50)], "p,q,r")
    assert "3 columns:" in coterie("divergence", a, b, *FAST).out


def test_columns_may_be_named(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", x, "p,q")
    b = _table(tmp_path / "b.csv", np.c_[y, y], "p,q,r,s")
    assert refused("divergence", a, b) == (
        "divergence: the column 'r' is in 'b.csv' and not in 'a.csv'; both need the same columns, or name those to compare "
        "with --columns."
    )
    record = json.loads(coterie("divergence", a, b, "--columns", "q", "--json", "-", *FAST).out)
    assert record["value"] == divergence(x[:, 1], y[:, 1], replicates=0).value
    assert (
        refused("divergence", a, b, "--columns", "r")
        == "'a.csv' has no column of numbers 'r'; it has p, q."
    )


def test_an_array_and_a_table_go_by_position(tmp_path, rows) -> None:
    x, y = rows
    np.save(tmp_path / "a.npy", x)
    b = _table(tmp_path / "b.csv", y, "p,q")
    record = json.loads(coterie("divergence", tmp_path / "a.npy", b, "--json", "-", *FAST).out)
    assert record["value"] == divergence(x, y, replicates=0).value
    np.save(tmp_path / "c.npy", x[:, :1])
    assert (
        refused("divergence", tmp_path / "c.npy", b)
        == "divergence: 'c.npy' has 1 columns and 'b.csv' has 2; both need the same ones."
    )


def test_bad_input_is_one_sentence(tmp_path, rows) -> None:
    x, y = rows
    a = _table(tmp_path / "a.csv", x, "p,q")
    bad = y.copy()
    bad[7, 1] = np.nan
    np.save(tmp_path / "gap.npy", bad)
    assert refused("divergence", a, tmp_path / "gap.npy") == (
        "divergence: row 7 of 'gap.npy' (counting from 0) has a missing value in column 'x1'; leave that row out."
    )
    np.save(tmp_path / "cube.npy", np.ones((3, 3, 3)))
    assert "rows of numbers have two dimensions" in refused("divergence", a, tmp_path / "cube.npy")
    (tmp_path / "words.csv").write_text("p,q\n" + "one,two\n" * 9, encoding="utf-8")
    assert refused("divergence", a, tmp_path / "words.csv").startswith(
        "'words.csv' has no columns of numbers"
    )
    (tmp_path / "prose.txt").write_text("one line\nanother line\n", encoding="utf-8")
    assert refused("divergence", a, tmp_path / "prose.txt") == (
        "'prose.txt' is read as text; a divergence needs a table of numbers."
    )
    np.save(tmp_path / "few.npy", y[:3])
    assert (
        refused("divergence", a, tmp_path / "few.npy")
        == "divergence: 'few.npy' has 3 rows and at least 4 are needed."
    )
    assert (
        refused("divergence", a, tmp_path / "none.csv")
        == f"There is no file or folder '{tmp_path / 'none.csv'}'."
    )
    assert refused("divergence", a) == "Missing argument 'B'; see: coterie divergence --help"


def test_wrong_words_are_one_sentence(tmp_path, rows) -> None:
    a = _table(tmp_path / "a.csv", rows[0], "p,q")
    assert "f must be kl" in refused("divergence", a, a, "--f", "none")
    assert refused("divergence", a, a, "--f", "chi2").endswith("such as risk='svm' (--risk).")
    assert (
        "chi2 by svm = "
        in coterie("divergence", a, a, "--f", "chi2", "--risk", "svm", "--replicates", 0).out
    )
    assert "kl by NN = " in coterie("divergence", a, a, "--f", "kl", "--replicates", 0).out
    assert (
        json.loads(coterie("divergence", a, a, "--f", "kl", "--json", "-", *FAST).out)["most"]
        is None
    )
    assert "'--risk': 'none' is not one of 'nn'" in refused("divergence", a, a, "--risk", "none")
    assert "'--level': 2.0 is not in the range" in refused("divergence", a, a, "--level", 2)


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path) -> None:
    missing = tmp_path / "no" / "out.json"
    said = refused("divergence", "none.csv", "none.csv", "--json", missing)
    assert said.startswith(f"--json names '{missing}', and there is no folder '{missing.parent}'")
    assert refused("divergence", "none.csv", "none.csv", "--json", tmp_path).startswith(
        f"--json names '{tmp_path}', which is a folder"
    )


def test_a_path_without_a_name_is_named(tmp_path, rows, monkeypatch) -> None:
    a = _table(tmp_path / "a.csv", rows[0], "p,q")
    (tmp_path / "texts").mkdir()
    for name in ("one", "two"):
        (tmp_path / "texts" / f"{name}.txt").write_text("a line of words\n" * 3, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "texts")
    assert (
        refused("divergence", a, ".")
        == "'.' is read as text; a divergence needs a table of numbers."
    )


def test_advice_is_in_the_words_of_the_command(tmp_path) -> None:
    x = np.random.default_rng(1).normal(size=(25, 2))
    a = _table(tmp_path / "a.csv", x, "p,q")
    np.save(tmp_path / "same.npy", np.ones((20, 2)))
    said = refused("divergence", a, tmp_path / "same.npy", "--f", "kl", "--risk", "wang")
    assert said.startswith("divergence: the vectors of 'same.npy' are copies of one another")
    assert said.endswith("; take risk='nn' (--risk).")
    assert (
        "below 30 f='hellinger' is the safer choice"
        in coterie("divergence", a, a, "--f", "kl", *FAST).out
    )
    twice = coterie("divergence", a, a, *FAST)
    assert (
        "was cut at 0; that does not show that there is no difference, which a test may find (two_sample_test)."
        in twice.out
    )
    same = coterie("divergence", tmp_path / "same.npy", tmp_path / "same.npy", "--test", *FAST).out
    assert "hellinger by NN = 0 on a scale from 0 to 2 (" in same
    assert "(p = 1 by 99 permutations, mmd)" in same


def test_names_of_estimates_are_those_of_the_parts() -> None:
    assert door._RISKS == NAMES
