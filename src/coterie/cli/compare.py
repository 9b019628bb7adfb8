"""coterie compare RUN RUN: how far the groups of two runs agree, which of them live on, and who moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from coterie.cli.options import complete_runs, stored

if TYPE_CHECKING:
    from coterie.workflows.compared import Grouping, SideBySide

_NAME = 40  # letters of a group's name in a table
_GROUPS = 30  # groups listed


@click.command("compare")
@click.argument("first", metavar="RUN", shell_complete=complete_runs)
@click.argument("second", metavar="RUN", shell_complete=complete_runs)
@click.option(
    "--most",
    default=10,
    show_default=True,
    type=click.IntRange(0),
    help="How many members that moved to list.",
)
@click.option(
    "--nulls",
    default=199,
    show_default=True,
    type=click.IntRange(1),
    help="Random groupings that say what chance does.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the random groupings."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print everything as JSON, with all members that moved."
)
@stored
def command(
    first: str, second: str, most: int, nulls: int, seed: int, as_json: bool, store: str | None
) -> None:
    """Compare the groups of two runs, as they stand after all edits, on the members that both have (by their ids)."""
    import json

    from coterie.core.errors import DataError
    from coterie.run.engine import open_run
    from coterie.workflows.compared import compare_groups
    from coterie.workflows.compared_words import other_source

    runs = [open_run(name, store or True) for name in (first, second)]
    if runs[0].path == runs[1].path:
        raise DataError(
            f"Both are the run '{runs[0].name}'; name two different ones (coterie runs lists them)."
        )
    found = compare_groups(*(_grouping(run) for run in runs), nulls=nulls, seed=seed)
    notes = other_source(
        (runs[0].name, runs[1].name), (runs[0].record().source, runs[1].record().source)
    )
    if as_json:
        click.echo(
            json.dumps({**found.record(len(found)), "notes": notes}, indent=1, ensure_ascii=False)
        )
        return
    _tell(found, most)
    for note in notes:
        click.echo(click.style(f"  note: {note}", dim=True))


def _grouping(run: Any) -> Grouping:
    """The groups of a run as they stand, with the answers kept with it."""
    from coterie.run.steered import current
    from coterie.workflows.compared import Grouping

    return Grouping.found(
        run.name, current(run), run.collection().truth if run.has_collection else None
    )


def _tell(found: SideBySide, most: int) -> None:
    """The verdict, the measures, what became of the groups, and the first of those who moved."""
    from coterie.cli.say import cut, table
    from coterie.workflows.snippets import clean

    words = found.words
    click.echo(click.style(words.verdict(), bold=True))
    for sentence in words.sentences():
        click.echo(sentence)
    click.echo()
    rows = [
        [one.name, _value(one.value), _value(one.chance), _value(one.most)]
        for one in found.measures
    ]
    click.echo(table(["measure", "value", "by chance", "95 of 100"], rows))
    click.echo()
    rows = [
        [
            cut(clean(one.first_name), _NAME) or "-",
            cut(clean(one.second_name), _NAME) or "-",
            one.sentence(),
        ]
        for one in found.pairs
    ]
    click.echo(
        table(
            [f"in {found.first.name}", f"in {found.second.name}", "what happened"], rows[:_GROUPS]
        )
    )
    if len(rows) > _GROUPS:
        click.echo(f"... and {len(rows) - _GROUPS:,} more groups; --json prints all")
    moved = found.record(most)["movers"]
    if moved:
        click.echo()
        click.echo(
            table(
                ["moved", "from", "to"],
                [[cut(clean(one[part]), _NAME) for part in ("id", "from", "to")] for one in moved],
            )
        )
    more = int(found.moved.sum()) - len(moved)
    if moved and more > 0:
        click.echo(f"... and {more:,} more; --most shows further ones, --json prints all")


def _value(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"
