"""Aligned views: folders, tables and collections joined by id."""

from __future__ import annotations

from pathlib import Path

import pytest

from coterie.collect import guess, join, read, texts
from coterie.core.errors import DataError


def test_aligned_folders(tmp_path: Path) -> None:
    for language, names in (("en", "abcd"), ("de", "bcde")):
        (tmp_path / language).mkdir()
        for name in names:
            (tmp_path / language / f"{name}.txt").write_text(f"{language} {name}")
    assert guess(tmp_path).kind == "views"
    collection = read(tmp_path)
    assert set(collection.views) == {"en", "de"}
    assert collection.ids == ("b.txt", "c.txt", "d.txt")
    assert collection.view("en")[0] == "en b"  # type: ignore[index]
    assert collection.view("de")[0] == "de b"  # type: ignore[index]
    assert (
        "3 of 5 members are in both views; 2 are left out (e.txt lacks en, a.txt lacks de)."
        in collection.notes
    )


def test_tables_joined_on_id_with_a_link_table(tmp_path: Path) -> None:
    (tmp_path / "bodies.csv").write_text("id,weight\nz,1\ny,2\nx,4\n")
    (tmp_path / "minds.csv").write_text("id,speed,group\nx,1,p\ny,3,q\nw,3,q\n")
    (tmp_path / "tags.csv").write_text("who,tag\nx,red\ny,red\nx,blue\n")
    collection = read(tmp_path, truth="group")
    assert set(collection.views) == {"bodies", "minds"}
    assert collection.ids == ("y", "x")
    assert collection.view("minds").values.ravel().tolist() == [3, 1]  # type: ignore[union-attr]
    assert collection.truth["group"].tolist() == ["q", "p"]
    assert collection.links["members", "tags"].total == 3
    with pytest.raises(DataError, match="no column 'nope'"):
        read(tmp_path, truth="nope")


def test_join_refuses_strangers() -> None:
    with pytest.raises(DataError, match="No id is in all of a, b"):
        join({"a": texts(["x"], ["1"]), "b": texts(["x"], ["2"])})
    with pytest.raises(DataError, match="nothing to join"):
        join({})


def test_views_need_two_of_something(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    with pytest.raises(DataError, match="neither two sub-folders nor two tables"):
        read(tmp_path, kind="views")
