"""Bad input and edge cases of the methods of several populations: each has its sentence, its note, or a sensible result."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.organize import MDC, Comraf

DRAW = np.random.default_rng(1)
WORDS = DRAW.poisson(1.0, (24, 15))
PEOPLE = DRAW.poisson(0.5, (24, 6))
QUICK = {"restarts": 2, "random_state": 0}
BOTH = pytest.mark.parametrize("method", [MDC, Comraf])


def links(words=WORDS, **more):
    return Links.of(
        {("members", "words"): words, **{("members", name): table for name, table in more.items()}}
    )


def quiet(method, data, **params):
    """A fit that warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return method(**{**QUICK, **params}).fit(data)


def changed(row, col, value):
    table = WORDS.astype(float)
    table[row, col] = value
    return table


@BOTH
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (np.nan, "NaN at row 3, column 'x2'"),
        (np.inf, "infinity at row 3, column 'x2'"),
        (-1, "row '3', column 'x2' holds -1"),
    ],
)
def test_a_count_that_is_none_is_named(method, value, sentence):
    with pytest.raises(DataError, match=f"members-words: .*{sentence}"):
        method().fit({("members", "words"): changed(3, 2, value), ("members", "people"): PEOPLE})
    with pytest.raises(DataError, match=f"{method.__name__}: .*{sentence}"):
        method().fit(changed(3, 2, value))
    with pytest.raises(DataError, match=r"members-words: .*row '3', column 'x2'"):
        method().fit({("members", "words"): sp.csr_array(changed(3, 2, value))})


@BOTH
def test_real_weights_are_taken_as_they_are(method):
    half = quiet(method, links(WORDS / 2), n_groups=4)
    whole = quiet(method, links(), n_groups=4)
    assert any("members-words holds numbers that are not whole" in note for note in half.notes_)
    assert not any("not whole" in note for note in whole.notes_)
    assert half.objective_ == pytest.approx(whole.objective_, abs=0.05)
    assert len(np.unique(half.labels_)) == 4
    assert half.net_.edges[0].counts.val.dtype == np.float64


@BOTH
def test_an_empty_table_is_left_out_with_a_warning(method):
    with pytest.warns(
        UserWarning, match=f"{method.__name__}: members-people holds no count and was left out"
    ):
        found = method(**QUICK, n_groups=4).fit(links(people=np.zeros((24, 6))))
    assert found.notes_ == ("members-people holds no count and was left out.",)
    assert list(found.partitions_) == ["members", "words"]
    assert np.array_equal(found.labels_, quiet(method, links(), n_groups=4).labels_)


def test_what_was_said_of_a_table_left_out_is_passed_over():
    data = links(people=np.zeros((24, 6)))
    with pytest.warns(UserWarning, match="left out"):
        Comraf(
            **QUICK,
            n_groups={"members": 4, "people": 3},
            weights={"members-people": 2.0},
            upward=["members", "people"],
        ).fit(data)
    with pytest.warns(UserWarning, match="left out"):
        Comraf(**QUICK, n_groups=4, observed="people").fit(data)


@BOTH
def test_no_table_is_left_for_the_members(method):
    with (
        pytest.warns(UserWarning, match="left out"),
        pytest.raises(DataError, match="'members' is tied to nothing"),
    ):
        method(n_groups=2).fit(links(np.zeros((24, 15))))


@BOTH
def test_an_empty_row_on_one_table_counts_for_nothing_there(method):
    people = PEOPLE.copy()
    people[4] = 0
    found = quiet(method, links(people=people), n_groups=4)
    assert found.labels_[4] >= 0
    assert found.notes_ == ()


@BOTH
def test_members_that_meet_nothing_are_in_no_group(method):
    words = WORDS.copy()
    people = PEOPLE.copy()
    words[[4, 9]] = people[[4, 9]] = 0
    found = quiet(method, links(words, people=people), n_groups=4)
    assert found.labels_[[4, 9]].tolist() == [-1, -1]
    assert sorted(np.unique(found.labels_)) == [-1, 0, 1, 2, 3]
    assert "2 of 24 members have no count in any table and are in no group." in found.notes_
    assert found.partition_.confidence[4] == 0.0
    with pytest.raises(
        DataError, match="n_groups of 'members' is 23 and only 22 of them have any count"
    ):
        method(n_groups=23).fit(links(words, people=people))


def test_members_that_meet_nothing_may_go_to_the_largest_group():
    words = WORDS.copy()
    words[[4, 9]] = 0
    found = quiet(Comraf, links(words), n_groups=4, on_empty="spread")
    apart = quiet(Comraf, links(words), n_groups=4)
    assert found.labels_[4] == found.labels_[9] == 0
    assert (
        "2 of 24 members have no count in any table and are in the largest group." in found.notes_
    )
    others = np.delete(np.arange(24), [4, 9])
    same = apart.labels_[others][:, None] == apart.labels_[others][None]
    assert np.array_equal(found.labels_[others][:, None] == found.labels_[others][None], same)
    assert found.objective_ == apart.objective_


@BOTH
def test_words_that_meet_nothing_are_in_no_cluster(method):
    words = WORDS.copy()
    words[:, 7] = 0
    found = quiet(method, links(words), n_groups=4)
    assert found.partitions_["words"].labels[7] == -1
    with pytest.raises(
        DataError, match="n_groups of 'words' is 15 and only 14 of them have any count"
    ):
        method(n_groups={"members": 4, "words": 15}).fit(links(words))


@BOTH
@pytest.mark.parametrize(
    ("rows", "cols", "name", "twice"),
    [([*range(23), 3], range(15), "members", "3"), (range(24), [*range(14), 5], "words", "5")],
)
def test_an_id_that_is_there_twice_is_named(method, rows, cols, name, twice):
    table = Cooccurrence(sp.csr_array(WORDS), [str(i) for i in rows], [str(j) for j in cols])
    with pytest.raises(
        DataError, match=f"{method.__name__}: two elements of '{name}' have the id '{twice}'"
    ):
        method(n_groups=4).fit({("members", "words"): table})


@BOTH
def test_one_pair_given_from_both_sides_is_added(method):
    split = {("members", "words"): WORDS // 2, ("words", "members"): (WORDS - WORDS // 2).T}
    one = quiet(method, links(), n_groups=4)
    two = quiet(method, split, n_groups=4)
    assert list(two.informations_) == ["members-words"]
    assert np.array_equal(one.labels_, two.labels_)


@BOTH
def test_a_population_tied_to_itself_is_refused(method):
    with pytest.raises(
        DataError, match="cannot be tied to itself: 'words' to 'words'; give one side another name"
    ):
        method().fit({("members", "words"): WORDS, ("words", "words"): np.ones((15, 15))})


@BOTH
@pytest.mark.parametrize(
    ("n_groups", "error", "sentence"),
    [
        (25, DataError, "n_groups of 'members' is 25 and there are only 24 of them"),
        (0, ParameterError, "n_groups must be at least 1, and was 0"),
        (2.5, ParameterError, "n_groups of 'members' must be a whole number from 1, and was 2.5"),
        (True, ParameterError, "n_groups"),
        ("many", ParameterError, "n_groups must be a number from 1, and was 'many'"),
        (
            {"members": 0},
            ParameterError,
            "n_groups of 'members' must be a whole number from 1, and was 0",
        ),
        (
            {"members": 4, "words": 16},
            DataError,
            "n_groups of 'words' is 16 and there are only 15 of them",
        ),
        (
            {"members": 4, "cats": 2},
            ParameterError,
            "n_groups names 'cats', and the populations are members, words",
        ),
        (
            {"words": 2},
            ParameterError,
            "n_groups must say how many groups of 'members' there are, and names words",
        ),
        (
            {},
            ParameterError,
            "n_groups must say how many groups of 'members' there are, and names nothing",
        ),
        (None, ParameterError, "n_groups must be .*and was None"),
    ],
)
def test_a_number_of_groups_that_does_not_do(method, n_groups, error, sentence):
    with pytest.raises(error, match=f"{method.__name__}: .*{sentence}"):
        method(n_groups=n_groups).fit(links())


def test_groups_of_an_observed_population_are_refused():
    with pytest.raises(ParameterError, match="n_groups names 'words', which is observed"):
        Comraf(n_groups={"members": 3, "words": 3}, observed="words").fit(links())


@BOTH
@pytest.mark.parametrize("polish", [None, "icm", "raw"])
def test_one_group_and_everyone_apart(method, polish):
    one = quiet(method, links(), n_groups=1, polish=polish)
    assert one.labels_.tolist() == [0] * 24
    assert one.objective_ == pytest.approx(0.0, abs=1e-12)
    assert one.notes_ == ()
    assert one.hierarchy_.n_members == 24
    every = quiet(method, links(), n_groups=24, polish=polish)
    assert sorted(every.labels_) == list(range(24))
    assert every.hierarchy_.n_members == 24


@BOTH
@pytest.mark.parametrize("weights", ["mass", "one", "raw", "cap"])
def test_helpers_in_one_cluster_add_nothing(method, weights):
    found = quiet(
        method, links(people=PEOPLE), n_groups={"members": 4, "people": 1}, weights=weights
    )
    assert found.informations_["members-people"] == pytest.approx(0.0, abs=1e-12)
    assert (found.partitions_["people"].labels == 0).all()
    assert found.objective_ > 0.01
    assert len(np.unique(found.labels_)) == 4


@BOTH
def test_helpers_all_apart(method):
    found = quiet(method, links(), n_groups={"members": 4, "words": 15})
    assert sorted(found.partitions_["words"].labels) == list(range(15))


@BOTH
def test_populations_that_nothing_ties_to_the_members_are_clustered_by_themselves(method):
    draw = np.random.default_rng(0)
    blocks = draw.poisson(np.kron(np.eye(3), np.full((8, 6), 3.0)) + 0.05)
    data = {("members", "words"): WORDS, ("towns", "rivers"): blocks}
    with pytest.warns(
        UserWarning,
        match="'towns', 'rivers': no table ties them to 'members', and they are clustered by themselves",
    ):
        found = method(**QUICK, n_groups={"members": 4, "towns": 3}).fit(data)
    assert any("clustered by themselves" in note for note in found.notes_)
    truth = np.repeat(np.arange(3), 8)
    towns = found.partitions_["towns"].labels
    assert np.array_equal(towns[:, None] == towns[None], truth[:, None] == truth[None])
    alone = quiet(method, links(), n_groups=4)
    assert found.informations_["members-words"] == pytest.approx(
        alone.informations_["members-words"], rel=0.2
    )


def test_everything_top_down_is_refused():
    for data in (links(), {("members", "words"): WORDS, ("towns", "rivers"): PEOPLE}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ParameterError, match="every population would start as one cluster"):
                Comraf(n_groups=4, upward=()).fit(data)
    found = quiet(Comraf, links(), n_groups=4, upward=(), observed="words")
    assert len(np.unique(found.labels_)) == 4


@pytest.mark.filterwarnings("ignore:Comraf")
def test_a_part_of_the_graph_that_is_all_top_down_is_refused():
    with pytest.raises(ParameterError, match="every population would start as one cluster"):
        Comraf(n_groups=4, upward="members").fit(
            {("members", "words"): WORDS, ("towns", "rivers"): PEOPLE}
        )


@BOTH
def test_a_helper_of_one_element_is_left_out_with_a_warning(method):
    with pytest.warns(
        UserWarning, match="members-people was left out: a population of one element tells nothing"
    ):
        found = method(**QUICK, n_groups=4).fit(links(people=np.ones((24, 1))))
    assert np.array_equal(found.labels_, quiet(method, links(), n_groups=4).labels_)
    with pytest.raises(DataError, match="there is only one of 'members', and nothing to group"):
        method(n_groups=1).fit(links(WORDS[:1]))


def test_a_table_of_two_observed_sides_is_left_out_with_a_warning():
    data = {
        ("members", "words"): WORDS,
        ("members", "people"): PEOPLE,
        ("words", "people"): np.ones((15, 6)),
    }
    with pytest.warns(UserWarning, match="words-people: both sides are observed"):
        found = Comraf(**QUICK, n_groups=4, observed=("words", "people")).fit(data)
    assert list(found.informations_) == ["members-words", "members-people"]


@BOTH
def test_shapes_that_do_not_fit_are_refused(method):
    with pytest.raises(DataError, match="'members' has 24 ids in one table and 23 in another"):
        method().fit(links(people=PEOPLE[:23]))


@BOTH
def test_rows_that_are_all_alike_run_with_a_warning(method):
    with pytest.warns(UserWarning, match="No table holds any information: all rows are alike"):
        found = method(**QUICK, n_groups=4).fit(np.ones((20, 5)))
    assert found.objective_ == pytest.approx(0.0, abs=1e-9)
    assert len(np.unique(found.labels_)) == 4
    assert any("No table holds any information" in note for note in found.notes_)
    assert all(0 <= share <= 1 for share in found.retained_.values())


@BOTH
def test_identical_members_are_kept_apart_and_grouped(method):
    kinds = np.eye(4, 12, dtype=int) * 5 + np.eye(4, 12, 6, dtype=int) * 3
    found = quiet(method, np.repeat(kinds, 6, axis=0), n_groups=4)
    truth = np.repeat(np.arange(4), 6)
    assert np.array_equal(
        found.labels_[:, None] == found.labels_[None], truth[:, None] == truth[None]
    )
    assert len(found.labels_) == 24


def test_a_schedule_that_ends_too_early_says_so():
    with pytest.warns(
        UserWarning, match="The schedule left 12 groups of 'members', and 4 were asked for"
    ):
        found = Comraf(**QUICK, n_groups=4, schedule="words*2 members").fit(links())
    assert any("The schedule left 12 groups" in note for note in found.notes_)


@BOTH
def test_texts_are_refused_in_one_sentence(method):
    for data in (["a text", "another"], np.array(["a text", "another"])):
        with pytest.raises(
            DataError,
            match="takes links or a table of counts, and was given texts; count their words first",
        ):
            method().fit(data)


@BOTH
def test_new_members_that_share_nothing_are_named(method):
    found = quiet(method, links(), n_groups=4)
    with pytest.raises(DataError, match="the new members share no column with the fitted ones"):
        found.predict({("members", "people"): PEOPLE})
    with pytest.raises(DataError, match="row '1', column 'x0' holds -1"):
        found.predict({("members", "words"): [[1, 0], [-1, 0]]})
    some = np.vstack([WORDS[:2], np.zeros((1, 15))])
    assert found.predict({("members", "words"): some})[2] == -1


@pytest.mark.parametrize(
    "params",
    [
        {"trials": 0},
        {"passes": 0},
        {"restarts": 0},
        {"polish": "wax"},
        {"inference": "magic"},
        {"optimize": "x"},
    ],
)
def test_parameters_out_of_range_are_named(params):
    with pytest.raises(ParameterError, match=f"Comraf: {next(iter(params))} must be"):
        Comraf(**params).fit(links())


def test_cliquewise_needs_all_numbers():
    with pytest.raises(
        ParameterError, match="cliquewise needs n_groups of every population, and 'words' has none"
    ):
        Comraf(n_groups=4, inference="cliquewise").fit(links())
