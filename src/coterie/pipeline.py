"""Pipeline: a walk through the rooms as one estimator, checked for fit before any work starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity
from coterie.core.collection import Collection, as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.partition import Partition, Ranking, Segmentation
from coterie.core.table import Table
from coterie.core.workplace import stage, watched, workplace


class Pipeline(BaseEstimator):
    """Estimators in a row: representers, comparers, and at the end, if wanted, an organizer.

    An organizer that takes the members themselves (SpherePacking) may stand after a comparer, and is given what that was
    given; one that represents members itself (RepresentationVote), or a `Branch`, is given what the first step is; one
    that takes links (Comraf) may stand at the end of any walk, and is given the links of the collection.

    >>> from coterie.compare import Euclidean
    >>> from coterie.organize import Medoids
    >>> Pipeline([Euclidean(), Medoids(n_groups=2, random_state=0)]).fit_predict([[0.0], [0.1], [9.0], [9.1]]).tolist()
    [0, 0, 1, 1]
    """

    stored_fields: ClassVar[tuple[str, ...]] = ("steps",)

    steps_: list[Any]
    output_: Any

    def __init__(self, steps: Any) -> None:
        self.steps = steps

    def check_chain(self) -> None:
        """Say which step does not fit the one before it, before any work is done."""
        if not isinstance(self.steps, (list, tuple)) or not self.steps:
            raise ParameterError(
                "steps must be a list of estimators, and there is none.", owner="Pipeline"
            )
        before: Any = None
        seen: tuple[type, ...] = ()  # what the first comparing step is given
        for step in self.steps:
            if not hasattr(step, "fit"):
                hint = "; steps have no names here" if isinstance(step, tuple) else ""
                raise ParameterError(
                    f"{step!r} is not an estimator (it has no fit){hint}.", owner="Pipeline"
                )
            if isinstance(step, Branch):
                continue
            if hasattr(step, "compare") and not seen:
                seen = takes(step) if before is None else (gives(before),)
            beside = before is not None and by_members(step) and set(seen) & set(takes(step))
            if (
                before is not None
                and gives(before) not in takes(step)
                and not beside
                and not by_links(step)
                and not (represents(step) and set(takes(self.steps[0])) & set(takes(step)))
            ):
                raise ParameterError(
                    f"{type(step).__name__} takes {_names(step)}, {type(before).__name__} gives {gives(before).__name__}."
                )
            before = step

    def fit(self, X: Any, y: Any = None, hints: Any = None) -> Self:
        """Fit every step on what the one before it gives; `hints` are for the last, which must be one that takes them."""
        self.check_chain()
        if hints is not None and not getattr(self.steps[-1], "guided", False):
            raise ParameterError(
                f"the last step, {type(self.steps[-1]).__name__}, takes no hints.", owner="Pipeline"
            )
        data = members = first = _start(X, self.steps[0])
        links = _tied(X, self.steps[-1])
        self.steps_ = [clone(step) for step in self.steps]
        here = workplace()
        with watched(here.watch, "walk", len(self.steps_)) as task:
            for at, step in enumerate(self.steps_):
                members = members if isinstance(data, Affinity) else data
                with stage(f"{at}-{type(step).__name__.lower()}"):
                    given = (
                        X
                        if isinstance(step, Branch)
                        else links
                        if links is not None and by_links(step)
                        else first
                        if represents(step)
                        else members
                        if by_members(step)
                        else data
                    )
                    data = _fit_step(step, given, hints if at == len(self.steps_) - 1 else None)
                task.advance()
        self.output_ = data
        return self

    def fit_predict(self, X: Any, y: Any = None, hints: Any = None) -> np.ndarray:
        """Fit, and give the group of every member."""
        return self.fit(X, y, hints).labels_

    @property
    def partition_(self) -> Partition:
        """The partition of the last step."""
        check_is_fitted(self, "steps_")
        last = self.steps_[-1]
        if not hasattr(last, "partition_"):
            raise DataError(
                f"the last step, {type(last).__name__}, makes no groups.", owner="Pipeline"
            )
        found: Partition = last.partition_
        return found

    @property
    def labels_(self) -> np.ndarray:
        """The group of every fitted member."""
        check_is_fitted(self, "steps_")
        last = self.steps_[-1]
        own = hasattr(last, "labels_") and not hasattr(last, "partition_")
        return np.asarray(last.labels_) if own else self.partition_.labels

    @property
    def ranking_(self) -> Ranking:
        """The order of the members by the last step, best first."""
        check_is_fitted(self, "steps_")
        last = self.steps_[-1]
        if not hasattr(last, "ranking_"):
            raise DataError(
                f"the last step, {type(last).__name__}, puts nothing in order.", owner="Pipeline"
            )
        found: Ranking = last.ranking_
        return found

    @property
    def affinity_(self) -> Affinity:
        """The affinity of the last comparing step."""
        check_is_fitted(self, "steps_")
        for step in reversed(self.steps_):
            if hasattr(step, "affinity_"):
                found: Affinity = step.affinity_
                return found
        raise DataError("no step compares the members.", owner="Pipeline")

    def relate(self, X: Any) -> Any:
        """What the last step is given of new members: a table, sets, or an affinity queries x members."""
        check_is_fitted(self, "steps_")
        links = _tied(X, self.steps_[-1])
        if links is not None:
            return links
        if isinstance(self.steps_[-1], Branch):
            return X
        data = _start(X, self.steps_[0])
        if represents(self.steps_[-1]):
            return data
        if by_members(self.steps_[-1]):
            return self.members(X)
        steps = self.steps_[:-1] if hasattr(self.steps_[-1], "predict") else self.steps_
        for step in steps:
            data = step.compare(data) if hasattr(step, "compare") else _represent(step, data)
        return data

    def members(self, X: Any) -> Any:
        """What the first comparing step (or the organizer, where none compares) is given of these members."""
        check_is_fitted(self, "steps_")
        data = _start(X, self.steps_[0])
        for step in self.steps_:
            if hasattr(step, "compare") or gives(step) in (Partition, Ranking):
                break
            data = _represent(step, data)
        return data

    def compare(self, X: Any) -> Affinity:
        """New members against the fitted ones by the first comparing step: an affinity, queries x members."""
        check_is_fitted(self, "steps_")
        comparer = next((step for step in self.steps_ if hasattr(step, "compare")), None)
        if comparer is None:
            raise DataError("no step compares the members.", owner="Pipeline")
        found: Affinity = comparer.compare(self.members(X))
        return found

    def predict(self, X: Any) -> Any:
        """The group of new members; of an organizer that cuts, the cut of each new sequence."""
        check_is_fitted(self, "steps_")
        last = self.steps_[-1]
        if not hasattr(last, "predict"):
            raise DataError(
                f"the last step, {type(last).__name__}, places no new members.", owner="Pipeline"
            )
        found = last.predict(_plain(last, self.relate(X)))
        return found if gives(last) is Segmentation else np.asarray(found)


class Branch(BaseEstimator):
    """A pipeline of its own at the end of another one: it groups the members as they were read, and not as they are compared."""

    stored_fields: ClassVar[tuple[str, ...]] = ("pipeline",)

    pipeline_: Pipeline

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline

    @classmethod
    def of_fitted(cls, steps: Sequence[Any]) -> Self:
        """Of steps that were fitted before."""
        pipeline = Pipeline(list(steps))
        pipeline.steps_ = list(steps)
        made = cls(pipeline)
        made.pipeline_ = pipeline
        return made

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the pipeline on the members as they were read."""
        self.pipeline_ = clone(self.pipeline).fit(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members."""
        check_is_fitted(self, "pipeline_")
        return np.asarray(self.pipeline_.predict(X))

    @property
    def organizer_(self) -> Any:
        """The last step, which made the groups."""
        check_is_fitted(self, "pipeline_")
        return self.pipeline_.steps_[-1]

    @property
    def partition_(self) -> Partition:
        """The groups."""
        return self.pipeline_.partition_


def takes(step: Any) -> tuple[type, ...]:
    """The kinds of data a step takes; a scikit-learn estimator takes a Table."""
    return (getattr(step, "takes", Table), *getattr(step, "also", ()))


def by_members(step: Any) -> bool:
    """Whether it groups members by what they are, and not by how alike they are."""
    return gives(step) is Partition and Affinity not in takes(step) and hasattr(step, "takes")


def represents(step: Any) -> bool:
    """Whether it groups members as they were read, and represents them itself."""
    return bool(getattr(step, "represents", False))


def by_links(step: Any) -> bool:
    """Whether it groups members by counts of what they are tied to."""
    return Links in takes(step)


def _names(step: Any) -> str:
    return " or ".join(kind.__name__ for kind in takes(step))


def gives(step: Any) -> type:
    """What a step gives; a scikit-learn transformer gives a Table, a clusterer a Partition."""
    found: type = getattr(step, "gives", Table if hasattr(step, "transform") else Partition)
    return found


def _tied(X: Any, step: Any) -> Links | None:
    """The links of these members, where the step groups by them and there are any."""
    if not by_links(step) or not (isinstance(X, Links) or (isinstance(X, Collection) and X.links)):
        return None
    found: Links = as_view(X, (Links,), type(step).__name__)
    return found


def _start(X: Any, first: Any) -> Any:
    wanted = takes(first)
    if Affinity in wanted:
        if not isinstance(X, Affinity):
            raise DataError(
                f"{type(first).__name__} takes an Affinity; say what a square array is with Affinity.of(array, kind=...)."
            )
        return X
    tied = _tied(X, first)
    if tied is not None:
        return tied
    if isinstance(X, Collection) and not any(isinstance(view, wanted) for view in X.views.values()):
        raise DataError(
            f"{type(first).__name__} takes {_names(first)}, and there is none in: {X.describe()}."
        )
    return as_view(X, wanted, type(first).__name__)


def _fit_step(step: Any, data: Any, hints: Any = None) -> Any:
    if hasattr(step, "compare"):
        return step.fit(data).affinity_
    if gives(step) is Ranking:
        return step.fit(_plain(step, data)).ranking_
    if gives(step) in (Partition, Segmentation):
        step.fit(_plain(step, data), **({} if hints is None else {"hints": hints}))
        return getattr(step, "partition_", None) or Partition(step.labels_)
    step.fit(_plain(step, data))
    return _represent(step, data)


def _represent(step: Any, data: Any) -> Any:
    return (
        step.represent(data)
        if hasattr(step, "represent")
        else Table.of(step.transform(_plain(step, data)))
    )


def _plain(step: Any, data: Any) -> Any:
    """A bare array for estimators that are not ours."""
    ours = hasattr(step, "takes") or isinstance(step, Branch)
    return data.values if isinstance(data, Table) and not ours else data
