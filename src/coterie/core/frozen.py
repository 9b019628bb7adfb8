"""The base of what crosses a process or a trust boundary: frozen models that are checked, and kept as plain JSON."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WrapValidator

from coterie.core.errors import CoterieError, ParameterError


def _is_text(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


# a path as the system gives it: a name of a file that is not UTF-8 holds half letters, which pydantic refuses
PathText = Annotated[str, WrapValidator(_is_text)]


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


# one name stands for a tuple of one
Names = Annotated[tuple[str, ...], BeforeValidator(_several)]


class Frozen(BaseModel):
    """A model whose values are checked when it is made and never change; what is wrong is one of our sentences."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise _sentence(type(self).__name__, error) from None

    @classmethod
    def of_json(cls, said: Any) -> Self | None:
        """The model that `to_json` wrote; None where this is something else."""
        try:
            return cls.model_validate(said)
        except ValidationError:
            return None

    def to_json(self) -> dict[str, Any]:
        """The fields as plain JSON."""
        return self.model_dump(mode="json")


def _sentence(owner: str, error: ValidationError) -> CoterieError:
    """The first thing that is wrong: our own error where one was raised, else its field and what is said of it."""
    first = error.errors()[0]
    own = first.get("ctx", {}).get("error")
    if isinstance(own, CoterieError):
        return own
    field = ".".join(str(part) for part in first["loc"])
    return ParameterError(f"{owner}: {field}: {first['msg']}.", parameter=field)
