"""Tasks on workers: in order, kept, and by a crew that answers in any order; what cannot travel stays here."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import joblib
import numpy as np
import pytest
from tests.waiting import until

from coterie.core.errors import DataError
from coterie.core.workplace import Crew, Finished, using, workplace
from coterie.parts import workers
from coterie.parts.workers import Keep, in_order, share_memory


class Backwards:
    """A crew that answers the last of a few tasks first."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.asked = threading.Event()

    def spread(
        self, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]
    ) -> Iterator[Finished]:
        self.asked.set()
        window = list(tasks)
        for index, task in reversed(window):
            self.sent.append(index)
            yield Finished(index, work(index, task), 1.0)

    def square(self, at: int) -> int:
        """A square; the first task is not done before this crew is asked, however slow the machine is."""
        assert at > 0 or self.asked.wait(60)
        return at * at


class Memory:
    """A keeper in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, np.ndarray]] = {}

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        return self.kept.get(key)

    def put(self, key: str, arrays: Any) -> None:
        self.kept[key] = dict(arrays)


@pytest.fixture(autouse=True)
def at_once(monkeypatch) -> None:
    monkeypatch.setattr(workers, "_SOON", -1.0)


def _slow_square(at: int) -> int:
    time.sleep(0.02)
    return at * at


def test_a_crew_is_any_object_of_that_form() -> None:
    assert isinstance(Backwards(), Crew)


def test_results_of_a_crew_come_in_order_and_the_first_task_is_done_here() -> None:
    crew = Backwards()
    with using(crew=crew):
        assert list(in_order(crew.square, list(range(7)), "", travels=True)) == [
            at * at for at in range(7)
        ]
    assert crew.sent == [6, 5, 4, 3, 2, 1]


def test_little_work_is_not_sent(monkeypatch) -> None:
    monkeypatch.setattr(workers, "_SOON", 5.0)
    crew = Backwards()
    with using(crew=crew):
        assert list(in_order(_slow_square, list(range(5)), "", travels=True)) == [0, 1, 4, 9, 16]
    assert crew.sent == []


def test_work_that_cannot_travel_stays_here() -> None:
    crew = Backwards()
    seen = []
    with using(crew=crew, n_jobs=2):
        list(in_order(seen.append, list(range(6)), ""))
    assert sorted(seen) == list(range(6))
    assert crew.sent == []


def test_under_a_crew_memory_is_not_shared() -> None:
    with using(n_jobs=2):
        assert share_memory()
        with using(crew=Backwards()):
            assert not share_memory()


def test_what_was_kept_is_not_sent_and_what_comes_back_is_kept() -> None:
    memory = Memory()
    crew = Backwards()
    keep = Keep(
        lambda at: f"square-{at}",
        lambda value: {"value": np.array(value)},
        lambda found, at: int(found["value"]),
    )
    memory.put("square-2", {"value": np.array(-1)})
    with using(crew=crew, keeper=memory):
        assert list(in_order(crew.square, list(range(5)), "", travels=True, keep=keep)) == [
            0,
            1,
            -1,
            9,
            16,
        ]
    assert crew.sent == [4, 3, 1]
    assert sorted(memory.kept) == [f"square-{at}" for at in range(5)]


def test_of_what_was_kept_only_that_whose_turn_it_is_is_held() -> None:
    class Held:
        """A large result."""

    memory = Memory()
    alive = weakref.WeakSet[Held]()
    most = 0

    def taken(found: Any, at: int) -> Held:
        alive.add(one := Held())
        return one

    keep = Keep(lambda at: f"held-{at}", lambda value: {"value": np.zeros(1)}, taken)
    for at in range(1, 19):
        memory.put(f"held-{at}", {"value": np.zeros(1)})
    with using(crew=Backwards(), keeper=memory):
        for _ in in_order(
            lambda at: time.sleep(0.02), list(range(20)), "", travels=True, keep=keep
        ):
            most = max(most, len(alive))
    assert 1 <= most <= 3


def test_under_a_crew_no_task_is_done_on_a_card() -> None:
    def look(at: int) -> str:
        time.sleep(0.01)
        return workplace().device

    with using(crew=Backwards(), device="cuda"):
        assert set(in_order(look, [0, 1, 2], "", travels=True)) == {"cpu"}
        assert workplace().device == "cuda"


@pytest.mark.parametrize("crew", [None, Backwards()])
def test_what_goes_wrong_in_a_task_is_raised(crew) -> None:
    def work(at: int) -> int:
        time.sleep(0.01)
        if at == 2:
            raise DataError("Member 2 is empty.")
        return at

    for first in ([0, 1, 2, 3], [2, 0]):
        with using(crew=crew, n_jobs=2), pytest.raises(DataError, match=r"^Member 2 is empty\.$"):
            list(in_order(work, first, "", travels=True))


def test_tasks_have_one_worker_each_and_no_crew_of_their_own_but_one_task_has_all() -> None:
    def look(at: int) -> tuple[int, bool]:
        time.sleep(0.01)
        return workplace().workers, workplace().crew is None

    with using(crew=Backwards(), n_jobs=3):
        assert set(in_order(look, [0, 1, 2], "", travels=True)) == {(1, True)}
        assert list(in_order(look, [0], "", travels=True)) == [(3, False)]


def test_whoever_has_enough_may_stop() -> None:
    with using(crew=Backwards()):
        coming = in_order(_slow_square, list(range(50)), "", travels=True)
        assert next(coming) == 0
        coming.close()


def test_processes_of_joblib_take_what_travels_and_threads_the_rest() -> None:
    import os

    def pid(at: int) -> int:
        return os.getpid()

    with using(n_jobs=2), joblib.parallel_config(backend="loky"):
        assert os.getpid() not in set(in_order(pid, [0, 1, 2], "", travels=True))
        assert set(in_order(pid, [0, 1, 2], "")) == {os.getpid()}


def test_backends_that_give_all_results_at_once_are_asked_block_by_block() -> None:
    asked = []

    class Blockwise(joblib.parallel.BACKENDS["threading"]):  # type: ignore[misc]
        supports_return_generator = False

        def configure(self, *args, **options):
            asked.append(1)
            return super().configure(*args, **options)

    with using(n_jobs=2), joblib.parallel_config(backend=Blockwise()):
        assert list(in_order(_slow_square, list(range(21)), "", travels=True)) == [
            at * at for at in range(21)
        ]
    assert asked


def test_threads_keep_the_order_and_run_a_few_tasks_ahead_at_most() -> None:
    begun: list[int] = []
    seen: set[str] = set()

    def work(at: int) -> int:
        begun.append(at)
        seen.add(threading.current_thread().name)
        if at == 0:
            until(lambda: len(seen) > 1)
        return at

    with using(n_jobs=3):
        coming = in_order(work, list(range(40)), "")
        assert next(coming) == 0
        until(lambda: len(begun) >= 7)
        time.sleep(0.05)
        assert len(begun) == 7  # two for each worker, and one for the result that was taken
        assert list(coming) == list(range(1, 40))
    assert 1 < len(seen) <= 3
    assert threading.current_thread().name not in seen


def test_an_error_on_a_thread_is_the_callers_and_ends_the_rest() -> None:
    begun: list[int] = []

    def work(at: int) -> int:
        begun.append(at)
        if at == 2:
            raise DataError("The third one is bad.")
        return at

    with using(n_jobs=2), pytest.raises(DataError, match="The third one is bad"):
        list(in_order(work, list(range(500)), ""))
    time.sleep(0.05)
    assert len(begun) < 20


def test_whoever_has_enough_stops_the_threads() -> None:
    begun: list[int] = []
    with using(n_jobs=2):
        coming = in_order(begun.append, list(range(500)), "")
        next(coming)
        coming.close()
    until(
        lambda: (
            not [
                thread
                for thread in threading.enumerate()
                if thread.name.startswith("coterie worker")
            ]
        )
    )
    assert len(begun) < 20


def test_ray_through_joblib() -> None:
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(
        num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="ERROR"
    )
    try:
        with using(n_jobs=2), joblib.parallel_config(backend="ray"):
            assert list(in_order(_slow_square, list(range(20)), "", travels=True)) == [
                at * at for at in range(20)
            ]
    finally:
        ray.shutdown()


def test_no_tasks_are_no_results() -> None:
    with using(n_jobs=2):
        assert list(in_order(_slow_square, [], "")) == []
