"""Names of a package that are imported when first used, so that importing a room costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazily(
    package: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose names live in other modules: name -> module."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"{package} has no '{name}'; it has {', '.join(sorted(names))}")
        return getattr(importlib.import_module(names[name]), name)

    return find, lambda: sorted(names)
