"""Key terms of groups of texts: phrases, inflections, pieces of words, languages, and independence of the order."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Text
from coterie.represent.terms import Terms
from coterie.workflows import key_terms
from coterie.workflows.key_terms import CountedWords, diverse_terms

POLITICS = ("the prime minister", "elections", "an election", "his party", "votes", "a government")
MONEY = (
    "the company",
    "other companies",
    "it owes 5bn",
    "its shares",
    "a market",
    "the 7bn",
    "oil",
)
FILM = ("films", "a film", "an award", "two awards", "the actor", "at the box office", "a star")
COMMON = ("day", "year", "town", "people", "time", "house", "street", "week", "country", "world")


def _texts(each: int = 12) -> tuple[list[str], np.ndarray]:
    """Texts of three topics: most of the pieces of one, and a few that all have, in any order."""
    generator = np.random.default_rng(0)
    texts = []
    for own in (POLITICS, MONEY, FILM):
        for _ in range(each):
            pieces = [*generator.choice(own, 4, False), *generator.choice(COMMON, 3, False)]
            texts.append(" and ".join(generator.permutation(pieces).tolist()) + " in the end")
    return texts, np.repeat([0, 1, 2], each)


def _told(texts: list[str], labels: np.ndarray, n_groups: int) -> list[list[str]]:
    words = CountedWords.of(Text.of(texts))
    return [[term for term, _ in own] for own in diverse_terms(words, labels, n_groups)]


def test_phrases_and_inflections_are_one_term_and_pieces_none() -> None:
    told = _told(*_texts(), 3)
    politics, money, film = told
    assert "prime minister" in politics
    assert not {"prime", "minister"} & set(politics)
    assert len({"election", "elections"} & set(politics)) == 1
    assert "box office" in film
    assert len({"award", "awards"} & set(film)) == 1
    assert len({"company", "companies"} & set(money)) == 1
    assert not any("bn" in term.split(" ") for terms in told for term in terms)
    listed = {"the", "of", "that", "was"}
    words = [word for terms in told for term in terms for word in term.split(" ")]
    assert not listed & set(words)
    assert len(words) == len(set(words))


def test_terms_do_not_depend_on_the_order_of_texts() -> None:
    texts, labels = _texts()
    order = np.random.default_rng(0).permutation(len(texts))
    again = _told([texts[at] for at in order], labels[order], 3)
    assert again == _told(texts, labels, 3)


def test_only_a_sample_of_many_is_read_in_order_and_the_rest_is_counted(monkeypatch) -> None:
    texts, labels = _texts(24)
    whole = _told(texts, labels, 3)
    monkeypatch.setattr(key_terms, "READ", 60)
    words = CountedWords.of(Text.of(texts))
    assert words.held is None
    read, order = words.in_order
    assert len(read) == len(order) == 60
    some = [[term for term, _ in own] for own in diverse_terms(words, labels, 3)]
    assert some == whole


def test_a_part_of_the_texts_has_its_own_terms() -> None:
    texts, labels = _texts()
    words = CountedWords.of(Text.of(texts))
    rows = np.flatnonzero(labels < 2)
    found = diverse_terms(words.take(rows), labels[rows], 2)
    alone = diverse_terms(CountedWords.of(Text.of([texts[at] for at in rows])), labels[rows], 2)
    assert found == alone


def test_function_words_of_the_language_of_a_group_are_no_terms() -> None:
    german = ["der minister hat die wahl in der stadt verloren und die partei ist nicht froh"] * 6
    english = ["the minister has lost the vote in the town and the party is not glad of it"] * 6
    told = _told(german + english, np.repeat([0, 1], 6), 2)
    assert not {"der", "die", "und", "hat", "ist", "nicht"} & set(told[0])
    assert {"wahl", "stadt", "partei"} & set(told[0])


def test_text_without_spaces_makes_no_phrases() -> None:
    one = ["\u6771\u4eac \u5927\u962a \u5929\u6c17"] * 6
    other = ["\u6620\u753b \u97f3\u697d \u6f2b\u753b"] * 6
    told = _told(one + other, np.repeat([0, 1], 6), 2)
    assert all(told)
    assert not any(" " in term for terms in told for term in terms)


def test_members_in_no_group_and_groups_without_words() -> None:
    texts, labels = _texts()
    labels = labels.copy()
    labels[:2] = -1
    told = _told(texts, labels, 4)
    assert told[3] == []
    assert all(told[:3])


@pytest.mark.parametrize("min_df", [1, 2])
def test_terms_in_order_are_those_that_are_counted(min_df: int) -> None:
    texts, _ = _texts()
    plain = Terms(min_df=min_df, weights="tf")
    counts = plain.fit_transform(Text.of(texts))
    ordered = Terms(min_df=min_df, weights="tf")
    again, order = ordered.fit_in_order(Text.of(texts))
    assert list(plain.terms_) == list(ordered.terms_)
    assert (counts != again).nnz == 0
    assert (order.counts() != again).nnz == 0
    assert ordered.unknown_share_ == plain.unknown_share_
