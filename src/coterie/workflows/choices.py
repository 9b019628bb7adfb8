"""What a person may choose for an exploration; options of the command line and the web form are made from this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from coterie.core.errors import CoterieError, ParameterError
from coterie.core.frozen import Frozen
from coterie.core.params import Param, params_of
from coterie.represent.model_names import check_model


class Choices(Frozen):
    """The choices of one exploration; everything left alone is decided by the workflow and said.

    A value out of its range is refused when the choices are made, what does not go together by `check_params`.
    """

    k: int | None = Field(
        default=None,
        description="Number of groups (of sources, with segment); chosen, with its evidence, when left out.",
        ge=1,
    )
    seed: int = Field(
        default=0,
        description="Seed of everything random; the same seed gives the same bits.",
        ge=0,
    )
    view: str | None = Field(
        default=None, description="Which view to analyze, when the collection has several."
    )
    views: Sequence[str] | str | None = Field(
        default=None,
        description="Several views to analyze at once, by what they share: their names (folders, columns, tables), or all.",
    )
    compare: str | None = Field(
        default=None,
        description="A comparer instead of the default, such as Gower, SSD or Minkowski(p=1); a graph of neighbors by it is then grouped.",
    )
    organize: str | None = Field(
        default=None,
        description="An organizer instead of the default ensemble of models, such as Spectral, MCL(inflation=3), or (by links) Comraf.",
    )
    segment: bool = Field(
        default=False,
        description="Cut long sequences (recordings, traces) where they change; the pieces become the members.",
    )
    pieces: int | None = Field(
        default=None,
        description="Number of pieces of each sequence, with segment; chosen when left out.",
        ge=1,
    )
    window: float | None = Field(
        default=None,
        description="Length of what is compared, with segment: seconds, or steps where no rate is known.",
        gt=0,
    )
    duplicates: str = Field(
        default="keep",
        description="Members that repeat another, exactly or nearly: keep them, or fold them, so that groups are found without them and they join the one they repeat.",
        json_schema_extra={"advanced": True, "enum": ["keep", "fold"]},
    )
    embed: str | None = Field(
        default=None,
        description="Vectors of words that vote beside the words of texts: none, wordllama, model2vec:FOLDER, onnx:FOLDER, or "
        "the name of a model in the usual cache; wordllama where it is installed, when left out.",
    )
    download: bool = Field(
        default=False,
        description="Fetch the model that embed names where it is not on this machine; nothing is fetched otherwise.",
        json_schema_extra={"advanced": True},
    )
    max_k: int = Field(
        default=30,
        description="Largest number of groups looked at when it is chosen.",
        ge=2,
        json_schema_extra={"advanced": True},
    )
    nulls: int = Field(
        default=12,
        description="Null collections the evidence is set against, in all; 0 leaves that out.",
        ge=0,
        le=999,
        json_schema_extra={"advanced": True},
    )

    @field_validator("*", mode="before")
    @classmethod
    def _in_range(cls, value: Any, field: ValidationInfo) -> Any:
        """The value as a plain one, refused with the sentence of its parameter where it is outside its range."""
        _params()[str(field.field_name)].check(value, cls.__name__)
        if isinstance(value, str) or value is None:
            return value
        if isinstance(value, Iterable):
            return tuple(value)
        return getattr(value, "item", lambda: value)()

    def check_params(self) -> None:
        """Refuse a method that is not there, and what does not go together, before anything is read."""
        for room in ("compare", "organize"):
            if getattr(self, room):
                made = _made(getattr(self, room), room)
                if (
                    room == "organize"
                    and type(made).__name__ == "Segmentation"
                    and not self.segment
                ):
                    raise ParameterError(
                        "Segmentation cuts sequences and does not group members; say segment=True too.",
                        parameter="segment",
                    )
                if room == "organize" and getattr(made, "gives", type).__name__ == "Ranking":
                    how = (
                        "coterie core PATH finds it"
                        if type(made).__name__ == "Core"
                        else "use it from Python"
                    )
                    raise ParameterError(
                        f"{type(made).__name__} puts members in order and makes no groups; {how}.",
                        parameter=room,
                    )
                if room == "organize" and getattr(made, "gives", type).__name__ == "Categories":
                    how = (
                        "coterie categorize PATH does"
                        if type(made).__name__ == "Categorize"
                        else "use it from Python"
                    )
                    raise ParameterError(
                        f"{type(made).__name__} learns from labels and makes no groups of its own; {how}.",
                        parameter=room,
                    )
                if room == "organize" and self.k is not None:
                    from coterie import catalog

                    aimed = catalog.make(str(self.organize), n_groups=self.k)
                    asked = getattr(aimed, "n_groups", self.k)  # what is said twice is not k
                    if asked != self.k:
                        raise ParameterError(
                            f"k is {self.k} and organize asks for n_groups={asked}; say one of the two.",
                            parameter="k",
                        )
        self._check_views()
        if self.embed is not None:
            check_model(self.embed)
        elif self.download:
            raise ParameterError(
                "download fetches the model that embed names; it needs embed beside it.",
                parameter="download",
            )
        if not self.segment:
            for name in ("pieces", "window"):
                if getattr(self, name) is not None:
                    raise ParameterError(
                        f"{name} says how sequences are cut; it needs segment beside it.",
                        parameter=name,
                    )

    def _check_views(self) -> None:
        """Refuse names of views that cannot be, and what several views do not go with."""
        if self.views is None:
            return
        from coterie.collect.named_views import names_of

        if not names_of(self.views):
            raise ParameterError(
                "Choices: views must be names of views, or all, and there is none.",
                parameter="views",
            )
        if self.view is not None:
            raise ParameterError(
                f"view names one view ('{self.view}') and views several; say one of the two.",
                parameter="view",
            )
        if self.segment:
            raise ParameterError(
                "segment cuts one view of sequences; it does not go with views.",
                parameter="segment",
            )


def _made(words: str, room: str) -> Any:
    """The method a person chose for a room; what is wrong with it is said of that choice."""
    try:
        return method(words, room)
    except CoterieError as error:
        error.parameter = room
        raise


@cache
def _params() -> Mapping[str, Param]:
    return {info.name: info for info in params_of(Choices)}


def method(words: str, room: str, **defaults: Any) -> Any:
    """The method a person named for a room, as an estimator; defaults apply where it has that parameter."""
    from coterie import catalog

    made = catalog.make(words, **defaults)
    found = catalog.find(type(made).__name__)
    if found.room != room:
        raise ParameterError.of(
            "",
            room,
            f"takes a method of the room '{room}', and {found.name} is in the room '{found.room}'.",
        )
    made.check_params()
    return made
