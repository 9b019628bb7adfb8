"""coterie runs: what is in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coterie.cli.options import complete_runs, stored

if TYPE_CHECKING:
    from coterie.run.index import Record


@click.command("runs")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option(
    "--delete",
    multiple=True,
    metavar="RUN [RUN ...]",
    shell_complete=complete_runs,
    help="Delete these runs and everything kept for them.",
)
@click.argument("more", nargs=-1, metavar="", shell_complete=complete_runs)
@stored
def command(
    as_json: bool, delete: tuple[str, ...], more: tuple[str, ...], store: str | None
) -> None:
    """List the stored runs, newest first."""
    import json

    from coterie.cli.say import table
    from coterie.run.store import Store

    place = Store(store)
    if more and not delete:
        raise click.UsageError(
            f"Names of runs stand after --delete, and '{more[0]}' does not.",
            click.get_current_context(),
        )
    if delete:
        names = dict.fromkeys(
            place.open(name).name for name in (*delete, *more)
        )  # all are there before any is deleted
        for name in names:
            place.delete(name)
            click.echo(f"Deleted {name}.")
        return
    runs = place.runs()
    if as_json:
        click.echo(json.dumps([run.plain() for run in runs], indent=1))
    elif not runs:
        click.echo("There are no runs here yet; begin with: coterie explore PATH")
    else:
        cells = [
            [
                r.name,
                r.status,
                r.kind,
                str(r.members or ""),
                str(r.groups or ""),
                r.created[:16],
                _said(r),
            ]
            for r in runs
        ]
        click.echo(table(["run", "status", "kind", "members", "groups", "made", "summary"], cells))


def _said(record: Record) -> str:
    """What a run found, or why it did not end."""
    said = record.summary if record.status == "done" else record.problem or record.summary
    return " ".join(said.split())
