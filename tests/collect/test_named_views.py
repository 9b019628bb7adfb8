"""Views by name: sub-folders, tables, columns and matrices that a person named, and what is said where they are not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coterie.collect import read
from coterie.collect.columns import Named
from coterie.collect.named_views import names_of, near, read_named, with_named
from coterie.collect.reading import read_apart
from coterie.collect.samples import sample
from coterie.core.errors import DataError, ParameterError


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for language, names in (("en", "abcd"), ("de", "bcde"), ("fr", "b")):
        (tmp_path / language).mkdir()
        for name in names:
            (tmp_path / language / f"{name}.txt").write_text(f"{language} {name}")
    return tmp_path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [
        "id,text_en,text_de,kind,note",
        "p,tea,Tee,x,1",
        "q,car,,y,2",
        "r,sun,Sonne,x,3",
        "s,,Meer,y,4",
    ]
    (tmp_path / "words.csv").write_text("\n".join(rows) + "\n")
    return tmp_path / "words.csv"


def test_names_in_every_form() -> None:
    assert names_of("en,de  fr") == ("en", "de", "fr")
    assert names_of(["my text", "other"]) == ("my text", "other")
    assert names_of("all") == ("all",)
    for wrong, said in (("en", "at least two"), ("en de en", "twice"), ([1, 2], "names of views")):
        with pytest.raises(ParameterError, match=said):
            names_of(wrong)  # type: ignore[arg-type]


def test_only_the_folders_that_were_named_decide_who_is_a_member(folders: Path) -> None:
    found = read_named(folders, ["de", "en"])
    assert found is not None
    assert list(found.views) == ["de", "en"]
    assert sorted(found.ids) == ["b.txt", "c.txt", "d.txt"]  # with fr there would be one
    assert found.view("de")[0] == "de b"  # type: ignore[index]
    every = read_named(folders, ["all"])
    assert every is not None
    assert set(every.views) == {"en", "de", "fr"}
    assert len(every) == 1
    with pytest.raises(DataError, match="no sub-folder 'nl'; it has de, en, fr"):
        read_named(folders, ["en", "nl"])
    with pytest.raises(DataError, match="no sub-folder or table 'nl'"):
        read_named(folders, ["nl", "sv"])


def test_of_members_that_come_later_some_views_do(folders: Path) -> None:
    found = read_named(folders, ["nl", "en"], some=True)
    assert found is not None
    assert list(found.views) == ["en"]
    assert len(found) == 4


def test_short_columns_are_texts_when_they_are_named(table: Path) -> None:
    found = read_named(table, ["en", "de"], Named(truth=("kind",)))
    assert found is not None
    assert list(found.views) == ["en", "de"]
    assert found.ids == ("p", "r")
    assert list(found.view("de")) == ["Tee", "Sonne"]  # type: ignore[arg-type]
    assert found.truth["kind"].tolist() == ["x", "x"]
    assert (
        "2 of 4 members are in both views; 2 are left out (q lacks de, s lacks en)." in found.notes
    )
    with pytest.raises(
        DataError,
        match=r"The table 'words.csv' has no column of words 'fr'; it has text_en, text_de",
    ):
        read_named(table, ["en", "fr"])


def test_a_view_by_itself_keeps_members_that_others_lack(folders: Path, table: Path) -> None:
    parts = read_apart(folders, ["en", "de"])
    assert [len(part) for part in parts.values()] == [4, 4]
    assert read_apart(table, ["en", "de"])["en"].ids == ("p", "q", "r")
    assert read_apart(table, ["en", "de"])["de"].ids == ("p", "r", "s")
    letters = read_apart("sample:letters_in_two_languages", ["all"])
    assert {name: list(part.views) for name, part in letters.items()} == {
        "north": ["north"],
        "south": ["south"],
    }


def test_tables_and_matrices(tmp_path: Path) -> None:
    (tmp_path / "bodies.csv").write_text("id,weight\nz,1\ny,2\nx,4\n")
    (tmp_path / "minds.csv").write_text("id,speed\nx,1\ny,3\nw,3\n")
    (tmp_path / "other.csv").write_text("id,width\nx,1\n")
    found = read_named(tmp_path, ["minds", "bodies"])
    assert found is not None
    assert list(found.views) == ["minds", "bodies"]
    assert found.ids == ("x", "y")
    with pytest.raises(DataError, match="no table 'souls'"):
        read_named(tmp_path, ["minds", "souls"])
    np.savez(
        tmp_path / "two.npz",
        one=np.random.default_rng(0).normal(size=(5, 2)),
        two=np.arange(15.0).reshape(5, 3),
    )
    matrices = read_named(tmp_path / "two.npz", ["one", "two"])
    assert matrices is not None
    assert set(matrices.views) == {"one", "two"}


def test_a_part_of_a_name_is_enough_where_it_is_clear() -> None:
    assert near("de", ["text_de", "text_en"], "'x'", "view") == "text_de"
    assert near("en", ["title_en", "text_en"], "'x'", "view") == "text_en"
    with pytest.raises(DataError, match="'en' could be any of title_en, body_en of 'x'"):
        near("en", ["title_en", "body_en"], "'x'", "view")
    with pytest.raises(DataError, match="'X' has no view 'fr'; it has none"):
        near("fr", [], "'X'", "view")
    letters = sample("letters_in_two_languages", 20)
    assert list(with_named(letters, ["south", "north"]).views) == ["south", "north"]
    assert list(with_named(letters, ["south", "west"], some=True).views) == ["south"]


def test_all_columns_of_a_table_are_read_as_named_ones_are(tmp_path: Path) -> None:
    long = "a sentence that is long enough to be taken for running text under number {}"
    rows = [f"{i},{long.format(i)},{long.format(-i) if i != 3 else ''},{i % 2}" for i in range(6)]
    (tmp_path / "t.csv").write_text("id,text_en,text_de,size\n" + "\n".join(rows) + "\n")
    apart = read_apart(tmp_path / "t.csv", ["all"])
    assert {name: len(part) for name, part in apart.items()} == {
        "text_en": 6,
        "text_de": 5,
    }  # an empty cell is no member
    found = read_named(tmp_path / "t.csv", ["all"])
    assert found is not None
    assert list(found.views) == ["text_en", "text_de"]
    assert found.ids == ("0", "1", "2", "4", "5")
    assert "The views are the columns of text: text_en, text_de." in found.notes
    assert "5 of 6 members are in both views; 1 is left out (3 lacks text_de)." in found.notes


def test_all_means_the_texts_and_not_the_titles(tmp_path: Path) -> None:
    text = "a much longer sentence, as the text below a title has it, with many more words than the title, number {}"
    title = "a title that is longer than most titles are, number {}"
    rows = [
        ",".join([str(i), *(f'"{t.format(i)} {x}"' for x in ("en", "de") for t in (title, text))])
        for i in range(6)
    ]
    (tmp_path / "t.csv").write_text(
        "id,title_en,text_en,title_de,text_de\n" + "\n".join(rows) + "\n"
    )
    assert list(read_apart(tmp_path / "t.csv", ["all"])) == ["text_en", "text_de"]
    (tmp_path / "one.csv").write_text(
        "id,body,size\n" + "\n".join(f'{i},"{text.format(i)}",{i}' for i in range(6)) + "\n"
    )
    assert (
        read_named(tmp_path / "one.csv", ["all"]) is None
    )  # one text: the views are as `read` has them


def test_tables_by_themselves_keep_members_that_others_lack(tmp_path: Path) -> None:
    (tmp_path / "bodies.csv").write_text("id,weight\nz,1\ny,2\nx,4\n")
    (tmp_path / "minds.csv").write_text("id,speed\nx,1\ny,3\nw,3\n")
    for names in (["bodies", "minds"], ["all"]):
        parts = read_apart(tmp_path, names)
        assert {name: part.ids for name, part in parts.items()} == {
            "bodies": ("z", "y", "x"),
            "minds": ("x", "y", "w"),
        }


def test_members_that_come_later_are_read_by_the_views_they_have(
    folders: Path, table: Path
) -> None:
    found = read_named(folders, ["en", "de"], some=True)
    assert found is not None
    assert found.ids == ("a.txt", "b.txt", "c.txt", "d.txt", "e.txt")
    assert list(found.view("de")) == ["", "de b", "de c", "de d", "de e"]  # type: ignore[arg-type]
    assert not found.notes
    cells = read_named(table, ["en", "de"], some=True)
    assert cells is not None
    assert list(cells.view("en")) == ["tea", "car", "sun", ""]  # type: ignore[arg-type]


def test_text_files_are_views_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("tea\ncar\n\nsun\n")
    (tmp_path / "de.txt").write_text("Tee\nAuto\nMeer\nSonne\n")
    for names in (["en", "de"], ["all"]):
        found = read_named(tmp_path, names)
        assert found is not None
        assert found.ids == ("1", "2", "4")
        assert list(found.view("de")) == ["Tee", "Auto", "Sonne"]  # type: ignore[arg-type]
    assert read_apart(tmp_path, ["en", "de"])["de"].ids == ("1", "2", "3", "4")
    (tmp_path / "de.txt").write_text("Tee\nAuto\nMeer\n")
    with pytest.raises(DataError, match=r"differ in number: en.txt has 4 lines, de.txt 3\."):
        read_named(tmp_path, ["en", "de"])


def test_one_view_has_all_its_members(folders: Path) -> None:
    found = read(folders, view="en")
    assert list(found.views) == ["en"]
    assert found.ids == ("a.txt", "b.txt", "c.txt", "d.txt")
    assert list(read([[1.0, 2.0], [3.0, 5.0]], view="columns").views) == ["columns"]
