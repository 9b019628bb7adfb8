"""A parameter written once: default, range and sentence; validation, repr, docs, options and forms read it from here."""

from __future__ import annotations

import dataclasses
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coterie.core.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Param:
    """What is known of one parameter besides its name and value."""

    name: str
    default: Any
    sentence: str
    annotation: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    choices: tuple[Any, ...] = ()
    advanced: bool = False
    infinite: bool = False

    @property
    def range(self) -> str:
        """The admitted values in words, for tables and help lines.

        >>> Param("k", 3, "How many.", ge=2, le=9).range
        'from 2 to 9'
        >>> Param("p", 2.0, "A power.", gt=1, le=30).range
        'above 1 and at most 30'
        """
        if self.choices:
            return " | ".join(str(c) for c in self.choices)
        if self.ge is not None and self.le is not None:
            return f"from {_short(self.ge)} to {_short(self.le)}"
        low = (
            f"from {_short(self.ge)}"
            if self.ge is not None
            else f"above {_short(self.gt)}"
            if self.gt is not None
            else ""
        )
        high = (
            f"at most {_short(self.le)}"
            if self.le is not None
            else f"below {_short(self.lt)}"
            if self.lt is not None
            else ""
        )
        return " and ".join(part for part in (low, high) if part)

    def check(self, value: Any, owner: str) -> None:
        """Raise one sentence when `value` is outside the range; None passes where the default or the type says so."""
        if value is None:
            if self.default is None or "None" in self.annotation:
                return
            kind = "" if self.annotation == "Any" else self.annotation
            raise ParameterError.of(
                owner, self.name, f"must be {self.range or kind or 'given'}, and was None."
            )
        if (
            self.choices
            and isinstance(value, (str, bool))
            and value not in self.choices
            and not self._yes_no(value)
        ):
            self._refuse(
                value,
                owner,
                " | ".join(map(str, self.choices))
                + (" or a number" if "float" in self.annotation else ""),
            )
        if not self._of_kind(value):
            self._refuse(value, owner, self._kind_in_words())
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            self._check_number(value, owner)
        elif (
            self._bounded and not self._among(value) and not isinstance(value, (dict, list, tuple))
        ):
            self._refuse(value, owner, f"a number {self.range}".strip())

    def _yes_no(self, value: Any) -> bool:
        """Whether this is True or False beside words that may be chosen too (`bool | str`)."""
        return isinstance(value, bool) and "bool" in self._kinds

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The parts of the annotation; a name that stands for words (a Literal, an alias) is str."""
        names = [part.strip().split("[")[0] for part in self.annotation.split("|")]
        words = bool(self.choices) and all(isinstance(choice, str) for choice in self.choices)
        return tuple("str" if words and name not in (*_PLAIN, "Any") else name for name in names)

    def _of_kind(self, value: Any) -> bool:
        """Whether the value is of a type that the annotation names; where it names anything, the method itself looks."""
        kinds = self._kinds
        if self.name == "random_state" or not all(
            kind in _PLAIN for kind in kinds
        ):  # a generator is a seed too
            return True
        return any(_PLAIN[kind](value) for kind in kinds) or self._among(value)

    def _among(self, value: Any) -> bool:
        """Whether the value is one of the choices; arrays, which compare element by element, are none."""
        return isinstance(value, (str, bool, numbers.Number)) and value in self.choices

    def _kind_in_words(self) -> str:
        if set(self._kinds) & {"int", "float"}:
            words = " | ".join(map(str, self.choices)) + " or " if self.choices else ""
            return f"{words}a number {self._number_range()}".strip()
        return self.range or " or ".join(
            _WORDS.get(kind, kind) for kind in self._kinds if kind != "None"
        )

    def _check_number(self, value: numbers.Real, owner: str) -> None:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf if value > type(value)() else -math.inf
        if math.isnan(number):
            named = (
                f"{' | '.join(map(str, self.choices))} or a number {self._number_range()}".strip()
            )
            self._refuse(value, owner, named if self.choices else self.range or "a number")
        low = (self.ge is None or number >= self.ge) and (self.gt is None or number > self.gt)
        high = (self.le is None or number <= self.le) and (self.lt is None or number < self.lt)
        if not (low and high):
            self._refuse(value, owner, self._number_range())
        kinds = {part.strip() for part in self.annotation.split("|")}
        if "int" in kinds and "float" not in kinds and not isinstance(value, numbers.Integral):
            self._refuse(value, owner, _whole(self._number_range()))
        if math.isinf(number) and not self.infinite:
            self._refuse(
                value,
                owner,
                " and ".join(part for part in ("finite", self._number_range()) if part),
            )

    @property
    def _bounded(self) -> bool:
        return (self.ge, self.gt, self.le, self.lt) != (None,) * 4

    def _number_range(self) -> str:
        if self.ge is not None and self.le is None and self.lt is None:
            return f"at least {_short(self.ge)}"
        return dataclasses.replace(self, choices=()).range

    def _refuse(self, value: Any, owner: str, must: str) -> None:
        raise ParameterError.of(owner, self.name, f"must be {must}, and was {shown(value)}.")


def _whole(within: str) -> str:
    """A whole number in a range.

    >>> _whole("from 1 to 9"), _whole("at least 1"), _whole("")
    ('a whole number from 1 to 9', 'a whole number, at least 1', 'a whole number')
    """
    comma = "," if within.startswith("at least") else ""
    return f"a whole number{comma} {within}".strip()


def _sequence(value: Any) -> bool:
    listed = isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes))
    return listed or (hasattr(value, "shape") and len(value.shape) == 1)


_PLAIN: dict[str, Callable[[Any], bool]] = {  # what a value of each plain annotation is
    "None": lambda value: value is None,
    "int": lambda value: isinstance(value, numbers.Real) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, numbers.Real) and not isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: (
        isinstance(value, bool)
        or type(value).__name__ in ("bool", "bool_")
        or _among(value, (0, 1))
    ),
    "tuple": _sequence,
    "list": _sequence,
    "Sequence": _sequence,
    "dict": lambda value: isinstance(value, Mapping),
}
_WORDS = {
    "bool": "True or False",
    "str": "words",
    "tuple": "a tuple",
    "list": "a list",
    "Sequence": "a list",
    "dict": "a dict",
}


def _among(value: Any, some: tuple[int, ...]) -> bool:
    return isinstance(value, numbers.Integral) and value in some


def shown(value: Any, most: int = 60) -> str:
    """A value as sentences show it: on one line, and cut where it is long.

    >>> shown([1, 2]), shown("x" * 99, 9)
    ('[1, 2]', "'xxxxx...")
    """
    line = " ".join(repr(value).split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:g}"


def param(
    default: Any,
    sentence: str,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    choices: Sequence[Any] = (),
    advanced: bool = False,
    infinite: bool = False,
) -> Any:
    """Declare a parameter of an estimator or of a job: its default, its sentence and its range; infinity only if `infinite`."""
    info = {
        "sentence": sentence,
        "ge": ge,
        "gt": gt,
        "le": le,
        "lt": lt,
        "choices": tuple(choices),
        "advanced": advanced,
    }
    info["infinite"] = infinite
    if isinstance(default, (dict, list, set)):
        return dataclasses.field(
            default_factory=lambda: type(default)(default),
            kw_only=True,
            metadata={"param": info, "default": default},
        )
    return dataclasses.field(
        default=default, kw_only=True, metadata={"param": info, "default": default}
    )


class Settings:
    """Base of everything with declared parameters; subclasses become keyword-only dataclasses by themselves."""

    if TYPE_CHECKING:

        def __init__(self, **given: Any) -> None: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        hints = cls.__dict__.get("__annotations__", {})
        learned = {
            name: hints.pop(name)
            for name in list(hints)
            if name.endswith("_") and name not in cls.__dict__
        }
        dataclasses.dataclass(eq=False, repr=False, kw_only=True)(cls)
        hints.update(learned)  # what fit learns is annotated too, and is no parameter

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range."""
        for info in params_of(type(self)):
            info.check(getattr(self, info.name), type(self).__name__)

    def __repr__(self) -> str:
        shown = [
            f"{info.name}={getattr(self, info.name)!r}"
            for info in params_of(type(self))
            if not _same(getattr(self, info.name), info.default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _same(value: Any, default: Any) -> bool:
    try:
        return bool(value is default or (type(value) is type(default) and value == default))
    except ValueError:
        return False


def params_of(owner: type) -> Iterator[Param]:
    """The declared parameters of a class with `param`s, or the fields of a frozen model, in order.

    >>> class Job(Settings):
    ...     k: int = param(3, "How many groups.", ge=1)
    >>> [(p.name, p.default, p.range) for p in params_of(Job)]
    [('k', 3, 'from 1')]
    """
    hints = annotations_of(owner)
    if hasattr(owner, "model_fields"):
        for name, info in owner.model_fields.items():
            limits = {
                limit: getattr(one, limit)
                for one in info.metadata
                for limit in ("ge", "gt", "le", "lt")
                if hasattr(one, limit)
            }
            extra = info.json_schema_extra or {}
            yield Param(
                name,
                info.default,
                info.description or "",
                hints[name],
                **limits,
                choices=tuple(extra.get("enum", ())),
                advanced=bool(extra.get("advanced")),
            )
        return
    for field in dataclasses.fields(typing.cast(Any, owner)):
        if "param" in field.metadata:
            yield Param(
                name=field.name,
                default=field.metadata["default"],
                annotation=hints[field.name],
                **field.metadata["param"],
            )


def refuse_unknown(owner: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raise one sentence for the first word that is no option; it names the near one, or all there are.

    >>> refuse_unknown("explore", ["kk"], ["k", "seed"])
    Traceback (most recent call last):
    coterie.core.errors.ParameterError: explore has no option 'kk'; did you mean k?
    """
    import difflib

    for word in given:
        if word not in known:
            near = difflib.get_close_matches(word, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}."
            raise ParameterError(f"{owner} has no option '{word}'; {hint}")


def kind_of(value: Any) -> str:
    """The type of a value with its article, for sentences.

    >>> kind_of(3), kind_of({})
    ('an int', 'a dict')
    """
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def annotations_of(owner: type) -> dict[str, str]:
    """The annotations of a class and its bases, as they are written."""
    found: dict[str, str] = {}
    for base in reversed(owner.__mro__):
        for name, hint in base.__dict__.get("__annotations__", {}).items():
            found[name] = hint if isinstance(hint, str) else _spell(hint)
    return found


def _spell(hint: Any) -> str:
    if isinstance(hint, types.UnionType):
        return " | ".join(_spell(part) for part in hint.__args__)
    return "None" if hint is type(None) else getattr(hint, "__name__", str(hint))
