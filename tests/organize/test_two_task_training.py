"""TwoTask trained: weight 0 is the baseline, the weight is chosen by validation, labels in any form, what is not learned."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.organize import TwoTask
from coterie.organize.two_task import GRID

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")

SMALL = {"n_hidden": 8, "n_components": 6, "random_state": 1}


def made(n, size, seed):
    """Rows of three kinds with ten words each, of which a row has a few."""
    generator = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    rows = np.zeros((n, 30))
    for row, k in zip(rows, kind, strict=True):
        row[10 * k + generator.choice(10, size=size, replace=False)] = 1.0
    return sp.csr_array(rows / np.linalg.norm(rows, axis=1, keepdims=True)), kind


@pytest.fixture(scope="module")
def paragraphs():
    rows, kind = made(240, 4, 3)
    owners = np.empty(240, dtype=np.int64)
    owners[np.argsort(kind, kind="stable")] = np.arange(240) // 4
    return {"unlabeled": rows, "owners": owners}


def test_weight_zero_is_the_network_that_never_saw_a_paragraph(paragraphs):
    rows, kind = made(12, 2, 0)
    alone = TwoTask(**SMALL, max_iter=3).fit(rows, kind)
    zero = TwoTask(**SMALL, max_iter=3, unlabeled_weight=0).fit(rows, kind, **paragraphs)
    assert alone.unlabeled_weight_ == zero.unlabeled_weight_ == 0.0
    new, _ = made(30, 2, 5)
    assert alone.scores(new).tobytes() == zero.scores(new).tobytes()
    other = TwoTask(**SMALL, max_iter=3, unlabeled_weight=0.1).fit(rows, kind, **paragraphs)
    assert other.scores(new).tobytes() != zero.scores(new).tobytes()


def test_the_weight_is_chosen_on_validation_members_and_helps(paragraphs):
    rows, kind = made(6, 2, 0)
    held = made(30, 2, 1)
    new = made(90, 2, 2)
    chosen = TwoTask(**SMALL, max_iter=5).fit(rows, kind, **paragraphs, validation=held)
    assert tuple(chosen.weights_tried_) == GRID
    assert chosen.weights_tried_[chosen.unlabeled_weight_] == max(chosen.weights_tried_.values())
    assert chosen.unlabeled_weight_ > 0
    assert max(chosen.history_) == chosen.weights_tried_[chosen.unlabeled_weight_]
    alone = TwoTask(**SMALL, max_iter=5).fit(rows, kind, validation=held)
    assert alone.weights_tried_[0.0] == chosen.weights_tried_[0.0]
    assert (
        np.mean(chosen.predict(new[0]) == new[1]) > np.mean(alone.predict(new[0]) == new[1]) + 0.05
    )


def test_labels_in_any_form_give_the_same_scores():
    rows, kind = made(12, 3, 0)
    held, other = made(9, 3, 1)
    names = np.array(["ant", "bee", "cow"])
    forms = [
        (names[kind], names[other]),
        ([[name] for name in names[kind]], [[name] for name in names[other]]),
        (np.eye(3, dtype=int)[kind], np.eye(3, dtype=int)[other]),
    ]
    models = [TwoTask(**SMALL, max_iter=2).fit(rows, y, validation=(held, v)) for y, v in forms]
    for model in models[1:]:
        np.testing.assert_array_equal(model.scores(held), models[0].scores(held))
    assert list(models[0].classes_) == ["ant", "bee", "cow"]
    assert set(models[0].predict(held)) <= set(names)
    assert all(set(labels) <= set(names) for labels in models[1].predict(held))


def test_members_without_a_label_are_left_out():
    rows, kind = made(12, 3, 0)
    held = made(9, 3, 1)
    wide = sp.csr_array(sp.vstack([rows, rows[:4]]))
    said = [*kind.tolist(), None, None, None, None]
    one = TwoTask(**SMALL, max_iter=2).fit(rows, kind, validation=held)
    two = TwoTask(**SMALL, max_iter=2).fit(wide, said, validation=held)
    np.testing.assert_array_equal(one.scores(rows), two.scores(rows))


@pytest.mark.parametrize("loss", ["plain", "balanced"])
def test_a_category_without_a_member_is_said_and_never_given(loss):
    rows, kind = made(12, 3, 0)
    y = np.eye(4, dtype=int)[kind]
    with pytest.warns(UserWarning, match="no member to learn from is in 3"):
        model = TwoTask(**SMALL, loss=loss, max_iter=2).fit(rows, y, validation=(rows, y))
    assert model.unlearned_.tolist() == [3]
    assert model.notes_[0] == "No member to learn from is in 3: not learned, and never given."
    assert model.predict(rows)[:, 3].sum() == 0


@pytest.mark.parametrize("loss", ["plain", "balanced"])
def test_a_category_of_everyone_is_said_and_always_given(loss):
    rows, kind = made(12, 3, 0)
    held, other = made(9, 3, 1)
    y, v = (
        np.column_stack([np.eye(3, dtype=int)[kinds], np.ones(len(kinds), dtype=int)])
        for kinds in (kind, other)
    )
    v[:, 3] = 0  # validation members say otherwise, and are not what was learned from
    with pytest.warns(UserWarning, match="TwoTask: every member to learn from is in 3"):
        model = TwoTask(**SMALL, loss=loss, max_iter=2).fit(rows, y, validation=(held, v))
    assert model.notes_[0] == "Every member to learn from is in 3: not learned, and always given."
    assert model.predict(made(60, 3, 4)[0])[:, 3].all()


def test_one_task_is_said_where_two_were_to_be_weighed(paragraphs):
    rows, kind = made(12, 2, 0)
    said = (
        "No unlabeled paragraphs were given: learned from labels alone, as with unlabeled_weight=0."
    )
    assert TwoTask(**SMALL, max_iter=1).fit(rows, kind).notes_ == (said,)
    assert TwoTask(**SMALL, max_iter=1, unlabeled_weight=0).fit(rows, kind).notes_ == ()
    assert TwoTask(**SMALL, max_iter=1).fit(rows, kind, **paragraphs).notes_ == ()


def test_thresholds_come_from_the_validation_members():
    rows, kind = made(12, 3, 0)
    held, other = made(30, 3, 1)
    y = np.eye(3, dtype=int)[kind]
    v = np.eye(3, dtype=int)[other]
    found = {
        rule: TwoTask(**SMALL, max_iter=2, threshold=rule).fit(rows, y, validation=(held, v))
        for rule in ("f1", "zero")
    }
    np.testing.assert_array_equal(found["zero"].thresholds_, 0)
    assert (found["f1"].thresholds_ != 0).all()
    np.testing.assert_array_equal(found["f1"].scores(rows), found["zero"].scores(rows))
    hits = {
        rule: (model.predict(held) & v).sum() * 2 / (model.predict(held).sum() + v.sum())
        for rule, model in found.items()
    }
    assert hits["f1"] >= hits["zero"]
