"""Training of the two-task network: gradients of all losses against differences, same bits, weight 0, and taking up again."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import NotConverged
from coterie.core.random import stream
from coterie.core.workplace import using
from coterie.parts import siamese
from coterie.parts.paragraphs import Triplets

torch = pytest.importorskip("torch")

from coterie.parts.nets.bags import Bags  # noqa: E402
from coterie.parts.nets.siamese import Labels, Net, Pairs, best_of, train, train_on_triplets  # noqa: E402
from coterie.parts.nets.two_task import Lesson, Shape, learn  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::coterie.core.errors.NotConverged")


def _net(seed=1):
    generator = np.random.default_rng(seed)
    return {
        name: generator.normal(scale=0.6, size=array.shape)
        for name, array in siamese.start(7, 5, 4, 3, np.random.default_rng(0)).items()
    }


def _rows(n=9, seed=2):
    return sp.csr_array(sp.random(n, 7, density=0.6, random_state=seed, format="csr"))


def _truth(n=9):
    indicator = np.random.default_rng(3).random((n, 3)) < 0.4
    indicator[0] = True
    indicator[1] = False
    return indicator


def _differences(loss, arrays, step=1e-6):
    """The gradient of every array by central differences."""
    found = {}
    for name, array in arrays.items():
        slopes = np.zeros(array.shape)
        for at in np.ndindex(array.shape):
            moved = [
                {**arrays, name: array + sign * step * _unit(array.shape, at)} for sign in (1, -1)
            ]
            slopes[at] = (loss(moved[0]) - loss(moved[1])) / (2 * step)
        found[name] = slopes
    return found


def _unit(shape, at):
    one = np.zeros(shape)
    one[at] = 1.0
    return one


def _gradients(task, arrays, batch):
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in arrays.items()}
    loss = task.loss(tensors, batch)
    found = torch.autograd.grad(loss, list(tensors.values()), allow_unused=True)
    dense = [None if one is None else one.to_dense().numpy() for one in found]
    return loss.item(), dict(zip(tensors, dense, strict=True))


@pytest.mark.parametrize("kind", ["plain", "balanced"])
def test_gradient_of_the_labeled_losses(kind):
    arrays = _net()
    rows = _rows()
    truth = _truth()
    weights = siamese.pair_weights(truth, kind)

    def loss(now):
        return siamese.labeled_loss(
            siamese.category_scores(now, siamese.mapped(now, rows)), truth, weights
        )

    task = Labels(
        Bags.of(rows, torch.float64),
        torch.tensor(siamese.signs(truth)),
        torch.tensor(weights * len(truth)),
        0.1,
    )
    value, slopes = _gradients(task, arrays, np.arange(9))
    assert value == pytest.approx(loss(arrays), abs=1e-12)
    for name, expected in _differences(loss, arrays).items():
        assert np.abs(expected).max() > 1e-4
        np.testing.assert_allclose(slopes[name], expected, atol=1e-7, err_msg=name)


def test_gradient_of_the_triplet_loss():
    arrays = _net()
    rows = _rows()
    source = Triplets.of(rows, np.repeat(np.arange(3), 3), "Test")
    drawn = source.draw(np.random.default_rng(0), 20)
    value, slopes = _gradients(
        Pairs(Bags.of(source.rows, torch.float64), source, 0.1), arrays, drawn
    )

    def loss(now):
        return siamese.judged_triplets(source.rows, drawn, now)

    assert value == pytest.approx(loss(arrays), abs=1e-12)
    assert slopes["head"] is None
    assert slopes["head_bias"] is None
    for name, expected in _differences(loss, arrays).items():
        if name not in siamese.HEAD:
            assert np.abs(expected).max() > 1e-4
            np.testing.assert_allclose(slopes[name], expected, atol=1e-7, err_msg=name)


def _lesson(seed=0):
    """Three categories of ten own words each; a labeled row has a few of them, so that most words are in no labeled row."""
    generator = np.random.default_rng(seed)

    def made(n, size):
        kind = np.arange(n) % 3
        rows = np.zeros((n, 36))
        for row, k in zip(rows, kind, strict=True):
            row[10 * k + generator.choice(10, size=size, replace=False)] = 1.0
            row[30 + generator.choice(6, size=2, replace=False)] = 1.0
        return sp.csr_array(rows / np.linalg.norm(rows, axis=1, keepdims=True)), kind

    (rows, kind) = made(6, 2)
    (held, other) = made(30, 2)
    (new, third) = made(90, 2)
    paragraphs, whose = made(240, 4)
    order = np.argsort(whose, kind="stable")
    owners = np.empty(240, dtype=np.int64)
    owners[order] = np.arange(240) // 4  # four paragraphs of one kind make a document
    truth = [np.eye(3, dtype=bool)[one] for one in (kind, other, third)]
    lesson = Lesson(rows, truth[0], siamese.pair_weights(truth[0], "plain"), held, truth[1])
    return lesson, Triplets.of(paragraphs, owners, "Test"), new, truth[2]


def _shape(**other):
    return Shape(
        **{"n_hidden": 8, "n_components": 6, "schedule": "joint", "max_iter": 3, "seed": 4, **other}
    )


def _same(one, other):
    assert set(one) == set(other)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_weight_zero_is_the_single_task_network_bit_for_bit():
    lesson, source, _, _ = _lesson()
    alone = learn(lesson, None, 0.0, _shape())
    zero = learn(lesson, source, 0.0, _shape())
    assert alone.history == zero.history
    _same(best_of(alone), best_of(zero))
    both = learn(lesson, source, 0.3, _shape())
    assert not np.array_equal(best_of(both)["terms"], best_of(alone)["terms"])


def test_a_vanishing_weight_comes_near_the_single_task_network():
    lesson, source, _, _ = _lesson()
    far, near = (learn(lesson, source, weight, _shape(max_iter=2)) for weight in (1e-2, 1e-6))
    alone = learn(lesson, None, 0.0, _shape(max_iter=2))
    gaps = [
        np.abs(np.asarray(one.state["terms"]) - np.asarray(alone.state["terms"])).max()
        for one in (far, near)
    ]
    assert 0 < gaps[1] < 1e-3 < gaps[0]


def test_labels_are_drawn_the_same_whether_or_not_there_are_triplets(monkeypatch):
    lesson, source, _, _ = _lesson()
    drawn = []
    before = Labels.batches
    monkeypatch.setattr(
        Labels, "batches", lambda self, g, steps: drawn.append(before(self, g, steps)) or drawn[-1]
    )
    for weight in (0.0, 1.0):
        learn(lesson, source, weight, _shape(max_iter=2))
    for one, other in zip(drawn[:2], drawn[2:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_every_labeled_member_is_seen_as_often():
    lesson, _, _, _ = _lesson()
    task = Labels.of(lesson.rows, lesson.indicator, lesson.weights, 0.1)
    batches = task.batches(np.random.default_rng(0), 25)
    counts = np.bincount(np.concatenate(batches), minlength=6)
    assert len(set(counts)) == 1
    assert 25 <= len(batches) <= 26


def test_same_seed_same_bits_and_another_seed_others():
    lesson, source, _, _ = _lesson()
    one, two = (best_of(learn(lesson, source, 0.3, _shape(max_iter=3))) for _ in range(2))
    _same(one, two)
    other = best_of(learn(lesson, source, 0.3, _shape(max_iter=3, seed=5)))
    assert not np.array_equal(one["terms"], other["terms"])


class Memory:
    """Keeps bundles of arrays while it lives."""

    def __init__(self):
        self.kept = {}

    def get(self, key):
        return dict(self.kept[key]) if key in self.kept else None

    def put(self, key, arrays):
        self.kept[key] = {name: np.array(array) for name, array in arrays.items()}


def test_taken_up_again_it_ends_with_the_same_bits(monkeypatch):
    monkeypatch.setattr("coterie.parts.iterate._KEEP_EVERY", -1.0)  # keep every turn
    lesson, source, _, _ = _lesson()
    whole = learn(lesson, source, 0.3, _shape(max_iter=6))
    keeper = Memory()
    with using(keeper=keeper):
        first = learn(lesson, source, 0.3, _shape(max_iter=3))
    with using(keeper=keeper):
        second = learn(lesson, source, 0.3, _shape(max_iter=6))
    assert len(first.history) == 3
    assert second.history[:3] == first.history
    assert second.history == whole.history
    _same(best_of(second), best_of(whole))


def test_unlabeled_paragraphs_help_where_labeled_rows_lack_most_words():
    lesson, source, new, truth = _lesson()
    found = {}
    for name, weight in (("alone", 0.0), ("both", 1.0)):
        arrays = best_of(learn(lesson, source, weight, _shape(max_iter=30)))
        found[name] = siamese.micro_break_even(
            siamese.category_scores(arrays, siamese.mapped(arrays, new)), truth
        )
    assert found["both"] > found["alone"] + 0.1
    assert found["both"] > 0.9


def test_triplets_alone_lower_their_loss_and_the_last_layer_leaves_the_map():
    lesson, source, _, _ = _lesson()
    arrays = siamese.start(36, 8, 6, 3, stream(4))
    alone = train_on_triplets(
        arrays, source, rate=0.003, seed=4, max_iter=20, patience=5, label="Test"
    )
    assert (
        -max(alone.history) < 0.55
    )  # a third of the others are of the same kind; 1 is what says nothing
    only = best_of(learn(lesson, source, 1.0, _shape(schedule="only", max_iter=20)))
    before = best_of(learn(lesson, source, 1.0, _shape(schedule="before", max_iter=20)))
    trained = best_of(alone)
    for name in ("terms", "terms_bias", "units", "units_bias"):
        np.testing.assert_array_equal(only[name], trained[name])
    assert not np.array_equal(only["head"], arrays["head"])
    assert not np.array_equal(before["terms"], trained["terms"])


def test_the_best_turn_is_kept_and_patience_ends_training():
    lesson, _, _, _ = _lesson()
    values = iter([0.1, 0.5, 0.3, 0.5, 0.2, 0.9])
    seen = []
    arrays = siamese.start(36, 8, 6, 3, stream(0))

    def judge(now):
        seen.append(now["terms"].copy())
        return next(values)

    task = Labels.of(lesson.rows, lesson.indicator, lesson.weights, 0.01)
    found = train(arrays, [task], judge, seed=0, max_iter=9, patience=3, label="Test")
    assert found.history == [0.1, 0.5, 0.3, 0.5, 0.2]
    assert found.converged
    np.testing.assert_array_equal(best_of(found)["terms"], seen[1])


def test_a_limit_of_turns_is_said():
    lesson, _, _, _ = _lesson()
    with pytest.warns(NotConverged, match="TwoTask did not converge in 1"):
        learn(lesson, None, 0.0, _shape(max_iter=1))


def test_a_net_of_its_own_arrays_is_the_same_net():
    lesson, source, _, _ = _lesson()
    tasks = [
        Labels.of(lesson.rows, lesson.indicator, lesson.weights, 0.01),
        Pairs.of(source, 0.003),
    ]
    net = Net.of(siamese.start(36, 8, 6, 3, stream(0)), tasks)
    net.turn(tasks, 1, 0, 3)
    again = Net.of(net.arrays(tasks), tasks)
    _same(net.arrays(tasks), again.arrays(tasks))
    assert {"1:steps", "2:steps", "1:m:terms", "2:v:units"} <= set(net.arrays(tasks))
