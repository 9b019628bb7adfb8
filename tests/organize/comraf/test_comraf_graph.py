"""The graph of populations: pairs in words, what is observed, weights by every rule, tables made over the members."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.oracles.moves import mutual

from coterie import Partition
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.organize.comraf.graph import Wishes, empty_rows, net_of

DRAW = np.random.default_rng(0)
WORDS = DRAW.poisson(1.0, (20, 12))
PEOPLE = DRAW.poisson(0.3, (20, 8))
CITED = DRAW.poisson(0.5, (12, 8))
LINKS = Links.of({("members", "words"): WORDS, ("members", "subject words"): PEOPLE})
LOOP = Links.of(
    {("members", "words"): WORDS, ("people", "members"): PEOPLE.T, ("words", "people"): CITED}
)


def names(net):
    return [net.called(edge) for edge in net.edges]


def test_all_tables_where_nothing_was_said():
    net = net_of(LOOP, Wishes("Comraf", n_groups=3))
    assert names(net) == ["members-words", "people-members", "words-people"]
    assert [node.name for node in net.nodes] == ["members", "words", "people"]
    assert [node.upward for node in net.nodes] == [True, False, False]
    assert net.nodes[0].n_groups == 3
    assert np.array_equal(net.edges[1].seen_from(0).matrix.toarray(), PEOPLE)
    assert np.array_equal(net.edges[1].seen_from(2).matrix.toarray(), PEOPLE.T)
    assert [edge.across(0) for edge in net.around(0)] == [1, 2]
    assert net.components() == [[0, 1, 2]]


@pytest.mark.parametrize(
    "graph",
    [
        "members-words, members-subject words",
        "members - subject words; words-members",
        [("members", "words"), ("members", "subject words")],
    ],
)
def test_pairs_may_be_written(graph):
    net = net_of(LINKS, Wishes("Comraf", graph, 3))
    assert {frozenset(name.split("-")) for name in names(net)} == {
        frozenset(("members", "words")),
        frozenset(("members", "subject words")),
    }


def test_a_name_with_a_dash_is_found():
    links = Links.of({("members", "e-mail words"): WORDS})
    assert names(net_of(links, Wishes("Comraf", "members-e-mail words", 3))) == [
        "members-e-mail words"
    ]


def test_a_table_between_two_others_is_made_over_the_members():
    net = net_of(
        LINKS, Wishes("Comraf", "members-words, members-subject words, words-subject words", 3)
    )
    made = net.edges[2].counts.matrix.toarray()
    assert np.array_equal(made, (WORDS > 0).astype(int).T @ (PEOPLE > 0).astype(int))
    assert net.edges[2].counts.whole


def test_stored_zeros_do_not_count_as_meetings():
    import scipy.sparse as sp

    stored = sp.csr_array(WORDS.astype(float) + 1)
    stored.data -= 1
    links = Links.of({("members", "words"): stored, ("members", "people"): PEOPLE})
    made = (
        net_of(links, Wishes("Comraf", "members-words, words-people", 3))
        .edges[1]
        .counts.matrix.toarray()
    )
    assert np.array_equal(made, (WORDS > 0).astype(int).T @ (PEOPLE > 0).astype(int))


def test_the_graph_leaves_out_what_it_does_not_name():
    net = net_of(LOOP, Wishes("Comraf", "members-words", 3))
    assert [node.name for node in net.nodes] == ["members", "words"]


@pytest.mark.parametrize(
    ("graph", "sentence"),
    [
        (
            "members-cats",
            "graph must name pairs of members, words, people, such as 'members-people', and names 'members-cats'",
        ),
        ("members", "and names 'members'"),
        ("members-members", "graph ties 'members' to itself; give the links a copy"),
        ("members-words, words-members", "graph names words-members twice"),
        ("", "graph must be pairs of populations"),
        ([], "graph must be pairs of populations"),
        (3, "graph must be pairs of populations, such as 'members-words', and was 3"),
        ([("members", "words", "people")], "graph must name pairs"),
    ],
)
def test_pairs_that_do_not_do(graph, sentence):
    with pytest.raises(ParameterError, match=f"Comraf: .*{sentence}"):
        net_of(LOOP, Wishes("Comraf", graph, 3))


def test_no_table_and_none_to_make_it_from():
    links = Links.of({("members", "words"): WORDS, ("words", "people"): CITED})
    with pytest.raises(
        ParameterError, match="graph asks for members-people, and there is no such table"
    ):
        net_of(links, Wishes("Comraf", "members-words, members-people", 3))


@pytest.mark.parametrize(
    ("rule", "betas"),
    [
        ("one", [1, 1, 1]),
        ("mass", [1, PEOPLE.sum() / WORDS.sum(), CITED.sum() / WORDS.sum()]),
        ("raw", [1 / mutual(WORDS), 1 / mutual(PEOPLE), 1 / mutual(CITED)]),
        ("cap", [1 / math.log(3), 1 / math.log(3), 1 / math.log(5)]),
        ({"members-words": 2, ("people", "words"): 0.0}, [2, 1, 0]),
    ],
)
def test_weights_by_every_rule(rule, betas):
    net = net_of(LOOP, Wishes("Comraf", None, {"members": 3, "words": 5}, (), rule))
    assert [edge.beta for edge in net.edges] == pytest.approx(betas)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"members-cats": 1.0}, "weights must name pairs of members, words, people"),
        (
            {"members-words": -1.0},
            "the weight of members-words must be a number from 0, and was -1.0",
        ),
        ({"members-words": np.nan}, "must be a number from 0"),
        ({"members-words": "much"}, "must be a number from 0, and was 'much'"),
        ({"members-words": None}, "must be a number from 0, and was None"),
        ("heavy", "weights must be mass . root . one . raw . cap or a mapping"),
        (
            5,
            "weights must be mass . root . one . raw . cap or a mapping of pair to number, and was 5",
        ),
    ],
)
def test_weights_that_do_not_do(rule, sentence):
    with pytest.raises(ParameterError, match=f"Comraf: .*{sentence}"):
        net_of(LOOP, Wishes("Comraf", None, 3, (), rule))


def test_a_weight_of_a_pair_that_is_no_edge():
    with pytest.raises(
        ParameterError, match="weights names words-people, which is no edge of the graph"
    ):
        net_of(
            LOOP, Wishes("Comraf", "members-words, members-people", 3, (), {"words-people": 1.0})
        )


def test_a_table_that_tells_nothing_weighs_nothing_by_its_information():
    links = Links.of({("members", "words"): WORDS, ("members", "people"): np.ones((20, 5))})
    assert net_of(links, Wishes("Comraf", None, 3, (), "raw")).edges[1].beta == 0.0
    one = net_of(links, Wishes("Comraf", None, {"members": 3, "people": 1}, (), "cap"))
    assert one.edges[1].beta == 0.0


@pytest.mark.parametrize(
    ("observed", "labels"),
    [
        ("words", np.arange(12)),
        (["words"], np.arange(12)),
        ({"words": None}, np.arange(12)),
        ({"words": list("aabbccaabbcc")}, [0, 0, 1, 1, 2, 2] * 2),
        ({"words": Partition.of([0, 1] * 6)}, [0, 1] * 6),
    ],
)
def test_observed_populations_have_their_clusters(observed, labels):
    net = net_of(LOOP, Wishes("Comraf", None, 3, observed))
    assert net.nodes[1].known.tolist() == list(labels)
    assert net.hidden == [0, 2]


def test_elements_of_an_observed_population_in_no_group_are_left_out_of_its_tables():
    groups = [0, 1, None, 1] * 3
    net = net_of(LOOP, Wishes("Comraf", None, 3, {"words": groups}))
    kept = np.array([g is not None for g in groups])
    assert np.array_equal(net.edges[0].counts.matrix.toarray(), WORDS * kept)
    assert np.array_equal(net.edges[2].counts.matrix.toarray(), CITED * kept[:, None])
    assert net.edges[0].counts.total == WORDS[:, kept].sum()


@pytest.mark.parametrize(
    ("observed", "error", "sentence"),
    [
        (
            "members",
            ParameterError,
            "observed must name populations beside the target .words, people., and names 'members'",
        ),
        ("cats", ParameterError, "and names 'cats'"),
        ({"words": [0, 1]}, DataError, "observed gives 2 groups for the 12 elements of 'words'"),
        (7, ParameterError, "observed must be names of populations, or a mapping, and was 7"),
    ],
)
def test_observed_that_does_not_do(observed, error, sentence):
    with pytest.raises(error, match=f"Comraf: .*{sentence}"):
        net_of(LOOP, Wishes("Comraf", None, 3, observed))


@pytest.mark.parametrize(
    ("upward", "found"), [(None, [0]), ("words", [1]), (("members", "words"), [0, 1])]
)
def test_who_unites(upward, found):
    net = net_of(LOOP, Wishes("Comraf", None, 3, upward=upward))
    assert [at for at, node in enumerate(net.nodes) if node.upward] == found


def test_reverse_turns_the_directions_round():
    assert [
        node.upward for node in net_of(LOOP, Wishes("Comraf", None, 3, reverse=True)).nodes
    ] == [False, True, True]
    with pytest.raises(
        ParameterError, match="the reverse schedule splits 'members', so upward cannot name it"
    ):
        net_of(LOOP, Wishes("Comraf", None, 3, upward="members", reverse=True))


@pytest.mark.parametrize(
    ("upward", "sentence"),
    [("cats", "and names 'cats'"), (3, "upward must be names of populations, and was 3")],
)
def test_upward_that_does_not_do(upward, sentence):
    with pytest.raises(
        ParameterError, match=f"Comraf: upward must .*{sentence}|Comraf: .*{sentence}"
    ):
        net_of(LOOP, Wishes("Comraf", None, 3, upward=upward))


def test_rows_that_meet_nothing_anywhere():
    words = WORDS.copy()
    people = PEOPLE.copy()
    words[[3, 5]] = 0
    people[[5, 6]] = 0
    net = net_of(
        Links.of({("members", "words"): words, ("members", "people"): people}),
        Wishes("Comraf", None, 3),
    )
    empty = np.flatnonzero(empty_rows(net, 0)).tolist()
    assert empty == [x for x in range(20) if not words[x].any() and not people[x].any()]
    assert 5 in empty
    assert 3 not in empty or not people[3].any()


def test_another_target():
    net = net_of(Links.of(LOOP, "words"), Wishes("Comraf", None, {"words": 4}))
    assert net.nodes[net.target].name == "words"
    assert net.nodes[0].upward
