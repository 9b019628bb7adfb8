"""Contrast: made-up members, the similarity of shared leaves (Shi and Horvath), and a partition by one tree."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.tree import DecisionTreeClassifier
from tests.oracles.sic_tables import shared_leaves

from coterie import Table
from coterie.compare import SIC
from coterie.compare.sic.contrast import Contrast, made_up
from coterie.compare.sic.contrast_tree import contrast_tree
from coterie.compare.sic.nearest import Nearest
from coterie.compare.sic.roles import Draw
from coterie.compare.sic.samples import Samples
from coterie.compare.sic.trees import Tree
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import small_seed, stream
from coterie.judge import adjusted_rand
from coterie.parts.pairwise import dense


def table(n: int = 400) -> Table:
    rng = np.random.default_rng(0)
    base = rng.normal(size=n)
    color = (base > 0.5).astype(float)
    color[::10] = np.nan
    return Table(
        np.column_stack([base, base**3 + 0.01 * rng.normal(size=n), color]),
        ("a", "b", "color"),
        {2: ("red", "white")},
    )


def test_made_up_members_have_the_marginals_and_no_relation() -> None:
    real = table()
    made = made_up(real, "marginals", np.random.default_rng(1), n=20_000)
    assert made.names == real.names
    assert made.categories == real.categories
    for j in range(2):
        assert set(made.values[:, j]) <= set(real.values[:, j])
        assert np.nanquantile(made.values[:, j], [0.1, 0.5, 0.9]) == pytest.approx(
            np.nanquantile(real.values[:, j], [0.1, 0.5, 0.9]), abs=0.1
        )
    assert np.isnan(made.values[:, 2]).mean() == pytest.approx(0.1, abs=0.02)
    assert np.corrcoef(real.values[:, :2].T)[0, 1] > 0.7
    assert abs(np.corrcoef(made.values[:, :2].T)[0, 1]) < 0.03


def test_uniform_fills_the_box_and_refuses_words() -> None:
    real = Table.of(np.asarray(table().values)[:, :2])
    made = made_up(real, "uniform", np.random.default_rng(1), n=5000)
    low = real.values.min(axis=0)
    high = real.values.max(axis=0)
    assert (made.values >= low).all()
    assert (made.values <= high).all()
    assert made.values.mean(axis=0) == pytest.approx((low + high) / 2, rel=0.05, abs=0.3)
    with pytest.raises(DataError, match="column 'color' holds words"):
        made_up(table(), "uniform", np.random.default_rng(1))
    with pytest.raises(DataError, match="dense table"):
        made_up(Table.of(sp.csr_array(np.eye(4))), "marginals", np.random.default_rng(1))


def test_out_of_bag_members_only() -> None:
    real = table(50)
    draw = Draw(0.05, lambda n: (2, n))
    task = Contrast(test="rest").annotate(real, Samples.of(real), draw, np.random.default_rng(2))
    assert len(task.train) == 50
    assert set(task.test).isdisjoint(task.train)
    assert set(task.test) | set(task.train) == set(range(50))
    assert len(task.contrast) == 50
    assert (
        len(Contrast().annotate(real, Samples.of(real), draw, np.random.default_rng(2)).test) == 50
    )


@pytest.mark.parametrize("test", ["all", "rest"])
def test_is_the_share_of_trees_with_the_same_leaf(test: str) -> None:
    rng = np.random.default_rng(3)
    values = np.repeat([[0.0, 0.0], [3.0, 3.0]], 20, axis=0) + rng.normal(size=(40, 2))
    ranks = np.argsort(np.argsort(values, axis=0), axis=0).astype(float)
    sic = SIC(
        diverter=Tree(leaves=True, min_leaf=3),
        annotator=Contrast(test=test),
        n_iterations=12,
        stop=1e-15,
        random_state=5,
    ).fit(Table.of(values))
    trees = []
    tested = []
    for i in range(12):
        generator = stream(5, i)
        train = np.sort(generator.integers(40, size=40))
        rows = generator.integers(40, size=(40, 2))
        contrast = np.take_along_axis(ranks, rows, axis=0)
        both = np.vstack([ranks[train], contrast]).astype(np.float32)
        twin = DecisionTreeClassifier(
            max_features="sqrt", min_samples_leaf=3, random_state=small_seed(generator)
        )
        trees.append(twin.fit(both, np.repeat([0, 1], 40)))
        tested.append(np.arange(40) if test == "all" else np.setdiff1d(np.arange(40), train))
    wanted = shared_leaves(trees, ranks, tested)
    np.fill_diagonal(wanted, 1.0)
    np.testing.assert_allclose(dense(sic.affinity_).values, wanted, atol=1e-12)


def test_needs_leaves_and_a_tree() -> None:
    for diverter, words in (
        (Tree(), r"Tree\(leaves=True\)"),
        (Nearest(), "cannot be trained on made-up members"),
    ):
        with pytest.raises(ParameterError, match=words):
            SIC(diverter=diverter, annotator=Contrast(), n_iterations=3, random_state=0).fit(
                table(40)
            )


def blobs(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], 60)
    return np.array([[0, 0], [8, 1], [2, 9]])[labels] + 0.4 * rng.normal(size=(180, 2)), labels


def test_one_tree_finds_boxes() -> None:
    values, labels = blobs()
    partition, boxes = contrast_tree(Table(values, ("east", "north")), merge=True, random_state=1)
    assert len(boxes) == partition.n_groups
    found = partition.labels >= 0
    assert found.mean() > 0.9
    assert adjusted_rand(partition.labels[found], labels[found]) > 0.9
    assert all("east" in box or "north" in box for box in boxes)
    for group, box in enumerate(boxes):
        if " or " not in box and "east at most" in box:
            edge = float(box.split("east at most ")[1].split(",")[0])
            assert values[partition.members(group), 0].max() <= edge + 0.01
    again, _ = contrast_tree(values, merge=True, random_state=1)
    assert np.array_equal(again.labels, partition.labels)
    parted, _ = contrast_tree(values, random_state=1)
    assert parted.n_groups >= partition.n_groups


def test_one_tree_refuses_what_has_no_box() -> None:
    with pytest.raises(DataError, match="holds words"):
        contrast_tree(table())
    values, _ = blobs()
    values[7, 1] = np.nan
    with pytest.raises(DataError, match="NaN at row 7, column 'x1'"):
        contrast_tree(values)
    with pytest.raises(DataError, match="sparse"):
        contrast_tree(sp.csr_array(np.eye(4)))
    with pytest.raises(ParameterError, match="min_leaf must be from 1"):
        contrast_tree(blobs()[0], min_leaf=0)
