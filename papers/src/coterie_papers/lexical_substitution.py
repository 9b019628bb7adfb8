"""Lexical substitution on CoInCo: may this word stand there instead? Four scorers, chance, bounds, and what differs.

Keller 2006, section 5.2.3 (the figures there cannot be read; the text says: similarity best, then the shared sense counted in
SemCor, the network weak, Bayes not significantly above chance). Its 918 examples are not public and its training text is
licensed; CoInCo stands in, and sentences of ABC news, Brown, 20 Newsgroups and movie reviews. There is no text with marked
senses here: the scorer by senses counts every sense of WordNet the same, and equal ones go by frequency.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from coterie.core.errors import MissingExtra
from coterie.judge.verdicts import TestResult
from coterie.represent.terms import Terms
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.substitution.asked import Asked
from coterie_papers.substitution.measures import (
    SubstitutionScores,
    chance_substitutions,
    compare_substitutions,
    judge_substitutions,
    substitution_bounds,
)
from coterie_papers.substitution.places import Substitutions
from coterie_papers.substitution.scorers import (
    SubstituteBayes,
    SubstituteFrequency,
    SubstituteNetwork,
    SubstituteSenses,
    SubstituteSimilarity,
)
from coterie_papers.substitution_data import NEEDS, examples_of, senses_of, unlabeled

BAYES = "bayes"
NET = "nntr"
SIMILAR = "similarity"
FREQUENT = "frequency"
SENSES = "senses of WordNet"
ACCURACY = "accuracy"
AP = "average precision"
MEAN_AP = "mean AP of places with both kinds"
_SOURCE_BOUNDS = (
    0.155,
    0.745,
    0.26,
)  # accuracy at least and at most, worst average precision, of the file of the source
_ELSEWHERE = "paper, on other data"
_LEVEL = 0.05

Tests = Mapping[tuple[str, str], tuple[TestResult, TestResult]]


def run(trial: Trial, ledger: Ledger) -> None:
    """Both kinds of candidates: those of CoInCo, and synonyms of WordNet, which is the task of the source."""
    lost = [name for name in NEEDS if not trial.has(name)]
    if lost:
        ledger.skip(
            f"The data sets {', '.join(lost)} are not here (name their parent folder by --data or COTERIE_DATA)."
        )
        return
    text, corpora = unlabeled(trial)
    senses = senses_of(trial)
    index = Terms(weights="tf", stem="porter", stop_words="none", min_df=3).fit(text)
    learned = index.tokens(text)
    ledger.add("data", "sentences learned from", corpora, float(len(text)))
    ledger.add("data", "words learned from", corpora, float(len(learned.tokens)))
    ledger.add("data", "stems of the dictionary", corpora, float(len(index.terms_)))
    scorers: dict[str, Any] = {
        BAYES: SubstituteBayes().fit(learned),
        SIMILAR: SubstituteSimilarity().fit(learned),
        FREQUENT: SubstituteFrequency().fit(learned),
        SENSES: SubstituteSenses(senses=senses).fit(learned),
    }
    networks = _networks(trial, ledger, learned.counts())
    most = 600 if trial.quick else None
    for title, own in (("candidates of CoInCo", None), ("synonyms of WordNet", senses)):
        _judged(trial, ledger, title, examples_of(trial, own, most), index, scorers, networks)


def _networks(trial: Trial, ledger: Ledger, counts: Any) -> list[Any]:
    """NNTR trained on the sentences, one per seed; short in haste, and none without torch."""
    from coterie.represent.nntr import NNTR

    steps = {"max_iter": 2, "early_stopping": False} if trial.quick else {"max_iter": 40}
    try:
        return [NNTR(random_state=seed, **steps).fit(counts) for seed in range(trial.seeds)]
    except MissingExtra as error:
        ledger.skip(f"nntr: {error}")
        return []


def _judged(
    trial: Trial,
    ledger: Ledger,
    title: str,
    examples: Substitutions,
    index: Terms,
    scorers: Mapping[str, Any],
    networks: list[Any],
) -> None:
    """The rows, tests and relations of one kind of candidates."""
    question = Asked.of(examples, index)
    data = f"{title}: {len(examples)} for {examples.n_places} places"
    level = _facts(trial, ledger, data, examples, question)
    scores = {name: scorer.scores(question) for name, scorer in scorers.items()}
    found = {name: [judge_substitutions(examples, values)] for name, values in scores.items()}
    by_seed = [SubstituteNetwork(model=model).scores(question) for model in networks]
    if by_seed:
        scores[NET] = by_seed[0]
        found[NET] = [judge_substitutions(examples, values) for values in by_seed]
    for name in sorted(found, key=lambda one: -found[one][0].average_precision):
        ledger.add(name, AP, data, [one.average_precision for one in found[name]])
        ledger.add(name, ACCURACY, data, [one.accuracy for one in found[name]])
        ledger.add(name, MEAN_AP, data, [one.mean_ap for one in found[name]])
    tests = compare_substitutions(
        examples, scores, replicates=200 if trial.quick else 2000, random_state=0
    )
    for (one, other), (precision, right) in tests.items():
        ledger.add(f"{one} - {other}", f"{AP}, difference", data, precision.difference)
        ledger.add(
            f"{one} - {other}", f"{AP}, p (bootstrap over sentences)", data, precision.p_value
        )
        ledger.add(f"{one} - {other}", f"{ACCURACY}, difference", data, right.difference)
        ledger.add(
            f"{one} - {other}", f"{ACCURACY}, p (permutation of sentences)", data, right.p_value
        )
    _relations(ledger, title, {name: runs[0] for name, runs in found.items()}, tests, level)


def _facts(
    trial: Trial, ledger: Ledger, data: str, examples: Substitutions, question: Asked
) -> float:
    """Bounds and chance, which every result on a file needs beside it; gives the 95% level of average precision."""
    bounds = substitution_bounds(examples)
    chance = chance_substitutions(examples, draws=100 if trial.quick else 1000, random_state=0)
    low, high = bounds.accuracy
    ledger.add("bounds", "accuracy, least", data, low, _SOURCE_BOUNDS[0], _ELSEWHERE)
    ledger.add("bounds", "accuracy, most", data, high, _SOURCE_BOUNDS[1], _ELSEWHERE)
    ledger.add(
        "bounds",
        "average precision, worst order",
        data,
        bounds.worst_ap,
        _SOURCE_BOUNDS[2],
        _ELSEWHERE,
    )
    ledger.add("data", "share of acceptable candidates", data, bounds.acceptable)
    ledger.add(
        "data", "share of candidates that the dictionary lacks", data, question.unknown_share
    )
    ledger.add("chance", AP, data, chance.average_precision)
    ledger.add("chance", f"{AP}, 95% level", data, chance.average_precision_level)
    ledger.add("chance", ACCURACY, data, chance.accuracy)
    ledger.add("chance", f"{ACCURACY}, 95% level", data, chance.accuracy_level)
    return chance.average_precision_level


def _relations(
    ledger: Ledger, title: str, found: Mapping[str, SubstitutionScores], tests: Tests, level: float
) -> None:
    """The order that the source reports, each step with our numbers; a step counts where the test of the difference says so."""
    order = [SIMILAR, SENSES, NET]
    for better, worse in pairwise(order):
        if better in found and worse in found:
            _above(ledger, title, better, worse, found, tests)
    _above(ledger, title, SIMILAR, FREQUENT, found, tests)
    _above(ledger, title, SIMILAR, BAYES, found, tests)
    own = found[BAYES].average_precision
    said = f"{title}: {BAYES} (AP {own:.3f}) is not above the 95% level of chance ({level:.3f})"
    ledger.relate(said, own <= level)


def _above(
    ledger: Ledger,
    title: str,
    better: str,
    worse: str,
    found: Mapping[str, SubstitutionScores],
    tests: Tests,
) -> None:
    test = tests[better, worse][0] if (better, worse) in tests else tests[worse, better][0]
    one = found[better].average_precision
    other = found[worse].average_precision
    said = f"{title}: {better} (AP {one:.3f}) ranks above {worse} ({other:.3f}), p = {test.p_value:.2g}"
    ledger.relate(said, one > other and test.significant(_LEVEL))


EXPERIMENT = Experiment(
    name="lexical-substitution",
    title="Lexical substitution: which words may stand in for another in a sentence",
    work="Keller 2006",
    table="section 5.2.3",
    needs=NEEDS,
    minutes=5,
    seeds=1,
    run=run,
)
