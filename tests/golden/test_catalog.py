"""Every method of the catalog, fitted on small data: what it learns does not move unless a commit says so.

Stored are the public fitted attributes (numbers, arrays, labels; objects by what they hold of these), and what the method
gives to the members it was fitted on and to new ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import coterie
from coterie import catalog
from coterie.core.affinity import Affinity
from coterie.core.errors import MissingExtra
from coterie.core.links import Links
from coterie.core.partition import Hierarchy, Partition, Ranking, Segmentation
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.models import Model
from coterie.testing import sample_for
from tests.golden import materials as made
from tests.golden.stored import FILES, check

ENTRIES = {entry.name: entry for entry in catalog.ENTRIES}
RTOL = 1e-5
ATOL = 1e-7
TOLERANCES = {
    "Blobs": 1e-3,  # numbers of regions are float32, and k-means on them ends where rounding lets it
}  # method -> relative tolerance, where the usual one is too narrow
UNSTEADY = {
    # golden file -> attributes that rounding decides
    "Segmentation-changing": {"centers_", "embedding_"},  # unlinked parts: axes are free to turn
    "Topics": {"order_", "topics_"},  # topics of one size: either may come first
}
SIGN_FREE = {"LSA", "PWCA", "CCA", "KCCA", "Embedding"}  # axes whose direction is a convention
UNSTORED: dict[str, str] = {  # method -> why it has no golden file
    "WordVectors": "Its numbers are those of weights that another package brings.",
}
GIVEN = {"members_"}  # what was handed in
SAID = {"notes_"}  # sentences, of which the number is stored

_LEFT_OUT = object()

Fixture = Callable[[], tuple[Any, Any]]  # the data, and labels for the methods that need them


def _table() -> tuple[Any, Any]:
    """Overlapping clouds, so that neighbors and groups are not trivial."""
    return Table(np.abs(made.vectors(60, 4, 5, spread=2.5)), tuple("abcde")), made.planted(60, 4)


def _mixed() -> tuple[Any, Any]:
    """Numbers with missing cells, and categories."""
    found = coterie.read(made.frame(50), id="id", truth="class")
    return found.view(found.main), None


def _distances() -> tuple[Any, Any]:
    rows = made.vectors(60, 4, 5, spread=2.5)
    apart = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    return Affinity.of(apart, kind="distance"), None


def _counts() -> tuple[Any, Any]:
    """Texts that share many words, tied to their words."""
    rows = coterie.represent.Terms(weights="tf", min_df=1).fit_transform(
        made.texts(60, 4, own=0.35)
    )
    return Links.of({("members", "words"): rows}), None


def _sequences() -> tuple[Any, Any]:
    return Ragged.of(made.sequences(24)), None


def _changing() -> tuple[Any, Any]:
    return Ragged.of(made.changing()), None


HARDER: dict[str, tuple[str, Fixture]] = {
    # name of the golden file -> the method in words, and its data
    "LSA-energy": ("LSA(n_components=0.5, normalize=True)", _table),
    "LSA-lanczos": ("LSA(n_components=2, solver=lanczos)", _table),
    "PLSA-early": ("PLSA(n_topics=2, early_stopping=True)", _table),
    "Scaling-standard": ("Scaling(method=standard)", _table),
    "Scaling-range": ("Scaling(method=range)", _table),
    "Scaling-robust": ("Scaling(method=robust)", _table),
    "Scaling-mixed": ("Scaling", _mixed),
    "ScaledPCA-mixed": ("ScaledPCA", _mixed),
    "StudentMixture-tied": ("StudentMixture(n_groups=4, covariance=tied)", _table),
    "StudentMixture-mixed": ("StudentMixture", _mixed),
    "MixtureConsensus-harder": ("MixtureConsensus(n_groups=4)", _table),
    "MixtureConsensus-mixed": ("MixtureConsensus", _mixed),
    "Gower-mixed": ("Gower", _mixed),
    "Minkowski-2.5": ("Minkowski(p=2.5)", _table),
    "SIC-sequences": ("SIC", _sequences),
    "Likelihood-sequences": ("Likelihood", _sequences),
    "SSD-sequences": ("SSD", _sequences),
    "Segmentation-changing": ("Segmentation", _changing),
    "Spectral-harder": ("Spectral(n_groups=4)", _distances),
    "MCL-harder": ("MCL(inflation=2)", _distances),
    "Leiden-harder": ("Leiden", _distances),
    "Propagation-harder": ("Propagation", _distances),
    "Medoids-harder": ("Medoids(n_groups=4)", _distances),
    "Agglomerative-average": ("Agglomerative(n_groups=4, linkage=average)", _distances),
    "Agglomerative-complete": ("Agglomerative(n_groups=4, linkage=complete)", _distances),
    "Density-harder": ("Density", _distances),
    "SpherePacking-table": ("SpherePacking(n_groups=4)", _table),
    "Comraf-harder": ("Comraf(n_groups=4)", _counts),
    "MDC-harder": ("MDC(n_groups=4)", _counts),
    "SequentialIB-harder": ("SequentialIB(n_groups=4)", _counts),
    "ConsensusIB-harder": ("ConsensusIB(n_groups=4)", _counts),
    "ConsensusIB-chosen": ("ConsensusIB", _counts),
    "AgglomerativeIB-harder": ("AgglomerativeIB(n_groups=4)", _counts),
    "ITCC-harder": ("ITCC(n_groups=4)", _counts),
    "KMeans-harder": ("KMeans(n_groups=4)", _counts),
    "Topics-harder": ("Topics(n_groups=4)", _counts),
    "Categorize-harder": ("Categorize", _table),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_method(name: str) -> None:
    if name in UNSTORED:
        pytest.skip(UNSTORED[name])
    method = _with(ENTRIES[name].load()(), n_groups=3, random_state=3)
    data, truth = sample_for(method)
    later, _ = sample_for(method, seed=1)
    try:
        found = learned(method, data, truth, later)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    _check(name, name, found)


@pytest.mark.parametrize("name", HARDER)
def test_other_form(name: str) -> None:
    words, fixture = HARDER[name]
    data, truth = fixture()
    method = catalog.make(words, random_state=3)
    _check(name, type(method).__name__, learned(method, data, truth, None))


def test_every_method_has_its_golden_file_or_a_reason() -> None:
    stored = {path.stem for path in (FILES / "catalog").glob("*.json")}
    assert stored == {*ENTRIES, *HARDER} - {*UNSTORED}
    assert all(why.endswith(".") for why in UNSTORED.values())


def _check(name: str, method: str, found: dict[str, Any]) -> None:
    for attribute in UNSTEADY.get(name, ()):
        del found["attributes"][attribute]
    check("catalog", name, found, rtol=TOLERANCES.get(method, RTOL), atol=ATOL)


def _with(method: Any, **settings: Any) -> Any:
    own = method.get_params(deep=False)
    return method.set_params(**{name: value for name, value in settings.items() if name in own})


def learned(method: Any, data: Any, truth: Any, later: Any) -> dict[str, Any]:
    """The public attributes after a fit, and what the method gives to its members and to new ones."""
    needs_labels = method.__sklearn_tags__().target_tags.required
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = method.fit(data, truth) if needs_labels else method.fit(data)
        found = {"attributes": attributes_of(fitted), "gives": given(fitted, data)}
        if later is not None:
            found["gives to new ones"] = given_later(fitted, data, later)
    return unsigned(found) if type(method).__name__ in SIGN_FREE else found


def attributes_of(fitted: Any) -> dict[str, Any]:
    """What is public and ends in an underscore, as plain values."""
    found = {}
    for name in sorted(dir(fitted)):
        if not name.endswith("_") or name.startswith("_") or name in GIVEN:
            continue
        value = getattr(fitted, name, _LEFT_OUT)
        kept = len(value) if name in SAID else plain(value)
        if kept is not _LEFT_OUT:
            found[name] = kept
    return found


def given(fitted: Any, data: Any) -> Any:
    """The representation, or the scores of labels; groups and affinities are attributes."""
    if hasattr(fitted, "transform"):
        return plain(fitted.transform(data))
    return plain(fitted.scores(data)) if hasattr(fitted, "scores") else None


def given_later(fitted: Any, data: Any, later: Any) -> Any:
    """What new members get: rows, affinities to the fitted ones, groups."""
    if isinstance(data, Affinity):
        queries = Affinity.of(
            data.block(slice(0, 36, 5), slice(0, 36)) + 0.01, kind=data.kind, symmetric=False
        )
        return plain(fitted.predict(queries)) if hasattr(fitted, "predict") else None
    for name in ("transform", "compare", "predict"):
        if hasattr(fitted, name):
            return plain(getattr(fitted, name)(later))
    return None


def plain(value: Any) -> Any:
    """A value as numbers, arrays, words and what is made of these; anything else is left out."""
    if isinstance(value, str):
        return _LEFT_OUT if value.endswith(".") and " " in value else value  # a sentence
    if value is None or isinstance(value, (bool, int, float, np.generic)):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist()) if value.dtype == object else value
    if sp.issparse(value):
        return value
    if isinstance(value, Affinity):
        rows, columns = value.shape
        values = value.block(slice(0, rows), slice(0, columns))
        return {"kind": value.kind, "symmetric": value.symmetric, "values": values}
    if isinstance(value, Partition):
        return {"labels": value.labels, "confidence": plain(value.confidence)}
    if isinstance(value, Hierarchy):
        return {"merges": value.merges}
    if isinstance(value, Segmentation):
        return {"boundaries": value.boundaries, "labels": value.labels}
    if isinstance(value, Ranking):
        return {"order": value.order, "scores": value.scores}
    if isinstance(value, Table):
        return {"names": list(value.names), "values": value.values}
    if isinstance(value, Ragged):
        return {"offsets": value.offsets, "values": value.values}
    if isinstance(value, Model):
        return attributes_of(value)
    if isinstance(value, Mapping):
        items = {str(name): plain(item) for name, item in value.items()}
        return {name: item for name, item in items.items() if item is not _LEFT_OUT}
    if isinstance(value, (list, tuple)):
        kept = [plain(item) for item in value]
        return _LEFT_OUT if any(item is _LEFT_OUT for item in kept) else kept
    return _LEFT_OUT


def unsigned(value: Any) -> Any:
    """Real numbers by their size: an axis and its mirror image are the same axis."""
    if isinstance(value, dict):
        return {name: unsigned(item) for name, item in value.items()}
    if isinstance(value, list):
        return [unsigned(item) for item in value]
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        return abs(value)
    return value
