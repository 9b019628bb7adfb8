"""ViewsConsensus: shared groups of tables and counts, their number, any order of members, missing views, new members."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from tests.oracles import view_votes

from coterie.core.errors import DataError
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.core.workplace import using
from coterie.organize import ViewsConsensus
from coterie.organize.views_consensus import held
from coterie.testing import promises


def dense(n: int = 200, k: int = 4, seed: int = 0, spread: float = 2.5) -> tuple[Views, np.ndarray]:
    """Two tables of unlike units, in which the same groups lie apart."""
    random = np.random.default_rng(seed)
    groups = random.permutation(np.arange(n) % k)
    centers = np.random.default_rng(99).normal(size=(2, k, 9)) * spread
    tables = {
        name: Table.of((centers[at][groups] + random.normal(size=(n, 9))) * 10.0**at)
        for at, name in enumerate(("one", "two"))
    }
    return Views.of(tables), groups


def counts(n: int = 180, k: int = 3, seed: int = 0) -> tuple[Views, np.ndarray]:
    """Two sparse tables of counts whose groups have words of their own."""
    random = np.random.default_rng(seed)
    groups = random.permutation(np.arange(n) % k)
    tables = {}
    for name in ("en", "de"):
        rates = np.full((n, 20 * k), 0.05)
        for member, group in enumerate(groups):
            rates[member, 20 * group : 20 * group + 20] = 0.5
        tables[name] = Table.of(sp.csr_array(random.poisson(rates).astype(float)))
    return Views(tables), groups


def mixed(n: int = 180, seed: int = 0) -> tuple[Views, np.ndarray]:
    """A table and counts."""
    words, groups = counts(n, 3, seed)
    random = np.random.default_rng(seed + 1)
    rows = 3 * np.eye(3)[groups] + random.normal(size=(n, 3))
    return Views({"rows": Table.of(rows), "words": words["en"]}), groups


KINDS = {"dense": dense, "counts": counts, "mixed": mixed}


@pytest.mark.parametrize("promise", promises(ViewsConsensus(n_groups=3)), ids=str)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("kind", KINDS)
def test_shared_groups_are_found_in_any_order_and_new_members_placed(kind):
    views, truth = KINDS[kind]()
    k = len(set(truth))
    found = ViewsConsensus(n_groups=k, random_state=0).fit(views)
    assert adjusted_rand_score(truth, found.labels_) > 0.95
    assert found.shared_ > 0
    order = np.random.default_rng(5).permutation(len(views))
    turned = ViewsConsensus(n_groups=k, random_state=0).fit(views.take(order))
    assert np.array_equal(turned.labels_, found.labels_[order]) or (
        adjusted_rand_score(turned.labels_, found.labels_[order]) == 1.0
    )
    assert turned.agreement_ == found.agreement_
    assert np.array_equal(found.predict(views), found.labels_)
    more, more_truth = KINDS[kind](seed=9)
    assert adjusted_rand_score(more_truth, found.predict(more)) > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_those_of_the_slow_twin(kind):
    views, truth = KINDS[kind](n=90)
    found = ViewsConsensus(n_groups=len(set(truth)), random_state=1).fit(views)
    profiles = found.profiles_
    for at, member in enumerate(found.order_[:40]):
        places = {name: rows[at] for name, rows in found.coordinates_.items()}
        labels = [view_votes.label_of(voter, places) for voter in found.voters_]
        number = found.numbers_[view_votes.agreed(labels, profiles)]
        assert number == found.labels_[member]


@pytest.mark.parametrize("kind", ["dense", "counts"])
def test_the_number_of_groups_is_found(kind):
    views, truth = KINDS[kind]()
    found = ViewsConsensus(random_state=0).fit(views)
    assert found.partition_.n_groups == len(set(truth))
    assert adjusted_rand_score(truth, found.labels_) > 0.95
    assert found.excess_ > 0.5
    np.testing.assert_allclose(view_votes.rank_sum(found.scores_), found.scores_["rank_sum"])
    assert found.candidates_[np.argmax(found.scores_["rank_sum"])] == found.partition_.n_groups
    assert max(found.candidates_) <= len(views) // 10
    few = ViewsConsensus(max_groups=2, random_state=0).fit(views)
    assert few.candidates_.tolist() == [2]


def test_many_groups_are_found():
    views, truth = dense(480, 32, spread=4.0)
    found = ViewsConsensus(random_state=0).fit(views)
    assert 24 <= found.partition_.n_groups <= 40
    assert adjusted_rand_score(truth, found.labels_) > 0.85


def test_views_that_share_nothing_are_only_joined():
    views, _ = dense(300)
    order = np.random.default_rng(3).permutation(300)
    apart = Views.of({"one": views["one"], "two": views["two"].take(order)})
    found = ViewsConsensus(n_groups=4, random_state=0).fit(apart)
    assert found.shared_ == 0
    assert len(found.voters_) == 3
    assert len(ViewsConsensus(n_groups=4, random_state=0).fit(views).voters_) == 5


def test_members_may_lack_a_view():
    views, truth = dense(240)
    gaps = {name: table.values.copy() for name, table in views.tables.items()}
    gaps["one"][:30] = np.nan
    gaps["two"][30:60] = np.nan
    found = ViewsConsensus(n_groups=4, random_state=0).fit(gaps)
    assert adjusted_rand_score(truth, found.labels_) > 0.9
    assert adjusted_rand_score(truth[:60], found.labels_[:60]) > 0.8
    whole = ViewsConsensus(n_groups=4, random_state=0).fit(views)
    alone = whole.predict({"two": views["two"]})
    assert adjusted_rand_score(truth, alone) > 0.9


def test_categories_and_missing_values():
    random = np.random.default_rng(0)
    groups = np.arange(120) % 3
    values = np.column_stack([5.0 * groups + random.normal(size=120), groups])
    values[::7, 0] = np.nan
    table = Table(values, ("size", "color"), {1: ("red", "green", "blue")})
    rows = Table.of(3 * np.eye(3)[groups] + random.normal(size=(120, 3)))
    found = ViewsConsensus(n_groups=3, random_state=0).fit({"mixed": table, "rows": rows})
    assert adjusted_rand_score(groups, found.labels_) > 0.9


def test_the_same_bits_for_any_workers():
    views, _ = mixed()
    found = []
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            fitted = ViewsConsensus(random_state=2).fit(views)
        found.append((fitted.labels_, fitted.partition_.confidence, fitted.scores_["rank_sum"]))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_more_members_than_are_fitted_are_placed():
    views, truth = dense(400)
    found = ViewsConsensus(n_groups=4, sample_size=120, random_state=0).fit(views)
    assert adjusted_rand_score(truth, found.labels_) > 0.95


def test_other_numbers_of_groups_and_subsamples():
    views, truth = dense()
    found = ViewsConsensus(n_groups=4, random_state=0).fit(views)
    assert np.array_equal(found.at(4).labels, found.labels_)
    assert found.at(7).n_groups == 7
    rows = np.arange(0, 200, 2)
    again = found.regroup(rows)
    assert adjusted_rand_score(truth[found.order_][rows], again) > 0.9


def test_columns_that_are_taken_as_they_are():
    views, _ = dense(120)
    found = ViewsConsensus(n_groups=4, unscaled=("one",), random_state=0).fit(views)
    assert found.codings_["one"].components is None
    assert found.codings_["one"].directions.shape == (9, 9)
    assert found.codings_["two"].components is not None


def test_what_a_view_holds():
    rows = sp.csr_array(np.array([[1.0, 0], [0, 0], [0, 2]]))
    marks = held(Views({"words": Table.of(rows), "rows": Table.of(np.ones((3, 1)))}))
    assert marks["words"].tolist() == [True, False, True]
    assert marks["rows"].all()


def test_refusals():
    views, _ = dense(60)
    with pytest.raises(DataError, match="at least two views"):
        ViewsConsensus(n_groups=2).fit({"one": views["one"]})
    with pytest.raises(DataError, match="takes several views of the same members"):
        ViewsConsensus(n_groups=2).fit(views["one"])
    with pytest.raises(DataError, match="'same' holds the same of every member"):
        ViewsConsensus(n_groups=2).fit({"one": views["one"], "same": np.ones((60, 2))})
    with pytest.raises(DataError, match="n_groups is 61 and there are only 60 members"):
        ViewsConsensus(n_groups=61).fit(views)
    found = ViewsConsensus(n_groups=2, random_state=0).fit(views)
    with pytest.raises(
        DataError, match="fitted on the views one, two, and the new members have three"
    ):
        found.predict({"three": views["one"]})
    with pytest.raises(DataError, match="'one' had 9 columns in fit, and has 3"):
        found.predict({"one": np.ones((2, 3))})
