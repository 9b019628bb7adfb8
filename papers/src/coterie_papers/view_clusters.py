"""Groups of members seen in several ways: k-means in the space that PWCA or KCCA finds, beside all columns side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.workplace import steady
from coterie.represent.kcca import KCCA
from coterie.represent.pwca import PWCA
from coterie_papers.experiment import Experiment, Ledger, Trial
from coterie_papers.text_data import NMI, Arrays, kept, not_below, said, told
from coterie_papers.view_data import DIGITS, MANY, Seen, generated, read_sets

NAME = "view-clusters"
OURS = "PWCA"
THEIRS = "KCCA"
PLAIN = "side by side"
EVEN = "side by side, evened"
STRENGTHS = (1.0, 10.0)  # regularizations
# how many components
FEW = "groups - 1"
MANY_MORE = "2 groups"
# k-means on the coordinates, or on rows of length one (the cosine of the spaces)
PLACES = "places"
DIRECTIONS = "directions"
_RANK = 300  # of a view's factors
_STARTS = 10  # of k-means


@dataclass(frozen=True)
class Setting:
    """A space that views share, by its regularization, how many of its components are taken, and what of them is compared."""

    kind: str
    strength: float
    components: str
    form: str = PLACES

    def __str__(self) -> str:
        said = f"{self.kind}, {'tau' if self.kind == OURS else 'kappa'} {self.strength:g}, {self.components}"
        return said if self.form == PLACES else f"{said}, {self.form}"

    def width(self, groups: int) -> int:
        return groups - 1 if self.components == FEW else 2 * groups


SETTINGS = {
    kind: [
        Setting(kind, strength, components, form)
        for form in (PLACES, DIRECTIONS)
        for strength in STRENGTHS
        for components in (FEW, MANY_MORE)
    ]
    for kind in (OURS, THEIRS)
}


def spaces(seen: Seen) -> dict[str, Callable[[], Any]]:
    """Every space of the members, made when it is first asked for: the settings of PWCA and KCCA, and the columns as they are."""

    @cache
    def shared(kind: str, strength: float) -> np.ndarray:
        most = 2 * seen.n_groups
        model = PWCA(n_components=most, rank=_RANK, tau=strength) if kind == OURS else None
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # a view with fewer directions than asked for
            fitted = (model or KCCA(n_components=most, rank=_RANK, kappa=strength)).fit(seen.views)
            return fitted.transform(seen.views)

    def leading(one: Setting) -> np.ndarray:
        rows = shared(one.kind, one.strength)[:, : one.width(seen.n_groups)]
        return (
            rows
            if one.form == PLACES
            else rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
        )

    made: dict[str, Callable[[], Any]] = {
        str(one): partial(leading, one) for kind in SETTINGS.values() for one in kind
    }
    return {
        **made,
        PLAIN: partial(side_by_side, seen, even=False),
        EVEN: partial(side_by_side, seen, even=True),
    }


def side_by_side(seen: Seen, *, even: bool) -> Any:
    """All columns of all views; when even, every view is brought to a mean variance of one first."""
    parts = []
    for rows in seen.views.values():
        mean = np.asarray(rows.mean(axis=0)).ravel()
        squares = (
            float(rows.multiply(rows).sum() if sp.issparse(rows) else np.square(rows).sum())
            / rows.shape[0]
        )
        parts.append(rows / np.sqrt(squares - float(mean @ mean)) if even else rows)
    return sp.csr_array(sp.hstack(parts)) if any(map(sp.issparse, parts)) else np.hstack(parts)


def grouped(place: Callable[[], Any], groups: int, seed: int) -> Arrays:
    """As many groups as there are classes, by the best of ten starts of k-means."""
    from sklearn.cluster import KMeans

    with steady():
        found = KMeans(groups, n_init=_STARTS, random_state=seed).fit_predict(place())
    return {"labels": np.asarray(found)}


def tried(trial: Trial, ledger: Ledger, seen: Seen) -> dict[str, np.ndarray]:
    """The rows of all spaces on one set; gives their NMI by seed."""
    found = {}
    for name, place in spaces(seen).items():
        make = partial(grouped, place, seen.n_groups)
        runs = [
            kept(f"{NAME}/{seen.name}", name, seed, partial(make, seed))
            for seed in range(trial.seeds)
        ]
        found[name] = told(ledger, name, seen.name, runs, seen.truth)[NMI]
    return found


def run(trial: Trial, ledger: Ledger) -> None:
    """Views made so that groups are known, handwritten digits, and five further sets."""
    real = read_sets(trial, ledger)
    known = tried(trial, ledger, made(0))
    first = {kind: str(of[0]) for kind, of in SETTINGS.items()}
    names = (first[OURS], first[THEIRS], PLAIN, EVEN)
    text = (
        f"generated views: PWCA finds the clusters as well as the others do ({said(known, *names)})"
    )
    ledger.relate(text, all(not_below(known[names[0]], known[other]) for other in names[1:]))
    found = {seen.name: tried(trial, ledger, seen) for seen in real}
    if not found:
        return
    _majority(ledger, found, first, "with tau 1 and one component less than groups")
    best = {kind: _best(found, [str(one) for one in of]) for kind, of in SETTINGS.items()}
    how = f"by hindsight, each with the best of eight settings for all sets, chosen by the classes ({best[OURS]}; {best[THEIRS]})"
    _majority(ledger, found, best, how)


def _best(found: Mapping[str, Mapping[str, np.ndarray]], names: list[str]) -> str:
    """The setting with the best mean over all sets."""
    return max(
        names, key=lambda name: float(np.mean([values[name].mean() for values in found.values()]))
    )


def _majority(
    ledger: Ledger,
    found: Mapping[str, Mapping[str, np.ndarray]],
    settings: Mapping[str, str],
    how: str,
) -> None:
    """Whether k-means in the space of PWCA is at least as good as elsewhere on more than half of the sets."""
    ours = settings[OURS]
    for other in (settings[THEIRS], PLAIN, EVEN):
        where = [
            data for data, values in found.items() if values[ours].mean() >= values[other].mean()
        ]
        text = (
            f"NMI of k-means in the space of PWCA is at least that of {other} on most sets, {how}"
        )
        ledger.relate(
            f"{text}: {len(where)} of {len(found)} ({'; '.join(where) or 'none'})",
            2 * len(where) > len(found),
        )


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
    minutes=1,
    seeds=5,
    run=run,
)
