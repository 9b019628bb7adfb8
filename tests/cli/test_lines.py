"""Lines of a session: words, commands, numbers, and sentences on what is said wrongly."""

from __future__ import annotations

import pytest

from coterie.cli.lines import Ended, chosen, each, numbers, several, words_of
from coterie.core.errors import DataError, Interrupted


def test_words_in_quotation_marks_are_one() -> None:
    assert words_of('rename 1 "Tea and sea"') == ["rename", "1", "Tea and sea"]
    assert words_of("  ") == []
    with pytest.raises(DataError, match="not closed"):
        words_of('rename 1 "Tea')


def test_commands_by_name_and_near_names() -> None:
    steps = {"merge": lambda rest: None}
    assert chosen("merge", steps) is steps["merge"]
    with pytest.raises(DataError, match=r"There is no command 'murge'. Did you mean merge\?"):
        chosen("murge", steps)
    with pytest.raises(DataError, match="Say help"):
        chosen("xyz", steps)


def test_numbers_and_counts() -> None:
    assert numbers(["1", "20"], "merge N M", 2) == [1, 20]
    assert several([], "show", 0, 0) == []
    for rest in (["1"], ["1", "x"], ["1", "-2"]):
        with pytest.raises(DataError, match="merge N M"):
            numbers(rest, "merge N M", 2)


def test_groups_by_name() -> None:
    named = {"Tea": 3}.get
    assert numbers(["1", "Tea"], "merge N M", 2, named=named) == [1, 3]
    with pytest.raises(
        DataError,
        match="'Sea' is no group, neither by number nor by name; it is said so: merge N M",
    ):
        numbers(["1", "Sea"], "merge N M", 2, named=named)


def test_a_session_goes_on_after_a_mistake_and_ends_with_quit() -> None:
    done: list[str] = []

    def do(line: str) -> None:
        if line == "quit":
            raise Ended
        if line == "wrong":
            raise DataError("That is wrong.")
        if line == "stop":
            raise Interrupted("stopped")
        done.append(line)

    said: list[str] = []
    each(["a", "wrong", "b", "quit", "c"], do, said.append)
    assert (done, said) == (["a", "b"], ["  That is wrong."])
    each(["stop", "d"], do, said.append)  # stopped work does not end the session
    assert (done[-1], said[-1]) == ("d", "  stopped")
