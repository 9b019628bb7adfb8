"""coterie runs: what is in the store."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored


@click.command("runs")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option("--delete", default=None, metavar="RUN", shell_complete=complete_runs, help="Delete this run and everything kept for it.")
@stored
def command(as_json: bool, delete: str | None, store: str | None) -> None:
    """List the stored runs, newest first."""
    import json

    from coterie.cli.say import table
    from coterie.run.store import Store

    place = Store(store)
    if delete:
        gone = place.open(delete).name
        place.delete(gone)
        click.echo(f"Deleted {gone}.")
        return
    rows = [run.record() for run in place.runs()]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    elif not rows:
        click.echo("There are no runs here yet; begin with: coterie explore PATH")
    else:
        cells = [[r["name"], r["status"], r["kind"] or "", str(r["members"] or ""), str(r["groups"] or ""), (r["created"] or "")[:16], r["summary"] or ""] for r in rows]
        click.echo(table(["run", "status", "kind", "members", "groups", "made", "summary"], cells))
