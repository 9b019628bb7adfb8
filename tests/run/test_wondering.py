"""Where a run is unsure: halves of a group, the next best group of a member, and groups found again."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.core.edits import applied
from coterie.core.findings import Findings
from coterie.run.steered import as_steered, given_names, with_names
from coterie.run.wondering import found_again, halves, nearest_group, next_group


@pytest.fixture(scope="module")
def findings() -> Findings:
    """Four tight clouds in two groups of two."""
    rng = np.random.default_rng(0)
    points = np.concatenate(
        [rng.normal(c, 0.3, size=(15, 2)) for c in ((0, 0), (0, 3), (20, 0), (20, 3))]
    )
    return coterie.explore(points, k=2, nulls=0).findings


def test_halves_are_the_two_clouds_of_a_group(findings: Findings) -> None:
    inside = np.flatnonzero(findings.labels == findings.labels[0])
    part = halves(findings, inside)
    assert len(part) == 15
    assert len({int(i) // 15 for i in part}) == 1
    assert len(halves(findings, np.array([0, 59]))) == 1


def test_the_next_group_is_that_of_other_neighbors(findings: Findings) -> None:
    assert next_group(findings, findings.labels, 0) == -1  # all neighbors are in its own
    other = findings.labels.copy()
    other[findings.neighbors[0]] = 7
    assert next_group(findings, other, 0) == 7


def test_the_nearest_other_group_where_all_neighbors_are_in_its_own(findings: Findings) -> None:
    own = int(findings.labels[0])
    assert nearest_group(findings, findings.labels, 0) == 1 - own  # by the map: no way leads there
    assert nearest_group(findings, np.zeros(60, dtype=np.int64), 0) == -1  # there is no other
    further = findings.labels.copy()
    around = np.append(findings.neighbors[0], 0)
    second = np.setdiff1d(findings.neighbors[findings.neighbors[0]].ravel(), around)
    further[second] = 7
    assert next_group(findings, further, 0) == -1
    assert nearest_group(findings, further, 0) == 7  # neighbors of neighbors come before the map


def test_groups_found_again_are_as_many_and_the_same_every_time(findings: Findings) -> None:
    runs = found_again(findings, 60, times=3)
    assert runs.shape == (4, 60)
    assert runs[0].tolist() == findings.labels.tolist()
    assert all(len(set(run.tolist())) == 2 for run in runs)
    assert np.array_equal(runs, found_again(findings, 60, times=3))


def test_names_a_person_gave_go_with_the_members(findings: Findings) -> None:
    from coterie.core.edits import Edit

    names = [group.name for group in findings.groups]
    state = applied(
        findings.labels, names, [Edit("rename", groups=(2,), name="right")], findings.ids
    )
    assert given_names(findings, state) == {1: "right"}
    turned = with_names(findings, 1 - findings.labels, {0: "was second"})
    assert turned.groups[1].name == "was second"
    assert turned.groups[0].name != "was second"


def test_steered_findings_have_the_sizes_of_now(findings: Findings) -> None:
    from coterie.core.edits import Edit

    names = [group.name for group in findings.groups]
    some = [findings.ids[i] for i in np.flatnonzero(np.asarray(findings.labels) == 0)[:5]]
    moved = Edit("split", groups=(1, 3), members=tuple(some), name="new")
    found = as_steered(findings, applied(findings.labels, names, [moved], findings.ids))
    sizes = {group.name: group.size for group in found.groups}
    assert sizes["new"] == 5
    assert sum(sizes.values()) == 60
    assert all(found.labels[i] == group.label for group in found.groups for i in group.typical)
