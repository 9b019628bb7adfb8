"""What wrote a run: the format of its files, the steps from older formats to this one, and the libraries under it."""

from __future__ import annotations

import contextlib
import functools
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from coterie.core.errors import Damaged, VersionError

Migration = Callable[[str, dict[str, Any]], dict[str, Any]]

OLDEST = 2  # the first format that is read; runs of format 1 held names of private classes


def request_of_settings(settings: Any) -> dict[str, Any] | None:
    """What a run was asked, from the settings that formats before 3 kept; None where they ask for nothing."""
    if not isinstance(settings, Mapping) or "choices" not in settings:
        return None
    reading, hints = (
        found if isinstance(found, Mapping) else {}
        for found in (settings.get("reading"), settings.get("hints") or settings.get("said"))
    )
    kept = {name: value for name, value in reading.items() if value is not None}
    replay = {
        "kind": "replay",
        "run": settings.get("replayed", ""),
        "source": "",
        "standing": settings.get("standing", (0, 0)),
    }
    origin: dict[str, Any] = {"kind": "new", "planned": bool(settings.get("planned"))}
    if settings.get("copied"):
        origin = {"kind": "copy", "run": settings["copied"]}
    elif settings.get("steered"):
        by = "session" if settings.get("again") else "edits"
        origin = {"kind": "refit", "run": settings["steered"], "by": by}
        origin["replay"] = replay if settings.get("replayed") else None
    elif settings.get("replayed"):
        origin = replay
    counts = ("labels", "together", "apart", "scheme")
    constraints = {name: hints[name] for name in counts if name in hints}
    return {
        "source": settings.get("source", ""),
        "path": settings.get("path", ""),
        "reading": kept,
        "choices": settings["choices"],
        "constraints": {**constraints, "checked": bool(settings.get("hints"))} if hints else None,
        "command": settings.get("command") or "",
        "origin": origin,
    }


def _ask_by_request(stem: str, stored: dict[str, Any]) -> dict[str, Any]:
    """From format 2 to 3: a run keeps what it was asked as a request, and no longer as settings."""
    if stem != "run":
        return stored
    kept = {name: value for name, value in stored.items() if name != "settings"}
    return {**kept, "request": request_of_settings(stored.get("settings"))}


MIGRATIONS: list[Migration] = [_ask_by_request]
# MIGRATIONS[i] takes one stored file from format OLDEST + i to the next one. It is given the name of the
# file without its ending ("run", "collection", "findings", "model") and its JSON, and returns the JSON as
# the next format has it. Files are brought up when they are read, and never rewritten for it.

_LIBRARIES = ("coterie", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A library whose version is not the one that wrote a run, in its first two numbers."""

    library: str
    written: str  # the version that wrote the run
    here: str  # the version that reads it

    def sentence(self) -> str:
        """What differs, as a person reads it."""
        return f"It was written with {self.library} {self.written}, and {self.library} {self.here} reads it."


def current_format() -> int:
    """The format of the files that are written now."""
    return OLDEST + len(MIGRATIONS)


def bring_up(stem: str, said: dict[str, Any], path: Path) -> dict[str, Any]:
    """The JSON of a stored file in today's format; a sentence where it is newer, too old, or says no format."""
    found = said.get("format")
    if not isinstance(found, int) or isinstance(found, bool):
        raise Damaged(f"The file {path} is damaged")
    if found > current_format():
        raise VersionError(
            f"{path} is of format {found}, and this coterie reads up to {current_format()}",
            "update it with: pip install -U coterie",
        )
    if found < OLDEST:
        raise VersionError(
            f"{path} is of format {found}, and this coterie reads from {OLDEST} on",
            "explore the source again, and delete that run",
        )
    for step in MIGRATIONS[found - OLDEST :]:
        said = step(stem, said)
    return {**said, "format": current_format()}


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


def version_changes(written: Any) -> tuple[VersionChange, ...]:
    """Libraries that differ in major or minor version from those named in a run.

    >>> version_changes(versions())
    ()
    """
    if not isinstance(written, Mapping):
        return ()
    return tuple(
        VersionChange(library, str(written[library]), here)
        for library, here in versions().items()
        if library in written and _short(str(written[library])) != _short(here)
    )


def _short(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])
