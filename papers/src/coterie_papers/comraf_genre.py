"""Genres of the Brown corpus: texts clustered by their words, by runs of their parts of speech, and by both."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coterie.core.random import stream
from coterie.organize.comraf.estimator import Comraf
from coterie.organize.comraf.star import ComrafStar
from coterie.organize.counted import KMeans, Topics
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.linked_data import (
    BROWN,
    TAGS,
    THREES,
    TWOS,
    WORDS,
    Way,
    brown,
    groups_of,
    here,
    rows,
    tried,
)
from coterie_papers.text_data import above, hasty, not_below, said

NAME = "comraf-genre"
# table 4.8 of the thesis, micro accuracy on 21 genres x 32 texts of the BNC: k-means, LDA, MDC; words, POS bigrams, both
PAPER = {
    "k-means, words": 9.1,
    "LDA, words": 55.4,
    "words": 55.7,
    "k-means, tag bigrams": 23.2,
    "LDA, tag bigrams": 44.7,
    "tag bigrams": 51.0,
    "words + tag bigrams": 58.5,
}
_HASTY = 200  # texts of a quick run
_SEEN = {"observed": (TAGS,)}
_RAW = {"weights": "raw"}
WAYS: dict[str, Way] = {
    "k-means, words": Way((WORDS,), _RAW, KMeans),
    "k-means, tag bigrams": Way((TWOS,), _RAW, KMeans),
    "k-means of tf-idf, words": Way((WORDS,), kind=KMeans),
    "k-means of tf-idf, tag bigrams": Way((TWOS,), kind=KMeans),
    "LDA, words": Way((WORDS,), kind=Topics),
    "LDA, tag bigrams": Way((TWOS,), kind=Topics),
    "words": Way((WORDS,), kind=Comraf),
    "tags": Way((TAGS,), _SEEN, Comraf),
    "tag bigrams": Way((TWOS,), kind=Comraf),
    "tag trigrams": Way((THREES,), kind=Comraf),
    "words + tags": Way((WORDS, TAGS), _SEEN, Comraf),
    "words + tag bigrams": Way((WORDS, TWOS), kind=Comraf),
    "words + tag bigrams, weights one": Way((WORDS, TWOS), {"weights": "one"}, Comraf),
    "words + tag trigrams": Way((WORDS, THREES), kind=Comraf),
    "words, Comraf*": Way((WORDS,), kind=ComrafStar),
    "tag bigrams, Comraf*": Way((TWOS,), kind=ComrafStar),
    "words + tag bigrams, Comraf*": Way((WORDS, TWOS), kind=ComrafStar),
    "words, MDC": Way((WORDS,)),
    "tag bigrams, MDC": Way((TWOS,)),
    "tag trigrams, MDC": Way((THREES,)),
    "words + tag bigrams, MDC": Way((WORDS, TWOS)),
    "words + tag trigrams, MDC": Way((WORDS, THREES)),
}


def run(trial: Trial, ledger: Ledger) -> None:
    """All ways on the whole corpus, and what must hold between them."""
    folder = here(trial, ledger, BROWN, "Genres")
    if folder is None:
        return
    tied = hasty(trial, brown(folder), _HASTY)
    k = groups_of(tied)
    chance = [stream(seed, 20).integers(k, size=len(tied.truth)) for seed in range(trial.seeds)]
    rows(
        ledger, "random", [tied], [{"labels": labels, "seconds": np.zeros(())} for labels in chance]
    )
    ways = {
        name: Way(way.beside, way.settings, way.kind, PAPER.get(name)) for name, way in WAYS.items()
    }
    _relations(ledger, tried(trial, ledger, NAME, [tied], ways))


def _relations(ledger: Ledger, micro: Mapping[str, np.ndarray]) -> None:
    """R8 with every organizer that had both tables, and the order of the methods."""
    for tags, kinds in ((TWOS, ("", ", MDC", ", Comraf*")), (THREES, ("", ", MDC"))):
        for kind in kinds:
            names = tuple(f"{name}{kind}" for name in (f"{WORDS} + {tags}", WORDS, tags))
            text = f"words and {tags} together are at least as good as the better of the two ({said(micro, *names)})"
            ledger.relate(text, all(not_below(micro[names[0]], micro[name]) for name in names[1:]))
            text = f"R8: words and {tags} together are above each alone ({said(micro, *names)})"
            ledger.relate(text, all(above(micro[names[0]], micro[name]) for name in names[1:]))
    names = (TWOS, TAGS)
    ledger.relate(
        f"single tags are below pairs of them ({said(micro, *names)})",
        above(micro[names[0]], micro[names[1]]),
    )
    for kind in ("", ", MDC"):
        names = (f"{THREES}{kind}", f"{TWOS}{kind}")
        text = (
            f"runs of three tags are not above pairs by two standard errors ({said(micro, *names)})"
        )
        ledger.relate(text, not above(micro[names[0]], micro[names[1]], 2.0))
    for seen in (WORDS, TWOS):
        for other in ("k-means", "LDA"):
            names = (seen, f"{other}, {seen}")
            ledger.relate(
                f"Comraf is above {other} ({said(micro, *names)})",
                above(micro[names[0]], micro[names[1]]),
            )


EXPERIMENT = Experiment(
    name=NAME,
    title="Genres: words and parts of speech of the Brown corpus, clustered together",
    work="Comraf",
    table="table 4.8",
    needs=(BROWN,),
    minutes=40,
    seeds=8,
    run=run,
    beside="paper, on the BNC",
)
