"""Table files and frames: roles of columns, gaps, constants, truth, and errors that name the place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie import Table, Text
from coterie.collect import files, from_frame, guess, read, read_table
from coterie.collect.columns import Named
from coterie.collect.reading import read_answers
from coterie.core.errors import DataError

LONG = "The quick brown fox number {} jumps over the lazy dog and goes on running"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def mixed_csv(path: Path, n: int = 30) -> Path:
    rows = ["id,size,color,when,ok,kind,who"]
    rows += [
        f"m{i},{i * 0.5},{'red' if i % 3 else 'blue'},2020-01-{i % 28 + 1:02d},{'true' if i % 2 else 'false'},k,p{i}"
        for i in range(n)
    ]
    return write(path, "\n".join(rows) + "\n")


def test_roles_of_a_csv(tmp_path: Path) -> None:
    collection = read(mixed_csv(tmp_path / "a.csv"), truth="color")
    table = collection.view("columns")
    assert isinstance(table, Table)
    assert collection.ids[:2] == ("m0", "m1")
    assert table.names == ("size", "when", "ok")
    assert table.categories == {2: ("false", "true")}
    assert set(collection.truth) == {"color"}
    assert collection.truth["color"][:3].tolist() == ["blue", "red", "red"]
    assert table.column("when")[1] - table.column("when")[0] == 86400
    assert list(collection.cards) == ["who"]
    said = " ".join(collection.notes)
    assert "'kind'" in said
    assert "'when'" in said


def test_text_column_comes_first_and_the_rest_is_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"n": i, "body": LONG.format(i), "tags": ["a", "b"]}) for i in range(12)
        )
    )
    collection = read(path)
    assert collection.main == "body"
    assert isinstance(collection.view(), Text)
    assert collection.view("columns").names == ("n",)  # type: ignore[union-attr]
    assert guess(path).kind == "text"
    assert "'body'" in guess(path).why
    assert read(path, kind="table").kind == "table"


def test_every_format_reads_the_same(tmp_path: Path) -> None:
    path = mixed_csv(tmp_path / "a.csv")
    first = read_table(path)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    write(tmp_path / "c.tsv", path.read_text().replace(",", "\t"))
    write(tmp_path / "d.csv", path.read_text().replace(",", ";"))
    lines = [line.split(",") for line in path.read_text().splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    for row in rows:
        row["ok"] = row["ok"] == "true"  # type: ignore[assignment]
    write(tmp_path / "e.jsonl", "\n".join(json.dumps(row) for row in rows))
    write(tmp_path / "f.json", json.dumps(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "g.parquet")
    for name in ("b.csv.gz", "c.tsv", "d.csv", "e.jsonl", "f.json", "g.parquet"):
        other = read_table(tmp_path / name)
        assert other.ids == first.ids, name
        assert other.view().names == first.view().names, name  # type: ignore[union-attr]
        np.testing.assert_array_equal(other.view().values, first.view().values, err_msg=name)  # type: ignore[union-attr]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library: str, tmp_path: Path) -> None:
    module = pytest.importorskip(library)
    columns = {"a": [1.0, 2.0, None, 4.0], "b": ["x", "y", "x", "y"]}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    collection = from_frame(frame)
    table = collection.view()
    assert table.names == ("a", "b")  # type: ignore[union-attr]
    assert table.categories == {1: ("x", "y")}  # type: ignore[union-attr]
    assert np.isnan(table.values[2, 0])  # type: ignore[union-attr]
    assert any("1 gaps" in note and "a 1" in note for note in collection.notes)
    assert read(frame, truth="b").truth["b"].tolist() == ["x", "y", "x", "y"]


def test_pandas_index_is_the_id() -> None:
    pandas = pytest.importorskip("pandas")
    collection = from_frame(pandas.DataFrame({"a": [1.0, 2.0]}, index=["one", "two"]))
    assert collection.ids == ("one", "two")


def test_numbers_as_strings_codes_with_zeros_and_gaps() -> None:
    collection = from_frame(
        pa.table({"year": ["1999", "", "2001", "2003"], "code": ["007", "007", "010", "010"]})
    )
    table = collection.view()
    assert table.categories == {1: ("007", "010")}  # type: ignore[union-attr]
    assert np.isnan(table.values[1, 0])  # type: ignore[union-attr]


def test_vectors_in_a_column_become_columns() -> None:
    collection = from_frame(
        pa.table({"id": ["a", "b", "c"], "embedding": [[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]})
    )
    table = collection.view()
    assert table.names == ("embedding_0", "embedding_1")  # type: ignore[union-attr]
    np.testing.assert_array_equal(table.values, [[1, 2], [3, 4], [0, 1]])  # type: ignore[union-attr]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_times_and_categories_of_frames(library: str) -> None:
    module = pytest.importorskip(library)
    import datetime as dt

    day = [
        dt.datetime(2020, 1, 1, 12),
        dt.datetime(2020, 1, 2, 12),
        dt.datetime(2020, 1, 1, 13),
        None,
    ]
    frame = module.DataFrame(
        {
            "when": day,
            "long": [dt.timedelta(seconds=s) for s in (1, 2, 3, 5)],
            "kind": ["b", "a", "b", "a"],
        }
    )
    kind = (
        frame["kind"].astype("category")
        if library == "pandas"
        else frame["kind"].cast(module.Categorical)
    )
    frame = frame.assign(kind=kind) if library == "pandas" else frame.with_columns(kind)
    table = from_frame(frame).view()
    assert table.categories == {2: ("a", "b")}  # type: ignore[union-attr]
    np.testing.assert_allclose(table.column("long"), [1, 2, 3, 5])  # type: ignore[union-attr]
    np.testing.assert_allclose(table.column("when")[:3], 1577880000 + np.array([0, 86400, 3600]))  # type: ignore[union-attr]


def test_header_is_missing(tmp_path: Path) -> None:
    collection = read(write(tmp_path / "a.csv", "1,2\n3,5\n4,4\n"))
    assert collection.view().names == ("x0", "x1")  # type: ignore[union-attr]
    assert len(collection) == 3


def test_one_row_is_read(tmp_path: Path) -> None:
    assert len(read(write(tmp_path / "a.csv", "a,b\n1,red\n"))) == 1


def test_kind_text_takes_the_longest_words(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,short,title\n1,a b,some words\n2,c d,other longer words\n")
    assert read(path).main == "title"
    assert read(path, kind="text").main == "title"


def test_long_text_is_the_main_one_unless_mostly_missing() -> None:
    rows = {
        "summary": [LONG.format(i) for i in range(20)],
        "full": [""] * 15 + [LONG.format(i) * 5 for i in range(5)],
    }
    collection = from_frame(pa.table(rows))
    assert list(collection.views) == ["summary", "full"]
    assert any("15 of 20 members have an empty 'full'" in note for note in collection.notes)
    assert from_frame(pa.table(rows), named=Named(text="full")).main == "full"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", "a,b\n1,2\n3\n", "Line 3 of 'a.csv' has 1 cells where the first line has 2"),
        ("a.csv", 'a,b\n"x\ny",2\n3,4,5\n', "Line 4 of 'a.csv' has 3 cells"),
        ("a.csv", "a,b\n1,2\n3,inf\n", "'b' holds an infinity in row 1 .*id '1'"),
        ("mixed.csv", "a,b\n1,2\n1,2\n", "Every column of 'mixed.csv' is the same"),
        ("a.csv", "a,b\n,\n,\n", "Every cell of 'a.csv' is a gap"),
        ("a.csv", "a,b\n", "no rows"),
        ("a.csv", "a,a\n1,2\n", "two columns named 'a'"),
        ("a.csv", "", "is empty"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "Line 2 of 'a.jsonl' is not JSON"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "Line 2 of 'a.jsonl' holds a list"),
        ("a.json", '{"a": 1}', "list of objects"),
        ("a.parquet", "PAR1 no", "cannot be read as parquet"),
        ("a.csv.gz", "a,b\n", "cannot be read"),
    ],
)
def test_errors_are_sentences(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence) as caught:
        read(write(tmp_path / name, content))
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_a_packed_file_that_holds_far_more_than_it_seems_is_refused_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a,b\n" + "1,2\n" * 250_000 + "3,4\n" * 250_000
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(files, "_PIECE", 300_000)
    assert files.text_of(path)[0] == text
    monkeypatch.setattr(files, "_LEAST", 1_000_000)
    with pytest.raises(
        DataError,
        match=r"'a.csv.gz' holds more than 1 MB when it is unpacked, .* unpack it yourself",
    ):
        files.text_of(path)
    monkeypatch.setattr(files, "_TIMES", 2000)
    assert files.text_of(path)[0] == text, "by its size it may hold as much"
    monkeypatch.setattr(files, "_MOST", 1_500_000)
    with pytest.raises(DataError, match="more than 1 MB"):
        files.text_of(path)


def test_undecodable_bytes_name_the_line(tmp_path: Path) -> None:
    for bad in (
        b"a,b\n1,x\n2,\0\xe9\n",
        b"a,b\n1,x\n2,\xe9\x01\x02\n",
        b"a,b\n1,x\n2,\xe9\x81\n",
        b"\xef\xbb\xbfa,b\n1,x\n2,caf\xe9\n",
    ):
        (tmp_path / "a.csv").write_bytes(bad)
        with pytest.raises(DataError, match="byte 0xe9 on line 3"):
            read(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_bytes("a,b\n1,é\n2,x\n3,x\n".encode("utf-16"))
    assert read(tmp_path / "b.csv").view().shape == (3, 2)  # type: ignore[union-attr]


def test_missing_columns_are_named(tmp_path: Path) -> None:
    path = mixed_csv(tmp_path / "a.csv")
    for keyword in ("text", "id", "time", "truth"):
        with pytest.raises(DataError, match=f"no column 'nope' .named as {keyword}"):
            read(path, **{keyword: "nope"})
    with pytest.raises(DataError, match="cannot be truth and part"):
        read(path, id="who", truth="who")


def test_an_empty_id_numbers_the_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,a\n7,1\n8,2\n7,3\n")
    collection = read(path, id="")
    assert collection.ids == ("0", "1", "2")
    assert collection.view().names == ("a",)  # type: ignore[union-attr]
    assert list(collection.cards) == ["id"]


def test_a_guessed_id_that_repeats_numbers_the_rows(tmp_path: Path) -> None:
    collection = read(write(tmp_path / "a.csv", "id,a\nx,1\ny,2\nx,3\n"))
    assert collection.ids == ("0", "1", "2")
    assert collection.cards["id"] == ["x", "y", "x"]
    assert "The column 'id' repeats, so the rows are numbered." in collection.notes
    gaps = read(write(tmp_path / "b.csv", "id,a\nx,1\n,2\n"))
    assert gaps.ids == ("0", "1")
    assert "The column 'id' has gaps, so the rows are numbered." in gaps.notes


def test_a_named_id_that_repeats_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,a\nx,1\ny,2\nx,3\n")
    with pytest.raises(
        DataError,
        match=r"'x' stands in rows 0 and 2 of 'a\.csv'.* or give id='' to number the rows\.$",
    ):
        read(path, id="id")
    with pytest.raises(DataError, match=r"Row 1 of 'b\.csv' .* has no id"):
        read(write(tmp_path / "b.csv", "id,a\nx,1\n,2\n"), id="id")
    with pytest.raises(DataError, match="'x' stands in rows 0 and 2"):
        read_answers(path, "a")


def test_the_column_of_ids_is_said(tmp_path: Path) -> None:
    rows = "".join(f"{i % 3},{1000 + i * i},{i * 0.5}\n" for i in range(12))
    collection = read(write(tmp_path / "a.csv", "group_id,customer_id,x\n" + rows))
    assert collection.ids[2] == "1004"
    assert "Members are named by the column 'customer_id'." in collection.notes
    assert collection.view().names == ("group_id", "x")  # type: ignore[union-attr]


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    text = (
        "name;age;sum;day\n"
        + "".join(f"p{i};{60 + i},{i};{i}.00{i},5;{i + 10}.03.2020\n" for i in range(1, 8))
        + "p9;NA;7;28.03.2020\n"
    )
    collection = read(write(tmp_path / "a.csv", text))
    table = collection.view()
    assert table.names == ("age", "sum", "day")  # type: ignore[union-attr]
    np.testing.assert_allclose(table.column("age")[:2], [61.1, 62.2])  # type: ignore[union-attr]
    np.testing.assert_allclose(table.column("sum")[[0, 7]], [1001.5, 7.0])  # type: ignore[union-attr]
    assert np.isnan(table.column("age")[7])  # type: ignore[union-attr]
    np.testing.assert_allclose(np.diff(table.column("day"))[:6], 86400)  # type: ignore[union-attr]
    assert "Read as numbers with a decimal comma: 'age', 'sum'." in collection.notes
    bare = read(write(tmp_path / "b.csv", "1,5;2,5\n3,5;4,0\n0,5;1\n"))
    np.testing.assert_array_equal(bare.view().values, [[1.5, 2.5], [3.5, 4.0], [0.5, 1.0]])  # type: ignore[union-attr]


def test_decimal_commas_elsewhere_are_told(tmp_path: Path) -> None:
    rows = "".join(f"{i}\t{60 + i},5\n" for i in range(9))
    assert any(
        "'age' looks like numbers with a decimal comma" in n
        for n in read(write(tmp_path / "a.tsv", "x\tage\n" + rows)).notes
    )
    plain = read(write(tmp_path / "b.tsv", "x\tage\n" + rows.replace(",", ".")))
    assert not any("comma" in note for note in plain.notes)
    words = read(
        write(
            tmp_path / "c.csv",
            "x;tags\n" + "".join(f"{i};{'a,b' if i % 2 else '1,2'}\n" for i in range(9)),
        )
    )
    assert words.view().categories == {1: ("1,2", "a,b")}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("days", "first"),
    [
        (("01/02/2020", "13/02/2020", "14/2/2020"), 1580515200.0),
        (("01.02.2020", "", "31.12.2020"), 1580515200.0),
        (("01/02/2020", "03/04/2020", "05/06/2020"), None),  # the day cannot be told from the month
        (("01/13/2020", "01/14/2020", "01/15/2020"), None),  # the month comes first
        (("13/02/2020", "31/02/2020", "01/02/2020"), None),  # there is no such day
        (("13/02/2020", "14.02.2020", "01/02/2020"), None),
    ],
)
def test_dates_with_the_day_first(days: tuple[str, ...], first: float | None) -> None:
    collection = from_frame(pa.table({"x": np.arange(6.0), "day": [*days, *days]}))
    table = collection.view()
    if first is None:
        assert table.categories  # type: ignore[union-attr]
        assert any("'day' looks like dates" in note for note in collection.notes)
    else:
        assert table.column("day")[0] == first  # type: ignore[union-attr]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "csv.gz"])
def test_western_encodings_are_read_and_told(tmp_path: Path, suffix: str, encoding: str) -> None:
    word = "caf\xe9 \u20ac" if encoding == "cp1252" else "caf\xe9"
    rows = [{"x": i, "where": word if i % 2 else "bar"} for i in range(8)]
    text = json.dumps(rows, ensure_ascii=False)
    if suffix == "jsonl":
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    elif suffix != "json":
        mark = "\t" if suffix == "tsv" else ","
        text = "\n".join([f"x{mark}where", *(f"{row['x']}{mark}{row['where']}" for row in rows)])
    data = text.encode(encoding)
    (tmp_path / f"a.{suffix}").write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    collection = read(tmp_path / f"a.{suffix}")
    assert collection.view().categories[1] == ("bar", word)  # type: ignore[union-attr]
    assert (
        f"'a.{suffix}' is not UTF-8 and was read as Western European (cp1252)." in collection.notes
    )


def test_short_utterances_that_are_all_there_is_are_text(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    said = [
        "turn the lamp on",
        "lamp off please",
        "play some jazz",
        "jazz louder",
        "wake me at six",
    ]
    path.write_text(
        "\n".join(json.dumps({"utterance": f"{words} {i}"}) for i in range(9) for words in said)
    )
    found = read(path)
    assert found.kind == "text"
    assert found.view().documents[0] == "turn the lamp on 0"
    assert any("so 'utterance' is read as text" in note for note in found.notes)
