"""BLAS with one thread and with two rounds differently; what is learned from data large enough for threads has the same bits."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from coterie.core.views import Views
from coterie.organize import Categorize
from coterie.represent import CCA, KCCA, LSA, PWCA

N = 420
WIDTH = 330
GROUPS = np.repeat(np.arange(3), N // 3)


def rows() -> np.ndarray:
    generator = np.random.default_rng(0)
    return generator.normal(size=(N, WIDTH)) + 1.5 * np.eye(3).repeat(WIDTH // 3, axis=1)[GROUPS]


@functools.cache  # made once: on some processors this product itself rounds otherwise with two threads
def views() -> Views:
    found = rows()
    return Views.of(
        {
            "first": found[:, :200],
            "second": found @ np.random.default_rng(1).normal(size=(WIDTH, 150)),
        }
    )


def placed(method: Any) -> np.ndarray:
    fitted = method.fit(views())
    return np.concatenate(
        [fitted.factors_.ravel(), *(np.ravel(dual) for dual in fitted.duals_.values())]
    )


LEARNED = {
    "CCA": lambda: placed(CCA()),
    "KCCA": lambda: placed(KCCA()),
    "PWCA": lambda: placed(PWCA()),
    "LSA": lambda: LSA(n_components=20, random_state=0).fit_transform(np.abs(rows())),
    "Categorize, linear": lambda: Categorize().fit(rows(), GROUPS).scores(rows()),
    "Categorize, Gaussian": lambda: (
        Categorize(kernel="rbf", C=1.0).fit(rows(), GROUPS).scores(rows())
    ),
}


@pytest.mark.parametrize("name", LEARNED)
def test_cores_change_no_bit(name):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(LEARNED[name]())
    assert np.array_equal(*found)
