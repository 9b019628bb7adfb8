"""LSA, latent semantic analysis: documents (or any rows) in the few directions that hold most of a sparse table.

The largest singular values and vectors are exact, randomized, or by Lanczos; nothing is centered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Dense
from coterie.core.blocks import row_blocks
from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.pairwise import pairwise
from coterie.represent.role import Representer
from coterie.represent.topical import top_columns

_EXTRA = 10  # columns sampled beyond those wanted
_POWERS = 2  # times the sample is sent through the matrix and back


def truncated_svd(
    matrix: Any, rank: int, solver: str, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Singular values in falling order, and the right singular vectors as rows, their largest entry positive."""
    with steady():
        if rank + _EXTRA >= min(matrix.shape):
            full = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
            _, values, vectors = np.linalg.svd(full, full_matrices=False)
        elif solver == "lanczos":
            values, vectors = _lanczos(matrix, rank)
        else:
            values, vectors = _randomized(matrix, rank, random_state)
    return values[:rank], signed(vectors[:rank])


def signed(vectors: np.ndarray) -> np.ndarray:
    """Rows with their largest entry (by size; the first of equals) made positive."""
    top = np.argmax(np.round(np.abs(vectors), 12), axis=1)
    signs = np.sign(vectors[np.arange(len(vectors)), top])
    return vectors * np.where(signs == 0, 1.0, signs)[:, None]


def _randomized(matrix: Any, rank: int, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """A random sample of the column space, sharpened by power iterations, then an exact decomposition inside it."""
    width = rank + _EXTRA
    basis = _orthonormal(matrix @ stream(random_state).standard_normal((matrix.shape[1], width)))
    for _ in range(_POWERS):
        basis = _orthonormal(matrix.T @ basis)
        basis = _orthonormal(matrix @ basis)
    _, values, vectors = np.linalg.svd(np.asarray(matrix.T @ basis).T, full_matrices=False)
    return values, vectors


def _orthonormal(columns: Any) -> np.ndarray:
    return np.linalg.qr(np.asarray(columns))[0]


def _lanczos(matrix: Any, rank: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.sparse.linalg import svds

    start = stream(0).standard_normal(min(matrix.shape))
    _, values, vectors = svds(matrix, k=rank, v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[order]


_FIRST = 16  # components looked at first when a share of variance is asked for


class LSA(Representer):
    """Latent semantic analysis: rows projected on the leading singular vectors of the table, without centring."""

    sparse: ClassVar[bool] = True

    n_components: float = param(
        100, "How many dimensions; below 1, the share of the squared values to keep.", gt=0
    )
    normalize: bool = param(False, "Whether the rows that come out are brought to length one.")
    solver: str = param(
        "randomized",
        "How singular vectors are found.",
        choices=("randomized", "lanczos"),
        advanced=True,
    )
    random_state: int | None = param(0, "Seed of the randomized solver.", ge=0, advanced=True)

    words_: np.ndarray
    singular_values_: np.ndarray
    components_: np.ndarray
    variance_share_: np.ndarray
    n_components_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the leading directions; more components than the table can have are cut to what it has."""
        table = self.check(X)
        matrix = table.values
        self.words_ = np.array(table.names, dtype=object)
        wanted = self.n_components
        if wanted >= 1 and wanted != int(wanted):
            raise ParameterError(
                f"n_components must be a whole number, or a share below 1, and was {wanted!r}.",
                owner="LSA",
            )
        squares = _squared(matrix)
        if wanted >= 1:
            values, vectors = self._decomposed(matrix, min(int(wanted), min(matrix.shape)))
        else:
            values, vectors = self._for_share(matrix, squares)
        self.singular_values_ = values
        self.components_ = vectors
        self.variance_share_ = (
            np.minimum(np.cumsum(values**2) / squares, 1.0) if squares > 0 else np.ones(len(values))
        )
        self.n_components_ = self.n_features_out_ = len(values)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Fold rows in: their inner products with the directions, the same for fitted and for new rows."""
        matrix = self.check(X, new=True).values
        with steady():
            rows = np.asarray(matrix @ self.components_.T)
        if self.normalize:
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return rows

    def transform_words(self) -> np.ndarray:
        """The columns of the table (the words) in the same space: columns x components."""
        return np.asarray(self.components_.T * self.singular_values_)

    def top_words(self, n: int = 10, words: Sequence[str] | None = None) -> list[list[str]]:
        """The n words that weigh most in every direction, by size; `words` names the columns where the table did not."""
        check_is_fitted(self)
        return top_columns(np.abs(self.components_), self.words_ if words is None else words, n)

    def kernel(self, X: Any, Y: Any = None) -> Dense:
        """The latent semantic kernel: inner products of rows (with those of Y, if given) in the leading directions."""
        rows, cols = (None if some is None else self.transform(some) for some in (X, Y))
        return pairwise(_inner, rows, cols, kind="similarity", label="LSA kernel", costly=False)

    def _decomposed(self, matrix: Any, rank: int) -> tuple[np.ndarray, np.ndarray]:
        return truncated_svd(matrix, rank, self.solver, self.random_state)

    def _for_share(self, matrix: Any, squares: float) -> tuple[np.ndarray, np.ndarray]:
        """The fewest components that hold the share asked for; twice as many are tried until they do."""
        rank = min(_FIRST, min(matrix.shape))
        most = min(matrix.shape)
        while True:
            values, vectors = self._decomposed(matrix, rank)
            enough = np.flatnonzero(
                np.cumsum(values**2) >= self.n_components * squares * (1 - 1e-12)
            )
            if len(enough):
                return values[: enough[0] + 1], vectors[: enough[0] + 1]
            if rank == most:
                return values, vectors
            rank = min(2 * rank, most)


def _squared(matrix: Any) -> float:
    """The sum of all squared values, block by block: the matrix may lie in a file."""
    if hasattr(matrix, "tocsr"):
        return float(np.square(matrix.data).sum())
    return float(sum(np.square(matrix[rows]).sum() for rows in row_blocks(*matrix.shape)))


def _inner(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return np.asarray(rows @ cols.T)
