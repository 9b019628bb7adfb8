"""Speakers from bags of frames: risks, divergences, kernels and packed spheres side by side, and root against plain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.collect.audio import read_audio
from coterie.collect.columns import Named
from coterie.compare.divergence import Divergence
from coterie.compare.expected_likelihood import ExpectedLikelihood
from coterie.compare.glds import GLDS
from coterie.compare.likelihoods import Likelihood
from coterie.compare.mmd import MMD
from coterie.compare.nearest_risk import NearestRisk
from coterie.compare.ssd import SSD
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.partition import Partition
from coterie.core.ragged import Ragged
from coterie.judge import clustering_error
from coterie.models import GMM, Gaussian
from coterie.organize.sphere_packing import SpherePacking
from coterie.represent.frames import Frames
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.traces import Labeled, error, recorded, some_of_each

NAME = "JapaneseVowels"
DATA = "Japanese Vowels, 270"
DIGITS = "free_spoken_digits"
# tables 4.2 and 5.2 of the thesis: nine speakers, and two at a time (another collection, which is not public)
PAPER = {
    "NN risk": (8.15, 16.67),
    "NN-J": (10.00, 9.38),
    "Wang-J": (16.30, 18.22),
    "bound-J": (7.41, 7.15),
    "MMD": (20.37, 9.57),
    "SPH": (10.00, 10.56),
    "KL-Gauss": (16.37, 15.22),
    "KL-GMM": (15.93, 10.84),
    "EL": (18.33, 15.10),
    "SSD": (12.07, 10.71),
}
OTHERS = ("BasicMotions", "ERing")  # labeled collections that have nothing to do with speech
# of every digit and speaker, and how many recordings are one bag
_TAKES = 9
_POOLED = 3
_WORDS = (
    5  # takes of every digit in tasks of two speakers: 50 recordings of a speaker, as in the source
)

Fit = Callable[[Ragged, int], Affinity]
DIVERGENCES: dict[str, dict[str, str]] = {  # by estimate, so that the sets are looked at once
    "nn": {"NN-J": "jeffreys", "NN-Hellinger": "hellinger", "NN-JS": "js"},
    "wang": {"Wang-J": "jeffreys"},
    "bound": {"bound-J": "jeffreys", "bound-Hellinger": "hellinger"},
}
FITTED: dict[str, Fit] = {  # what is drawn anew with every seed
    "KL-Gauss": lambda view, seed: (
        Likelihood(model=Gaussian(), random_state=seed).fit(view).affinity_
    ),
    "KL-GMM": lambda view, seed: (
        Likelihood(model=GMM(n_components=2), random_state=seed).fit(view).affinity_
    ),
    "EL": lambda view, seed: ExpectedLikelihood(random_state=seed).fit(view).affinity_,
}


def run(trial: Trial, ledger: Ledger) -> None:
    """The nine speakers with every method; two speakers at a time; and how a divergence becomes a distance."""
    labeled = recorded(trial, ledger, NAME, "train")
    if labeled is not None:
        _speakers(trial, ledger, labeled)
    sets = {} if labeled is None else {DATA: labeled}
    if trial.has(DIGITS):
        sound = read_audio(trial.data(DIGITS), named=Named(truth=("speaker",)))
        _pairs(trial, ledger, digits(sound, 2 if trial.quick else _WORDS, 1))
        sets["speakers of digits"] = digits(sound, 3 if trial.quick else _TAKES, _POOLED)
    else:
        ledger.skip(
            f"Speakers: the data set '{DIGITS}' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
    for name in OTHERS:
        other = recorded(trial, ledger, name)
        if other is not None:
            sets[name] = some_of_each(other, 8) if trial.quick else other
    if sets:
        _roots(trial, ledger, sets)
        _walked(trial, ledger, sets)


def digits(sound: Any, takes: int, pooled: int) -> Labeled:
    """Bags of the cepstra of some recordings of one speaker, which follow each other by take and digit."""
    take, digit = (np.asarray(sound.cards[name]).astype(int) for name in ("take", "digit"))
    speaker = np.asarray(sound.truth["speaker"]).astype(str)
    order = np.lexsort((digit, take, speaker))
    chosen = sound.take(order[take[order] < takes])
    view = chosen.view()
    frames = Frames(target_kind="MFCC").fit(view).transform(view)
    speaker = np.asarray(chosen.truth["speaker"]).astype(str)
    firsts = np.concatenate(
        [np.flatnonzero(speaker == one)[::pooled] for one in np.unique(speaker)]
    )
    offsets = np.append(frames.offsets[firsts], frames.offsets[-1])
    return Ragged(frames.values, offsets, ordered=False), np.asarray(
        Partition.of(speaker[firsts]).labels
    )


def divergences(view: Ragged, distance: str | None = None) -> dict[str, Affinity]:
    """Every divergence by every estimate, and the two that are no divergences but are read the same way.

    Each as its default says, where no distance is named; the risk as the thesis has it, the mean over all vectors.
    """
    how: dict[str, Any] = {} if distance is None else {"distance": distance}
    found: dict[str, Affinity] = {
        "NN risk": NearestRisk(weights="points", **how).fit(view).affinity_
    }
    for risk, names in DIVERGENCES.items():
        fitted = Divergence(risk=risk, **how).fit(view)
        found |= {name: fitted.read(f) for name, f in names.items()}
    return found | {"MMD": MMD(**how).fit(view).affinity_}


def errors(
    view: Ragged, truth: np.ndarray, seeds: int, scale: str = "two-candidate"
) -> dict[str, list[float]]:
    """The error of every method on one collection, over the seeds of the clustering."""
    fixed: dict[str, Affinity] = divergences(view) | {"GLDS": GLDS().fit(view).affinity_}
    found = {
        name: [error(affinity, truth, seed, scale) for seed in range(seeds)]
        for name, affinity in fixed.items()
    }
    for name, fit in FITTED.items():
        found[name] = [error(fit(view, seed), truth, seed, scale) for seed in range(seeds)]
    return found | {"SPH": [packed(view, truth)]}


def packed(view: Ragged, truth: np.ndarray) -> float:
    """The error of packed spheres, cut at the true number of groups, in percent."""
    packing = SpherePacking(n_groups=len(np.unique(truth))).fit(view)
    return 100.0 * clustering_error(packing.labels_, truth)


def _speakers(trial: Trial, ledger: Ledger, labeled: Labeled) -> None:
    view, truth = labeled
    mean = {}
    for name, values in errors(view, truth, trial.seeds).items():
        mean[name] = ledger.add(name, "error %", DATA, values, PAPER.get(name, (None,))[0])
    if not trial.quick:
        for name, values in errors(view, truth, 1, "eigengap").items():
            if name != "SPH":
                ledger.add(name, "error %, width by eigengap", DATA, values)
    usual = _forms(trial, ledger, labeled)
    for models in (1, 5):
        runs = [
            error(
                SSD(n_states=40, n_models=models, random_state=seed).fit(view).affinity_,
                truth,
                seed,
            )
            for seed in range(trial.seeds)
        ]
        ledger.add(
            "SSD" if models == 1 else "SSD, 5 models",
            "error %",
            DATA,
            runs,
            PAPER["SSD"][0] if models == 1 else None,
        )
    for name, most in (("NN risk", 8.2), ("bound-J", 6.5), ("NN-J", 10.0), ("SPH", 10.0)):
        told = (
            f"{name} as the thesis weighs it, which is not our default ({usual:.2f}),"
            if name == "NN risk"
            else name
        )
        text = f"{told} has an error of at most {most}% ({mean[name]:.2f}; thesis {PAPER[name][0]})"
        ledger.relate(text, mean[name] <= most + 0.005)
    ledger.relate(
        f"NN risk by default, sets counting alike, has an error of at most 8.2% ({usual:.2f})",
        usual <= 8.205,
    )
    _lowest(ledger, DATA, mean)
    good = {name: mean[name] for name in ("NN risk", "NN-J", "SPH")}
    best = min(good.values())
    text = f"bound-J ({mean['bound-J']:.1f}) is at most 1 point above the best of NN risk, NN-J and SPH ({best:.1f})"
    ledger.relate(text, mean["bound-J"] <= best + 1)
    worst = max(*good.values(), mean["bound-J"])
    least = min(mean["Wang-J"], mean["MMD"])
    text = f"each of these (at most {worst:.1f}) is below Wang-J ({mean['Wang-J']:.1f}) and MMD ({mean['MMD']:.1f})"
    ledger.relate(text, worst < least)


def _forms(trial: Trial, ledger: Ledger, labeled: Labeled) -> float:
    """The risk in other forms: with both sets counting alike, which is our default (its error is given), and as a similarity."""
    view, truth = labeled
    forms = {
        "NN risk, sets count alike (default)": NearestRisk(),
        "NN risk, as a similarity": NearestRisk(weights="points", distance="similarity"),
    }
    means = []
    for name, comparer in forms.items():
        affinity = comparer.fit(view).affinity_
        means.append(
            ledger.add(
                name, "error %", DATA, [error(affinity, truth, seed) for seed in range(trial.seeds)]
            )
        )
    return means[0]


def _pairs(trial: Trial, ledger: Ledger, labeled: Labeled) -> None:
    """Two speakers at a time: every recording is a bag."""
    view, truth = labeled
    speakers = len(np.unique(truth))
    tasks = [(a, b) for a in range(speakers) for b in range(a)][: 2 if trial.quick else None]
    found: dict[str, list[float]] = {}
    for a, b in tasks:
        chosen = np.flatnonzero((truth == a) | (truth == b))
        for name, values in errors(view.take(chosen), truth[chosen] == a, 1).items():
            found.setdefault(name, []).append(values[0])
    data = f"digits, two speakers, {len(tasks)} tasks"
    mean = {}
    for name, values in found.items():
        mean[name] = ledger.add(
            name, "error %", data, values, PAPER.get(name, (None, None))[1], "paper, on GPM"
        )
    _lowest(ledger, data, mean)


def _lowest(ledger: Ledger, data: str, mean: dict[str, float]) -> None:
    """Table 5.2 of the thesis has bound-J first on both of its collections."""
    rest = {name: mean[name] for name in PAPER if name in mean and name != "bound-J"}
    best = min(rest, key=lambda name: rest[name])
    text = f"{data}: bound-J ({mean['bound-J']:.1f}) has the lowest error of the thesis' methods for sets"
    ledger.relate(f"{text} (next {best} {rest[best]:.1f})", mean["bound-J"] <= rest[best])


def _roots(trial: Trial, ledger: Ledger, sets: dict[str, Labeled]) -> None:
    """How a divergence becomes a distance, on every collection.

    No default here is blind: for the bound a pilot on the vowels was known to favor the root, and that of the risk was
    changed after these errors had been seen. The collections besides the vowels were looked at last.
    """
    mean: dict[tuple[str, str], float] = {}
    for data, (view, truth) in sets.items():
        for how in ("root", "plain"):
            found = {}
            for name, affinity in divergences(view, distance=how).items():
                values = [error(affinity, truth, seed) for seed in range(trial.seeds)]
                found[name] = ledger.add(f"{name}, {how}", "error %", data, values)
            mean[data, how] = ledger.add(
                f"mean of all, {how}", "error %", data, float(np.mean(list(found.values())))
            )
    away = [data for data in sets if data != DATA] or list(sets)
    root, plain = (float(np.mean([mean[data, how] for data in away])) for how in ("root", "plain"))
    text = f"the root of a divergence ({root:.1f}) is no worse than the divergence itself ({plain:.1f}) away from the vowels"
    ledger.relate(text, root <= plain)


def _walked(trial: Trial, ledger: Ledger, sets: dict[str, Labeled]) -> None:
    """How many groups `explore` finds by itself, with its own comparer of sets and with rows of moments."""
    right: dict[str, int] = {}
    for data, (view, truth) in sets.items():
        bags = Ragged(view.values, view.offsets, ordered=False)
        collection = Collection([str(i) for i in range(len(bags))], {"sets": bags}, name=data)
        k = len(np.unique(truth))
        for name, compare in (("explore", None), ("explore, moments", "Euclidean")):
            found = analyse(
                collection, Choices(compare=compare, nulls=4 if trial.quick else 12)
            ).findings
            ledger.add(name, "groups chosen", data, float(found.evidence.n_groups), float(k))
            right[name] = right.get(name, 0) + (found.evidence.n_groups == k)
    own = right["explore"]
    moments = right["explore, moments"]
    text = f"explore chooses the right number of groups at least as often by its own comparer ({own}) as by moments ({moments})"
    ledger.relate(text, own >= moments)


EXPERIMENT = Experiment(
    name="speakers",
    title="Speakers from bags of frames: risks, divergences, kernels and packed spheres",
    work="Sequences",
    table="tables 4.2 and 5.2",
    needs=("sequences/JapaneseVowels.npz", DIGITS),
    minutes=3,
    seeds=5,
    run=run,
)
