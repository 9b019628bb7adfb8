"""What divergences of two samples, their intervals, tests and mutual information are worth where the truth is known."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.stats import binom, norm

from coterie.core.random import stream
from coterie.judge import divergence, entropy, mutual_information, two_sample_test
from coterie.judge.two_samples import Measure
from coterie.parts.fdivergences import CATALOGUE
from coterie.parts.workers import in_order
from coterie_papers.experiment import OWN, Experiment, Ledger, Picture, Row, Trial
from coterie_papers.row_figures import bars
from coterie_papers.text_data import above, not_below

# of intervals, and of tests
LEVEL = 0.95
SIZE = 0.05
# measures
MEAN = "mean"
RATIO = "s over deviation before the cut"
REJECTED = "rejected at 5 %"
NATS = "nats"
# pairs of samples for every seed where tests are asked; all else has one
_POWERS = 2
_LEVELS = 5
_FEWEST = 5  # seeds of a quick try
# whole and quick
_HALVES = (100, 12)
_PERMUTATIONS = (199, 39)
_CHANCE = 0.01  # with which the worst of several shares is past its limit where all are what they should be
# of the truth: what is a little off, and what is far off
_NEAR = 0.1
_FAR = 0.2
Pair = tuple[np.ndarray, np.ndarray]
Shares = Mapping[
    str, Mapping[str, np.ndarray]
]  # situation -> statistic -> whether each pair was told apart


class Setting(NamedTuple):
    """Two Gaussians with unit covariance, and what is estimated of them by what."""

    rows: int
    columns: int
    apart: float  # the distance of the means
    f: str
    risk: str

    @property
    def data(self) -> str:
        return f"{self.rows} rows, {self.columns} columns, means {self.apart:g} apart"

    @property
    def method(self) -> str:
        return f"{self.f}, {self.risk}"

    def __str__(self) -> str:
        return f"{self.method}, {self.data}"


SETTINGS = (
    *(
        Setting(100, 2, 1.0, f, risk)
        for f, risk in (("kl", "nn"), ("hellinger", "nn"), ("js", "nn"))
    ),
    *(Setting(100, 2, 1.0, "kl", risk) for risk in ("wang", "bound")),
    *(Setting(100, 2, 0.0, f, "nn") for f in ("kl", "hellinger")),
    Setting(300, 2, 1.0, "kl", "nn"),
    Setting(30, 2, 1.0, "hellinger", "nn"),
    Setting(100, 5, 1.0, "hellinger", "nn"),
)


@dataclass(frozen=True, eq=False)
class Read:
    """What was read off many pairs of samples: values, the same before they are cut at zero, and their intervals."""

    truth: float
    values: np.ndarray
    uncut: np.ndarray
    spreads: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def ratio(self) -> float:
        """By how much s is larger than the deviation that it stands for, which is that before the cut."""
        return float(self.spreads.mean() / self.uncut.std(ddof=1))

    @property
    def off(self) -> float:
        """By how many standard errors the mean is above the truth, before the cut."""
        return float(
            (self.uncut.mean() - self.truth) / (self.uncut.std(ddof=1) / math.sqrt(len(self.uncut)))
        )

    def hold(self, value: float) -> np.ndarray:
        """Which intervals hold a value."""
        return (self.lower <= value) & (value <= self.upper)


def run(trial: Trial, ledger: Ledger) -> None:
    """Intervals of divergences, tests of two samples, and mutual information and entropy, all of known laws."""
    seeds = max(trial.seeds, _FEWEST if trial.quick else 2)  # one has no deviation
    read = {one: _read(one, seeds, _HALVES[trial.quick]) for one in SETTINGS}
    for setting, one in read.items():
        _tell(ledger, setting, one)
    of_intervals(ledger, read)
    shares = {
        name: _shares(name, seeds, _PERMUTATIONS[trial.quick]) for name in (*SAME, *DIFFERENT)
    }
    for name, row in shares.items():
        for statistic, rejected in row.items():
            ledger.add(
                statistic,
                REJECTED,
                name,
                rejected.tolist(),
                *((SIZE, "level") if name in SAME else ()),
            )
    of_tests(ledger, shares)
    _information(ledger, seeds)


def gaussians(rows: int, columns: int, apart: float, seed: int) -> Pair:
    """A sample of N(0, I) and one whose mean is elsewhere in the first column."""
    x, y = stream(0, seed, rows, columns, round(100 * apart)).normal(size=(2, rows, columns))
    y[:, 0] += apart
    return x, y


def truth(f: str, apart: float) -> float:
    """The divergence of N(0, 1) from N(apart, 1), by quadrature; other columns that are alike change nothing."""
    x = np.linspace(-12.0, 12.0 + apart, 24001)
    first = norm.pdf(x)
    second = norm.pdf(x, apart)
    return (
        float((second * CATALOGUE[f].generator(first / second)).sum() * (x[1] - x[0]))
        if apart
        else 0.0
    )


def _read(setting: Setting, pairs: int, replicates: int) -> Read:
    measure = Measure.of(setting.f, setting.risk, 0, "two-samples")

    def work(seed: int) -> tuple[float, ...]:
        x, y = gaussians(*setting[:3], seed)
        found = divergence(
            x, y, setting.f, setting.risk, level=LEVEL, replicates=replicates, random_state=seed
        )
        return (
            found.value,
            measure.uncut(measure.look(x, y)),
            found.spread,
            found.lower,
            found.upper,
        )

    return Read(
        truth(setting.f, setting.apart),
        *np.array(list(in_order(work, list(range(pairs)), str(setting)))).T,
    )


def _tell(ledger: Ledger, setting: Setting, read: Read) -> None:
    at = setting.data
    ledger.add(setting.method, MEAN, at, read.values.tolist(), read.truth)
    ledger.add(setting.method, "deviation", at, float(read.values.std(ddof=1)))
    ledger.add(setting.method, "deviation before the cut at 0", at, float(read.uncut.std(ddof=1)))
    ledger.add(setting.method, "mean of s", at, read.spreads.tolist())
    ledger.add(setting.method, RATIO, at, read.ratio)
    ledger.add(
        setting.method,
        "intervals that hold the truth",
        at,
        read.hold(read.truth).tolist(),
        LEVEL,
        "level",
    )
    ledger.add(
        setting.method,
        "intervals that hold the mean",
        at,
        read.hold(read.mean).tolist(),
        LEVEL,
        "level",
    )
    if not setting.apart:
        ledger.add(setting.method, "mean before the cut at 0", at, read.uncut.tolist(), 0.0)
        ledger.add(setting.method, "below 0 before the cut", at, (read.uncut < 0).tolist())


def of_intervals(ledger: Ledger, read: Mapping[Setting, Read]) -> None:
    """What is asked of estimates and their intervals."""
    near = {one: found for one, found in read.items() if one.risk == "nn"}
    other = {one: found for one, found in read.items() if one.risk != "nn"}
    _often(
        ledger,
        "the mean of the estimate in every setting",
        [one.hold(one.mean) for one in read.values()],
    )
    _often(
        ledger,
        "the truth too where neighbors estimate it",
        [one.hold(one.truth) for one in near.values()],
    )
    ratios = [one.ratio for one in near.values()]
    text = f"by neighbors s is larger than the deviation of the estimate in every setting ({_span(ratios)} times)"
    ledger.relate(text, min(ratios) > 1)
    ratios = [one.ratio for one in other.values()]
    text = f"by Wang and by the bound s is within a quarter of the deviation of the estimate ({_span(ratios)} times)"
    ledger.relate(text, all(abs(ratio - 1) < 0.25 for ratio in ratios))
    for setting, one in other.items():
        text = f"{setting.method}: the mean is below the truth by more than two standard errors ({-one.off:.1f})"
        ledger.relate(text, one.off < -2)
        inside = float(one.hold(one.truth).mean())
        mean = float(one.hold(one.mean).mean())
        text = f"{setting.method}: intervals hold the truth ({inside:.3f}) less often than the mean of the estimate ({mean:.3f})"
        ledger.relate(text, inside < mean)
    for setting, one in near.items():
        if not setting.apart:
            text = f"{setting}: before the cut the mean is within three standard errors of 0 ({one.off:.1f})"
            ledger.relate(text, abs(one.off) < 3)
            below = float((one.uncut < 0).mean())
            least = limit(0.5, len(one.uncut), 2)
            text = f"{setting}: about every second estimate is below 0 before the cut (a share of {below:.3f})"
            ledger.relate(text, least <= below <= 1 - least)
    first = SETTINGS[0]
    wide = {
        one.f: found.uncut.std(ddof=1) / found.truth
        for one, found in near.items()
        if one[:3] == first[:3]
    }
    said = ", ".join(f"{f} {value:.2f}" for f, value in wide.items())
    text = f"by neighbors kl scatters most for its size (deviation over the truth, {first.data}: {said})"
    ledger.relate(text, all(wide["kl"] > value for f, value in wide.items() if f != "kl"))


def limit(share: float, runs: int, many: int) -> float:
    """How small the least of many shares of so many runs can be by chance where all of them are `share`."""
    return float(binom.ppf(_CHANCE / many, runs, share)) / runs


def _often(ledger: Ledger, what: str, held: Sequence[np.ndarray]) -> None:
    shares = [float(one.mean()) for one in held]
    least = limit(LEVEL, len(held[0]), len(held))
    text = f"intervals of {LEVEL:.0%} hold {what} as often as they say, or more often ({_span(shares)}; chance alone gives "
    ledger.relate(f"{text}{least:.3f} at times)", min(shares) >= least)


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}"


def _normal(
    columns: int, apart: float = 0.0, wide: float = 1.0
) -> Callable[[np.random.Generator], Pair]:
    def draw(rng: np.random.Generator) -> Pair:
        x, y = rng.normal(size=(2, 50, columns))
        return x, wide * y + apart * np.eye(1, columns)

    return draw


def _grid(rng: np.random.Generator) -> Pair:
    x, y = rng.integers(0, 3, size=(2, 50, 2)).astype(np.float64)
    return x, y


def _peaks(at: float) -> Callable[[np.random.Generator], Pair]:
    """One peak around zero, and two that are as far from zero as `at` says; both laws have variance 1."""

    def draw(rng: np.random.Generator) -> Pair:
        x, y = rng.normal(size=(2, 60, 1))
        return x, at * rng.choice([-1.0, 1.0], size=(60, 1)) + math.sqrt(1 - at**2) * y

    return draw


STATISTICS = ("mmd", "energy", "nn")
DIVERGENCES = ("hellinger", "kl")
SAME = {"one law, 50 rows, 2 columns": _normal(2), "one law on 9 points, 50 rows, 2 columns": _grid}
SHIFTS = {
    "means 0.5 apart, 50 rows, 2 columns": _normal(2, apart=0.5),
    "means 0.8 apart, 50 rows, 10 columns": _normal(10, apart=0.8),
}
WIDER = "deviations 1 and 1.3, 50 rows, 10 columns"
SHARP = "one peak and two sharp ones, 60 rows"
BLURRED = "one peak and two blurred ones, 60 rows"
DIFFERENT = {**SHIFTS, WIDER: _normal(10, wide=1.3), SHARP: _peaks(0.95), BLURRED: _peaks(0.85)}


def drawn(situation: str, seed: int) -> Pair:
    """Two samples in a situation, the same whatever else is drawn."""
    return {**SAME, **DIFFERENT}[situation](stream(1, crc32(situation.encode()), seed))


def _shares(situation: str, seeds: int, permutations: int) -> dict[str, np.ndarray]:
    """Whether each test tells the samples of each pair apart."""

    def work(seed: int) -> list[bool]:
        x, y = drawn(situation, seed)
        tests = (
            two_sample_test(x, y, one, permutations=permutations, random_state=seed)
            for one in (*STATISTICS, *DIVERGENCES)
        )
        return [test.p_value <= SIZE for test in tests]

    pairs = seeds * (_LEVELS if situation in SAME else _POWERS)
    found = np.array(list(in_order(work, list(range(pairs)), situation)), dtype=np.float64)
    return dict(zip((*STATISTICS, *DIVERGENCES), found.T, strict=True))


def of_tests(ledger: Ledger, shares: Shares) -> None:
    """What is asked of the tests."""
    null = [values for name in SAME for values in shares[name].values()]
    most = max(float(one.mean()) for one in null)
    largest = 1 - limit(1 - SIZE, len(null[0]), len(null))
    text = f"where nothing differs every test rejects {SIZE:.0%} of pairs or fewer (of {len(null[0])} pairs at most {most:.3f}; "
    ledger.relate(f"{text}chance alone gives {largest:.3f} at times)", most <= largest)
    for name in SHIFTS:
        row = shares[name]
        text = f"{name}: no statistic is ahead of energy by more than an error ({_said(row)})"
        ledger.relate(text, all(not_below(row["energy"], values) for values in row.values()))
    first = next(iter(SHIFTS))
    _leads(ledger, first, shares[first], "energy")
    _leads(ledger, WIDER, shares[WIDER], "mmd")
    _leads(ledger, SHARP, shares[SHARP], "nn")
    row = shares[BLURRED]
    ledger.relate(
        f"{BLURRED}: nn is not ahead of mmd ({_said(row, 'nn', 'mmd')})",
        not above(row["nn"], row["mmd"]),
    )
    worst = {
        one: min(_part(shares[name], one) for name in DIFFERENT)
        for one in (*STATISTICS, *DIVERGENCES)
    }
    said = ", ".join(f"{one} {value:.2f}" for one, value in worst.items())
    text = f"mmd is good all round: where it does worst it finds more of what the best one finds than any other does ({said})"
    ledger.relate(text, max(worst, key=lambda one: worst[one]) == "mmd")
    least = min(_lead(shares[name]) for name in DIFFERENT)
    text = f"in every situation mmd, energy or nn finds more than both divergences do (by {least:.3f} at least)"
    ledger.relate(text, least > 0)


def _leads(ledger: Ledger, name: str, row: Mapping[str, np.ndarray], best: str) -> None:
    others = [other for other in row if other != best]
    text = f"{name}: {best} finds the difference most often, by more than an error ({_said(row)})"
    ledger.relate(text, all(above(row[best], row[other]) for other in others))


def _part(row: Mapping[str, np.ndarray], one: str) -> float:
    """What a statistic finds, of what the best one finds."""
    return float(row[one].mean() / max(max(values.mean() for values in row.values()), 1e-12))


def _lead(row: Mapping[str, np.ndarray]) -> float:
    return float(
        max(row[one].mean() for one in STATISTICS) - max(row[one].mean() for one in DIVERGENCES)
    )


def _said(row: Mapping[str, np.ndarray], *names: str) -> str:
    return ", ".join(f"{name} {row[name].mean():.3f}" for name in names or row)


CORRELATION = 0.8
REPEATED = 0.8
CATEGORIES = 3
COPIES = (0.1, 0.5)


def related(rows: int, seed: int) -> Pair:
    """Gaussian pairs with a known correlation."""
    x, y = stream(2, seed).normal(size=(2, rows))
    return x, CORRELATION * x + math.sqrt(1 - CORRELATION**2) * y


def categories(rows: int, seed: int) -> Pair:
    """Pairs of categories: the second is the first four times of five, and is drawn anew otherwise."""
    rng = stream(3, seed)
    x, anew = rng.integers(0, CATEGORIES, size=(2, rows)).astype(np.float64)
    return x, np.where(rng.random(rows) < REPEATED, x, anew)


def of_categories() -> float:
    """The mutual information of these pairs."""
    joint = (1 - REPEATED) / CATEGORIES**2 + REPEATED / CATEGORIES * np.eye(CATEGORIES)
    return float((joint * np.log(CATEGORIES**2 * joint)).sum())


def with_copies(rows: int, share: float, seed: int) -> np.ndarray:
    """Gaussian rows in two columns, a share of which are copies of one another, two by two."""
    sample = stream(4, seed).normal(size=(rows, 2))
    half = round(rows * share / 2)
    sample[:half] = sample[half : 2 * half]
    return sample


def _information(ledger: Ledger, samples: int) -> None:
    halves = "pairs of halves"
    shared = "pairs of shared rows"
    gaussian = f"500 pairs, correlation {CORRELATION:g}"
    words = f"800 pairs of {CATEGORIES} categories"
    rows = [f"600 rows, {share:.0%} with copies" for share in (0.0, *COPIES)]

    def work(seed: int) -> list[float]:
        x, y = related(500, seed)
        mixed = stream(5, seed).permutation(y)
        found = [mutual_information(x, y, replicates=0, random_state=seed).value]
        found += [divergence(np.c_[x, y], np.c_[x, mixed], "kl", replicates=0).value]
        found += [mutual_information(*categories(800, seed), replicates=0, random_state=seed).value]
        copied = [with_copies(600, share, seed) for share in (0.0, *COPIES)]
        return [*found, *(entropy(one) for one in copied), entropy(np.unique(copied[-1], axis=0))]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of copies, which are what is looked at
        found = list(
            zip(
                *in_order(work, list(range(samples)), "mutual information and entropy"), strict=True
            )
        )
    known = (-math.log(1 - CORRELATION**2) / 2, of_categories())
    whole = math.log(2 * math.pi * math.e)
    ledger.add(halves, NATS, gaussian, found[0], known[0])
    ledger.add(shared, NATS, gaussian, found[1], known[0])
    ledger.add(halves, NATS, words, found[2], known[1])
    for name, values in zip(rows, found[3:], strict=False):
        ledger.add("entropy", NATS, name, values, whole)
    ledger.add("entropy, copies left out", NATS, rows[-1], found[-1], whole)
    of_information(ledger, [float(np.mean(one)) for one in found[:3]], known)
    of_entropy(ledger, [float(np.mean(one)) for one in found[3:]], whole)


def of_information(ledger: Ledger, means: Sequence[float], truths: Sequence[float]) -> None:
    """What is asked of mutual information: by halves, by shared rows, and of categories."""
    (halves, shared, words) = means
    (known, of_words) = truths
    text = f"mutual information by halves ({halves:.3f}) is nearer to the truth ({known:.3f}) than by shared rows ({shared:.3f})"
    ledger.relate(text, abs(halves - known) < abs(shared - known))
    text = f"by halves it is within {_NEAR:.0%} of the truth, and by shared rows it is more than {_FAR:.0%} too small"
    ledger.relate(text, abs(halves - known) < _NEAR * known and shared < (1 - _FAR) * known)
    text = f"mutual information of categories ({words:.3f}) is within {_NEAR / 2:.0%} of the truth ({of_words:.3f})"
    ledger.relate(text, abs(words - of_words) < _NEAR / 2 * of_words)


def of_entropy(ledger: Ledger, means: Sequence[float], whole: float) -> None:
    """What is asked of entropies: without copies, with few and many, and with the many left out."""
    none, few, many, without = means
    text = f"copies take off the entropy, and more copies take off more ({none - few:.3f} and {none - many:.3f} nats)"
    ledger.relate(text, none > few > many)
    text = f"with copies left out the entropy ({without:.3f}) is nearer to the truth ({whole:.3f}) than with them ({many:.3f})"
    ledger.relate(text, abs(without - whole) < abs(many - whole))


def figures(rows: Sequence[Row]) -> list[Picture]:
    """How often tests tell two samples apart, and how s compares with the deviation that it stands for."""
    return [
        *bars(rows, "Share of pairs that a test at 5 % tells apart", REJECTED),
        *bars(rows, "s over the deviation", RATIO),
    ]


EXPERIMENT = Experiment(
    name="two-samples",
    title="Two samples: how far intervals, tests, mutual information and entropy can be trusted where the truth is known",
    work=OWN,
    table="intervals, tests and information",
    needs=(),
    minutes=5,
    seeds=120,
    run=run,
    beside="truth",
    figures=figures,
)
