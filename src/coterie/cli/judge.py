"""coterie judge RUN --truth COLUMN: the groups against known answers."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored


@click.command("judge")
@click.argument("run", required=False, shell_complete=complete_runs)
@click.option(
    "--truth", default=None, metavar="COLUMN", help="A column kept aside when the run was made.  [default: the only one]"
)
@click.option("--from", "file", default=None, metavar="FILE", help="Take the truth from this table (joined by id) instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the measures as JSON.")
@stored
def command(run: str | None, truth: str | None, file: str | None, as_json: bool, store: str | None) -> None:
    """Measure RUN (the latest when left out) against a column of truth."""
    import json

    from coterie.cli.say import number, table
    from coterie.run.questions import judged

    found = judged(run, truth, file=file, store=store or True)
    if as_json:
        click.echo(json.dumps(found.record(), indent=1))
        return
    click.echo(found.sentence())
    click.echo()
    click.echo(table(["measure", "value"], [[name.replace("_", " "), number(value)] for name, value in found.measures.items()]))
    if found.breakdown:
        click.echo()
        click.echo(table(["group", "members", "mostly", "share"], found.breakdown))
