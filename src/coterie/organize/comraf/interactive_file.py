"""A session of interactive clustering as one file: written whole or not at all, and read with a sentence on what is damaged."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any
from uuid import uuid4

from coterie.core.errors import DataError, StoreError
from coterie.organize.comraf.interactive_state import (
    CHECK,
    DEFAULT,
    DONE,
    FEATURES_STEP,
    GROUPS,
    MEMBERS_STEP,
    NEW,
    REVIEW,
    STATUSES,
    TYPES,
    State,
)

FORMAT = 1
Form = Callable[[Any], bool]  # whether a value is of this form


def text_of(record: Mapping[str, Any]) -> str:
    """A session as JSON: the same session gives the same bytes."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def write(path: Path, text: str) -> None:
    """Written aside, then renamed: the file is the old one or the new one, never a part of it."""
    part = path.parent / f".{path.name}.{os.getpid()}-{uuid4().hex[:8]}"
    try:
        with part.open("xb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(
            f"The session could not be saved to '{path}' ({why}); what was saved before is untouched."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def read(place: Path) -> dict[str, Any]:
    """A session from its file, every part of it of the form it must have; the sentence says what is wrong."""
    try:
        record = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"There is no session '{place}'.") from None
    except (OSError, UnicodeDecodeError):
        raise DataError(f"The session '{place}' cannot be read.") from None
    except (ValueError, RecursionError):
        raise DataError(f"'{place.name}' is no session: it cannot be read as JSON.") from None
    wanted = {"format", *_FORMS}
    if not isinstance(record, dict) or not wanted <= record.keys():
        lacks = sorted(wanted - set(record if isinstance(record, dict) else ()))
        raise DataError(f"'{place.name}' is no session: it lacks {', '.join(lacks)}.")
    if record["format"] != FORMAT:
        raise DataError(
            f"'{place.name}' is a session of format {record['format']}, and this version reads format {FORMAT}."
        )
    for key, form in _FORMS.items():
        if not form(record[key]):
            raise damaged(place, f"its '{key}' is not of the form it must have")
    strange = [
        key for key, value in record["base"].items() if key not in _STATE or not _STATE[key](value)
    ]
    if strange:
        raise damaged(
            place, f"its 'base' has '{strange[0]}', which is not of the form it must have"
        )
    for state in (record, {**record, **record["base"]}):
        if (why := _amiss(state)) is not None:
            raise damaged(place, why)
    check_log(record["log"], f"The log of the session '{place.name}'")
    return record


def damaged(place: Path, why: str) -> DataError:
    """What is said of a file that was a session."""
    return DataError(f"The session '{place.name}' is damaged: {why}.")


def check_log(log: Iterable[Any], of: str = "A log of a session") -> None:
    """Refuse a log with an entry that is no step of a session, or that takes back more than there is."""
    depth = 0
    for at, entry in enumerate(log, 1):
        do = entry.get("do") if isinstance(entry, Mapping) else None
        forms = _ENTRIES.get(do) if isinstance(do, str) else None
        fits = forms is not None and all(
            name in entry and form(entry[name]) for name, form in forms.items()
        )
        if not fits or (do == "begin") != (at == 1):
            raise DataError(f"{of} is damaged: entry {at} is no step that can be there.")
        if do == "undo" and not 0 < entry["back"] < depth:
            raise DataError(f"{of} is damaged: entry {at} takes back more than was done.")
        depth += 1 if do != "undo" else -entry["back"]
    if not depth:
        raise DataError(f"{of} is damaged: there is no entry in it.")


# ---- the form of every part --------------------------------------------------------------------------------------------------


def _any(value: Any) -> bool:
    return True


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole_or_none(value: Any) -> bool:
    return value is None or _whole(value)


def _number(value: Any) -> bool:
    return isinstance(value, float) or _whole(value)


def _list(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(map(form, value))


def _by_name(form: Form) -> Form:
    return lambda value: (
        isinstance(value, dict) and all(map(_text, value)) and all(map(form, value.values()))
    )


def _having(**forms: Form) -> Form:
    return lambda value: (
        isinstance(value, dict)
        and all(name in value and form(value[name]) for name, form in forms.items())
    )


def _status(value: Any) -> bool:
    return value in STATUSES and value != NEW


_texts = _list(_text)
_groups = _by_name(_list(_texts))


def _given(value: Any) -> bool:
    """Seeds as they are logged: of every type a list of lists, or a mapping of group name to list."""
    return isinstance(value, dict) and all(
        _list(_texts)(of) or _by_name(_texts)(of) for of in value.values()
    )


_STATE: dict[str, Form] = {
    "status": _status,
    "k": _whole,
    "group_names": _texts,
    "feature_types": _texts,
    "tables": _by_name(_text),
    "draft": _groups,
    "seed_groups": _groups,
    "used": _groups,
    "given": _groups,
    "rejected": _by_name(_texts),
    "ties": _list(_having(type=_text, groups=_list(_whole), features=_texts, to=_whole_or_none)),
    "iteration": _whole,
    "covered": _texts,
    "doc_cluster": _by_name(_whole),
    "feature_cluster": _by_name(_by_name(_whole)),
    "first": _by_name(_whole),
    "history": _list(
        _having(
            iteration=_whole,
            covered=_whole,
            new=_whole,
            sizes=_list(_whole),
            features=_by_name(_list(_whole)),
            lifts=_list(_number),
        )
    ),
}
_FORMS: dict[str, Form] = {
    "collection_id": _text,
    "rng_seed": _whole,
    "settings": _by_name(_any),
    "log": _list(_any),
    "base": _by_name(_any),
    **{one.name: _STATE[one.name] for one in fields(State)},
}
_PUT = {"type": _text, "features": _texts, "to": _whole}
_ENTRIES: dict[str, dict[str, Form]] = {
    "groups": {"k": _whole, "names": _texts},
    "types": {"types": _texts},
    "draft": _PUT,
    "seeds": {"groups": _given},
    "delete": {"type": _text, "features": _texts},
    "move": _PUT,
    "add": _PUT,
    "settle": {"tie": _whole, "to": _whole_or_none},
    "accept": {"iteration": _whole},
    "undo": {"back": _whole},
    **{
        name: {}
        for name in ("begin", DEFAULT, MEMBERS_STEP, CHECK, FEATURES_STEP, "stop", "reopen")
    },
}


def _amiss(state: Mapping[str, Any]) -> str | None:
    """What in a state does not fit the rest of it; nothing where all does."""
    k = state["k"]
    types = set(state["feature_types"])
    status = state["status"]
    if len(state["group_names"]) != k or (k < 2 and status != GROUPS):
        return "its groups are not as many as their names"
    if set(state["tables"]) != types or (not types and status not in (GROUPS, TYPES)):
        return "its types of features are not those of its tables"
    for key in ("draft", "seed_groups", "used", "given"):
        if not set(state[key]) <= types or any(len(of) != k for of in state[key].values()):
            return f"its '{key}' are not of {k} groups of the chosen types"
    if set(state["given"]) != set(state["seed_groups"]) or (
        status in _SEEDED and not state["given"]
    ):
        return "it has no seeds, or not those that were given"
    if any(not 0 <= at < k for key in ("doc_cluster", "first") for at in state[key].values()):
        return f"it has a member of a group that is none of the {k}"
    for tie in state["ties"]:
        groups = [*tie["groups"], *([] if tie["to"] in (None, -1) else [tie["to"]])]
        if tie["type"] not in state["given"] or any(not 0 <= at < k for at in groups):
            return "an open cluster is of a group or type that is not there"
    lifts = k if state["given"] else 0
    if any(len(line["sizes"]) != k or len(line["lifts"]) != lifts for line in state["history"]):
        return f"its history is not of {k} groups"
    return "it has no history" if status in _CLUSTERED and not state["history"] else None


_SEEDED = (MEMBERS_STEP, CHECK, FEATURES_STEP, REVIEW)
_CLUSTERED = (CHECK, FEATURES_STEP, REVIEW, DONE)
