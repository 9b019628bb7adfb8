"""Labels given to the rest of a collection: what is found, how well by members held back, how sure, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Table
from coterie.collect import texts
from coterie.core.errors import DataError, ParameterError
from coterie.judge import decisions
from coterie.organize import Categories
from coterie.workflows.categorizing import categorized
from coterie.workflows.given_labels import joined_labels, useful_folds
from coterie.workflows.text_features import chosen
from coterie.workflows.validated import clearness, margins, measured, sureness
from tests.letters import letters as made_letters

IDS = [f"letter {at}" for at in range(90)]


@pytest.fixture(scope="module")
def letters() -> Collection:
    """90 texts, of which every third is about tea."""
    return texts(made_letters(90, 0), IDS, name="letters")


def told(n: int) -> dict[str, str]:
    return {IDS[at]: "tea" if at % 3 == 0 else "other" for at in range(n)}


def right(found) -> float:
    return float(
        np.mean(
            [found.labels[at] == (("tea",) if at % 3 == 0 else ("other",)) for at in found.found]
        )
    )


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
    assert (
        found.sentences[0]
        == "60 of 90 members of 'letters' got labels, learned from the 30 that were labeled."
    )
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


@pytest.mark.parametrize("kind", [int, float, np.int64, bool])
def test_labels_may_be_numbers_and_ids_whatever_they_were(letters, kind):
    numbered = texts(made_letters(90, 0))
    found = categorized(numbered, {at: kind(at % 3 == 0) for at in range(30)}, features="tfidf")
    assert found.measures.values[0].name == "accuracy"
    assert {labels[0] for labels in found.labels} == {str(kind(0)), str(kind(1))}
    assert np.mean([found.labels[at] == (str(kind(at % 3 == 0)),) for at in found.found]) > 0.9
    several = categorized(
        letters, {IDS[at]: [1, 7] if at % 3 == 0 else 7 for at in range(40)}, features="tfidf"
    )
    assert several.labels[42] == ("1", "7")


def test_rows_of_a_table_are_categorized_by_their_columns():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    rows = rng.normal(size=(60, 3)) + 4 * truth[:, None]
    table = Collection(ids=[str(i) for i in range(60)], views={"rows": Table.of(rows)}, name="rows")
    found = categorized(table, {str(i): "high" if truth[i] else "low" for i in range(20)})
    assert (
        np.mean([found.labels[i] == (("high",) if truth[i] else ("low",)) for i in range(20, 60)])
        > 0.9
    )
    with pytest.raises(ParameterError, match="representation of texts"):
        categorized(table, {"0": "high"} | {str(i): "low" for i in range(1, 5)}, features="lsa")


def test_all_labeled_is_a_measure_only(letters):
    found = categorized(letters, told(90), features="tfidf")
    assert len(found) == 0
    assert found.sentences[0].startswith("All 90 members of 'letters' are labeled already")


def test_what_cannot_be_is_one_sentence(letters):
    with pytest.raises(
        DataError,
        match="None of the 4 ids in the labels is a member: they are such as 'x0', and members of 'letters'",
    ):
        categorized(letters, {f"x{at}": "ab"[at % 2] for at in range(4)})
    with pytest.raises(DataError, match="All 20 members that are labeled have the label 'tea'"):
        categorized(letters, dict.fromkeys(IDS[:20], "tea"))
    with pytest.raises(DataError, match="20 of 20 labels in the labels differ from each other"):
        categorized(letters, {member: member for member in IDS[:20]})
    with pytest.raises(
        ParameterError, match="Naive Bayes takes counts, and the directions of lsa go below 0"
    ):
        categorized(letters, told(20), features="lsa", classifier="bayes")
    with pytest.raises(DataError, match="Only 3 members are labeled"):
        categorized(letters, told(3))
    with pytest.raises(DataError, match="labeled twice, as a number and as a word"):
        categorized(texts(made_letters(30, 0)), dict.fromkeys(range(9), "tea") | {"3": "other"})
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
    judged = decisions(decided, given.indicator)
    assert (macro.value, accuracy.value) == (judged.macro_f1, judged.micro_recall)
    several = measured(
        Categories.of([["a", "b"], ["b"], []]), np.array([[1, 0], [1, 1], [0, 0]], dtype=bool)
    )
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
    given = Categories.of(["a", "b"] * 20)
    rng = np.random.default_rng(0)
    held = 0
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
    sure = sureness(hit, clear)
    low, high = sure.of(np.array([0.1, 3.0]))
    assert 0.4 < low < 0.75
    assert high > 0.85
    assert sure.of(clear).mean() == pytest.approx(
        hit.mean(), abs=1e-4
    )  # what is said of each agrees with what was measured of all
    assert sureness(np.ones(200, dtype=bool), clear).of(clear)[0] == pytest.approx(201 / 202)
    backwards = sureness(rng.random(200) < np.exp(-clear), clear)
    assert np.ptp(backwards.of(clear)) == 0
    assert margins(np.array([[1.0, -2.0]]), np.array([[0.5, 0.0]]), single=False)[0] == 0.5
    assert clearness(np.array([[1.0, 4.0]]), np.zeros((1, 2)), True, 2.0)[0] == 1.5


@pytest.mark.parametrize("seed", [1, 6])
def test_what_is_claimed_agrees_with_what_was_measured(seed):
    """Cross-validation may choose another C in every part, and scores are then of another size: that must not count."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(8, size=500)
    means = rng.normal(size=(8, 10))
    rows = rng.normal(size=(500, 10)) + means[truth]
    table = Collection(
        ids=[str(i) for i in range(500)], views={"rows": Table.of(rows)}, name="rows"
    )
    found = categorized(table, {str(i): str(truth[i]) for i in range(80)})
    claimed = found.confidence[found.found].mean()
    assert abs(claimed - found.measures.values[0].value) < 0.06
    assert f"an estimated chance of {claimed:.0%} on average" in found.sentences[-1]
    assert len(found.doubtful) == 42  # the tenth with the least chance
    rest = np.setdiff1d(found.found, found.doubtful)
    assert found.confidence[found.doubtful].max() <= found.confidence[rest].min()
    assert right_share(found, found.doubtful, truth) < right_share(found, rest, truth) - 0.2


def right_share(found, members, truth) -> float:
    return float(np.mean([found.labels[at] == (str(truth[at]),) for at in members]))


def test_strangers_are_left_out_with_a_count(letters):
    found = categorized(letters, told(20) | {"nobody": "tea", "no one": "tea"}, features="tfidf")
    assert len(found) == 70
    assert any(
        note.startswith(
            "2 of 22 ids in the labels are no members and were left out, such as 'nobody'"
        )
        for note in found.notes
    )


def test_labels_that_hold_several_are_noted():
    assert joined_labels(["a|b", "a", "c"]) == [
        "1 label looks like several in one, such as 'a|b'; separator '|' parts them."
    ]
    assert joined_labels(["a;b", "c;d", "a", "d"])[0].startswith(
        "2 labels look like several in one"
    )
    assert joined_labels(["rock, paper", "scissors"]) == []
    assert joined_labels([["a;b"], ["a"]]) == []


def test_no_more_folds_than_are_of_use():
    assert useful_folds(5, 40) == (5, [])
    assert useful_folds(30, 8) == (
        8,
        [
            "The labeled members were held back in 8 parts and not in 30: there are no more labeled members."
        ],
    )
    assert useful_folds(300, 80)[0] == 20
