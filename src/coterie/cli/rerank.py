"""coterie rerank RESULTS: a list of results again, those of the one coherent core first."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import click

from coterie.cli.core import check_out, coring, known_words
from coterie.cli.options import working

_MOST = 20  # results listed
BLIND = (
    "This looks at the results alone and not at what was asked: where the largest group that hangs together is not what you "
    "looked for, the order gets worse."
)


@click.command("rerank")
@click.argument("results")
@click.option(
    "--text",
    default=None,
    metavar="COLUMN",
    help="The column that holds the text.  [default: the longest]",
)
@click.option(
    "--id", "id_column", default=None, metavar="COLUMN", help="The column that names the results."
)
@coring
@click.option(
    "--out",
    default=None,
    metavar="FILE",
    help="Write the results in their new order, in the form they have.",
)
@working
def command(
    results: str,
    text: str | None,
    id_column: str | None,
    size: int | float | str,
    method: str,
    background: str,
    seed: int,
    out: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Put the results that share one topic first, the rest after them, each in the order they had.

    RESULTS is a .csv, .tsv, .jsonl or .parquet table with a result per row, the best first.
    """
    from coterie.cli.say import working_as
    from coterie.collect.reading import read
    from coterie.workflows.cores import core_first, core_of

    path = _results(results)
    if out is not None:
        check_out(out)
        _same_form(path, out)
    with working_as(jobs, progress, memory):
        collection = read(path, kind="text", text=text, id=id_column)
        found = core_of(
            collection,
            size=size,
            method=method,
            background=known_words(background),
            parts=0,
            seed=seed,
        )
    order = core_first(found.inside)
    if out is not None:
        _write(path, Path(out).expanduser(), order.tolist())
    first = f"{len(found)} of {len(found.ids)} results share one topic and come first."
    if not found.stands_out:
        first = f"No topic stands out among the {len(found.ids)} results; {len(found)} of them come first all the same."
    click.echo(click.style(first, bold=True))
    for sentence in (*found.sentences[1:], BLIND):
        click.echo(sentence)
    for note in found.notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    _show(found, order, out)


def _show(found: Any, order: Any, out: str | None) -> None:
    """The new order, with where each result stood."""
    from coterie.cli.say import cut, shown, table

    rows = [
        [
            str(rank),
            str(int(at) + 1),
            "yes" if found.inside[at] else "",
            str(found.ids[at]),
            cut(str(found.snippets[at]), 70),
        ]
        for rank, at in enumerate(order[:_MOST], 1)
    ]
    click.echo()
    click.echo(table(["now", "was", "core", "result", "what it is"], rows))
    if len(order) > _MOST:
        click.echo(
            f"... and {len(order) - _MOST} more" + ("" if out else "; --out FILE writes all")
        )
    if out is not None:
        click.echo(f"\nAll results: {shown(Path(out).expanduser())}")


def _results(source: str) -> Path:
    """The file of results, or a sentence on why it is none."""
    from coterie.collect.files import TABLE_SUFFIXES, suffix_of
    from coterie.collect.reading import existing
    from coterie.core.errors import DataError

    path = existing(source)
    if path.is_dir() or suffix_of(path) not in TABLE_SUFFIXES:
        raise DataError(
            f"'{path.name}' is not a table of results; give a {', '.join(TABLE_SUFFIXES[:3])} or .parquet file."
        )
    return path


def _same_form(path: Path, out: str) -> None:
    """Refuse to write another form than was read."""
    from coterie.collect.files import suffix_of

    one = suffix_of(path)
    other = Path(out).suffix.lower()
    if one != other:
        why = "results are written unpacked" if other == ".gz" else "the results keep their form"
        raise click.UsageError(f"--out names '{out}'; {why}, so that it must end in {one}.")


def _write(path: Path, out: Path, order: list[int]) -> None:
    """The rows of the file in this order, every cell as it was written and lines ended as they were."""
    import json

    from coterie.collect.files import load, suffix_of, text_of
    from coterie.run.bundle import write_bytes, write_text

    suffix = suffix_of(path)
    if suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        held = pa.BufferOutputStream()
        pq.write_table(load(path).table.take(order), held)
        write_bytes(out, held.getvalue().to_pybytes())
        return
    text = text_of(path)[0]
    if suffix == ".json":
        rows = json.loads(text)
        lines = json.dumps([rows[at] for at in order], indent=1, ensure_ascii=False).split("\n")
    elif suffix in (".jsonl", ".ndjson"):
        held = [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
        lines = [held[at] for at in order]
    else:
        lines = _delimited(text, "\t" if suffix == ".tsv" else _mark(text), order)
    end = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    write_text(out, "".join(f"{line}{end}" for line in lines))


def _mark(text: str) -> str:
    """What stands between the cells of a line."""
    head = next(line for line in text.split("\n") if line.strip())
    return max(",;\t|", key=lambda mark: (head.count(mark), mark == ","))


def _delimited(text: str, mark: str, order: list[int]) -> list[str]:
    """Lines of cells in this order; the first line stays where it is, unless there is none but results."""
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
    head, body = (rows[:1], rows[1:]) if len(rows) > len(order) else ([], rows)
    return [_line(row, mark) for row in (*head, *(body[at] for at in order))]


def _line(row: list[str], mark: str) -> str:
    """One line of cells, without its end; written with both marks of an end, so that cells that hold either are quoted."""
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="\r\n").writerow(row)
    return out.getvalue()[:-2]
