"""Which words might stand in for another: scorers that learn from unlabeled sentences, each with `fit` and `scores`.

Keller 2006, section 5.2.3: a Bayes classifier on the words of the sentence, the network NNTR, a distributional similarity, and
the sense that two words share. Higher is better; only the order of the scores of one scorer means something.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import Settings, param
from coterie.core.partition import Ranking
from coterie.parts.term_weights import Sentences
from coterie_papers.substitution.asked import Asked
from coterie_papers.substitution.places import Senses
from coterie_papers.substitution.word_contexts import beside, pair_cosines, positive_information

_WORDS = 256  # candidates whose sentences are counted at once
_PAIRS = 20_000  # candidates that a network is asked for at once


class SubstituteBayes(Settings):
    """Does the rest of the sentence look like sentences that hold the candidate? Log-odds of a naive Bayes classifier."""

    alpha: float = param(
        0.1,
        "Added to the count of a word: alpha times the words of the dictionary, by their frequency.",
        gt=0,
    )

    def fit(self, sentences: Sentences) -> Self:
        """Keep how often each sentence has each word."""
        self.check_params()
        self.counts_ = sentences.counts()
        if not self.counts_.nnz:
            raise DataError("SubstituteBayes: no sentence holds a word of the dictionary.")
        self.present_ = sp.csr_array(self.counts_.astype(bool).T, dtype=np.float64)
        self.totals_ = np.asarray(self.counts_.sum(axis=0)).ravel()
        self.lengths_ = np.asarray(self.counts_.sum(axis=1)).ravel()
        return self

    def scores(self, asked: Asked) -> np.ndarray:
        """ln P(w') - ln P(not w') + sum over the words w of the context of ln P(w | w') - ln P(w | not w').

        A word that never meets the candidate adds the same for all words, so that only words which do are looked up.
        """
        _fitted(self, "counts_")
        width = self.counts_.shape[1]
        total = float(self.totals_.sum())
        _same_width(asked, width, "SubstituteBayes")
        mass = self.alpha * width
        known = np.unique(asked.words[asked.words >= 0])
        frequency = np.zeros(width)
        size = np.zeros(width)
        frequency[known] = np.diff(self.present_.indptr)[known]
        size[known] = self.present_[known] @ self.lengths_
        word = np.maximum(asked.words, 0)
        n = len(self.lengths_)
        often = np.where(asked.words >= 0, frequency[word], 0.0)
        tokens = np.where(asked.words >= 0, size[word], 0.0)
        prior = np.log(often + self.alpha) - np.log(n - often + self.alpha)
        alone = np.log(mass / (tokens + mass)) - np.log((total + mass) / (total - tokens + mass))
        length = np.asarray(asked.contexts[:, self.totals_ > 0].sum(axis=1)).ravel()
        return np.asarray(
            prior + length[asked.owners] * alone + self._met(asked, known, mass / total)
        )

    def _met(self, asked: Asked, known: np.ndarray, share: float) -> np.ndarray:
        """What the words of the context that meet the candidate add beyond those that do not."""
        found = np.zeros(len(asked))
        order = np.argsort(asked.words, kind="stable")
        sorted_words = asked.words[order]
        for start in range(0, len(known), _WORDS):
            block = known[start : start + _WORDS]
            rows = order[
                np.searchsorted(sorted_words, block[0]) : np.searchsorted(
                    sorted_words, block[-1], side="right"
                )
            ]
            together = sp.csr_array(self.present_[block] @ self.counts_)
            together.sort_indices()
            contexts = asked.contexts[asked.owners[rows]]
            owner = np.repeat(np.arange(len(rows)), np.diff(contexts.indptr))
            here = np.searchsorted(block, asked.words[rows])[owner]
            times = np.asarray(together[here, contexts.indices], dtype=np.float64).ravel()
            met = times > 0
            column = contexts.indices[met]
            times = times[met]
            prior = share * self.totals_[column]
            add = np.log((times + prior) / prior) - np.log(
                (self.totals_[column] - times + prior) / (self.totals_[column] + prior)
            )
            found[rows] = np.bincount(owner[met], contexts.data[met] * add, minlength=len(rows))
        return found


class SubstituteSimilarity(Settings):
    """Is the candidate used as the word it replaces is? Cosine of what stands beside them; 0 where one is not known."""

    width: int = param(2, "Places before and after a word that are looked at.", ge=1)
    smoothing: float = param(
        0.75, "Power of the frequency of what stands beside, below one for rare words.", gt=0, le=1
    )

    def fit(self, sentences: Sentences) -> Self:
        """Weigh what stands beside every word by positive mutual information."""
        self.check_params()
        self.vectors_ = positive_information(beside(sentences, self.width), self.smoothing)
        return self

    def scores(self, asked: Asked) -> np.ndarray:
        """The cosine of the candidate and the word at its place; the sentence itself is not looked at."""
        _fitted(self, "vectors_")
        _same_width(asked, self.vectors_.shape[0], "SubstituteSimilarity")
        return pair_cosines(self.vectors_, asked.targets[asked.owners], asked.words)


class SubstituteFrequency(Settings):
    """How often is the candidate used at all? A baseline that looks at neither the sentence nor the word."""

    def fit(self, sentences: Sentences) -> Self:
        """Count the words."""
        self.check_params()
        self.totals_ = np.bincount(
            sentences.tokens[sentences.tokens >= 0], minlength=sentences.n_words
        ).astype(np.float64)
        return self

    def scores(self, asked: Asked) -> np.ndarray:
        """ln(1 + count of the candidate); 0 where it is not known."""
        _fitted(self, "totals_")
        _same_width(asked, len(self.totals_), "SubstituteFrequency")
        return np.where(asked.words >= 0, np.log1p(self.totals_[np.maximum(asked.words, 0)]), 0.0)


class SubstituteSenses(SubstituteFrequency):
    """Do the word and the candidate share a sense? The share of its uses (or senses) in common, then frequency.

    With counts of a text whose senses are marked, this is the scorer `semcor` of Keller 2006; without them every sense of a word
    counts the same.
    """

    senses: Senses | None = param(
        None, "The senses of words: coterie_papers.substitution.read_senses(path)."
    )

    def scores(self, asked: Asked) -> np.ndarray:
        """The share of the word's occurrences (senses) that the candidate has too; equal ones in the order of frequency."""
        if self.senses is None:
            raise ParameterError(
                "SubstituteSenses: senses must be given; read them with coterie_papers.substitution.read_senses(path)."
            )
        frequency = super().scores(asked)
        examples = asked.examples
        known = dict[tuple[str, str, str], float]()
        shared = np.empty(len(asked))
        for row, (place, candidate) in enumerate(
            zip(examples.owners.tolist(), examples.candidates, strict=True)
        ):
            key = (examples.targets[place], candidate, examples.kinds[place])
            if key not in known:
                known[key] = self.senses.shared(*key)
            shared[row] = known[key]
        return np.asarray(shared + 1e-6 * frequency / max(float(frequency.max(initial=0.0)), 1.0))


class SubstituteNetwork(Settings):
    """Does a network find that the candidate fits the rest of the sentence? Any model with scores(words, documents)."""

    model: Any = param(
        None,
        "A fitted model with pair_scores(words, documents), or scores(words, documents) -> words x documents, such as NNTR.",
    )

    def scores(self, asked: Asked) -> np.ndarray:
        """f(candidate, sentence without the word); minus infinity where the dictionary lacks the candidate or the sentence."""
        if not hasattr(self.model, "scores") and not hasattr(self.model, "pair_scores"):
            raise ParameterError(
                "SubstituteNetwork: model must be a fitted model with scores(words, documents), such as NNTR."
            )
        found = np.full(len(asked), -np.inf)
        usable = np.flatnonzero(
            (asked.words >= 0) & (np.diff(asked.contexts.indptr) > 0)[asked.owners]
        )
        by_pairs = hasattr(self.model, "pair_scores")
        starts = (
            np.arange(0, len(usable), _PAIRS)
            if by_pairs
            else np.flatnonzero(np.diff(asked.owners[usable], prepend=-1))
        )
        for rows in np.split(usable, starts[1:]) if len(usable) else []:
            scored = self._of_pairs(asked, rows) if by_pairs else self._of_one(asked, rows)
            if scored.size != len(rows):
                raise DataError(
                    f"SubstituteNetwork: the model gave {scored.size} scores for {len(rows)} words."
                )
            found[rows] = scored.ravel()
        return found

    def _of_pairs(self, asked: Asked, rows: np.ndarray) -> np.ndarray:
        return np.asarray(
            self.model.pair_scores(asked.words[rows], asked.contexts[asked.owners[rows]]),
            dtype=np.float64,
        )

    def _of_one(self, asked: Asked, rows: np.ndarray) -> np.ndarray:
        """The candidates of one place."""
        return np.asarray(
            self.model.scores(asked.words[rows], asked.contexts[[asked.owners[rows[0]]]]),
            dtype=np.float64,
        )


def ranked_candidates(asked: Asked, scores: np.ndarray) -> list[Ranking]:
    """The candidates of every place from the best to the worst; equal scores keep the order of the file."""
    found = []
    examples = asked.examples
    bounds = np.searchsorted(examples.owners, np.arange(examples.n_places + 1))
    for first, end in pairwise(bounds.tolist()):
        values = np.asarray(scores[first:end])
        order = np.argsort(-values, kind="stable")
        found.append(
            Ranking(order, values[order], tuple(examples.candidates[first + i] for i in order))
        )
    return found


def _fitted(scorer: Any, what: str) -> None:
    if not hasattr(scorer, what):
        raise ParameterError(
            f"{type(scorer).__name__} has learned from no sentences yet; call fit(sentences) first."
        )


def _same_width(asked: Asked, width: int, owner: str) -> None:
    if asked.contexts.shape[1] != width:
        raise DataError(
            f"{owner}: the sentences have a dictionary of {width} words and the places one of {asked.contexts.shape[1]}; "
            "use the same index for both."
        )


__all__: Sequence[str] = (
    "Asked",
    "SubstituteBayes",
    "SubstituteFrequency",
    "SubstituteNetwork",
    "SubstituteSenses",
    "SubstituteSimilarity",
    "ranked_candidates",
)
