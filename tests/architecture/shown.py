"""The command lines that README and the pages show: in fenced blocks, in indented blocks, and inside sentences."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.pages import ROOT, pages

PLAIN = (
    "",
    "sh",
    "bash",
    "text",
    "console",
)  # kinds of fenced blocks whose lines are typed at a terminal


@dataclass(frozen=True)
class Line:
    """What is typed after `coterie`, and the page that shows it."""

    words: tuple[str, ...]
    page: str

    @property
    def text(self) -> str:
        """As it is shown, without comments."""
        return " ".join(self.words)


def command_lines(text: str) -> list[list[str]]:
    """The words after `coterie` of every line of a page that calls it; a comment after two spaces or a # is left out."""
    fence = None
    found = []
    for line in text.split("\n"):
        mark = re.match(r"^\s*```(\S*)", line)
        if mark:
            fence = mark[1] if fence is None else None
        elif fence is not None:
            if fence in PLAIN and re.match(r"^\s*(\$ )?coterie ", line):
                found.append(_words(line.strip().removeprefix("$ ")))
        elif re.match(r"^    (\$ )?coterie ", line):
            found.append(_words(line.strip().removeprefix("$ ")))
        else:
            spans = re.findall(r"`coterie ([^`]+)`", line)
            found += [
                _words(f"coterie {span}")
                for span in spans
                if len(span.split()) > 1 or span.startswith("-")
            ]
    return found


def _words(line: str) -> list[str]:
    return shlex.split(re.split(r"\s{2,}|\s#", line)[0])[1:]


def shown() -> list[Line]:
    """Every command line of every page, once."""
    found: dict[tuple[str, ...], Line] = {}
    for page in [ROOT / "README.md", *pages()]:
        for words in command_lines(page.read_text(encoding="utf-8")):
            found.setdefault(tuple(words), Line(tuple(words), str(Path(page).relative_to(ROOT))))
    return list(found.values())
