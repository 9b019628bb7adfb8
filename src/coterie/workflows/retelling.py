"""What tells groups apart that a person changed: words and columns counted again, for any groups of the same members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import Text
from coterie.messages.notes import write_name
from coterie.workflows.describe import choose_names, gather_features
from coterie.workflows.key_features import KeyFeatures
from coterie.workflows.key_terms import CountedWords, diverse_terms


@dataclass(frozen=True, eq=False)
class Retelling:
    """The words of every text of a collection, counted once; `telling` says what tells any groups of its members."""

    collection: Collection
    views: tuple[str, ...]  # that groups are told by
    words: Mapping[str, CountedWords]  # of the views that are texts

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
            return gather_features(self.collection, view, labels, n_groups, self.words.get(view))
        found: list[dict[str, KeyFeatures]] = [{} for _ in range(n_groups)]
        for view, words in self.words.items():
            for own, rows in zip(found, diverse_terms(words, labels, n_groups), strict=True):
                own |= {f"words ({view})": rows} if rows else {}
        return [dict(own) for own in found]

    def name(self, part: np.ndarray, of: np.ndarray, label: int) -> str:
        """What some members (positions) are called among those of one group: by what tells them from the others of it.

        Empty where nothing does.
        """
        some = Retelling(
            self.collection.take(of.tolist()),
            self.views,
            {view: words.take(of) for view, words in self.words.items()},
        )
        told = some.telling(np.isin(of, part).astype(np.int64), 2)
        naming = choose_names(told, ["", ""])[1]
        return "" if naming.by == "number" else write_name(naming, label)


def _counted(data: Text) -> CountedWords | None:
    """The words of texts; None where there are none."""
    try:
        return CountedWords.of(data)
    except DataError:
        return None
