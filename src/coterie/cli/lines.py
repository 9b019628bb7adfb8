"""Sessions at a terminal, line by line: words of a line, the command it names, and sentences on what is said wrongly."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping

Say = Callable[[str], None]
Step = Callable[[list[str]], None]


class Ended(Exception):
    """The person said quit."""


def words_of(line: str) -> list[str]:
    """The words of a line; those in quotation marks are one."""
    from coterie.core.errors import DataError

    try:
        return shlex.split(line)
    except ValueError:
        raise DataError("A quotation mark is not closed in that line.") from None


def chosen(name: str, steps: Mapping[str, Step]) -> Step:
    """The step of that name; a sentence with the nearest where there is none."""
    from coterie.core.errors import DataError

    if name in steps:
        return steps[name]
    import difflib

    near = difflib.get_close_matches(name, steps, n=1)
    hint = f"Did you mean {near[0]}?" if near else "Say help to see what there is."
    raise DataError(f"There is no command '{name}'. {hint}")


def several(rest: list[str], usage: str, least: int, most: int | None = None) -> list[str]:
    """The words, if they are as many as the command takes."""
    from coterie.core.errors import DataError

    if len(rest) < least or (most is not None and len(rest) > most):
        raise DataError(f"It is said so: {usage}")
    return rest


def numbers(
    rest: list[str],
    usage: str,
    least: int = 1,
    most: int | None = None,
    named: Callable[[str], int | None] | None = None,
) -> list[int]:
    """The words as numbers of groups; `named` gives the number of a group by its name, where names are known."""
    from coterie.core.errors import DataError

    found = []
    for word in several(rest, usage, least, most):
        number = int(word) if word.isdecimal() else None if named is None else named(word)
        if number is None:
            what = (
                "no number of a group"
                if named is None
                else "no group, neither by number nor by name"
            )
            raise DataError(f"'{word}' is {what}; it is said so: {usage}")
        found.append(number)
    return found


def each(lines: Iterable[str], do: Callable[[str], None], say: Say) -> None:
    """One line after the other until quit or the end; a line that cannot be done, or was stopped, is one sentence."""
    from coterie.core.errors import CoterieError

    for line in lines:
        try:
            do(line)
        except Ended:
            return
        except CoterieError as error:
            say(f"  {error}")
