"""Sequences from .npz, .npy, .ts and long tables; sets of vectors from the same without a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coterie import Ragged
from coterie.collect import guess, read, read_bags
from coterie.collect.bags import bags
from coterie.collect.sequences import sequences
from coterie.core.errors import DataError

MEMBERS = [np.arange(6.0).reshape(3, 2), np.arange(4.0).reshape(2, 2) + 10, np.ones((4, 2))]
LENGTHS = np.array([3, 2, 4])


def ragged(collection: object) -> Ragged:
    view = collection.view()  # type: ignore[attr-defined]
    assert isinstance(view, Ragged)
    return view


def same(collection: object) -> None:
    found = ragged(collection)
    assert len(found) == 3
    for member, wanted in zip(found, MEMBERS, strict=True):
        np.testing.assert_array_equal(member, wanted)


def test_flat_npz_with_lengths_or_offsets(tmp_path: Path) -> None:
    flat = np.concatenate(MEMBERS).astype(np.float32)
    np.savez(
        tmp_path / "a.npz",
        values=flat,
        lengths=LENGTHS,
        labels=np.array(["u", "v", "u"]),
        split=np.array(["train"] * 3),
    )
    np.savez(
        tmp_path / "b.npz",
        values=flat,
        offsets=np.array([0, 3, 5, 9]),
        ids=np.array(["p", "q", "r"]),
        speaker=np.array([1, 2, 3]),
    )
    a = read(tmp_path / "a.npz")
    b = read(tmp_path / "b.npz")
    same(a)
    same(b)
    assert a.truth["labels"].tolist() == ["u", "v", "u"]
    assert list(a.truth) == ["labels"]
    assert list(a.cards) == ["split"]
    assert b.ids == ("p", "q", "r")
    assert b.truth["speaker"].tolist() == [1, 2, 3]
    assert ragged(a).values.dtype == np.float64
    assert read(tmp_path / "a.npz", truth="split").cards == {"labels": ["u", "v", "u"]}
    assert read(tmp_path / "a.npz", kind="sets").kind == "sets"


def test_npz_with_an_array_per_member(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "a.npz", x=MEMBERS[0], y2=MEMBERS[1], z=MEMBERS[2], labels=np.array([1, 1, 2])
    )
    collection = read(tmp_path / "a.npz")
    same(collection)
    assert collection.ids == ("x", "y2", "z")
    assert collection.truth["labels"].tolist() == [1, 1, 2]


def test_npz_of_views_and_of_a_sparse_matrix(tmp_path: Path) -> None:
    import scipy.sparse as sp

    generator = np.random.default_rng(0)
    dense = generator.normal(size=(6, 3))
    counts = sp.random_array((6, 5), density=0.4, rng=generator, format="csr")
    np.savez(
        tmp_path / "a.npz",
        labels=np.arange(6),
        dense=dense,
        words_indices=counts.indices,
        words_indptr=counts.indptr,
        words_shape=np.array(counts.shape),
        words_data=counts.data,
    )
    collection = read(tmp_path / "a.npz")
    assert guess(tmp_path / "a.npz").kind == "views"
    np.testing.assert_array_equal(collection.view("dense").values, dense)  # type: ignore[union-attr]
    np.testing.assert_array_equal(collection.view("words").values.toarray(), counts.toarray())  # type: ignore[union-attr]
    sp.save_npz(tmp_path / "b.npz", sp.csc_array(counts))
    np.testing.assert_array_equal(
        read(tmp_path / "b.npz").view().values.toarray(), counts.toarray()
    )  # type: ignore[union-attr]


def test_npy_by_dimensions(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    np.save(tmp_path / "table.npy", generator.normal(size=(5, 3)))
    np.save(tmp_path / "deep.npy", generator.normal(size=(5, 7, 2)))
    assert read(tmp_path / "table.npy").kind == "table"
    assert ragged(read(tmp_path / "deep.npy")).lengths.tolist() == [7] * 5


def test_ts_files(tmp_path: Path) -> None:
    path = tmp_path / "a.ts"
    path.write_text(
        "# said\n@problemName Walks\n@timeStamps false\n@classLabel true u v\n"
        "@data\n0,2,4:1,3,5:u\n10,12:11,13:v\n1,1,1,1:1,1,1,1:u\n"
    )
    collection = read(path)
    same(collection)
    assert collection.name == "Walks"
    assert collection.truth["labels"].tolist() == ["u", "v", "u"]


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ("1,inf,3:u", "Case 0 of 'a.ts' .line 3. has an infinity"),
        ("1,2:1,2,3:u", "has 3 steps in dimension 1 where dimension 0 has 2"),
        ("1,x:u", "that is no number"),
        ("", "no cases"),
    ],
)
def test_ts_errors_name_the_case(tmp_path: Path, case: str, sentence: str) -> None:
    (tmp_path / "a.ts").write_text(f"@classLabel true u\n@data\n{case}\n")
    with pytest.raises(DataError, match=sentence):
        read(tmp_path / "a.ts")


def long_csv(path: Path, time: bool) -> Path:
    rows = [
        (f"m{i}", step, x, y, "uvu"[i])
        for i, member in enumerate(MEMBERS)
        for step, (x, y) in enumerate(member)
    ]
    shuffled = [rows[i] for i in (4, 0, 8, 2, 1, 3, 5, 7, 6)] if time else rows
    head = "id,time,x,y,speaker" if time else "id,x,y,speaker"
    path.write_text(
        "\n".join(
            [head, *(",".join(map(str, row if time else (row[0], *row[2:]))) for row in shuffled)]
        )
    )
    return path


def test_long_table_is_sorted_by_time(tmp_path: Path) -> None:
    path = long_csv(tmp_path / "a.csv", time=True)
    assert guess(path).kind == "long"
    collection = read(path, truth="speaker")
    assert collection.ids == ("m1", "m0", "m2")
    same(collection.take([1, 0, 2]))
    assert collection.truth["speaker"].tolist() == ["v", "u", "u"]
    assert list(read(path).cards) == ["speaker"]
    assert ragged(collection).names == ("x", "y")
    assert ragged(collection.take([1, 0])).names == ("x", "y")
    assert ragged(read(ragged(collection))).names == ("x", "y")


def test_long_table_without_time_is_sets(tmp_path: Path) -> None:
    path = long_csv(tmp_path / "a.csv", time=False)
    assert guess(path).kind == "sets"
    collection = read(path)
    same(collection)
    assert collection.kind == "sets"
    same(read_bags(path))


def test_a_numeric_answer_is_not_a_value(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "id,t,x,label\n" + "".join(f"{m},{t},{m + t},{m % 2}\n" for m in range(4) for t in range(3))
    )
    collection = read(tmp_path / "a.csv")
    assert ragged(collection).dim == 1
    assert collection.cards["label"] == ["0", "1", "0", "1"]


def test_bad_members_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"The member 'b' of 'sequences' has an infinity at step 1, dimension 0"
    ):
        sequences([[1.0], [2.0, np.inf]], ["a", "b"])
    with pytest.raises(DataError, match="The member 'b' of 'sequences' has no value at any step"):
        sequences([[1.0], [np.nan, np.nan]], ["a", "b"])
    with pytest.raises(DataError, match=r"'0' of 'bags' has a gap \(NaN\)"):
        bags([[[1.0], [np.nan]], [[2.0]]])
    with pytest.raises(DataError, match="member '1' of 'bags' has an infinity"):
        bags([[1.0], [np.inf]])
    with pytest.raises(DataError, match=r"'1' .* is empty"):
        sequences([[[1.0]], np.empty((0, 1))])
    np.savez(tmp_path / "a.npz", values=np.ones((4, 1)), lengths=np.array([2, 3]))
    with pytest.raises(DataError, match="sum to 5 where 'values' has 4 rows"):
        read(tmp_path / "a.npz")
    (tmp_path / "b.csv").write_text("id,time,x\na,1,2\na,,3\nb,1,1\nb,2,2\n")
    with pytest.raises(DataError, match=r"Row 1 of 'b.csv' .* has no time"):
        read(tmp_path / "b.csv", time="time")


def test_broken_and_pickled_files_are_sentences(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", values=np.ones((400, 3)), lengths=np.array([200, 200]))
    whole = (tmp_path / "a.npz").read_bytes()
    for share in (0, 10, len(whole) // 2, len(whole) - 30):
        (tmp_path / "cut.npz").write_bytes(whole[:share])
        with pytest.raises(DataError, match=r"'cut\.npz'"):
            read(tmp_path / "cut.npz")
    flipped = bytearray(whole)
    flipped[200] ^= 0xFF
    (tmp_path / "flip.npz").write_bytes(bytes(flipped))
    with pytest.raises(DataError, match="damaged"):
        read(tmp_path / "flip.npz")
    np.save(tmp_path / "o.npy", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="pickled"):
        read(tmp_path / "o.npy")


def test_gaps_of_sequences_are_kept_and_said(tmp_path: Path) -> None:
    found = sequences([[1.0, np.nan, 3.0], [2.0, 2.0, 2.0]], ["a", "b"])
    assert np.isnan(found.view().values[1, 0])
    assert "The sequence 'a' has gaps (16.7% of all values)" in found.notes[0]
    (tmp_path / "a.ts").write_text(
        "@problemName a\n@classLabel true u v\n@data\n1,?,3:u\n4,NaN,6:v\n"
    )
    view = read(tmp_path / "a.ts").view()
    assert np.isnan(view.values[[1, 4], 0]).all()
