"""Long tables whose columns have any name are found, and ordinary tables stay tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from coterie import Ragged
from coterie.collect import guess, read
from coterie.collect.long_tables import time_like

RNG = np.random.default_rng(0)


def sensors(
    owner: str = "sensor", time: str = "t", members: int = 6, steps: int = 30, words: bool = True
) -> dict[str, Any]:
    n = members * steps
    who = np.repeat(np.arange(members) + 100, steps)
    return {
        owner: [f"s{i}" for i in who] if words else who,
        time: np.tile(np.arange(steps), members) * 0.5,
        "ax": RNG.normal(size=n),
        "ay": RNG.normal(size=n),
    }


def shuffled(columns: dict[str, Any]) -> dict[str, Any]:
    order = RNG.permutation(len(columns["ax"]))
    return {name: np.asarray(column)[order] for name, column in columns.items()}


def hint(collection: Any) -> list[str]:
    return [note for note in collection.notes if "looks like a long table" in note]


@pytest.mark.parametrize(
    "columns",
    [
        sensors(),
        sensors(words=False),
        shuffled(sensors()),
        sensors(time="reading time", steps=5),
        sensors(time="pos"),
        sensors("country", "year", steps=12),
    ],
    ids=["words", "numbers", "shuffled", "few steps", "any order", "panel"],
)
def test_unnamed_long_tables_are_sequences(columns: dict[str, Any]) -> None:
    owner, time = list(columns)[:2]
    collection = read(pa.table(columns))
    view = collection.view()
    assert isinstance(view, Ragged)
    assert view.names == ("ax", "ay")
    assert len(collection) == 6
    assert any(f"'{owner}' repeats and '{time}' rises" in note for note in collection.notes)
    named = read(pa.table(columns), id=owner, time=time)
    np.testing.assert_array_equal(view.values, named.view().values)  # type: ignore[union-attr]


def test_the_guess_says_so_and_can_be_overruled(tmp_path: Path) -> None:
    columns = sensors()
    path = tmp_path / "a.csv"
    path.write_text(
        "\n".join(
            [
                ",".join(columns),
                *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
            ]
        )
    )
    assert guess(path).kind == "long"
    assert "'sensor' repeats and 't' rises within each of its values" in guess(path).why
    assert read(path).notes[0] == guess(path).why
    assert read(path, kind="table").kind == "table"
    assert len(read(path, id="")) == 180


def customers(n: int = 200) -> dict[str, Any]:
    return {
        "region": RNG.choice(["north", "south", "east", "west"], n),
        "age": RNG.integers(18, 80, n),
        "income": RNG.normal(40, 9, n).round(2),
        "visits": RNG.integers(0, 12, n),
    }


def by_region(columns: dict[str, Any]) -> dict[str, Any]:
    order = np.argsort(columns["region"], kind="stable")
    return {name: np.asarray(column)[order] for name, column in columns.items()}


DAYS = np.datetime64("2020-01-01") + np.arange(200)


@pytest.mark.parametrize(
    "columns",
    [
        {f"x{j}": RNG.normal(size=100) for j in range(4)},
        {f"x{j}": RNG.integers(0, 9, 100) for j in range(5)},
        customers(),
        {"row": np.arange(200), **customers()},
        {"customer": np.arange(200) + 7000, **customers()},
        {"date": DAYS, **customers()},
        {"date": RNG.permutation(DAYS), **customers()},
        {"day": RNG.choice(DAYS, 200), **customers()},
        by_region({"row": np.arange(200), **customers()}),
        {
            "weekday": [str(day) for day in (np.arange(200) % 7)],
            "date": DAYS,
            "sales": RNG.normal(size=200),
        },
        {
            "x": np.repeat(np.arange(30), 30),
            "y": np.tile(np.arange(30), 30),
            "z": RNG.normal(size=900),
        },
        {
            "sex": np.repeat(["f", "m"], 50),
            "rank": np.tile(np.arange(50), 2),
            "n": RNG.normal(size=100),
        },
        {
            "treatment": np.repeat(["a", "b", "c"], 6),
            "replicate": np.tile(np.arange(6), 3),
            "y": RNG.normal(size=18),
        },
    ],
    ids=[
        "numbers",
        "integers",
        "customers",
        "row number",
        "customer number",
        "a day each",
        "days in no order",
        "signup days",
        "sorted by region",
        "one series",
        "grid",
        "two kinds",
        "experiment",
    ],
)
def test_ordinary_tables_stay_tables(columns: dict[str, Any]) -> None:
    assert read(pa.table(columns)).kind == "table"


@pytest.mark.parametrize("seed", range(20))
def test_small_tables_of_chance_stay_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(15, 60))
    columns = {
        "kind": rng.choice(["a", "b", "c"], n),
        "year": rng.integers(1990, 2024, n),
        "score": rng.integers(0, 90, n),
    }
    if seed % 2:
        columns["year"] = np.sort(columns["year"])
    assert read(pa.table({**columns, "x": rng.normal(size=n)})).kind == "table"


def test_what_may_be_long_is_a_table_with_a_hint() -> None:
    columns = sensors()
    columns["t"] = np.concatenate([np.sort(RNG.random(30)) for _ in range(6)])
    collection = read(pa.table(columns))
    assert collection.kind == "table"
    assert hint(collection) == [
        "This looks like a long table of sequences; try id sensor and time t."
    ]
    assert read(pa.table(columns), id="sensor", time="t").kind == "sequences"
    assert read(pa.table(columns), time="t").kind == "sequences"
    assert not hint(read(pa.table(customers())))


def test_gaps_and_answers_that_change_keep_it_a_table() -> None:
    columns = sensors()
    columns["ax"][3] = np.nan
    few = read(pa.table(columns))
    assert few.kind == "sequences"
    assert any("has gaps" in note for note in few.notes)
    columns["ax"][:60] = np.nan
    assert hint(read(pa.table(columns)))
    moving = {**sensors(), "activity": ["sit", "walk"] * 90}
    assert read(pa.table(moving), truth="activity").kind == "table"
    assert (
        read(pa.table({**sensors(), "body": ["u"] * 90 + ["v"] * 90}), truth="body").kind
        == "sequences"
    )


def test_names_of_times() -> None:
    assert all(map(time_like, ("t", "Time", "start_time", "readingTime", "DATE", "time [s]")))
    assert not any(map(time_like, ("age", "timely", "x", "update", "total")))
