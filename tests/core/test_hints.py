"""Hints: ids and positions, what belongs together over several steps, what cannot all be true, parts, and files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coterie import Hints
from coterie.core.errors import DataError, ParameterError

IDS = ["a", "b", "c", "d", "e"]


def test_labels_by_id_by_position_and_as_a_list():
    by_id = Hints.of(IDS, {"a": "x", "d": "y"})
    assert by_id.labels.tolist() == [0, -1, -1, 1, -1]
    assert by_id.names == ("x", "y")
    assert Hints.of(5, {0: "x", 3: "y"}).labels.tolist() == by_id.labels.tolist()
    assert Hints.of(5, ["x", None, "", "y", float("nan")]).labels.tolist() == by_id.labels.tolist()
    assert by_id.known.tolist() == [0, 3]
    assert by_id
    assert not Hints.of(5)


def test_chunks_close_over_pairs_and_labels():
    hints = Hints.of(IDS, {"a": "x", "e": "x"}, together=[("b", "c"), ("c", "d")])
    assert hints.chunks().tolist() == [0, 1, 1, 1, 2]
    assert hints.chunks(labels=True).tolist() == [0, 1, 1, 1, 0]


def test_hints_that_cannot_all_be_true_are_refused_by_name():
    with pytest.raises(
        DataError, match="'a' and 'c' are said to belong apart, and other hints put them together"
    ):
        Hints.of(IDS, together=[("a", "b"), ("b", "c")], apart=[("a", "c")]).consistent("MDC", IDS)
    with pytest.raises(
        DataError, match="'a' and 'b' belong together by the hints, and are labeled 'x' and 'y'"
    ):
        Hints.of(IDS, {"a": "x", "b": "y"}, together=[("a", "b")]).consistent("MDC", IDS)
    with pytest.raises(DataError, match="member 0 cannot be apart from itself"):
        Hints.of(2, apart=[(0, 0)]).consistent("MDC")
    same = Hints.of(IDS, {"a": "x", "b": "x"}, apart=[("a", "b")])
    assert same.consistent("MDC") is same  # labels are no law there
    with pytest.raises(DataError, match="belong apart"):
        Hints.of(IDS, {"a": "x", "b": "x"}, apart=[("a", "b")], scheme="constrained").consistent(
            "MDC"
        )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Hints.of(IDS, {"z": "x"}), "labels name z, who is not a member"),
        (
            lambda: Hints.of(IDS, dict.fromkeys(map(str, range(12)), "x")),
            "and 2 more, who are no members",
        ),
        (lambda: Hints.of(IDS, ["x"]), "1 labels for 5 members"),
        (lambda: Hints.of(IDS, together=[("a",)]), "must name two members"),
        (lambda: Hints.of(IDS, apart=[("a", "q")]), "pairs apart name q"),
    ],
)
def test_bad_hints_are_one_sentence(make, words):
    with pytest.raises(DataError, match=words):
        make()


def test_settings_out_of_range():
    with pytest.raises(
        ParameterError, match="scheme must be one of intrinsic, constrained, seeded"
    ):
        Hints.of(3, scheme="other")
    with pytest.raises(ParameterError, match="pair_weight must be a number from 0"):
        Hints.of(3, pair_weight=-1)
    with pytest.raises(ParameterError, match="label_weight must be a number from 0"):
        Hints.of(3, label_weight=float("nan"))


def test_the_trust_in_labels():
    assert Hints.of(3).trust == 1.0
    assert Hints.of(3, label_weight=0.3).trust == 0.3
    assert Hints.of(3, scheme="constrained").trust == np.inf


def test_a_part_remembers_who_belonged_together_by_one_that_is_gone():
    hints = Hints.of(
        IDS, {"a": "x"}, together=[("a", "b"), ("b", "c")], apart=[("a", "d"), ("b", "e")]
    )
    part = hints.take([3, 2, 0])
    assert part.chunks().tolist() == [0, 1, 1]
    assert part.labels.tolist() == [-1, -1, 0]
    assert part.apart.tolist() == [[2, 0]]


def test_what_groups_break():
    hints = Hints.of(4, together=[(0, 1), (0, 2)], apart=[(2, 3), (0, 3)])
    assert hints.broken(np.array([0, 0, 1, 1])).tolist() == [[0, 2], [2, 3]]
    assert hints.broken(np.array([0, 0, 0, 1])).tolist() == []
    assert hints.broken(np.array([0, 0, 0, -1])).tolist() == []


def test_a_record_can_be_written_and_read():
    hints = Hints.of(
        IDS,
        {"a": "x"},
        together=[("a", "b")],
        apart=[("c", "d")],
        scheme="constrained",
        label_weight=2.0,
    )
    again = Hints.of_record(IDS, json.loads(json.dumps(hints.record(IDS))))
    assert again.record(IDS) == hints.record(IDS)
    assert again.pair_weight == np.inf
    assert Hints.of_record(IDS, {"labels": {"a": "x"}}).label_weight is None


def test_soft_hints_may_disagree_and_laws_may_not():
    soft = Hints.of(
        3,
        ["x", "y", None],
        together=[(0, 1)],
        apart=[(0, 1)],
        scheme="constrained",
        label_weight=0.3,
        pair_weight=1.0,
    )
    assert soft.consistent("MDC") is soft
    with pytest.raises(
        DataError, match="belong together by the hints, and are labeled 'x' and 'y'"
    ):
        Hints.of(3, ["x", "y", None], together=[(0, 1)]).consistent("MDC")


def test_a_part_of_weighted_pairs_has_those_pairs_and_no_others():
    chain = Hints.of(4, together=[(0, 1), (1, 2)], pair_weight=1.0)
    assert chain.take([0, 2, 3]).together.tolist() == []
    assert chain.take([1, 2]).together.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: Hints.of(["a", "a"]), DataError, "two members have the id 'a'"),
        (lambda: Hints.of(["a", "b"], together=[5]), DataError, "must name two members, and was 5"),
        (
            lambda: Hints.of(["a", "b"], together=["ab"]),
            DataError,
            "must name two members, and was 'ab'",
        ),
        (lambda: Hints(np.array([0, 3]), ("a",)), DataError, "a label number 3, and only 1 names"),
        (
            lambda: Hints(np.array([-1, -1]), together=np.array([[0, -2]])),
            DataError,
            "names the member -2, and there are 2",
        ),
        (
            lambda: Hints.of(2, [0, 1], label_weight=np.inf),
            ParameterError,
            "a law with scheme='constrained' only",
        ),
    ],
)
def test_more_bad_hints(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_members_are_called_by_id_where_ids_are_known():
    assert Hints.of(["a", "b"]).take([1]).called(0) == "'b'"
    assert Hints.of(2).called(1) == "member 1"
