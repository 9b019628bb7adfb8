"""The command line inside the test's own process: what it wrote, and how it ended."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from dataclasses import dataclass
from unittest.mock import patch

from coterie.cli.main import main


@dataclass(frozen=True)
class Said:
    """What one command said and its exit status."""

    code: int
    out: str
    err: str

    @property
    def run(self) -> str:
        """The name of the run that was made."""
        found = re.search(r"^Run: +(\S+)", self.out, flags=re.MULTILINE)
        assert found is not None, self.out + self.err
        return found[1]


def coterie(*words: object) -> Said:
    """Run `coterie WORDS`."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        patch.object(sys, "argv", ["coterie", *map(str, words)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Said(code, *(_written(stream) for stream in (out, err)))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def explored(path: object, *words: object) -> Said:
    """`coterie explore PATH WORDS` without bars and with few nulls; it must succeed and say nothing on stderr."""
    said = coterie(
        "explore",
        path,
        "--progress",
        "silent",
        *([] if "--nulls" in words else ["--nulls", 2]),
        *words,
    )
    assert said.code == 0, said.err
    assert said.err == ""
    return said


def refused(*words: object) -> str:
    """The one sentence with which a command is refused."""
    said = coterie(*words)
    lines = said.err.splitlines()
    assert said.code == 2, said.out + said.err
    assert len(lines) == 1, said.err
    assert lines[0].startswith("coterie: "), said.err
    assert "Traceback" not in said.err
    assert "  " not in lines[0]
    return lines[0].removeprefix("coterie: ")
