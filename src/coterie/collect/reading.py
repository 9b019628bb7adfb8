"""Reading: one door for paths and objects in memory; it guesses what is there, says why, and calls the right reader."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from coterie.collect.columns import Named, rate_of, roles_of
from coterie.collect.kinds import KINDS
from coterie.collect.vectors import split_vector, with_vectors
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError, ParameterError
from coterie.core.text import Text
from coterie.core.vectors import GIVEN
from coterie.messages.notes import Note

MAIL_SUFFIXES = (".mbox", ".mbx", ".eml")


@dataclass(frozen=True, slots=True)
class Guess:
    """What a path seems to hold, and the sentence that says why."""

    kind: str
    why: str


def guess(path: str | os.PathLike[str]) -> Guess:
    """What a path holds, from its suffix and content.

    >>> guess("sample:blobs").kind
    'sample'
    """
    source = os.fspath(path)
    if source == "installed" and not Path(source).exists():
        return Guess("installed", "The word 'installed': the packages of this computer.")
    if source.startswith("sample:"):
        return Guess("sample", "A generated collection with a known answer.")
    found = existing(source)
    return guess_folder(found) if found.is_dir() else guess_file(found, Named())[0]


def existing(source: str) -> Path:
    """The path, or a sentence when there is nothing there."""
    path = Path(source).expanduser()
    try:
        there = path.exists()
    except (OSError, ValueError):  # a name too long or with a NUL: text given where a path belongs
        there = False
    if not there:
        shown = source if len(source) <= 200 else source[:200] + "..."
        raise DataError(f"There is no file or folder '{shown}'.")
    return path


def guess_folder(path: Path) -> Guess:
    """What a folder holds."""
    from coterie.collect.joined import aligned_folders, data_in, tables_in
    from coterie.collect.mail import looks_like_mail
    from coterie.collect.text import SUFFIXES, files_of

    name = path.resolve().name or str(path)
    if looks_like_mail(path):
        return Guess("mail", f"The folder '{name}' holds messages: read as mail.")
    files = list(files_of(path))
    if not files:
        raise DataError(f"The folder '{name}' is empty.")
    from coterie.collect.audio import audio_files, is_audio_folder

    if is_audio_folder(path):
        return Guess(
            "audio",
            f"The folder '{name}' holds {len(audio_files(path))} sound files: read as sound.",
        )
    from coterie.collect.images import is_picture_folder, picture_files

    if is_picture_folder(path):
        return Guess(
            "pictures",
            f"The folder '{name}' holds {len(picture_files(path))} pictures: read as pictures.",
        )
    aligned = aligned_folders(path)
    if aligned:
        seen = ", ".join(p.name for p in aligned[:6])
        return Guess(
            "views",
            f"The sub-folders of '{name}' ({seen}) hold files of the same names: read as aligned views.",
        )
    data = data_in(path)
    documents = [
        p
        for p in files
        if p.suffix.lower() in SUFFIXES and p.stem.upper() not in ("README", "LICENSE")
    ]
    if len(data) == 1 and not documents:
        return Guess("file", f"The folder '{name}' holds one file of data, '{data[0].name}'.")
    if len(data) > 1 and not documents:
        if data != tables_in(path):
            raise DataError(
                f"The folder '{name}' holds {len(data)} files of data; name one of them, as '{data[0].name}'."
            )
        return Guess("views", f"The folder '{name}' holds {len(data)} tables: joined by their ids.")
    if any(p.suffix.lower() in SUFFIXES for p in files):
        return Guess(
            "text", f"The folder '{name}' holds text files: read as text, one document per file."
        )
    suffixes = sorted({p.suffix.lower() for p in files})[:6]
    raise DataError(
        f"The folder '{name}' holds only files that are not read ({', '.join(suffixes)}); {what_is_read()}"
    )


def guess_file(path: Path, named: Named) -> tuple[Guess, Any]:
    """The guess, and what was loaded on the way: a table or nothing."""
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
    from coterie.collect.tagged import MAYBE_SUFFIXES, looks_tagged
    from coterie.collect.waves import AUDIO_SUFFIXES

    suffix = suffix_of(path)
    if suffix in MAYBE_SUFFIXES and looks_tagged(path):
        return Guess(
            "tagged",
            f"'{path.name}' has one token per line with marks of spans: read as tagged text.",
        ), None
    if suffix in TABLE_SUFFIXES:
        loaded = load(path)
        return _guess_table(loaded, named, suffix)
    if suffix in AUDIO_SUFFIXES:
        return Guess("audio", f"'{path.name}' is one recording: read as sound."), None
    if suffix == ".npz":
        from coterie.collect.sequences import npz_kind, open_npz

        kind, why = npz_kind(open_npz(path), path.name)
        return Guess(kind, f"'{path.name}' is {why}."), None
    if suffix == ".npy":
        from coterie.collect.sequences import npy_dimensions

        if npy_dimensions(path) == 3:
            return Guess(
                "sequences",
                "An .npy of three dimensions (members, steps, values): read as sequences.",
            ), None
        return Guess("table", "An .npy of rows and columns: read as a table."), None
    if suffix == ".ts":
        return Guess(
            "sequences", "A .ts file: read as sequences with their classes as truth."
        ), None
    from coterie.collect.mail import looks_like_mail

    if suffix in MAIL_SUFFIXES or looks_like_mail(path):
        return Guess("mail", f"'{path.name}' holds messages: read as mail."), None
    from coterie.collect.images import PICTURE_SUFFIXES

    if suffix in PICTURE_SUFFIXES:
        raise DataError(
            f"'{path.name}' is one picture; name the folder it lies in, whose pictures are the members."
        )
    if suffix == ".txt":
        return Guess(
            "text", f"'{path.name}' is one text file: read as text, one document per line."
        ), None
    raise DataError(f"'{path.name}' is of a type that is not read; {what_is_read()}")


def _guess_table(loaded: Any, named: Named, suffix: str) -> tuple[Guess, Any]:
    """The guess, and the table with a hint added to its notes where it may be a long one."""
    from coterie.collect.columns import columns_of, compared_columns, is_interval_table, spread
    from coterie.collect.long_tables import long_kind

    if is_interval_table(loaded.table):
        return Guess(
            "audio",
            f"A {suffix} of intervals in sound files (file, start, end): read as sound, one member per row.",
        ), loaded
    whole = columns_of(loaded.table, named, loaded.where) if loaded.table.num_rows else []
    is_running = any(c.role == "text" for c in whole)
    # where there is running text, no member has several rows
    long = None if is_running or named.like else long_kind(loaded, named)
    if long is not None and long[0] != "table":
        return Guess(long[0], f"A {suffix} in which {long[1]}."), loaded
    if long is not None:
        loaded = replace(loaded, notes=(*loaded.notes, long[1]))
    table = spread(loaded.table)
    columns = compared_columns(table, named, loaded.where) if table.num_rows else []
    texts = [c for c in columns if c.role == "text"]
    if not texts:
        return Guess("table", f"A {suffix} of numbers and categories: read as a table."), loaded
    shown = ", ".join(f"'{c.name}'" for c in texts[:4])
    more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
    if named.text or is_running:
        why = f"A {suffix} with running text in {shown}{more}: read as text."
        return Guess("text", why), loaded
    if any(c.role in ("number", "category") for c in columns):
        why = f"A {suffix} with words in {shown}: read as text (kind table compares the other columns)."
        return Guess("text", why), loaded
    why = f"No column holds running text, so {shown} is read as text; name another as text."
    return Guess("text", why), loaded


def what_is_read() -> str:
    """The kinds of files there is a reader for."""
    return (
        "what is read: folders of text files, mail (.mbox, Maildir, .eml), tables (.csv, .tsv, .jsonl, .json, .parquet, .arrow), "
        "sequences (.npz, .npy, .ts), sound (.wav, and .flac, .ogg, .mp3 with coterie[audio]), folders of pictures "
        "(.jpg, .png, with coterie[pictures]), tagged text (.conll, .bio) and .txt with one document per line."
    )


_GIANT = 0.5  # share of all characters in one member that is worth a note
_DIGEST = 16  # bytes that stand for a text
_SOME = 10  # members from which a giant one is a surprise


def repeated(documents: Sequence[str]) -> list[tuple[int, int]]:
    """Each document that repeats an earlier one, with the first of its kind; white space at the ends and empty ones aside.

    >>> repeated(["one", "two", " one ", "", ""])
    [(2, 0)]
    """
    first: dict[bytes, int] = {}
    found = []
    for place, document in enumerate(documents):
        text = document.strip()
        if not text:
            continue
        key = text.encode("utf-8", "surrogatepass")
        key = (
            key if len(key) <= _DIGEST else blake2b(key, digest_size=_DIGEST).digest()
        )  # the texts may be too many to be held
        if first.setdefault(key, place) != place:
            found.append((place, first[key]))
    return found


def with_text_notes(collection: Collection) -> Collection:
    """The collection with notes on repeated and on giant texts of its main view; as it is where there are none."""
    if collection.kind != "text":
        return collection
    view = collection.view()
    notes = text_notes(view, collection.ids) if isinstance(view, Text) else ()
    return replace(collection, notes=(*collection.notes, *notes)) if notes else collection


def text_notes(text: Text, ids: Sequence[str]) -> tuple[str, ...]:
    """Sentences on the members that repeat another, and on one that is longer than all others together."""
    notes: list[str] = []
    twice = repeated(text.documents)
    if twice:
        shown = ", ".join(f"{ids[place]} = {ids[first]}" for place, first in twice[:3]) + (
            ", ..." if len(twice) > 3 else ""
        )
        many = "members repeat" if len(twice) > 1 else "member repeats"
        notes.append(
            Note(
                f"{len(twice)} {many} the text of an earlier one, which can inflate what is "
                f"measured on them: {shown}",
                "repeated",
            )
        )
    sizes = [len(document) for document in text.documents]
    if len(sizes) >= _SOME and max(sizes) > _GIANT * sum(sizes):
        giant = max(range(len(sizes)), key=sizes.__getitem__)
        notes.append(f"The member {ids[giant]} holds {sizes[giant] / sum(sizes):.0%} of all text.")
    return tuple(notes)


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
    vectors: Any = None,
    vector: str | None = None,
    names: Any = None,
    like: Mapping[str, View] | None = None,
    use: Sequence[str] | str = (),
) -> Collection:
    """A path, "installed", "sample:NAME", or data in memory, as a Collection; `kind` overrides the guess.

    `text`, `id` and `time` name columns (an empty id numbers the rows); columns named in `truth` are kept apart
    from every view. Columns that look like answers (`label`, `species`) or names are left out too, unless `use` names them. With `like` (a view of members read before) columns are found by name and keep their roles.
    `views` names the views that are read, and no others: sub-folders, tables, text files line by line or columns ("en de", or
    "all"); `view` names one sub-folder or table of several, whose members are all read, also those that others lack.
    `links` ties the members to more populations ({"citations": "cites.csv"}; with `both_ways` also where members cite members),
    and `words` counts the words of their texts (True, or the names of some): see `coterie.collect.with_populations`.
    `vectors` are a vector for each member (a path, an array, a mapping by id, a function of texts: see
    `coterie.collect.vectors`), `vector` names a column of lists that holds them; with `names` the source itself is vectors,
    and `names` the table, folder or list of texts that says whose they are.

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
        () if like else (use,) if isinstance(use, str) else tuple(use),
    )
    sort = "text" if kind == "slashed" else kind
    source, vectors = _sides(source, vectors, vector, names)
    views = _of_source(views) if vectors is not None and views else views
    if vector is not None:
        found = _with_truth(_read_with_vector(source, vector, sort, named), named)
    elif views:
        found = _with_truth(_views(source, views, sort, named, some=like is not None), named)
    elif view is not None and (alone := _one(source, view, named)) is not None:
        found = _with_truth(alone, named)
    elif isinstance(source, (str, os.PathLike)):
        found = _with_truth(_read_named(os.fspath(source), sort, named), named)
    else:
        from coterie.collect.memory import from_memory

        found = _with_truth(from_memory(source, sort, named), named)
    if vectors is not None:
        found = with_vectors(found, vectors, id)
    return _with_more(_with_notes(found), kind, links, words, both_ways, new=like is not None)


def _of_source(views: Sequence[str] | str) -> list[str] | None:
    """The views that the source itself holds, where vectors beside it are named among them; one alone need not be named."""
    from coterie.collect.named_views import names_of

    own = [name for name in names_of(views) if name != GIVEN]
    return own if len(own) > 1 or own == list(names_of(views)) else None


def _sides(source: Any, vectors: Any, vector: str | None, names: Any) -> tuple[Any, Any]:
    """The members, and the vectors beside them: with `names` the source is the vectors; said twice, it is refused."""
    if names is None:
        if vectors is not None and vector is not None:
            raise ParameterError(
                "vectors gives vectors beside the members, and vector names a column that holds them; say one of the two.",
                parameter="vector",
            )
        return source, vectors
    if vectors is not None or vector is not None:
        raise ParameterError(
            "names says whose vectors the source holds; it does not go with vectors or vector.",
            parameter="names",
        )
    return names, source


def _read_with_vector(source: Any, column: str, kind: str | None, named: Named) -> Collection:
    """A table whose column of lists is a vector for each of its rows."""
    from coterie.collect.long_tables import from_long
    from coterie.collect.tables import collection_from

    loaded = split_vector(source, column)
    found = Guess(kind or "table", "")
    if kind is None:
        found, loaded = _guess_table(loaded, named, "table")
    if found.kind in ("long", "sequences", "sets"):
        read = from_long(loaded, named, ordered=found.kind != "sets")
    else:
        read = collection_from(loaded, named, found.kind)
    if len(read) != len(loaded.vectors):
        raise DataError(
            f"'{loaded.where}' has {len(loaded.vectors):,} rows with vectors and {len(read):,} members, some of several rows; "
            "name a column that is the id of one row each, or give id='' to number the rows.",
            parameter="vector",
        )
    return _said(with_vectors(read, loaded.vectors), found.why)


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
                source,
                kind=kind,
                id=named.id,
                text=named.text,
                time=named.time,
                truth=named.truth,
                use=named.use,
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
    if kind == "slashed" or (kind is None and _is_slashed(found)):
        from coterie.collect.tagged import take_tags_apart

        found = take_tags_apart(found, asked=kind == "slashed")
    if links or words:
        from coterie.collect.populations import with_populations, with_populations_alike

        return (
            with_populations_alike(found, links, words, both_ways)
            if new
            else with_populations(found, links, words, both_ways)
        )
    return found


_FORM = re.compile(r"\S*\S/[^\s/]{1,16}")
_LOOKED_AT = 40  # documents, and at most
_TOKENS = 200  # tokens of each
_FEWEST = 3


def looks_slashed(documents: Sequence[str]) -> bool:
    """Whether every token of some documents, spread over all, is a word, a slash and a tag; tags must come again.

    >>> looks_slashed(["The/at dog/nn saw/vbd the/at cat/nn ./."]), looks_slashed(["and/or is a word"])
    (True, False)
    """
    step = max(1, len(documents) // _LOOKED_AT)
    seen = [
        token
        for document in documents[::step]
        for token in document[: 32 * _TOKENS].split()[:-1][:_TOKENS]
    ]
    if len(seen) < _FEWEST or not all(_FORM.fullmatch(token) for token in seen):
        return False
    return len({token.rpartition("/")[2] for token in seen}) < max(len(seen), 2)


def _is_slashed(found: Collection) -> bool:
    """Whether the main view is a text in which words and tags are written together."""
    view = found.view() if found.views else None
    return isinstance(view, Text) and looks_slashed(view.documents)


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
    from coterie.collect.files import notes_on_strays
    from coterie.collect.joined import data_in, read_views
    from coterie.collect.mail import read_mail
    from coterie.collect.text import read_folder

    found = guess_folder(path) if kind is None else Guess(kind, "")
    if found.kind == "mail":
        return _said(read_mail(path), found.why)
    if found.kind == "views":
        return _said(read_views(path, named=named), found.why)
    if found.kind == "file":
        [data] = data_in(path)
        held = _read_file(data, None, named)
        skipped = notes_on_strays(path, data.name, "members")
        return _said(replace(held, notes=(*held.notes, *skipped)), found.why)
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
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of, too_large

    suffix = suffix_of(path)
    if suffix in (*TABLE_SUFFIXES, ".txt") and too_large(path):
        from coterie.collect.streamed import read_streamed, refuse_whole

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
    if loaded is not None and found.kind in ("long", "sequences", "sets"):
        from coterie.collect.long_tables import from_long

        return _said(from_long(loaded, named, ordered=found.kind != "sets"), found.why)
    if loaded is not None:
        from coterie.collect.tables import collection_from

        return _said(collection_from(loaded, named, found.kind), found.why)
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
    return with_text_notes(found)


def _said(collection: Collection, why: str) -> Collection:
    return replace(collection, notes=(why, *collection.notes)) if why else collection
