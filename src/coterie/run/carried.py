"""What a new run takes over from a steered one: names of groups, and who stands for them; kept before the run is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.core.edits import Steered
from coterie.core.errors import StoreError
from coterie.core.findings import Findings, Population
from coterie.messages.notes import note_put_back
from coterie.run.steered import as_steered, with_names
from coterie.run.stored import Run

_VALUE = "carried"
_FEW = (
    3  # nearest members that stand for groups; where they agree they say where a new member belongs
)


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """The groups that members of a new run were in before, one number from 0 each (-1: in none, or new), and their names.

    With `new` the first so many members are new and all others stand for their groups; without, all are the members of the
    steered run, found anew.
    """

    labels: np.ndarray
    names: Mapping[int, str]
    new: int = 0

    def keep(self, run: Run) -> None:
        """Keep it with the run, so that the run ends the same way whenever it is gone on with."""
        names = {str(group): name for group, name in self.names.items()}
        run.put_json(_VALUE, {"labels": self.labels.tolist(), "names": names, "new": self.new})

    @classmethod
    def kept(cls, run: Run) -> Carried | None:
        """What was kept with a run; None where it took nothing over."""
        found: Any = run.get_json(_VALUE)
        if found is None:
            return None
        try:
            names = {int(group): str(name) for group, name in found["names"].items()}
            return cls(np.array(found["labels"], dtype=np.int64), names, int(found["new"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise StoreError(
                f"What the run '{run.name}' takes over from another is damaged; make it again."
            ) from None

    def given_to(self, findings: Findings) -> Findings:
        """The findings with the names, and where members stand for groups with the numbers, of the steered run."""
        return (
            _replayed(findings, self) if self.new else with_names(findings, self.labels, self.names)
        )


def torn(findings: Findings, carried: Carried) -> np.ndarray:
    """Per new member the steered group that its three nearest who stand for groups all stand for; -1 where they differ."""
    new = carried.new
    near = findings.neighbors[:new]
    found = np.full(new, -1, dtype=np.int64)
    standing = np.where(near >= new, carried.labels[np.maximum(near, 0)], -1)
    for member, groups in enumerate(standing):
        first = groups[groups >= 0][:_FEW]
        if len(first) == _FEW and (first == first[0]).all():
            found[member] = first[0]
    return found


def _replayed(findings: Findings, carried: Carried) -> Findings:
    """Groups numbered and named as the steered ones, and after them those that nobody stands for.

    A group that was found is the steered group most of its exemplars are of, and who stands for a group is in it. A steered
    group is lost where most new members whose three nearest exemplars all stand for it were found elsewhere: they are put back.
    """
    new = carried.new
    steered = sorted(carried.names)
    place = {group: at for at, group in enumerate(steered)}
    many = len(steered)
    owners = np.array([place[int(group)] for group in carried.labels[new:]], dtype=np.int64)
    to: dict[int, int] = {}  # found group -> steered one, or one of its own
    for group in findings.groups:
        inside = owners[findings.labels[new:] == group.label]
        to[group.label] = int(np.bincount(inside).argmax()) if len(inside) else many + group.label
    labels = np.array([to.get(int(label), -1) for label in findings.labels], dtype=np.int64)
    labels[new:] = owners
    nearest = np.array(
        [place.get(int(group), -1) for group in torn(findings, carried)], dtype=np.int64
    )
    moved = (nearest >= 0) & (nearest != labels[:new])
    lost = [
        group
        for group in range(many)
        if 2 * int(moved[nearest == group].sum()) > int((nearest == group).sum())
    ]
    moved &= np.isin(nearest, lost)
    called = {
        **{many + g.label: g.name for g in findings.groups},
        **{at: carried.names[g] for g, at in place.items()},
    }
    notes = _moved(labels[:new][moved], nearest[moved], called)
    labels[:new][moved] = nearest[moved]
    there = sorted(set(labels.tolist()) - {-1})
    names = [called[key] for key in there]
    rank = {key: at for at, key in enumerate(there)}
    labels = np.array([rank.get(key, -1) for key in labels.tolist()], dtype=np.int64)
    source = {
        at: _largest(findings, [old for old, own in to.items() if own == key])
        for key, at in rank.items()
    }
    state = Steered(labels, dict(enumerate(names)), last=len(names))
    return as_steered(
        replace(_renumbered(findings, source), notes=[*findings.notes, *notes]), state
    )


def _moved(found: np.ndarray, nearest: np.ndarray, called: Mapping[int, str]) -> list[str]:
    """One sentence per group on new members that were put into it by those who stand for it."""
    said = []
    for group in np.unique(nearest):
        others = found[nearest == group]
        count = len(others)
        before = ", ".join(called[g] for g in sorted(set(others.tolist())) if g >= 0) or "nobody"
        said.append(note_put_back(called[int(group)], count, before))
    return said


def _largest(findings: Findings, labels: list[int]) -> int:
    """The largest of some groups; -1 where there is none."""
    sizes = {group.label: group.size for group in findings.groups}
    return max(labels, key=lambda label: (sizes[label], -label), default=-1)


def _renumbered(findings: Findings, source: Mapping[int, int]) -> Findings:
    """Groups under other numbers: `source` says for every number which group it was (-1: none)."""
    known = {group.label: group for group in findings.groups}
    groups = [replace(known[old], label=at) for at, old in source.items() if old in known]
    evidence = replace(findings.evidence, renumbered=True)
    findings = replace(findings, evidence=evidence)
    wanted = np.array([source[at] for at in sorted(source)], dtype=np.int64)
    return replace(
        findings, groups=groups, populations=[_columns(one, wanted) for one in findings.populations]
    )


def _columns(one: Population, wanted: np.ndarray) -> Population:
    """A population with the columns of its lift in another order; a group that was not found meets all as by chance."""
    wide = np.concatenate([one.lift, np.ones((len(one.lift), 1))], axis=1)
    inside = np.where((wanted >= 0) & (wanted < one.lift.shape[1]), wanted, one.lift.shape[1])
    return replace(one, lift=wide[:, inside])
