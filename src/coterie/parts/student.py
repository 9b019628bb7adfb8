"""Mixtures of multivariate Student t distributions for numbers, with multinomials for categories, fitted by EM.

A row of numbers z and of categories c has the density

    sum_j  weight_j  t(z; mean_j, covariance_j, df)  prod_c  probability_jc(c)

A t distribution is a Gaussian whose covariance is divided by a hidden gamma variable; what is expected of that variable,
(df + d) / (df + squared Mahalanobis distance), is the weight of a row in the M-step: rows far out hardly count.
Columns are taken as standardized. Covariances are one for all components (tied), or each one's own, shrunk to the one of
all with the weight of so many rows. Missing categories say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import gammaln

from coterie.core.table import Table
from coterie.parts.levels import codes_of

Form = Literal["tied", "shrunk"]
_CELLS = 1 << 22  # products of columns that are held at once (32 MB)
_PRIOR = 0.1  # weight of the prior of the pooled covariance: so many times d + 2 rows
_LEAST = 1e-9  # rows that a component is taken to have at least
_RIDGE = 1e-6  # variance of a standardized column that always stays
_SHORT = 20  # rounds of EM from every start,
_FINALISTS = 3  # of which so many go on to their end
_OFTEN = 0.1  # share of missing categories from which missing is a level of its own


@dataclass(frozen=True, eq=False)
class MixedRows:
    """Standardized numbers (n, d) and codes of categories (n, columns; -1 is missing) of the same members."""

    numbers: np.ndarray
    codes: np.ndarray
    sizes: tuple[int, ...]  # levels of every column of categories

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def dim(self) -> int:
        """How many numbers a row has."""
        return int(self.numbers.shape[1])

    def take(self, rows: np.ndarray) -> MixedRows:
        """Some of the rows."""
        return MixedRows(self.numbers[rows], self.codes[rows], self.sizes)

    def indicators(self) -> np.ndarray:
        """A column per level of every category, one where it applies."""
        found = np.zeros((len(self), sum(self.sizes)))
        first = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        rows, columns = np.nonzero(self.codes >= 0)
        found[rows, first[columns] + self.codes[rows, columns]] = 1.0
        return found


@dataclass(frozen=True, eq=False)
class Coding:
    """How the rows of a table become mixed rows, learned from one table and used for later ones."""

    numeric: np.ndarray  # positions of the columns of numbers
    center: np.ndarray
    scale: np.ndarray  # deviations; one where a column is constant
    levels: Mapping[int, tuple[str, ...]]  # of the columns of categories
    own_level: tuple[bool, ...]  # whether missing is a level of its own
    shares: np.ndarray  # of all levels, side by side
    spread: np.ndarray  # of the levels of a column together

    @classmethod
    def of(cls, table: Table, owner: str) -> Coding:
        """From the rows of a table."""
        numeric = table.numeric
        numbers = np.asarray(table.values[:, numeric], dtype=np.float64)
        known = ~np.isnan(numbers)
        count = np.maximum(known.sum(axis=0), 1)
        center = np.where(known, numbers, 0.0).sum(axis=0) / count
        off = np.where(known, numbers - center, 0.0)
        deviation = np.sqrt(np.square(off).sum(axis=0) / count)
        scale = np.where(deviation > 1e-12 * np.abs(center), deviation, 1.0)
        levels = {int(j): tuple(table.categories[j]) for j in table.categorical}
        missing = np.isnan(np.asarray(table.values[:, list(levels)], dtype=np.float64))
        own = tuple(bool(share > _OFTEN) for share in missing.mean(axis=0))
        blank = np.empty(0)
        first = cls(numeric, center, scale, levels, own, blank, blank)
        indicators = first.rows(table, owner).indicators()
        shares = np.empty(indicators.shape[1])
        spread = np.empty(indicators.shape[1])
        for part in _parts(first.sizes):
            seen = max(float(indicators[:, part].sum()), 1.0)
            shares[part] = indicators[:, part].sum(axis=0) / seen
            spread[part] = math.sqrt(float((shares[part] * (1 - shares[part])).sum())) or 1.0
        return cls(numeric, center, scale, levels, own, shares, spread)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels every column of categories has."""
        pairs = zip(self.levels.values(), self.own_level, strict=True)
        return tuple(len(names) + own for names, own in pairs)

    def rows(self, table: Table, owner: str) -> MixedRows:
        """Standardized numbers, a missing one as the mean, and codes of the categories, -1 for one never seen."""
        numbers = (
            np.asarray(table.values[:, self.numeric], dtype=np.float64) - self.center
        ) / self.scale
        np.copyto(numbers, 0.0, where=np.isnan(numbers))
        named = codes_of(table, self.levels, owner)
        codes = np.full((len(table), len(self.levels)), -1, dtype=np.int64)
        for at, (column, names) in enumerate(self.levels.items()):
            found = named[column]
            seen = found < len(names)
            codes[seen, at] = found[seen].astype(np.int64)
            if self.own_level[at]:
                codes[np.isnan(found), at] = len(names)
        return MixedRows(numbers, codes, self.sizes)

    def points(self, rows: MixedRows) -> np.ndarray:
        """The rows as plain vectors: numbers as they were, and a column per level; a category has variance one in all."""
        numbers = rows.numbers * self.scale
        indicators = rows.indicators()
        for part, known in zip(_parts(rows.sizes), (rows.codes >= 0).T, strict=True):
            indicators[:, part] -= known[:, None] * self.shares[part]
        return np.hstack([numbers, indicators / self.spread])


class Products:
    """One, the columns, and the products of every two columns of each row.

    Squared Mahalanobis distances to all components are one matrix product of these, and so are the sums of the M-step.
    They are held where they fit and made again, block by block, where they do not.
    """

    def __init__(self, numbers: np.ndarray) -> None:
        n, d = numbers.shape
        self.numbers = numbers
        self.upper = np.triu_indices(d)
        self.width = 1 + d + len(self.upper[0])
        step = max(1, _CELLS // self.width)
        self.blocks = [slice(lo, min(lo + step, n)) for lo in range(0, n, step)]
        self.held = self._made(slice(0, n)) if len(self.blocks) == 1 else None

    def __call__(self, rows: slice) -> np.ndarray:
        return self._made(rows) if self.held is None else self.held[rows]

    def _made(self, rows: slice) -> np.ndarray:
        part = self.numbers[rows]
        found = np.empty((len(part), self.width))
        found[:, 0] = 1.0
        found[:, 1 : 1 + part.shape[1]] = part
        np.multiply(
            part[:, self.upper[0]], part[:, self.upper[1]], out=found[:, 1 + part.shape[1] :]
        )
        return found

    def squared_distances(self, means: np.ndarray, precisions: np.ndarray) -> np.ndarray:
        """(z - mean_j)' precision_j (z - mean_j) of every row and component."""
        turned = np.einsum("jab,jb->ja", precisions, means)
        twice = np.where(self.upper[0] == self.upper[1], 1.0, 2.0)
        constant = np.einsum("ja,ja->j", turned, means)[:, None]
        crossed = precisions[:, self.upper[0], self.upper[1]] * twice
        by_product = np.hstack([constant, -2.0 * turned, crossed]).T
        found = np.empty((len(self.numbers), len(means)))
        for rows in self.blocks:
            np.matmul(self(rows), by_product, out=found[rows])
        return np.maximum(found, 0.0, out=found)

    def moments(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sums over the rows, weighted for every component: of one, of z, and of z z'."""
        d = self.numbers.shape[1]
        total = np.zeros((weights.shape[1], self.width))
        for rows in self.blocks:
            total += weights[rows].T @ self(rows)
        second = np.empty((len(total), d, d))
        second[:, self.upper[0], self.upper[1]] = total[:, 1 + d :]
        second[:, self.upper[1], self.upper[0]] = total[:, 1 + d :]
        return total[:, 0], total[:, 1 : 1 + d], second


@dataclass(frozen=True, eq=False)
class StudentComponents:
    """The parameters of a mixture: of standardized numbers, and probabilities of the levels, all categories side by side."""

    weights: np.ndarray  # (k,)
    means: np.ndarray  # (k, d)
    covariances: np.ndarray  # (k, d, d)
    probabilities: np.ndarray  # (k, all levels)
    df: float

    def log_densities(
        self, products: Products, indicators: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of every row and component: the log of weight times density, and the squared Mahalanobis distance."""
        d = self.means.shape[1]
        factors = np.linalg.cholesky(self.covariances)
        half_log_determinants = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
        inverses = np.linalg.inv(factors)
        squared = products.squared_distances(self.means, np.swapaxes(inverses, 1, 2) @ inverses)
        peak = gammaln((self.df + d) / 2) - gammaln(self.df / 2) - d / 2 * np.log(self.df * np.pi)
        log = np.log1p(squared / self.df)
        log *= -(self.df + d) / 2
        log += peak - half_log_determinants + np.log(self.weights)
        if indicators.shape[1]:
            log += indicators @ np.log(self.probabilities).T
        return log, squared

    def responsibilities(self, rows: MixedRows) -> tuple[np.ndarray, float]:
        """The share of every component in every row, and the log-likelihood of all rows."""
        log, _ = self.log_densities(Products(rows.numbers), rows.indicators())
        return normalize(log)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A mixture with what it makes of the rows it was fitted on."""

    components: StudentComponents
    responsibilities: np.ndarray
    counts: np.ndarray  # what each row counts in each component
    log_likelihood: float
    n_iter: int
    converged: bool


def normalize(log_densities: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows of logs as shares that sum to one, and the sum of the logs of their totals."""
    largest = log_densities.max(axis=1, keepdims=True)
    shares = np.exp(log_densities - largest)
    total = shares.sum(axis=1, keepdims=True)
    shares /= total
    return shares, float(largest.sum() + np.log(total).sum())


def e_step(
    components: StudentComponents, products: Products, indicators: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """The share of every component in every row, what the row counts there, and the log-likelihood."""
    log, squared = components.log_densities(products, indicators)
    shares, log_likelihood = normalize(log)
    counts = (components.df + components.means.shape[1]) / (components.df + squared)
    return shares, counts, log_likelihood


def m_step(
    shares: np.ndarray,
    counts: np.ndarray,
    products: Products,
    indicators: np.ndarray,
    margins: Margins,
    *,
    df: float,
    form: Form,
    shrinkage: float,
) -> StudentComponents:
    """The parameters that suit these shares, and the counts of the rows, best."""
    n, k = shares.shape
    d = products.numbers.shape[1]
    sizes = shares.sum(axis=0)
    total, first, second = products.moments(shares * counts)
    means = first / (total + _LEAST)[:, None]
    scatter = (
        second
        - _outer(means, first)
        - _outer(first, means)
        + total[:, None, None] * _outer(means, means)
    )
    prior = _PRIOR * (d + 2)
    spread = k ** (-2.0 / max(d, 1)) * margins.variances
    pooled = (scatter.sum(axis=0) + prior * np.diag(spread)) / (n + prior)
    if form == "tied":
        covariances = np.broadcast_to(pooled, scatter.shape)
    else:
        own = (sizes + _LEAST)[:, None, None]
        covariances = (scatter + shrinkage * pooled) / (own + shrinkage)
    covariances = covariances + _RIDGE * np.eye(d)
    return StudentComponents(
        (sizes + 1) / (n + k), means, covariances, margins.smoothed(shares.T @ indicators), df
    )


@dataclass(frozen=True, eq=False)
class Margins:
    """What is known of all rows together: the variance of every number, the share of every level of a category."""

    variances: np.ndarray
    shares: np.ndarray
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, rows: MixedRows, indicators: np.ndarray) -> Margins:
        """Of these rows; a level that nobody has keeps a little."""
        shares = np.empty(indicators.shape[1])
        for part in _parts(rows.sizes):
            seen = indicators[:, part].sum(axis=0) + 1e-6
            shares[part] = seen / seen.sum()
        return cls(rows.numbers.var(axis=0), shares, rows.sizes)

    def smoothed(self, sums: np.ndarray) -> np.ndarray:
        """Probabilities of the levels from their sums in every component, with as many rows of the margin as levels."""
        found = np.empty_like(sums)
        for part in _parts(self.sizes):
            prior = (part.stop - part.start) * self.shares[part]
            found[:, part] = sums[:, part] + prior
            found[:, part] /= found[:, part].sum(axis=1, keepdims=True)
        return found


@dataclass(frozen=True)
class EM:
    """How a mixture is fitted."""

    df: float
    form: Form
    shrinkage: float | None = None  # None is the number of columns + 2
    max_iter: int = 100
    tol: float = 1e-5  # of the mean log-likelihood of a row

    def fit(
        self, rows: MixedRows, start: Fitted | np.ndarray, k: int, products: Products
    ) -> Fitted:
        """Shares and parameters in turn, from a grouping or from where another fit ended."""
        indicators = rows.indicators()
        margins = Margins.of(rows, indicators)
        shrinkage = rows.dim + 2.0 if self.shrinkage is None else self.shrinkage
        before = -math.inf
        n_iter = 0
        converged = False
        if isinstance(start, Fitted):
            shares, counts = start.responsibilities, start.counts
            before = start.log_likelihood
            n_iter = start.n_iter
        else:
            shares = np.zeros((len(rows), k))
            shares[np.arange(len(rows)), start] = 1.0
            counts = np.ones_like(shares)
        while not converged:
            components = m_step(
                shares,
                counts,
                products,
                indicators,
                margins,
                df=self.df,
                form=self.form,
                shrinkage=shrinkage,
            )
            shares, counts, log_likelihood = e_step(components, products, indicators)
            n_iter += 1
            converged = abs(log_likelihood - before) < self.tol * len(rows)
            before = log_likelihood
            if n_iter >= self.max_iter:
                break
        return Fitted(components, shares, counts, log_likelihood, n_iter, converged)

    def best(self, rows: MixedRows, starts: Sequence[np.ndarray], k: int) -> Fitted:
        """The likeliest end (the first of equals): short runs from every start, and the best few of them to their end.

        Starts with fewer than k groups are used only where all have fewer.
        """
        most = max(len(np.unique(labels)) for labels in starts)
        used = [labels for labels in starts if len(np.unique(labels)) == most]
        products = Products(rows.numbers)
        short = replace(self, max_iter=min(_SHORT, self.max_iter))
        tried = [short.fit(rows, labels, k, products) for labels in used]
        order = sorted(range(len(tried)), key=lambda at: -tried[at].log_likelihood)
        ended = []
        for at in order[:_FINALISTS]:
            done = tried[at].converged or tried[at].n_iter >= self.max_iter
            ended.append(tried[at] if done else self.fit(rows, tried[at], k, products))
        return max(ended, key=lambda fit: fit.log_likelihood)


def count_parameters(
    fitted: Fitted, sizes: Sequence[int], form: Form, shrinkage: float | None = None
) -> float:
    """Free parameters: of a covariance that is shrunk, the share that its own rows decide."""
    k, d = fitted.components.means.shape
    whole = d * (d + 1) / 2
    levels = sum(size - 1 for size in sizes)
    covariances = whole
    if form == "shrunk":
        weight = d + 2.0 if shrinkage is None else shrinkage
        members = fitted.responsibilities.sum(axis=0)
        own = float((members / np.maximum(members + weight, _LEAST)).sum())
        covariances = whole * (1 + max(0.0, own - 1))
    return k - 1 + k * d + k * levels + covariances


def bic(fitted: Fitted, sizes: Sequence[int], form: Form, shrinkage: float | None = None) -> float:
    """The Bayesian information criterion, -2 log-likelihood + parameters log n: lower is better."""
    n = len(fitted.responsibilities)
    free = count_parameters(fitted, sizes, form, shrinkage)
    return -2 * fitted.log_likelihood + free * math.log(n)


def _outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[:, :, None] * b[:, None, :])


def _parts(sizes: Sequence[int]) -> list[slice]:
    """Where the levels of each category lie."""
    ends = np.cumsum(sizes).astype(int)
    return [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes, strict=True)]
