"""How work is done: nesting, sizes, names of kept pieces, random streams by task."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import Interrupted, ParameterError
from coterie.core.random import seed_of, stream, streams
from coterie.core.workplace import Silent, parse_bytes, stage, using, workplace


def test_using_nests_and_ends():
    before = workplace()
    with using(n_jobs=1, memory="1GB"):
        assert workplace().workers == 1
        with using(memory="2 MB"):
            assert (workplace().workers, workplace().budget) == (1, 2_000_000)
        assert workplace().budget == 10**9
    assert workplace() is before


@pytest.mark.parametrize(
    ("text", "size"), [("4GB", 4 * 10**9), (17, 17), ("1.5 kb", 1500), ("3g", 3 * 10**9)]
)
def test_sizes(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["much", "-4GB", "4XB", 0, "0GB"])
def test_wrong_sizes(text):
    with pytest.raises(ParameterError, match="memory must be a size"):
        parse_bytes(text)


@pytest.mark.parametrize("given", [0, "2", 1.5, True])
def test_what_is_no_number_of_workers_is_refused(given):
    with (
        pytest.raises(ParameterError, match=f"n_jobs must be a whole number .* and was {given!r}"),
        using(n_jobs=given),
    ):
        pass


def test_the_same_walk_asks_for_the_same_names():
    class Nothing:
        def get(self, key):
            return None

        def put(self, key, arrays):
            return None

    def walk():
        with using(keeper=Nothing()), stage("compare"):
            first = [workplace().key("tiles"), workplace().key("tiles")]
            with stage("null"):
                return [*first, workplace().key("tiles")]

    assert walk() == walk() == ["compare/tiles-1", "compare/tiles-2", "compare/null/tiles-1"]


def test_the_wish_to_stop_is_an_interruption():
    class Stop(Silent):
        def wants_stop(self):
            return True

    with using(watch=Stop()), pytest.raises(Interrupted):
        workplace().stop_if_asked()


def test_streams_belong_to_the_task():
    many = streams(3, 9)
    few = streams(3, 2)
    assert many[1].random() == few[1].random()
    assert stream(3, 1).random() == streams(3, 2)[1].random()
    assert streams(4, 1)[0].random() != streams(3, 1)[0].random()
    assert seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    for wrong in (-1, "seed", 1.5, True):
        with pytest.raises(ParameterError, match="random_state"):
            seed_of(wrong)
