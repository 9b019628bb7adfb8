"""Reuters-21578 is read from its SGML files: topics, splits, entities, control characters and stories that are cut off."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie_papers.reuters import read_reuters, stories

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


def story(
    number,
    *,
    split="TRAIN",
    topics="YES",
    labels=(),
    title="A TITLE",
    body="Some words.\n Reuter\n&#3;",
):
    marks = "".join(f"<D>{label}</D>" for label in labels)
    inside = "" if body is None else f"<DATELINE>    ROME, March 3 - </DATELINE><BODY>{body}</BODY>"
    return (
        f'<REUTERS TOPICS="{topics}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="{number}" NEWID="{number}">\n'
        f"<DATE>26-FEB-1987 15:01:01.79</DATE>\n<TOPICS>{marks}</TOPICS>\n<PLACES><D>italy</D></PLACES>\n<PEOPLE></PEOPLE>\n"
        f"<UNKNOWN> \n&#5;&#5;&#5;C T\n&#22;&#22;&#1;f0704&#31;reute</UNKNOWN>\n"
        f"<TEXT>&#2;\n<TITLE>{title}</TITLE>\n{inside}</TEXT>\n</REUTERS>\n"
    )


def written(folder, *parts):
    folder.mkdir(exist_ok=True)
    for at, part in enumerate(parts):
        (folder / f"reut2-{at:03d}.sgm").write_bytes((HEAD + part).encode("latin-1"))
    return folder


def test_topics_splits_titles_and_bodies(tmp_path):
    folder = written(
        tmp_path / "reuters",
        story(1, labels=("grain", "wheat")) + story(2, split="TEST", labels=("earn",)),
        story(3, split="NOT-USED", topics="NO") + story(4, labels=()),
    )
    found = read_reuters(folder)
    assert found.ids == ("1", "2", "3", "4")
    assert list(found.truth["topics"]) == [("grain", "wheat"), ("earn",), (), ()]
    assert found.truth["split"].tolist() == ["train", "test", "", "train"]
    assert found.views["text"][0] == "A TITLE\nSome words."
    assert found.cards["title"][0] == "A TITLE"
    assert found.cards["date"][1].startswith("26-FEB-1987")
    assert "2 stories to train and 1 to test" in found.notes[0]


def test_places_are_no_topics_and_unknown_bytes_are_no_text(tmp_path):
    found = read_reuters(written(tmp_path / "r", story(1, labels=("corn",))))
    assert found.truth["topics"][0] == ("corn",)
    assert "italy" not in found.views["text"][0]
    assert "f0704" not in found.views["text"][0]


@pytest.mark.parametrize(
    ("split", "topics", "expected"),
    [
        ("TRAIN", "YES", "train"),
        ("TEST", "YES", "test"),
        ("TRAIN", "NO", ""),
        ("TEST", "BYPASS", ""),
        ("NOT-USED", "YES", ""),
    ],
)
def test_modapte_takes_indexed_stories_of_two_splits(split, topics, expected):
    assert next(stories(story(7, split=split, topics=topics))).modapte == expected


def test_entities_and_control_characters():
    one = next(
        stories(
            story(
                1,
                title="AT&amp;T &lt;T> UP",
                body="Q1\x1b 3&#22;4 &lt;5 caf\xe9\x85\n two   words\n Reuter\n&#3;",
            )
        )
    )
    assert one.title == "AT&T <T> UP"
    assert one.body == "Q1 3 4 <5 caf\xe9\ntwo words"


def test_an_indented_line_begins_a_paragraph():
    body = "First words\nof one.\n    Second words,\nand more.\n Reuter\n&#3;"
    assert (
        next(stories(story(1, body=body))).body
        == "First words\nof one.\n\nSecond words,\nand more."
    )


def test_latin_1_bytes_are_kept(tmp_path):
    found = read_reuters(written(tmp_path / "r", story(1, body="Soci\xe9t\xe9 \xfc")))
    assert "Soci\xe9t\xe9 \xfc" in found.views["text"][0]


def test_a_story_without_a_body_is_kept_or_left_out(tmp_path):
    folder = written(tmp_path / "r", story(1, body=None) + story(2))
    whole = read_reuters(folder)
    assert whole.views["text"][0] == "A TITLE"
    assert "1 stories have a title and no body." in whole.notes
    some = read_reuters(folder, bodies=True)
    assert some.ids == ("2",)
    assert "1 of 2 stories" in some.notes[-1]


def test_unprocessed_text_is_a_body():
    head = '<REUTERS TOPICS="NO" LEWISSPLIT="TRAIN" NEWID="9"><TOPICS></TOPICS>'
    text = head + '<TEXT TYPE="UNPROC">&#2;\nABOUT TIN\nplain</TEXT></REUTERS>'
    assert next(stories(text)).body == "ABOUT TIN\nplain"


def test_a_story_that_is_cut_off_ends_where_the_next_begins():
    cut = story(1, labels=("gold",)).replace("</TEXT>\n</REUTERS>", "")
    found = list(stories(cut + story(2)))
    assert [one.number for one in found] == ["1", "2"]
    assert found[0].topics == ("gold",)
    assert found[0].body == "Some words."


def test_take_keeps_topics(tmp_path):
    found = read_reuters(
        written(tmp_path / "r", story(1, labels=("a", "b")) + story(2, labels=("c",)))
    ).take(np.array([1]))
    assert list(found.truth["topics"]) == [("c",)]


def test_sentences_on_what_is_not_there(tmp_path):
    with pytest.raises(DataError, match="There is no"):
        read_reuters(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"no file reut2-\*\.sgm"):
        read_reuters(tmp_path)
    with pytest.raises(DataError, match="no <REUTERS> story"):
        read_reuters(written(tmp_path / "r", "hello"))
    with pytest.raises(DataError, match="None of the 1 stories"):
        read_reuters(written(tmp_path / "s", story(1, body=None)), bodies=True)
