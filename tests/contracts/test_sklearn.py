"""Every method of the catalog that takes a Table passes scikit-learn's own checks, by default and in its other forms."""

from __future__ import annotations

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import catalog
from coterie.compare import Minkowski
from coterie.represent import LSA, PLSA, TTMM, Scaling

OTHER_FORMS = [
    Minkowski(p=2.5),
    Minkowski(p=np.inf),
    LSA(n_components=0.5, normalize=True),
    LSA(n_components=2, solver="lanczos"),
    PLSA(n_topics=2, early_stopping=True),
    PLSA(n_topics=3, tempering="held-out"),
    *(TTMM(posterior=posterior) for posterior in ("token_share", "printed", "themes")),
    *(Scaling(method=method) for method in ("standard", "range", "robust", "none")),
]
FEWER: dict[str, dict[str, int]] = {
    "SIC": {"n_iterations": 40},
    "OneVersusAll": {"n_iterations": 3},
}  # the checks fit often
_NOT_TESTED_THEN = "Iterations that trained on a member do not classify it, and as a new member they do, so its row differs."
EXPECTED: dict[str, dict[str, str]] = {  # method -> {check that it may fail: why}
    name: {
        "check_transformer_general": _NOT_TESTED_THEN,
        "check_transformer_data_not_an_array": _NOT_TESTED_THEN,
    }
    for name in ("SIC", "OneVersusAll")
}


def _methods() -> list:
    """All methods of a table but networks: these need torch, and scikit-learn's checks would train them for minutes."""
    chosen = [
        entry
        for entry in catalog.ENTRIES
        if entry.takes.split(" | ")[0] == "Table" and entry.extra != "neural"
    ]
    return [entry.load()(**FEWER.get(entry.name, {})) for entry in chosen]


def _expected(estimator) -> dict[str, str]:
    return EXPECTED.get(type(estimator).__name__, {})


@parametrize_with_checks([*_methods(), *OTHER_FORMS], expected_failed_checks=_expected)
def test_scikit_learn_check(estimator, check) -> None:
    check(estimator)


def test_exceptions_are_about_methods_that_exist_and_have_a_reason() -> None:
    for name, checks in EXPECTED.items():
        catalog.find(name)
        assert all(why.endswith(".") for why in checks.values())
