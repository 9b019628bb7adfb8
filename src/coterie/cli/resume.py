"""coterie resume RUN: go on where it stood."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored, working


@click.command("resume")
@click.argument("run", required=False, shell_complete=complete_runs)
@stored
@working
def command(run: str | None, store: str | None, jobs: int | None, progress: str, memory: str | None) -> None:
    """Go on with RUN (the latest when left out) where it was interrupted; the answer is the same, bit for bit."""
    from coterie.cli.say import tell_exploration, working_as
    from coterie.run.engine import resume

    with working_as(jobs, progress, memory) as watch:
        found = resume(run, store=store or True)
    tell_exploration(found, watch)
