"""What can go wrong, each as one sentence a user can act on."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any


class CoterieError(Exception):
    """Root of everything coterie raises on purpose; the command line shows its sentence and no traceback.

    The sentence is for a person. What a program wants to know stands beside it, and is empty where there is none:
    `owner` is the method or the job that speaks (the sentence begins with it), `plain` the sentence without it;
    `parameter` is the parameter that is wrong, or the one that would mend it, and `problem` what is wrong with
    its value; `where` is the file, column, view or member.

    >>> error = ParameterError.of("Choices", "k", "must be at least 1, and was 0.")
    >>> str(error), error.parameter, error.problem
    ('Choices: k must be at least 1, and was 0.', 'k', 'must be at least 1, and was 0.')
    """

    def __init__(
        self,
        sentence: str = "",
        *,
        owner: str = "",
        parameter: str = "",
        problem: str = "",
        where: str = "",
    ) -> None:
        super().__init__(f"{owner}: {sentence}" if owner else sentence)
        self.plain = sentence
        self.owner = owner
        self.parameter = parameter
        self.problem = problem
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


class DataError(CoterieError, ValueError):
    """The data is not what the method needs; the sentence names the member, the row or the file."""


class NotEnoughMemory(DataError):
    """This needs more memory than is allowed; `enough` is what would have to be allowed, as it is written."""

    def __init__(self, needs: str, enough: str) -> None:
        super().__init__(
            f"{needs}, or allow more with coterie.using(memory='{enough}').",
            parameter="memory",
        )
        self.needs = needs
        self.enough = enough


class MemberError(DataError):
    """Something is wrong with members, which are told by their positions, or by names where somebody knows them.

    >>> error = MemberError("{} has one vector only", 3, owner="Divergence", instead="take risk='nn'")
    >>> str(error)
    "Divergence: member 3 has one vector only; leave it out, or take risk='nn'."
    >>> str(error.named({3: "'a.csv'"}))
    "Divergence: 'a.csv' has one vector only; take risk='nn'."
    """

    def __init__(
        self,
        problem: str,
        *members: int,
        owner: str = "",
        instead: str = "",
        parameter: str = "",
    ) -> None:
        many = "members" if len(members) > 1 else "member"
        said = problem.format(f"{many} {' and '.join(map(str, members))}")
        leave = f"; leave {'them' if len(members) > 1 else 'it'} out, or {instead}"
        super().__init__(
            f"{said}{leave if instead else ''}.",
            owner=owner,
            parameter=parameter,
            problem=problem,
        )
        self.members = members
        self.instead = instead

    def named(self, names: Mapping[int, str]) -> DataError:
        """The same of members that have names and cannot be left out."""
        said = self.problem.format(" and ".join(names[member] for member in self.members))
        instead = f"; {self.instead}" if self.instead else ""
        return DataError(f"{said}{instead}.", owner=self.owner, parameter=self.parameter)


class ParameterError(CoterieError, ValueError):
    """A parameter is outside its range; the sentence names it, what it must be and what it was."""

    @classmethod
    def of(cls, owner: str, parameter: str, problem: str) -> ParameterError:
        """One parameter of a method or a job, and what is wrong with its value."""
        return cls(f"{parameter} {problem}", owner=owner, parameter=parameter, problem=problem)


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


def _restore(kind: type[CoterieError], args: tuple[Any, ...], fields: dict[str, Any]) -> Any:
    """An error as it was in another process, whatever its class is made with."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error
