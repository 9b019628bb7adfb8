"""Vectors beside members: by row order and by id, from every form of file, and one sentence for what does not fit."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from coterie.collect import read
from coterie.core.errors import DataError, ParameterError

TEXTS = [
    "the cat sat down",
    "a dog ran far away",
    "boats sail on the sea",
    "ships and boats at sea",
]
IDS = ["a", "b", "c", "d"]
ROWS = np.arange(12.0).reshape(4, 3) + 1


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.csv"
    pd.DataFrame({"id": IDS, "text": [f"{text} today and tomorrow" for text in TEXTS]}).to_csv(
        path, index=False
    )
    return path


def given(found):
    return np.asarray(found.view("vectors").values)


def saved(tmp_path, form):
    """The rows in another order with their ids, in one of the forms that are read; those of an .npy in order."""
    path = tmp_path / f"emb.{form}"
    order = [2, 0, 3, 1]
    ids = [IDS[at] for at in order]
    lists = [ROWS[at].tolist() for at in order]
    if form == "npy":
        np.save(path, ROWS)
    elif form == "npz":
        np.savez(path, ids=np.array(ids), vectors=ROWS[order])
    elif form == "parquet":
        pd.DataFrame({"id": ids, "emb": lists}).to_parquet(path)
    elif form == "jsonl":
        path.write_text(
            "\n".join(json.dumps({"id": i, "v": v}) for i, v in zip(ids, lists, strict=True))
        )
    elif form == "csv":
        pd.DataFrame(ROWS[order], columns=["x", "y", "z"]).assign(id=ids).to_csv(path, index=False)
    else:
        path = tmp_path / "folder"
        path.mkdir()
        for member, row in zip(ids, lists, strict=True):
            np.save(path / f"{member}.npy", row)
    return path


@pytest.mark.parametrize("form", ["npy", "npz", "parquet", "jsonl", "csv", "folder"])
def test_every_form_gives_each_member_its_vector(tmp_path, table, form):
    found = read(table, vectors=saved(tmp_path, form))
    assert found.ids == tuple(IDS)
    assert np.array_equal(given(found), ROWS)
    assert found.main == "text"
    note = next(note for note in found.notes if getattr(note, "code", "") == "vectors")
    assert note.values["dimension"] == 3
    assert note.values["longest"] == pytest.approx(float(np.linalg.norm(ROWS[3])))


def test_the_other_way_round_a_table_names_vectors(tmp_path, table):
    found = read(saved(tmp_path, "npy"), names=table)
    assert found.ids == tuple(IDS)
    assert np.array_equal(given(found), ROWS)


def test_in_memory(table):
    for vectors in (
        ROWS,
        ROWS.tolist(),
        dict(zip(IDS, ROWS, strict=True)),
        lambda texts: ROWS[: len(texts)],
    ):
        assert np.array_equal(given(read(table, vectors=vectors)), ROWS)
    assert np.array_equal(given(read(TEXTS, vectors=ROWS)), ROWS)
    assert np.array_equal(given(read(ROWS, names=TEXTS)), ROWS)


def test_an_object_that_encodes_is_given_the_texts():
    class Model:
        def encode(self, texts):
            return np.array([[len(text), 1.0] for text in texts])

    assert given(read(TEXTS, vectors=Model()))[:, 0].tolist() == [len(text) for text in TEXTS]


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_column_of_lists_is_taken_out_of_the_table(tmp_path, form):
    path = tmp_path / f"all.{form}"
    rows = [
        {"id": i, "text": f"{text} today and tomorrow", "emb": v.tolist()}
        for i, text, v in zip(IDS, TEXTS, ROWS, strict=True)
    ]
    if form == "parquet":
        pd.DataFrame(rows).to_parquet(path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    found = read(path, vector="emb")
    assert list(found.views) == ["text", "vectors"]
    assert np.array_equal(given(found), ROWS)
    alone = read([{"id": row["id"], "emb": row["emb"]} for row in rows], vector="emb")
    assert alone.main == "vectors"
    assert alone.ids == tuple(IDS)


def test_several_vectors_of_a_member_are_averaged_at_length_one(tmp_path, table):
    path = tmp_path / "frames"
    path.mkdir()
    for at, member in enumerate(IDS):
        np.save(path / f"{member}.npy", np.array([[3.0 + at, 0.0], [0.0, 0.5]]))
    assert np.allclose(given(read(table, vectors=path)), [[0.5, 0.5]] * 4)
    several = pd.DataFrame(
        {"file": ["a", "a", "b", "c", "d"], "x": [2.0, 0, 1, 1, 1], "y": [0, 9.0, 0, 0, 0]}
    )
    several.to_csv(tmp_path / "several.csv", index=False)
    assert given(read(table, vectors=tmp_path / "several.csv"))[0].tolist() == [0.5, 0.5]


def test_recordings_are_matched_by_the_names_of_their_files(tmp_path):
    members = dict(zip(["x/a.wav", "x/b.wav", "x/c.wav"], np.eye(3), strict=True))
    found = read({"views": np.eye(3), "ids": ["a", "c", "b"]}, vectors=members)
    assert np.array_equal(given(found), np.eye(3)[[0, 2, 1]])


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        (ROWS[:3], r"3 vectors and 'texts' has 4 members"),
        (np.where(ROWS == 8, np.nan, ROWS), r"'c' \(row 2, counting from 0\).*NaN at dimension 1"),
        (np.where(ROWS == 4, np.inf, ROWS), r"'b' \(row 1.*an infinity at dimension 0"),
        (dict(zip(IDS[:3], ROWS, strict=False)), r"1 of 4 members have no vector.*: d\."),
        (dict(zip("wxyz", ROWS, strict=True)), r"No id of 'the vectors', such as 'w'.*such as 'a'"),
        (
            {"a": [1.0, 2.0], "b": [1.0]},
            r"'b' in 'the vectors' has 1 numbers where that of 'a' has 2",
        ),
        ([["x", "y"]] * 4, "not vectors of real numbers"),
        ("away.npy", "There is no file or folder 'away.npy'"),
    ],
)
def test_what_does_not_fit_is_one_sentence(table, vectors, said):
    with pytest.raises(DataError, match=said) as error:
        read(table, vectors=vectors)
    assert error.value.parameter == "vectors"


def test_a_column_that_holds_no_vectors_is_named_by_its_row():
    rows = [{"text": text, "emb": [1.0, 2.0]} for text in TEXTS]
    for at, cell, said in (
        (2, None, "no vector in row 2"),
        (1, [1.0], "in row 1 .* has 1 numbers"),
    ):
        spoilt = [dict(row) for row in rows]
        spoilt[at]["emb"] = cell
        with pytest.raises(DataError, match=said):
            read(spoilt, vector="emb")
    with pytest.raises(DataError, match="has no column 'vec'; it has text, emb"):
        read(rows, vector="vec")
    with pytest.raises(DataError, match="'text' of 'rows' holds no lists"):
        read(rows, vector="text")


def test_said_twice_is_refused(table):
    with pytest.raises(ParameterError) as error:
        read(table, vectors=ROWS, vector="emb")
    assert error.value.parameter == "vector"
    with pytest.raises(ParameterError) as error:
        read(ROWS, vectors=ROWS, names=table)
    assert error.value.parameter == "names"


def test_vectors_of_others_are_counted_in_a_note(table):
    found = read(table, vectors={**dict(zip(IDS, ROWS, strict=True)), "z": ROWS[0]})
    note = next(note for note in found.notes if getattr(note, "code", "") == "unused_vectors")
    assert note.values["count"] == 1
