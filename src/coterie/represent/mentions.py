"""SpellingByContext and SpellingCounts: mentions in tagged text by how they are spelled and what stands around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from coterie.core.errors import DataError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.table import Table
from coterie.core.text import TaggedText
from coterie.core.workplace import steady

_MOST_WORDS = 4  # of a mention that are told apart in its shape and length
_NOTHING = 1e-8  # of the largest singular value: what is below is rounding
_OUTSIDE = ("<s>", "</s>")  # stands before and after a sentence


class SpellingByContext(Representer):
    """Mentions as coordinates of correspondence analysis between how they are spelled and what stands around them.

    Spelling is the words, their affixes and their shape (Xx, X., d-x); context the words, suffixes and shapes of up to two
    tokens on either side. Of the table of spellings by contexts what the margins explain is taken away, and its leading
    singular vectors place every spelling and every context. A mention has the means of its spellings and of its contexts;
    mentions of the same words share their mean.
    """

    takes: ClassVar[type] = TaggedText
    gives: ClassVar[type] = Table

    n_components: int = param(20, "Singular vectors of the table.", ge=1)
    min_df: int = param(3, "Mentions that must have a spelling or a context for it to count.", ge=1)
    prior: float = param(
        5.0, "Pairs added to the margin of every spelling and context, which rare ones need.", ge=0
    )
    side: str = param(
        "both",
        "Whether a mention is placed by its spellings, by its contexts, or by both, side by side.",
        choices=("both", "spelling", "context"),
    )
    principal: bool = param(
        True,
        "Whether coordinates are multiplied with the singular values, as principal coordinates are.",
        choices=(False, True),
    )
    by_form: bool = param(
        True, "Whether mentions of the same words get their mean.", choices=(False, True)
    )

    spellings_: tuple[str, ...]
    contexts_: tuple[str, ...]
    singular_values_: np.ndarray
    spelling_places_: np.ndarray
    context_places_: np.ndarray
    forms_: tuple[str, ...]
    form_rows_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the places of spellings and contexts, and of the forms that were seen."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Learn, and give one row per member."""
        text: TaggedText = self.check(X)
        spelled = [spelling_features(text, span) for span in range(len(text.spans))]
        around = [context_features(text, span, at) for span, at in enumerate(text.sentence_of())]
        self.spellings_ = _frequent(spelled, self.min_df)
        self.contexts_ = _frequent(around, self.min_df)
        if not self.spellings_ or not self.contexts_:
            what = "context" if self.spellings_ else "spelling"
            raise DataError(
                f"SpellingByContext: no {what} is shared by min_df={self.min_df} mentions; lower min_df."
            )
        left = _indicators(spelled, self.spellings_)
        right = _indicators(around, self.contexts_)
        with steady():
            self._learn(left, right)
            rows = self._placed(left, right)
            forms = form_of(text)
            found, codes = np.unique(forms, return_inverse=True)
            self.forms_ = tuple(found.tolist())
            self.form_rows_ = _means(rows, codes)
        self.n_features_out_ = rows.shape[1]
        return self._members(text, rows, forms)

    def transform(self, X: Any) -> np.ndarray:
        """One row per member; forms that were seen in `fit` have the rows they had there."""
        text: TaggedText = self.check(X, new=True)
        spelled = [spelling_features(text, span) for span in range(len(text.spans))]
        around = [context_features(text, span, at) for span, at in enumerate(text.sentence_of())]
        with steady():
            rows = self._placed(
                _indicators(spelled, self.spellings_), _indicators(around, self.contexts_)
            )
            return self._members(text, rows, form_of(text))

    def _learn(self, left: Any, right: Any) -> None:
        """Singular vectors of the table of spellings by contexts, without what its margins explain."""
        pairs = sp.csr_array(left.T @ right)
        down = 1.0 / np.sqrt(left.sum(axis=0) + self.prior)
        across = 1.0 / np.sqrt(right.sum(axis=0) + self.prior)
        table = sp.csr_array(sp.diags_array(down) @ pairs @ sp.diags_array(across))
        first = 1.0 / down / np.linalg.norm(1.0 / down)
        second = 1.0 / across / np.linalg.norm(1.0 / across)
        explained = float(first @ (table @ second))

        def forward(v: np.ndarray) -> np.ndarray:
            return np.asarray(table @ v.ravel() - explained * first * (second @ v.ravel()))

        def backward(u: np.ndarray) -> np.ndarray:
            return np.asarray(table.T @ u.ravel() - explained * second * (first @ u.ravel()))

        u, values, v = _singular(table.shape, forward, backward, self.n_components)
        kept = values > _NOTHING * values[0]
        self.singular_values_ = values[kept]
        self.spelling_places_ = u[:, kept] * down[:, None]
        self.context_places_ = v[:, kept] * across[:, None]

    def _placed(self, left: Any, right: Any) -> np.ndarray:
        """The means of the places of the spellings, of the contexts, or of both of each mention."""
        sides = {
            "spelling": (left, self.spelling_places_),
            "context": (right, self.context_places_),
        }
        parts = [
            np.asarray(held @ places) / np.maximum(held.sum(axis=1), 1.0)[:, None]
            for name, (held, places) in sides.items()
            if self.side in (name, "both")
        ]
        scale = self.singular_values_ if self.principal else 1.0
        return np.concatenate([part * scale for part in parts], axis=1)

    def _members(self, text: TaggedText, rows: np.ndarray, forms: Sequence[str]) -> np.ndarray:
        """The rows of the members, of the rows of their mentions."""
        if self.by_form:
            found, codes = np.unique(forms, return_inverse=True)
            means = _means(rows, codes)
            known = np.array(self.forms_)
            at = np.minimum(np.searchsorted(known, found), len(known) - 1)
            seen = known[at] == found
            means[seen] = self.form_rows_[at[seen]]
            rows = means[codes]
        return rows if text.owners is None else _means(rows, text.owners)


class SpellingCounts(Representer):
    """Mentions as sparse counts of their spellings and of what stands around them, those of the same words together.

    The spellings and contexts are those of SpellingByContext. For organizers of counts, such as SequentialIB.
    """

    takes: ClassVar[type] = TaggedText
    gives: ClassVar[type] = Table

    min_df: int = param(3, "Mentions that must have a spelling or a context for it to count.", ge=1)
    by_form: bool = param(
        True, "Whether mentions of the same words get their sum.", choices=(False, True)
    )

    names_: tuple[str, ...]
    forms_: tuple[str, ...]
    form_rows_: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the spellings and contexts that count, and the sums of the forms that were seen."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Learn, and give one row per member."""
        text: TaggedText = self.check(X)
        held = _features(text)
        self.names_ = _frequent(held, self.min_df)
        if not self.names_:
            raise DataError(
                f"SpellingCounts: no spelling or context is shared by min_df={self.min_df} mentions; lower min_df."
            )
        forms = form_of(text)
        found, codes = np.unique(forms, return_inverse=True)
        self.forms_ = tuple(found.tolist())
        rows = _indicators(held, self.names_)
        self.form_rows_ = _sums(rows, codes)
        self.n_features_out_ = len(self.names_)
        return self._members(text, rows, forms)

    def transform(self, X: Any) -> Any:
        """One row per member; forms that were seen in `fit` have the rows they had there."""
        text: TaggedText = self.check(X, new=True)
        return self._members(text, _indicators(_features(text), self.names_), form_of(text))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The spellings and contexts."""
        return np.array(self.names_, dtype=object)

    def _members(self, text: TaggedText, rows: Any, forms: Sequence[str]) -> Any:
        """The rows of the members, of the rows of their mentions."""
        if self.by_form:
            found, codes = np.unique(forms, return_inverse=True)
            known = np.array(self.forms_)
            at = np.minimum(np.searchsorted(known, found), len(known) - 1)
            seen = (known[at] == found).astype(np.float64)
            learned = sp.diags_array(seen) @ self.form_rows_[at]
            new = sp.diags_array(1.0 - seen) @ _sums(rows, codes)
            rows = sp.csr_array(learned + new)[codes]
            rows.sort_indices()
            rows.eliminate_zeros()
        return rows if text.owners is None else _sums(rows, text.owners)


def spelling_features(text: TaggedText, span: int) -> list[str]:
    """How a mention is spelled: its words, the ends and beginnings of the outer ones, its shape, its length."""
    words = _words(text, *text.spans[span])
    low = [word.lower() for word in words]
    first = low[0]
    last = low[-1]
    found = [
        "all " + " ".join(low),
        "first " + first,
        "last " + last,
        *(f"in {word}" for word in low),
        *(f"ends {last[-n:]}" for n in (2, 3, 4)),
        *(f"begins {first[:n]}" for n in (3, 4)),
        "first ends " + first[-3:],
        "shape " + "_".join(shape_of(word) for word in words[:_MOST_WORDS]),
        f"words {min(len(words), _MOST_WORDS)}",
        f"letters {min(sum(map(len, words)) // 3, 6)}",
        f"capitals {all(word.isupper() for word in words)}",
        f"digit {any(c.isdigit() for word in words for c in word)}",
        f"hyphen {any('-' in word for word in words)}",
        f"stop {any('.' in word for word in words)}",
        f"small {any(word[:1].islower() for word in words)}",
    ]
    return sorted(set(found))


def context_features(text: TaggedText, span: int, sentence: int) -> list[str]:
    """What stands around a mention: two words on either side, alone and together, the ends and shapes of the nearest."""
    first, end = (int(place) for place in text.spans[span])
    low, high = (int(place) for place in text.offsets[sentence : sentence + 2])
    before = [str(text.tokens[at]) if at >= low else _OUTSIDE[0] for at in (first - 1, first - 2)]
    after = [str(text.tokens[at]) if at < high else _OUTSIDE[1] for at in (end, end + 1)]
    left, left2 = (word.lower() for word in before)
    right, right2 = (word.lower() for word in after)
    found = [
        f"-1 {left}",
        f"+1 {right}",
        f"-2 {left2}",
        f"+2 {right2}",
        f"-2-1 {left2} {left}",
        f"+1+2 {right} {right2}",
        f"-1+1 {left} {right}",
        f"-1 ends {left[-3:]}",
        f"+1 ends {right[-3:]}",
        f"-1 shape {shape_of(before[0])}",
        f"+1 shape {shape_of(after[0])}",
    ]
    return sorted(set(found))


def shape_of(word: str) -> str:
    """A word with X for capitals, x for small letters and d for digits, runs written once.

    >>> shape_of("McDonald's"), shape_of("U.S."), shape_of("1999-2000")
    ("XxXx'x", 'X.X.', 'd-d')
    """
    kinds = "".join(
        "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word
    )
    return re.sub(r"(.)\1+", r"\1", kinds)


def form_of(text: TaggedText) -> list[str]:
    """The words of every mention in small letters."""
    return [" ".join(_words(text, first, end)).lower() for first, end in text.spans]


def _words(text: TaggedText, first: int, end: int) -> list[str]:
    return [str(word) for word in text.tokens[first:end]]


def _frequent(rows: Sequence[Sequence[str]], least: int) -> tuple[str, ...]:
    """What so many rows hold, in alphabetical order."""
    counts = Counter(one for row in rows for one in row)
    return tuple(sorted(one for one, many in counts.items() if many >= least))


def _indicators(rows: Sequence[Sequence[str]], names: tuple[str, ...]) -> Any:
    """Rows x names: one where a row holds the name."""
    place = {name: at for at, name in enumerate(names)}
    held = [[place[one] for one in row if one in place] for row in rows]
    ends = np.concatenate([[0], np.cumsum([len(one) for one in held])]).astype(np.int64)
    columns = np.array([at for one in held for at in one], dtype=np.int64)
    return sp.csr_array((np.ones(len(columns)), columns, ends), shape=(len(rows), len(names)))


def _singular(
    size: tuple[int, int], forward: Any, backward: Any, rank: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leading singular vectors of a linear map and its values, falling; the largest entry of each left one is positive."""
    operator = LinearOperator(size, matvec=forward, rmatvec=backward, dtype=np.float64)
    if rank < min(size):
        start = np.cos(np.arange(min(size), dtype=np.float64))
        u, values, vt = svds(operator, k=rank, v0=start, solver="arpack")
        order = np.argsort(-values)
        u, values, vt = u[:, order], values[order], vt[order]
    else:
        u, values, vt = np.linalg.svd(operator @ np.eye(size[1]), full_matrices=False)
    at = np.abs(u).argmax(axis=0)
    sign = np.where(u[at, np.arange(u.shape[1])] < 0, -1.0, 1.0)
    return u * sign, values, (vt * sign[:, None]).T


def _features(text: TaggedText) -> list[list[str]]:
    """The spellings and the contexts of every mention, in one list."""
    places = text.sentence_of()
    return [
        [*(f"is {one}" for one in spelling_features(text, span)), *context_features(text, span, at)]
        for span, at in enumerate(places)
    ]


def _sums(rows: Any, codes: np.ndarray) -> Any:
    """The sum of the rows of every code, sparse."""
    return sp.csr_array(sp.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes))))) @ rows)


def _means(rows: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The mean row of every code."""
    many = np.bincount(codes)
    sums = sp.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
    return np.asarray(sums @ rows) / many[:, None]
