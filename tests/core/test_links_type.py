"""Links: names of the populations, tables that agree on them, and what is no table of counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from coterie import Collection, Cooccurrence, Ragged, Table, Text
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.links import Links, linked, replace_target

COUNTS = np.array([[2, 0, 1], [0, 3, 0]])


def table(values, rows, cols):
    return Cooccurrence(sp.csr_array(np.asarray(values, dtype=float)), list(rows), list(cols))


@pytest.mark.parametrize(
    "data",
    [
        COUNTS,
        COUNTS.tolist(),
        sp.csr_matrix(COUNTS),
        sp.coo_array(COUNTS),
        Table.of(COUNTS),
        {("members", "columns"): COUNTS},
    ],
)
def test_any_table_of_counts_becomes_links(data):
    links = Links.of(data)
    assert links.populations == ("members", "columns")
    assert len(links) == 2
    assert np.array_equal(links.between("members", "columns").counts.toarray(), COUNTS)
    assert list(links.ids["columns"]) == ["x0", "x1", "x2"]
    assert list(links.ids["members"]) == ["0", "1"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_brings_the_names_of_its_columns(frame):
    links = Links.of({("members", "words"): frame({"river": [1, 0], "bank": [2, 5]})})
    assert list(links.ids["words"]) == ["river", "bank"]


def test_both_directions_of_one_pair_are_added():
    links = Links.of({("members", "words"): COUNTS, ("words", "members"): 10 * COUNTS.T})
    assert list(links.tables) == [("members", "words")]
    assert np.array_equal(links.between("members", "words").counts.toarray(), 11 * COUNTS)
    assert np.array_equal(links.between("words", "members").counts.toarray(), 11 * COUNTS.T)


def test_tables_without_names_share_those_of_their_population():
    """Plain arrays around a population must agree on its ids, whichever side it stands on, or take those of a named table."""
    people = np.ones((3, 4))
    links = Links.of(
        {
            ("members", "words"): COUNTS,
            ("words", "people"): people,
            ("people", "members"): np.ones((4, 2)),
        }
    )
    assert [len(links.ids[name]) for name in links.populations] == [2, 3, 4]
    named = Links.of(
        {
            ("words", "people"): people,
            ("members", "words"): table(COUNTS, "ab", ["river", "bank", "fish"]),
        }
    )
    assert list(named.ids["words"]) == ["river", "bank", "fish"]
    assert list(named.ids["members"]) == ["a", "b"]


def test_nothing_of_a_pair_is_none():
    links = Links.of({("members", "words"): COUNTS, ("members", "people"): COUNTS})
    assert links.between("words", "people") is None


def test_taking_members_leaves_the_others_whole():
    links = Links.of(
        {
            ("members", "words"): COUNTS,
            ("people", "members"): np.array([[1, 2]]),
            ("words", "people"): np.ones((3, 1)),
        }
    )
    part = links.take([1])
    assert len(part) == 1
    assert part.between("members", "words").counts.toarray().tolist() == [[0, 3, 0]]
    assert part.between("members", "people").counts.toarray().tolist() == [[2]]
    assert part.between("words", "people").shape == (3, 1)
    assert list(part.ids["members"]) == ["1"]


def test_another_population_in_the_middle():
    links = replace_target(Links.of({("members", "words"): COUNTS}), "words")
    assert len(links) == 3
    assert len(Links.of(links, "members")) == 2
    with pytest.raises(DataError, match="There is no population 'people' among members, words"):
        replace_target(links, "people")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            {("words", "words"): COUNTS[:, :2]},
            "cannot be tied to itself: 'words' to 'words'; give one side another name",
        ),
        (
            {("members", "words"): COUNTS, ("words", "people"): np.ones((4, 2))},
            "'words' has 3 ids in one table and 4 in another",
        ),
        (
            {
                ("members", "words"): table(COUNTS, "ab", "xyz"),
                ("members", "people"): table(COUNTS, "ac", "uvw"),
            },
            "'members' has 'b' at position 1 in one table and 'c' in another",
        ),
        (
            {("members", "words"): [[1, np.nan], [0, 1]]},
            "members-words: .*NaN at row 0, column 'x1'",
        ),
        (
            {("members", "words"): [[1, 2], [np.inf, 1]]},
            "members-words: .*infinity at row 1, column 'x0'",
        ),
        (
            {("members", "words"): [[1, 2], [0, -1]]},
            "members-words: Counts must not be negative: row '1', column 'x1' holds -1",
        ),
        (
            {("members", "words"): sp.csr_array([[1, 2], [0, np.nan]])},
            "members-words: .*row '1', column 'x1' holds nan",
        ),
        (
            {("members", "words"): [["a", "b"], ["c", "d"]]},
            "members-words: .*numbers only, and the column 'x0' holds words",
        ),
        (
            {("members", "words"): ["one", "two"]},
            "members-words: A table has rows of numbers, and a list of texts was given",
        ),
        (
            {"members-words": COUNTS},
            "named by two populations, as .*'members', 'words'.*, and not by 'members-words'",
        ),
        ({"ab": COUNTS}, "named by two populations"),
        ({("members", "words", "people"): COUNTS}, "named by two populations"),
        ({("words", "people"): COUNTS}, "no population 'members' among words, people"),
        ({}, "no population 'members' among no links at all"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(data, sentence):
    with pytest.raises(DataError, match=sentence):
        Links.of(data)


def test_shapes_that_disagree_with_the_ids_are_refused():
    with pytest.raises(
        DataError, match="Counts are 2 x 3 where 3 row and 3 column names are given"
    ):
        table(COUNTS, "abc", "xyz")


def test_links_of_a_collection_are_laid_along_its_members():
    link = table([[1, 2], [3, 4]], ["c", "a"], ["u", "v"])
    links = linked(
        ["a", "b", "c"], {("members", "words"): link, ("people", "members"): link.transposed}
    )
    for found in (links.between("members", "words"), links.between("members", "people")):
        assert found.counts.toarray().tolist() == [[3, 4], [0, 0], [1, 2]]
    with pytest.raises(DataError, match="members-words: none of its rows is a member"):
        linked(["x", "y"], {("members", "words"): link})


def test_a_method_of_links_takes_a_collection():
    link = table(COUNTS, "ab", "xyz")
    whole = Collection(
        ["a", "b"], {"text": Text.of(["one", "two"])}, links={("members", "words"): link}
    )
    assert as_view(whole, (Links,), "MDC").populations == ("members", "words")
    counted = Collection(["a", "b"], {"text": Text.of(["one", "two"]), "terms": Table.of(COUNTS)})
    links = as_view(counted, (Links,), "MDC")
    assert links.populations == ("members", "terms")
    assert list(links.ids["members"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            ["a text", "another"],
            "MDC takes links or a table of counts, and was given texts; count their words first",
        ),
        (("a text", "another"), "was given texts"),
        (np.array(["a text", "another"]), "was given texts"),
        (pd.Series(["a text", "another"]), "was given texts"),
        ("a text", "was given texts"),
        (Text.of(["a text"]), "was given texts"),
        (Ragged.of([np.zeros((3, 1))]), "was given sequences"),
        (Collection(["a"], {"text": Text.of(["one"])}), "was given texts"),
        (
            Collection(["a"], {"t": Table.of([[-1.0]])}),
            "'collection' has no links, and its table 't' does not do: .*negative",
        ),
        ([[1, "a"]], "MDC: A table of counts holds numbers only"),
    ],
)
def test_what_holds_no_counts_is_named(data, sentence):
    with pytest.raises(DataError, match=sentence) as caught:
        as_view(data, (Links,), "MDC")
    assert str(caught.value).count("\n") == 0
