"""Command options made from declared parameters, so that a parameter is written once."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import click

from coterie.collect.kinds import KINDS
from coterie.core.params import Param, params_of
from coterie.workflows.request import Reading

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


_READ = ("kind", "text", "time", "truth", "use")
_TIES = ("links", "words", "both_ways")
_VECTORS = ("vectors", "vector", "names")
_TYPES: dict[str, Any] = {"int": int, "float": float, "str": str, "bool": bool}


def options_of(settings: type) -> Callable[[Any], Any]:
    """A decorator that adds one option per parameter of a class, or field of a frozen model."""

    def decorate(function: Any) -> Any:
        for info in reversed(list(params_of(settings))):
            function = click.option(f"--{info.name.replace('_', '-')}", info.name, **_option(info))(
                function
            )
        return function

    return decorate


def _option(info: Param) -> dict[str, Any]:
    if info.annotation == "bool":
        return {"is_flag": True, "default": info.default, "help": info.sentence}
    kinds = [part.strip() for part in info.annotation.split("|")]
    base = next((kind for kind in kinds if kind in _TYPES), "str")
    kind: Any = (
        click.Choice([str(choice) for choice in info.choices]) if info.choices else _TYPES[base]
    )
    limits = f" [{info.range}]" if info.range and not info.choices else ""
    return {
        "type": kind,
        "default": info.default,
        "show_default": info.default is not None,
        "help": info.sentence + limits,
    }


def _reading_option(name: str, *declared: str, **how: Any) -> Callable[[Any], Any]:
    """An option made from a field of `Reading`."""
    said = Reading.model_fields[name].description
    return click.option(*(declared or (f"--{name.replace('_', '-')}",)), help=said, **how)


def reading(function: Any) -> Any:
    """The options that say how a path is read; the command gets them as one `Reading`."""

    @functools.wraps(function)
    def gathered(*given: Any, **options: Any) -> Any:
        return function(*given, reading=reading_of(options), **options)

    return _reading_options(gathered)


def reading_and_ties(function: Any) -> Any:
    """The options that say how a path is read and what ties its members; `reading_of` makes one `Reading` of them."""
    for option in (
        _reading_option("names", default=None, metavar="FILE"),
        with_vectors,
        _reading_option("both_ways", is_flag=True, default=False),
        _reading_option("words", is_flag=True, default=False),
        linking,
        _reading_options,
    ):
        function = option(function)
    return function


def with_vectors(function: Any) -> Any:
    """The options that give the members vectors."""
    function = _reading_option("vector", default=None, metavar="COLUMN")(function)
    return _reading_option("vectors", default=None, metavar="FILE")(function)


def reading_of(options: dict[str, Any]) -> Reading:
    """How a path is read, from the options of a command, which are taken out."""
    ties = _TIES if all(name in options for name in _TIES) else ()
    vectors = [name for name in _VECTORS if name in options]
    found = {name: options.pop(name) for name in (*_READ, *ties, *vectors)}
    return Reading(id=options.pop("id_column"), **found)


def _reading_options(function: Any) -> Any:
    for option in (
        _reading_option("use", multiple=True, metavar="COLUMN"),
        _reading_option("truth", multiple=True, metavar="COLUMN"),
        _reading_option("time", default=None, metavar="COLUMN"),
        _reading_option("id", "--id", "id_column", default=None, metavar="COLUMN"),
        _reading_option("text", default=None, metavar="COLUMN"),
        _reading_option("kind", default=None, type=click.Choice(list(KINDS))),
    ):
        function = option(function)
    return function


def linking(function: Any) -> Any:
    """The option that gives the members link tables."""
    how = {"multiple": True, "metavar": "NAME=FILE", "callback": _link_tables}
    return _reading_option("links", "--link", "links", **how)(function)


def _link_tables(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Link tables by the names of their populations."""
    found: dict[str, str] = {}
    for one in given:
        name, sign, file = one.partition("=")
        if not (name.strip() and sign and file.strip()):
            raise click.BadParameter(f"'{one}' is not NAME=FILE, such as citations=cites.csv.")
        if name.strip() in found:
            raise click.BadParameter(f"'{name.strip()}' is given twice.")
        found[name.strip()] = file.strip()
    return found


def stored(function: Any) -> Any:
    """The option that names the store."""
    return click.option(
        "--store",
        default=None,
        metavar="DIR",
        help="Folder of the runs.  [default: ./coterie_runs or COTERIE_STORE]",
    )(function)


def working(function: Any) -> Any:
    """The options that say how work is done, never what is computed."""
    for name, metavar, sentence in _CIRCUMSTANCES:
        function = click.option(
            f"--{name}", metavar=metavar, expose_value=False, callback=_remember, help=sentence
        )(function)
    function = click.option(
        "--memory", default=None, metavar="SIZE", help="Most memory the work may take, such as 4GB."
    )(function)
    function = click.option(
        "--progress",
        type=click.Choice(["bars", "lines", "silent"]),
        default="bars",
        show_default=True,
        help="How progress is shown.",
    )(function)
    return click.option(
        "--jobs",
        type=int,
        default=None,
        metavar="N",
        help="Workers; results are the same for any number.  [default: one per core]",
    )(function)


_CIRCUMSTANCES = (
    (
        "device",
        "NAME",
        "Where what can be done on a graphics card is done: cpu, cuda, cuda:N or auto.  [default: cpu]",
    ),
    (
        "cluster",
        "ADDRESS",
        "The scheduler of a Dask cluster that does the large pieces, such as tcp://10.0.0.1:8786.",
    ),
)


def _remember(ctx: click.Context, param: click.Parameter, given: str | None) -> str | None:
    """Circumstances that few commands name: kept with the call, and asked for with `circumstances`."""
    if given is not None and param.name is not None:
        ctx.meta[f"coterie.{param.name}"] = given
    return given


def circumstances() -> dict[str, str]:
    """The device and the cluster of the command that runs now, where they were given."""
    ctx = click.get_current_context(silent=True)
    meta = {} if ctx is None else ctx.meta
    return {
        name: meta[f"coterie.{name}"] for name, _, _ in _CIRCUMSTANCES if f"coterie.{name}" in meta
    }


def complete_runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of stored runs, for shell completion."""
    from coterie.run.store import Store

    try:
        return [
            run.name
            for run in Store(ctx.params.get("store")).runs()
            if run.name.startswith(incomplete)
        ]
    except Exception:
        return []


def complete_methods(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of methods, for shell completion."""
    from coterie.catalog import NAMES

    return [name for name in NAMES if name.lower().startswith(incomplete.lower())]
