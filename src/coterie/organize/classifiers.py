"""Classifiers behind one small interface: learned from rows and yes or no, they score further rows above or below 0."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.links import short
from coterie.parts.term_weights import unit_length

Setting = Mapping[str, float]
KINDS = ("svm", "logistic", "knn", "bayes", "centroid")
_C = {
    "linear": (0.1, 1.0, 10.0, 100.0),
    "rbf": (1.0, 10.0, 100.0),
    "logistic": (1.0, 10.0, 100.0, 1000.0),
}
_WIDTHS = (
    0.5,
    2.0,
    8.0,
)  # of a Gaussian kernel, over the mean squared distance of the labeled rows
_NEIGHBORS = (1, 3, 5, 10, 20)
_PSEUDO = (0.01, 0.1, 1.0)  # counts added to every word (bayes)
_MACHINE = 20_000  # labeled members of a Gaussian support vector machine
_REACH = (1e-50, 1e50)  # largest values whose squares a linear machine can work with
_INTERCEPT = 10.0  # how little the offset of a linear machine is held down
_BLOCK = 2_000  # rows scored at a time


class Learned(Protocol):
    """A yes or no learned from some rows."""

    def scores(self, rows: Any) -> np.ndarray:
        """One number per row: above 0 for yes."""


def grid(classifier: str, kernel: str, C: float | None, n: int) -> list[dict[str, float]]:
    """The settings that are tried, for so many labeled members."""
    if classifier == "svm" and kernel == "rbf":
        return [
            {"C": c, "width": w} for w in _WIDTHS for c in ((C,) if C is not None else _C["rbf"])
        ]
    if classifier in ("svm", "logistic"):
        return [
            {"C": c}
            for c in (
                (C,) if C is not None else _C["linear" if classifier == "svm" else "logistic"]
            )
        ]
    if classifier == "knn":
        return [{"neighbors": float(k)} for k in _NEIGHBORS if k == 1 or k <= n // 2]
    return [{"pseudo_count": a} for a in _PSEUDO] if classifier == "bayes" else [{}]


def ready(values: Any, classifier: str, normalize: bool) -> Any:
    """Rows as the classifier takes them: of length one, except for counts of naive Bayes; sparse rows stay sparse."""
    rows = (
        sp.csr_array(values, dtype=np.float64)
        if sp.issparse(values)
        else np.asarray(values, dtype=np.float64)
    )
    if classifier == "bayes":
        data = np.asarray(rows.data if sp.issparse(rows) else rows)
        if data.size and data.min() < 0:
            raise DataError(
                "classifier='bayes' takes counts or other values from 0, and there are Negative values in data "
                f"passed to it ({float(data.min()):.4g}); use svm, logistic, knn or centroid.",
                owner="Categorize",
            )
        return rows
    if not normalize:
        return rows
    if sp.issparse(rows):
        return unit_length(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def squares(rows: Any, others: Any) -> np.ndarray:
    """Squared distances between rows and other rows."""
    product = rows @ others.T
    inner = product.toarray() if sp.issparse(product) else np.asarray(product)
    return np.maximum(_lengths(rows)[:, None] + _lengths(others)[None, :] - 2.0 * inner, 0.0)


def _lengths(rows: Any) -> np.ndarray:
    total = rows.multiply(rows).sum(axis=1) if sp.issparse(rows) else np.square(rows).sum(axis=1)
    return np.asarray(total, dtype=np.float64).ravel()


def check_machine(n: int) -> None:
    """Refuse more labeled members than a Gaussian support vector machine can hold."""
    if n > _MACHINE:
        raise DataError(
            f"kernel='rbf' takes at most {_MACHINE} labeled members, and there are {n}; use 'linear'.",
            owner="Categorize",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A support vector machine with a Gaussian kernel: its support rows, their weights, the offset and the width."""

    rows: Any
    weights: np.ndarray
    offset: float
    width: float

    def scores(self, rows: Any) -> np.ndarray:
        """The decision value of every row."""
        parts = [rows[at : at + _BLOCK] for at in range(0, rows.shape[0], _BLOCK)]
        return np.concatenate(
            [
                np.exp(-squares(part, self.rows) / self.width) @ self.weights + self.offset
                for part in parts
            ]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A weight per column, and an offset."""

    weights: np.ndarray
    offset: float

    def scores(self, rows: Any) -> np.ndarray:
        """The weighted sum of every row, and the offset."""
        return np.asarray(rows @ self.weights).ravel() + self.offset


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The share of yes among the nearest labeled rows, less one half; nearer ones count more where the shares are equal."""

    rows: Any
    yes: np.ndarray
    neighbors: int

    def scores(self, rows: Any) -> np.ndarray:
        """From -1/2 to 1/2 per row."""
        parts = [rows[at : at + _BLOCK] for at in range(0, rows.shape[0], _BLOCK)]
        return np.concatenate([self._part(squares(part, self.rows)) for part in parts])

    def _part(self, gaps: np.ndarray) -> np.ndarray:
        near = np.argsort(gaps, axis=1, kind="stable")[:, : self.neighbors]
        sign = np.where(self.yes[near], 1.0, -1.0)
        closer = (sign / (1.0 + np.take_along_axis(gaps, near, axis=1))).mean(axis=1)
        return sign.mean(axis=1) / 2.0 + 1e-3 * closer


@dataclass(frozen=True, slots=True, eq=False)
class Always:
    """The same answer for everybody: of a category that all labeled members are in, or none."""

    yes: bool

    def scores(self, rows: Any) -> np.ndarray:
        """Infinity for yes, minus infinity for no."""
        return np.full(rows.shape[0], np.inf if self.yes else -np.inf)


def learn(classifier: str, setting: Setting, rows: Any, yes: np.ndarray) -> Learned:
    """Learn yes or no from these rows; where they are all the same, that is the answer."""
    if yes.all() or not yes.any():
        return Always(bool(yes.all()))
    if "width" in setting:
        gaps = squares(rows, rows)
        return machine(gaps, rows, yes, setting, mean_square(gaps))
    if classifier == "knn":
        return Near(rows, yes, min(int(setting["neighbors"]), len(yes)))
    if classifier == "centroid":
        return _centroids(rows, yes)
    return (
        _bayes(rows, yes, setting["pseudo_count"])
        if classifier == "bayes"
        else _plane(classifier, rows, yes, setting["C"])
    )


def mean_square(gaps: np.ndarray) -> float:
    """The mean squared distance between two different rows; 1 where all are the same."""
    n = len(gaps)
    mean = float(gaps.sum()) / max(n * (n - 1), 1)
    return mean if mean > 0 else 1.0


def machine(
    gaps: np.ndarray, rows: Any, yes: np.ndarray, setting: Setting, scale: float
) -> Machine:
    """A Gaussian support vector machine from squared distances; the width is the setting's times the scale."""
    from sklearn.svm import SVC

    width = float(setting["width"]) * scale
    model = SVC(C=float(setting["C"]), kernel="precomputed", cache_size=400).fit(
        np.exp(-gaps / width), yes
    )
    return Machine(
        rows[model.support_], model.dual_coef_.ravel().copy(), float(model.intercept_[0]), width
    )


def _plane(classifier: str, rows: Any, yes: np.ndarray, C: float) -> Plane:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    model: Any
    if classifier == "svm":
        _check_reach(rows)
        model = LinearSVC(C=C, dual=False, intercept_scaling=_INTERCEPT, max_iter=2000, tol=1e-4)
    else:
        model = LogisticRegression(C=C, max_iter=500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a last digit that still moves changes no decision
        model.fit(short(rows) if sp.issparse(rows) else rows, yes)
    return Plane(model.coef_.ravel().copy(), float(np.ravel(model.intercept_)[0]))


def _check_reach(rows: Any) -> None:
    """Refuse rows on which the search for a plane would never end, since their squares are no numbers."""
    values = rows.data if sp.issparse(rows) else rows
    top = float(np.abs(values).max(initial=0.0))
    if top and not _REACH[0] <= top <= _REACH[1]:
        raise DataError(
            f"the largest value of some labeled members is {top:.1g}, and a support vector machine takes from "
            f"{_REACH[0]:g} to {_REACH[1]:g}; leave normalize on, or scale the values first.",
            owner="Categorize",
        )


def _bayes(rows: Any, yes: np.ndarray, pseudo: float) -> Plane:
    """Naive Bayes of counts: log-odds of yes, linear in the counts."""
    inside, outside = (
        np.asarray(rows[np.flatnonzero(who)].sum(axis=0)).ravel() + pseudo for who in (yes, ~yes)
    )
    weights = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
    return Plane(weights, float(np.log(yes.sum()) - np.log((~yes).sum())))


def _centroids(rows: Any, yes: np.ndarray) -> Plane:
    """The cosine to the mean of the yes rows, less that to the mean of the others."""
    means = [np.asarray(rows[np.flatnonzero(who)].mean(axis=0)).ravel() for who in (yes, ~yes)]
    one, other = (mean / max(float(np.linalg.norm(mean)), 1e-300) for mean in means)
    return Plane(one - other, 0.0)


def said(setting: Setting) -> str:
    """A setting in words: "C 10, width 0.25"."""
    return (
        ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in setting.items())
        or "nothing to choose"
    )
