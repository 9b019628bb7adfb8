"""coterie divergence A B: how far apart the rows of two files are, and whether they come from one law."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from coterie.core.table import Table
    from coterie.judge import Estimate, TestResult

_RISKS = ("nn", "wang", "bound", "logistic", "knn", "svm", "affine")
_STATISTICS = ("mmd", "energy", "nn")


@click.command("divergence")
@click.argument("a")
@click.argument("b")
@click.option(
    "--f",
    default="hellinger",
    show_default=True,
    metavar="NAME",
    help="hellinger, js, triangular, kl, reverse-kl, jeffreys...",
)
@click.option(
    "--risk",
    default="nn",
    show_default=True,
    type=click.Choice(_RISKS),
    help="How it is estimated.",
)
@click.option(
    "--columns",
    default=None,
    metavar="NAMES",
    help="Compare these columns only, with commas between.",
)
@click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1, True, True),
    help="Of the interval.",
)
@click.option(
    "--replicates",
    default=200,
    show_default=True,
    type=click.IntRange(0),
    help="Half samples for the interval; 0: none.",
)
@click.option(
    "--test",
    is_flag=True,
    help="Test by permutations whether the rows of both files come from one law.",
)
@click.option(
    "--statistic",
    default="mmd",
    show_default=True,
    type=click.Choice(_STATISTICS),
    help="Of the test.",
)
@click.option(
    "--permutations", default=999, show_default=True, type=click.IntRange(1), help="Of the test."
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of all that is random."
)
@click.option(
    "--json",
    "file",
    default=None,
    metavar="FILE",
    help="Write the numbers as JSON besides; - prints them alone.",
)
def command(
    a: str,
    b: str,
    f: str,
    risk: str,
    columns: str | None,
    level: float,
    replicates: int,
    test: bool,
    statistic: str,
    permutations: int,
    seed: int,
    file: str | None,
) -> None:
    """Estimate the divergence of the rows of file A from those of file B (.csv, .parquet, .npy, ...)."""
    import json

    from coterie.judge import divergence, two_sample_test
    from coterie.run.bundle import write_text

    if file and file != "-":
        _check_file(file)
    (one, said_of_a), (other, said_of_b) = (_rows(source, _wanted(columns)) for source in (a, b))
    names = (f"'{_name(a)}'", f"'{_name(b)}'")
    x, y = _samples(one, other, names)
    found = divergence(
        x, y, f, risk, level=level, replicates=replicates, names=names, random_state=seed
    )
    tested = (
        two_sample_test(x, y, statistic, permutations=permutations, random_state=seed)
        if test
        else None
    )
    said = [*found.notes, *([tested.caution] if tested and tested.caution else [])]
    notes = list(dict.fromkeys([*said_of_a, *said_of_b, *said]))
    record = {"a": a, "b": b, "columns": list(one.names), **_record(found, tested), "notes": notes}
    if file == "-":
        click.echo(json.dumps(record, indent=1))
        return
    click.echo(f"{_name(a)} ({found.n} rows) from {_name(b)} ({found.m} rows), {_columns(one)}:")
    click.echo(click.style(str(found), bold=True))
    if tested is not None:
        click.echo(_verdict(tested, 1 - level, f"{permutations} permutations, {statistic}"))
    for note in notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    if file:
        write_text(Path(file).expanduser(), json.dumps(record, indent=1) + "\n")


def _check_file(file: str) -> None:
    """Refuse, before anything is computed, a file that cannot be written."""
    path = Path(file).expanduser().absolute()
    if path.is_dir():
        raise click.UsageError(f"--json names '{file}', which is a folder.")
    if not path.parent.is_dir():
        raise click.UsageError(
            f"--json names '{file}', and there is no folder '{Path(file).parent}'."
        )


def _name(source: str) -> str:
    """What a file is called; a path that has no name of its own, such as '.', as it was written."""
    return Path(source).name or source


def _columns(table: Table) -> str:
    return f"{table.shape[1]} column{'' if table.shape[1] == 1 else 's'}"


def _verdict(tested: TestResult, level: float, how: str) -> str:
    """What the test says, in a sentence."""
    by = f"p = {tested.p_value:.3g} by {how}"
    if tested.significant(level):
        return f"The two do not come from one law, at the level of {100 * level:g} % ({by})."
    return f"Nothing shows that the two come from different laws ({by})."


def _record(found: Estimate, tested: TestResult | None) -> dict[str, Any]:
    """What was found as plain values; what there is not is null."""
    names = ("name", "value", "lower", "upper", "most", "level", "spread", "n", "m")
    record = {name: getattr(found, name) for name in names}
    if tested is not None:
        record["test"] = {
            name: getattr(tested, name) for name in ("test", "statistic", "difference", "p_value")
        }
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in record.items()
    }


def _wanted(columns: str | None) -> list[str]:
    return [name.strip() for name in columns.split(",") if name.strip()] if columns else []


def _samples(x: Table, y: Table, names: tuple[str, str]) -> tuple[Any, Any]:
    """The rows of both with the same columns: by name, or by position where a file has no names."""
    from coterie.core.errors import DataError
    from coterie.judge.two_samples import samples

    nameless = any(table.names == tuple(f"x{j}" for j in range(table.shape[1])) for table in (x, y))
    first, second = (x.values, y.values) if nameless else (x, y)
    try:
        return samples(first, second, "divergence", names=names)
    except DataError as error:
        if error.where != "columns":
            raise
        more = "or name those to compare with --columns"
        raise DataError(f"{error.plain.rstrip('.')}, {more}.", owner=error.owner) from None


def _rows(source: str, wanted: list[str]) -> tuple[Table, list[str]]:
    """The numbers of a file, a row per member, and what was left out of them."""
    from coterie.collect.files import TABLE_SUFFIXES, suffix_of
    from coterie.collect.reading import existing
    from coterie.core.errors import DataError

    named = source.startswith("sample:")
    path = Path(source) if named else existing(source)
    if not named and not path.is_dir() and suffix_of(path) in TABLE_SUFFIXES:
        table, said = _of_table(path, wanted)
    elif not named and not path.is_dir() and suffix_of(path) == ".npy":
        table = _of_array(path)
        said = []
    else:
        table = _of_collection(source)
        said = []
    missing = [name for name in wanted if name not in table.names]
    if missing:
        raise DataError(
            f"'{path.name}' has no column of numbers '{missing[0]}'; it has {', '.join(table.names[:12])}."
        )
    if wanted:
        table = type(table)(
            table.values[:, [table.names.index(name) for name in wanted]], tuple(wanted)
        )
    return table, said


def _of_table(path: Path, wanted: list[str]) -> tuple[Table, list[str]]:
    """The columns of numbers of a table file; ids, words and empty columns are left out and named."""
    import numpy as np
    import pyarrow as pa

    from coterie.collect.columns import Named, columns_of, numbers, spread
    from coterie.collect.files import load
    from coterie.core.errors import DataError
    from coterie.core.table import Table

    loaded = load(path)
    columns = columns_of(spread(loaded.table), Named(), loaded.where, texts=False)
    numeric = [
        c
        for c in columns
        if c.role != "empty"
        and (pa.types.is_floating(c.values.type) or pa.types.is_integer(c.values.type))
    ]
    kept = [
        c for c in numeric if c.name in wanted or (not wanted and c.role in ("number", "constant"))
    ]
    if not numeric or not len(loaded.table):
        raise DataError(f"'{path.name}' has no columns of numbers with a value in any row.")
    left = [c.name for c in columns if all(c is not one for one in kept)]
    said = (
        [f"Left out of '{path.name}', no numbers to compare: {', '.join(left[:12])}."]
        if left and not wanted
        else []
    )
    return Table(
        np.column_stack([numbers(c.values) for c in kept or numeric]),
        tuple(c.name for c in kept or numeric),
    ), said


def _of_array(path: Path) -> Table:
    """The rows of an .npy file; an array of one dimension is one column."""
    from coterie.collect.sequences import open_npy
    from coterie.core.errors import DataError
    from coterie.core.table import Table

    array = open_npy(path)
    if array.ndim not in (1, 2) or array.dtype.kind not in "biuf" or not array.size:
        raise DataError(
            f"'{path.name}' holds {array.dtype} of shape {array.shape}; rows of numbers have two dimensions."
        )
    return Table.of(array[:, None] if array.ndim == 1 else array)


def _of_collection(source: str) -> Table:
    """The rows of anything else that is read as one table of numbers: an .npz of one matrix, a sample."""
    from coterie.collect.reading import read
    from coterie.core.errors import DataError
    from coterie.core.table import Table

    collection = read(source)
    view = collection.view()
    if not isinstance(view, Table) or view.sparse or view.categories:
        raise DataError(
            f"'{_name(source)}' is read as {collection.kind}; a divergence needs a table of numbers."
        )
    return view
