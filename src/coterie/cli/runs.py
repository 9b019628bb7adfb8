"""coterie runs: what is in the store."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored


@click.command("runs")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option(
    "--delete", default=None, metavar="RUN", shell_complete=complete_runs, help="Delete this run and everything kept for it."
)
@stored
def command(as_json: bool, delete: str | None, store: str | None) -> None:
    """List the stored runs, newest first."""
    import json
    from dataclasses import asdict

    from coterie.cli.say import table
    from coterie.run.store import Store

    place = Store(store)
    if delete:
        gone = place.open(delete).name
        place.delete(gone)
        click.echo(f"Deleted {gone}.")
        return
    runs = place.runs()
    if as_json:
        click.echo(json.dumps([asdict(run) for run in runs], indent=1))
    elif not runs:
        click.echo("There are no runs here yet; begin with: coterie explore PATH")
    else:
        cells = [[r.name, r.status, r.kind, str(r.members or ""), str(r.groups or ""), r.created[:16], r.summary] for r in runs]
        click.echo(table(["run", "status", "kind", "members", "groups", "made", "summary"], cells))
