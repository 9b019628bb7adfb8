"""Every page under the eyes of axe-core, light and dark: no violation that is serious or critical."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from coterie import Store
from tests.planning import plan
from tests.web.serving import filled, server

CHROMIUM = os.environ.get("COTERIE_CHROMIUM", "/usr/bin/chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe_playwright_python is not installed"
)
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
HOUSE = (
    "/collections",
    "/runs",
    "/runs?q=nothing-like-it",
    "/compare",
    "/compare?first=topics-1&second=topics-2",
    "/new",
    "/new?run=topics-1",
    "/docs",
    "/nowhere",
    "/runs/planned-1",
)
OF_TOPICS = (
    "",
    "/map",
    "/groups",
    "/groups/1",
    "/members/0",
    "/steer",
    "/words",
    "/core",
    "/search?q=",
    "/mates",
    "/export",
)
OTHERS = (
    "/runs/mail-1",
    "/runs/mail-1/members/0",
    "/runs/mail-1/groups/1",
    "/runs/mail-1/words",
    "/runs/traces-1/members/0",
    "/runs/traces-1",
    "/runs/traces-1/search",
    "/runs/letters-1/mates",
    "/runs/letters-1/members/0",
    "/runs/mixed-1/members/0",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    store = filled(tmp_path_factory.mktemp("axe") / "store")
    from coterie import explore

    explore("sample:topics", store=store, name="topics", nulls=0, k=4, seed=5)
    plan("sample:topics", store=Store(store), name="planned", k=3)
    with server(store) as address, playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield browser, address
        browser.close()


def looked_at(
    browser: Any, address: str, paths: list[str], scheme: str
) -> tuple[list[str], list[str]]:
    """What axe finds, and what the consoles said."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        color_scheme=scheme,
        reduced_motion="reduce",
        bypass_csp=True,
    )
    page = context.new_page()
    found = []
    troubles = []
    page.on("pageerror", lambda error: troubles.append(f"{page.url}: {error}"))
    for path in paths:
        page.goto(address + path)
        page.wait_for_load_state("load")
        page.wait_for_timeout(150)
        for one in axe.Axe().run(page).response["violations"]:
            if one["impact"] in ("serious", "critical"):
                where = "; ".join(str(node["target"][0]) for node in one["nodes"][:3])
                found.append(
                    f"{path} ({scheme}): {one['id']} at {where}: {one['nodes'][0]['failureSummary'].splitlines()[-1].strip()}"
                )
    context.close()
    return found, troubles


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_shuts_anybody_out(place: tuple[Any, str], scheme: str) -> None:
    paths = [*HOUSE, *(f"/runs/topics-1{part}" for part in OF_TOPICS), *OTHERS]
    found, troubles = looked_at(
        *place,
        paths if scheme == "light" else [*HOUSE[:2], HOUSE[4], HOUSE[6], *paths[10:21]],
        scheme,
    )
    assert not found, "\n".join(found)
    assert troubles == []


def test_axe_finds_what_is_wrong(place: tuple[Any, str]) -> None:
    """The test itself can fail: a picture without words and a button without a name are found."""
    browser, address = place
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(f"{address}/docs")
    page.evaluate(
        """() => { const picture = document.createElement("img"); picture.src = "/favicon.ico";
                   document.querySelector("main").append(document.createElement("button"), picture); }"""
    )
    impacts = {one["id"]: one["impact"] for one in axe.Axe().run(page).response["violations"]}
    assert impacts.get("button-name") == "critical"
    assert impacts.get("image-alt") == "critical"
    context.close()


def test_pages_do_not_scroll_sideways_on_a_small_screen(place: tuple[Any, str]) -> None:
    browser, address = place
    context = browser.new_context(viewport={"width": 380, "height": 740}, reduced_motion="reduce")
    page = context.new_page()
    wide = []
    for path in (*HOUSE, *(f"/runs/topics-1{part}" for part in OF_TOPICS)):
        page.goto(address + path)
        if page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"
        ):
            wide.append(path)
    assert wide == []
    context.close()


def test_every_page_begins_with_a_way_past_the_navigation(place: tuple[Any, str]) -> None:
    browser, address = place
    context = browser.new_context()
    page = context.new_page()
    for path in ("/runs", "/runs/topics-1/groups", "/collections"):
        page.goto(address + path)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
    context.close()
