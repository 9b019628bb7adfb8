"""How views agree on groups: shares, those put into different groups, the same view twice, and texts side by side."""

from __future__ import annotations

import numpy as np

from coterie import Table, Text
from coterie.walks.view_agreement import agreement, disagreement, listed, same_views, texts_of
from coterie.walks.view_space import SeenViews

LABELS = np.array([0, 0, 1, 1, -1])
ALONE = {
    "en": np.array([0, 0, 1, 1, 0]),
    "de": np.array([0, 1, 1, 1, 1]),
    "fr": np.array([0, 0, 1, 1, 0]),
}


def test_every_view_with_its_share() -> None:
    (said,) = agreement(ALONE, LABELS, 2)
    assert said.startswith(
        "All 3 views by themselves put 75% of the members into the same group (by chance 25%)"
    )
    assert said.endswith(
        "; alone each agrees with the groups: en for 100%, de for 75% and fr for 100% of them."
    )
    (same,) = agreement({"en": ALONE["en"], "fr": ALONE["fr"]}, LABELS, 2)
    assert (
        same
        == "Both views by themselves put 100% of the members into the same group (by chance 50%)."
    )
    assert agreement({}, LABELS, 1) == []


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
    assert listed(["en"]) == "en"
    assert listed(["en", "de", "fr"]) == "en, de and fr"
