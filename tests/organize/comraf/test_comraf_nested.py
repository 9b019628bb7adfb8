"""Nested groups of the members: the cut at the final number gives the groups, heights rise by what unions lose."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

from coterie.core.links import Links
from coterie.organize import MDC, Comraf
from coterie.organize.comraf.graph import Wishes, net_of
from coterie.organize.comraf.inference import State, objective
from coterie.organize.comraf.nested import nested

DRAW = np.random.default_rng(3)
WORDS = DRAW.poisson(0.8, (60, 40))


def together(labels):
    return labels[:, None] == labels[None]


@pytest.mark.parametrize(
    "method",
    [
        MDC(n_groups=6, restarts=2, random_state=0),
        MDC(n_groups=6, restarts=2, polish=None, random_state=0),
        MDC(n_groups=6, restarts=2, polish="icm", random_state=1),
        Comraf(n_groups=6, restarts=2, schedule="reverse", random_state=0),
        Comraf(
            n_groups={"members": 6, "columns": 5},
            restarts=2,
            inference="cliquewise",
            random_state=0,
        ),
        MDC(n_groups=60, restarts=1, random_state=0),
        MDC(n_groups=1, restarts=1, random_state=0),
    ],
)
def test_the_cut_gives_the_groups(method):
    found = method.fit(WORDS)
    k = found.partition_.n_groups
    assert found.hierarchy_.n_members == 60
    assert is_valid_linkage(found.hierarchy_.merges)
    assert (np.diff(found.hierarchy_.heights) >= 0).all()
    assert np.array_equal(together(found.hierarchy_.cut(k).labels), together(found.labels_))


def test_members_in_no_group_join_at_the_very_end():
    words = WORDS.copy()
    words[[2, 30, 59]] = 0
    found = MDC(n_groups=5, restarts=2, random_state=0).fit(words)
    inside = found.labels_ >= 0
    cut = found.hierarchy_.cut(5 + 3).labels
    assert np.array_equal(together(cut[inside]), together(found.labels_[inside]))
    assert all((cut == cut[alone]).sum() == 1 for alone in (2, 30, 59))
    one = found.hierarchy_.cut(4).labels
    assert len(np.unique(one[inside])) == 1
    assert is_valid_linkage(found.hierarchy_.merges)


def test_the_first_member_may_be_the_one_in_no_group():
    words = WORDS[:8].copy()
    words[[0, 7]] = 0
    found = MDC(n_groups=6, restarts=1, random_state=0).fit(words)
    assert is_valid_linkage(found.hierarchy_.merges)
    assert found.hierarchy_.n_members == 8


def test_heights_above_the_groups_are_what_the_unions_lose():
    net = net_of(Links.of(WORDS), Wishes("Comraf", None, 4))
    labels = DRAW.permutation(np.arange(60) % 4)
    words = np.arange(40) % 7
    state = State((labels, words), (4, 7))
    tree = nested(net, state, ())
    heights = tree.heights[-3:]
    for k, height in zip((3, 2, 1), heights, strict=True):
        coarse = State((tree.cut(k).labels, words), (k, 7))
        assert objective(net, state) - objective(net, coarse) == pytest.approx(height, abs=1e-12)
    assert not tree.heights[:-3].any()


def test_finer_clusters_hang_inside_their_group():
    found = MDC(n_groups=4, restarts=2, polish=None, random_state=2).fit(WORDS)
    fine = found.levels_[0]
    cells = len({(int(a), int(b)) for a, b in zip(fine, found.labels_, strict=True)})
    assert cells > 4
    cut = found.hierarchy_.cut(cells).labels
    assert np.array_equal(together(cut), together(fine) & together(found.labels_))
    middle = found.hierarchy_.cut((cells + 4) // 2).labels
    assert not (together(middle) & ~together(found.labels_)).any()
