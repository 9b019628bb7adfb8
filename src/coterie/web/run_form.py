"""What the form of a new run sends: the fields of a request as they were typed, and rows that were pasted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from coterie.collect.kinds import KINDS
from coterie.web.forms import text_of
from coterie.workflows import request
from coterie.workflows.choices import Choices

SCHEMES = ("intrinsic", "constrained", "seeded")

Key = Annotated[str, StringConstraints(max_length=60)]
Short = Annotated[str, StringConstraints(max_length=300)]
Name = Annotated[str, StringConstraints(max_length=80)]
Value = Short | int | float | bool | None
_OF_METHODS = ("compare", "organize")


def _declared(name: str, default: Any, **limits: Any) -> Any:
    """A field of a request's reading, with its own sentence."""
    sentence = request.Reading.model_fields[name].description
    return Field(default=default, description=sentence, **limits)


class MethodForm(BaseModel):
    """A method and what was typed for its parameters; without a name, the workflow's own."""

    method: Key = ""
    params: dict[Key, Value] = Field(default={}, max_length=40)


class ReadingForm(BaseModel):
    """How the members are read; what is left out is guessed, and said."""

    kind: Key = Field(default="", description=f"One of {', '.join(KINDS)}.")
    text: Short = _declared("text", "")
    id: Short = _declared("id", "")
    time: Short = _declared("time", "")
    truth: list[Short] = _declared("truth", [], max_length=40)
    use: list[Short] = _declared("use", [], max_length=40)
    words: bool = _declared("words", False)
    vector: Short = _declared("vector", "")
    vectors: Short = _declared("vectors", "")


class HintsForm(BaseModel):
    """What is known of some members, as pasted rows of two cells; it may go with what was said in the run that is made again."""

    keep: bool = Field(
        default=False,
        description="Whether all that was said in the run that is made again goes on to hold.",
    )
    labels: str = Field(
        default="", max_length=500_000, description="Rows of a member and its label."
    )
    together: str = Field(
        default="", max_length=500_000, description="Rows of two members that belong together."
    )
    apart: str = Field(
        default="", max_length=500_000, description="Rows of two members that belong apart."
    )
    scheme: Key = Field(
        default="",
        description=f"How labels count: {', '.join(SCHEMES)}; left out, as before or intrinsic.",
    )


class RunForm(BaseModel):
    """A run to be made: of a collection, or of what an earlier run was made of."""

    collection: Name = Field(default="", description="The id of a collection.")
    run: Name = Field(default="", description="The name of a run to be made again.")
    name: Name = Field(default="", description="What the run is called; made when left out.")
    choices: dict[Key, Value] = Field(
        {},
        max_length=20,
        description=f"{', '.join(name for name in Choices.model_fields if name not in _OF_METHODS)}.",
    )
    compare: MethodForm = Field(default_factory=MethodForm)
    organize: MethodForm = Field(default_factory=MethodForm)
    reading: ReadingForm = Field(default_factory=ReadingForm)
    hints: HintsForm = Field(default_factory=HintsForm)


def as_typed(values: Mapping[str, Value]) -> dict[str, str]:
    """Values of a form as they stand in its fields."""
    return {name: text_of(value) for name, value in values.items()}
