"""Link tables: ids that match, ids that do not, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from coterie.collect import read_links, texts, with_links
from coterie.core.errors import DataError


def test_links_from_pairs_files_and_frames(tmp_path: Path) -> None:
    collection = texts(["one", "two", "three"], ["1", "2", "3"])
    pairs = [("1", "red"), ("2", "red"), ("2", "blue"), ("9", "blue"), ("2", "red")]
    (tmp_path / "tags.csv").write_text("member,tag\n" + "\n".join(",".join(pair) for pair in pairs))
    for table in (
        pairs,
        tmp_path / "tags.csv",
        pytest.importorskip("pandas").DataFrame(pairs, columns=["m", "t"]),
    ):
        linked = with_links(collection, "tags", table)
        link = linked.links["members", "tags"]
        assert list(link.cols) == ["blue", "red"]
        assert link.counts.toarray().tolist() == [[0, 1], [1, 2], [0, 0]]
        assert any("1 ids of the link table" in note for note in linked.notes)
        assert any("1 of 3 members have no link" in note for note in linked.notes)
    assert list(read_links(pairs).rows) == ["1", "2", "9"]


def test_link_counts_and_errors(tmp_path: Path) -> None:
    collection = texts(["one", "two"], ["a", "b"])
    assert (
        with_links(collection, "p", [("a", "x", 2.5), ("b", "x", 1)]).links["members", "p"].total
        == 3.5
    )
    for wrong, sentence in (
        ([("z", "x")], "No id of the link table is a member"),
        ([], "empty"),
        ([("a",)], "Link 0 must be a pair"),
        ([("a", "x", "many")], "The count of link 0"),
        (tmp_path / "no.csv", "There is no file"),
    ):
        with pytest.raises(DataError, match=sentence):
            with_links(collection, "p", wrong)
    (tmp_path / "wide.csv").write_text("a,b,c,d\n1,2,3,4\n")
    with pytest.raises(DataError, match=r"'wide\.csv' has 4"):
        with_links(collection, "p", tmp_path / "wide.csv")
