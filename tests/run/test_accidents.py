"""Accidents to whole commands: signals at any moment, kills, a full disk, a store that may not be written to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from coterie.core.workplace import once, using
from coterie.parts.iterate import iterate
from coterie.run import progress as ending
from coterie.run.engine import load, resume
from coterie.run.integrity import check
from coterie.run.jobs import FAILED, Job, Jobs
from coterie.run.store import Store
from coterie.run.worker import HELD
from tests.planning import plan

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals, forks and mounts")
ROOT = Path(__file__).parents[2]
NEW = ["explore", "sample:blobs", "--k", "2", "--nulls", "0", "--progress", "silent"]

# Commands whose work is replaced: it asks for stops, hears nothing for minutes in C code, or does so on two threads. All are
# forked from one process that has imported everything, told to end, and awaited; what became of each is said as JSON.
TOLD = """
import hashlib, json, os, sys, time
from pathlib import Path
import coterie.cli.explore, coterie_papers.cli.reproduce, coterie.cli.say, coterie_papers.experiment, coterie.run.engine
from coterie.cli.main import main
from coterie.core.workplace import using, workplace
from coterie.parts.workers import in_order
from coterie.run import worker
from coterie.run import progress as ending

def deaf(_=0):
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)

def asleep():
    for _ in range(6000):
        time.sleep(0.01)

def polite():
    for _ in range(6000):
        time.sleep(0.01)
        workplace().stop_if_asked()

def threads():
    with using(n_jobs=2):
        list(in_order(deaf, [1, 2, 3], "work"))

def child(command, kind, words, ready, err):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT), 2)

    def work(*_, **__):
        os.write(ready, b"!")
        {"deaf": deaf, "asleep": asleep, "polite": polite, "threads": threads}[kind]()

    coterie.run.engine.analyse = work
    coterie_papers.experiment.Experiment.conduct = work
    sys.argv = ["coterie", *words]
    status = 70
    try:
        status = worker.work("walk", Path(words[0]), *words[1:]) if command == "worker" else main()
    except SystemExit as end:
        status = end.code
    except BaseException:
        import traceback
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status or 0)

found = {}
for name, (command, kind, number, quick, words, err) in json.loads(sys.argv[1]).items():
    if quick:
        ending.ASKED, ending.INTERRUPTED = 0.3, 0.3
    ear, mouth = os.pipe()
    pid = os.fork()
    if not pid:
        child(command, kind, words, mouth, err)
    os.close(mouth)
    os.read(ear, 1)
    time.sleep(0.1)
    os.kill(pid, number)
    begun = time.monotonic()
    done = status = 0
    while not done and time.monotonic() - begun < 30:
        done, status = os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)
    if not done:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    found[name] = [os.waitstatus_to_exitcode(status), time.monotonic() - begun, Path(err).read_text()]
sys.stdout.write(json.dumps(found))
"""
CASES = [
    (
        "explore",
        "deaf",
        signal.SIGTERM,
    ),  # the first one with the times as they are, all others with shorter ones
    ("explore", "deaf", signal.SIGINT),
    ("explore", "polite", signal.SIGINT),
    ("explore", "polite", signal.SIGTERM),
    ("explore", "asleep", signal.SIGTERM),
    ("explore", "threads", signal.SIGTERM),
    ("reproduce", "deaf", signal.SIGTERM),
    ("worker", "deaf", signal.SIGTERM),
    ("worker", "polite", signal.SIGTERM),
]


def name_of(case: tuple[str, str, signal.Signals]) -> str:
    return f"{case[0]}-{case[1]}-{case[2].name}"


@dataclass(frozen=True)
class Told:
    """What became of a command that was told to end."""

    status: int
    seconds: float
    err: str
    store: Path


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    asked = {}
    stores = {}
    for number, case in enumerate(CASES):
        place = tmp_path_factory.mktemp("told")
        store = stores[name_of(case)] = place / "runs"
        words = {
            "explore": [*NEW, "--store", str(store)],
            "reproduce": ["reproduce", "f1-tests", "--progress", "silent"],
        }
        said = words.get(case[0]) or _job(store)
        asked[name_of(case)] = [
            case[0],
            case[1],
            int(case[2]),
            number > 0,
            said,
            str(place / "err"),
        ]
    found = _json_of(TOLD, json.dumps(asked))
    return {name: Told(*what, stores[name]) for name, what in found.items()}


def _job(store: Path) -> list[str]:
    run = plan("sample:blobs", store=Store(store), k=2, nulls=0)
    jobs = Jobs(store)
    jobs.queue.mkdir()
    job = Job("0123456789ab", "walk", run.name, f"{run.name}/work", time.time())
    jobs._keep(job)
    return [str(store), run.name, job.id]


def test_the_times_allowed_leave_room_for_the_rest() -> None:
    assert ending.ASKED + ending.INTERRUPTED + ending.MARKED <= 4.0


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_signal_ends_a_command_in_time_with_one_sentence(case, told) -> None:
    one = told[name_of(case)]
    assert one.seconds < 5.0
    assert "Traceback" not in one.err
    if case[0] == "worker":
        job = Jobs(one.store).every()[0]
        assert (job.status, job.problem) == (FAILED, HELD)
        assert one.status in (1, 143)
    else:
        lines = [line for line in one.err.splitlines() if line.strip()]
        assert one.status == 128 + case[2]
        assert len(lines) == 1, one.err
        assert "Stopped" in lines[0]
    if case[0] != "reproduce":
        run = Store(one.store).open()
        assert (run.status, run.record().problem) == ("stopped", "stopped by the person")
        assert case[0] == "worker" or one.err.rstrip().endswith(
            f"Go on with: coterie resume {run.name} --store {one.store}"
        )
        assert check(one.store) == []


def test_a_run_that_was_told_to_end_goes_on(told) -> None:
    store = told["explore-deaf-SIGTERM"].store
    found = resume("latest", store=store)
    assert found.run.status == "done"
    assert len(found.findings.groups) == 2
    assert check(store) == []


def test_sigterm_before_any_work_is_a_sentence_too() -> None:
    code = "import os, signal\nfrom coterie.cli import main\n"
    code += "main.Door.get_command = lambda *_: os.kill(os.getpid(), signal.SIGTERM)\n"
    code += "import sys\nsys.argv = ['coterie', 'runs']\nmain.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 143
    assert done.stderr.split() == main_words()


def main_words() -> list[str]:
    from coterie.cli.main import _INTERRUPTED

    return _INTERRUPTED.split()


# ---- full disk, and one that may not be written to ------------------------------------------------------------------------

COMMANDS = """
import contextlib, io, json, sys
from coterie.cli.main import main

def said(*words):
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["coterie", *map(str, words)]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    return [code, out.getvalue(), err.getvalue()]
"""
LIMITED = (
    COMMANDS
    + """
import resource
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
found = {}
root, *limits = sys.argv[1:]
for limit in map(int, limits):
    place = f"{root}/{limit}"
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    told = said("explore", "sample:blobs", "--k", 2, "--nulls", 0, "--progress", "silent", "--store", place)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    found[limit] = told
sys.__stdout__.write(json.dumps(found))
"""
)


def _json_of(code: str, *words: object, **how: object) -> dict:
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT, **how)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _one_sentence(told: list) -> str:
    code, _, err = told
    lines = err.splitlines()
    assert code == 2, told
    assert len(lines) == 1, err
    assert lines[0].startswith("coterie: ")
    assert "Traceback" not in err
    return lines[0]


def test_files_that_may_not_grow_at_any_stage_are_one_sentence_and_a_store_that_opens(
    tmp_path: Path,
) -> None:
    limits = [1000, 9000, 20_000, 40_000]  # the index, its pages, the report
    for limit, told in _json_of(LIMITED, tmp_path, *limits).items():
        sentence = _one_sentence(told)
        assert "was not saved" in sentence or "failed" in sentence, sentence
        store = tmp_path / limit
        assert store.exists()
        assert not [flaw for flaw in check(store) if flaw.wrong], limit
        runs = Store(store).runs()
        if runs:
            assert runs[0].status in ("new", "failed", "interrupted")
            assert load(resume("latest", store=store).run.name, store=store).findings.groups
            assert check(store) == []


FULL = (
    COMMANDS
    + """
place = sys.argv[1]
first = said("explore", "sample:blobs", "--k", 2, "--nulls", 0, "--progress", "silent", "--store", place)
sys.__stdout__.write(json.dumps({"full": first, "runs": said("runs", "--store", place)}))
"""
)


def test_a_really_full_disk_and_going_on_when_there_is_room(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    try:
        told = _json_of(FULL, disk / "runs")
        assert "is full" in _one_sentence(told["full"])
        assert told["runs"][0] == 0
        assert not [flaw for flaw in check(disk / "runs") if flaw.wrong]
        subprocess.run(["mount", "-o", "remount,size=40m", str(disk)], check=True)
        assert len(resume("latest", store=disk / "runs").findings.groups) == 2
        assert check(disk / "runs") == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


LOCKED = (
    COMMANDS
    + """
place, new = ["--store", sys.argv[1]], ["explore", "sample:blobs", "--k", 2, "--nulls", 0, "--progress", "silent"]
found = {
    "runs": said("runs", *place), "explore": said(*new, *place), "resume": said("resume", "half", *place),
    "neighbors": said("neighbors", "0", "--run", "blobs-1", *place), "doctor": said("doctor", "--json", *place),
}
sys.__stdout__.write(json.dumps(found))
"""
)


def _killed_with_last_words(folder: Path) -> None:
    """What a killed process wrote last lies beside the index, and not in it."""
    code = "import os, sys, sqlite3\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    code += (
        "db.execute(\"UPDATE runs SET problem = 'Last words' WHERE name = 'half-1'\")\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder / "index.sqlite")], timeout=60)
    assert (folder / "index.sqlite-wal").stat().st_size > 0


def test_a_store_that_may_not_be_written_to_can_be_read_and_says_so(tmp_path: Path) -> None:
    import coterie

    store = Store(tmp_path / "runs")
    coterie.explore("sample:blobs", k=2, nulls=0, store=store)
    run = plan("sample:blobs", store=store, name="half", k=2, nulls=0)
    _killed_with_last_words(run.folder.parent)
    here = str(store.folder)
    if subprocess.run(["mount", "--bind", "-o", "ro", here, here], capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        if os.access(store.folder, os.W_OK):
            pytest.skip("read-only bind mounts are not honoured here")
        told = _json_of(LOCKED, here)
        assert [told[name][0] for name in ("runs", "explore", "resume", "doctor")] == [
            0,
            2,
            2,
            1,
        ], told
        for name in ("explore", "resume"):
            assert "may not be written to" in _one_sentence(told[name])
        assert "Last words" in told["runs"][1]
        lines = json.loads(told["doctor"][1])["lines"]
        assert [line["area"] for line in lines if line["state"] == "wrong"] == ["disk"]
        assert not [flaw for flaw in check(store.folder) if flaw.wrong]
    finally:
        subprocess.run(["umount", here], check=True)
    assert resume("half", store=store).run.status == "done"


# ---- interrupted between any two pieces ------------------------------------------------------------------------------------


class Tired(dict[str, dict[str, np.ndarray]]):
    """Keeps pieces in memory, and is interrupted after so many."""

    left = 10**9

    def put(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        self[key] = {name: np.array(array) for name, array in arrays.items()}
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt

    def get(self, key: str) -> dict[str, np.ndarray] | None:  # type: ignore[override]
        return dict(self[key]) if key in self else None


def nested() -> list[float]:
    """Loops inside a loop inside what is made once, several times over: each has an answer of its own."""

    def halved(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        return {"x": state["x"] / 2}, float(state["x"][0])

    def outer(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        inner = iterate(halved, {"x": state["x"] + 1}, max_iter=3, tol=0, label="inner", quiet=True)
        return {"x": state["x"] * 3 + inner.state["x"]}, inner.value

    def made(part: int) -> dict[str, np.ndarray]:
        return dict(
            iterate(
                outer, {"x": np.array([float(part)])}, max_iter=4, tol=0, label="outer", quiet=True
            ).state
        )

    return [float(once("part", lambda part=part: made(part))["x"][0]) for part in range(3)]


def test_work_that_is_interrupted_after_any_piece_takes_up_only_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("coterie.parts.iterate._KEEP_EVERY", -1.0)
    alone = Tired()
    with using(keeper=alone):
        wanted = nested()
    pieces = 10**9 - alone.left
    assert pieces == 3 * (1 + 4 + 4 * 3)
    for stop in range(1, pieces + 1):
        keeper = Tired()
        keeper.left = stop
        with using(keeper=keeper), pytest.raises(KeyboardInterrupt):
            nested()
        with using(keeper=keeper):
            assert nested() == wanted, stop


# ---- kills ----------------------------------------------------------------------------------------------------------------


def test_killed_runs_end_with_the_same_bytes_and_leave_a_store_that_is_whole() -> None:
    script = ROOT / "benchmarks" / "quality" / "kill_hundred.py"
    command = [
        sys.executable,
        str(script),
        "--kinds",
        "sic",
        "em",
        "--kills",
        "6",
        "--members",
        "30",
        "--seed",
        "3",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kills" in done.stdout
    assert done.stdout.count("same bytes, store whole") == 2
