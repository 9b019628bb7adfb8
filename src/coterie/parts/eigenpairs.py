"""Some eigenpairs of a symmetric matrix, also where the quick way gives up."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def eigenpairs(matrix: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues from position `first` to `last` in rising order, and their vectors as columns.

    >>> eigenpairs(np.diag([3.0, 1.0, 2.0]), 1, 2)[0].tolist()
    [2.0, 3.0]
    """
    try:
        found: tuple[np.ndarray, np.ndarray] = scipy.linalg.eigh(
            matrix, subset_by_index=(first, last), check_finite=False
        )
    except scipy.linalg.LinAlgError:
        return slowly(matrix, first, last)
    return found


def slowly(matrix: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """The same by QR: the quick way of LAPACK (MRRR) fails on some matrices with many eigenvalues that are all but equal."""
    values, vectors = scipy.linalg.eigh(matrix, driver="ev", check_finite=False)
    return values[first : last + 1], vectors[:, first : last + 1]
