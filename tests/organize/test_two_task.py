"""TwoTask without training: scores and decisions of arrays made by hand, forms of labels, and sentences for what cannot be."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from coterie import Table
from coterie.core.errors import DataError, MissingExtra, ParameterError
from coterie.organize import Categories, TwoTask
from coterie.organize.labels_of import as_array
from coterie.parts.siamese import category_scores, mapped, start

LABELS = ["b", "a", "b", "a", "c", "c"]


def by_hand(y, thresholds=(0.0, 0.0, 0.0), unlearned=(), always=()):
    """As fit leaves it, with random arrays."""
    model = TwoTask()
    said = Categories.of(y)
    model.arrays_ = start(5, 4, 3, said.n_categories, np.random.default_rng(0))
    model.arrays_["terms"] = model.arrays_["terms"] * 100
    model.categories_ = said.take(slice(0, 0))
    model.classes_ = as_array(said.names)
    model.thresholds_ = np.array(thresholds)
    model.unlearned_, model.always_ = (
        np.array(which, dtype=np.int64) for which in (unlearned, always)
    )
    model.n_features_in_ = 5
    return model


def rows(n=6):
    return sp.csr_array(sp.random(n, 5, density=0.7, random_state=1, format="csr"))


def test_scores_are_those_of_the_network_whatever_the_form_of_the_rows():
    model = by_hand(LABELS)
    expected = category_scores(model.arrays_, mapped(model.arrays_, rows()))
    for given in (rows(), rows().toarray(), Table.of(rows()), sp.csr_matrix(rows())):
        np.testing.assert_allclose(model.scores(given), expected, atol=1e-14)
    np.testing.assert_allclose(model.vectors(rows()), mapped(model.arrays_, rows()))


def test_one_label_each_is_the_best_category():
    model = by_hand(LABELS)
    assert model.predict(rows()).tolist() == [
        ["a", "b", "c"][k] for k in model.scores(rows()).argmax(axis=1)
    ]


def test_several_labels_are_those_above_their_thresholds():
    middle = by_hand(LABELS).scores(rows())
    cuts = np.median(middle, axis=0)
    model = by_hand([["b"], ["a"], ["b", "c"], []], cuts)
    assert model.predict(rows()) == [tuple(np.array(["a", "b", "c"])[row]) for row in middle > cuts]
    table = by_hand(np.eye(3, dtype=int), cuts)
    np.testing.assert_array_equal(table.predict(rows()), (middle > cuts).astype(int))
    assert 0 < table.predict(rows()).sum() < 18


def test_a_category_that_was_not_learned_is_never_given():
    model = by_hand(LABELS, unlearned=[0])
    assert (model.scores(rows())[:, 0] == -np.inf).all()
    assert "a" not in model.predict(rows(200).toarray())


def test_a_category_that_holds_everyone_is_always_given():
    model = by_hand([["a", "b"], ["a", "c"], ["a"]], thresholds=(50.0, 50.0, 50.0), always=[0])
    assert model.predict(rows()) == [("a",)] * 6


def test_of_two_classes_the_decision_is_one_number():
    model = by_hand(["x", "y", "x"])
    model.thresholds_ = np.zeros(2)
    found = model.decision_function(rows())
    assert found.shape == (6,)
    np.testing.assert_array_equal(np.where(found > 0, "y", "x"), model.predict(rows()))


def test_a_model_survives_pickle_with_the_same_scores():
    model = by_hand(LABELS)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.scores(rows()), model.scores(rows()))


def test_an_unfitted_model_says_so():
    for method in ("scores", "predict", "decision_function", "vectors"):
        with pytest.raises(NotFittedError):
            getattr(TwoTask(), method)(rows())


PARAGRAPHS = {"unlabeled": rows(6), "owners": [0, 0, 1, 1, 2, 2]}
CASES = [
    ({}, {"y": None}, "requires y"),
    ({}, {"y": LABELS[:5]}, "6 members and 5 labels"),
    ({}, {"y": ["a"] * 6}, "one class"),
    ({}, {"unlabeled": rows(6)}, "owners must name the document"),
    ({}, {**PARAGRAPHS, "owners": [0, 1]}, "6 paragraphs and owners of shape"),
    ({}, {**PARAGRAPHS, "owners": range(6)}, "no document has two paragraphs.*min_words"),
    ({}, {**PARAGRAPHS, "owners": [0] * 6}, "all paragraphs are of one document"),
    (
        {},
        {**PARAGRAPHS, "unlabeled": rows(6)[:, :4]},
        "the unlabeled paragraphs have 4 columns and X has 5",
    ),
    ({"unlabeled_weight": 0.3}, {}, "needs unlabeled=paragraphs"),
    ({"schedule": "before"}, {}, "needs unlabeled=paragraphs"),
    ({}, {"validation": rows(2)}, "must be a pair"),
    ({}, {"validation": (rows(2), ["a", "z"])}, "'z', which is none of the categories"),
    ({}, {"validation": (rows(2), ["a"])}, "2 validation members and 1 labels"),
    ({}, {"validation": (rows(2)[:, :3], ["a", "b"])}, "validation members have 3 columns"),
    (
        {},
        {"validation": (rows(2), [None, None])},
        "no validation member is in any category|none of the 2 members has a label",
    ),
    ({}, {"y": ["a", "b", "c", None, None, None]}, "none can be set aside"),
    ({}, {"y": np.full((6, 3), 2)}, "0 or 1"),
]


@pytest.mark.parametrize(
    ("settings", "change", "sentence"), CASES, ids=[case[2][:30] for case in CASES]
)
def test_what_cannot_be_is_one_sentence(settings, change, sentence):
    given = {"y": LABELS, **change}
    with pytest.raises(DataError, match=sentence):
        TwoTask(**settings).fit(rows(), given.pop("y"), **given)


@pytest.mark.parametrize(
    "wrong", [{"unlabeled_weight": -1}, {"loss": "other"}, {"validation": 0}, {"schedule": "never"}]
)
def test_parameters_out_of_range_are_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        TwoTask(**wrong).fit(rows(), LABELS)


def test_without_torch_the_extra_is_named(monkeypatch):
    import builtins

    before = builtins.__import__

    def refuse(name, *rest):
        if name.split(".")[0] == "torch":
            raise ImportError(name)
        return before(name, *rest)

    monkeypatch.setattr("importlib.import_module", lambda name, package=None: refuse(name))
    with pytest.raises(MissingExtra, match=r"coterie\[neural\]"):
        TwoTask().fit(rows(), LABELS)


def test_members_set_aside_leave_every_category_one_to_learn_from():
    model = TwoTask(validation=0.5)
    said = Categories.of(["a"] * 9 + ["b"] * 4 + ["c"] * 2 + ["d"])
    numbers = sp.csr_array(np.arange(1.0, 17.0)[:, None])
    for seed in range(20):
        left, learned, held, truth = model._set_aside(numbers, said, seed)
        assert learned.indicator.any(axis=0).all()
        assert sorted(left.data.tolist() + held.data.tolist()) == list(range(1, 17))
        assert truth[:, 0].sum() in (4, 5)
        assert truth[:, 1].sum() == 2
