"""Losses, the choice of a model by them on data it was not fitted to, and Vapnik's bound of what is still unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie.core.given import numbers_of, whole_of
from coterie.core.random import small_seed
from coterie.judge.labels import Floats, Ints

Loss = Literal["zero-one", "squared", "log"]
Split = Literal["folds", "leave-one-out", "hold-out"]


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """The model with the smallest mean loss, fitted again to all examples, and every model's loss in each round."""

    name: str
    model: Any
    losses: dict[str, Floats]

    @property
    def means(self) -> dict[str, float]:
        """The mean loss of every model."""
        return {name: float(values.mean()) for name, values in self.losses.items()}


def squared_error(predicted: ArrayLike, truth: ArrayLike) -> float:
    """Mean squared difference."""
    said = numbers_of(predicted, "The predictions")
    right = numbers_of(truth, "The truth")
    _alike(said, right)
    for what, values in (("prediction", said), ("truth", right)):
        if not np.isfinite(values).all():
            place = int(np.argwhere(~np.isfinite(values))[0][0])
            raise DataError(f"The {what} of example {place} is not a finite number.")
    return float(np.mean(np.square(said - right)))


def zero_one_error(predicted: ArrayLike, truth: ArrayLike) -> float:
    """The share of predictions that are not the truth."""
    said = np.asarray(predicted)
    right = np.asarray(truth)
    _alike(said, right)
    return float(np.mean(said != right))


def _alike(said: np.ndarray, right: np.ndarray) -> None:
    """Raise one sentence unless there are as many predictions as truths, and at least one."""
    if said.ndim == 0 or said.shape != right.shape:
        raise DataError(
            f"The predictions have the shape {said.shape} and the truth {right.shape}: they must be the same."
        )
    if not said.size:
        raise DataError("There is nothing to judge: give at least one prediction and its truth.")


def log_loss(probabilities: ArrayLike, truth: ArrayLike) -> float:
    """Mean negative logarithm of the probability given to the truth (a column per class; truth as column numbers).

    It is infinite where the truth was given the probability 0: nothing is clipped, as one example that was held impossible
    refutes such probabilities.

    >>> round(log_loss([[0.5, 0.5], [0.25, 0.75]], [0, 1]), 4)
    0.4904
    """
    values = numbers_of(probabilities, "The probabilities")
    at = whole_of(truth, "The truth of log_loss")
    if not at.size:
        raise DataError(
            "There is nothing to judge: give at least one row of probabilities and its truth."
        )
    if not ((values >= 0) & (values <= 1)).all():
        place = int(np.argwhere(~((values >= 0) & (values <= 1)))[0][0])
        raise DataError(f"Row {place} of the probabilities holds a value that is not from 0 to 1.")
    if (
        values.ndim != 2
        or at.shape != values.shape[:1]
        or ((at < 0) | (at >= values.shape[1])).any()
    ):
        raise DataError(
            f"Probabilities of shape {values.shape} need one column number per row as truth."
        )
    with np.errstate(divide="ignore"):
        return float(-np.log(values[np.arange(at.size), at]).mean())


def vc_gap(dimension: int, examples: int, *, chance: float = 0.05, scale: float = 2.0) -> float:
    """How far the error on unseen data may lie above the training error, with probability 1 - chance.

    1/N + tau sqrt((h (1 + log(2N/h)) - log(chance/4)) / N), h the dimension of Vapnik and Chervonenkis, N the examples, tau
    the scale; from equation 2.8 of Keller 2006 (2.9 prints log(N/h) and leaves the first term out).
    """
    if not 1 <= dimension <= examples:
        raise ParameterError(
            f"dimension must be from 1 to the number of examples ({examples}), and was {dimension}."
        )
    if not 0 < chance < 1 or scale <= 0:
        raise ParameterError(
            f"chance must lie between 0 and 1 and scale above 0, and they were {chance} and {scale}."
        )
    inside = dimension * (1 + np.log(2 * examples / dimension)) - np.log(chance / 4)
    return float(1 / examples + scale * np.sqrt(inside / examples))


def select(
    candidates: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    loss: Loss = "zero-one",
    split: Split = "folds",
    folds: int = 5,
    share: float = 0.25,
    random_state: int | np.random.Generator | None = None,
) -> Selected:
    """Choose among scikit-learn models by their loss on examples left out; the chosen one is fitted to all examples.

    Classes are dealt evenly (stratified) for the losses of classes. `share` is what "hold-out" leaves out.
    """
    from sklearn.base import clone

    if not candidates:
        raise ParameterError("candidates must name at least one model.")
    told = {"zero-one": _labels, "squared": _values, "log": _chances}
    if loss not in told:
        raise ParameterError(f"loss must be one of {', '.join(told)}, and was {loss!r}.")
    truth = np.asarray(y)
    rounds = list(
        _rounds(truth, split, folds, share, loss != "squared", np.random.default_rng(random_state))
    )
    losses = {
        name: np.array(
            [
                told[loss](clone(model).fit(X[fit], truth[fit]), X[left], truth[left])
                for fit, left in rounds
            ]
        )
        for name, model in candidates.items()
    }
    best = min(losses, key=lambda name: float(losses[name].mean()))
    return Selected(best, clone(candidates[best]).fit(X, truth), losses)


def _labels(model: Any, X: Any, y: np.ndarray) -> float:
    return zero_one_error(model.predict(X), y)


def _values(model: Any, X: Any, y: np.ndarray) -> float:
    return squared_error(model.predict(X), y)


def _chances(model: Any, X: Any, y: np.ndarray) -> float:
    return log_loss(model.predict_proba(X), np.searchsorted(model.classes_, y))


def _rounds(
    y: np.ndarray,
    split: Split,
    folds: int,
    share: float,
    stratified: bool,
    rng: np.random.Generator,
) -> Iterator[tuple[Ints, Ints]]:
    from sklearn import model_selection as ways

    seed = small_seed(rng)
    ways_of: dict[str, Callable[[], Any]] = {
        "leave-one-out": ways.LeaveOneOut,
        "hold-out": lambda: (ways.StratifiedShuffleSplit if stratified else ways.ShuffleSplit)(
            1, test_size=share, random_state=seed
        ),
        "folds": lambda: (ways.StratifiedKFold if stratified else ways.KFold)(
            folds, shuffle=True, random_state=seed
        ),
    }
    if split not in ways_of:
        raise ParameterError(f"split must be one of {', '.join(ways_of)}, and was {split!r}.")
    try:
        yield from ways_of[split]().split(np.zeros(y.size), y)
    except ValueError as error:
        raise DataError(f"These examples cannot be split so: {str(error).rstrip('.')}.") from None
