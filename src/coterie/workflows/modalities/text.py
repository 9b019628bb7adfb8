"""Text: words weighed by tf-idf, reduced by latent semantic analysis. The words are counted once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np

from coterie.compare.vectors import Chord
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Duplicates, Findings, Remark, Step
from coterie.core.partition import Partition
from coterie.core.random import content_order, content_sample
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.workplace import stage
from coterie.messages.notes import note_try_word_vectors
from coterie.organize.consensus_ib import ConsensusIB, candidates_up_to
from coterie.organize.space_votes import hold_anything
from coterie.parts import term_weights as weighting
from coterie.pipeline import Branch, Pipeline
from coterie.represent.lsa import LSA
from coterie.represent.model_names import choose_model, is_installed
from coterie.represent.stop_lists import STOP_LISTS
from coterie.represent.terms import Terms
from coterie.represent.tokens import words
from coterie.represent.word_vectors import WordVectors
from coterie.workflows import null_models
from coterie.workflows.choices import Choices
from coterie.workflows.duplicates import repeats_of_texts
from coterie.workflows.key_features import KeyFeatures
from coterie.workflows.key_terms import CountedWords, diverse_terms
from coterie.workflows.modalities.base import Modality, named_comparer
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.prepared import (
    Graph,
    compared_by,
    distances_by,
    one_in_fifty,
)
from coterie.workflows.spaces import SpacesBranch, measure_beyond_shuffled

DIMENSIONS = 50
_LOOKED_AT = 2000  # texts whose words are counted to describe all
_COMMON = 0.5  # words in more than this share of the documents say nothing
_RARE = 2
_FRAGMENT = 3  # letters of the parts of words that count where few texts share a word
_SHORT = 6.0  # words of the median text below which texts are short
_FEW_SHARED = (
    0.5  # of the words of the median text that another one holds, below which they share few
)
_SMALL = 10  # members below which every word of a view counts
_READ = 200  # texts from which the language is guessed
_SPOKEN = 0.15  # share of function words of a language from which a text is in that language


class TextModality(Modality):
    """Documents as strings."""

    noun: ClassVar[str] = "texts"
    features: ClassVar[str] = "words"
    in_views: ClassVar[str] = "text"
    wide_graph: ClassVar[bool] = True

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedText:
        """Count the words once, weigh them, reduce them, and compare the documents."""
        data = cast(Text, collection.view(view))
        return self.prepare_counted(collection, view, choices, CountedWords.of(data))

    def prepare_counted(
        self, collection: Collection, view: str, choices: Choices, counted: CountedWords
    ) -> PreparedText:
        """The same of words that were counted."""
        data = counted.texts
        comparer = named_comparer(choices) or Chord()
        counts = counted.counts
        names: Sequence[str] = counted.names
        characters = 0
        first = Step("words")
        if 2 * len(np.unique(counts[:, _informative(counts)].tocoo().row)) < len(data):
            parts = Terms(min_df=1, weights="tf", characters=_FRAGMENT)
            found = parts.fit_transform(data)
            if len(_informative(found)):
                counts = found
                names = [str(term) for term in parts.terms_]
                characters = _FRAGMENT
                first = Step("fragments", {"characters": _FRAGMENT})
        if not has_common_words(counts):
            raise DataError(
                f"No word tells these {len(data):,} texts apart: each is in one of them alone, or in more than half of them."
            )
        terms = Terms(sublinear=True, min_df=1, characters=characters)
        if len(data) > 3:
            terms.set_params(max_df=_COMMON, min_df=_RARE)
        with stage("represent"):
            known = terms.fit_counts(counts, names)
            rest = Pipeline([LSA(n_components=DIMENSIONS, normalize=True), comparer])
            rest.fit(terms.weigh(known))
        pipeline = Pipeline([terms, *rest.steps])
        pipeline.steps_ = [terms, *rest.steps_]
        steps = [
            first,
            Step("lsa", {"dimensions": DIMENSIONS}),
            compared_by(comparer),
        ]
        known = Table(known, tuple(terms.terms_))
        return PreparedText(collection, view, pipeline, steps, counted, counts, names, known)

    def describe_data(self, data: Text) -> str:
        """How long the texts are."""
        some = data.take(np.arange(min(len(data), _LOOKED_AT)))
        count = sum(len(text.split()) for text in some) / max(len(some), 1)
        return f"texts of {count:,.0f} words on average"

    def count_blank(self, data: Text) -> int:
        """How many texts are empty."""
        return sum(not text.strip() for text in data)

    def has_ensemble(self, data: Any) -> bool:
        """Texts are grouped by the consensus of runs of the information bottleneck."""
        return True

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        """The first words of each document."""
        return [
            " ".join(text[: 4 * most].split())[:most] for text in cast(Text, collection.view(view))
        ]

    def representers(self, data: Any, view: str) -> list[Any]:
        """Words by tf-idf, without the function words of their language."""
        small = len(data) < _SMALL
        return [
            Terms(
                sublinear=True,
                max_df=1.0 if small else _COMMON,
                min_df=1 if small else _RARE,
                stop_words=guess_language(data),
            )
        ]

    def ensemble_representers(self, data: Any, view: str) -> list[Any]:
        """The same words, counted."""
        return [
            step.set_params(weights="tf", sublinear=False) for step in self.representers(data, view)
        ]

    def present(self, data: Any) -> np.ndarray:
        """Which documents are not empty."""
        return np.array([bool(document.strip()) for document in data.documents])

    def is_counts(self, data: Any) -> bool:
        """Words are counts of many, of which a document holds a few."""
        return True

    def share_same(self, one: Any, other: Any) -> float:
        """The share of documents that are the same in two views."""
        return float(np.mean([a == b for a, b in zip(one, other, strict=True)]))


class PreparedText(OneView):
    """Documents as counts of their words."""

    graph = Graph(one_in_fifty, 7)
    is_thorough = True

    def __init__(
        self,
        collection: Collection,
        view: str,
        pipeline: Pipeline,
        steps: list[Step],
        words: CountedWords,
        counts: Any,
        names: Sequence[str],
        terms: Table,
    ) -> None:
        super().__init__(collection, view, pipeline, steps)
        self.words: CountedWords = words
        self.counts = counts  # documents x all words, or parts of words
        self.names = names  # of all words, or parts of words
        self.terms = terms  # documents x words that are weighed, counted
        self.model: WordVectors | None = None  # of word vectors that vote too
        self.spaces: tuple[np.ndarray, ...] = ()  # the vectors of the documents by that model

    def part_values(self, rows: np.ndarray) -> Any:
        """The counts of some documents."""
        return self.counts[rows]

    def compare_part(self, values: Any) -> Affinity:
        """Distances from counts alone: words are kept and weighed as these documents ask for it."""
        rows = LSA(n_components=DIMENSIONS, normalize=True).fit_transform(_weighed(values))
        return distances_by(self.comparer, rows)

    def null_models_of(self, values: Any) -> Mapping[str, null_models.Draw]:
        """All words shuffled over the documents, whose lengths stay."""
        return null_models.of_counts(values)

    def sample(self, seed: int) -> np.ndarray:
        """Documents drawn by what they hold."""
        return content_sample(self.counts, self.sample_size, seed)

    def ensemble(self, n_groups: int | None, choices: Choices) -> Branch:
        """The consensus of runs of the sequential information bottleneck, on words in at least two and at most half of the documents.

        Vectors of the words vote too, where a model of them was named or is installed.
        """
        organizer = ConsensusIB(
            n_groups=n_groups,
            candidates=candidates_up_to(choices.max_k),
            random_state=choices.seed,
        )
        terms, counts = self.count_telling(np.arange(len(self)))
        self._embed(choices)
        with stage("ensemble"):
            organizer.fit(counts, spaces=self.spaces)
        if self.model is None:
            return Branch.of_fitted([terms, organizer])
        return SpacesBranch.of_spaces([terms, organizer], self.view, model=self.model)

    def _embed(self, choices: Choices) -> None:
        """The vectors of the documents by their words, once, where there is a model."""
        if self.model is not None:
            return
        name = choose_model(choices.embed)
        if not name:
            return
        self.model = WordVectors(model=name, download=choices.download)
        with stage("embed"):
            self.spaces = (self.model.fit_transform(self.data),)
        values = {
            "model": self.model.model,
            "digest": self.model.digest_,
            "dimension": self.model.n_features_out_,
        }
        self.steps = (*self.steps, Step("word_vectors", values))

    def regrouping(
        self, organizer: Any, choices: Choices
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Documents in an order of their content, and one run on each form of their own counts."""
        rows = self.sample(choices.seed)
        members = rows[content_order(self.counts[rows], choices.seed)]

        def group(places: np.ndarray) -> np.ndarray:
            _, counts = self.count_telling(members[places])
            some = [space[members[places]] for space in self.spaces]
            return np.asarray(organizer.regroup(counts, some))

        return members, group

    def count_telling(self, rows: np.ndarray) -> tuple[Terms, Table]:
        """Some documents as counts of the words that tell them apart, and the words."""
        counts = self.counts[rows]
        small = len(rows) < _SMALL
        terms = Terms(
            weights="tf",
            min_df=1 if small else _RARE,
            max_df=1.0 if small else _COMMON,
            characters=self.pipeline.steps_[0].characters,
        )
        kept = terms.fit_counts(counts, self.names)
        return terms, Table(kept, tuple(map(str, terms.terms_)))

    def witnesses(self, organizer: Any, choices: Choices) -> Mapping[str, float]:
        """How well the runs agree, two halves of the documents agree, and how much more the groups say than of shuffled words.

        Where vectors of words vote, also how far these separate.
        """
        found = {
            "agreement": organizer.agreement_,
            "halves": organizer.halves_,
            "information": organizer.excess_,
        }
        if self.model is None or not len(self.model.tokens_):
            return found
        beyond = measure_beyond_shuffled(self.model, self.data, self.spaces[0], choices)
        return {**found, "beyond_shuffled": beyond}

    @property
    def modality(self) -> str:
        """Texts, with vectors of their words or without."""
        has_tokens = self.model is not None and len(self.model.tokens_)
        return "texts with word vectors" if has_tokens else super().modality

    def levels_of(self, organizer: Any) -> np.ndarray:
        """The levels on which the documents can be grouped about equally well."""
        return np.asarray(organizer.levels_)

    def repeats(self) -> Duplicates:
        """Documents of the same words, by the counts that are there."""
        documents = cast(Text, self.data).documents
        parts = self.pipeline.steps_[0].characters > 0
        return repeats_of_texts(documents, self.counts, fragments=parts)

    def shortcomings(self, labels: np.ndarray) -> list[Remark]:
        """Whether documents are short, or share few words."""
        if self.pipeline.steps_[0].characters:
            return [Remark("few_shared_words", {"share": 0.0})]
        return _lack_of_words(self.counts)

    def blank(self) -> np.ndarray:
        """Which documents hold no word that another one holds, nor a word that has a vector."""
        blank = np.asarray(np.diff(self.terms.values.indptr) == 0)
        return blank & ~hold_anything(self.spaces, len(self)) if self.spaces else blank

    def finish(self, findings: Findings, partition: Partition) -> Findings:
        """The findings; where words found nothing, what may find more."""
        if findings.evidence.structured or self.spaces or is_installed():
            return findings
        return replace(findings, notes=[*findings.notes, note_try_word_vectors()])


def has_common_words(counts: Any) -> bool:
    """Whether any word is in several documents, and not in most of them."""
    return bool(len(_informative(counts)))


def _lack_of_words(counts: Any) -> list[Remark]:
    """That texts are short, or share few words, from the counts of their words."""
    held = np.diff(counts.indptr)
    if not held.any():
        return []
    length = float(np.median(np.asarray(counts.sum(axis=1)).ravel()))
    elsewhere = np.bincount(counts.indices, minlength=counts.shape[1])[counts.indices] > 1
    shared = np.bincount(
        np.repeat(np.arange(len(held)), held), weights=elsewhere, minlength=len(held)
    )
    share = float(np.median((shared / np.maximum(held, 1))[held > 0]))
    found = []
    if length < _SHORT:
        found.append(Remark("short_texts", {"words": length}))
    if share < _FEW_SHARED:
        found.append(Remark("few_shared_words", {"share": share}))
    return found


def _informative(counts: Any) -> np.ndarray:
    """The words that are neither in one document alone nor in most of them."""
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    most = max(_COMMON * counts.shape[0], _RARE)
    return np.flatnonzero((frequency >= _RARE) & (frequency <= most))


def _weighed(counts: Any) -> Any:
    """The weighting of the pipeline on bare counts: a shuffled copy is filtered and weighed as the collection is."""
    kept = _informative(counts)
    if not len(kept):  # words of two halves, shuffled, are in more than half of the documents
        kept = np.arange(counts.shape[1])
    rows = counts[:, kept]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])[kept]
    factor = weighting.inverse_frequency(frequency, counts.shape[0])
    return weighting.unit_length(weighting.by_column(weighting.dampened(rows), factor))


def guess_language(view: Any) -> str:
    """The language whose function words are most of these texts, by the name of its stop list; none where none stands out."""
    step = max(len(view) // _READ, 1)
    some = [word for document in view.documents[::step][:_READ] for word in words(document[:4000])]
    if not some:
        return "none"
    shares = {
        language: sum(word in listed for word in some) / len(some)
        for language, listed in STOP_LISTS.items()
    }
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= _SPOKEN else "none"


def key_terms_of_view(data: Text, labels: np.ndarray, n_groups: int) -> list[KeyFeatures]:
    """Key terms of one of several views."""
    return diverse_terms(CountedWords.of(data), labels, n_groups)
