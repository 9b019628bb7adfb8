"""Groups of members seen in several ways: k-means in the space that PWCA or KCCA finds, beside all columns side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.workplace import steady
from coterie.experiments.experiment import Experiment, Ledger, Trial
from coterie.experiments.text_data import NMI, Arrays, kept, slack, told
from coterie.experiments.view_data import DIGITS, MANY, Seen, generated, read_sets
from coterie.represent.kcca import KCCA
from coterie.represent.pwca import PWCA

NAME = "view-clusters"
PLACES = ("PWCA", "KCCA", "side by side")
_RANK = 300  # of a view's factors
_STARTS = 10  # of k-means
Place = Callable[[Seen], np.ndarray]


def shared(kind: Any, seen: Seen) -> np.ndarray:
    """The members in the space that the views share, in one direction less than there are groups."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a view with fewer directions than asked for
        return np.asarray(kind(n_components=seen.n_groups - 1, rank=_RANK).fit(seen.views).factors_)


def side_by_side(seen: Seen) -> Any:
    """All columns of all views, every view centered (where it is dense) and brought to a mean variance of one."""
    parts = []
    for rows in seen.views.values():
        mean = np.asarray(rows.mean(axis=0)).ravel()
        squares = float(rows.multiply(rows).sum() if sp.issparse(rows) else np.square(rows).sum()) / rows.shape[0]
        size = np.sqrt(squares - float(mean @ mean))
        parts.append(rows / size if sp.issparse(rows) else (rows - mean) / size)
    return sp.csr_array(sp.hstack(parts)) if any(map(sp.issparse, parts)) else np.hstack(parts)


WAYS: Mapping[str, Callable[[Seen], Any]] = dict(
    zip(PLACES, (partial(shared, PWCA), partial(shared, KCCA), side_by_side), strict=True)
)


def grouped(place: Callable[[Seen], Any], seen: Seen, seed: int) -> Arrays:
    """As many groups as there are classes, by the best of ten starts of k-means."""
    from sklearn.cluster import KMeans

    with steady():
        found = KMeans(seen.n_groups, n_init=_STARTS, random_state=seed).fit_predict(place(seen))
    return {"labels": np.asarray(found)}


def run(trial: Trial, ledger: Ledger) -> None:
    """Views made so that groups are known, handwritten digits, and five further sets."""
    sets = [made(0), *read_sets(trial, ledger)]
    wins: dict[str, dict[str, bool]] = {name: {} for name in PLACES[1:]}
    for seen in sets:
        found = {name: tried(trial, ledger, name, seen) for name in PLACES}
        for other in PLACES[1:]:
            wins[other][seen.name] = bool(found["PWCA"].mean() >= found[other].mean() - slack(found["PWCA"], found[other]))
    for other, over in wins.items():
        where = [name for name, won in over.items() if won]
        text = f"NMI of k-means in the space of PWCA is at least that of {other} (to one standard error) on the majority of sets"
        ledger.relate(f"{text} ({len(where)} of {len(over)}: {'; '.join(where) or 'none'})", 2 * len(where) > len(over))


def tried(trial: Trial, ledger: Ledger, name: str, seen: Seen) -> np.ndarray:
    """The rows of one way on one set; gives its NMI by seed."""
    runs: Sequence[Arrays] = [
        kept(f"{NAME}/{seen.name}", name, seed, partial(grouped, WAYS[name], seen, seed)) for seed in range(trial.seeds)
    ]
    return told(ledger, name, seen.name, runs, seen.truth)[NMI]


def made(seed: int) -> Seen:
    """Three views of 300 members in eight clusters, by the generator of the specification."""
    sheet = generated(seed, 3.0, test=0)
    return Seen(f"{sheet.name}, {len(sheet.truth)} members", sheet.train, sheet.truth)


EXPERIMENT = Experiment(
    name=NAME,
    title="Groups of members seen in several ways: the space the views share, beside all columns",
    work="coterie",
    table="PWCA, KCCA and columns side by side",
    needs=(DIGITS, MANY),
    minutes=8,
    seeds=5,
    run=run,
)
