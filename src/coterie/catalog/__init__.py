"""Every method by name, and a method made of words; the table in `entries` is the only registry."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coterie.catalog.entries import ENTRIES as ENTRIES
from coterie.catalog.entries import Entry as Entry
from coterie.core.errors import ParameterError

NAMES = tuple(entry.name for entry in ENTRIES)


def find(name: str, room: str = "") -> Entry:
    """The entry of that name, whatever its capitals; the sentence names near ones when there is none, else all (of a room).

    >>> find("mcl").room
    'organize'
    """
    for entry in ENTRIES:
        if entry.name.lower() == name.lower():
            return entry
    names = [entry.name for entry in ENTRIES if room in ("", entry.room)]
    near = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=3, cutoff=0.6)
    hint = (
        f" Near it: {', '.join(n for low in near for n in names if n.lower() == low)}."
        if near
        else f" {f'The room {room!r} has' if room else 'There are'} {', '.join(names)}."
    )
    raise ParameterError(f"There is no method '{name}'.{hint}")


def room(name: str) -> Iterator[Entry]:
    """The entries of one room."""
    return (entry for entry in ENTRIES if entry.room == name)


_PARTS = {
    "model": "coterie.models",
    "diverter": "coterie.compare.sic",
    "annotator": "coterie.compare.sic",
    "risk": "coterie.parts.risks",
    "comparer": "",
    "kernel": "",
}  # settings that are themselves made of words: where their names are looked up; "" is the catalog


def make(text: str, **defaults: Any) -> Any:
    """An estimator from words such as "MCL" or "MCL(inflation=3)"; defaults apply where the method has that parameter.

    >>> make("Medoids(n_groups=4)", random_state=1)
    Medoids(n_groups=4, random_state=1)
    >>> make("Likelihood(model=HMM(n_states=3))")
    Likelihood(model=HMM(n_states=3))
    >>> make("Agglomerative(linkage=single)")
    Agglomerative(linkage='single')
    """
    import ast

    try:
        return _made(ast.parse(text.strip(), mode="eval").body, defaults)
    except ParameterError:
        raise
    except (SyntaxError, AttributeError, ValueError):
        raise ParameterError(
            f"A method is written as a name or as Name(parameter=value) with plain values, and was {text!r}; put others into a "
            "Pipeline."
        ) from None


def _made(tree: Any, defaults: Mapping[str, Any], where: str = "") -> Any:
    """What a name, or a call of it with named values, stands for; `where` is a package other than the catalog."""
    import ast

    from coterie.core.params import params_of

    call = tree if isinstance(tree, ast.Call) else None
    name = tree.id if call is None else call.func.id  # type: ignore[attr-defined]
    if call is not None and call.args:
        raise ValueError("a value without its name")
    kind = _named(name, where)
    known = [info.name for info in params_of(kind)]
    given: dict[str, Any] = {}
    for word in call.keywords if call is not None else ():
        key = str(word.arg)
        _refuse(kind, key, known)
        given[key] = _value(key, word.value)
    return kind(**{**{word: value for word, value in defaults.items() if word in known}, **given})


def _value(key: str, tree: Any) -> Any:
    """What stands behind a parameter's name: a part made of words, a bare word such as kl, or a plain value."""
    import ast

    if isinstance(tree, ast.Name) and tree.id[:1].islower():
        return tree.id
    if isinstance(tree, (ast.Call, ast.Name)) and key in _PARTS:
        return _made(tree, {}, _PARTS[key])
    return ast.literal_eval(tree)


def _named(name: str, where: str) -> type[Any]:
    if not where:
        return find(name).load()
    room = importlib.import_module(where)
    if name not in room.__all__:
        raise ParameterError(f"{where} has no '{name}'; it has {', '.join(sorted(room.__all__))}.")
    found: type[Any] = getattr(room, name)
    return found


def _refuse(kind: type[Any], word: str, known: Sequence[str]) -> None:
    """Raise one sentence when a method has no such parameter."""
    if word not in known:
        raise ParameterError(
            f"{kind.__name__} has no parameter '{word}'; it has {', '.join(sorted(known))}."
        )
