"""coterie neighbors RUN ID: who is nearest."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored


@click.command("neighbors")
@click.argument("run", shell_complete=complete_runs)
@click.argument("member")
@click.option(
    "--most", default=10, show_default=True, type=click.IntRange(1), help="How many to show."
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@stored
def command(run: str, member: str, most: int, as_json: bool, store: str | None) -> None:
    """Show the members of RUN nearest to MEMBER (its id)."""
    import json

    from coterie.cli.say import table
    from coterie.run.questions import neighbors

    rows = neighbors(run, member, most=most, store=store or True)
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    cells = [
        [f"{row['nearness']:.3f}", row["id"], row["group"], row["snippet"][:80]] for row in rows
    ]
    click.echo(table(["nearness", "member", "group", "what it is"], cells))
