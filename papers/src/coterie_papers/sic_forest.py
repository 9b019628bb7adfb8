"""SIC on tables of numbers and words: nearest neighbors, trees and the contrast forest against Euclid and Gower."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coterie.compare.mixed import Gower
from coterie.compare.sic.contrast import Contrast
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.nearest import Nearest
from coterie.compare.sic.trees import Forest, Tree
from coterie.compare.vectors import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.judge import retrieval
from coterie.represent.scaling import Scaling
from coterie_papers.experiment import Experiment, Ledger, Trial

_SECTIONS = (
    "games",
    "admin",
    "net",
    "science",
    "sound",
    "devel",
    "text",
    "graphics",
    "java",
    "fonts",
)
_FACETS = ("role", "implemented-in", "interface", "uitoolkit", "x11", "scope", "works-with")
_PER_SECTION = 75
_E = "Euclid"
_S = "Euclid, standardized"
_N = "SIC 1-NN, standardized"
_C = "contrast forest"
_PILOT = {  # measured before, with another program and one seed
    "wine": {_E: 64.3, _S: 83.9, _N: 92.8, "SIC tree": 90.3, _C: 86.3},
    "digits (600)": {_E: 65.5, _S: 58.7, _N: 73.9, "SIC extra-trees": 66.8, _C: 60.8},
    "breast cancer": {_S: 82.2, _N: 81.0, _C: 90.1},
}

Labeled = tuple[Table, np.ndarray]


def run(trial: Trial, ledger: Ledger) -> None:
    """Every method on every table, then the relations."""
    plain = plain_tables(trial.quick)
    found = {name: _judged(trial, ledger, name, *data) for name, data in plain.items()}
    for name, least in (("wine", 4.0), ("digits (600)", 5.0)):
        mine = found[name][_N]
        best = max(found[name][_E], found[name][_S])
        text = f"{name}: 1-NN SIC ({mine:.1f}) is at least {least:g} above the better Euclid ({best:.1f})"
        ledger.relate(text, mine >= best + least)
    cancer = found["breast cancer"]
    best = max(cancer[_E], cancer[_S])
    for method, said in ((_N, "1-NN SIC"), (_C, "the contrast forest")):
        text = (
            f"breast cancer: {said} ({cancer[method]:.1f}) is above the better Euclid ({best:.1f})"
        )
        ledger.relate(text, cancer[method] > best)
    _bent(trial, ledger, plain["wine"], plain["digits (600)"])
    mixed = {
        f"{name}, mixed": worsened(*data, seed=1)
        for name, data in plain.items()
        if name != "digits"
    }
    if trial.has("debian_packages", "debian_packages.parquet"):
        mixed["packages"] = packages(trial.data("debian_packages", "debian_packages.parquet"))
    else:
        ledger.skip(
            "packages: the data set 'debian_packages' is not here (give its parent folder with --data or COTERIE_DATA)."
        )
    scores = {name: _judged(trial, ledger, name, *data) for name, data in mixed.items()}
    ahead = [name for name, row in scores.items() if row["SIC by itself"] > row["Gower"]]
    text = f"SIC by itself is ahead of Gower on {len(ahead)} of {len(scores)} mixed tables with gaps (3 of 4 asked)"
    ledger.relate(text, len(ahead) >= 0.75 * len(scores))


def _judged(
    trial: Trial, ledger: Ledger, name: str, table: Table, truth: np.ndarray
) -> dict[str, float]:
    """mAP of the fixed measures once, and of SIC over the seeds."""
    found = {}
    pilot = _PILOT.get(name, {})
    for method, affinity in _measures(table).items():
        found[method] = ledger.add(method, "mAP", name, _map(affinity, truth), pilot.get(method))
    for method in _sics(trial.quick):
        runs = [
            _map(_sics(trial.quick, seed)[method].fit(table).affinity_, truth)
            for seed in range(trial.seeds)
        ]
        found[method] = ledger.add(method, "mAP", name, runs, pilot.get(method))
    return found


def _measures(table: Table) -> dict[str, Affinity]:
    found: dict[str, Affinity] = {}
    if not table.categories and not np.isnan(table.values).any():
        found[_E] = Euclidean().fit(table).affinity_
    found[_S] = Euclidean().fit(Scaling(method="standard").fit(table).transform(table)).affinity_
    found["Gower"] = Gower().fit(table).affinity_
    return found


def _sics(quick: bool, seed: int = 0) -> dict[str, SIC]:
    """The settings of the pilot (5% trained, 100 labels, 100 iterations; 60 for forests), and what SIC does by itself."""

    def fixed(diverter: Any, n: int, annotator: Any = None) -> SIC:
        share, labels = (None, None) if annotator is not None else (0.05, 100)
        return SIC(
            diverter=diverter,
            annotator=annotator,
            n_iterations=n,
            train_size=share,
            n_labels=labels,
            stop=None,
            random_state=seed,
        )

    return {
        "SIC by itself": SIC(random_state=seed),
        _N: fixed(Nearest(scale="standard"), 100),
        "SIC 1-NN, half of the columns": fixed(Nearest(columns=0.5), 100),
        "SIC tree": fixed(Tree(), 100),
        "SIC extra-trees": fixed(Forest(), 20 if quick else 60),
        _C: fixed(Tree(leaves=True, min_leaf=3), 100 if quick else 300, Contrast()),
    }


def _map(affinity: Affinity, truth: np.ndarray) -> float:
    return 100 * retrieval(affinity, truth, missing="last").mean_ap


def plain_tables(quick: bool) -> dict[str, Labeled]:
    """Tables of numbers with known classes, by name; in haste without the largest."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_wine

    wine = load_wine()
    digits = load_digits()
    cancer = load_breast_cancer()
    some = np.sort(np.random.default_rng(0).permutation(len(digits.target))[:600])
    found = {
        "wine": (Table(wine.data, tuple(wine.feature_names)), wine.target),
        "digits (600)": (Table.of(digits.data[some]), digits.target[some]),
        "breast cancer": (Table(cancer.data, tuple(map(str, cancer.feature_names))), cancer.target),
    }
    return found if quick else {**found, "digits": (Table.of(digits.data), digits.target)}


def _bent(trial: Trial, ledger: Ledger, wine: Labeled, digits: Labeled) -> None:
    """Every column put through its own random monotone change: trees do not see it, distances do."""
    for name, (table, truth) in (("wine", wine), ("digits (600)", digits)):
        changed = bent(table, 7)
        moves = {}
        for method in ("SIC tree", "SIC extra-trees"):
            runs = []
            for seed in range(trial.seeds):
                before, after = (
                    _map(_sics(trial.quick, seed)[method].fit(t).affinity_, truth)
                    for t in (table, changed)
                )
                runs.append(abs(after - before))
            moves[method] = ledger.add(method, "|change of mAP|, columns bent", name, runs)
        before, after = (_map(Euclidean().fit(t).affinity_, truth) for t in (table, changed))
        ledger.add(_E, "|change of mAP|, columns bent", name, abs(after - before))
        worst = max(moves.values())
        ledger.relate(
            f"{name}: bending every column moves the trees' mAP by at most 1 ({worst:.2f})",
            worst <= 1,
        )


def bent(table: Table, seed: int) -> Table:
    """A table whose columns went through rising functions of their own, at scales of their own."""
    generator = stream(seed, 13)
    values = np.asarray(table.values)
    spread = values.std(axis=0)
    unit = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    ways = (np.exp, np.arcsinh, lambda x: x + x**3, lambda x: x)
    columns = [
        ways[int(generator.integers(4))](column) * 10 ** generator.uniform(-3, 3)
        for column in unit.T
    ]
    return Table(np.stack(columns, axis=1), table.names)


def worsened(table: Table, truth: np.ndarray, seed: int) -> Labeled:
    """A third of the columns cut into 3 to 5 words in no order, and a tenth of all cells taken away."""
    generator = stream(seed, 10)
    values = np.array(table.values)
    categories: dict[int, tuple[str, ...]] = {}
    moving = np.flatnonzero(values.std(axis=0) > 0)
    for j in np.sort(generator.choice(moving, round(len(moving) / 3), replace=False)).tolist():
        k = int(generator.integers(3, 6))
        cuts = np.unique(np.quantile(values[:, j], np.arange(1, k) / k))
        codes = np.unique(np.searchsorted(cuts, values[:, j]), return_inverse=True)[1].ravel()
        levels = int(codes.max()) + 1
        values[:, j] = generator.permutation(levels)[codes]
        categories[j] = tuple(f"level {c}" for c in range(levels))
    values[generator.random(values.shape) < 0.1] = np.nan
    return Table(values, table.names, categories), truth


def packages(file: Path) -> Labeled:
    """Debian packages of ten sections as a real mixed table: facets of tags (gaps where untagged), hosts, counts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [
        "package",
        "section",
        "maintainer",
        "tags",
        "depends",
        "suggests",
        "homepage_host",
        "short_en",
        "long_en",
    ]
    data = {
        name: np.array(column.to_pylist(), dtype=object)
        for name, column in zip(columns, pq.read_table(file, columns=columns), strict=True)
    }
    generator = stream(0, 12)
    rows = [
        generator.choice(np.flatnonzero(data["section"] == s), _PER_SECTION, replace=False)
        for s in _SECTIONS
    ]
    data = {name: column[np.sort(np.concatenate(rows))] for name, column in data.items()}
    cells: list[tuple[str, np.ndarray]] = [
        (
            facet,
            _words(
                next((t for t in tags.split("|") if t.startswith(facet + "::")), "")
                for tags in data["tags"]
            ),
        )
        for facet in _FACETS
    ]
    cells += [("host", _common(data["homepage_host"])), ("maintainer", _common(data["maintainer"]))]
    for name in ("depends", "suggests"):
        cells.append(
            (name, np.array([len(v.split("|")) if v else 0 for v in data[name]], dtype=np.float64))
        )
    for name in ("long_en", "short_en", "package"):
        cells.append(
            (f"length of {name}", np.array([len(v) for v in data[name]], dtype=np.float64))
        )
    return Table.of(pa.table(dict(cells))), data["section"]


def _words(found: Any) -> np.ndarray:
    return np.array([word or None for word in found], dtype=object)


def _common(names: np.ndarray) -> np.ndarray:
    """Names that occur five times or more; the others are 'other', and none is a gap."""
    known, count = np.unique([name or "" for name in names], return_counts=True)
    often = set(known[count >= 5].tolist())
    return _words((name if name in often else "other") if name else "" for name in names)


EXPERIMENT = Experiment(
    name="sic-forest",
    title="SIC on tables: nearest neighbors, trees and the contrast forest against Euclid and Gower",
    work="SIC",
    table="tables (pilot of our own)",
    needs=("debian_packages",),
    minutes=3,
    seeds=3,
    run=run,
    also=("wine, digits and breast cancer (scikit-learn)",),
    beside="pilot",
)
