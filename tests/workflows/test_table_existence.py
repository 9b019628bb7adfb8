"""Whether a table has groups: what its copies keep, and numbers that tell clouds from groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from coterie.core.errors import DataError
from coterie.core.table import Table
from coterie.workflows.null_models import copula
from coterie.workflows.table_existence import table_existence
from tests.golden import materials as made


def test_copies_keep_margins_correlations_and_missing_values():
    rng = np.random.default_rng(1)
    first = rng.normal(size=600)
    rows = np.stack([np.exp(first), first + rng.normal(size=600), rng.poisson(2, size=600)], axis=1)
    rows[::9, 1] = np.nan
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    frame["word"] = np.where(first + rng.normal(size=600) > 0, "high", "low")
    table = Table.of(frame)
    copy = copula(table)(np.random.default_rng(2))
    assert copy.categories == table.categories
    assert np.array_equal(
        np.sort(copy.values, axis=0), np.sort(table.values, axis=0), equal_nan=True
    )
    assert np.array_equal(np.isnan(copy.values), np.isnan(table.values))
    seen = ~np.isnan(rows[:, 1])
    for j in (1, 3):
        ours = spearmanr(copy.values[seen, 0], copy.values[seen, j]).statistic
        theirs = spearmanr(table.values[seen, 0], table.values[seen, j]).statistic
        assert abs(ours - theirs) < 0.12
        assert abs(theirs) > 0.3


def test_groups_stand_out_of_their_copies():
    found = table_existence(Table.of(made.vectors(200, 4, 5)), n_copies=6)
    assert found.silhouette_excess > 0.2
    assert found.gain_excess > 1
    assert found.silhouette_share == found.gain_share == pytest.approx(1 / 7)
    assert found.null_silhouettes.shape == found.null_gains.shape == (6, len(found.ks))


@pytest.mark.parametrize("seed", range(3))
def test_one_cloud_does_not(seed):
    cloud = made.cloud(250, 5, seed=seed)
    skewed = np.column_stack([np.exp(cloud[:, 0]), cloud[:, 0] + cloud[:, 1], cloud[:, 2:]])
    found = table_existence(Table.of(skewed), n_copies=6)
    assert found.silhouette_excess < 0.03
    assert found.gain_excess < 0.2


def test_the_order_of_the_rows_does_not_matter():
    rows = made.vectors(150, 3, 4)
    one, two = (table_existence(Table.of(some), n_copies=2) for some in (rows, rows[::-1].copy()))
    assert one.silhouettes.tobytes() == two.silhouettes.tobytes()
    assert one.null_gains.tobytes() == two.null_gains.tobytes()


def test_sparse_tables_are_refused():
    with pytest.raises(DataError, match="sparse"):
        table_existence(Table.of(made.counts()))
