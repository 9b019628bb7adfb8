"""coterie explore PATH: the main job."""

from __future__ import annotations

import shlex
from typing import Any

import click

from coterie.cli.options import options_of, reading, stored, tying, working
from coterie.walks.choices import Choices


@click.command("explore")
@click.argument("path")
@options_of(Choices)
@reading
@tying
@stored
@working
@click.option("--name", default=None, help="Name of the run.  [default: made from the path]")
def command(
    path: str, kind: str | None, text: str | None, id_column: str | None, time: str | None, truth: tuple[str, ...],
    links: dict[str, str], words: bool, both_ways: bool,
    store: str | None, jobs: int | None, progress: str, memory: str | None, name: str | None, **choices: Any,
) -> None:  # fmt: skip
    """Read PATH, group its members, store the run and write the report.

    PATH is a folder of text files or .eml, an mbox or Maildir, a .csv, .tsv, .jsonl or .parquet table, a .npz, .npy or
    .ts file of sequences, a folder of recordings, one recording (with --segment), a folder of pictures (with a table of
    captions or without), a .conll file of tagged text, `installed` (the documentation on this machine) or `sample:NAME` (a
    generated collection).
    """
    from coterie.cli.say import tell_exploration, working_as
    from coterie.run.engine import explore

    given: dict[str, Any] = {"kind": kind, "text": text, "id": id_column, "time": time, "truth": list(truth)}
    tied = {"links": links, "words": words, "both_ways": both_ways}
    given |= {key: value for key, value in tied.items() if value}
    with working_as(jobs, progress, memory):
        found = explore(path, store=store or True, name=name, command=_again(path, given, choices), **given, **choices)
    tell_exploration(found)


def _again(path: str, given: dict[str, Any], choices: dict[str, Any]) -> str:
    """The command that makes this run again."""
    words = ["coterie", "explore", path]
    for key, value in {**given, **choices}.items():
        default = getattr(Choices(), key, None)
        if value in (None, [], default) and key != "seed":
            continue
        if key == "links":
            words += [part for name, file in value.items() for part in ("--link", f"{name}={file}")]
            continue
        for item in value if isinstance(value, list) else [value]:
            words += [f"--{key.replace('_', '-')}", *([] if item is True else [str(item)])]
    return shlex.join(words)
