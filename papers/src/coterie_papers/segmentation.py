"""Segmentation: a long sequence of two hidden chains in turn, nine speakers one after the other, and classical costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.compare.ssd import SSD
from coterie.core.partition import Segmentation as Cut
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.judge import clustering_error
from coterie.judge.boundaries import boundary_scores, segmentation_error
from coterie.models import HMM
from coterie.organize.cuts import windows
from coterie.organize.segmentation import Segmentation
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.traces import CHAINS, chain, error, recorded

# table C.1 of the thesis: clustering of the windows, segmentation; then tables C.2 and C.3
CHAIN_WINDOWS = {100: (19.63, 15.91), 125: (7.25, 4.23), 150: (3.81, 1.06)}
VOWEL_WINDOWS = {10: (21.68, 1.0), 15: (10.21, 3.5), 20: (5.19, 1.4)}
SSD_PAPER = {
    18: (1.61, 2.39, 2.66),
    24: (1.0, 1.12, 1.26),
    32: (0.82, 0.95, 1.03),
    40: (0.72, 0.98, 0.75),
}
_EACH = 10  # segments of each chain
_SHORTEST = 350
_LONGEST = 2000


def run(trial: Trial, ledger: Ledger) -> None:
    """Both tables of the appendix."""
    _two_chains(trial, ledger)
    labeled = recorded(trial, ledger, "JapaneseVowels", "train")
    if labeled is not None:
        _speakers(trial, ledger, *labeled)


def two_chains(seed: int) -> tuple[Ragged, Cut]:
    """Twenty segments, ten of each chain, in random order, and where they are."""
    generator = stream(seed, 9)
    labels = generator.permutation(np.repeat([0, 1], _EACH))
    lengths = generator.integers(_SHORTEST, _LONGEST + 1, size=len(labels))
    parts = [
        chain(CHAINS[label], int(length), generator)
        for label, length in zip(labels, lengths, strict=True)
    ]
    return Ragged.of([np.concatenate(parts)]), Cut(
        np.concatenate([[0], np.cumsum(lengths)]), labels
    )


def _two_chains(trial: Trial, ledger: Ledger) -> None:
    seeds = range(max(2, trial.seeds // 4) if trial.quick else trial.seeds)
    mean: dict[int, tuple[float, float]] = {}
    for window, paper in CHAIN_WINDOWS.items():
        plain = []
        cut = []
        steps = []
        for seed in seeds:
            view, true = two_chains(seed)
            model = HMM(n_states=2, random_state=seed)
            found = Segmentation(
                window=window, n_segments=2 * _EACH, n_sources=2, comparer=model, random_state=seed
            ).fit(view)
            truth = _by_window(true, found.windows_)
            plain.append(error(found.affinity_, truth, seed, "eigengap"))
            cut.append(
                100.0 * clustering_error(_by_window(found.segmentation_, found.windows_), truth)
            )
            steps.append(100.0 * clustering_error(found.segmentation_.per_step(), true.per_step()))
        data = f"two chains, windows of {window}"
        mean[window] = (
            ledger.add("KL-LL, clustering of windows", "error %", data, plain, paper[0]),
            ledger.add("KL-LL, segmentation", "error %", data, cut, paper[1]),
        )
        ledger.add("KL-LL, segmentation", "error % of steps", data, steps)
    for window, (plain_error, cut_error) in mean.items():
        text = f"two chains, windows of {window}: segmentation ({cut_error:.2f}) is below clustering ({plain_error:.2f})"
        ledger.relate(text, cut_error < plain_error)
    longest = mean[max(mean)][1]
    ledger.relate(
        f"two chains, the longest windows: an error of at most 5% ({longest:.2f})", longest <= 5
    )


def _speakers(trial: Trial, ledger: Ledger, view: Ragged, truth: np.ndarray) -> None:
    order = np.argsort(truth, kind="stable")
    view = view.take(order)
    truth = truth[order]
    ends = np.append(np.flatnonzero(np.diff(truth)) + 1, len(truth))
    true = Cut(np.concatenate([[0], view.offsets[ends]]), np.arange(len(ends)))
    whole = Ragged(view.values, np.array([0, len(view.values)]))
    seeds = range(min(trial.seeds, 3) if trial.quick else trial.seeds)
    worst = 0.0
    for at, (window, paper) in enumerate(VOWEL_WINDOWS.items()):
        data = f"Japanese Vowels, windows of {window}"
        fits = [_cut(whole, window, HMM(n_states=2, random_state=seed), seed) for seed in seeds]
        named = _by_window(true, windows(whole, window))
        plain = [
            error(found.affinity_, named, seed, "eigengap")
            for seed, found in zip(seeds, fits, strict=True)
        ]
        clustered = ledger.add("KL-LL, clustering of windows", "error %", data, plain, paper[0])
        mine = [100.0 * segmentation_error(found.segmentation_, true, window) for found in fits]
        cut = ledger.add("KL-LL, segmentation", "error %", data, mine, paper[1])
        worst = max(worst, cut)
        if window <= 15:
            text = f"{data}: segmentation ({cut:.2f}) has at most a third of the error of clustering ({clustered:.2f}) (R6)"
            ledger.relate(text, cut <= clustered / 3)
        near = [
            boundary_scores(found.segmentation_, true, tolerance=window // 2).f for found in fits
        ]
        ledger.add("KL-LL, segmentation", "F of boundaries within half a window", data, near)
        for states, row in SSD_PAPER.items():
            if not trial.quick or states == 32:
                some = [
                    _cut(whole, window, SSD(n_states=states, random_state=seed), seed)
                    for seed in list(seeds)[:3]
                ]
                errors = [
                    100.0 * segmentation_error(found.segmentation_, true, window) for found in some
                ]
                ledger.add(f"SSD, {states} states, segmentation", "error %", data, errors, row[at])
    ledger.relate(
        f"Japanese Vowels: KL-LL segmentation errs by at most 1% at every window length ({worst:.2f})",
        worst <= 1,
    )


def _cut(view: Ragged, window: int, comparer: Any, seed: int) -> Segmentation:
    return Segmentation(
        window=window, n_segments=9, n_sources=9, comparer=comparer, random_state=seed
    ).fit(view)


def _by_window(cut: Cut, parts: Ragged) -> np.ndarray:
    """The label that most steps of each window have."""
    steps = cut.per_step()
    return np.array(
        [
            np.bincount(steps[a:b]).argmax()
            for a, b in zip(parts.offsets[:-1], parts.offsets[1:], strict=True)
        ]
    )


EXPERIMENT = Experiment(
    name="segmentation",
    title="Cutting long sequences at their changes",
    work="Sequences",
    table="tables C.1 to C.3",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=1,
    seeds=10,
    run=run,
)
