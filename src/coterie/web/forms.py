"""Forms made from declared parameters: a field for each, its sentence and range beside it, and what was typed read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from coterie import catalog
from coterie.catalog import Entry
from coterie.core.errors import ParameterError
from coterie.core.params import Param, params_of
from coterie.workflows.choices import Choices, method

# signs of one value, digits of a number
_LONG = 300
_DIGITS = 18
_YES = ("yes", "true", "on", "1")
_NO = ("no", "false", "off", "0")
_ELSEWHERE = (
    "random_state",
    "n_groups",
)  # of a method: the seed and the number of groups of the whole run
LABELS = {
    "k": "Number of groups",
    "seed": "Seed",
    "view": "View",
    "views": "Several views at once",
    "compare": "How members are compared",
    "organize": "How groups are made",
    "segment": "Cut long sequences",
    "pieces": "Pieces of each sequence",
    "window": "Length of what is compared",
    "embed": "Vectors of words",
    "download": "Fetch that model",
    "max_k": "Most groups looked at",
    "nulls": "Null collections",
}
_FITS = {
    "sequences": ("Ragged",),
    "sets": ("Ragged",),
    "sound": ("Ragged",),
    "tagged": ("TaggedText", "Table"),
}  # fmt: skip  what the members of a kind are, to a comparer; all others are rows of a table


class Wrong(ParameterError):
    """A value that cannot be, and the field it was typed into."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True)
class FormField:
    """One parameter as a person fills it in."""

    name: str
    label: str
    sentence: str
    kind: str  # switch, whole, number, choice, mixed (a word or a number), words
    value: str = ""
    default: str = ""
    range: str = ""
    choices: tuple[str, ...] = ()
    advanced: bool = False


def fields_of(
    owner: type, leave: Iterable[str] = (), values: Mapping[str, Any] | None = None
) -> list[FormField]:
    """The declared parameters of a class as fields, those that few people change last; `values` are filled in."""
    found = [field_of(info) for info in params_of(owner) if info.name not in set(leave)]
    given = values or {}
    found = [
        replace(field, value=text_of(given[field.name])) if field.name in given else field
        for field in found
    ]
    return sorted(found, key=lambda field: field.advanced)


def field_of(info: Param) -> FormField:
    """A parameter as a field.

    >>> field_of(Param("p", 2.0, "A power.", "float", ge=1)).kind
    'number'
    """
    kind = _kind(info)
    choices = tuple(text_of(choice) for choice in info.choices) or (
        _yes_no(info) if kind == "choice" else ()
    )
    default = text_of(info.default)
    limits = (
        ""
        if kind == "choice"
        else f"{' or '.join(choices)}, or {_more(kind)}"
        if choices
        else info.range
    )
    return FormField(
        info.name,
        label_of(info.name),
        info.sentence,
        kind,
        default,
        default,
        limits,
        choices,
        info.advanced,
    )


def _more(kind: str) -> str:
    return "a number" if kind == "mixed" else "what the method's page names"


def label_of(name: str) -> str:
    """What a parameter is called in a form."""
    return LABELS.get(name) or name.replace("_", " ").capitalize()


def _kind(info: Param) -> str:
    kinds = {part.strip() for part in info.annotation.split("|")} - {"None"}
    if info.choices:
        return "words" if "Any" in kinds else "mixed" if kinds & {"int", "float"} else "choice"
    if kinds == {"bool"}:
        return "switch" if info.default is not None else "choice"
    return (
        "whole"
        if kinds == {"int"}
        else "number"
        if kinds and kinds <= {"int", "float"}
        else "words"
    )


def _yes_no(info: Param) -> tuple[str, ...]:
    return ("yes", "no") if "bool" in info.annotation else ()


def text_of(value: Any) -> str:
    """A value as it stands in a field.

    >>> text_of(None), text_of(True), text_of(0.5), text_of("kl"), text_of(("a", "b"))
    ('', 'yes', '0.5', 'kl', 'a b')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return " ".join(value)
    return str(value)


def value_of(info: Param, text: str, owner: str = "") -> Any:
    """What was typed as the value it stands for; nothing typed is the default. Raises Wrong with a sentence for the field."""
    text = text.strip()
    kind = _kind(info)
    label = label_of(info.name)
    if len(text) > _LONG:
        raise Wrong(info.name, f"{label} is longer than {_LONG} signs.")
    if not text:
        return None if info.default is None or "None" in info.annotation else info.default
    value = _parsed(info, kind, text, label)
    if kind == "words":  # read by the method itself
        return value
    try:
        info.check(value, owner)
    except (ParameterError, OverflowError) as error:
        must = error.problem if isinstance(error, ParameterError) else "is too large."
        raise Wrong(info.name, f"{label} {must}") from None
    return value


def _parsed(info: Param, kind: str, text: str, label: str) -> Any:
    if kind == "words":
        return text
    if kind == "switch" or (kind == "choice" and not info.choices):
        if text.lower() in (*_YES, *_NO):
            return text.lower() in _YES
        raise Wrong(info.name, f"{label} must be yes or no, and was '{text}'.")
    known = {text_of(choice): choice for choice in info.choices}
    if text in known:
        return known[text]
    if kind == "choice":
        raise Wrong(info.name, f"{label} must be {' or '.join(known)}, and was '{text}'.")
    if len(re.sub(r"\D", "", text)) > _DIGITS:
        raise Wrong(info.name, f"{label} has more than {_DIGITS} digits.")
    try:
        number = float(text.replace("_", "x"))
        return int(text) if kind == "whole" or re.fullmatch(r"[+-]?\d+", text) else number
    except (ValueError, OverflowError):
        must = "a whole number" if kind == "whole" else "a number"
        must = f"{' or '.join(known)}, or {must}" if known else f"{must} {info.range}".strip()
        raise Wrong(info.name, f"{label} must be {must}, and was '{text}'.") from None


# ---- methods ------------------------------------------------------------------------------------------------------


def methods(room: str, kind: str = "") -> tuple[list[Entry], list[Entry]]:
    """The methods of a room that make groups or compare members: those for a kind of members, and the others."""
    wanted = {"compare": "Affinity", "organize": "Partition"}[room]
    able = [
        entry
        for entry in catalog.room(room)
        if entry.gives == wanted and not (room == "compare" and entry.takes == "Affinity")
    ]
    if room == "organize":
        unfit = ("Ragged",) if kind not in ("", "sequences", "sets", "sound") else ()
        return [e for e in able if e.takes not in unfit], [e for e in able if e.takes in unfit]
    fits = _FITS.get(kind, ("Table",))
    mine = [entry for entry in able if set(entry.takes.split(" | ")) & set(fits)]
    return mine, [entry for entry in able if entry not in mine]


@cache
def method_fields(room: str, name: str) -> tuple[FormField, ...]:
    """The parameters of a method as fields; its seed and its number of groups are those of the run."""
    entry = catalog.find(name, room)
    if entry.room != room or not any(entry in part for part in methods(room)):
        raise Wrong(room, f"{entry.name} cannot be chosen here.")
    return tuple(fields_of(entry.load(), _ELSEWHERE))


def words_of(room: str, name: str, given: Mapping[str, str]) -> str | None:
    """A method and what was typed for it, as the words that make it, such as MCL(inflation=3.0); None for the default."""
    if not name.strip():
        return None
    try:
        allowed = {field.name: field for field in method_fields(room, name)}
    except Wrong:
        raise
    except ParameterError as error:
        raise Wrong(room, str(error)) from None
    entry = catalog.find(name, room)
    infos = {info.name: info for info in params_of(entry.load())}
    parts = []
    for key, text in given.items():
        if key not in allowed:
            raise Wrong(room, f"{entry.name} has no parameter '{key[:60]}'.")
        try:
            value = value_of(infos[key], text, entry.name)
        except Wrong as error:
            raise Wrong(f"{room}.{key}", str(error)) from None
        if text.strip() and text_of(value) != allowed[key].default:
            bare = allowed[key].kind == "words" and text.strip() not in allowed[key].choices
            parts.append(f"{key}={text.strip() if bare else repr(value)}")
            _made(room, f"{entry.name}({parts[-1]})", f"{room}.{key}")
    words = f"{entry.name}({', '.join(parts)})" if parts else entry.name
    _made(room, words, room)
    return words


def _made(room: str, words: str, field: str) -> None:
    try:
        method(words, room)
    except ParameterError as error:
        raise Wrong(field, str(error)) from None
    except Exception:  # a class that was handed a word it cannot use
        raise Wrong(field, f"{words[:80]} cannot be made; write plain values.") from None


def typed_in(words: str | None) -> tuple[str, dict[str, str]]:
    """A method's words back as its name and what stands in its fields; the other way of `words_of`.

    >>> typed_in("MCL(inflation=3.0)")
    ('MCL', {'inflation': '3'})
    """
    if not words:
        return "", {}
    try:
        made = catalog.make(words)
    except ParameterError:
        return "", {}
    found = {}
    for info in params_of(type(made)):
        text = text_of(getattr(made, info.name))
        if info.name not in _ELSEWHERE and text != text_of(info.default):
            found[info.name] = text
    return type(made).__name__, found


def chosen_values(given: Mapping[str, str]) -> tuple[dict[str, Any], list[Wrong]]:
    """What was typed for the choices of a run, with everything that is wrong about it."""
    found: dict[str, Any] = {}
    wrong: list[Wrong] = []
    for info in params_of(Choices):
        if info.name in given and info.name not in ("compare", "organize"):
            try:
                found[info.name] = value_of(info, given[info.name], "Choices")
            except Wrong as error:
                wrong.append(Wrong(f"choices.{info.name}", str(error)))
    return found, wrong
