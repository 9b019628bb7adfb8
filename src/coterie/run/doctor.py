"""The doctor: looks at the installation, the machine and the store, and says in one sentence each what is well and what is not.

Nothing heavy is imported here and every check is fenced in, so that it speaks also where a library is missing or broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Literal

State = Literal["ok", "note", "wrong"]
Check = Callable[[], Iterable["Line"]]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at: how it is, a sentence, and what to do where something is to be done."""

    state: State
    sentence: str
    todo: str = ""
    area: str = ""


# area -> function (module of coterie.run and name) that gives its lines; the store is given to those of the last two
_AREAS: tuple[tuple[str, str], ...] = (
    ("python", "doctor_install:python"),
    ("libraries", "doctor_install:libraries"),
    ("extras", "doctor_install:extras"),
    ("kernels", "doctor_machine:kernels"),
    ("threads", "doctor_machine:threads"),
    ("memory", "doctor_machine:memory"),
    ("gpu", "doctor_machine:gpu"),
    ("terminal", "doctor_machine:terminal"),
)
_OF_STORE: tuple[tuple[str, str], ...] = (
    ("disk", "doctor_store:disk"),
    ("store", "doctor_store:store"),
)


def examine(store: str | None = None, more: Sequence[tuple[str, Check]] = ()) -> Iterator[Line]:
    """Every line, as soon as it is known; `more` are further checks by the area they are of."""
    checks: list[tuple[str, Check]] = [(area, partial(_called, where)) for area, where in _AREAS]
    checks += [(area, partial(_called, where, store)) for area, where in _OF_STORE]
    for area, check in [*checks, *more]:
        try:
            for line in check():
                yield Line(line.state, line.sentence, line.todo, area)
        except Exception as error:  # a check that breaks is itself something that is wrong
            why = " ".join(f"{type(error).__name__}: {error}".split())
            todo = (
                "Mend what stands above, and look again." if isinstance(error, ImportError) else ""
            )
            yield Line("wrong", f"This could not be looked at ({why[:300]}).", todo, area)


def _called(where: str, *arguments: Any) -> Iterable[Line]:
    module, _, name = where.partition(":")
    found: Iterable[Line] = getattr(import_module(f"coterie.run.{module}"), name)(*arguments)
    return found


def size(count: float) -> str:
    """Bytes as a person reads them.

    >>> size(1.5e9), size(2e6)
    ('1.5 GB', '2.0 MB')
    """
    unit, name = next(
        ((u, n) for u, n in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "KB")
    )
    return f"{count / unit:.1f} {name}"
