"""Pages on a phone do not reach beyond its edge; a server that is gone is said, and that it is back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from tests.web.serving import filled, server

CHROMIUM = os.environ.get("COTERIE_CHROMIUM", "/usr/bin/chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium on this machine"),
]
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WIDE = 380
PAGES = (
    "/runs",
    "/collections",
    "/docs",
    "/compare",
    "/runs/mixed-1",
    *(
        f"/runs/mixed-1/{page}"
        for page in (
            "map",
            "groups",
            "groups/1",
            "steer",
            "words",
            "core",
            "search",
            "mates",
            "export",
            "members/3",
        )
    ),
)


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with playwright.sync_playwright() as session:
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("small") / "store", ("mixed",))


def test_no_page_is_wider_than_a_phone(browser, store: Path) -> None:
    with server(store) as address:
        page = browser.new_context(viewport={"width": WIDE, "height": 800}).new_page()
        wide = {}
        for path in (*PAGES, "/runs/letters-1", "/runs/letters-1/core", "/runs/letters-1/export"):
            page.goto(f"{address}{path}")
            page.wait_for_timeout(150)
            wide[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: found for path, found in wide.items() if found > WIDE} == {}


def test_a_server_that_is_gone_is_said_until_it_is_back(browser, store: Path) -> None:
    with server(store) as address:
        page = browser.new_context().new_page()
        page.goto(f"{address}/runs/mixed-1")
        page.wait_for_selector("#lost", state="hidden")
        page.wait_for_load_state("networkidle")
        here = page.context
        here.route("**/*", lambda route: route.abort())
        page.set_input_files(
            "#add-files", files=[{"name": "a.csv", "mimeType": "text/csv", "buffer": b"x\n1\n"}]
        )
        page.click("#add button")
        page.wait_for_selector("#lost", state="visible")
        assert page.text_content("#lost") == "The server does not answer; trying again."
        assert page.get_attribute("#lost", "role") == "status"
        page.wait_for_timeout(3500)
        assert page.is_visible("#lost")
        here.unroute("**/*")
        page.wait_for_selector("#lost", state="hidden", timeout=10_000)
