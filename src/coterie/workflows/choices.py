"""What a person may choose for an exploration; options of the command line and the web form are made from this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coterie import catalog
from coterie.core.errors import ParameterError
from coterie.core.params import Settings, param


class Choices(Settings):
    """The choices of one exploration; everything left alone is decided by the walk and said."""

    k: int | None = param(
        None,
        "Number of groups (of sources, with segment); chosen, with its evidence, when left out.",
        ge=1,
    )
    seed: int = param(0, "Seed of everything random; the same seed gives the same bits.", ge=0)
    view: str | None = param(None, "Which view to walk on, when the collection has several.")
    views: Sequence[str] | str | None = param(
        None,
        "Several views to walk on at once, by what they share: their names (folders, columns, tables), or all.",
    )
    compare: str | None = param(
        None, "A comparer instead of the walk's own, such as Gower, SSD or Minkowski(p=1)."
    )
    organize: str | None = param(
        None,
        "An organizer instead of the walk's own, such as MCL(inflation=3), Density, or (by links) Comraf.",
    )
    segment: bool = param(
        False,
        "Cut long sequences (recordings, traces) where they change; the pieces become the members.",
    )
    pieces: int | None = param(
        None, "Number of pieces of each sequence, with segment; chosen when left out.", ge=1
    )
    window: float | None = param(
        None,
        "Length of what is compared, with segment: seconds, or steps where no rate is known.",
        gt=0,
    )
    max_k: int = param(
        30, "Largest number of groups looked at when it is chosen.", ge=2, advanced=True
    )
    nulls: int = param(
        12,
        "Null collections the evidence is set against, in all; 0 leaves that out.",
        ge=0,
        le=999,
        advanced=True,
    )

    def check_params(self) -> None:
        """Refuse a value outside its range, and a method that is not there, before anything is read."""
        super().check_params()
        for room in ("compare", "organize"):
            if getattr(self, room):
                made = method(getattr(self, room), room)
                if (
                    room == "organize"
                    and type(made).__name__ == "Segmentation"
                    and not self.segment
                ):
                    raise ParameterError(
                        "Segmentation cuts sequences and does not group members; say --segment (segment=True) too."
                    )
                if room == "organize" and getattr(made, "gives", type).__name__ == "Ranking":
                    how = (
                        "coterie core PATH finds it"
                        if type(made).__name__ == "Core"
                        else "use it from Python"
                    )
                    raise ParameterError(
                        f"{type(made).__name__} puts members in order and makes no groups; {how}."
                    )
                if room == "organize" and getattr(made, "gives", type).__name__ == "Categories":
                    how = (
                        "coterie categorize PATH does"
                        if type(made).__name__ == "Categorize"
                        else "use it from Python"
                    )
                    raise ParameterError(
                        f"{type(made).__name__} learns from labels and makes no groups of its own; {how}."
                    )
                if (
                    room == "organize"
                    and "n_groups" in str(self.organize)
                    and self.k not in (None, made.n_groups)
                ):
                    raise ParameterError(
                        f"k is {self.k} and organize asks for n_groups={made.n_groups}; say one of the two."
                    )
        self._check_views()
        if not self.segment:
            for name in ("pieces", "window"):
                if getattr(self, name) is not None:
                    raise ParameterError(
                        f"{name} says how sequences are cut; it needs segment (--segment) beside it."
                    )

    def _check_views(self) -> None:
        """Refuse names of views that cannot be, and what several views do not go with."""
        if self.views is None:
            return
        from coterie.collect.named_views import names_of

        if not names_of(self.views):
            raise ParameterError(
                "Choices: views must be names of views, or all, and there is none."
            )
        if self.view is not None:
            raise ParameterError(
                f"view names one view ('{self.view}') and views several; say one of the two."
            )
        if self.segment:
            raise ParameterError(
                "segment (--segment) cuts one view of sequences; it does not go with views (--views)."
            )


def method(words: str, room: str, **defaults: Any) -> Any:
    """The method a person named for a room, as an estimator; defaults apply where it has that parameter."""
    made = catalog.make(words, **defaults)
    found = catalog.find(type(made).__name__)
    if found.room != room:
        raise ParameterError(
            f"--{room} takes a method of the room '{room}', and {found.name} is in the room '{found.room}'."
        )
    made.check_params()
    return made
