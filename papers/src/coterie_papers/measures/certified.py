"""What a certificate says: the bounds, the clusters they are for, sentences to read, and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from coterie.core.findings import Lines


@dataclass(frozen=True, slots=True)
class PairedCluster:
    """One candidate on the held-out members: how often it is contradicted, how often unrelated views would contradict it."""

    name: str
    weight: float
    risk: float  # share of members whose views disagree about being in
    chance: float  # what it would be if the views were independent
    coverage: float  # share of members that every view puts in

    @property
    def ratio(self) -> float:
        """The risk beside chance: 0 is never contradicted, 1 is no better than chance."""
        return self.risk / self.chance if self.chance > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Certificate:
    """What holds, with probability 1 - delta, for members of the same source as the held-out ones.

    `bound` is above the true share of members that contradict a cluster drawn by the weights, and `coverage_bound` is below the
    true share that every view puts in; both hold together. `power` is the explanatory power of each view: the weighted share
    of members in a cluster. `clusters` are the candidates, the least contradicted beside chance first.
    """

    n: int  # held-out members
    delta: float
    bound: float
    risk: float  # on the held-out members
    divergence: float  # KL of the weights from the even prior
    beta: float  # how strongly the weights follow the risks; 0 is even
    chance: float
    coverage: float
    coverage_bound: float
    power: Mapping[str, float]
    clusters: tuple[PairedCluster, ...]
    dropped: int  # candidates that hold nearly nobody or nearly everybody

    def top(self, most: int = 5) -> list[PairedCluster]:
        """The clusters with the largest weights; of equal ones the least contradicted beside chance first."""
        return sorted(self.clusters, key=lambda one: (-one.weight, one.ratio))[:most]

    @property
    def tells(self) -> bool:
        """Whether the bound is below what unrelated views would give."""
        return self.bound < self.chance

    @property
    def power_said(self) -> str:
        """The explanatory power of every view in one sentence."""
        shares = [f"{100 * share:.1f}% by view '{name}'" for name, share in self.power.items()]
        said = f"{', '.join(shares[:-1])} and {shares[-1]}" if len(shares) > 1 else "".join(shares)
        return f"The explanatory power, the share of members in a cluster drawn by the weights, is {said}."

    def sentences(self) -> list[str]:
        """The certificate in plain words."""
        sure = 100 * (1 - self.delta)
        risk = f"The views of {100 * self.risk:.1f}% of {self.n:,} members that were not fitted contradict the chosen clusters"
        found = [
            f"{risk}; unrelated views would contradict them for {100 * self.chance:.1f}%.",
            f"With {sure:.4g}% confidence the true share is at most {100 * self.bound:.1f}%, and every view puts at least "
            f"{100 * self.coverage_bound:.1f}% of all members in a chosen cluster (here {100 * self.coverage:.1f}%).",
        ]
        found.append(self.power_said)
        if not self.tells:
            found.append(
                "The bound is not below chance and certifies nothing: the views share no cluster, or there are too few members."
            )
        if self.dropped:
            held = f"{self.dropped:,} of {self.dropped + len(self.clusters):,} candidates hold"
            found.append(
                f"{held} fewer than 2% or more than 98% of the fitted members and were dropped."
            )
        return found

    def to_text(self, most: int = 5) -> str:
        """The sentences, and the clusters of the largest weights as aligned columns."""
        head = ("cluster", "weight", "contradicted", "by chance", "covered")
        values = [
            (one.name, (one.weight, one.risk, one.chance, one.coverage)) for one in self.top(most)
        ]
        rows = [(name, *(f"{value:.3f}" for value in numbers)) for name, numbers in values]
        widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
        table = [
            "  ".join(part.ljust(wide) for part, wide in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)
        ]
        return "\n".join([*self.sentences(), "", *table]) + "\n"

    def record(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON."""
        plain = {name: getattr(self, name) for name in _NUMBERS}
        return {
            **plain,
            "power": dict(self.power),
            "clusters": [{**asdict(one), "ratio": one.ratio} for one in self.clusters],
        }

    def picture(self) -> Lines:
        """The candidates in order: how often each is contradicted, by chance, and the bound on the weighted share."""
        many = len(self.clusters)
        return Lines(
            title=f"Pairwise clusters on {self.n:,} held-out members",
            x=tuple(float(at) for at in range(1, many + 1)),
            lines={
                "contradicted": tuple(one.risk for one in self.clusters),
                "contradicted by chance": tuple(one.chance for one in self.clusters),
                "in the cluster by every view": tuple(one.coverage for one in self.clusters),
                f"bound on the weighted share ({100 * (1 - self.delta):.4g}%)": tuple(
                    np.full(many, self.bound).tolist()
                ),
            },
            x_name="clusters, the least contradicted beside chance first",
            y_name="share of members",
            sentence=f"{self.sentences()[1]} {self.power_said}",
        )


_NUMBERS = (
    "n",
    "delta",
    "bound",
    "risk",
    "divergence",
    "beta",
    "chance",
    "coverage",
    "coverage_bound",
    "dropped",
)
