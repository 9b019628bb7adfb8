"""The measures of names in benchmarks/quality/names.py, against slow twins."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp

from tests.oracles import names as slow

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "quality" / "names.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("names_of_groups", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _documents(n: int = 40, seed: int = 0) -> tuple[list[list[str]], np.ndarray]:
    """Documents of three groups: words of their own, and common ones."""
    generator = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    own = [[f"{name}{i}" for i in range(7)] for name in "abc"]
    common = [f"z{i}" for i in range(5)]
    documents = [
        [*generator.choice(own[label], 6).tolist(), *generator.choice(common, 4).tolist()]
        for label in labels
    ]
    return documents, labels


LISTS = [
    ["a0", "a1", "a2 a3", "a4", "a5", "z0"],
    ["b0", "b1", "b2", "z1", "b4", "b5"],
    ["c0", "z0", "c2", "c3", "c4", "z1"],
]


def test_measures_agree_with_slow_twins(script: ModuleType) -> None:
    documents, _ = _documents()
    found = script.measure(LISTS, documents)
    assert found["coherence"] == pytest.approx(slow.coherence(documents, LISTS))
    assert found["diversity"] == pytest.approx(slow.diversity(LISTS))
    assert found["intruders"] == pytest.approx(slow.intruders(documents, LISTS, script.INTRUDED))
    assert found["inflections"] == 0


def test_npmi_of_what_never_and_what_always_meets(script: ModuleType) -> None:
    present = np.array([[1, 0, 1], [1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    present = np.column_stack([present, ~present[:, 1]])
    found = script.npmi_of(present)
    assert found[1, 3] == -1
    assert found[0, 2] == 0
    assert found[1, 0] == pytest.approx(0)


def test_inflections_are_terms_with_the_stem_of_an_earlier_one(script: ModuleType) -> None:
    lists = [["award", "awards", "film"], ["market", "film awards"]]
    assert script.inflections_of(lists) == pytest.approx(1 / 5)


def test_class_tfidf_is_the_formula(script: ModuleType) -> None:
    documents, labels = _documents()
    names = sorted({word for document in documents for word in document})
    counts = sp.csr_array(
        np.array([[document.count(name) for name in names] for document in documents], dtype=float)
    )
    found = script.class_tfidf(counts, names, labels, len(names), frozenset({"z0"}))
    for group, terms in enumerate(found):
        assert "z0" not in terms
        worth = [
            slow.class_tfidf([[w for w in d if w != "z0"] for d in documents], labels, group, term)
            for term in terms
        ]
        assert worth == sorted(worth, reverse=True)
        assert terms[0] in {f"{'abc'[group]}{i}" for i in range(7)} | {f"z{i}" for i in range(5)}
