"""Sets from two normal laws of slightly different spread, clean and with outliers: who stands them, and at what level.

The thesis leaves open what "10% of outliers" is and how sets are prepared. Both readings are run: every vector is an outlier
with chance 0.1, or exactly 0.1 of a set's size is added. Settings of the thesis come first; below them is what its levels take.

MMD has them once every set is centered: the noise of the mean of 100 vectors (0.1) otherwise outweighs a variance of 1.3 instead
of 1. Packing does not reach them. A radius alone cannot (the best cut is above them), the greedy merges lose more, and a share s
of outliers, each at the largest multiplier, carries s / nu of a soft ball's center: half of it at C = 0.05, so nu must be larger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.compare.divergence import Divergence
from coterie.compare.expected_likelihood import ExpectedLikelihood
from coterie.compare.likelihoods import Likelihood
from coterie.compare.mmd import MMD
from coterie.core.affinity import Dense
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.judge import clustering_error
from coterie.models import GMM, Gaussian
from coterie.organize.sphere_packing import SpherePacking
from coterie.parts.row_kernels import kernel_of
from coterie.parts.spheres import Softness, balls_of, center_products
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.traces import error

CLEAN = "(a) clean"
DRAWN = "(b) outliers drawn"
ADDED = "(b) outliers added"
SPREADS = ((1.0, 1.0), (1.3, 1.0))  # variances of the two laws
SHARE = 0.1
PLACE = 5.0
PENALTY = 0.05  # the thesis' C
# table 4.1 of the thesis
PAPER = {
    "SPH": (20.05, 21.90),
    "MMD": (24.10, 25.30),
    "KL-Gauss": (16.50, 42.30),
    "KL-GMM": (17.10, 40.00),
    "EL": (24.20, 40.50),
}


def run(trial: Trial, ledger: Ledger) -> None:
    """The table, our own distances, the levels that need prepared sets, and what must hold."""
    found: dict[tuple[str, str], float] = {}
    for data in (CLEAN, DRAWN, ADDED):
        runs: dict[str, list[float]] = {}
        for seed in range(trial.seeds):
            view, truth = gaussian_sets(seed, data, 30 if trial.quick else 50)
            for name, value in errors(view, truth, seed, data).items():
                runs.setdefault(name, []).append(value)
        for name, values in runs.items():
            paper = PAPER.get(name)
            beside = None if paper is None else paper[0] if data == CLEAN else paper[1]
            found[name, data] = ledger.add(name, "error %", data, values, beside)
    _relations(ledger, found)


def gaussian_sets(seed: int, data: str, n: int = 50) -> tuple[Ragged, np.ndarray]:
    """Sets of 80 to 120 vectors around zero, half of either law; with outliers around (5, 5)."""
    generator = stream(seed, n, 45)
    truth = np.arange(n) % 2
    sets = []
    for label in truth:
        size = int(generator.integers(80, 121))
        rows = generator.standard_normal((size, 2)) * np.sqrt(SPREADS[label])
        far = PLACE + generator.standard_normal((size, 2))
        if data == DRAWN:
            rows = np.where(generator.random(size)[:, None] < SHARE, far, rows)
        elif data == ADDED:
            rows = np.concatenate([rows, far[: round(SHARE * size)]])
        sets.append(rows)
    return Ragged.of(sets, ordered=False), truth


def errors(view: Ragged, truth: np.ndarray, seed: int, data: str) -> dict[str, float]:
    """The error of every method on one collection."""
    centered = prepared(view)
    cleaned = prepared(view, clean=True)
    mixture = GMM(n_components=2, covariance="full")
    affinities: dict[str, Callable[[], Any]] = {
        "MMD": lambda: MMD().fit(view).affinity_,
        "KL-Gauss": lambda: Likelihood(model=Gaussian(), random_state=seed).fit(view).affinity_,
        "KL-GMM": lambda: Likelihood(model=mixture, random_state=seed).fit(view).affinity_,
        "EL": lambda: ExpectedLikelihood(model=mixture, random_state=seed).fit(view).affinity_,
        "NN-J (ours)": lambda: Divergence().fit(view).affinity_,
        "NN-Hellinger (ours)": lambda: Divergence(f="hellinger").fit(view).affinity_,
        "MMD, sets centered": lambda: MMD().fit(centered).affinity_,
        "MMD, sets cleaned and centered": lambda: MMD().fit(cleaned).affinity_,
        "KL-Gauss, sets cleaned and centered": lambda: (
            Likelihood(model=Gaussian(), random_state=seed).fit(cleaned).affinity_
        ),
        "SPH balls, spectral": lambda: balls(view)[1],
        "SPH balls, spectral, sets cleaned and centered": lambda: balls(cleaned)[1],
    }
    found = {"SPH": _packed(view, truth, C=PENALTY)}
    found |= {f"SPH, nu {nu}": _packed(view, truth, nu=nu) for nu in (0.1, 0.5)}
    found |= {name: error(make(), truth, seed) for name, make in affinities.items()}
    found["SPH, sets cleaned and centered"] = _packed(cleaned, truth, C=PENALTY)
    found["radius alone, best cut (knows the truth)"] = best_cut(balls(view)[0], truth)
    found["ideal (knows both laws)"] = 100.0 * float(np.mean(ideal(view, data) != truth))
    return found


def _packed(view: Ragged, truth: np.ndarray, nu: float = 0.1, C: float | None = None) -> float:
    return 100.0 * clustering_error(SpherePacking(n_groups=2, nu=nu, C=C).fit(view).labels_, truth)


def balls(view: Ragged) -> tuple[np.ndarray, Dense]:
    """The radius of every set's ball, and for two sets the radius of the smallest ball around both, as a distance."""
    kernel = kernel_of("gaussian", "median", view.values, "SPH")
    found = balls_of(view, kernel, Softness(C=PENALTY), "SPH")
    products = center_products(found, kernel)
    away = np.sqrt(np.maximum(found.norms[:, None] + found.norms - 2 * products, 0.0))
    one = found.radii[:, None]
    other = found.radii[None, :]
    both = np.maximum((away + one + other) / 2, np.maximum(one, other))
    np.fill_diagonal(both, 0.0)
    return found.radii, Dense(both, "distance")


def prepared(view: Ragged, *, clean: bool = False) -> Ragged:
    """Every set around its own mean; cleaned: without the vectors that are far from it, by the spread of all sets.

    Far is 3.5 standard deviations of a round normal law whose median distance from the center is the observed one.
    """
    if not clean:
        return Ragged.of([rows - rows.mean(axis=0) for rows in view], ordered=False)
    middles = [np.median(rows, axis=0) for rows in view]
    reach = np.concatenate(
        [np.linalg.norm(rows - middle, axis=1) for rows, middle in zip(view, middles, strict=True)]
    )
    limit = 3.5 * float(np.median(reach)) / np.sqrt(2 * np.log(2))
    kept = []
    for rows, middle in zip(view, middles, strict=True):
        center = middle
        for _ in range(5):
            near = rows[np.linalg.norm(rows - center, axis=1) < limit]
            center = near.mean(axis=0)
        kept.append(near - center)
    return Ragged.of(kept, ordered=False)


def best_cut(values: np.ndarray, truth: np.ndarray) -> float:
    """The least error in percent of any cut of one number per set."""
    return 100.0 * min(
        clustering_error((values > cut).astype(np.int64), truth) for cut in np.sort(values)[:-1]
    )


def ideal(view: Ragged, data: str) -> np.ndarray:
    """The likelier law of every set, for one who knows both laws and that of the outliers."""
    share = {CLEAN: 0.0, DRAWN: SHARE, ADDED: SHARE / (1 + SHARE)}[data]
    far = share * np.exp(-0.5 * np.square(view.values - PLACE).sum(axis=1))
    scores = []
    for spread in np.array(SPREADS):
        near = (
            (1 - share)
            * np.exp(-0.5 * (np.square(view.values) / spread).sum(axis=1))
            / np.sqrt(spread.prod())
        )
        scores.append(np.add.reduceat(np.log(np.maximum(near + far, 1e-300)), view.offsets[:-1]))
    return np.argmax(scores, axis=0)


def _relations(ledger: Ledger, found: dict[tuple[str, str], float]) -> None:
    for data in (DRAWN, ADDED):
        for name in ("MMD", "SPH", "SPH, nu 0.5", "SPH, sets cleaned and centered"):
            before = found[name, CLEAN]
            after = found[name, data]
            ledger.relate(
                f"{data} cost {name} at most 5 points ({before:.1f} to {after:.1f})",
                after <= before + 5,
            )
        for name in ("KL-Gauss", "KL-GMM", "EL"):
            before = found[name, CLEAN]
            after = found[name, data]
            ledger.relate(
                f"{data} cost {name} 15 points or more ({before:.1f} to {after:.1f})",
                after >= before + 15,
            )
    best = min(PAPER, key=lambda name: found[name, CLEAN])
    ledger.relate(
        f"clean: the models that are true have the lowest error (best {best} {found[best, CLEAN]:.1f})",
        best.startswith("KL"),
    )
    packings = ("SPH", "SPH, nu 0.1", "SPH, nu 0.5", "SPH, sets cleaned and centered")
    for data, at in ((CLEAN, 0), (DRAWN, 1), (ADDED, 1)):
        level = PAPER["MMD"][at]
        value = found["MMD, sets centered", data]
        text = f"{data}: MMD, sets centered, has the thesis' level of {level} within 4 points ({value:.1f})"
        ledger.relate(text, abs(value - level) <= 4)
        level = PAPER["SPH"][at]
        best = min(packings, key=lambda name, data=data: found[name, data])  # type: ignore[misc]
        text = f"{data}: SPH in its best form has the thesis' level of {level} within 4 points ({best} {found[best, data]:.1f})"
        ledger.relate(text, abs(found[best, data] - level) <= 4)
    clean, drawn = (found["MMD, sets cleaned and centered", data] for data in (CLEAN, DRAWN))
    text = f"cleaned and centered, MMD stays below 30% under drawn outliers ({clean:.1f} to {drawn:.1f})"
    ledger.relate(text, drawn < 30)
    packed = found["SPH", CLEAN]
    spectral = found["SPH balls, spectral", CLEAN]
    ledger.relate(
        f"clean: the balls know more than their packing finds ({spectral:.1f} spectral, {packed:.1f})",
        spectral < packed,
    )
    cut = found["radius alone, best cut (knows the truth)", ADDED]
    ledger.relate(
        f"added outliers: no cut of the radii reaches the thesis' 21.9% of SPH ({cut:.1f})",
        cut > PAPER["SPH"][1],
    )


EXPERIMENT = Experiment(
    name="gaussians-with-outliers",
    title="Sets from two normal laws, clean and with outliers",
    work="Sequences",
    table="table 4.1",
    needs=(),
    minutes=25,
    seeds=50,
    run=run,
)
