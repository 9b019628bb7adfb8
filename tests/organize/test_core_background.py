"""Backgrounds: counts of other members, mappings of counts and of shares, several populations, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.organize import Core, background_of
from coterie.organize.background import general_of, generals_of

IDS = ["tea", "coffee", "milk"]


def table(counts) -> Cooccurrence:
    return Cooccurrence(np.array(counts), [str(i) for i in range(len(counts))], IDS)


def test_counts_of_other_members_in_tokens_or_in_members() -> None:
    links = Links.of(
        {("members", "words"): table([[2, 0, 1], [3, 0, 0]]), ("words", "other"): np.ones((3, 2))}
    )
    assert background_of(links) == {"words": {"tea": 2.0, "coffee": 0.0, "milk": 1.0}}
    assert background_of(links, binary=False) == {"words": {"tea": 5.0, "coffee": 0.0, "milk": 1.0}}


@pytest.mark.parametrize("binary", [True, False])
def test_links_are_a_background_by_themselves(binary: bool) -> None:
    links = Links.of({("members", "words"): table([[2, 0, 1], [3, 0, 0]])})
    want = background_of(links, binary)["words"]
    for given in (links, table([[2, 0, 1], [3, 0, 0]]), background_of(links, binary)):
        assert general_of(given, "words", IDS, binary).counts.tolist() == [
            want[name] for name in IDS
        ]


def test_a_mapping_is_found_by_name_and_says_what_it_knows() -> None:
    found = general_of({"milk": 7, "tea": 1, "sugar": 9}, "words", IDS, True)
    assert found.counts.tolist() == [1.0, 0.0, 7.0]
    assert found.sentence == "the counts given, which know 2 of the 3 words"


def test_shares_are_brought_to_counts_so_that_half_a_count_is_little() -> None:
    found = general_of({"milk": 0.2, "tea": 0.1}, "words", IDS, True)
    assert found.counts.tolist() == pytest.approx([1e5, 0.0, 2e5])


def test_populations_without_a_background_are_taken_as_even() -> None:
    found = general_of({"words": {"tea": 3}}, "people", ["ann", "bo"], True)
    assert found.counts.tolist() == [1.0, 1.0]
    assert general_of({"words": {"tea": 3}}, "words", IDS, True).counts.tolist() == [3.0, 0.0, 0.0]


def test_the_bundled_list_is_used_where_it_knows_the_words_and_else_says_so() -> None:
    known = general_of("bundled", "words", IDS, True)
    assert known.counts.min() > 0
    assert not known.caution
    strange = general_of("bundled", "words", [f"x{j}" for j in range(50)], True)
    assert strange.counts.tolist() == [1.0] * 50
    assert "know 0 of the 50 words" in strange.caution
    assert general_of("uniform", "words", IDS, True).counts.tolist() == [1.0] * 3


def test_what_is_no_background_is_refused() -> None:
    with pytest.raises(DataError, match="knows none of the 3 words"):
        general_of({"sugar": 3}, "words", IDS, True)
    with pytest.raises(DataError, match="'tea' must be a number from 0, and were -1"):
        general_of({"tea": -1}, "words", IDS, True)
    with pytest.raises(DataError, match="gives 'many' for 'tea'"):
        general_of({"tea": "many"}, "words", IDS, True)
    with pytest.raises(ParameterError, match=r"background must be .* and was an int"):
        general_of(3, "words", IDS, True)


@pytest.mark.parametrize(
    "given",
    [{"tea": 3, "milk": 1}, Links.of({("members", "words"): table([[1, 0, 1]] * 3)})],
    ids=["mapping", "links"],
)
def test_a_list_of_words_need_not_know_the_people(given) -> None:
    notes = list[str]()
    found = generals_of(given, {"words": IDS, "people": ["ann", "bo"]}, True, notes)
    assert found["words"].counts.tolist() == [3.0, 0.0, 3.0 if isinstance(given, Links) else 1.0]
    assert found["people"].counts.tolist() == [1.0, 1.0]
    assert found["people"].sentence == "nothing known of people, every one as frequent as any other"
    flat = ["The background knows none of the 2 people; each was taken as frequent as any other."]
    assert notes == ([] if isinstance(given, Links) else flat)
    with pytest.raises(DataError, match="knows none of the 3 words"):
        generals_of({"sugar": 3}, {"words": IDS, "people": ["ann", "bo"]}, True, [])


def test_other_links_of_one_population_are_taken_whatever_it_is_called() -> None:
    found = generals_of(
        Links.of({("members", "terms"): table([[1, 0, 1]])}), {"words": IDS}, True, []
    )
    assert found["words"].counts.tolist() == [1.0, 0.0, 1.0]


def test_a_core_notes_what_the_list_does_not_know() -> None:
    rng = np.random.default_rng(0)
    links = Links.of(
        {
            ("members", "words"): table(rng.integers(0, 2, (12, 3))),
            ("members", "people"): np.ones((12, 2)),
        }
    )
    found = Core(size=4, background={"tea": 3, "milk": 1}).fit(links)
    assert found.background_.endswith(
        "which know 2 of the 3 words; nothing known of people, every one as frequent as any other."
    )
    assert any(
        note.startswith("The background knows none of the 2 people") for note in found.notes_
    )
