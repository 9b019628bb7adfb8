"""Diverters by name: what a person writes (a name, a diverter, any scikit-learn classifier) and what fits a view by itself."""

from __future__ import annotations

import importlib
from typing import Any

from coterie.compare.sic.roles import Diverter
from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.core.text import TaggedText

_HERE = "coterie.compare.sic"
NAMES = {
    "nearest": f"{_HERE}.nearest:Nearest",
    "tree": f"{_HERE}.trees:Tree",
    "forest": f"{_HERE}.trees:Forest",
    "crf": f"{_HERE}.crf:CRF",
    "hmm": f"{_HERE}.hmm:HMM",
}
MAKERS = (
    "svm",
    "kernel-svm",
    "logistic",
    "naive-bayes",
    "knn",
)  # ready-made scikit-learn classifiers


def diverter_of(given: Any, view: Any) -> Diverter:
    """The diverter asked for, checked against the view; left out: HMM for sequences, CRF for tagged text, else nearest."""
    if given is None:
        given = (
            "hmm"
            if isinstance(view, Ragged)
            else "crf"
            if isinstance(view, TaggedText)
            else "nearest"
        )
    found = (
        _named(given)
        if isinstance(given, str)
        else given
        if isinstance(given, Diverter)
        else _wrapped(given)
    )
    found.check_params()
    found.refuse(view)
    return found


def _named(name: str) -> Diverter:
    if name in MAKERS:
        maker = importlib.import_module(f"{_HERE}.classifiers").ready
        made: Diverter = maker(name)
        return made
    if name not in NAMES:
        known = ", ".join((*NAMES, *MAKERS))
        raise ParameterError(
            f"diverter must be one of {known}, or a classifier with fit and predict, and was {name!r}.",
            owner="SIC",
        )
    module, kind = NAMES[name].split(":")
    found: Diverter = getattr(importlib.import_module(module), kind)()
    return found


def _wrapped(estimator: Any) -> Diverter:
    if isinstance(estimator, type):
        raise ParameterError(
            f"diverter is the class {estimator.__name__}; give an instance, {estimator.__name__}().",
            owner="SIC",
        )
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise ParameterError(
            f"diverter must have fit and predict, and {estimator!r} does not.", owner="SIC"
        )
    from coterie.compare.sic.classifiers import Classifier

    return Classifier(estimator=estimator)
