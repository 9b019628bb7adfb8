"""Runs killed (SIGKILL) at 100 random moments: the store is whole after every kill, and every run ends with the same bytes.

    python benchmarks/quality/kill_hundred.py [--kills 100] [--kinds sic likelihood mdc em ...] [--seed 0] [--members 0]

Each kind of run is made once undisturbed. Then it is started, killed, looked at (`Store.check`, before anything else opens the
store) and resumed until it is done, and begun anew until all kills are spent. Most moments fall anywhere in the life of the
process, reading and writing included; the others fall while the result is written. The number of workers is drawn at every
start. The children are forked from a process that has imported everything, so that moments fall into work and not into imports.

Prints one row per kind (how it stood when it was killed, finished pieces there at a kill in the mean, things that killed
processes left and that do no harm) and ends with status 1 when a byte differs, a store is not whole, or a run does not end.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

KINDS: dict[str, tuple[str, int, tuple[str, ...]]] = {  # data, members, words of the command
    "sic": ("blobs", 200, ("--compare", "SIC(n_iterations=80)", "--k", "5", "--nulls", "0")),
    "likelihood": ("traces", 50, ("--compare", "Likelihood", "--nulls", "2")),
    "mdc": (
        "topics",
        120,
        ("--words", "--organize", "MDC(restarts=3)", "--k", "4", "--nulls", "0"),
    ),
    "em": ("traces", 60, ("--organize", "HMMMixture", "--k", "4", "--nulls", "0")),
    "documents": ("topics", 400, ("--nulls", "10")),
    "rows": ("blobs", 400, ("--nulls", "10")),
    "ssd": ("traces", 120, ("--compare", "SSD")),
    "alignment": ("traces", 90, ("--compare", "Alignment")),
    "cut": ("traces", 90, ("--segment", "--window", "12")),
    "mmd": ("bags_of_vectors", 90, ("--kind", "sets", "--compare", "MMD")),
    "neighbors": ("bags_of_vectors", 90, ("--kind", "sets", "--compare", "Divergence")),
    "logistic": (
        "bags_of_vectors",
        90,
        ("--kind", "sets", "--compare", "Divergence(f=hellinger, risk=logistic)"),
    ),
    "packing": ("bags_of_vectors", 90, ("--kind", "sets", "--organize", "SpherePacking")),
    "sequential": (
        "blobs",
        300,
        ("--compare", "SIC(n_iterations=200, annotator=sequential)", "--k", "5", "--nulls", "0"),
    ),
    "sic-hmm": (
        "traces",
        60,
        ("--compare", "SIC(diverter=hmm, n_iterations=60)", "--k", "3", "--nulls", "0"),
    ),
}
FOUR = ("sic", "likelihood", "mdc", "em")
RUN = "run-1"
TIMES = ("seconds", "created", "updated")  # what may differ between two runs of the same
_LONGEST = 600.0  # seconds a run may take
_AT_THE_END = 0.35  # share of the moments that fall while the result is written


@dataclass
class Tally:
    """What happened to the runs of one kind."""

    kills: int = 0
    runs: int = 0
    seconds: float = 0.0  # of the undisturbed run
    tail: float = 0.0  # of them, from its first file of the result on
    when: Counter[str] = field(default_factory=Counter)  # how the run stood when it was killed
    pieces: int = 0  # finished parts that were there at the kills
    notes: int = 0  # things left behind that do no harm
    problems: list[str] = field(default_factory=list)


def main() -> int:
    """Run the whole bar and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100, help="in all, over all kinds")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(FOUR))
    parser.add_argument(
        "--members", type=int, default=0, help="of every collection; 0: as the kind has it"
    )
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    moments = random.Random(given.seed)
    print(
        f"{'run':<12}{'alone s':>8}{'kills':>7}{'runs':>6}  {'killed while':<48}{'pieces':>7}{'left':>5}  result",
        flush=True,
    )
    every = []
    for at, kind in enumerate(given.kinds):
        kills = given.kills // len(given.kinds) + (at < given.kills % len(given.kinds))
        with tempfile.TemporaryDirectory() as folder:
            tally = disturbed(kind, Path(folder), given.members, kills, moments)
        when = ", ".join(f"{state} {count}" for state, count in tally.when.most_common())
        result = (
            "same bytes, store whole"
            if not tally.problems
            else "WRONG: " + " | ".join(tally.problems[:3])
        )
        pieces = tally.pieces / max(tally.kills, 1)
        row = f"{kind:<12}{tally.seconds:>8.1f}{tally.kills:>7}{tally.runs:>6}  {when:<48}{pieces:>7.1f}{tally.notes:>5}"
        print(f"{row}  {result}", flush=True)
        every.append(tally)
    wrong = sum(len(tally.problems) for tally in every)
    print(
        f"{sum(t.kills for t in every)} kills, {sum(t.runs for t in every)} runs ended, {wrong} problems"
    )
    return 1 if wrong else 0


def disturbed(kind: str, folder: Path, members: int, kills: int, moments: random.Random) -> Tally:
    """One kind of run: once alone, then killed and resumed until so many kills are spent."""
    data, usual, words = KINDS[kind]
    source = write(data, folder / "data", members or usual)
    tally = Tally()
    for _ in range(2):  # the first one compiles what is not compiled yet
        alone = folder / f"alone-{_}"
        begun = time.monotonic()
        pid = started(source, alone, words, 1)
        first = ended(pid, lambda alone=alone: written(alone) > 0)
        tally.tail = time.monotonic()
        if first is None:
            first = ended(pid)
        tally.tail = time.monotonic() - tally.tail
        tally.seconds = time.monotonic() - begun
        if first != 0:
            tally.problems.append(f"the undisturbed run ended with status {first}")
            return tally
    wanted = content(alone)
    number = 0
    while tally.kills < kills and not tally.problems:
        number += 1
        store = folder / f"killed-{number}"
        until_done(source, store, words, kills, tally, moments)
        tally.runs += 1
        tally.problems += (
            [f"{name} differs" for name in differing(wanted, content(store))]
            if not tally.problems
            else []
        )
    return tally


def until_done(
    source: Path,
    store: Path,
    words: tuple[str, ...],
    kills: int,
    tally: Tally,
    moments: random.Random,
) -> None:
    """Start and kill one run until it gets through; it must, once all kills are spent."""
    from coterie.run.integrity import check
    from coterie.run.store import Store

    while not tally.problems:
        resume = store.exists() and bool(Store(store).runs())
        before = written(store)
        pid = started(source, store, words, moments.choice((1, 2)), resume)
        if tally.kills < kills:
            killed = struck(pid, store, before, tally, moments)
        else:
            killed = False
            status = ended(pid, within=_LONGEST)
            tally.problems += [] if status == 0 else [f"a resumed run ended with status {status}"]
        flaws = check(store)
        tally.problems += [f"after a kill: {flaw.sentence()}" for flaw in flaws if flaw.wrong]
        tally.notes += sum(not flaw.wrong and "was interrupted" not in flaw.what for flaw in flaws)
        if not killed:
            return
        tally.kills += 1


def struck(pid: int, store: Path, before: int, tally: Tally, moments: random.Random) -> bool:
    """Kill a process at a random moment; False when it was through before."""
    if moments.random() < _AT_THE_END:
        status = ended(pid, lambda: written(store) > before)
        wait = moments.uniform(0.0, 1.1) * tally.tail
    else:
        status = None
        wait = moments.uniform(0.0, 1.05) * tally.seconds
    if status is None:
        status = ended(pid, within=wait)
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        tally.when[stage(store, before)] += 1
        tally.pieces += len(list((store / RUN / "pieces").glob("*.npz")))
        return True
    if status != 0:
        tally.problems.append(f"a run ended with status {status}")
    return False


def written(store: Path) -> int:
    """When the fitted walk, the first file of the result, was last written to; 0 for never."""
    try:
        return (store / RUN / "models" / "walk").stat().st_mtime_ns
    except OSError:
        return 0


def stage(store: Path, before: int) -> str:
    """How far a process was when it was killed."""
    folder = store / RUN
    if not (folder / "run.json").exists():
        return "reading"
    if b'"status": "done"' in (folder / "run.json").read_bytes():
        return "done"
    if written(store) > before:
        return "writing"
    return "working" if (folder / "collection" / "collection.json").exists() else "laid down"


def started(
    source: Path, store: Path, words: tuple[str, ...], jobs: int, resume: bool = False
) -> int:
    """The command in a process of its own, forked from this one; gives its number."""
    said = ["resume", RUN] if resume else ["explore", str(source), "--name", "run", *words]
    command = ["coterie", *said, "--jobs", str(jobs), "--store", str(store), "--progress", "silent"]
    warm()
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        from coterie.cli.main import main as door

        eager()
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        sys.argv = command
        door()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    os._exit(status)


def eager() -> None:
    """Keep every piece, however little work it was, so that there is much to be killed between; results do not depend on it."""
    import coterie.parts.iterate
    import coterie.parts.workers

    coterie.parts.iterate._KEEP_EVERY = 0.02
    coterie.parts.workers.WORTH = 0.0


def warm() -> None:
    """Import what every run needs, once, without starting a thread."""
    import coterie._kernels.hmm
    import coterie.cli.explore
    import coterie.cli.resume
    import coterie.cli.say
    import coterie.compare
    import coterie.run.engine
    import coterie.run.integrity
    import coterie.show  # noqa: F401


def ended(pid: int, seen: Callable[[], bool] | None = None, within: float = _LONGEST) -> int | None:
    """The exit status of a process; None when the time is over or something else was seen before."""
    until = time.monotonic() + within
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if (seen is not None and seen()) or time.monotonic() >= until:
            return None
        time.sleep(0.001)


# ---- what is compared ------------------------------------------------------------------------------------------------


def content(store: Path) -> dict[str, str]:
    """Marks of all that a finished run holds, but for the times it took."""
    from coterie.run import bundle
    from coterie.run.packing import pack
    from coterie.run.store import Store

    run = Store(store).open(RUN)
    if run.status != "done":
        return {"status": run.status}
    kept: dict[str, Any] = {
        "collection": run.collection(),
        "findings": run.findings(),
        "walk": bundle.load(run.path / "models" / "walk", "model"),
    }
    marks = {"labels.csv": hashlib.sha256((run.path / "labels.csv").read_bytes()).hexdigest()}
    for name, value in kept.items():
        tree, arrays = pack(value)
        for part, inside in timeless(tree.get("of", tree)).items():
            marks[f"{name}.{part}"] = hashlib.sha256(bundle.to_json(inside).encode()).hexdigest()
        for key, array in arrays.items():
            plain = np.ascontiguousarray(array)
            marks[f"{name}/{key}"] = hashlib.sha256(
                str((plain.dtype, plain.shape)).encode() + plain.tobytes()
            ).hexdigest()
    return marks


def timeless(tree: Any) -> Any:
    """The same without times."""
    if isinstance(tree, list):
        return [timeless(item) for item in tree]
    return (
        {key: timeless(value) for key, value in tree.items() if key not in TIMES}
        if isinstance(tree, dict)
        else tree
    )


def differing(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """Names of what is not the same in both."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def write(data: str, place: Path, members: int) -> Path:
    """A folder of texts, a table of rows, or sequences and sets as arrays."""
    from coterie.collect.samples import sample

    view = sample(data, members).view()
    if data == "topics":
        place.mkdir(parents=True)
        for at, text in enumerate(view):
            (place / f"{at:05d}.txt").write_text(text, encoding="utf-8")
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    if data == "blobs":
        np.save(place.with_suffix(".npy"), view.values)
        return place.with_suffix(".npy")
    np.savez(place.with_suffix(".npz"), values=view.values, lengths=view.lengths)
    return place.with_suffix(".npz")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
    sys.exit(130)
