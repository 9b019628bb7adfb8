"""Which device is asked for, and what is said where there is none."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from coterie.compare import Euclidean
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.scores import top
from coterie.core.errors import ParameterError
from coterie.core.workplace import Silent, stage, using
from coterie.parts.gpu import device
from coterie.parts.pairwise import dense

NO_CARD = "torch finds no card here"


@pytest.fixture
def no_card(monkeypatch):
    monkeypatch.setattr(device, "seen", lambda name: (None, NO_CARD))


@pytest.mark.parametrize("name", ["cpu", "auto", "cuda", "cuda:0", "cuda:12"])
def test_names(name):
    assert device.check_name(name) == name


@pytest.mark.parametrize("name", ["", "gpu", "cuda:", "cuda:x", "CUDA", "cuda:1 ", 3, None])
def test_other_names_are_refused(name):
    with pytest.raises(ParameterError, match="device must be 'cpu', 'cuda'"):
        device.check_name(name)


def test_without_a_card_one_sentence_and_the_same_bits(no_card):
    rows = np.random.default_rng(0).normal(size=(80, 4))
    codes = Codes(np.random.default_rng(1).integers(0, 5, (9, 60)))
    known = dense(Euclidean().fit(rows).affinity_).values, *top(codes, 3)
    with using(device="cuda"), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with stage("one"):
            found = dense(Euclidean().fit(rows).affinity_).values, *top(codes, 3)
        with using(n_jobs=2):
            dense(Euclidean().fit(rows).affinity_)
    assert [str(one.message) for one in said] == [
        f"using: device is 'cuda', and {NO_CARD}; the work is done on the processor."
    ]
    for one, other in zip(found, known, strict=True):
        np.testing.assert_array_equal(one, other)


def test_every_block_says_it_once(no_card):
    for _ in range(2):
        with using(device="cuda"), pytest.warns(UserWarning, match="no card"):
            assert (device.card(), device.card()) == (None, None)


def test_a_watcher_hears_it_instead(no_card):
    class Listening:
        begin = Silent.begin
        end = Silent.end
        measure = Silent.measure
        wants_stop = Silent.wants_stop

        def __init__(self):
            self.notes = []

        def note(self, sentence):
            self.notes.append(sentence)

    watch = Listening()
    with using(device="cuda", watch=watch), warnings.catch_warnings():
        warnings.simplefilter("error")
        device.card()
        device.card()
    assert len(watch.notes) == 1
    assert NO_CARD in watch.notes[0]


def test_auto_says_nothing(no_card):
    with using(device="auto"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert device.card() is None


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(device, "_torch", lambda: None)
    with using(device="cuda"), pytest.warns(UserWarning, match=r"coterie\[neural\]"):
        assert device.card() is None


def test_a_card_that_is_not_there_is_named(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with (
        using(device="cuda:1"),
        pytest.warns(UserWarning, match="'cuda:1', and there is one card here"),
    ):
        assert device.card() is None
    with using(device="cuda"):
        assert str(device.card()) == "cuda:0"


def test_the_processor_never_loads_torch():
    code = (
        "import sys, numpy as np\n"
        "from coterie.compare import Euclidean\nfrom coterie.parts.pairwise import dense, graph\n"
        "near = Euclidean().fit(np.arange(12.0).reshape(6, 2)).affinity_\ndense(near), graph(near, 2)\n"
        "assert 'torch' not in sys.modules and 'coterie.parts.gpu.placed' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_networks_go_on_without_a_card(no_card):
    pytest.importorskip("torch")
    from coterie.parts.nets.bags import device as of_networks

    with using(device="cuda"), pytest.warns(UserWarning, match="no card"):
        assert of_networks().type == "cpu"
