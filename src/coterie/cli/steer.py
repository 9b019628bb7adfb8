"""coterie steer RUN or PATH: change the groups of a run by hand, or begin a session in which you name the telling words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from coterie.cli.options import complete_runs, reading, stored, working
from coterie.workflows.request import Reading


@click.command("steer")
@click.argument("run_or_path", required=False, shell_complete=complete_runs)
@click.option(
    "--do",
    "edits",
    multiple=True,
    metavar="LINE",
    help="Carry out this line of the session and end; may be repeated.",
)
@click.option(
    "--session",
    default=None,
    metavar="FILE",
    help="With a PATH: where the session is kept.  [default: beside the runs]",
)
@reading
@stored
@working
def command(
    run_or_path: str | None,
    edits: tuple[str, ...],
    session: str | None,
    reading: Reading,
    store: str | None,
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Change the groups of a stored run (the latest when left out), or cluster PATH by words that you name.

    A run is changed line by line: merge 1 3, split 2, move ID 4, lock 2, rename 1 Tea, together ID ID, apart ID ID, label ID
    NAME, question, undo, refit; help lists them. Edits are kept in steering.jsonl of the run, hold at once, and teach the next
    fit. With a PATH that is no run a session begins in which you choose the number of groups and give telling words of each.
    """
    if run_or_path is not None and _is_path(run_or_path, store):
        if edits:
            raise click.UsageError("--do is for stored runs, and this is a path.")
        from coterie.cli.seeding import converse

        converse(
            run_or_path,
            store,
            session,
            typed(),
            click.echo,
            jobs=jobs,
            progress=progress,
            memory=memory,
            reading=reading,
        )
        return
    if session is not None:
        raise click.UsageError(
            "--session is for a path, and this is a stored run; its edits are kept in it."
        )
    if any(reading.options().values()):
        raise click.UsageError(
            "--kind, --text, --id, --time and --truth say how a path is read, and this is a stored run."
        )
    from coterie.cli.editing import Editing, edit_run
    from coterie.cli.lines import Ended
    from coterie.run.steering import Steering

    steering = Steering(run_or_path, store or True)
    how = {"jobs": jobs, "progress": progress, "memory": memory}
    if not edits:
        edit_run(steering, typed(), click.echo, **how)
        return
    desk = Editing(steering, click.echo, **how)
    for line in edits:
        try:
            desk.do(line)
        except Ended:
            return


def _is_path(given: str, store: str | None) -> bool:
    """Whether this is data to be read: something that is there, or a sample, and no run of that name."""
    from coterie.run.store import Store

    if given in Store(store):
        return False
    return Path(given).expanduser().exists() or given.startswith("sample:") or given == "installed"


def typed() -> Iterator[str]:
    """Lines as a person types them, with a mark before each where there is a terminal."""
    at_terminal = sys.stdin.isatty()
    while True:
        if at_terminal:
            click.echo("> ", nl=False)
        line = sys.stdin.readline()
        if not line:
            if at_terminal:
                click.echo()
            return
        yield line.rstrip("\n")
