"""What every organizer of several populations learns: groups by name, information kept, interaction, margins, new members."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from tests.oracles import moves as slow

from coterie import Collection, Cooccurrence, Table
from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.organize import ITCC, MDC, AgglomerativeIB, Comraf, ComrafStar, SequentialIB
from coterie.organize.comraf import role
from coterie.organize.comraf.inference import State, unclustered
from coterie.organize.comraf.role import margins, spread

DRAW = np.random.default_rng(4)
TRUTH = np.repeat(np.arange(3), 12)
WORDS = DRAW.poisson(np.where(TRUTH[:, None] == np.arange(24)[None] % 3, 2.0, 0.1))
PEOPLE = DRAW.poisson(np.where(TRUTH[:, None] == np.arange(6)[None] % 3, 0.6, 0.1))
LINKS = Links.of({("members", "words"): WORDS, ("members", "people"): PEOPLE})
SEEN = {
    "words": WORDS,
    "people": (PEOPLE > 0).astype(int),
}  # as MDC takes them: most counts of people are 1


@pytest.fixture(scope="module")
def fitted():
    return MDC(n_groups=3, restarts=3, weights={"members-people": 0.5}, random_state=0).fit(LINKS)


def test_groups_of_every_population_are_numbered_from_the_largest(fitted):
    assert list(fitted.partitions_) == ["members", "words", "people"]
    assert fitted.partition_ is fitted.partitions_["members"]
    assert np.array_equal(fitted.labels_, fitted.partition_.labels)
    for partition in fitted.partitions_.values():
        assert (np.diff(partition.sizes) <= 0).all()


def test_information_kept_is_that_of_the_groups(fitted):
    assert [edge.present for edge in fitted.net_.edges] == [False, True]
    for name, table in SEEN.items():
        one = fitted.partition_
        other = fitted.partitions_[name]
        cells = slow.aggregated(table, one.labels, one.n_groups, other.labels, other.n_groups)
        assert fitted.informations_[f"members-{name}"] == pytest.approx(
            slow.mutual(cells), abs=1e-12
        )
        assert fitted.retained_[f"members-{name}"] == pytest.approx(
            slow.mutual(cells) / slow.mutual(table), abs=1e-12
        )
        assert 0 < fitted.retained_[f"members-{name}"] <= 1
    weights = 1.0, 0.5
    kept = fitted.informations_.values()
    assert fitted.objective_ == pytest.approx(
        sum(w * i for w, i in zip(weights, kept, strict=True)), abs=1e-12
    )
    assert fitted.history_[-1][2] == pytest.approx(fitted.objective_, abs=1e-12)


def test_who_meets_whom_more_than_by_chance(fitted):
    heat = fitted.interaction("members", "words")
    cells = slow.aggregated(
        WORDS, fitted.labels_, 3, fitted.partitions_["words"].labels, heat.shape[1]
    )
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    assert np.allclose(heat, np.log2((cells + 0.5) / (expected + 0.5)))
    assert np.array_equal(fitted.interaction("words", "members"), heat.T)
    with pytest.raises(
        DataError,
        match="there is no table of 'words' and 'people' among members-words, members-people",
    ):
        fitted.interaction("words", "people")


def test_confidence_is_between_none_and_all(fitted):
    found = fitted.partition_.confidence
    assert found.shape == (36,)
    assert ((found >= 0) & (found <= 1)).all()
    mixed = WORDS.copy()
    mixed[0] = WORDS[0] + WORDS[35]
    other = MDC(n_groups=3, restarts=3, random_state=0).fit(mixed).partition_.confidence
    assert other[0] < np.median(other)


def test_margins_of_one_group_and_of_nobody():
    found = MDC(n_groups=1, restarts=1, random_state=0).fit(WORDS)
    assert found.partition_.confidence.tolist() == [1.0] * 36
    labels = np.where(np.arange(36) == 3, -1, 0)
    assert (
        margins(found.net_, 0, State((labels, *found.state_.labels[1:]), found.state_.sizes))[3]
        == 0.0
    )


def slow_margins(gains, labels):
    """One element at a time: the own cluster against the best of the others, over the best less the worst."""
    found = []
    for row, own in zip(gains, labels, strict=True):
        other = max(g for c, g in enumerate(row) if c != own)
        found.append(max(0.0, row[own] - other) / (max(row) - min(row)))
    return found


@pytest.mark.parametrize("band", [1, 7, 1 << 20])
def test_margins_are_those_of_columns_as_they_are_where_the_polish_was(fitted, monkeypatch, band):
    monkeypatch.setattr(role, "_BAND", band)
    apart = unclustered(fitted.net_, fitted.state_)
    betas = [edge.beta for edge in fitted.net_.edges]
    sides = [
        slow.Side(t, np.arange(t.shape[1]), t.shape[1], beta)
        for t, beta in zip(SEEN.values(), betas, strict=True)
    ]
    gains = [slow.gains(sides, fitted.labels_, 3, x) for x in range(36)]
    expected = slow_margins(gains, fitted.labels_)
    assert margins(fitted.net_, 0, apart) == pytest.approx(expected, abs=1e-9)
    assert fitted.partition_.confidence == pytest.approx(expected, abs=1e-9)


def test_elements_in_no_cluster_can_be_put_into_the_largest(fitted):
    labels = np.array([-1, 0, 1, 1, -1])
    state = State((labels, np.zeros(24, dtype=int), np.zeros(6, dtype=int)), (2, 1, 1))
    assert spread(fitted.net_, state).labels[0].tolist() == [1, 0, 1, 1, 1]


def test_fitted_members_are_placed_where_they_are(fitted):
    assert np.array_equal(fitted.predict(LINKS), fitted.labels_)
    assert np.array_equal(fitted.predict(LINKS.take([5, 17, 30])), fitted.labels_[[5, 17, 30]])


def test_new_members_are_placed_by_the_objective(fitted):
    draw = np.random.default_rng(9)
    kinds = np.arange(12) % 3
    new = draw.poisson(np.where(kinds[:, None] == np.arange(24)[None] % 3, 2.0, 0.1))
    group = {kind: int(fitted.labels_[kind == TRUTH][0]) for kind in range(3)}
    assert fitted.predict({("members", "words"): new}).tolist() == [group[kind] for kind in kinds]


def test_new_members_are_placed_by_what_the_labels_were_made_with():
    draw = np.random.default_rng(2)
    kinds = np.arange(300) % 6
    table = draw.poisson(np.where(kinds[:, None] == np.arange(240)[None] % 6, 0.09, 0.03))
    by = {
        polish: MDC(n_groups=6, runs=1, restarts=1, polish=polish, random_state=0).fit(table)
        for polish in ("raw", None)
    }
    assert by["raw"].raw_
    assert not by[None].raw_
    for found in by.values():
        columns = np.arange(240) if found.raw_ else found.partitions_["columns"].labels
        side = slow.Side((table > 0).astype(int), columns, int(columns.max()) + 1)
        new = draw.poisson(0.05, (40, 240))
        expected = []
        for row in new:
            more = slow.Side(np.vstack([side.table, row > 0]), columns, side.size)
            expected.append(slow.gains([more], np.append(found.labels_, -1), 6, 300).argmax())
        got = found.predict(new)
        known = (new[:, columns >= 0] > 0).any(axis=1)
        assert np.array_equal(got[known], np.array(expected)[known])
    again = by["raw"].predict(table)
    settled = by["raw"].partition_.confidence > 0
    assert settled.mean() > 0.99  # the own group is the best by the columns the last sweeps went by
    assert np.array_equal(again[settled], by["raw"].labels_[settled])


def test_new_members_count_as_was_asked_and_not_as_the_fitted_ones_look():
    once = (WORDS > 0).astype(int)
    new = once[[0, 14, 30]] * np.array([1, 3, 5])[:, None]
    for counts, total in (
        ("occurrences", new.sum()),
        ("presence", (new > 0).sum()),
        ("auto", (new > 0).sum()),
    ):
        found = MDC(n_groups=3, runs=1, counts=counts, random_state=0).fit(once)
        tables, _ = found._new_tables(Links.of(new))
        assert tables[0].total == total


def test_tables_that_weigh_nothing_say_nothing():
    found = MDC(n_groups=3, runs=1, weights={"members-people": 0.0}, random_state=0).fit(LINKS)
    assert not any("weigh" in note for note in found.notes_)
    rows = {
        ("members", "words"): np.vstack([WORDS[:2], np.zeros((2, 24))]),
        ("members", "people"): np.ones((4, 6)),
    }
    assert (found.predict(rows) >= 0).tolist() == [True, True, False, False]
    with pytest.warns(
        UserWarning, match="MDC: All tables of 'members' weigh 0, and its groups mean nothing"
    ):
        none = MDC(
            n_groups=3, runs=1, weights={"members-people": 0, "members-words": 0}, random_state=0
        ).fit(LINKS)
    assert any("weigh 0" in note for note in none.notes_)


@pytest.mark.parametrize(
    "method",
    [
        MDC(),
        Comraf(restarts=1),
        ComrafStar(),
        SequentialIB(restarts=3),
        AgglomerativeIB(),
        ITCC(n_columns=3, restarts=3),
    ],
    ids=lambda method: type(method).__name__,
)
def test_groups_alone_are_those_of_a_fit(method):
    method = clone(method).set_params(n_groups=3)
    seeded = {"random_state": 5} if "random_state" in method.get_params() else {}
    fitted = clone(method).set_params(**seeded).fit(LINKS).labels_
    alone = method.groups_of(LINKS, 5)
    assert np.array_equal(alone[:, None] == alone[None], fitted[:, None] == fitted[None])
    assert adjusted_rand_score(TRUTH, alone) > 0.5
    assert not hasattr(method, "partition_")


def test_columns_of_new_members_are_found_by_name(fitted):
    order = np.random.default_rng(1).permutation(24)
    frame = pd.DataFrame(WORDS[:, order], columns=[f"x{j}" for j in order]).assign(unknown=50)
    assert np.array_equal(
        fitted.predict({("members", "words"): frame, ("members", "people"): PEOPLE}), fitted.labels_
    )


def test_real_weights_of_new_members_are_not_rounded():
    found = MDC(n_groups=3, restarts=3, random_state=0).fit(WORDS)
    small = WORDS / 64.0
    same = [
        slow.gains(
            [slow.Side(np.vstack([WORDS, small[x]]), np.arange(24), 24)],
            np.append(found.labels_, -1),
            3,
            36,
        ).argmax()
        for x in range(0, 36, 5)
    ]
    fine = Comraf(n_groups=3, restarts=3, observed="columns", random_state=0).fit(WORDS)
    assert np.array_equal(fine.labels_, found.labels_)
    assert fine.predict(small)[::5].tolist() == same


def test_a_collection_is_taken_and_its_ids_kept():
    ids = [f"m{i}" for i in range(36)]
    link = Cooccurrence(LINKS.between("members", "words").counts, ids, LINKS.ids["words"])
    whole = Collection(ids, {"t": Table.of(PEOPLE)}, links={("members", "words"): link})
    found = MDC(n_groups=3, restarts=2, random_state=0).fit(whole)
    assert list(found.net_.nodes[0].ids) == ids
    assert np.array_equal(found.predict(whole.take([3, 20])), found.labels_[[3, 20]])


def test_it_survives_pickle_and_asks_to_be_fitted(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(LINKS), fitted.labels_)
    for ask in (
        lambda m: m.predict(LINKS),
        lambda m: m.interaction("members", "words"),
        lambda m: m.labels_,
    ):
        with pytest.raises(NotFittedError):
            ask(MDC())


def test_new_members_with_another_number_of_unnamed_columns_are_refused() -> None:
    counts = np.random.default_rng(0).poisson(0.7, size=(40, 30))
    fitted = MDC(n_groups=3, runs=1, random_state=0).fit(counts)
    assert fitted.predict(counts[:4]).shape == (4,)
    with pytest.raises(DataError, match="30 columns without names, and the new ones 5"):
        fitted.predict(counts[:4, :5])
