"""Schedules: the two of the literature step by step, numbers that are always reached, and schedules written by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import ParameterError
from coterie.core.links import Links
from coterie.organize.comraf.graph import Edge, Net, Node, Wishes, net_of
from coterie.organize.comraf.inference import Search, climb
from coterie.organize.comraf.schedule import ready_made, reverse, written
from coterie.parts.moves import Counts


def net(docs=1000, words=500, k=10, reverse=False, more=(), **groups):
    """Documents tied to words (and more), no counts to speak of."""
    sizes = {"d": docs, "w": words, **dict(more)}
    nodes = tuple(
        Node(name, range(n), None, k if name == "d" else groups.get(name), (name == "d") != reverse)
        for name, n in sizes.items()
    )
    edges = []
    for at, n in enumerate(sizes.values()):
        if at:
            longest = np.arange(max(docs, n))
            counts = Counts.of(
                sp.csr_array(
                    (np.ones(len(longest)), (longest % docs, longest % n)), shape=(docs, n)
                )
            )
            edges.append(Edge((0, at), counts, counts.flipped()))
    return Net(nodes, tuple(edges), 0)


def said(found, steps):
    return " ".join(found.nodes[step.node].name + "!" * step.exhaustive for step in steps)


def test_twenty_newsgroups_take_twenty_one_iterations():
    found = net(19997, 60000, 20)
    steps = ready_made(found, 4, 4)
    assert said(found, steps) == "w w w w " + "d w " * 8 + "d!"
    assert len(steps) == 21
    assert 2 ** said(found, steps).split().count("w") == 4096


def test_the_reverse_schedule_takes_eight():
    """Five splits of the documents to 32, two unions of the words, and one union at a time to 20."""
    found = net(19997, 60000, 20, reverse=True)
    steps = reverse(found, 4)
    assert said(found, steps) == "d d d d w d w d!"
    assert len(steps) == 8


@pytest.mark.parametrize(
    ("k", "words"),
    [
        (1, "w d!"),
        (2, "d w d!"),
        (8, "d d d w d!"),
        (16, "d d d d w d!"),
        (100, "d d d d w d w d w d w d!"),
    ],
)
def test_the_reverse_schedule_splits_as_often_as_the_groups_need(k, words):
    found = net(1000, 500, k, reverse=True)
    assert said(found, reverse(found, 4)) == words


def test_few_words_split_no_further_than_apart():
    found = net(1000, 6, 10)
    steps = said(found, ready_made(found, 4, 4)).split()
    assert steps.count("w") == 3
    assert steps[-1] == "d!"


def test_words_end_with_the_number_asked_for():
    """More word clusters than the turns of the documents would bring: the missing splits come before the last unions."""
    found = net(100, 2000, 10, w=200)
    steps = said(found, ready_made(found, 4, 4)).split()
    assert steps.count("w") == 8
    assert steps[-1] == "d!"
    assert "w!" not in steps
    many = net(100, 500, 10, w=400)
    assert said(many, ready_made(many, 4, 4)).endswith("w w! d!")
    few = net(1000, 500, 10, w=5)
    assert said(few, ready_made(few, 4, 4)).split().count("w") == 3


def test_only_elements_that_meet_anything_are_halved():
    found = net(1000, 500, 5)
    counts = sp.lil_array(found.edges[0].counts.matrix)
    counts[100:] = 0
    counts = Counts.of(counts.tocsr())
    part = Net(found.nodes, (Edge((0, 1), counts, counts.flipped()),), 0)
    assert said(part, ready_made(part, 4, 4)).split().count("d") == 3


def test_two_populations_that_unite_take_turns():
    found = net(100, 50, 10)
    found = Net((found.nodes[0], Node("w", range(50), None, 5, True)), found.edges, 0)
    assert said(found, ready_made(found, 4, 4)) == "d w d w w! d!"
    assert said(found, ready_made(found, 4, 2)) == "d w d w d w w! d!"


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ("w*4 (d w)*2 d!", "w w w w d w d w d!"),
        ("w, w, d!", "w w d!"),
        ("(w (d w)*2)*2 d!", "w d w d w w d w d w d!"),
        ("w * 2 d !", "w w d!"),
        ("(d!)", "d!"),
        ("w*0 d!", "d!"),
        ("d!*2", "d! d!"),
    ],
)
def test_a_schedule_in_words(words, steps):
    found = net()
    assert said(found, written(words, found, "Comraf")) == steps


def test_names_with_spaces_and_names_that_begin_alike():
    found = net(more={"subject words": 30, "subject": 20}.items())
    assert (
        said(found, written("subject words*2 subject d!", found, "Comraf"))
        == "subject words subject words subject d!"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("x*4 d!", r"schedule must be made of d, w, brackets, '\*n' and '!', and has 'x\*4 d!'"),
        ("w*4 (d w", "a bracket that is not closed"),
        ("w*4 d)", "a closing bracket too many"),
        ("*4 d", "'\\*4' with nothing before it"),
        ("(d w)!", "'!' without one population before it"),
        ("! d", "'!' without one population before it"),
        ("w*x", r"and has '\*x'"),
        ("", "names no population"),
        ("   ", "names no population"),
        ("()", "names no population"),
        ("w*1000000000", "schedule has 1000000000 steps, and 10000 are the most"),
        ("((w*100)*100)*100 d!", "10000 are the most"),
        (None, "schedule must be auto, reverse, or words"),
        (["w", "d!"], "schedule must be auto, reverse, or words"),
    ],
)
def test_a_schedule_that_cannot_be_read(words, sentence):
    with pytest.raises(ParameterError, match=f"Comraf: .*{sentence}"):
        written(words, net(), "Comraf")


def test_observed_populations_have_no_turn():
    counts = np.random.default_rng(0).poisson(1.0, (20, 10))
    links = Links.of({("members", "words"): counts, ("members", "people"): counts})
    found = net_of(links, Wishes("Comraf", n_groups=3, observed="people"))
    assert {found.nodes[step.node].name for step in ready_made(found, 4, 4)} == {"members", "words"}
    with pytest.raises(ParameterError, match="made of members, words, brackets"):
        written("people members!", found, "Comraf")


@pytest.mark.parametrize(
    "groups",
    [
        {"members": 7, "words": 23},
        {"members": 1, "words": 1},
        {"members": 40},
        {"members": 3, "words": 60},
    ],
)
@pytest.mark.parametrize("back", [False, True])
def test_every_schedule_ends_with_the_groups_asked_for(groups, back):
    counts = np.random.default_rng(1).poisson(1.0, (40, 60))
    found = net_of(
        Links.of({("members", "words"): counts}), Wishes("Comraf", n_groups=groups, reverse=back)
    )
    steps = reverse(found, 4) if back else ready_made(found, 4, 4)
    state = climb(found, steps, Search(1, 1.0), 0, "Comraf").state
    for name, k in groups.items():
        at = found.place(name)
        assert state.sizes[at] == len(np.unique(state.labels[at])) == k
