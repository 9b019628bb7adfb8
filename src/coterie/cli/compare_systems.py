"""coterie compare-systems A B ...: measures of systems on the same members, and which differences are real."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.core import check_out

if TYPE_CHECKING:
    from coterie.judge.systems import Comparison, Measured
    from coterie.workflows.systems import Compared

_MEASURES = (
    "f1",
    "accuracy",
    "precision",
    "recall",
    "hter",
    "micro-f1",
    "macro-f1",
    "micro-precision",
    "micro-recall",
    "ap",
    "auc",
    "bep",
    "eer",
    "map",
    "11-point",
    "p@5",
    "p@10",
    "p@20",
)


@click.command("compare-systems")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]A [NAME=]B [MORE...]")
@click.option(
    "--measure",
    default=None,
    type=click.Choice(_MEASURES),
    help="What is tested.  [default: what the files call for]",
)
@click.option(
    "--truth",
    default=None,
    metavar="COLUMN",
    help="The column of known answers.  [default: truth, label, ...]",
)
@click.option(
    "--prediction", default=None, metavar="COLUMN", help="The column of what the system said."
)
@click.option(
    "--score", default=None, metavar="COLUMN", help="The column of how sure it was; more is surer."
)
@click.option(
    "--id", "id_column", default=None, metavar="COLUMN", help="The column that names the members."
)
@click.option(
    "--category",
    default=None,
    metavar="COLUMN",
    help="The column of categories, where a document may be in several.",
)
@click.option(
    "--query", default=None, metavar="COLUMN", help="The column of queries, for ranked lists."
)
@click.option(
    "--split", default=None, metavar="COLUMN", help="The column that marks rows as dev or test."
)
@click.option(
    "--positive", default=None, metavar="VALUE", help="The value of the truth that counts as yes."
)
@click.option(
    "--threshold",
    default=None,
    type=float,
    help="Scores above it count as yes.  [default: chosen on dev rows]",
)
@click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1, True, True),
    help="Of the intervals.",
)
@click.option(
    "--replicates",
    default=2000,
    show_default=True,
    type=click.IntRange(100),
    help="Samples drawn for intervals.",
)
@click.option("--allow-overlap", is_flag=True, help="Let members pass that are in dev and in test.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of all that is random."
)
@click.option(
    "--html",
    default=None,
    metavar="FILE",
    help="Write a page with all intervals, curves and pieces.",
)
@click.option(
    "--json",
    "json_file",
    default=None,
    metavar="FILE",
    help="Write the numbers as JSON besides; - prints them alone.",
)
def command(
    files: tuple[str, ...],
    measure: str | None,
    truth: str | None,
    prediction: str | None,
    score: str | None,
    id_column: str | None,
    category: str | None,
    query: str | None,
    split: str | None,
    positive: str | None,
    threshold: float | None,
    level: float,
    replicates: int,
    allow_overlap: bool,
    seed: int,
    html: str | None,
    json_file: str | None,
) -> None:
    """Compare the systems whose outputs are in files A, B, ...: one row per member, with its id, truth and prediction or score.

    Systems are called by their files, or as NAME=FILE says. Rows of several categories or queries have a column for them. A
    column `split` (dev, test) lets thresholds be chosen on dev.
    """
    import json

    from coterie.run.bundle import write_text
    from coterie.workflows import systems_page
    from coterie.workflows.systems import Asked, compare_files

    for option, file in (("--html", html), ("--json", json_file)):
        if file and file != "-":
            check_out(file, option)
    if len(files) < 2:
        raise click.UsageError("A comparison needs the files of at least two systems.")
    named = {
        "truth": truth,
        "prediction": prediction,
        "score": score,
        "id": id_column,
        "category": category,
        "query": query,
        "split": split,
    }
    asked = Asked(measure, positive, threshold, allow_overlap, replicates, level, seed)
    found = compare_files(files, named, asked)
    if json_file == "-":
        click.echo(json.dumps(_record(found), indent=1))
        return
    _tell(found, level)
    if json_file:
        write_text(Path(json_file).expanduser(), json.dumps(_record(found), indent=1) + "\n")
        click.echo(f"\nWritten: {json_file}")
    if html:
        systems_page.write(found, Path(html).expanduser(), level)
        click.echo(f"\nWritten: {html}")


def _tell(found: Compared, level: float) -> None:
    """The table of measures, the table of differences, and what they say."""
    from coterie.cli.say import table
    from coterie.workflows.system_words import interval, which_test

    one = found.comparison
    click.echo(click.style(f"{found.headline}.", bold=True))
    click.echo()
    main = one.measure(one.main)
    others = [measure for measure in one.measures if measure.name != one.main]
    header = [
        "system",
        f"{one.main} ({100 * level:g}% interval)",
        *(measure.name for measure in others),
    ]
    rows = [
        [
            name,
            f"{_value(main, at)} ({interval(main.lower[at], main.upper[at])})",
            *(_value(measure, at) for measure in others),
        ]
        for at, name in enumerate(one.systems)
    ]
    click.echo(table(header, rows))
    click.echo("\n* best of the systems\n")
    click.echo(table(*_differences(one, level)))
    click.echo()
    for pair in one.pairs:
        click.echo(click.style(pair.sentence(one.main, 1 - level), bold=True))
    click.echo(which_test(one))
    cautions = dict.fromkeys(pair.result.caution for pair in one.pairs if pair.result.caution)
    for note in (*cautions, *found.notes):
        click.echo(click.style(f"  note: {note}", dim=True))


def _value(measure: Measured, at: int) -> str:
    return f"{measure.value[at]:.3f}{'*' if at in measure.best else ''}"


def _differences(one: Comparison, level: float) -> tuple[list[str], list[list[str]]]:
    from coterie.workflows.system_words import differ_on, interval, level_words, p_words

    differ = [differ_on(one, pair) for pair in one.pairs]
    header = [
        "systems",
        f"difference of {one.main}",
        f"{level_words(level)} interval",
        "p",
        "they differ on",
    ]
    rows = [
        [
            f"{pair.first} less {pair.second}",
            f"{pair.result.difference:+.3f}",
            interval(pair.result.lower, pair.result.upper, signed=True),
            p_words(pair.p_value),
            on,
        ]
        for pair, on in zip(one.pairs, differ, strict=True)
    ]
    return (header, rows) if any(differ) else (header[:-1], [row[:-1] for row in rows])


def _record(found: Compared) -> dict[str, Any]:
    """What was found as plain values; what there is not is null."""
    from coterie.workflows.system_words import differ_on

    one = found.comparison
    return {
        "systems": list(one.systems),
        "n": one.n,
        "unit": one.unit,
        "measures": {
            measure.name: [
                {
                    "system": name,
                    "value": _finite(measure.value[at]),
                    "lower": _finite(measure.lower[at]),
                    "upper": _finite(measure.upper[at]),
                }
                for at, name in enumerate(one.systems)
            ]
            for measure in one.measures
        },
        "main": one.main,
        "test": one.test,
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "test": pair.result.test,
                "difference": _finite(pair.result.difference),
                "lower": _finite(pair.result.lower),
                "upper": _finite(pair.result.upper),
                "p_value": pair.result.p_value,
                "p_value_corrected": pair.p_value,
                "differ_on": pair.result.discordant if differ_on(one, pair) else None,
            }
            for pair in one.pairs
        ],
        "parts": [
            {
                "measure": part.measure,
                "of": part.of,
                "rows": list(part.rows),
                "sizes": list(part.sizes),
                "values": [[_finite(value) for value in row] for row in part.values],
            }
            for part in found.parts
        ],
        "confusions": []
        if found.confused is None
        else [
            {"truth": truth, "said": said, "counts": list(counts)}
            for truth, said, counts in found.confused.rows
        ],
        "notes": list(found.notes),
    }


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
