"""RandomLabels: every iteration trains on another random part of the samples, with labels that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.compare.sic.roles import Annotation, Annotator, Draw
from coterie.compare.sic.samples import Samples
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param

_REDRAWS = 5  # tries before an iteration is given up
_FEW_FORMS = 10  # with fewer different forms, sentences are split instead


class RandomLabels(Annotator):
    """Random labels on a random part of the samples; the rest is classified."""

    min_per_label: int | None = param(
        None, "Labels with fewer samples are dropped; left to the classifier when left out.", ge=1
    )
    same_form: bool = param(True, "Samples of the same surface form get one label (text only).")
    test: str | int = param(
        "rest", "Who is classified: rest, all, or a number of samples drawn from the rest."
    )
    balance: tuple[int, int] | None = param(
        None, "Occurrences of a member tested per iteration, at least and at most."
    )
    groups: Sequence[Any] | None = param(
        None, "One name per member; members of one name are on one side of the split."
    )
    split: str = param(
        "auto",
        "What is on one side as a whole: unit (a sentence), form (all mentions of the same words); auto is form where it can be.",
        choices=("auto", "unit", "form"),
    )

    def check_params(self) -> None:
        """Refuse what is out of range, in one sentence."""
        super().check_params()
        if not (self.test in ("rest", "all") or (isinstance(self.test, int) and self.test >= 2)):
            raise ParameterError(
                f"test must be 'rest', 'all' or a number from 2, and was {self.test!r}.",
                owner="RandomLabels",
            )
        if self.balance is not None and not (
            len(self.balance) == 2 and 0 <= self.balance[0] <= self.balance[1] > 0
        ):
            raise ParameterError(
                f"balance must be two whole numbers, least and most, and was {self.balance!r}.",
                owner="RandomLabels",
            )

    def annotate(
        self,
        view: Any,
        samples: Samples,
        draw: Draw,
        generator: np.random.Generator,
        learned: Any = None,
    ) -> Annotation:
        """Split, label, drop labels that are too rare; tried again a few times when fewer than two labels are left."""
        for _ in range(_REDRAWS):
            train = self._trained(samples, draw, generator)
            labels, offered = self._labels(samples, train, draw, generator)
            train, labels = _frequent(train, labels, self.min_per_label or draw.min_per_label)
            if len(np.unique(labels)) >= 2:
                test = self._tested(samples, train, generator)
                return Annotation(train, labels, test, notes={"offered": offered})
        least = self.min_per_label or draw.min_per_label
        raise DataError(
            f"no two labels had {least} samples in {_REDRAWS} draws; train on more members, offer fewer labels, or lower "
            "min_per_label"
        )

    def _trained(self, samples: Samples, draw: Draw, generator: np.random.Generator) -> np.ndarray:
        """Samples of a random share of the units; balanced: of random members, few occurrences each."""
        if self.balance is not None and samples.owner is not None:
            wanted = max(2, round(draw.train_size * samples.n))
            order = generator.permutation(samples.n)
            order = order[_first_of_each(samples.owner[order], self.balance[1])]
            member = samples.owner[order]
            turn = generator.permutation(
                samples.n_members
            )  # members come in random order, each with what it has left
            ranked = order[np.argsort(turn[member], kind="stable")]
            return np.sort(ranked[: min(wanted, samples.n - 1)])
        unit = self._units(samples)
        n_units = int(unit.max()) + 1
        count = min(max(2, round(draw.train_size * n_units)), n_units - 1)
        chosen = np.zeros(n_units, dtype=bool)
        chosen[generator.permutation(n_units)[:count]] = True
        return np.flatnonzero(chosen[unit])

    def _units(self, samples: Samples) -> np.ndarray:
        if self.groups is not None:
            if len(self.groups) != samples.n_members:
                raise ParameterError(
                    f"groups has {len(self.groups)} names for {samples.n_members} members.",
                    owner="RandomLabels",
                )
            names = {name: at for at, name in enumerate(dict.fromkeys(self.groups))}
            return np.array([names[name] for name in self.groups])[samples.owners]
        wanted = self.split == "form" or (self.split == "auto" and samples.owner is None)
        form = np.unique(
            samples.units if samples.form is None else samples.form, return_inverse=True
        )[1]
        if wanted and samples.form is not None and form.max(initial=0) + 1 >= _FEW_FORMS:
            return form
        return np.unique(samples.units, return_inverse=True)[1]

    def _labels(
        self, samples: Samples, train: np.ndarray, draw: Draw, generator: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        low, high = draw.label_range(len(train))
        offered = int(generator.integers(low, high + 1))
        if self.same_form and samples.form is not None:
            forms, which = np.unique(samples.form[train], return_inverse=True)
            return generator.integers(offered, size=len(forms))[which], offered
        return generator.integers(offered, size=len(train)), offered

    def _tested(
        self, samples: Samples, train: np.ndarray, generator: np.random.Generator
    ) -> np.ndarray:
        if self.test == "all":
            return np.arange(samples.n)
        free = np.ones(samples.n, dtype=bool)
        free[train] = False
        if self.balance is not None and samples.unit is not None:
            free &= ~np.isin(samples.unit, samples.unit[train])  # their sentences are left out too
        rest = np.flatnonzero(free)
        drawn = generator.permutation(rest)
        if self.balance is None or samples.owner is None:
            return np.sort(drawn[: int(self.test)]) if isinstance(self.test, int) else rest
        least, most = self.balance
        turn = _turns(samples.owner[drawn])
        keep = turn < most
        if isinstance(self.test, int):
            keep &= (np.arange(len(drawn)) < self.test) | (turn < least)
        return np.sort(drawn[keep])


def _frequent(train: np.ndarray, labels: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Only samples whose label has at least `least` of them."""
    kept = np.bincount(labels)[labels] >= least
    return train[kept], labels[kept]


def _turns(owner: np.ndarray) -> np.ndarray:
    """For each sample how many of its member stand before it."""
    order = np.argsort(owner, kind="stable")
    sorted_owner = owner[order]
    first = np.searchsorted(sorted_owner, sorted_owner, side="left")
    turns = np.empty(len(owner), dtype=np.int64)
    turns[order] = np.arange(len(owner)) - first
    return turns


def _first_of_each(owner: np.ndarray, most: int) -> np.ndarray:
    """Positions of the first `most` samples of every member."""
    return np.flatnonzero(_turns(owner) < most)
