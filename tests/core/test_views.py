"""Views of the same members: rows that are NaN throughout are members that a view lacks."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Table
from coterie.core.errors import DataError
from coterie.core.views import Views
from coterie.represent import PWCA


def test_rows_of_gaps_are_not_seen() -> None:
    one = np.arange(12.0).reshape(6, 2)
    other = np.arange(18.0).reshape(6, 3)
    one[2] = np.nan
    other[0, 0] = np.nan  # one gap is a gap, and no absence
    for data in (
        {"a": one, "b": other},
        Collection(list("uvwxyz"), {"a": Table.of(one), "b": Table.of(other)}),
    ):
        views = Views.of(data)
        assert views.seen["a"].tolist() == [True, True, False, True, True, True]
        assert views.seen["b"].all()
        assert views.complete.tolist() == [0, 1, 3, 4, 5]
        assert not np.isnan(views["a"].values).any()
    assert np.isnan(one[2]).all()  # what was given stays as it is


@pytest.mark.filterwarnings("ignore:PWCA. .* members are in one view only")
def test_a_mask_is_written_as_rows_of_nan() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(60, 2))
    rows = {
        name: hidden @ rng.normal(size=(2, 5)) + 0.1 * rng.normal(size=(60, 5)) for name in "ab"
    }
    marks = {"a": np.arange(60) % 5 != 0, "b": np.arange(60) % 5 != 1}
    gaps = {name: np.where(marks[name][:, None], rows[name], np.nan) for name in rows}
    by_nan = PWCA(n_components=2, missing="mask").fit(gaps)
    by_mark = PWCA(n_components=2, missing="mask").fit(
        Views({name: Table.of(rows[name]) for name in rows}, marks)
    )
    np.testing.assert_allclose(by_nan.factors_, by_mark.factors_)
    with pytest.raises(DataError, match="NaN or infinite"):
        PWCA().fit({"a": np.where(np.eye(60, 5) > 0, np.nan, rows["a"]), "b": rows["b"]})
