"""One file for each kind of data: how its members are prepared, described and shown. Adding one is a file and a line in `base`."""

from __future__ import annotations

from coterie.workflows.modalities.base import MODALITIES as MODALITIES
from coterie.workflows.modalities.base import Modality as Modality
from coterie.workflows.modalities.base import modality_for as modality_for
from coterie.workflows.modalities.base import modality_of as modality_of
from coterie.workflows.modalities.base import register as register
