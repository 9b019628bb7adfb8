"""Every method of the catalog keeps every promise that an estimator makes."""

from __future__ import annotations

import pytest

from coterie import catalog
from coterie.core.errors import MissingExtra
from coterie.testing import promises


@pytest.mark.parametrize(
    "promise", [p for entry in catalog.ENTRIES for p in promises(entry.load()())], ids=str
)
def test_promise(promise) -> None:
    try:
        promise()
    except MissingExtra as missing:
        pytest.skip(str(missing))
