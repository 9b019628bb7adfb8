"""Sequential: later iterations give one label to members that earlier ones have already found very alike.

After a warm-up of independent iterations, two members are linked when the chance of their sharing so many codes by luck
is small (exact tail, Benjamini-Hochberg over all pairs) and each is among the other's three nearest; linked members share
a label when both are trained on. A fifth of the iterations stays plain: this control stream alone feeds the mixture, the
thresholds and the links' own p-values, since linked iterations lean on what was learned and would flatter it. Linking
ends when the neighbors by all iterations and by the control stream drift apart two rounds in a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.laws import benjamini_hochberg, tails
from coterie.compare.sic.roles import Annotation, Draw
from coterie.compare.sic.samples import Samples
from coterie.compare.sic.scores import top
from coterie.core.errors import ParameterError
from coterie.core.params import param

_MUTUAL = 3  # members are linked when each is among the other's nearest so many
_LOOKED = 10  # neighbors compared between all iterations and the control stream
_LARGEST = 0.05  # of the members in one linked group


class Sequential(RandomLabels):
    """Random labels that members found very alike before share."""

    warm_up: int = param(25, "Independent iterations before anything is linked.", ge=10)
    round: int = param(25, "Iterations between two looks at the similarity.", ge=5)
    plain: float = param(0.2, "Share of the later iterations that stay independent.", gt=0, lt=1)
    risk: float = param(1e-3, "Share of wrong links allowed (false discovery rate).", gt=0, lt=1)

    def rounds(self, n_iterations: int) -> list[range]:
        """The warm-up, then rounds."""
        starts = [0, *range(self.warm_up, n_iterations, self.round)]
        return [
            range(a, min(b, n_iterations))
            for a, b in zip(starts, [*starts[1:], n_iterations], strict=True)
        ]

    def learn(self, codes: Any) -> np.ndarray | None:
        """The linked group of every member (its own number where it is linked to nobody), or None when linking has ended."""
        if not isinstance(codes, Codes):
            raise ParameterError("Sequential works on members with one occurrence each.")
        bounds = [part.stop for part in self.rounds(codes.n_iterations)][1:]
        drift = [_agreement(codes.take(slice(0, stop))) for stop in bounds]
        if any(a > b > c for a, b, c in zip(drift, drift[1:], drift[2:], strict=False)):
            return None
        return linked_groups(codes, self.risk)

    def annotate(
        self,
        view: Any,
        samples: Samples,
        draw: Draw,
        generator: np.random.Generator,
        learned: Any = None,
    ) -> Annotation:
        """A plain task, or one in which linked members have one label."""
        plain = generator.random() < self.plain or learned is None
        task = super().annotate(view, samples, draw, generator)
        if plain:
            return task
        group = np.asarray(learned)[task.train]
        first = np.unique(group, return_index=True)[1]
        shared = np.zeros(int(group.max()) + 1, dtype=np.int64)
        shared[group[first]] = task.labels[first]
        return Annotation(task.train, shared[group], task.test, linked=True, notes=task.notes)


def linked_groups(codes: Codes, risk: float) -> np.ndarray:
    """Connected groups of members linked beyond chance; a group larger than allowed is let go."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = codes.n_members
    near, _ = top(codes, min(_MUTUAL, n - 1))
    pairs = {(p, int(q)) for p in range(n) for q in near[p] if q >= 0}
    mutual = np.array(
        sorted((p, q) for p, q in pairs if p < q and (q, p) in pairs), dtype=np.int64
    ).reshape(-1, 2)
    kept = mutual[_beyond_chance(codes, mutual, risk)] if len(mutual) else mutual
    links = coo_array((np.ones(len(kept)), (kept[:, 0], kept[:, 1])), shape=(n, n))
    _, group = connected_components(links, directed=False)
    large = np.bincount(group)[group] > max(2, _LARGEST * n)
    return np.where(large, group.max() + 1 + np.arange(n), group)


def _beyond_chance(codes: Codes, pairs: np.ndarray, risk: float) -> np.ndarray:
    """Which pairs share more control codes than chance allows; all pairs there are count as tests."""
    control = codes if codes.control is None else codes.take(np.flatnonzero(codes.control))
    same, both = control.pairs(pairs[:, 0], pairs[:, 1])
    rate = np.clip(np.nan_to_num(control.rates(), nan=0.5), 1e-9, 1 - 1e-9)
    chance = tails(rate, both, same.sum(axis=1))
    return benjamini_hochberg(chance, risk, codes.n_members * (codes.n_members - 1) // 2)


def _agreement(codes: Codes) -> float:
    """The share of common nearest neighbors between all iterations and the control stream alone."""
    if codes.control is None or codes.control.all():
        return 1.0
    k = min(_LOOKED, codes.n_members - 1)
    every, _ = top(codes, k)
    plain, _ = top(codes.take(np.flatnonzero(codes.control)), k)
    common = [len(np.intersect1d(a, b)) for a, b in zip(every, plain, strict=True)]
    return float(np.mean(common)) / k
