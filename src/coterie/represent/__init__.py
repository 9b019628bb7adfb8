"""The room where what is seen of the members becomes tables of numbers; names are imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie.core.lazy import lazily

_NAMES = {
    "Representer": "coterie.represent.role",
    "Terms": "coterie.represent.terms",
    "LSA": "coterie.represent.lsa",
    "Scaling": "coterie.represent.scaling",
    "Shapes": "coterie.represent.shapes",
    "Frames": "coterie.represent.frames",
    "FrameSettings": "coterie.represent.frames",
    "Integration": "coterie.represent.integration",
    "Contexts": "coterie.represent.contexts",
    "Attributes": "coterie.represent.contexts",
    "Embedding": "coterie.represent.embedding",
    "Colours": "coterie.represent.colours",
    "Texture": "coterie.represent.texture",
    "RegionFeatures": "coterie.represent.regions",
    "region_tables": "coterie.represent.regions",
    "Blobs": "coterie.represent.blobs",
}

if TYPE_CHECKING:
    from coterie.represent.blobs import Blobs as Blobs
    from coterie.represent.colours import Colours as Colours
    from coterie.represent.contexts import Attributes as Attributes
    from coterie.represent.contexts import Contexts as Contexts
    from coterie.represent.embedding import Embedding as Embedding
    from coterie.represent.frames import Frames as Frames
    from coterie.represent.frames import FrameSettings as FrameSettings
    from coterie.represent.integration import Integration as Integration
    from coterie.represent.lsa import LSA as LSA
    from coterie.represent.regions import RegionFeatures as RegionFeatures
    from coterie.represent.regions import region_tables as region_tables
    from coterie.represent.role import Representer as Representer
    from coterie.represent.scaling import Scaling as Scaling
    from coterie.represent.shapes import Shapes as Shapes
    from coterie.represent.terms import Terms as Terms
    from coterie.represent.texture import Texture as Texture

__all__ = list(_NAMES)
__getattr__, __dir__ = lazily(__name__, _NAMES)
