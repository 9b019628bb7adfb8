"""Mates across two languages: every pair, PWCA beside KCCA and simpler ways, the pool of candidates, and a certificate."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np

from coterie.represent.kcca import KCCA
from coterie.represent.pwca import PWCA
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.mate_tables import (
    PAPER,
    Table,
    by_language,
    counted,
    sheets,
    table,
    well_above,
)
from coterie_papers.measures.certificate import certify
from coterie_papers.measures.fitted_rows import fitted_again
from coterie_papers.view_data import EUROPARL, LIBRE, Sheet, combos, generated
from coterie_papers.view_ways import ABS, COSINE, OURS, PLAIN, UNIT, WAYS, over, settings

NAME = "mates-two-languages"
POOLS = (2000, 5000)
_PAIRS = 6  # of the larger pool
_LEVEL = 0.02  # apart by no more than that two ways are level
# on generated views: the regularization, and the directions that are shared
_TAU = 0.1
_KEPT = 10


def run(trial: Trial, ledger: Ledger) -> None:
    """Generated views, Europarl and LibreOffice help; then the larger pool, and what a certificate says."""
    made(trial, ledger)
    for data in (EUROPARL, LIBRE):
        draws = sheets(trial, ledger, data, POOLS[1] if data == LIBRE else None)
        if not draws:
            continue
        found = table(trial, ledger, NAME, draws, 2)
        if data == EUROPARL:
            level(ledger, found)
            longer(trial, ledger, found)
        if data == LIBRE:
            pools(trial, ledger, draws)
        certified(ledger, draws[0])


def made(trial: Trial, ledger: Ledger) -> None:
    """What a component weighs decides: the energy of PWCA, and its counterpart for KCCA, on views of known structure."""
    makers = {
        OURS: partial(PWCA, n_components=_KEPT, tau=_TAU),
        UNIT: partial(PWCA, n_components=_KEPT, tau=_TAU, scale="unit"),
        PLAIN: partial(KCCA, n_components=_KEPT, kappa=_TAU),
        "KCCA length": partial(KCCA, n_components=_KEPT, kappa=_TAU, scale="length"),
    }
    found: dict[int, np.ndarray] = {}
    for size in (2, 3):
        runs = []
        for seed in range(trial.seeds):
            sheet = generated(seed)
            runs.append(
                over(f"{NAME}/generated/{size}", sheet, combos(sheet.views, size), makers, seed)[
                    COSINE
                ].mean(axis=0)
            )
        found[size] = np.array(runs)
        for at, name in enumerate(makers):
            ledger.add(
                name,
                COSINE,
                f"generated views, {_KEPT} components, {size} views",
                found[size][:, at].tolist(),
            )
    two, three = (
        dict(zip(makers, values.mean(axis=0).tolist(), strict=True)) for values in found.values()
    )
    text = f"generated views: {OURS} is at least 0.05 above {UNIT} at tau {_TAU} ({two[OURS]:.3f} and {two[UNIT]:.3f})"
    ledger.relate(text, two[OURS] >= two[UNIT] + 0.05)
    text = f"generated views: with three views {OURS} is not below two by more than 0.02 ({three[OURS]:.3f} and {two[OURS]:.3f})"
    ledger.relate(text, three[OURS] >= two[OURS] - 0.02)


def level(ledger: Ledger, found: Table) -> None:
    """What the paper finds on pairs: both ways level, and PWCA ahead in five of its eight columns."""
    ours, theirs = (found.plain[ABS][name] for name in (OURS, PLAIN))
    printed, beside = (PAPER[2, name] for name in (OURS, PLAIN))
    said = (
        f"{ours:.3f} and {theirs:.3f}; {printed['mean']:.3f} and {beside['mean']:.3f} in the paper"
    )
    text = f"{found.title}: on pairs {OURS} and {PLAIN} are level by {ABS}, to {_LEVEL}"
    ledger.relate(f"{text} ({said})", abs(ours - theirs) <= _LEVEL)
    columns = by_language(ledger, found.title, 2)
    ahead = sum(columns[OURS, language] > columns[PLAIN, language] for _, language in columns) // 2
    many = sum(printed[language] > beside[language] for language in printed if language != "mean")
    text = f"{found.title}: on pairs {OURS} is ahead of {PLAIN} in most languages by {ABS}"
    said = f"{ahead} of {len(columns) // 2}; {many} of {len(printed) - 1} in the paper"
    ledger.relate(f"{text} ({said})", 4 * ahead > len(columns))


def longer(trial: Trial, ledger: Ledger, short: Table) -> None:
    """The same untuned ways on whole lines: the longer a text, the less the weights of components matter."""
    draws = sheets(trial, ledger, EUROPARL, whole_lines=True)
    ways = settings({name: WAYS[name] for name in (OURS, PLAIN)}, None)
    place = f"{NAME}/{draws[0].name}/{'quick' if trial.quick else 'whole'}"
    runs = [
        over(place, sheet, short.chosen, ways, seed)[COSINE].mean(axis=0)
        for seed, sheet in enumerate(draws)
    ]
    ours, theirs = (
        ledger.add(
            name,
            COSINE,
            f"{draws[0].name}, {counted(len(short.chosen), 2)}",
            [run[at] for run in runs],
        )
        for at, name in enumerate(ways)
    )
    well_above(ledger, f"{draws[0].name}, {counted(len(short.chosen), 2)}", COSINE, ours, theirs)
    gains = ours / theirs, short.plain[COSINE][OURS] / short.plain[COSINE][PLAIN]
    text = f"{draws[0].name}: on whole lines the gain of {OURS} over {PLAIN} is smaller than on sentences"
    ledger.relate(
        f"{text} ({ours:.3f} and {theirs:.3f}: {gains[0]:.2f} times, and {gains[1]:.2f})",
        gains[0] < gains[1],
    )


def pools(trial: Trial, ledger: Ledger, draws: Sequence[Sheet]) -> None:
    """The same pairs and draws with the candidates of the paper's second table and of its first."""
    sizes = (300, 600) if trial.quick else POOLS
    chosen = combos(draws[0].views, 2, 1 if trial.quick else _PAIRS)
    ways = settings({name: WAYS[name] for name in (OURS, PLAIN)}, None)
    found = {}
    for size in sizes:
        place = f"{NAME}/{draws[0].name}/pool of {size}"
        runs = [
            over(place, sheet.only(sheet.views, size), chosen, ways, seed)
            for seed, sheet in enumerate(draws)
        ]
        for measure in (COSINE, ABS):
            for at, name in enumerate(ways):
                values = [run[measure][:, at].mean() for run in runs]
                data = f"{draws[0].name}, {counted(len(chosen), 2)}, pool of {size:,}"
                found[size, measure, name] = ledger.add(name, measure, data, values)
    gains = {
        f"{name} by {measure}": found[sizes[0], measure, name] / found[sizes[1], measure, name]
        for measure in (ABS, COSINE)
        for name in ways
    }
    said = ", ".join(f"{name} {gain:.2f}" for name, gain in gains.items())
    jump = PAPER[3, OURS]["mean"] / PAPER[2, OURS]["mean"]
    text = f"{draws[0].name}: {sizes[0]:,} candidates instead of {sizes[1]:,} alone raise average precision for every way"
    ledger.relate(
        f"{text} (times: {said}; the paper has {jump:.2f} from pairs with 5,000 to triples with 2,000)",
        min(gains.values()) > 1,
    )


def certified(ledger: Ledger, sheet: Sheet) -> None:
    """A certificate for the clusters that two languages share, by members that were not fitted.

    Half of them fix the candidates, since factors of fitted members are larger than those of others, and half are certified on.
    """
    part = sheet.only(sheet.views[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # members without a known word
        model = PWCA(n_components=20, tau=1.0).fit(part.train)
        placed = {name: model.transform_view(name, rows) for name, rows in part.test.items()}
    half = len(placed[part.views[0]]) // 2
    first, second = (
        {name: rows[chosen] for name, rows in placed.items()}
        for chosen in (slice(half), slice(half, None))
    )
    new = np.flatnonzero(
        fitted_again(first, second) < 0
    )  # a line without a known word looks like any other such line
    held = {name: rows[new] for name, rows in second.items()}
    for by in ("risk", "ratio"):
        found = certify(first, held, by=by)
        data = f"{sheet.name}, {' and '.join(part.views)}, {found.n:,} held out"
        shown = {"contradicted %": found.risk, "bound %": found.bound, "chance %": found.chance}
        for measure, share in {
            **shown,
            "covered %": found.coverage,
            "coverage bound %": found.coverage_bound,
        }.items():
            ledger.add(f"certificate of PWCA by {by}", measure, data, 100 * share)
    ledger.draw(found.picture())
    text = f"{data}: the bound on contradictions is below what unrelated views have"
    ledger.relate(f"{text} ({100 * found.bound:.1f}% and {100 * found.chance:.1f}%)", found.tells)


EXPERIMENT = Experiment(
    name=NAME,
    title="Mates across two languages: a line of text finds its translation",
    work="Hardoon and Pelckmans",
    table="table 1",
    needs=(EUROPARL, LIBRE),
    minutes=16,
    seeds=2,
    run=run,
    beside="paper, on another cut",
)
