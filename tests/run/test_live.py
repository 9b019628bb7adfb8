"""Live: what work says is in a small file that is always whole; a file beside it asks the work to stop."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import Interrupted
from coterie.core.workplace import Watch, using, workplace
from coterie.run import live
from coterie.run.live import FILE, STOP, Live, read_live


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word is written at once."""
    monkeypatch.setattr(live, "_EVERY", -1.0)


def test_it_is_a_watch(tmp_path: Path) -> None:
    assert isinstance(Live(tmp_path / "work"), Watch)
    assert read_live(tmp_path / "work")["tasks"] == []


def test_tasks_notes_and_curves_are_told(tmp_path: Path, always: None) -> None:
    watch = Live(tmp_path)
    task = watch.begin("Comparing", 40)
    task.advance(3)
    watch.note("Two files were empty.")
    watch.measure("EM", 1, -3.5)
    watch.measure("EM", 2, -3.0)
    told = read_live(tmp_path)
    assert [(t["name"], t["done"], t["total"]) for t in told["tasks"]] == [("Comparing", 3, 40)]
    assert told["notes"] == ["Two files were empty."]
    assert told["curves"] == {"EM": [[1.0, -3.5], [2.0, -3.0]]}
    watch.end(task)
    assert read_live(tmp_path)["tasks"] == []


def test_words_between_two_writings_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_EVERY", 3600.0)
    watch = Live(tmp_path)
    before = (tmp_path / FILE).stat().st_mtime_ns
    for step in range(500):
        watch.measure("EM", step, 1.0)
    assert (tmp_path / FILE).stat().st_mtime_ns == before
    watch.note("A note is never left out.")
    assert len(read_live(tmp_path)["curves"]["EM"]) == 500


def test_numbers_of_numpy_and_values_that_are_none_do_no_harm(tmp_path: Path, always: None) -> None:
    watch = Live(tmp_path)
    task = watch.begin("Comparing", np.int64(9))
    task.advance(np.int32(2))
    watch.measure("EM", np.int64(1), np.float32(0.5))
    watch.measure("EM", 2, float("nan"))
    watch.measure("EM", 3, float("inf"))
    watch.note("half a character \ud83d")
    told = read_live(tmp_path)
    assert told["tasks"][0]["total"] == 9
    assert told["tasks"][0]["done"] == 2
    assert told["curves"] == {"EM": [[1.0, 0.5]]}
    json.loads((tmp_path / FILE).read_text(), parse_constant=lambda name: pytest.fail(name))


def test_what_is_told_stays_small(tmp_path: Path, always: None) -> None:
    watch = Live(tmp_path)
    for number in range(300):
        watch.begin(f"task {number}", None)
        watch.history.note(f"note {number}")
    watch.close()
    told = read_live(tmp_path)
    assert told["notes"][-1] == "note 299"
    assert len(told["notes"]) == 60
    for number in range(30):
        watch.begin(f"task {number}", 2)
    assert len(read_live(tmp_path)["tasks"]) == 12


def test_a_file_asks_to_stop_and_the_work_ends_at_its_next_step(
    tmp_path: Path, always: None
) -> None:
    watch = Live(tmp_path)
    with using(watch=watch):
        workplace().stop_if_asked()
        (tmp_path / STOP).touch()
        with pytest.raises(Interrupted):
            workplace().stop_if_asked()
    (tmp_path / STOP).unlink()
    assert watch.wants_stop()  # asked once is asked


def test_a_signal_asks_too(tmp_path: Path) -> None:
    watch = Live(tmp_path)
    assert not watch.wants_stop()
    watch.ask_stop()
    assert watch.wants_stop()


def test_a_folder_that_is_gone_is_not_worth_a_failed_run(tmp_path: Path, always: None) -> None:
    watch = Live(tmp_path / "work")
    shutil.rmtree(tmp_path / "work")
    watch.note("still here")
    assert not watch.wants_stop()
    assert read_live(tmp_path / "work") == {}


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", "null", "\ud800", '{"a": ' * 2000])
def test_a_damaged_file_is_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert read_live(tmp_path) == {}


def test_a_reader_never_meets_half_a_file(tmp_path: Path, always: None) -> None:
    watch = Live(tmp_path)
    watch.note("x" * 5000)
    met: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            met.append(len(read_live(tmp_path)))

    reader = threading.Thread(target=look)
    reader.start()
    for step in range(300):
        watch.measure("EM", step, 1.0)
    done.set()
    reader.join()
    assert set(met) == {4}
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
