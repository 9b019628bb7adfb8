"""Groups of members in several views on tiny sets: every space, the relations, and what is said where sets are missing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie_papers import view_clusters
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.view_data import MANY, Seen

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / MANY).mkdir()
    rng = np.random.default_rng(1)
    for name in ("MSRC-v5", "Movies"):
        classes = np.arange(60) % 3
        views = {
            f"view{v}": rng.normal(size=(3, 8))[classes] + 0.3 * rng.normal(size=(60, 8))
            for v in (1, 2)
        }
        np.savez(tmp_path / MANY / f"{name}.npz", labels=classes, **views)
    return tmp_path


def test_groups_of_many_views(folder):
    ledger = Ledger()
    view_clusters.run(Trial(1, True, folder), ledger)
    values = {(row.method, row.data): row.ours for row in ledger.rows if row.measure == "NMI %"}
    assert len(values) == 3 * 18
    assert np.mean([value > 80 for value in values.values()]) > 0.8
    said = [relation for relation in ledger.relations if "on most sets" in relation.text]
    assert len(said) == 6
    assert all(relation.holds == ("2 of 2" in relation.text) for relation in said)


def test_columns_side_by_side_plain_and_even():
    rng = np.random.default_rng(0)
    seen = Seen(
        "two",
        {"a": 5 * rng.normal(size=(40, 3)), "b": sp.csr_array(rng.random((40, 2)) * 0.1)},
        np.arange(40) % 2,
    )
    plain, even = (view_clusters.side_by_side(seen, even=even).toarray() for even in (False, True))
    np.testing.assert_allclose(plain[:, :3], seen.views["a"])
    for columns in (slice(0, 3), slice(3, 5)):
        assert even[:, columns].var(axis=0).sum() == pytest.approx(1)
        assert plain[:, columns].var(axis=0).sum() != pytest.approx(1)


def test_the_best_setting_is_one_for_all_sets():
    found = {
        "x": {"a": np.array([0.9]), "b": np.array([0.5])},
        "y": {"a": np.array([0.2]), "b": np.array([0.5])},
    }
    assert view_clusters._best(found, ["b", "a"]) == "a"


def test_sets_that_are_not_here_are_said(tmp_path):
    ledger = Ledger()
    view_clusters.run(Trial(1, True, tmp_path), ledger)
    assert any("MSRC-v5.npz' is not here" in sentence for sentence in ledger.skipped)
    assert len(ledger.relations) == 1
