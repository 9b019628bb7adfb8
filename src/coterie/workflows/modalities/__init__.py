"""One file for each kind of data: how its members are prepared, described and shown. Adding a kind is a file and a line here.

A view says by its `modality` which of these it belongs to. A package outside of coterie adds one with `register`, or
with an entry point of the group `coterie.modalities` whose name is that of the modality.
"""

from __future__ import annotations

import importlib
import importlib.metadata

from coterie.core.collection import Collection, View
from coterie.core.errors import DataError
from coterie.workflows.choices import Choices
from coterie.workflows.modalities.base import Modality

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


def modality_of(view: View) -> Modality:
    """The modality a view belongs to."""
    name = view.modality
    if name not in _MADE:
        _MADE[name] = _load(name)
    return _MADE[name]


def modality_for(collection: Collection, view: str, choices: Choices) -> Modality:
    """The modality by which a view is analyzed: vectors where some stand beside it and the person named no view."""
    beside = collection.of_modality("vectors") if choices.view is None else {}
    return modality_of(next(iter(beside.values()), collection.view(view)))


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
