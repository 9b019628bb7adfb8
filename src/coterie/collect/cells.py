"""Cells of a column as strings, numbers, booleans or times: dictionaries decoded, number and date strings parsed."""

from __future__ import annotations

from typing import Any

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
