"""Words written with their tags: recognized, taken apart, and refused where a token has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from coterie import Collection, Table, TaggedText
from coterie.collect import read, texts, unslashed
from coterie.collect.reading import looks_slashed
from coterie.core.errors import DataError

NEWS = "The/at Fulton/np-tl Jury/nn said/vbd 1/2/cd ./.\nIt/pps met/vbd ./."
STORY = "She/pps ran/vbd home/nr ./.\n\nThe/at dog/nn barked/vbd ./."


def tags(collection: Collection) -> list[str]:
    view = collection.view("tagged")
    assert isinstance(view, TaggedText)
    return view.features["pos"].tolist()


def test_words_and_tags_come_apart() -> None:
    found = read([NEWS, STORY])
    assert list(found.view("text")) == [
        "The Fulton Jury said 1/2 .\nIt met .",
        "She ran home .\nThe dog barked .",
    ]
    assert tags(found)[:6] == ["at", "np-tl", "nn", "vbd", "cd", "."]
    assert found.view("tagged").offsets.tolist() == [0, 6, 9, 13, 17]  # type: ignore[union-attr]
    assert any("taken apart" in note for note in found.notes)


def test_files_folders_and_tables(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(NEWS)
    (tmp_path / "docs" / "b.txt").write_text(STORY)
    (tmp_path / "lines.txt").write_text(NEWS)
    folder = read(tmp_path / "docs")
    lines = read(tmp_path / "lines.txt")
    assert (len(folder), len(lines)) == (2, 2)
    assert tags(lines) == tags(folder)[:9]
    flat = " ".join(NEWS.split())
    rows = [{"id": f"m{i}", "tagged": flat + f" Number/nn n{i}/cd ./."} for i in range(3)]
    table = read(rows)
    assert table.main == "tagged"
    assert isinstance(table.view("tagged 2"), TaggedText)
    assert table.view("tagged 2").offsets.tolist()[:4] == [0, 6, 9, 12]  # type: ignore[union-attr]


def test_the_person_may_insist_or_refuse() -> None:
    assert list(read([NEWS], kind="text").views) == ["text"]
    assert list(read(["Word/x"], kind="slashed").views) == ["text", "tagged"]
    with pytest.raises(DataError, match="'word' on line 2 of '0' is not a word, '/' and a tag"):
        read(["One/x\nword two/x"], kind="slashed")
    with pytest.raises(DataError, match="is not a word"):
        read(["/x one/y"], kind="slashed")
    with pytest.raises(DataError, match="read from a text"):
        unslashed(Collection(["a"], {"x": Table.of([[1.0]])}))


@pytest.mark.parametrize(
    "documents",
    [
        ["and/or", "either/or both/and"],
        ["plain words only"],
        ["http://x.org/a b"],
        [""],
        ["a/b c/d e/f g/h"],
        ["1/2 3/4 5/6 7/8"],
    ],
)
def test_other_texts_are_left_alone(documents: list[str]) -> None:
    assert not looks_slashed(documents)
    assert list(read(documents).views) == ["text"]


def test_one_bad_token_far_inside_leaves_the_text_as_it_is() -> None:
    long = " ".join(["the/at dog/nn ./."] * 200)
    found = read([long, long + " oops"])
    assert list(found.views) == ["text"]
    assert any("left so" in note and "'oops'" in note for note in found.notes)


def test_another_mark() -> None:
    found = unslashed(texts(["the_DT dog_NN"]), mark="_")
    assert tags(found) == ["DT", "NN"]
