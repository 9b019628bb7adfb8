"""Names in tagged text: compared by what classifiers of their words and surroundings take for one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from coterie.compare.sic.estimator import SIC
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Step
from coterie.core.text import TaggedText
from coterie.workflows.choices import Choices
from coterie.workflows.key_features import KeyFeatures, key_surroundings
from coterie.workflows.modalities.base import Modality, named_comparer, takes_whole
from coterie.workflows.modalities.whole import ITERATIONS, PreparedWhole
from coterie.workflows.null_models import Draw
from coterie.workflows.prepared import compared_whole

_WINDOW = 2  # words on both sides of a mention
_EDGE = "<edge>"


class TaggedModality(Modality):
    """Marked spans of tokens in sentences."""

    noun: ClassVar[str] = "mentions"
    features: ClassVar[str] = "mentions"

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedWhole:
        """Compare the mentions by SIC, or by a comparer that takes mentions."""
        data = cast(TaggedText, collection.view(view))
        comparer = named_comparer(choices)
        if comparer is not None and not takes_whole(comparer, data):
            raise DataError(
                f"{type(comparer).__name__} does not compare mentions in tagged text; SIC does."
            )
        comparer = comparer or SIC(n_iterations=ITERATIONS, random_state=choices.seed)
        steps = [
            Step("mentions", {"columns": ["word", *data.features]}),
            compared_whole(comparer),
        ]
        return PreparedWhole(collection, view, [], comparer, steps, data, shuffled_surroundings)

    def has_ensemble(self, data: Any) -> bool:
        """They are grouped by a vote over several representations."""
        return True

    def describe_data(self, data: TaggedText) -> str:
        """How many mentions."""
        return f"{len(data):,} tagged mentions"

    def key_features(
        self, data: Any, labels: np.ndarray, n_groups: int
    ) -> Mapping[str, Sequence[KeyFeatures]]:
        """The words of the mentions, and the words around them."""
        return key_surroundings(data, labels, n_groups)

    def representers(self, data: Any, view: str) -> list[Any]:
        """Tagged text is not compared across views."""
        raise DataError(
            f"The view '{view}' is tagged text, which is not compared across views; leave it out."
        )


def shuffled_surroundings(part: TaggedText) -> Mapping[str, Draw]:
    """Null models of mentions: every place of the window filled from another mention, column by column."""
    places = np.arange(-_WINDOW, _WINDOW + 1)
    at = part.spans[:, :1] + places[None, :]
    sentence = part.sentence_of()
    first = part.offsets[sentence][:, None]
    end = part.offsets[sentence + 1][:, None]
    inside = (at >= first) & (at < end)
    spot = np.where(inside, at, 0)
    n, width = at.shape

    def mixed(column: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        words = np.where(inside, np.asarray(column).astype(str)[spot], _EDGE)
        return generator.permuted(words, axis=0).ravel()

    def draw(generator: np.random.Generator) -> TaggedText:
        begin = np.arange(n) * width + _WINDOW
        features = {name: mixed(column, generator) for name, column in part.features.items()}
        tokens = mixed(part.tokens, generator)
        spans = np.stack([begin, begin + 1], axis=1)
        return TaggedText(tokens, np.arange(n + 1) * width, spans, features)

    return {"shuffled_surroundings": draw}
