"""The doctor on the installation: Python, the libraries coterie stands on, and the extras that are there or not."""

from __future__ import annotations

import importlib
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec

from coterie.run.doctor import Line

_LEAST = (3, 11)
_MODULES = {  # libraries whose module has another name
    "scikit-learn": "sklearn",
    "umap-learn": "umap",
    "python-crfsuite": "pycrfsuite",
    "pillow": "PIL",
}
_BASE = (
    "numpy",
    "scipy",
    "scikit-learn",
    "joblib",
    "threadpoolctl",
    "numba",
    "narwhals",
    "pyarrow",
    "click",
    "rich",
)
USES = {  # extra -> what needs it
    "maps": "maps by UMAP (Embedding)",
    "series": "Alignment and classical change points (explore --segment)",
    "audio": "recordings that are not plain WAV (explore on sound)",
    "crf": "conditional random fields (SIC with a chain of tags)",
    "pictures": "pictures (explore on a folder of them)",
    "neural": "Siamese, NNTR and other networks, and the GPU (--device cuda)",
    "embed": "vectors of words that vote on texts (explore on short ones)",
    "web": "the page in the browser (coterie serve)",
    "dask": "clusters (--cluster)",
}
_TOOLS = (
    "all",
    "bench",
    "docs",
    "test",
)  # extras that only name others, or are for those who work on coterie


def python() -> Iterator[Line]:
    """The interpreter."""
    version = platform.python_version()
    if sys.version_info[:2] < _LEAST:
        yield Line(
            "wrong",
            f"Python {version} is too old for coterie.",
            f"Install Python {_LEAST[0]}.{_LEAST[1]} or newer.",
        )
    else:
        from coterie import __version__

        yield Line(
            "ok",
            f"coterie {__version__} on Python {version}, {platform.system()} {platform.machine()}.",
        )
    if sys.maxsize < 2**32:
        yield Line(
            "wrong",
            "This Python is of 32 bits: arrays above 2 GB do not fit.",
            "Install a Python of 64 bits.",
        )


def libraries() -> Iterator[Line]:
    """What coterie cannot be without."""
    told = []
    wanted = _wanted().get("", {}) or dict.fromkeys(_BASE, "")
    for name, least in wanted.items():
        problem = _problem(name, least)
        if problem:
            yield Line(
                "wrong",
                problem,
                f"Install it with: pip install '{name}{'>=' + least if least else ''}'",
            )
        else:
            told.append(f"{name} {_version(name)}")
    if told:
        yield Line("ok", f"{len(told)} libraries are there: {', '.join(told)}.")


def extras() -> Iterator[Line]:
    """What brings more, where it is installed."""
    there = []
    for extra, wanted in _wanted().items():
        if extra in ("", *_TOOLS) or not wanted:
            continue
        absent = [name for name in wanted if find_spec(_module(name)) is None]
        uses = USES.get(extra, "a part of coterie")
        if absent:
            how = f"Where you want it: pip install 'coterie[{extra}]'"
            yield Line(
                "note",
                f"Without {', '.join(absent)} there is no {extra}, which is for {uses}.",
                how,
            )
            continue
        broken = [
            problem for name, least in wanted.items() if (problem := _old(name, least))
        ]  # loading them may take long
        if broken:
            for problem in broken:
                yield Line(
                    "wrong",
                    f"{problem.rstrip('.')}; it is for {uses}.",
                    f"Run: pip install -U 'coterie[{extra}]'",
                )
        else:
            there.append(extra)
    if there:
        yield Line("ok", f"Extras that are there: {', '.join(there)}.")


def _wanted() -> dict[str, dict[str, str]]:
    """Libraries with the least version of each, by extra (empty: always); nothing where coterie is not installed."""
    try:
        lines = metadata.requires("coterie") or []
    except metadata.PackageNotFoundError:
        return {}
    found: dict[str, dict[str, str]] = {"": {}}
    for line in lines:
        what, _, when = line.partition(";")
        name = re.match(r"[A-Za-z0-9_.-]+", what.strip())
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", when)
        least = re.search(r">=\s*([0-9][0-9.]*)", what)
        if name and name[0] != "coterie":
            found.setdefault(extra[1] if extra else "", {})[name[0]] = least[1] if least else ""
    return found


def _problem(name: str, least: str) -> str:
    """What is wrong with a library; empty for nothing."""
    try:
        importlib.import_module(_module(name))
    except ImportError as error:
        missing = find_spec(_module(name)) is None
        return (
            f"The library '{name}' is missing."
            if missing
            else f"The library '{name}' cannot be loaded ({_line(error)})."
        )
    except Exception as error:
        return f"The library '{name}' breaks when it is loaded ({_line(error)})."
    return _old(name, least)


def _old(name: str, least: str) -> str:
    version = _version(name)
    if least and version and _numbers(version) < _numbers(least):
        return f"The library '{name}' is of version {version}, and {least} is needed."
    return ""


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _module(name: str) -> str:
    return _MODULES.get(name, name.replace("-", "_"))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers at the beginning of a version, without zeros at its end.

    >>> _numbers("1.10.0rc1") > _numbers("1.9"), _numbers("2.0") == _numbers("2")
    (True, True)
    """
    found = re.match(r"\d+(?:\.\d+)*", version)
    return (
        tuple(int(part) for part in re.sub(r"(\.0+)+$", "", found[0]).split(".")) if found else ()
    )
