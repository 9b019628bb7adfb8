"""Classifier: any scikit-learn classifier put to another use, and ready-made ones by name."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from coterie.compare.sic.columns import Columns, columns
from coterie.compare.sic.quiet import quiet
from coterie.compare.sic.roles import Diverter
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.random import small_seed
from coterie.core.table import Table

_MAGNITUDES = 100  # a range whose ends differ by this factor is drawn evenly in magnitude


class Classifier(Diverter):
    """Anything with fit and predict: cloned in every iteration, with its own seed and, where wanted, its own parameters.

    The similarity inherits what the classifier does not see: a linear one sees directions, a tree sees orders.
    """

    takes: ClassVar[tuple[type, ...]] = (Table,)

    estimator: Any = param(None, "The classifier; any object with fit and predict.")
    vary: dict[str, Any] | None = param(
        None,
        "Parameters drawn anew in every iteration: name to a pair (from, to), or to a list of choices.",
    )
    scale: str = param(
        "none",
        "Numbers as they are, or brought to deviation 1 (standard) or to ranks; words become one column per level.",
        choices=("none", "standard", "rank"),
    )
    gaps: str = param(
        "refuse",
        "Gaps are refused (unless the classifier reads them), or read as the mean.",
        choices=("refuse", "fill"),
    )

    def check_params(self) -> None:
        """Refuse what cannot be trained or is not a parameter, in one sentence."""
        super().check_params()
        if not (hasattr(self.estimator, "fit") and hasattr(self.estimator, "predict")):
            raise ParameterError(
                f"estimator must have fit and predict, and {self.estimator!r} does not.",
                owner="Classifier",
            )
        for name, span in (self.vary or {}).items():
            known = self.estimator.get_params() if hasattr(self.estimator, "get_params") else {}
            if name not in known:
                raise ParameterError(
                    f"{type(self.estimator).__name__} has no parameter '{name}' to vary.",
                    owner="Classifier",
                )
            if isinstance(span, tuple):
                if not (len(span) == 2 and span[0] <= span[1]):
                    raise ParameterError(
                        f"vary['{name}'] must be (from, to), and was {span!r}.", owner="Classifier"
                    )
            elif not isinstance(span, list) or not span:
                raise ParameterError(
                    f"vary['{name}'] must be a pair (from, to) or a list, and was {span!r}.",
                    owner="Classifier",
                )

    def prepare(self, view: Any, like: Any = None) -> Columns:
        """The table as rows of numbers."""
        table = Table.of(view)
        tags = _tags(self.estimator)
        owner = type(self.estimator).__name__
        if table.sparse and not (tags and tags.input_tags.sparse):
            raise DataError(f"{owner} does not take sparse input; pass a dense array (.toarray()).")
        if not table.sparse and self.gaps == "refuse" and not (tags and tags.input_tags.allow_nan):
            missing = np.argwhere(np.isnan(table.values))
            if len(missing):
                row, column = missing[0]
                raise DataError(
                    f"{owner} does not read gaps, and row {row}, column '{table.names[column]}' is one; "
                    "fill it first, or use Classifier(gaps='fill')."
                )
        return columns(table, "raw" if self.scale == "none" else self.scale, owner, like)

    def draw(self, data: Columns, generator: np.random.Generator) -> dict[str, Any]:
        """The parameters to vary, drawn anew."""
        return {name: _drawn(span, generator) for name, span in (self.vary or {}).items()}

    def train(
        self,
        data: Columns,
        members: np.ndarray,
        labels: np.ndarray,
        drawn: Mapping[str, Any],
        generator: np.random.Generator,
        contrast: Any = None,
    ) -> Any:
        """A clone of the classifier, fitted to the made-up labels."""
        from sklearn.base import clone

        made = (
            clone(self.estimator)
            if hasattr(self.estimator, "get_params")
            else copy.deepcopy(self.estimator)
        )
        if hasattr(made, "get_params"):
            seeded = [
                name
                for name in made.get_params()
                if name == "random_state" or name.endswith("__random_state")
            ]
            made.set_params(**{name: small_seed(generator) for name in sorted(seeded)}, **drawn)
        with quiet():
            return made.fit(self._rows(data, members), labels)

    def apply(self, trained: Any, data: Columns, members: np.ndarray) -> np.ndarray:
        """Its predictions; members with the very same row get the very same one."""
        rows, back = np.unique(data.same[members], return_inverse=True)
        with quiet():
            return np.asarray(trained.predict(self._rows(data, rows)))[back.ravel()]

    def reasons(
        self, trained: Any, data: Columns, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """Columns by coefficient times value (linear classifiers) or by importance; nothing where neither is known."""
        last = trained[-1] if hasattr(trained, "steps") else trained
        before = trained[:-1] if hasattr(trained, "steps") and len(trained.steps) > 1 else None
        weight = self._weights(trained, last, before, data, np.asarray(members))
        if weight is None or len(weight) != len(data.source):
            return ()
        names = data.names
        order = np.argsort(-weight, kind="stable")[:50]
        return tuple((names[j], float(weight[j])) for j in order if weight[j] > 0)

    def _weights(
        self, trained: Any, last: Any, before: Any, data: Columns, members: np.ndarray
    ) -> np.ndarray | None:
        if hasattr(last, "coef_") and not callable(last.coef_):
            coef = np.asarray(
                last.coef_.toarray() if hasattr(last.coef_, "toarray") else last.coef_,
                dtype=np.float64,
            )
            said = self.apply(trained, data, members)
            names, count = np.unique(said, return_counts=True)
            rows = self._rows(data, members[said == names[count.argmax()]])
            rows = before.transform(rows) if before is not None else rows
            mean = np.asarray(rows.mean(axis=0)).ravel()
            at = int(np.flatnonzero(np.asarray(last.classes_) == names[count.argmax()])[0])
            if len(coef) == len(last.classes_):
                return np.asarray(coef[at] * mean) if len(mean) == coef.shape[1] else None
            if len(coef) == 1:
                return (
                    np.asarray((1 if at else -1) * coef[0] * mean)
                    if len(mean) == coef.shape[1]
                    else None
                )
        found = getattr(last, "feature_importances_", None)
        return None if found is None else np.asarray(found, dtype=np.float64)

    def _rows(self, data: Columns, members: np.ndarray) -> Any:
        rows = data.rows[members]
        if data.known is not None and self.gaps == "refuse":
            rows = np.where(data.known[members], rows, np.nan)
        return rows


def _tags(estimator: Any) -> Any:
    from sklearn.utils import get_tags

    try:
        return get_tags(estimator)
    except Exception:  # a plug-in of any kind may know nothing of tags
        return None


def _drawn(span: Any, generator: np.random.Generator) -> Any:
    if isinstance(span, list):
        return span[int(generator.integers(len(span)))]
    low, high = span
    if isinstance(low, int) and isinstance(high, int):
        return int(generator.integers(low, high + 1))
    if low > 0 and high / low >= _MAGNITUDES:
        return float(np.exp(generator.uniform(np.log(low), np.log(high))))
    return float(generator.uniform(low, high))


def ready(name: str) -> Classifier:
    """A ready-made classifier: svm, kernel-svm, logistic, naive-bayes or knn, standardized and with gaps filled."""
    if name not in _READY:
        raise ParameterError(
            f"A ready-made classifier is one of {', '.join(_READY)}, and was {name!r}."
        )
    return Classifier(estimator=_READY[name](), scale="standard", gaps="fill")


def _svm() -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC()


def _kernel_svm() -> Any:
    from sklearn.svm import SVC

    return SVC(C=10.0)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def _naive_bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=0.1)


def _knn() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors=1, algorithm="brute")


_READY: dict[str, Callable[[], Any]] = {
    "svm": _svm,
    "kernel-svm": _kernel_svm,
    "logistic": _logistic,
    "naive-bayes": _naive_bayes,
    "knn": _knn,
}
