"""New runs: the form, what is wrong at which field, runs that are laid down, and runs made again with changes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from coterie import explore
from coterie.run.engine import kept_hints
from coterie.run.looking import look
from coterie.run.planned import walk_run
from tests.web.serving import Visitor

KINDS = (
    "an iron tool of the smith with a long handle",
    "a red vessel of fired clay found near the river",
)
ROWS = "id,title,answer\n" + "".join(f"m{i},{KINDS[i % 2]} {i},{'ab'[i % 2]}\n" for i in range(24))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "store"
    explore(
        [[float(i % 3), i / 9] for i in range(30)],
        store=folder,
        name="numbers",
        k=3,
        nulls=0,
        organize="MCL(inflation=3.0)",
        hints={"labels": {"0": "zero", "1": "one"}},
    )
    return folder


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


@pytest.fixture
def museum(visitor: Visitor, store: Path) -> str:
    """A collection that was sent and looked at; nobody begins to work on runs."""
    visitor.app.app.state.desk.jobs.at_once = 0  # type: ignore[attr-defined]
    name = str(visitor.change("/api/collections", {"name": "museum <b>"}).json()["id"])
    visitor.put(
        f"/api/uploads/{name}/files?path=museum.csv",
        content=ROWS.encode(),
        headers={"x-csrf-token": visitor.token()},
    )
    look(store, name)
    return name


def problems(visitor: Visitor, **body: Any) -> dict[str, str]:
    answer = visitor.change("/api/choices/check", body)
    assert answer.status_code == 200, answer.text
    return {one["field"]: one["sentence"] for one in answer.json()["problems"]}


def test_the_form_has_every_choice_and_the_columns_that_were_found(
    visitor: Visitor, museum: str
) -> None:
    page = visitor.get(f"/new?collection={museum}").text
    for name in ("k", "seed", "segment", "pieces", "window", "max_k", "nulls"):
        assert f'id="choices-{name}"' in page, name
    assert "Views to group by" in page
    assert '<option value="MCL"' in page
    assert '<option value="Core"' not in page
    assert 'value="answer"' in page
    assert "museum &lt;b&gt;" in page
    assert "museum <b>" not in page
    part = visitor.get("/new/method?room=organize&name=MCL").text
    assert 'data-name="inflation"' in part
    assert "Seldom changed" in part
    assert "<html" not in part
    assert visitor.get("/new/method?room=organize&name=Nope").status_code == 422
    assert visitor.get("/new/method?room=nowhere&name=MCL").status_code == 422
    assert "Which collection?" in visitor.get("/new").text
    assert (
        visitor.get("/new?collection=nothing").status_code
        == 404
        == visitor.get("/new?run=nothing-1").status_code
    )


def test_what_is_wrong_is_said_at_its_field(visitor: Visitor, museum: str) -> None:
    found = problems(
        visitor,
        collection=museum,
        name="no blanks",
        choices={"k": "none", "nulls": 5000},
        organize={"method": "MCL", "params": {"inflation": 0.5}},
        compare={"method": "Nope"},
        reading={"kind": "songs", "text": "nothing", "truth": ["nobody"]},
        hints={"labels": "a,b,c\n1,2,3\n"},
    )
    assert set(found) == {
        "name",
        "choices.k",
        "choices.nulls",
        "organize.inflation",
        "compare",
        "reading.kind",
        "reading.text",
        "reading.truth",
        "hints.labels",
    }
    assert all(sentence.endswith(".") and "tmp" not in sentence for sentence in found.values())
    assert problems(visitor, collection=museum, choices={"pieces": "3"}).keys() == {
        "choices.pieces"
    }
    assert problems(
        visitor, collection=museum, organize={"method": "Density"}, hints={"labels": "m0,a\nm1,b\n"}
    ).keys() == {"organize"}
    assert (
        problems(visitor, collection=museum, choices={"k": 2}, reading={"truth": ["answer"]}) == {}
    )
    refused = visitor.change("/api/runs", {"collection": museum, "choices": {"k": "0"}})
    assert refused.status_code == 422
    assert refused.json()["detail"] == "Number of groups must be at least 1, and was 0."
    assert len(visitor.store.runs()) == 1


def test_a_run_is_laid_down_walked_and_named_after_its_collection(
    visitor: Visitor, museum: str
) -> None:
    answer = visitor.change(
        "/api/runs",
        {
            "collection": museum,
            "choices": {"k": "2", "nulls": 0, "view": "", "segment": False},
            "reading": {"truth": ["answer"], "id": "id"},
            "hints": {"labels": "member,label\nm0,iron\nm1,clay\n"},
            "organize": {"method": "Spectral", "params": {"variant": "ncut"}},
        },
    )
    assert answer.status_code == 201
    assert answer.json()["address"] == f"/runs/{answer.json()['name']}"
    run = visitor.store.open(answer.json()["name"])
    assert run.record().title == "museum <b>"
    assert run.name == "museum-b-1"
    job = visitor.app.app.state.desk.job(run)  # type: ignore[attr-defined]
    assert job is not None
    assert job.going
    found = walk_run(run)
    assert run.status == "done"
    assert run.request.choices.organize == "Spectral(variant='ncut')"
    assert {group.name for group in found.findings.groups} == {"iron", "clay"}
    assert "answer" in found.collection.truth


def test_the_command_makes_the_run_again(visitor: Visitor, museum: str) -> None:
    body = {
        "collection": museum,
        "name": "mine",
        "choices": {"k": 2},
        "compare": {"method": "Minkowski", "params": {"p": "1.5"}},
        "reading": {"truth": ["answer"]},
    }
    run = visitor.store.open(visitor.change("/api/runs", body).json()["name"])
    command = run.request.command
    assert command.startswith("coterie explore ")
    assert "--truth answer" in command
    assert "'Minkowski(p=1.5)'" in command
    assert "--k 2" in command
    assert run.name == "mine-1"
    assert run.record().title == "mine"


def test_a_run_is_made_again_with_changes_also_when_its_source_is_gone(
    visitor: Visitor, museum: str
) -> None:
    page = visitor.get("/new?run=numbers-1").text
    assert "Run again with changes" in page
    assert "the members that the run kept are taken" in page
    assert '<option value="MCL" selected>' in page
    assert 'id="organize-inflation" value="3"' in page
    answer = visitor.change("/api/runs", {"run": "numbers-1", "choices": {"k": 2, "nulls": 0}})
    assert answer.status_code == 201, answer.text
    found = walk_run(visitor.store.open(answer.json()["name"]))
    assert answer.json()["name"] == "numbers-2"
    assert len(found.findings.groups) == 2


def test_what_was_said_in_a_run_is_kept_when_it_is_made_again(
    visitor: Visitor, museum: str, store: Path
) -> None:
    many = {
        "labels": {str(i): f"a label of many letters {i % 3}" * 60 for i in range(300)},
        "together": [["0", "3"]],
    }
    run = explore(
        [[float(i % 3), i / 9] for i in range(300)],
        store=store,
        name="said",
        k=3,
        nulls=0,
        hints={**many, "scheme": "constrained", "label_weight": 0.5, "pair_weight": 2.0},
    ).run
    assert run is not None
    page = visitor.get(f"/new?run={run.name}").text
    assert "Keep what was said in said-1: 300 labels and 1 pair" in page
    assert '<option value="constrained" selected>' in page
    assert "a label of many letters" not in page
    body: dict[str, Any] = {
        "run": run.name,
        "choices": {"k": 3, "nulls": 0},
        "hints": {"keep": True},
    }
    made = visitor.store.open(visitor.change("/api/runs", body).json()["name"])
    assert kept_hints(made) == {**(kept_hints(run) or {}), "apart": []}
    walk_run(made)
    assert kept_hints(made) == kept_hints(run)
    body["hints"] |= {
        "labels": "member,label\n0,other\n1,else\n",
        "apart": "a,b\n1,2\n",
        "scheme": "intrinsic",
    }
    made = visitor.store.open(visitor.change("/api/runs", body).json()["name"])
    said = kept_hints(made) or {}
    assert len(said["labels"]) == 300
    assert said["labels"]["0"] == "other"
    assert said["apart"] == [["1", "2"]]
    assert said["scheme"] == "intrinsic"
    assert "label_weight" not in said
    assert problems(visitor, **{**body, "organize": {"method": "Density"}}).keys() == {"organize"}
    body["hints"] = {}
    assert kept_hints(visitor.store.open(visitor.change("/api/runs", body).json()["name"])) is None
    assert "Keep what was said" not in visitor.get(f"/new?collection={museum}").text


def test_members_that_a_run_kept_are_not_copied_in_the_request(
    visitor: Visitor, museum: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as there:
        there.setattr(
            "coterie.run.stored.Run.collection", lambda self: pytest.fail("the members were read")
        )
        name = visitor.change(
            "/api/runs", {"run": "numbers-1", "choices": {"k": 2, "nulls": 0}}
        ).json()["name"]
    run = visitor.store.open(name)
    assert not run.has_collection
    assert len(walk_run(run).labels) == 30


def test_methods_are_told_to_scripts(visitor: Visitor) -> None:
    names = {one["name"] for one in visitor.get("/api/methods?room=organize").json()}
    assert "Spectral" in names
    assert "Cosine" not in names
    found = visitor.get("/api/methods/MCL").json()
    assert (
        found["fields"][0] | {"name": "inflation", "kind": "number", "default": "2"}
        == found["fields"][0]
    )
    assert visitor.get("/api/methods/Core").status_code == 404


ODD: list[Any] = [
    {},
    {"collection": "../x"},
    {"run": "../../x"},
    {"collection": "x" * 81},
    {"collection": 3},
    {"collection": "m", "choices": {"k": [1]}},
    {"run": "numbers-1", "name": "../x"},
    {"run": "numbers-1", "choices": {"k": 10**400}},
    {"run": "numbers-1", "choices": {"k": 1e308}},
    {"run": "numbers-1", "choices": {"k": True}},
    {"run": "numbers-1", "hints": {"labels": "\ud800,b"}},
    {"run": "numbers-1", "hints": {"labels": "\0"}},
    {"run": "numbers-1", "organize": {"method": "\0"}},
    {"run": "numbers-1", "hints": {"labels": "a,b\nc,d\n", "scheme": "odd"}},
]


def test_odd_requests_are_refused_and_make_nothing(visitor: Visitor) -> None:
    headers = {"x-csrf-token": visitor.token(), "content-type": "application/json"}
    before = len(visitor.store.runs())
    for body in ODD:
        sent = json.dumps(body)
        assert 400 <= visitor.post("/api/runs", content=sent, headers=headers).status_code < 500, (
            body
        )
        assert (
            visitor.post("/api/choices/check", content=sent, headers=headers).status_code < 500
        ), body
    assert len(visitor.store.runs()) == before


def test_more_groups_than_members_is_said_at_the_field(visitor: Visitor) -> None:
    assert problems(visitor, run="numbers-1", choices={"k": 31}) == {
        "choices.k": "There are only 30 members."
    }
    assert problems(visitor, run="numbers-1", choices={"k": 30}) == {}


def test_languages_are_all_chosen_at_first_and_other_views_one_by_one() -> None:
    from coterie.web.newrun import _views

    long = {"modality": "text", "what": "texts of 9 words on average"}
    texts = [{"name": name, **long} for name in ("de", "en", "fr")]
    mixed = [
        {"name": "text", **long},
        {"name": "columns", "modality": "table", "what": "rows of 3 numbers"},
    ]
    assert [on for _, _, on in _views(texts, {})] == [True, True, True]
    assert [on for _, _, on in _views(texts, {"views": ["de", "fr"]})] == [True, False, True]
    assert [on for _, _, on in _views(texts, {"view": "en"})] == [False, True, False]
    assert [on for _, _, on in _views(mixed, {})] == [True, False]
    assert [on for _, _, on in _views(mixed, {"views": "all"})] == [True, True]


def test_a_collection_that_cannot_be_read_is_listed_as_such(visitor: Visitor, store: Path) -> None:
    name = str(visitor.change("/api/collections", {"name": "broken"}).json()["id"])
    (store / "uploads" / name / "look.json").write_text(
        json.dumps({"problem": "There is nothing to read."})
    )
    page = visitor.get("/new")
    assert page.status_code == 200
    assert "cannot be read" in page.text
