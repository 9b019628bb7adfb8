"""coterie demo: explore real data that is already on this machine."""

from __future__ import annotations

import click

from coterie.cli.options import stored, working


@click.command("demo")
@click.option(
    "--most",
    default=1500,
    show_default=True,
    type=click.IntRange(100),
    help="Most members to take.",
)
@stored
@working
def command(
    most: int, store: str | None, jobs: int | None, progress: str, memory: str | None
) -> None:
    """Group the documentation of the packages installed here, and judge the groups by the modules they come from."""
    from coterie.cli.say import tell_exploration, working_as
    from coterie.collect.installed import read_installed
    from coterie.run.engine import explore
    from coterie.run.questions import judged

    click.echo(
        "Reading the documentation of the Python packages on this machine: real text that everyone has."
    )
    with working_as(jobs, progress, memory):
        found = explore(
            read_installed(most=most),
            store=store or True,
            name="demo",
            command=f"coterie demo --most {most}",
        )
    tell_exploration(found)
    if found.run is not None:
        click.echo()
        click.echo(judged(found.run.name, "module", store=store or True).sentence())
