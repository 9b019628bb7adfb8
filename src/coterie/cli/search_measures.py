"""A search measured, on the command line: topics and judgements read, measures told, a run and a page written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from coterie.core.hits import Hits
    from coterie.workflows.search_judged import Evaluated
    from coterie.workflows.searching import Searcher


def measure(
    searcher: Searcher,
    files: dict[str, str | None],
    overlap: bool,
    most: int,
    page: str | None,
    as_json: bool,
) -> None:
    """Measure the searcher on topics, write its run, and tell."""
    import json

    from coterie.cli.say import shown
    from coterie.collect.trec import read_qrels, read_topics, run_text
    from coterie.run.bundle import write_text
    from coterie.show import results
    from coterie.workflows.search_judged import evaluate, few_tuned, rankings, tune

    topics = read_topics(str(files["--topics"]))
    judged = None if files["--qrels"] is None else read_qrels(files["--qrels"])
    lone: list[str] = []
    other = files["--dev-topics"]
    development = (
        None if other is None else (read_topics(other), read_qrels(str(files["--dev-qrels"])))
    )
    found: Evaluated | None = None
    if judged is not None:
        found = evaluate(searcher, topics, judged, development=development, allow_overlap=overlap)
    elif development is not None:
        lone = few_tuned(tune(searcher, *development))
    if files["--run-out"] is not None:
        write_text(Path(files["--run-out"]).expanduser(), run_text(rankings(searcher, topics)))
    sentences = [] if found is None else found.sentences()
    table = [] if found is None else [["measure", *found.systems], *found.rows()]
    if page is not None:
        hits = [_searched(searcher, query, most) for query in topics.values()]
        results.write(Path(page).expanduser(), hits, measures=table, sentences=sentences)
    if as_json and found is not None:
        click.echo(json.dumps(found.record(), indent=1, ensure_ascii=False))
        return
    _tell_measures(found, sentences, table)
    for note in lone:
        click.echo(click.style(f"  note: {note}", dim=True))
    for what, file in (("Run", files["--run-out"]), ("Page", page)):
        if file is not None:
            click.echo(f"{what}: {shown(Path(file).expanduser())}")


def _searched(searcher: Searcher, query: str, most: int) -> Hits:
    """What a query found; one without a word finds nothing, and is said to."""
    from coterie.core.errors import DataError
    from coterie.core.hits import Hits

    try:
        return searcher.search(query, most)
    except DataError as error:
        return Hits(
            query,
            searcher.collection.name,
            len(searcher),
            0,
            (),
            notes=(str(error),),
            how=searcher.how,
        )


def _tell_measures(found: Evaluated | None, sentences: list[str], rows: list[list[str]]) -> None:
    """The measures on the terminal, where there are any."""
    from coterie.cli.say import table, tell_first

    if found is None:
        return
    tell_first(sentences, found.notes)
    click.echo(table(rows[0], rows[1:]))
    click.echo()
