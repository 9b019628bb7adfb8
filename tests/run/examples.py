"""Random collections and findings of every kind, and what it means that two of them are the same."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.collection import Collection
from coterie.core.findings import Evidence, Findings, Group, Overview, Step
from coterie.core.links import Cooccurrence
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.run import bundle

ODD = [
    "",
    " ",
    "é",
    "\u2603",
    "a,b",
    'say "x"',
    "line\nbreak",
    "\x00end\x00",
    "\ud83d",
    "=1+1",
    "日本",
    "\U0001f600",
    "../x",
]


def stored_again(value: Any) -> Any:
    """A value as the store gives it back, every byte of it written and read."""
    with tempfile.TemporaryDirectory() as folder:
        bundle.save(Path(folder), "value", value)
        return bundle.load(Path(folder), "value")


def same(a: Any, b: Any, place: str = "value") -> None:
    """Fail unless two values are alike in type, dtype, shape and every bit."""
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray), place
        assert a.dtype == b.dtype, place
        assert a.shape == b.shape, place
        if a.dtype.kind in "OT":
            same(a.ravel().tolist(), b.ravel().tolist(), place)
        else:
            assert a.tobytes() == b.tobytes(), place
    elif hasattr(a, "tocsr"):
        assert type(a) is type(b), place
        assert a.shape == b.shape, place
        for part in ("data", "indices", "indptr"):
            same(getattr(a, part), getattr(b, part), f"{place}.{part}")
    elif is_dataclass(a):
        assert type(a) is type(b), place
        for field in fields(a):
            same(getattr(a, field.name), getattr(b, field.name), f"{place}.{field.name}")
    elif isinstance(a, Mapping):
        assert list(a) == list(b), place
        for key in a:
            same(a[key], b[key], f"{place}[{key!r}]")
    elif isinstance(a, (list, tuple)):
        assert type(a) is type(b), place
        assert len(a) == len(b), place
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{place}[{i}]")
    else:
        assert type(a) is type(b), place
        assert a == b or (a != a and b != b), place


def words(rng: np.random.Generator, n: int) -> list[str]:
    return ["".join(rng.choice(ODD, size=rng.integers(0, 4))) for _ in range(n)]


def random_collection(seed: int) -> Collection:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    ids = [f"{word}{i}" for i, word in enumerate(words(rng, n))]
    lengths = rng.integers(0, 5, size=n)
    dense = rng.normal(size=(n, 3)).astype(rng.choice(["f8", "f4"]))
    dense[rng.random(dense.shape) < 0.2] = np.nan
    tokens = (
        np.array(words(rng, n + 5), dtype=object)
        if seed % 2
        else np.array([f"t{i}" for i in range(n + 5)])
    )
    starts = np.arange(n)
    views: dict[str, Any] = {
        "dense": Table(dense, ("a", "é\ud800", ""), {1: ("x", "y"), 2: ()}),
        "sparse": Table(
            sp.random_array((n, 9), density=0.2, format="csr", rng=rng), tuple("abcdefghi")
        ),
        "text": Text(tuple(words(rng, n))),
        "tagged": TaggedText(
            tokens,
            np.array([0, n + 5]),
            np.stack([starts, starts + 1], axis=1),
            {"tag": np.arange(n + 5)},
        ),
        "frames": Ragged(
            rng.normal(size=(int(lengths.sum()), 2)),
            np.concatenate([[0], np.cumsum(lengths)]),
            bool(seed % 2),
        ),
    }
    chosen = [name for name in views if rng.random() < 0.6] or ["text"]
    link = Cooccurrence(
        sp.random_array((n, 4), density=0.5, format="csr", rng=rng), ids, list("wxyz")
    )
    return Collection(
        ids=ids,
        views={name: views[name] for name in chosen},
        links={("members", "words é"): link} if rng.random() < 0.6 else {},
        truth={
            "topic": rng.integers(0, 3, n),
            "name": np.array(words(rng, n), dtype=object),
            "u": np.array([f"g{i % 3}" for i in range(n)]),
        },
        name="pile \u2603",
        notes=("one file skipped",),
        cards={"subject": words(rng, n), "file": tuple(words(rng, n))},
    )


def random_findings(seed: int) -> Findings:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 150))
    group = Group(
        0,
        "mail \u2603",
        n,
        0.5,
        tuple(range(1, n))[:2],
        (),
        {"words": (("é", 0.1), ("b", float("nan")))},
        spark=((0.1, 0.2), (0.3,)),
    )
    evidence = Evidence(
        n_groups=2,
        chosen=True,
        structured=False,
        p_value=float("nan"),
        measure="eigengap",
        ks=(2, 3),
        scores=(0.1, 1 / 3),
        null_mean=(0.0, 0.0),
        eigenvalues=(1e-300,),
        rules=("pieces_by_bic",),
    )
    return Findings(
        title="Pile é",
        kind="text",
        ids=tuple(f"{w}{i}" for i, w in enumerate(words(rng, n))),
        snippets=words(rng, n),
        labels=rng.integers(-1, 3, n).astype(rng.choice(["i8", "i4", "i2"])),
        confidence=rng.random(n).astype(rng.choice(["f4", "f8"])),
        map=rng.normal(size=(n, 2)),
        neighbors=rng.integers(-1, max(n, 1), (n, 3)),
        nearness=rng.random((n, 3)),
        matrix=np.asfortranarray(rng.random((4, 4), dtype=np.float32)),
        matrix_members=np.arange(min(n, 4), dtype=np.uint8),
        groups=[group, replace(group, label=1, name="group 2"), replace(group, label=2, name="")],
        evidence=evidence,
        overview=Overview("texts", n, 2, 0.5, 1, 0),
        notes=[],
        cards={"subject": words(rng, n)},
        curves={"EM": [(1.0, -0.5), (2.0, float("inf"))]},
        settings={
            "seed": 3,
            "rate": np.float32(0.1),
            "none": None,
            "nested": {"$": (1, [2])},
            "sizes": (1, 2),
            5: True,
        },
        steps=[Step("map"), Step("lsa", {"dimensions": 50})],
        command="coterie explore 'é'",
        python="x = 1\n",
        versions={"numpy": "2"},
        seconds=1.25,
        created="2026-01-01",
    )
