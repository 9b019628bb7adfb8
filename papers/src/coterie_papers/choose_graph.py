"""Which populations to cluster together, chosen without labels: how well the score of a graph goes with its accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from coterie.core.findings import Lines
from coterie.core.links import MEMBERS
from coterie.core.workplace import watched, workplace
from coterie.organize.comraf.choice import GraphChoice, GraphRow
from coterie.organize.comraf.estimator import MDC
from coterie.organize.comraf.structure import choose_graph
from coterie_papers.experiment import OWN, Experiment, Ledger, Trial
from coterie_papers.linked_data import CITED, CORA, WORDS, cora, groups_of, here, only
from coterie_papers.measures.accuracy import accuracies
from coterie_papers.text_data import (
    MAIL,
    MICRO,
    NMI,
    PEOPLE,
    Arrays,
    Tied,
    kept,
    mail,
    part_of,
)

NAME = "choose-graph"
_PART = {MAIL: 400, CORA: 800}  # members
_HASTY = 150
_GOES = 0.6  # rank correlation from which good graphs are told from bad ones
_NEAR = 5.0  # points of NMI that the chosen graph may be below the best one
CHOSEN = "chosen graph"
ALONE = "words alone"
ALL = "all tables"
BEST = "best graph, by the classes"


def run(trial: Trial, ledger: Ledger) -> None:
    """Mail with words, people and subject words; papers with words and citations, under two rules of weight."""
    for name, tied, rules in _collections(trial, ledger):
        size = _HASTY if trial.quick else _PART[name]
        parts = [part_of(tied, size, seed) for seed in range(trial.seeds)]
        place = f"{NAME}/{name}/{'quick' if trial.quick else 'whole'}"
        runs = [
            kept(place, "graphs", seed, partial(tried, part, rules, seed))
            for seed, part in enumerate(parts)
        ]
        tell(ledger, parts[0].name, runs)


def _collections(trial: Trial, ledger: Ledger) -> Iterator[tuple[str, Tied, tuple[str, ...]]]:
    messages = mail(trial, ledger)
    if messages is not None:  # in haste without subject words, and so with 6 graphs instead of 53
        yield (
            MAIL,
            Tied(only(messages, (WORDS, PEOPLE)), messages.truth, messages.name)
            if trial.quick
            else messages,
            ("mass",),
        )
    folder = here(trial, ledger, CORA, "Papers")
    if folder is not None:
        papers = cora(folder)
        yield CORA, Tied(only(papers, (WORDS, CITED)), papers.truth, papers.name), ("mass", "one")


def tried(tied: Tied, rules: tuple[str, ...], seed: int) -> Arrays:
    """Every graph: its score, which looks at no class, and what a quick MDC with it reaches; and which graph is which."""
    groups = groups_of(tied)
    choice = choose_graph(tied.links, n_groups=groups, weights=rules, random_state=seed)
    judged = []
    with watched(workplace().watch, "graphs", len(choice.rows)) as task:
        for row in choice.rows:
            model = MDC(
                n_groups=groups,
                graph=row.graph,
                weights=row.weights,
                runs=1,
                restarts=2,
                random_state=seed,
            )
            found = accuracies(model.fit(tied.links).labels_, tied.truth)
            judged.append((100.0 * found.nmi, 100.0 * found.micro))
            task.advance()
    places = {name: np.array(at) for name, at in _places(choice, len(tied.links.tables)).items()}
    return {
        "score": np.array([row.score for row in choice.rows]),
        "judged": np.array(judged),
        **places,
    }


def _places(choice: GraphChoice, tables: int) -> Mapping[str, int]:
    """Where among the rows the chosen graph stands, that of words alone, and that of every table of the members."""

    def first(wanted: list[bool]) -> int:
        return wanted.index(True)

    def plain(row: GraphRow) -> bool:
        return all(MEMBERS in pair for pair in row.graph)

    return {
        CHOSEN: first([row is choice.best for row in choice.rows]),
        ALONE: first([row.populations == {MEMBERS, WORDS} for row in choice.rows]),
        ALL: first([plain(row) and len(row.graph) == tables for row in choice.rows]),
    }


def tell(ledger: Ledger, data: str, runs: list[Arrays]) -> None:
    """Rows and relations of one collection over its draws."""
    from scipy.stats import spearmanr

    goes = {}
    for at, measure in enumerate((NMI, MICRO)):
        goes[measure] = [
            float(spearmanr(run["score"], run["judged"][:, at]).statistic) for run in runs
        ]
        ledger.add("score of a graph", f"Spearman with {measure}", data, goes[measure])
    ledger.add("graphs tried", "number", data, [float(len(run["score"])) for run in runs])
    reached = {
        name: np.array([run["judged"][int(run[name]), 0] for run in runs])
        for name in (CHOSEN, ALONE, ALL)
    }
    reached[BEST] = np.array([run["judged"][:, 0].max() for run in runs])
    means = {name: ledger.add(name, NMI, data, values.tolist()) for name, values in reached.items()}
    least = min(goes[NMI])
    text = f"{data}: good graphs are told from bad ones, by a rank correlation of score and NMI of {_GOES} or more"
    ledger.relate(f"{text} ({', '.join(f'{value:.2f}' for value in goes[NMI])})", least >= _GOES)
    text = f"{data}: the chosen graph is not below words alone"
    ledger.relate(
        f"{text} ({CHOSEN} {means[CHOSEN]:.1f}, {ALONE} {means[ALONE]:.1f})",
        means[CHOSEN] >= means[ALONE],
    )
    text = f"{data}: the chosen graph is within {_NEAR:g} points of NMI of the best"
    ledger.relate(
        f"{text} ({CHOSEN} {means[CHOSEN]:.1f}, best {means[BEST]:.1f})",
        means[CHOSEN] >= means[BEST] - _NEAR,
    )
    order = np.argsort(-runs[0]["score"])
    ledger.draw(
        Lines(
            title=f"{data}: graphs from the highest score to the lowest",
            x=tuple(float(at + 1) for at in range(len(order))),
            lines={
                NMI: tuple(runs[0]["judged"][order, 0].tolist()),
                "score, %": tuple((100 * runs[0]["score"][order]).tolist()),
            },
            x_name="rank by score",
            y_name="%",
            sentence="The first draw. Where the score tells good graphs from bad ones both curves fall.",
        )
    )


EXPERIMENT = Experiment(
    name=NAME,
    title="Which populations to cluster together, chosen without labels",
    work=OWN,
    table="graphs by their score and by their classes",
    needs=(MAIL, CORA),
    minutes=8,
    seeds=2,
    run=run,
)
