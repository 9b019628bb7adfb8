"""The likeliest words of the topics of a model, and the topics of its themes, as bars that show/topics draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Bars


def topic_bars(
    model: Any,
    n: int = 8,
    *,
    words: Sequence[str] | None = None,
    topics: Sequence[int] | None = None,
) -> Bars:
    """The n likeliest words of every topic of a fitted model (or of some topics), with their probabilities.

    `words` names the columns where the table that was fitted did not.
    """
    laws = _learned(model, "topics_", n)
    names = model.words_ if words is None else words
    if len(names) != laws.shape[1]:
        raise DataError(f"There are {laws.shape[1]} columns and {len(names)} names of words.")
    return _bars(
        f"Topics of {type(model).__name__}", "topic", laws, [str(name) for name in names], n, topics
    )


def theme_bars(model: Any, n: int = 8, *, themes: Sequence[int] | None = None) -> Bars:
    """The n likeliest topics of every theme of a fitted TTMM; the themes that hold most documents come first."""
    laws = _learned(model, "mixing_", n)
    order = np.argsort(-model.prior_, kind="stable") if themes is None else np.asarray(themes)
    leading = [row[0] for row in model.top_words(1)]
    names = [f"{k}: {leading[k]}" for k in range(laws.shape[1])]
    return _bars(f"Themes of {type(model).__name__}", "theme", laws, names, n, order.tolist())


def _learned(model: Any, name: str, n: int) -> np.ndarray:
    if n < 1:
        raise ParameterError(f"n must be a whole number from 1, and was {n!r}.")
    check_is_fitted(model)
    if not hasattr(model, name):
        raise DataError(
            f"{type(model).__name__} has no {'topics' if name == 'topics_' else 'themes'} to draw."
        )
    return np.asarray(getattr(model, name))


def _bars(
    title: str,
    what: str,
    laws: np.ndarray,
    names: Sequence[str],
    n: int,
    rows: Sequence[int] | None,
) -> Bars:
    chosen = range(len(laws)) if rows is None else rows
    outside = [row for row in chosen if not 0 <= row < len(laws)]
    if outside:
        raise ParameterError(f"There is no {what} {outside[0]}; they go from 0 to {len(laws) - 1}.")
    panels = {}
    for row in chosen:
        best = np.argsort(-laws[row], kind="stable")[:n]
        panels[f"{what} {row}"] = tuple(
            (names[at], float(laws[row, at])) for at in best if laws[row, at] > 0
        )
    return Bars(
        title, panels, f"The likeliest of each {what}, at most {n}, on one scale of probability."
    )
