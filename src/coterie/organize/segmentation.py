"""Segmentation: long sequences cut into stretches of one source each, where the sources come back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Estimator
from coterie.core.params import param
from coterie.core.partition import Partition
from coterie.core.partition import Segmentation as Cut
from coterie.core.ragged import Ragged
from coterie.models.role import Model
from coterie.organize.change_points import COSTS, SEARCHES, change_points
from coterie.organize.cuts import (
    WindowModels,
    checked_counts,
    guessed_window,
    likeliest,
    refined,
    sources,
    sureness,
    windows,
)
from coterie.organize.layouts import NOISE, Layout, cuts_of, layouts
from coterie.parts.segments import along
from coterie.parts.sequences import checked
from coterie.parts.spectra import squared

_FLOOR = 0.2  # of the variance of all steps: what no variance of the model of a window falls below


class Segmentation(Estimator):
    """Long sequences cut into segments of one source each, by how alike their windows are or by a classical cost.

    Each sequence is cut on its own; sources (speakers, activities, states of a machine) are shared by all and may come back.
    Windows are compared, laid out by the leading eigenvectors of their affinity, and cut by exact dynamic programming; a
    segment has at least two windows where there are enough. Boundaries are then moved to the step. `segmentations_` holds
    the cut of every sequence, `partition_` the source of every segment, one sequence after the other.
    """

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Cut

    window: int | None = param(
        None,
        "Steps of a window; None: the square root of mean length over values per step, from 8.",
        ge=1,
    )
    n_segments: int | Sequence[int] | None = param(
        None, "Segments of each sequence: one number, or one for each; None chooses by BIC.", ge=1
    )
    n_sources: int | None = param(
        None, "Different sources in all sequences together; None: as many as cut clearly.", ge=1
    )
    cost: str = param(
        "spectral",
        "What makes a good segment: alike windows, or a classical cost.",
        choices=("spectral", *COSTS),
    )
    search: str = param(
        "best",
        "How change points of a classical cost are looked for.",
        choices=SEARCHES,
        advanced=True,
    )
    comparer: Any = param(
        None,
        "Compares windows: a comparer of sequences, or a model for KL-LL; None is an HMM of two states.",
    )
    refine: bool = param(
        True,
        "Whether boundaries are moved to the step where the neighbors' models explain them best.",
    )
    random_state: int | None = param(None, "Seed of the models and of the sources.")

    partition_: Partition
    segmentations_: list[Cut]
    curves_: list[np.ndarray]
    owners_: np.ndarray
    members_: Ragged
    window_: int
    windows_: Ragged
    comparer_: Any
    affinity_: Affinity
    layout_: Layout
    embedding_: np.ndarray
    noise_: float
    centers_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cut the sequences; sets `segmentations_`, `partition_`, `curves_` and, for windows, `affinity_` and `embedding_`."""
        sequences = self._sequences(X)
        self.members_ = sequences
        self.curves_ = []
        self.window_ = self._window(sequences)
        if self.cost != "spectral":
            self._by_steps(sequences)
            return self
        self.windows_ = windows(sequences, self.window_)
        first = np.searchsorted(self.windows_.offsets, sequences.offsets)
        counts = checked_counts(self.n_segments, np.diff(first))
        if self.n_sources is not None and self.n_sources > len(self.windows_):
            raise ParameterError(
                f"n_sources must be from 1 to {len(self.windows_)} (the windows), and was {self.n_sources}.",
                owner="Segmentation",
            )
        self.comparer_ = self._comparer()
        self.comparer_.fit(self.windows_)
        self.affinity_: Affinity = self.comparer_.affinity_
        self._cut(first, counts, layouts(self.affinity_, self.n_sources, first, self.random_state))
        return self

    def predict(self, X: Any) -> list[Cut]:
        """The cut of new sequences into the fitted sources; with a classical cost they are cut as `fit` does it.

        Each window is placed among the fitted ones; the sources are then followed through the sequence, where a change
        costs as much as BIC asks for a segment at the scatter seen in fit.
        """
        check_is_fitted(self, "segmentations_")
        new = self._sequences(X, new=True)
        if self.cost != "spectral":
            return [Cut(found, np.arange(len(found) - 1)) for found in self._steps(new)[0]]
        if not hasattr(self.comparer_, "compare"):
            raise DataError(
                "this comparer cannot compare new windows (it has no compare), so nothing can be placed.",
                owner="Segmentation",
            )
        parts = windows(new, self.window_)
        away = squared(self.layout_.placed(self.comparer_.compare(parts)), self.centers_)
        first = np.searchsorted(parts.offsets, new.offsets)
        found = []
        for a, b in pairwise(first):
            penalty = self.noise_ * (self.embedding_.shape[1] + 1) * float(np.log(max(b - a, 2)))
            runs = Cut.of(along(away[a:b], penalty))
            found.append((runs.boundaries, runs.labels))
        return self._in_steps(found, new, parts)

    @property
    def segmentation_(self) -> Cut:
        """The cut of the first sequence."""
        check_is_fitted(self, "segmentations_")
        return self.segmentations_[0]

    @property
    def labels_(self) -> np.ndarray:
        """The source of every segment, one sequence after the other."""
        check_is_fitted(self, "partition_")
        return self.partition_.labels

    @property
    def curve_(self) -> np.ndarray:
        """The criterion of the first sequence for 1, 2, ... segments; lower is better."""
        check_is_fitted(self, "segmentations_")
        return self.curves_[0]

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and give the source of every segment."""
        return self.fit(X, y).labels_

    def pieces(self) -> Ragged:
        """The segments as sequences of their own, one after the other; `owners_` says of which sequence each is."""
        check_is_fitted(self, "segmentations_")
        starts = [
            cut.boundaries[:-1] + at
            for cut, at in zip(self.segmentations_, self.members_.offsets[:-1], strict=True)
        ]
        offsets = np.concatenate([*starts, self.members_.offsets[-1:]])
        return Ragged(self.members_.values, offsets, True, self.members_.names, self.members_.rate)

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """What the number of segments was chosen by, for a report."""
        check_is_fitted(self, "segmentations_")
        shown = {}
        for at, curve in enumerate(self.curves_[:8]):
            title = "BIC by number of segments" + (
                f", sequence {at + 1}" if len(self.curves_) > 1 else ""
            )
            shown[title] = [
                (float(k + 1), float(value)) for k, value in enumerate(curve) if np.isfinite(value)
            ]
        return shown

    def _sequences(self, X: Any, new: bool = False) -> Ragged:
        """The sequences, checked; a plain array of steps is one sequence."""
        one = isinstance(X, np.ndarray) and X.ndim <= 2 and X.dtype.kind in "fiub"
        sequences: Ragged = self.check([X] if one else X, new=new)
        return checked(
            sequences, "Segmentation", ordered=True, dim=self.members_.dim if new else None
        )

    def _window(self, sequences: Ragged) -> int:
        if self.window is None:
            return guessed_window(sequences)
        shortest = int(sequences.lengths.min())
        if self.window > shortest:
            at = int(np.argmin(sequences.lengths))
            raise ParameterError(
                f"window must be from 1 to {shortest} (the steps of sequence {at}), and was {self.window}.",
                owner="Segmentation",
            )
        return self.window

    def _comparer(self) -> Any:
        if self.comparer is None or isinstance(self.comparer, Model):
            return WindowModels(self._model())
        if not hasattr(self.comparer, "fit"):
            raise ParameterError(
                f"comparer must be a comparer or a model, and was {self.comparer!r}.",
                owner="Segmentation",
            )
        return clone(self.comparer)

    def _model(self) -> Model:
        """The model of windows and of segments: the one given (of two states where all windows share it), else an HMM."""
        from coterie.models.hmm import HMM

        given = (
            self.comparer
            if isinstance(self.comparer, Model)
            else getattr(self.comparer, "model", None)
        )
        if not isinstance(given, Model):
            return HMM(n_states=2, floor=_FLOOR, random_state=self.random_state)
        shared = given is not self.comparer and hasattr(self.comparer, "n_states")
        return (
            clone(given).set_params(n_states=2)
            if shared and isinstance(given, HMM)
            else clone(given)
        )

    def _cut(self, first: np.ndarray, counts: list[int | None], laid: list[Layout]) -> None:
        """Cut the windows; how many segments there are is read off the widest kernel, where they are off the likeliest."""
        spans = list(pairwise(first))
        wide = [cuts_of(laid[0].rows[a:b], k) for (a, b), k in zip(spans, counts, strict=True)]
        self.curves_ = [cuts.bic(NOISE) for cuts in wide]
        chosen = [
            k or int(np.argmin(curve)) + 1 for k, curve in zip(counts, self.curves_, strict=True)
        ]
        found = [
            [cuts_of(layout.rows[a:b], k) for (a, b), k in zip(spans, chosen, strict=True)]
            for layout in laid
        ]
        bounds = [
            np.concatenate(
                [
                    *(
                        cuts.boundaries(k)[:-1] + a
                        for cuts, k, a in zip(each, chosen, first, strict=False)
                    ),
                    first[-1:],
                ]
            )
            for each in found
        ]
        at = likeliest(self.windows_, bounds, self._model())
        self.layout_ = laid[at]
        self.embedding_ = laid[at].rows
        scatter = sum(float(cuts.costs[k - 1]) for cuts, k in zip(found[at], chosen, strict=True))
        self.noise_ = max(scatter / self.embedding_.size, NOISE)
        self._keep(
            [cuts.boundaries(k) for cuts, k in zip(found[at], chosen, strict=True)],
            bounds[at],
            counts,
        )

    def _keep(self, found: list[np.ndarray], bounds: np.ndarray, counts: list[int | None]) -> None:
        """Sources of the segments (boundaries in windows of each sequence, and of all), and the cuts in steps.

        Where the number of segments was not given, neighbors of one source are one segment.
        """
        labels, self.centers_ = sources(self.embedding_, bounds, self.random_state)
        each = np.split(labels, np.cumsum([len(rows) - 1 for rows in found])[:-1])
        kept = [
            np.append(True, np.diff(own) != 0) | (k is not None)
            for own, k in zip(each, counts, strict=True)
        ]
        both = list(zip(found, kept, strict=True))
        pieces = [
            (np.append(rows[:-1][new], rows[-1]), own[new])
            for (rows, new), own in zip(both, each, strict=True)
        ]
        every = np.append(bounds[:-1][np.concatenate(kept)], bounds[-1])
        labels = np.concatenate([own for _, own in pieces])
        sure = sureness(self.embedding_, every, labels, self.centers_)
        sizes = np.array([len(own) for _, own in pieces])
        self.segmentations_ = self._in_steps(pieces, self.members_, self.windows_)
        self.partition_ = Partition(
            labels, tuple(f"source {s + 1}" for s in range(len(self.centers_))), sure
        )
        self.owners_ = np.repeat(np.arange(len(found)), sizes)

    def _in_steps(
        self, found: list[tuple[np.ndarray, np.ndarray]], sequences: Ragged, parts: Ragged
    ) -> list[Cut]:
        """Boundaries of windows as boundaries of steps, moved to where they fit best."""
        model = self._model()
        cuts = []
        first = np.searchsorted(parts.offsets, sequences.offsets)
        for at, (rows, labels) in enumerate(found):
            bounds = parts.offsets[first[at] + rows] - sequences.offsets[at]
            if self.refine and len(labels) > 1 and self.window_ > 1:
                bounds = refined(sequences[at], bounds, self.window_, model)
            cuts.append(Cut(bounds, labels))
        return cuts

    def _steps(self, sequences: Ragged) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Boundaries and criteria of every sequence by a classical cost."""
        counts = checked_counts(self.n_segments, sequences.lengths)
        bounds = []
        curves = []
        for values, k in zip(sequences, counts, strict=True):
            found = change_points(values, self.cost, self.search, k, self.window_)
            curve = np.full(max(found.curve), np.inf)
            curve[np.array(list(found.curve)) - 1] = list(found.curve.values())
            bounds.append(found.boundaries)
            curves.append(curve)
        return bounds, curves

    def _by_steps(self, sequences: Ragged) -> None:
        """With a classical cost every segment is a source of its own."""
        bounds, self.curves_ = self._steps(sequences)
        sizes = [len(found) - 1 for found in bounds]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.segmentations_ = [
            Cut(found, np.arange(a, b))
            for found, (a, b) in zip(bounds, pairwise(starts), strict=True)
        ]
        self.partition_ = Partition(
            np.arange(starts[-1]), tuple(f"segment {s + 1}" for s in range(starts[-1]))
        )
        self.owners_ = np.repeat(np.arange(len(sizes)), sizes)
