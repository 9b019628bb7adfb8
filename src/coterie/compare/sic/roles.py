"""The two trades of SIC: an annotator makes up a task (who is trained on, with which labels), a diverter learns it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from coterie.compare.sic.samples import Samples
from coterie.core.errors import ParameterError
from coterie.core.params import Settings


class Reason(str):
    """A condition in words that knows its limits, so that conditions that differ only in them can be told as one.

    >>> reason = Reason("alcohol between", (11.5, 12.8))
    >>> reason, reason.head, reason.limits
    ('alcohol between 11.5 and 12.8', 'alcohol between', (11.5, 12.8))
    """

    __slots__ = ("head", "limits")
    head: str
    limits: tuple[float, ...]

    def __new__(cls, head: str, limits: Sequence[float]) -> Reason:
        shown = [f"{v:,.0f}" if abs(v) >= 10_000 else f"{v:.4g}" for v in limits]
        made = super().__new__(cls, f"{head} {' and '.join(shown)}")
        made.head = head
        made.limits = tuple(round(v) if abs(v) >= 10_000 else float(f"{v:.4g}") for v in limits)
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str, tuple[float, ...]], dict[str, Any]]:
        return (self.head, self.limits), {}


@dataclass(frozen=True, slots=True)
class Draw:
    """What was asked for, the same for all iterations: the share trained on and how many labels are offered."""

    train_size: float  # above 0 and below 1: a share of the units
    label_range: Callable[
        [int], tuple[int, int]
    ]  # samples trained on -> labels offered, from and to
    min_per_label: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Annotation:
    """One made-up task. Positions are of samples (occurrences, where a member has several)."""

    train: np.ndarray  # samples trained on
    labels: np.ndarray  # their made-up labels, whole numbers from 0
    test: np.ndarray  # samples to be classified
    contrast: Any = None  # a view of made-up members that form one further class, or None
    linked: bool = False  # made with the help of the similarity learned so far (sequential SIC)
    notes: Mapping[str, Any] = field(
        default_factory=dict
    )  # whatever should be recorded of the task


class Annotator(Settings):
    """Makes up the task of an iteration from the iteration's own random generator."""

    takes: ClassVar[tuple[type, ...]] = ()  # views it can work on; empty: all

    def annotate(
        self,
        view: Any,
        samples: Samples,
        draw: Draw,
        generator: np.random.Generator,
        learned: Any = None,
    ) -> Annotation:
        """The task of one iteration; DataError when no task with two labels can be made."""
        raise NotImplementedError(f"{type(self).__name__} does not define annotate")

    def rounds(self, n_iterations: int) -> list[range]:
        """Iterations that may run side by side; what was learned is looked at only between two rounds."""
        return [range(n_iterations)]

    def learn(self, codes: Any) -> Any:
        """What the next round may use of the codes so far; nothing, unless the annotator says otherwise."""
        return None


class Diverter(Settings):
    """A classifier put to another use. Everything it learns is in what its methods give back: no state of its own.

    `data` is what `prepare` made of the view, once for all iterations; positions are of samples.
    """

    takes: ClassVar[tuple[type, ...]] = ()  # views it can work on
    share: ClassVar[float] = 0.05  # of the units trained on, when the person left it open
    min_per_label: ClassVar[int] = (
        1  # labels with fewer samples are dropped, when the person left it open
    )
    contrasts: ClassVar[bool] = False  # whether made-up members can be trained on too

    def train_share(self, n_units: int) -> float:
        """The share of the units trained on, when the person left it open."""
        return self.share

    def label_range(self, n_train: int) -> tuple[int, int]:
        """How many labels are offered, from and to, when the person left it open: about one per trained sample."""
        return max(2, n_train // 2), max(2, 2 * n_train)

    def prepare(self, view: Any, like: Any = None) -> Any:
        """The view in the form this classifier reads; with `like` (prepared before), new members in the same form."""
        raise NotImplementedError(f"{type(self).__name__} does not define prepare")

    def draw(self, data: Any, generator: np.random.Generator) -> dict[str, Any]:
        """The hyper-parameters of one iteration, drawn anew; plain values that can be recorded as JSON."""
        return {}

    def train(
        self,
        data: Any,
        members: np.ndarray,
        labels: np.ndarray,
        drawn: Mapping[str, Any],
        generator: np.random.Generator,
        contrast: Any = None,
    ) -> Any:
        """A classifier of these samples with these labels (and of prepared made-up members, one further class)."""
        raise NotImplementedError(f"{type(self).__name__} does not define train")

    def apply(self, trained: Any, data: Any, members: np.ndarray) -> np.ndarray:
        """What the classifier says of these samples: one label each, of any kind; only equality counts."""
        raise NotImplementedError(f"{type(self).__name__} does not define apply")

    def reasons(
        self, trained: Any, data: Any, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """What made the classifier give these samples their common label: (feature in words, weight), strongest first."""
        return ()

    def refuse(self, view: Any) -> None:
        """One sentence when this classifier does not read such a view."""
        if self.takes and not isinstance(view, self.takes):
            names = " or ".join(kind.__name__ for kind in self.takes)
            raise ParameterError(
                f"{type(self).__name__} classifies {names}, and the members are {type(view).__name__}."
            )
