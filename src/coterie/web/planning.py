"""A run as a person asks for it: where its members come from, what was typed, and all that is wrong about it, by field."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.collect.hints import read_labels, read_pairs
from coterie.collect.reading import KINDS
from coterie.core.errors import CoterieError, DataError, ParameterError
from coterie.core.params import params_of
from coterie.run.checks import check_name, chosen
from coterie.run.laying import SAID, how_many, kept_hints
from coterie.run.looking import looked, source_of
from coterie.run.planned import plan_again, plan_run
from coterie.run.recipes import command_of
from coterie.run.stored import Run
from coterie.web.desk import Desk
from coterie.web.forms import Wrong, chosen_values, typed_in, words_of
from coterie.web.shelf import Shelf
from coterie.workflows.choices import Choices, method
from coterie.workflows.hinted import check_guided

SCHEMES = ("intrinsic", "constrained", "seeded")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the members of a new run come from: something that is read, or (where that is gone) what an earlier run kept."""

    title: str
    kind: str = ""
    members: int = 0
    source: str = ""
    kept: Run | None = None
    look: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the run that is made again
    again: Run | None = None  # that run
    back: str = "/collections"


def origin_of(desk: Desk, collection: str, run: str) -> Origin:
    """What a run is made of: a collection of the shelf, or what an earlier run was made of."""
    if run:
        return _again(desk, desk.run(run))
    shelf = Shelf(desk)
    one = shelf.one(collection)
    look = looked(desk.store.folder, one.id)
    source = source_of(desk.store.folder, one)
    kind = str(look.get("kind", ""))
    members = int(look.get("members", 0))
    return Origin(one.name, kind, members, source, look=look, back=f"/collections/{one.id}")


def _again(desk: Desk, run: Run) -> Origin:
    record = run.record()
    path = str(record.settings.get("path") or "")
    there = (
        path == "installed"
        or path.startswith("sample:")
        or bool(path and Path(path).expanduser().exists())
    )
    if not there and not run.has_collection:
        raise DataError(
            f"The run {run.name} cannot be made again: what it was made of is no longer there."
        )
    back = f"/runs/{run.name}"
    look = (
        next(
            (
                looked(desk.store.folder, one.id)
                for one in Shelf(desk).every()
                if _is(desk, one, path)
            ),
            {},
        )
        if path
        else {}
    )
    title = record.title or run.name
    kept = None if there else run
    return Origin(
        title,
        record.kind,
        record.members,
        path if there else "",
        kept,
        look,
        record.settings,
        run,
        back,
    )


def _is(desk: Desk, one: Any, path: str) -> bool:
    try:
        return source_of(desk.store.folder, one) == path
    except CoterieError:
        return False


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person typed, by field."""

    name: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    compare: tuple[str, Mapping[str, str]] = ("", {})
    organize: tuple[str, Mapping[str, str]] = ("", {})
    reading: Mapping[str, Any] = field(default_factory=dict)
    hints: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Read:
    """What was typed, as values that a run takes."""

    choices: dict[str, Any]
    reading: dict[str, Any]
    hints: dict[str, Any] | None
    keep: bool = False  # with what was said in the run that is made again


def understood(typed: Typed, origin: Origin) -> tuple[Read, list[Wrong]]:
    """What was typed as values, and everything that is wrong, each with its field."""
    values, wrong = chosen_values(typed.choices)
    for room, (name, params) in (("compare", typed.compare), ("organize", typed.organize)):
        try:
            values[room] = words_of(room, name, params)
        except Wrong as error:
            wrong.append(error)
    try:
        check_name(typed.name or None)
    except ParameterError:
        wrong.append(Wrong("name", "A name has letters, digits, dots, dashes and underscores."))
    reading, odd = _reading(typed.reading, origin)
    hints, strange = _hints(typed.hints)
    wrong += odd + strange
    keep = bool(typed.hints.get("keep")) and bool(how_many(origin.settings))
    if not wrong:
        wrong += _too_many(values, origin) + _together(values, keep or hints is not None)
    return Read(values, reading, hints, keep), wrong


def _too_many(values: Mapping[str, Any], origin: Origin) -> list[Wrong]:
    """More groups than members, where it is known how many there are and they are not cut into pieces."""
    k = values.get("k")
    if not origin.members or not isinstance(k, int) or k <= origin.members or values.get("segment"):
        return []
    return [Wrong("choices.k", f"There are only {origin.members:,} members.")]


def _together(values: Mapping[str, Any], hints: bool) -> list[Wrong]:
    """What does not go together."""
    try:
        chosen(values)
    except CoterieError as error:
        sentence = re.sub(r" \(--[\w-]+\)", "", str(error).removeprefix("Choices: "))
        places = {
            info.name: re.search(rf"\b{info.name}\b", sentence) for info in params_of(Choices)
        }
        at = (
            min((found.start(), name) for name, found in places.items() if found)[1]
            if any(places.values())
            else "k"
        )
        return [Wrong(at if at in ("compare", "organize") else f"choices.{at}", sentence)]
    if hints and values.get("segment"):
        return [
            Wrong(
                "hints.labels",
                "Hints are on members, and pieces that sequences are cut into are not there yet.",
            )
        ]
    if hints and values.get("organize"):
        try:
            check_guided(method(values["organize"], "organize"))
        except CoterieError as error:
            return [Wrong("organize", str(error))]
    return []


def _reading(typed: Mapping[str, Any], origin: Origin) -> tuple[dict[str, Any], list[Wrong]]:
    """How the members are read; what an earlier run was read with and the form does not show stays."""
    wrong: list[Wrong] = []
    before = dict(origin.settings.get("reading") or {})
    found: dict[str, Any] = {key: before[key] for key in ("links", "both_ways") if before.get(key)}
    kind = str(typed.get("kind") or "").strip()
    if kind and kind not in KINDS:
        wrong.append(
            Wrong(
                "reading.kind",
                f"The kind must be {', '.join(KINDS[:-1])} or {KINDS[-1]}, and was '{kind[:40]}'.",
            )
        )
    found["kind"] = kind or None
    known = [column["name"] for column in origin.look.get("columns", ())]
    for role in ("text", "id", "time"):
        name = str(typed.get(role) or "").strip()
        found[role] = name or None
        if name and known and name not in known:
            wrong.append(
                Wrong(
                    f"reading.{role}",
                    f"There is no column '{name[:60]}'; there are {', '.join(known[:12])}.",
                )
            )
    truth = [str(name).strip() for name in typed.get("truth") or () if str(name).strip()]
    told = {
        *known,
        *(t["name"] for t in origin.look.get("truth", ())),
        *origin.look.get("cards", ()),
    }
    for name in truth:
        if told and name not in told:
            wrong.append(
                Wrong(
                    "reading.truth",
                    f"There is no column '{name[:60]}'; there are {', '.join(sorted(told)[:12])}.",
                )
            )
        elif name in (found["text"], found["id"], found["time"]):
            wrong.append(
                Wrong(
                    "reading.truth",
                    f"The column '{name[:60]}' cannot be the answer and part of the data at once.",
                )
            )
    found["truth"] = truth
    return found | ({"words": True} if typed.get("words") else {}), wrong


def _hints(typed: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[Wrong]]:
    """Labels and pairs that were pasted as rows of two cells."""
    found: dict[str, Any] = {}
    wrong: list[Wrong] = []
    for name, read in (("labels", read_labels), ("together", read_pairs), ("apart", read_pairs)):
        text = str(typed.get(name) or "")
        if not text.strip():
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / f"{name}.csv"
            try:
                place.write_text(text, encoding="utf-8")
                found[name] = read(place)
            except (CoterieError, UnicodeEncodeError) as error:
                said = (
                    str(error).replace(f"'{name}.csv'", "What was pasted")
                    if isinstance(error, CoterieError)
                    else _SIGNS
                )
                said = said.partition("; name the one")[0].rstrip(".") + "."
                wrong.append(Wrong(f"hints.{name}", said))
    scheme = str(typed.get("scheme") or SCHEMES[0])
    if scheme not in SCHEMES:
        wrong.append(
            Wrong("hints.scheme", f"Labels count in one of these ways: {', '.join(SCHEMES)}.")
        )
    return {**found, "scheme": scheme} if found else None, wrong


_SIGNS = "What was pasted holds characters that are none."


def planned(desk: Desk, origin: Origin, typed: Typed, read: Read) -> Run:
    """The run that was asked for, laid down; a job reads its members, or takes those of an earlier run, and walks it."""
    hints = _with_kept(origin, typed, read)
    if origin.kept is not None:
        reading = dict(origin.settings.get("reading") or {})
        reading["truth"] = list(reading.get("truth") or [])
        return plan_again(
            origin.kept, name=typed.name or None, hints=hints, reading=reading, **read.choices
        )
    title = typed.name or re.sub(r"[^A-Za-z0-9._-]+", "-", origin.title).strip("-._") or None
    command = "" if hints else command_of("explore", origin.source, read.reading, read.choices)
    run = plan_run(
        origin.source,
        store=desk.store,
        name=title,
        command=command,
        hints=hints,
        reading=read.reading,
        **read.choices,
    )
    if not typed.name:
        run.update(title=origin.title)
    return run


def _with_kept(origin: Origin, typed: Typed, read: Read) -> dict[str, Any] | None:
    """What was typed, beside what was said in the run that is made again: of two labels the new one, weights as they were."""
    if not read.keep or origin.again is None:
        return read.hints
    old = kept_hints(origin.again) or kept_hints(origin.again, SAID) or {}
    new = read.hints or {}
    before = str(old.get("scheme") or SCHEMES[0])
    scheme = str(typed.hints.get("scheme") or before)
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


def prefilled(origin: Origin) -> dict[str, Any]:
    """What stands in the form at first: nothing, or what an earlier run was made with."""
    settings = origin.settings
    choices = dict(settings.get("choices") or {})
    reading = dict(settings.get("reading") or {})
    told = how_many(settings)
    return {
        "choices": {
            name: value for name, value in choices.items() if name not in ("compare", "organize")
        },
        "compare": typed_in(choices.get("compare")),
        "organize": typed_in(choices.get("organize")),
        "reading": {
            **{role: reading.get(role) or "" for role in ("kind", "text", "id", "time")},
            "truth": list(reading.get("truth") or ()),
            "words": bool(reading.get("words")),
        },
        "hints": {"scheme": told.get("scheme", SCHEMES[0]), "kept": _said(told)},
    }


def _said(told: Mapping[str, Any]) -> str:
    """How much was said of members, in words.

    >>> _said({"labels": 50_000, "together": 1, "apart": 2})
    '50,000 labels and 3 pairs'
    """
    labels = told.get("labels", 0)
    pairs = told.get("together", 0) + told.get("apart", 0)
    parts = [(labels, "label"), (pairs, "pair")]
    return " and ".join(
        f"{many:,} {noun}{'' if many == 1 else 's'}" for many, noun in parts if many
    )
