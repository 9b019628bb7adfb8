"""Bags of sparse rows and the training of named arrays, against dense algebra and torch's own Adam."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import ParameterError
from coterie.core.workplace import using

torch = pytest.importorskip("torch")

from coterie.parts.nets.bags import Adam, Bags, device, learned, one_order  # noqa: E402


def _table():
    return sp.csr_array(sp.random(12, 9, density=0.4, random_state=3, format="csr"))


def test_sums_of_bags_are_the_product_with_the_rows():
    table = _table()
    units = np.random.default_rng(0).normal(size=(9, 4))
    rows = [3, 0, 0, 11, 7]
    found = Bags.of(table, torch.float64).sums(torch.tensor(rows), torch.tensor(units))
    np.testing.assert_allclose(found.numpy(), (table[rows] @ units), atol=1e-12)


def test_an_empty_row_sums_to_zero():
    table = sp.csr_array(np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]))
    found = Bags.of(table, torch.float64).sums(
        torch.tensor([0, 1, 2]), torch.eye(2, dtype=torch.float64)
    )
    np.testing.assert_array_equal(found.numpy(), [[0, 0], [1, 2], [0, 0]])


def _loss(tensors, target):
    return ((tensors["a"] * 2 + tensors["b"]) - target).pow(2).sum()


def test_steps_are_those_of_torch():
    start = {"a": np.array([1.0, -2.0]), "b": np.array([0.5, 0.1])}
    ours = Adam.of(start, rate=0.05)
    theirs = {name: torch.tensor(value, requires_grad=True) for name, value in start.items()}
    peer = torch.optim.Adam(theirs.values(), lr=0.05)
    target = torch.tensor([3.0, 1.0], dtype=torch.float64)
    for _ in range(20):
        ours.step(_loss(ours.tensors, target))
        peer.zero_grad()
        _loss(theirs, target).backward()
        peer.step()
    for name in start:
        np.testing.assert_allclose(
            ours.tensors[name].detach().numpy(), theirs[name].detach().numpy(), atol=1e-6
        )


def test_training_taken_up_again_ends_with_the_same_bits():
    start = {"a": np.array([1.0, -2.0]), "b": np.array([0.5, 0.1])}
    target = torch.tensor([3.0, 1.0], dtype=torch.float64)
    whole = Adam.of(start, 0.1)
    first = Adam.of(start, 0.1)
    for _ in range(6):
        whole.step(_loss(whole.tensors, target))
    for _ in range(2):
        first.step(_loss(first.tensors, target))
    second = Adam.of(first.arrays(), 0.1)
    for _ in range(4):
        second.step(_loss(second.tensors, target))
    for name, value in whole.arrays().items():
        np.testing.assert_array_equal(value, second.arrays()[name])
    assert set(learned(whole.arrays())) == {"a", "b"}


def test_sparse_gradients_touch_only_their_rows():
    start = {"table": np.ones((5, 2))}
    adam = Adam.of(start, 0.1)
    bags = Bags.of(sp.csr_array(np.array([[0, 1.0, 0, 0, 0], [0, 0, 0, 2.0, 0]])), torch.float64)
    adam.step(bags.sums(torch.tensor([0, 1]), adam.tensors["table"], sparse=True).sum())
    moved = adam.arrays()["table"]
    np.testing.assert_array_equal(moved[[0, 2, 4]], 1.0)
    np.testing.assert_allclose(moved[[1, 3]], 0.9, atol=1e-6)


def test_threads_come_back():
    before = torch.get_num_threads()
    with one_order():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_a_device_that_is_not_there_is_one_sentence():
    with (
        using(device="nonsense"),
        pytest.raises(ParameterError, match="device must be 'cpu', 'cuda'"),
    ):
        device()


def test_without_a_card_the_processor_learns_the_same_and_one_sentence_says_so(monkeypatch):
    from coterie.parts.gpu import device as cards

    monkeypatch.setattr(cards, "seen", lambda name: (None, "torch finds no card here"))
    start = {"w": np.ones((3, 2), dtype=np.float32)}

    def learned_in_two_steps():
        adam = Adam.of(start, rate=0.1)
        for _ in range(2):
            adam.step((adam.tensors["w"] ** 2).sum())
        return learned(adam.arrays())["w"]

    known = learned_in_two_steps()
    with (
        using(device="cuda"),
        pytest.warns(UserWarning, match="no card here; the work is done on the processor"),
    ):
        found = learned_in_two_steps()
    np.testing.assert_array_equal(found, known)
