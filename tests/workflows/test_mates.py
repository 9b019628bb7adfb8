"""Mates across views: found for members, texts and those that one view lacks; measured against chance; refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Table, Text
from coterie.collect.samples import sample
from coterie.core.errors import DataError, ParameterError
from coterie.workflows.mate_choices import MateChoices
from coterie.workflows.mates import MateFinder, measured
from coterie.workflows.mates_found import tau_chosen


def pages(n: int = 80, seed: int = 0) -> dict[str, Collection]:
    """Pages of a few words out of forty, and the same words in another language."""
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(40, 6, replace=False) for _ in range(n)]
    ids = [f"page{i}" for i in range(n)]
    names = [chr(97 + w // 6) + chr(97 + w % 6) for w in range(40)]
    texts = {
        mark: Text.of([" ".join(f"{mark}{names[w]}" for w in row) for row in chosen])
        for mark in ("en", "de")
    }
    return {mark: Collection(ids, {"text": text}, name=mark) for mark, text in texts.items()}


def test_held_out_mates_are_found_far_above_chance() -> None:
    found = measured(pages(), 0.4)
    assert set(found.ranks) == {("en", "de"), ("de", "en")}
    assert found.trained == 48
    assert found.candidates == 32
    assert found.chance == pytest.approx(np.mean(1 / np.arange(1, 33)))
    assert found.average_precision > 0.8 > 4 * found.chance
    assert found.sentence().startswith(
        "Learned from 48 pairs, mates among 32 others are found with an average precision of "
    )
    assert found.record()["ways"][0]["from"] == "en"
    assert [row[:2] for row in found.rows()] == [["en", "de"], ["de", "en"]]


def test_shuffled_pairs_are_found_at_chance() -> None:
    parts = pages(120)
    order = np.random.default_rng(1).permutation(120)
    wrong = Collection(parts["de"].ids, {"text": parts["de"].view().take(order)}, name="de")
    found = measured({"en": parts["en"], "de": wrong}, 0.5)
    assert found.average_precision < 3 * found.chance


def test_a_member_that_a_view_lacks_finds_its_mate_under_another_name() -> None:
    parts = pages()
    german = parts["de"]
    renamed = Collection([*german.ids[:-1], "seite"], {"text": german.view()}, name="de")
    finder = MateFinder.over({"en": parts["en"], "de": renamed})
    assert finder.alone("en", "de") == ["page79"]
    assert finder.alone("de", "en") == ["seite"]
    assert len(finder.pairs) == 79
    found = finder.member("page79", "en", "de", most=3)
    assert [mate.rank for mate in found.mates] == [1, 2, 3]
    assert found.mates[0].id == "seite"
    assert found.own != found.own
    itself = finder.member("page3", "en", "de")
    assert itself.mates[0].itself
    assert itself.own == 1.0
    assert itself.learned
    assert itself.record()["own_rank"] == 1.0


def test_a_text_is_asked_in_the_words_of_one_view() -> None:
    finder = MateFinder.over(pages())
    asked = str(finder.parts["de"].view()[7])  # type: ignore[index]
    assert finder.spoken_in(asked) == "de"
    assert finder.find(asked, "de", "en", 1).mates[0].id == "page7"
    with pytest.raises(DataError, match="No word of the query is known in 'en'"):
        finder.find(asked, "en", "de")
    with pytest.raises(DataError, match="known in any of en, de"):
        finder.spoken_in("zzz")


def test_a_member_without_a_known_word_is_last_and_named() -> None:
    parts = pages()
    texts = [*parts["en"].view(), "zzz"]  # type: ignore[misc]
    more = Collection([*parts["en"].ids, "odd"], {"text": Text.of(texts)}, name="en")
    finder = MateFinder.over({"en": more, "de": parts["de"]})
    with pytest.raises(DataError, match="'odd' holds nothing in 'en' that the pairs hold"):
        finder.member("odd", "en", "de")
    back = finder.member("page0", "de", "en", most=81)
    assert "odd" not in [mate.id for mate in back.mates]


def test_tables_and_three_views() -> None:
    rng = np.random.default_rng(2)
    hidden = rng.normal(size=(100, 4))
    views = {
        name: Table.of(hidden @ rng.normal(size=(4, 10)) + 0.1 * rng.normal(size=(100, 10)))
        for name in "abc"
    }
    parts = {
        name: Collection([str(i) for i in range(100)], {"columns": view})
        for name, view in views.items()
    }
    found = measured(parts, 0.3, MateChoices(tune=True))
    assert len(found.ranks) == 6
    assert found.average_precision > 0.7
    assert found.tau in (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    with pytest.raises(DataError, match="A query is a text, and 'a' holds none"):
        MateFinder.over(parts).find("x", "a", "b")


def test_what_cannot_be_is_one_sentence() -> None:
    parts = pages()
    with pytest.raises(DataError, match="at least two views, and there is en"):
        MateFinder.over({"en": parts["en"]})
    few = {name: part.take(range(5)) for name, part in parts.items()}
    with pytest.raises(
        DataError, match="5 members are in all of en, de, and at least 8 are needed"
    ):
        MateFinder.over(few)
    with pytest.raises(ParameterError, match="share between 0 and 1"):
        measured(parts, 1.5)
    with pytest.raises(DataError, match="Of 80 pairs 78 would be held out and 2 learned from"):
        measured(parts, 0.97)
    finder = MateFinder.over(parts)
    with pytest.raises(ParameterError, match="both are 'en'"):
        finder.member("page1", "en", "en")
    with pytest.raises(DataError, match="no view 'fr'; there are en, de"):
        finder.member("page1", "en", "fr")
    with pytest.raises(DataError, match="no member 'page'"):
        finder.member("page", "en", "de")
    with pytest.raises(ParameterError, match="measure must be"):
        MateFinder.over(parts, MateChoices(measure="dot"))


def test_letters_of_a_group_are_nearer_than_others() -> None:
    letters = sample("letters_in_two_languages", 90)
    parts = {name: Collection(letters.ids, {"text": view}) for name, view in letters.views.items()}
    found = MateFinder.over(parts).member(letters.ids[0], "north", "south", most=6)
    place = {member: at for at, member in enumerate(letters.ids)}
    groups = letters.truth["group"][[place[mate.id] for mate in found.mates]]
    assert (groups == letters.truth["group"][0]).mean() > 0.8


def test_those_that_are_alone_and_choose_each_other_are_marked() -> None:
    parts = pages()
    german = parts["de"]
    renamed = Collection([*german.ids[:-2], "seite", "blatt"], {"text": german.view()}, name="de")
    odd = Collection(
        [*parts["en"].ids, "odd"], {"text": Text.of([*parts["en"].view(), "zzz"])}, name="en"
    )  # type: ignore[misc]
    finder = MateFinder.over({"en": odd, "de": renamed})
    found, lost = finder.lonely("en", "de")
    assert [(one.asked, one.mates[0].id, one.mates[0].mutual) for one in found] == [
        ("page78", "seite", True),
        ("page79", "blatt", True),
    ]
    assert lost == 1  # odd holds nothing that the pairs hold
    pair, none = finder.lonely("de", "en")
    assert all(one.mates[0].alone for one in pair)
    assert none == 0
    assert pair[0].record()["mates"][0]["mutual"]


def test_the_tau_that_was_chosen_is_said() -> None:
    found = measured(pages(), 0.4, MateChoices(tune=True))
    assert found.sentences()[1].startswith(
        f"Tau was chosen from 0.03 to 10 by pairs held out: {found.tau:g}"
    )
    assert (
        tau_chosen(10.0)
        == "Tau was chosen from 0.03 to 10 by pairs held out: 10, at the edge; try tau 30."
    )
    assert len(measured(pages(), 0.4).sentences()) == 1
    with pytest.raises(ParameterError, match="say one of the two"):
        MateChoices(tune=True, tau=5.0).check_params()


def test_a_view_without_words_is_named() -> None:
    parts = pages()
    empty = Collection(parts["en"].ids, {"text": Text.of(["the of"] * 80)}, name="en")
    with pytest.raises(DataError, match="The view 'en' cannot be used: "):
        MateFinder.over({"en": empty, "de": parts["de"]})
