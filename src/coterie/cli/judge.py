"""coterie judge RUN --truth COLUMN: the groups against known answers."""

from __future__ import annotations

import click

from coterie.cli.options import complete_runs, stored

_MEANING = (
    "NMI is the information that groups and answers share, adjusted Rand how often they agree on a pair of members beyond "
    "chance: 1 when they are the same, about 0 when they have nothing to do with each other.",
    "Micro accuracy counts the members whose answer is the commonest of their group (several groups may have the same one); "
    "clustering error counts what is wrong when every group must stand for another answer.",
)


@click.command("judge")
@click.argument("run", required=False, shell_complete=complete_runs)
@click.option(
    "--truth",
    default=None,
    metavar="COLUMN",
    help="A column kept aside when the run was made.  [default: the only one]",
)
@click.option(
    "--from",
    "file",
    default=None,
    metavar="FILE",
    help="Take the truth from this table (joined by id) instead.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the measures as JSON.")
@stored
def command(
    run: str | None, truth: str | None, file: str | None, as_json: bool, store: str | None
) -> None:
    """Measure RUN (the latest when left out) against a column of truth."""
    import json

    from coterie.cli.say import measure, table
    from coterie.run.questions import judged

    found = judged(run, truth, file=file, store=store or True)
    if as_json:
        click.echo(json.dumps(found.record(), indent=1))
        return
    click.echo(found.sentence())
    click.echo()
    rows = [
        [name.replace("_", " "), measure(name, value)] for name, value in found.measures.items()
    ]
    click.echo(table(["measure", "value"], rows))
    click.echo()
    for sentence in _MEANING:
        click.echo(sentence)
    if found.breakdown:
        click.echo()
        click.echo(table(["group", "members", "mostly", "share"], found.breakdown))
