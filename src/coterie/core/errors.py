"""What can go wrong, each as one sentence a user can act on."""

from __future__ import annotations

import importlib
from types import ModuleType


class CoterieError(Exception):
    """Root of everything coterie raises on purpose; the command line shows its sentence and no traceback.

    The sentence is for a person. What a program wants to know stands beside it: `parameter` is the name of the
    parameter that is wrong, `where` the file, column, view or member, both empty where there is none.

    >>> ParameterError("k must be from 1, and was 0.", parameter="k").parameter
    'k'
    """

    def __init__(self, sentence: str = "", *, parameter: str = "", where: str = "") -> None:
        super().__init__(sentence)
        self.parameter = parameter
        self.where = where


class DataError(CoterieError, ValueError):
    """The data is not what the method needs; the sentence names the member, the row or the file."""


class ParameterError(CoterieError, ValueError):
    """A parameter is outside its range; the sentence names it, what it must be and what it was."""


class StoreError(CoterieError, OSError):
    """The store cannot be read or written; what was saved before is untouched."""


class Damaged(StoreError):
    """A stored file is not as it was written; `what` says which, and `todo` what to do about it."""

    def __init__(
        self, what: str, todo: str = "delete that run and make it again", *, where: str = ""
    ) -> None:
        super().__init__(f"{what}; {todo}.", where=where)
        self.what = what
        self.todo = todo


class VersionError(Damaged):
    """A stored file is of a format that this version of coterie does not read."""


class MissingExtra(CoterieError, ImportError):
    """A library that is not part of the base install is needed; the sentence names the extra that brings it."""


class ClusterError(CoterieError, RuntimeError):
    """The workers of a cluster cannot be reached or do not fit this process; what was finished before is kept."""


class NotConverged(UserWarning):
    """An iterative method ended at its limit of iterations; the result is usable and may still move."""


class Interrupted(CoterieError):
    """The person (or the watcher) asked for a stop; finished work is kept and the run can be resumed."""


def need(module: str, extra: str) -> ModuleType:
    """Import an optional library, or say which extra brings it.

    >>> need("math", extra="none").sqrt(4)
    2.0
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.split(".")[0]
        raise MissingExtra(
            f"This needs the library '{top}', which is not installed; bring it with: pip install 'coterie[{extra}]'."
        ) from error
