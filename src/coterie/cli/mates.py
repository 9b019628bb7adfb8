"""coterie mates PATH --views en de: the mates of members, or of a text, in another view; and how well they are found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.options import Several, names_in, options_of, reading, stored, working
from coterie.workflows.mate_choices import MateChoices
from coterie.workflows.request import Reading

if TYPE_CHECKING:
    from coterie.core.collection import Collection
    from coterie.workflows.mates import MateFinder
    from coterie.workflows.mates_found import Found, Mate, Measured

_WIDE = 80  # letters of what a candidate is
_LISTED = 20  # members without a mate that are listed


@click.command("mates", cls=Several)
@click.argument("path")
@click.option(
    "--views",
    default=None,
    metavar="NAMES",
    help="The views, such as: en de fr; or all.  [default: all]",
)
@click.option(
    "--from",
    "source",
    default=None,
    metavar="VIEW",
    help="The view of the query.  [default: the first that knows it]",
)
@click.option(
    "--to",
    "target",
    default=None,
    metavar="VIEW",
    help="The view mates are looked for in.  [default: all others]",
)
@click.option("--query", default=None, metavar="TEXT", help="A text, in the words of one view.")
@click.option("--member", default=None, metavar="ID", help="A member, by its id.")
@click.option(
    "--held-out",
    default=None,
    type=float,
    metavar="SHARE",
    help="Measure: keep this share of the pairs apart.",
)
@click.option(
    "--most",
    default=5,
    show_default=True,
    type=click.IntRange(1),
    help="How many candidates to show.",
)
@options_of(MateChoices)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@reading
@stored
@working
def command(
    path: str,
    views: str | None,
    source: str | None,
    target: str | None,
    query: str | None,
    member: str | None,
    held_out: float | None,
    most: int,
    as_json: bool,
    reading: Reading,
    store: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
    **choices: Any,
) -> None:
    """Find the mates of members across the views of PATH (or of a stored run): the translation of a text, the caption of a
    picture.

    Views are sub-folders with the same file names (en/, de/), text files line by line (en.txt, de.txt), columns of a table
    (text_en, text_de) or tables with the same ids. What they share is learned from the members that are in all of them; mates
    are then found also for members that one view lacks (all of these are listed when neither --query nor --member is given).
    """
    from coterie.cli.say import working_as
    from coterie.workflows.mates import MateFinder, measured

    _check(query, member, held_out, source, target)
    settings = MateChoices(**choices)
    settings.check_params()
    with working_as(jobs, progress, memory):
        parts = _parts(path, names_in(views), reading, store)
        if not as_json:
            _tell_notes(parts)
        if held_out is not None:
            _tell_measured(measured(parts, held_out, settings), as_json)
            return
        finder = MateFinder.over(parts, settings)
        if query is not None or member is not None:
            _tell(_asked(finder, query, member, source, target, most), finder, as_json)
            return
        _tell_alone(finder, source, target, as_json)


def _parts(
    path: str, views: list[str] | None, reading: Reading, store: str | None
) -> dict[str, Collection]:
    """The views by themselves: of a path, or of a stored run where there is no such path."""
    from coterie.collect.columns import Named
    from coterie.collect.named_views import ALL, names_of, with_named
    from coterie.collect.reading import read_apart
    from coterie.core.collection import Collection
    from coterie.core.errors import CoterieError
    from coterie.run.engine import open_run

    names = names_of(views or [ALL])
    named = Named(reading.text, reading.id, reading.time, reading.truth, use=reading.use)
    if Path(path).expanduser().exists() or path == "installed" or path.startswith("sample:"):
        return read_apart(path, names, named, kind=reading.kind)
    try:
        run = open_run(path, store or True)
    except CoterieError:
        return read_apart(
            path, names, named, kind=reading.kind
        )  # the sentence on a path that is not there
    source = run.request.path
    if source and Path(source).exists() and run.request.replay is None:
        before = run.request.reading
        own = Named(before.text, before.id, before.time, before.truth, use=before.use)
        return read_apart(source, names_of(views or before.views or [ALL]), own, kind=before.kind)
    whole = with_named(run.collection(), names)
    return {
        name: Collection(whole.ids, {name: view}, name=name) for name, view in whole.views.items()
    }


def _tell_notes(parts: Mapping[str, Collection]) -> None:
    """What was said while the views were read, on the side, so that the answer stands alone."""
    from coterie.collect.united import notes_of

    for note in notes_of(parts):
        click.echo(click.style(f"  note: {note}", dim=True), err=True)


def _check(
    query: str | None,
    member: str | None,
    held_out: float | None,
    source: str | None,
    target: str | None,
) -> None:
    """Refuse, before anything is read, what cannot be done together."""
    if query is not None and member is not None:
        raise click.UsageError("give either --query TEXT or --member ID")
    if held_out is not None and (query is not None or member is not None or source or target):
        raise click.UsageError(
            "--held-out measures all views both ways, and takes no --query, --member, --from or --to"
        )
    if held_out is not None and not 0 < held_out < 1:
        raise click.UsageError(
            f"--held-out is a share of the pairs between 0 and 1, and was {held_out:g}"
        )
    if query is not None and not query.strip():
        raise click.UsageError("--query is empty")


def _asked(
    finder: MateFinder,
    query: str | None,
    member: str | None,
    source: str | None,
    target: str | None,
    most: int,
) -> list[Found]:
    """What was found in the view asked for, or in every other one."""
    if source is None:
        having = [
            name for name in finder.names if member in finder.parts[name].ids and name != target
        ]
        source = (
            finder.spoken_in(query)
            if query is not None
            else having[0]
            if having
            else finder.names[0]
        )
    targets = [target] if target is not None else [name for name in finder.names if name != source]
    if query is not None:
        return [finder.find(query, source, name, most) for name in targets]
    return [finder.member(str(member), source, name, most) for name in targets]


def _tell(every: list[Found], finder: MateFinder, as_json: bool) -> None:
    """The candidates on the terminal, or as JSON."""
    import json

    from coterie.cli.say import table

    if as_json:
        click.echo(json.dumps([found.record() for found in every], indent=1, ensure_ascii=False))
        return
    for at, found in enumerate(every):
        if at:
            click.echo()
        asked = "the text" if not _is_member(finder, found) else found.asked
        said = f"The nearest to {asked}, read in '{found.source}', of {found.candidates:,} members in '{found.target}'"
        click.echo(click.style(f"{said}; learned from {len(finder.pairs):,} pairs.", bold=True))
        rows = [
            [
                str(m.rank),
                f"{m.score:.3f}",
                m.id + (" (itself)" if m.itself else ""),
                m.snippet[:_WIDE],
            ]
            for m in found.mates
        ]
        click.echo(table(["rank", "alike", "member", "what it is"], rows))
        if found.own == found.own and found.own > len(found.mates):
            click.echo(f"{found.asked} itself stands at rank {found.own:g}.")
        if found.learned:
            click.echo(
                f"{found.asked} is one of the pairs that were learned from and finds itself easily; --held-out tells more."
            )
    _tell_tau(finder)


def _is_member(finder: MateFinder, found: Found) -> bool:
    return found.asked in finder.parts[found.source].ids


def _tell_tau(finder: MateFinder) -> None:
    """Which tau was chosen, where that was asked for."""
    from coterie.workflows.mates_found import tau_chosen

    if finder.choices.tune:
        click.echo(tau_chosen(finder.space.tau))


def _tell_alone(finder: MateFinder, source: str | None, target: str | None, as_json: bool) -> None:
    """Members that a view lacks, each with its best candidate there."""
    import json

    from coterie.cli.say import table

    ways = [(one, other) for one in finder.names for other in finder.names if one != other]
    ways = [way for way in ways if source in (None, way[0]) and target in (None, way[1])]
    alone = {member for one, other in ways for member in finder.alone(one, other)}
    if not alone:
        raise click.UsageError(
            "no member lacks a mate in these views; say --query TEXT, --member ID or --held-out SHARE"
        )
    told = [finder.lonely(one, other) for one, other in ways]
    found = [one for some, _ in told for one in some]
    lost = sum(missed for _, missed in told)
    if as_json:
        click.echo(json.dumps([one.record() for one in found], indent=1, ensure_ascii=False))
        return
    many = "1 member lacks" if len(alone) == 1 else f"{len(alone):,} members lack"
    click.echo(
        click.style(
            f"{many} a mate in a view; the best candidates, learned from {len(finder.pairs):,} pairs.",
            bold=True,
        )
    )
    best = sorted(
        (f for f in found if f.mates), key=lambda f: (not f.mates[0].mutual, -f.mates[0].score)
    )
    rows = [
        [f.asked, f.source, f.target, f"{m.score:.3f}", m.id, _lacks(f, m), m.snippet[:_WIDE]]
        for f in best
        for m in f.mates
    ]
    click.echo(
        table(
            ["member", "in", "to", "alike", "candidate", "is alone too", "what it is"],
            rows[:_LISTED],
        )
    )
    if len(rows) > _LISTED:
        click.echo(f"... and {len(rows) - _LISTED:,} more; --json prints all")
    if any(f.mates[0].mutual for f in best):
        click.echo("Those that choose each other are likely the same under two names.")
    if lost:
        holds, has = ("holds", "has") if lost == 1 else ("hold", "have")
        click.echo(f"{lost:,} {holds} no word that the pairs hold, and {has} no candidate.")
    _tell_tau(finder)


def _lacks(found: Found, mate: Mate) -> str:
    """Whether a candidate lacks a mate itself, and would take this one."""
    return (
        "they choose each other" if mate.mutual else f"lacks {found.source}" if mate.alone else "-"
    )


def _tell_measured(found: Measured, as_json: bool) -> None:
    """How well mates were found, on the terminal or as JSON."""
    import json

    from coterie.cli.say import table

    if as_json:
        click.echo(json.dumps(found.record(), indent=1))
        return
    for at, sentence in enumerate(found.sentences()):
        click.echo(click.style(sentence, bold=not at))
    click.echo()
    click.echo(
        table(["from", "to", "average precision", "first", "in ten", "median rank"], found.rows())
    )
