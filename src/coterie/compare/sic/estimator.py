"""SIC: any classifier, trained again and again on random labels, becomes a similarity."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.compare.role import Comparer
from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.convergence import stop_rule
from coterie.compare.sic.diverters import diverter_of
from coterie.compare.sic.explain import Explanation, asked, explain_group, explain_pair
from coterie.compare.sic.iterations import (
    Course,
    Row,
    assembled,
    checked,
    failed,
    fingerprint,
    gathered,
    joined,
)
from coterie.compare.sic.roles import Annotator, Diverter, Draw
from coterie.compare.sic.running import EARLY, advise, collected, replayed, unmet
from coterie.compare.sic.samples import Samples
from coterie.compare.sic.scores import Binary, Score, named, top
from coterie.core.affinity import Affinity, Graph, is_searched
from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.core.workplace import workplace
from coterie.parts.pairwise import graph, graph_of_nearest
from coterie.parts.workers import in_order

if TYPE_CHECKING:
    from coterie.compare.sic.convergence import Convergence
    from coterie.compare.sic.mixture import Mixture, Threshold


class SIC(Comparer):
    """Similarity by iterative classifications: how often classifiers trained on random labels take two members for one.

    Every iteration trains `diverter` on a random part of the members with labels that mean nothing, and classifies the
    rest; two members are alike as often as they come out with the same label. Only the codes are kept: every score is
    read off them, and a classifier is made again from the seed when it is needed (for new members, for explanations).
    """

    takes: ClassVar[type] = Table
    also: ClassVar[tuple[type, ...]] = (Ragged, TaggedText)
    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    sparse: ClassVar[bool] = True
    least: ClassVar[int] = (
        4  # of three, two are trained on and none is left to be compared with the other
    )
    agrees: ClassVar[bool] = (
        False  # members trained on were not tested then, and new members always are
    )

    diverter: Any = param(
        None,
        "The classifier: a name, a diverter, or anything with fit and predict; by the data if left out.",
    )
    annotator: Annotator | None = param(
        None, "Who makes up the tasks; RandomLabels when left out.", advanced=True
    )
    n_iterations: int = param(300, "Iterations at most.", ge=1)
    n_labels: int | tuple[int, int] | None = param(
        None, "Labels offered in an iteration, a number or from and to.", ge=2
    )
    train_size: float | None = param(
        None, "Share of the members trained on; by the classifier if left out.", gt=0, lt=1
    )
    scoring: str | Any = param(
        "binary", "What is read off the codes: binary, occurrence, weighted, em, ... or a Score."
    )
    stop: Any | None = param(
        1e-5,
        "Stop when the mean entropy moves by less than this; a rule of one's own, or None for never.",
    )
    random_state: int | None = param(
        None, "Seed; the same seed gives the same codes on any number of workers."
    )

    affinity_: Affinity
    codes_: Any
    score_: Score
    seed_: int
    soft_: bool
    mark_: str
    converged_: bool
    unmet_: float

    transient: ClassVar[tuple[str, ...]] = (
        "_course",
        "_classifiers",
        "mixture_",
        "confidence_",
        "convergence_",
    )  # made again

    def fit(self, X: Any, y: Any = None) -> Self:
        """Run the iterations, keep the codes, and read the similarity off them."""
        self.members_ = self.check(X)
        self.score_ = named(self.scoring)
        self.seed_ = seed_of(self.random_state)
        kept = self.__dict__.pop("codes_", None)
        self._go_on(self.n_iterations, stop_rule(self.stop), kept)
        return self

    def extend(self, n_iterations: int) -> Self:
        """Go on to this many iterations in all; those that are done are used again. No stop rule applies."""
        check_is_fitted(self)
        done = self.codes_.n_iterations
        if not isinstance(n_iterations, numbers.Integral) or n_iterations < done:
            raise ParameterError(
                f"extend takes a whole number from {done}, the iterations done, and got {n_iterations!r}.",
                owner="SIC",
            )
        if n_iterations > done:
            self._go_on(int(n_iterations), None, self.codes_)
        return self

    def similarity(self, score: Any = None) -> Affinity:
        """The similarity by another score (a name or a Score), read off the same codes; nothing is trained again."""
        check_is_fitted(self)
        found: Score = self.score_ if score is None else named(score)
        return found.affinity(self.codes_)

    def graph(self, k: int = 10, *, approximate: bool | str = False, effort: float = 1.0) -> Graph:
        """Each member's k most similar members only; nothing of size members x members is ever held.

        With `approximate` not all pairs are compared, and `recall` of the graph says how many of the true ones were found.
        """
        check_is_fitted(self)
        if (
            not isinstance(self.score_, Binary)
            or self.soft_
            or (approximate and is_searched(self.affinity_, approximate, effort))
        ):
            return graph(self.affinity_, k, approximate=approximate, effort=effort)
        return graph_of_nearest(*top(self.codes_, k), self.codes_.n_members, "similarity")

    def compare(self, X: Any) -> Affinity:
        """New members against the fitted ones, by the classifiers of all iterations (made again from the seed)."""
        view = self.check_alike(X)
        return self.score_.affinity(self.codes_, self.codes_of(view))

    def codes_of(self, view: Any) -> Any:
        """The codes that the classifiers of all iterations give to new members; a class no member got is a code of its own."""
        course = self.course()
        samples = Samples.of(view)
        data = course.diverter.prepare(view, like=course.data)
        every = np.arange(samples.n)

        def classify(i: int) -> Row:
            if "failed" in self.codes_.records[i]:
                return failed(str(self.codes_.records[i]["failed"]))
            said = checked(course.diverter.apply(self.classifier(i), data, every), samples.n)
            classes = self.codes_.classes[i]
            return gathered(samples, every, _known(said, classes), np.arange(len(classes) + 1), {})

        found = list(in_order(classify, list(range(self.codes_.n_iterations)), "classify"))
        return assembled(found, samples.n_members, self.soft_ or samples.owner is not None)

    def classifier(self, i: int) -> Any:
        """The classifier of iteration i as it was, made again from the data and the seed, and kept in memory."""
        made: dict[int, Any] = self.__dict__.setdefault("_classifiers", {})
        if i not in made:
            course = self.course()
            start = next(part.start for part in course.annotator.rounds(i + 1) if i in part)
            learned = course.annotator.learn(self.codes_.take(slice(0, start))) if start else None
            made[i] = replace(course, learned=learned).trained(i)[0]
        return made[i]

    def course(self) -> Course:
        """What the iterations share: the data as the diverter reads it, the annotator, the diverter and the seed."""
        if "_course" not in self.__dict__:
            view = self.members_
            diverter = diverter_of(self.diverter, view)
            annotator = _annotator(self.annotator, view)
            samples = Samples.of(view)
            share = self.train_size or diverter.train_share(len(np.unique(samples.units)))
            draw = Draw(share, self._label_range(diverter), diverter.min_per_label)
            self._course: Course = Course(
                view, diverter.prepare(view), samples, annotator, diverter, draw, self.seed_
            )
        return self._course

    def explain(
        self, a: int | Sequence[int], b: int | None = None, *, names: Sequence[str] | None = None
    ) -> Explanation:
        """Why two members (`a`, `b`) are alike, or what holds a group (`a` a list) together, in words."""
        check_is_fitted(self)
        positions = asked(a, b, self.codes_.n_members)
        if names is not None and len(names) != self.codes_.n_members:
            raise ParameterError(
                f"explain has {len(names)} names for {self.codes_.n_members} members.", owner="SIC"
            )
        name = partial(_name_of, names=names)
        if len(positions) == 2:
            return explain_pair(self, positions[0], positions[1], name)
        return explain_group(self, positions, name)

    @cached_property
    def mixture_(self) -> Mixture:
        """The two kinds of pairs (truly alike or not) as EM sees them in the codes."""
        from coterie.compare.sic.mixture import fit_mixture

        return fit_mixture(self.codes_, random_state=self.seed_)

    @cached_property
    def confidence_(self) -> dict[str, np.ndarray]:
        """How sure the similarity is of each member: max, variance, skewness and bimodality of its row."""
        from coterie.compare.sic.confidence import confidences

        return confidences(self.affinity_)

    @cached_property
    def convergence_(self) -> Convergence:
        """Entropy, correlation with the last, and split-half reliability, every 5 iterations."""
        from coterie.compare.sic.convergence import curve

        return curve(self.codes_)

    def threshold(self, risk: float = 0.05) -> Threshold:
        """The similarity above which a pair is taken as alike, at this rate of false alarms among unlike pairs."""
        from coterie.compare.sic.mixture import threshold

        return threshold(self.mixture_, risk=risk)

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Curves for a report: how far the similarity has settled, and the two kinds of pairs as the mixture sees them."""
        if self.soft_ or self.codes_.n_members < 4 or self.codes_.n_iterations < EARLY:
            return {}
        settled = self.convergence_
        pairs = self.mixture_
        found = {
            "Mean entropy of the similarity": zip(settled.iterations, settled.entropy, strict=True),
            "Reliability (odd against even iterations)": zip(
                settled.iterations, settled.reliability, strict=True
            ),
        }
        if pairs.separable:
            law = pairs.densities()
            both = law.dissimilar + law.similar
            seen = slice(0, int(np.flatnonzero(both > 1e-5)[-1]) + 2)
            found["How similar pairs are: the two kinds the mixture sees"] = zip(
                law.x[seen], both[seen], strict=True
            )
        return {name: [(float(x), float(y)) for x, y in points] for name, points in found.items()}

    def _go_on(self, n_iterations: int, rule: Any, kept: Any) -> None:
        """Run what is missing up to `n_iterations`, or until the rule is content; codes of the same task are used again."""
        for name in self.transient:
            self.__dict__.pop(name, None)
        self._classifiers: dict[int, Any] = {}
        course = self.course()
        self.soft_ = course.samples.owner is not None
        mark = fingerprint(
            self.members_,
            course.annotator,
            course.diverter,
            self.train_size,
            self.n_labels,
            self.seed_,
        )
        key = f"{workplace().key('sic')}/{mark}"
        watcher = None if rule is None else rule.watch(course.samples.n_members, self.seed_)
        codes, content = replayed(
            kept if getattr(self, "mark_", "") == mark else None, n_iterations, watcher
        )
        self.mark_ = mark
        for part in course.annotator.rounds(n_iterations):
            done = 0 if codes is None else codes.n_iterations
            if content or part.stop <= done:
                continue
            learned = (
                course.annotator.learn(codes.take(slice(0, part.start)))
                if part.start and codes is not None
                else None
            )
            todo = range(max(part.start, done), part.stop)
            found, content = collected(replace(course, learned=learned), todo, key, watcher)
            new = assembled(found, course.samples.n_members, self.soft_)
            codes = new if codes is None else joined(codes, new)
        self.codes_ = codes
        self.converged_ = content
        self.affinity_ = self.score_.affinity(self.codes_)
        self.unmet_ = unmet(self.codes_)
        advise(self.codes_, self.unmet_)

    def check_params(self) -> None:
        """Refuse what is out of range, in one sentence."""
        super().check_params()
        if self.train_size is not None and not isinstance(self.train_size, numbers.Real):
            raise ParameterError(
                f"train_size must be a share above 0 and below 1, and was {self.train_size!r}.",
                owner="SIC",
            )
        low, high = self._offered()
        if self.n_labels is not None and not 2 <= low <= high:
            raise ParameterError(
                f"n_labels must be a number from 2, or two (from, to), and was {self.n_labels!r}.",
                owner="SIC",
            )

    def _offered(self) -> tuple[int, int]:
        """The range of labels asked for; (0, 0) where it is none."""
        given: Any = self.n_labels
        pair = (given, given) if isinstance(given, numbers.Integral) else given
        fine = (
            isinstance(pair, (tuple, list))
            and len(pair) == 2
            and all(isinstance(one, numbers.Integral) for one in pair)
        )
        return (int(pair[0]), int(pair[1])) if fine else (0, 0)

    def _label_range(self, diverter: Diverter) -> Callable[[int], tuple[int, int]]:
        if self.n_labels is None:
            return diverter.label_range
        low, high = self._offered()
        return partial(_fixed_range, low=low, high=high)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        return {name: value for name, value in state.items() if name not in self.transient}


def _annotator(given: Any, view: Any) -> Annotator:
    found = RandomLabels() if given is None else given
    if not isinstance(found, Annotator):
        raise ParameterError(
            f"annotator must be an Annotator such as RandomLabels(), and was {found!r}.",
            owner="SIC",
        )
    found.check_params()
    if found.takes and not isinstance(view, found.takes):
        names = " or ".join(kind.__name__ for kind in found.takes)
        raise ParameterError(
            f"{type(found).__name__} works on {names}, and the members are {type(view).__name__}.",
            owner="SIC",
        )
    return found


def _fixed_range(n_train: int, low: int, high: int) -> tuple[int, int]:
    return low, high


def _known(said: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Codes of what a classifier said: the place in the sorted classes, and one past them for a class no member got."""
    said = said.astype(str) if said.dtype.kind == "O" else said
    at = np.searchsorted(classes, said) if len(classes) else np.zeros(len(said), dtype=np.int64)
    inside = np.minimum(at, max(len(classes) - 1, 0))
    same = classes[inside] == said if len(classes) else np.zeros(len(said), dtype=bool)
    return np.where(same, inside, len(classes))


def _name_of(member: int, names: Sequence[str] | None) -> str:
    return f"member {member}" if names is None else str(names[member])
