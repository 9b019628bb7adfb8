"""Which estimate a person means: a name, one of the estimates with its settings, or a classifier."""

from __future__ import annotations

from typing import Any

from coterie.core.errors import ParameterError
from coterie.parts.risks.role import Risk

NAMES = ("nn", "wang", "bound", "logistic", "knn", "svm", "affine")


def risk_for(risk: Any, owner: str) -> Risk:
    """The estimate itself, its settings checked."""
    if isinstance(risk, Risk):
        risk.check_params()
        return risk
    name = risk if isinstance(risk, str) else ""
    if name == "nn":
        from coterie.parts.risks.nn import NN

        return NN()
    if name == "wang":
        from coterie.parts.risks.wang import Wang

        return Wang()
    if name == "bound":
        from coterie.parts.risks.bound import Bound

        return Bound()
    if name in NAMES or (hasattr(risk, "fit") and hasattr(risk, "predict")):
        from coterie.parts.risks.classified import Classified

        found = Classified(classifier=risk)
        found.check_params()
        return found
    raise ParameterError(
        f"risk must be {' | '.join(NAMES)}, a risk with its settings or a classifier, and was {risk!r}.",
        owner=owner,
    )
