"""Control charts of six kinds: state-space dynamics by the number of states and of models, beside likelihood distances."""

from __future__ import annotations

from coterie.compare.likelihoods import Likelihood, from_likelihoods
from coterie.compare.product_kernel import ProductKernel
from coterie.compare.ssd import SSD
from coterie.models import HMM
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.smyth_hmms import FAMILY
from coterie_papers.traces import Labeled, error, recorded, some_of_each

NAME = "SyntheticControl"
STATES = (12, 16, 20, 28, 40)
# table 3.1 of the thesis
SSD_PAPER = {
    30: {12: 28.29, 16: 13.72, 20: 12.67, 28: 11.81, 40: 14.17},
    100: {12: 8.43, 16: 7.29, 20: 6.77, 28: 5.93, 40: 6.40},
}
PAPER = {
    (30, "SYM"): (23.89, 26.00, 25.22, 23.00, 25.33),
    (30, "YY"): (25.89, 25.33, 23.56, 20.89, 23.11),
    (30, "KL-LL"): (25.33, 21.27, 20.67, 22.56, 23.78),
    (30, "BP"): (21.67, 24.11, 24.00, 20.22, 25.56),
    (30, "PPK"): (53.11, 44.78, 48.78, 58.22, 59.89),
    (100, "SYM"): (32.34, 20.77, 20.72, 18.88, 21.37),
    (100, "YY"): (26.70, 14.47, 12.85, 15.34, 17.22),
    (100, "KL-LL"): (29.81, 29.80, 27.77, 29.10, 16.05),
    (100, "BP"): (27.09, 22.67, 15.08, 17.65, 19.27),
    (100, "PPK"): (54.21, 48.77, 46.85, 59.25, 60.85),
}
BAR = {30: 14.0, 100: 11.0}


def run(trial: Trial, ledger: Ledger) -> None:
    """30 and 100 charts of each kind."""
    whole = recorded(trial, ledger, NAME)
    if whole is None:
        return
    best: dict[tuple[int, int], float] = {}
    twenty: dict[int, float] = {}
    others: dict[int, dict[str, float]] = {}
    for count in (30, 100):
        labeled = whole if count == 100 else some_of_each(whole, count)
        found = _dynamics(trial, ledger, labeled, count)
        for models in (1, 5):
            best[count, models] = min(value for (_, m), value in found.items() if m == models)
        twenty[count] = found[20, 5]
        if not trial.quick:
            others[count] = _likelihoods(trial, ledger, labeled, count)
    for count in (30, 100):
        n = 6 * count
        one = best[count, 1]
        five = best[count, 5]
        ledger.relate(
            f"{n} charts: SSD at its best K is at most {BAR[count]:g}% ({one:.1f})",
            one <= BAR[count],
        )
        ledger.relate(
            f"{n} charts: the mean of five models ({five:.1f}) is below the best single one ({one:.1f})",
            five < one,
        )
        wanted = min(SSD_PAPER[count].values())
        ledger.relate(
            f"{n} charts: SSD at its best K ({one:.1f}) is not above the thesis' best ({wanted:.1f})",
            one <= wanted,
        )
    text = f"more sequences help five models of 20 states: {twenty[100]:.1f} at 100 of each kind, {twenty[30]:.1f} at 30 (R11)"
    ledger.relate(text, twenty[100] < twenty[30])
    for count, rest in others.items():
        name = min(rest, key=lambda name: rest[name])
        one = best[count, 1]
        text = f"{6 * count} charts: SSD ({one:.1f}) is below every per-sequence method, each at its best ({name} {rest[name]:.1f})"
        ledger.relate(text, one < rest[name])
    if others:
        more = others[100]["KL-LL"]
        few = others[30]["KL-LL"]
        text = f"more sequences help KL-LL at its best: {more:.1f} at 100 of each kind, {few:.1f} at 30 (R11)"
        ledger.relate(text, more < few)


def _dynamics(
    trial: Trial, ledger: Ledger, labeled: Labeled, count: int
) -> dict[tuple[int, int], float]:
    view, truth = labeled
    found = {}
    for states in (20,) if trial.quick else STATES:
        for models in (1, 5):
            values = [
                error(
                    SSD(n_states=states, n_models=models, random_state=seed).fit(view).affinity_,
                    truth,
                    seed,
                )
                for seed in range(trial.seeds)
            ]
            name = "SSD" if models == 1 else f"SSD, {models} models"
            paper = SSD_PAPER[count][states] if models == 1 else None
            found[states, models] = ledger.add(
                name, "error %", f"{6 * count} charts, {states} states", values, paper
            )
    return found


def _likelihoods(trial: Trial, ledger: Ledger, labeled: Labeled, count: int) -> dict[str, float]:
    """Rows of the per-sequence methods; gives the least error of each over the numbers of states."""
    view, truth = labeled
    best: dict[str, float] = {}
    for at, states in enumerate((2, 3, 4, 5, 6)):
        runs: dict[str, list[float]] = {}
        for seed in range(min(trial.seeds, 3)):
            model = HMM(n_states=states, random_state=seed)
            fitted = Likelihood(model=model, random_state=seed).fit(view)
            for name, distance in FAMILY.items():
                if name != "POR":
                    runs.setdefault(name, []).append(
                        error(from_likelihoods(fitted.likelihoods_, distance), truth, seed)
                    )
            runs.setdefault("PPK", []).append(
                error(
                    ProductKernel(model=model, random_state=seed).fit(view).affinity_, truth, seed
                )
            )
        for name, values in runs.items():
            mean = ledger.add(
                name,
                "error %",
                f"{6 * count} charts, {states} states",
                values,
                PAPER[count, name][at],
            )
            best[name] = min(best.get(name, float("inf")), mean)
    return best


EXPERIMENT = Experiment(
    name="control-charts",
    title="Control charts of six kinds by their dynamics",
    work="Sequences",
    table="table 3.1",
    needs=("sequences/SyntheticControl.npz",),
    minutes=25,
    seeds=10,
    run=run,
)
