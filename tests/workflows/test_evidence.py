"""How many groups and whether there are any: evenness, the choice of k, strength, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from coterie.collect.samples import sample
from coterie.compare import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.findings import Evidence
from coterie.core.workplace import using
from coterie.messages.exploration import explain_evidence
from coterie.pipeline import Pipeline
from coterie.workflows import evidence
from coterie.workflows.choices import Choices
from coterie.workflows.evidence import evenness, weigh
from coterie.workflows.null_models import Draw, of_points
from coterie.workflows.prepared import ByPopulation, PreparedCollection, distances_by
from coterie.workflows.strategies import ByAffinity


class Points(PreparedCollection):
    """Rows as they are, by their distances."""

    def part_values(self, rows: np.ndarray) -> np.ndarray:
        return self.data.values[rows]

    def compare_part(self, values: np.ndarray) -> Affinity:
        return distances_by(self.comparer, values)

    def null_models_of(self, values: np.ndarray) -> Mapping[str, Draw]:
        return of_points(values)

    def describe(self, labels: np.ndarray, n_groups: int) -> list[ByPopulation]:
        return [{} for _ in range(n_groups)]


def _weigh(points: np.ndarray, **choices: Any) -> Evidence:
    collection = Collection([str(i) for i in range(len(points))], {"points": points})
    pipeline = Pipeline([Euclidean()]).fit(collection.view())
    return weigh(Points(collection, "points", pipeline, []), ByAffinity(Choices(**choices)))


def test_evenness() -> None:
    assert evenness(np.repeat([0, 1, 2], 7), 3) == pytest.approx(1)
    assert evenness(np.zeros(9, dtype=int), 3) == pytest.approx(1 / 3)
    lopsided = evenness(np.array([0] * 98 + [1, 2]), 3)
    assert lopsided == pytest.approx(
        math.exp(-(0.98 * math.log(0.98) + 2 * 0.01 * math.log(0.01))) / 3
    )
    assert lopsided < 0.4


def test_the_planted_number_is_chosen_and_explained() -> None:
    points = sample("blobs", 150).view().values
    found = _weigh(points, max_k=10, nulls=6, seed=0)
    assert (found.n_groups, found.chosen, found.structured) == (5, True, True)
    assert found.ks == tuple(range(2, 11))
    assert len(found.scores) == len(found.null_mean) == len(found.null_sd) == 9
    assert found.p_value == pytest.approx(1 / 7)
    assert "6 copies without groups (one cloud, one box)" in explain_evidence(found)[0]
    assert explain_evidence(found)[1].startswith("5 groups: the smallest number")
    assert (np.diff(found.eigenvalues) <= 1e-9).all() or (np.diff(found.eigenvalues) >= -1e-9).all()


@pytest.mark.parametrize(("n", "dims"), [(200, 1), (60, 2), (100, 3)])
def test_two_far_clouds_are_seen_however_few_members_or_dimensions(n: int, dims: int) -> None:
    points = np.random.default_rng(n).normal(size=(n, dims))
    points[: n // 2, 0] += 20
    found = _weigh(points, max_k=30, nulls=12, seed=0)
    assert found.structured
    assert (
        found.n_groups == 2 or dims == 1
    )  # on a line, the neighbors of dense stretches fall apart as well


def test_a_given_number_is_kept_and_compared() -> None:
    points = sample("blobs", 150).view().values
    for k, said in ((5, "also what coterie would choose"), (3, "coterie would choose 5")):
        found = _weigh(points, k=k, max_k=10, nulls=2, seed=0)
        assert (found.n_groups, found.chosen) == (k, False)
        assert said in explain_evidence(found)[-1]


def test_without_nulls_nothing_is_claimed() -> None:
    found = _weigh(sample("blobs", 100).view().values, max_k=8, nulls=0, seed=0)
    assert math.isnan(found.p_value)
    assert "was not tested (nulls is 0)" in explain_evidence(found)[-1]
    assert found.null_mean == ()


def test_a_null_among_its_own_is_not_structured() -> None:
    points = np.random.default_rng(4).normal(size=(120, 3))
    found = _weigh(points, max_k=8, nulls=4, seed=0)
    assert not found.structured
    assert found.n_groups == 1
    assert "groups are claimed from 4" in explain_evidence(found)[0]


def test_one_null_is_enough_to_say_something_finite() -> None:
    found = _weigh(sample("blobs", 80).view().values, max_k=6, nulls=1, seed=0)
    assert np.isfinite([found.p_value, *found.null_mean, *found.null_sd]).all()


def test_seed_and_workers() -> None:
    points = np.random.default_rng(4).normal(size=(80, 3))
    with using(n_jobs=1):
        one = _weigh(points, max_k=6, nulls=3, seed=1)
    with using(n_jobs=2):
        two = _weigh(points, max_k=6, nulls=3, seed=1)
    assert one == two
    assert _weigh(points, max_k=6, nulls=3, seed=2).null_mean != one.null_mean


def test_nulls_of_points_keep_spread_and_lose_groups() -> None:
    points = sample("blobs", 300).view().values
    for draw in of_points(points).values():
        one = draw(np.random.default_rng(0))
        two = draw(np.random.default_rng(0))
        assert one.tobytes() == two.tobytes()
        assert one.shape[0] == 300
        assert np.sqrt((one.var(axis=0)).sum()) == pytest.approx(
            np.sqrt(points.var(axis=0).sum()), rel=0.15
        )


def test_every_family_of_nulls_is_beaten_by_its_own_spread() -> None:
    own = np.array([[3.0, 2.0], [3.0, 2.0]])
    means = np.array(
        [[[2.0, 1.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]]
    )  # families x witnesses x ks
    spreads = np.array([[0.1, 0.1], [0.5, 0.5]])  # a high and narrow family, and a low and wide one
    assert evidence._strength(own, means, spreads) == pytest.approx(
        6.0
    )  # 10 and 6 deviations; together they would give 2
    means[0, 1] += 2.0
    assert evidence._strength(own, means, spreads) == pytest.approx(
        -10.0
    )  # one witness of one family is enough to deny
