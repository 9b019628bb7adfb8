"""Rankings: populations put in order from the order of one of them, over the tables that tie them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Estimator
from coterie.core.links import Links, on_columns
from coterie.core.params import param
from coterie.core.partition import Ranking
from coterie.organize.comraf.graph import over_members
from coterie.organize.comraf.wishes import GRAPH, Wishes, pair_named, pairs_asked
from coterie.parts.iterate import iterate
from coterie.parts.orderings import gains, in_order_of, middled, ordered

_RULES = ("one", "mass")
_LITTLE = 1e-12  # of F: what a round must gain to be followed by another


@dataclass(frozen=True, slots=True, eq=False)
class Tie:
    """One table as it counts: shares of both sides, (P(y|x) / n + P(x|y) / m) / 2, whose sum is one; and its weight."""

    ends: tuple[str, str]
    shares: Any
    beta: float


class Rankings(Estimator):
    """Populations in order: given an order of one, the others by the company they keep, over several tables.

    Each element has a gain by its rank, from 1 for the first to -1 for the last. F is the sum over all tables of the gains of
    both sides, multiplied, where they meet; the order of one population that makes F largest, all others fixed, is that of its
    scores, so that scoring and sorting one population after the other never lowers F. Elements that meet nothing are in the
    middle. `rankings_` holds an order of every population, `ranking_` that of the members.
    """

    takes: ClassVar[type] = Links
    gives: ClassVar[type] = Ranking

    observed: Any = param(
        None,
        "What is known: a mapping of population to ids, best first, or to scores (a list, or a mapping of id to score).",
    )
    graph: Any = param(None, GRAPH)
    weights: Any = param(
        "one",
        "Weight of each table: one, mass (its counts over the largest's), or a mapping of pair to number.",
    )
    max_rounds: int = param(50, "Most rounds over all populations.", ge=1, advanced=True)

    rankings_: dict[str, Ranking]
    ranking_: Ranking
    history_: list[float]
    objective_: float
    notes_: tuple[str, ...]
    totals_: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]
    ties_: list[Any]
    gains_: dict[str, Any]
    target_: str
    columns_: dict[str, Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Order every population that is not observed; `history_` is F after every round."""
        links: Links = self.check(X)
        known = self._observed(links)
        self.totals_ = {}
        self.ties_ = self._ties(links)
        names = list(
            dict.fromkeys([links.target, *(name for tie in self.ties_ for name in tie.ends)])
        )
        met = {name: _met(self.ties_, name, len(links.ids[name])) for name in names}
        for name in known:
            if name not in names or not met[name].any():
                which = "with a weight" if name in names else "of the graph"
                raise ParameterError(
                    f"observed names '{name}', which no table {which} ties to anything.",
                    owner="Rankings",
                )
        state = {name: gains(order) for name, order in known.items()}
        hidden = self._hidden(links, names, known, state, met)
        outcome = iterate(
            self._round(hidden, met),
            state,
            max_iter=self.max_rounds,
            tol=_LITTLE,
            label="orders",
            settled=_resting(),
        )
        self.gains_ = {name: np.asarray(outcome.state[name]) for name in names}
        self.history_ = outcome.history
        self.objective_ = outcome.value
        self.target_ = links.target
        self.columns_ = {name: tuple(links.ids[name]) for name in names}
        self._keep(links, met, known)
        return self

    def _keep(
        self, links: Links, met: Mapping[str, np.ndarray], known: Mapping[str, np.ndarray]
    ) -> None:
        notes = (
            []
            if known
            else ["Nothing was observed: the orders start from how often each element occurs."]
        )
        self.rankings_ = {}
        for name, some in met.items():
            order = np.argsort(-self.gains_[name], kind="stable")
            self.rankings_[name] = Ranking(
                order, scores(self.ties_, name, self.gains_), tuple(links.ids[name])
            )
            alone = int((~some).sum())
            if name not in known and alone == len(order):
                notes.append(
                    f"No table with a weight ties the {name}: they are in the order they were given."
                )
            elif name not in known and alone:
                notes.append(
                    f"{alone} of {len(order)} {name} meet nothing and stand in the middle."
                )
        self.ranking_ = self.rankings_[links.target]
        self.notes_ = tuple(notes)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and give the score of every member."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> np.ndarray:
        """The scores of members, fitted or new, as one column: by what they meet, the other orders as they are."""
        check_is_fitted(self, "rankings_")
        links: Links = self.check(X, new=True)
        total = np.zeros(len(links))
        for tie, upright, other in self._around_target():
            table = on_columns(links.between(links.target, other), self.columns_[other], len(links))
            rows = np.asarray(table.sum(axis=1)).ravel()
            own = _divided(
                table,
                rows,
                self.totals_[tie.ends][1 if upright else 0],
                len(self.columns_[self.target_]),
            )
            total += tie.beta * (own @ self.gains_[other])
        return total[:, None]

    def _around_target(self) -> list[tuple[Tie, bool, str]]:
        ties = [tie for tie in self.ties_ if self.target_ in tie.ends]
        return [
            (tie, tie.ends[0] == self.target_, tie.ends[tie.ends[0] == self.target_])
            for tie in ties
        ]

    def _observed(self, links: Links) -> dict[str, np.ndarray]:
        """The orders that are given, as positions, best first."""
        given = {} if self.observed is None else self.observed
        if not isinstance(given, Mapping):
            raise ParameterError(
                f"observed must be a mapping of population to order or scores, and was {given!r:.60}.",
                owner="Rankings",
            )
        found = {}
        for name, said in given.items():
            if name not in links.ids:
                raise ParameterError(
                    f"observed names '{name}', and the populations are {', '.join(links.populations)}.",
                    owner="Rankings",
                )
            found[name] = in_order_of(said, links.ids[name], f"Rankings: observed['{name}']")
        return found

    def _ties(self, links: Links) -> list[Tie]:
        """The tables that tell anything, with their weights."""
        found = []
        counted = {}
        for one, other in pairs_asked(links, Wishes("Rankings", graph=self.graph)):
            table = links.between(one, other)
            matrix = sp.csr_array(
                over_members(links, one, other, "Rankings") if table is None else table.counts
            )
            if matrix.sum() > 0:
                counted[one, other] = matrix
        if not counted:
            raise DataError(
                "no table holds any count, and nothing can be put in order.", owner="Rankings"
            )
        betas = self._betas(counted, links)
        for ends, matrix in counted.items():
            rows, cols = (np.asarray(matrix.sum(axis=axis)).ravel() for axis in (1, 0))
            self.totals_[ends] = (rows, cols)
            found.append(Tie(ends, _divided(matrix, rows, cols, matrix.shape[0]), betas[ends]))
        return found

    def _betas(
        self, tables: Mapping[tuple[str, str], Any], links: Links
    ) -> dict[tuple[str, str], float]:
        rule = self.weights
        most = max(float(table.sum()) for table in tables.values())
        if not isinstance(rule, Mapping):
            if not (isinstance(rule, str) and rule in _RULES):
                raise ParameterError(
                    f"weights must be one | mass or a mapping of pair to number, and was {rule!r}.",
                    owner="Rankings",
                )
            return {
                ends: 1.0 if rule == "one" else float(table.sum()) / most
                for ends, table in tables.items()
            }
        found = dict.fromkeys(tables, 1.0)
        for key, beta in rule.items():
            pair = pair_named(key, links.populations, "weights", "Rankings")
            ends = pair if pair in tables else pair[::-1]
            number = isinstance(beta, (int, float, np.number)) and not isinstance(beta, bool)
            if not number or not 0 <= float(beta) < np.inf:
                raise ParameterError(
                    f"the weight of {pair[0]}-{pair[1]} must be a number from 0, and was {beta!r}.",
                    owner="Rankings",
                )
            if ends not in tables:
                raise ParameterError(
                    f"weights names {pair[0]}-{pair[1]}, which is no table of the graph.",
                    owner="Rankings",
                )
            found[ends] = float(beta)
        if not any(found.values()):
            raise ParameterError(
                "all weights are 0, and nothing can be put in order.", owner="Rankings"
            )
        return found

    def _hidden(
        self,
        links: Links,
        names: list[str],
        known: Mapping[str, np.ndarray],
        state: dict[str, np.ndarray],
        met: Mapping[str, np.ndarray],
    ) -> list[str]:
        """The populations to be ordered, those nearest to an observed one first; where none is near, counts are the start.

        What was not ordered yet has gains of zero, and takes no part.
        """
        ahead = list(known)
        reached = list(known)
        while ahead:
            near = ahead.pop(0)
            for tie in self.ties_:
                if near in tie.ends and tie.beta > 0:
                    other = tie.ends[tie.ends[0] == near]
                    if other not in reached:
                        reached.append(other)
                        ahead.append(other)
        for name in names:
            if name in known:
                continue
            state[name] = np.zeros(len(links.ids[name]))
            if name not in reached:
                sides = [
                    self.totals_[tie.ends][tie.ends.index(name)]
                    for tie in self.ties_
                    if name in tie.ends
                ]
                often = np.sum(sides, axis=0) if sides else np.zeros(len(links.ids[name]))
                state[name] = gains(middled(ordered(often), met[name]))
        return [
            name
            for name in [*reached, *(n for n in names if n not in reached)]
            if name not in known
        ]

    def _round(self, hidden: list[str], met: Mapping[str, np.ndarray]) -> Any:
        """Score and sort each hidden population in turn; the value is F."""

        def step(state: Any) -> tuple[dict[str, np.ndarray], float]:
            now = dict(state)
            for name in hidden:
                now[name] = gains(middled(ordered(scores(self.ties_, name, now)), met[name]))
            return now, total(self.ties_, now)

        return step


def scores(ties: list[Tie], name: str, state: Mapping[str, np.ndarray]) -> np.ndarray:
    """What each element of a population meets: the gains of its company, by share, over all tables."""
    found = np.zeros(len(state[name]))
    for tie in ties:
        if name == tie.ends[0]:
            found += tie.beta * (tie.shares @ state[tie.ends[1]])
        elif name == tie.ends[1]:
            found += tie.beta * (tie.shares.T @ state[tie.ends[0]])
    return found


def total(ties: list[Tie], state: Mapping[str, np.ndarray]) -> float:
    """F: how far those who are well placed meet those who are well placed."""
    return float(
        sum(tie.beta * (state[tie.ends[0]] @ (tie.shares @ state[tie.ends[1]])) for tie in ties)
    )


def _divided(matrix: Any, rows: np.ndarray, cols: np.ndarray, n: int) -> Any:
    """(P(y|x) / n + P(x|y) / m) / 2 of a table of counts with these totals; what has no count has no share."""
    by_row, by_col = (
        np.divide(1.0, side, out=np.zeros(len(side)), where=side > 0) for side in (rows, cols)
    )
    return 0.5 * (sp.diags_array(by_row / n) @ matrix + matrix @ sp.diags_array(by_col / len(cols)))


def _met(ties: list[Tie], name: str, n: int) -> np.ndarray:
    """Which elements of a population meet anything, in a table that has a weight."""
    found = np.zeros(n, dtype=bool)
    for tie in ties:
        if name in tie.ends and tie.beta > 0:
            found |= np.asarray(tie.shares.sum(axis=1 if tie.ends[0] == name else 0)).ravel() > 0
    return found


def _resting() -> Any:
    """A test that ends the rounds when F has not risen."""
    last = [-np.inf]

    def still(_: Any, value: float) -> bool:
        before = last[0]
        last[0] = value
        return bool(value <= before + _LITTLE * max(1.0, abs(value)))

    return still
