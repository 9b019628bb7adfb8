"""SIC with hidden Markov models on spoken vowels: against warping, with channel offsets, features, states, and groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.hmm import HMM
from coterie.core.affinity import Affinity
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.judge import adjusted_rand, retrieval
from coterie.organize.mcl import MCL
from coterie.parts.pairwise import dense
from coterie_papers.baselines import dtw
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.traces import recorded

NAME = "JapaneseVowels"
_OFFSET = 0.7  # standard deviations of the constant added to every coefficient of a recording
_WEAK = 3  # the last coefficients, which tell least
_STATES = (2, 3, 4, 5, 6)
_INFLATIONS = (1.3, 1.5, 2.0, 2.5, 3.0)
_USUAL = (2.0, 2.5)  # inflations at which the groups must be good
PILOT = "pilot of the specification"  # one run of a prototype on the same recordings (section 8.10)
_PILOT = {
    "SIC": {25: 77.5, 50: 81.0, 100: 84.9, 200: 86.8, 400: 87.8},
    "DTW": 80.6,
    "offsets": {"SIC": 63.2, "DTW": 41.0},  # after 150 iterations
    "features": {
        "all coefficients": 83.9,
        "half and half": 73.6,
        f"last {_WEAK} coefficients": 39.4,
    },
    "states": {2: 82.1, 3: 83.5, 4: 83.9, 5: 84.3, 6: 85.0, (2, 6): 83.3},
    "max": 0.63,
}
# bars of ours, above those of the source
_LEAST_AP = 86.0
_LEAST_ARI = 0.88


@dataclass(frozen=True, eq=False)
class Vowels:
    """The recordings and who speaks."""

    view: Ragged
    truth: np.ndarray

    def mean_ap(self, affinity: Affinity) -> float:
        """How well this finds the same speaker."""
        return mean_ap(affinity, self.truth)

    def fit(self, n_iterations: int, seed: int, **settings: Any) -> SIC:
        """SIC with these settings of the models, without a stop rule."""
        return SIC(
            diverter=HMM(**settings), n_iterations=n_iterations, stop=None, random_state=seed
        ).fit(self.view)


def mean_ap(affinity: Affinity, truth: np.ndarray) -> float:
    """Mean average precision, from 0 to 100; pairs never tested together rank last."""
    return 100.0 * retrieval(affinity, truth, missing="last").mean_ap


def vowels(trial: Trial, ledger: Ledger) -> Vowels | None:
    """The recordings, or nothing and a sentence."""
    labeled = recorded(trial, ledger, NAME)
    return None if labeled is None else Vowels(*labeled)


def pilot(what: str, which: Any = None) -> float | None:
    """The number of the specification's pilot; nothing where it has none."""
    found: Any = _PILOT[what]
    return found.get(which) if isinstance(found, dict) else found


def run(trial: Trial, ledger: Ledger) -> None:
    """Four questions about one collection."""
    found = vowels(trial, ledger)
    if found is None:
        return
    n = 150 if trial.quick else 200
    fits = [found.fit(n, seed) for seed in range(trial.seeds)]
    plain = [found.mean_ap(fit.affinity_) for fit in fits]
    ours = ledger.add(f"SIC, HMM, {n} iterations", "mAP", NAME, plain, pilot("SIC", n), PILOT)
    middle = float(np.median(plain))
    ledger.relate(
        f"the median mAP of SIC is at least {_LEAST_AP:g} ({middle:.1f})", middle >= _LEAST_AP
    )
    _against_warping(trial, ledger, found, n, ours)
    _confidence(ledger, found, fits)
    _features(trial, ledger, found, n)
    _states(trial, ledger, found, n)
    _groups(ledger, found, fits)


def _against_warping(trial: Trial, ledger: Ledger, found: Vowels, n: int, ours: float) -> None:
    """The same recordings and coefficients, as they are and with an offset of each channel (H1)."""
    theirs = ledger.add("DTW", "mAP", NAME, found.mean_ap(dtw(found.view)), pilot("DTW"), PILOT)
    ledger.relate(
        f"SIC ({ours:.1f}) beats DTW ({theirs:.1f}) by 3 points of mAP (H1)", ours >= theirs + 3
    )
    mine = []
    other = []
    for seed in range(trial.seeds):
        moved = replace(found, view=_with_offsets(found.view, seed))
        mine.append(moved.mean_ap(moved.fit(n, seed).affinity_))
        other.append(moved.mean_ap(dtw(moved.view)))
    data = f"{NAME}, channel offsets"
    ours = ledger.add(
        f"SIC, HMM, {n} iterations", "mAP", data, mine, pilot("offsets", "SIC"), PILOT
    )
    theirs = ledger.add("DTW", "mAP", data, other, pilot("offsets", "DTW"), PILOT)
    ledger.relate(
        f"with channel offsets SIC ({ours:.1f}) beats DTW ({theirs:.1f}) by 10 points (H1)",
        ours >= theirs + 10,
    )
    ledger.relate(
        f"with channel offsets SIC has 1.4 times the mAP of DTW ({ours / theirs:.2f})",
        ours >= 1.4 * theirs,
    )


def _with_offsets(view: Ragged, seed: int) -> Ragged:
    shift = (
        stream(seed, 7).standard_normal((len(view), view.dim)) * _OFFSET * view.values.std(axis=0)
    )
    return view.with_values(view.values + np.repeat(shift, view.lengths, axis=0))


def _confidence(ledger: Ledger, found: Vowels, fits: list[SIC]) -> None:
    """A member that is sure of its nearest is well served (H11)."""
    ranks = []
    for fit in fits:
        precision = retrieval(fit.affinity_, found.truth, missing="last").ap_per_query
        ranks.append(float(spearmanr(fit.confidence_["max"], precision)[0]))
    rank = ledger.add("SIC, confidence 'max'", "Spearman with AP", NAME, ranks, pilot("max"), PILOT)
    ledger.relate(
        f"'max' confidence goes with average precision (Spearman {rank:.2f}, 0.2 asked) (H11)",
        rank >= 0.2,
    )


def _features(trial: Trial, ledger: Ledger, found: Vowels, n: int) -> None:
    """All coefficients, the last few, and iterations that take turns (H4)."""
    few = replace(found, view=Ragged(found.view.values[:, -_WEAK:], found.view.offsets))
    mean: dict[str, float] = {}
    runs: dict[str, list[float]] = {
        "all coefficients": [],
        "half and half": [],
        f"last {_WEAK} coefficients": [],
    }
    for seed in range(trial.seeds):
        whole = found.fit(n, seed, deltas=False)
        weak = few.fit(n, seed, deltas=False)
        labels = whole.codes_.labels.copy()
        labels[1::2] = weak.codes_.labels[1::2]
        both = whole.score_.affinity(Codes(labels))
        for name, affinity in zip(runs, (whole.affinity_, both, weak.affinity_), strict=True):
            runs[name].append(found.mean_ap(affinity))
    for name, values in runs.items():
        mean[name] = ledger.add(f"SIC, {name}", "mAP", NAME, values, pilot("features", name), PILOT)
    best, mixed, worst = mean.values()
    ledger.relate(
        f"all ({best:.1f}) > half and half ({mixed:.1f}) > weak features ({worst:.1f}) (H4)",
        best > mixed > worst,
    )


def _states(trial: Trial, ledger: Ledger, found: Vowels, n: int) -> None:
    """More states help, then level off; drawing their number costs little (H9; coefficients alone, as in the pilot)."""
    mean = {}
    for states in (*_STATES, (_STATES[0], _STATES[-1])):
        name = (
            f"{states} states" if isinstance(states, int) else f"{states[0]} to {states[1]} states"
        )
        values = [
            found.mean_ap(found.fit(n, seed, deltas=False, n_states=states).affinity_)
            for seed in range(trial.seeds)
        ]
        mean[states] = ledger.add(
            f"SIC, {name}", "mAP", NAME, values, pilot("states", states), PILOT
        )
    few = mean[_STATES[0]]
    many = mean[_STATES[-1]]
    drawn = mean[(_STATES[0], _STATES[-1])]
    best = max(mean[states] for states in _STATES)
    ledger.relate(
        f"6 states ({many:.1f}) are at least 1 point better than 2 ({few:.1f}) (H9)",
        many >= few + 1,
    )
    ledger.relate(
        f"a random number of states ({drawn:.1f}) is within 2.5 of the best ({best:.1f}) (H9)",
        drawn >= best - 2.5,
    )


def _groups(ledger: Ledger, found: Vowels, fits: list[SIC]) -> None:
    """Cleaning and Markov clustering (H12)."""
    rising = True
    better = True
    sizes: dict[float, list[float]] = {r: [] for r in _INFLATIONS}
    scores: dict[tuple[float, bool], list[float]] = {
        (r, clean): [] for r in _INFLATIONS for clean in (True, False)
    }
    for fit in fits:
        similarity = dense(fit.affinity_)
        for r, clean in scores:
            mcl = MCL(inflation=r, clean=clean).fit(similarity)
            scores[r, clean].append(adjusted_rand(mcl.labels_, found.truth))
            if clean:
                sizes[r].append(mcl.partition_.n_groups)
        counts = [sizes[r][-1] for r in _INFLATIONS if r != 2.5]
        rising &= counts == sorted(counts)
        better &= all(scores[r, True][-1] >= scores[r, False][-1] for r in _INFLATIONS)
    for r in _INFLATIONS:
        ledger.add(f"MCL, inflation {r:g}, cleaned", "groups", NAME, sizes[r])
        ledger.add(f"MCL, inflation {r:g}, cleaned", "ARI", NAME, scores[r, True])
        ledger.add(f"MCL, inflation {r:g}, raw", "ARI", NAME, scores[r, False])
    worst = min(min(scores[r, True]) for r in _USUAL)
    ledger.relate(
        f"cleaned MCL has an ARI of 0.7 at inflation 2 and at 2.5, in every run ({worst:.3f}) (H12)",
        worst >= 0.7,
    )
    for r in _USUAL:
        middle = float(np.median(scores[r, True]))
        text = f"cleaned MCL at inflation {r:g} has a median ARI of at least {_LEAST_ARI} ({middle:.3f})"
        ledger.relate(text, middle >= _LEAST_ARI)
    ledger.relate(
        "cleaning is at least as good as raw similarities at every inflation (H12)", better
    )
    ledger.relate("more inflation never gives fewer groups (1.3, 1.5, 2, 3) (H12)", rising)


EXPERIMENT = Experiment(
    name="sic-vowels",
    title="SIC with hidden Markov models on spoken vowels: against warping, by features, states and groups",
    work="SIC",
    table="tables 3 to 6, on public recordings",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=1,
    seeds=3,
    run=run,
)
