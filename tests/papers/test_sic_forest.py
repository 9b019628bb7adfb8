"""The tables of the sic-forest experiment: bent columns keep their order, worsened ones have words and gaps."""

from __future__ import annotations

import numpy as np

from coterie.core.table import Table
from coterie_papers.sic_forest import bent, worsened


def test_bent_columns_keep_their_order() -> None:
    values = np.column_stack([np.random.default_rng(0).normal(5, 3, size=(50, 6)), np.ones(50)])
    changed = bent(Table.of(values), 7).values
    assert np.array_equal(np.argsort(changed[:, :6], axis=0), np.argsort(values[:, :6], axis=0))
    assert np.ptp(changed[:, 6]) == 0
    straight = [np.corrcoef(changed[:, j], values[:, j])[0, 1] for j in range(6)]
    assert min(straight) < 0.999


def test_worsened_tables_have_words_and_gaps() -> None:
    values = np.random.default_rng(1).normal(size=(300, 9))
    table, truth = worsened(Table.of(values), np.arange(300), seed=1)
    assert np.array_equal(truth, np.arange(300))
    assert len(table.categories) == 3
    assert np.isnan(table.values).mean() == np.clip(np.isnan(table.values).mean(), 0.08, 0.12)
    for column, levels in table.categories.items():
        assert 3 <= len(levels) <= 5
        seen = table.values[:, column]
        assert set(seen[~np.isnan(seen)]) == set(range(len(levels)))
        for code in range(len(levels)):
            inside = values[seen == code, column]
            assert np.ptp(inside) < np.ptp(values[:, column])
    again, _ = worsened(Table.of(values), truth, seed=1)
    assert np.array_equal(again.values, table.values, equal_nan=True)
