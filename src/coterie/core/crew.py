"""A crew: workers elsewhere that take tasks off this process, with the data placed on each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


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
