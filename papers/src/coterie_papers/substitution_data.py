"""Data of the experiment on lexical substitution: unlabeled sentences of four corpora, and CoInCo in two halves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from coterie.core.random import stream
from coterie_papers.experiment import Trial
from coterie_papers.substitution.places import Senses, Substitutions
from coterie_papers.substitution.readers import read_coinco
from coterie_papers.substitution.senses import read_senses
from coterie_papers.text_data import columns

COINCO = "lexsub_coinco"
WORDNET = "wordnet"
NEEDS = (COINCO, WORDNET, "abc_news")
_CUT = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_LEAST = 3  # words of a sentence that is used
_DEVELOPMENT = (
    0.2  # share of the sentences of CoInCo on which settings were chosen; they are not judged
)


def unlabeled(trial: Trial) -> tuple[list[str], str]:
    """Sentences of those corpora that are here (of ABC news alone in haste), and what they are called."""
    readers: dict[str, Callable[[Trial], Iterator[str]]] = {
        "ABC news": lambda t: iter(columns(t, "abc_news", "abc_news.parquet", ("text",))["text"]),
        "Brown": _brown,
        "20 Newsgroups": _posts,
        "movie reviews": lambda t: iter(
            columns(t, "movie_reviews", "movie_reviews.parquet", ("text",))["text"]
        ),
    }
    files = {
        "ABC news": ("abc_news", "abc_news.parquet"),
        "Brown": ("brown", "brown.parquet"),
        "20 Newsgroups": ("newsgroups20", "newsgroups20.parquet"),
        "movie reviews": ("movie_reviews", "movie_reviews.parquet"),
    }
    found: list[str] = []
    names = []
    for name, reader in readers.items():
        if trial.has(*files[name]) and (name == "ABC news" or not trial.quick):
            found += [sentence for text in reader(trial) for sentence in sentences(text)]
            names.append(name)
    return list(dict.fromkeys(found)), ", ".join(names)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text that have at least three words; lines of a paragraph are joined.

    >>> list(sentences("One two three. No.\\n\\nfour\\nfive six"))
    ['One two three.', 'four five six']
    """
    for piece in _CUT.split(text):
        words = piece.split()
        if len(words) >= _LEAST:
            yield " ".join(words)


def _brown(trial: Trial) -> Iterator[str]:
    """Brown without its tags, a paragraph per sentence."""
    for text in columns(trial, "brown", "brown.parquet", ("tagged_text",))["tagged_text"]:
        yield "\n\n".join(
            " ".join(token.rpartition("/")[0] for token in line.split())
            for line in text.split("\n")
        )


def _posts(trial: Trial) -> Iterator[str]:
    """Bodies of posts without what they quote."""
    for text in columns(trial, "newsgroups20", "newsgroups20.parquet", ("text",))["text"]:
        lines = text.partition("\n\n")[2].split("\n")
        yield "\n".join(
            line
            for line in lines
            if not line.lstrip().startswith((">", "|", ":")) and len(line) < 200
        )


def senses_of(trial: Trial) -> Senses:
    """The synsets of WordNet."""
    return read_senses(trial.data(WORDNET, "synsets.tsv.gz"))


def examples_of(
    trial: Trial, senses: Senses | None, most: int | None = None, development: bool = False
) -> Substitutions:
    """Places of CoInCo in the sentences that are judged (or in those on which settings were chosen), at most so many drawn.

    The halves are drawn by sentences. Candidates are those of the file, or with `senses` the synonyms of WordNet; single words
    alone; a candidate that one annotator or more gave is acceptable.
    """
    whole = read_coinco(trial.data(COINCO), senses)
    n = int(whole.sentence.max()) + 1
    chosen = np.zeros(n, dtype=bool)
    chosen[stream(0, 9).permutation(n)[: round(_DEVELOPMENT * n)]] = True
    places = np.flatnonzero(chosen[whole.sentence] == development)
    if most is not None and most < len(places):
        places = np.sort(stream(0, 10).permutation(places)[:most])
    return whole.take(places)
