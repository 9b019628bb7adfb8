"""coterie replay RUN PATH: the groups you made, found again in other data."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, reading, stored, with_vectors, working
from coterie.workflows.request import Reading

_SHOWN = 40


@click.command("replay")
@click.argument("run", shell_complete=complete_runs)
@click.argument("path")
@click.option(
    "--k",
    default=None,
    type=click.IntRange(1),
    help="Number of groups, at least those of RUN.  [default: as many]",
)
@click.option(
    "--name", default=None, help="Name of the run that is made.  [default: made from the path]"
)
@reading
@with_vectors
@stored
@working
def command(
    run: str,
    path: str,
    k: int | None,
    name: str | None,
    reading: Reading,
    store: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Find the groups of RUN, with all edits made on it, again among the members of PATH.

    Members that stand for each group (those named in edits, then the surest, at most 30) join the new ones as labeled members;
    only the new ones are listed. The same log on the same data gives the same lines and the same labels.csv.
    """
    from coterie.cli.say import shown, working_as
    from coterie.run.replaying import replay

    with working_as(jobs, progress, memory):
        found = replay(run, path, store=store or True, name=name, k=k, **reading.options())
    for sentence in found.sentences():
        click.echo(sentence)
    for note in found.notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    for member, group, confidence in found.rows()[:_SHOWN]:
        click.echo(f"  {member}: {group}   {confidence:.0%}")
    if len(found.ids) > _SHOWN:
        click.echo(f"  ... and {len(found.ids) - _SHOWN:,} more")
    if found.path is not None and found.run is not None:
        click.echo(f"Groups: {shown(found.path)}")
        click.echo(f"Run:    {found.run.name}   (coterie report | steer {found.run.called})")
