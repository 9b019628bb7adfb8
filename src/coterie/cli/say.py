"""What the commands say on the terminal, and the workplace they run in."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coterie.cli.options import circumstances
from coterie.core.errors import CoterieError, NotEnoughMemory, ParameterError
from coterie.messages.notes import Note

if TYPE_CHECKING:
    from coterie.core.findings import Findings
    from coterie.core.workplace import Watch
    from coterie.run.engine import Exploration

_MOST = 20  # groups listed
_WIDE = 44  # letters of the words or people of a group
_COUNTS = ("members", "unknown", "unassigned", "clusters", "classes")


@contextlib.contextmanager
def working_as(jobs: int | None, progress: str, memory: str | None) -> Iterator[Watch]:
    """Work with these circumstances; the first Ctrl-C asks for a polite stop, and it is over within seconds in any case."""
    from coterie.run.progress import in_time, interruptible
    from coterie.run.using import using

    where = circumstances()
    with (
        using(n_jobs=jobs, memory=memory, watch=progress, **where) as here,
        interruptible(here.watch),
        in_time(),
    ):
        yield here.watch


def tell_exploration(found: Exploration) -> None:
    """The result in a few lines: the summary, the groups, and where the report is."""
    from coterie.core.findings import is_flat, without_groups

    findings = found.findings
    click.echo()
    for at, sentence in enumerate(found.sentences()):
        click.echo(click.style(sentence, bold=at == 0))
    click.echo()
    findings = without_groups(findings)
    width = max((len(str(group.size)) for group in findings.groups), default=1)
    for group in findings.groups[:_MOST]:
        unstable = "  (unstable)" if group.is_unstable else ""
        click.echo(f"  {group.size:>{width}}  {group.name}{unstable}")
    more = len(findings.groups) - _MOST
    if more > 0:
        click.echo(f"  {'...':>{width}}  and {more} more group{'' if more == 1 else 's'}")
    alone = int((findings.labels < 0).sum())
    if alone and not is_flat(findings):
        click.echo(f"  {alone:>{width}}  in no group")
    for line in _levels(findings):
        click.echo(line)
    for line in _ties(findings):
        click.echo(line)
    for note in findings.notes:
        click.echo(click.style(f"  note: {note}{_option_for(note)}", dim=True))
    if found.run is not None:
        click.echo()
        click.echo(f"Report: {shown(found.run.path / 'report.html')}")
        told = (
            findings.populations
            or findings.settings.get("views")
            or any(group.why for group in findings.groups)
        )
        reasons = " explain |" if told else ""
        further = "" if any(strips.of_groups for strips in findings.strips) else " | add"
        click.echo(
            f"Run:    {found.run.name}   (coterie report | neighbors |{reasons} judge{further} {found.run.called})"
        )


def _option_for(note: str) -> str:
    """The options that change what a note is about."""
    if not isinstance(note, Note) or note.code != "like_truth":
        return ""
    return f" ({shlex.join(part for name in note.values['names'] for part in ('--use', name))})"


def _levels(findings: Findings) -> list[str]:
    """The groups that divide into finer ones, or that coarser ones unite, a line each."""
    from coterie.messages.exploration import list_levels

    rows = list_levels(findings)
    if not rows:
        return []
    lines = [f"  {cut(name, _WIDE)}: {'; '.join(below)}" for name, below in rows[:_MOST]]
    return ["", "Nested groups:", *lines]


def _ties(findings: Findings) -> list[str]:
    """Per group what belongs to it of every population it was made from, as a short table."""
    if not findings.populations:
        return _by_view(findings)
    rows = []
    for at, group in enumerate(findings.groups[:_MOST], 1):
        clusters = [one.hottest(group.label) for one in findings.populations]
        names = [
            "-" if one is None else cut(", ".join(name for name, _ in one.telling[:3]), _WIDE)
            for one in clusters
        ]
        rows.append([f"  {at}", *names])
    return ["", table(["group", *(cut(one.name, _WIDE) for one in findings.populations)], rows)]


def _by_view(findings: Findings) -> list[str]:
    """Per group its telling words in every view, where members were grouped by several."""
    views = [
        name
        for name in (findings.groups[0].telling if findings.groups else {})
        if name.startswith("words (")
    ]
    if len(views) < 2:
        return []
    rows = []
    for at, group in enumerate(findings.groups[:_MOST], 1):
        told = [", ".join(word for word, _ in group.telling.get(name, ())[:3]) for name in views]
        rows.append([f"  {at}", *(cut(words, _WIDE) or "-" for words in told)])
    return ["", table(["group", *(name[len("words (") : -1] for name in views)], rows)]


def tell_first(sentences: Sequence[str], notes: Sequence[str]) -> None:
    """What was found in sentences, the first in bold, then the notes and an empty line."""
    for at, sentence in enumerate(sentences):
        click.echo(click.style(sentence, bold=at == 0))
    for note in notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    click.echo()


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    full = path.resolve()
    try:
        return str(full.relative_to(Path.cwd()))
    except ValueError:
        return str(full)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Aligned columns of plain text; on a terminal the last column is cut where the line would be too long."""
    widths = [max(len(str(line[c])) for line in [header, *rows]) for c in range(len(header))]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns - sum(widths[:-1]) - 2 * (len(widths) - 1)
        widths[-1] = min(widths[-1], max(room, len(header[-1])))
        rows = [[*line[:-1], cut(str(line[-1]), widths[-1])] for line in rows]
    lines = [
        "  ".join(str(cell).ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [header, *rows]
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def cut(text: str, most: int) -> str:
    """The text, with an ellipsis where it is longer than that."""
    return text if len(text) <= most else text[: max(most - 1, 0)].rstrip() + "\u2026"


def measure(name: str, value: float) -> str:
    """A measure of a judgement: counts as whole numbers, yes or no in words, the rest with four places."""
    if name in _COUNTS:
        return f"{value:.0f}"
    return ("yes" if value else "no") if name == "well_balanced" else f"{value:.4f}"


_ASKED = (  # what commands ask for; parameters of methods have no options
    "",
    "Choices",
    "Search",
    "MateChoices",
    "using",
    "explore",
    "divergence",
    "two_sample_test",
)
_RENAMED = {"n_jobs": "jobs", "watch": "progress"}  # parameters whose options have other names


def say_error(error: CoterieError, options: Mapping[str, str]) -> str:
    """An error in the words of the command line, with the option that it is about.

    >>> from coterie.core.errors import DataError, ParameterError
    >>> say_error(ParameterError.of("Choices", "max_k", "must be at least 2, and was 0."), {"max_k": "--max-k"})
    '--max-k must be at least 2, and was 0.'
    >>> say_error(DataError("There is no column of truth; name it.", parameter="truth"), {"truth": "--truth"})
    'There is no column of truth; name it (--truth).'
    """
    option = options.get(_RENAMED.get(error.parameter, error.parameter))
    if option is None:
        return str(error)
    if isinstance(error, NotEnoughMemory):
        return f"{error.needs}, or allow more with {option} {error.enough}."
    if error.owner not in _ASKED:
        return str(error)
    if isinstance(error, ParameterError) and error.problem:
        return f"{option} {error.problem}"
    return f"{str(error).rstrip('.')} ({option})."
