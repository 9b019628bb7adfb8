"""The engine: an exploration as a stored run that can be interrupted, resumed, judged and added to."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.reading import guess, read
from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, Damaged, DataError, Interrupted
from coterie.core.findings import Findings
from coterie.core.hints import Hints
from coterie.core.partition import Partition
from coterie.core.workplace import using, workplace
from coterie.messages.exploration import describe_steps, headline, summarize
from coterie.run.laying import Ready, keep_members, kept_hints, lay_down, ready, store_of
from coterie.run.recipes import python_of
from coterie.run.reporting import write_report
from coterie.run.steered import Carried, standing, write_labels
from coterie.run.stored import Run
from coterie.run.versions import versions
from coterie.workflows.describe import kind_of
from coterie.workflows.explore import Analysis, analyse
from coterie.workflows.request import ExploreRequest, ask
from coterie.workflows.segments import analyse_segments, cut_into

_MODEL = "walk"


@dataclass(frozen=True, eq=False)
class Exploration:
    """What `explore` gives: the collection, the findings, the fitted walk, and the stored run if there is one."""

    collection: Collection
    findings: Findings
    analysis: Analysis
    run: Run | None = None
    request: ExploreRequest = field(default_factory=ExploreRequest)

    @property
    def labels(self) -> np.ndarray:
        """The group of every member, -1 in none."""
        return self.findings.labels

    @property
    def partition(self) -> Partition:
        """The groups with their names and the confidence of every member."""
        names = tuple(group.name for group in self.findings.groups)
        return Partition(self.findings.labels, names, self.findings.confidence)

    def frame(self, backend: str | None = None) -> Any:
        """One row per member (id, group, name, confidence, x, y) as a pandas, polars or arrow frame."""
        from coterie.run.frames import member_frame

        return member_frame(self.findings, backend)

    def sentences(self) -> list[str]:
        """The summary in plain sentences, the most important first."""
        return summarize(self.findings)

    def steps(self) -> list[str]:
        """What was done, one plain sentence a step."""
        return describe_steps(self.findings.steps)

    def neighbors(self, member: str, most: int = 10) -> list[dict[str, Any]]:
        """The members nearest to one member (its id), nearest first: dictionaries of id, nearness, group and snippet."""
        from coterie.run.answers import neighbors_in

        return neighbors_in(self.findings, member, most, self.collection.name)

    def explain(self, *members: str, group: int | None = None) -> list[str]:
        """Why members (their ids) are alike, or what holds a group (its number from 1) together, in sentences."""
        from coterie.run.answers import explain_in

        return explain_in(self, members, group)

    def judge(self, truth: Any = None) -> Any:
        """The groups against known answers: a `Judged`, whose `measures` is a dictionary and whose `sentence()` says it.

        `truth` is the name of a column that was kept aside when the collection was read (it may be left out when there
        is only one), or the answers themselves, one per member with None where unknown.
        """
        from coterie.run.answers import judge_exploration

        return judge_exploration(self, truth)

    def report(self, path: str | Path) -> Path:
        """Write the HTML report there."""
        return write_report(self.findings, path)

    def place(self, new: Any, links: Mapping[str, Any] | None = None) -> Any:
        """Place new members, with link tables of their own: a Placement with their groups and whether they fit anywhere."""
        from coterie.run.answers import place_later

        return place_later(self, new, links)

    def __repr__(self) -> str:
        stored = f", run '{self.run.name}'" if self.run else ""
        groups = len(self.findings.groups)
        return f"Exploration({len(self.collection)} members in {groups} group{'' if groups == 1 else 's'}{stored})"


def explore(
    source: Any,
    *,
    kind: str | None = None,
    text: str | None = None,
    id: str | None = None,
    time: str | None = None,
    truth: Sequence[str] | str = (),
    links: Mapping[str, Any] | None = None,
    words: bool | Sequence[str] = False,
    both_ways: bool = False,
    hints: Any = None,
    store: Any = None,
    name: str | None = None,
    command: str = "",
    **choices: Any,
) -> Exploration:
    """Read something, take a sensible walk for its kind, and say what was found.

    `source` is a path, an array, a frame, a list of texts or of arrays, or a Collection. `choices` are those of
    `coterie.workflows.choices.Choices` (k, seed, view, compare, organize, ...). `hints` are what a person knows of some members:
    `coterie.Hints`, or {"labels": {id: label}, "together": [(id, id)], "apart": [(id, id)]}. With a `store` (True for the
    default one, a folder, or a Store) the run is kept, can be resumed after a crash, and gets its report.

    >>> import coterie
    >>> found = coterie.explore([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], k=2, nulls=0)
    >>> found.labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    request = ask(
        source,
        kind=kind,
        text=text,
        id=id,
        time=time,
        truth=truth,
        links=links,
        words=words,
        both_ways=both_ways,
        name=name,
        command=command,
        **choices,
    )
    collection = source
    if not isinstance(source, Collection) or links or request.reading.is_more:
        given = {"links": links} if links else {}  # tables in memory are no part of the request
        collection = read(source, **{**request.reading.options(), **given})
    if not isinstance(source, (str, Path)):
        request = request.but(source=collection.name)
    elif kind is None and not request.reading.views:
        workplace().watch.note(collection.notes[0] if collection.notes else guess(source).why)
    return begin(collection, request, hints, workplace().store if store is None else store)


def begin(
    collection: Collection,
    request: ExploreRequest,
    hints: Any = None,
    store: Any = None,
    carried: Carried | None = None,
) -> Exploration:
    """Group members that were read, and keep the run in the store where there is one.

    `carried` is what the run takes over from another one; it is kept before anything else, so that `resume` ends the same way.
    """
    members = ready(collection, request, hints, carried)
    if store is None or store is False:
        return _walk(members, None)
    return _stored(members, lay_down(members, store, request.name, carried))


def resume(name: str | None = None, *, store: Any = True) -> Exploration:
    """Go on with a stored run where it stood; a finished one is only loaded."""
    run = open_run(name, store)
    record = run.record()
    if record.status == "done":
        run.pieces().clear()  # of a process that was killed after its last word
        return load(run.name, store=store)
    if record.request is None:
        raise Damaged(f"The run '{run.name}' does not say what it was asked")
    if not run.has_collection:  # planned and not read yet, or stopped before the members were kept
        keep_members(run)
    return _stored(Ready(run.collection(), run.request, kept_hints(run)), run)


def load(name: str | None = None, *, store: Any = True) -> Exploration:
    """A finished run as it was, fitted walk included."""
    run = open_run(name, store)
    if run.record()["status"] != "done":
        raise DataError(
            f"The run '{run.name}' is {run.record()['status']}; finish it with: coterie resume {run.called}"
        )
    analysis = run.model_of(_MODEL, Analysis)
    findings = run.findings()
    for change in run.version_changes:
        workplace().watch.note(f"The run '{run.name}': {change.sentence()}")
    members = _members(run.collection(), run.request, analysis, findings)
    return Exploration(members, findings, analysis, run, run.request)


def _stored(members: Ready, run: Run) -> Exploration:
    """Walk with the pieces kept in the run; whatever happens, its state is said."""
    begun = time.perf_counter()
    run.start()
    run.update(kind=kind_of(members.collection), members=len(members.collection))
    try:
        with using(keeper=run.pieces()):
            found = _walk(members, run)
        carried = Carried.kept(run)
        if carried is not None:
            found = replace(found, findings=carried.given_to(found.findings))
        run.save_model(_MODEL, found.analysis)
        run.save_findings(found.findings)
        write_labels(
            found.findings,
            run.path / "labels.csv",
            without=standing(run),
            then=f"run: coterie resume {run.called}",
        )
        write_report(
            found.findings, run.path / "report.html", then=f"run: coterie resume {run.called}"
        )
    except (Interrupted, KeyboardInterrupt) as error:
        run.update(status="stopped", problem="stopped by the person")
        raise type(error)(
            f"Stopped; what was finished is kept. Go on with: coterie resume {run.called}"
        ) from None
    except Exception as error:  # also a fault of ours: else the run would seem to be at work as long as this process lives
        run.update(
            status="failed",
            problem=str(error)
            if isinstance(error, CoterieError)
            else f"{type(error).__name__}: {error}",
        )
        raise
    run.update(
        status="done",
        groups=len(found.findings.groups),
        seconds=time.perf_counter() - begun,
        summary=headline(found.findings),
        problem="",
    )
    run.pieces().clear()
    return found


def _walk(members: Ready, run: Run | None) -> Exploration:
    from coterie import __version__

    begun = time.perf_counter()
    collection, request = members.collection, members.request
    choices = request.choices
    hints = None
    if members.hints is not None:
        hints = Hints.of_record(list(collection.ids), members.hints)
    analysis = (
        analyse_segments(collection, choices)
        if choices.segment
        else analyse(collection, choices, hints)
    )
    findings = replace(
        analysis.findings,
        settings={"source": request.source, "coterie": __version__, **choices.to_json()},
        command=request.command,
        python=python_of(request, "" if run is None else run.name, members.hints),
        versions=versions(),
        seconds=time.perf_counter() - begun,
        created=datetime.datetime.now().isoformat(timespec="seconds"),
    )
    seen = _members(collection, request, analysis, findings)
    alone = replace(analysis, findings=None)
    return Exploration(seen, findings, alone, run, request)


def _members(
    collection: Collection, request: ExploreRequest, analysis: Analysis, findings: Findings
) -> Collection:
    """What the findings speak of: the members, or the pieces they were cut into."""
    if not request.choices.segment:
        return collection
    return cut_into(collection, analysis.view, findings.strips[0])


def open_run(name: str | None, store: Any = True) -> Run:
    """A stored run by name; the latest when none is named."""
    return store_of(store).open(name)
