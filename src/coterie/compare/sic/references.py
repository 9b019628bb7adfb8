"""The runs of one-versus-all SIC: a task for a reference, its iterations, and the sums from which every form is read off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.compare.sic.iterations import checked
from coterie.compare.sic.roles import Diverter
from coterie.compare.sic.samples import Samples
from coterie.core.errors import Interrupted, MissingExtra, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import workplace
from coterie.parts.workers import in_order

FORMS = ("occurrence", "share", "raw", "occurrence-share")
FAILED = -1  # size of an iteration that failed


@dataclass(frozen=True, eq=False)
class Layout:
    """The samples of every member side by side, in an order drawn once; tasks are cut out of it."""

    samples: Samples
    order: np.ndarray
    first: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, samples: Samples, seed: int) -> Layout:
        """Shuffled within the members by the seed alone."""
        shuffled = stream(seed).permutation(samples.n)
        order = shuffled[np.argsort(samples.owners[shuffled], kind="stable")]
        count = np.bincount(samples.owners, minlength=samples.n_members)
        return cls(samples, order, np.concatenate([[0], np.cumsum(count)[:-1]]), count)

    def window(self, members: np.ndarray, most: int, generator: np.random.Generator) -> np.ndarray:
        """At most `most` samples of each of these members, in a row of its order from a random place on."""
        count = self.count[members]
        start = generator.integers(count)
        length = np.minimum(count, most)
        step = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        return self.order[
            np.repeat(self.first[members], length)
            + (np.repeat(start, length) + step) % np.repeat(count, length)
        ]

    def task(
        self, x: int, negatives: float, most: tuple[int, int], generator: np.random.Generator
    ) -> tuple[np.ndarray, ...]:
        """Samples trained on, whether they are of the reference (1) or not (0), and samples tested."""
        positive = self.window(np.array([x]), most[0], generator)
        others = self.samples.n_members - 1
        wanted = max(1, round(negatives * len(positive)))
        drawn = np.concatenate(
            [
                generator.permutation(others)[:wanted],
                generator.integers(others, size=max(0, wanted - others)),
            ]
        )
        negative = np.unique(self.window(drawn + (drawn >= x), 1, generator))
        train = np.concatenate([positive, negative])
        test = self.window(np.arange(self.samples.n_members), most[1], generator)
        unit = self.samples.units
        test = np.sort(test[~np.isin(unit[test], unit[train])])
        return train, np.repeat([1, 0], [len(positive), len(negative)]), test


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What the iterations of all references came to: sums from which every form is read off; nothing per iteration."""

    tested: np.ndarray  # (references, members): iterations in which the member was tested
    sums: Mapping[str, np.ndarray]  # form -> (references, members)
    sizes: np.ndarray  # (references, iterations): members recognized, -1 where the iteration failed
    shares: (
        np.ndarray
    )  # (references, iterations): sum of the members' shares of occurrences recognized
    reasons: tuple[
        str, ...
    ] = ()  # why the first failed iteration of a reference did; empty where none failed

    def rows(self, form: str) -> np.ndarray:
        """references x members; NaN where a member was never tested."""
        return np.where(self.tested > 0, self.sums[form] / np.maximum(self.tested, 1), np.nan)

    @property
    def empty(self) -> np.ndarray:
        """Per reference the iterations in which no member was recognized."""
        return (self.sizes == 0).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Course:
    """All that the runs of the references share; `data` is the view as the diverter reads it."""

    layout: Layout
    data: Any
    diverter: Diverter
    n_iterations: int
    negatives: float
    most: tuple[int, int]
    seed: int

    def trained(self, x: int, i: int) -> tuple[Any, np.ndarray]:
        """The classifier of iteration i of reference x, from nothing but the data, the seed, x and i; and who it tests."""
        generator = stream(self.seed, x, i)
        train, labels, test = self.layout.task(x, self.negatives, self.most, generator)
        drawn = self.diverter.draw(self.data, generator)
        return self.diverter.train(self.data, train, labels, drawn, generator), test

    def said(self, model: Any, data: Any, test: np.ndarray) -> np.ndarray:
        """Which samples the classifier takes for the reference."""
        said = checked(self.diverter.apply(model, data, test), len(test))
        if said.dtype.kind not in "biuf" or not np.isin(said, (0, 1)).all():
            kind = type(self.diverter).__name__
            raise ParameterError(
                f"{kind} must answer with the two labels it was trained on, and gave others.",
                owner="OneVersusAll",
            )
        return said == 1

    def run(self, x: int) -> dict[str, np.ndarray]:
        """Every iteration of one reference, summed; an iteration that goes wrong is left out and told of."""
        samples = self.layout.samples
        sums = {name: np.zeros(samples.n_members) for name in ("tested", *FORMS)}
        sizes = np.full(self.n_iterations, FAILED)
        shares = np.zeros(self.n_iterations)
        reasons = []
        for i in range(self.n_iterations):
            try:
                model, test = self.trained(x, i)
                is_reference = self.said(model, self.data, test)
            except (Interrupted, ParameterError, MissingExtra, MemoryError):
                raise
            except Exception as error:  # any classifier may fail on any task
                reasons.append(str(error) or type(error).__name__)
                continue
            tested, share = recognized(samples, test, is_reference)
            sizes[i] = np.count_nonzero(share)
            shares[i] = share.sum()
            sums["tested"] += tested
            for form, value in scored(share, int(sizes[i]), float(shares[i])).items():
                sums[form] += value
        return {
            **sums,
            "sizes": sizes,
            "shares": shares,
            "reason": np.frombuffer("".join(reasons[:1]).encode(), dtype=np.uint8),
        }

    def judge(
        self, x: int, form: str, new: tuple[Samples, Any], sizes: np.ndarray, shares: np.ndarray
    ) -> np.ndarray:
        """New members by the classifiers of a reference, made again; sizes and shares are those of the fit."""
        samples, data = new
        every = np.arange(samples.n)
        total = np.zeros(samples.n_members)
        done = np.flatnonzero(sizes != FAILED)
        for i in done:
            is_reference = self.said(self.trained(x, int(i))[0], data, every)
            share = recognized(samples, every, is_reference)[1]
            total += scored(share, int(sizes[i]), float(shares[i]))[form]
        return total / len(done) if len(done) else np.full(samples.n_members, np.nan)


def recognized(
    samples: Samples, test: np.ndarray, is_reference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Per member whether it was tested, and the share of its tested occurrences that was taken for the reference."""
    owner = samples.owners[test]
    tested = np.bincount(owner, minlength=samples.n_members)
    hits = np.bincount(owner[is_reference], minlength=samples.n_members)
    return tested > 0, hits / np.maximum(tested, 1)


def scored(share: np.ndarray, size: int, total: float) -> dict[str, np.ndarray]:
    """The four forms of one iteration; `size` members were recognized and their shares sum to `total`. Nobody: all zero."""
    there = (share > 0).astype(np.float64)
    return {
        "raw": there,
        "share": there / size if size else np.zeros(len(share)),
        "occurrence": share,
        "occurrence-share": share / total if total > 0 else np.zeros(len(share)),
    }


def collected(course: Course, references: np.ndarray, key: str) -> Votes:
    """The runs of all references, on the workers of the workplace; each is kept when it is done."""
    keeper = workplace().keeper

    def work(x: int) -> dict[str, np.ndarray]:
        found = keeper.get(f"{key}/{x}")
        if found is None:
            found = course.run(x)
            keeper.put(f"{key}/{x}", found)
        return found

    runs = list(in_order(work, [int(x) for x in references], "references"))
    sums = {form: np.array([run[form] for run in runs]) for form in FORMS}
    reasons = tuple(run["reason"].tobytes().decode() for run in runs)
    sizes = np.array([run["sizes"] for run in runs])
    shares = np.array([run["shares"] for run in runs])
    return Votes(np.array([run["tested"] for run in runs]), sums, sizes, shares, reasons)
