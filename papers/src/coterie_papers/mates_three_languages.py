"""Mates across three languages fitted together: every triple, beside pairs with the same candidates."""

from __future__ import annotations

from collections.abc import Sequence

from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.mate_tables import PAPER, Table, counted, sheets, table
from coterie_papers.view_data import EUROPARL, LIBRE, Sheet, combos
from coterie_papers.view_ways import ABS, COSINE, OURS, PLAIN, WAYS, over, settings

NAME = "mates-three-languages"
_HARM = 0.02


def run(trial: Trial, ledger: Ledger) -> None:
    """All triples of Europarl and of LibreOffice help, and the pairs of the same draws."""
    for data in (EUROPARL, LIBRE):
        draws = sheets(trial, ledger, data)
        if draws:
            beside_pairs(trial, ledger, draws, table(trial, ledger, NAME, draws, 3))


def beside_pairs(trial: Trial, ledger: Ledger, draws: Sequence[Sheet], triples: Table) -> None:
    """What the third language brings when the candidates stay the same, which they do not in the paper."""
    names = (OURS, PLAIN)
    ways = settings({name: WAYS[name] for name in names}, None)
    chosen = combos(draws[0].views, 2)
    place = f"{NAME}/{draws[0].name}/pairs/{'quick' if trial.quick else 'whole'}"
    runs = [over(place, sheet, chosen, ways, seed) for seed, sheet in enumerate(draws)]
    pool = next(iter(draws[0].test.values())).shape[0]
    for measure in (ABS, COSINE):
        for at, name in enumerate(names):
            values = [run[measure][:, at].mean() for run in runs]
            two = ledger.add(
                name,
                measure,
                f"{draws[0].name}, {counted(len(chosen), 2)}, {pool:,} candidates",
                values,
            )
            if name == OURS:
                gain = triples.plain[measure][name] / two
                printed = PAPER[3, OURS]["mean"] / PAPER[2, OURS]["mean"]
                text = f"{draws[0].name}: with the same candidates a third language gives {OURS} the paper's gain"
                ledger.relate(
                    f"{text} by {measure} ({gain:.2f} times, and {printed:.2f} in the paper)",
                    gain >= printed,
                )
                text = f"{draws[0].name}: a third language costs {OURS} no more than {_HARM} by {measure}"
                ledger.relate(
                    f"{text} ({triples.plain[measure][name]:.3f} and {two:.3f})",
                    triples.plain[measure][name] >= two - _HARM,
                )


EXPERIMENT = Experiment(
    name=NAME,
    title="Mates across three languages fitted together",
    work="Hardoon and Pelckmans",
    table="table 2",
    needs=(EUROPARL, LIBRE),
    minutes=45,
    seeds=1,
    run=run,
    beside="paper, on another cut",
)
