"""The engine: an exploration as a stored run that can be interrupted, resumed, judged and added to."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.named_views import names_of
from coterie.collect.reading import guess, read
from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError, Interrupted
from coterie.core.findings import Findings
from coterie.core.hints import Hints
from coterie.core.partition import Partition
from coterie.core.workplace import using, workplace
from coterie.messages.exploration import describe_steps, headline, summarize
from coterie.run.checks import check_name, chosen
from coterie.run.laying import HINTS, keep_members, kept_hints, lay_down, ready, store_of
from coterie.run.recipes import python_of
from coterie.run.reporting import write_report
from coterie.run.steered import Carried, standing, write_labels
from coterie.run.stored import Run
from coterie.run.versions import versions
from coterie.workflows.choices import Choices
from coterie.workflows.describe import kind_of
from coterie.workflows.explore import Analysis, analyse
from coterie.workflows.segments import analyse_segments, cut_into

_MODEL = "walk"


@dataclass(frozen=True, eq=False)
class Exploration:
    """What `explore` gives: the collection, the findings, the fitted walk, and the stored run if there is one."""

    collection: Collection
    findings: Findings
    analysis: Analysis
    run: Run | None = None
    reading: Mapping[str, Any] = field(
        default_factory=dict
    )  # how the members were read: kind, id, ...

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
    settings = chosen(choices)
    check_name(name)
    reading: dict[str, Any] = {
        "kind": kind,
        "text": text,
        "id": id,
        "time": time,
        "truth": [truth] if isinstance(truth, str) else list(truth),
    }
    more: dict[str, Any] = {"links": links, "words": words, "both_ways": both_ways}
    asked = {name: value for name, value in more.items() if value}
    asked |= {"views": list(names_of(settings.views))} if settings.views else {}
    asked |= {"view": settings.view} if settings.view and isinstance(source, (str, Path)) else {}
    collection = (
        source if isinstance(source, Collection) and not asked else read(source, **reading, **asked)
    )
    if links:  # tables in memory cannot be read again
        asked["links"] = {name: _path_of(table) for name, table in links.items() if _path_of(table)}
    reading |= asked
    if isinstance(source, (str, Path)) and kind is None and not settings.views:
        workplace().watch.note(collection.notes[0] if collection.notes else guess(source).why)
    about = {
        "source": _name_of(source, collection),
        "path": _path_of(source),
        "command": command,
        "reading": reading,
    }
    return begin(
        collection, settings, hints, about, workplace().store if store is None else store, name
    )


def begin(
    collection: Collection,
    settings: Choices,
    hints: Any,
    about: Mapping[str, Any],
    store: Any = None,
    name: str | None = None,
    carried: Carried | None = None,
) -> Exploration:
    """A walk on members that were read, kept in the store where there is one; `about` says where they came from.

    `carried` is what the run takes over from another one; it is kept before anything else, so that `resume` ends the same way.
    """
    collection, about = ready(collection, settings, hints, about, carried)
    if store is None or store is False:
        return _walk(collection, settings, about, None)
    run = lay_down(collection, about, store, name, carried)
    return _stored(collection, settings, about, run)


def resume(name: str | None = None, *, store: Any = True) -> Exploration:
    """Go on with a stored run where it stood; a finished one is only loaded."""
    run = open_run(name, store)
    if run.record()["status"] == "done":
        run.pieces().clear()  # of a process that was killed after its last word
        return load(run.name, store=store)
    if not run.has_collection:  # planned and not read yet, or stopped before the members were kept
        keep_members(run)
    about = run.settings
    hints = kept_hints(run)
    about |= {} if hints is None else {HINTS: hints}
    return _stored(run.collection(), Choices(**about["choices"]), about, run)


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
    settings = Choices(**run.settings["choices"])
    return Exploration(
        _members(run.collection(), settings, analysis, findings), findings, analysis, run
    )


def _stored(
    collection: Collection, settings: Choices, about: Mapping[str, Any], run: Run
) -> Exploration:
    """Walk with the pieces kept in the run; whatever happens, its state is said."""
    begun = time.perf_counter()
    run.start()
    run.update(kind=kind_of(collection), members=len(collection))
    try:
        with using(keeper=run.pieces()):
            found = _walk(collection, settings, about, run)
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


def _walk(
    collection: Collection, settings: Choices, about: Mapping[str, Any], run: Run | None
) -> Exploration:
    from coterie import __version__

    begun = time.perf_counter()
    hints = Hints.of_record(list(collection.ids), about[HINTS]) if HINTS in about else None
    analysis = (
        analyse_segments(collection, settings)
        if settings.segment
        else analyse(collection, settings, hints)
    )
    findings = replace(
        analysis.findings,
        settings={"source": about["source"], "coterie": __version__, **about["choices"]},
        command=about["command"] or "",
        python=python_of(about, "" if run is None else run.name),
        versions=versions(),
        seconds=time.perf_counter() - begun,
        created=datetime.datetime.now().isoformat(timespec="seconds"),
    )
    members = _members(collection, settings, analysis, findings)
    alone = replace(analysis, findings=None)
    return Exploration(members, findings, alone, run, about["reading"])


def _members(
    collection: Collection, settings: Choices, analysis: Analysis, findings: Findings
) -> Collection:
    """What the findings speak of: the members, or the pieces they were cut into."""
    return (
        cut_into(collection, analysis.view, findings.strips[0]) if settings.segment else collection
    )


def open_run(name: str | None, store: Any = True) -> Run:
    """A stored run by name; the latest when none is named."""
    return store_of(store).open(name)


def _name_of(source: Any, collection: Collection) -> str:
    return str(source) if isinstance(source, (str, Path)) else collection.name


def _path_of(source: Any) -> str:
    """Where the source can be read again from any folder; empty when it was in memory."""
    if not isinstance(source, (str, Path)):
        return ""
    place = Path(source).expanduser()
    return str(place.absolute()) if place.exists() else str(source)
