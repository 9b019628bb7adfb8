"""What a run may hold: it comes back as it was, by ids that outlive class names, and nothing else is ever loaded."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import coterie
from coterie import Ragged, Table, TaggedText, Text, catalog
from coterie.collect.samples import sample
from coterie.compare.vectors import Euclidean
from coterie.core import findings as results
from coterie.core.errors import DataError, MissingExtra, StoreError, VersionError
from coterie.core.findings import Findings
from coterie.core.pictures import Pictures
from coterie.organize.medoids import Medoids
from coterie.parts.pairwise import dense
from coterie.pipeline import Pipeline
from coterie.run import bundle, storable
from coterie.run.bundle import VersionChange, current_format
from coterie.run.engine import load
from coterie.run.integrity import check
from coterie.run.packing import pack, unpack
from coterie.run.store import Store
from coterie.testing import _fit, _seeded, sample_for
from tests.cli import running

from .examples import same, stored_again

MODEL = Path("models", "walk")
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
    again = stored_again(fitted)
    assert again.predict(rows + 0.01).tolist() == fitted.predict(rows + 0.01).tolist()
    assert [repr(step) for step in again.steps_] == [repr(step) for step in fitted.steps_]


def test_an_object_that_occurs_twice_comes_back_as_one() -> None:
    step = Euclidean()
    rows = (np.arange(3.0), (1, 2))
    found = stored_again({"steps": [step, step], "sides": [rows, rows]})
    assert found["steps"][0] is found["steps"][1]
    assert found["sides"][0] is found["sides"][1]


def test_an_object_that_holds_itself_is_not_stored() -> None:
    step = Medoids()
    step.n_groups = [step]  # type: ignore[assignment]
    with pytest.raises(DataError, match="holds itself"):
        pack(step)


# ---- the registry --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", catalog.ENTRIES, ids=lambda entry: entry.name)
def test_every_method_of_the_catalog_comes_back_fitted(entry: Any) -> None:
    method = entry.load()
    assert storable.Registry().class_id(method) is not None
    estimator = _seeded(method())
    data, truth = sample_for(estimator)
    try:
        _fit(estimator, data, truth)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    again = stored_again(estimator)
    assert sorted(vars(again)) == sorted(
        set(vars(estimator)) - set(getattr(method, "transient", ()))
    )
    first, arrays = pack(estimator)
    second, others = pack(again)
    assert bundle.to_json(first) == bundle.to_json(second)
    for name, array in arrays.items():
        same(array, others[name], name)


@pytest.mark.parametrize(
    "kind",
    [
        Table,
        Text,
        TaggedText,
        Ragged,
        Pictures,
        *(vars(results)[name] for name in ("Findings", "Group", "Evidence", "Overview", "Step")),
    ],
)
def test_every_kind_of_data_and_result_is_registered(kind: type) -> None:
    assert storable.Registry().class_id(kind) is not None


@pytest.mark.parametrize("name", storable.CLASSES)
def test_a_registered_class_is_where_the_registry_says(name: str) -> None:
    found = storable.find_class(name)
    assert f"{found.__module__}:{found.__qualname__}" == storable.CLASSES[name]
    for field in storable.declared_fields(found):
        held = getattr(found, field, None)
        assert not callable(held) or field in vars(found).get("__dataclass_fields__", {}), field


@pytest.mark.parametrize("name", storable.FUNCTIONS)
def test_a_registered_function_is_where_the_registry_says(name: str) -> None:
    found = storable.find_function(name, {})
    assert f"{found.__module__}:{found.__qualname__}" == storable.FUNCTIONS[name]


def test_no_id_is_given_twice_and_no_place_has_two_ids() -> None:
    for table in (storable.CLASSES, storable.FUNCTIONS):
        assert len(set(table.values())) == len(table)


RENAMED = {
    "exploration": "SavedWalk",
    "spectrum": "EigenSpectrum",
    "affinity-lazy": "ComputedLater",
    "euclidean-tile": "squared_tile",
}
OPEN = """
import json, sys
from coterie.run.engine import load
found = load(store=sys.argv[1])
first, last = found.analysis.pipeline.steps_[-3], found.analysis.pipeline.steps_[-1]
things = [type(found.analysis), type(last.spectrum_), type(first.affinity_), first.affinity_.tile]
print(json.dumps({"labels": found.labels.tolist(), "names": [thing.__name__ for thing in things]}))
"""


def test_a_run_written_before_a_class_is_renamed_opens_after_it(tmp_path: Path) -> None:
    fresh = coterie.explore(
        sample("blobs", 50), store=tmp_path / "runs", k=2, nulls=0, organize="Spectral"
    )
    text = (fresh.run.path / MODEL / "model.json").read_text(encoding="utf-8")
    assert "coterie." not in text
    program = Path(coterie.__file__).parents[1]
    shutil.copytree(program / "coterie", tmp_path / "later" / "coterie")
    for name, new in RENAMED.items():
        places = storable.CLASSES if name in storable.CLASSES else storable.FUNCTIONS
        old = places[name].rpartition(":")[2]
        for file in (tmp_path / "later").rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if old in text:
                file.write_text(re.sub(rf"\b{old}\b", new, text), encoding="utf-8")
    opened = subprocess.run(
        [sys.executable, "-c", OPEN, str(tmp_path / "runs")],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "later")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert opened.returncode == 0, opened.stderr
    said = json.loads(opened.stdout)
    assert said["labels"] == fresh.labels.tolist()
    assert said["names"] == ["SavedWalk", "EigenSpectrum", "ComputedLater", "squared_tile"]


def test_an_older_version_of_a_class_is_upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, arrays = pack(Medoids(n_groups=3))
    tree["of"]["how_many"] = tree["of"].pop("n_groups")

    def renamed(fields: dict[str, Any]) -> dict[str, Any]:
        return {"n_groups" if name == "how_many" else name: fields[name] for name in fields}

    monkeypatch.setitem(storable.UPGRADES, "medoids", (renamed,))
    assert unpack(tree, lambda name, mapped: arrays[name]).n_groups == 3
    assert pack(Medoids())[0]["version"] == 2
    monkeypatch.undo()
    with pytest.raises(StoreError, match="is of version 2, and this coterie reads up to 1"):
        storable.build("medoids", 2, {})


@pytest.mark.parametrize(
    "foreign", [json.loads, functools.partial(print), lambda x: x, object(), pytest.approx, Path]
)
def test_what_is_not_registered_is_not_stored(foreign: Any) -> None:
    with pytest.raises(DataError, match="which cannot be kept"):
        pack({"a": [foreign]})


def test_a_field_that_is_not_declared_is_not_lost_silently() -> None:
    step = Medoids()
    step.hidden = 3  # type: ignore[attr-defined]
    with pytest.raises(DataError, match="'hidden', which it does not declare"):
        pack(step)


# ---- what a hostile file cannot do ---------------------------------------------------------------------------------------


def described(name: str, **fields: Any) -> dict[str, Any]:
    return {"$": "object", "class": name, "version": 1, "of": fields}


def writes(path: Path) -> dict[str, Any]:
    """What a hostile model asks for: a function that writes a file, called when new members come."""
    return {
        "$": "function",
        "function": "coterie.organize.comraf.interactive_file:write",
        "of": {"path": str(path), "text": "gone"},
    }


def with_field(tree: Any, name: str, field: str, value: Any) -> Any:
    """The tree with a field put into every object of that id."""
    if isinstance(tree, list):
        return [with_field(item, name, field, value) for item in tree]
    if not isinstance(tree, dict):
        return tree
    found = {key: with_field(item, name, field, value) for key, item in tree.items()}
    if found.get("class") == name and found["$"] == "object":
        found["of"][field] = value
    return found


def replaced(tree: Any, old: str, new: str) -> Any:
    return json.loads(json.dumps(tree).replace(json.dumps(old), json.dumps(new)))


HOSTILE: dict[str, tuple[Callable[[Any, Path], Any], str]] = {
    "a private method put aside by a partial": (
        lambda tree, path: with_field(tree, "terms", "_pairs", writes(path)),
        "names the function 'coterie.organize.comraf.interactive_file:write'",
    ),
    "the partial of older files": (
        lambda tree, path: with_field(
            tree,
            "terms",
            "_pairs",
            {
                "~partial": [
                    {"~name": "coterie.organize.comraf.interactive_file:write"},
                    [],
                    {"path": str(path), "text": "gone"},
                ]
            },
        ),
        "'_pairs' would replace a part of 'terms'",
    ),
    "a shadowed method": (
        lambda tree, path: with_field(tree, "terms", "transform", 3),
        "'transform' would replace a part of 'terms'",
    ),
    "a shadowed property": (
        lambda tree, path: with_field(tree, "spectral", "labels_", 3),
        "'labels_' would replace a part of 'spectral'",
    ),
    "a shadowed class attribute": (
        lambda tree, path: with_field(tree, "terms", "takes", 3),
        "'takes' would replace a part of 'terms'",
    ),
    "a field nobody declares": (
        lambda tree, path: with_field(tree, "terms", "hidden", 3),
        "'hidden' is not a field of 'terms'",
    ),
    "a class by its place": (
        lambda tree, path: replaced(tree, "terms", "coterie.run.store:Store"),
        "names the class 'coterie.run.store:Store'",
    ),
    "a class of Python": (
        lambda tree, path: replaced(tree, "terms", "subprocess:Popen"),
        "names the class 'subprocess:Popen'",
    ),
    "a registered function with foreign arguments": (
        lambda tree, path: with_field(
            tree,
            "terms",
            "min_df",
            {"$": "function", "function": "minkowski-tile", "of": {"file": str(path)}},
        ),
        "has no argument 'file'",
    ),
    "a function where a number belongs": (
        lambda tree, path: with_field(
            tree, "terms", "mean_length_", {"$": "function", "function": "chord-tile", "of": {}}
        ),
        "'mean_length_' of 'terms' is a function and not float",
    ),
    "words where an array belongs": (
        lambda tree, path: with_field(tree, "terms", "idf_", "gone"),
        "'idf_' of 'terms' is a str and not np.ndarray",
    ),
    "a parameter out of its range": (
        lambda tree, path: with_field(tree, "spectral", "n_groups", -5),
        "n_groups must be",
    ),
    "a kind of value that is not known": (
        lambda tree, path: with_field(tree, "terms", "idf_", {"$": "pickle", "of": "gASVJA=="}),
        "the kind 'pickle'",
    ),
    "a sparse class of scipy that is none": (
        lambda tree, path: with_field(
            tree,
            "terms",
            "idf_",
            {"$": "sparse", "class": "save_npz", "shape": [1, 1], "of": ["a", "b", "c"]},
        ),
        "the sparse matrix 'save_npz'",
    ),
    "an array of a huge shape": (
        lambda tree, path: with_field(
            tree, "terms", "idf_", {"$": "objects", "shape": [1 << 40], "of": []}
        ),
        "is given the shape",
    ),
}


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("explored") / "runs"
    coterie.explore(sample("topics", 60), store=store, k=3, nulls=0, organize="Spectral")
    return store


@pytest.fixture
def run(explored: Path, tmp_path: Path) -> Any:
    """A stored run of its own, in `tmp_path / "runs"`."""
    shutil.copytree(explored, tmp_path / "runs")
    return Store(tmp_path / "runs").open()


def rewrite(folder: Path, stem: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Put another JSON in place of a stored one, with a check sum that is right."""
    path = folder / f"{stem}.json"
    head = change(json.loads(path.read_bytes()))
    head.pop("sum", None)
    body = json.dumps(head)[1:].encode()
    path.write_bytes(f'{{"sum": {zlib.crc32(body)},\n'.encode() + body)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(run: Any, words: str, folder: Path, where: str = "model.json") -> None:
    """The library, `coterie add` and the doctor each say one sentence, and nothing is written."""
    before = files_of(folder)
    with pytest.raises(StoreError) as told:
        load(run.name, store=run.folder.parent)
    assert words in str(told.value)
    assert "\n" not in str(told.value)
    flaws = [flaw for flaw in check(run.folder.parent) if flaw.wrong]
    assert any(words in flaw.what and flaw.where.name == where for flaw in flaws)
    new = folder / "new.txt"
    new.write_text("the river and the boat\n\nthe song and the choir\n")
    added = running.coterie("add", run.name, new, "--store", run.folder.parent)
    looked = running.coterie("doctor", "--store", run.folder.parent)
    new.unlink()
    assert (added.code, looked.code) == (2, 1)
    assert words in added.err
    assert words in looked.out or words in looked.err
    assert files_of(folder) == before


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_model_is_refused_and_writes_nothing(
    run: Any, attack: str, tmp_path: Path
) -> None:
    change, words = HOSTILE[attack]
    victim = tmp_path / "mine.txt"
    victim.write_text("mine")
    rewrite(
        run.folder / MODEL,
        "model",
        lambda head: {**head, "value": change(head["value"], victim)},
    )
    refused(run, words, tmp_path)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("climb", ["../{}", "{}/x.npy", "..", "/etc/passwd", "../../run.json"])
def test_an_array_outside_its_folder_is_refused(run: Any, climb: str, tmp_path: Path) -> None:
    folder = run.folder / MODEL

    def change(head: dict[str, Any]) -> dict[str, Any]:
        name = next(iter(head["arrays"]))
        head["arrays"][name] = climb.format(head["arrays"][name])
        return head

    rewrite(folder, "model", change)
    refused(run, "lies outside its folder", tmp_path)


def test_an_array_that_is_a_link_is_refused(run: Any, tmp_path: Path) -> None:
    array = next((run.folder / MODEL).glob("*.npy"))
    away = tmp_path / "away.npy"
    array.rename(away)
    array.symlink_to(away)
    refused(run, "lies outside its folder", tmp_path)


def test_a_wrong_check_sum_is_refused(run: Any, tmp_path: Path) -> None:
    path = run.folder / MODEL / "model.json"
    head, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(head.replace(b'"sum": ', b'"sum": 1') + b"\n" + rest)
    refused(run, "is damaged", tmp_path)


def test_a_model_that_is_no_exploration_is_refused(run: Any, tmp_path: Path) -> None:
    bundle.save(run.folder / MODEL, "model", {"plain": 1})
    with pytest.raises(StoreError, match="keeps as its model is damaged"):
        load(run.name, store=run.folder.parent)
    assert any("keeps as its model" in flaw.what for flaw in check(run.folder.parent) if flaw.wrong)


def test_a_tree_as_deep_as_the_stack_is_a_sentence(tmp_path: Path) -> None:
    bundle.save(tmp_path, "x", 1)
    deep = '{"$": "tuple", "of": [' * 5000 + "]}" * 5000
    body = f'"format": {current_format()}, "arrays": {{}}, "sums": {{}}, "value": {deep}}}'
    (tmp_path / "x.json").write_text(f'{{"sum": {zlib.crc32(body.encode())},\n{body}')
    with pytest.raises(StoreError, match=r"not loaded|damaged"):
        bundle.load(tmp_path, "x")


# ---- flipped bits --------------------------------------------------------------------------------------------------------


def flipped(path: Path, at: int = -1) -> None:
    raw = bytearray(path.read_bytes())
    raw[at] ^= 0x40
    path.write_bytes(bytes(raw))


@pytest.mark.parametrize(
    "pattern",
    ["findings/labels*", "findings/neighbors*", "collection/truth*", "models/walk/*indices*"],
)
def test_a_flipped_bit_is_refused(run: Any, pattern: str, tmp_path: Path) -> None:
    flipped(min(run.folder.glob(f"{pattern}.npy")))
    with pytest.raises(StoreError, match="is damaged"):
        load(run.name, store=run.folder.parent)
    assert any("bytes are not those" in flaw.what for flaw in check(run.folder.parent))


def test_a_flipped_bit_in_a_mapped_array_is_refused(tmp_path: Path) -> None:
    view = coterie.core.ragged.Ragged.of([[[1.0, 2.0]], [[3.0, 4.0]]])
    bundle.save(tmp_path, "x", view)
    same(view, bundle.load(tmp_path, "x"))
    flipped(next(tmp_path.glob("values*.npy")))
    with pytest.raises(StoreError, match="is damaged"):
        bundle.load(tmp_path, "x")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("labels", 1 << 40, "names groups that are not there"),
        ("labels", -2, "names groups that are not there"),
        ("neighbors", 60, "names members that are not there"),
        ("neighbors", -2, "names members that are not there"),
        ("matrix_members", 60, "names members that are not there"),
    ],
)
def test_a_number_out_of_range_is_refused_though_its_sum_is_right(
    run: Any, field: str, value: int, words: str
) -> None:
    found = run.findings()
    spoilt = getattr(found, field).copy()
    spoilt.flat[3] = value
    run.save_findings(replace(found, **{field: spoilt}))
    with pytest.raises(StoreError, match=words):
        run.findings()
    assert any(words in flaw.what for flaw in check(run.folder.parent) if flaw.wrong)


@pytest.mark.parametrize("field", ["labels", "confidence", "map", "neighbors", "nearness"])
def test_findings_of_another_length_are_refused(run: Any, field: str) -> None:
    found = run.findings()
    run.save_findings(replace(found, **{field: getattr(found, field)[:-1]}))
    with pytest.raises(StoreError, match=f"'{field}' has 59 rows for 60 members"):
        run.findings()


def sound_findings(run: Any) -> Findings:
    found: Findings = run.findings()
    return found


def test_sound_findings_have_no_problems(run: Any) -> None:
    assert results.problems(sound_findings(run)) == []


SPOILT: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
    "an index beyond the columns": lambda indices, indptr: (
        np.where(indices == 2, 9, indices),
        indptr,
    ),
    "an index below zero": lambda indices, indptr: (np.where(indices == 2, -1, indices), indptr),
    "rows that fall": lambda indices, indptr: (indices, indptr[[0, 2, 1, 3]]),
    "rows that end too late": lambda indices, indptr: (indices, indptr + np.array([0, 0, 0, 9])),
    "rows that begin too late": lambda indices, indptr: (indices, indptr + np.array([1, 0, 0, 0])),
    "a row too few": lambda indices, indptr: (indices, indptr[:-1]),
    "an index too few": lambda indices, indptr: (indices[:-1], indptr),
    "indices that are no whole numbers": lambda indices, indptr: (indices + 0.5, indptr),
}


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("how", SPOILT)
def test_a_sparse_matrix_whose_indices_leave_it_is_refused(how: str, form: str) -> None:
    matrix = sp.eye_array(3, format=form)
    tree, arrays = pack(matrix)
    same(matrix, unpack(tree, lambda name, mapped: arrays[name]))
    data, indices, indptr = tree["of"]
    arrays[indices], arrays[indptr] = SPOILT[how](arrays[indices], arrays[indptr])
    assert data in arrays
    with pytest.raises(StoreError, match="sparse matrix"):
        unpack(tree, lambda name, mapped: arrays[name])


@pytest.mark.parametrize("ends", [[3, 2, 9], [1, 5], [1.0, 2.0], [-1, 9]])
def test_texts_whose_ends_are_wrong_are_refused(ends: list[float]) -> None:
    tree, arrays = pack(["abc"] * 64)
    arrays[tree["ends"]] = np.array(ends)
    with pytest.raises(StoreError, match="ends of its texts"):
        unpack(tree, lambda name, mapped: arrays[name])


@pytest.mark.parametrize(
    "shape", [(1 << 40,), (-3,), (3, 1 << 62), (0, 1 << 62), (7,)], ids=lambda shape: str(shape)
)
@pytest.mark.parametrize("mapped", [False, True])
def test_an_array_larger_than_its_file_is_refused(
    shape: tuple[int, ...], mapped: bool, tmp_path: Path
) -> None:
    from io import BytesIO

    from numpy.lib import format as npy

    raw = BytesIO()
    npy.write_array_header_1_0(raw, {"descr": "<f8", "fortran_order": False, "shape": shape})
    path = tmp_path / "a.npy"
    path.write_bytes(raw.getvalue() + bytes(8 * 3))
    with pytest.raises(StoreError, match="is damaged"):
        bundle.read_array(path, zlib.crc32(path.read_bytes()), mapped=mapped)


# ---- formats and versions ------------------------------------------------------------------------------------------------


def of_format(folder: Path, number: int) -> None:
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": number}))


@pytest.mark.parametrize("part", ["run", "model"])
@pytest.mark.parametrize(("number", "words"), [(99, "reads up to"), (1, "reads from")])
def test_a_run_of_another_format_is_refused(run: Any, part: str, number: int, words: str) -> None:
    if part == "run":
        of_format(run.folder, number)
    else:
        rewrite(run.folder / MODEL, "model", lambda head: {**head, "format": number})
    with pytest.raises(VersionError, match=f"is of format {number}, and this coterie {words}"):
        load(run.name, store=run.folder.parent)
    flaws = [flaw for flaw in check(run.folder.parent) if flaw.wrong]
    assert len(flaws) == 1
    assert flaws[0].todo.startswith("Update" if number == 99 else "Explore")


def test_an_older_format_is_brought_up_step_by_step(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(stem: str, said: dict[str, Any]) -> dict[str, Any]:
        return {**said, "note": "first"} if stem == "run" else said

    def second(stem: str, said: dict[str, Any]) -> dict[str, Any]:
        return {**said, "note": said["note"] + " second"} if stem == "run" else said

    before = load(run.name, store=run.folder.parent)
    written = current_format()
    monkeypatch.setattr(bundle, "MIGRATIONS", [*bundle.MIGRATIONS, first, second])
    assert current_format() == written + 2
    assert run.manifest["note"] == "first second"
    assert run.manifest["format"] == current_format()
    assert load(run.name, store=run.folder.parent).labels.tolist() == before.labels.tolist()
    run.save_findings(run.findings())  # written anew, in the new format
    monkeypatch.undo()
    with pytest.raises(VersionError):
        run.findings()


def test_a_run_of_other_libraries_says_so(run: Any) -> None:
    assert run.version_changes == ()
    path = run.folder / "run.json"
    said = json.loads(path.read_text())
    said["versions"] |= {"numpy": "1.3.9", "scipy": said["versions"]["scipy"] + ".post1"}
    path.write_text(json.dumps(said))
    here = bundle.versions()["numpy"]
    assert run.version_changes == (VersionChange("numpy", "1.3.9", here),)
    notes = [flaw for flaw in check(run.folder.parent) if not flaw.wrong]
    assert any("numpy 1.3.9" in flaw.what for flaw in notes)
    assert load(run.name, store=run.folder.parent).labels.tolist()
