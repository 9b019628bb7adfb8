"""What the commands say on the terminal, and the workplace they run in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from coterie.core.watch import Watch
    from coterie.run.engine import Exploration


@contextlib.contextmanager
def working_as(jobs: int | None, progress: str, memory: str | None) -> Iterator[Watch]:
    """Work with these circumstances; the first Ctrl-C asks for a polite stop."""
    from coterie.run.progress import interruptible
    from coterie.run.using import using

    with using(n_jobs=jobs, memory=memory, watch=progress) as here, interruptible(here.watch):
        yield here.watch


def tell_exploration(found: Exploration, watch: Any = None) -> None:
    """The result in a few lines: the summary, the groups, and where the report is."""
    findings = found.findings
    click.echo()
    for sentence in findings.summary:
        click.echo(click.style(sentence, bold=sentence == findings.summary[0]))
    click.echo()
    width = max((len(str(group.size)) for group in findings.groups), default=1)
    for group in findings.groups:
        click.echo(f"  {group.size:>{width}}  {group.name}")
    alone = int((findings.labels < 0).sum())
    if alone:
        click.echo(f"  {alone:>{width}}  in no group")
    for note in findings.notes:
        click.echo(click.style(f"  note: {note}", dim=True))
    if found.run is not None:
        click.echo()
        click.echo(f"Report: {shown(found.run.path / 'report.html')}")
        click.echo(f"Run:    {found.run.name}   (coterie report | neighbors | judge | add {found.run.name})")


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    full = path.resolve()
    try:
        return str(full.relative_to(Path.cwd()))
    except ValueError:
        return str(full)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Aligned columns of plain text."""
    widths = [max(len(str(line[c])) for line in [header, *rows]) for c in range(len(header))]
    lines = [
        "  ".join(str(cell).ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in [header, *rows]
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def number(value: float) -> str:
    """Counts as whole numbers, measures with four places."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:.4f}"
