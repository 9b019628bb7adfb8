"""The desk: the store as the pages see it; runs by their exact names, findings as they stand, and what takes long to make."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from coterie.core.collection import Collection
from coterie.core.errors import CoterieError
from coterie.core.findings import Findings
from coterie.run.index import Record
from coterie.run.jobs import Job, Jobs
from coterie.run.steered import current
from coterie.run.steering_log import FILE as LOG
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.web.places import by_last_parts
from coterie.web.settings import Serving

WALK = "walk"
# things made at once, asked for at once, and failures that are remembered
_MAKINGS = 2
_WAITING = 16
_FAILED = 50
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


class NotThere(CoterieError):
    """What was asked for is not in the store."""


class NotYet(CoterieError):
    """What was asked for is being made, or needs something that is not finished."""


class Desk:
    """The store, its jobs and a few things kept at hand; one for the whole server."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.store = Store(serving.store)
        self.jobs = Jobs(self.store.folder, serving.at_once)
        self._found = Kept(4)
        self._findings = Kept(8)
        self._collections = Kept(4)
        self._warm = Kept(6)
        self.pages = Kept(400)  # pages as text, by what they show
        self._hands = threading.Semaphore(_MAKINGS)
        self._making: dict[Hashable, threading.Thread] = {}
        self._failed: dict[Hashable, BaseException] = {}
        self._lock = threading.RLock()
        self._known: dict[
            str, int
        ] = {}  # run -> the state in which it was found in the index, and found finished
        self._done: dict[str, int] = {}

    # ---- runs -----------------------------------------------------------------------------------------------------

    def runs(self) -> list[Record]:
        """Every run, the newest first."""
        return self.store.runs()

    def run(self, name: str) -> Run:
        """A run by its exact name."""
        mark = changed(self.store.folder / name / "run.json") if _NAME.fullmatch(name) else 0
        if not mark:
            raise NotThere("There is no such run here.")
        if self._known.get(name) != mark:  # asked once for each state of it: pages ask very often
            if self.store.open(name).name != name:
                raise NotThere("There is no such run here.")
            self._known[name] = mark
        return Run(self.store.folder / name, self.store._index)

    def finished(self, name: str) -> Run:
        """A run that is done, so that there is something to look at."""
        run = self.run(name)
        mark = changed(run.folder / "run.json")
        if self._done.get(name) != mark:
            if run.status != "done":
                raise NotYet(f"The run {run.name} is not finished.")
            self._done[name] = mark
        return run

    def version(self, run: Run) -> tuple[int, ...]:
        """A mark that changes whenever the findings or the edits of a run do."""
        return tuple(
            changed(run.folder / part) for part in ("run.json", "findings/findings.json", LOG)
        )

    def findings(self, run: Run) -> Findings:
        """What was found, with all edits made on it since."""
        return self._findings.get(
            (run.name, *self.version(run)), lambda: current(run, self.found(run))
        )

    def found(self, run: Run) -> Findings:
        """What was found, before any edit; the findings after every edit share its members."""
        return self._found.get(
            (run.name, changed(run.folder / "findings" / "findings.json")), run.findings
        )

    def collection(self, run: Run) -> Collection:
        """The members of a run with all that is seen of them."""
        mark = changed(run.folder / "collection" / "collection.json")
        return self._collections.get((run.name, mark), run.collection)

    # ---- work -----------------------------------------------------------------------------------------------------

    def work(self, run: Run, action: str = WALK) -> Job:
        """Ask for work on a run; progress is told in a folder of its own below the run's."""
        return self.jobs.ask(action, run.name, run.folder / "work" / action)

    def job(self, run: Run, action: str = WALK) -> Job | None:
        """The last job of this kind on a run."""
        return self.jobs.of(action, run.name)

    def warm(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Something that takes long to make, kept at hand; made beside the request, which says NotYet until it is there."""
        with self._lock:
            found = self._warm.peek(key)
            if found is not None:
                return found
            failed = self._failed.pop(key, None)
            if failed is not None:
                raise failed
            if key not in self._making:
                if len(self._making) >= _WAITING:
                    raise NotYet("Much is being prepared already; try again in a moment.")
                self._making[key] = threading.Thread(
                    target=self._make, args=(key, make), daemon=True
                )
                self._making[key].start()
            thread = self._making[key]
        thread.join(timeout=1.0)  # most are there at once
        if thread.is_alive():
            raise NotYet("This is being prepared; it takes a moment the first time.")
        return self.warm(key, make)

    def _make(self, key: Hashable, make: Callable[[], Any]) -> None:
        try:
            with self._hands:
                made = make()
        except BaseException as error:
            with self._lock:
                self._failed[key] = error
                while len(self._failed) > _FAILED:  # those nobody asked for again
                    del self._failed[next(iter(self._failed))]
                self._making.pop(key, None)
            return
        with self._lock:
            self._warm.put(key, made)
            self._making.pop(key, None)


class Kept:
    """The few values asked for last; made once for each key, also when several ask at the same time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.RLock()
        self._locks: dict[Hashable, threading.Lock] = {}

    def peek(self, key: Hashable) -> Any:
        """The value of a key, or None."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        return None

    def put(self, key: Hashable, value: Any) -> None:
        """Keep a value; the one asked for longest ago goes."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self.most:
                self._values.popitem(last=False)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made when it is not there."""
        found = self.peek(key)
        if found is not None:
            return found
        with self._lock:
            own = self._locks.setdefault(key, threading.Lock())
        try:
            with own:
                found = self.peek(key)
                if found is None:
                    found = make()
                    self.put(key, found)
        finally:
            with self._lock:
                self._locks.pop(key, None)
        return found


def without_paths(sentence: str, store: Path) -> str:
    """A sentence in which places of this machine are named by their last part alone.

    >>> without_paths("There is no file /var/mail/inbox.mbox here.", Path("/var/runs"))
    'There is no file inbox.mbox here.'
    >>> without_paths("The store /var/my runs is full; see '/var/my runs/mail-1/report.html'.", Path("/var/my runs"))
    "The store is full; see 'report.html'."
    """
    said = re.sub(r" --store (?:'[^']*'|[^\s']+?(?=[.,;]?(?:\s|$)))", "", sentence)
    whole = rf"(\b[Tt]he store )?(?<![\w/\\]){re.escape(str(store))}(?![\w/\\-]|\.\w)"
    return by_last_parts(re.sub(whole, lambda found: (found[1] or "the store ").rstrip(), said))


def changed(path: Path) -> int:
    """When a file was written last, as a mark; 0 where it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
