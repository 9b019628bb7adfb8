"""Regions: the cells of a grid over each picture, as thirty numbers of texture and colour, and as tables of counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.estimator import Representer
from coterie.core.links import Cooccurrence
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.represent.colours import colour_codes, colour_names
from coterie.represent.pixels import cell_of_each, cells, check_cells, each_picture, lab
from coterie.represent.texture import FILTERS, NAMES, THRESHOLD, counted, magnitudes, texture_codes

COLUMNS = 6
ROWS = 4
_CHANNELS = ("red", "green", "blue", "L", "a", "b")
FEATURES = (
    *FILTERS,
    *(f"{what} of {channel}" for what in ("mean", "spread", "skewness") for channel in _CHANNELS),
)
_CONSTANT = 1e-6  # levels: a channel that spreads less is constant, and its skewness is rounding


class RegionFeatures(Representer):
    """Pictures as sets of regions of a grid, 30 numbers each: 12 of Gabor texture, 18 of colour.

    The numbers of a picture depend on nothing but the picture.
    """

    takes: ClassVar[type] = Pictures
    gives: ClassVar[type] = Ragged

    columns: int = param(COLUMNS, "Regions side by side.", ge=1)
    rows: int = param(ROWS, "Regions one below the other.", ge=1)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the pictures; nothing else is learned."""
        check_cells(self.check(X), self.rows, self.columns, "RegionFeatures")
        self.n_features_out_ = len(FEATURES)
        return self

    def transform(self, X: Any) -> Ragged:
        """A set of region vectors per picture, region by region from the upper left."""
        pictures = self.check(X, new=True)
        check_cells(pictures, self.rows, self.columns, "RegionFeatures")
        return region_features(pictures, self.rows, self.columns)

    def represent(self, X: Any) -> Ragged:
        """What `transform` gives: its values have their names already."""
        return self.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The filters, and the mean, spread and skewness of every channel."""
        return np.array(FEATURES, dtype=object)


def region_features(pictures: Pictures, rows: int = ROWS, columns: int = COLUMNS) -> Ragged:
    """The thirty numbers of every region of these pictures."""
    found = list(each_picture(partial(_features, rows=rows, columns=columns), pictures, "regions"))
    offsets = np.arange(len(pictures) + 1) * (rows * columns)
    return Ragged(np.concatenate(found), offsets, False, FEATURES)


def _features(picture: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Regions x 30: mean magnitudes of the filters, then means, spreads and skewnesses of red, green, blue, L, a and b."""
    height, width = picture.shape[:2]
    size = cells(np.ones((height, width)), rows, columns)
    waves = np.stack(
        [cells(wave.astype(np.float64), rows, columns) / size for wave in magnitudes(picture)],
        axis=1,
    )
    channels = np.concatenate([picture.astype(np.float64), lab(picture)], axis=2)
    mean = cells(channels, rows, columns) / size[:, None]
    off = channels - mean[cell_of_each(height, width, rows, columns)]
    square = off * off
    spread = np.sqrt(cells(square, rows, columns) / size[:, None])
    third = cells(square * off, rows, columns) / size[:, None]
    skewness = np.divide(third, spread**3, out=np.zeros_like(third), where=spread > _CONSTANT)
    return np.concatenate([waves, mean, spread, skewness], axis=1)


def region_ids(ids: Sequence[str], rows: int = ROWS, columns: int = COLUMNS) -> list[str]:
    """Names of the regions: that of the picture, the row and the column.

    >>> region_ids(["a"], 1, 2)
    ['a 1,1', 'a 1,2']
    """
    return [
        f"{name} {row + 1},{column + 1}"
        for name in ids
        for row in range(rows)
        for column in range(columns)
    ]


def region_tables(
    pictures: Pictures,
    ids: Sequence[str],
    *,
    columns: int = COLUMNS,
    rows: int = ROWS,
    colours: int = 2,
    threshold: float = THRESHOLD,
) -> dict[tuple[str, str], Cooccurrence]:
    """What regions are tied to: their picture (1 each), and pixels of each colour (`colours` bins a channel) and texture."""
    check_cells(pictures, rows, columns, "region_tables")
    work = partial(_region_counts, rows=rows, columns=columns, bins=colours, threshold=threshold)
    found = list(each_picture(work, pictures, "regions"))
    many = rows * columns
    names = region_ids(ids, rows, columns)
    inside = sp.csr_array(
        (np.ones(len(names)), np.arange(len(names)), np.arange(len(pictures) + 1) * many)
    )
    tables = [sp.csr_array(np.concatenate([one[part] for one in found])) for part in (0, 1)]
    return {
        ("members", "regions"): Cooccurrence(inside, ids, names),
        ("regions", "region colours"): Cooccurrence(tables[0], names, colour_names(colours)),
        ("regions", "texture"): Cooccurrence(tables[1], names, NAMES),
    }


def _region_counts(
    picture: np.ndarray, rows: int, columns: int, bins: int, threshold: float
) -> tuple[np.ndarray, np.ndarray]:
    """Pixels of every colour and of every texture, region by region."""
    cell = cell_of_each(picture.shape[0], picture.shape[1], rows, columns)
    many = rows * columns
    tables = []
    for codes, width in (
        (colour_codes(picture, bins), bins**3),
        (texture_codes(picture, threshold), len(NAMES)),
    ):
        tables.append(counted(cell * width + codes, many * width).reshape(many, width))
    return tables[0], tables[1]
