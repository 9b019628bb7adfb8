"""How often significance tests reject on simulated pairs of systems: sizes where nothing differs, power where something does.

The table of the specification is at 5% and from 500 examples on. The source has levels of 10% and 1% too, and begins with 100
examples: these are told and asked apart, the other levels on fewer samples, since at 1% a bootstrap needs 5,000 replicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coterie.core.findings import Lines
from coterie.parts.workers import in_order
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.measures.sizes import (
    DIFFERENCE,
    NO_DIFFERENCE,
    TESTS,
    Joint,
    Rejections,
    benchmark_tests,
    power_order,
)

SIZES = (500, 2000, 6000)
SMALL = 100
# that of the table, and the others of the source
LEVEL = 0.05
LEVELS = (0.1, 0.01)
LARGEST = {
    0.05: 0.068,
    0.1: 0.124,
    0.01: 0.018,
}  # size allowed at a level: two simulation errors of 600 samples above it
# what the words of the relations mean at 5 %; the first two go with the level
ALIKE = 0.03
CAREFUL = 0.025
OFTEN = 0.3
_FEWER = 400  # samples of a seed at the other levels
# rejection rates of the specification (600 samples), in the order of TESTS
REFERENCE: dict[str, dict[int, tuple[float, float, float, float]]] = {
    "H0 balanced, close": {
        500: (0.028, 0, 0.055, 0.068),
        2000: (0.040, 0, 0.048, 0.062),
        6000: (0.027, 0, 0.035, 0.045),
    },
    "H0 balanced, different": {
        500: (0.048, 0.012, 0.060, 0.067),
        2000: (0.052, 0.007, 0.065, 0.065),
        6000: (0.047, 0.007, 0.048, 0.048),
    },
    "H0 5% positives, close": {
        500: (0.002, 0, 0.015, 0.015),
        2000: (0.027, 0, 0.052, 0.068),
        6000: (0.027, 0, 0.048, 0.062),
    },
    "H0 5% positives, different": {
        500: (0.032, 0.010, 0.050, 0.062),
        2000: (0.017, 0.002, 0.028, 0.043),
        6000: (0.040, 0.010, 0.047, 0.045),
    },
    "H1 balanced, close (recall +.03)": {
        500: (0.317, 0.002, 0.412, 0.515),
        2000: (0.933, 0.067, 0.955, 0.983),
        6000: (1, 0.857, 1, 1),
    },
    "H1 5% positives, close (recall +.05)": {
        500: (0.007, 0, 0.100, 0.118),
        2000: (0.168, 0, 0.248, 0.353),
        6000: (0.648, 0.002, 0.703, 0.813),
    },
}
# equal F1 and unequal error: the first finds fewer positives and raises fewer false alarms
_RECALL = 0.5
_OTHER = 0.7
_PREVALENCE = 0.05
_ALARMS = 0.005


def equal_f1() -> Joint:
    """Recalls of .5 and .7 with false alarms such that both have the same F1, and so different errors."""
    p = _PREVALENCE
    tp = _PREVALENCE * _RECALL
    other = _PREVALENCE * _OTHER
    f1 = 2 * tp / (tp + (1 - p) * _ALARMS + p)
    alarms = (2 * other / f1 - other - p) / (1 - p)
    return Joint("equal F1, unequal error", p, (_RECALL, _OTHER), (_ALARMS, alarms), (0.004, 0.1))


def run(trial: Trial, ledger: Ledger) -> None:
    """The table of section 14.4 with its simulation error, what the source has beyond it, and its findings as relations."""
    samples, fewer = (300, 60) if trial.quick else (2000 * trial.seeds, _FEWER * trial.seeds)
    sizes = SIZES[:2] if trial.quick else SIZES
    every = (*NO_DIFFERENCE, *DIFFERENCE)
    tasks = [(case, n, LEVEL, samples) for case in every for n in sizes] + [
        (equal_f1(), 2000, LEVEL, samples)
    ]
    tasks += [(case, SMALL, LEVEL, samples) for case in every]
    tasks += [
        (case, n, level, fewer) for level in LEVELS for case in every for n in (SMALL, *sizes)
    ]
    made = in_order(
        lambda one: benchmark_tests(one[0], one[1], level=one[2], samples=one[3]), tasks, "f1-tests"
    )
    found = {
        (row.case, row.n, level): row for row, (_, _, level, _) in zip(made, tasks, strict=True)
    }
    for (_, _, level), row in found.items():
        _rows(ledger, row, level)
    parts = {"": (LEVEL, sizes), f"5%, N = {SMALL}: ": (LEVEL, (SMALL,))}
    parts |= {f"{level:.0%}: ": (level, (SMALL, *sizes)) for level in LEVELS}
    for part, (level, numbers) in parts.items():
        null, power = (
            [found[one.name, n, level] for one in cases for n in numbers]
            for cases in (NO_DIFFERENCE, DIFFERENCE)
        )
        _relations(ledger, null, power, level, part)
    _small(
        ledger,
        {
            level: [found[case.name, SMALL, level] for case in NO_DIFFERENCE]
            for level in (LEVEL, *LEVELS)
        },
    )
    _other(ledger, found["equal F1, unequal error", 2000, LEVEL])
    for case in DIFFERENCE:
        lines = {
            test: tuple(found[case.name, n, LEVEL].rates[test] for n in sizes) for test in TESTS
        }
        title = f"Power at 5%: {case.name.removeprefix('H1 ')}"
        ledger.draw(
            Lines(
                title,
                tuple(map(float, sizes)),
                lines,
                "examples",
                "share of samples in which the test rejects",
            )
        )


def _rows(ledger: Ledger, row: Rejections, level: float) -> None:
    known_at = REFERENCE if level == LEVEL else {}
    beside = known_at.get(row.case, {}).get(row.n, (None,) * len(TESTS))
    for test, known in zip(TESTS, beside, strict=True):
        ledger.add(
            test,
            f"rejections at {level:.0%} (± {row.error(test):.4f} by simulation)",
            f"{row.case}, N = {row.n}",
            row.rates[test],
            known,
            "reference run",
        )


def _relations(
    ledger: Ledger,
    null: list[Rejections],
    power: list[Rejections],
    level: float = LEVEL,
    part: str = "",
) -> None:
    """What must hold of tests at a level; `part` says of which rows."""
    bar = LARGEST[level]
    alike = ALIKE * (level / LEVEL)
    careful = CAREFUL * (level / LEVEL)
    test, row = max(
        ((test, row) for row in null for test in TESTS), key=lambda one: one[1].rates[one[0]]
    )
    rate = row.rates[test]
    error = row.error(test)
    text = (
        f"{part}no test rejects a true null hypothesis in more than {bar:.1%} of samples (most: {test}, {row.case}, "
        f"N = {row.n}: {rate:.4f}, with a simulation error of {error:.4f})"
    )
    ledger.relate(text, rate <= bar)
    text = f"{part}power: bootstrap F1 >= bootstrap error >= McNemar >= proportion in every row, as measured"
    ledger.relate(text, power_order(power, slack=0.0))
    gap = max(
        abs(one.rates["McNemar"] - one.rates["bootstrap error"])
        for one in null
        if "different" in one.case
    )
    ledger.relate(
        f"{part}McNemar and the bootstrap of the error are less than {alike:g} apart for unlike systems (at most {gap:.3f})",
        gap < alike,
    )
    most = max(one.rates["proportion"] for one in null)
    text = (
        f"{part}the proportion test is too careful: it rejects less than {careful:.1%} of true nulls in every row "
        f"(at most {most:.3f})"
    )
    ledger.relate(text, most < careful)


def _small(ledger: Ledger, null: Mapping[float, Sequence[Rejections]]) -> None:
    """Few examples: tests of the error reject true nulls less often than the level says."""
    most = {
        level: max(max(row.rates["McNemar"], row.rates["bootstrap error"]) for row in rows)
        for level, rows in null.items()
    }
    told = ", ".join(f"at most {rate:.4f} at {level:.0%}" for level, rate in most.items())
    text = f"N = {SMALL}: McNemar and the bootstrap of the error are careful, below the level in every row ({told})"
    ledger.relate(text, all(rate < level for level, rate in most.items()))


def _other(ledger: Ledger, row: Rejections) -> None:
    errors = min(row.rates["McNemar"], row.rates["bootstrap error"])
    text = (
        f"where F1 is equal and the error is not, tests on errors reject in more than {OFTEN:.0%} of samples ({errors:.2f}) and "
        f"the bootstrap of F1 in at most {LARGEST[LEVEL]:.1%} ({row.rates['bootstrap F1']:.3f}, with a simulation error of "
        f"{row.error('bootstrap F1'):.4f}): the test must match the measure"
    )
    ledger.relate(text, errors > OFTEN and row.rates["bootstrap F1"] <= LARGEST[LEVEL])


EXPERIMENT = Experiment(
    "f1-tests",
    "Sizes and powers of significance tests for F1 and error on simulated systems",
    "Keller 2006",
    "section 3.4 (simulated tables in place of RCV1)",
    (),
    5.0,
    4,
    run,
)
