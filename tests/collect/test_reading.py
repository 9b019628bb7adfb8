"""The door: what is guessed from a path, what is taken from memory, and what is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import coterie.collect
from coterie import Collection, Ragged, Table, Text
from coterie.collect import guess, read
from coterie.collect.reading import KINDS
from coterie.collect.samples import write_mailbox
from coterie.core.errors import CoterieError, DataError, ParameterError


def folder(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def test_memory_by_type() -> None:
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(4, 3))
    assert read(matrix).kind == "table"
    assert read(matrix.tolist()).kind == "table"
    assert read(sp.csr_array(matrix)).view().sparse  # type: ignore[union-attr]
    assert read(Table.of(matrix)).kind == "table"
    assert read(["one", "two"]).kind == "text"
    assert read(np.array(["one", "two"])).kind == "text"
    assert read(Text.of(["one"])).kind == "text"
    assert read([matrix, matrix[:2]]).kind == "sequences"
    assert read([matrix, matrix[:2]], kind="sets").kind == "sets"
    assert read(generator.normal(size=(3, 4, 2))).kind == "sequences"
    assert read(Ragged.of([matrix], ordered=False)).kind == "sets"
    assert read([{"a": 1, "b": 2}, {"a": 2, "b": 1}]).view().names == ("a", "b")  # type: ignore[union-attr]
    collection = read(matrix)
    assert read(collection) is collection


def test_matrix_gaps_constants_and_infinities() -> None:
    matrix = np.array([[1.0, 5.0, np.nan], [2.0, 5.0, 3.0], [3.0, 5.0, 4.0]])
    collection = read(matrix)
    assert collection.view().names == ("x0", "x2")  # type: ignore[union-attr]
    assert any("'x1'" in note for note in collection.notes)
    assert any("1 gaps" in note for note in collection.notes)
    matrix[1, 2] = -np.inf
    with pytest.raises(DataError, match="'x2' holds an infinity in row 1"):
        read(matrix)
    with pytest.raises(DataError, match="same for all members"):
        read(np.ones((3, 2)))
    assert len(read(np.ones((1, 2)))) == 1
    with pytest.raises(DataError, match="Every cell of 'array' is a gap"):
        read(np.full((3, 2), np.nan))


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        (["a", None, "b c"], "Entry 1 of the list is None"),
        ([None, "a", "b c"], "Entry 0 of the list is None"),
        (["a", "b", {"c": 1}], "Entry 2 of the list is a dict"),
        ([np.ones(2), np.ones(3), 7], "Entry 2 of the list is a int"),
        ([{"a": 1}, "b", {"a": 2}], "Entry 1 of the list is a str"),
        ([1, 2], "Entry 0 of the list is a int"),
    ],
)
def test_the_entry_that_does_not_fit_is_named(entries: list[object], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read(entries)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        7,
        None,
        ["a", 1],
        [np.ones(2), "b"],
        np.ones((2, 2, 2, 2)),
        np.empty((0, 2)),
        np.array([1j, 2j]),
    ],
)
def test_what_cannot_be_read_is_one_sentence(wrong: object) -> None:
    with pytest.raises(CoterieError) as caught:
        read(wrong)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file or folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(DataError, match="There is no file or folder"):
        read("word " * 5000)
    with pytest.raises(DataError, match="is empty"):
        read(tmp_path)
    (tmp_path / "a.exe").write_bytes(b"\0\1")
    with pytest.raises(DataError, match=r"type that is not read; what is read: .*\.csv"):
        read(tmp_path / "a.exe")
    with pytest.raises(DataError, match=r"only files that are not read \(\.exe\)"):
        read(tmp_path)
    with pytest.raises(ParameterError, match="kind must be one of text, table"):
        read(tmp_path, kind="photographs")
    with pytest.raises(DataError, match="A folder is read as text, mail, audio, pictures or views"):
        read(tmp_path, kind="table")


def test_folders_of_text_and_of_classes(tmp_path: Path) -> None:
    path = folder(
        tmp_path / "docs",
        {f"{side}/{i}.txt": f"{side} {i}" for side in ("pos", "neg") for i in range(4)},
    )
    assert guess(path).kind == "text"
    collection = read(path)
    assert len(collection) == 8
    assert set(collection.truth["folder"]) == {"pos", "neg"}
    assert collection.notes[0] == guess(path).why


def test_one_text_file_is_a_document_per_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("first line\n\nthird line\n")
    collection = read(tmp_path / "a.txt")
    assert collection.ids == ("1", "3")
    (tmp_path / "b.txt").write_bytes(b"caf\xe9\nbar\n")
    western = read(tmp_path / "b.txt")
    assert western.view()[0] == "caf\xe9"  # type: ignore[index]
    assert any("(cp1252)" in note for note in western.notes)
    (tmp_path / "b.txt").write_bytes(b"caf\xe9\0\n")
    with pytest.raises(DataError, match="on line 1"):
        read(tmp_path / "b.txt")


def test_mail_is_found_by_content(tmp_path: Path) -> None:
    groups = write_mailbox(tmp_path / "box.mbox", n=12)
    assert guess(tmp_path / "box.mbox").kind == "mail"
    collection = read(tmp_path / "box.mbox")
    assert len(collection) == len(groups) == 12
    assert ("members", "correspondents") in collection.links


def test_a_folder_with_one_table(tmp_path: Path) -> None:
    folder(tmp_path, {"README.md": "about", "a.csv": "a,b\n1,2\n3,5\n"})
    assert read(tmp_path).name == "a"
    np.save(tmp_path / "b.npy", np.eye(2))
    with pytest.raises(DataError, match="2 files of data; name one"):
        read(tmp_path)


def test_samples_and_truth_by_name() -> None:
    assert read("sample:moons").truth["group"].max() == 1
    assert read("sample:one-gaussian").name == "one-gaussian"
    with pytest.raises(ParameterError, match="There is no sample 'x'; there are blobs"):
        read("sample:x")
    with pytest.raises(DataError, match="has no truth 'nope'"):
        read("sample:moons", truth="nope")
    assert "sender" in read("sample:mail", truth="sender").truth


def test_kinds_override_the_guess(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "id,time,x\n" + "".join(f"{m},{t},{m * t}\n" for m in range(4) for t in range(3))
    )
    assert read(path).kind == "sequences"
    assert read(path, kind="sets").view().dim == 2  # type: ignore[union-attr]
    assert read(path, kind="table", id="").kind == "table"
    with pytest.raises(DataError, match="cannot be read as 'views'"):
        read(path, kind="views")
    assert "long" in KINDS


def test_the_room_shows_its_names_and_loads_nothing_early() -> None:
    import subprocess
    import sys

    for name in coterie.collect.__all__:
        assert getattr(coterie.collect, name) is not None
    code = "import sys, coterie.collect; sys.exit(any(m in sys.modules for m in ('pyarrow', 'narwhals', 'numpy', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_read_returns_collections_that_hold_together() -> None:
    collection = read("sample:letters_in_two_languages")
    assert isinstance(collection, Collection)
    assert list(collection.views) == ["north", "south"]
