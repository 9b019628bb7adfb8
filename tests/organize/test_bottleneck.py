"""The bottleneck family against its slow twins: same start and order, same groups; the cheapest unions; planted blocks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import bottleneck as slow

from coterie.core.errors import DataError, Interrupted, ParameterError
from coterie.core.links import Links
from coterie.core.random import streams
from coterie.core.workplace import using
from coterie.organize import ITCC, AgglomerativeIB, Comraf, SequentialIB
from coterie.organize.comraf.flat import net_of_own, star_of, unions
from coterie.organize.comraf.inference import rows_of, started
from coterie.organize.itcc import refilled
from coterie.parts.moves import Clusters, dealt


def counts_of(seed, n=26, width=14, rate=1.2):
    """Counts with some structure, no empty row."""
    generator = np.random.default_rng(seed)
    rates = generator.gamma(0.6, rate, size=(4, width))[generator.integers(4, size=n)]
    table = generator.poisson(rates)
    table[np.arange(n), generator.integers(width, size=n)] += 1
    return table


def weights_of(seed, n=16, width=9):
    """Real weights, no two costs alike."""
    return np.random.default_rng(seed).gamma(0.5, 1.0, size=(n, width)) + 1e-3


def blocks(seed):
    """200 x 300, five co-clusters, Poisson 0.6 inside and 0.03 outside."""
    generator = np.random.default_rng(seed)
    rows = np.repeat(np.arange(5), 40)
    cols = np.repeat(np.arange(5), 60)
    return generator.poisson(np.where(rows[:, None] == cols[None, :], 0.6, 0.03)), rows, cols


def sets(labels):
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels) if g >= 0}


def star(data, weights="mass"):
    """The net of these tables with the members alone hidden, and everyone apart."""
    wishes = SequentialIB(n_groups=1, weights=weights).wishes()
    net = star_of(net_of_own(Links.of(data), wishes), 0, {}, wishes)
    return net, rows_of(net, 0, started(net))


class TestSequential:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("make", [counts_of, weights_of])
    def test_same_start_and_order_give_the_same_groups(self, make, seed):
        table = make(seed)
        found = SequentialIB(n_groups=4, restarts=1, sweeps=6, random_state=seed).fit(table)
        generator = streams(seed, 1)[0]
        start = dealt(len(table), 4, generator)
        orders = [generator.permutation(len(table)) for _ in range(6)]
        expected = slow.sweeps([table], [1.0], start, 4, orders)
        assert sets(found.labels_) == sets(expected)
        assert found.objective_ == pytest.approx(slow.kept([table], [1.0], expected, 4), abs=1e-12)

    @pytest.mark.parametrize(
        ("given", "power"), [({}, 1.0), ({"weights": "root"}, 0.5), ({"weights": "one"}, 0.0)]
    )
    def test_two_tables_count_by_their_weights(self, given, power):
        one = counts_of(1)
        other = counts_of(2, width=6, rate=0.4)
        found = SequentialIB(n_groups=3, **given, restarts=1, random_state=5).fit(
            Links.of({("members", "a"): one, ("members", "b"): other})
        )
        generator = streams(5, 1)[0]
        start = dealt(len(one), 3, generator)
        betas = [1.0, (other.sum() / one.sum()) ** power]
        expected = slow.sweeps(
            [one, other], betas, start, 3, [generator.permutation(len(one)) for _ in range(30)]
        )
        assert sets(found.labels_) == sets(expected)
        assert found.objective_ == pytest.approx(
            slow.kept([one, other], betas, expected, 3), abs=1e-12
        )
        assert set(found.informations_) == {"members-a", "members-b"}

    @pytest.mark.parametrize("seed", range(3))
    def test_is_a_configuration_of_comraf(self, seed):
        table = counts_of(seed, n=60)
        own = SequentialIB(n_groups=5, restarts=3, sweeps=30, random_state=seed).fit(table)
        general = Comraf(
            n_groups=5,
            observed=("columns",),
            inference="cliquewise",
            rounds=30,
            restarts=3,
            random_state=seed,
        ).fit(table)
        assert np.array_equal(own.labels_, general.labels_)
        assert own.objective_ == general.objective_

    def test_objective_is_that_of_comraf_for_any_groups(self):
        table = counts_of(3, n=40)
        general = Comraf(n_groups=4, observed=("columns",), restarts=2, random_state=0).fit(table)
        assert general.objective_ == pytest.approx(
            slow.kept([table], [1.0], general.labels_, 4), abs=1e-12
        )

    def test_sweeps_never_lower_the_objective_and_the_best_start_is_kept(self):
        table = counts_of(4, n=80)
        ends = [SequentialIB(n_groups=6, restarts=r, random_state=1).fit(table) for r in (1, 4)]
        assert ends[1].objective_ >= ends[0].objective_
        for found in ends:
            values = [value for _, _, value in found.history_]
            assert np.all(np.diff(values) >= -1e-12)
            assert values[-1] == pytest.approx(found.objective_, abs=1e-12)

    def test_a_run_that_was_cut_off_goes_on_to_the_same_groups(self, monkeypatch):
        monkeypatch.setattr("coterie.parts.iterate._KEEP_EVERY", -1.0)
        table = counts_of(6, n=120)
        whole = SequentialIB(n_groups=6, restarts=2, random_state=2).fit(table)
        assert len(whole.history_) > 3
        kept: dict = {}

        class Cut:
            left = 3

            def get(self, key):
                return dict(kept[key]) if key in kept else None

            def put(self, key, arrays):
                if not self.left:
                    raise Interrupted("cut off")
                self.left -= 1
                kept[key] = {name: np.array(value) for name, value in arrays.items()}

        with using(n_jobs=1, keeper=Cut()), pytest.raises(Interrupted):
            SequentialIB(n_groups=6, restarts=2, random_state=2).fit(table)
        assert kept
        more = Cut()
        more.left = 10**6
        with using(n_jobs=1, keeper=more):
            again = SequentialIB(n_groups=6, restarts=2, random_state=2).fit(table)
        assert np.array_equal(whole.labels_, again.labels_)

    def test_members_without_counts_are_in_no_group(self):
        table = counts_of(0)
        table[3] = 0
        found = SequentialIB(n_groups=3, restarts=2, random_state=0).fit(table)
        assert np.flatnonzero(found.labels_ < 0).tolist() == [3]
        assert any("no count" in note for note in found.notes_)
        assert found.predict(table)[3] == -1

    def test_tables_of_others_are_named_and_not_used(self):
        tables = {("members", "a"): counts_of(0), ("a", "b"): counts_of(1, n=14, width=5)}
        found = SequentialIB(n_groups=3, restarts=1, random_state=0).fit(Links.of(tables))
        assert any("a-b" in note for note in found.notes_)
        alone = SequentialIB(n_groups=3, restarts=1, random_state=0).fit(counts_of(0))
        assert np.array_equal(found.labels_, alone.labels_)


class TestAgglomerative:
    @pytest.mark.parametrize("seed", range(5))
    def test_unions_are_those_of_all_pairs_worked_out(self, seed):
        table = weights_of(seed)
        expected = slow.unions([table], [1.0])
        _, rows = star(table)
        pairs, losses = unions(rows)
        assert pairs.tolist() == [[a, b] for a, b, _ in expected]
        assert losses == pytest.approx([loss for *_, loss in expected], abs=1e-12)
        for k in (2, 5, 11):
            assert sets(AgglomerativeIB(n_groups=k).fit(table).labels_) == slow.after(
                16, expected[: 16 - k]
            )

    def test_two_tables(self):
        one = weights_of(7)
        other = weights_of(8, width=4)
        found = AgglomerativeIB(n_groups=4, weights="one").fit(
            Links.of({("members", "a"): one, ("members", "b"): other})
        )
        expected = slow.unions([one, other], [1.0, 1.0])
        assert sets(found.labels_) == slow.after(16, expected[:12])

    @pytest.mark.parametrize("seed", range(4))
    def test_every_union_of_counts_is_a_cheapest_one(self, seed):
        table = counts_of(seed, n=20, width=30, rate=0.3)
        _, rows = star(table)
        pairs, losses = unions(rows)
        clusters = {i: row.astype(float) for i, row in enumerate(table)}
        for (a, b), loss in zip(pairs.tolist(), losses, strict=True):
            costs = [
                slow.union_cost(clusters[i], clusters[j], table.sum())
                for i in clusters
                for j in clusters
                if i < j
            ]
            assert loss == pytest.approx(min(costs), abs=1e-13)
            assert slow.union_cost(clusters[a], clusters[b], table.sum()) == pytest.approx(
                loss, abs=1e-13
            )
            clusters[a] = clusters[a] + clusters.pop(b)

    def test_is_single_best_unions_of_comraf_from_everyone_apart(self):
        table = weights_of(11, n=30)
        _, rows = star(table)
        clusters = Clusters(rows, np.arange(30), 30)
        while clusters.k > 6:
            clusters.unite()
        assert sets(AgglomerativeIB(n_groups=6).fit(table).labels_) == sets(clusters.labels)

    def test_large_counts_beyond_the_table_of_logarithms(self):
        table = counts_of(5, n=12) * 700_000
        _, rows = star(table)
        _, losses = unions(rows)
        _, small = star(counts_of(5, n=12))
        assert losses == pytest.approx(unions(small)[1], abs=1e-12)

    def test_hierarchy_is_whole_and_cuts_to_the_groups(self):
        table = weights_of(3, n=25)
        table[4] = 0.0
        found = AgglomerativeIB(n_groups=5).fit(table)
        assert found.hierarchy_.n_members == 25
        assert np.all(np.diff(found.hierarchy_.heights) >= 0)
        for k in (3, 5, 9):
            cut = found.hierarchy_.cut(
                k + 1
            )  # the member without counts stands alone until the very end
            other = AgglomerativeIB(n_groups=k).fit(table)
            assert sets(cut.labels) == sets(other.labels_) | {frozenset([4])}
        lost = slow.information(table[np.arange(25) != 4])
        assert found.hierarchy_.heights[-2] == pytest.approx(lost, abs=1e-12)

    def test_history_is_the_objective_after_every_union(self):
        table = counts_of(2)
        found = AgglomerativeIB(n_groups=3).fit(table)
        assert [k for _, k, _ in found.history_] == list(range(26, 2, -1))
        assert found.history_[0][2] == pytest.approx(slow.information(table), abs=1e-12)
        assert found.history_[-1][2] == pytest.approx(found.objective_, abs=1e-12)

    def test_groups_that_must_stay_apart_do(self):
        _, rows = star(weights_of(1, n=12))
        pairs, _ = unions(rows, np.arange(12) % 3)
        assert len(pairs) == 9
        assert np.all(pairs[:, 0] % 3 == pairs[:, 1] % 3)

    def test_too_many_members_are_refused(self, monkeypatch):
        monkeypatch.setattr(AgglomerativeIB, "most", 10)
        with pytest.raises(DataError, match="at most 10 members, and there are 26"):
            AgglomerativeIB(n_groups=2).fit(counts_of(0))

    def test_workers_change_nothing(self):
        table = sp.csr_array(counts_of(9, n=700, width=60, rate=0.2))
        with using(n_jobs=1):
            one = AgglomerativeIB(n_groups=7).fit(table)
        with using(n_jobs=2):
            two = AgglomerativeIB(n_groups=7).fit(table)
        assert np.array_equal(one.hierarchy_.merges, two.hierarchy_.merges)


class TestITCC:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("make", [counts_of, weights_of])
    def test_same_start_gives_the_same_groups(self, make, seed):
        table = make(seed)
        table = table[:, table.sum(axis=0) > 0]
        found = ITCC(n_groups=4, n_columns=3, restarts=1, random_state=seed).fit(table)
        generator = streams(seed, 1)[0]
        rows = dealt(len(table), 4, generator)
        cols = dealt(table.shape[1], 3, generator)
        rows, cols = slow.itcc(table, rows, cols, 4, 3)
        assert sets(found.labels_) == sets(rows)
        assert sets(found.partitions_["columns"].labels) == sets(cols)

    def test_objective_is_what_co_clustering_keeps(self):
        table = counts_of(1)
        table = table[:, table.sum(axis=0) > 0]
        found = ITCC(n_groups=4, n_columns=5, restarts=3, random_state=0).fit(table)
        rows = found.labels_
        cols = found.partitions_["columns"].labels
        lost = slow.lost(table, rows, cols, 4, 5)
        assert slow.information(table) - found.objective_ == pytest.approx(lost, abs=1e-12)

    def test_two_hidden_populations_have_the_same_objective(self):
        table = counts_of(1, n=40)
        general = Comraf(n_groups={"members": 4, "columns": 5}, restarts=2, random_state=0).fit(
            table
        )
        rows = general.labels_
        cols = general.partitions_["columns"].labels
        used = cols >= 0
        expected = slow.information(table) - slow.lost(table[:, used], rows, cols[used], 4, 5)
        assert general.objective_ == pytest.approx(expected, abs=1e-12)

    def test_rounds_do_not_lower_the_objective(self):
        for seed in range(4):
            found = ITCC(n_groups=5, n_columns=6, restarts=1, random_state=seed).fit(
                counts_of(seed, n=80, width=40)
            )
            values = [value for _, _, value in found.history_]
            assert np.all(np.diff(values) >= -1e-4 * values[-1])  # smoothing may cost a trace
            assert values[-1] > values[0]
            assert found.partition_.n_groups == 5

    def test_empty_clusters_are_refilled_with_the_worst_fitting(self):
        labels = refilled(np.array([0, 0, 0, 2, -1]), np.array([1.0, 3.0, 2.0, 9.0, -np.inf]), 4)
        assert labels.tolist() == [0, 1, 3, 2, -1]

    def test_more_groups_of_columns_than_columns(self):
        found = ITCC(n_groups=3, n_columns=64, restarts=2, random_state=0).fit(
            counts_of(0, width=9)
        )
        assert found.partitions_["columns"].n_groups == 9
        alone = slow.kept([counts_of(0, width=9)], [1.0], found.labels_, 3)
        assert found.objective_ == pytest.approx(alone, abs=1e-12)

    def test_two_tables_have_clusters_each(self):
        links = Links.of({("members", "a"): counts_of(0), ("members", "b"): counts_of(1, width=8)})
        found = ITCC(n_groups=3, n_columns=4, restarts=2, random_state=0).fit(links)
        assert {name: part.n_groups for name, part in found.partitions_.items()} == {
            "members": 3,
            "a": 4,
            "b": 4,
        }

    def test_workers_change_nothing(self):
        table = counts_of(2, n=90, width=50)
        with using(n_jobs=1):
            one = ITCC(n_groups=5, n_columns=6, random_state=0).fit(table)
        with using(n_jobs=2):
            two = ITCC(n_groups=5, n_columns=6, random_state=0).fit(table)
        assert np.array_equal(one.labels_, two.labels_)
        assert one.objective_ == two.objective_


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", [SequentialIB, AgglomerativeIB, ITCC])
def test_planted_blocks_are_found(method, seed):
    table, rows, cols = blocks(seed)
    settings = {} if method is AgglomerativeIB else {"random_state": seed}
    found = method(n_groups=5, **settings, **({"n_columns": 5} if method is ITCC else {})).fit(
        table
    )
    assert sets(found.labels_) == sets(rows)
    if method is ITCC:
        assert sets(found.partitions_["columns"].labels) == sets(cols)
    fresh, _, _ = blocks(seed + 100)
    same = [np.bincount(found.labels_[rows == g]).argmax() for g in rows]
    assert np.mean(found.predict(fresh) == same) > 0.99


@pytest.mark.parametrize("method", [SequentialIB, AgglomerativeIB, ITCC])
class TestInput:
    def test_more_groups_than_members_with_counts(self, method):
        table = counts_of(0, n=6)
        table[0] = 0
        with pytest.raises(DataError, match="only 5"):
            method(n_groups=6).fit(table)

    def test_negative_counts_are_named(self, method):
        with pytest.raises(DataError, match="row '1', column"):
            method(n_groups=2).fit(np.array([[1, 2], [3, -4], [1, 1]]))

    def test_no_counts_at_all(self, method):
        with (
            pytest.raises(DataError, match="tied to nothing"),
            pytest.warns(UserWarning, match="no count"),
        ):
            method(n_groups=2).fit(np.zeros((4, 3)))

    def test_unknown_weights(self, method):
        with pytest.raises(ParameterError, match="weights"):
            method(n_groups=2, weights="heavy").fit(counts_of(0))

    def test_as_many_groups_as_members(self, method):
        found = method(n_groups=16).fit(weights_of(0))
        assert sorted(found.labels_.tolist()) == list(range(16))

    def test_one_group(self, method):
        found = method(n_groups=1).fit(counts_of(0))
        assert set(found.labels_.tolist()) == {0}
        assert found.objective_ == pytest.approx(0.0, abs=1e-12)
