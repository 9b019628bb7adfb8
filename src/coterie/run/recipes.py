"""Recipes: the lines of Python that make a run again, and its choices as plain values."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from coterie.collect.named_views import names_of
from coterie.core.params import params_of
from coterie.workflows.choices import Choices

_LONG = 400  # characters of hints that are written into the recipe


def plain(settings: Choices) -> dict[str, Any]:
    """Every choice by name."""
    return {info.name: getattr(settings, info.name) for info in params_of(Choices)}


def python_of(about: Mapping[str, Any], called: str) -> str:
    """The lines that make a run again, from what its settings say of it."""
    if about.get("python"):
        return str(about["python"])
    defaults = plain(Choices())
    words = {
        **{k: v for k, v in about["reading"].items() if v is not None and v != []},
        **{k: v for k, v in about["choices"].items() if v != defaults[k] or k == "seed"},
    }
    long = "hints" in about and len(str(about["hints"])) >= _LONG
    words |= {"hints": about["hints"]} if "hints" in about and not long else {}
    given = "".join(f", {name}={value!r}" for name, value in words.items())
    given += ", hints=hints" if long else ""
    first = (
        f'hints = coterie.Store().open({called!r}).get_json("hints")  # labels and pairs, as given\n'
        if long
        else ""
    )
    return f"import coterie\n\n{first}found = coterie.explore({about['source']!r}{given})\nfound.frame()"


def command_of(verb: str, source: str, given: Mapping[str, Any], choices: Mapping[str, Any]) -> str:
    """The command that makes a run again: how it is read, and what was chosen.

    >>> command_of("explore", "my mail", {"truth": ["folder"], "words": True}, {"k": 8, "nulls": 0, "seed": 0, "views": "en, de"})
    "coterie explore 'my mail' --truth folder --words --k 8 --nulls 0 --seed 0 --views en de"
    """
    words = ["coterie", verb, source]
    defaults = plain(Choices())
    for key, value in {**given, **choices}.items():
        if (
            value is None or value is False or value == [] or value == defaults.get(key)
        ) and key != "seed":
            continue
        if key == "links":
            words += [part for name, file in value.items() for part in ("--link", f"{name}={file}")]
        elif key == "views":
            words += ["--views", *names_of(value)]
        else:
            for item in value if isinstance(value, list) else [value]:
                words += [f"--{key.replace('_', '-')}", *([] if item is True else [str(item)])]
    return shlex.join(words)
