"""TTMM on nine documents of two letters each: the best likelihood for some themes and topics, and what its posteriors say."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import NotConverged
from coterie.core.findings import Bars, Lines
from coterie.core.random import streams
from coterie.parts import ttmm
from coterie.parts.ttmm_training import Trained, until_still
from coterie.parts.workers import in_order
from coterie_papers.experiment import Experiment, Ledger, Trial

NAME = "ttmm-toy"
LETTERS = "ABCD"
KINDS = {"AB": 3, "AC": 2, "CD": 4}  # how many documents hold which two letters
TIMES = 3  # each of its letters
STARTS = 60
KNOWN = {
    (1, 1): -73.1638,
    (2, 2): -53.7078,
    (3, 2): -53.7078,
    (3, 3): -46.9777,
    (3, 4): -46.9777,
}  # of the specification
DATA = "nine documents of two letters"
_SAME = 1e-8  # of a log-likelihood: rounding


def letters() -> sp.csr_array:
    """Documents x letters: every document holds each of its two letters three times."""
    rows = [
        [TIMES * (letter in kind) for letter in LETTERS]
        for kind, many in KINDS.items()
        for _ in range(many)
    ]
    return sp.csr_array(np.array(rows, dtype=np.float64))


def run(trial: Trial, ledger: Ledger) -> None:
    """The best of sixty starts for every number of themes and topics, all of them watched; then the three posteriors."""
    counts = letters()
    best: dict[tuple[int, int], Trained] = {}
    fallen = 0
    steps = 0
    for (themes, topics), known in KNOWN.items():
        runs = [one for seed in range(trial.seeds) for one in tries(counts, themes, topics, seed)]
        fallen += sum(
            int((np.diff(one.history) < -_SAME * np.abs(one.history[:-1])).sum()) for one in runs
        )
        steps += sum(len(one.history) for one in runs)
        best[themes, topics] = found = quickest(runs)
        method = f"J = {themes}, K = {topics}"
        ledger.add(method, "best log-likelihood", DATA, found.value, known)
        ledger.add(
            method,
            "starts that reach it",
            DATA,
            float(np.mean([one.value > found.value - 1e-3 for one in runs])),
        )
        ledger.relate(
            f"{method}: the best log-likelihood is {known} (ours {found.value:.4f})",
            abs(found.value - known) < 5e-5,
        )
    ledger.relate(f"no step lowers the log-likelihood ({steps} steps, {fallen} falls)", fallen == 0)
    _relations(ledger, counts, best)
    _posteriors(ledger)
    _pictures(ledger, best)


def tries(counts: sp.csr_array, themes: int, topics: int, seed: int) -> list[Trained]:
    """EM without smoothing from every start."""

    def attempt(generator: np.random.Generator) -> Trained:
        begun = ttmm.start(counts, themes, topics, generator)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", NotConverged
            )  # some starts crawl; the best of them is what counts
            return until_still(counts, begun, smoothing=0.0, max_iter=2000, tol=1e-12)

    return list(in_order(attempt, streams(seed, STARTS), f"J = {themes}, K = {topics}"))


def quickest(runs: list[Trained]) -> Trained:
    """Of the runs that reach the best log-likelihood, the one of the fewest steps."""
    top = max(one.value for one in runs)
    return min((one for one in runs if one.value > top - _SAME), key=lambda one: len(one.history))


def _relations(
    ledger: Ledger, counts: sp.csr_array, best: Mapping[tuple[int, int], Trained]
) -> None:
    totals = np.asarray(counts.sum(axis=0)).ravel()
    unigram = float(totals @ np.log(totals / totals.sum()))
    one = best[1, 1].value
    ledger.relate(
        f"one theme is the law of all words ({one:.4f} and {unigram:.4f})",
        abs(one - unigram) < _SAME * abs(one),
    )
    prior = np.sort(best[3, 3].state["prior"])
    wanted = np.sort(np.array(list(KINDS.values()))) / sum(KINDS.values())
    said = ", ".join(f"{9 * p:.4f}" for p in prior)
    ledger.relate(
        f"J = K = 3: the themes hold 2, 3 and 4 of nine documents ({said})",
        bool(np.allclose(prior, wanted, atol=1e-4)),
    )
    two, three, four = (best[3, topics].value for topics in (2, 3, 4))
    text = f"J = 3: a fourth topic gains nothing over three ({four:.4f}, {three:.4f}), which are above two ({two:.4f})"
    ledger.relate(text, abs(four - three) < 1e-4 and three > two)


def by_letters(own: float = 0.85) -> dict[str, np.ndarray]:
    """The toy as one would say it: a theme per kind of document, which mixes two topics, and a topic per letter."""
    mixing = np.array([[0.5 * (letter in kind) for letter in LETTERS] for kind in KINDS])
    words = np.full((len(LETTERS), len(LETTERS)), (1 - own) / (len(LETTERS) - 1))
    np.fill_diagonal(words, own)
    return {
        "prior": np.array(list(KINDS.values())) / sum(KINDS.values()),
        "mixing": mixing,
        "words": words,
    }


def _posteriors(ledger: Ledger) -> None:
    """What the three posteriors say of documents with three A for every B, where every letter is a topic."""
    state = by_letters()
    sums = list[float]()
    most = list[float]()
    for times in (1, 3):
        counts = sp.csr_array(np.array([[3.0 * times, times, 0.0, 0.0]]))
        data = f"{3 * times} A and {times} B"
        (themes, fit) = ttmm.posteriors(counts, state)
        ways = {
            "predictive": ttmm.predictive(themes, state),
            "token share": ttmm.token_share(counts, themes, state),
        }
        ways["printed"] = ttmm.printed(counts, state)
        for way, law in ways.items():
            ledger.add(way, "P(topic A | document)", data, float(law[0, 0]))
        logs = np.asarray(counts @ np.log(state["words"])) + np.log(ttmm.topic_prior(state))
        sums.append(
            ledger.add(
                "printed, not scaled",
                "sum over topics",
                data,
                float(np.exp(logs - fit[:, None]).sum()),
                1.0,
                "a law",
            )
        )
        most.append(float(ways["printed"].max()))
        whole = all(abs(float(law.sum()) - 1) < 1e-12 for law in ways.values())
        ledger.relate(f"{data}: all three posteriors sum to one", whole)
    said = " and ".join(f"{value:.3g}" for value in sums)
    ledger.relate(
        f"section 4.1 as printed does not sum to one ({said})",
        all(abs(value - 1) > 0.1 for value in sums),
    )
    ledger.relate(
        f"and it saturates with length ({1 - most[0]:.2g} and {1 - most[1]:.2g} below one)",
        most[1] > most[0] > 0.99,
    )


def _pictures(ledger: Ledger, best: Mapping[tuple[int, int], Trained]) -> None:
    state = best[3, 3].state
    panels = {
        f"topic {k}": tuple(zip(LETTERS, law.tolist(), strict=True))
        for k, law in enumerate(state["words"].T)
    }
    ledger.draw(
        Bars("Letters of each topic, J = K = 3", panels, "P(letter | topic) of the best start.")
    )
    laws = state["mixing"] @ state["words"].T
    shares = 9 * state["prior"]
    kinds = {
        f"theme {j}, {shares[j]:.2f} of 9": tuple(zip(LETTERS, law.tolist(), strict=True))
        for j, law in enumerate(laws)
    }
    ledger.draw(
        Bars(
            "Letters of each theme, J = K = 3",
            kinds,
            "P(letter | theme): the kinds of documents AB, AC and CD.",
        )
    )
    longest = min(40, max(len(one.history) for one in best.values()))
    lines = {f"J = {j}, K = {k}": _padded(one.history, longest) for (j, k), one in best.items()}
    steps = tuple(map(float, range(1, longest + 1)))
    ledger.draw(
        Lines(
            "Log-likelihood of the best start after each step of EM",
            steps,
            lines,
            "steps",
            "log-likelihood",
        )
    )


def _padded(history: list[float], length: int) -> tuple[float, ...]:
    return (*history[:length], *[history[-1]] * (length - len(history)))


EXPERIMENT = Experiment(
    name=NAME,
    title="Themes and topics of nine documents of two letters each",
    work="Keller 2006",
    table="figure 4.2",
    needs=(),
    minutes=0.1,
    seeds=1,
    run=run,
    beside="specification",
)
