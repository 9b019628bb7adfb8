"""What runs on a worker elsewhere, without one: unpacked once, let go with its data, refused under other versions."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import cloudpickle
import numpy as np
import pytest

from coterie.core.errors import ClusterError
from coterie.run import far


def _placed(work: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    """Work as it lies on a worker: its frame, and its arrays at odd places, as in the midst of a message."""
    aside: list[Any] = []
    frame = np.frombuffer(
        cloudpickle.dumps(work, protocol=5, buffer_callback=aside.append), dtype=np.uint8
    ).copy()
    arrays = []
    for buffer in aside:
        raw = np.frombuffer(buffer.raw(), dtype=np.uint8)
        odd = np.empty(len(raw) + 64, dtype=np.uint8)
        first = 29 + (-odd.ctypes.data) % 32
        odd[first : first + len(raw)] = raw
        arrays.append(odd[first : first + len(raw)])
    return frame, arrays


def _run(mark: str, frame: np.ndarray, arrays: list[np.ndarray], task: Any = 0) -> Any:
    return far.done(mark, frame, arrays, 0, pickle.dumps(task), far.versions_here()).result


def test_sums_have_the_same_bits_wherever_dask_laid_the_bytes() -> None:
    rows = np.random.default_rng(0).normal(size=20_000)
    assert not any(
        np.frombuffer(part.data, dtype=rows.dtype).flags.aligned for part in _placed(rows)[1]
    )
    assert _run("sums", *_placed(lambda index, task: (rows.sum(), rows.flags.aligned))) == (
        rows.sum(),
        True,
    )


def test_work_goes_with_its_frame() -> None:
    frame, arrays = _placed(lambda index, task: task + 1)
    assert _run("short", frame, arrays, 4) == 5
    assert "short" in far._UNPACKED
    del frame
    gc.collect()
    assert "short" not in far._UNPACKED


def test_only_the_last_works_stay_unpacked() -> None:
    held = [_placed(lambda index, task, at=at: at) for at in range(4)]
    assert [_run(f"work-{at}", *placed) for at, placed in enumerate(held)] == [0, 1, 2, 3]
    assert [mark for mark in far._UNPACKED if mark.startswith("work-")] == ["work-2", "work-3"]
    assert _run("work-0", *held[0]) == 0


def test_a_worker_of_another_version_that_came_later_is_refused() -> None:
    frame, arrays = _placed(lambda index, task: task)
    wanted = {**far.versions_here(), "numpy": "0.1"}
    with pytest.raises(
        ClusterError,
        match=r"^The worker on .* has numpy .* where this process has 0\.1, and results would differ",
    ):
        far.done("other", frame, arrays, 0, pickle.dumps(1), wanted)


def test_work_whose_module_is_not_there_is_one_sentence() -> None:
    frame = np.frombuffer(b"cno_such_module\nwork\n.", dtype=np.uint8)
    with pytest.raises(
        ClusterError,
        match=r"cannot load the work \(No module named 'no_such_module'\); install there what it uses",
    ):
        _run("absent", frame, [])
