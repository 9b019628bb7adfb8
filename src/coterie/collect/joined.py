"""Joined: several folders, tables or matrices aligned by id into one Collection with several views."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import Named, columns_of
from coterie.collect.files import TABLE_SUFFIXES, Loaded, load, load_quietly, stem_of, suffix_of
from coterie.collect.links import with_links
from coterie.collect.sequences import described, open_npz
from coterie.collect.tables import collection_from, from_matrix
from coterie.collect.united import notes_of, united, who_lacks
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError
from coterie.core.table import Table

_LANGUAGE = re.compile(r"^[a-z]{2}([_-][A-Za-z]{2,4})?$")


def join(parts: Mapping[str, Collection], *, name: str = "joined") -> Collection:
    """One Collection of the members that are in every part; views are named by part, the members left out are counted."""
    if not parts:
        raise DataError("There is nothing to join.")
    first = next(iter(parts.values()))
    common = set(first.ids).intersection(*(set(part.ids) for part in parts.values()))
    if not common:
        raise DataError(
            f"No id is in all of {', '.join(parts)}: '{first.ids[0]}' is in the first one only."
        )
    ids = [member for member in first.ids if member in common]
    views: dict[str, View] = {}
    truth: dict[str, Any] = {}
    cards: dict[str, Any] = {}
    links: dict[tuple[str, str], Any] = {}
    for label, part in parts.items():
        place = {member: i for i, member in enumerate(part.ids)}
        taken = part.take([place[member] for member in ids])
        for view, seen in taken.views.items():
            alone = view if len(parts) == 1 else f"{label}.{view}"
            views[label if len(part.views) == 1 and len(parts) > 1 else alone] = seen
        for told, known in ((taken.truth, truth), (taken.cards, cards)):
            for key, rows in told.items():
                if key not in known or not np.array_equal(known[key], rows):
                    known[key if key not in known else f"{label}.{key}"] = rows
        links.update(
            {
                (a, b if (a, b) not in links else f"{label}.{b}"): link
                for (a, b), link in taken.links.items()
            }
        )
    return Collection(
        ids, views, links, truth, name, (*who_lacks(parts, ids), *notes_of(parts)), cards
    )


def aligned_folders(path: Path) -> list[Path]:
    """Sub-folders whose files have mostly the same names, as `en/` and `de/`; empty when they are not aligned.

    Plain numbers as file names count only where the folders are called like languages: `pos/1.txt` and
    `neg/1.txt` are two documents, `en/1.txt` and `de/1.txt` are one.
    """
    inside = [p for p in sorted(path.iterdir()) if not p.name.startswith(".")]
    folders = [p for p in inside if p.is_dir()]
    if len(folders) < 2 or len(folders) < len(
        [p for p in inside if p.suffix.lower() != ".md" and p.name != "README"]
    ):
        return []
    names = [_files(folder) for folder in folders]
    shared = set.intersection(*names)
    if len(shared) < 2 or 2 * len(shared) < max(len(n) for n in names):
        return []
    languages = all(_LANGUAGE.match(folder.name) for folder in folders)
    if not languages and all(Path(name).stem.isdigit() for name in shared):
        return []
    return folders


def _files(folder: Path) -> set[str]:
    return {
        p.relative_to(folder).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and not p.name.startswith(".")
    }


def tables_in(path: Path) -> list[Path]:
    """The table files that lie directly in a folder."""
    return [p for p in data_in(path) if suffix_of(p) in TABLE_SUFFIXES]


def data_in(path: Path) -> list[Path]:
    """The files of data (tables, arrays, .ts) that lie directly in a folder; a JSON beside them that is no table is none."""
    read = (*TABLE_SUFFIXES, ".npz", ".npy", ".ts")
    found = [
        p
        for p in sorted(path.iterdir())
        if p.is_file() and not p.name.startswith(".") and suffix_of(p) in read
    ]
    if len(found) < 2:
        return found
    return [p for p in found if suffix_of(p) != ".json" or load_quietly(p) is not None] or found


def read_views(path: Path, *, named: Named | None = None) -> Collection:
    """Aligned views: sub-folders with the same file names, several tables with the same ids, or an .npz of matrices."""
    named = named or Named()
    if path.is_file():
        if suffix_of(path) != ".npz":
            raise DataError(
                f"Views are read from a folder or an .npz, and '{path.name}' is neither."
            )
        return read_matrices(path, named=named)
    folders = [p for p in sorted(path.iterdir()) if p.is_dir() and not p.name.startswith(".")]
    tables = tables_in(path)
    if len(folders) >= 2 and not tables:
        return _folders(path, folders)
    if len(tables) >= 2:
        return tables_joined(path, tables, named)
    raise DataError(
        f"The folder '{path.name}' has neither two sub-folders nor two tables to be joined into views."
    )


def _folders(path: Path, folders: list[Path]) -> Collection:
    from coterie.collect.text import read_folder

    return join(
        {folder.name: read_folder(folder, name=folder.name) for folder in folders},
        name=path.resolve().name,
    )


def tables_joined(path: Path, tables: list[Path], named: Named, some: bool = False) -> Collection:
    """Tables of a folder as one collection, by id: of the members all tables have, or with `some` of those that any has."""
    parts, loose = tables_apart(path, tables, named)
    joined = (
        united(parts, name=path.resolve().name) if some else join(parts, name=path.resolve().name)
    )
    for stem, one in loose.items():
        joined = with_links(joined, stem, one)
    return joined


def tables_apart(
    path: Path, tables: list[Path], named: Named
) -> tuple[dict[str, Collection], dict[str, Loaded]]:
    """Each table with ids as a part, those without as link tables; a named column must be in one of the tables."""
    parts: dict[str, Collection] = {}
    loose: dict[str, Loaded] = {}
    loaded = {stem_of(p): load(p) for p in tables}
    if len(loaded) < len(tables):
        raise DataError(
            f"Two tables of '{path.name}' have the same name without their suffix; every view needs its own."
        )
    everywhere = [column for one in loaded.values() for column in one.table.column_names]
    named.check(list(dict.fromkeys(everywhere)), path.name)
    for stem, one in loaded.items():
        here = _named_in(stem, one.table.column_names, named)
        if any(c.role == "id" for c in columns_of(one.table, here, one.where)):
            parts[stem] = collection_from(one, here)
        elif one.table.num_columns <= 3:
            loose[stem] = one
        else:
            raise DataError(
                f"The table '{one.where}' has no column of ids, each there once, to be joined by; name it as id."
            )
    if not parts:
        raise DataError(
            f"None of the tables of '{path.name}' has a column of ids to be joined by; name it as id."
        )
    return parts, loose


def _named_in(stem: str, has: Sequence[str], named: Named) -> Named:
    """What was named, as far as this table has it; members that come later are read by the columns of those before them."""
    told = named.text if named.text in has else None
    own = named.id if named.id in has else None
    alike = (
        ()
        if (stem, "text") in named.like
        else tuple((column, role) for column, role in named.like if column in has)
    )
    return Named(
        told,
        own,
        None,
        tuple(t for t in named.truth if t in has),
        alike,
        use=tuple(u for u in named.use if u in has),
    )


def read_matrices(path: Path, *, named: Named | None = None) -> Collection:
    """An .npz of matrices with the same rows, dense or as CSR parts (`a_indptr`, `a_indices`, `a_shape`, maybe `a_data`)."""
    arrays = open_npz(path)
    named = named or Named()
    found: dict[str, Any] = {}
    for key in [k for k in arrays if k.endswith("indptr")]:
        prefix = key[: -len("indptr")]
        found[prefix.rstrip("_-.") or path.stem] = _sparse(arrays, prefix, path.name)
    found.update({k: a for k, a in arrays.items() if a.ndim == 2 and a.dtype.kind in "biuf"})
    rows = {
        len(matrix) if isinstance(matrix, np.ndarray) else matrix.shape[0]
        for matrix in found.values()
    }
    if len(rows) != 1:
        seen = ", ".join(map(str, sorted(rows))) or "none"
        raise DataError(f"The matrices of '{path.name}' must have the same rows, and have {seen}.")
    n = rows.pop()
    ids, truth, cards = described(arrays, n, named, path.stem)
    joined = join(
        {key: from_matrix(Table.of(matrix), ids, name=key) for key, matrix in found.items()},
        name=path.stem,
    )
    return Collection(joined.ids, joined.views, {}, truth, path.stem, joined.notes, cards)


def _sparse(arrays: dict[str, np.ndarray], prefix: str, name: str) -> Any:
    import scipy.sparse as sp

    try:
        indices, indptr, shape = (
            arrays.pop(prefix + part) for part in ("indices", "indptr", "shape")
        )
        data = arrays.pop(prefix + "data", None)
        layout = arrays.pop(prefix + "format", np.array(b"csr"))
        maker = sp.csc_array if layout.item() in (b"csc", "csc") else sp.csr_array
        weights = np.ones(len(indices)) if data is None else data
        matrix = maker((weights, indices.astype(np.int64), indptr), shape=tuple(shape.tolist()))
        matrix.check_format()
        return sp.csr_array(matrix)
    except KeyError as error:
        raise DataError(
            f"The sparse matrix '{prefix.rstrip('_')}' of '{name}' lacks its part {error}."
        ) from None
    except (ValueError, IndexError) as error:
        raise DataError(
            f"The sparse matrix '{prefix.rstrip('_')}' of '{name}' is damaged: {str(error).rstrip('.')}."
        ) from None
