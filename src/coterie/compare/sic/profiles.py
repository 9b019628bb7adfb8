"""Profiles: the share of a member's tested occurrences that got each label, in every iteration; or soft labels.

Hard codes are the case where every profile is one class. The score of a pair in an iteration is the inner product of the
two profiles: the probability that one occurrence of each, drawn at random, got one label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.compare.sic.codes import Codes
from coterie.core.errors import DataError

_LOOSE = 1e-6  # how far the shares of a tested member may be from a sum of one


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """`shares[p, starts[i] + c]` is the share of class c in the profile of member p in iteration i; rows sum to one.

    A member that iteration i did not test has no shares there. Classes mean nothing across iterations.
    """

    shares: Any  # scipy.sparse.csr_array (members, all classes of all iterations)
    starts: np.ndarray  # (iterations + 1,)
    tested: np.ndarray  # (iterations, members) bool
    classes: Sequence[np.ndarray] = ()
    control: np.ndarray | None = None
    records: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        import scipy.sparse as sp

        shares = sp.csr_array(self.shares, dtype=np.float64, copy=True)
        shares.sum_duplicates()
        shares.eliminate_zeros()
        starts = np.asarray(self.starts, dtype=np.int64)
        tested = np.asarray(self.tested, dtype=bool)
        if (
            starts.shape != (len(tested) + 1,)
            or (len(starts) and starts[-1] != shares.shape[1])
            or (np.diff(starts) < 0).any()
        ):
            raise DataError(
                "the classes of every iteration must be given by where its columns start, and where the last ends.",
                owner="Profiles",
            )
        if tested.shape[1] != shares.shape[0]:
            raise DataError(
                f"there are shares of {shares.shape[0]} members and {tested.shape[1]} were tested or not.",
                owner="Profiles",
            )
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "tested", tested)
        wrong = np.abs(_by_iteration(shares, self.iteration_of, len(tested)) - tested.T) > _LOOSE
        if wrong.any() or shares.data.min(initial=0.0) < 0:
            member, iteration = (
                np.argwhere(wrong)[0]
                if wrong.any()
                else (int(np.argmin(shares.min(axis=1).toarray())), 0)
            )
            raise DataError(
                f"the shares of member {member} in iteration {iteration} must be from 0 and sum to one, "
                "or be none where it was not tested.",
                owner="Profiles",
            )

    @classmethod
    def of(cls, codes: Codes | Profiles) -> Profiles:
        """Hard codes as profiles of one class each; profiles stay."""
        if isinstance(codes, Profiles):
            return codes
        found = cls.of_occurrences(codes.labels, np.arange(codes.n_members), codes.n_members)
        return cls(
            found.shares, found.starts, found.tested, codes.classes, codes.control, codes.records
        )

    @classmethod
    def of_occurrences(
        cls, labels: np.ndarray, owner: np.ndarray, n_members: int | None = None
    ) -> Profiles:
        """From the label of every occurrence in every iteration (-1: not tested) and the member it belongs to.

        >>> found = Profiles.of_occurrences(np.array([[0, 1, 1]]), np.array([0, 0, 1]))
        >>> found.shares.toarray().tolist()
        [[0.5, 0.5], [0.0, 1.0]]
        """
        labels = np.asarray(labels)
        owner = np.asarray(owner, dtype=np.int64)
        if labels.ndim != 2 or labels.dtype.kind not in "iu" or owner.shape != labels.shape[1:]:
            raise DataError(
                "labels are whole numbers, one row per iteration and one column per occurrence, each with its owner.",
                owner="Profiles",
            )
        n = int(owner.max(initial=-1)) + 1 if n_members is None else n_members
        parts = []
        for row in labels:
            seen = np.flatnonzero(row >= 0)
            parts.append((owner[seen], row[seen].astype(np.int64), np.ones(len(seen))))
        return cls.stack(parts, n)

    @classmethod
    def stack(
        cls, parts: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], n_members: int
    ) -> Profiles:
        """From (members, codes, weights) of every iteration, any number of times each; weights of a member become shares."""
        import scipy.sparse as sp

        tested = np.zeros((len(parts), n_members), dtype=bool)
        sizes = [int(np.max(codes, initial=-1)) + 1 for _, codes, _ in parts]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        members = [np.zeros(0, dtype=np.int64)]
        columns = [np.zeros(0, dtype=np.int64)]
        values = [np.zeros(0)]
        for i, (who, codes, weights) in enumerate(parts):
            who = np.asarray(who, dtype=np.int64)
            outside = np.flatnonzero((who < 0) | (who >= n_members))
            if len(outside):
                raise DataError(
                    f"iteration {i} names member {who[outside[0]]}, and there are {n_members} members.",
                    owner="Profiles",
                )
            total = np.bincount(who, weights=weights, minlength=n_members)
            tested[i] = total > 0
            kept = tested[i][who]
            members.append(who[kept])
            columns.append(starts[i] + np.asarray(codes, dtype=np.int64)[kept])
            values.append(np.asarray(weights, dtype=np.float64)[kept] / total[who[kept]])
        placed = (np.concatenate(values), (np.concatenate(members), np.concatenate(columns)))
        return cls(sp.coo_array(placed, shape=(n_members, int(starts[-1]))).tocsr(), starts, tested)

    @property
    def n_iterations(self) -> int:
        return len(self.tested)

    @property
    def n_members(self) -> int:
        return int(self.tested.shape[1])

    @property
    def n_tested(self) -> np.ndarray:
        """How many members each iteration tested."""
        return self.tested.sum(axis=1)

    @property
    def iteration_of(self) -> np.ndarray:
        """The iteration of every column of the shares."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def rates(self) -> np.ndarray:
        """Per iteration the mean score of tested pairs; NaN below two tested."""
        return self._mean_over_pairs(
            self.shares.sum(axis=0) ** 2,
            _by_iteration(self.shares**2, self.iteration_of, self.n_iterations),
        )

    def spreads(self) -> np.ndarray:
        """Per iteration the standard deviation of the score of tested pairs; NaN below two tested."""
        lengths = _by_iteration(self.shares**2, self.iteration_of, self.n_iterations)
        columns = self.shares.tocsc()
        squares = np.zeros(self.shares.shape[1])
        for a, b in zip(self.starts[:-1], self.starts[1:], strict=True):
            squares[a:b] = ((columns[:, a:b].T @ columns[:, a:b]) ** 2).sum(axis=0)
        return np.sqrt(
            np.maximum(self._mean_over_pairs(squares, lengths**2) - self.rates() ** 2, 0.0)
        )

    def _mean_over_pairs(self, by_class: np.ndarray, itself: np.ndarray) -> np.ndarray:
        """Sums over ordered pairs, class by class, without those of members with themselves, as means per iteration."""
        n = self.n_tested.astype(np.float64)
        total = np.bincount(
            self.iteration_of, weights=by_class, minlength=self.n_iterations
        ) - itself.sum(axis=0)
        return np.divide(total, n * (n - 1), out=np.full(len(n), np.nan), where=n > 1)

    def take(self, iterations: np.ndarray | slice) -> Profiles:
        """Some of the iterations, as profiles of their own."""
        chosen = np.arange(self.n_iterations)[iterations]
        columns = np.concatenate(
            [
                np.zeros(0, dtype=np.int64),
                *(np.arange(self.starts[i], self.starts[i + 1]) for i in chosen),
            ]
        )
        return Profiles(
            self.shares[:, columns],
            np.concatenate([[0], np.cumsum(np.diff(self.starts)[chosen])]),
            self.tested[chosen],
            [self.classes[i] for i in chosen] if self.classes else (),
            None if self.control is None else self.control[chosen],
            [self.records[i] for i in chosen] if self.records else (),
        )

    def joined(self, other: Profiles) -> Profiles:
        """The iterations of both, one after the other."""
        import scipy.sparse as sp

        if other.n_members != self.n_members:
            raise DataError(
                f"Profiles of {other.n_members} members cannot follow those of {self.n_members}."
            )
        control = [
            np.ones(part.n_iterations, dtype=bool) if part.control is None else part.control
            for part in (self, other)
        ]
        return Profiles(
            sp.hstack([self.shares, other.shares], format="csr"),
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.tested, other.tested]),
            [*self.classes, *other.classes],
            np.concatenate(control),
            [*self.records, *other.records],
        )

    def pairs(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For pairs of members, iteration by iteration: the score of the pair, and whether both were tested."""
        together = self.shares[first].multiply(self.shares[second])
        return _by_iteration(together.tocsr(), self.iteration_of, self.n_iterations), (
            self.tested[:, first] & self.tested[:, second]
        ).T

    def columns(self, starts: np.ndarray | None = None, unit: bool = False) -> Any:
        """The shares, divided by the length of each profile when `unit`; over the classes of other profiles with `starts`.

        A class the others do not have is left out: nobody there can share it.
        """
        import scipy.sparse as sp

        found = self.shares
        if unit:
            length = np.sqrt(_by_iteration(found**2, self.iteration_of, self.n_iterations))
            rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
            found = sp.csr_array(
                (
                    found.data / length[rows, self.iteration_of[found.indices]],
                    found.indices,
                    found.indptr,
                ),
                found.shape,
            )
        if starts is None:
            return found
        rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
        iteration = self.iteration_of[found.indices]
        code = found.indices - self.starts[iteration]
        known = code < np.diff(starts)[iteration]
        placed = (found.data[known], (rows[known], (starts[iteration] + code)[known]))
        return sp.coo_array(placed, shape=(found.shape[0], int(starts[-1]))).tocsr()

    def __repr__(self) -> str:
        return f"Profiles({self.n_iterations} iterations x {self.n_members} members)"


def _by_iteration(shares: Any, iteration_of: np.ndarray, n_iterations: int) -> np.ndarray:
    """Sums of the columns of each iteration: (members, iterations)."""
    rows = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
    place = rows * n_iterations + iteration_of[shares.indices]
    return np.bincount(
        place, weights=shares.data, minlength=shares.shape[0] * n_iterations
    ).reshape(shares.shape[0], n_iterations)
