"""What a modality is: how members of one kind of data are prepared, described and shown; and which modalities there are.

A view says by its `modality` which of these it belongs to. A package outside of coterie adds one with `register`, or
with an entry point of the group `coterie.modalities` whose name is that of the modality.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from coterie.core.collection import Collection, View
from coterie.core.errors import DataError
from coterie.workflows.choices import Choices, method
from coterie.workflows.key_features import KeyFeatures
from coterie.workflows.prepared import PreparedCollection


class Modality(ABC):
    """One kind of data, such as text or recordings."""

    noun: ClassVar[str] = "members"  # what members are called, in the plural
    features: ClassVar[str] = ""  # what its own key features are called, where it has any
    in_views: ClassVar[str] = ""  # how it is told apart among several views
    wide_graph: ClassVar[bool] = False  # whether graphs of many members have more neighbors

    @abstractmethod
    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedCollection:
        """Represent and compare the members of this view."""

    def has_ensemble(self, data: Any) -> bool:
        """Whether members like these have an ensemble of models that groups them where no method is named."""
        return False

    # ---- to be shown ------------------------------------------------------------------------------------------------

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        """One short line per member."""
        return [str(member)[:most] for member in collection.ids]

    def key_features(
        self, data: Any, labels: np.ndarray, n_groups: int
    ) -> Mapping[str, Sequence[KeyFeatures]]:
        """By population, what tells each group from the rest, read off the members themselves."""
        return {}

    def describe_data(self, data: Any) -> str:
        """What a view holds, in a few words."""
        return f"{len(data):,} {self.noun}"

    def count_blank(self, data: Any) -> int:
        """How many members hold nothing at all."""
        return 0

    def sparks(self, data: Any, members: np.ndarray) -> tuple[tuple[float, ...], ...]:
        """The mean course of some members, for small drawings."""
        return ()

    # ---- as one of several views ------------------------------------------------------------------------------------

    def representers(self, data: Any, view: str) -> list[Any]:
        """What makes numbers of this view where several views are compared."""
        raise DataError(
            f"The view '{view}' is {self.noun}, which are not compared across views; leave it out."
        )

    def ensemble_representers(self, data: Any, view: str) -> list[Any]:
        """What makes a table of this view where an ensemble of models groups several views."""
        return self.representers(data, view)

    def is_scaled_in_views(self, data: Any) -> bool:
        """Whether the columns of that table are still to be scaled."""
        return True

    def differs(self, data: Any) -> bool:
        """Whether anything tells members of this view apart."""
        return True

    def present(self, data: Any) -> np.ndarray:
        """Which members this view knows anything of."""
        return np.ones(len(data), dtype=bool)

    def is_counts(self, data: Any) -> bool:
        """Whether a member is counts of many things of which it holds a few."""
        return False

    def share_same(self, one: Any, other: Any) -> float:
        """The share of members of which two views of this kind hold the same."""
        return 0.0


def named_comparer(choices: Choices) -> Any:
    """The comparer a person named, or None."""
    if not choices.compare:
        return None
    return method(choices.compare, "compare", random_state=choices.seed)


def takes_whole(comparer: Any, data: Any) -> bool:
    """Whether a comparer takes members of this kind as they are."""
    return comparer is not None and type(data) in (comparer.takes, *comparer.also)


MODALITIES = {
    "text": "coterie.workflows.modalities.text:TextModality",
    "table": "coterie.workflows.modalities.table:TableModality",
    "sequences": "coterie.workflows.modalities.sequences:SequenceModality",
    "sets": "coterie.workflows.modalities.sets:SetModality",
    "sound": "coterie.workflows.modalities.sound:SoundModality",
    "pictures": "coterie.workflows.modalities.pictures:PictureModality",
    "tagged": "coterie.workflows.modalities.tagged:TaggedModality",
    "vectors": "coterie.workflows.modalities.vectors:VectorsModality",
}
ENTRY_POINTS = "coterie.modalities"
_MADE: dict[str, Modality] = {}


def register(name: str, modality: Modality) -> None:
    """Add a modality of your own, or take the place of another one."""
    _MADE[name] = modality


def modality_for(collection: Collection, view: str, choices: Choices) -> Modality:
    """The modality by which a view is analyzed: vectors where some stand beside it and the person named no view."""
    beside = collection.of_modality("vectors") if choices.view is None else {}
    return modality_of(next(iter(beside.values()), collection.view(view)))


def modality_of(view: View) -> Modality:
    """The modality a view belongs to."""
    name = view.modality
    if name not in _MADE:
        _MADE[name] = _load(name)
    return _MADE[name]


def _load(name: str) -> Modality:
    place = MODALITIES.get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        made: Modality = getattr(importlib.import_module(module), attribute)()
        return made
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS, name=name):
        found: Modality = entry.load()()
        return found
    raise DataError(
        f"No workflow is known for data of the kind '{name}'; coterie has {', '.join(MODALITIES)}."
    )
