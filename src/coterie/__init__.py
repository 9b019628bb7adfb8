"""coterie: give it a pile of unlabeled things; it learns how alike they are, groups them, and shows you the groups.

The few names a user types first. Everything is imported when first used, so that `import coterie` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_NAMES = {
    "read": "coterie.collect.reading",
    "explore": "coterie.run.engine",
    "using": "coterie.run.using",
    "Pipeline": "coterie.pipeline",
    "Collection": "coterie.core.collection",
    "Table": "coterie.core.table",
    "Text": "coterie.core.text",
    "TaggedText": "coterie.core.text",
    "Ragged": "coterie.core.ragged",
    "Cooccurrence": "coterie.core.links",
    "Affinity": "coterie.core.affinity",
    "Hints": "coterie.core.hints",
    "Partition": "coterie.core.partition",
    "Store": "coterie.run.store",
}
_ROOMS = (
    "collect",
    "represent",
    "compare",
    "organize",
    "judge",
    "show",
    "run",
    "catalog",
    "testing",
)

if TYPE_CHECKING:
    from coterie.collect.reading import read
    from coterie.core.affinity import Affinity
    from coterie.core.collection import Collection
    from coterie.core.hints import Hints
    from coterie.core.links import Cooccurrence
    from coterie.core.partition import Partition
    from coterie.core.ragged import Ragged
    from coterie.core.table import Table
    from coterie.core.text import TaggedText, Text
    from coterie.pipeline import Pipeline
    from coterie.run.engine import explore
    from coterie.run.store import Store
    from coterie.run.using import using

__all__ = [
    "Affinity",
    "Collection",
    "Cooccurrence",
    "Hints",
    "Partition",
    "Pipeline",
    "Ragged",
    "Store",
    "Table",
    "TaggedText",
    "Text",
    "explore",
    "read",
    "using",
]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"coterie.{name}")
    raise AttributeError(f"module 'coterie' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])
