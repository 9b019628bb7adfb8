"""Comraf*: its objective and starts, planted blocks, chains of steps, regions clustered first, new pictures with new regions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.oracles import bottleneck as slow

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.workplace import using
from coterie.organize import Comraf, ComrafStar, as_star_chain
from coterie.organize.comraf import star as module
from coterie.organize.comraf.star import Star

CLASSES = 3
PER = 6


def blocks(seed):
    """200 x 300, five co-clusters, Poisson 0.6 inside and 0.03 outside."""
    generator = np.random.default_rng(seed)
    rows = np.repeat(np.arange(5), 40)
    cols = np.repeat(np.arange(5), 60)
    return generator.poisson(np.where(rows[:, None] == cols[None, :], 0.6, 0.03)), rows


def pictures(seed, n=48, lost=()):
    """Pictures of three kinds: words that tell little, regions of four kinds known by their colours and texture."""
    generator = np.random.default_rng(seed)
    kinds = np.arange(n) % CLASSES
    blobs = np.where(generator.random(n * PER) < 0.7, np.repeat(kinds, PER), CLASSES)
    colours = np.array(
        [generator.multinomial(60, (1 + 60.0 * (np.arange(12) // 3 == b)) / 192) for b in blobs]
    )
    texture = np.array(
        [generator.multinomial(30, (1 + 30.0 * (np.arange(8) // 2 == b)) / 68) for b in blobs]
    )
    colours[list(lost)] = 0
    texture[list(lost)] = 0
    inside = np.zeros((n, n * PER))
    inside[np.repeat(np.arange(n), PER), np.arange(n * PER)] = 1
    tables = {
        ("members", "words"): generator.poisson(0.4, size=(n, 10)),
        ("members", "regions"): inside,
    }
    return (
        Links.of({**tables, ("regions", "colours"): colours, ("regions", "texture"): texture}),
        kinds,
        blobs,
    )


def sets(labels):
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels) if g >= 0}


@pytest.mark.parametrize("start", ["auto", "up", "down", "flat"])
@pytest.mark.parametrize("seed", range(2))
def test_planted_blocks_are_found(start, seed):
    table, rows = blocks(seed)
    found = ComrafStar(n_groups=5, start=start, random_state=seed).fit(table)
    assert sets(found.labels_) == sets(rows)
    assert np.array_equal(found.predict(table), found.labels_)


@pytest.mark.parametrize("weights", ["mass", None, "root", "one", {"members-b": 0.25}])
def test_objective_is_the_weighted_sum_of_informations_kept(weights):
    generator = np.random.default_rng(0)
    one = generator.poisson(0.8, size=(30, 12))
    other = generator.poisson(0.3, size=(30, 7))
    other[:, 0] += 1
    given = {} if weights is None else {"weights": weights}
    found = ComrafStar(n_groups=4, **given, restarts=2, random_state=0).fit(
        Links.of({("members", "a"): one, ("members", "b"): other})
    )
    ratio = min(other.sum() / one.sum(), 1.0)
    betas = {
        "one": [1.0, 1.0],
        "root": [1.0, np.sqrt(ratio)],
        "mass": [1.0, ratio],
        "None": [1.0, ratio],
    }.get(str(weights), [1.0, 0.25])
    labels = found.labels_
    assert found.objective_ == pytest.approx(slow.kept([one, other], betas, labels, 4), abs=1e-12)
    assert found.informations_["members-a"] == pytest.approx(
        slow.information(slow.grouped(one, labels, 4)), abs=1e-12
    )


def test_the_end_cannot_be_improved_by_one_move():
    table, _ = blocks(3)
    table = table[::4, ::6]
    for start in ("up", "down", "flat"):
        found = ComrafStar(n_groups=4, start=start, restarts=2, random_state=1).fit(table)
        again = slow.sweeps([table], [1.0], found.labels_, 4, [np.arange(len(table))])
        assert np.array_equal(again, found.labels_)


def test_is_comraf_with_everything_else_observed():
    table, _ = blocks(1)
    table = table[::3, ::4]
    star = ComrafStar(n_groups=6, start="up", restarts=3, random_state=4).fit(table)
    general = Comraf(
        n_groups=6, observed=("columns",), polish="raw", restarts=3, random_state=4
    ).fit(table)
    assert np.array_equal(star.labels_, general.labels_)
    assert star.objective_ == general.objective_


def test_where_the_search_begins_depends_on_the_work(monkeypatch):
    table, _ = blocks(0)
    found = ComrafStar(n_groups=5, restarts=2, random_state=0).fit(table)
    assert not [note for note in found.notes_ if "start=" in note]
    monkeypatch.setattr(module, "_CELLS", 200 * 300 - 1)
    found = ComrafStar(n_groups=5, restarts=2, random_state=0).fit(table)
    assert any(
        "200 members by 300 columns are too many" in note and "start='down'" in note
        for note in found.notes_
    )
    monkeypatch.setattr(module, "_LOOKUPS", 1e3)
    found = ComrafStar(n_groups=5, restarts=2, random_state=0).fit(table)
    assert any("start='flat'" in note for note in found.notes_)


class TestFirst:
    @pytest.fixture(scope="class")
    def fitted(self):
        links, kinds, blobs = pictures(0)
        return (
            ComrafStar(
                n_groups=3, first={"regions": 4}, weights="one", restarts=4, random_state=0
            ).fit(links),
            kinds,
            blobs,
        )

    def test_regions_are_clustered_before_by_their_own_tables(self, fitted):
        found, kinds, blobs = fitted
        assert found.chain_ == (
            Star("regions", (("regions", "colours"), ("regions", "texture"))),
            Star("members", (("members", "words"), ("members", "regions")), ("regions",)),
        )
        assert sets(found.partitions_["regions"].labels) == sets(blobs)
        assert (
            np.mean([np.bincount(kinds[found.labels_ == g]).max() for g in range(3)])
            * 3
            / len(kinds)
            > 0.9
        )
        assert found.history_[0][0] == "regions"
        assert set(found.informations_) == {"members-words", "members-regions"}

    def test_regions_are_observed_by_their_clusters(self, fitted):
        found, _, _ = fitted
        links, _, _ = pictures(0)
        regions = links.between("members", "regions").counts.toarray()
        clusters = slow.grouped(regions.T, found.partitions_["regions"].labels, 4).T
        kept = slow.information(slow.grouped(clusters, found.labels_, 3))
        assert found.informations_["members-regions"] == pytest.approx(kept, abs=1e-12)
        assert found.interaction("members", "regions").shape == (3, 4)

    def test_helps_where_regions_by_themselves_tell_nothing(self, fitted):
        found, kinds, _ = fitted
        links, _, _ = pictures(0)
        raw = ComrafStar(n_groups=3, weights="one", restarts=4, random_state=0).fit(links)
        right = [
            sum(np.bincount(kinds[m.labels_ == g]).max() for g in range(3)) / len(kinds)
            for m in (found, raw)
        ]
        assert right[0] > right[1] + 0.2
        assert any(
            "colours, texture: tied to nothing that is clustered" in note for note in raw.notes_
        )

    def test_new_pictures_with_regions_of_their_own(self, fitted):
        found, kinds, _ = fitted
        links, fresh, _ = pictures(7, n=30)
        expected = np.array(
            [np.bincount(found.labels_[kinds == kind]).argmax() for kind in range(CLASSES)]
        )
        assert np.mean(found.predict(links) == expected[fresh]) > 0.9
        known, _, _ = pictures(0)
        assert np.array_equal(found.predict(known), found.labels_)
        renamed = {
            pair: table
            for pair, table in known.tables.items()
            if "regions" not in pair or "members" in pair
        }
        assert np.array_equal(
            found.predict(Links(renamed)), found.labels_
        )  # known regions are found by name

    def test_regions_without_any_count_are_left_out(self):
        links, _, blobs = pictures(2, lost=(5, 17))
        found = ComrafStar(n_groups=3, first={"regions": 4}, restarts=2, random_state=0).fit(links)
        labels = found.partitions_["regions"].labels
        assert np.flatnonzero(labels < 0).tolist() == [5, 17]
        assert sets(labels) == sets(np.where(labels < 0, -1, blobs))

    def test_workers_change_nothing(self):
        links, _, _ = pictures(3)
        made = []
        for jobs in (1, 2):
            with using(n_jobs=jobs):
                made.append(ComrafStar(n_groups=3, first={"regions": 6}, random_state=0).fit(links))
        assert np.array_equal(made[0].labels_, made[1].labels_)
        assert np.array_equal(
            made[0].partitions_["regions"].labels, made[1].partitions_["regions"].labels
        )

    def test_weights_of_tables_go_to_their_step(self):
        links, _, _ = pictures(1)
        weights = {"regions-colours": 100.0, ("texture", "regions"): 50.0, "members-words": 0.5}
        found = ComrafStar(
            n_groups=3, first={"regions": 4}, weights=weights, restarts=1, random_state=0
        ).fit(links)
        assert [edge.beta for edge in found.firsts_["regions"].net_.edges] == [100.0, 50.0]
        assert [edge.beta for edge in found.net_.edges] == [0.5, 1.0]
        with pytest.raises(ParameterError, match="weights"):
            ComrafStar(n_groups=3, first={"regions": 4}, weights={"words-colours": 1.0}).fit(links)

    def test_new_regions_count_as_the_fitted_ones_do(self):
        links, _, _ = pictures(4)
        tables = dict(links.tables)
        inside = tables["members", "regions"]
        tables["members", "regions"] = Cooccurrence(inside.counts * 9, inside.rows, inside.cols)
        links = Links(tables)
        for counts in ("presence", "occurrences"):
            found = ComrafStar(
                n_groups=3, first={"regions": 4}, counts=counts, restarts=2, random_state=0
            ).fit(links)
            fitted = [edge.counts.total for edge in found.net_.edges]
            assert [table.total for table in found._new_tables(links)[0]] == fitted
            assert fitted[1] == 48 * PER * (1 if counts == "presence" else 9)
            assert np.array_equal(found.predict(links), found.labels_)

    @pytest.mark.parametrize(
        "first", [{"colors": 3}, [("regions",)], {"regions": 0}, {"regions": 2.5}, 5, "regions", 0]
    )
    def test_bad_wishes_are_refused(self, first):
        links, _, _ = pictures(1)
        with pytest.raises(ParameterError, match=r"ComrafStar: (first|n_groups)"):
            ComrafStar(n_groups=3, first=first).fit(links)

    def test_more_clusters_than_regions(self):
        links, _, _ = pictures(1, n=6)
        with pytest.raises(DataError, match="only 36"):
            ComrafStar(n_groups=3, first={"regions": 50}).fit(links)


def test_groups_may_be_asked_for_by_name():
    table, _ = blocks(0)
    one, other = (
        ComrafStar(n_groups=k, restarts=2, random_state=0).fit(table[::4])
        for k in (5, {"members": 5})
    )
    assert np.array_equal(one.labels_, other.labels_)
    for wrong in ({"members": 5, "columns": 3}, {"columns": 3}, {}):
        with pytest.raises(
            ParameterError, match="n_groups must be a number or name 'members' alone"
        ):
            ComrafStar(n_groups=wrong).fit(table[::4])
    with pytest.raises(
        ParameterError, match=r"n_groups of .members. must be a whole number from 1, and was 3\.0"
    ):
        ComrafStar(n_groups=3.0).fit(table[::4])


def test_what_is_tied_to_nothing_is_not_said_to_be_clustered():
    table, _ = blocks(0)
    data = Links.of({("members", "columns"): table[::4], ("a", "b"): np.eye(4)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ComrafStar(n_groups=5, restarts=2, random_state=0).fit(data)
        assert as_star_chain(data, ["members"]) == (Star("members", (("members", "columns"),)),)
    assert found.notes_ == ("a, b: tied to nothing that is clustered, and not used.",)
    with pytest.warns(
        UserWarning,
        match="'a', 'b': no table ties them to 'members', and they are clustered by themselves",
    ):
        found = ComrafStar(n_groups=5, first={"a": 2}, restarts=2, random_state=0).fit(data)
    assert found.partitions_["a"].n_groups == 2


class TestChain:
    def test_a_table_counts_when_the_later_of_its_two_is_clustered(self):
        links, _, _ = pictures(0)
        chain = as_star_chain(links, ["words", "regions", "members"])
        assert [star.target for star in chain] == ["words", "regions", "members"]
        assert chain[0].tables == (
            ("members", "words"),
        )  # words have no other neighbor: members as they are
        assert chain[1].tables == (("regions", "colours"), ("regions", "texture"))
        assert chain[2] == Star(
            "members", (("members", "words"), ("members", "regions")), ("words", "regions")
        )

    def test_a_name_may_come_again(self):
        links, _, _ = pictures(0)
        chain = as_star_chain(
            links, ["members", "regions", "members"], "members-regions, regions-colours"
        )
        assert chain[0] == Star("members", (("members", "regions"),))
        assert chain[1].clustered == ("members",)
        assert chain[2].clustered == ("regions",)
        found = ComrafStar(
            n_groups=3,
            graph="members-regions, regions-colours",
            first=[("regions", 5), ("members", 4), ("regions", 4)],
            restarts=2,
            random_state=0,
        ).fit(links)
        assert [star.target for star in found.chain_] == [
            "regions",
            "members",
            "regions",
            "members",
        ]
        assert found.partition_.n_groups == 3
        assert found.partitions_["regions"].n_groups == 4
        assert [k for _, k, _ in found.history_][-1] == 3

    def test_unknown_names_are_refused(self):
        links, _, _ = pictures(0)
        with pytest.raises(ParameterError, match="order must name populations of the graph"):
            as_star_chain(links, ["blobs", "members"])
        for order in (5, [1, 2]):
            with pytest.raises(ParameterError, match="order must be names of populations, and was"):
                as_star_chain(links, order)

    def test_a_table_of_counts_is_enough(self):
        table, _ = blocks(0)
        assert as_star_chain(table, "members") == (Star("members", (("members", "columns"),)),)
        with pytest.raises(
            DataError, match="as_star_chain takes links or a table of counts, and was given texts"
        ):
            as_star_chain(["a text", "another"], ["members"])
