"""Classifiers that tell two sets apart, each judged on points it was not trained on: folds, log density ratios, forecasts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.random import small_seed, stream

NAMES = ("logistic", "knn", "svm", "affine")
EDGE = 1e-6  # chances are kept this far from 0 and 1
SURE = 1e3  # log ratio of a classifier that gives labels and no chances
# share of the pooled covariance, and of the mean variance, in the covariances of the affine one
_SHRINK = 0.1
_RIDGE = 1e-3

Model = Callable[
    [np.ndarray, np.ndarray, np.ndarray], np.ndarray
]  # trained on (vectors, labels), chances of others


def check_classifier(classifier: Any, owner: str) -> None:
    """Refuse, in one sentence, what is neither a name nor a classifier."""
    named = isinstance(classifier, str) and classifier in NAMES
    if not named and (
        isinstance(classifier, (str, type))
        or not (hasattr(classifier, "fit") and hasattr(classifier, "predict"))
    ):
        raise ParameterError(
            f"classifier must be {' | '.join(NAMES)} or a classifier with fit and predict, and was {classifier!r}.",
            owner=owner,
        )


def gives_chances(classifier: Any) -> bool:
    """Whether it says how likely a label is, and not the label alone."""
    return (
        classifier in NAMES[:2]
        if isinstance(classifier, str)
        else hasattr(classifier, "predict_proba")
    )


def folds_of(size: int, folds: int, seed: int) -> np.ndarray:
    """The fold of each of `size` points in a fixed order: sizes differ by one at most."""
    order = stream(seed, size).permutation(size)
    fold = np.empty(size, dtype=np.int64)
    fold[order] = np.arange(size) % folds
    return fold


def splits(
    p: np.ndarray, q: np.ndarray, folds: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The folds of both sets: which points of each are held out."""
    count = min(folds, len(p), len(q))
    mine = folds_of(len(p), count, seed)
    theirs = folds_of(len(q), count, seed + 1)
    for fold in range(count):
        yield mine == fold, theirs == fold


def log_ratios(
    p: np.ndarray, q: np.ndarray, classifier: Any, folds: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """log of density of P over density of Q at every point of p and of q, by models that were not trained on it."""
    if isinstance(classifier, str) and classifier == "logistic":
        return logistic_ratios(p, q, folds, seed)
    model = model_of(classifier, seed)
    sure = not gives_chances(classifier)
    of_p = np.empty(len(p))
    of_q = np.empty(len(q))
    for mine, theirs in splits(p, q, folds, seed):
        kept = p[~mine]
        others = q[~theirs]
        labels = np.concatenate(
            [np.ones(len(kept), dtype=np.int64), np.zeros(len(others), dtype=np.int64)]
        )
        chance = model(np.concatenate([kept, others]), labels, np.concatenate([p[mine], q[theirs]]))
        if sure:
            ratio = np.where(chance > 0.5, SURE, -SURE)
        else:
            chance = np.clip(chance, EDGE, 1.0 - EDGE)
            ratio = np.log(chance / (1.0 - chance)) - np.log(len(kept) / len(others))
        of_p[mine] = ratio[: mine.sum()]
        of_q[theirs] = ratio[mine.sum() :]
    return of_p, of_q


def model_of(classifier: Any, seed: int) -> Model:
    """Train on vectors with labels 0 and 1, and say the chance of 1 (or the label) of others."""
    if isinstance(classifier, str):
        return _neighbors if classifier == "knn" else model_of(_svm(), seed)

    def model(vectors: np.ndarray, labels: np.ndarray, others: np.ndarray) -> np.ndarray:
        one = _untrained(classifier, seed)
        one.fit(vectors, labels)
        if not hasattr(one, "predict_proba"):
            return np.asarray(one.predict(others), dtype=np.float64)
        classes = list(getattr(one, "classes_", (0, 1)))
        return np.asarray(one.predict_proba(others), dtype=np.float64)[:, classes.index(1)]

    return model


def _untrained(classifier: Any, seed: int) -> Any:
    """A copy to train: with a seed where it draws and has none, and a plain copy where it is none of scikit-learn's kind."""
    if not hasattr(classifier, "get_params"):
        return copy.deepcopy(classifier)
    from sklearn.base import clone

    one = clone(classifier)
    settings = one.get_params()
    loose = {
        name: _drawn(seed)
        for name, value in settings.items()
        if name.endswith("random_state") and value is None
    }
    if loose:
        one.set_params(**loose)
    return one


def _drawn(seed: int) -> int:
    return small_seed(stream(seed, 0))


def _svm() -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    return make_pipeline(StandardScaler(), LinearSVC(max_iter=10000, random_state=0))


def logistic_ratios(
    p: np.ndarray, q: np.ndarray, folds: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same by logistic regression of standardized values with a unit ridge, all folds at once by Newton steps."""
    points = np.concatenate([p, q])
    labels = np.arange(len(points)) < len(p)
    held = np.array(
        [np.concatenate(parts) for parts in splits(p, q, folds, seed)]
    )  # (folds, points)
    used = ~held / np.maximum((~held).sum(axis=1, keepdims=True), 1)
    middle = used @ points
    gaps = np.einsum("fn,fnd->fd", used, (points - middle[:, None]) ** 2)
    spread = np.where(gaps > 1e-24 * np.maximum(middle**2, 1e-300), np.sqrt(gaps), 1.0)
    scaled = (points - middle[:, None]) / spread[:, None]
    design = np.concatenate([scaled, np.ones((*scaled.shape[:2], 1))], axis=2)
    slopes = _logistic(design, labels, ~held)
    chance = np.clip(_expit((design @ slopes[:, :, None])[:, :, 0]), EDGE, 1.0 - EDGE)
    sizes = (~held)[:, labels].sum(axis=1) / (~held)[:, ~labels].sum(axis=1)
    ratio = (np.log(chance / (1.0 - chance)) - np.log(sizes)[:, None])[
        np.argmax(held, axis=0), np.arange(len(points))
    ]
    return ratio[: len(p)], ratio[len(p) :]


def _logistic(design: np.ndarray, labels: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Slopes of every fold (folds, values + 1): Newton steps, shorter where the penalized loss would rise."""
    from coterie.parts.iterate import State, iterate

    ridge = np.ones(design.shape[2])
    ridge[-1] = 0.0
    signs = np.where(labels, -1.0, 1.0)

    def cost(slopes: np.ndarray) -> np.ndarray:
        margins = (design @ slopes[:, :, None])[:, :, 0] * signs
        return np.asarray(
            (np.logaddexp(0.0, margins) * used).sum(axis=1) + 0.5 * (ridge * slopes**2).sum(axis=1)
        )

    def step(state: State) -> tuple[State, float]:
        slopes = state["slopes"]
        chance = _expit((design @ slopes[:, :, None])[:, :, 0])
        slant = np.einsum("fnd,fn->fd", design, (chance - labels) * used) + ridge * slopes
        bends = np.einsum(
            "fnd,fn,fne->fde", design, chance * (1.0 - chance) * used, design, optimize=True
        ) + np.diag(ridge)
        bends[:, -1, -1] += 1e-9
        move = np.linalg.solve(bends, slant[:, :, None])[:, :, 0]
        tried = np.array([1.0, 0.5, 0.125, 1.0 / 64.0])
        now = cost(slopes)
        best = np.argmax(
            [cost(slopes - share * move) <= now + 1e-12 * np.abs(now) for share in tried], axis=0
        )
        return {"slopes": slopes - tried[best][:, None] * move}, float(np.abs(slant).max())

    start = {"slopes": np.zeros((len(design), design.shape[2]))}
    end = iterate(
        step,
        start,
        max_iter=50,
        tol=0.0,
        label="logistic",
        settled=lambda _, slant: slant < 1e-9,
        quiet=True,
    )
    return np.asarray(end.state["slopes"])


def _expit(values: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return np.asarray(expit(values))


def _neighbors(vectors: np.ndarray, labels: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The share of P among the k nearest, k the root of the size, drawn a little towards its share of all."""
    from sklearn.neighbors import NearestNeighbors

    k = max(1, min(len(vectors), round(float(np.sqrt(len(vectors))))))
    near = NearestNeighbors(n_neighbors=k).fit(vectors).kneighbors(others, return_distance=False)
    return np.asarray((labels[near].sum(axis=1) + 2.0 * labels.mean()) / (k + 2.0))


def affine_risks(
    p: np.ndarray, q: np.ndarray, priors: np.ndarray, folds: int, seed: int
) -> np.ndarray:
    """The held-out square loss at every prior of the affine function that fits the labels best at that prior.

    One decomposition of the two covariances per fold gives the functions of all priors (García-García 2011, 5.42).
    """
    wrong_p = np.zeros(len(priors))
    wrong_q = np.zeros(len(priors))
    for mine, theirs in splits(p, q, folds, seed):
        forecast = _affine(p[~mine], q[~theirs], priors)
        wrong_p += ((1.0 - forecast(p[mine])) ** 2).sum(axis=0)
        wrong_q += (forecast(q[theirs]) ** 2).sum(axis=0)
    return np.asarray(priors * wrong_p / len(p) + (1.0 - priors) * wrong_q / len(q))


def _affine(p: np.ndarray, q: np.ndarray, priors: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    from scipy.linalg import eigh

    middle = q.mean(axis=0)
    gap = p.mean(axis=0) - q.mean(axis=0)
    of_p, of_q = (
        np.cov(one, rowvar=False, bias=True).reshape(p.shape[1], p.shape[1]) for one in (p, q)
    )
    pooled = (len(p) * of_p + len(q) * of_q) / (len(p) + len(q))
    size = float(np.diagonal(pooled).mean())
    floor = np.diag(np.full(p.shape[1], _RIDGE * size if size > 0 else 1.0))
    levels, axes = eigh(*((1.0 - _SHRINK) * one + _SHRINK * pooled + floor for one in (of_p, of_q)))
    apart = gap @ axes
    scaled = apart[:, None] / (
        np.multiply.outer(levels, priors) + (1.0 - priors)
    )  # (values, priors)
    far = apart @ scaled
    share = priors * (1.0 - priors) / (1.0 + priors * (1.0 - priors) * far)

    def forecast(points: np.ndarray) -> np.ndarray:
        return np.asarray(priors + share * (((points - middle) @ axes) @ scaled - priors * far))

    return forecast
