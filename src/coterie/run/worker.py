"""A worker: one process that does one job of the queue and ends; `python -m coterie.run.worker ACTION STORE TARGET JOB`."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from coterie.core.errors import CoterieError, Interrupted

# action -> module and function (store folder, target) that does it, with the watcher of the workplace
ACTIONS: dict[str, str] = {
    "walk": "coterie.run.worker:walk",
    "add": "coterie.run.adding:add_members",
    "session": "coterie.run.sessions:step",
    "session-back": "coterie.run.sessions:back",
    "core": "coterie.run.coring:find_cores",
    "look": "coterie.run.looking:look",
}
HELD = "The work was stopped; what was finished is kept."
_BROKEN = "Something went wrong that should not have; the log of the worker has it."


def walk(store: Path, target: str) -> None:
    """Walk a run that was laid down, or go on with one that was stopped."""
    from coterie.run.planned import walk_run
    from coterie.run.store import Store

    walk_run(Store(store).open(target))


def work(action: str, store: Path, target: str, name: str) -> int:
    """Do one job: progress into its folder, its last word into the queue; gives the exit status."""
    from coterie.run.jobs import Jobs
    from coterie.run.live import Live
    from coterie.run.progress import in_time, interruptible, stopped
    from coterie.run.using import using

    jobs = Jobs(store)
    job = jobs.begun(name)
    if job is None or action not in ACTIONS:
        sys.stderr.write(f"There is no job '{name}' with the action '{action}'.\n")
        return 2
    watch = Live(store / job.folder)
    problem = ""

    def last() -> str:
        said = stopped()
        jobs.ended(name, HELD)
        return said

    try:
        module, _, function = ACTIONS[action].partition(":")
        do: Callable[[Path, str], None] = getattr(import_module(module), function)
        with using(watch=watch), interruptible(watch), in_time(last):
            do(store, target)
    except (Interrupted, KeyboardInterrupt):
        problem = HELD
    except CoterieError as error:
        problem = str(error)
    except BaseException:
        traceback.print_exc()
        problem = _BROKEN
        _settle(store, target, action)
    finally:
        watch.close()
        jobs.ended(name, problem)
    return 1 if problem else 0


def _settle(store: Path, target: str, action: str) -> None:
    """A run whose walk broke is not left as if somebody worked on it."""
    if action == "walk":
        from coterie.run.store import Store

        Store(store).open(target).update(status="failed", problem=_BROKEN)


if __name__ == "__main__":
    sys.exit(work(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]))
