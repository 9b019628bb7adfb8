"""Comraf and MDC: promises, planted co-clusters found exactly, observed populations, and what more tables bring."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.workplace import using
from coterie.organize import MDC, Comraf
from coterie.testing import promises


def blocks(seed, n=200, m=300, k=5, on=0.6, off=0.03):
    """Planted co-clusters: counts are frequent where members and columns are of one block."""
    draw = np.random.default_rng(seed)
    rows = draw.permutation(np.arange(n) % k)
    cols = draw.permutation(np.arange(m) % k)
    return draw.poisson(np.where(rows[:, None] == cols[None], on, off)), rows, cols


def same(one, other):
    return np.array_equal(one[:, None] == one[None], other[:, None] == other[None])


@pytest.mark.parametrize("promise", [*promises(MDC()), *promises(Comraf())], ids=str)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("seed", range(5))
def test_planted_blocks_are_found_by_the_ready_made_schedule(seed):
    table, rows, _ = blocks(seed)
    found = MDC(n_groups=5, restarts=4, random_state=seed).fit(table)
    assert same(found.labels_, rows)


@pytest.mark.parametrize(
    "params",
    [
        {"inference": "cliquewise"},
        {"schedule": "reverse", "restarts": 2},
        {},
        {"optimize": "shuffled", "polish": "icm"},
        {"optimize": "sharded", "restarts": 2},
    ],
    ids=["cliquewise", "reverse", "auto", "shuffled", "sharded"],
)
@pytest.mark.parametrize("seed", range(3))
def test_planted_blocks_are_found_from_both_sides(seed, params):
    table, rows, cols = blocks(seed)
    found = Comraf(n_groups={"members": 5, "columns": 5}, random_state=seed, **params).fit(table)
    assert same(found.labels_, rows)
    assert same(found.partitions_["columns"].labels, cols)


def test_observed_columns_are_left_as_they_are():
    table, rows, cols = blocks(7)
    apart = Comraf(n_groups=5, observed="columns", restarts=4, random_state=0).fit(table)
    assert same(apart.labels_, rows)
    assert list(apart.partitions_) == ["members"]
    known = Comraf(n_groups=5, observed={"columns": cols}, restarts=4, random_state=0).fit(table)
    assert same(known.labels_, rows)
    down = Comraf(
        n_groups=5, observed={"columns": cols}, upward=(), restarts=4, random_state=0
    ).fit(table)
    assert same(down.labels_, rows)


def test_a_second_table_helps_where_the_first_is_weak():
    weak, rows, _ = blocks(3, on=0.12, off=0.06)
    draw = np.random.default_rng(8)
    people = draw.poisson(np.where(rows[:, None] == np.arange(60)[None] % 5, 0.5, 0.1))

    def pairs_right(data):
        labels = MDC(n_groups=5, restarts=3, random_state=0).fit(data).labels_
        return np.mean((labels[:, None] == labels[None]) == (rows[:, None] == rows[None]))

    alone = pairs_right({("members", "words"): weak})
    both = pairs_right({("members", "words"): weak, ("members", "people"): people})
    assert both > alone + 0.05


def test_a_loop_is_made_where_it_is_asked_for():
    table, rows, _ = blocks(4, n=100, m=120)
    people = np.random.default_rng(0).poisson(
        np.where(rows[:, None] == np.arange(30)[None] % 5, 1.0, 0.1)
    )
    data = Links.of({("members", "words"): table, ("members", "people"): people})
    found = Comraf(
        graph="members-words, members-people, words-people", n_groups=5, restarts=3, random_state=1
    ).fit(data)
    assert same(found.labels_, rows)
    assert list(found.informations_) == ["members-words", "members-people", "words-people"]


@pytest.mark.parametrize("weights", ["mass", "one", "raw", "cap", {"members-columns": 3.0}])
def test_any_weights_of_one_table_give_the_same_groups(weights):
    table, rows, _ = blocks(5)
    assert same(
        MDC(n_groups=5, weights=weights, restarts=3, random_state=0).fit(table).labels_, rows
    )


def test_real_counts_of_the_same_blocks():
    table, rows, _ = blocks(6)
    assert same(MDC(n_groups=5, restarts=3, random_state=0).fit(table * 0.37).labels_, rows)


def test_a_sample_places_everyone():
    table, rows, _ = blocks(2)
    found = MDC(n_groups=5, sample=80, restarts=4, random_state=0).fit(table)
    assert same(found.labels_, rows)


def test_memory_that_does_not_do_is_said_before_the_work():
    with (
        using(memory="20KB"),
        pytest.raises(
            DataError, match=r"The counts of \d+ clusters by \d+ columns takes .* are allowed"
        ),
    ):
        MDC(n_groups=5, restarts=1, random_state=0).fit(blocks(0)[0])
