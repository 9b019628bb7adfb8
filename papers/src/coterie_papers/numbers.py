"""Numbers of experiments as words: thousands apart, no powers of ten, p-values with two digits, differences with a sign."""

from __future__ import annotations

import math
import re

import numpy as np

from coterie.workflows.system_words import p_words
from coterie_papers.experiment import Row

_P = re.compile(r"\bp\b")  # a measure that is a p-value: "McNemar p", "accuracy, p (permutation)"


def number(value: float) -> str:
    """A number with four digits.

    >>> number(32841.0), number(0.43126), number(8.8e-05), number(12.5), number(0.0)
    ('32,841', '0.4313', '0.000088', '12.5', '0')
    """
    if not math.isfinite(value):
        return f"{value}"
    if abs(value) >= 999.95:  # which four digits make 1000
        return f"{value:,.0f}"
    if 0 < abs(value) < 1e-4:
        return np.format_float_positional(value, precision=2, fractional=False, trim="-")
    return f"{value:.4g}"


def ours(row: Row) -> str:
    """Our number and its standard error; an error below the last place that is shown is said to be."""
    if _P.search(row.measure) and 0 <= row.ours <= 1:
        return p_words(row.ours)
    told = number(row.ours)
    if not row.se:
        return told
    places = len(told.partition(".")[2]) or (
        0 if abs(row.ours) >= 1000 else 4 - len(told.lstrip("-"))
    )
    least = 10.0 ** -max(places, 0)
    return (
        f"{told} ± {_error(row.se)}"
        if row.se >= least / 2
        else f"{told} ± <{np.format_float_positional(least, trim='-')}"
    )


def _error(se: float) -> str:
    return f"{se:,.0f}" if se >= 100 else np.format_float_positional(float(f"{se:.2g}"), trim="-")


def published(row: Row) -> str:
    """The number beside ours, with what it is where it is not the paper's own on this data; nothing where there is none."""
    if row.paper is None:
        return ""
    told = (
        p_words(row.paper) if _P.search(row.measure) and 0 <= row.paper <= 1 else number(row.paper)
    )
    return f"{told} ({row.beside})" if row.beside else told


def difference(row: Row) -> str:
    """Ours less the number beside it, with its sign; nothing where there is none, and of p-values, which are not subtracted.

    >>> difference(Row("a", "AUC", "toy", 0.5, paper=0.25)), difference(Row("a", "AUC", "toy", 0.5, paper=0.5))
    ('+0.25', '0')
    """
    if row.paper is None or _P.search(row.measure) or not math.isfinite(row.ours):
        return ""
    gap = row.ours - row.paper
    if abs(gap) <= 1e-9 * max(1.0, abs(row.paper)):  # what adding and dividing leaves over
        return "0"
    told = number(gap)
    return told if gap < 0 else f"+{told}"
