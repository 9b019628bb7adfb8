"""Key terms of groups of texts: words and phrases that are frequent in one group, rare elsewhere, and unlike each other.

A term t is worth p(t | g) ln(p(t | g) / p(t)) to group g, where p is the share of texts that hold it: its part of the
information that the presence of words gives on the group. Of the best terms by that

- function words of the language of the group are left out, and pieces of other words ("bn" of 5bn);
- inflections are one term ("award" and "awards"), written as the group writes it most;
- a term belongs to the group to which it is worth most, so that no two groups share one;
- a term that occurs in nearly the same texts as one chosen before adds nothing, and is passed over;
- a word gives way to a phrase ("prime minister") where its neighbor is nearly always there and the phrase is worth about as much.

Nothing depends on the order of the texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from unicodedata import category, name

import numpy as np
import scipy.sparse as sp

from coterie.core.random import content_sample
from coterie.core.text import Text
from coterie.parts.term_weights import Sentences
from coterie.represent.stop_lists import STOP_LISTS
from coterie.represent.terms import Terms
from coterie.represent.tokens import stem

KeyFeatures = tuple[tuple[str, float], ...]

READ = 5000  # texts whose words are read in their order
NAMED = 4  # terms of a name
_TRIED = 60  # words of a group among which its terms are chosen
_COMMON = (
    0.5  # words in more than this share of the texts say nothing, in a language without a stop list
)
_RARE = 2
_SMALL = 10  # texts below which every word counts
_SPOKEN = 0.15  # share of function words of a language from which a group is in that language
_DROPPED = "english"  # whose function words the dictionary leaves out
_HEARD = 0.05  # the same for the language of which it has the most
_SAME = 0.7  # correlation of two terms in the texts of a group from which they are in nearly the same ones
_BEGINNING = 4  # letters that two forms of a word share at least
_ENDING = 3  # letters in which they may differ at their end
_SEEN = 3  # times that a phrase occurs at least
_TOGETHER = 0.6  # share of the uses of a word that are in the phrase
_OFTEN = 0.35  # the same where
_ALWAYS = 0.8  # this share of the uses of its other word is
_BOUND = 0.7  # NPMI of the words of a phrase
_BESIDE = 1.0  # how much the worth of a term rises or falls with its NPMI with those before it
_SHORT = 4  # letters of a word that may be a piece of another one
_BROKEN = 0.5  # share of its occurrences at a digit or an apostrophe from which it is a piece
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


@dataclass(frozen=True, eq=False)
class CountedWords:
    """The words of texts, counted once; the key terms of any groups of the texts are taken from them."""

    texts: Text
    terms: Terms  # all words
    counts: Any  # texts x words, how often
    held: tuple[np.ndarray, Sentences] | None = None  # positions of texts, and their words in order

    @classmethod
    def of(cls, texts: Text) -> CountedWords:
        """Count the words of texts; where there are at most READ they are read once."""
        terms = Terms(min_df=1, weights="tf", stop_words=_DROPPED)
        if len(texts) > READ:
            return cls(texts, terms, terms.fit_transform(texts))
        counts, order = terms.fit_in_order(texts)
        return cls(texts, terms, counts, (np.arange(len(texts)), order))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The words."""
        return tuple(str(term) for term in self.terms.terms_)

    @cached_property
    def in_order(self) -> tuple[np.ndarray, Sentences]:
        """Positions of at most READ texts, drawn by what they hold, and their words in order, as columns."""
        if self.held is not None:
            return self.held
        read = content_sample(self.counts, READ)
        return read, self.terms.tokens(self.texts.take(read))

    def take(self, rows: np.ndarray) -> CountedWords:
        """Some of the texts; their words in order are those that were read before."""
        rows = np.asarray(rows, dtype=np.int64)
        read, order = self.in_order
        place = np.full(len(self.texts), -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        kept = place[read] >= 0
        sizes = np.diff(order.ends, prepend=0)
        tokens = order.tokens[np.repeat(kept, sizes)]
        ends = np.cumsum(sizes[kept])
        read = place[read[kept]]
        if not len(read):  # none of those that were read is among them: no phrases
            read = np.zeros(1, dtype=np.int64)
            ends = np.zeros(1, dtype=np.int64)
        held = (read, Sentences(tokens, ends, order.n_words))
        return CountedWords(self.texts.take(rows), self.terms, self.counts[rows], held)


def diverse_terms(
    words: CountedWords, labels: np.ndarray, n_groups: int, most: int = 12
) -> list[KeyFeatures]:
    """Per group its key terms, the most telling first, each with its worth."""
    found = _Candidates(words, np.asarray(labels, dtype=np.int64), n_groups)
    return [found.choose(group, most) for group in range(n_groups)]


class _Candidates:
    """The words that may be key terms of some groups, with what each is worth to each group."""

    def __init__(self, words: CountedWords, labels: np.ndarray, n_groups: int) -> None:
        self.words = words
        self.labels = labels
        self.n_groups = n_groups
        counts = sp.csr_array(words.counts)
        self.present = sp.csr_array(
            (np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape
        )
        known = np.flatnonzero(labels >= 0)
        self.member = sp.csr_array(
            (np.ones(len(known)), (labels[known], known)), shape=(n_groups, len(labels))
        )
        self.sizes = np.maximum(np.bincount(labels[known], minlength=n_groups), 1)
        self.allowed = self._allow(np.asarray((self.member @ counts).todense()))
        held = np.asarray((self.member @ self.present).todense())
        worth = self._weigh(held, np.bincount(counts.indices, minlength=counts.shape[1]))
        worth[~self.allowed] = 0.0
        best = np.argsort(-worth, axis=1, kind="stable")[:, :_TRIED]
        tried = np.unique(best)
        self.tried = tried[(worth[:, tried] > 0).any(axis=0)]
        self.held = held[:, self.tried]
        self._fold()

    def _weigh(self, held: np.ndarray, overall: np.ndarray) -> np.ndarray:
        """p(t | g) ln(p(t | g) / p(t)), from how many texts of each group, and of all, hold a term."""
        share = held / self.sizes[:, None]
        everywhere = (overall + 0.5) / (len(self.labels) + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(held > 0, share * np.log(np.maximum(share, 1e-300) / everywhere), 0.0)

    def _allow(self, uses: np.ndarray) -> np.ndarray:
        """Groups x words, which may be terms: no function words, no single letters, none that one text or most texts hold."""
        names = self.words.names
        self.place = {word: at for at, word in enumerate(names)}
        listed = [
            np.array(sorted(self.place[word] for word in known if word in self.place), dtype=int)
            for known in STOP_LISTS.values()
        ]
        shares, overall = self._function_words(uses, listed)
        spoken = (shares >= _SPOKEN) | ((shares == shares.max(axis=0)) & (shares >= _HEARD))
        first = int(overall.argmax())
        self.is_english = list(STOP_LISTS)[first] == _DROPPED and overall[first] >= _HEARD
        n = len(self.labels)
        frequency = np.bincount(self.present.indices, minlength=len(names))
        usual = frequency >= (_RARE if n >= _SMALL else 1)
        usual &= np.array([len(word) > 1 or category(word) == "Lo" for word in names], dtype=bool)
        allowed = np.repeat(usual[None, :], self.n_groups, axis=0)
        for at, heard in zip(listed, spoken, strict=True):
            allowed[np.ix_(heard, at)] = False
        if n >= _SMALL:
            unlisted = ~spoken.any(axis=0)
            allowed[np.ix_(unlisted, frequency > max(_COMMON * n, _RARE))] = False
        return allowed

    def _function_words(
        self, uses: np.ndarray, listed: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Languages x groups, the share of function words of a language, and the same of all texts.

        Those of English are no terms of the dictionary, and are known by the places they leave in the order of the words.
        """
        read, order = self.words.in_order
        label = self.labels[read][order.owners()]
        known = label >= 0
        total = np.bincount(label[known], minlength=self.n_groups)
        left = np.bincount(label[known & (order.tokens < 0)], minlength=self.n_groups)
        dropped = np.append(left / np.maximum(total, 1), left.sum() / max(total.sum(), 1))
        uses = np.vstack([uses, uses.sum(axis=0)])
        counted = np.maximum(uses.sum(axis=1), 1)
        shares = np.array([(1 - dropped) * uses[:, at].sum(axis=1) / counted for at in listed])
        shares[list(STOP_LISTS).index(_DROPPED)] += dropped
        return shares[:, :-1], shares[:, -1]

    # ---- inflections ------------------------------------------------------------------------------------------------

    def _fold(self) -> None:
        """Forms of one word become one term, held by the texts that hold any of them; each term belongs to one group."""
        names = [self.words.names[at] for at in self.tried.tolist()]
        roots = [stem(word) if self.is_english else word for word in names]
        place = {root: at for at, root in enumerate(sorted(set(roots)))}
        root = np.array([place[one] for one in roots], dtype=np.int64)
        shape = (len(root), len(place))
        fold = sp.csr_array((np.ones(len(root)), (np.arange(len(root)), root)), shape=shape)
        folded = sp.csr_array(self.present[:, self.tried] @ fold)
        folded.data = np.ones_like(folded.data)
        self.folded = sp.csc_array(folded)
        held = np.asarray((self.member @ folded).todense())
        worth = self._weigh(held, np.bincount(folded.indices, minlength=len(place)))
        usable = np.zeros(worth.shape, dtype=bool)
        for group in range(self.n_groups):
            usable[group, root[self.allowed[group, self.tried]]] = True
        self.worth = np.where(usable, worth, 0.0)
        self.owner = self.worth.argmax(axis=0) if worth.size else np.zeros(0, dtype=np.int64)
        self.term_of = dict(zip(self.tried.tolist(), root.tolist(), strict=True))
        order = np.argsort(root, kind="stable")
        self.forms = np.split(order, np.cumsum(np.bincount(root, minlength=len(place)))[:-1])

    def _written(self, group: int, term: int) -> int:
        """The column of the form of a term that most texts of the group hold."""
        forms = self.forms[term]
        forms = forms[self.allowed[group, self.tried[forms]]]
        return int(self.tried[forms[np.argmax(self.held[group, forms])]])

    # ---- the terms of a group ---------------------------------------------------------------------------------------

    def choose(self, group: int, most: int) -> KeyFeatures:
        """The terms of a group: each worth much, met beside those before it, and unlike them."""
        own = np.flatnonzero((self.owner == group) & (self.worth[group] > 0))
        if not len(own):
            return ()
        own = own[np.argsort(-self.worth[group, own], kind="stable")][:_TRIED]
        worth = self.worth[group, own]
        alike, npmi = self._meet(group, own)
        chosen: list[str] = []
        used: list[int] = []
        passed: list[int] = []
        open_ = np.ones(len(own), dtype=bool)
        while open_.any() and len(chosen) < most:
            beside = 1 + _BESIDE * npmi[:, used].mean(axis=1) if used else 1.0
            at = int(np.argmax(np.where(open_, worth * beside, -np.inf)))
            open_[at] = False
            column = self._written(group, int(own[at]))
            word = self.words.names[column]
            if self._is_form(word, chosen) or self._is_piece(column, group):
                continue
            if (alike[at, used] > _SAME).any():
                passed.append(at)
                continue
            phrase, other = self._phrase(group, column)
            if phrase and other in chosen:
                chosen[chosen.index(other)] = phrase
                continue
            if phrase and any(other in term.split(" ") for term in chosen):
                phrase = ""
            chosen.append(phrase or word)
            used.append(at)
            if phrase:
                open_[own == self.term_of.get(self.place[other], -1)] = False
        for at in passed[: max(NAMED - len(chosen), 0)]:  # of texts that are nearly the same
            chosen.append(self.words.names[self._written(group, int(own[at]))])
            used.append(at)
        return tuple(zip(chosen, worth[used].tolist(), strict=True))

    def _meet(self, group: int, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of every two terms the correlation of their presence in the texts of a group, and their NPMI in all texts."""
        held = self.folded[:, terms]
        inside = held[np.flatnonzero(self.labels == group)]
        off = self._together(inside) / inside.shape[0]
        share = off.diagonal()
        off = off - np.outer(share, share)
        spread = np.sqrt(share * (1 - share))
        alike = off / np.maximum(np.outer(spread, spread), 1e-12)
        both = self._together(held)
        sizes = np.maximum(both.diagonal(), 1.0)
        n = max(len(self.labels), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            npmi = np.log(both * n / np.outer(sizes, sizes)) / -np.log(both / n)
        npmi[both <= 0] = -1.0
        npmi[both >= n] = 0.0
        return alike, npmi

    def _together(self, held: Any) -> np.ndarray:
        """How many texts hold each two of some terms."""
        return np.asarray((held.T @ held).todense())

    def _is_form(self, word: str, chosen: Sequence[str]) -> bool:
        """Whether a word differs from one that was chosen by its ending alone."""
        return any(is_inflected(word, one) for term in chosen for one in term.split(" "))

    def _is_piece(self, column: int, group: int) -> bool:
        """Whether a short word mostly stands at a digit or an apostrophe: "bn" of 5bn, "hui" of aujourd'hui."""
        word = self.words.names[column]
        if len(word) > _SHORT or category(word[0]) == "Lo":
            return False
        rows = self.present[:, [column]].tocsc().indices
        rows = np.intersect1d(rows[self.labels[rows] == group], self.words.in_order[0])
        alone = 0
        broken = 0
        pattern = re.compile(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])")
        for row in rows.tolist():
            text = self.words.texts[row].lower()
            for found in pattern.finditer(text):
                beside = text[max(found.start() - 1, 0) : found.start()], text[found.end() :][:1]
                if _breaks(beside[0]) or _breaks(beside[1]):
                    broken += 1
                else:
                    alone += 1
        return broken > _BROKEN * (broken + alone)

    # ---- phrases ----------------------------------------------------------------------------------------------------

    @cached_property
    def _pairs(self) -> _Pairs:
        return _Pairs(self.words, self.labels, self.n_groups, self.tried, self.allowed)

    def _phrase(self, group: int, column: int) -> tuple[str, str]:
        """The phrase in which a word of the group nearly always stands, and the other word of it; empty where there is none."""
        pairs = self._pairs
        first, second, uses = pairs.with_word(column, group)
        other = np.where(first == column, second, first)
        terms = [self.term_of.get(at, -1) for at in other.tolist()]
        free = np.array([at < 0 or self.owner[at] == group for at in terms], dtype=bool)
        total = pairs.totals[group]
        one, two = pairs.uses_of(first, group), pairs.uses_of(second, group)
        together = np.log(uses / total)
        bound = together - np.log(one / total) - np.log(two / total)
        own = pairs.uses_of(np.full_like(other, column), group)
        tied = uses >= _ALWAYS * pairs.uses_of(other, group)
        usual = (uses >= _TOGETHER * own) | (tied & (uses >= _OFTEN * own))
        names = self.words.names
        unlike = np.array([not is_inflected(names[column], names[at]) for at in other], dtype=bool)
        good = free & usual & unlike & (uses >= _SEEN) & (bound >= _BOUND * -together)
        if not good.any():
            return "", ""
        best = int(np.flatnonzero(good)[np.argmax(uses[good])])
        if self._is_piece(int(other[best]), group):
            return "", ""
        return f"{names[int(first[best])]} {names[int(second[best])]}", names[int(other[best])]


class _Pairs:
    """Words in a row of which one may be a key term: and how often each group has them."""

    def __init__(
        self,
        words: CountedWords,
        labels: np.ndarray,
        n_groups: int,
        tried: np.ndarray,
        allowed: np.ndarray,
    ) -> None:
        read, order = words.in_order
        width = max(len(words.names), 1)
        own = labels[read]
        row = order.owners()
        label = own[row]
        tokens = order.tokens
        wanted = np.zeros(width, dtype=bool)
        wanted[[at for at in tried.tolist() if not is_unspaced(words.names[at])]] = True
        first, second = tokens[:-1], tokens[1:]
        at = np.flatnonzero((row[:-1] == row[1:]) & (np.minimum(first, second) >= 0))
        at = at[(wanted[first[at]] | wanted[second[at]]) & (label[at] >= 0)]
        at = at[allowed[label[at], first[at]] & allowed[label[at], second[at]]]
        self.keys, kind = np.unique(first[at] * width + second[at], return_inverse=True)
        self.first, self.second = np.divmod(self.keys, width)
        shape = (len(self.keys), n_groups)
        cells = shape[0] * shape[1]
        self.uses = np.bincount(kind * n_groups + label[at], minlength=cells).reshape(shape)
        known = (tokens >= 0) & (label >= 0)
        self.totals = np.maximum(np.bincount(label[known], minlength=n_groups), 1)
        involved = np.zeros(width, dtype=bool)
        involved[self.first] = True
        involved[self.second] = True
        self.place = np.cumsum(involved) - 1
        known[known] = involved[tokens[known]]
        many = int(involved.sum())
        cell = self.place[tokens[known]] * n_groups + label[known]
        self.single = np.bincount(cell, minlength=many * n_groups).reshape(many, n_groups)

    def with_word(self, column: int, group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pairs of a group that hold a word: their words, and how often the group has them."""
        at = np.flatnonzero(
            ((self.first == column) | (self.second == column)) & (self.uses[:, group] > 0)
        )
        return self.first[at], self.second[at], self.uses[at, group]

    def uses_of(self, columns: np.ndarray, group: int) -> np.ndarray:
        """How often a group has these words."""
        return np.asarray(self.single[self.place[columns], group])


def is_inflected(one: str, other: str) -> bool:
    """Whether two words share their beginning and differ in a short ending.

    >>> is_inflected("regierung", "regierungen"), is_inflected("market", "marker"), is_inflected("game", "games")
    (True, False, True)
    """
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    rest = sorted((len(one) - shared, len(other) - shared))
    return shared >= _BEGINNING and rest[0] == 0 and rest[1] <= _ENDING


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script that is written without spaces.

    >>> is_unspaced("film"), is_unspaced("\u6771\u4eac")
    (False, True)
    """
    return not word[:1].isascii() and name(word[0], "").startswith(_UNSPACED)


def _breaks(letter: str) -> bool:
    return letter.isdigit() or letter in ("'", "\u2019", "\u02bc", "`")
