"""SIC with hidden Markov models on spoken words: against warping, by family of features, by topology, and word by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.collect.audio import read_audio
from coterie.collect.columns import Named
from coterie.collect.spoken import spoken_words
from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.hmm import HMM
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.ragged import Ragged
from coterie.experiments.baselines import dtw
from coterie.experiments.experiment import Experiment, Ledger, Trial
from coterie.judge import Retrieval, adjusted_purity, adjusted_rand, nmi, retrieval, v_measure
from coterie.organize.mcl import MCL
from coterie.parts.pairwise import dense
from coterie.represent.frames import Frames

DATA = "free_spoken_digits"
_TAKES = 16  # of every word and speaker in the tables: 960 recordings, about as many as the source's 950
_STATES = 7
_LEAST = 10  # recordings that a made-up label must have, as in the source
_STATIC, _WHOLE = "MFCC_Z", "MFCC_D_A_Z"
_FAMILIES = {"MFCC": _WHOLE, "PLP": "PLP_D_A_Z", "LPCEPSTRA": "LPCEPSTRA_D_A_Z", "LPC": "LPC_D_A"}
_MIXED = {"MFCC+PLP": ("MFCC", "PLP"), "MFCC+LPC": ("MFCC", "LPC"), "ALL": tuple(_FAMILIES)}
_MEASURES = ("mAP", "P@1", "F@50", "ARI", "V", "NMI", "adjusted purity", "groups")
_PAPER = {  # 950 recordings of 19 words; 500 iterations, and 177 against warping
    "MFCC": (44.85, 80.53, 43.06, 0.411, 0.615, 0.607, 0.585, 23),
    "PLP": (45.43, 79.58, 43.61, 0.421, 0.608, 0.614, 0.617, 24),
    "LPCEPSTRA": (38.28, 73.89, 37.87, 0.347, 0.556, 0.546, 0.433, 20),
    "LPC": (15.83, 35.47, 17.28, 0.102, 0.275, 0.264, 0.293, 23),
    "MFCC+PLP": (45.07, 81.05, 43.06, 0.421, 0.623, 0.614, 0.556, 21),
    "MFCC+LPC": (34.10, 72.53, 33.52, 0.303, 0.508, 0.509, 0.523, 24),
    "ALL": (39.24, 78.95, 38.05, 0.360, 0.573, 0.566, 0.561, 24),
    "SIC": (45.745, None, None, 0.408, 0.609, 0.602, 0.549, 22),  # of MFCC again
    "DTW": (19.25, None, None, 0.02, 0.243, 0.224, 0.323, 19),
}
_TOPOLOGIES: dict[tuple[str, int | tuple[int, int]], float | None] = {  # beside the source's, of 13,477 recordings of 543 words
    ("either", 2): None,
    ("either", 3): None,
    ("either", 5): None,
    ("either", 7): 16.49,
    ("either", 10): 18.27,
    ("either", 14): 20.61,
    ("left-right", (5, 14)): 20.53,
    ("skips", 14): 20.20,
}


@dataclass(frozen=True, eq=False)
class Words:
    """Recordings, the word that each says, and the name of the collection in the rows."""

    sound: Ragged
    truth: np.ndarray
    name: str

    @classmethod
    def of(cls, collection: Collection, name: str) -> Words:
        """The waveforms and the first truth."""
        sound = collection.view()
        assert isinstance(sound, Ragged)
        return cls(sound, np.asarray(next(iter(collection.truth.values()))).astype(str), f"{name} ({len(collection)})")

    def frames(self, kind: str) -> Ragged:
        """Short-time features of this kind."""
        return Frames(target_kind=kind).fit(self.sound).transform(self.sound)

    def judged(self, affinity: Affinity) -> Retrieval:
        """Every recording as a query for the others of its word; pairs never tested together rank last."""
        return retrieval(affinity, self.truth, at=(1, 50), missing="last")

    def fit(self, view: Ragged, n_iterations: int, seed: int) -> SIC:
        """SIC as it comes, without a stop rule."""
        return SIC(diverter=HMM(), n_iterations=n_iterations, stop=None, random_state=seed).fit(view)

    def fit_as_published(self, view: Ragged, n_iterations: int, seed: int, **settings: Any) -> SIC:
        """SIC with the source's settings: 25% trained on, 20 to 40 labels of at least 10 recordings (of fewer, where there
        are few recordings), 7 states, topology of type 1 or 2."""
        annotator = RandomLabels(min_per_label=max(1, min(_LEAST, len(view) // 96)))
        diverter = HMM(**({"n_states": _STATES, "topology": "either"} | settings))
        return SIC(diverter=diverter, annotator=annotator, n_iterations=n_iterations, stop=None, random_state=seed).fit(view)


def run(trial: Trial, ledger: Ledger) -> None:
    """All recordings against warping; then, on as many as the source had, settings, features and topologies."""
    if not trial.has(DATA):
        where = f"the data set '{DATA}' is not here (give its parent folder with --data or COTERIE_DATA)"
        ledger.skip(f"Digits: {where}; generated words were taken, on which SIC need not be ahead.")
        _invented(trial, ledger)
        return
    collection = read_audio(trial.data(DATA), named=Named(truth=("digit",)))
    takes = np.asarray(collection.cards["take"]).astype(int)
    few = Words.of(collection.take(np.flatnonzero(takes < (_TAKES // 4 if trial.quick else _TAKES))), "digits")
    whole = collection.take(np.flatnonzero(takes < _TAKES // 4)) if trial.quick else collection
    _against_warping(trial, ledger, Words.of(whole, "digits"))
    _same_columns(trial, ledger, few)
    _topologies(trial, ledger, few, _features(trial, ledger, few))


def _percent(found: Sequence[Retrieval]) -> dict[str, list[float]]:
    """The measures of lists over the runs, from 0 to 100."""
    return {
        "mAP": [100 * r.mean_ap for r in found],
        "P@1": [100 * r.precision_at[1] for r in found],
        "F@50": [100 * r.f_at[50] for r in found],
    }


def _grouped(affinity: Affinity, truth: np.ndarray, **settings: Any) -> dict[str, float]:
    """Measures of the groups that cleaning and Markov clustering find."""
    found = MCL(clean=True, **settings).fit(dense(affinity))
    labels, n_groups = found.labels_, found.partition_.n_groups
    values = (adjusted_rand(labels, truth), v_measure(labels, truth), nmi(labels, truth, mean="geometric"))
    return dict(zip(_MEASURES[3:], (*values, adjusted_purity(labels, truth), float(n_groups)), strict=True))


def _write(
    ledger: Ledger, method: str, data: str, values: dict[str, Any], paper: Sequence[float | None] = ()
) -> dict[str, float]:
    """A row per measure, with the source's number where there is one; gives the means."""
    printed = dict(zip(_MEASURES, paper, strict=False))
    return {measure: ledger.add(method, measure, data, runs, printed.get(measure)) for measure, runs in values.items()}


def _against_warping(trial: Trial, ledger: Ledger, found: Words) -> None:
    """SIC as it comes and DTW read the same coefficients of the same recordings; as many iterations as in the source."""
    view = found.frames(_STATIC)
    fits = [found.fit(view, 177, seed).affinity_ for seed in range(trial.seeds)]
    warped = dtw(view)
    mine, other = [found.judged(fit) for fit in fits], found.judged(warped)
    groups = [_grouped(fit, found.truth) for fit in fits]
    runs = _percent(mine) | {name: [float(g[name]) for g in groups] for name in _MEASURES[3:]}
    sic = _write(ledger, "SIC, HMM, 177 iterations", found.name, runs, _PAPER["SIC"][:1])
    far: dict[str, Any] = {**_percent([other]), **_grouped(warped, found.truth)}
    away = _write(ledger, "DTW", found.name, far, _PAPER["DTW"][:1])
    text = f"{found.name}: SIC ({sic['mAP']:.1f}) is at least 5 points of mAP above DTW ({away['mAP']:.1f})"
    ledger.relate(text, sic["mAP"] >= away["mAP"] + 5)
    text = f"cleaning and MCL find more in SIC (ARI {sic['ARI']:.2f}) than in DTW ({away['ARI']:.2f})"
    ledger.relate(text, sic["ARI"] > away["ARI"])
    ahead = 0
    for word, warped_ap in other.ap_per_class.items():
        values = [100 * r.ap_per_class[word] for r in mine]
        ahead += ledger.add(f"SIC, '{word}'", "mAP", found.name, values) > 100 * warped_ap
        ledger.add(f"DTW, '{word}'", "mAP", found.name, 100 * warped_ap)
    n = len(other.ap_per_class)
    ledger.relate(f"SIC is ahead on every word, as on all 19 of the source ({ahead} of {n})", ahead == n)


def _same_columns(trial: Trial, ledger: Ledger, found: Words) -> None:
    """What the settings, the differences and the mean contribute, on the smaller collection."""
    n, static = _iterations(trial), found.frames(_STATIC)
    warped = dtw(static)
    theirs = ledger.add("DTW", "mAP", found.name, 100 * found.judged(warped).mean_ap)
    tuned = _grouped(warped, found.truth, target_groups=len(np.unique(found.truth)))
    _write(ledger, "DTW, number of groups tuned", found.name, tuned, _PAPER["DTW"])
    settings: dict[str, Callable[[int], SIC]] = {
        "by default": lambda seed: found.fit(static, n, seed),
        "as published, no differences": lambda seed: found.fit_as_published(static, n, seed, deltas=False),
    }
    mean = {name: ledger.add(f"SIC {name}", "mAP", found.name, _maps(trial, found, fit)) for name, fit in settings.items()}
    bare = mean["as published, no differences"]
    ledger.relate(f"SIC on the columns of DTW alone ({bare:.1f}) is 5 points above DTW ({theirs:.1f})", bare >= theirs + 5)
    _normalization(trial, ledger, found, mean["by default"])


def _normalization(trial: Trial, ledger: Ledger, found: Words, centered: float) -> None:
    """Without the mean taken out, the speaker and the microphone speak louder than the word."""
    raw = found.frames("MFCC")
    ledger.add("DTW, mean left in", "mAP", found.name, 100 * found.judged(dtw(raw)).mean_ap)
    left = _maps(trial, found, lambda seed: found.fit(raw, _iterations(trial), seed))
    plain = ledger.add("SIC by default, mean left in", "mAP", found.name, left)
    text = f"taking the mean out of every recording helps SIC by 5 points of mAP ({plain:.1f} to {centered:.1f}) on {found.name}"
    ledger.relate(text, centered >= plain + 5)


def _iterations(trial: Trial) -> int:
    return 100 if trial.quick else 150


def _maps(trial: Trial, found: Words, fit: Callable[[int], SIC]) -> list[float]:
    return [100 * found.judged(fit(seed).affinity_).mean_ap for seed in range(trial.seeds)]


def _features(trial: Trial, ledger: Ledger, found: Words) -> list[float]:
    """A family, or one of several drawn in every iteration; the groups, tuned to the number of words, of the first seed.

    Gives the mAP of every seed with MFCC.
    """
    mean: dict[str, float] = {}
    first: list[float] = []
    for name in (*_FAMILIES, *_MIXED):
        kinds = [_FAMILIES[part] for part in _MIXED.get(name, (name,))]
        view = found.frames("+".join(kinds))
        fits = [found.fit_as_published(view, _iterations(trial), seed).affinity_ for seed in range(trial.seeds)]
        values: dict[str, Any] = _percent([found.judged(fit) for fit in fits])
        values |= _grouped(fits[0], found.truth, target_groups=len(np.unique(found.truth)))
        first = first or values["mAP"]
        mean[name] = _write(ledger, f"SIC as published, {name}", found.name, values, _PAPER[name])["mAP"]
    mfcc, plp, cepstra, lpc, both, mixed, every = mean.values()
    gap = abs(mfcc - plp)
    ledger.relate(f"MFCC ({mfcc:.1f}) and PLP ({plp:.1f}) are within 5 points of mAP (0.6 in the source)", gap <= 5)
    best = max(mfcc, plp)
    text = f"LPCEPSTRA ({cepstra:.1f}) is below both MFCC ({mfcc:.1f}) and PLP ({plp:.1f})"
    ledger.relate(text, cepstra < min(mfcc, plp))
    ledger.relate(f"LPC ({lpc:.1f}) is far below MFCC, 15 points or more", lpc <= mfcc - 15)
    ledger.relate(f"MFCC+LPC ({mixed:.1f}) lies between LPC and MFCC", lpc < mixed < mfcc)
    low, high = min(mfcc, plp) - 1.5, best + 1.5
    ledger.relate(f"MFCC+PLP ({both:.1f}) is about as good as either", low <= both <= high)
    ledger.relate(f"ALL ({every:.1f}) lies between MFCC+LPC and MFCC+PLP", mixed < every < both)
    return first


def _topologies(trial: Trial, ledger: Ledger, found: Words, usual: list[float]) -> None:
    """More states help, then level off; drawing their number costs little. `usual` is what the published settings gave."""
    view, mean = found.frames(_WHOLE), {}
    kinds = {"either": "type 1 or 2", "left-right": "type 1", "skips": "type 2"}
    for (topology, states), paper in _TOPOLOGIES.items():
        shown = f"{states} states" if isinstance(states, int) else f"{states[0]} to {states[1]} states"
        settings: dict[str, Any] = {"topology": topology, "n_states": states}
        values = usual
        if (topology, states) != ("either", _STATES):
            values = _maps(trial, found, lambda seed, s=settings: found.fit_as_published(view, _iterations(trial), seed, **s))  # type: ignore[misc]
        mean[topology, states] = ledger.add(f"SIC as published, {kinds[topology]}, {shown}", "mAP", found.name, values, paper)
    fixed = {states: value for (topology, states), value in mean.items() if topology == "either"}
    best, last, drawn, skips = max(fixed.values()), fixed[14], mean["left-right", (5, 14)], mean["skips", 14]
    ledger.relate(f"7 states ({fixed[7]:.1f}) are at least 1 point better than 2 ({fixed[2]:.1f})", fixed[7] >= fixed[2] + 1)
    ledger.relate(f"14 states ({last:.1f}) are better than 7 ({fixed[7]:.1f}), as in the source (20.6, 16.5)", last > fixed[7])
    ledger.relate(f"twice as many, 14 ({last:.1f}), are within 2.5 of the best number ({best:.1f})", last >= best - 2.5)
    ledger.relate(f"a random number of states ({drawn:.1f}) is within 2.5 of the best ({best:.1f})", drawn >= best - 2.5)
    ledger.relate(f"skips ({skips:.1f}) are within 2.5 of a topology drawn at random ({last:.1f})", abs(skips - last) <= 2.5)


def _invented(trial: Trial, ledger: Ledger) -> None:
    """Without the digits: generated words, on which neither SIC nor DTW is ahead for certain, so nobody must win."""
    found = Words.of(spoken_words(8, 4, 4 if trial.quick else 8, 0), "generated words")
    view = found.frames(_STATIC)
    runs = [found.judged(found.fit(view, _iterations(trial), seed).affinity_) for seed in range(trial.seeds)]
    centered = _write(ledger, "SIC by default", found.name, _percent(runs))["mAP"]
    _write(ledger, "DTW", found.name, _percent([found.judged(dtw(view))]))
    _normalization(trial, ledger, found, centered)


EXPERIMENT = Experiment(
    name="sic-audio",
    title="SIC with hidden Markov models on spoken words: against warping, by features, topology and word",
    work="SIC",
    table="tables 3 to 6, on public recordings of digits",
    needs=(DATA,),
    minutes=10,
    seeds=3,
    run=run,
    beside="paper, on ESTER2",
)
