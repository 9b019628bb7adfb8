"""coterie cluster PATH: group the members with the help of what a person knows of some."""

from __future__ import annotations

from typing import Any

import click

from coterie.cli.explore import request_of
from coterie.cli.options import Several, options_of, reading_and_ties, stored, working
from coterie.workflows.choices import Choices

SCHEMES = (
    "intrinsic",
    "constrained",
    "seeded",
)  # those of core.hints, which is too heavy for --help
_SCHEME = (
    "How labels count: as an observed population (intrinsic), as pairs that belong together or apart (constrained), or only "
    "where the search starts (seeded)."
)


@click.command("cluster", cls=Several)
@click.argument("path")
@click.option(
    "--labels",
    metavar="FILE",
    default=None,
    help="A table of members (their ids) and labels, for some of them.",
)
@click.option(
    "--label-column",
    metavar="COLUMN",
    default=None,
    help="The column of labels, where the table has more than two.",
)
@click.option(
    "--together",
    metavar="FILE",
    default=None,
    help="A table of two columns: members that belong together.",
)
@click.option(
    "--apart",
    metavar="FILE",
    default=None,
    help="A table of two columns: members that belong apart.",
)
@click.option(
    "--scheme", type=click.Choice(SCHEMES), default="intrinsic", show_default=True, help=_SCHEME
)
@click.option(
    "--label-weight",
    type=float,
    default=None,
    help="Weight of labels beside the words; 0.3 where some may be wrong.  [default: 1; constrained: a law]",
)
@click.option(
    "--pair-weight",
    type=float,
    default=None,
    help="Weight of a pair, in nats of one member.  [default: a law]",
)
@options_of(Choices)
@reading_and_ties
@stored
@working
@click.option("--name", default=None, help="Name of the run.  [default: made from the path]")
def command(
    path: str,
    labels: str | None,
    label_column: str | None,
    together: str | None,
    apart: str | None,
    scheme: str,
    label_weight: float | None,
    pair_weight: float | None,
    **options: Any,
) -> None:
    """Group the members of PATH with what is known of some: a few labels, or pairs that belong together or apart.

    Texts are grouped by their words, mail by words and people (Comraf), everything else by likeness (Spectral); groups with
    labeled members get the names of their labels. Measure the rest with `coterie judge`.
    """
    from coterie.cli.say import tell_exploration, working_as
    from coterie.collect.hints import read_hints
    from coterie.run.engine import group, lay, read_asked

    said: dict[str, Any] = {
        "labels": labels,
        "label_column": label_column,
        "together": together,
        "apart": apart,
        "scheme": scheme,
        "label_weight": label_weight,
        "pair_weight": pair_weight,
    }
    if labels is None and together is None and apart is None:
        raise click.UsageError(
            "say what is known, with --labels FILE, --together FILE or --apart FILE; without it: coterie explore"
        )
    if pair_weight is not None and together is None and apart is None:
        raise click.UsageError(
            "--pair-weight weighs pairs, and needs --together FILE or --apart FILE"
        )
    if labels is None and (label_weight is not None or scheme != "intrinsic"):
        raise click.UsageError(
            "--scheme and --label-weight say how labels count, and need --labels FILE"
        )
    if scheme == "seeded" and label_weight is not None:
        raise click.UsageError(
            "--label-weight changes nothing with --scheme seeded, where labels are only a start"
        )
    words = {
        name: value
        for name, value in said.items()
        if value is not None and (name, value) != ("scheme", "intrinsic")
    }
    with working_as(options["jobs"], options["progress"], options["memory"]):
        asked = request_of("cluster", path, options, words)
        hints = read_hints(**said)
        collection, request = read_asked(path, asked)
        found = group(*lay(collection, request, hints, options["store"] or True))
    tell_exploration(found)
