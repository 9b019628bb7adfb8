"""Links of pictures: colours, kinds of regions, and the regions themselves with their colours and textures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence
from coterie.core.pictures import Pictures
from coterie.represent.blobs import Blobs
from coterie.represent.colours import Colours
from coterie.represent.regions import region_tables

POPULATIONS = ("colours", "blobs", "regions")


def picture_links(
    collection: Collection,
    populations: Sequence[str] = POPULATIONS,
    *,
    view: str | None = None,
    colours: int = 6,
    region_colours: int = 2,
    n_blobs: int | None = None,
    random_state: Any = 0,
) -> Collection:
    """The collection with the populations of its pictures, tied to the members by counts.

    "colours": pixels of each of `colours`^3 colours. "blobs": regions of each kind, kinds found by k-means. "regions": the 24
    regions of each picture, tied to the picture they lie in, to `region_colours`^3 "region colours" and to "texture".
    """
    asked = (populations,) if isinstance(populations, str) else tuple(populations)
    for name in asked:
        if name not in POPULATIONS:
            raise ParameterError(
                f"populations must be some of {', '.join(POPULATIONS)}, and names '{name}'.",
                owner="picture_links",
            )
    pictures = _pictures(collection, view)
    ids = list(collection.ids)
    links: dict[tuple[str, str], Cooccurrence] = {}
    if "colours" in asked:
        links["members", "colours"] = _counted(Colours(bins=colours), pictures, ids)
    if "blobs" in asked:
        links["members", "blobs"] = _counted(
            Blobs(n_blobs=n_blobs, random_state=random_state), pictures, ids
        )
    if "regions" in asked:
        links.update(region_tables(pictures, ids, colours=region_colours))
    return replace(collection, links={**collection.links, **links})


def _pictures(collection: Collection, view: str | None) -> Pictures:
    found = list(collection.of_modality("pictures").values())
    seen: Any = collection.view(view) if view is not None else found[0] if found else None
    if seen is None or seen.modality != "pictures":
        raise DataError(
            f"picture_links needs a view of pictures, and there are {collection.describe()}."
        )
    pictures: Pictures = seen
    return pictures


def _counted(representer: Any, pictures: Pictures, ids: list[str]) -> Cooccurrence:
    counts = representer.fit_transform(pictures)
    return Cooccurrence(counts, ids, [str(name) for name in representer.get_feature_names_out()])
