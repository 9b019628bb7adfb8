"""How often significance tests reject on simulated pairs of systems: sizes where nothing differs, power where something does."""

from __future__ import annotations

from coterie.core.findings import Lines
from coterie.experiments.experiment import Experiment, Ledger, Trial
from coterie.judge.sizes import DIFFERENCE, NO_DIFFERENCE, TESTS, Joint, Rejections, benchmark_tests, power_order
from coterie.parts.workers import in_order

SIZES = (500, 2000, 6000)
LARGEST = 0.068  # size allowed at a nominal 5 %
ALIKE, CAREFUL, OFTEN = 0.03, 0.025, 0.3  # what the words of the relations mean
# rejection rates of the specification (600 samples), in the order of TESTS
REFERENCE: dict[str, dict[int, tuple[float, float, float, float]]] = {
    "H0 balanced, close": {500: (0.028, 0, 0.055, 0.068), 2000: (0.040, 0, 0.048, 0.062), 6000: (0.027, 0, 0.035, 0.045)},
    "H0 balanced, different": {
        500: (0.048, 0.012, 0.060, 0.067), 2000: (0.052, 0.007, 0.065, 0.065), 6000: (0.047, 0.007, 0.048, 0.048),
    },
    "H0 5% positives, close": {500: (0.002, 0, 0.015, 0.015), 2000: (0.027, 0, 0.052, 0.068), 6000: (0.027, 0, 0.048, 0.062)},
    "H0 5% positives, different": {
        500: (0.032, 0.010, 0.050, 0.062), 2000: (0.017, 0.002, 0.028, 0.043), 6000: (0.040, 0.010, 0.047, 0.045),
    },
    "H1 balanced, close (recall +.03)": {
        500: (0.317, 0.002, 0.412, 0.515), 2000: (0.933, 0.067, 0.955, 0.983), 6000: (1, 0.857, 1, 1),
    },
    "H1 5% positives, close (recall +.05)": {
        500: (0.007, 0, 0.100, 0.118), 2000: (0.168, 0, 0.248, 0.353), 6000: (0.648, 0.002, 0.703, 0.813),
    },
}  # fmt: skip
# equal F1 and unequal error: the first finds fewer positives and raises fewer false alarms
_RECALL, _OTHER, _PREVALENCE, _ALARMS = 0.5, 0.7, 0.05, 0.005


def equal_f1() -> Joint:
    """Recalls of .5 and .7 with false alarms such that both have the same F1, and so different errors."""
    p, tp, other = _PREVALENCE, _PREVALENCE * _RECALL, _PREVALENCE * _OTHER
    f1 = 2 * tp / (tp + (1 - p) * _ALARMS + p)
    alarms = (2 * other / f1 - other - p) / (1 - p)
    return Joint("equal F1, unequal error", p, (_RECALL, _OTHER), (_ALARMS, alarms), (0.004, 0.1))


def run(trial: Trial, ledger: Ledger) -> None:
    """The table of section 14.4 with its simulation error, and the findings of Keller 2006 as relations."""
    samples = 300 if trial.quick else 2000 * trial.seeds
    sizes = SIZES[:2] if trial.quick else SIZES
    cases = [(case, n) for case in (*NO_DIFFERENCE, *DIFFERENCE) for n in sizes] + [(equal_f1(), 2000)]
    made = in_order(lambda one: benchmark_tests(one[0], one[1], samples=samples), cases, "f1-tests")
    found = {(row.case, row.n): row for row in made}
    for row in found.values():
        _rows(ledger, row)
    null = [found[case.name, n] for case in NO_DIFFERENCE for n in sizes]
    power = [found[case.name, n] for case in DIFFERENCE for n in sizes]
    _relations(ledger, null, power)
    _other(ledger, found["equal F1, unequal error", 2000])
    for case in DIFFERENCE:
        lines = {test: tuple(found[case.name, n].rates[test] for n in sizes) for test in TESTS}
        title = f"Power at 5%: {case.name.removeprefix('H1 ')}"
        ledger.draw(Lines(title, tuple(map(float, sizes)), lines, "examples", "share of samples in which the test rejects"))


def _rows(ledger: Ledger, row: Rejections) -> None:
    beside = REFERENCE.get(row.case, {}).get(row.n, (None,) * len(TESTS))
    for test, known in zip(TESTS, beside, strict=True):
        ledger.add(
            test,
            f"rejections at 5% (± {row.error(test):.4f} by simulation)",
            f"{row.case}, N = {row.n}",
            row.rates[test],
            known,
            "reference run",
        )


def _relations(ledger: Ledger, null: list[Rejections], power: list[Rejections]) -> None:
    test, row = max(((test, row) for row in null for test in TESTS), key=lambda one: one[1].rates[one[0]])
    rate, error = row.rates[test], row.error(test)
    text = (
        f"no test rejects a true null hypothesis in more than {LARGEST:.1%} of samples (most: {test}, {row.case}, N = {row.n}: "
        f"{rate:.4f}, with a simulation error of {error:.4f})"
    )
    ledger.relate(text, rate <= LARGEST)
    text = "power: bootstrap F1 >= bootstrap error >= McNemar >= proportion in every row, as measured"
    ledger.relate(text, power_order(power, slack=0.0))
    gap = max(abs(one.rates["McNemar"] - one.rates["bootstrap error"]) for one in null if "different" in one.case)
    ledger.relate(
        f"McNemar and the bootstrap of the error are less than {ALIKE:g} apart for unlike systems (at most {gap:.3f})",
        gap < ALIKE,
    )
    most = max(one.rates["proportion"] for one in null)
    text = (
        f"the proportion test is too careful: it rejects less than {CAREFUL:.1%} of true nulls in every row (at most {most:.3f})"
    )
    ledger.relate(text, most < CAREFUL)


def _other(ledger: Ledger, row: Rejections) -> None:
    errors = min(row.rates["McNemar"], row.rates["bootstrap error"])
    text = (
        f"where F1 is equal and the error is not, tests on errors reject in more than {OFTEN:.0%} of samples ({errors:.2f}) and "
        f"the bootstrap of F1 in at most {LARGEST:.1%} ({row.rates['bootstrap F1']:.3f}, with a simulation error of "
        f"{row.error('bootstrap F1'):.4f}): the test must match the measure"
    )
    ledger.relate(text, errors > OFTEN and row.rates["bootstrap F1"] <= LARGEST)


EXPERIMENT = Experiment(
    "f1-tests", "Sizes and powers of significance tests for F1 and error on simulated systems", "Keller 2006",
    "section 3.4 (simulated tables in place of RCV1)", (), 4.0, 4, run,
)  # fmt: skip
