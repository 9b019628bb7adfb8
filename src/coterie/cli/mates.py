"""coterie mates PATH --views en de: the mates of members, or of a text, in another view; and how well they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from coterie.cli.options import options_of, reading, working
from coterie.cli.several import Several, names_in
from coterie.walks.mate_choices import MateChoices

if TYPE_CHECKING:
    from coterie.walks.mates import MateFinder
    from coterie.walks.mates_found import Found, Measured

_WIDE = 80  # letters of what a candidate is
_LISTED = 20  # members without a mate that are listed


@click.command("mates", cls=Several)
@click.argument("path")
@click.option("--views", default=None, metavar="NAMES", help="The views, such as: en de fr; or all.  [default: all]")
@click.option("--from", "source", default=None, metavar="VIEW", help="The view of the query.  [default: the first that knows it]")
@click.option("--to", "target", default=None, metavar="VIEW", help="The view mates are looked for in.  [default: all others]")
@click.option("--query", default=None, metavar="TEXT", help="A text, in the words of one view.")
@click.option("--member", default=None, metavar="ID", help="A member, by its id.")
@click.option("--held-out", default=None, type=float, metavar="SHARE", help="Measure: keep this share of the pairs apart.")
@click.option("--most", default=5, show_default=True, type=click.IntRange(1), help="How many candidates to show.")
@options_of(MateChoices)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@reading
@working
def command(
    path: str, views: str | None, source: str | None, target: str | None, query: str | None, member: str | None,
    held_out: float | None, most: int, as_json: bool, kind: str | None, text: str | None, id_column: str | None,
    time: str | None, truth: tuple[str, ...], jobs: int | None, progress: str, memory: str | None, **choices: Any,
) -> None:  # fmt: skip
    """Find the mates of members across the views of PATH: the translation of a text, the picture of a caption.

    Views are sub-folders with the same file names (en/, de/), columns of a table (text_en, text_de) or tables with the same
    ids. What they share is learned from the members that are in all of them; mates are then found also for members that one
    view lacks (all of these are listed when neither --query nor --member is given).
    """
    from coterie.cli.say import working_as
    from coterie.collect.columns import Named
    from coterie.collect.named_views import ALL, names_of, read_apart
    from coterie.walks.mates import MateFinder, measured

    _check(query, member, held_out, source, target)
    settings = MateChoices(**choices)
    settings.check_params()
    names = names_of(names_in(views) or [ALL])
    with working_as(jobs, progress, memory):
        parts = read_apart(path, names, Named(text, id_column, time, tuple(truth)), kind=kind)
        if held_out is not None:
            _tell_measured(measured(parts, held_out, settings), as_json)
            return
        finder = MateFinder.over(parts, settings)
        if query is not None or member is not None:
            _tell(_asked(finder, query, member, source, target, most), len(finder.pairs), as_json)
            return
        _tell_alone(finder, source, target, as_json)


def _check(query: str | None, member: str | None, held_out: float | None, source: str | None, target: str | None) -> None:
    """Refuse, before anything is read, what cannot be done together."""
    if query is not None and member is not None:
        raise click.UsageError("give either --query TEXT or --member ID")
    if held_out is not None and (query is not None or member is not None or source or target):
        raise click.UsageError("--held-out measures all views both ways, and takes no --query, --member, --from or --to")
    if held_out is not None and not 0 < held_out < 1:
        raise click.UsageError(f"--held-out is a share of the pairs between 0 and 1, and was {held_out:g}")
    if query is not None and not query.strip():
        raise click.UsageError("--query is empty")


def _asked(
    finder: MateFinder, query: str | None, member: str | None, source: str | None, target: str | None, most: int
) -> list[Found]:
    """What was found in the view asked for, or in every other one."""
    if source is None:
        having = [name for name in finder.names if member in finder.parts[name].ids and name != target]
        source = finder.spoken_in(query) if query is not None else having[0] if having else finder.names[0]
    targets = [target] if target is not None else [name for name in finder.names if name != source]
    if query is not None:
        return [finder.find(query, source, name, most) for name in targets]
    return [finder.member(str(member), source, name, most) for name in targets]


def _tell(every: list[Found], pairs: int, as_json: bool) -> None:
    """The candidates on the terminal, or as JSON."""
    import json

    from coterie.cli.say import table

    if as_json:
        click.echo(json.dumps([found.record() for found in every], indent=1, ensure_ascii=False))
        return
    for at, found in enumerate(every):
        if at:
            click.echo()
        said = f"The nearest to it of {found.candidates:,} members in '{found.target}', asked in '{found.source}'"
        click.echo(click.style(f"{said}; learned from {pairs:,} pairs.", bold=True))
        rows = [[str(m.rank), f"{m.score:.3f}", m.id + (" (itself)" if m.itself else ""), m.snippet[:_WIDE]] for m in found.mates]
        click.echo(table(["rank", "alike", "member", "what it is"], rows))
        if found.own == found.own and found.own > len(found.mates):
            click.echo(f"The member itself stands at rank {found.own:g}.")


def _tell_alone(finder: MateFinder, source: str | None, target: str | None, as_json: bool) -> None:
    """Members that a view lacks, each with its best candidate there."""
    import json

    from coterie.cli.say import table
    from coterie.core.errors import DataError

    ways = [(one, other) for one in finder.names for other in finder.names if one != other]
    ways = [way for way in ways if source in (None, way[0]) and target in (None, way[1])]
    alone = [(one, other, member) for one, other in ways for member in finder.alone(one, other)]
    if not alone:
        raise click.UsageError("no member lacks a mate in these views; say --query TEXT, --member ID or --held-out SHARE")
    found, lost = list[Any](), 0
    for one, other, member in alone:
        try:
            found.append(finder.member(member, one, other, 1))
        except DataError:  # nothing is known of it
            lost += 1
    if as_json:
        click.echo(json.dumps([one.record() for one in found], indent=1, ensure_ascii=False))
        return
    many = "1 member lacks" if len(alone) == 1 else f"{len(alone):,} members lack"
    click.echo(click.style(f"{many} a mate in a view; the best candidates, learned from {len(finder.pairs):,} pairs.", bold=True))
    rows = [[f.asked, f.source, f.target, f"{m.score:.3f}", m.id, m.snippet[:_WIDE]] for f in found for m in f.mates]
    rows.sort(key=lambda row: -float(row[3]))
    click.echo(table(["member", "in", "to", "alike", "candidate", "what it is"], rows[:_LISTED]))
    if len(rows) > _LISTED:
        click.echo(f"... and {len(rows) - _LISTED:,} more; --json prints all")
    if lost:
        click.echo(
            f"{lost:,} {'holds' if lost == 1 else 'hold'} no word that the pairs hold, and {'has' if lost == 1 else 'have'} none."
        )


def _tell_measured(found: Measured, as_json: bool) -> None:
    """How well mates were found, on the terminal or as JSON."""
    import json

    from coterie.cli.say import table

    if as_json:
        click.echo(json.dumps(found.record(), indent=1))
        return
    click.echo(click.style(found.sentence(), bold=True))
    click.echo()
    click.echo(table(["from", "to", "average precision", "first", "in ten", "median rank"], found.rows()))
