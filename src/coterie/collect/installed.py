"""Installed: the docstrings of the packages on this machine as a collection, read from source and never imported."""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.docstrings import Documented, at_most_documented, documented
from coterie.collect.text import files_of, printable
from coterie.collect.words import FUNCTION_WORDS, count_names, count_words
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import seed_of, stream
from coterie.core.text import Text
from coterie.core.workplace import watched, workplace

PACKAGES = (
    "numpy",
    "scipy",
    "sklearn",
    "joblib",
    "pandas",
    "pyarrow",
    "rich",
    "matplotlib",
    "networkx",
    "statsmodels",
)
LIBRARY = "python"  # the name of the standard library, as a package to ask for and as truth
LEAST_PER_MODULE = 40
MOST_PER_MODULE = 150

_MOST_FILES = 1000  # of one package
_MOST_BYTES = 1_000_000  # of one file; larger ones are generated tables
_LIBRARY_UNREAD = frozenset(
    {"test", "idlelib", "turtledemo", "lib2to3", "antigravity", "this", "ensurepip"}
)
_UNREAD = frozenset(
    {
        "tests",
        "test",
        "testing",
        "_testing",
        "_lib",
        "_vendor",
        "vendor",
        "externals",
        "_internal",
        "_utils",
        "conftest",
    }
)


@dataclass(frozen=True, slots=True)
class _Entry:
    key: str
    package: str
    module: str
    top: str
    item: Documented


def read_installed(
    packages: Sequence[str] | None = None, *, most: int = 3000, random_state: Any = 0
) -> Collection:
    """Docstrings of installed packages: one member per public function or class; truth is where it was found.

    `packages` names top-level packages ('python' is the standard library); without it, well-known ones that are here.
    """
    if most < 1:
        raise ParameterError(f"most must be at least 1, and was {most}.")
    if isinstance(packages, str):
        raise ParameterError(
            f"packages must be a list of names, and was the string '{packages}'; put it in a list."
        )
    if packages is None:
        asked = [name for name in (*PACKAGES, LIBRARY) if _roots(name)]
    else:
        asked = list(dict.fromkeys(packages))
        missing = [name for name in asked if not _roots(name)]
        if missing:
            raise DataError(
                f"The package '{missing[0]}' is not installed here, or has no Python source to read."
            )
    entries: dict[str, _Entry] = {}
    with watched(workplace().watch, "reading docstrings", len(asked)) as task:
        for package in asked:
            for entry in _read_package(package):
                entries.setdefault(entry.key, entry)
            task.advance()
    chosen = _balanced(list(entries.values()), most, random_state)
    if not chosen:
        raise DataError(
            f"None of the packages {', '.join(asked)} has a module with {LEAST_PER_MODULE} public functions or classes "
            "with docstrings of 200 characters; name larger packages."
        )
    return _collected(chosen)


def _collected(chosen: list[_Entry]) -> Collection:
    ids = [e.key for e in chosen]
    prose = tuple(e.item.prose(e.top) for e in chosen)
    links = {
        "words": count_words(prose, ids, 2, FUNCTION_WORDS),
        "parameters": count_names((Counter(e.item.parameters) for e in chosen), ids),
        "see also": count_names((Counter(e.item.see_also) for e in chosen), ids),
    }
    found = sorted({e.package for e in chosen})
    return Collection(
        ids=ids,
        views={"text": Text(prose)},
        links={("members", population): link for population, link in links.items() if link.cols},
        truth={
            "module": np.asarray([e.module for e in chosen]),
            "package": np.asarray([e.package for e in chosen]),
        },
        name="installed",
        notes=(f"Docstrings of {', '.join(f'{name} {_version(name)}' for name in found)}.",),
        cards={"name": [e.item.name for e in chosen], "summary": [e.item.summary for e in chosen]},
    )


def _balanced(entries: list[_Entry], most: int, random_state: Any) -> list[_Entry]:
    """Of the modules that are large enough, the same number from each where it has so many, and `most` in all."""
    modules: dict[str, list[_Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda e: e.key):
        modules[entry.module].append(entry)
    large = {
        name: modules[name] for name in sorted(modules) if len(modules[name]) >= LEAST_PER_MODULE
    }
    share = MOST_PER_MODULE
    while share > 1 and sum(min(share, len(part)) for part in large.values()) > most:
        share -= 1
    seed = seed_of(random_state)
    chosen: list[_Entry] = []
    for at, part in enumerate(large.values()):
        picked = stream(seed, at).permutation(len(part))[:share]
        chosen += [part[i] for i in sorted(picked.tolist())]
    return sorted(chosen, key=lambda e: e.key)[:most]


def _read_package(package: str) -> Iterator[_Entry]:
    modules: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
    for root, file in islice(_sources(package), _MOST_FILES):
        parts = [*file.relative_to(root.parent).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        try:
            if file.stat().st_size <= _MOST_BYTES:
                modules[_module(package, parts)].append((parts, file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError):
            continue
    for module, sources in modules.items():
        if sum(at_most_documented(source) for _, source in sources) < LEAST_PER_MODULE:
            continue
        for parts, source in sources:
            for item in documented(source):
                yield _Entry(
                    printable(".".join([*parts, item.name])), package, module, parts[0], item
                )


def _module(package: str, parts: Sequence[str]) -> str:
    """The package and its first sub-package without underscores: 'scipy.signal'; of the standard library, 'python.email'."""
    inside = parts if package == LIBRARY else parts[1:]
    return ".".join([package, *(part.lstrip("_") for part in inside[:1])])


def _sources(package: str) -> Iterator[tuple[Path, Path]]:
    """Every source file with its root, in a fixed order; tests and copies of other packages are passed over."""
    for root in _roots(package):
        if root.is_file():
            yield root, root
            continue
        for file in files_of(root):
            inner = {*file.relative_to(root).parts[:-1], file.stem}
            if file.suffix == ".py" and not inner & _UNREAD and not file.stem.startswith("test_"):
                yield root, file


def _roots(package: str) -> list[Path]:
    """Where the source of a package lies: its folder or its single file; of the standard library, one for each module."""
    if package == LIBRARY:
        base = Path(sysconfig.get_path("stdlib"))
        names = sorted(
            n for n in sys.stdlib_module_names if not n.startswith("_") and n not in _LIBRARY_UNREAD
        )
        return [
            p
            for n in names
            for p in (base / n, base / f"{n}.py")
            if p.is_file() or (p / "__init__.py").is_file()
        ]
    if not package.isidentifier():
        return []
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError, AttributeError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(place) for place in spec.submodule_search_locations if Path(place).is_dir()]
    return (
        [Path(spec.origin)]
        if spec.origin and spec.origin.endswith(".py") and Path(spec.origin).is_file()
        else []
    )


def _version(package: str) -> str:
    """The installed version, from the metadata of the distribution that brought the package."""
    if package == LIBRARY:
        return sys.version.split()[0]
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        names = metadata.packages_distributions().get(package, [])
        return metadata.version(names[0]) if names else "(version unknown)"
