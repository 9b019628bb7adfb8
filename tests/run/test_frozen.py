"""A stored run is the fresh one again: the fitted walk goes to plain values and back, and nothing foreign is ever loaded."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest

import coterie
from coterie.collect.samples import sample
from coterie.compare.vectors import Euclidean
from coterie.core.errors import StoreError
from coterie.organize.medoids import Medoids
from coterie.parts.pairwise import dense
from coterie.pipeline import Pipeline
from coterie.run.engine import load
from coterie.run.frozen import freeze, thaw

from .examples import same

WALKS = {
    "blobs": {},
    "mixed": {},
    "topics": {},
    "traces": {},
    "bags_of_vectors": {},
    "mail": {},
    "one_gaussian": {"nulls": 2},
    "blobs by Gower": {"compare": "Gower"},
    "blobs by Gaussian": {"compare": "Gaussian"},
    "blobs by Cosine": {"compare": "Cosine"},
    "blobs by Mahalanobis": {"compare": "Mahalanobis"},
    "blobs by Minkowski": {"compare": "Minkowski(p=1.5)"},
    "blobs into Medoids": {"organize": "Medoids"},
    "blobs into MCL": {"organize": "MCL"},
    "blobs into Density": {"organize": "Density"},
    "blobs into Agglomerative": {"organize": "Agglomerative"},
}


@pytest.mark.parametrize("name", WALKS)
def test_a_stored_run_places_like_the_fresh_one(name: str, tmp_path) -> None:
    kind = name.split()[0]
    collection = sample(kind, 70)
    choices = {"nulls": 0, **WALKS[name]}
    fresh = coterie.explore(collection, store=tmp_path / "s", **choices)
    stored = load(store=tmp_path / "s")
    assert stored.labels.tobytes() == fresh.labels.tobytes()
    assert (stored.analysis.view, stored.analysis.width, stored.analysis.reach) == (
        fresh.analysis.view,
        fresh.analysis.width,
        fresh.analysis.reach,
    )
    others = sample(kind, 40, random_state=9)
    others = coterie.Collection([f"new {i}" for i in range(40)], others.views, links={}, name="new")
    one = fresh.place(others)
    two = stored.place(others)
    for part in ("labels", "confidence", "fits", "neighbors", "nearness"):
        same(getattr(one, part), getattr(two, part), part)
    same(
        dense(fresh.analysis.pipeline.affinity_).values,
        dense(stored.analysis.pipeline.affinity_).values,
        "affinity",
    )


def test_a_pipeline_goes_round() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 3))
    fitted = Pipeline([Euclidean(), Medoids(n_groups=3, random_state=0)]).fit(rows)
    again = thaw(json_like(freeze(fitted)))
    assert again.predict(rows + 0.01).tolist() == fitted.predict(rows + 0.01).tolist()
    assert [repr(step) for step in again.steps_] == [repr(step) for step in fitted.steps_]


def json_like(tree):
    """Fail when something in a frozen tree is not a plain value."""
    if isinstance(tree, dict):
        return {key: json_like(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(json_like(item) for item in tree)
    assert not callable(tree), tree
    assert type(tree).__module__ in ("builtins", "numpy", "scipy.sparse._csr") or type(
        tree
    ).__module__.startswith("coterie.core."), tree
    return tree


def test_partials_and_functions_of_coterie_go_round() -> None:
    found = thaw(
        freeze({"tile": functools.partial(dense, 3), "kind": Euclidean, "plain": (1, None, "x")})
    )
    assert found["tile"].func is dense
    assert found["tile"].args == (3,)
    assert found["kind"] is Euclidean
    assert found["plain"] == (1, None, "x")


@pytest.mark.parametrize(
    "foreign", [json.loads, functools.partial(print), lambda x: x, object(), pytest.approx]
)
def test_what_is_not_of_coterie_is_not_stored(foreign) -> None:
    with pytest.raises(StoreError, match="only coterie's own parts can"):
        freeze({"a": [foreign]})


@pytest.mark.parametrize(
    "tree",
    [
        {"~name": "os:system"},
        {"~object": "subprocess:Popen", "state": {}},
        {"~partial": [{"~name": "builtins:eval"}, ["1"], {}]},
        {"~name": "coterie_evil.x:y"},
        [{"~object": "pathlib:Path", "state": {}}],
    ],
)
def test_what_names_something_foreign_is_refused(tree) -> None:
    with pytest.raises(StoreError, match="is not a part of coterie; it is not loaded"):
        thaw(tree)


@pytest.mark.parametrize(
    "name",
    [
        "coterie.run.store:os.system",
        "coterie.run.atomic:os.remove",
        "coterie.run.store:shutil.rmtree",
        "coterie.catalog:importlib.import_module",
        "coterie.cli.main:sys.exit",
        "coterie.run.store:__builtins__",
        "coterie.core.table:np",
        "coterie.parts.pairwise:np.load",
        "coterie.parts.pairwise:workplace.__globals__",
        "coterie.run.atomic:write_bytes",
        "coterie.show.markup:put",
    ],
)
@pytest.mark.parametrize("form", ["~name", "~object", "~partial"])
def test_nothing_foreign_is_reached_through_a_module_of_coterie(name: str, form: str) -> None:
    tree = {
        "~name": {"~name": name},
        "~object": {"~object": name, "state": {}},
        "~partial": {"~partial": [{"~name": name}, [], {}]},
    }[form]
    with pytest.raises(StoreError):
        thaw(tree)


def test_a_name_this_version_does_not_have() -> None:
    with pytest.raises(
        StoreError, match=r"needs coterie\.compare\.vectors\.Canberra, which this version"
    ):
        thaw({"~name": "coterie.compare.vectors:Canberra"})


def test_a_tampered_model_in_the_store_is_refused(tmp_path) -> None:
    found = coterie.explore(sample("blobs", 40), store=tmp_path / "s", k=2, nulls=0)
    file = found.run.path / "models" / "walk" / "model.json"
    text = file.read_text()
    assert "coterie.compare.vectors:Euclidean" in text
    file.write_text(text.replace("coterie.compare.vectors:Euclidean", "subprocess:Popen"))
    with pytest.raises(StoreError, match="subprocess"):
        load(store=tmp_path / "s")
