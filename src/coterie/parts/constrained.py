"""Members into groups under pairs: those that belong together go as one piece, those apart never meet, or pay for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coterie.core.errors import DataError
from coterie.core.hints import Hints
from coterie.parts.colored import clique, colored
from coterie.parts.moves import Bonds

_LITTLE = 1e-10  # of the costs: what a move must save
_SHOWN = 10  # members named in an error


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """Hints on n members as pieces and bonds between them.

    Pairs without an end to their weight are laws: those together are contracted into pieces (`piece` tells the piece of each
    member), those apart are bonds of minus infinity between pieces. All others are bonds with their weights; labels with a
    weight are tags of the pieces, each pair of which attracts or repels. `place` tells where they are among all members, where
    they are some of them.
    """

    owner: str
    hints: Hints
    piece: np.ndarray
    bonds: Bonds
    place: np.ndarray | None = None

    @classmethod
    def of(cls, hints: Hints | None, owner: str) -> Ties | None:
        """From checked hints; None where they say nothing."""
        if hints is None or not hints:
            return None
        piece = hints.consistent(owner).laws.chunks(labels=True)
        return cls(owner, hints, piece, _bonds(hints, piece))

    @property
    def labels(self) -> np.ndarray:
        """The labels of the members, -1 where unknown."""
        return self.hints.labels

    @property
    def pulling(self) -> bool:
        """Whether labels are pairs, and not only where the search starts."""
        return self.hints.scheme != "seeded" and self.hints.trust > 0

    @property
    def n_pieces(self) -> int:
        return len(self.bonds)

    @property
    def n_labels(self) -> int:
        return len(np.unique(self.labels[self.labels >= 0]))

    @property
    def hard(self) -> np.ndarray:
        """Pairs of pieces that may not share a group, each twice."""
        rows = np.repeat(np.arange(self.n_pieces), np.diff(self.bonds.bound))
        laws = np.isneginf(self.bonds.ties)
        return np.stack([rows[laws], self.bonds.mates[laws]], axis=1)

    @property
    def touched(self) -> np.ndarray:
        """The members the hints say anything of."""
        named = [self.hints.known, self.hints.together.ravel(), self.hints.apart.ravel()]
        return np.unique(np.concatenate(named))

    def needed(self) -> int:
        """How many groups there must be at least: as many as pieces that are all apart from each other, or as labels."""
        return max(1, len(clique(self.hard, self.n_pieces)), self.n_labels if self.pulling else 1)

    def check(self, k: int, name: str = "n_groups") -> None:
        """Refuse a number of groups with which no assignment could keep the laws, in a sentence that names who is in the way."""
        if self.n_pieces < k:
            left = "1 piece is" if self.n_pieces == 1 else f"{self.n_pieces} pieces are"
            raise DataError(
                f"{name} is {k}, and with the pairs that belong together only {left} left.",
                owner=self.owner,
            )
        among = clique(self.hard, self.n_pieces)
        if len(among) > k:
            how = "belong apart" if len(among) == 2 else "all belong apart from each other"
            raise DataError(
                f"{self._listed(among)} {how}, which takes {len(among)} groups, and {name} is {k}.",
                owner=self.owner,
            )

    def take(self, members: np.ndarray) -> Ties:
        """The hints on some of the members."""
        few = self.hints.take(members)
        found = Ties.of(few, self.owner) or Ties(
            self.owner, few, np.arange(len(members)), Bonds.of(len(members))
        )
        return replace(found, place=members if self.place is None else self.place[members])

    def gathered(self, costs: np.ndarray) -> np.ndarray:
        """Members x groups summed to pieces x groups."""
        if self.n_pieces == len(self.piece):
            return costs
        order = np.argsort(self.piece, kind="stable")
        starts = np.searchsorted(self.piece[order], np.arange(self.n_pieces))
        return np.add.reduceat(costs[order], starts, axis=0)

    def start(self, costs: np.ndarray) -> np.ndarray:
        """Groups of the pieces that break no law, each cheap for its piece; a sentence where none are found."""
        labels = costs.argmin(axis=1)
        pairs = self.hard
        if not len(pairs):
            return labels
        found, stuck = colored(pairs, costs)
        if len(stuck):
            raise DataError(
                f"{costs.shape[1]} groups are too few to keep all pairs apart: {self._listed(stuck)} could not be; "
                "ask for more groups, or give the pairs a weight.",
                owner=self.owner,
            )
        return np.where(found >= 0, found, labels)

    def sweep(self, costs: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Each piece once to the group where it is cheapest, bonds counted; no law is broken, and the total never rises.

        A piece that is kept out of a group by pieces there changes places with them (and these with others, in a chain of the
        two groups) where that is cheaper for all together. At first all pieces with bonds may change their groups for others,
        group by group, which touches no bond.
        """
        bonds = self.bonds
        k = costs.shape[1]
        bound = bonds.touched
        labels = labels.copy()
        free = np.setdiff1d(np.arange(self.n_pieces), bound)
        nearest = costs[free].argmin(axis=1)
        dearer = costs[free, labels[free]] > costs[free, nearest]
        labels[free] = np.where(dearer, nearest, labels[free])
        margin = _LITTLE * max(float(np.abs(costs).mean()), 1e-300)
        labels[bound] = _renamed(costs[bound], labels[bound], margin)
        held = bonds.held(labels, k) if bonds.n_tags else None
        for at in bound.tolist():
            owed = _owed(bonds, at, labels, k, held)
            score = costs[at] - np.where(np.isneginf(owed), 0.0, owed)
            own = labels[at]
            now = score[labels[at]]
            for group in np.argsort(score, kind="stable").tolist():
                if score[group] >= now - margin:
                    break
                if not np.isneginf(owed[group]):
                    chain = np.array([at])
                else:
                    chain = self._chain(at, group, labels)
                    if not self._saves(costs, labels, chain, own, group, margin):
                        continue
                labels[chain] = np.where(labels[chain] == own, group, own)
                held = bonds.held(labels, k) if bonds.n_tags else None
                break
        return labels

    def _chain(self, at: int, group: int, labels: np.ndarray) -> np.ndarray:
        """The pieces of two groups that must all change sides when this one does."""
        bonds = self.bonds
        two = (labels[at], group)
        seen = {at}
        ahead = [at]
        while ahead:
            one = ahead.pop()
            span = slice(bonds.bound[one], bonds.bound[one + 1])
            for mate in bonds.mates[span][np.isneginf(bonds.ties[span])].tolist():
                if mate not in seen and labels[mate] in two:
                    seen.add(mate)
                    ahead.append(mate)
        return np.array(sorted(seen))

    def _saves(
        self,
        costs: np.ndarray,
        labels: np.ndarray,
        chain: np.ndarray,
        own: int,
        group: int,
        margin: float,
    ) -> bool:
        after = labels.copy()
        after[chain] = np.where(labels[chain] == own, group, own)
        return self.total(costs, after) < self.total(costs, labels) - margin

    def total(self, costs: np.ndarray, labels: np.ndarray) -> float:
        """What all pieces cost in these groups, less what the bonds add."""
        return float(costs[np.arange(len(labels)), labels].sum()) - self.bonds.value(
            labels, costs.shape[1]
        )

    def filled(self, costs: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """No group empty: the piece that costs most in its group, and is not alone there, is put into the empty one."""
        labels = labels.copy()
        for group in range(costs.shape[1]):
            sizes = np.bincount(labels, minlength=costs.shape[1])
            if sizes[group] == 0 and sizes.max() > 1:
                cost = np.where(sizes[labels] > 1, costs[np.arange(len(labels)), labels], -np.inf)
                labels[int(cost.argmax())] = group
        return labels

    def called(self, member: int) -> str:
        """What a member is called in a sentence: its id, or its position among all members."""
        return self.hints.called(
            member if self.place is None or self.hints.ids is not None else int(self.place[member])
        )

    def _listed(self, pieces: Sequence[int]) -> str:
        """Pieces by the first member of each that a hint names."""
        named = self.touched
        shown = [
            self.called(int(named[self.piece[named] == piece][0]))
            for piece in pieces[: _SHOWN if len(pieces) > _SHOWN + 1 else None]
        ]
        if len(pieces) > _SHOWN + 1:
            shown.append(f"{len(pieces) - _SHOWN} others")
        return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _bonds(hints: Hints, piece: np.ndarray) -> Bonds:
    """Bonds between pieces: laws apart, weighted pairs, tags of weighted labels."""
    n, known, law = int(piece.max()) + 1, hints.known, len(hints.laws.known) > 0
    pairs = [piece[hints.apart]]
    weights = [np.full(len(hints.apart), -hints.pair_weight)]
    if np.isfinite(hints.pair_weight):
        pairs.append(piece[hints.together])
        weights.append(np.full(len(hints.together), hints.pair_weight))
    if law:
        one, other = np.triu_indices(len(np.unique(hints.labels[known])), 1)
        firsts = piece[
            [known[hints.labels[known] == label][0] for label in np.unique(hints.labels[known])]
        ]
        pairs.append(np.stack([firsts[one], firsts[other]], axis=1))
        weights.append(np.full(len(one), -np.inf))
    tags = np.full(n, -1, dtype=np.int64)
    weight = hints.trust if hints.scheme != "seeded" and not law else 0.0
    if weight > 0:
        tags[piece[known]] = hints.labels[known]
    all_pairs = np.concatenate(pairs)
    all_weights = np.concatenate(weights)
    return Bonds.of(
        n, tags, (weight, weight), all_pairs[all_weights != 0], all_weights[all_weights != 0]
    )


def _renamed(costs: np.ndarray, labels: np.ndarray, margin: float) -> np.ndarray:
    """The groups exchanged for each other so that all pieces together cost least; as they are where that saves nothing."""
    from scipy.optimize import linear_sum_assignment

    k = costs.shape[1]
    sums = np.zeros((k, k))
    np.add.at(sums, labels, costs)
    old, new = linear_sum_assignment(sums)
    if sums[old, new].sum() >= np.trace(sums) - margin:
        return labels
    return np.asarray(new[labels])


def _owed(bonds: Bonds, at: int, labels: np.ndarray, k: int, held: np.ndarray | None) -> np.ndarray:
    """What the bonds of one piece add in each group; minus infinity where a law keeps it out."""
    span = slice(bonds.bound[at], bonds.bound[at + 1])
    found = np.zeros(k)
    np.add.at(found, labels[bonds.mates[span]], bonds.ties[span])
    tag = bonds.tags[at]
    if held is not None and tag >= 0:
        same = held[:, tag].astype(np.float64)
        every = held[:, -1].astype(np.float64)
        same[labels[at]] -= 1.0
        every[labels[at]] -= 1.0
        found += bonds.pull[0] * same - bonds.pull[1] * (every - same)
    return found
