"""coterie search PATH QUERY: the members that answer a query, with the words around what was asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.options import options_of, reading, stored, working
from coterie.messages.notes import code_of
from coterie.workflows.request import Reading
from coterie.workflows.search_choices import MODELS, Search

if TYPE_CHECKING:
    from coterie.core.hits import Hit, Hits, Piece
    from coterie.workflows.searching import Searcher

_ABOUT = 60  # letters of what is known of a hit
_DULL = (  # what notes are about that a searcher has no use for
    "dropped",
    "dates",
    "not_compared",
    "display_name",
    "like_truth",
    "repeated",  # hits that repeat others are said to, each where it stands
)


@click.command("search")
@click.argument("path")
@click.argument("query", nargs=-1)
@click.option(
    "--most",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="How many members to show.",
)
@click.option(
    "--with",
    "model",
    default=None,
    type=click.Choice(MODELS),
    help="A learned space to rank by beside the words.",
)
@options_of(Search)
@click.option(
    "--topics",
    default=None,
    metavar="FILE",
    help="Queries of TREC, or lines of a number and a query, to be measured.",
)
@click.option(
    "--qrels",
    default=None,
    metavar="FILE",
    help="Which members are relevant to which topic, as TREC writes it.",
)
@click.option(
    "--dev-topics", default=None, metavar="FILE", help="Other queries, on which --weight is found."
)
@click.option(
    "--dev-qrels", default=None, metavar="FILE", help="Which members are relevant to those."
)
@click.option(
    "--allow-overlap",
    is_flag=True,
    help="Measure also queries that are among those of --dev-topics.",
)
@click.option(
    "--run-out",
    default=None,
    metavar="FILE",
    help="Write the best 1000 members of every topic as a run of TREC.",
)
@click.option(
    "--html", "page", default=None, metavar="FILE", help="Write the results to this page."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@reading
@stored
@working
def command(
    path: str,
    query: tuple[str, ...],
    most: int,
    model: str | None,
    topics: str | None,
    qrels: str | None,
    dev_topics: str | None,
    dev_qrels: str | None,
    allow_overlap: bool,
    run_out: str | None,
    page: str | None,
    as_json: bool,
    reading: Reading,
    store: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
    **choices: Any,
) -> None:
    """Find the members of PATH (a folder, a file, mail, or a stored run) that answer QUERY best.

    Without a QUERY every line that you type is one, until an empty one. With --topics and --qrels the search is measured.
    """
    from coterie.cli.say import working_as
    from coterie.cli.search_measures import measure
    from coterie.workflows.searching import Searcher

    files = {
        "--topics": topics,
        "--qrels": qrels,
        "--dev-topics": dev_topics,
        "--dev-qrels": dev_qrels,
        "--run-out": run_out,
    }
    _check(query, files, page, model, choices, allow_overlap)
    settings = Search(**choices)
    settings.check_params()
    with working_as(jobs, progress, memory):
        collection, groups = _members(path, store, reading)
        searcher = Searcher.over(collection, settings, model=model, groups=groups)
        if topics is not None:
            measure(searcher, files, allow_overlap, most, page, as_json)
            return
    if query:
        _answer(searcher, " ".join(query), most, page, as_json)
        return
    _converse(searcher, most, as_json)


def _check(
    query: tuple[str, ...],
    files: dict[str, str | None],
    page: str | None,
    model: str | None,
    choices: dict[str, Any],
    overlap: bool,
) -> None:
    """Refuse, before anything is read, what cannot be done together."""
    from coterie.cli.core import check_out

    for option, file in (("--html", page), ("--run-out", files["--run-out"])):
        if file is not None:
            check_out(file, option)
    topics = files["--topics"]
    development = files["--dev-topics"]
    if topics is not None and query:
        raise click.UsageError("give either a query or --topics FILE")
    if topics is None:
        wrong = next(
            (option for option, file in files.items() if file is not None),
            "--allow-overlap" if overlap else None,
        )
        if wrong is not None:
            raise click.UsageError(f"{wrong} measures a search, and needs --topics FILE")
    elif files["--qrels"] is None and files["--run-out"] is None:
        raise click.UsageError(
            "--topics needs --qrels FILE to be measured, or --run-out FILE to be written"
        )
    if (development is None) != (files["--dev-qrels"] is None):
        raise click.UsageError("--dev-topics and --dev-qrels are given together")
    if model is None and development is not None:
        raise click.UsageError("--dev-topics finds the weight of a learned space, and needs --with")
    if model is None and choices["weight"] != Search().weight:
        raise click.UsageError("--weight sets words against a learned space, and needs --with")
    if page is not None and topics is None and not query:
        raise click.UsageError("--html needs a query, or --topics FILE")


def _members(path: str, store: str | None, reading: Reading) -> tuple[Any, dict[str, str]]:
    """The members of a path, or of a stored run with their groups."""
    from coterie.collect.worded import read_with_text
    from coterie.core.errors import DataError, StoreError
    from coterie.run.engine import open_run
    from coterie.run.steered import current
    from coterie.run.store import SeveralRuns

    if Path(path).expanduser().exists() or path.startswith("sample:") or path == "installed":
        return read_with_text(path, wanted=True, **reading.options()), {}
    try:
        run = open_run(path, store or True)
    except StoreError as error:
        if isinstance(error, SeveralRuns):
            raise
        raise DataError(f"There is no file, folder or stored run '{path}'.") from None
    if any(reading.options().values()):
        raise click.UsageError(
            "--kind, --text, --id, --time and --truth say how a path is read, and this is a stored run."
        )
    findings = current(run)
    names = {group.label: group.name for group in findings.groups}
    groups = {
        str(i): names[int(g)]
        for i, g in zip(findings.ids, findings.labels, strict=True)
        if int(g) in names
    }
    return run.collection(), groups


def _answer(searcher: Searcher, query: str, most: int, page: str | None, as_json: bool) -> None:
    """One query: on the terminal, as JSON, and as a page where one was asked for."""
    import json

    from coterie.cli.say import shown
    from coterie.show import results

    found = searcher.search(query, most)
    if page is not None:
        results.write(Path(page).expanduser(), [found])
    if as_json:
        click.echo(json.dumps(found.record(), indent=1, ensure_ascii=False))
        return
    tell(found)
    _tell_notes(searcher)
    if page is not None:
        click.echo(f"\nPage: {shown(Path(page).expanduser())}")


def _converse(searcher: Searcher, most: int, as_json: bool) -> None:
    """Every line is a query, until the end; an empty one ends at a terminal, and is passed over where lines come from a file."""
    import json

    from coterie.cli.steer import typed
    from coterie.core.errors import CoterieError

    if sys.stdin.isatty():
        click.echo(
            f"{len(searcher):,} members of '{searcher.collection.name}' are ready; an empty line ends."
        )
        _tell_notes(searcher)
    for line in typed():
        if not line.strip():
            if sys.stdin.isatty():
                return
            continue
        try:
            found = searcher.search(line, most)
        except CoterieError as error:
            click.echo(f"  {error}")
            continue
        if as_json:
            click.echo(json.dumps(found.record(), ensure_ascii=False))
        else:
            tell(found)
            click.echo()


def _tell_notes(searcher: Searcher) -> None:
    """What was noticed while the members were read, but for what matters only to those who compare members."""
    notes = [note for note in searcher.collection.notes if code_of(note) not in _DULL]
    if notes:
        click.echo()
    for note in notes:
        click.echo(click.style(f"  note: {note}", dim=True))


def tell(found: Hits) -> None:
    """What a query found, a few lines per member; words of the query stand out, between asterisks where there is no terminal."""
    click.echo(click.style(found.sentence(), bold=True))
    if len(found.words) > 1:
        click.echo(
            click.style("  " + ", ".join(f"{word} {n:,}" for word, n in found.words), dim=True)
        )
    if found.added:
        click.echo(click.style(f"  added: {', '.join(found.added)}", dim=True))
    for note in found.notes:
        click.echo(f"  note: {note}")
    width = len(str(len(found)))
    for hit in found.hits:
        click.echo()
        for line in _lines(hit, width):
            click.echo(line)


def _lines(hit: Hit, width: int) -> list[str]:
    """A hit: its title or id and its score, what is known of it, and its snippet."""
    from coterie.cli.say import cut

    first = marked(hit.title) if hit.title else hit.id
    about = [hit.id] if hit.title else []
    about += [cut(value, _ABOUT) for _, value in hit.about]
    about += [] if hit.words else ["holds no word of it"]
    about += [hit.copies()] if hit.repeats else []
    gap = " " * (width + 4)
    lines = [f"  {hit.rank:>{width}}  {first}  {click.style(f'{hit.score:.2f}', dim=True)}"]
    lines += [gap + click.style("  ".join(about), dim=True)] if about else []
    return [*lines, *(gap + line for line in _wrapped(hit.snippet, len(gap)))]


def marked(pieces: tuple[Piece, ...]) -> str:
    """Text with the words of the query in bold, or between asterisks where the output is no terminal."""
    return "".join(_stressed(text) if mark else text for text, mark in pieces)


def _stressed(word: str) -> str:
    import os

    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return f"*{word}*" if plain else click.style(word, bold=True, fg="yellow")


def _wrapped(pieces: tuple[Piece, ...], gap: int) -> list[str]:
    """A snippet in lines no wider than the terminal; a line breaks at blanks only, and colors do not count."""
    import shutil

    room = max(shutil.get_terminal_size((100, 24)).columns - gap, 30)
    chunks: list[list[Piece]] = [[]]
    for text, mark in pieces:
        first, *others = text.split(" ")
        chunks[-1] += [(first, mark)] if first else []
        chunks += [[(word, mark)] if word else [] for word in others]
    lines = [""]
    used = 0
    for chunk in (chunk for chunk in chunks if chunk):
        size = sum(len(text) + 2 * mark for text, mark in chunk)
        if used and used + 1 + size > room:
            lines = [*lines, ""]
            used = 0
        lines[-1] += (" " if used else "") + marked(tuple(chunk))
        used += size + (1 if used else 0)
    return lines
