"""Recipes: the lines of Python, and the command, that make a run again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from coterie.collect.named_views import names_of
from coterie.workflows.choices import Choices
from coterie.workflows.request import ExploreRequest, Refit, Replay

_LONG = 400  # characters of hints that are written into the recipe
_DEFAULTS = Choices().to_json()
_IN_CHOICES = ("view", "views")  # of the reading: they are choices too


def python_of(request: ExploreRequest, called: str, hints: Mapping[str, Any] | None = None) -> str:
    """The lines that make a run again, from what it was asked."""
    match request.origin:
        case Refit(run=run, by="session"):
            return f"from coterie.run.session_runs import as_run\n\nfound = as_run({run!r})\nfound.frame()"
        case Refit(run=run):
            return f"from coterie.run import Steering\n\nfound = Steering({run!r}).refit()\nfound.frame()"
        case Replay(run=run, source=source):
            where = source or request.source
            return f"from coterie.run import replay\n\nfound = replay({run!r}, {where!r})\nfound.frame()"
    words = {
        **{k: v for k, v in request.reading.options().items() if v is not None and v != []},
        **{k: v for k, v in request.choices.to_json().items() if v != _DEFAULTS[k] or k == "seed"},
    }
    long = hints is not None and len(str(hints)) >= _LONG
    words |= {} if hints is None or long else {"hints": dict(hints)}
    given = "".join(f", {name}={value!r}" for name, value in words.items())
    given += ", hints=hints" if long else ""
    first = (
        f'hints = coterie.Store().open({called!r}).get_json("hints")  # labels and pairs, as given\n'
        if long
        else ""
    )
    return f"import coterie\n\n{first}found = coterie.explore({request.source!r}{given})\nfound.frame()"


def command_of(
    verb: str,
    request: ExploreRequest,
    further: Mapping[str, Any] | None = None,
    order: Iterable[str] = (),
) -> str:
    """The command that asks for the same: how the members are read, and what was chosen, in the order it was typed.

    `further` are options of the verb that are not of the request.

    >>> from coterie.workflows.request import ask
    >>> command_of("explore", ask("my mail", truth="folder", words=True, k=8, nulls=0, views="en, de"))
    "coterie explore 'my mail' --truth folder --words --k 8 --seed 0 --views en de --nulls 0"
    """
    reading = request.reading.options()
    chosen = request.choices.to_json()
    given = {
        **(further or {}),
        **{name: value for name, value in reading.items() if name not in _IN_CHOICES},
        **{name: chosen[name] for name in dict.fromkeys((*order, *chosen)) if name in chosen},
    }
    words = ["coterie", verb, request.source]
    for key, value in given.items():
        unasked = value is None or value is False or value in ([], {}, _DEFAULTS.get(key))
        if unasked and key != "seed":
            continue
        if key == "links":
            words += [part for name, file in value.items() for part in ("--link", f"{name}={file}")]
        elif key == "views":
            words += ["--views", *names_of(value)]
        else:
            for item in value if isinstance(value, list) else [value]:
                words += [f"--{key.replace('_', '-')}", *([] if item is True else [str(item)])]
    return shlex.join(words)
