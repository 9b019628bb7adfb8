"""using(...): what it accepts, and pieces that are found again only by the same work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import ParameterError
from coterie.core.workplace import Forgetful, Silent, workplace
from coterie.run.progress import Bars, Lines, Quiet
from coterie.run.store import Store
from coterie.run.using import using


def test_circumstances_hold_inside_and_end_outside() -> None:
    before = workplace()
    with using(n_jobs=3, memory="2GB", watch="silent", device="cpu") as here:
        assert here is workplace()
        assert (here.workers, here.budget) == (3, 2 * 10**9)
        assert isinstance(here.watch, Quiet)
        with using(n_jobs=1):
            assert workplace().workers == 1
            assert workplace().budget == 2 * 10**9
        assert workplace().workers == 3
    assert workplace() is before


def test_it_decorates_and_nests_in_itself() -> None:
    @using(n_jobs=2)
    def work(depth: int) -> int:
        """What it does."""
        return workplace().workers + (work(depth - 1) if depth else 0)

    assert work(2) == 6
    assert work.__doc__ == "What it does."
    again = using(n_jobs=5)
    with again, again:
        assert workplace().workers == 5
    assert workplace().n_jobs != 5


def test_watchers_by_name_and_by_object() -> None:
    own = Silent()
    with using(watch=own) as here:
        assert here.watch is own
    for name, kind in (("bars", Bars), ("lines", Lines), ("silent", Quiet)):
        with using(watch=name) as here:
            assert isinstance(here.watch, kind)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"watch": "loud"}, "watch must be one of bars, lines, silent"),
        ({"watch": 3}, "watch must be a watcher"),
        ({"device": "gpu"}, "device must be 'cpu', 'cuda', 'cuda:N' or 'auto', and was 'gpu'"),
        ({"device": 1}, "device must be 'cpu'"),
    ],
)
def test_what_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        using(**given)  # type: ignore[arg-type]


def test_bad_sizes_leave_the_workplace_as_it_was(tmp_path: Path) -> None:
    before = workplace()
    for given in ({"n_jobs": 0}, {"memory": "lots"}):
        with pytest.raises(ParameterError), using(store=tmp_path / "s", **given):  # type: ignore[arg-type]
            pass
    assert workplace() is before


def test_no_store_keeps_nothing() -> None:
    with using(n_jobs=1) as here:
        assert isinstance(here.keeper, Forgetful)


def test_pieces_of_a_run_stay(tmp_path: Path) -> None:
    run = Store(tmp_path).create("mail")
    for turn in range(2):
        with using(store=run) as here:
            assert (here.keeper.get("k") is None) == (turn == 0)
            here.keeper.put("k", {"a": np.ones(1)})
    assert len(run.pieces()) == 1


def test_a_store_is_where_explorations_go(tmp_path: Path) -> None:
    with using(store=tmp_path / "s") as here:
        assert isinstance(here.store, Store)
        assert here.store.folder == tmp_path / "s"
        assert isinstance(here.keeper, Forgetful)
    assert workplace().store is None
