"""Contrast: real members against made-up ones whose columns know nothing of each other (Shi and Horvath's forest)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie.compare.sic.roles import Annotation, Annotator, Draw
from coterie.compare.sic.samples import Samples
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.table import Table


class Contrast(Annotator):
    """Real or made up: a bootstrap of the members against as many made-up rows; for Tree(leaves=True, min_leaf=3).

    Two members are alike as often as they end in the same leaf of a tree that tells real from made up. Every iteration
    makes up its own rows, so that the result is a mean over many of them. There are two classes and a bootstrap: SIC's
    `train_size` and `n_labels` play no part.
    """

    takes: ClassVar[tuple[type, ...]] = (Table,)

    how: str = param(
        "marginals",
        "Every column drawn by itself from its own values (marginals), or evenly between its least and greatest (uniform).",
        choices=("marginals", "uniform"),
    )
    test: str = param(
        "all",
        "Who is classified: all members, or only those left out of the bootstrap.",
        choices=("all", "rest"),
    )

    def annotate(
        self,
        view: Any,
        samples: Samples,
        draw: Draw,
        generator: np.random.Generator,
        learned: Any = None,
    ) -> Annotation:
        """A bootstrap of the members as one class, and the made-up rows as the other."""
        table = Table.of(view)
        n = len(table)
        train = np.sort(generator.integers(n, size=n))
        synthetic = made_up(table, self.how, generator)
        test = np.arange(n) if self.test == "all" else np.setdiff1d(np.arange(n), train)
        return Annotation(
            train, np.zeros(n, dtype=np.int64), test, contrast=synthetic, notes={"made up": n}
        )


def made_up(table: Table, how: str, generator: np.random.Generator, n: int | None = None) -> Table:
    """Rows (as many as the table has, or n) that share each column's values, or its range, and no relation between columns."""
    if table.sparse:
        raise DataError(
            "Made-up members need a dense table, and this one is sparse; pass a dense array (.toarray())."
        )
    size = len(table) if n is None else n
    values = np.asarray(table.values)
    if how == "marginals":
        rows = generator.integers(len(table), size=(size, table.shape[1]))
        made = np.take_along_axis(values, rows, axis=0)
    else:
        refuse_words(table)
        low = np.nanmin(values, axis=0)
        high = np.nanmax(values, axis=0)
        made = generator.uniform(low, high, size=(size, table.shape[1]))
    return Table(made, table.names, table.categories, table.dates)


def refuse_words(table: Table) -> None:
    """One sentence where a range has no meaning: words, or a column without any value."""
    if table.categories:
        first = table.names[int(table.categorical[0])]
        raise DataError(
            f"Uniform made-up members need numbers, and column '{first}' holds words; use how='marginals'."
        )
    empty = np.flatnonzero(np.isnan(table.values).all(axis=0))
    if len(empty):
        raise DataError(
            f"Uniform made-up members need a range, and column '{table.names[empty[0]]}' has no value in any row."
        )
