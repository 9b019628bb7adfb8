"""coterie add RUN PATH: place new members."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, linking, reading, stored, with_vectors, working
from coterie.workflows.request import Reading


@click.command("add")
@click.argument("run", shell_complete=complete_runs)
@click.argument("path")
@reading
@with_vectors
@linking
@stored
@working
def command(
    run: str,
    path: str,
    reading: Reading,
    links: dict[str, str],
    store: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Place the members of PATH into RUN; its groups keep their names, and those that fit nowhere are said."""
    from coterie.cli.say import shown, working_as
    from coterie.run.questions import add

    with working_as(jobs, progress, memory):
        placed = add(run, path, store=store or True, **reading.options() | {"links": links})
    for sentence in placed.sentences():
        click.echo(sentence)
    for note in placed.notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    for member, group, confidence, fits in placed.rows()[:40]:
        click.echo(
            f"  {member}: {group}   {confidence:.0%}" + ("" if fits else "   (fits nowhere well)")
        )
    if len(placed.ids) > 40:
        click.echo(
            f"  ... and {len(placed.ids) - 40} more, all in {shown(placed.path)}"
            if placed.path
            else "  ..."
        )
