"""coterie explain RUN MEMBER MEMBER: why they are alike."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored


@click.command("explain")
@click.argument("run", shell_complete=complete_runs)
@click.argument("members", nargs=-1)
@click.option(
    "--group",
    default=None,
    type=click.IntRange(1),
    help="Explain this group, counted from 1, instead of members.",
)
@stored
def command(run: str, members: tuple[str, ...], group: int | None, store: str | None) -> None:
    """Say why MEMBERS of RUN (two ids or more), or those of a group, are alike.

    For runs of several views (--views), compared by SIC, or grouped by links.
    """
    from coterie.run.questions import explain

    if group is None and len(members) < 2:
        raise click.UsageError("Name two members by their ids, or a group with --group.")
    if group is not None and members:
        raise click.UsageError("Name members or a group, not both.")
    for sentence in explain(run, members, group=group, store=store or True):
        click.echo(sentence)
