"""A crew: workers elsewhere that take tasks off this process; and a piece of work that runs apart from others."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from coterie.core.watch import Muffled
from coterie.core.workplace import working_at, workplace


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """One task that a crew has done: its place among the tasks, what it gave, and the seconds it took."""

    index: int
    result: Any
    seconds: float


@runtime_checkable
class Crew(Protocol):
    """Workers elsewhere. A task that is lost with its worker is done again by another: the results are the same."""

    def spread(
        self, work: Callable[[int, Any], Any], tasks: Iterator[tuple[int, Any]]
    ) -> Iterator[Finished]:
        """Do `work(index, task)` for all tasks, which are taken only as workers get free; they come back as they are done.

        `work` and what it holds travel once to each worker. Never more than a few tasks per worker are ahead of the first
        one that is not done, so that what waits for its turn stays small.
        """


class Apart:
    """A piece of work that runs beside others: one worker, names of its own for what it keeps, no bars.

    One that is `alone` has all the workers. It can be sent to another process; the watcher stays behind. Pieces made one after
    the other in one stage have different names, so that none of them takes up what another one kept.
    """

    def __init__(self, work: Callable[[Any], Any], alone: bool = False) -> None:
        self.work = work
        self.place = workplace()
        self.alone = alone
        self.scope = self.place.key("part")

    def on_processor(self) -> Apart:
        """The same piece of work without a card: not every worker has one, and results must not depend on who does it."""
        other = copy.copy(self)
        other.place = replace(self.place, device="cpu")
        return other

    def far(self) -> Apart:
        """The same piece of work for workers elsewhere."""
        other = copy.copy(self)
        other.place = self.place.far()
        return other

    def doing(self, work: Callable[[Any], Any]) -> Apart:
        """Other work under the same names."""
        other = copy.copy(self)
        other.work = work
        return other

    def __call__(self, index: int, task: Any) -> Any:
        scope = f"{self.scope}/{index}"
        inner = replace(self.place, scope=scope, counts={}, watch=Muffled(self.place.watch))
        inner = inner if self.alone else replace(inner, n_jobs=1, crew=None)
        with working_at(inner):
            return self.work(task)
