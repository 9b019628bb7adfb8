"""Members in lists in a real browser: pictures load, one recording plays at a time, Enter moves, and axe has nothing to say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from coterie.run.steering import Steering
from tests.web.serving import server
from tests.web.test_faces import filled

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
    "--no-first-run",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faces") / "store"
    filled(folder)
    return folder


@pytest.fixture(scope="module")
def place(store: Path) -> Iterator[tuple[Any, str]]:
    with server(store) as address, playwright.sync_playwright() as session:
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield running, address
        running.close()


@pytest.fixture
def page(place: tuple[Any, str]) -> Iterator[Any]:
    context = place[0].new_context(
        viewport={"width": 1280, "height": 900}, reduced_motion="reduce", bypass_csp=True
    )
    found = context.new_page()
    troubles = list[str]()
    found.set_default_timeout(15_000)
    found.on(
        "console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None
    )
    found.on("pageerror", lambda e: troubles.append(str(e)))
    yield found
    assert troubles == []
    context.close()


def shut_out(page: Any) -> list[str]:
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['target']}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_pictures_load_and_one_recording_plays_at_a_time(page: Any, place: tuple[Any, str]) -> None:
    address = place[1]
    page.goto(f"{address}/runs/seen-1/steer")
    page.locator("#board img.face").first.wait_for()
    page.wait_for_function(
        "[...document.querySelectorAll('#board img.face')].some((one) => one.naturalWidth === 8)"
    )
    assert shut_out(page) == []
    page.goto(f"{address}/runs/heard-1/groups/1")
    first, second = (
        page.get_by_role("button", name=f"Play m0{at}", exact=True).first for at in (0, 1)
    )
    first.click()
    page.locator('[data-sound$="/0/0.wav"][aria-pressed="true"]').first.wait_for()
    second.click()
    assert second.get_attribute("aria-pressed") == "true"
    assert first.get_attribute("aria-pressed") == "false"
    second.click()
    page.wait_for_function("!document.querySelector('[aria-pressed=true][data-sound]')")
    assert shut_out(page) == []
    page.goto(f"{address}/runs/heard-1/steer")
    member = page.locator("#board [data-at]").first
    member.focus()
    page.keyboard.press("p")
    page.locator("#board .play.on").wait_for()
    page.locator("#board .play").nth(1).click()  # plays another, and chooses nobody
    assert page.locator("#board .play.on").count() == 1
    assert page.locator('#board [aria-selected="true"]').count() == 0
    assert "plays" in page.locator(".keys-line").inner_text()
    assert shut_out(page) == []


def test_enter_moves_names_are_said_and_the_page_follows_a_rename(
    page: Any, place: tuple[Any, str], store: Path
) -> None:
    address = place[1]
    page.goto(f"{address}/runs/mail-1/steer")
    member = page.locator('#board [data-at="3"]')
    member.wait_for()
    assert page.locator("#undo").get_attribute("title") == "Nothing was changed yet"
    assert page.locator("#begin").get_attribute("title").startswith("Change something")
    assert "Subject 3" in member.inner_text()
    member.focus()
    page.keyboard.press("m")
    page.locator("dialog select").wait_for()
    assert page.locator("dialog h2").inner_text() == "Move “Subject 3”"
    assert (
        page.locator("[data-do=together]").get_attribute("title").startswith("Choose exactly two")
    )
    page.locator("dialog select").press("Enter")
    page.locator(".toast", has_text="Moved").wait_for()
    assert Steering("mail-1", store=store).labels[3] == 1
    page.locator("#begin:not([disabled])").wait_for()
    assert page.locator("#begin").get_attribute("title") == ""
    page.goto(f"{address}/runs/seen-1/groups")
    assert page.locator("#since").inner_text().startswith("As the run found them")
    page.get_by_role("button", name="Rename group 1").click()
    page.fill("dialog input", "dogs")
    page.keyboard.press("Enter")
    page.locator(".toast", has_text="Called group 1").wait_for()
    assert page.locator("#since").inner_text().startswith("One edit by hand since the run")
    page.get_by_role("button", name="Merge group 1").click()
    assert "“dogs” is gone then" in page.locator("dialog .said").inner_text()
    assert shut_out(page) == []
