"""Words of texts and link tables as populations of a collection, at the door and behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coterie import Collection, Table
from coterie.collect import read, texts, with_links, with_populations
from coterie.core.errors import DataError, ParameterError

ABSTRACTS = (
    "We parse the sentences of a treebank with a grammar",
    "We parse long sentences with the grammar of a treebank",
    "Edges of an image are found at the scale of a camera",
    "A camera takes the image whose edges are then found",
)


def papers(path: Path) -> Path:
    titles = ("Parsing", "Parsing again", "Edges", "Edges of images")
    rows = [
        f'p{i},{title},"{abstract}"'
        for i, (title, abstract) in enumerate(zip(titles, ABSTRACTS, strict=True))
    ]
    (path / "papers.csv").write_text("id,title,abstract\n" + "\n".join(rows))
    (path / "cites.csv").write_text(
        "paper,cited\np0,Knuth\np1,Knuth\np2,Marr\np3,Marr\np3,Once\np9,Knuth\n"
    )
    return path / "papers.csv"


def test_papers_have_words_of_titles_and_abstracts_and_citations(tmp_path: Path) -> None:
    found = read(papers(tmp_path), words=True, links={"citations": str(tmp_path / "cites.csv")})
    assert set(found.links) == {
        ("members", "title words"),
        ("members", "abstract words"),
        ("members", "citations"),
    }
    assert list(found.links["members", "citations"].cols) == ["Knuth", "Marr"]
    assert found.links["members", "citations"].counts.toarray().tolist() == [
        [1, 0],
        [1, 0],
        [0, 1],
        [0, 1],
    ]
    assert list(found.links["members", "title words"].cols) == ["edges", "parsing"]
    assert "treebank" in found.links["members", "abstract words"].cols
    assert "the" not in found.links["members", "abstract words"].cols
    assert any(
        "1 of 3 'citations' are tied to fewer than 2 members" in note for note in found.notes
    )
    assert any("1 ids of the link table" in note for note in found.notes)


def test_words_of_the_texts_that_are_named(tmp_path: Path) -> None:
    assert set(read(papers(tmp_path), words=["abstract"]).links) == {("members", "abstract words")}
    assert set(read(papers(tmp_path), words=["title"]).links) == {("members", "title words")}
    assert set(read(["red fish", "red bird"], words=True).links) == {("members", "words")}
    assert not read(papers(tmp_path)).links


def test_links_from_memory_and_collections() -> None:
    collection = texts(["one", "two"], ["a", "b"])
    found = read(
        collection,
        links={"tags": [("a", "x"), ("b", "x")], "people": [("a", "y", 2), ("b", "y", 3)]},
    )
    assert found.links["members", "people"].counts.toarray().tolist() == [[2], [3]]
    assert set(found.links) == {("members", "tags"), ("members", "people")}


def test_links_among_members_count_both_ways() -> None:
    collection = texts(["one", "two", "three"], ["a", "b", "c"])
    pairs = [("a", "b"), ("b", "z"), ("z", "c")]
    plain = with_links(collection, "cited", pairs)
    assert plain.links["members", "cited"].counts.toarray().tolist() == [[1, 0], [0, 1], [0, 0]]
    both = with_links(collection, "cited", pairs, both_ways=True).links["members", "cited"]
    assert list(both.cols) == ["a", "b", "z"]
    assert both.counts.toarray().tolist() == [[1, 1, 0], [1, 1, 1], [0, 0, 1]]
    said = with_links(collection, "cited", [("a", "b"), ("b", "c")]).notes
    assert any("both_ways" in note for note in said)
    assert read(collection, links={"cited": pairs}, both_ways=True).links[
        "members", "cited"
    ].shape == (3, 3)


def test_a_link_counted_from_both_files_is_counted_twice() -> None:
    both = with_links(
        texts(["one", "two"], ["a", "b"]), "cited", [("a", "b"), ("b", "a")], both_ways=True
    )
    assert both.links["members", "cited"].counts.toarray().tolist() == [[1, 2], [2, 1]]


def test_members_that_come_later_are_read_alike() -> None:
    before = read([{"id": "a", "body": ABSTRACTS[0]}, {"id": "b", "body": ABSTRACTS[1]}])
    cites = [("a", "x"), ("b", "x"), ("n", "y")]
    new = read(
        [{"id": "n", "body": ABSTRACTS[2]}],
        words=["body"],
        links={"cited": cites},
        like={"body": before.view("body")},
    )
    assert list(new.links["members", "cited"].cols) == ["y"]
    assert "camera" in new.links["members", "body words"].cols
    stranger = read(
        [{"id": "q", "body": ABSTRACTS[2]}],
        links={"cited": cites},
        like={"body": before.view("body")},
    )
    assert not stranger.links
    assert any("'cited' was left out" in note for note in stranger.notes)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"links": [("a", "x")]}, "links must give populations their tables"),
        ({"links": {"": []}}, "a population needs a name"),
        ({"links": {"members": [("a", "x")]}}, "a population needs a name"),
        ({"links": {"tags": ""}}, "'tags' has no table"),
        ({"links": {"tags": None}}, "'tags' has no table"),
        (
            {"links": {"tags": [("a", "x"), ("b", "y")]}},
            "Nothing of 'tags' is tied to 2 or more members",
        ),
        ({"links": {"tags": "nowhere.csv"}}, "There is no file"),
        ({"links": {"tags": [("q", "x")]}}, "No id of the link table"),
        ({"words": ["title"]}, "has no text 'title'"),
        ({"words": ["text"]}, "lower min_df"),
    ],
)
def test_what_is_wrong_is_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises((DataError, ParameterError), match=sentence):
        with_populations(texts(["one", "two"], ["a", "b"]), **given)


def test_populations_that_are_there_stay() -> None:
    first = with_populations(
        texts(["red fish", "red bird"], ["a", "b"]), {"tags": [("a", "x"), ("b", "x")]}, words=True
    )
    again = with_populations(first, words=True)
    assert again.links["members", "words"] is first.links["members", "words"]
    with pytest.raises(ParameterError, match="has a population 'tags' already"):
        with_populations(first, {"tags": [("a", "x"), ("b", "x")]})


def test_texts_without_a_shared_word_are_noted_and_tables_have_none() -> None:
    found = with_populations(texts(["one", "two"]), words=True)
    assert not found.links
    assert any("'words' was left out" in note for note in found.notes)
    with pytest.raises(DataError, match="no text whose words"):
        with_populations(Collection(["a"], {"x": Table.of([[1.0]])}), words=True)
    with pytest.raises(ParameterError, match="min_df"):
        with_links(texts(["one"], ["a"]), "x", [("a", "b")], min_df=0)
