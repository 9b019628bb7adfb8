"""Hidden orders of actors and directors, from how good their movies seem: by company, by counting, and by the mean."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coterie.collect.worlds import World, movie_world
from coterie.core.findings import Lines
from coterie.core.links import MEMBERS, Links
from coterie.organize.comraf.ranking import Rankings
from coterie.parts.orderings import gains, ordered
from coterie_papers.experiment import Experiment, Ledger, Trial

NAME = "rankings"
NOISES = (0.0, 0.5, 1.5, 3.0)  # of the ratings, in units of the spread of the movies' quality
HIDDEN = ("actors", "directors")
OURS = "Rankings"
BARE = "Rankings without actors-directors"
COUNT = "counting movies"
HITS = "counting movies of the better half"
MEAN = "mean rank of movies"
METHODS = (OURS, BARE, MEAN, HITS, COUNT)
_SAME = 1e-12  # of F: rounding

Found = dict[tuple[str, str], list[float]]


def run(trial: Trial, ledger: Ledger) -> None:
    """A world for each seed and each noise of the ratings; Kendall's and Spearman's coefficients with the hidden orders."""
    size = (200, 120, 32) if trial.quick else (600, 300, 80)
    curves: dict[str, list[float]] = {
        f"{method}, {name}": [] for method in METHODS for name in HIDDEN
    }
    fallen = 0
    rounds = list[int]()
    for noise in NOISES:
        kendall = Found()
        spearman = Found()
        for seed in range(trial.seeds):
            world = movie_world(*size, noise=noise, random_state=seed)
            orders, history = _orders(world)
            fallen += int((np.diff(history) < -_SAME * np.abs(history[:-1])).sum())
            rounds.append(len(history))
            _judge(world, orders, kendall, spearman)
        _told(ledger, noise, kendall, spearman, curves)
        _relations(ledger, noise, kendall)
    ledger.relate(
        f"F never falls ({sum(rounds)} rounds in {len(rounds)} searches, {fallen} falls)",
        fallen == 0,
    )
    title = "Kendall's coefficient of recovered and hidden orders, by the noise of the ratings"
    ledger.draw(
        Lines(
            title,
            NOISES,
            {name: tuple(line) for name, line in curves.items()},
            "noise of ratings",
            "Kendall's tau",
        )
    )


def _orders(world: World) -> tuple[dict[tuple[str, str], np.ndarray], list[float]]:
    """A value for every actor and director by every method (more is better), and F after every round of ours."""
    links = Links(world.collection.links)
    found: dict[tuple[str, str], np.ndarray] = {}
    observed = {MEMBERS: world.seen}
    rank = gains(ordered(world.seen))
    whole = Rankings(observed=observed).fit(links)
    bare = Rankings(observed=observed, graph=[(MEMBERS, name) for name in HIDDEN]).fit(links)
    for name in HIDDEN:
        table = links.tables[MEMBERS, name].counts
        many = np.asarray(table.sum(axis=0)).ravel()
        found[OURS, name] = whole.gains_[name]
        found[BARE, name] = bare.gains_[name]
        found[COUNT, name] = many
        found[HITS, name] = table.T @ (rank > 0).astype(np.float64)
        found[MEAN, name] = (table.T @ rank) / np.maximum(many, 1.0)
    return found, whole.history_


def _judge(
    world: World, orders: Mapping[tuple[str, str], np.ndarray], kendall: Found, spearman: Found
) -> None:
    from scipy.stats import kendalltau, spearmanr

    for (method, name), values in orders.items():
        hidden = world.quality[name]
        kendall.setdefault((method, name), []).append(float(kendalltau(values, hidden).statistic))
        spearman.setdefault((method, name), []).append(float(spearmanr(values, hidden).statistic))


def _told(
    ledger: Ledger, noise: float, kendall: Found, spearman: Found, curves: dict[str, list[float]]
) -> None:
    for name in HIDDEN:
        for method in METHODS:
            data = f"{name}, noise {noise:g}"
            curves[f"{method}, {name}"].append(
                ledger.add(method, "Kendall", data, kendall[method, name])
            )
            ledger.add(method, "Spearman", data, spearman[method, name])


def _relations(ledger: Ledger, noise: float, kendall: Found) -> None:
    for name in HIDDEN:
        mean = {method: float(np.mean(kendall[method, name])) for method in METHODS}
        text = f"{name}, noise {noise:g}: recovered better than by counting"
        said = f"({mean[OURS]:.2f} against {mean[COUNT]:.2f}, and {mean[HITS]:.2f} for movies of the better half)"
        ledger.relate(
            f"{text} {said}",
            _above(kendall, name, OURS, COUNT) and _above(kendall, name, OURS, HITS),
        )
        text = f"{name}, noise {noise:g}: better than the mean rank of the movies ({mean[OURS]:.2f}, {mean[MEAN]:.2f})"
        ledger.relate(text, _above(kendall, name, OURS, MEAN))
        text = f"{name}, noise {noise:g}: the table of actors and directors helps ({mean[OURS]:.2f}, {mean[BARE]:.2f})"
        ledger.relate(text, _above(kendall, name, OURS, BARE))


def _above(kendall: Found, name: str, one: str, other: str) -> bool:
    """Whether the mean difference over worlds is above twice its standard error (above 0 where there is one world)."""
    gain = np.array(kendall[one, name]) - np.array(kendall[other, name])
    error = float(gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else 0.0
    return bool(gain.mean() > 2 * error)


EXPERIMENT = Experiment(
    name=NAME,
    title="Orders of actors and directors from how good their movies seem",
    work="Comraf",
    table="multi-modal ranking, its future work (the objective is ours, and there are no numbers beside)",
    needs=(),
    minutes=0.1,
    seeds=10,
    run=run,
)
