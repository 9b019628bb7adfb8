"""Which tiles have a form for a card: `@card_form(name)` above the function of a tile, the name being one of `distances`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

Work = TypeVar("Work", bound=Callable[..., Any])
_FORMS: dict[Any, str] = {}


def card_form(name: str) -> Callable[[Work], Work]:
    """Say that tiles of this function are made on a card, where one is asked for, by the form of this name."""

    def known(work: Work) -> Work:
        _FORMS[work] = name
        return work

    return known


def form_of(tile: Any) -> tuple[str, dict[str, Any]] | None:
    """The name of the form of a tile and the settings it was given; None where it has none.

    >>> form_of(len) is None
    True
    """
    plain = tile.func if isinstance(tile, partial) else tile
    try:
        name = _FORMS.get(plain)
    except TypeError:  # a callable that cannot be hashed
        return None
    if name is None or (isinstance(tile, partial) and tile.args):
        return None
    return name, dict(tile.keywords) if isinstance(tile, partial) else {}
