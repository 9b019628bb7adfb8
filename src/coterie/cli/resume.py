"""coterie resume RUN: go on where it stood."""

from __future__ import annotations

from dataclasses import replace

import click

from coterie.cli.options import complete_runs, stored, working


@click.command("resume")
@click.argument("run", required=False, shell_complete=complete_runs)
@stored
@working
def command(
    run: str | None, store: str | None, jobs: int | None, progress: str, memory: str | None
) -> None:
    """Go on with RUN (the latest when left out) where it was interrupted; the answer is the same, bit for bit."""
    from coterie.cli.say import tell_exploration, working_as
    from coterie.run.engine import open_run, resume
    from coterie.run.steered import current

    kept = open_run(run, store or True)
    if kept.status == "done":
        click.echo(f"The run {kept.name} was finished already.")
    with working_as(jobs, progress, memory):
        found = resume(kept.name, store=store or True)
    tell_exploration(found if found.run is None else replace(found, findings=current(found.run)))
