"""The log of a person's edits: one line per edit, added at the end; what a kill tore off is as if it never was."""

from __future__ import annotations

import json
import os
from pathlib import Path

from coterie.core.edits import Edit
from coterie.core.errors import CoterieError, StoreError
from coterie.run.bundle import AGAIN, explain

FILE = "steering.jsonl"


def read_log(path: Path) -> list[Edit]:
    """Every edit of a log, those taken back and the undos among them; nothing where there is no log."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(
            f"The log {path} cannot be read ({error.strerror}); allow reading it."
        ) from error
    edits = []
    for number, line in enumerate(data[: _whole(data)].splitlines(), 1):
        try:
            edits.append(_edit(line))
        except (ValueError, CoterieError) as error:
            said = str(error) if isinstance(error, CoterieError) else "it is not JSON"
            raise StoreError(
                f"Line {number} of {path} is no edit ({said.rstrip('.')}); mend or remove that line."
            ) from None
    return edits


def _edit(line: bytes) -> Edit:
    return Edit.of(json.loads(line.decode("utf-8", "surrogatepass")))


def append_edit(path: Path, edit: Edit, *, then: str = AGAIN) -> None:
    """Add one edit; when this returns it survives a crash. What a killed writer left unfinished is cut off first."""
    line = json.dumps(edit.record(), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    try:
        with path.open("a+b") as file:
            data = path.read_bytes()
            end = _whole(data)
            if end < file.seek(0, os.SEEK_END):
                file.truncate(end)
            file.write(b"\n" + line if end and data[end - 1 : end] != b"\n" else line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise explain(error, path, then=then) from error


def _whole(data: bytes) -> int:
    """The length of what counts: the lines that have an end, and a last one without that is an edit all the same."""
    end = data.rfind(b"\n") + 1
    try:
        _edit(data[end:])
    except (ValueError, CoterieError):
        return end  # torn
    return len(data)
