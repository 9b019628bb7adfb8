"""The memory given: what counts, what is refused with a number that is enough, fewer workers, and arrays in files."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from coterie.compare import Euclidean
from coterie.compare.vectors import euclidean_tile, unit_rows
from coterie.core import workplace as budget
from coterie.core.errors import DataError
from coterie.core.table import column_blocks, is_mapped, row_blocks
from coterie.core.workplace import in_file, roomy, using, workplace
from coterie.organize import Agglomerative, Density, Medoids, Spectral
from coterie.parts.neighbors import nearest
from coterie.parts.pairwise import condensed, dense, graph

ROWS = np.random.default_rng(0).normal(size=(300, 4)) + 5.0 * (np.arange(300) % 3)[:, None]


@pytest.fixture
def held(monkeypatch):
    """What the process is said to hold; the first reading is that of entering the block."""
    now = {"bytes": 0}
    monkeypatch.setattr(budget, "resident", lambda: now["bytes"])
    return now


def test_what_is_held_since_the_block_was_entered_counts(held):
    with using(memory="1GB"):
        budget.fits(800e6, "A result")
        held["bytes"] = 500_000_000
        assert budget.left() == 600_000_000  # a tenth of the budget is allowed for code
        with pytest.raises(
            DataError,
            match=r"takes 800\.0 MB and 1\.0 GB are allowed, of which 400\.0 MB are in use; do less, or",
        ):
            budget.fits(800e6, "A result", "do less")
        with using(n_jobs=1):  # other circumstances do not start the count anew
            assert budget.left() == 600_000_000
        with using(memory="1GB"):
            assert budget.left() == 10**9
    assert budget.held_since(workplace()) == 0


def test_small_budgets_are_about_the_work_alone(held):
    with using(memory="1MB"):
        held["bytes"] = 500_000_000
        budget.fits(1e6, "A result")


def test_a_number_from_another_process_is_not_counted():
    import pickle

    with using(memory="1GB") as here:
        assert here.entered >= 0
        assert pickle.loads(pickle.dumps(here)).entered == -1


@pytest.mark.parametrize(
    "size", [2, 999, 1001, 123_456, 1_049_999, 95_000_000, 1_040_000_000, 1_999_999_999]
)
def test_the_number_that_is_named_is_enough(size):
    with using(memory=1), pytest.raises(DataError) as refused:
        budget.fits(size, "It")
    named = re.search(r"memory='([^']+)'", str(refused.value))[1]
    with using(memory=named):
        assert workplace().budget >= size
        budget.fits(size, "It")


@pytest.mark.parametrize(
    "work",
    [
        lambda lazy: dense(lazy),
        lambda lazy: condensed(lazy),
        lambda lazy: graph(lazy, 3),
        lambda lazy: Spectral(n_groups=3, random_state=0).fit(lazy),
        lambda lazy: Agglomerative().fit(lazy),
        lambda lazy: Medoids(n_groups=3).fit(lazy),
        lambda lazy: Density().fit(lazy),
        lambda lazy: Density(method="dbscan").fit(lazy),
    ],
    ids=[
        "dense",
        "condensed",
        "graph",
        "spectral",
        "agglomerative",
        "medoids",
        "hdbscan",
        "dbscan",
    ],
)
def test_every_driver_refuses_first_and_runs_with_the_number_it_names(work):
    lazy = Euclidean().fit(ROWS).affinity_
    asked = list[int]()

    def watched(one, other):
        asked.append(len(one[0]) * len(other[0]))
        return euclidean_tile(one, other)

    lazy = replace(lazy, tile=watched)
    with using(memory="100KB", n_jobs=1), pytest.raises(DataError) as refused:
        work(lazy)
    assert sum(asked) <= len(ROWS) ** 2, "it worked before it refused, on more than a sample"
    named = re.search(r"memory='([^']+)'", str(refused.value))[1]
    with using(memory=named, n_jobs=1):
        work(lazy)


def test_lists_of_many_neighbors_count():
    lazy = Euclidean().fit(ROWS).affinity_
    with using(memory="2.3MB", n_jobs=1):
        graph(lazy, 3)
        with pytest.raises(
            DataError,
            match=r"A graph of 300 members with 200 neighbors each takes 2\.4 MB .*fewer neighbors",
        ):
            graph(lazy, 200)
        with pytest.raises(DataError, match=r"A band of 300 x 300 values takes"):
            nearest(lazy, 200)


def test_fewer_workers_where_their_tiles_would_not_fit():
    with using(n_jobs=8, memory="10MB"):
        assert budget.at_once(2e6) == 5
        assert budget.at_once(2e6, beside=7e6) == 1
        assert budget.at_once(50e6) == 1
        assert budget.at_once(0) == 8
    with using(n_jobs=8):
        assert budget.at_once(1e15) == 8  # nothing was given, so nothing is counted


def test_results_are_the_same_bits_with_few_workers():
    lazy = Euclidean().fit(ROWS).affinity_
    with using(n_jobs=4):
        free = dense(lazy).values, graph(lazy, 5).values.toarray()
    with using(n_jobs=4, memory="3.1MB"):
        assert dense(lazy).values.tobytes() == free[0].tobytes()
        assert graph(lazy, 5).values.toarray().tobytes() == free[1].tobytes()


def test_large_arrays_go_to_a_file():
    with using(memory="1MB"):
        small = roomy((100, 10))
        large = roomy((1000, 100))
        assert (is_mapped(small), is_mapped(large)) == (False, True)
        large[:] = 3.0
        assert is_mapped(large[5:9])
        assert large.sum() == 300_000
        unit = unit_rows(large)
        assert is_mapped(unit)
        assert np.allclose(np.square(unit).sum(axis=1), 1.0)
    assert not in_file((3, 2)).any()


def test_neighbors_of_rows_in_a_file_are_those_of_rows_in_memory():
    table = np.random.default_rng(1).normal(size=(400, 30))
    plain = graph(Euclidean().fit(table).affinity_, 4).values.toarray()
    mapped = in_file(table.shape)
    mapped[:] = table
    with using(memory="6MB"):
        fitted = Euclidean().fit(mapped)
        assert graph(fitted.affinity_, 4).values.toarray().tobytes() == plain.tobytes()
    with using(memory="100KB"):
        assert is_mapped(Euclidean().fit(mapped).affinity_.rows[0])


@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 1), (7, 3), (1_000_001, 3), (3, 5_000_001), (0, 4)]
)
def test_blocks_cover_everything_once(rows, columns):
    found = [at for block in row_blocks(rows, columns) for at in (block.start, block.stop)]
    assert found == sorted(found)
    assert not rows or (found[0], found[-1]) == (0, rows)
    parts = list(column_blocks(rows, columns))
    assert (parts[0].start, parts[-1].stop) == (0, columns)
    assert all(one.stop == other.start for one, other in pairwise(parts))
    assert columns == 1 or all(part.stop - part.start > 1 for part in parts)


_PEAK = """
import sys, warnings
import numpy as np
from pathlib import Path
from coterie.compare import Euclidean
from coterie.core.workplace import using
from coterie.organize import Agglomerative
from coterie.parts.pairwise import dense

def high(begin=False):
    if begin:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM"))
    return 1024 * int(line.split()[1])

rows = np.random.default_rng(0).normal(size=(5000, 3))
Agglomerative().fit(Euclidean().fit(rows[:50]).affinity_)
lazy = Euclidean().fit(rows).affinity_
high(begin=True)
before = high()
with using(memory="300MB", n_jobs=2):
    kept = Agglomerative().fit(lazy)
print((high() - before) / 300e6)
"""


@pytest.mark.skipif(not budget.resident(), reason="the system does not say what a process holds")
def test_the_peak_of_a_process_stays_within_the_budget():
    done = subprocess.run(
        [sys.executable, "-c", _PEAK], capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode and "clear_refs" in done.stderr:
        pytest.skip("the peak of a process cannot be asked for here")
    assert done.returncode == 0, done.stderr
    assert 0.5 < float(done.stdout) < 1.15
