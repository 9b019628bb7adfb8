"""Contexts and Attributes: mentions in tagged text as bags of the words around them, and as what stands at each place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.parts import term_weights as weighting
from coterie.parts.windows import OFFSETS, Window, columns_of, surroundings, window


class Contexts(Representer):
    """Mentions as sparse counts of the words and tags around them (bag of words): tf or tfidf.

    A member with several occurrences has one bag for all of them.
    """

    takes: ClassVar[type] = TaggedText

    width: int = param(2, "Tokens looked at before and after a mention, inside its sentence.", ge=1)
    columns: tuple[str, ...] | None = param(
        ("word",), "Columns that are counted; None counts the words and all features."
    )
    inside: bool = param(True, "Whether the tokens of the mention itself are counted too.")
    weights: str = param(
        "tf",
        "What a word weighs: its count, or its count times ln(N / df).",
        choices=("tf", "tfidf"),
    )
    min_df: int = param(1, "Members a word must stand beside.", ge=1)

    columns_: tuple[str, ...]
    terms_: np.ndarray
    known_: dict[Any, int]
    document_frequency_: np.ndarray
    idf_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which words stand around the mentions, and beside how many."""
        self._learned(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, and give the weighted counts."""
        return self._weighted(self._learned(X))

    def _learned(self, X: Any) -> Any:
        text = self.check(X)
        self.columns_ = columns_of(text, self.columns)
        counts, names = surroundings(text, self.width, self.columns_, self.inside)
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        kept = np.flatnonzero(frequency >= self.min_df)
        if not len(kept):
            raise DataError(
                f"no word stands beside min_df={self.min_df} members; lower min_df.",
                owner="Contexts",
            )
        self.terms_ = np.array([names[j] for j in kept], dtype=object)
        self.known_ = {name: at for at, name in enumerate(self.terms_.tolist())}
        self.document_frequency_ = frequency[kept]
        self.idf_ = weighting.inverse_frequency(self.document_frequency_, counts.shape[0])
        self.n_features_out_ = len(kept)
        return sp.csr_array(counts[:, kept])

    def transform(self, X: Any) -> Any:
        """Weighted counts of these mentions; words that were not seen in `fit` are left out."""
        text = self.check(X, new=True)
        counts, _ = surroundings(
            text, self.width, columns_of(text, self.columns_), self.inside, self.known_
        )
        return self._weighted(counts)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The words, and tags as "pos N"."""
        return self.terms_

    def _weighted(self, counts: Any) -> Any:
        return weighting.by_column(counts, self.idf_) if self.weights == "tfidf" else counts


class Attributes(Representer):
    """Mentions as categories: the words and tags at each place around the first token, one column per place."""

    takes: ClassVar[type] = TaggedText

    offsets: tuple[int, ...] = param(
        OFFSETS, "Tokens looked at, counted from the first token of a mention."
    )
    columns: tuple[str, ...] | None = param(
        None, "Columns looked at: word and features by name; all when left out."
    )

    columns_: tuple[str, ...]
    places_: tuple[tuple[str, int], ...]
    levels_: list[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what can stand at each place."""
        self._learned(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, and give the codes."""
        return self._coded(self._learned(X))

    def transform(self, X: Any) -> np.ndarray:
        """Codes of what stands at each place; what was not seen there in `fit` has the code past the last."""
        text = self.check(X, new=True)
        return self._coded(self._seen(text, columns_of(text, self.columns_)))

    def represent(self, X: Any) -> Table:
        """The codes as a Table with the names of the categories."""
        names = tuple(str(name) for name in self.get_feature_names_out())
        return Table(
            self.transform(X),
            names,
            {j: (*levels, "(new)") for j, levels in enumerate(self.levels_)},
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The places: "word -1", "pos 0", ..."""
        return np.array(
            [f"{column} {offset:+d}" if offset else column for column, offset in self.places_],
            dtype=object,
        )

    def _learned(self, X: Any) -> Window:
        text = self.check(X)
        self.columns_ = columns_of(text, self.columns)
        seen = self._seen(text, self.columns_)
        self.places_ = seen.places
        self.levels_ = [
            tuple(np.unique(_words(seen, place)).tolist()) for place in range(len(seen.places))
        ]
        self.n_features_out_ = len(seen.places)
        return seen

    def _seen(self, text: TaggedText, columns: Sequence[str]) -> Window:
        if text.owners is not None:
            raise DataError(
                "Attributes takes members with one place each, and these have several occurrences; use Contexts."
            )
        return window(text, self.offsets, columns)

    def _coded(self, seen: Window) -> np.ndarray:
        out = np.empty(seen.codes.shape)
        for place, levels in enumerate(self.levels_):
            words = _words(seen, place)
            known = np.array(levels)
            at = np.minimum(np.searchsorted(known, words), len(known) - 1)
            out[:, place] = np.where(known[at] == words, at, len(known))
        return out


def _words(seen: Window, place: int) -> np.ndarray:
    """What stands at one place of every span, as words; outside the sentence counts as a word of its own."""
    return np.asarray(
        np.append(seen.levels[seen.places[place][0]], "(outside)")[seen.codes[:, place]]
    )  # code -1 is the last
