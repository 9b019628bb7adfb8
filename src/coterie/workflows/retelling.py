"""What tells groups apart that a person changed: words and columns counted again, for any groups of the same members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.represent.terms import Terms
from coterie.workflows.describe import gather_features, name_of
from coterie.workflows.key_features import KeyFeatures, key_terms

# words in more than this share of the texts, or in fewer texts, tell nothing
_COMMON = 0.5
_RARE = 2


@dataclass(frozen=True, eq=False)
class Retelling:
    """The words of every text of a collection, counted once; `telling` says what tells any groups of its members."""

    collection: Collection
    views: tuple[str, ...]  # that groups are told by
    terms: Mapping[str, Table]  # of the views that are texts

    @classmethod
    def of(cls, collection: Collection, views: Sequence[str] = ()) -> Retelling:
        """Ready for these views, or for the first one."""
        named = (
            tuple(view for view in views if view in collection.views) or tuple(collection.views)[:1]
        )
        texts = {view: collection.view(view) for view in named}
        plain = {view: data for view, data in texts.items() if data.modality == "text"}
        return cls(
            collection,
            named,
            {
                view: found
                for view, data in plain.items()
                if (found := _counted(cast(Text, data))) is not None
            },
        )

    def telling(self, labels: np.ndarray, n_groups: int) -> list[Mapping[str, KeyFeatures]]:
        """Per group what tells it apart from all others; `labels` are numbered from 0, and -1 is in none."""
        if len(self.views) < 2:
            view = self.views[0] if self.views else ""
            return gather_features(self.collection, view, labels, n_groups, self.terms.get(view))
        found: list[dict[str, KeyFeatures]] = [{} for _ in range(n_groups)]
        for view, counts in self.terms.items():
            for own, rows in zip(
                found, key_terms(counts.values, counts.names, labels, n_groups), strict=True
            ):
                own |= {f"words ({view})": rows} if rows else {}
        return [dict(own) for own in found]

    def name(self, part: np.ndarray, of: np.ndarray, label: int) -> str:
        """What some members (positions) are called among those of one group: by what tells them from the others of it.

        Empty where nothing does.
        """
        some = Retelling(
            self.collection.take(of.tolist()),
            self.views,
            {view: Table(counts.values[of], counts.names) for view, counts in self.terms.items()},
        )
        told = some.telling(np.isin(of, part).astype(np.int64), 2)[1]
        called = name_of(told, label)
        return "" if called == f"group {label + 1}" else called


def _counted(data: Text) -> Table | None:
    """Texts x words, how often; None where no word is left."""
    few = len(data) <= 3
    try:
        model = (
            Terms(min_df=1, weights="tf")
            if few
            else Terms(max_df=_COMMON, min_df=_RARE, weights="tf")
        )
        counts = model.fit(data).counts(data)
    except DataError:
        return None
    return Table(counts, tuple(str(term) for term in model.terms_))
