"""Pieces of work under names of their own: done once and kept, or done apart from others that run beside them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.workplace import Muffled, Workplace, stage, working_at, workplace


def once(label: str, make: Callable[[], Mapping[str, np.ndarray]]) -> Mapping[str, np.ndarray]:
    """The named arrays that `make` gives, kept, so that a run that goes on does not make them again.

    What is kept inside `make` has names of its own: where this was made before, those names are not asked for, and must not
    become those of what is made next.
    """
    here = workplace()
    key = here.key(label)
    found = here.keeper.get(key)
    if found is None:
        with stage(own(here, key)):
            found = dict(make())
        here.keeper.put(key, found)
    return found


def own(here: Workplace, key: str) -> str:
    """A key as the name of a stage inside this one."""
    return key.removeprefix(f"{here.scope}/") if here.scope else key


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
