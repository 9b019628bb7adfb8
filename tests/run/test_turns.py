"""Turns: one at a time, among threads and processes, and never for ever."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from coterie.core.errors import StoreError
from coterie.run.turns import turn


def test_threads_take_turns(tmp_path: Path) -> None:
    place = tmp_path / ".lock"
    seen = [0]
    most = [0]

    def work() -> None:
        for _ in range(5):
            with turn(place):
                seen[0] += 1
                most[0] = max(most[0], seen[0])
                time.sleep(0.002)
                seen[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert most[0] == 1


def test_a_thread_comes_in_again(tmp_path: Path) -> None:
    with turn(tmp_path / ".lock"), turn(tmp_path / ".lock"):
        pass
    with turn(tmp_path / ".lock", longest=0.2):
        pass


def test_another_process_waits_and_its_end_gives_the_turn_back(tmp_path: Path) -> None:
    place = tmp_path / ".lock"
    code = (
        "import sys, time; from pathlib import Path; from coterie.run.turns import turn\n"
        f"with turn(Path({str(place)!r})):\n    print('in', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"in"
        with pytest.raises(StoreError, match="try again in a moment"), turn(place, longest=0.3):
            pass
    finally:
        child.kill()
        child.wait()
    with turn(place, longest=2):
        pass


def test_no_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no folder"), turn(tmp_path / "not" / "there"):
        pass
