"""Inference: what a climb keeps and raises, restarts, clique by clique, polish, workers, stops and going on."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import moves as slow
from tests.parts.test_pairwise import Memory, StopAfter

from coterie.core.errors import Interrupted
from coterie.core.links import Links
from coterie.core.workplace import Silent, using
from coterie.organize import MDC, Comraf
from coterie.organize.comraf.graph import Wishes, net_of
from coterie.organize.comraf.inference import (
    Search,
    climb,
    cliquewise,
    flat,
    informations,
    objective,
    polished,
    started,
)
from coterie.organize.comraf.schedule import Step, ready_made, written

DRAW = np.random.default_rng(2)
TABLES = {
    ("members", "words"): DRAW.poisson(0.8, (50, 40)),
    ("members", "people"): DRAW.poisson(0.4, (50, 12)),
    ("words", "people"): DRAW.poisson(0.5, (40, 12)),
}
LINKS = Links.of(TABLES)
NET = net_of(LINKS, Wishes("Comraf", None, {"members": 5}, (), "mass"))
QUICK = Search(restarts=3, passes=2.0)


def edges_of(net):
    return [(*edge.ends, edge.counts.matrix.toarray(), edge.beta) for edge in net.edges]


def counting(search=QUICK):
    return climb(NET, ready_made(NET, 4, 4), search, 7, "Comraf")


def test_the_objective_is_that_of_the_definition():
    state = flat(
        net_of(LINKS, Wishes("Comraf", None, {"members": 5, "words": 7, "people": 3})),
        np.random.default_rng(0),
    )
    assert objective(NET, state) == pytest.approx(
        slow.objective(edges_of(NET), state.labels, state.sizes), abs=1e-12
    )
    tables = [
        slow.aggregated(t, state.labels[i], state.sizes[i], state.labels[j], state.sizes[j])
        for i, j, t, _ in edges_of(NET)
    ]
    assert informations(NET, state) == pytest.approx(
        [slow.mutual(table) for table in tables], abs=1e-12
    )


def test_the_start_is_apart_above_and_together_below():
    state = started(NET)
    assert state.sizes == (50, 1, 1)
    assert state.labels[0].tolist() == list(range(50))
    assert not state.labels[1].any()


def test_one_row_of_history_per_step_and_its_numbers_are_true():
    found = counting()
    steps = ready_made(NET, 4, 4)
    assert [row[0] for row in found.history] == [NET.nodes[step.node].name for step in steps]
    last = {name: k for name, k, _ in found.history}
    assert last == {
        node.name: size for node, size in zip(NET.nodes, found.state.sizes, strict=True)
    }
    assert found.history[-1][2] == pytest.approx(
        slow.objective(edges_of(NET), found.state.labels, found.state.sizes), abs=1e-12
    )
    for labels, size in zip(found.state.labels, found.state.sizes, strict=True):
        assert np.array_equal(np.unique(labels), np.arange(size))


def test_splits_never_lower_the_objective():
    found = counting()
    before = 0.0
    for name, _, value in found.history:
        if name != "members":
            assert value >= before - 1e-12
        before = value


def test_levels_go_down_one_union_at_a_time():
    found = counting()
    sizes = [len(np.unique(level)) for level in found.levels]
    assert sizes == list(range(sizes[0], 4, -1))
    assert np.array_equal(found.levels[-1], found.state.labels[0])


def test_more_restarts_are_no_worse_at_the_first_step():
    step = [Step(NET.place("members"))]
    start = [Step(1), Step(1), Step(1)]
    values = [
        climb(NET, start + step, Search(restarts=n), 3, "Comraf").history[0][2] for n in (1, 4, 16)
    ]
    assert values == sorted(values)


@pytest.mark.parametrize(
    "search",
    [
        Search(2, 0.25),
        Search(2, 1.0, optimize="shuffled"),
        Search(2, trials=300, optimize="shuffled"),
        Search(2, 1.0, optimize="sharded"),
        Search(2, balance=1.0),
        Search(2, anneal=0.1),
    ],
)
def test_every_way_of_searching_ends_with_the_groups(search):
    found = counting(search)
    assert found.state.sizes[0] == 5
    assert found.history[-1][2] > 0


def test_clique_by_clique_keeps_the_numbers_and_climbs():
    net = net_of(LINKS, Wishes("Comraf", None, {"members": 5, "words": 6, "people": 3}))
    found = cliquewise(net, QUICK, 5, 0, "Comraf")
    assert found.state.sizes == (5, 6, 3)
    assert 1 <= len(found.history) <= 5
    assert found.history[-1][2] > objective(net, flat(net, np.random.default_rng(0)))
    assert found.history[-1][2] == pytest.approx(
        slow.objective(edges_of(net), found.state.labels, found.state.sizes), abs=1e-12
    )


def test_one_clique_at_a_time_is_the_same_as_one_population_at_a_time_where_there_is_one_table():
    """With one table both maximize the same thing, so no round of cliques may lower the objective."""
    net = net_of(LINKS, Wishes("Comraf", "members-words", {"members": 5, "words": 6}))
    values = [value for _, _, value in cliquewise(net, Search(1), 8, 1, "Comraf").history]
    assert values == sorted(values)


def test_polish_in_turn_never_lowers_the_objective():
    found = counting()
    done = polished(NET, found, "icm", 7)
    assert objective(NET, done.state) >= objective(NET, found.state) - 1e-12
    assert len(done.history) == len(found.history) + 1
    assert polished(NET, found, None, 7) is found


def test_polish_against_raw_neighbors_raises_what_the_members_keep_of_them():
    found = counting()
    done = polished(NET, found, "raw", 7)

    def raw(state):
        sides = [
            slow.Side(
                e.seen_from(0).matrix.toarray(),
                np.arange(e.seen_from(0).width),
                e.seen_from(0).width,
                e.beta,
            )
            for e in NET.around(0)
        ]
        return slow.value(sides, state.labels[0], state.sizes[0])

    assert raw(done.state) >= raw(found.state)
    assert np.array_equal(done.state.labels[1], found.state.labels[1])
    assert done.state.sizes[0] == 5


@pytest.mark.parametrize(
    "method",
    [
        MDC(n_groups=5, random_state=3),
        Comraf(n_groups=5, schedule="reverse", random_state=3),
        Comraf(
            n_groups={"members": 5, "words": 6, "people": 3}, inference="cliquewise", random_state=3
        ),
        Comraf(n_groups=5, optimize="shuffled", restarts=4, polish="icm", random_state=3),
    ],
    ids=["mdc", "reverse", "cliquewise", "shuffled"],
)
def test_workers_change_no_bit(method):
    results = []
    for workers in (1, 2, 1):
        with using(n_jobs=workers):
            found = method.fit(LINKS)
        bits = [found.partitions_[name].labels.tobytes() for name in LINKS.populations]
        results.append(
            (
                bits,
                found.history_,
                found.objective_,
                found.hierarchy_.merges.tobytes(),
                found.partition_.confidence.tobytes(),
            )
        )
    assert results[0] == results[1] == results[2]


def test_another_seed_is_another_run():
    one, two = (MDC(n_groups=5, random_state=seed).fit(LINKS) for seed in (0, 1))
    assert one.history_ != two.history_


class Dying(Memory):
    """A keeper whose machine dies after some pieces."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def put(self, key, arrays):
        if len(self.pieces) == self.after:
            raise KeyboardInterrupt
        super().put(key, arrays)


@pytest.mark.parametrize("after", [1, 5])
def test_a_run_that_died_goes_on_with_the_same_bits(after):
    whole = counting()
    keeper = Dying(after)
    with using(keeper=keeper), pytest.raises(KeyboardInterrupt):
        counting()
    assert len(keeper.pieces) == after
    keeper.after = 10**6
    with using(keeper=keeper, n_jobs=2):
        again = counting()
    assert keeper.reads == after
    assert len(keeper.pieces) == len(whole.history)
    assert again.history == whole.history
    assert all(
        np.array_equal(a, b) for a, b in zip(again.state.labels, whole.state.labels, strict=True)
    )
    assert all(np.array_equal(a, b) for a, b in zip(again.levels, whole.levels, strict=True))


def test_a_cancelled_run_stops_and_keeps_what_was_finished():
    keeper = Memory()
    with (
        using(keeper=keeper, watch=StopAfter(30), n_jobs=1),
        pytest.raises(Interrupted, match="what was finished is kept"),
    ):
        MDC(n_groups=5, random_state=3).fit(LINKS)
    kept = len(keeper.pieces)
    assert 0 < kept < len(ready_made(NET, 4, 4))
    with using(keeper=keeper):
        again = MDC(n_groups=5, random_state=3).fit(LINKS)
    assert keeper.reads == kept
    assert np.array_equal(again.labels_, MDC(n_groups=5, random_state=3).fit(LINKS).labels_)
    with (
        using(watch=StopAfter(30)),
        pytest.raises(Interrupted, match="nothing is kept without a store"),
    ):
        MDC(n_groups=5, random_state=3).fit(LINKS)


class Measures(Silent):
    """Remembers what was measured."""

    def __init__(self):
        self.seen = []

    def measure(self, name, step, value):
        self.seen.append((name, step, value))


def test_a_watcher_sees_the_objective_rise():
    watch = Measures()
    with using(watch=watch):
        found = counting()
    mine = [(step, value) for name, step, value in watch.seen if name == "Comraf"]
    assert mine == [(at + 1, row[2]) for at, row in enumerate(found.history)]


def test_a_written_schedule_is_walked():
    steps = written("words*2 people (members words)*2 members!", NET, "Comraf")
    found = climb(NET, steps, Search(1), 0, "Comraf")
    assert [(name, k) for name, k, _ in found.history] == [
        ("words", 2),
        ("words", 4),
        ("people", 2),
        ("members", 25),
        ("words", 8),
        ("members", 13),
        ("words", 16),
        ("members", 5),
    ]
