"""The engine: an exploration as a stored run that can be interrupted, resumed, judged and added to."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.reading import guess, read
from coterie.collect.vectors import encoder_of
from coterie.core.affinity import COLS, ROWS
from coterie.core.collection import Collection
from coterie.core.errors import (
    CoterieError,
    Damaged,
    DataError,
    Interrupted,
    ParameterError,
    StoreError,
)
from coterie.core.findings import Findings, Remark, Unstructured
from coterie.core.hints import Hints
from coterie.core.partition import Partition
from coterie.core.table import is_mapped
from coterie.core.workplace import bytes_of, fits, using, watched, workplace
from coterie.messages.exploration import describe_steps, headline, summarize
from coterie.run.bundle import versions, write_json
from coterie.run.steered import Carried
from coterie.run.store import Store, fingerprint_of
from coterie.run.stored import Run, write_labels, write_report
from coterie.workflows.choices import Choices
from coterie.workflows.describe import kind_of
from coterie.workflows.explore import Analysis, analyse
from coterie.workflows.hinted import hints_of
from coterie.workflows.modalities.views import views_of
from coterie.workflows.populations import with_view
from coterie.workflows.request import (
    Constraints,
    Copy,
    ExploreRequest,
    New,
    Refit,
    Replay,
    ask,
    command_with,
    python_of,
)
from coterie.workflows.segments import analyse_segments, cut_into, traces

_MODEL = "walk"
_BY_SESSION = "on its page Words, or in Python by coterie.run.session_runs.as_run"
_LEAST = 3  # members that can be grouped
_KEPT = 50 + 2 * 40  # numbers kept per member: coordinates, and a neighbor graph both ways
_TIMES = 2  # copies of a table: scaled, and prepared for comparing
_BANDS = 3  # bands of distances at once


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
        """One row per member (id, group, name, confidence, unstable, x, y) as a pandas, polars or arrow frame."""
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
    use: Sequence[str] | str = (),
    links: Mapping[str, Any] | None = None,
    words: bool | Sequence[str] = False,
    both_ways: bool = False,
    vectors: Any = None,
    vector: str | None = None,
    names: Any = None,
    hints: Any = None,
    store: Any = None,
    name: str | None = None,
    command: str = "",
    **choices: Any,
) -> Exploration:
    """Read something, take a sensible walk for its kind, and say what was found.

    `source` is a path, an array, a frame, a list of texts or of arrays, or a Collection. `choices` are those of
    `coterie.workflows.choices.Choices` (k, seed, view, compare, organize, ...). `vectors` are a vector for each member: a path,
    an array, a mapping by id, or what makes them of texts (a function, or an object with `encode`; so may `embed` be);
    `vector` names a column of lists, and with `names` the source is vectors and `names` says whose. `hints` are what a person knows of some members:
    `coterie.Hints`, or {"labels": {id: label}, "together": [(id, id)], "apart": [(id, id)]}. With a `store` (True for the
    default one, a folder, or a Store) the run is kept, can be resumed after a crash, and gets its report.

    >>> import coterie
    >>> found = coterie.explore([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], k=2, nulls=0)
    >>> found.labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if encoder_of(choices.get("embed")) is not None:
        if vectors is not None:
            raise ParameterError(
                "explore: embed makes vectors of the texts, and vectors gives them; say one of the two.",
                parameter="embed",
            )
        vectors = choices.pop("embed")
    request = ask(
        source,
        kind=kind,
        text=text,
        id=id,
        time=time,
        truth=truth,
        use=use,
        links=links,
        words=words,
        both_ways=both_ways,
        vectors=vectors,
        vector=vector,
        names=names,
        name=name,
        command=command,
        **choices,
    )
    # what is in memory is no part of the request
    given = {"links": links or None, "vectors": vectors, "names": names}
    collection, request = read_asked(source, request, given)
    kept = workplace().store if store is None else store
    return group(*lay(collection, request, hints, kept))


def read_asked(
    source: Any, request: ExploreRequest, beside: Mapping[str, Any] | None = None
) -> tuple[Collection, ExploreRequest]:
    """The members as the request says to read them, and the request with their name where they come from memory.

    `beside` is what was given in memory: links, vectors, names.
    """
    collection = source
    given = {name: value for name, value in (beside or {}).items() if value is not None}
    if not isinstance(source, Collection) or given or request.reading.is_more:
        collection = read(source, **{**request.reading.options(), **given})
    if not isinstance(source, (str, Path)):
        return collection, request.but(source=collection.name)
    if request.reading.kind is None and not request.reading.views:
        workplace().watch.note(collection.notes[0] if collection.notes else guess(source).why)
    return collection, request


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
    return group(*lay(collection, request, hints, store, carried))


def lay(
    collection: Collection,
    request: ExploreRequest,
    hints: Any,
    store: Any,
    carried: Carried | None = None,
) -> tuple[Ready, Run | None]:
    """Members that fit what is asked of them, and their run where there is a store."""
    members = ready(collection, request, hints, carried)
    if store is None or store is False:
        return members, None
    return members, lay_down(members, store, request.name, carried)


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
    return group(Ready(run.collection(), run.request, kept_hints(run)), run)


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


def group(members: Ready, run: Run | None) -> Exploration:
    """Group the members; a run keeps what is finished on the way, the findings, the model and the report."""
    from coterie import __version__

    begun = time.perf_counter()
    collection, request = members.collection, members.request
    choices = request.choices
    with nullcontext() if run is None else _at_work(run, collection):
        with using(keeper=None if run is None else run.pieces()):
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
                unstructured=_with_commands(analysis.findings.unstructured, request),
            )
            seen = _members(collection, request, analysis, findings)
        found = Exploration(seen, findings, replace(analysis, findings=None), run, request)
        if run is not None:
            found = _keep(found, run)
    if run is not None:
        run.update(
            status="done",
            groups=len(found.findings.groups),
            seconds=time.perf_counter() - begun,
            summary=headline(found.findings),
            problem="",
        )
        run.pieces().clear()
    return found


def _with_commands(found: Unstructured | None, request: ExploreRequest) -> Unstructured | None:
    """The advice where nothing was found, with the command for each piece of it."""
    if found is None:
        return None
    advice = tuple(
        Remark(one.code, {**one.values, "command": command_with(request, one.values["changes"])})
        if one.values.get("changes")
        else one
        for one in found.advice
    )
    return replace(found, advice=advice)


@contextmanager
def _at_work(run: Run, collection: Collection) -> Iterator[None]:
    """Work on a run; whatever happens, its state is said."""
    run.start()
    run.update(kind=kind_of(collection), members=len(collection))
    try:
        yield
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


def _keep(found: Exploration, run: Run) -> Exploration:
    """Write what was found into its run, with what it takes over from another one."""
    is_own = isinstance(run.request.origin, (New, Copy))  # nothing of another run's groups
    carried = None if is_own else Carried.kept(run)
    if carried is not None:
        found = replace(found, findings=carried.given_to(found.findings))
    then = f"run: coterie resume {run.called}"
    run.save_model(_MODEL, found.analysis)
    run.save_findings(found.findings)
    write_labels(found.findings, run.path / "labels.csv", without=run.request.standing, then=then)
    write_report(found.findings, run.path / "report.html", then=then)
    return found


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


# ---- members before they are grouped -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """Members that fit what is asked of them, the request, and what is known of some of them as plain values."""

    collection: Collection
    request: ExploreRequest
    hints: Mapping[str, Any] | None


def ready(
    collection: Collection,
    request: ExploreRequest,
    hints: Any,
    carried: Carried | None = None,
) -> Ready:
    """The members with a view to group them by, and what is known of them; refused where it does not fit the request."""
    if not collection.views:
        collection = with_view(collection)
    check_members(collection, request.choices, () if carried else request.reading.truth)
    known = None if hints is None else hints_of(collection, hints)
    if known is not None and request.choices.segment:
        raise ParameterError(
            "explore: hints are on members, and with segment the members are pieces that are not there yet.",
            parameter="hints",
        )
    record = None if known is None else known.record(list(collection.ids))
    constraints = None if record is None else Constraints.of(record)
    return Ready(collection, request.but(constraints=constraints), record)


def check_members(collection: Collection, settings: Choices, truth: Iterable[str]) -> None:
    """Refuse what cannot be explored with these choices, or not in the memory given; nothing is computed for it."""
    n = len(collection)
    if settings.segment:
        if collection.of_modality("vectors"):
            raise ParameterError(
                "segment cuts sequences into pieces, and the vectors are of whole members; leave one of the two out.",
                parameter="segment",
            )
        traces(collection, settings.view or collection.main)
        return
    if settings.k is not None and settings.k > n:
        raise DataError(
            f"k is {settings.k} and there {'is only 1 member' if n == 1 else f'are only {n} members'}."
        )
    if n < _LEAST:
        long = collection.kind == "sequences"
        hint = " To cut sequences where they change, say segment=True." if long else ""
        raise DataError(
            f"'{collection.name}' has {n} member{'' if n == 1 else 's'}; grouping needs at least {_LEAST}.{hint}",
            parameter="segment" if long else "",
        )
    if settings.views:
        views_of(collection, settings)
    else:
        collection.view(settings.view or collection.main)
    for column in truth:
        if column not in collection.truth:
            known = ", ".join(collection.truth) or "none"
            raise DataError(
                f"'{collection.name}' has no column of truth '{column}'; it has {known}."
            )
    band = min(ROWS * n, ROWS * COLS * 8)
    size = (n * _KEPT + _BANDS * band) * 8 + sum(
        _copies(view) for view in collection.views.values()
    )
    fits(size, f"Exploring {n:,} members", "take fewer members")


def _copies(view: Any) -> int:
    """Bytes of the rows that are compared, and of what they are made on the way; nothing for what lies in a file."""
    values = view.values if view.modality in ("table", "vectors") else None
    return 0 if values is None or is_mapped(values) else _TIMES * bytes_of(values)


def lay_down(
    members: Ready, store: Any, title: str | None = None, carried: Carried | None = None
) -> Run:
    """A run of these members in the store that was not walked yet; `resume` walks it, in this process or in another."""
    request = members.request
    run = store_of(store).create(
        title or members.collection.name,
        source=request.source,
        request=request,
        fingerprint=fingerprint_of(request.path) if request.path and carried is None else "",
    )
    if members.hints is not None:
        run.put_json(Constraints().file, members.hints)
    if carried is not None:
        carried.keep(run)
    run.save_collection(members.collection)
    return run


def store_of(store: Any) -> Store:
    """A store as it is, or the one in a folder; the default one for True and None."""
    return store if isinstance(store, Store) else Store(None if store in (True, None) else store)


def kept_hints(run: Run) -> dict[str, Any] | None:
    """What was said of the members of a run, as it was given; None for nothing."""
    constraints = run.request.constraints
    if constraints is None:
        return None
    found = run.get_json(constraints.file)
    if not isinstance(found, dict):
        raise StoreError(
            f"The run '{run.name}' ended before what is known of its members was kept; delete it and make it again."
        )
    return found


# ---- members that were not kept -------------------------------------------------------------------------------------


def keep_members(run: Run) -> None:
    """Read the members of a run that has none yet and keep them; where that cannot be, the run says so and has failed."""
    run.start()
    try:
        request = run.request
        with watched(workplace().watch, "reading the members"):
            collection = _read_again(run)
        request.choices.check_params()
        if isinstance(request.origin, New):
            request = request.but(origin=New())
        members = ready(collection, request, kept_hints(run))
        if members.hints is not None:
            run.put_json(Constraints().file, members.hints)
        run.update(request=members.request)
        run.save_collection(members.collection)
    except (Interrupted, KeyboardInterrupt):
        run.update(status="stopped", problem="stopped by the person")
        raise
    except CoterieError as error:
        run.update(status="failed", problem=str(error))
        raise


def _read_again(run: Run) -> Collection:
    request = run.request
    path = request.path
    ended = f"The run '{run.name}' ended before its members were kept"
    match request.origin:
        case Copy(run=before):
            return _copied(run, before)
        case Refit(run=before, by=by):
            how = _BY_SESSION if by == "session" else f"with: {request.command}"
            raise DataError(_again(ended, before, how))
        case Replay(run=before):
            raise DataError(_again(ended, before, f"with: {request.command}"))
    if not path:
        raise DataError(f"{ended}, and they came from memory; delete it, and explore them anew.")
    if Path(path).exists():
        # here and not where it was planned: a folder may hold very many files
        write_json(run.folder / "run.json", run.manifest | {"fingerprint": fingerprint_of(path)})
    try:
        return read(path, **request.reading.options())
    except DataError as error:
        if request.origin.planned:
            raise
        raise DataError(f"{ended}, and they cannot be read again: {error}") from None


def _again(ended: str, before: str, how: str) -> str:
    return f"{ended} and cannot go on; delete it, and make it again from the run '{before}' {how}"


def _copied(run: Run, before: str) -> Collection:
    """The members that another run kept."""
    folder = run.folder.parent
    if not (folder / before / "collection" / "collection.json").exists():
        raise DataError(
            f"The run '{before}', whose members '{run.name}' takes, is no longer there; delete this one."
        )
    return Store(folder).open(before).collection()
