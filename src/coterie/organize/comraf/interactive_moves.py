"""The transitions of interactive clustering: what a person says or a step does takes a state to the next, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.organize.comraf.interactive_desk import Desk
from coterie.organize.comraf.interactive_edits import by_frequency, delete, put, settle
from coterie.organize.comraf.interactive_state import (
    CHECK,
    DEFAULT,
    DONE,
    FEATURES_STEP,
    GROUPS,
    MEMBERS_STEP,
    NEW,
    REVIEW,
    SEEDS,
    TYPES,
    Entry,
    State,
    by_type,
)
from coterie.organize.comraf.interactive_steps import (
    cluster_features,
    cluster_members,
    plain,
    seed_for,
)

_SAID = {
    NEW: "has not begun",
    GROUPS: "waits for the number of groups",
    TYPES: "waits for the types of features",
    SEEDS: "waits for seeds",
    DEFAULT: "is about to cluster without seeds",
    MEMBERS_STEP: "is about to cluster the members",
    CHECK: "is about to see whether members came in",
    FEATURES_STEP: "is about to cluster the features",
    REVIEW: "waits for a review of the groups of features",
    DONE: "is done",
}


_METHODS = {
    "groups": "choose_groups",
    "types": "choose_types",
    "seeds": "seed",
}  # those not called as they are logged


class Misplaced(ParameterError):
    """Something was said where the session is not; `why` is the sentence without the name of what was said."""

    def __init__(self, said: str, status: str) -> None:
        self.why = f"does not fit here: the session {_SAID[status]} (undo takes choices back)."
        super().__init__(f"'{said}' {self.why}")


def applied(desk: Desk, state: State, entry: Entry) -> State:
    """The state after one entry of the log; where it cannot follow, one sentence and no change."""
    do: str = entry["do"]
    allowed, move = MOVES[do]
    if state.status not in allowed:
        raise Misplaced(_METHODS.get(do, do), state.status)
    to = entry.get("to")
    if to is not None and not 0 <= to < state.k:
        raise ParameterError(f"There is no group {to + 1}; there are {state.k}.")
    return move(desk, state, entry)


def _begin(desk: Desk, state: State, entry: Entry) -> State:
    return state.changed(status=GROUPS)


def _groups(desk: Desk, state: State, entry: Entry) -> State:
    k = entry["k"]
    names = entry["names"]
    n = len(desk.ids)
    if isinstance(k, bool) or not isinstance(k, int) or not 2 <= k <= n:
        raise ParameterError(
            f"The number of groups must be a whole number from 2 to {n} (the members), and was {k!r}."
        )
    names = (
        [str(name).strip() for name in names] if names else [f"group {at + 1}" for at in range(k)]
    )
    if len(names) != k or len(set(names)) < k or not all(names):
        raise ParameterError(
            f"{k} groups need {k} different names, and were given {', '.join(map(repr, names))}."
        )
    return state.changed(status=TYPES, k=k, group_names=names)


def _types(desk: Desk, state: State, entry: Entry) -> State:
    types = list(dict.fromkeys(entry["types"]))
    n = len(desk.ids)
    if not types:
        raise ParameterError(f"Choose one type of features or more of {', '.join(desk.sources)}.")
    kept = [kind for kind in types if int((desk.members_with(kind) > 0).sum()) >= state.k]
    if not kept:
        raise DataError(
            f"No chosen type has {state.k} features that are in any of the {n} members; choose others."
        )
    digests = {kind: desk.digests[kind] for kind in kept}
    return state.changed(status=SEEDS, feature_types=kept, tables=digests)


def _draft(desk: Desk, state: State, entry: Entry) -> State:
    """Seeds of one group written down; they count when the seeds are given."""
    kind = entry["type"]
    to = entry["to"]
    if kind not in state.feature_types:
        raise ParameterError(
            f"'{kind}' was not chosen; the types of this session are {', '.join(state.feature_types)}."
        )
    known = state.draft.get(kind, [[] for _ in range(state.k)])
    groups = [entry["features"] if at == to else group for at, group in enumerate(known)]
    draft = {**state.draft, kind: desk.groups(kind, groups, state)}
    return state.changed(draft=by_type(draft, state.feature_types))


def _seeds(desk: Desk, state: State, entry: Entry) -> State:
    given = {}
    for kind, groups in entry["groups"].items():
        if kind not in state.feature_types:
            raise ParameterError(
                f"'{kind}' was not chosen; the types of this session are {', '.join(state.feature_types)}."
            )
        found = desk.groups(kind, groups, state)
        if any(found):
            given[kind] = found
    given = by_type(given, state.feature_types)
    first = 1 if given else 0
    return state.changed(
        status=MEMBERS_STEP if given else DEFAULT,
        draft={},
        seed_groups=given,
        given=given,
        iteration=first,
    )


def _default(desk: Desk, state: State, entry: Entry) -> State:
    labels = plain(desk.tables(state), state.k, seed_for(desk.rng_seed, 0, 0))
    return _with_members(desk, state, labels).changed(status=DONE)


def _cluster_members(desk: Desk, state: State, entry: Entry) -> State:
    seed = seed_for(desk.rng_seed, state.iteration, 1)
    found = cluster_members(desk.tables(state), state.seed_groups, state.k, desk.settings, seed)
    lifts = [round(float(one), 6) for one in np.diagonal(found.lifts)]
    return _with_members(desk, state, found.labels, lifts).changed(
        status=CHECK, used=state.seed_groups
    )


def _with_members(
    desk: Desk, state: State, labels: np.ndarray, lifts: Sequence[float] = ()
) -> State:
    """The state with new groups of the members, and a line of history."""
    inside = np.flatnonzero(labels >= 0).tolist()
    groups = {desk.ids[at]: int(labels[at]) for at in inside}
    line = {
        "iteration": state.iteration,
        "covered": len(inside),
        "new": len(groups.keys() - set(state.covered)),
        "sizes": np.bincount(labels[labels >= 0], minlength=state.k).tolist(),
        "features": {kind: [len(group) for group in of] for kind, of in state.seed_groups.items()},
        "lifts": list(lifts),
    }
    first = groups if state.iteration <= 1 else state.first
    return state.changed(
        covered=[desk.ids[at] for at in inside],
        doc_cluster=groups,
        first=first,
        history=[*state.history, line],
    )


def _check(desk: Desk, state: State, entry: Entry) -> State:
    over = state.history[-1]["new"] == 0 or state.iteration >= desk.settings.max_iter
    return state.changed(status=DONE if over else FEATURES_STEP)


def _cluster_features(desk: Desk, state: State, entry: Entry) -> State:
    labels = np.array([state.doc_cluster.get(one, -1) for one in desk.ids], dtype=np.int64)
    clusters = dict[str, dict[str, int]]()
    groups = dict[str, list[list[str]]]()
    ties = list[dict[str, Any]]()
    for at, kind in enumerate(one for one in state.feature_types if one in state.given):
        table = desk.table(kind)
        found, _ = cluster_features(
            table, labels, state.k, desk.settings, seed_for(desk.rng_seed, state.iteration, 2 + at)
        )
        clusters[kind] = {table.cols[j]: int(found[j]) for j in np.flatnonzero(found >= 0).tolist()}
        groups[kind], tied = _proposed(desk, state, kind, found)
        ties += tied
    return state.changed(status=REVIEW, feature_cluster=clusters, seed_groups=groups, ties=ties)


def _proposed(
    desk: Desk, state: State, kind: str, clusters: np.ndarray
) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Enlarged groups: a cluster joins the group that owns most of the seeds in it; equal owners are asked about.

    What the person gave stays where it was put, and what was deleted is not proposed again.
    """
    table = desk.table(kind)
    given = state.given[kind]
    owner = {feature: at for at, group in enumerate(given) for feature in group}
    barred = {*owner, *state.rejected.get(kind, ())}
    votes = np.zeros((int(clusters.max(initial=-1)) + 1, state.k), dtype=np.int64)
    for feature, at in owner.items():
        place = desk.places[kind][feature]
        if clusters[place] >= 0:
            votes[clusters[place], at] += 1
    groups = [list(group) for group in given]
    ties = list[dict[str, Any]]()
    often = np.bincount(table.counts.indices, weights=table.counts.data, minlength=len(table.cols))
    order = np.lexsort((np.arange(len(often)), -often))
    members: list[list[str]] = [[] for _ in votes]
    for j in order[clusters[order] >= 0].tolist():
        if table.cols[j] not in barred:
            members[clusters[j]].append(table.cols[j])
    for cluster, row in enumerate(votes):
        first = np.flatnonzero(row == row.max()).tolist() if row.max() > 0 else []
        if len(first) == 1:
            groups[first[0]] += members[cluster]
        elif first and members[cluster]:
            ties.append({"type": kind, "groups": first, "features": members[cluster], "to": None})
    return [
        by_frequency(desk, kind, group, given[at], desk.settings.proposed)
        for at, group in enumerate(groups)
    ], ties


def _accept(desk: Desk, state: State, entry: Entry) -> State:
    if not any(group for groups in state.seed_groups.values() for group in groups):
        raise DataError(
            "All features were deleted; add some, or undo, before the members are clustered again."
        )
    return state.changed(status=MEMBERS_STEP, iteration=state.iteration + 1, ties=[])


def _stop(desk: Desk, state: State, entry: Entry) -> State:
    if not state.doc_cluster:
        raise ParameterError("Nothing is clustered yet; there are no groups to stop with.")
    return state.changed(status=DONE)


def _reopen(desk: Desk, state: State, entry: Entry) -> State:
    if not state.given:
        raise ParameterError(
            "The members were clustered without seeds, and there are none to review; undo to give some."
        )
    return state.changed(status=REVIEW)


Move = Callable[[Desk, State, Entry], State]
MOVES: dict[str, tuple[tuple[str, ...], Move]] = {
    "begin": ((NEW,), _begin),
    "groups": ((GROUPS,), _groups),
    "types": ((TYPES,), _types),
    "draft": ((SEEDS,), _draft),
    "seeds": ((SEEDS,), _seeds),
    DEFAULT: ((DEFAULT,), _default),
    MEMBERS_STEP: ((MEMBERS_STEP,), _cluster_members),
    CHECK: ((CHECK,), _check),
    FEATURES_STEP: ((FEATURES_STEP,), _cluster_features),
    "delete": ((REVIEW,), delete),
    "move": ((REVIEW,), put),
    "add": ((REVIEW,), put),
    "settle": ((REVIEW,), settle),
    "accept": ((REVIEW,), _accept),
    "stop": ((MEMBERS_STEP, CHECK, FEATURES_STEP, REVIEW), _stop),
    "reopen": ((DONE,), _reopen),
}
