"""What a session of interactive clustering has to show: groups, candidates, features under review, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.partition import Partition
from coterie.organize.comraf.interactive_desk import Candidate, Desk
from coterie.organize.comraf.interactive_state import (
    DONE,
    GROUPS,
    REVIEW,
    SEEDS,
    TYPES,
    Entry,
    Groups,
    State,
)
from coterie.organize.comraf.interactive_steps import covered_by, occurrences

SHOWN = 200  # features of a group that are shown


@dataclass(frozen=True, slots=True)
class Proposal:
    """A feature of a group under review: whether it is new, whether the person gave it, and in which groups its members are."""

    feature: str
    new: bool
    given: bool
    members: int
    shares: tuple[float, ...]  # of its occurrences, by group of the members that have it


class Views:
    """The part of a session that shows and changes nothing."""

    desk: Desk
    state: State
    log: list[Entry]

    @property
    def status(self) -> str:
        """Where the session stands: k, types, seeds, default, cluster-members, check, cluster-features, review or done."""
        return self.state.status

    @property
    def labels(self) -> np.ndarray:
        """The group of every member, -1 where it has none of the features."""
        return np.array(
            [self.state.doc_cluster.get(one, -1) for one in self.desk.ids], dtype=np.int64
        )

    @property
    def partition(self) -> Partition:
        """The groups of the members under their names."""
        if not self.state.doc_cluster:
            raise ParameterError("Nothing is clustered yet.")
        return Partition(self.labels, tuple(self.state.group_names))

    @property
    def unassigned(self) -> list[str]:
        """Members in no group: none of the features is in them."""
        return [one for one in self.desk.ids if one not in self.state.doc_cluster]

    @property
    def coverage(self) -> list[int]:
        """Members in a group, by iteration."""
        return [int(line["covered"]) for line in self.state.history]

    def candidates(self, type: str | None = None, **how: Any) -> list[Candidate]:
        """Features to choose seeds from, of middle frequency: in 3% of the members or more (and 3), and in fewer than 31%.

        `low` and `high` set other numbers of members, `sort` is members, name or rare, `search` is a part of the name, `most`
        the length of the list, and `examples` how many places of each are shown (where the session has `contexts`).
        """
        return self.desk.candidates(self._type(type, chosen=True), **how)

    def covered_by(self, groups: Mapping[str, Any]) -> int:
        """How many members have any of these seeds; checks them as `seed` would, and changes nothing."""
        found = {
            kind: self.desk.groups(kind, plain_lists(of), self.state) for kind, of in groups.items()
        }
        return (
            int(covered_by({kind: self.desk.table(kind) for kind in found}, found).sum())
            if found
            else 0
        )

    def review(self, type: str | None = None, most: int | None = SHOWN) -> list[list[Proposal]]:
        """The features of every group, the most frequent first, at most `most` of each."""
        kind = self._type(type)
        if kind not in self.state.seed_groups:
            raise ParameterError(f"'{kind}' has no groups of features.")
        columns = self.desk.table(kind).counts.tocsc()
        held = self.desk.members_with(kind)
        labels = self.labels
        before = {one for group in self.state.used.get(kind, ()) for one in group}
        found = []
        for at, group in enumerate(self.state.seed_groups[kind]):
            given = set(self.state.given[kind][at])
            rows = []
            for feature in group[:most]:
                place = self.desk.places[kind][feature]
                part = slice(columns.indptr[place], columns.indptr[place + 1])
                shares = _shares(labels[columns.indices[part]], columns.data[part], self.state.k)
                rows.append(
                    Proposal(
                        feature, feature not in before, feature in given, int(held[place]), shares
                    )
                )
            found.append(rows)
        return found

    def examples(self, group: int | str, most: int = 3) -> list[str]:
        """Members of a group that have its features most often and those of other groups least."""
        at = self.group(group)
        mine = np.flatnonzero(self.labels == at)
        if not len(mine):
            return []
        table = np.zeros((len(self.desk.ids), self.state.k))
        for kind, groups in self.state.used.items():
            table += occurrences(self.desk.table(kind), groups).toarray()
        lead = 2 * table[mine, at] - table[mine].sum(axis=1)
        return [self.desk.ids[one] for one in mine[np.argsort(-lead, kind="stable")[:most]]]

    def group(self, called: int | str) -> int:
        """The number (from 0) of a group called by its number from 1 or by its name."""
        names = list(self.state.group_names)
        if called in names:
            return names.index(str(called))
        if str(called).isdecimal() and 1 <= int(called) <= len(names):
            return int(called) - 1
        raise ParameterError(
            f"There is no group '{called}'; the groups are {', '.join(names) or 'not chosen yet'}."
        )

    def export(self) -> dict[str, Any]:
        """The result as plain values: members by group, members in none, features by group, coverage and the log."""
        state = self.state
        members: dict[str, list[str]] = {name: [] for name in state.group_names}
        for one in self.desk.ids:
            if one in state.doc_cluster:
                members[state.group_names[state.doc_cluster[one]]].append(one)
        features = {
            kind: dict(zip(state.group_names, map(list, of), strict=True))
            for kind, of in state.seed_groups.items()
        }
        found = {
            "members": members,
            "unassigned": self.unassigned,
            "features": features,
            "coverage": self.coverage,
        }
        return {**found, "status": state.status, "log": self.log}

    def tell(self) -> list[str]:
        """Sentences on where the session stands: counts, coverage, groups, and what a person should know."""
        state = self.state
        n = len(self.desk.ids)
        if state.status in (GROUPS, TYPES):
            return [f"{n:,} members; types of features: {', '.join(self.desk.sources)}."]
        if state.status == SEEDS:
            return [self._vocabulary(kind) for kind in state.feature_types] + self._dropped()
        said = [] if state.history and state.status in (REVIEW, DONE) else self._seeds()
        if state.history:
            said += self._groups()
        if state.status == REVIEW:
            said += self.proposals()
        return said

    def _vocabulary(self, kind: str) -> str:
        table = self.desk.table(kind)
        held = int((np.diff(table.counts.indptr) > 0).sum())
        n = len(self.desk.ids)
        return f"{kind}: {int((self.desk.members_with(kind) > 0).sum()):,} features, in {held:,} of {n:,} members."

    def _dropped(self) -> list[str]:
        asked: list[str] = next(
            (one["types"] for one in reversed(self.log) if one["do"] == "types"), []
        )
        gone = [kind for kind in asked if kind not in self.state.feature_types]
        return [f"{', '.join(gone)}: left out, with fewer features than groups."] if gone else []

    def _seeds(self) -> list[str]:
        state = self.state
        said = []
        for kind, groups in state.seed_groups.items():
            sizes = ", ".join(
                f"{name} {len(group):,}"
                for name, group in zip(state.group_names, groups, strict=True)
            )
            said.append(f"Seeds among the {kind}: {sizes}.")
        said += self.unseeded(state.seed_groups)
        if state.seed_groups:
            tables = {kind: self.desk.table(kind) for kind in state.seed_groups}
            held = int(covered_by(tables, state.seed_groups).sum())
            said.append(f"{held:,} of {len(self.desk.ids):,} members have a seed.")
        return said

    def unseeded(self, groups: Mapping[str, Groups]) -> list[str]:
        """Sentences on groups that have no seed of any type, where others have some."""
        own = self._own(groups)
        none = [name for at, name in enumerate(self.state.group_names) if at not in own]
        said = (
            [f"No seeds: {', '.join(none)}. What such a group holds is left to the others."]
            if own and none
            else []
        )
        return said + (
            ["Seeds of one group alone cannot tell groups apart; give some to another."]
            if len(own) == 1
            else []
        )

    def _own(self, groups: Mapping[str, Groups]) -> list[int]:
        """The groups that have a seed of any type."""
        return [at for at in range(self.state.k) if any(of[at] for of in groups.values())]

    def _groups(self) -> list[str]:
        state, line, n = self.state, self.state.history[-1], len(self.desk.ids)
        sizes = ", ".join(
            f"{name} {size:,}" for name, size in zip(state.group_names, line["sizes"], strict=True)
        )
        said = [f"Groups: {sizes}."]
        if state.given:
            came = f", {line['new']:,} of them new" if line["iteration"] > 1 else ""
            said.append(
                f"Iteration {line['iteration']}: {line['covered']:,} of {n:,} members are in a group{came}."
            )
        if state.status in (REVIEW, DONE):
            said += self.unseeded(state.used)
        own = self._own(state.used)
        weak = (
            [state.group_names[at] for at in own if line["lifts"][at] <= 1] if len(own) > 1 else []
        )
        if weak:
            whose, fits = ("its", "name") if len(weak) == 1 else ("their", "names")
            said.append(
                f"{', '.join(weak)}: {whose} own seeds are not more frequent there than elsewhere; the {fits} may not fit."
            )
        if state.status == DONE and line["covered"] < n:
            said.append(
                f"{n - line['covered']:,} members have none of the features and are in no group."
            )
        return said

    def proposals(self) -> list[str]:
        """Sentences on the groups of features under review, and on those that wait for a word."""
        said = []
        for kind, groups in self.state.seed_groups.items():
            before = {one for group in self.state.used.get(kind, ()) for one in group}
            sizes = ", ".join(
                f"{name} {len(group):,} ({sum(one not in before for one in group):,} new)"
                for name, group in zip(self.state.group_names, groups, strict=True)
            )
            said.append(f"Proposed {kind}: {sizes}.")
        for at, tie in enumerate(self.state.ties, 1):
            if tie["to"] is None:
                names = " or ".join(self.state.group_names[g] for g in tie["groups"])
                some = ", ".join(tie["features"][:5])
                said.append(
                    f"Open {at}: {len(tie['features']):,} {tie['type']} ({some}) may be of {names}; settle it or leave it out."
                )
        return said

    def _type(self, kind: str | None, chosen: bool = False) -> str:
        """The type that is meant: the only one, where none is named."""
        known = (
            list(self.state.feature_types)
            if chosen or not self.state.given
            else list(self.state.given)
        )
        if kind is not None:
            return kind
        if len(known) != 1:
            raise ParameterError(
                f"Say which type is meant: {', '.join(known) or 'types are not chosen yet'}."
            )
        return known[0]


def plain_lists(groups: Any) -> Any:
    """Seeds of one type as plain lists, for the log."""
    if isinstance(groups, Mapping):
        return {str(name): _plain(of) for name, of in groups.items()}
    return (
        [_plain(of) for of in groups]
        if isinstance(groups, Iterable) and not isinstance(groups, (str, bytes))
        else groups
    )


def _plain(features: Any) -> Any:
    """Features of one group as texts; what is no list of them stays as it is, and is refused where seeds are checked."""
    if isinstance(features, (str, bytes)) or not isinstance(features, Iterable):
        return features
    return [str(one) for one in features]


def _shares(labels: np.ndarray, counts: np.ndarray, k: int) -> tuple[float, ...]:
    """The share of occurrences in each group."""
    inside = labels >= 0
    sums = np.bincount(labels[inside], weights=counts[inside], minlength=k)
    return tuple(float(one) for one in sums / max(float(sums.sum()), 1e-300))
