"""Reading for those who want text: short words are text where there is nothing else, or where text is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from coterie import Text
from coterie.collect.worded import read_with_text
from coterie.core.errors import DataError

SHORT = "id,note\na1,green tea\na2,red car\na3,black tea\na4,violin\n"
COLUMNS = "id,x,color\na,1,red\nb,3,blue\nc,4,red\nd,4,red\ne,5,blue\n"


def written(folder: Path, text: str) -> Path:
    (folder / "rows.csv").write_text(text)
    return folder / "rows.csv"


def test_short_words_are_text_where_there_is_nothing_to_compare(tmp_path):
    found = read_with_text(written(tmp_path, SHORT))
    assert list(found.view("note")) == ["green tea", "red car", "black tea", "violin"]
    assert (
        found.notes[0]
        == "No column holds running text, so 'note' is read as text; name another as text."
    )


def test_columns_stay_columns_unless_text_is_wanted(tmp_path):
    path = written(tmp_path, COLUMNS)
    assert read_with_text(path).kind == "table"
    found = read_with_text(path, wanted=True)
    assert found.main == "color"
    assert isinstance(found.view("color"), Text)


def test_what_a_person_said_stands(tmp_path):
    path = written(tmp_path, COLUMNS)
    assert read_with_text(path, kind="table", wanted=True).kind == "table"
    with pytest.raises(DataError, match="has no column 'body'"):
        read_with_text(path, text="body", wanted=True)
    numbers = written(tmp_path, "x,y\n1,2\n3,4\n")
    assert read_with_text(numbers, wanted=True).kind == "table"
