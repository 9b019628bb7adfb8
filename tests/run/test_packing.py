"""Every value comes back exactly, through real JSON and real arrays, and nothing is pickled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.core.errors import DataError, StoreError
from coterie.core.ragged import Ragged
from coterie.run import bundle
from coterie.run.packing import pack, unpack

from .examples import ODD, random_collection, random_findings, same


def round_trip(value: Any) -> Any:
    tree, arrays = pack(value)
    assert not any(array.dtype.hasobject for array in arrays.values())
    return unpack(json.loads(bundle.to_json(tree)), lambda name, mapped: arrays[name])


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=5)
)
NESTED = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.just("$"), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(NESTED)
@settings(max_examples=150, deadline=None)
def test_nested_plain_values(value: Any) -> None:
    same(value, round_trip(value))


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.int8(-3),
        np.bool_(True),
        np.str_("é"),
        np.datetime64("2020-01-01"),
        np.complex64(1j),
        np.array("scalar"),
        np.array(["a", None, 3, 2.5, True, "\ud800"], dtype=object).reshape(2, 3),
        np.array([["é", "b\0"]], dtype=np.dtypes.StringDType()),
        np.empty((0, 3)),
        np.arange(4, dtype=">u2"),
        np.array([[1, [2]], [None, ()]], dtype=object),
        ODD * 20,
        tuple(ODD * 20),
        ["a"] * 63,
        [],
        (),
        {},
        set(),
        {1, "b"},
        frozenset({2}),
        b"\x00\xff",
        range(2, 9, 3),
        Path("a/b"),
        sp.csc_array(np.eye(3)),
        sp.csr_matrix(np.eye(2)),
        sp.csr_array((2, 5), dtype=np.float32),
    ],
    ids=lambda value: type(value).__name__,
)
def test_single_values(value: Any) -> None:
    same(value, round_trip(value))


@pytest.mark.parametrize("seed", range(12))
def test_random_collections_and_findings(seed: int) -> None:
    same(random_collection(seed), round_trip(random_collection(seed)))
    same(random_findings(seed), round_trip(random_findings(seed)))


def test_wide_indices_of_sparse_matrices_stay_wide() -> None:
    matrix = sp.csr_array(np.eye(3))
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    assert round_trip(matrix).indices.dtype == np.int64


def test_what_cannot_be_kept_is_named_by_its_place() -> None:
    with pytest.raises(DataError, match=r"'settings.model' is a function"):
        pack({"settings": {"model": round_trip}})


def test_a_kind_of_a_newer_version_is_a_sentence() -> None:
    with pytest.raises(StoreError, match="does not know"):
        unpack({"$": "hologram", "of": 1}, lambda name, mapped: np.empty(0))


def test_sequences_are_mapped_and_changes_stay_in_memory(tmp_path: Path) -> None:
    value = Ragged.of([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]])
    bundle.save(tmp_path, "x", value)
    found = bundle.load(tmp_path, "x")
    same(value, found)
    base: Any = found.values
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    found.values[0, 0] = 99.0
    same(value, bundle.load(tmp_path, "x"))


def test_a_value_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle.save(tmp_path, "x", {"a": np.zeros(3), "b": np.zeros(4)})
    before = sorted(path.name for path in tmp_path.iterdir())
    real = bundle.write_array
    calls = []

    def second_fails(path: Path, array: np.ndarray, *, then: str) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise StoreError("full")
        real(path, array, then=then)

    monkeypatch.setattr(bundle, "write_array", second_fails)
    with pytest.raises(StoreError, match="full"):
        bundle.save(tmp_path, "x", {"a": np.ones(3), "b": np.ones(4)})
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    same({"a": np.zeros(3), "b": np.zeros(4)}, bundle.load(tmp_path, "x"))
    monkeypatch.undo()
    bundle.save(tmp_path, "x", {"a": np.ones(3)})
    assert len(list(tmp_path.iterdir())) == 2  # what was replaced is gone
    same({"a": np.ones(3)}, bundle.load(tmp_path, "x"))


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    bundle.save(tmp_path, "x", {"a": np.zeros(300)})
    array = next(tmp_path.glob("*.npy"))
    array.write_bytes(array.read_bytes()[:200])
    with pytest.raises(StoreError, match="is damaged"):
        bundle.load(tmp_path, "x")
    array.unlink()
    with pytest.raises(StoreError, match="is missing"):
        bundle.load(tmp_path, "x")
    (tmp_path / "x.json").write_text('{"format": 1')
    with pytest.raises(StoreError, match="is damaged"):
        bundle.load(tmp_path, "x")
    (tmp_path / "x.json").write_text("[" * 100_000)
    with pytest.raises(StoreError, match="is damaged"):
        bundle.load(tmp_path, "x")
    (tmp_path / "x.json").write_text('{"format": 99, "arrays": {}, "value": 1}')
    with pytest.raises(StoreError, match="format 99, and this coterie reads up to"):
        bundle.load(tmp_path, "x")
    with pytest.raises(FileNotFoundError):
        bundle.load(tmp_path, "y")
