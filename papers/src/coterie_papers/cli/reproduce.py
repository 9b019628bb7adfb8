"""coterie reproduce [NAME]: published experiments, the paper's numbers beside ours, stored, checked, and told on one page."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coterie.cli.options import stored, working

if TYPE_CHECKING:
    from coterie_papers.experiment import Experiment, Result
    from coterie_papers.results import Results


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from coterie_papers.experiments import MODULES

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
@click.option(
    "--seeds",
    default=None,
    type=click.IntRange(1),
    help="Number of seeds.  [default: the experiment's own]",
)
@click.option("--quick", is_flag=True, help="One seed and smaller settings.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Run all that can be run, one after another; goes on where it was stopped.",
)
@click.option(
    "--json",
    "json_file",
    default=None,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the result there too.",
)
@click.option(
    "--page",
    "page_file",
    default=None,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the table and the figures there too, as one HTML page.",
)
@click.option(
    "--keep",
    default=None,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep finished trials there; a run that goes on with the same folder, settings and code does not make them again.",
)
@click.option(
    "--check",
    default=None,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Run again as a stored result was made, and say whether the table comes out the same.",
)
@click.option(
    "--coverage",
    is_flag=True,
    help="List every table and figure of the five works, and where it is shown.",
)
@click.option(
    "--evidence",
    nargs=2,
    default=None,
    type=click.Path(path_type=Path),
    metavar="FOLDER PAGE",
    help="Write the page of evidence from the results in a folder, and its figures into a folder there.",
)
@stored
@working
def command(
    name: str | None,
    data: Path | None,
    seeds: int | None,
    quick: bool,
    every: bool,
    json_file: Path | None,
    page_file: Path | None,
    keep: Path | None,
    check: Path | None,
    coverage: bool,
    evidence: tuple[Path, Path] | None,
    store: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Run experiment NAME and print the paper's numbers beside ours; without NAME, list them.

    Every result is kept in the store (in its folder 'reproduced'), with a page that has the figures.
    """
    from coterie_papers.cli.reference import as_reference

    as_reference()  # before anything that computes is loaded
    from coterie.cli.say import shown, working_as
    from coterie.run.stored import default_folder
    from coterie_papers import experiments
    from coterie_papers.cli.reproduce_list import covered, listed
    from coterie_papers.results import FOLDER, PART, Results

    _refuse_mixed(
        name, every=every, coverage=coverage, evidence=evidence is not None, check=check is not None
    )
    given = {
        "--json": json_file,
        "--page": page_file,
        "--seeds": seeds,
        "--quick": quick or None,
        "--keep": keep,
    }
    _refuse_idle(
        [option for option, value in given.items() if value is not None],
        name,
        every=every,
        check=check is not None,
    )
    if data is not None and not data.is_dir():
        raise click.UsageError(f"--data names '{data}', which is not a folder.")
    home = Path(store).expanduser() if store else default_folder()
    results = Results(home / FOLDER)
    if evidence is not None:
        _evidence(*evidence)
        return
    if coverage:
        click.echo(covered())
        return
    if every or name is not None:
        _refuse_places(
            {"--store": None if check else home, "--keep": keep},
            {"--json": json_file, "--page": page_file},
        )
    if every:
        from coterie_papers.cli.reproduce_all import run_all

        with working_as(jobs, progress, memory):
            run_all(
                results,
                lambda one: conduct(one, data, seeds, quick, keep),
                {"quick": quick, "seeds": seeds, "data": str(data) if data else None},
            )
        return
    if name is None:
        click.echo(listed(results, data))
        return
    experiment = experiments.find(name)
    with working_as(jobs, progress, memory):
        if check is not None:
            _check(experiment, check, data, keep)
            return
        _say_lacking(experiment, data)
        result = conduct(experiment, data, seeds, quick, keep)
    tell(experiment, result)
    click.echo()
    if json_file is not None:
        from coterie.run.bundle import write_text

        write_text(json_file, result.to_json() + "\n")
        click.echo(f"Written: {json_file}")
    kept = _keep(results, experiment, result)
    beside = " (beside the one that had more of its data)" if kept.name.endswith(PART) else ""
    click.echo(f"Kept: {shown(kept)}{beside}\nPage: {shown(kept.with_suffix('.html'))}")
    if page_file is not None:
        from coterie_papers import page

        page.write(experiment, result, page_file)
        click.echo(f"Written: {page_file}")


def _refuse_mixed(name: str | None, **asked: bool) -> None:
    """One thing at a time: a name, or all, or a table, or a page."""
    alone = [
        f"--{option}"
        for option in ("all", "coverage", "evidence")
        if asked.get("every" if option == "all" else option)
    ]
    if len(alone) > 1:
        raise click.UsageError(f"{' and '.join(alone)} cannot be asked for together.")
    if alone and (name or asked["check"]):
        raise click.UsageError(
            f"{alone[0]} stands alone; leave out {f'the name {name!r}' if name else '--check'}."
        )
    if asked["check"] and name is None:
        raise click.UsageError(
            "--check needs the name of the experiment: coterie reproduce NAME --check FILE"
        )


def _refuse_idle(given: list[str], name: str | None, *, every: bool, check: bool) -> None:
    """Options that would be read and then not looked at."""
    if check:
        lost = [option for option in given if option != "--keep"]
        if lost:
            raise click.UsageError(
                f"--check takes the settings of the stored result and writes nothing; leave out {lost[0]}."
            )
    elif every:
        lost = [option for option in given if option in ("--json", "--page")]
        if lost:
            raise click.UsageError(
                f"{lost[0]} is for one experiment; --all keeps every result and its page in the store."
            )
    elif name is None and given:
        raise click.UsageError(
            f"{given[0]} needs the name of an experiment: coterie reproduce NAME {given[0]}"
        )


def _refuse_places(folders: dict[str, Path | None], files: dict[str, Path | None]) -> None:
    """Places that could not be written to at the end of a long run are refused before it."""
    for option, folder in folders.items():
        if folder is None:
            continue
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        if not there.is_dir():
            within = "" if there == folder else f", in '{there}'"
            raise click.UsageError(f"{option} names '{folder}'{within}, which is not a folder.")
        if not os.access(there, os.W_OK):
            raise click.UsageError(
                f"{option} names '{folder}', and the folder '{there}' may not be written to."
            )
    for option, file in files.items():
        if file is None:
            continue
        if file.is_dir():
            raise click.UsageError(f"{option} names '{file}', which is a folder and not a file.")
        if not file.absolute().parent.is_dir():
            raise click.UsageError(
                f"{option} names '{file}', and there is no folder '{file.parent}'."
            )
        if not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
            raise click.UsageError(f"{option} names '{file}', which may not be written to.")


def _say_lacking(experiment: Experiment, folder: Path | None) -> None:
    """Before a run: which data is not here, so that a part of it is all that will be run."""
    from coterie.core.workplace import workplace

    lost = experiment.lacks(folder)
    if lost:
        where = f" (not in '{folder}')" if folder else ""
        workplace().watch.note(
            f"Without {', '.join(lost)}{where}: what needs no more is run; what to get is said at the end."
        )


def conduct(
    experiment: Experiment, data: Path | None, seeds: int | None, quick: bool, keep: Path | None
) -> Result:
    """Run one, with its finished trials kept where that is asked for; a sentence where nothing could be run."""
    from coterie.core.errors import DataError, Interrupted
    from coterie.core.workplace import using
    from coterie_papers.results import made_by
    from coterie_papers.trials import Trials

    by = "" if keep is None else made_by(seeds or experiment.seeds, quick)
    keeper = (
        None if keep is None else Trials(keep / experiment.name, by=by, then="give another folder")
    )
    try:
        with using(keeper=keeper):
            result = experiment.conduct(seeds=seeds, quick=quick, folder=data)
    except Interrupted as error:
        if keep is not None:
            raise
        raise Interrupted(
            "Stopped as asked; nothing of this experiment is kept: with --keep DIR finished trials are."
        ) from error
    if not result.rows:
        raise DataError(nothing(experiment, result, data))
    return result if keeper is None else replace(result, seconds=keeper.before + result.seconds)


def _keep(results: Results, experiment: Experiment, result: Result) -> Path:
    from coterie_papers import page

    place = results.keep(result)
    page.write(experiment, result, place.with_suffix(".html"))
    return place


def tell(experiment: Experiment, result: Result) -> None:
    """The table, what holds, what was left out, and the figures."""
    from coterie_papers import page, reds
    from coterie_papers.cli.reproduce_list import filled, result_table, terminal
    from coterie_papers.sketch import sketch
    from coterie_papers.sources import listed

    wide = terminal()
    deep = " " * 9
    click.echo(
        filled(
            f"Experiment {experiment.name}: {experiment.title} ({result.seeded()}; {result.seconds:,.0f} s)",
            wide,
        )
    )
    click.echo(f"{filled(experiment.after, wide)}\n")
    click.echo(result_table([page.cells(row) for row in experiment.told(result.rows)]))
    for picture in result.pictures:
        click.echo(f"\n{sketch(picture)}")
    click.echo()
    for relation in result.relations:
        word = (
            click.style("holds", fg="green") if relation.holds else click.style("FAILS", fg="red")
        )
        click.echo(f"  {word}  {filled(relation.text, wide, deep, deep).lstrip()}")
        why = "" if relation.holds else reds.why(experiment.name, relation.text)
        if why:
            click.echo(click.style(filled(why, wide, deep, deep), dim=True))
    for sentence in result.skipped:
        click.echo(filled(f"left out: {sentence}", wide, "  ", "    "))
    if result.lacked:
        click.echo(f"\n{listed(result.lacked)}")


def nothing(experiment: Experiment, result: Result, folder: Path | None) -> str:
    """Why nothing ran, in one line: what to get and where to put it."""
    from coterie_papers.sources import told

    lost = experiment.lacks(folder)
    if not lost:
        return f"Nothing of '{experiment.name}' was run: {' '.join(result.skipped) or 'it gave no numbers.'}"
    wanted = (
        " ".join(f"({at}) {told(need)}" for at, need in enumerate(lost, 1))
        if len(lost) > 1
        else told(lost[0])
    )
    return (
        f"Nothing of '{experiment.name}' was run for want of data, which goes into a folder that is named with --data or by "
        f"COTERIE_DATA: {wanted}"
    )


def _check(experiment: Experiment, file: Path, data: Path | None, keep: Path | None) -> None:
    """Run again with the seeds of a stored result; status 1 where a row or a relation differs.

    Trials are kept apart from those of other runs: a stored result would else be compared with the trials that it was made of.
    """
    from coterie.core.errors import DataError
    from coterie_papers.results import differences, farthest, read, timed
    from coterie_papers.sources import told

    before = read(file)
    if before.experiment != experiment.name:
        raise DataError(
            f"'{file.name}' is a result of '{before.experiment}' and not of '{experiment.name}'."
        )
    again = conduct(
        experiment, data, before.seeds, before.quick, None if keep is None else keep / "checked"
    )
    new = [sentence for sentence in again.skipped if sentence not in before.skipped]
    if again.lacked and new:
        want = " ".join(map(told, again.lacked))
        raise DataError(
            f"'{file.name}' cannot be checked: it was made with data that is not here. {' '.join(new)} {want}"
        )
    found = differences(before, again)
    for sentence in found:
        click.echo(f"  {sentence}")
    untold = sum(map(timed, before.rows))
    rest = f" ({untold} that tell time were not compared)" if untold else ""
    if found:
        many = "1 difference" if len(found) == 1 else f"{len(found)} differences"
        far = farthest(before, again)
        most = f"; numbers differ by {far:.1g} of their size at most" if far else ""
        click.echo(f"{experiment.name}: {many} from '{file.name}'{rest}{most}.")
        if before.machine != again.machine:
            where = f"on {before.machine}" if before.machine else "before results told on what"
            click.echo(
                f"It was made {where}, and this is {again.machine}: another processor or version may round differently."
            )
        raise click.exceptions.Exit(1)
    click.echo(
        f"{experiment.name}: the same {len(before.rows) - untold} rows as in '{file.name}', to the last digit{rest}."
    )


def _evidence(folder: Path, target: Path) -> None:
    """Write the page of evidence and its figures; sentences on relations that hold by now are named."""
    from coterie_papers import evidence, reds

    if not folder.is_dir():
        raise click.UsageError(f"--evidence names '{folder}', which is not a folder.")
    if not target.absolute().parent.is_dir():
        raise click.UsageError(
            f"--evidence names '{target}', and there is no folder '{target.parent}'."
        )
    found, figures = evidence.write(folder, target)
    for sentence in reds.unused(found.values()):
        click.echo(
            f"note: no relation that fails has these words of coterie_papers/reds.py: {sentence}",
            err=True,
        )
    counts = [
        f"{n} {word}{'' if n == 1 else 's'}"
        for n, word in ((len(found), "result"), (figures, "figure"))
    ]
    click.echo(f"Written: {target} ({', '.join(counts)})")
