"""What was made of a run, kept for its newest state alone: an edit, or members that come later, let the older go."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from coterie.run.stored import Run
from coterie.web.desk import Kept, changed


class Versions(Kept):
    """The few values asked for last, each of one state of an owner; when another state comes, what was made of the last goes."""

    def of(self, owner: Hashable, mark: Hashable, what: Hashable, make: Callable[[], Any]) -> Any:
        """What was made of this state of an owner."""
        key = (owner, mark, what)
        if self.peek(key) is None:
            self._let_go(owner, mark)
        return self.get(key, make)

    def _let_go(self, owner: Hashable, mark: Hashable) -> None:
        with self._lock:
            for key in [
                key
                for key in self._values
                if isinstance(key, tuple) and key[0] == owner and key[1] != mark
            ]:
                del self._values[key]


def found_mark(run: Run) -> tuple[int, int]:
    """A mark of what was found and of its members, which no edit changes."""
    return changed(run.folder / "findings" / "findings.json"), changed(
        run.folder / "collection" / "collection.json"
    )
