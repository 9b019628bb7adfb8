"""Labels given to the rest of a collection: what is found, how well by members held back, how sure, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.collect import texts
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.table import Table
from coterie.organize.labels_of import Categories
from coterie.walks.categorizing import categorized
from coterie.walks.text_features import chosen
from coterie.walks.validated import margins, measured, sureness
from tests.letters import letters as made_letters

IDS = [f"letter {at}" for at in range(90)]


@pytest.fixture(scope="module")
def letters() -> Collection:
    """90 texts, of which every third is about tea."""
    return texts(made_letters(90, 0), IDS, name="letters")


def told(n: int) -> dict[str, str]:
    return {IDS[at]: "tea" if at % 3 == 0 else "other" for at in range(n)}


def right(found) -> float:
    return float(np.mean([found.labels[at] == (("tea",) if at % 3 == 0 else ("other",)) for at in found.found]))


@pytest.mark.parametrize("features", ["tfidf", "lsa"])
def test_the_rest_is_labeled_and_measured(letters, features):
    found = categorized(letters, told(30), features=features)
    assert len(found) == 60
    assert right(found) > 0.9
    assert found.labels[0] == ("tea",)
    assert found.confidence[:30].tolist() == [1.0] * 30
    first = found.measures.values[0]
    assert first.name == "accuracy"
    assert first.low <= first.value <= first.high
    assert found.sentences[0] == "60 of 90 members of 'letters' got labels, learned from the 30 that were labeled."
    assert [row["given"] for row in found.rows()] == [1] * 30 + [0] * 60


def test_labels_that_mean_nothing_are_measured_as_nothing(letters):
    """Features are learned from all texts, and still nothing leaks from a held-back label into its own measure."""
    rng = np.random.default_rng(1)
    lies = {IDS[at]: str(rng.choice(["yes", "no"])) for at in range(60)}
    found = categorized(letters, lies, features="tfidf")
    assert found.measures.values[0].value < 0.7


def test_a_wrong_label_is_pointed_at(letters):
    labels = told(60)
    labels[IDS[30]] = "other"  # it is about tea
    found = categorized(letters, labels, features="tfidf")
    assert (30, ("tea",)) in found.odd


def test_several_labels_each(letters):
    labels = {IDS[at]: ["tea", "early"] if at % 3 == 0 else ["early"] for at in range(40)}
    found = categorized(letters, labels, features="tfidf")
    assert found.measures.values[0].name == "micro-F1"
    assert found.labels[42] == ("early", "tea")
    assert "Every labeled member is in early: not learned, and always given." in found.notes


def test_rows_of_a_table_are_categorized_by_their_columns():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    rows = rng.normal(size=(60, 3)) + 4 * truth[:, None]
    table = Collection(ids=[str(i) for i in range(60)], views={"rows": Table.of(rows)}, name="rows")
    found = categorized(table, {str(i): "high" if truth[i] else "low" for i in range(20)})
    assert np.mean([found.labels[i] == (("high",) if truth[i] else ("low",)) for i in range(20, 60)]) > 0.9
    with pytest.raises(ParameterError, match="representation of texts"):
        categorized(table, {"0": "high"} | {str(i): "low" for i in range(1, 5)}, features="lsa")


def test_all_labeled_is_a_measure_only(letters):
    found = categorized(letters, told(90), features="tfidf")
    assert len(found) == 0
    assert found.sentences[0].startswith("All 90 members of 'letters' are labeled already")


def test_what_cannot_be_is_one_sentence(letters):
    with pytest.raises(DataError, match="who is not a member"):
        categorized(letters, told(20) | {"nobody": "tea"})
    with pytest.raises(DataError, match="Only 3 members are labeled"):
        categorized(letters, told(3))
    with pytest.raises(DataError, match="No member is labeled"):
        categorized(letters, {})
    with pytest.raises(ParameterError, match="features must be one of"):
        categorized(letters, told(20), features="magic")


def test_auto_takes_what_suits():
    assert chosen("auto", "text", 0.05, "svm") == "lsa"
    assert chosen("auto", "text", 0.5, "svm") == "tfidf"
    assert chosen("auto", "text", 0.05, "bayes") == "counts"
    assert chosen("auto", "table", 0.05, "svm") == "columns"


def test_measures_by_hand():
    given = Categories.of(["a", "a", "b", "b"])
    decided = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], dtype=bool)
    found = measured(given, decided)
    accuracy, macro = found.values
    assert accuracy.value == 0.75
    assert macro.value == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert found.categories[0] == ("a", 2, 1.0, 0.5, pytest.approx(2 / 3))
    assert found.most_frequent == 0.5
    several = measured(Categories.of([["a", "b"], ["b"], []]), np.array([[1, 0], [1, 1], [0, 0]], dtype=bool))
    assert several.values[0].value == pytest.approx(2 * 2 / (3 + 3))
    nobody = measured(Categories.of([["a"], ["b"]]), np.zeros((2, 2), dtype=bool))
    assert nobody.record()["categories"][0]["precision"] is None


def test_all_right_is_not_certain():
    given = Categories.of(["a", "b"] * 10)
    for value in measured(given, given.indicator).values:
        assert value.value == value.high == 1.0
        assert 0.75 < value.low < 0.97
    many = Categories.of(["a", "b"] * 1000)
    assert measured(many, many.indicator).values[0].low > 0.99


def test_intervals_hold_what_they_promise():
    """Decisions right with chance 0.7: the interval of 40 of them holds 0.7 about 95 times of 100, and not always."""
    given, rng, held = Categories.of(["a", "b"] * 20), np.random.default_rng(0), 0
    for _ in range(60):
        right = rng.random(40) < 0.7
        decided = np.where(right[:, None], given.indicator, ~given.indicator)
        accuracy = measured(given, decided).values[0]
        assert accuracy.low <= accuracy.value <= accuracy.high
        held += accuracy.low <= 0.7 <= accuracy.high
    assert 52 <= held <= 60


def test_the_clearer_the_surer():
    rng = np.random.default_rng(0)
    clear = rng.exponential(size=200)
    hit = rng.random(200) < 1 - 0.5 * np.exp(-clear)
    scores = np.stack([np.zeros(200), clear], axis=1)
    decided = np.tile([False, True], (200, 1))
    sure = sureness(decided, scores, np.zeros((200, 2)), np.stack([~hit, hit], axis=1), single=True)
    found = sure.of(np.array([[0.0, 0.1], [0.0, 3.0]]), np.zeros((2, 2)))
    assert 0.4 < found[0] < 0.75
    assert found[1] > 0.85
    flat = sureness(decided, scores, np.zeros((200, 2)), decided, single=True)
    assert flat.of(scores, np.zeros((200, 2)))[0] == pytest.approx(201 / 202)
    assert margins(np.array([[1.0, -2.0]]), np.array([[0.5, 0.0]]), single=False)[0] == 0.5
