"""The iterations of SIC as small keyed tasks: each draws from its own stream, is kept when done, and can fail alone."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.compare.sic.codes import MISSING, Codes
from coterie.compare.sic.roles import Annotation, Annotator, Diverter, Draw
from coterie.compare.sic.samples import Samples
from coterie.core.errors import DataError, Interrupted, MissingExtra, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.parts.workers import Keep, in_order

if TYPE_CHECKING:
    from coterie.compare.sic.profiles import Profiles

BATCH = 5  # iterations done and kept together; a constant, so that results never depend on the workplace


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """What one iteration found: codes of the tested members (with shares where they have several occurrences)."""

    members: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None  # None: one code per member
    classes: np.ndarray  # what the classifier called code 0, 1, ...
    record: Mapping[str, Any]
    linked: bool = False

    @property
    def failed(self) -> str:
        return str(self.record.get("failed", ""))


@dataclass(frozen=True, eq=False)
class Course:
    """All that the iterations of one run share. `data` is the view as the diverter reads it."""

    view: Any
    data: Any
    samples: Samples
    annotator: Annotator
    diverter: Diverter
    draw: Draw
    seed: int
    learned: Any = None  # what the annotator may use of the iterations before this round

    def annotation(self, i: int) -> tuple[Annotation, np.random.Generator]:
        """The made-up task of iteration i, and the iteration's generator as it stands after it."""
        generator = stream(self.seed, i)
        return self.annotator.annotate(
            self.view, self.samples, self.draw, generator, self.learned
        ), generator

    def trained(self, i: int) -> tuple[Any, Annotation, dict[str, Any]]:
        """The classifier of iteration i, made from nothing but the data, the seed and i."""
        task, generator = self.annotation(i)
        drawn = self.diverter.draw(self.data, generator)
        contrast = None
        if task.contrast is not None:
            if not self.diverter.contrasts:
                name = type(self.diverter).__name__
                raise ParameterError(
                    f"{name} cannot be trained on made-up members; use Tree(leaves=True)."
                )
            contrast = self.diverter.prepare(task.contrast, like=self.data)
        model = self.diverter.train(self.data, task.train, task.labels, drawn, generator, contrast)
        return model, task, drawn

    def iterate(self, i: int) -> Row:
        """Iteration i; what goes wrong inside a classifier is recorded, and the iteration counts as failed."""
        begun = time.perf_counter()
        try:
            model, task, drawn = self.trained(i)
            said = checked(self.diverter.apply(model, self.data, task.test), len(task.test))
        except (Interrupted, ParameterError, MissingExtra, MemoryError):
            raise
        except (
            Exception
        ) as error:  # any classifier may fail on any made-up task: that iteration is left out
            return failed(
                f"{type(error).__name__}: {error}"
                if not isinstance(error, DataError)
                else str(error)
            )
        record = {
            **task.notes,
            "trained": len(task.train),
            "labels": len(np.unique(task.labels)),
            "tested": len(task.test),
            "seconds": round(time.perf_counter() - begun, 4),
            **({"drawn": drawn} if drawn else {}),
        }
        classes, codes = np.unique(said, return_inverse=True)
        return gathered(self.samples, task.test, codes.ravel(), classes, record, task.linked)


def checked(said: Any, wanted: int) -> np.ndarray:
    """What a classifier said, one label per sample; anything else is a failed iteration."""
    labels = np.asarray(said)
    if labels.shape != (wanted,):
        raise DataError(f"the classifier was asked for {wanted} labels and gave {labels.shape}")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise DataError("the classifier said NaN")
    return labels


def gathered(
    samples: Samples,
    tested: np.ndarray,
    codes: np.ndarray,
    classes: np.ndarray,
    record: Mapping[str, Any],
    linked: bool = False,
) -> Row:
    """Codes of samples as codes of members: as they are, or as shares of a member's tested occurrences."""
    classes = classes.astype(str) if classes.dtype.kind == "O" else classes
    record = {**record, "came out": len(classes)}
    if samples.owner is None:
        return Row(tested, codes.astype(np.int32), None, classes, record, linked)
    owner = samples.owner[tested]
    width = max(len(classes), 1)
    cell, count = np.unique(owner * width + codes, return_counts=True)
    member = cell // width
    code = cell % width
    total = np.bincount(owner, minlength=samples.n_members)
    return Row(member, code.astype(np.int32), count / total[member], classes, record, linked)


def rows(course: Course, wanted: range, key: str) -> Generator[Row, None, None]:
    """The rows of these iterations in order, on the workers of the workplace; finished batches are kept under `key`."""
    starts = [
        range(a, min(a + BATCH, wanted.stop)) for a in range(wanted.start, wanted.stop, BATCH)
    ]
    keep = Keep(lambda batch: f"{key}/{batch.start}-{batch.stop}", _packed_batch, _unpacked_batch)

    def work(batch: range) -> list[Row]:
        return [course.iterate(i) for i in batch]

    for batch in in_order(work, starts, "iterations", size=len, travels=True, keep=keep):
        yield from batch


def assembled(found: Sequence[Row], n_members: int, soft: bool) -> Codes | Profiles:
    """The rows of all iterations as one matrix of codes, or as profiles where members have several occurrences."""
    classes = [row.classes for row in found]
    records = [row.record for row in found]
    control = np.array([not row.linked for row in found], dtype=bool)
    if soft:
        from coterie.compare.sic.profiles import Profiles

        parts = [
            (
                row.members,
                row.codes,
                np.ones(len(row.codes)) if row.weights is None else row.weights,
            )
            for row in found
        ]
        return replace(
            Profiles.stack(parts, n_members), classes=classes, control=control, records=records
        )
    labels = np.full((len(found), n_members), MISSING, dtype=np.int32)
    for i, row in enumerate(found):
        labels[i, row.members] = row.codes
    return Codes(labels, classes, control, records)


def joined(first: Any, second: Any) -> Any:
    """The iterations of both, one after the other."""
    if isinstance(first, Codes):
        both = [np.asarray(part.labels, dtype=np.int32) for part in (first, second)]
        labels: Any = np.vstack(both)
        return Codes(labels, [*first.classes, *second.classes], *_told(first, second))
    return first.joined(second)


def _told(first: Any, second: Any) -> tuple[np.ndarray, list[Mapping[str, Any]]]:
    control = [
        np.ones(part.n_iterations, dtype=bool) if part.control is None else part.control
        for part in (first, second)
    ]
    return np.concatenate(control), [*first.records, *second.records]


def fingerprint(view: Any, *settings: Any) -> str:
    """A short name for data and settings: pieces kept for others are never taken for ours."""
    names = tuple(view.features) if isinstance(view, TaggedText) else getattr(view, "names", ())
    digest = hashlib.blake2b(repr((names, settings)).encode(), digest_size=10)
    for array in _arrays(view):
        digest.update(str((array.shape, array.dtype.str)).encode())
        digest.update(
            " ".join(map(str, array)).encode()
            if array.dtype.kind == "O"
            else np.ascontiguousarray(array).tobytes()
        )
    return digest.hexdigest()


def _arrays(view: Any) -> Iterator[np.ndarray]:
    if isinstance(view, Table):
        parts = (
            (view.values.data, view.values.indices, view.values.indptr)
            if view.sparse
            else (view.values,)
        )
        yield from parts
    elif isinstance(view, Ragged):
        yield from (view.values, view.offsets)
    elif isinstance(view, TaggedText):
        owners = np.zeros(0, dtype=np.int64) if view.owners is None else view.owners
        yield from (np.asarray(view.tokens), view.offsets, view.spans, owners)
        yield from (np.asarray(column) for column in view.features.values())


def failed(reason: str) -> Row:
    """The row of an iteration that came to nothing, and why."""
    empty = np.zeros(0, dtype=np.int64)
    return Row(
        empty,
        empty.astype(np.int32),
        None,
        empty,
        {"failed": reason or "the classifier gave no reason"},
    )


def _packed_batch(rows: Sequence[Row]) -> dict[str, np.ndarray]:
    return {word: array for at, row in enumerate(rows) for word, array in _packed(row, at).items()}


def _unpacked_batch(arrays: Mapping[str, np.ndarray], batch: range) -> list[Row]:
    return [_unpacked(arrays, at) for at in range(len(batch))]


def _packed(row: Row, at: int) -> dict[str, np.ndarray]:
    told = json.dumps({**row.record, "linked": row.linked}).encode()
    arrays = {
        "members": row.members,
        "codes": row.codes,
        "classes": row.classes,
        "record": np.frombuffer(told, dtype=np.uint8),
    }
    if row.weights is not None:
        arrays["weights"] = row.weights
    return {f"{at}-{name}": array for name, array in arrays.items()}


def _unpacked(arrays: Mapping[str, np.ndarray], at: int) -> Row:
    record = json.loads(arrays[f"{at}-record"].tobytes())
    linked = bool(record.pop("linked"))
    weights = arrays.get(f"{at}-weights")
    return Row(
        arrays[f"{at}-members"],
        arrays[f"{at}-codes"],
        weights,
        arrays[f"{at}-classes"],
        record,
        linked,
    )
