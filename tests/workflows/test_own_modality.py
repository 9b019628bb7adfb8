"""A kind of data from outside of coterie: one class of views, one modality, and one line that registers it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import coterie
from coterie.compare import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.pipeline import Pipeline
from coterie.workflows.modalities import base as modalities
from coterie.workflows.modalities.base import Modality
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.null_models import Draw, of_points
from coterie.workflows.prepared import compared_by, distances_by


@dataclass(frozen=True, eq=False)
class Intervals:
    """Members that are stretches of time."""

    ends: np.ndarray  # (n, 2)
    kind: ClassVar[str] = "intervals"
    modality: ClassVar[str] = "intervals"

    def __len__(self) -> int:
        return len(self.ends)

    def take(self, indices: Any) -> Intervals:
        return Intervals(self.ends[np.asarray(indices)])


class PreparedIntervals(OneView):
    """Intervals as where they begin, and how long they last."""

    @property
    def data(self) -> np.ndarray:
        return _numbers(self.collection.view(self.view))

    def part_values(self, rows: np.ndarray) -> np.ndarray:
        return self.data[rows]

    def compare_part(self, values: np.ndarray) -> Affinity:
        return distances_by(self.comparer, values)

    def null_models_of(self, values: np.ndarray) -> Mapping[str, Draw]:
        return of_points(values)


class IntervalModality(Modality):
    """Stretches of time."""

    noun: ClassVar[str] = "intervals"

    def prepare(self, collection: Collection, view: str, choices: Any) -> PreparedIntervals:
        comparer = Euclidean()
        pipeline = Pipeline([comparer]).fit(_numbers(collection.view(view)))
        return PreparedIntervals(collection, view, pipeline, [compared_by(comparer)])

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        seen: Any = collection.view(view)
        return [f"from {a:.0f} to {b:.0f}"[:most] for a, b in seen.ends]


def _numbers(view: Any) -> np.ndarray:
    return np.column_stack([view.ends[:, 0], view.ends[:, 1] - view.ends[:, 0]])


def _intervals(n: int = 60) -> tuple[Collection, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    start = 100.0 * truth + rng.normal(size=n)
    ends = np.column_stack([start, start + 5 + 40 * truth + rng.normal(size=n)])
    return Collection([f"i{at}" for at in range(n)], {"times": Intervals(ends)}, name="days"), truth


@pytest.fixture
def nothing_registered() -> Iterator[None]:
    before = dict(modalities._MADE)
    yield
    modalities._MADE.clear()
    modalities._MADE.update(before)


def _is_explored() -> None:
    collection, truth = _intervals()
    found = coterie.explore(collection, nulls=4, store=False)
    assert len(found.findings.groups) == 2
    agree = np.mean(np.asarray(found.findings.labels) == truth)
    assert agree in (0.0, 1.0)
    assert found.sentences()[0].endswith("in 60 intervals.")
    assert found.findings.snippets[0].startswith("from ")


def test_a_modality_that_is_registered_is_explored(nothing_registered: None) -> None:
    modalities.register("intervals", IntervalModality())
    _is_explored()


def test_a_modality_comes_from_another_distribution(
    nothing_registered: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "of_days.py").write_text(
        f"from {__name__} import IntervalModality\n", encoding="utf-8"
    )
    about = tmp_path / "of_days-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: of-days\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[{modalities.ENTRY_POINTS}]\nintervals = of_days:IntervalModality\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    _is_explored()
    sys.modules.pop("of_days", None)


def test_a_modality_that_nobody_knows_is_named(nothing_registered: None) -> None:
    with pytest.raises(DataError, match="No workflow is known for data of the kind 'intervals'"):
        coterie.explore(_intervals()[0], store=False)
