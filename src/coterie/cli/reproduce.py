"""coterie reproduce [NAME]: published experiments, the paper's numbers beside ours."""

from __future__ import annotations

from pathlib import Path

import click

from coterie.cli.options import working


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from coterie.experiments import MODULES

    return [name for name in MODULES if name.startswith(incomplete)]


@click.command("reproduce")
@click.argument("name", required=False, shell_complete=_names)
@click.option(
    "--data",
    default=None,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with one sub-folder per data set.  [or COTERIE_DATA]",
)
@click.option("--seeds", default=None, type=click.IntRange(1), help="Number of seeds.  [default: the experiment's own]")
@click.option("--quick", is_flag=True, help="One seed and smaller settings.")
@click.option(
    "--json", "json_file", default=None, type=click.Path(path_type=Path), metavar="FILE", help="Write the result there."
)
@click.option(
    "--page",
    "page_file",
    default=None,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the table and the figures there, as one HTML page.",
)
@click.option(
    "--keep",
    default=None,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep finished trials there; a run that goes on with the same folder does not make them again.",
)
@working
def command(
    name: str | None, data: Path | None, seeds: int | None, quick: bool, json_file: Path | None, page_file: Path | None,
    keep: Path | None, jobs: int | None, progress: str, memory: str | None,
) -> None:  # fmt: skip
    """Run experiment NAME and print the paper's numbers beside ours; without NAME, list them."""
    from coterie import experiments
    from coterie.cli.say import table, working_as
    from coterie.experiments import page

    if name is None:
        rows = [
            [e.name, e.work, e.table, ", ".join(e.needs) or "generated", f"{e.minutes:g}", e.title] for e in experiments.every()
        ]
        click.echo(table(["experiment", "work", "table", "data", "minutes", "what it shows"], rows))
        return
    experiment = experiments.find(name)
    if data is not None and not data.is_dir():
        raise click.UsageError(f"--data names '{data}', which is not a folder.")
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise click.UsageError(f"--json names '{json_file}', and there is no folder '{json_file.parent}'.")
    from coterie.core.workplace import using
    from coterie.run.checkpoint import Pieces

    keeper = None if keep is None else Pieces(keep / experiment.name, then="give another folder")
    with working_as(jobs, progress, memory), using(keeper=keeper):
        result = experiment.conduct(seeds=seeds, quick=quick, folder=data)
    seeded = "1 seed" if result.seeds == 1 else f"{result.seeds} seeds"
    if quick:
        seeded += ", quick: smaller settings, with which a relation may fail"
    click.echo(f"Experiment {experiment.name}: {experiment.title} ({seeded}, {result.seconds:.0f} s)\n")
    click.echo(table(["data", "method", "measure", "ours", "paper or known answer"], [page.cells(row) for row in result.rows]))
    click.echo()
    for relation in result.relations:
        click.echo(f"  {click.style('holds', fg='green') if relation.holds else click.style('FAILS', fg='red')}  {relation.text}")
    for sentence in result.skipped:
        click.echo(f"  left out: {sentence}")
    if json_file is not None:
        from coterie.run.atomic import write_text

        write_text(json_file, result.to_json())
        click.echo(f"\nWritten: {json_file}")
    if page_file is not None:
        page.write(experiment, result, page_file)
        click.echo(f"\nWritten: {page_file}")
