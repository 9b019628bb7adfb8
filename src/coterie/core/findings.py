"""Findings: everything one exploration found, as plain values; what the store keeps and the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie.core.partition import Segmentation

ENOUGH = 4.0  # standard deviations of the null models from which groups are claimed
UNSTABLE = 0.5  # mean overlap on subsamples below which a group is unstable
CLEARLY = 1.5  # times as often as by chance from which a cluster is said to belong to a group


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """Sequences cut into labeled pieces, drawn one under the other: the cut of a recording, or its states in time."""

    title: str
    names: tuple[str, ...]
    pieces: tuple[Segmentation, ...]
    rate: float = 0.0  # steps per second where they are known: the axis is then in seconds
    sentence: str = ""
    of_groups: bool = (
        False  # whether the labels are the groups: the cut is then the first thing to see
    )


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A small matrix of values from 0 to 1, drawn as shaded cells: which state follows which."""

    title: str
    values: np.ndarray
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    sentence: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Several curves over one axis, drawn together: an error over the number of points, a risk over the prior."""

    title: str
    x: tuple[float, ...]
    lines: Mapping[str, tuple[float, ...]]  # name -> one value per x; NaN where there is none
    x_name: str = ""
    y_name: str = ""
    logarithmic: bool = False  # values on a log scale
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What runs along the bottom of a curve, and the value the curve would have by chance."""

    name: str
    chance: float = float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Small panels of named bars on one scale, drawn side by side: the likeliest words of each topic."""

    title: str
    panels: Mapping[
        str, tuple[tuple[str, float], ...]
    ]  # name -> names of the bars and their values, from 0
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Elements of a population that go together: words, people, tags."""

    name: str
    size: int  # elements
    share: float  # of all occurrences of the population
    telling: tuple[
        tuple[str, float], ...
    ] = ()  # elements and what each tells of the groups, the most first


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """One population tied to the members, cut into a few clusters, and how often each group of the members meets each."""

    name: str
    size: int  # elements
    clusters: tuple[Cluster, ...]
    lift: np.ndarray  # clusters x groups: how many times as often as by chance they meet
    sentence: str = ""

    def hottest(self, group: int) -> Cluster | None:
        """The cluster a group meets most above chance; None where it meets none clearly more often."""
        if not len(self.lift) or not 0 <= group < self.lift.shape[1]:
            return None
        at = int(self.lift[:, group].argmax())
        return self.clusters[at] if self.lift[at, group] >= CLEARLY else None


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """How many times as often as by chance the clusters of two populations meet in a member: who writes about what."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    lift: np.ndarray  # rows x columns
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing in which the members of a group differ from all others."""

    attribute: str  # the column, or what was measured: alcohol, brightness
    word: str  # the difference as a name has it: "alcohol low", "dark", "color red"
    effect: float  # difference of the means, in standard deviations of all members
    inside: float  # mean in the group; of a category, the share that has it
    rest: float  # the same of all others
    category: str = ""  # where inside and rest are shares: of what


@dataclass(frozen=True, slots=True)
class Naming:
    """What the name of a group is made of."""

    by: str = (
        ""  # terms, mentions, traits, exemplar, number, or given by a person; empty: not known
    )
    parts: tuple[str, ...] = ()  # what the name says, in order
    traits: tuple[Trait, ...] = ()  # the facts behind the parts, where these are traits


@dataclass(frozen=True, slots=True)
class Group:
    """One group as a person meets it."""

    label: int
    name: str
    size: int
    confidence: float  # mean confidence of its members, 0 to 1
    typical: tuple[int, ...]  # positions, most typical first
    doubtful: tuple[int, ...]  # positions, most doubtful first
    telling: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    # per population ("words", "correspondents") or "columns": (feature or "column: statement", strength), strongest first
    stability: float = float(
        "nan"
    )  # mean overlap (Jaccard) with its like on random parts of the members
    why: tuple[str, ...] = ()  # what the comparer says of why its members are alike, in sentences
    spark: tuple[
        tuple[float, ...], ...
    ] = ()  # mean trace per dimension for sequences, drawn as small lines
    naming: Naming = Naming()  # what the name is made of

    @property
    def is_unstable(self) -> bool:
        """Whether it was looked for on subsamples and not found again; False where it was not looked for."""
        return self.stability < UNSTABLE


@dataclass(frozen=True, slots=True, eq=False)
class GroupLevel:
    """One level of nested groups: the members in fewer and larger groups, or in more and smaller ones."""

    labels: np.ndarray  # (n,) group per member, -1 in none
    names: tuple[str, ...]  # per group
    parents: tuple[int, ...] = ()  # per group, its group on the level above; none on the first

    @property
    def sizes(self) -> list[int]:
        """Members of every group."""
        inside = self.labels[self.labels >= 0]
        return [int(size) for size in np.bincount(inside, minlength=len(self.names))]


@dataclass(frozen=True, slots=True)
class Step:
    """One step that was taken, as a code and its values; `coterie.messages` says it in words."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why this number of groups, and whether there are groups at all. Facts only: `coterie.messages` explains them."""

    n_groups: int
    chosen: bool  # True when coterie chose it, False when the person fixed it
    structured: bool
    p_value: float  # share of null models at least as grouped as this collection
    measure: str = "separation"  # what the curve shows: separation, modularity, eigengap, consensus
    n_nulls: int = 0  # draws from null models looked at
    null_models: tuple[str, ...] = ()  # their families, by code
    nulls: str = "collections"  # what a draw is: collections, or orders of windows
    strength: float = float("nan")  # standard deviations of the best cut above the null models
    as_grouped: int = 0  # draws at least as well separated
    best: int = 0  # the number of groups with the best score
    ks: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    null_mean: tuple[float, ...] = ()
    null_sd: tuple[float, ...] = ()
    eigenvalues: tuple[float, ...] = ()
    stability: float = float("nan")  # mean agreement (adjusted Rand) of groups found on subsamples
    overlaps: tuple[float, ...] = ()  # per group, its mean best overlap (Jaccard) on subsamples
    rounds: int = 0  # subsamples the groups were looked for on
    sampled: int = 0  # members the subsamples were drawn of, where these were not all
    renumbered: bool = False  # the groups have other numbers than `overlaps` has places
    unrelated_views: tuple[float, float] | None = None  # consensus and its chance level, where
    # several views share nothing
    least: int = 0  # groups that constraints ask for at least, where that is more than were found
    least_by: str = ""  # what asks for them: labels, or cannot-link
    without: int = 0  # groups there would be without the constraints
    made_by: str = ""  # the organizer that made another number of groups than it was asked for
    wanted: int = 0  # that number
    rules: tuple[str, ...] = ()  # how numbers of segments were chosen, by code
    witnesses: Mapping[str, float] = field(default_factory=dict)  # what speaks for the groups of an
    # ensemble, by code: agreement, halves, information ...
    limits: Mapping[str, float] = field(
        default_factory=dict
    )  # of witnesses, from where groups are claimed
    verdict: str = ""  # strong, moderate, weak or none; empty where it was not looked at
    modality: str = ""  # of the members, for which the verdict was calibrated


@dataclass(frozen=True, slots=True)
class Overview:
    """What the headline of a result rests on, as it was when the groups were found."""

    noun: str  # what members are called, in the plural
    members: int
    n_groups: int
    confidence: float  # mean over the members
    borderline: int  # members most of whose nearest neighbors are in another group
    alone: int  # members in no group
    largest: str = ""  # the name of the largest group


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to be said of members in which no groups were found, as a code and its values; `coterie.messages` says it."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unstructured:
    """What there is where no groups were found: likely reasons, the best cut as a hint, and what to try next."""

    reasons: tuple[Remark, ...] = ()
    best_cut: tuple[tuple[str, int], ...] = ()  # the names and sizes of its parts; no finding
    advice: tuple[Remark, ...] = ()  # values: `changes` to the request, and the `command` for them


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """Members that repeat another one: who, whom, and whether exactly or nearly. Nobody repeats a member that repeats one."""

    members: np.ndarray  # positions, in rising order
    of: np.ndarray  # the position of the member that each repeats
    exact: np.ndarray  # whether it is the same, and not only nearly
    folded: bool = False  # whether groups were found without them

    def __len__(self) -> int:
        return len(self.members)

    def named(self, ids: Sequence[str]) -> list[str]:
        """For every member the id of the one that it repeats; empty where it repeats none."""
        found = [""] * len(ids)
        for member, other in zip(self.members.tolist(), self.of.tolist(), strict=True):
            found[member] = str(ids[other])
        return found


@dataclass(frozen=True, slots=True)
class SharedViews:
    """How much several views have in common, and whether each by itself finds the same groups."""

    names: tuple[str, ...]
    components: int  # shared by more than chance
    everywhere: int  # of these, shared by every single view
    most: int  # components kept at most
    consensus: float  # of the strongest
    chance: float
    same: float = float("nan")  # members that every view alone puts into the same group
    same_by_chance: float = float("nan")
    alone: tuple[float, ...] = ()  # per view, members it puts where all views together do


@dataclass(frozen=True, slots=True)
class Segments:
    """Where sequences were cut: how many pieces, how long, and whether shuffled orders could be cut as cleanly."""

    sequences: int
    pieces: int
    sources: int
    shortest: int  # in steps
    longest: int
    window: int
    rate: float  # steps per second; 0 where it is not known
    spectral: bool  # whether windows were compared
    as_clean: int = 0  # shuffled orders that could be cut as cleanly
    tried: int = 0


@dataclass(frozen=True, eq=False)
class Findings:
    """One exploration: members by position everywhere; arrays are numpy, the rest plain values."""

    title: str
    kind: str
    ids: Sequence[str]
    snippets: Sequence[str]  # one short line per member
    labels: np.ndarray  # (n,) group per member, -1 in none
    confidence: np.ndarray  # (n,) in [0, 1]
    map: np.ndarray  # (n, 2) positions on the map
    neighbors: np.ndarray  # (n, m) positions of the nearest members, -1 where fewer
    nearness: np.ndarray  # (n, m) similarity to them, 0 to 1
    matrix: (
        np.ndarray
    )  # (s, s) ordered affinity matrix of (a sample of) members, 0 to 1, for the picture
    matrix_members: np.ndarray  # (s,) their positions, in the order drawn
    groups: Sequence[Group]
    evidence: Evidence
    overview: Overview
    levels: Sequence[
        GroupLevel
    ] = ()  # nested groups from coarse to fine, these among them; none where
    # one number of groups is far better than all others, or the groups were changed later
    shared: SharedViews | None = None  # of a run on several views
    segments: Segments | None = None  # of a run that cut sequences
    unstructured: Unstructured | None = None  # of a run that found no groups
    duplicates: Duplicates | None = None  # of a run that looked for members that repeat others
    edits: int = 0  # corrections by a person that hold
    added: int = 0  # members placed later
    notes: Sequence[str] = ()  # problems met on the way: skipped files, gaps filled
    cards: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # further columns to show with a member
    curves: Mapping[str, Sequence[tuple[float, float]]] = field(
        default_factory=dict
    )  # objective per step, ...
    axes: Mapping[str, Axis] = field(default_factory=dict)  # of curves over more than steps
    strips: Sequence[Strips] = ()  # cuts and state timelines
    grids: Sequence[Grid] = ()  # small matrices
    populations: Sequence[
        Population
    ] = ()  # clusters of what the members are tied to, beside the groups
    meetings: Sequence[
        Meeting
    ] = ()  # how often clusters of two populations meet: who writes about what
    settings: Mapping[str, Any] = field(
        default_factory=dict
    )  # everything that makes it again, seed included
    steps: Sequence[Step] = ()  # what was done, in order
    command: str = ""  # the command line that makes it again
    python: str = ""  # the Python lines that make it again
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    created: str = ""  # ISO date and time

    def __len__(self) -> int:
        return len(self.ids)


def find_unstable(findings: Findings) -> set[int]:
    """The labels of the groups that were not found again on subsamples."""
    return {group.label for group in findings.groups if group.is_unstable}


def problems(findings: Findings) -> list[str]:
    """What is out of range in findings: lengths that differ, groups and members that are not there; empty for sound ones."""
    n = len(findings.ids)
    rows = {
        name: np.asarray(getattr(findings, name))
        for name in ("labels", "confidence", "map", "neighbors", "nearness")
    }
    found = [
        f"'{name}' has {len(values) if values.ndim else 0} rows for {n} members"
        for name, values in rows.items()
        if not values.ndim or len(values) != n
    ]
    whole = {**rows, "matrix_members": np.asarray(findings.matrix_members)}
    for name in ("labels", "neighbors", "matrix_members"):
        if whole[name].size and whole[name].dtype.kind not in "iu":
            found.append(f"'{name}' are not whole numbers")
    if found:
        return found
    shapes = {"labels": 1, "confidence": 1, "map": 2, "neighbors": 2, "nearness": 2}
    found += [
        f"'{name}' has {rows[name].ndim} dimensions and not {wanted}"
        for name, wanted in shapes.items()
        if rows[name].ndim != wanted
    ]
    if rows["neighbors"].shape != rows["nearness"].shape:
        found.append("'neighbors' and 'nearness' are not of one shape")
    known = {-1, *(group.label for group in findings.groups)}
    strange = sorted(set(rows["labels"].ravel().tolist()) - known)
    if strange:
        found.append(f"'labels' names groups that are not there: {strange[:5]}")
    members = {
        "neighbors": (rows["neighbors"], -1),
        "matrix_members": (whole["matrix_members"], 0),
    }
    for name in ("typical", "doubtful"):
        listed = [at for group in findings.groups for at in getattr(group, name)]
        members[name] = (np.array(listed, dtype=np.int64), 0)
    found += [
        f"'levels' has {len(level.labels)} rows for {n} members"
        for level in findings.levels
        if np.shape(level.labels) != (n,)
    ]
    found += [
        f"'{name}' names members that are not there"
        for name, (values, least) in members.items()
        if values.size and not least <= int(values.min()) <= int(values.max()) < n
    ]
    return found + _wrong_repeats(findings.duplicates, n)


def _wrong_repeats(repeats: Duplicates | None, n: int) -> list[str]:
    if repeats is None:
        return []
    if not len(repeats.members) == len(repeats.of) == len(repeats.exact):
        return ["'duplicates' are of several lengths"]
    both = np.concatenate([repeats.members, repeats.of])
    if both.size and not 0 <= int(both.min()) <= int(both.max()) < n:
        return ["'duplicates' names members that are not there"]
    return []


def level_of(findings: Findings) -> int:
    """The place of the groups among the levels; -1 where there are no levels."""
    many = sum(1 for group in findings.groups if group.label >= 0)
    return next((at for at, one in enumerate(findings.levels) if len(one.names) == many), -1)


def is_flat(findings: Findings) -> bool:
    """True where nothing stood out and no cut was asked for: there is at most one group, and it means nothing."""
    return (
        not findings.evidence.structured
        and sum(1 for group in findings.groups if group.label >= 0) <= 1
    )


def without_groups(findings: Findings) -> Findings:
    """The same findings; where they are flat, without the group that holds everybody and its confidences."""
    if not is_flat(findings):
        return findings
    n = len(findings)
    labels = np.full(n, -1)
    return replace(findings, labels=labels, confidence=np.ones(n), groups=(), levels=())


def repeated_ids(findings: Findings) -> list[str]:
    """For every member the id of the one that it repeats; empty where it repeats none."""
    if findings.duplicates is None:
        return [""] * len(findings.ids)
    return findings.duplicates.named(findings.ids)


def level_columns(findings: Findings) -> dict[str, list[int]]:
    """The groups of the members on the levels above and below, where there are such: a column each."""
    at = level_of(findings)
    return {
        "coarse_group" if place < at else "fine_group": [int(label) for label in level.labels]
        for place, level in enumerate(findings.levels)
        if place != at
    }
