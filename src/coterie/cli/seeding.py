"""A terminal session in which a person names telling features: members are clustered by them, and more features are proposed."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.lines import Ended, Say
from coterie.cli.say import shown
from coterie.cli.seeding_lines import Seeding
from coterie.workflows.request import Reading

if TYPE_CHECKING:
    from coterie.core.collection import Collection
    from coterie.organize.comraf.interactive import Session


def converse(
    source: str | Path | Collection,
    store: str | None,
    session_file: str | Path | None,
    lines: Iterable[str],
    say: Say = click.echo,
    *,
    jobs: int | None = None,
    progress: str = "silent",
    memory: str | None = None,
    reading: Reading | None = None,
) -> Session:
    """The session: one line after the other until quit or the end; a line that cannot be done is one sentence.

    A session that was begun on the same data goes on where it stood. It is kept in `session_file`, or beside the runs. `reading`
    says how a path is read (kind, text, id: see `coterie.collect.read`). Ctrl-C at the prompt says where the session is kept.
    """
    from coterie.core.errors import CoterieError, Interrupted

    session, begun, texts = opened(source, store, session_file, reading)
    desk = Seeding(session, say, texts, jobs=jobs, progress=progress, memory=memory)
    say(
        f"{len(session.desk.ids):,} members. {'The session goes on where it stood.' if begun else 'A new session.'}"
    )
    say("Say help to see what can be done.")
    desk.show([])
    kept = f"The session is kept in {shown(Path(str(session.path)))}; go on with: {_again(source, store, session_file, reading)}"
    try:
        for line in lines:
            try:
                desk.do(line)
            except Interrupted:
                say("  Stopped; the session is as it was before this step.")
            except CoterieError as error:
                say(f"  {error}")
    except Ended:
        pass
    except KeyboardInterrupt:  # at the prompt
        say("")
        say(kept)
        raise
    say(kept)
    return session


def opened(
    source: Any,
    store: str | None,
    session_file: str | Path | None,
    reading: Reading | None = None,
) -> tuple[Session, bool, dict[str, str]]:
    """The session on this data, from its file where there is one, whether it was begun before, and the texts of the members."""
    from coterie.collect.reading import read
    from coterie.core.collection import Collection
    from coterie.core.errors import DataError
    from coterie.run.sessions import session_at

    collection = (
        source
        if isinstance(source, Collection)
        else read(source, **(reading or Reading()).options())
    )
    place = Path(session_file).expanduser() if session_file is not None else place_of(source, store)
    there = place.exists()
    try:
        return session_at(place, collection)
    except (
        DataError
    ) as error:  # a file the person named may be anything: it is not ours to say that it should go
        if not there:
            raise
        way = (
            f"--session FILE, or remove {shown(place)}"
            if session_file is None
            else "another --session FILE"
        )
        raise DataError(f"{str(error).rstrip('.')}; begin another with {way}.") from None


def place_of(source: str | Path | Collection, store: str | None) -> Path:
    """The file of the session on a source where none is named: one for every path, however it is written."""
    import hashlib

    from coterie.run.store import slug_of
    from coterie.run.stored import default_folder

    folder = Path(store).expanduser() if store else default_folder()
    if not isinstance(source, (str, Path)):
        return folder / f"{slug_of(source.name)}.session.json"
    if not Path(source).expanduser().exists():  # a sample
        return folder / f"{slug_of(str(source))}.session.json"
    path = Path(source).expanduser().resolve()
    mark = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return folder / f"{slug_of(str(path))}-{mark}.session.json"


def _again(
    source: Any,
    store: str | None,
    session_file: str | Path | None,
    reading: Reading | None,
) -> str:
    words = ["coterie", "steer", str(source) if isinstance(source, (str, Path)) else "PATH"]
    for option, given in (reading or Reading()).options().items():
        for one in given if isinstance(given, (list, tuple)) else [given]:
            words += [] if one is None else [f"--{option}", str(one)]
    words += ["--session", str(session_file)] if session_file is not None else []
    words += ["--store", str(store)] if store is not None else []
    return shlex.join(words)
