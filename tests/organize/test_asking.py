"""Questions: cells that runs keep together, the pair worth asking, what answers change, and when asking no longer pays."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Hints
from coterie.core.errors import DataError, ParameterError
from coterie.core.partition import Hierarchy
from coterie.organize import Medoids, Question, Questions, Spectral, again_with
from coterie.organize.asking import coarser_of
from coterie.organize.cells import agreed_groups, cells_of

TRUTH = np.repeat([0, 1, 2, 3], 30)


def runs_of(rng: np.random.Generator, times: int = 4) -> np.ndarray:
    """Four true groups in six cells; runs unite some cells of different groups and split some of the same."""
    cells = np.repeat(np.arange(8), 15)  # two cells per group
    maps = [
        [0, 0, 1, 1, 2, 2, 3, 3],
        [0, 1, 1, 2, 2, 3, 3, 0],
        [0, 0, 1, 2, 3, 3, 3, 3],
        [0, 1, 2, 2, 3, 3, 1, 1],
    ]
    found = np.array([np.array(maps[t % 4])[cells] for t in range(times)])
    noisy = rng.random(found.shape) < 0.03
    return np.where(noisy, rng.integers(0, 4, found.shape), found)


def ask(asking: Questions, truth: np.ndarray, most: int = 20) -> int:
    """Answers of one who knows, as long as it pays; gives how many."""
    for count in range(most):
        question = asking.next_question()
        if not question.pays:
            return count
        one, other = question.members
        asking.answer(question, "together" if truth[one] == truth[other] else "apart")
    return most


def test_cells_are_what_all_runs_keep_together() -> None:
    runs = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, -1]])
    cells = cells_of(runs, runs[0])
    assert [sorted(some.tolist()) for some in cells.members] == [[0, 1], [3, 4], [2]]
    assert cells.of.tolist() == [0, 0, 2, 1, 1, -1]
    assert cells.runs[0, 2] == 2
    assert cells.runs[1, 2] == 1
    assert (cells.chance == cells.chance.T).all()
    assert cells.chance[0, 2] > cells.chance[1, 2] > cells.chance[0, 1] > 0


def test_the_surest_stands_for_a_cell() -> None:
    runs = np.array([[0, 0, 0, 1, 1, 1]] * 2)
    cells = cells_of(runs, runs[0], confidence=np.array([0.1, 0.9, 0.2, 0.3, 0.3, 0.5]))
    assert [int(some[0]) for some in cells.members] == [1, 5]


def test_consensus_of_equal_runs_is_the_run() -> None:
    runs = np.array([[0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 1, 1]])
    found = agreed_groups(runs)
    assert len(set(zip(found.tolist(), runs[0].tolist(), strict=True))) == 3


@pytest.mark.parametrize("seed", range(5))
def test_answers_bring_the_groups_nearer_to_the_truth(seed: int) -> None:
    from coterie.judge import judge_partition

    runs = runs_of(np.random.default_rng(seed))
    asking = Questions(runs, groups=runs[1])
    before = judge_partition(asking.partition().labels, TRUTH)["adjusted_rand"]
    count = ask(asking, TRUTH)
    after = judge_partition(asking.partition(4).labels, TRUTH)["adjusted_rand"]
    assert count >= 2
    assert after > max(before, 0.8)


def test_asking_stops_where_runs_agree() -> None:
    asking = Questions(np.array([TRUTH] * 4))
    question = asking.next_question()
    assert not question.pays
    assert question.members == ()
    assert "Nothing is left to ask" in question.sentence
    alone = Questions([[0] * 10] * 2).next_question()
    assert (alone.pays, alone.members) == (False, ())
    with pytest.raises(ParameterError, match="asks nothing"):
        asking.answer(question, "together")


def test_every_question_is_new_or_about_others_and_gains_fall_to_nothing() -> None:
    asking = Questions(runs_of(np.random.default_rng(1)), ids=[f"m{i}" for i in range(120)])
    seen = set()
    for _ in range(60):
        question = asking.next_question()
        if not question.members:
            break
        assert question.members not in seen
        assert f"'m{question.members[0]}'" in question.sentence
        seen.add(question.members)
        asking.answer(question, None)
    assert asking.next_question().members == ()
    assert asking.answers == []
    assert not asking.hints()


def test_hints_hold_the_pairs_and_label_whole_cells() -> None:
    runs = runs_of(np.random.default_rng(2))
    asking = Questions(runs, groups=runs[1])
    ask(asking, TRUTH)
    hints = asking.hints()
    assert len(hints.known) > 80
    assert len(hints.together) + len(hints.apart) == len(asking.answers)
    hints.consistent("test")
    right = [np.bincount(TRUTH[hints.labels == g]).max() for g in range(len(hints.names))]
    assert sum(right) / len(hints.known) > 0.9
    assert len(asking.pairs().known) == 0


def test_what_is_known_before_is_not_asked() -> None:
    runs = runs_of(np.random.default_rng(3))
    first = Questions(runs, groups=runs[1])
    question = first.next_question()
    pair = question.members
    again = Questions(runs, Hints.of(120, apart=[pair]), groups=runs[1]).next_question()
    assert again.members != pair
    known = Hints.of(120, {i: f"g{TRUTH[i]}" for i in range(0, 120, 5)})
    told = Questions(runs, known, groups=runs[1])
    assert len(told.answers) > 4
    assert told.next_question().gain < question.gain


def test_members_of_one_cell_that_are_apart_spoil_the_cell() -> None:
    asking = Questions(np.array([TRUTH] * 3))
    asking.told(0, 1, "apart")
    hints = asking.hints()
    assert not (hints.labels[:30] >= 0).any()
    assert (hints.labels[30:] >= 0).all()


def test_contradictions_and_nonsense_are_refused() -> None:
    asking = Questions([[0, 0, 1, 1]] * 2, ids=["a", "b", "c", "d"])
    asking.told(0, 1, "together")
    asking.told(1, 2, "together")
    with pytest.raises(DataError, match="'a' and 'c' are said to belong apart"):
        asking.told(0, 2, "apart")
    assert len(asking.answers) == 2
    with pytest.raises(ParameterError, match="'together', 'apart' or None"):
        asking.told(0, 3, "maybe")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="two different members of 4"):
        asking.told(0, 9, "apart")
    with pytest.raises(DataError, match="ids has 1 members, and the partitions have 4"):
        Questions([[0, 0, 1, 1]], ids=["a"])
    for strange in ([0, 1, 2], [[0.5, 1.0]], [], [[-2, 0]], [["a", "b"]]):
        with pytest.raises(DataError, match="partitions must be runs x members"):
            Questions(strange)
    with pytest.raises(ParameterError, match="n_groups must be from 1"):
        asking.partition(0)


def test_partition_keeps_apart_what_is_apart() -> None:
    asking = Questions([[0, 0, 1, 1, 2, 2]] * 2)
    asking.told(0, 2, "apart")
    assert asking.partition(2).n_groups == 2
    assert asking.partition(2).labels[0] != asking.partition(2).labels[2]
    asking.told(0, 4, "apart")
    asking.told(2, 4, "apart")
    with pytest.raises(DataError, match="cannot be kept apart in 2 groups"):
        asking.partition(2)


def test_seeds_of_any_organizer_are_runs() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(c, 1.2, size=(20, 2)) for c in (0, 4, 8)])
    from coterie import Affinity

    gaps = Affinity.of(np.linalg.norm(points[:, None] - points[None], axis=-1), kind="distance")
    runs = again_with(Spectral(n_groups=3), gaps, [0, 1, 2])
    assert runs.shape == (3, 60)
    assert np.array_equal(runs[:1], again_with(Spectral(n_groups=3), gaps, [0]))
    assert isinstance(Questions(runs).next_question(), Question)
    with pytest.raises(ParameterError, match="at least one seed"):
        again_with(Medoids(n_groups=3), gaps, [])


def test_coarser_partitions_say_which_groups_are_near() -> None:
    merges = np.array(
        [[0, 1, 0.1, 2], [2, 3, 0.1, 2], [6, 7, 0.5, 4], [4, 5, 0.6, 2], [8, 9, 0.9, 6]]
    )
    cuts = coarser_of(Hierarchy(merges), 4)
    assert [len(set(cut.tolist())) for cut in cuts] == [2, 3]
    runs = [[0, 0, 1, 1, 2, 3]] * 2
    near = Questions(runs, coarser=cuts)
    assert near.cells.chance[0, 1] > Questions(runs).cells.chance[0, 1]
    assert coarser_of(Hierarchy(merges), 2).shape == (0, 6)


def test_no_pair_is_asked_about_twice() -> None:
    asking = Questions([[0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    seen = []
    for _ in range(12):
        question = asking.next_question()
        if not question.members:
            break
        seen.append(question.members)
        asking.answer(question, "together" if question.members in ((0, 1), (2, 3)) else "apart")
    assert len(seen) == len(set(seen))


def test_a_pair_told_out_of_turn_is_not_asked() -> None:
    runs = runs_of(np.random.default_rng(1))
    asking = Questions(runs, groups=runs[1])
    first = asking.next_question().members
    cells = [asking.cells.members[asking.cells.of[i]] for i in first]
    asking.told(
        int(cells[0][1]), int(cells[1][1]), "together"
    )  # the second of each before the first
    said = {frozenset(pair[:2]) for pair in asking.answers}
    for _ in range(20):
        question = asking.next_question()
        if not question.members:
            break
        assert frozenset(question.members) not in said
        said.add(frozenset(question.members))
        asking.answer(
            question,
            "together" if TRUTH[question.members[0]] == TRUTH[question.members[1]] else "apart",
        )


def test_the_groups_keep_every_answer() -> None:
    asking = Questions([[0, 0, 0, 1, 1, 1]] * 2)
    asking.told(0, 3, "together")
    labels = asking.partition().labels
    assert labels[0] == labels[3]
    asking = Questions([[0, 0, 0, 1, 1, 1]] * 2)
    asking.told(0, 1, "apart")
    labels = asking.partition().labels
    assert labels[0] != labels[1]
    asking.told(1, 3, "together")
    labels = asking.partition(2).labels
    assert labels[0] != labels[1] == labels[3]
    assert len(set(labels.tolist())) == 2


@pytest.mark.parametrize("seed", range(4))
def test_random_answers_are_all_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = runs_of(rng)
    asking = Questions(runs, groups=runs[1])
    for _ in range(25):
        one, other = rng.choice(120, 2, replace=False).tolist()
        asking.told(one, other, "together" if TRUTH[one] == TRUTH[other] else "apart")
    for wanted in (None, 5):
        assert len(asking.pairs().broken(asking.partition(wanted).labels)) == 0


def test_hints_on_those_who_were_asked_about_alone() -> None:
    asking = Questions(np.array([TRUTH] * 3))
    asking.told(0, 30, "apart")
    assert len(asking.hints().known) == 120
    assert sorted(set((asking.hints(asked_only=True).known // 30).tolist())) == [0, 1]


def test_many_labeled_cells_are_taken_at_once() -> None:
    import time

    n = 300
    runs = np.array([np.arange(n) // 2, np.arange(n) // 2])
    known = Hints.of(n, {i: f"g{i % 10}" for i in range(0, n, 2)})
    begun = time.process_time()
    asking = Questions(runs, known, groups=runs[0])
    asking.next_question()
    assert time.process_time() - begun < 10  # every two cells by themselves took minutes
    assert (asking._times > 0).sum() == 150 * 149
    labels = asking.partition().labels
    assert labels[0] == labels[20] != labels[2]


def test_gaps_in_the_numbers_are_one_sentence() -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match="whole numbers from -1"):
            Questions([[float("nan"), 1.0]])


def test_what_a_person_changed_is_not_asked_about() -> None:
    runs = np.array([TRUTH] * 4)
    merged = np.where(TRUTH == 1, 0, TRUTH)
    asking = Questions(runs, groups=merged)
    assert {TRUTH[i] for i in asking.next_question().members} == {0, 1}
    asking.changed_from(TRUTH)
    assert asking.next_question().members == ()
