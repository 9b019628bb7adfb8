"""Clusters of what members are tied to: planted ones are found and named by what tells most; meetings are ratios to chance."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Cooccurrence, Partition
from coterie.core.links import Links
from coterie.parts.moves import Counts
from coterie.workflows.meetings import lift_of, pictured, told

GROUPS = np.repeat(np.arange(3), 20)


def tied(seed: int = 0) -> Links:
    generator = np.random.default_rng(seed)
    ids = [f"m{i}" for i in range(60)]

    def table(name: str, width: int, rate: float) -> Cooccurrence:
        own = (
            np.arange(width)[None, :] % 4 == GROUPS[:, None]
        )  # every fourth element belongs to no group
        counts = generator.poisson(np.where(own, rate, 0.05))
        return Cooccurrence(counts, ids, [f"{name}{j}" for j in range(width)])

    return Links(
        {
            ("members", "words"): table("w", 40, 2.0),
            ("members", "correspondents"): table("p", 16, 1.0),
        }
    )


def test_ratio_to_chance() -> None:
    lift = lift_of(np.array([[8, 0], [0, 8]]))
    assert lift.tolist() == [[8.5 / 4.5, 0.5 / 4.5], [0.5 / 4.5, 8.5 / 4.5]]
    assert lift_of(np.ones((3, 2))).tolist() == [[1.0, 1.0]] * 3


def test_what_an_element_tells_is_a_sum_over_members() -> None:
    generator = np.random.default_rng(4)
    counts = Counts.of(generator.poisson(0.4, (12, 30)) * generator.integers(1, 9, (12, 30)))
    partition = Partition(np.arange(30) % 3)
    usual = np.bincount(partition.labels) / 30
    expected = []
    for row in counts.matrix.toarray():
        inside = np.bincount(partition.labels[row > 0], minlength=3)
        share = inside / max(inside.sum(), 1)
        gain = sum(p * np.log(p / q) for p, q in zip(share, usual, strict=True) if p > 0)
        expected.append(inside.sum() / 30 * max(gain, 0.0))
    assert told(counts, partition) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("known", [True, False])
def test_planted_clusters_are_hot_for_their_own_group(known: bool) -> None:
    links = tied()
    partition = Partition(GROUPS)
    own = (
        {"words": Partition(np.arange(40) % 8), "correspondents": Partition(np.arange(16))}
        if known
        else {}
    )
    populations, meetings = pictured(links, partition, own, 0)
    assert [one.name for one in populations] == ["words", "correspondents"]
    for one in populations:
        assert one.lift.shape == (len(one.clusters), 3)
        assert len(one.clusters) <= 6
        assert sum(cluster.size for cluster in one.clusters) == one.size
        assert sum(cluster.share for cluster in one.clusters) == pytest.approx(1.0)
        for group in range(3):
            hottest = one.hottest(group)
            assert hottest is not None
            assert {int(name[1:]) % 4 for name, _ in hottest.telling[:2]} == {group}
            assert hottest.name == ", ".join(name for name, _ in hottest.telling[:3])
            strengths = [value for _, value in hottest.telling]
            assert strengths == sorted(strengths, reverse=True)
    (meeting,) = meetings
    assert meeting.lift.shape == (len(populations[1].clusters), len(populations[0].clusters))
    row, col = np.unravel_index(int(meeting.lift.argmax()), meeting.lift.shape)
    assert (
        int(meeting.rows[row].split(",")[0][1:]) % 4
        == int(meeting.columns[col].split(",")[0][1:]) % 4
    )
    assert f"{meeting.rows[row]} on {meeting.columns[col]}" in meeting.sentence


def test_clusters_of_the_first_group_come_first() -> None:
    (words, _), _ = pictured(tied(), Partition(GROUPS), {}, 0)
    hot = [int(row.argmax()) for row in words.lift if row.max() >= 1.5]
    assert hot == sorted(hot)


def test_lift_is_that_of_the_elements_of_each_cluster() -> None:
    links = tied()
    (words, _), _ = pictured(links, Partition(GROUPS), {}, 0)
    counts = links.between("members", "words").counts.toarray()
    by_group = np.array([counts[g == GROUPS].sum(axis=0) for g in range(3)]).T
    small = [
        at for at, cluster in enumerate(words.clusters) if cluster.size <= len(cluster.telling)
    ]
    assert small
    for at, cluster in enumerate(words.clusters):
        if at in small:
            inside = [int(name[1:]) for name, _ in cluster.telling]
            total = by_group.sum()
            expected = by_group[inside].sum() * by_group.sum(axis=0) / total
            assert words.lift[at] == pytest.approx(
                (by_group[inside].sum(axis=0) + 0.5) / (expected + 0.5)
            )


def test_a_single_group_has_nothing_beside_it() -> None:
    assert pictured(tied(), Partition(np.zeros(60, dtype=int)), {}, 0) == ((), ())


def test_members_in_no_group_and_empty_elements_do_not_count() -> None:
    labels = np.where(np.arange(60) % 20 == 0, -1, GROUPS)
    links = tied()
    empty = Cooccurrence(
        np.hstack([links.between("members", "words").counts.toarray(), np.zeros((60, 2))]),
        links.ids["members"],
        [f"w{j}" for j in range(42)],
    )
    (words,), meetings = pictured(Links({("members", "words"): empty}), Partition(labels), {}, 0)
    assert words.size == 40
    assert not meetings
