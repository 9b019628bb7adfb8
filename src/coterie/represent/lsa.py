"""LSA, latent semantic analysis: documents (or any rows) in the few directions that hold most of a sparse table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Dense
from coterie.core.errors import ParameterError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.table import row_blocks
from coterie.core.workplace import steady
from coterie.parts.pairwise import pairwise
from coterie.parts.spectra import truncated_svd
from coterie.represent.topical import top_columns

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
