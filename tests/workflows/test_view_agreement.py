"""How views agree on groups: shares, those put into different groups, the same view twice, and texts side by side."""

from __future__ import annotations

import numpy as np

from coterie import Table, Text
from coterie.workflows.view_agreement import agreement, disagreement, same_views, texts_of
from coterie.workflows.view_space import SeenViews

LABELS = np.array([0, 0, 1, 1, -1])
ALONE = {
    "en": np.array([0, 0, 1, 1, 0]),
    "de": np.array([0, 1, 1, 1, 1]),
    "fr": np.array([0, 0, 1, 1, 0]),
}


def test_every_view_with_its_share() -> None:
    same, by_chance, own = agreement(ALONE, LABELS, 2)
    assert (same, by_chance) == (0.75, 0.25)
    assert own == (1.0, 0.75, 1.0)
    two = {"en": ALONE["en"], "fr": ALONE["fr"]}
    assert agreement(two, LABELS, 2) == (1.0, 0.5, (1.0, 1.0))
    assert agreement({}, LABELS, 1)[2] == ()


def test_who_is_put_into_different_groups() -> None:
    split = disagreement(ALONE, LABELS, list("abcde"), ["tea", "cars"])
    assert split.notes == (
        "1 member is put into different groups by the views, each by itself: b.",
    )
    assert split.cards["group by each view"] == ["", "en: tea; de: cars; fr: tea", "", "", ""]
    assert disagreement({"en": ALONE["en"]}, LABELS, list("abcde"), ["tea", "cars"]).notes == ()


def test_the_same_view_twice_is_said_once() -> None:
    text = Text.of(["x", "y", "z"])
    rows = Table.of(np.arange(6.0).reshape(3, 2))
    (said,) = same_views(SeenViews({"en": text, "de": Text.of(["x", "y", "c"]), "fr": text}))
    assert said.startswith("The views 'en' and 'de' hold the same for 67% of the members")
    assert len(same_views(SeenViews({"a": rows, "b": rows}))) == 1
    assert same_views(SeenViews({"en": text, "de": Text.of(["a", "b", "c"]), "rows": rows})) == []


def test_texts_of_further_views_are_shown() -> None:
    seen = SeenViews(
        {"en": Text.of(["tea"]), "de": Text.of(["Tee \n heiss"]), "rows": Table.of([[1.0]])}
    )
    assert texts_of(seen) == {"in de": ["Tee heiss"]}
