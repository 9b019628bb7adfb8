"""Watchers: only long tasks are shown, never too often, and Ctrl-C asks before it breaks."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from coterie.core.errors import Interrupted
from coterie.core.workplace import Silent, Watch, using, watched, workplace
from coterie.run import progress
from coterie.run.history import Both, History
from coterie.run.progress import Bars, Lines, Quiet, interruptible


class Clock:
    """Time that moves when told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(Bars, "_tick", lambda self: None)  # the test turns the wheel itself
    return Clock(monkeypatch)


@pytest.mark.parametrize(
    "watch", [Bars(io.StringIO()), Lines(io.StringIO()), Quiet(), History(), Both(Quiet(), Quiet())]
)
def test_each_is_a_watch(watch: Watch) -> None:
    assert isinstance(watch, Watch)
    with watched(watch, "outer", 3) as outer, watched(watch, "inner") as inner:
        outer.advance()
        inner.advance(2)
        watch.note("a note")
        watch.measure("cost", 1, 0.5)
        assert not watch.wants_stop()
    watch.end(Silent().begin("foreign", 1))


def test_short_tasks_leave_no_trace(clock: Clock) -> None:
    for terminal in (True, False):
        out = io.StringIO()
        bars = Bars(out, terminal=terminal)
        for _ in range(5):
            with watched(bars, "short", 10) as task:
                clock.now += 1.9
                task.advance(10)
                bars.refresh()
        assert out.getvalue() == ""


def test_without_a_terminal_a_line_in_ten_seconds_at_most(clock: Clock) -> None:
    out = io.StringIO()
    bars = Bars(out)
    assert not bars.terminal
    with watched(bars, "compare", 100) as task, watched(bars, "tiles") as tiles:
        for _ in range(60):
            clock.now += 0.5
            task.advance()
            tiles.advance(2)
            bars.refresh()
    lines = out.getvalue().splitlines()
    assert lines == [
        "compare: 4 of 100 in 2 s, about 48 s left; tiles: 8 done in 2 s",
        "compare: 24 of 100 in 12 s, about 38 s left; tiles: 48 done in 12 s",
        "compare: 44 of 100 in 22 s, about 28 s left; tiles: 88 done in 22 s",
    ]


def test_what_has_no_steps_says_how_long_it_runs(clock: Clock) -> None:
    out = io.StringIO()
    bars = Bars(out)
    with watched(bars, "experiment"), watched(bars, "seeds", 5):
        clock.now += 12
        bars.refresh()
    assert out.getvalue().splitlines() == [
        "experiment: running for 12 s; seeds: 0 of 5, running for 12 s"
    ]


def test_on_a_terminal_a_bar_with_count_and_notes_above(clock: Clock) -> None:
    out = io.StringIO()
    bars = Bars(out, terminal=True)
    with watched(bars, "compare [x]", 100) as task, watched(bars, "inside", None):
        task.advance(40)
        clock.now += 3
        bars.refresh()
        bars.note("Two files were [skipped].")
        bars._live.refresh()
    text = out.getvalue()
    assert "compare [x]" in text
    assert "40 of 100 in 3 s, about 4 s left" in text
    assert "inside" in text
    assert "Two files were [skipped]." in text
    assert bars._live is None
    bars.close()


@pytest.mark.parametrize("done", [0, 8])
def test_a_bar_without_a_total_says_how_long_it_runs_and_not_what_is_left(
    done: int, clock: Clock
) -> None:
    out = io.StringIO()
    bars = Bars(out, terminal=True)
    with watched(bars, "experiment", None) as task:
        task.advance(done)
        clock.now += 3
        bars.refresh()
        bars._live.refresh()
    assert ("8 done in 3 s" if done else "running for 3 s") in out.getvalue()
    assert not any(word in out.getvalue() for word in ("left", "/?", "0:00"))


def test_many_tasks_do_not_flood_the_terminal(clock: Clock) -> None:
    bars = Bars(io.StringIO(), terminal=True)
    tasks = [bars.begin(f"t{n}", 5) for n in range(30)]
    clock.now += 3
    bars.refresh()
    assert sum(task.bar is not None for task in tasks) == 6  # type: ignore[attr-defined]
    for task in tasks[:6]:
        bars.end(task)
    bars.refresh()
    assert sum(task.bar is not None for task in tasks[6:]) == 6  # type: ignore[attr-defined]
    bars.close()
    assert bars._live is None


def test_the_ticker_shows_a_task_that_never_advances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SHOW_AFTER", 0.05)
    monkeypatch.setattr(progress, "_TICK", 0.01)
    shown = threading.Event()

    class Out(io.StringIO):
        def write(self, text: str) -> int:
            shown.set()
            return len(text)

    bars = Bars(Out())
    with watched(bars, "stuck", 10):
        assert shown.wait(10)


def test_a_closed_stream_does_not_end_the_work() -> None:
    for watch in (Bars(io.StringIO(), terminal=False), Lines(io.StringIO())):
        watch.stream.close()
        watch.note("x")


def test_threads_may_use_one_watcher() -> None:
    bars = Bars(io.StringIO())
    lines = Lines(io.StringIO(), every=0.0)
    history = History(Both(bars, lines))

    def work(number: int) -> None:
        for _ in range(30):
            with watched(history, f"t{number}", 3) as task:
                task.advance(3)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = [json.loads(line) for line in lines.stream.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert len(events) == 4 * 30 * 3
    assert len({event["task"] for event in events}) == 120
    assert bars._tasks == []
    assert set(history.seconds) == {"t0", "t1", "t2", "t3"}


def test_lines_are_json_even_for_odd_values() -> None:
    out = io.StringIO()
    lines = Lines(out, every=1000.0)
    with watched(lines, "é\n", None) as task:
        for _ in range(100):
            task.advance()
        lines.measure("cost", 3, float("nan"))
        lines.note("a\nb \ud800")
    events = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [event["event"] for event in events] == ["begin", "measure", "note", "end"]
    assert events[0] | {"time": 0} == {
        "event": "begin",
        "task": 1,
        "name": "é\n",
        "total": None,
        "time": 0,
    }
    assert events[1]["value"] is None
    assert events[3]["done"] == 100


@pytest.mark.usefixtures("key")
def test_the_first_press_asks_and_the_second_breaks() -> None:
    before = signal.getsignal(signal.SIGINT)
    out = io.StringIO()
    bars = Bars(out)
    with pytest.raises(KeyboardInterrupt), interruptible(bars):
        signal.raise_signal(signal.SIGINT)
        assert bars.wants_stop()
        assert bars.wants_stop()
        with pytest.raises(Interrupted), using(watch=bars):
            workplace().stop_if_asked()
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert out.getvalue().count("press Ctrl-C again") == 1


def test_the_wish_to_stop_goes_through_history_and_both() -> None:
    quiet = Quiet()
    watch = History(Both(Silent(), quiet))
    with interruptible(watch):
        signal.raise_signal(signal.SIGINT)
    assert quiet.wants_stop()
    assert watch.wants_stop()


@pytest.fixture
def key() -> Iterator[None]:
    """The key breaks, as at a terminal; where tests run behind the scenes it may have been switched off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("key")
def test_a_watcher_that_cannot_be_asked_leaves_the_key_as_it_is() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible(Silent()):
        signal.raise_signal(signal.SIGINT)
    seen = []

    def elsewhere() -> None:
        with interruptible(Quiet()) as watch:
            seen.append(watch)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(seen) == 1


def test_history_keeps_curves_apart_and_thin() -> None:
    inner = History()
    history = History(inner)
    for restart in range(2):
        for step in range(1, 5 - restart):
            history.measure("EM", step, step * 10.0 + restart)
    for step in range(10_000):
        history.measure("long", step, float(step))
    history.note("hello")
    curves = history.curves()
    assert curves["EM"] == [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0), (4.0, 40.0)]
    assert curves["EM, 2"] == [(1.0, 11.0), (2.0, 21.0), (3.0, 31.0)]
    assert len(curves["long"]) <= 601
    assert curves["long"][0] == (0.0, 0.0)
    assert curves["long"][-1] == (9999.0, 9999.0)
    assert inner.curves() == curves
    assert inner.notes == history.notes == ["hello"]


def test_curves_do_not_depend_on_the_order_of_threads() -> None:
    def told(order: list[int]) -> dict[str, list[tuple[float, float]]]:
        history = History()
        for restart in order:
            thread = threading.Thread(
                target=lambda r=restart: [history.measure("EM", s, float(r)) for s in range(3 + r)]
            )
            thread.start()
            thread.join()
        return history.curves()

    assert told([0, 1, 2]) == told([2, 0, 1])


PRESSED = """
import sys, time
from coterie.run.progress import Bars, interruptible
bars = Bars()
with interruptible(bars):
    task = bars.begin("work", None)
    sys.stdout.write("ready\\n"); sys.stdout.flush()
    while not bars.wants_stop():
        time.sleep(0.01)
sys.stdout.write("kept\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT to another process")
def test_a_real_ctrl_c_from_outside(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", PRESSED], stdout=pipe, stderr=pipe, text=True
    ) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        os.kill(worker.pid, signal.SIGINT)
        out, err = worker.communicate(timeout=30)
    assert out == "kept\n"
    assert "press Ctrl-C again" in err
    assert worker.returncode == 0


def test_what_is_measured_stands_beside_its_bar() -> None:
    bars = Bars(io.StringIO(), terminal=False)
    outer = bars.begin("explore", 5)
    inner = bars.begin("iterations", 40)
    for step, value in enumerate((0.0, 0.1, 0.25, 0.3)):
        bars.measure("entropy", step, value)
    assert inner.line().endswith("entropy 0.3 \u2581\u2583\u2587\u2588")
    assert "entropy" not in outer.line()
    bars.measure("likelihood", 0, -3.0)
    assert inner.told() == "likelihood -3 \u2581"
    bars.end(inner)
    bars.end(outer)
    bars.measure("entropy", 9, 1.0)  # nobody is left to show it
