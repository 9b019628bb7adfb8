"""coterie explore PATH: the main job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.options import (
    Several,
    names_in,
    options_of,
    reading_and_ties,
    reading_of,
    stored,
    working,
)
from coterie.workflows.choices import Choices

if TYPE_CHECKING:
    from coterie.workflows.request import ExploreRequest


@click.command("explore", cls=Several)
@click.argument("path")
@options_of(Choices)
@reading_and_ties
@stored
@working
@click.option("--name", default=None, help="Name of the run.  [default: made from the path]")
def command(path: str, **options: Any) -> None:
    """Read PATH, group its members, store the run and write the report.

    PATH is a folder of text files or .eml, an mbox or Maildir, a .csv, .tsv, .jsonl or .parquet table, a .npz, .npy or
    .ts file of sequences, a folder of recordings, one recording (with --segment), a folder of pictures (with a table of
    captions or without), a .conll file of tagged text, `installed` (the documentation on this machine) or `sample:NAME` (a
    generated collection).

    With --views the members are grouped by what several views of them share: sub-folders with the same file names (en/, de/),
    tables with the same ids, or columns of one table: coterie explore letters --views en de fr.
    """
    from coterie.cli.say import tell_exploration, working_as
    from coterie.run.engine import group, lay, read_asked

    with working_as(options["jobs"], options["progress"], options["memory"]):
        collection, request = read_asked(path, request_of("explore", path, options, {}))
        found = group(*lay(collection, request, None, options["store"] or True))
    tell_exploration(found)


def request_of(
    verb: str, path: str, options: dict[str, Any], words: Mapping[str, Any]
) -> ExploreRequest:
    """What is asked for; `words` are further options to be named in the command that makes the run again.

    How the members are read is taken out of `options`.
    """
    from coterie.workflows.request import ask, command_of

    given = reading_of(options).options()
    choices = {name: value for name, value in options.items() if name in Choices.model_fields}
    choices["views"] = names_in(choices["views"])
    name = options["name"]
    request = ask(path, name=name, **given, **choices)
    return request.but(command=command_of(verb, request, words, order=options))
