"""coterie methods [NAME]: the catalog."""

from __future__ import annotations

import click

from coterie.cli.options import complete_methods


@click.command("methods")
@click.argument("name", required=False, shell_complete=complete_methods)
@click.option(
    "--room",
    default=None,
    type=click.Choice(["represent", "compare", "organize"]),
    help="Only this room.",
)
def command(name: str | None, room: str | None) -> None:
    """List the methods, or print what NAME takes and gives, its parameters with ranges, and one sentence."""
    from coterie import catalog
    from coterie.cli.say import table

    if name is None:
        entries = [entry for entry in catalog.ENTRIES if room in (None, entry.room)]
        rows = [
            [entry.name, entry.room, entry.takes, entry.gives, entry.sentence] for entry in entries
        ]
        click.echo(table(["method", "room", "takes", "gives", "what it does"], rows))
        return
    from coterie.core.params import params_of

    entry = catalog.find(name)
    click.echo(f"{entry.name}  ({entry.where.replace(':', '.')})")
    click.echo(entry.sentence)
    click.echo(
        f"Takes {entry.takes}, gives {entry.gives}."
        + (f" Needs: pip install 'coterie[{entry.extra}]'." if entry.extra else "")
    )
    rows = [
        [info.name, repr(info.default), info.range, info.sentence]
        for info in params_of(entry.load())
    ]
    if rows:
        click.echo()
        click.echo(table(["parameter", "default", "range", "meaning"], rows))
