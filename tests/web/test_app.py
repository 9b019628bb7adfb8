"""The application: a start, assets, errors as pages or sentences, and every room with its router."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from coterie.core.errors import DataError, StoreError
from coterie.web.app import ROOMS
from coterie.web.desk import NotThere, NotYet
from tests.web.serving import Visitor

HTML = {"accept": "text/html"}


def test_every_room_is_there(looking: Visitor) -> None:
    for room in ROOMS:
        assert import_module(f"coterie.web.{room}").router.routes, room


def test_the_start_leads_to_runs_or_to_collections(looking: Visitor, tmp_path: Path) -> None:
    assert looking.get("/", follow_redirects=False).headers["location"] == "/runs"
    with Visitor(tmp_path / "empty") as nobody:
        answer = nobody.get("/", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/collections"
        for page in ("/collections", "/runs", "/compare", "/new", "/docs"):
            assert nobody.get(page).status_code == 200, page


def test_assets_are_kept_forever_under_an_address_that_changes(looking: Visitor) -> None:
    text = looking.get("/docs").text
    assets = [part.split('"')[0] for part in text.split('="')[1:] if part.startswith("/static/")]
    assert len(assets) >= 3
    for asset in assets:
        assert len(asset.split("/")) == 4  # a mark of all files stands before the name
        answer = looking.get(asset)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"].startswith(("text/css", "text/javascript"))
    assert (
        looking.get(f"/static/0123456789/{assets[0].rpartition('/')[2]}").headers["cache-control"]
        == "no-cache"
    )  # of another version
    assert looking.get("/favicon.ico").status_code == 204


@pytest.mark.parametrize(
    "name",
    [
        "none.js",
        "web.css.map",
        "app.py",
        "%2e%2e",
        "web.css%00.js",
        "a" * 400 + ".js",
        "base",
        ".js",
        "WEB.CSS",
        "web.css/",
    ],
)
def test_only_our_own_files_are_served(looking: Visitor, name: str) -> None:
    assert looking.get(f"/static/{name}").status_code == 404


def test_what_is_not_there_is_a_page_for_people_and_json_for_scripts(looking: Visitor) -> None:
    page = looking.get("/nowhere", headers=HTML)
    assert (page.status_code, "There is no such page here." in page.text) == (404, True)
    assert "<nav" in page.text
    plain = looking.get("/nowhere", headers={"accept": "*/*"})
    assert plain.text == "There is no such page here."
    assert looking.get("/api/nowhere", headers=HTML).json() == {
        "detail": "There is no such page here."
    }
    assert looking.get("/api/runs/none-1/state").json() == {"detail": "There is no such run here."}


def test_a_browser_that_asks_for_a_run_that_is_not_there_gets_a_page(looking: Visitor) -> None:
    answer = looking.get("/runs/none-1", headers=HTML)
    assert answer.status_code == 404
    assert "There is no such run here." in answer.text


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (NotThere("There is none."), 404, "There is none."),
        (NotYet("It is being made."), 409, "It is being made."),
        (
            DataError("Row 3 of /var/ann/x/y.csv is empty \ud800."),
            422,
            "Row 3 of y.csv is empty ?.",
        ),
        (StoreError("The disk is full."), 507, "The disk is full."),
        (
            ZeroDivisionError("secret"),
            500,
            "Something went wrong that should not have; the terminal of the server has it.",
        ),
    ],
)
def test_errors_are_sentences(store: Path, error: Exception, status: int, sentence: str) -> None:
    if status == 507:
        error.__cause__ = OSError(28, "No space left on device")
    with Visitor(store) as visitor:

        @visitor.app.app.get("/api/broken")
        async def broken() -> None:
            raise error

        answer = visitor.get("/api/broken")
        assert answer.status_code == status
        assert answer.json() == {"detail": sentence}


def test_a_bad_request_names_its_field(visitor: Visitor) -> None:
    answer = visitor.change("/api/collections", {"name": 7})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("name: ")
    answer = visitor.post(
        "/api/collections",
        content=b'{"name": "x", ',
        headers={"x-csrf-token": visitor.token(), "content-type": "application/json"},
    )
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_the_reference_lists_every_call(looking: Visitor) -> None:
    described = looking.get("/openapi.json").json()["paths"]
    text = looking.get("/docs").text
    assert len(described) > 20
    for path in described:
        assert f"<code>{path}</code>" in text


def test_a_run_named_with_script_is_text_everywhere(store: Path) -> None:
    from coterie import Store

    bad = '<script>alert("x")</script>&csrf'
    Store(store).open("topics-1").update(title=bad)
    with Visitor(store) as visitor:
        for path in (
            "/runs",
            "/runs/topics-1",
            "/runs/topics-1/map",
            "/runs/topics-1/groups",
            "/runs/topics-1/export",
            "/compare",
            "/runs/topics-1/core",
        ):
            text = visitor.get(path, headers=HTML).text
            assert "<script>alert" not in text, path
            assert "topics-1" in text, path
