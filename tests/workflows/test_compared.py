"""Two groupings side by side: agreement against other code, matches and moves against all permutations, chance, words, joins."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, v_measure_score

from coterie.core.errors import DataError, ParameterError
from coterie.workflows.compared import Grouping, compare_groups


def side(name: str, labels, ids=None, **more) -> Grouping:
    labels = np.asarray(labels)
    return Grouping(
        name, [f"m{i}" for i in range(len(labels))] if ids is None else ids, labels, **more
    )


def noisy(n: int, k: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, k, n)
    return a, np.where(rng.random(n) < share, rng.permutation(k)[a], rng.integers(0, k, n))


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_those_of_other_code(seed):
    a, b = noisy(200, 5, 0.7, seed)
    found = {one.name: one for one in compare_groups(side("a", a), side("b", b), nulls=20).measures}
    assert found["adjusted Rand"].value == pytest.approx(adjusted_rand_score(a, b))
    assert found["NMI"].value == pytest.approx(v_measure_score(a, b))
    together = np.mean(
        [np.mean(b[a == a[i]] == b[i]) for i in range(200)]
    )  # of my old group, who is with me now
    apart = np.mean(
        [np.mean(a[b == b[i]] == a[i]) for i in range(200)]
    )  # of my new group, whom I know
    assert found["kept together"].value == pytest.approx(together)
    assert found["kept apart"].value == pytest.approx(apart)
    assert found["BCubed F"].value == pytest.approx(2 * together * apart / (together + apart))


@pytest.mark.parametrize("seed", range(5))
def test_as_few_as_can_be_are_said_to_move(seed):
    a, b = noisy(60, 4, 0.6, seed)
    found = compare_groups(side("a", a), side("b", b), nulls=5)
    fewest = min(int((np.array(names)[b] != a).sum()) for names in permutations(range(4)))
    assert int(found.moved.sum()) == len(found.movers()) == fewest


def test_flows_hold_every_member_once_and_movers_follow_them():
    a, b = noisy(120, 4, 0.6)
    b[:3] = -1
    a[2:5] = -1
    found = compare_groups(side("a", a), side("b", b), nulls=5)
    assert sum(flow.members for flow in found.flows) == 120
    for flow in found.flows:
        rows = found.movers(flow.first, flow.second)
        assert len(rows) == flow.members
        assert set(zip(a[rows], b[rows], strict=True)) == {(flow.first, flow.second)}
        assert found.moved[rows].any() != flow.stays
    assert not found.moved[2]  # in no group both times
    assert found.moved[0]
    assert found.moved[4]
    sizes = [
        sum(f.members for f in found.flows if (f.first, f.second) == (a[row], b[row]))
        for row in found.movers()
    ]
    assert sizes == sorted(sizes, reverse=True)


def test_the_same_groups_under_other_numbers_are_the_same():
    found = compare_groups(
        side("old", [0, 0, 1, 1, 2, 2]), side("new", [2, 2, 0, 0, 1, 1]), nulls=50
    )
    assert found.words.verdict() == "The groups are the same."
    assert found.words.sentences()[0] == "All 6 members are in the same groups in old and new."
    assert [one.value for one in found.measures] == [1.0] * 5
    assert {pair.sentence() for pair in found.pairs} == {"The same members."}


def test_chance_is_what_random_groups_of_the_same_sizes_get():
    rng = np.random.default_rng(3)
    a = rng.integers(0, 4, 300)
    b = rng.integers(0, 6, 300)
    found = compare_groups(side("a", a), side("b", b), nulls=199)
    assert abs(found.measures[0].chance) < 0.005
    assert found.p_value > 0.05
    assert found.words.verdict() == "The groups are no more alike than by chance."
    shuffled = [v_measure_score(a, rng.permutation(b)) for _ in range(199)]
    assert found.measures[1].chance == pytest.approx(np.mean(shuffled), abs=0.004)
    assert found.measures[1].most == pytest.approx(np.quantile(shuffled, 0.95), abs=0.01)
    alike = compare_groups(
        side("a", a), side("b", np.where(rng.random(300) < 0.6, a, b)), nulls=199
    )
    assert alike.p_value == 1 / 200
    assert alike.words.verdict() == "The groups are partly alike."


def test_one_group_each_says_nothing_beyond_chance():
    found = compare_groups(side("a", [0, 0, 0]), side("b", [0, 0, 0]), nulls=9)
    assert found.p_value == 1.0
    assert not found.moved.any()


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    a, b = noisy(100, 3, 0.5)
    one, two, other = (
        compare_groups(side("a", a), side("b", b), nulls=30, seed=seed) for seed in (1, 1, 2)
    )
    assert one.record(9) == two.record(9)
    assert one.measures[0].chance != other.measures[0].chance


def test_members_are_joined_by_their_ids_and_the_rest_is_said():
    first = side("a", [0, 0, 1, 1], ids=["w", "x", "y", "z"])
    second = side("b", [5, 1, 5, 1, 1], ids=["z", "x", "y", "w", "new"])
    found = compare_groups(first, second, nulls=5)
    assert len(found) == 4
    assert not found.moved.any()
    assert [second.ids[at] for at in found.at_second] == ["w", "x", "y", "z"]
    assert found.words.sentences()[-1] == "1 member of b is not in the other, and left out."
    with pytest.raises(
        DataError,
        match=r"a and b have no member in common \(ids are such as 'w' there and 'q' here\)",
    ):
        compare_groups(first, side("b", [0], ids=["q"]))


def test_groups_that_are_gone_and_new_say_where_their_members_are():
    first = side("a", [0] * 6 + [1] * 3 + [2] * 4, names={0: "tea", 1: "cups", 2: "cars"})
    second = side("b", [0] * 9 + [1, 1, 2, 2], names={0: "tea and cups", 1: "cars", 2: "wheels"})
    said = {
        pair.first_name or pair.second_name: pair.sentence()
        for pair in compare_groups(first, second, nulls=5).pairs
    }
    assert said == {
        "tea": "3 joined.",
        "cups": "Gone. All 3 went to 'tea and cups'.",
        "cars": "2 left.",
        "wheels": "New. All 2 came from 'cars'.",
    }
    assert (
        "Of the 3 groups of a, 2 changed, 1 is gone; b has 1 of its own."
        in compare_groups(first, second).words.sentences()
    )


def test_known_answers_say_which_is_better_and_whether_that_is_luck():
    truth = np.repeat(["x", "y", "z"], 40).astype(object)
    good = np.repeat([0, 1, 2], 40)
    bad = np.repeat([0, 1, 2], 40)
    bad[:30] = np.tile([1, 2], 15)
    first = side("good", good, answers={"kind": truth})
    second = side("bad", bad)
    against = compare_groups(first, second, nulls=5).against[0]
    assert (against.members, against.first[0], against.second[0]) == (120, 1.0, 0.75)
    assert against.test.discordant == 30
    assert (
        "good is right on 100% and bad on 75%; the difference is more than luck"
        in against.sentence(("good", "bad"))
    )
    same = compare_groups(first, side("same", good), nulls=5).against[0]
    assert (
        same.sentence(("good", "same"))
        == "Against 'kind' (120 members with a known answer) both are right on the same 100%."
    )
    truth[:] = None
    assert compare_groups(side("a", good, answers={"kind": truth}), second, nulls=5).against == ()


def test_any_labels_can_be_compared_from_python():
    one = Grouping.of("mine", [1, 2, 3, 4], ["tea", "tea", "car", None])
    two = Grouping.of("yours", ["1", "2", "3", "4"], [7, 7, 9, 9])
    found = compare_groups(one, two, nulls=9)
    assert [one.ids[found.at_first[row]] for row in found.movers()] == ["4"]
    assert found.record(5)["movers"] == [{"id": "4", "from": "in no group", "to": "9"}]
    assert found.words.further == ("The largest move: 1 member from no group to '9'.",)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: side("a", [0, 1], ids=["x"]), "'a' has 1 ids and 2 labels"),
        (lambda: side("a", [0, 1], ids=["x", "x"]), "Two members of 'a' have the id 'x'"),
    ],
)
def test_a_wrong_side_is_one_sentence(make, sentence):
    with pytest.raises(DataError, match=sentence):
        make()


def test_nulls_must_be_some():
    with pytest.raises(ParameterError, match="nulls must be a whole number from 1"):
        compare_groups(side("a", [0, 1]), side("b", [0, 1]), nulls=0)


def test_a_group_that_went_everywhere_is_dissolved():
    a = np.repeat([0, 1, 2, 3], [60, 60, 60, 60])
    b = np.concatenate([np.repeat([0, 1, 2], 60), np.repeat([0, 1, 2, 3], [24, 16, 15, 5])])
    both = compare_groups(side("a", a), side("b", b), nulls=5)
    found = {pair.first: pair for pair in both.pairs}
    assert (
        found[3].second is None
    )  # though the new fourth group is left for it, with five members of both
    assert both.moved[a == 3].all()
    assert "3 changed, 1 is gone; b has 1 of its own" in both.words.sentences()[2]
    assert found[3].sentence() == "Dissolved: the largest part (24 of 60) went to 'group 1'."
    assert found[None].sentence() == "New. All 5 came from 'group 4'."
