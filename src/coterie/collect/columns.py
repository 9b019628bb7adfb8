"""What each column of a table is: an id, running text, a number, a category, a date, or only something to show.

Cells that are written oddly (dates, numbers with commas, bytes) are first made plain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from coterie.core.collection import View
from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.represent.tokens import UNSPACED_LETTERS

GAPS = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "-NaN", "NULL", "null", "None")
_COMMA = r"^[+-]?(0|[1-9]\d*|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?$"
_DAY_FIRST = r"^(?P<day>\d{1,2})(?P<mark>[/.])(?P<month>\d{1,2})[/.]\d{4}$"
_MOST = 0.8  # of the cells must look alike for a remark on what they look like


def plain(values: Any) -> Any:
    """A column as strings, numbers, booleans or times: dictionaries decoded, number and date strings parsed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = values.type
    if pa.types.is_floating(kind):
        values = values.cast(pa.float64())
        return pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    if pa.types.is_decimal(kind):
        return values.cast(pa.float64())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        values = values.cast(pa.large_binary())
        return pa.chunked_array(
            [
                pa.array(
                    [None if row is None else _bytes(row) for row in values.to_pylist()],
                    pa.string(),
                )
            ]
        )
    if pa.types.is_nested(kind):
        rows = ["" if row is None else _flat(row) for row in values.to_pylist()]
        return pa.chunked_array([pa.array(rows, pa.string())])
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        values = values.cast(pa.string())
    if pa.types.is_string(values.type):
        return _parsed(values)
    return values


def _bytes(row: bytes) -> str:
    """Bytes as the text they are, or as a word on their size."""
    try:
        return row.decode("utf-8")
    except UnicodeDecodeError:
        return f"<{len(row)} bytes>"


def _flat(row: Any) -> str:
    import json

    if isinstance(row, list) and all(isinstance(word, str) for word in row):
        return ", ".join(row)
    return json.dumps(row, default=str, sort_keys=True)


def _parsed(strings: Any) -> Any:
    """Strings that are all numbers or all ISO dates, as such; empty ones are gaps. Leading zeros mean a code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    head = pc.max(pc.utf8_length(strings.slice(0, 200))).as_py() or 0
    filled = pc.if_else(pc.equal(strings, ""), pa.scalar(None, pa.string()), strings)
    if filled.null_count == len(filled) or head > 40:
        return filled
    trimmed = pc.utf8_trim_whitespace(filled)
    if not pc.any(pc.match_substring_regex(trimmed, r"^[+-]?0\d")).as_py():
        try:
            return plain(trimmed.cast(pa.float64()))
        except pa.ArrowInvalid:
            pass
    if pc.all(pc.match_substring_regex(trimmed, r"^\d{4}-\d\d-\d\d")).as_py():
        for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
            try:
                return trimmed.cast(kind)
            except pa.ArrowInvalid:
                continue
    dates = _day_first(trimmed)
    return filled if dates is None else dates


def _day_first(strings: Any) -> Any | None:
    """dd/mm/yyyy or dd.mm.yyyy as times, when every cell fits and a day above 12 shows which part is the day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(strings, _DAY_FIRST)).as_py():
        return None
    marks = (
        pc.unique(pc.struct_field(pc.extract_regex(strings, _DAY_FIRST), "mark"))
        .drop_null()
        .to_pylist()
    )
    days = pc.struct_field(pc.extract_regex(strings, _DAY_FIRST), "day").cast(pa.int64())
    if len(marks) != 1 or pc.max(days).as_py() <= 12:
        return None
    times = pc.strptime(strings, format=f"%d{marks[0]}%m{marks[0]}%Y", unit="s", error_is_null=True)
    fits = times.null_count == strings.null_count and pc.all(pc.equal(pc.day(times), days)).as_py()
    return times if fits else None


def with_points(table: Any) -> tuple[Any, list[str]]:
    """The table with columns of numbers like "68,0" and "1.234,5" as numbers, and the names of those columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    changed = []
    for at, name in enumerate(table.column_names):
        column = table.column(at)
        if not pa.types.is_string(column.type):
            continue
        trimmed = pc.utf8_trim_whitespace(column)
        filled = pc.if_else(
            pc.is_in(trimmed, pa.array(GAPS)), pa.scalar(None, pa.string()), trimmed
        )
        commas = pc.any(pc.match_substring(filled, ",")).as_py()
        if not commas or not pc.all(pc.match_substring_regex(filled, _COMMA)).as_py():
            continue
        points = pc.replace_substring(pc.replace_substring(filled, ".", ""), ",", ".")
        table = table.set_column(at, name, points.cast(pa.float64()))
        changed.append(name)
    return table, changed


def looks_like(values: Any) -> str | None:
    """What a column of strings looks like that was not read as such: numbers with a decimal comma, or dates."""
    import pyarrow as pa
    import pyarrow.compute as pc

    present = len(values) - values.null_count
    if not pa.types.is_string(values.type) or present == 0:
        return None

    def share(pattern: str) -> float:
        return (
            float(pc.sum(pc.match_substring_regex(values, pattern).cast(pa.int64())).as_py())
            / present
        )

    if share(_COMMA) >= _MOST and share(r"^[^,]*,[^,]*$") >= _MOST / 2:
        return "numbers with a decimal comma"
    return "dates that are not written as year-month-day" if share(_DAY_FIRST) >= _MOST else None


Role = Literal[
    "id", "text", "number", "category", "date", "card", "constant", "empty", "truth", "answer"
]

ID_NAMES = ("id", "_id", "key", "uid", "uuid", "doc_id", "docid", "index", "")
TIME_NAMES = (
    "time",
    "t",
    "timestamp",
    "datetime",
    "date",
    "step",
    "frame",
    "tick",
    "seconds",
    "second",
    "when",
)
TRUTH_NAMES = (
    "label",
    "labels",
    "class",
    "target",
    "truth",
    "y",
    "group",
    "cluster",
    "species",
    "category",
    "classes",
    "true_label",
    "class_label",
    "label_name",
    "class_name",
    "y_true",
    "ground_truth",
    "gold",
)
TEXT_NAMES = (
    "text",
    "utterance",
    "utterances",
    "sentence",
    "sentences",
    "caption",
    "captions",
    "question",
    "query",
    "message",
    "comment",
    "review",
    "tweet",
)  # short words in columns called so are text, whatever is beside them
DISPLAY_NAMES = ("title", "headline", "subject", "name")  # what a member is called by
TEXT_LENGTH = 40  # characters: longer than this on average, a column of strings is running text
MOST_CATEGORIES = 200
MOST_ANSWERS = 50  # different numbers in a column that is called like an answer and is one
_PHRASE = 3.0  # words from which a short cell says something of its member
_FEW_BESIDE = 2  # columns of numbers or categories that tell less of a member than a phrase does
_PER_WORD = 2.0  # characters of a word where there are no spaces between words
_NAME = 6.0  # such characters, on average, beyond which cells are more than names


@dataclass(frozen=True, slots=True)
class Named:
    """The columns a user named; an empty id means "number the rows"."""

    text: str | None = None
    id: str | None = None
    time: str | None = None
    truth: tuple[str, ...] = ()
    like: tuple[
        tuple[str, Role], ...
    ] = ()  # what members read before are compared by: columns and their roles
    rate: int = 0  # samples per second of sound read before
    use: tuple[str, ...] = ()  # compared although they look like answers or names

    def check(self, names: Sequence[str], where: str) -> None:
        """Every named column must be there."""
        for role, name in (
            ("text", self.text),
            ("id", self.id),
            ("time", self.time),
            *(("truth", t) for t in self.truth),
            *(("use", u) for u in self.use),
        ):
            if name and name not in names:
                raise DataError(
                    f"'{where}' has no column '{name}' (named as {role}); it has {', '.join(names[:20])}."
                )
        for name in (self.text, self.id, self.time, *self.use):
            if name and name in self.truth:
                raise DataError(
                    f"The column '{name}' cannot be truth and part of the data at once."
                )


def roles_of(views: Mapping[str, View]) -> tuple[tuple[str, Role], ...]:
    """The columns that views were made of, with their roles, to read further members alike."""
    found: list[tuple[str, Role]] = []
    for name, view in views.items():
        if isinstance(view, Table) and not view.sparse:
            found += [
                (column, "category" if j in view.categories else "number")
                for j, column in enumerate(view.names)
            ]
        elif isinstance(view, Text):
            found.append((name, "text"))
    return tuple(found)


def rate_of(views: Mapping[str, View]) -> int:
    """The samples per second of the sound among the views, or 0."""
    return next(
        (int(view.rate) for view in views.values() if isinstance(view, Ragged) and view.rate), 0
    )


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column with its role; `length` is the mean number of characters of a string column, `words` of its words."""

    name: str
    role: Role
    values: Any  # pyarrow.ChunkedArray: string, a number, boolean or a time
    length: float = 0.0
    words: float = 0.0


def columns_of(table: Any, named: Named, where: str, texts: bool = True) -> list[Column]:
    """Every column with its role; with `texts` False no column is running text, long strings are only shown."""
    named.check(table.column_names, where)
    found = []
    for name in table.column_names:
        values = plain(table.column(name))
        role, length, spoken = _role(values, table.num_rows)
        if name in named.truth:
            role = "truth"
        elif name == named.id:
            role = "id"
        elif name == named.text:
            role = "text"
        elif role == "text" and not texts:
            role = "card"
        elif name in named.use and role == "card":
            role = "text" if texts else "category"
        found.append(Column(name, role, values, length, spoken))
    if named.like:
        found = _alike(found, dict(named.like), where)
    if named.id is None:
        found = _with_id(found, table.num_rows, (named.text, *named.use))
    known = {*dict(named.like), *named.use, named.text}
    return [
        replace(c, role="card") if _only_a_name(c) and c.name not in known else c for c in found
    ]


def compared_columns(
    table: Any, named: Named, where: str, kind: str | None = None, *, whole: bool = True
) -> list[Column]:
    """Every column with its role in a collection of one row per member; kind "table" reads no text, "text" reads some.

    Columns that look like answers are set aside, and words are read as text where they say more of a member than the rest. Where
    these are the `whole` columns, an answer is compared after all if nothing else could be. Where a person names the column of
    text, other texts are only shown.
    """
    columns = columns_of(table, named, where, texts=kind != "table")
    if named.like:
        return columns
    there = {c.name.lower() for c in columns}
    found = [
        replace(c, role="answer") if _is_answer(c, there) and c.name not in named.use else c
        for c in columns
    ]
    if kind != "table":
        found = _with_text(found, named, wanted=kind == "text")
    if whole and not any(c.role in _COMPARED for c in found):
        found = [
            replace(c, role=old.role) if c.role == "answer" else c
            for c, old in zip(found, columns, strict=True)
        ]
        nothing = not any(c.role in _COMPARED for c in found)
        found = _with_text(found, named, wanted=nothing) if kind != "table" else found
    if named.text is None:
        return found
    return [
        replace(c, role="card")
        if c.role == "text" and c.name not in (named.text, *named.use)
        else c
        for c in found
    ]


def display_name(names: Sequence[str]) -> str | None:
    """The first of some columns that says what a member is called."""
    return next(
        (name for wanted in DISPLAY_NAMES for name in names if name.lower() == wanted), None
    )


_COMPARED = ("number", "date", "category", "text")


def _is_answer(column: Column, there: set[str]) -> bool:
    """Called like an answer, with few different values; a `y` beside an `x` is a coordinate."""
    import pyarrow.compute as pc

    name = column.name.lower().replace(" ", "_").replace("-", "_")
    if name not in TRUTH_NAMES or (name == "y" and "x" in there):
        return False
    if column.role == "category":
        return True
    present = len(column.values) - column.values.null_count
    distinct = pc.count_distinct(column.values).as_py()
    if column.role == "card":
        return bool(2 * distinct <= present and column.words < _PHRASE)
    if column.role != "number" or distinct > min(MOST_ANSWERS, max(2, present // 5)):
        return False
    values = numbers(column.values)
    return bool(np.all(np.isnan(values) | (values == np.round(values))))


def _with_text(columns: list[Column], named: Named, wanted: bool) -> list[Column]:
    """The columns with the one of short words that is text: called so, or telling more than the few columns beside it."""
    if any(c.role == "text" for c in columns):
        return columns
    beside = sum(c.role in ("number", "category") for c in columns)
    cards = [c for c in columns if c.role == "card" and c.length > 0 and _may_be_text(c)]
    called = [c for c in cards if c.name.lower() in TEXT_NAMES]
    alone = [c for c in columns if c.role in ("category", "number", "date")]
    if not cards and len(alone) == 1 and alone[0].words >= _PHRASE:
        cards = alone  # phrases that repeat, and nothing beside them
    if wanted and not cards:
        cards = [c for c in columns if c.role in ("card", "category") and c.length > 0]
    if not cards and not beside and not any(c.role == "date" for c in columns):
        cards = [c for c in columns if c.role == "id" and named.id is None and _are_words(c)]
    spoken = [c for c in cards if c.words >= _PHRASE and beside <= _FEW_BESIDE]
    able = called or spoken or (cards if wanted or not beside else [])
    if not able:
        return columns
    main = max(able, key=lambda c: c.length)
    return [replace(c, role="text") if c is main else c for c in columns]


def _may_be_text(column: Column) -> bool:
    """Words, and neither numbers nor dates that were read as words."""
    return _are_words(column) and looks_like(column.values) is None


def _are_words(column: Column) -> bool:
    """A column of strings with letters in them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.values.type):
        return False
    lettered = pc.match_substring_regex(column.values, r"\pL{2}|\p{Lo}")
    return bool((pc.mean(lettered.cast("float64")).as_py() or 0.0) > 0.5)


def _alike(columns: Sequence[Column], roles: dict[str, Role], where: str) -> list[Column]:
    """The columns with the roles and in the order they had before; what was not compared then is only shown."""
    import pyarrow as pa

    there = {c.name: c for c in columns}
    for name, role in roles.items():
        if name not in there:
            raise DataError(
                f"'{where}' has no column '{name}', by which the members before it were compared."
            )
        if (
            role == "number"
            and pa.types.is_string(there[name].values.type)
            and there[name].role != "empty"
        ):
            raise DataError(f"Column '{name}' holds words in '{where}' and held numbers before.")
    first = [
        Column(name, role, there[name].values, there[name].length) for name, role in roles.items()
    ]
    rest = [
        c if c.role in ("id", "truth") else Column(c.name, "card", c.values, c.length)
        for c in columns
        if c.name not in roles
    ]
    return [*first, *rest]


def _only_a_name(column: Column) -> bool:
    """Called an id and not the one in use: it names something and measures nothing."""
    return column.name.lower() in ID_NAMES[:-2] and column.role in ("number", "category", "text")


def spread(table: Any) -> Any:
    """The table with every column of vectors of one length (an embedding) as that many columns of numbers.

    Where there is no vector there are gaps; lists of several lengths are left out (`uneven_lists` says which).
    """
    import pyarrow as pa

    names: list[str] = []
    columns: list[Any] = []
    for name in table.column_names:
        values = table.column(name)
        length = _vector_length(values)
        if length:
            matrix = _matrix(values, length)
            names += [f"{name}_{j}" for j in range(length)]
            columns += [pa.array(np.ascontiguousarray(matrix[:, j])) for j in range(length)]
        elif not _lists_numbers(values.type):
            names.append(name)
            columns.append(values)
    return table if names == table.column_names else pa.table(columns, names=names)


def _vector_length(values: Any) -> int:
    """How long the lists of numbers of a column are; 0 where they are none, or of several lengths."""
    import pyarrow.compute as pc

    if not _lists_numbers(values.type):
        return 0
    lengths = pc.unique(pc.list_value_length(values).drop_null()).to_pylist()
    return int(lengths[0]) if len(lengths) == 1 else 0


def _lists_numbers(kind: Any) -> bool:
    import pyarrow as pa

    listed = (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )
    return bool(
        listed and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))
    )


def _matrix(values: Any, length: int) -> np.ndarray:
    """Lists of numbers of one length as rows; NaN where there is no list, or no number in it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    flat = pc.list_flatten(values).combine_chunks().cast(pa.float64())
    matrix = np.full((len(values), length), np.nan)
    matrix[np.asarray(pc.is_valid(values))] = flat.to_numpy(zero_copy_only=False).reshape(
        -1, length
    )
    return matrix


def uneven_lists(table: Any) -> dict[str, str]:
    """Columns of lists of numbers whose lengths differ, each with what is said of it: two rows that differ."""
    import pyarrow.compute as pc

    found = {}
    for name in table.column_names:
        values = table.column(name)
        if not _lists_numbers(values.type) or _vector_length(values):
            continue
        lengths = pc.list_value_length(values).to_pylist()
        first = next((row for row, length in enumerate(lengths) if length is not None), None)
        if first is None:
            continue
        other = next(
            (r for r, length in enumerate(lengths) if length not in (None, lengths[first])), first
        )
        found[name] = (
            f"Column '{name}' holds lists of numbers that are no vectors of one length: {lengths[first]} in row {first} "
            f"and {lengths[other]} in row {other} (counting from 0)"
            if other != first
            else f"Column '{name}' holds empty lists"
        )
    return found


def _role(values: Any, n: int) -> tuple[Role, float, float]:
    """What a column is, and of words how many characters and words a cell has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.null_count == n:
        return "empty", 0.0, 0.0
    kind = values.type
    if pa.types.is_string(kind):
        return _string_role(values, n)
    if n > 1 and pc.count_distinct(values).as_py() < 2:
        return "constant", 0.0, 0.0
    if pa.types.is_boolean(kind):
        return "category", 0.0, 0.0
    if pa.types.is_temporal(kind):
        return "date", 0.0, 0.0
    return "number", 0.0, 0.0


def _string_role(values: Any, n: int) -> tuple[Role, float, float]:
    import pyarrow.compute as pc

    present = n - values.null_count
    distinct = pc.count_distinct(values).as_py()
    length = float(pc.mean(pc.utf8_length(values)).as_py())
    unspaced = count_unspaced(values)
    spoken = unspaced / _PER_WORD + float(pc.mean(pc.count_substring_regex(values, r"\S+")).as_py())
    if n > 1 and distinct < 2:
        return "constant", length, spoken
    spaced = pc.mean(pc.match_substring(values, " ").cast("float64")).as_py()
    long = length > TEXT_LENGTH and spaced > 0.5
    if (long or unspaced > TEXT_LENGTH / 3) and distinct > 0.5 * present:
        return "text", length, spoken
    if n == 1:
        return "category", length, spoken
    few = min(MOST_CATEGORIES, max(20, n // 50))
    is_category = distinct <= few and distinct <= max(2, n // 2) and distinct < present
    return "category" if is_category else "card", length, spoken


def count_unspaced(values: Any) -> float:
    """How many letters of scripts without spaces between words a cell has, on average."""
    import pyarrow.compute as pc

    counts = pc.count_substring_regex(values, f"[{UNSPACED_LETTERS}]")
    return float(pc.mean(counts).as_py() or 0.0)


def _with_id(columns: list[Column], n: int, compared: Sequence[str | None] = ()) -> list[Column]:
    """The id column: one called so, else the first of short unique words without spaces; none when the one called so repeats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = called_id(columns, n)
    if chosen is not None and not _unique(chosen.values, n):
        return list(columns)
    for column in columns if chosen is None and n > 1 else ():
        if (
            column.role == "card"
            and column.name not in compared
            and column.length <= 80
            and pa.types.is_string(column.values.type)
            and count_unspaced(column.values) <= _NAME
            and _unique(column.values, n)
        ):
            spaced = pc.sum(pc.match_substring(column.values, " ").cast("int64")).as_py()
            if spaced <= 0.05 * n and looks_like(column.values) is None:
                chosen = column
                break
    return [replace(c, role="id") if c is chosen and c.name not in compared else c for c in columns]


def called_id(columns: Sequence[Column], n: int) -> Column | None:
    """The column that is called like an id; `index`, no name and `..._id` count only where no value repeats."""
    able = [c for c in columns if c.role != "truth"]
    told = next((c for wanted in ID_NAMES for c in able if c.name.lower() == wanted), None)
    if told is not None and (told.name.lower() not in ("index", "") or _unique(told.values, n)):
        return told
    ends = ("_id", " id", "-id")
    return next(
        (
            c
            for c in able
            if n > 1 and c.name.lower().endswith(ends) and _whole(c) and _unique(c.values, n)
        ),
        None,
    )


def _whole(column: Column) -> bool:
    """Words or whole numbers, which can name something."""
    import pyarrow as pa

    return column.role != "text" and (
        pa.types.is_string(column.values.type) or pa.types.is_integer(column.values.type)
    )


def _unique(values: Any, n: int) -> bool:
    import pyarrow.compute as pc

    return values.null_count == 0 and pc.count_distinct(values).as_py() == n


def words(values: Any) -> list[str]:
    """A column as strings; gaps are empty strings and whole numbers have no point."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        numbers = [None if v is None else float(v) for v in values.to_pylist()]
        return ["" if v is None else str(int(v)) if v.is_integer() else repr(v) for v in numbers]
    return [("" if v is None else str(v)) for v in values.to_pylist()]


def numbers(values: Any) -> np.ndarray:
    """A number, boolean or time column as float64; gaps are NaN and times are seconds since 1970."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_date(kind):
        values = values.cast(pa.timestamp("ms"))
        kind = values.type
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        wide = (
            values.cast(pa.int32()).cast(pa.int64())
            if pa.types.is_time32(kind)
            else values.cast(pa.int64())
        )
        return np.asarray(wide.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64) / unit
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def codes(values: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """A category column as codes in the order of the names; gaps are NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    strings = values.cast(pa.string())
    levels = sorted(v for v in pc.unique(strings).to_pylist() if v is not None)
    place = pc.index_in(strings, value_set=pa.array(levels, pa.string()))
    return np.asarray(place.cast(pa.float64()).to_numpy(), dtype=np.float64), tuple(levels)


def truth_of(values: Any) -> np.ndarray:
    """A truth column as labels: whole numbers stay numbers, the rest are words (an empty one where there is none)."""
    import pyarrow as pa

    if values.null_count == 0 and pa.types.is_integer(values.type):
        return np.asarray(values.to_numpy(), dtype=np.int64)
    return np.array(words(values), dtype=np.str_)


# ---- columns that go by a name --------------------------------------------------------------------------------------

FILE_NAMES = ("file", "filename", "file_name", "path", "audio", "recording", "wav")
START_NAMES = ("start", "begin", "onset")
END_NAMES = ("end", "stop", "offset")


def is_interval_table(table: Any) -> bool:
    """Whether a table lists intervals of sound files: columns file, start and end, and sound files in the first."""
    from coterie.collect.waves import AUDIO_SUFFIXES

    if table.num_rows == 0 or not all(
        find_column(table, names) for names in (FILE_NAMES, START_NAMES, END_NAMES)
    ):
        return False
    cells = words(plain(table.column(find_column(table, FILE_NAMES))))
    return 2 * sum(cell.lower().endswith(AUDIO_SUFFIXES) for cell in cells) >= len(cells)


def find_column(table: Any, names: Sequence[str]) -> str:
    """The column that goes by one of these names, the earlier the better; an empty word where there is none."""
    lower = {column.lower(): column for column in reversed(table.column_names)}
    return next((lower[name] for name in names if name in lower), "")
