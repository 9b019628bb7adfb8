"""Results as pandas, polars and arrow frames."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import coterie
from coterie.collect.samples import sample
from coterie.core.errors import MissingExtra, ParameterError
from coterie.run import frames

COLUMNS = ["id", "group", "name", "confidence", "unstable", "x", "y"]


@pytest.fixture(scope="module")
def found():
    return coterie.explore(sample("mail", 60), k=6, nulls=0)


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("arrow", pa.Table)]
)
def test_every_backend(found, backend: str, kind: type) -> None:
    frame = found.frame(backend)
    assert isinstance(frame, kind)
    columns = (
        frame.to_pydict()
        if backend == "arrow"
        else {name: list(frame[name]) for name in frame.columns}
    )
    assert list(columns)[:7] == COLUMNS
    assert columns["id"] == list(found.findings.ids)
    assert columns["group"] == found.labels.tolist()
    assert columns["name"] == [found.findings.groups[g].name for g in found.labels]
    assert columns["confidence"] == found.findings.confidence.tolist()
    assert not any(columns["unstable"])  # which was not looked at
    assert columns["subject"] == list(found.collection.cards["subject"])


def test_members_in_no_group_have_no_name() -> None:
    points = (
        [[0.0, i / 10] for i in range(12)] + [[50.0, i / 10] for i in range(12)] + [[25.0, 400.0]]
    )
    frame = coterie.explore(points, organize="Density", nulls=0).frame("pandas")
    alone = frame[frame["group"] < 0]
    assert (alone["name"] == "").all()


def test_placed_members_as_a_frame(found) -> None:
    others = sample("mail", 20, random_state=5)
    placed = found.place(coterie.Collection([f"n{i}" for i in range(20)], others.views, name="new"))
    frame = placed.frame("pandas")
    assert list(frame.columns) == ["id", "group", "name", "confidence", "fits"]
    assert frame["fits"].dtype == bool


def test_without_a_wish_what_is_there_is_taken(found, monkeypatch) -> None:
    assert isinstance(found.frame(), pd.DataFrame)
    there = frames.importlib.util.find_spec
    monkeypatch.setattr(
        frames.importlib.util, "find_spec", lambda name: None if name == "pandas" else there(name)
    )
    assert isinstance(found.frame(), pl.DataFrame)
    monkeypatch.setattr(frames.importlib.util, "find_spec", lambda name: None)
    assert isinstance(found.frame(), pa.Table)


def test_a_backend_that_is_not_there(found, monkeypatch) -> None:
    with pytest.raises(
        ParameterError, match="backend must be pandas, polars, arrow, and was 'excel'"
    ):
        found.frame("excel")
    import sys

    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtra, match="polars"):
        found.frame("polars")
