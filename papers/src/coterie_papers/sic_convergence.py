"""How SIC settles: agreement with the end, split-half reliability, entropy, quality, and where a run may stop.

All of it on spoken vowels (hidden Markov models); how quality climbs and what must hold everywhere (H8), on a table and on
mentions in text, too; and text against vowels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from coterie.collect.mentions import plain, tagged_mentions
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.convergence import Convergence, Entropy, curve
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.hmm import HMM
from coterie.compare.sic.nearest import Nearest
from coterie.core.affinity import Affinity
from coterie.core.findings import Lines
from coterie.core.random import stream
from coterie.judge import retrieval
from coterie.show.lines import Ruled
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.sic_audio import grouped
from coterie_papers.sic_forest import plain_tables
from coterie_papers.sic_ner import LABELS, SHARE, field_of
from coterie_papers.sic_vowels import NAME, PILOT, Vowels, mean_ap, pilot, vowels

_DIGITS = "digits (600)"
_TEXT = "generated text"
_CURVE = ("pearson", "spearman", "reliability", "entropy")
_SLACK = 0.5  # points of mAP by which four times the iterations may be worse
_NONE = 0.02  # reliability of codes that mean nothing


@dataclass(frozen=True, eq=False)
class _Bed:
    """Members with known classes, and SIC as it is set for them."""

    name: str
    view: Any
    truth: np.ndarray
    made: Callable[..., SIC]
    depth: int = (
        50  # members in a list of which F is told: about as many as a class has, as in the source
    )


@dataclass(frozen=True, eq=False)
class _Course:
    """One long run: its mAP and further measures after some of the iterations, and its curve."""

    quality: dict[int, float]
    further: dict[
        int, dict[str, float]
    ]  # F at the depth of the bed, and measures of the groups that MCL finds
    curve: Convergence
    shuffled: Convergence
    stopped: dict[float, tuple[int, float]]  # entropy threshold -> iterations, mAP there

    def at(self, mark: int, name: str) -> float:
        """A measure of the curve after so many iterations."""
        return float(getattr(self.curve, name)[np.flatnonzero(self.curve.iterations == mark)[0]])


def run(trial: Trial, ledger: Ledger) -> None:
    """One long run per seed, looked at after some of its iterations."""
    found = vowels(trial, ledger)
    spoken = [] if found is None else _vowels(trial, ledger, found)
    _elsewhere(trial, ledger, _table())
    written = _elsewhere(trial, ledger, _mentions())
    if spoken:
        _sooner(ledger, {_TEXT: written, NAME: spoken})


def _vowels(trial: Trial, ledger: Ledger, found: Vowels) -> list[_Course]:
    n = 200 if trial.quick else 600
    marks = _marks(n)
    bed = _Bed(NAME, found.view, found.truth, partial(SIC, diverter=HMM()))
    courses = [_course(bed, n, marks, seed) for seed in range(trial.seeds)]
    _quality(ledger, courses, marks)
    _settling(ledger, courses, marks)
    _meaningless(ledger, courses)
    _flattery(ledger, courses, marks, n)
    _stopping(ledger, courses, n)
    for picture in _pictures(courses):
        ledger.draw(picture)
    _climbing(ledger, courses, marks)
    return courses


def _table() -> _Bed:
    """Digits as rows of numbers, by the nearest row."""
    table, truth = plain_tables(quick=True)[_DIGITS]
    return _Bed(
        _DIGITS,
        table,
        truth,
        partial(SIC, diverter=Nearest(scale="standard"), train_size=0.05, n_labels=100),
    )


def _mentions() -> _Bed:
    """Generated text with planted classes of mentions, by conditional random fields."""
    data = plain(tagged_mentions(cue=0.7, random_state=0))
    made = partial(SIC, diverter=field_of(data), train_size=SHARE, n_labels=LABELS)
    return _Bed(_TEXT, data.view("mentions"), data.truth["type"], made, depth=200)


def _elsewhere(trial: Trial, ledger: Ledger, bed: _Bed) -> list[_Course]:
    """What must hold on all data (H8), and how quality climbs."""
    n = 100 if trial.quick else 400
    marks = _marks(n)
    courses = [_course(bed, n, marks, seed) for seed in range(trial.seeds)]
    _quality(ledger, courses, marks, bed.name)
    _reliable(ledger, courses, marks, bed.name)
    _meaningless(ledger, courses, bed.name)
    _climbing(ledger, courses, marks, bed.name)
    return courses


def _marks(n: int) -> list[int]:
    """After which of so many iterations a run is looked at."""
    return [mark for mark in (25, 50, 100, 200, 400, 600) if mark <= n]


def _course(bed: _Bed, n: int, marks: list[int], seed: int) -> _Course:
    fit = bed.made(n_iterations=n, stop=None, random_state=seed).fit(bed.view)

    def after(mark: int) -> Affinity:
        return fit.score_.affinity(fit.codes_.take(slice(0, mark)))

    quality = {}
    further = {}
    for mark in marks:
        affinity = after(mark)
        found = retrieval(affinity, bed.truth, at=(bed.depth,), missing="last")
        quality[mark] = 100.0 * found.mean_ap
        further[mark] = {f"F@{bed.depth}": 100.0 * found.f_at[bed.depth]} | grouped(
            affinity, bed.truth
        )
    stopped = {}
    for threshold in (1e-4, 1e-5):
        at = _stop(fit.codes_, threshold)
        if at is not None:
            stopped[threshold] = (at, mean_ap(after(at), bed.truth))
    return _Course(
        quality, further, curve(fit.codes_), curve(_shuffled(fit.codes_, seed), every=25), stopped
    )


def _quality(ledger: Ledger, courses: list[_Course], marks: list[int], data: str = NAME) -> None:
    """More iterations are never much worse (H8)."""
    mean = {}
    for mark in marks:
        values = [course.quality[mark] for course in courses]
        beside = (pilot("SIC", mark), PILOT) if data == NAME else ()
        mean[mark] = ledger.add(f"SIC, {mark} iterations", "mAP", data, values, *beside)
    for mark in marks:
        if 4 * mark in mean:
            ledger.relate(
                f"{_at(data)}mAP at {4 * mark} iterations ({mean[4 * mark]:.1f}) is at least that at {mark} "
                f"({mean[mark]:.1f}) less {_SLACK} (H8)",
                all(
                    course.quality[4 * mark] >= course.quality[mark] - _SLACK for course in courses
                ),
            )


def _at(data: str) -> str:
    """Where a relation is asked, unless on the vowels."""
    return "" if data == NAME else f"{data}: "


def _reliable(ledger: Ledger, courses: list[_Course], marks: list[int], data: str = NAME) -> None:
    """Split-half reliability rises (H8); rows of it after some of the iterations, and of what else the curve tells."""
    reliability = []
    for mark in marks:
        for name in _CURVE:
            mean = ledger.add(
                f"SIC, {mark} iterations", name, data, [course.at(mark, name) for course in courses]
            )
            reliability += [mean] if name == "reliability" else []
    ledger.relate(
        f"{_at(data)}split-half reliability rises with the iterations ({', '.join(f'{r:.3f}' for r in reliability)}) (H8)",
        bool((np.diff(reliability) > 0).all()),
    )


def _settling(ledger: Ledger, courses: list[_Course], marks: list[int]) -> None:
    """Pearson and Spearman with the end (figures 21 and 22), reliability and entropy (figures 23 and 24)."""
    _reliable(ledger, courses, marks)
    moves = np.array([np.diff(course.curve.entropy) for course in courses]).mean(axis=0)
    half = len(moves) // 2
    ledger.relate(
        f"the entropy climbs fast and then flattens (a step of {moves[:5].mean():.4f} at first, {moves[half:].mean():.5f} later)",
        bool(moves[:5].mean() > 10 * abs(moves[half:].mean())),
    )


def _climbing(ledger: Ledger, courses: list[_Course], marks: list[int], data: str = NAME) -> None:
    """Lists and groups get better fast and then hardly (figures 23 and 24); groups by MCL as it comes, with inflation 2."""
    mean = {"mAP": [float(np.mean([course.quality[mark] for course in courses])) for mark in marks]}
    for name in courses[0].further[marks[0]]:
        runs = {mark: [course.further[mark][name] for course in courses] for mark in marks}
        mean[name] = [
            ledger.add(f"SIC, {mark} iterations", name, data, values)
            for mark, values in runs.items()
        ]
    del mean["groups"]
    half = len(marks) // 2
    said = "; ".join(
        f"{name} {line[0]:.3g}, {line[half]:.3g}, {line[-1]:.3g}" for name, line in mean.items()
    )
    ledger.relate(
        f"{_at(data)}quality climbs fast and then flattens (after {marks[0]}, {marks[half]} and {marks[-1]} iterations: {said})",
        all(line[half] - line[0] > abs(line[-1] - line[half]) for line in mean.values()),
    )
    whole = {name: 100.0 if name == "mAP" or name.startswith("F@") else 1.0 for name in mean}
    lines = {name: tuple(value / whole[name] for value in line) for name, line in mean.items()}
    title = f"{data}: quality along the iterations (as in figures 23 and 24)"
    ledger.draw(
        Ruled(
            title,
            tuple(map(float, marks)),
            lines,
            "iterations",
            "quality, from 0 to 1",
            over_logs=True,
        )
    )


def _sooner(ledger: Ledger, found: dict[str, list[_Course]]) -> None:
    """Text settles before audio: in reliability, in mAP, and in entropy, at the looks that both have."""
    marks = sorted(set.intersection(*(set(courses[0].quality) for courses in found.values())))
    half, end = marks[-2:]
    reliable = []
    near = []
    moves = []
    for data, courses in found.items():
        reliable.append(
            [
                float(np.mean([course.at(mark, "reliability") for course in courses]))
                for mark in marks
            ]
        )
        shares = {
            mark: [course.quality[mark] / course.quality[end] for course in courses]
            for mark in marks[:-1]
        }
        name = f"share of the mAP at {end}"
        near.append(
            [
                ledger.add(f"SIC, {mark} iterations", name, data, values)
                for mark, values in shares.items()
            ]
        )
        steps = [_moves(course.curve, half, end) for course in courses]
        moves.append(
            ledger.add(
                f"SIC, {half} to {end} iterations",
                "move of the entropy between two looks",
                data,
                steps,
            )
        )
    for name, (text, audio) in {
        "reliability": reliable,
        f"share of the mAP at {end}": near,
    }.items():
        looks = ", ".join(
            f"{a:.3f} and {b:.3f} at {mark}" for mark, a, b in zip(marks, text, audio, strict=False)
        )
        ledger.relate(
            f"text settles before audio by {name} ({looks})",
            all(a > b for a, b in zip(text, audio, strict=True)),
        )
    said = f"({moves[0]:.5f} and {moves[1]:.5f} between two looks from {half} to {end} iterations)"
    ledger.relate(
        f"text settles before audio by the moves of the entropy {said}", moves[0] < moves[1]
    )
    lines = {
        f"{data}, reliability": tuple(line) for data, line in zip(found, reliable, strict=True)
    }
    lines |= {
        f"{data}, share of the mAP at {end}": (*line, 1.0)
        for data, line in zip(found, near, strict=True)
    }
    title = "How far text and audio have settled"
    ledger.draw(
        Ruled(title, tuple(map(float, marks)), lines, "iterations", "from 0 to 1", over_logs=True)
    )


def _moves(seen: Convergence, low: int, high: int) -> float:
    """How much the entropy moves from one look to the next between two numbers of iterations, in the mean."""
    between = (seen.iterations >= low) & (seen.iterations <= high)
    return float(np.abs(np.diff(seen.entropy[between])).mean())


def _meaningless(ledger: Ledger, courses: list[_Course], data: str = NAME) -> None:
    """Codes shuffled within each iteration have no reliability (H8)."""
    last = [float(course.shuffled.reliability[-1]) for course in courses]
    ledger.add("shuffled codes", "reliability", data, last)
    ledger.relate(
        f"{_at(data)}codes shuffled within each iteration have no reliability (at most {max(map(abs, last)):.3f}, {_NONE} "
        f"allowed, {courses[0].shuffled.n_pairs} pairs) (H8)",
        max(map(abs, last)) <= _NONE,
    )


def _flattery(ledger: Ledger, courses: list[_Course], marks: list[int], n: int) -> None:
    """Shuffled codes agree with their own end all the same (C22)."""
    for mark in marks[1:-1]:
        at = [int(np.flatnonzero(course.shuffled.iterations == mark)[0]) for course in courses]
        flattery = [
            float(course.shuffled.pearson[j]) for course, j in zip(courses, at, strict=True)
        ]
        seen = ledger.add(f"shuffled codes, {mark} iterations", "pearson", NAME, flattery)
        expected = float(np.sqrt(mark / n))
        ledger.relate(
            f"at {mark} iterations shuffled codes still agree with their end, by sqrt(X/N) ({seen:.3f}, {expected:.3f} expected)",
            abs(seen - expected) < 0.03,
        )


def _stopping(ledger: Ledger, courses: list[_Course], n: int) -> None:
    """Where the mean entropy says that it is enough, and what that costs (H10)."""
    for threshold, share, said in ((1e-4, 0.05, " (H10)"), (1e-5, 0.01, "")):
        there = [
            (*course.stopped[threshold], course.quality[n])
            for course in courses
            if threshold in course.stopped
        ]
        if len(there) < len(courses):
            ledger.skip(
                f"The entropy stop {threshold:g}: not reached within {n} iterations by {len(courses) - len(there)} runs."
            )
        if not there:
            continue
        ledger.add(f"entropy stop {threshold:g}", "iterations", NAME, [at for at, _, _ in there])
        ledger.add(f"entropy stop {threshold:g}", "mAP", NAME, [value for _, value, _ in there])
        worst = max(1 - value / end for _, value, end in there)
        ledger.relate(
            f"stopping at an entropy step below {threshold:g}, three in a row, costs {worst:.1%} of the mAP at {n} iterations "
            f"({share:.0%} allowed){said}",
            worst <= share,
        )


def _pictures(courses: list[_Course]) -> list[Lines]:
    """Figures 21 to 24: what was seen along the way, as a mean over the runs."""
    at = courses[0].curve.iterations
    seen = {name: _mean([getattr(one.curve, name) for one in courses]) for name in _CURVE}
    apart = courses[0].shuffled.iterations  # looked at less often
    low = {
        name: _mean([getattr(one.shuffled, name) for one in courses])
        for name in ("pearson", "reliability")
    }
    dealt = {
        name: tuple(dict(zip(apart, low[name], strict=True)).get(i, np.nan) for i in at)
        for name in low
    }
    axis = tuple(map(float, at))
    ends = {
        "SIC, Pearson": seen["pearson"],
        "SIC, Spearman": seen["spearman"],
        "shuffled codes, Pearson": dealt["pearson"],
    }
    halves = {
        "SIC, split-half reliability": seen["reliability"],
        "shuffled codes, the same": dealt["reliability"],
    }
    return [
        Lines(
            f"{NAME}: agreement with the end (as in figures 21 and 22)",
            axis,
            ends,
            "iterations",
            "correlation",
        ),
        Lines(
            f"{NAME}: agreement of odd and even iterations",
            axis,
            halves,
            "iterations",
            "reliability",
        ),
        Lines(
            f"{NAME}: entropy (as in figures 23 and 24)",
            axis,
            {"SIC": seen["entropy"]},
            "iterations",
            "mean entropy",
        ),
    ]


def _mean(curves: list[np.ndarray]) -> tuple[float, ...]:
    return tuple(float(value) for value in np.mean(curves, axis=0))


def _stop(codes: Codes, threshold: float) -> int | None:
    """After how many iterations the rule would have stopped this run."""
    watcher = Entropy(threshold=threshold).watch(codes.n_members)
    return next((i + 1 for i, row in enumerate(codes.labels) if watcher.add(row)), None)


def _shuffled(codes: Codes, seed: int) -> Codes:
    """The same codes, dealt out anew among the members tested in each iteration."""
    labels = codes.labels.copy()
    for i, row in enumerate(labels):
        tested = row >= 0
        labels[i, tested] = stream(seed, 8, i).permutation(row[tested])
    return replace(codes, labels=labels)


EXPERIMENT = Experiment(
    name="sic-convergence",
    title="SIC: how fast the similarity settles, and where a run may stop",
    work="SIC",
    table="figures 21 to 24",
    needs=("sequences/JapaneseVowels.npz",),
    minutes=3,
    seeds=3,
    run=run,
    also=("digits (scikit-learn)",),
)
