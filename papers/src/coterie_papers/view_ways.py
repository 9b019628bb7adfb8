"""Ways to find mates across views: PWCA, KCCA and simpler ones, untuned and tuned, measured on draws of members."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self

import numpy as np

from coterie.core.findings import Lines
from coterie.core.workplace import steady, watched, workplace
from coterie.judge.mates import FIRST, MEDIAN, PRECISION, TEN, mate_table
from coterie.parts.mates import both_ways
from coterie.represent.cca import CCA
from coterie.represent.kcca import KCCA
from coterie.represent.lsa import LSA
from coterie.represent.pwca import PWCA
from coterie.represent.shared_views import GRID
from coterie_papers.experiment import Ledger
from coterie_papers.text_data import Arrays, kept
from coterie_papers.view_data import Sheet

UNTUNED = 0.03
RANK = 100
RANKS = (25, 50, 100, 200, 300)
FAR = 1e4  # regularization so strong that PWCA is principal component analysis of the views side by side
COSINE = f"{PRECISION}, cosine"
ABS = f"{PRECISION}, abs"
MEASURES = (COSINE, ABS, FIRST, TEN, MEDIAN)
KEYS = dict(
    zip(MEASURES, ("cosine", "abs", "first", "ten", "median"), strict=True)
)  # of what is kept
OURS = "PWCA energy"
UNIT = "PWCA unit"
PLAIN = "KCCA unit"
# tau chosen for each combination; scale and tau chosen for all
HELD = "PWCA energy, own tau"
CHOSEN = "PWCA, scale chosen"


class Placing(Protocol):
    """What a way makes: fitted on members seen in every view, it places new ones from any of them."""

    def fit(self, X: Any) -> Any: ...
    def transform_view(self, name: str, rows: Any) -> np.ndarray: ...


@dataclass(frozen=True)
class Way:
    """A model of one setting (its regularization, or its rank), the setting untuned, and those that tuning tries."""

    make: Callable[[float], Placing]
    untuned: float = UNTUNED
    grid: tuple[float, ...] = GRID


class Procrustes:
    """LSA of every view alone, then each turned onto the first by the best rotation."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def fit(self, X: Mapping[str, Any]) -> Self:
        """Find each view's directions, and the rotations."""
        from scipy.linalg import orthogonal_procrustes

        rank = min(self.rank, *(size for rows in X.values() for size in rows.shape))
        self.spaces_ = {name: LSA(n_components=rank).fit(rows) for name, rows in X.items()}
        placed = {name: space.transform(X[name]) for name, space in self.spaces_.items()}
        self.means_ = {name: rows.mean(axis=0) for name, rows in placed.items()}
        first = next(iter(X))
        with steady():
            centered = {name: rows - self.means_[name] for name, rows in placed.items()}
            self.turns_ = {
                name: orthogonal_procrustes(rows, centered[first])[0]
                for name, rows in centered.items()
            }
        return self

    def transform_view(self, name: str, rows: Any) -> np.ndarray:
        """New members seen in one view, in the space of the first."""
        with steady():
            return np.asarray(
                (self.spaces_[name].transform(rows) - self.means_[name]) @ self.turns_[name]
            )


WAYS: dict[str, Way] = {
    OURS: Way(lambda tau: PWCA(n_components="all", tau=tau)),
    UNIT: Way(lambda tau: PWCA(n_components="all", tau=tau, scale="unit")),
    "PWCA consensus": Way(lambda tau: PWCA(n_components="all", tau=tau, scale="consensus")),
    PLAIN: Way(lambda tau: KCCA(n_components="all", kappa=tau)),
    "KCCA correlation": Way(lambda tau: KCCA(n_components="all", kappa=tau, scale="correlation")),
    "KCCA length": Way(lambda tau: KCCA(n_components="all", kappa=tau, scale="length")),
    "CCA": Way(lambda tau: CCA(n_components="all", kappa=tau)),
    "side by side": Way(
        lambda rank: PWCA(n_components=int(rank), tau=FAR, scale="unit"), RANK, RANKS
    ),
    "LSA and Procrustes": Way(lambda rank: Procrustes(int(rank)), RANK, RANKS),
}
OWN = tuple(name for name in WAYS if name.startswith("PWCA"))


def placed(model: Placing, sheet: Sheet) -> dict[str, np.ndarray]:
    """Fit, and place the members to be searched from every view alone."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # fewer components than asked for, members without a known word
        model.fit(sheet.train)
        return {
            name: model.transform_view(name, rows).astype(np.float32)
            for name, rows in sheet.test.items()
        }


def tuned(
    place: str, sheet: Sheet, chosen: Sequence[tuple[str, ...]], ways: Mapping[str, Way], seed: int
) -> dict[str, dict[float, float]]:
    """Per way and setting, how well mates are found among a quarter of the members to be fitted, set aside for it.

    The mean over some combinations of views decides for all of them; no member to be searched is looked at.
    """
    parts = [sheet.only(views).parted(seed) for views in chosen]

    def tries(way: Way) -> Arrays:
        found = [
            [both_ways(list(placed(way.make(setting), part).values())) for part in parts]
            for setting in way.grid
        ]
        return {"found": np.mean(found, axis=1)}

    runs = _watched(
        "tuning",
        [partial(kept, place, name, seed, partial(tries, way)) for name, way in ways.items()],
    )
    found = dict(zip(ways, (run["found"].tolist() for run in runs), strict=True))
    return {name: dict(zip(way.grid, found[name], strict=True)) for name, way in ways.items()}


def best(tries: Mapping[float, float]) -> float:
    """The setting with the most mates; of equal ones the first."""
    return max(tries, key=tries.__getitem__)


def measured(sheet: Sheet, ways: Mapping[str, Callable[[], Placing]]) -> Arrays:
    """Every way on one combination of views: its measures, over all pairs of the views in both directions, one value per way."""
    found: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    for make in ways.values():
        rows = placed(make(), sheet)
        by_cosine = mate_table(rows).values()
        found[COSINE].append(by_cosine.pop(PRECISION))
        found[ABS].append(both_ways(list(rows.values()), "abs"))
        for measure, value in by_cosine.items():
            found[measure].append(value)
    return {KEYS[measure]: np.array(values) for measure, values in found.items()}


def settings(
    ways: Mapping[str, Way], tries: Mapping[str, Mapping[float, float]] | None
) -> dict[str, Callable[[], Placing]]:
    """The ways with their untuned settings, or with those that tuning found.

    When tuned, PWCA is there twice more: with the scale that tuning found best, and with a tau of its own for each combination.
    """
    if tries is None:
        return {name: partial(way.make, way.untuned) for name, way in ways.items()}
    made: dict[str, Callable[[], Placing]] = {
        name: partial(way.make, best(tries[name])) for name, way in ways.items()
    }
    scales = {name: max(tries[name].values()) for name in OWN if name in ways}
    made[CHOSEN] = made[max(scales, key=scales.__getitem__)]
    made[HELD] = partial(PWCA, n_components="all", tau="held-out")
    return made


def over(
    place: str,
    sheet: Sheet,
    chosen: Sequence[tuple[str, ...]],
    ways: Mapping[str, Callable[[], Placing]],
    seed: int,
) -> dict[str, np.ndarray]:
    """Per measure, combinations x ways; each combination is kept, so that a run that goes on does not measure it again."""
    made = [
        partial(kept, place, "-".join(views), seed, partial(measured, sheet.only(views), ways))
        for views in chosen
    ]
    runs = _watched(f"{sheet.name}, {len(chosen[0])} views at a time", made)
    return {measure: np.array([run[KEYS[measure]] for run in runs]) for measure in MEASURES}


def _watched(name: str, work: Sequence[Callable[[], Arrays]]) -> list[Arrays]:
    """One piece of work after another, each a step that is shown."""
    done = []
    with watched(workplace().watch, name, len(work)) as task:
        for make in work:
            done.append(make())
            task.advance()
    return done


def tell(
    ledger: Ledger,
    data: str,
    names: Sequence[str],
    runs: Sequence[Mapping[str, np.ndarray]],
    suffix: str,
) -> dict[str, dict[str, float]]:
    """Rows: per way and measure the mean over all combinations, and its error over seeds; gives measure -> way -> mean."""
    found: dict[str, dict[str, float]] = {}
    for measure in MEASURES:
        means = np.array([run[measure].mean(axis=0) for run in runs])
        found[measure] = {
            name: ledger.add(f"{name}{suffix}", measure, data, means[:, at].tolist())
            for at, name in enumerate(names)
        }
    return found


def curves(data: str, tries: Mapping[str, Mapping[float, float]]) -> Lines:
    """The mates found among members set aside, over the regularization, for the ways that have one."""
    shown = {name: tuple(found.values()) for name, found in tries.items() if tuple(found) == GRID}
    return Lines(
        title=f"{data}: {PRECISION} over regularization",
        x=tuple(float(np.log10(tau)) for tau in GRID),
        lines=shown,
        x_name="log10 of the regularization",
        y_name=f"{PRECISION} of mates set aside",
        sentence="A flat curve can be left untuned; a steep one cannot.",
    )
