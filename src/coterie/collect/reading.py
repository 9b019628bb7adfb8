"""Reading: one door for paths and objects in memory; it guesses what is there, says why, and calls the right reader."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coterie.collect.columns import Named, rate_of, roles_of
from coterie.collect.guessing import Guess, existing, guess_file, guess_folder, what_is_read
from coterie.collect.guessing import guess as guess
from coterie.collect.kinds import KINDS
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError, ParameterError

_WHOLE = ("mail", "audio", "pictures", "tagged")  # kinds whose readers open the file themselves


def read(
    source: Any,
    *,
    kind: str | None = None,
    text: str | None = None,
    id: str | None = None,
    time: str | None = None,
    truth: Sequence[str] | str = (),
    links: Mapping[str, Any] | None = None,
    words: bool | Sequence[str] = False,
    both_ways: bool = False,
    views: Sequence[str] | str | None = None,
    view: str | None = None,
    like: Mapping[str, View] | None = None,
) -> Collection:
    """A path, "installed", "sample:NAME", or data in memory, as a Collection; `kind` overrides the guess.

    `text`, `id` and `time` name columns (an empty id numbers the rows); columns named in `truth` are kept apart
    from every view. With `like` (a view of members read before) columns are found by name and keep their roles.
    `views` names the views that are read, and no others: sub-folders, tables, text files line by line or columns ("en de", or
    "all"); `view` names one sub-folder or table of several, whose members are all read, also those that others lack.
    `links` ties the members to more populations ({"citations": "cites.csv"}; with `both_ways` also where members cite members),
    and `words` counts the words of their texts (True, or the names of some): see `coterie.collect.with_populations`.

    >>> read([[1.0, 2.0], [3.0, 5.0]]).kind
    'table'
    """
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}, and was '{kind}'.")
    named = Named(
        text,
        id,
        time,
        (truth,) if isinstance(truth, str) else tuple(truth),
        roles_of(like or {}),
        rate_of(like or {}),
    )
    sort = "text" if kind == "slashed" else kind
    if views:
        found = _with_truth(_views(source, views, sort, named, some=like is not None), named)
    elif view is not None and (alone := _one(source, view, named)) is not None:
        found = _with_truth(alone, named)
    elif isinstance(source, (str, os.PathLike)):
        found = _with_truth(_read_named(os.fspath(source), sort, named), named)
    else:
        from coterie.collect.memory import from_memory

        found = _with_truth(from_memory(source, sort, named), named)
    return _with_more(_with_notes(found), kind, links, words, both_ways, new=like is not None)


def read_apart(
    source: Any, names: Sequence[str], named: Named | None = None, kind: str | None = None
) -> dict[str, Collection]:
    """Each named view by itself, with all its members, also those that other views lack; the first is the first named.

    Sub-folders, tables with ids, text files line by line, and columns of a table whose empty cells are members that a view
    lacks. Anything else is read by `coterie.read`, whose views have the same members.
    """
    from coterie.collect.files import suffix_of
    from coterie.collect.named_views import named_parts, with_named

    named = named or Named()
    parts = named_parts(source, names, named, some=False)
    if parts is not None:
        return _single(parts)
    if isinstance(source, Mapping) or (
        isinstance(source, (str, os.PathLike)) and suffix_of(Path(source)) == ".npz"
    ):
        whole = read(source, views=list(names))
    else:
        whole = with_named(
            read(
                source, kind=kind, id=named.id, text=named.text, time=named.time, truth=named.truth
            ),
            names,
        )
    return {
        name: replace(whole, views={name: view}, name=name) for name, view in whole.views.items()
    }


def _single(parts: Mapping[str, Collection]) -> dict[str, Collection]:
    """Parts of one view each; a table of words and numbers is two of them."""
    found = {}
    for label, part in parts.items():
        for name, view in part.views.items():
            called = label if len(part.views) == 1 else f"{label}.{name}"
            found[called] = replace(part, views={called: view}, name=called)
    return found


def _views(
    source: Any, views: Sequence[str] | str, kind: str | None, named: Named, *, some: bool
) -> Collection:
    """The views that were named, of whatever holds them; of members that come later, those of them that they have."""
    from coterie.collect.memory import from_memory
    from coterie.collect.named_views import names_of, read_named, with_named

    names = names_of(views)
    found = read_named(source, names, named, some=some)
    if found is None:
        path = isinstance(source, (str, os.PathLike))
        found = (
            _read_named(os.fspath(source), kind, named)
            if path
            else from_memory(source, kind, named)
        )
    return with_named(found, names, some=some)


def _one(source: Any, view: str, named: Named) -> Collection | None:
    """One of the views of a folder by itself; nothing where they are not parts of their own."""
    from coterie.collect.named_views import read_one

    return read_one(source, view, named)


def _with_more(
    found: Collection,
    kind: str | None,
    links: Mapping[str, Any] | None,
    words: bool | Sequence[str],
    both_ways: bool,
    new: bool,
) -> Collection:
    """Words and tags taken apart where they are written together, and the populations that were asked for."""
    if kind in (None, "slashed"):
        from coterie.collect.slashed import if_slashed

        found = if_slashed(found, asked=kind == "slashed")
    if links or words:
        from coterie.collect.populations import with_populations, with_populations_alike

        return (
            with_populations_alike(found, links, words, both_ways)
            if new
            else with_populations(found, links, words, both_ways)
        )
    return found


def read_answers(path: str | os.PathLike[str], column: str) -> dict[str, Any]:
    """A column of a file by the ids of its members; the file need hold nothing else."""
    from coterie.collect.columns import called_id, columns_of, truth_of
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
    from coterie.collect.tables import ids_of

    found = existing(os.fspath(path))
    if found.is_dir() or suffix_of(found) not in TABLE_SUFFIXES:
        collection = read(path, truth=column)
        return dict(zip(collection.ids, collection.truth[column].tolist(), strict=True))
    loaded = load(found)
    columns = columns_of(loaded.table, Named(truth=(column,)), loaded.where, texts=False)
    told = called_id(columns, loaded.table.num_rows)
    if (
        told is not None
    ):  # an id that repeats must be an error here: numbers of rows would tie answers to the wrong members
        columns = columns_of(
            loaded.table, Named(id=told.name, truth=(column,)), loaded.where, texts=False
        )
    answers = truth_of(next(c.values for c in columns if c.name == column)).tolist()
    return dict(zip(ids_of(columns, len(answers), loaded.where), answers, strict=True))


def only_answer(path: str | os.PathLike[str]) -> str:
    """The one column of a table beside its ids, whose answers need not be named; a sentence where there are several or none."""
    from coterie.collect.columns import called_id, columns_of
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of

    found = existing(os.fspath(path))
    if found.is_dir() or suffix_of(found) not in TABLE_SUFFIXES:
        raise DataError("Name the column that holds the answers.", parameter="truth")
    loaded = load(found)
    columns = columns_of(loaded.table, Named(), loaded.where, texts=False)
    told = called_id(columns, loaded.table.num_rows) or next(
        (c for c in columns if c.role == "id"), None
    )
    rest = [c.name for c in columns if told is None or c.name != told.name]
    if len(rest) == 1:
        return rest[0]
    has = f"has the columns {', '.join(rest[:20])}" if rest else "has no column beside its ids"
    raise DataError(
        f"'{loaded.where}' {has}; name the one that holds the answers.", parameter="truth"
    )


def _read_named(source: str, kind: str | None, named: Named) -> Collection:
    if source == "installed" and not Path(source).exists():
        from coterie.collect.installed import read_installed

        return read_installed()
    if source.startswith("sample:"):
        from coterie.collect.samples import sample

        return sample(source.removeprefix("sample:"))
    path = existing(source)
    if path.is_dir():
        return _read_folder(path, kind, named)
    return _read_file(path, kind, named)


def _read_folder(path: Path, kind: str | None, named: Named) -> Collection:
    from coterie.collect.joined import data_in, read_views
    from coterie.collect.mail import read_mail
    from coterie.collect.text import read_folder

    found = guess_folder(path) if kind is None else Guess(kind, "")
    if found.kind == "mail":
        return _said(read_mail(path), found.why)
    if found.kind == "views":
        return _said(read_views(path, named=named), found.why)
    if found.kind == "file":
        return _said(_read_file(data_in(path)[0], None, named), found.why)
    if found.kind == "text":
        return _said(read_folder(path), found.why)
    if found.kind == "audio":
        return _said(_read_sound(path, named), found.why)
    if found.kind == "pictures":
        from coterie.collect.images import read_images

        return _said(read_images(path, named=named), found.why)
    raise DataError(
        f"A folder is read as text, mail, audio, pictures or views, and not as '{kind}'; name a file inside '{path.name}'."
    )


def _read_file(path: Path, kind: str | None, named: Named) -> Collection:
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
    from coterie.collect.streamed import read_streamed, refuse_whole, too_large

    suffix = suffix_of(path)
    if suffix in (*TABLE_SUFFIXES, ".txt") and too_large(path):
        pieces = read_streamed(path, kind, named)
        if pieces is not None:
            return pieces
        refuse_whole(path)
    if kind is None:
        found, loaded = guess_file(path, named)
    else:
        found = Guess(kind, "")
        loaded = load(path) if suffix in TABLE_SUFFIXES and kind not in _WHOLE else None
    if found.kind == "audio":
        return _said(_read_sound(path, named), found.why)
    if found.kind == "tagged":
        from coterie.collect.tagged import read_tagged

        return _said(read_tagged(path, named), found.why)
    if loaded is not None:
        from coterie.collect.memory import from_loaded

        return _said(from_loaded(loaded, found.kind, named), found.why)
    return _said(_read_other(path, suffix, found.kind, named), found.why)


def _read_sound(path: Path, named: Named) -> Collection:
    from coterie.collect.audio import read_audio

    return read_audio(path, named=named, rate=named.rate or None)


def _read_other(path: Path, suffix: str, kind: str, named: Named) -> Collection:
    from coterie.collect import joined, sequences

    ordered = kind != "sets"
    if kind == "mail":
        from coterie.collect.mail import read_mail

        return read_mail(path)
    if suffix == ".npz" and kind in ("views", "table"):
        return joined.read_matrices(path, named=named)
    if suffix == ".npz" and kind in ("sequences", "sets", "long"):
        return sequences.read_npz(path, named=named, ordered=ordered)
    if suffix == ".npy" and kind in ("sequences", "sets", "long", "table"):
        return sequences.from_array(
            sequences.open_npy(path), name=path.stem, ordered=ordered, like=named.like
        )
    if suffix == ".ts" and kind in ("sequences", "sets", "long"):
        from coterie.collect.ts_files import read_ts

        return read_ts(path, ordered=ordered)
    if kind == "text":
        return _lines(path)
    raise DataError(f"'{path.name}' cannot be read as '{kind}'; {what_is_read()}")


def _lines(path: Path) -> Collection:
    from coterie.collect.files import stem_of, text_of
    from coterie.collect.text import texts

    text, notes = text_of(path)
    rows = [
        (str(number), line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    if not rows:
        raise DataError(f"'{path.name}' is empty.")
    found = texts([line for _, line in rows], [number for number, _ in rows], name=stem_of(path))
    return replace(found, notes=notes)


def _with_truth(collection: Collection, named: Named) -> Collection:
    """What was named as truth is truth: already so, or taken from the cards."""
    import numpy as np

    missing = [name for name in named.truth if name not in collection.truth]
    for name in missing:
        if name not in collection.cards:
            known = ", ".join((*collection.truth, *collection.cards)) or "nothing"
            raise DataError(
                f"'{collection.name}' has no truth '{name}'; known of its members is {known}."
            )
    moved = {name: np.array(collection.cards[name]) for name in missing}
    cards = {name: rows for name, rows in collection.cards.items() if name not in moved}
    return (
        replace(collection, truth={**collection.truth, **moved}, cards=cards)
        if moved
        else collection
    )


def _with_notes(found: Collection) -> Collection:
    """What is odd about the texts as a whole, said."""
    from coterie.collect.repeated import with_text_notes

    return with_text_notes(found)


def _said(collection: Collection, why: str) -> Collection:
    return replace(collection, notes=(why, *collection.notes)) if why else collection
