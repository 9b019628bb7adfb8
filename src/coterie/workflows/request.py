"""What a run is asked: one model for the command line, the form, recipes, stored runs, replays, refits and copies.

The recipe (the lines of Python, and the command, that make a run again) is written from it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from coterie.core.errors import CoterieError, ParameterError
from coterie.core.frozen import Frozen, Names, PathText
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
    truth: Names = Field(
        default=(),
        description="A column of known answers; kept aside for `coterie judge`, never fitted.",
    )
    use: Names = Field(
        default=(),
        description="A column to compare by that was left out as an answer (label, class, species) or a name.",
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
    vectors: PathText | None = Field(
        default=None,
        description="A vector for each member, by row order or by id: an .npy, an .npz, a table, or a folder of .npy files.",
    )
    vector: str | None = Field(
        default=None, description="The column of lists that holds a vector for each row."
    )
    names: PathText | None = Field(
        default=None,
        description="What is read holds vectors, and this says whose they are: a table of texts, or a folder.",
    )

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
    def standing(self) -> tuple[int, ...]:
        """From where to where members of another run stand for groups among those of a replayed one; nothing in other runs."""
        return () if self.replay is None else self.replay.standing

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
    use: Sequence[str] | str = (),
    links: Mapping[str, Any] | None = None,
    words: bool | Sequence[str] = False,
    both_ways: bool = False,
    vectors: Any = None,
    vector: str | None = None,
    names: Any = None,
    name: str | None = None,
    command: str = "",
    **choices: Any,
) -> ExploreRequest:
    """A request in the words of `coterie.explore`; whatever cannot be is refused before anything is read.

    >>> ask("letters.csv", truth="author", k=3).choices.k
    3
    """
    chosen = choose(choices)
    check_name(name)
    given = next((one for one in (vectors, vector, names) if one is not None), None)
    if given is not None and chosen.embed not in (None, "none"):
        raise ParameterError(
            "embed makes vectors of the words of texts, and vectors are given; say one of the two.",
            parameter="embed",
        )
    named = isinstance(source, (str, Path))
    reading = Reading(
        kind=kind,
        text=text,
        id=id,
        time=time,
        truth=(truth,) if isinstance(truth, str) else tuple(truth),
        use=(use,) if isinstance(use, str) else tuple(use),
        links={name: path_of(table) for name, table in (links or {}).items() if path_of(table)},
        words=words if isinstance(words, bool) else tuple(words),
        both_ways=both_ways,
        views=_names_in(chosen.views),
        view=chosen.view if named else None,
        vectors=path_of(vectors) or None,
        vector=vector,
        names=path_of(names) or None,
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
            from coterie import catalog

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
    from coterie import catalog

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


def _names_in(views: Sequence[str] | str | None) -> tuple[str, ...]:
    if views is None:
        return ()
    from coterie.collect.named_views import names_of

    return names_of(views)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


# ---- the recipe -----------------------------------------------------------------------------------------------------

_LONG = 400  # characters of hints that are written into the recipe
_DEFAULTS = Choices().to_json()
_IN_CHOICES = ("view", "views")  # of the reading: they are choices too


def python_of(request: ExploreRequest, called: str, hints: Mapping[str, Any] | None = None) -> str:
    """The lines that make a run again, from what it was asked."""
    match request.origin:
        case Refit(run=run, by="session"):
            return f"from coterie.run.session_runs import as_run\n\nfound = as_run({run!r})\nfound.frame()"
        case Refit(run=run):
            return f"from coterie.run import Steering\n\nfound = Steering({run!r}).refit()\nfound.frame()"
        case Replay(run=run, source=source):
            where = source or request.source
            return f"from coterie.run import replay\n\nfound = replay({run!r}, {where!r})\nfound.frame()"
    words = {
        **{k: v for k, v in request.reading.options().items() if v is not None and v != []},
        **{k: v for k, v in request.choices.to_json().items() if v != _DEFAULTS[k] or k == "seed"},
    }
    long = hints is not None and len(str(hints)) >= _LONG
    words |= {} if hints is None or long else {"hints": dict(hints)}
    given = "".join(f", {name}={value!r}" for name, value in words.items())
    given += ", hints=hints" if long else ""
    first = (
        f'hints = coterie.Store().open({called!r}).get_json("hints")  # labels and pairs, as given\n'
        if long
        else ""
    )
    return f"import coterie\n\n{first}found = coterie.explore({request.source!r}{given})\nfound.frame()"


def command_with(request: ExploreRequest, changes: Mapping[str, Any]) -> str:
    """The command that asks for the same with some choices, or ways of reading, changed; empty where no command does.

    >>> command_with(ask("letters.csv"), {"k": 3})
    'coterie explore letters.csv --k 3 --seed 0'
    """
    if not request.path or not isinstance(request.origin, New):
        return ""
    chosen = {name: value for name, value in changes.items() if name in Choices.model_fields}
    read = {name: value for name, value in changes.items() if name not in chosen}
    changed = request.but(
        choices=request.choices.model_copy(update=chosen),
        reading=request.reading.model_copy(update=read),
    )
    return command_of("explore", changed)


def command_of(
    verb: str,
    request: ExploreRequest,
    further: Mapping[str, Any] | None = None,
    order: Iterable[str] = (),
) -> str:
    """The command that asks for the same: how the members are read, and what was chosen, in the order it was typed.

    `further` are options of the verb that are not of the request.

    >>> command_of("explore", ask("my mail", truth="folder", words=True, k=8, nulls=0, views="en, de"))
    "coterie explore 'my mail' --truth folder --words --k 8 --seed 0 --views en de --nulls 0"
    """
    reading = request.reading.options()
    chosen = request.choices.to_json()
    given = {
        **(further or {}),
        **{name: value for name, value in reading.items() if name not in _IN_CHOICES},
        **{name: chosen[name] for name in dict.fromkeys((*order, *chosen)) if name in chosen},
    }
    words = ["coterie", verb, request.source]
    for key, value in given.items():
        unasked = value is None or value is False or value in ([], {}, _DEFAULTS.get(key))
        if unasked and key != "seed":
            continue
        if key == "links":
            words += [part for name, file in value.items() for part in ("--link", f"{name}={file}")]
        elif key == "views":
            words += ["--views", *_names_in(value)]
        else:
            for item in value if isinstance(value, list) else [value]:
                words += [f"--{key.replace('_', '-')}", *([] if item is True else [str(item)])]
    return shlex.join(words)
