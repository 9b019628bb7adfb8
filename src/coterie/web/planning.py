"""A run as a person asks for it in the form: the request it makes, and all that is wrong about it, by field."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coterie.collect.hints import read_labels, read_pairs
from coterie.collect.kinds import KINDS
from coterie.core.errors import CoterieError, DataError, ParameterError
from coterie.run.engine import kept_hints
from coterie.run.looking import looked, source_of
from coterie.run.planned import copy_of, plan_run
from coterie.run.stored import Run
from coterie.web.desk import Desk
from coterie.web.forms import Wrong, chosen_values, typed_in, words_of
from coterie.web.run_form import SCHEMES, HintsForm, ReadingForm, RunForm, as_typed
from coterie.web.shelf import Shelf
from coterie.workflows.choices import Choices, method
from coterie.workflows.hinted import check_guided
from coterie.workflows.request import (
    Constraints,
    Copy,
    ExploreRequest,
    New,
    Reading,
    check_name,
    choose,
    command_of,
    path_of,
)

_NOT_HERE = "A path can be named only where the page is served to this machine alone."
_COLUMNS = ("text", "id", "time", "vector")
_PASTED = "What was pasted"  # what sentences call it
_SIGNS = f"{_PASTED} holds characters that are none."
_TWO_CELLS = f"{_PASTED} must be rows of two cells, a member and its label."


@dataclass(frozen=True, slots=True)
class Start:
    """What the form of a new run starts from: a request, of a collection or of a run, and what is known of its members."""

    title: str
    request: ExploreRequest
    kind: str = ""
    members: int = 0
    look: Mapping[str, Any] = field(default_factory=dict)
    again: Run | None = None  # the run that is made again
    back: str = "/collections"
    is_local: bool = (
        True  # whether the page is served to this machine alone, so that paths may be named
    )

    @property
    def kept(self) -> bool:
        """Whether the members are those that an earlier run kept; what it read is no longer there."""
        return isinstance(self.request.origin, Copy)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a form says: the request, what is known of some members, and all that is wrong."""

    request: ExploreRequest
    hints: Mapping[str, Any] | None
    wrong: list[Wrong]


def start_of(desk: Desk, collection: str, run: str) -> Start:
    """What a run is made of: a collection of the shelf, or what an earlier run was made of."""
    return replace(_start(desk, collection, run), is_local=desk.serving.local)


def _start(desk: Desk, collection: str, run: str) -> Start:
    if run:
        return _again(desk, desk.run(run))
    shelf = Shelf(desk)
    one = shelf.one(collection)
    look = looked(desk.store.folder, one.id)
    source = source_of(desk.store.folder, one)
    kind = str(look.get("kind", ""))
    members = int(look.get("members", 0))
    request = ExploreRequest(source=source, path=path_of(source))
    return Start(one.name, request, kind, members, look, back=f"/collections/{one.id}")


def _again(desk: Desk, run: Run) -> Start:
    record = run.record()
    request = run.request
    path = request.path
    if _is_there(path):
        start = request.but(source=path, name=None, origin=New())
    elif run.has_collection:
        start = copy_of(run).but(name=None, constraints=request.constraints)
    else:
        raise DataError(
            f"The run {run.name} cannot be made again: what it was made of is no longer there."
        )
    shelf = Shelf(desk).every() if path else ()
    look = next((looked(desk.store.folder, one.id) for one in shelf if _is(desk, one, path)), {})
    title = record.title or run.name
    return Start(title, start, record.kind, record.members, look, run, f"/runs/{run.name}")


def _is_there(path: str) -> bool:
    generated = path == "installed" or path.startswith("sample:")
    return generated or bool(path and Path(path).expanduser().exists())


def _is(desk: Desk, one: Any, path: str) -> bool:
    try:
        return source_of(desk.store.folder, one) == path
    except CoterieError:
        return False


def understood(form: RunForm, start: Start) -> Asked:
    """The request that a form makes, and everything that is wrong, each with its field."""
    values, wrong = chosen_values(as_typed(form.choices))
    for room, typed in (("compare", form.compare), ("organize", form.organize)):
        try:
            values[room] = words_of(room, typed.method, as_typed(typed.params))
        except Wrong as error:
            wrong.append(error)
    name = form.name.strip() or None
    try:
        check_name(name)
    except ParameterError:
        wrong.append(Wrong("name", "A name has letters, digits, dots, dashes and underscores."))
    reading, odd = _reading(form.reading, start)
    pasted, strange = _pasted(form.hints)
    wrong += odd + strange
    kept = start.request.constraints if form.hints.keep else None
    hints = _with_kept(start, form.hints, pasted) if kept is not None else pasted
    request = start.request.but(name=name, reading=reading, constraints=None, command="")
    named = values.get("embed") not in (None, "none", "wordllama") or values.get("download")
    if named and not start.is_local:
        wrong.append(Wrong("choices.embed", _NOT_HERE))
    if wrong:
        return Asked(request, hints, wrong)
    wrong = _too_many(values, start)
    choices, unfit = _together(values, hints is not None)
    request = request.but(choices=choices)
    if not start.kept and not hints:
        request = request.but(command=command_of("explore", request, order=values))
    return Asked(request, hints, wrong + unfit)


def _too_many(values: Mapping[str, Any], start: Start) -> list[Wrong]:
    """More groups than members, where it is known how many there are and they are not cut into pieces."""
    k = values.get("k")
    if not start.members or not isinstance(k, int) or k <= start.members or values.get("segment"):
        return []
    return [Wrong("choices.k", f"There are only {start.members:,} members.")]


def _together(values: Mapping[str, Any], hints: bool) -> tuple[Choices, list[Wrong]]:
    """The choices, and what does not go together."""
    try:
        choices = choose(values)
    except CoterieError as error:
        at = error.parameter or "k"
        where = at if at in ("compare", "organize") else f"choices.{at}"
        return Choices(), [Wrong(where, str(error))]
    if hints and choices.segment:
        sentence = "Hints are on members, and pieces that sequences are cut into are not there yet."
        return choices, [Wrong("hints.labels", sentence)]
    if hints and choices.organize:
        try:
            check_guided(method(choices.organize, "organize"))
        except CoterieError as error:
            return choices, [Wrong("organize", str(error))]
    return choices, []


def _reading(form: ReadingForm, start: Start) -> tuple[Reading, list[Wrong]]:
    """How the members are read; what an earlier run was read with and the form does not show stays."""
    before = start.request.reading
    if start.kept:
        return before, []
    wrong: list[Wrong] = []
    kind = form.kind.strip() or None
    if kind is not None and kind not in KINDS:
        known = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
        wrong.append(Wrong("reading.kind", f"The kind must be {known}, and was '{kind[:40]}'."))
    known_columns = [column["name"] for column in start.look.get("columns", ())]
    roles = {role: getattr(form, role).strip() or None for role in _COLUMNS}
    for role, name in roles.items():
        if name and known_columns and name not in known_columns:
            wrong.append(Wrong(f"reading.{role}", _no_column(name, known_columns)))
    truth = [name.strip() for name in form.truth if name.strip()]
    told = {
        *known_columns,
        *(t["name"] for t in start.look.get("truth", ())),
        *start.look.get("cards", ()),
    }
    for name in truth:
        if told and name not in told:
            wrong.append(Wrong("reading.truth", _no_column(name, sorted(told))))
        elif name in roles.values():
            wrong.append(
                Wrong(
                    "reading.truth",
                    f"The column '{name[:60]}' cannot be the answer and part of the data at once.",
                )
            )
    use = [name.strip() for name in form.use if name.strip()]
    for name in use:
        if known_columns and name not in known_columns:
            wrong.append(Wrong("reading.use", _no_column(name, known_columns)))
        elif name in truth:
            said = f"The column '{name[:60]}' cannot be the answer and part of the data at once."
            wrong.append(Wrong("reading.use", said))
    found = Reading(
        kind=kind,
        text=roles["text"],
        id=roles["id"],
        time=roles["time"],
        truth=tuple(truth),
        use=tuple(use),
        words=form.words,
        links=before.links,
        both_ways=before.both_ways,
        vector=roles["vector"],
        vectors=path_of(form.vectors.strip()) if form.vectors.strip() else None,
        names=before.names,
    )
    if found.vectors and found.vectors != before.vectors and not start.is_local:
        wrong.append(Wrong("reading.vectors", _NOT_HERE))
    elif found.vectors and not _is_there(found.vectors):
        wrong.append(
            Wrong("reading.vectors", f"There is no file or folder '{form.vectors[:200]}'.")
        )
    if found.vectors and found.vector:
        said = "A file gives vectors, and a column holds them; say one of the two."
        wrong.append(Wrong("reading.vector", said))
    return found, wrong


def _no_column(name: str, known: list[str]) -> str:
    return f"There is no column '{name[:60]}'; there are {', '.join(known[:12])}."


def _pasted(form: HintsForm) -> tuple[dict[str, Any] | None, list[Wrong]]:
    """Labels and pairs that were pasted as rows of two cells."""
    found: dict[str, Any] = {}
    wrong: list[Wrong] = []
    for name, read in (("labels", read_labels), ("together", read_pairs), ("apart", read_pairs)):
        text = getattr(form, name)
        if not text.strip():
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / _PASTED
            try:
                place.write_text(text, encoding="utf-8")
                found[name] = read(place)
            except UnicodeEncodeError:
                wrong.append(Wrong(f"hints.{name}", _SIGNS))
            except CoterieError as error:
                said = _TWO_CELLS if error.parameter == "label_column" else str(error)
                wrong.append(Wrong(f"hints.{name}", said))
    scheme = form.scheme or SCHEMES[0]
    if scheme not in SCHEMES:
        wrong.append(
            Wrong("hints.scheme", f"Labels count in one of these ways: {', '.join(SCHEMES)}.")
        )
    return {**found, "scheme": scheme} if found else None, wrong


def lay_down(desk: Desk, start: Start, asked: Asked) -> Run:
    """The run that was asked for; a job reads its members, or takes those of an earlier run, and walks it."""
    request = asked.request
    if start.kept:
        return plan_run(request, store=desk.store, hints=asked.hints)
    title = re.sub(r"[^A-Za-z0-9._-]+", "-", start.title).strip("-._")
    run = plan_run(request, store=desk.store, hints=asked.hints, title=title)
    if request.name is None:
        run.update(title=start.title)
    return run


def _with_kept(
    start: Start, form: HintsForm, pasted: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """What was pasted, beside what was said in the run that is made again: of two labels the new one, weights as they were."""
    if start.again is None:
        return pasted
    old = kept_hints(start.again) or {}
    new = pasted or {}
    before = str(old.get("scheme") or SCHEMES[0])
    scheme = form.scheme or before
    labels = old.get("labels") or {}
    return {
        **{
            key: value for key, value in old.items() if key != "label_weight" or scheme == before
        },  # a weight is of its scheme
        "labels": {**labels, **(new.get("labels") or {})}
        if isinstance(labels, Mapping)
        else new.get("labels") or labels,
        **{
            part: [*(old.get(part) or ()), *(new.get(part) or ())] for part in ("together", "apart")
        },
        "scheme": scheme,
    }


def prefilled(start: Start) -> dict[str, Any]:
    """What stands in the form at first: nothing, or what an earlier run was made with."""
    choices = start.request.choices.to_json()
    reading = start.request.reading
    constraints = start.request.constraints
    return {
        "choices": {
            name: value for name, value in choices.items() if name not in ("compare", "organize")
        },
        "compare": typed_in(choices["compare"]),
        "organize": typed_in(choices["organize"]),
        "reading": {
            **{role: getattr(reading, role) or "" for role in ("kind", *_COLUMNS, "vectors")},
            "truth": list(reading.truth),
            "use": list(reading.use),
            "words": bool(reading.words),
        },
        "hints": {
            "scheme": SCHEMES[0] if constraints is None else constraints.scheme,
            "kept": "" if constraints is None else _said(constraints),
        },
    }


def _said(constraints: Constraints) -> str:
    """How much was said of members, in words.

    >>> _said(Constraints(labels=50_000, together=1, apart=2))
    '50,000 labels and 3 pairs'
    """
    pairs = constraints.together + constraints.apart
    parts = [(constraints.labels, "label"), (pairs, "pair")]
    return " and ".join(
        f"{many:,} {noun}{'' if many == 1 else 's'}" for many, noun in parts if many
    )
