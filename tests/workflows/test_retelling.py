"""What tells changed groups apart, and what a part of one may be called."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from coterie import Collection, Table, Text
from coterie.workflows.retelling import Retelling

TOPICS = {"tea": "cup leaf brew", "sea": "wave ship tide", "law": "court judge bench"}


def texts() -> Collection:
    said = [f"{words} {'even' if i % 2 else 'odd'}" for words in TOPICS.values() for i in range(8)]
    return Collection([f"{i}" for i in range(24)], {"text": Text(said)}, name="notes")


def words_of(rows: Iterable[tuple[str, float]]) -> set[str]:
    """The single words of key terms, phrases taken apart."""
    return {word for term, _ in rows for word in term.split(" ")}


def test_words_are_those_of_the_groups_as_they_are_now() -> None:
    words = Retelling.of(texts())
    labels = np.repeat([0, 1, 2], 8)
    before = words.telling(labels, 3)
    assert words_of(before[1]["words"]) == {"wave", "ship", "tide"}
    labels[16:] = 1  # the law joins the sea
    now = words.telling(labels, 3)
    assert {"court", "judge", "bench"} <= words_of(now[1]["words"])
    assert "words" not in now[2]


def test_a_part_is_called_by_what_tells_it_from_the_rest_of_its_group() -> None:
    words = Retelling.of(texts())
    united = np.arange(16)
    for part, own in ((np.arange(8), "tea"), (np.arange(8, 16), "sea")):
        name = words.name(part, united, 7)
        assert set(name.replace(",", "").split()) >= set(TOPICS[own].split())


def test_a_table_is_told_by_its_columns_and_what_is_all_alike_by_nothing() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.repeat([0.0, 5.0], 10), rng.normal(size=20)])
    table = Collection(
        [f"{i}" for i in range(20)], {"table": Table(rows, ("height", "noise"))}, name="rows"
    )
    assert Retelling.of(table).name(np.arange(10, 20), np.arange(20), 4) == "height high"
    same = Collection(
        ["a", "b", "c", "d"], {"table": Table(np.ones((4, 1)), ("one",))}, name="same"
    )
    assert Retelling.of(same).name(np.arange(2), np.arange(4), 4) == ""


def test_of_several_views_each_has_its_words() -> None:
    one = texts()
    words = Text([f"wort{'xyz'[i // 8]} satz" for i in range(24)])
    both = Collection(one.ids, {"en": one.view("text"), "de": words}, name="both")
    told = Retelling.of(both, ("en", "de")).telling(np.repeat([0, 1, 2], 8), 3)
    assert set(told[0]) == {"words (en)", "words (de)"}
    assert told[2]["words (de)"][0][0].startswith("wort")
