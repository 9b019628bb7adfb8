"""Golden files: values made small, stored as JSON, and compared with what was stored before.

Whole numbers, labels and words are compared exactly. Real numbers are compared within a tolerance, so
that another processor passes. A long array of real numbers is stored as its shape, its norms and a
fixed sample of its entries; a long array of whole numbers is stored as it is, packed.

`make golden` prints what moved; `make golden UPDATE=yes` writes it down. A commit that moves a number
moves its golden file too, and its body says why.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclasses.dataclass(frozen=True)
class Loose:
    """A number with a tolerance of its own: `within` is stored beside it and holds when it is compared."""

    number: float
    within: float


FILES = Path(__file__).parent / "files"
RTOL = 1e-5
ATOL = 1e-7
_WHOLE = 24  # real numbers up to which an array is stored whole
_SAMPLE = 12  # entries stored of a longer one
_SHOWN = 15  # differences shown of one case


def check(area: str, name: str, value: Any, *, rtol: float = RTOL, atol: float = ATOL) -> None:
    """Compare a value with its golden file `files/AREA/NAME.json`, and fail with what moved.

    With COTERIE_GOLDEN=update the file is written instead, and what moved is printed.
    """
    path = FILES / area / f"{name}.json"
    made = json.loads(json.dumps(small(value)))
    updating = os.environ.get("COTERIE_GOLDEN") == "update"
    if not path.exists():
        if not updating:
            raise AssertionError(f"{area}/{name} has no golden file yet: make golden UPDATE=yes")
        _write(path, made)
        return
    moved = list(differences(json.loads(path.read_text(encoding="utf-8")), made, rtol, atol))
    if not moved:
        return
    told = "\n".join([f"{area}/{name}: {line}" for line in moved[:_SHOWN]])
    if len(moved) > _SHOWN:
        told += f"\n{area}/{name}: and {len(moved) - _SHOWN} more"
    if updating:
        print(told)
        _write(path, made)
        return
    raise AssertionError(f"golden output moved\n{told}")


def small(value: Any) -> Any:
    """A value as plain JSON: records by their fields, arrays small, everything else as it is."""
    if isinstance(value, Loose):
        return {"about": _rounded(value.number), "within": value.within}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: small(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): small(item) for key, item in value.items()}
    if sp.issparse(value):
        rows = sp.csr_array(value)
        return {"sparse": list(rows.shape), "entries": rows.nnz, "values": small(_sorted(rows))}
    if isinstance(value, np.ndarray):
        return _small_array(value)
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return small(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(small(item) for item in value)
    if isinstance(value, str) or value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, Sequence):
        if len(value) > _WHOLE and all(isinstance(item, (int, float)) for item in value):
            return _small_array(np.asarray(value))
        return [small(item) for item in value]
    return type(value).__name__


def differences(old: Any, new: Any, rtol: float, atol: float, where: str = "") -> Iterator[str]:
    """One line for each place where two stored values differ."""
    if _is_loose(old) and _is_loose(new):
        yield from differences(old["about"], new["about"], 0.0, old["within"], where)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{where}.{key}" if where else key
            if key not in new:
                yield f"{place} is gone"
            elif key not in old:
                yield f"{place} is new"
            else:
                yield from differences(old[key], new[key], rtol, atol, place)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(old)} entries before, {len(new)} now"
            return
        for at, (before, now) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, now, rtol, atol, f"{where}[{at}]")
    elif _is_real(old) and _is_real(new) and not (isinstance(old, int) and isinstance(new, int)):
        if not math.isclose(old, new, rel_tol=rtol, abs_tol=atol):
            yield f"{where}: {old!r} before, {new!r} now"
    elif old != new or type(old) is not type(new):
        yield f"{where}: {_short(old)} before, {_short(new)} now"


def _small_array(array: np.ndarray) -> Any:
    flat = np.ascontiguousarray(array).ravel()
    if array.dtype.kind in "biu":
        whole = flat.astype(np.int64)
        if whole.size <= 200:
            return {"shape": list(array.shape), "whole": whole.tolist()}
        packed = zlib.compress(whole.tobytes(), 9)
        return {"shape": list(array.shape), "packed": base64.b64encode(packed).decode()}
    if array.dtype.kind not in "fc":
        return [small(item) for item in flat.tolist()]
    real = np.abs(flat) if array.dtype.kind == "c" else flat.astype(np.float64)
    if real.size <= _WHOLE:
        return {"shape": list(array.shape), "real": [_rounded(x) for x in real.tolist()]}
    finite = real[np.isfinite(real)]
    places = np.linspace(0, real.size - 1, _SAMPLE).round().astype(int)
    return {
        "shape": list(array.shape),
        "missing": int(real.size - finite.size),
        "mean": _rounded(float(finite.mean())) if finite.size else "nan",
        "norm": _rounded(float(np.sqrt(np.mean(finite**2)))) if finite.size else "nan",
        "sample": [_rounded(x) for x in real[places].tolist()],
    }


def _rounded(number: float) -> Any:
    return float(f"{number:.9g}") if math.isfinite(number) else str(number)


def _sorted(rows: sp.csr_array) -> np.ndarray:
    rows.sort_indices()
    return np.asarray(rows.data)


def _is_loose(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"about", "within"}


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 80 else f"{text[:77]}..."


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
