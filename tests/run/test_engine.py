"""coterie.explore from Python: everything that can be given, everything that comes out, and runs that stop and go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import coterie
from coterie.collect.samples import sample
from coterie.compare import Divergence
from coterie.core.errors import CoterieError, DataError, Interrupted, ParameterError, StoreError
from coterie.core.workplace import Silent
from coterie.judge import adjusted_rand
from coterie.messages.exploration import summarize
from coterie.run import engine
from coterie.run.engine import load, resume
from coterie.run.store import Store
from coterie.workflows.explore import analyse


def _points() -> tuple[np.ndarray, np.ndarray]:
    collection = sample("blobs", 80)
    return collection.view().values, collection.truth["group"]


GIVEN = {
    "numpy": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "sparse": lambda x: sp.csr_matrix(x),
    "pandas": lambda x: pd.DataFrame(x, columns=list("abcd")),
    "polars": lambda x: pl.DataFrame(x, schema=list("abcd")),
    "rows": lambda x: x.tolist(),
    "table": lambda x: coterie.Table.of(x),
    "collection": lambda x: coterie.read(x),
}


@pytest.mark.parametrize("form", GIVEN)
def test_rows_in_any_form(form: str) -> None:
    points, truth = _points()
    found = coterie.explore(GIVEN[form](points), k=5, nulls=0)
    assert adjusted_rand(found.labels, truth) > 0.95
    assert found.run is None
    assert found.collection.kind == "table"


def test_texts_and_sequences_in_lists() -> None:
    topics = sample("topics", 80)
    traces = sample("traces", 60)
    found = coterie.explore(list(topics.view()), k=8, nulls=0)
    assert found.collection.kind == "text"
    assert adjusted_rand(found.labels, topics.truth["group"]) > 0.8
    moved = coterie.explore(list(traces.view()), k=4, nulls=0)
    assert moved.collection.kind == "sequences"
    assert adjusted_rand(moved.labels, traces.truth["group"]) > 0.8


def test_a_frame_with_a_column_of_truth() -> None:
    points, truth = _points()
    frame = pd.DataFrame(points, columns=list("abcd")).assign(kind=truth)
    found = coterie.explore(frame, truth="kind", k=5, nulls=0)
    assert list(found.collection.truth) == ["kind"]
    assert found.collection.view().names == tuple("abcd")


def test_what_comes_out(tmp_path: Path) -> None:
    found = coterie.explore(_points()[0], k=3, nulls=0)
    assert repr(found) == "Exploration(80 members in 3 groups)"
    assert found.partition.n_groups == 3
    assert found.partition.labels.tolist() == found.labels.tolist()
    page = found.report(tmp_path / "deep" / "page.html")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert found.findings.python.endswith("found.frame()")
    assert found.findings.versions["coterie"] == coterie.__version__


def test_the_python_lines_make_it_again(tmp_path) -> None:
    np.save(tmp_path / "rows.npy", _points()[0])
    found = coterie.explore(tmp_path / "rows.npy", k=3, nulls=0, seed=4)
    scope: dict = {}
    exec(found.findings.python, scope)
    assert scope["found"].labels.tolist() == found.labels.tolist()
    assert scope["found"].findings.map.tobytes() == found.findings.map.tobytes()


@pytest.mark.parametrize("organize", [None, "Medoids", "Density", "Agglomerative", "MCL"])
def test_new_members_are_placed(organize: str | None) -> None:
    points, _ = _points()
    found = coterie.explore(points, k=5, nulls=0, organize=organize)
    close = points[::4] + 1e-3
    placed = found.place(close)
    assert placed.labels.tolist() == found.labels[::4].tolist()
    assert placed.ids[0] == "80"
    far = found.place(np.full((1, 4), 1e3))
    assert far.fits.tolist() == [False]
    assert placed.fits.mean() > 0.9


def test_placing_takes_frames_by_column_name() -> None:
    points, _ = _points()
    frame = pd.DataFrame(points, columns=list("abcd"))
    found = coterie.explore(frame, k=5, nulls=0)
    placed = found.place(frame[list("dbca")].assign(note="x"))
    assert placed.labels.tolist() == found.labels.tolist()
    with pytest.raises(DataError, match="no column 'b'"):
        found.place(frame[["a", "c", "d"]])
    with pytest.raises(DataError, match="All 2 members of 'blobs' are in the run already"):
        small = sample("blobs", 80)
        coterie.explore(small, k=5, nulls=0).place(small.take([0, 1]))


def test_without_structure_new_members_join_the_one_group() -> None:
    found = coterie.explore(sample("one_gaussian", 80).view().values, nulls=2)
    assert len(found.findings.groups) == 1
    assert found.place(np.zeros((2, 4))).labels.tolist() == [0, 0]


def test_using_a_store_keeps_every_exploration(tmp_path) -> None:
    with coterie.using(store=tmp_path / "mine", n_jobs=1):
        found = coterie.explore(_points()[0], k=2, nulls=0)
    assert found.run is not None
    assert Store(tmp_path / "mine").open().name == found.run.name
    assert repr(found).endswith(f"run '{found.run.name}')")
    assert coterie.explore(_points()[0], k=2, nulls=0).run is None


def test_the_guess_is_told_to_the_watcher(tmp_path) -> None:
    class Listening(Silent):
        def __init__(self) -> None:
            self.heard: list[str] = []

        def note(self, sentence: str) -> None:
            self.heard.append(sentence)

    np.save(tmp_path / "rows.npy", _points()[0])
    watch = Listening()
    with coterie.using(watch=watch):
        coterie.explore(tmp_path / "rows.npy", k=2, nulls=0)
    assert "An .npy of rows and columns: read as a table." in watch.heard


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"k": -1}, ParameterError),
        ({"organize": "Nope"}, ParameterError),
        ({"kind": "poem"}, ParameterError),
        ({"name": "a b"}, ParameterError),
        ({"name": "../up"}, ParameterError),
        ({"k": 81}, DataError),
        ({"view": "nope"}, DataError),
        ({"truth": "nope"}, DataError),
    ],
)
def test_wrong_words_are_refused_before_a_run_is_made(words: dict, error: type, tmp_path) -> None:
    with pytest.raises(error):
        coterie.explore(_points()[0], store=tmp_path / "s", **words)
    assert not (tmp_path / "s").exists()


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"explore has no option 'colour'; it has k, seed, .*, truth, "
    ):
        coterie.explore(_points()[0], colour="red")
    with pytest.raises(ParameterError, match=r"explore has no option 'kk'; did you mean k\?"):
        coterie.explore(_points()[0], kk=3)
    with pytest.raises(ParameterError, match=r"using has no option 'njobs'; did you mean n_jobs\?"):
        coterie.using(njobs=2)


def test_what_needs_no_work_is_refused_before_a_run_is_made(tmp_path) -> None:
    small = sample("blobs", 80)
    with pytest.raises(DataError, match="'blobs' has 2 members; grouping needs at least 3"):
        coterie.explore(small.take([0, 1]), store=tmp_path / "s")
    with pytest.raises(DataError, match="has no column of truth 'nope'; it has group"):
        coterie.explore(small, truth="nope", store=tmp_path / "s")
    with (
        coterie.using(memory="1KB"),
        pytest.raises(
            DataError, match=r"Exploring 80 members takes 1\.1 MB and 1\.0 KB are allowed"
        ),
    ):
        coterie.explore(small, store=tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_what_an_exploration_answers() -> None:
    found = coterie.explore(sample("blobs", 80), k=5, nulls=0)
    assert found.sentences() == list(summarize(found.findings))
    near = found.neighbors("blobs-03", most=2)
    assert [row["id"] for row in near] == [
        found.findings.ids[i] for i in found.findings.neighbors[3][:2]
    ]
    assert found.judge().measures["nmi"] == found.judge("group").measures["nmi"] > 0.95
    answers = [g if i else None for i, g in enumerate(found.collection.truth["group"].tolist())]
    assert (found.judge(answers).members, found.judge(answers).unknown) == (79, 1)
    assert "(1 member without an answer left out)" in found.judge(answers).sentence()
    with pytest.raises(DataError, match="There are 3 answers, and 'blobs' has 80 members"):
        found.judge([1, 2, 3])
    with pytest.raises(DataError, match="has the columns of truth group; name one of them"):
        found.judge("colour")


def test_an_empty_id_stays_in_the_python_lines(tmp_path) -> None:
    rows = "\n".join(f"m{i},{a},{b}" for i, (a, b, *_) in enumerate(_points()[0].tolist()))
    (tmp_path / "a.csv").write_text("id,a,b\n" + rows)
    found = coterie.explore(tmp_path / "a.csv", id="", k=3, nulls=0)
    assert ", id=''," in found.findings.python
    assert "text=" not in found.findings.python
    assert found.findings.ids[0] == "0"


def _failing_walk(error: BaseException):
    def fails(collection, settings, hints):
        raise error

    return fails


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Interrupted("Stopped as asked."), "stopped"),
        (KeyboardInterrupt(), "stopped"),
        (DataError("No good."), "failed"),
        (
            ZeroDivisionError("No good."),
            "failed",
        ),  # a fault of ours: the run is not at work for ever
    ],
)
def test_however_it_ends_the_run_says_so_and_goes_on(error, status: str, monkeypatch) -> None:
    monkeypatch.setattr(engine, "analyse", _failing_walk(error))
    with pytest.raises(
        type(error), match="No good" if status == "failed" else "Go on with: coterie resume run-1$"
    ):
        coterie.explore(_points()[0], store=True, name="run", k=3, nulls=0)
    record = Store().open("run-1").record()
    assert record.status == status
    assert record.problem
    with pytest.raises(
        DataError, match=f"The run 'run-1' is {status}; finish it with: coterie resume run-1"
    ):
        load("run-1")
    monkeypatch.setattr(engine, "analyse", analyse)
    found = resume("run-1")
    assert found.labels.tolist() == coterie.explore(_points()[0], k=3, nulls=0).labels.tolist()
    assert Store().open("run-1").record().problem == ""


def test_a_run_that_died_before_its_members_were_kept_reads_them_again(
    tmp_path, monkeypatch
) -> None:
    np.save(tmp_path / "rows.npy", _points()[0])
    monkeypatch.chdir(tmp_path)

    def dies(self, collection):
        raise KeyboardInterrupt

    with monkeypatch.context() as there, pytest.raises(KeyboardInterrupt):
        there.setattr("coterie.run.stored.Run.save_collection", dies)
        coterie.explore("rows.npy", store=True, name="run", k=3, nulls=0)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert (
        resume("run-1").labels.tolist()
        == coterie.explore(tmp_path / "rows.npy", k=3, nulls=0).labels.tolist()
    )
    with monkeypatch.context() as there, pytest.raises(KeyboardInterrupt):
        there.setattr("coterie.run.stored.Run.save_collection", dies)
        coterie.explore(_points()[0], store=True, name="run", k=3, nulls=0)
    with pytest.raises(
        DataError,
        match="The run 'run-2' ended before its members were kept, and they came from memory; delete",
    ):
        resume("run-2")
    assert Store().open("run-2").status == "failed"


def test_finished_pieces_are_not_made_again(monkeypatch) -> None:
    from coterie.workflows import evidence

    made = []
    curve = evidence._curve

    def counted(*args):
        made.append(1)
        if len(made) == 4:
            raise KeyboardInterrupt
        return curve(*args)

    monkeypatch.setattr(evidence, "_curve", counted)
    with coterie.using(n_jobs=1), pytest.raises(KeyboardInterrupt):
        coterie.explore(_points()[0], store=True, name="run", nulls=3, organize="Spectral")
    with coterie.using(n_jobs=1):
        resume("run-1")
    assert len(made) == 4 + 1 + 2, "two of the four nulls were kept"
    assert not list((Store().open("run-1").path / "pieces").glob("*")), (
        "pieces of a finished run stay behind"
    )


def test_resume_and_load_of_what_is_done(tmp_path) -> None:
    found = coterie.explore(_points()[0], store=tmp_path / "s", k=3, nulls=0)
    for again in (resume(store=tmp_path / "s"), load(found.run.name, store=tmp_path / "s")):
        assert again.labels.tobytes() == found.labels.tobytes()
        assert summarize(again.findings) == summarize(found.findings)


def test_every_error_is_a_coterie_error() -> None:
    for bad in (
        np.zeros((4, 0)),
        [],
        object(),
        np.array([["a"], ["b"]], dtype=object)[:0],
        {"a": 1},
        3,
    ):
        with pytest.raises(CoterieError):
            coterie.explore(bad)
    with pytest.raises(StoreError):
        load("nothing")


def test_new_sets_are_read_as_the_fitted_ones_without_a_run(tmp_path) -> None:
    rng = np.random.default_rng(0)
    for name, n in (("old", 20), ("new", 4)):
        sets = [rng.normal(size=(9, 2)) + 8 * (i % 2) for i in range(n)]
        np.savez(tmp_path / f"{name}.npz", values=np.concatenate(sets), lengths=np.full(n, 9))
    found = coterie.explore(tmp_path / "old.npz", kind="sets", compare="MMD", k=2, nulls=0)
    placed = found.place(tmp_path / "new.npz")
    assert placed.labels.tolist() == found.labels[:4].tolist()


def test_a_method_that_cannot_be_written_in_words_is_named() -> None:
    sets = [[[0.0], [1.0]], [[2.0], [3.0]], [[4.0], [5.0]]]
    with pytest.raises(
        ParameterError,
        match=r"compare must be a method that can be written in words.* Divergence\(f=<function",
    ):
        coterie.explore(sets, kind="sets", compare=Divergence(f=lambda t: (t - 1) ** 2))
