"""What an exploration takes is refused before a run is made, with a number that is enough; rows in a file do not count."""

from __future__ import annotations

import re

import numpy as np
import pytest

import coterie
from coterie.collect.reading import read
from coterie.core.errors import DataError
from coterie.core.workplace import in_file, using
from coterie.run.engine import check_members
from coterie.workflows.choices import Choices


def test_the_number_named_is_enough_and_nothing_was_kept(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 3)) + 9.0 * (np.arange(60) % 3)[:, None]
    with (
        using(memory="50KB"),
        pytest.raises(DataError, match="Exploring 60 members takes") as refused,
    ):
        coterie.explore(rows, k=3, nulls=0, store=tmp_path / "s")
    assert not (tmp_path / "s").exists()
    named = re.search(r"memory='([^']+)'", str(refused.value))[1]
    with using(memory=named):
        assert coterie.explore(rows, k=3, nulls=0, store=tmp_path / "s").findings.groups


def test_rows_in_a_file_do_not_count():
    rows = np.random.default_rng(0).normal(size=(100, 2000))
    mapped = in_file(rows.shape)
    mapped[:] = rows
    with using(memory="2.5MB"):
        with pytest.raises(DataError, match="Exploring 100 members"):
            check_members(read(rows), Choices(), ())
        check_members(read(mapped), Choices(), ())
