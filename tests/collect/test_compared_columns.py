"""Which columns of a table are compared: short words as text, answers and names left out, lists of numbers as vectors."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import coterie
from coterie.core.errors import DataError
from coterie.messages.notes import code_of

ASKED = ["book a table for two", "will it rain tomorrow", "play some jazz music", "cancel my table"]


def table(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def codes(found):
    return {code_of(note) for note in found.notes}


def test_short_utterances_are_text_beside_numbers_and_labels(tmp_path):
    path = tmp_path / "asked.jsonl"
    rows = [
        {"utterance": f"{ASKED[i % 4]} {i}", "label": "abcd"[i % 4], "seconds": i / 7}
        for i in range(40)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = coterie.read(path)
    assert (found.kind, found.main) == ("text", "utterance")
    assert list(found.cards) == ["label"]
    assert "like_truth" in codes(found)
    assert coterie.read(rows).main == "utterance"  # in memory too
    assert coterie.read(path, kind="table").view().names == ("seconds",)


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        (["title", "year", "rating"], [f"the war of part {i}" for i in range(30)]),
        (["company"], [f"Acme{i} Ltd" for i in range(30)]),
        (["word"], [f"{a}{b}tea" for a in "abcdef" for b in "uvxyz"]),
        (["caption", "date"], [f"a dog number {i}" for i in range(30)]),
    ],
)
def test_the_only_words_that_say_something_are_text(tmp_path, header, cells):
    more = {"year": 1990, "rating": 0.5, "date": "2020-01-"}
    rows = [
        [cell, *(f"{more[n]}{i:02d}" if n == "date" else more[n] + i for n in header[1:])]
        for i, cell in enumerate(cells, 1)
    ]
    found = coterie.read(table(tmp_path / "words.csv", header, rows))
    assert (found.kind, found.main) == ("text", header[0])


def test_text_without_spaces_is_text_and_no_id(tmp_path):
    chinese = [
        "北京大学昨天举行足球比赛国家足球队赢得比赛",
        "股票市场今天大幅下跌投资者担心银行股票价格",
    ]
    rows = [
        [f"{chinese[i % 2]}{'一二三四五六七八九十'[i % 10]}{'甲乙丙'[i % 3]}"] for i in range(30)
    ]
    found = coterie.read(table(tmp_path / "zh.csv", ["x"], rows))
    assert (found.kind, found.main) == ("text", "x")
    names = ["王伟", "李娜", "张敏", "刘洋"]
    rows = [[f"{names[i % 4]}{'一二三四五六七八'[i // 4]}", i, i * i] for i in range(32)]
    found = coterie.read(table(tmp_path / "names.csv", ["谁", "a", "b"], rows))
    assert found.ids[0] == "王伟一"


@pytest.mark.parametrize("name", ["label", "Class", "target", "species", "category", "y"])
def test_a_column_that_looks_like_an_answer_is_left_out_and_can_be_used(tmp_path, name):
    rows = [[i / 3, i % 7, "ab"[i % 2]] for i in range(30)]
    path = table(tmp_path / "rows.csv", ["a", "b", name], rows)
    found = coterie.read(path)
    assert found.view().names == ("a", "b")
    assert found.cards[name][:2] == ["a", "b"]
    assert [n.values["names"] for n in found.notes if code_of(n) == "like_truth"] == [(name,)]
    used = coterie.read(path, use=name)
    assert used.view().names == ("a", "b", name)
    assert "like_truth" not in codes(used)
    known = coterie.read(path, truth=name)
    assert list(known.truth) == [name]
    assert "like_truth" not in codes(known)
    with pytest.raises(DataError, match="no column 'other'"):
        coterie.read(path, use="other")
    with pytest.raises(DataError, match="truth and part of the data"):
        coterie.read(path, use=name, truth=name)


def test_an_answer_counts_where_it_is_all_there_is_or_many_valued(tmp_path):
    alone = table(tmp_path / "alone.csv", ["id", "label"], [[i, "abc"[i % 3]] for i in range(30)])
    assert coterie.read(alone).view().names == ("label",)
    points = table(tmp_path / "points.csv", ["x", "y"], [[i, i % 3] for i in range(30)])
    assert coterie.read(points).view().names == ("x", "y")
    target = table(tmp_path / "many.csv", ["a", "target"], [[i % 5, i / 7] for i in range(30)])
    assert coterie.read(target).view().names == ("a", "target")


def test_a_name_that_is_not_compared_is_what_members_are_shown_by(tmp_path):
    rows = [[f"Chateau number {i}", i / 3, i % 7, i * i] for i in range(30)]
    path = table(tmp_path / "wines.csv", ["Name", "a", "b", "c"], rows)
    found = coterie.explore(path, k=2, nulls=0)
    assert found.findings.snippets[3] == "Chateau number 3"
    assert "display_name" in codes(found.collection)
    long = "words that are long enough to be running text, number"
    rows = [
        [
            f"{long} {['one', 'two', 'three', 'four'][i % 4]}",
            f"a title of more than forty characters, number {i}",
        ]
        for i in range(30)
    ]
    path = table(tmp_path / "titled.csv", ["body", "title"], rows)
    found = coterie.explore(path, k=2, nulls=0, text="body")
    assert found.findings.snippets[5].startswith("a title")


def test_a_list_column_of_numbers_is_a_vector(tmp_path):
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(20, 4)).tolist()
    rows = [{"emb": vector, "name": f"thing {i}"} for i, vector in enumerate(vectors)]
    lines = tmp_path / "emb.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "emb.parquet")
    feather.write_feather(pa.Table.from_pylist(rows), tmp_path / "emb.feather")
    with pa.OSFile(str(tmp_path / "emb.arrow"), "wb") as file:
        whole = pa.Table.from_pylist(rows)
        with pa.ipc.new_stream(file, whole.schema) as stream:
            stream.write_table(whole)
    for suffix in ("jsonl", "parquet", "feather", "arrow"):
        found = coterie.read(tmp_path / f"emb.{suffix}")
        assert found.view().names == ("emb_0", "emb_1", "emb_2", "emb_3")
        np.testing.assert_allclose(found.view().values, vectors)
    (tmp_path / "bad.arrow").write_bytes(b"no arrow")
    with pytest.raises(DataError, match=r"'bad.arrow' cannot be read as Arrow"):
        coterie.read(tmp_path / "bad.arrow")


def test_lists_of_several_lengths_are_one_sentence_with_the_row():
    rows = [{"emb": [1.0, i * 1.0, 3.0][: 3 - (i == 5)], "size": float(i)} for i in range(12)]
    found = coterie.read(rows)
    assert found.view().names == ("size",)
    said = [str(note) for note in found.notes if code_of(note) == "uneven"]
    assert said == [
        "Column 'emb' holds lists of numbers that are no vectors of one length: 3 in row 0 and 2 in row 5 "
        "(counting from 0); it was left out."
    ]
    with pytest.raises(DataError, match="2 in row 5"):
        coterie.read([{"emb": row["emb"]} for row in rows])
    gaps = coterie.read([{"emb": row["emb"]} if i != 5 else {} for i, row in enumerate(rows)])
    assert gaps.view().names == ("emb_1",)
    assert np.isnan(gaps.view().values[5]).all()


def test_a_column_called_an_id_is_text_where_it_is_named(tmp_path):
    rows = [[f"the key words of row {i}, which are many and long enough", i] for i in range(20)]
    path = table(tmp_path / "keys.csv", ["key", "n"], rows)
    assert coterie.read(path, text="key").main == "key"
