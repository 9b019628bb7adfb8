"""A command whose option --views takes several words: coterie explore PATH --views en de fr."""

from __future__ import annotations

import re

import click

OPTION = "--views"
_SIGN = "\x1f"  # between the names while click carries them as one word


class Several(click.Command):
    """A command that reads the words after --views, up to the next option, as names of views."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest, names = gathered(args)
        try:
            return super().parse_args(ctx, [*rest, OPTION, _SIGN.join(names)] if names else rest)
        except click.MissingParameter as error:
            if names and error.param is not None and error.param.param_type_name == "argument":
                raise click.UsageError(
                    f"name {error.param.human_readable_name} before {OPTION}, which takes all words up to the next option",
                    ctx,
                ) from None
            raise


def gathered(args: list[str]) -> tuple[list[str], list[str]]:
    """The words of a command line without --views, and the names that stood after it; commas separate names too.

    >>> gathered(["texts", "--views", "en", "de,fr", "--k", "3"])
    (['texts', '--k', '3'], ['en', 'de', 'fr'])
    """
    rest: list[str] = []
    names: list[str] = []
    inside = False
    for at, word in enumerate(args):
        if word == "--":
            return [*rest, *args[at:]], names
        if word == OPTION or word.startswith(f"{OPTION}="):
            inside = True
            names += _split(word.partition("=")[2])
        elif inside and not word.startswith("-"):
            names += _split(word)
        else:
            inside = False
            rest.append(word)
    if not names and any(word == OPTION or word.startswith(f"{OPTION}=") for word in args):
        raise click.UsageError(f"{OPTION} needs the names of at least two views, or all")
    return rest, names


def names_in(word: str | None) -> list[str] | None:
    """The names that click carried as one word; None where the option was left out."""
    if word is None:
        return None
    return [name for part in word.split(_SIGN) for name in _split(part)]


def _split(word: str) -> list[str]:
    return [name for name in re.split(r"\s*,\s*", word.strip()) if name]
