"""What estimators of categories share: sentences on odd categories, and labels that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.organize import Categories, Categorize, TwoTask
from coterie.organize.labeler import listed, odd_categories


def test_categories_of_nobody_and_of_everyone_are_said():
    said = Categories.of([["a", "b"], ["a"]], names=("a", "b", "c"))
    assert odd_categories(said, "member") == [
        "No member is in c: not learned, and never given.",
        "Every member is in a: not learned, and always given.",
    ]
    assert odd_categories(Categories.of(["x", "y"]), "member") == []


def test_eight_names_are_enough():
    marks = np.arange(12) > 1
    assert listed("abcdefghijkl", marks) == "c, d, e, f, g, h, i, j and 2 more"


@pytest.mark.parametrize("model", [Categorize(), TwoTask()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "requires y to be passed"),
        (["a"], "there are 3 members and 1 labels"),
        (["a", "a", None], "all labeled members have one label"),
        ([["a"], None, None], "needs at least 2 labeled members, and 1 of 3 has a label"),
    ],
    ids=["none", "few", "one class", "one member"],
)
def test_labels_that_cannot_be(model, y, sentence):
    with pytest.raises(DataError, match=sentence):
        model.fit(np.eye(3), y)
