"""What a run is asked: one model for the command line, the form, recipes, stored runs, replays, refits and copies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, field_validator

from coterie import catalog
from coterie.core.errors import CoterieError, ParameterError
from coterie.core.frozen import Frozen, PathText
from coterie.core.params import refuse_unknown
from coterie.workflows.choices import Choices

_NOT_CHOSEN = (
    "hints",
    "store",
    "name",
    "command",
)  # what `explore` takes beside reading and choices


class Reading(Frozen):
    """How the members are read; what is left out is guessed, and said."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    kind: str | None = Field(
        default=None, description="What the data is; guessed, and said, when left out."
    )
    text: str | None = Field(default=None, description="The column that holds the text.")
    id: str | None = Field(default=None, description="The column that names the members.")
    time: str | None = Field(
        default=None, description="The column that orders the steps of a sequence."
    )
    truth: tuple[str, ...] = Field(
        default=(),
        description="A column of known answers; kept aside for `coterie judge`, never fitted.",
    )
    links: Mapping[str, PathText] = Field(
        default={},
        description="A table of two columns (member, other) and maybe a count, as a population: citations=cites.csv.",
    )
    words: bool | tuple[str, ...] = Field(
        default=False, description="Count the words of each text as a population."
    )
    both_ways: bool = Field(
        default=False, description="Links between two members count from both sides."
    )
    views: tuple[str, ...] = Field(
        default=(), description="The views that are read, and no others."
    )
    view: str | None = Field(
        default=None, description="The one sub-folder or table of several that is read."
    )

    @field_validator("truth", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    def options(self) -> dict[str, Any]:
        """The same as keywords of `coterie.collect.read`; what ties and views were not asked for is left out."""
        found = {name: _listed(getattr(self, name)) for name in type(self).model_fields}
        return {name: value for name, value in found.items() if value or name in _ALWAYS}

    @property
    def is_more(self) -> bool:
        """Whether it asks for ties or views, which members in memory may not have yet."""
        return bool(set(self.options()) - set(_ALWAYS))


_ALWAYS = ("kind", "text", "id", "time", "truth")


class Constraints(Frozen):
    """How much a person said of some members.

    The labels and pairs themselves may be very many: they are a file of the run, `values/hints.json`, or
    `values/said.json` as long as nobody has read the members and looked for them there.
    """

    labels: int = 0
    together: int = 0
    apart: int = 0
    scheme: str = "intrinsic"
    checked: bool = Field(default=True, description="Whether the members they speak of are known.")

    @classmethod
    def of(cls, hints: Mapping[str, Any], checked: bool = True) -> Constraints:
        """How much some hints say.

        >>> Constraints.of({"labels": {"a": "tea", "b": "sea"}, "together": [["a", "c"]]}).labels
        2
        """
        parts = ("labels", "together", "apart")
        counts = {part: len(hints[part]) for part in parts if hints.get(part) is not None}
        return cls(**counts, scheme=str(hints.get("scheme") or "intrinsic"), checked=checked)

    @property
    def file(self) -> str:
        """The name of the value that a run keeps them under."""
        return "hints" if self.checked else "said"


# ---- where a request comes from -------------------------------------------------------------------------------------


class New(Frozen):
    """Members that are read from a source or were in memory; `planned` until somebody has read them."""

    kind: Literal["new"] = "new"
    planned: bool = False


class Copy(Frozen):
    """The members that another run of the same store kept."""

    kind: Literal["copy"] = "copy"
    run: str


class Replay(Frozen):
    """New members beside those that stand for the groups of another run: members `standing[0]` up to `standing[1]`."""

    kind: Literal["replay"] = "replay"
    run: str
    source: PathText = Field(default="", description="Where the new members were read from.")
    standing: tuple[int, int]


class Refit(Frozen):
    """The members of another run, found anew with what a person said of them in edits or in a session with words."""

    kind: Literal["refit"] = "refit"
    run: str
    by: Literal["edits", "session"] = "edits"
    replay: Replay | None = Field(
        default=None, description="How the members of that run came together."
    )


Origin = Annotated[New | Copy | Replay | Refit, Field(discriminator="kind")]


class ExploreRequest(Frozen):
    """All that is asked of an exploration; a run keeps it in its run.json."""

    source: PathText = Field(default="", description="What is explored, as it was named.")
    path: PathText = Field(
        default="",
        description="Where it can be read again from any folder; empty for what was in memory.",
    )
    name: str | None = Field(
        default=None, description="Name of the run; made from the source when left out."
    )
    reading: Reading = Reading()
    choices: Choices = Choices()
    constraints: Constraints | None = None
    command: PathText = Field(default="", description="The command line that asks for the same.")
    origin: Origin = New()

    def but(self, **changed: Any) -> ExploreRequest:
        """The same with other values in some fields."""
        return self.model_copy(update=changed)

    @property
    def before(self) -> str:
        """The run that this one was made from; empty where it was made from a source."""
        return "" if isinstance(self.origin, New) else self.origin.run

    @property
    def replay(self) -> Replay | None:
        """How new members came together with those that stand for groups; None where all are the run's own."""
        match self.origin:
            case Replay():
                return self.origin
            case Refit():
                return self.origin.replay
        return None

    @property
    def parent(self) -> str:
        """The run whose edits or session this one was found anew with; empty where there is none."""
        return self.origin.run if isinstance(self.origin, Refit) else ""


def ask(
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
    name: str | None = None,
    command: str = "",
    **choices: Any,
) -> ExploreRequest:
    """A request in the words of `coterie.explore`; whatever cannot be is refused before anything is read.

    >>> ask("letters.csv", truth="author", k=3).choices.k
    3
    """
    from coterie.collect.named_views import names_of

    chosen = choose(choices)
    check_name(name)
    several = names_of(chosen.views)
    named = isinstance(source, (str, Path))
    reading = Reading(
        kind=kind,
        text=text,
        id=id,
        time=time,
        truth=(truth,) if isinstance(truth, str) else tuple(truth),
        links={name: path_of(table) for name, table in (links or {}).items() if path_of(table)},
        words=words if isinstance(words, bool) else tuple(words),
        both_ways=both_ways,
        views=several,
        view=chosen.view if named else None,
    )
    return ExploreRequest(
        source=str(source) if named else "",
        path=path_of(source),
        name=name,
        reading=reading,
        choices=chosen,
        command=command,
    )


def choose(choices: Mapping[str, Any]) -> Choices:
    """The choices of an exploration, or one sentence on the first that is none."""
    known = [*Choices.model_fields, *Reading.model_fields, *_NOT_CHOSEN]
    refuse_unknown("explore", choices, list(dict.fromkeys(known)))
    choices = {
        name: _in_words(name, value) if _is_method(name, value) else value
        for name, value in choices.items()
    }
    for room in ("compare", "organize"):
        words = choices.get(room)
        name = words.split("(")[0].strip() if isinstance(words, str) else ""
        if name.isidentifier():
            try:
                catalog.find(name, room)
            except CoterieError as error:
                error.parameter = room
                raise
    found = Choices(**choices)
    found.check_params()
    return found


def check_name(name: str | None) -> None:
    """Refuse a name of a run that would be read as something else by a shell or a file system."""
    if name is not None and not re.fullmatch(r"(?=.*[A-Za-z0-9])[A-Za-z0-9._-]+", name):
        raise ParameterError.of(
            "explore",
            "name",
            f"must be letters, digits, dots, dashes and underscores, and was {name!r}.",
        )


def path_of(source: Any) -> str:
    """Where a source can be read again from any folder; empty when it is in memory."""
    if not isinstance(source, (str, Path)):
        return ""
    try:
        place = Path(source).expanduser()
        return str(place.absolute()) if place.exists() else str(source)
    except (OSError, RuntimeError, ValueError):  # there cannot be one of this name
        return str(source)


def _is_method(name: str, value: Any) -> bool:
    """Whether a method itself was given where its name belongs; settings that are plain values can be written as words."""
    return name in ("compare", "organize") and hasattr(value, "fit")


def _in_words(room: str, method: Any) -> str:
    """A method as the words that make it again; one that holds a function or a class of others has none."""
    words = repr(method)
    try:
        catalog.make(words)
    except ParameterError:
        raise ParameterError(
            f"{room} must be a method that can be written in words, so that the run can be kept and made again, and "
            f"{' '.join(words.split())} cannot; put it into coterie.Pipeline([...]) instead.",
            owner="explore",
            parameter=room,
        ) from None
    return words


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
