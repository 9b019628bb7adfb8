"""Whatever the bytes of a file, reading gives a Collection or one sentence, never another error."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coterie import Collection
from coterie.collect import read
from coterie.core.errors import CoterieError

CELLS = st.sampled_from(
    [
        "",
        "1",
        "2.5",
        "inf",
        "nan",
        "-0",
        "1e400",
        "red",
        "blue",
        "true",
        "2020-01-01",
        "007",
        '"',
        '"a,b"',
        "a b",
        "é",
        "9" * 30,
        "\0",
        "12:30:01",
        "2020-01-01T10:00:00Z",
        "x" * 60,
        "some words " * 6,
    ]
)
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=4).map(",".join), max_size=6).map("\n".join)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.just("\ud800")
    | st.just(10**30)
)
OBJECTS = st.lists(
    st.dictionaries(
        st.sampled_from(["id", "a", "", "time"]),
        st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2), max_leaves=3),
    ),
    max_size=5,
)
SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def attempt(name: str, content: bytes, kind: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        said = ""
        try:
            assert isinstance(read(path, kind=kind), Collection)
        except CoterieError as error:
            said = str(error)
        assert "\n" not in said, said
        assert len(said) < 1000


@SETTINGS
@given(
    ROWS,
    st.sampled_from(["a.csv", "a.tsv", "a.txt", "a.ts"]),
    st.sampled_from([None, "text", "table", "long", "sets"]),
)
def test_tables_of_odd_cells(text: str, name: str, kind: str | None) -> None:
    attempt(name, text.encode(), kind)


@SETTINGS
@given(OBJECTS, st.sampled_from([None, "text", "table", "long", "sets"]))
def test_objects_of_odd_values(rows: list[dict[str, object]], kind: str | None) -> None:
    attempt("a.jsonl", "\n".join(json.dumps(row) for row in rows).encode(), kind)
    attempt("a.json", json.dumps(rows).encode(), kind)


@SETTINGS
@given(
    st.binary(max_size=60),
    st.sampled_from(
        [
            "csv",
            "tsv",
            "jsonl",
            "json",
            "parquet",
            "npz",
            "npy",
            "ts",
            "txt",
            "csv.gz",
            "eml",
            "mbox",
        ]
    ),
)
def test_any_bytes_at_all(content: bytes, suffix: str) -> None:
    attempt(f"a.{suffix}", content)


@pytest.mark.parametrize("name", ["a.npz", "a.npy", "a.parquet"])
def test_flipped_bytes(name: str, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    if name == "a.npz":
        np.savez(
            tmp_path / name,
            values=generator.normal(size=(30, 2)),
            lengths=np.array([10, 20]),
            labels=np.array(["a", "b"]),
        )
    elif name == "a.npy":
        np.save(tmp_path / name, generator.normal(size=(30, 2)))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(
            pa.table({"a": generator.normal(size=30), "b": ["x", "y", "z"] * 10}), tmp_path / name
        )
    whole = (tmp_path / name).read_bytes()
    for _ in range(60):
        broken = bytearray(whole)
        for place in generator.integers(len(whole), size=3):
            broken[place] = int(generator.integers(256))
        attempt(name, bytes(broken))
