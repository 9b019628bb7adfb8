"""coterie report RUN: write the report again."""

from __future__ import annotations

from pathlib import Path

import click

from coterie.cli.options import complete_runs, stored


@click.command("report")
@click.argument("run", required=False, shell_complete=complete_runs)
@click.option(
    "--out", default=None, metavar="FILE", help="Where to write it.  [default: in the run's folder]"
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
@stored
def command(run: str | None, out: str | None, show: bool, store: str | None) -> None:
    """Write (again) the HTML report of RUN (the latest when left out), its groups as they stand, and say where it is."""
    from coterie.cli.say import shown
    from coterie.run.steered import current
    from coterie.run.store import Store
    from coterie.run.stored import write_report

    found = Store(store).open(run)
    if out and not Path(out).expanduser().absolute().parent.is_dir():
        raise click.UsageError(f"--out names '{out}', and there is no folder '{Path(out).parent}'.")
    place = write_report(
        current(found), Path(out).expanduser() if out else found.path / "report.html"
    )
    click.echo(f"Report: {shown(place)}")
    if show:
        click.launch(str(place.resolve()))
