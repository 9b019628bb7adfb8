"""coterie reproduce [NAME]: published experiments, the paper's numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from coterie.cli.options import working

if TYPE_CHECKING:
    from coterie.experiments.experiment import Experiment, Result

_WIDE, _DATA = 120, 24  # letters of a line of the list, and of the data sets in it


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
    from coterie.core.errors import DataError
    from coterie.experiments import page

    if name is None:
        click.echo(_listed())
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
    if not result.rows:
        raise DataError(_nothing(experiment, result, data))
    click.echo(f"Experiment {experiment.name}: {experiment.title} ({result.seeded()}; {result.seconds:,.0f} s)")
    click.echo(f"After: {experiment.work}, {experiment.table}\n")
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


def _listed() -> str:
    """The experiments, a line of at most 120 letters each."""
    from coterie import experiments
    from coterie.cli.say import cut, table

    every = experiments.every()
    rows = [[e.name, f"{e.minutes:g}", cut(", ".join(e.needs) or "generated", _DATA)] for e in every]
    header = ["experiment", "minutes", "data"]
    room = _WIDE - sum(max(len(line[at]) for line in [header, *rows]) + 2 for at in range(3))
    told = [[*row, cut(e.title, room)] for row, e in zip(rows, every, strict=True)]
    return table([*header, "what it shows"], told)


def _nothing(experiment: Experiment, result: Result, folder: Path | None) -> str:
    """Why nothing ran, in one sentence: what to get and where to put it."""
    lost = experiment.lacks(folder)
    if not lost:
        return f"Nothing of '{experiment.name}' was run: {' '.join(result.skipped) or 'it gave no numbers.'}"
    many = f"the data set {lost[0]}" if len(lost) == 1 else f"the data sets {', '.join(lost[:-1])} and {lost[-1]}"
    it, where = ("it", "a sub-folder of that name in") if len(lost) == 1 else ("them", "sub-folders of these names in")
    return (
        f"Nothing of '{experiment.name}' was run for want of {many}; put {it} into {where} a folder, and name that folder "
        "with --data (or COTERIE_DATA)."
    )
