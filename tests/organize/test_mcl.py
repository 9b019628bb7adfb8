"""MCL against its definition and against the reference program; edges of its input; tuning and placing newcomers."""

from __future__ import annotations

import shutil
import subprocess
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.graphs import caves, hubs, planted, small_world
from tests.oracles.mcl import groups_of, limit_of

from coterie import Affinity
from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.organize import MCL, mcl
from coterie.organize.mcl import graph_of

PROGRAM = shutil.which("mcl")
GRAPHS = {
    "planted": planted(200, 5, 0.3, 0.02, 0),
    "planted weights": planted(300, 6, 0.3, 0.03, 2, weighted=True),
    "random weights": planted(150, 1, 0.05, 0.05, 3, weighted=True),
    "caves": caves(10, 8, 0.15, 1),
    "small world": small_world(120, 6, 0.1, 3),
    "hubs": hubs(200, 3, 2),
    "club": hubs(34, 3, 0),
    "lonely": sp.csr_array(sp.block_diag([caves(3, 5, 0.1, 0), sp.csr_array((2, 2))])),
}


def sets(labels):
    return sorted(
        (frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)), key=min
    )


def reference(links, inflation, folder):
    """The partition of the program mcl."""
    upper = sp.coo_array(sp.triu(links, 1))
    lines = [
        f"{i}\t{j}\t{w!r}"
        for i, j, w in zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
    ]
    alone = np.flatnonzero(np.asarray(links.sum(axis=1)).ravel() == 0)
    lines += [f"{i}\t{i}\t1.0" for i in alone.tolist()]
    (folder / "graph").write_text("\n".join(lines) + "\n")
    command = [
        PROGRAM,
        str(folder / "graph"),
        "--abc",
        "-I",
        str(inflation),
        "-o",
        str(folder / "groups"),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    groups = [
        frozenset(map(int, line.split())) for line in (folder / "groups").read_text().splitlines()
    ]
    return sorted(groups, key=min)


@pytest.mark.skipif(PROGRAM is None, reason="the program mcl is not installed")
@pytest.mark.parametrize("inflation", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("name", GRAPHS)
def test_same_groups_as_the_program(name, inflation, tmp_path):
    links = GRAPHS[name]
    found = MCL(inflation=inflation).fit(Graph(links, "similarity"))
    assert sets(found.labels_) == reference(links, inflation, tmp_path)


@pytest.mark.parametrize(("inflation", "expansion"), [(2.0, 2), (1.7, 2), (2.0, 3)])
@pytest.mark.parametrize("name", ["caves", "club", "lonely"])
def test_same_groups_as_the_definition(name, inflation, expansion):
    links = GRAPHS[name]
    found = MCL(inflation=inflation, expansion=expansion).fit(Graph(links, "similarity"))
    assert found.converged_
    assert sets(found.labels_) == groups_of(limit_of(links.toarray(), inflation, 1e-5, expansion))


def test_keeping_few_entries_still_finds_clear_groups():
    links = caves(6, 12, 0.02, 4)
    assert sets(MCL(keep=4).fit(Graph(links, "similarity")).labels_) == sets(np.arange(72) // 12)


def test_workers_change_nothing():
    links = Graph(planted(500, 5, 0.2, 0.01, 1, weighted=True), "similarity")
    results = []
    for workers in (1, 3):
        with using(n_jobs=workers):
            found = MCL().fit(links)
        results.append((found.labels_.tolist(), found.history_))
    assert results[0] == results[1]


def test_dense_lazy_and_graph_of_all_links_agree():
    values = planted(60, 3, 0.8, 0.1, 0, weighted=True).toarray()
    lazy = Lazy(lambda a, b: values[np.ix_(a, b)], np.arange(60), np.arange(60), "similarity")
    for clean in (False, True):
        wanted = MCL(clean=clean).fit(Graph(values, "similarity")).labels_
        assert np.array_equal(MCL(clean=clean).fit(Dense(values, "similarity")).labels_, wanted)
        assert np.array_equal(MCL(clean=clean).fit(lazy).labels_, wanted)


def test_members_that_are_all_alike_are_one_group():
    values = np.ones((30, 30))
    assert set(MCL().fit(Dense(values, "similarity")).labels_) == {0}
    far = np.zeros((30, 30))
    np.fill_diagonal(far, 1.0)
    assert len(set(MCL().fit(Dense(far, "similarity")).labels_)) == 30


def test_cleaning_is_row_scores_above_zero_both_ways():
    values = np.random.default_rng(0).random((7, 7))
    values = (values + values.T) / 2
    scores = np.zeros_like(values)
    for i in range(7):
        others = np.delete(values[i], i)
        scores[i] = np.maximum((values[i] - others.mean()) / others.std(), 0)
        scores[i, i] = 0
    assert np.allclose(
        graph_of(Dense(values, "similarity"), clean=True).toarray(), (scores + scores.T) / 2
    )


def test_target_is_reached_by_tuning():
    links = Graph(GRAPHS["planted"], "similarity")
    assert MCL(inflation=4.0).fit(links).partition_.n_groups != 5
    found = MCL(target_groups=5).fit(links)
    assert found.partition_.n_groups == 5
    assert 1.1 <= found.inflation_ <= 10


def test_member_between_two_groups_is_named():
    path = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(3, 3))
    line = sp.csr_array(sp.diags_array([np.ones(4), np.ones(4)], offsets=[-1, 1], shape=(5, 5)))
    found = MCL().fit(Graph(line, "similarity"))
    assert found.shared_.tolist() == [2]
    assert found.labels_[2] == found.labels_[0]
    assert MCL().fit(Graph(path, "similarity")).partition_.n_groups == 1


def test_confidence_is_the_share_of_links_that_stay():
    links = np.zeros((7, 7))
    links[:3, :3] = links[3:6, 3:6] = 1.0
    links[2, 3] = links[3, 2] = 0.25
    np.fill_diagonal(links, 0)
    found = MCL().fit(Graph(links, "similarity"))
    assert found.partition_.confidence == pytest.approx([1, 1, 2 / 2.25, 2 / 2.25, 1, 1, 1])


def test_newcomers_go_where_their_links_go():
    links = caves(4, 6, 0.0, 0)
    found = MCL().fit(Graph(links, "similarity"))
    new = np.zeros((3, 24))
    new[0, [1, 2, 20]] = [1.0, 1.0, 1.5]
    new[1, 20] = 0.1
    assert found.predict(Graph(new, "similarity")).tolist() == [
        found.labels_[1],
        found.labels_[20],
        -1,
    ]
    with pytest.raises(DataError, match="fitted on a similarity"):
        found.predict(Affinity.of(new, kind="distance"))


@pytest.mark.parametrize(
    ("values", "kind", "groups"),
    [
        (np.zeros((1, 1)), "similarity", 1),
        (np.zeros((4, 4)), "similarity", 4),
        (np.zeros((4, 4)), "distance", 1),
        (np.ones((5, 5)), "similarity", 1),
        (-np.ones((3, 3)), "similarity", 3),
    ],
)
def test_degenerate_affinities(values, kind, groups):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = MCL(clean=False).fit(Affinity.of(values, kind=kind))
    assert found.partition_.n_groups == groups
    assert np.isfinite(found.partition_.confidence).all()


def test_bad_parameters_are_refused():
    links = Graph(GRAPHS["club"], "similarity")
    with pytest.raises(ParameterError, match="inflation"):
        MCL(inflation=1.0).fit(links)
    with pytest.raises(DataError, match="members x members"):
        MCL().fit(Dense(np.zeros((2, 3)), "similarity", False))


def test_columns_sum_to_one_where_more_are_equal_than_are_kept():
    flow = mcl._columns(sp.csr_array(np.ones((40, 40)) - np.eye(40)))
    found, _ = mcl._round(flow, 2, 2.0, 1e-5, keep=10)
    columns = np.add.reduceat(found["val"].astype(float), found["ptr"][:-1].astype(int))
    assert np.diff(found["ptr"].astype(int)).tolist() == [10] * 40
    assert columns == pytest.approx(np.ones(40), abs=1e-6)
