"""The versions that a result depends on."""

from __future__ import annotations

import contextlib
import functools
import platform
from importlib import metadata

_LIBRARIES = ("coterie", "numpy", "scipy", "scikit-learn", "numba")


@functools.cache
def _found() -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version())]
    for library in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append((library, metadata.version(library)))
    return tuple(found)


def versions() -> dict[str, str]:
    """What makes a result: Python and the libraries under it."""
    return dict(_found())
