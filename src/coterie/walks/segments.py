"""The walk that cuts: long sequences are cut where they change, and the pieces become the members that are described."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.affinity import Dense
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Evidence, Findings, Strips
from coterie.core.partition import Partition, Segmentation
from coterie.core.ragged import Ragged
from coterie.core.random import streams
from coterie.core.watch import watched
from coterie.core.workplace import stage, steady, workplace
from coterie.organize.segmentation import Segmentation as Cutter
from coterie.parts.groups import numbered
from coterie.parts.iterate import once
from coterie.parts.neighbors import nearest
from coterie.parts.pairwise import median_distance
from coterie.parts.segments import k_segmentation
from coterie.pipeline import Pipeline
from coterie.represent.frames import Frames
from coterie.walks.choices import Choices, method
from coterie.walks.groups import describe
from coterie.walks.layout import lay_out
from coterie.walks.telling import is_sound, snippet, telling

_NEAR = 12  # nearest pieces kept per piece


def cut_into(collection: Collection, view: str, strips: Strips) -> Collection:
    """The pieces as a collection of their own: named by where they lie, with what was seen in them."""
    data = collection.view(view)
    assert isinstance(data, Ragged)
    ids, bounds, whose = [], [0], []
    rows: list[np.ndarray] = []
    for at, (name, cut) in enumerate(zip(strips.names, strips.pieces, strict=True)):
        total, length = int(cut.boundaries[-1]), int(data.lengths[at])
        edges = np.round(np.asarray(cut.boundaries) * (length / total)).astype(np.int64)
        for first, last, low, high in zip(cut.boundaries[:-1], cut.boundaries[1:], edges[:-1], edges[1:], strict=True):
            ids.append(f"{name} {when(int(first), strips.rate)}-{when(int(last), strips.rate)}")
            rows.append(data[at][low:high])
            bounds.append(bounds[-1] + int(high - low))
            whose.append(name)
    pieces = Ragged(np.concatenate(rows), np.array(bounds), True, data.names, data.rate)
    cards = {"from": whose} if len(strips.names) > 1 else {}
    return Collection(ids, {view: pieces}, name=collection.name, notes=collection.notes, cards=cards)


def when(step: int, rate: float) -> str:
    """A step as a time of day of the recording, or as its number where no rate is known.

    >>> when(7510, 100.0), when(42, 0.0)
    ('1:15.1', '42')
    """
    if rate <= 0:
        return str(step)
    minutes, seconds = divmod(round(step / rate, 1), 60)
    return f"{int(minutes)}:{seconds:04.1f}"
