"""coterie core PATH: the one coherent core of a pile, or of every week of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.options import linking, reading, working
from coterie.workflows.request import Reading

if TYPE_CHECKING:
    from coterie.core.collection import Collection
    from coterie.workflows.cores import Cored
    from coterie.workflows.weeks import Week

METHODS = ("ltb", "occc", "kl", "min-entropy", "ocsvm", "ocib")
# listed on the terminal
_MEMBERS = 20
_WORDS = 12


def asked(ctx: click.Context, param: click.Parameter, given: str) -> int | float | str:
    """A size: a number of members, a share of them (0.3 or 30%), or auto."""
    text = given.strip()
    try:
        if text == "auto":
            return text
        if text.endswith("%"):
            share = float(text[:-1]) / 100
        elif text.isdigit() and int(text) > 0:
            return int(text)
        else:
            share = float(text)
        if 0 < share < 1:
            return share
    except ValueError:
        pass
    raise click.BadParameter(
        f"'{given}' is not auto, a number of members from 1, or a share such as 0.3 or 30%."
    )


def coring(function: Any) -> Any:
    """The options that say how a core is found."""
    for option in (
        click.option(
            "--seed",
            default=0,
            show_default=True,
            type=click.IntRange(0),
            help="Of all that is random.",
        ),
        click.option(
            "--background",
            default="bundled",
            show_default=True,
            metavar="FILE",
            help="How frequent words are elsewhere: a table of word and count, other members to count in, bundled or uniform.",
        ),
        click.option(
            "--method",
            default="ltb",
            show_default=True,
            type=click.Choice(METHODS),
            help="How members are ranked.",
        ),
        click.option(
            "--size",
            default="auto",
            show_default=True,
            metavar="K|SHARE|auto",
            callback=asked,
            help="How large the core is.",
        ),
    ):
        function = option(function)
    return function


@click.command("core")
@click.argument("path")
@coring
@click.option(
    "--weeks",
    default=None,
    metavar="COLUMN",
    help="Find the core of every calendar week by this column of dates.",
)
@click.option(
    "--out",
    default=None,
    metavar="FILE",
    help="Write all members with rank, core and score to this .csv.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@reading
@linking
@working
def command(
    path: str,
    size: int | float | str,
    method: str,
    background: str,
    seed: int,
    weeks: str | None,
    out: str | None,
    as_json: bool,
    reading: Reading,
    links: dict[str, str],
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Find the members of PATH that share one topic among others that do not, and say which words tell them.

    A core is looked for in texts, in links (--link) or in a table of counts. Words are set against how frequent they are
    elsewhere (--background; with --weeks also `rest`, the other weeks).
    """
    from coterie.cli.say import working_as
    from coterie.collect.reading import read

    if out is not None:
        check_out(out)
    if background == "rest" and weeks is None:
        raise click.UsageError(
            "--background rest sets a week against all others, and so needs --weeks."
        )
    with working_as(jobs, progress, memory):
        collection = read(path, **reading.options() | {"links": links or None})
        general = background if background == "rest" else known_words(background)
        if weeks is not None:
            _tell_weeks(
                collection,
                weeks,
                {"size": size, "method": method, "random_state": seed},
                general,
                out,
                as_json,
            )
            return
        from coterie.workflows.cores import core_of

        found = core_of(collection, size=size, method=method, background=general, seed=seed)
    _tell(found, out, as_json)


def known_words(background: str) -> Any:
    """The background a person named: a list by its name, a table of words and counts, or members whose words are counted."""
    from coterie.collect.files import TABLE_SUFFIXES, suffix_of
    from coterie.collect.reading import existing, read

    if background in ("bundled", "uniform"):
        return background
    path = None if background.startswith("sample:") else existing(background)
    counts = (
        _counts(path)
        if path is not None and path.is_file() and suffix_of(path) in TABLE_SUFFIXES
        else None
    )
    return read(background) if counts is None else counts


def _counts(path: Path) -> dict[str, float] | None:
    """A table of two columns, words and numbers, as a mapping; None where it is something else.

    Words are in small letters, as those of texts are: the counts of "The" and "the" are added.
    """
    import pyarrow as pa

    from coterie.collect.columns import numbers
    from coterie.collect.columns import words as strings
    from coterie.collect.files import load

    table = load(path).table
    if table.num_columns != 2:
        return None
    one = table.column(0)
    other = table.column(1)
    if not pa.types.is_string(one.type) or not (
        pa.types.is_integer(other.type) or pa.types.is_floating(other.type)
    ):
        return None
    found = dict[str, float]()
    for word, count in zip(strings(one), numbers(other), strict=True):
        if word:
            found[word.lower()] = found.get(word.lower(), 0.0) + float(count)
    return found


def check_out(out: str, option: str = "--out") -> None:
    """Refuse, before anything is computed, a file that cannot be written."""
    path = Path(out).expanduser().absolute()
    if path.is_dir():
        raise click.UsageError(f"{option} names '{out}', which is a folder.")
    if not path.parent.is_dir():
        raise click.UsageError(
            f"{option} names '{out}', and there is no folder '{Path(out).parent}'."
        )


def write_rows(out: str, rows: list[dict[str, Any]]) -> None:
    """Rows as a .csv file, whole or not at all."""
    import csv
    import io

    from coterie.run.bundle import write_text

    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(Path(out).expanduser(), text.getvalue())


def _tell(found: Cored, out: str | None, as_json: bool) -> None:
    """The core on the terminal: sentences, its words, its members, and where all of it is."""
    import json

    from coterie.cli.say import cut, shown, table, tell_first

    if out is not None:
        write_rows(out, found.rows())
    if as_json:
        click.echo(json.dumps(found.record(), indent=1))
        return
    tell_first(found.sentences, found.notes)
    rows = [_row(found, int(at)) for at in found.members[:_MEMBERS]]
    header = [
        "sure",
        *(["probability"] if found.posterior is not None else []),
        "member",
        "what it is",
    ]
    click.echo(table(header, [[*row[:-1], cut(row[-1], 80)] for row in rows]))
    if len(found) > _MEMBERS:
        click.echo(
            f"... and {len(found) - _MEMBERS} more" + ("" if out else "; --out FILE.csv writes all")
        )
    if out is not None:
        click.echo(f"\nAll {len(found.ids)} members: {shown(Path(out).expanduser())}")


def _row(found: Cored, at: int) -> list[str]:
    """How often a member is in the core again, its probability where there is one, its id and what it is."""
    again = "-" if found.again[at] != found.again[at] else f"{found.again[at]:.0%}"
    likely = [] if found.posterior is None else [f"{found.posterior[at]:.3f}"]
    return [again, *likely, str(found.ids[at]), str(found.snippets[at])]


def _tell_weeks(
    collection: Collection,
    column: str,
    wanted: dict[str, Any],
    background: Any,
    out: str | None,
    as_json: bool,
) -> None:
    """The core of every week: a line per week, and all of it as JSON or .csv."""
    import json

    from coterie.cli.say import shown, table
    from coterie.organize.core_of import Core
    from coterie.workflows.populations import links_of
    from coterie.workflows.weeks import dates_in, weeks

    links = links_of(collection, collection.main if collection.views else "", "Core")
    found = weeks(dates_in(collection, column), links, core=Core(**wanted), background=background)
    ids = list(links.ids[links.target])
    if out is not None:
        write_rows(out, [row for week in found for row in _week_rows(week, ids)])
    if as_json:
        click.echo(json.dumps([_record(week, ids) for week in found], indent=1))
        return
    click.echo(click.style(f"{len(found)} weeks of '{collection.name}', by '{column}'.", bold=True))
    for note in collection.notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    click.echo()
    rows = [
        [
            w.begins.isoformat(),
            str(len(w.members)),
            str(len(w.core)),
            w.note or ", ".join(word for word, _ in w.words[:_WORDS]),
        ]
        for w in found
    ]
    click.echo(table(["week of", "members", "core", "what tells it"], rows))
    if out is not None:
        click.echo(f"\nAll members by week: {shown(Path(out).expanduser())}")


def _week_rows(week: Week, ids: list[str]) -> list[dict[str, Any]]:
    """One row per member of a week, the core first."""
    core = {int(at): rank for rank, at in enumerate(week.core, 1)}
    rest = [int(at) for at in week.members if int(at) not in core]
    begins = week.begins.isoformat()
    return [
        {"week": begins, "id": ids[at], "core": int(at in core), "rank": core.get(at, "")}
        for at in [*core, *rest]
    ]


def _record(week: Week, ids: list[str]) -> dict[str, Any]:
    """A week as plain values."""
    words = [[word, score] for word, score in week.words]
    core = [ids[int(at)] for at in week.core]
    return {
        "week": week.begins.isoformat(),
        "members": len(week.members),
        "core": core,
        "words": words,
        "note": week.note,
    }
