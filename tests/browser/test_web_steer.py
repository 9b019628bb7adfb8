"""Groups and steering in a real browser: rename, merge by drag, move by keyboard, undo, a question answered, a new run begun."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from coterie import explore
from coterie.run.jobs import Jobs
from coterie.run.steering import Steering
from tests.web.serving import server

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
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as session:
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("steer") / "store"
    explore("sample:mail", store=folder, name="mail", nulls=0, k=6)
    return folder


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with server(store) as found:
        yield found


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
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


def column(page: Any, number: int) -> Any:
    return page.locator(f'.column[data-group="{number}"]')


def dragged_to(page: Any, source: Any, target: Any, sentence: str) -> None:
    """Drag until it is said to have worked: a board that follows another change may be drawn anew under the hand."""
    for left in (2, 1, 0):
        page.wait_for_timeout(300)
        source.drag_to(target)
        try:
            page.locator(".toast", has_text=sentence).first.wait_for(timeout=6000)
            return
        except playwright.TimeoutError:
            if not left:
                raise


def said(page: Any, words: str) -> None:
    page.locator(".toast", has_text=words).first.wait_for()


def test_a_group_is_renamed_on_its_page_and_markup_stays_text(page: Any, address: str, store: Path):
    page.goto(f"{address}/runs/mail-1/groups")
    page.get_by_role("button", name="Rename group 1").click()
    page.fill("dialog input", "<script>document.title = 'owned'</script>")
    page.keyboard.press("Enter")
    said(page, "Called group 1")
    assert (
        page.locator("#group-1 .group-name").inner_text()
        == "<script>document.title = 'owned'</script>"
    )
    assert "owned" not in page.title()
    page.locator("#group-1 .group-name").click()
    page.wait_for_url("**/groups/1")
    assert "owned" not in page.title()
    assert page.evaluate("document.querySelectorAll('main script').length") == 0
    boxes = page.locator("#members input")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.click("#chosen [data-do=move]")
    page.select_option("dialog select", "2")
    page.click("dialog button.main")
    said(page, "Moved 2 members into group 2")
    assert len(Steering("mail-1", store=store).edits()) == 2


def test_a_steering_session(page: Any, address: str, store: Path):
    page.goto(f"{address}/runs/mail-1/steer")
    first = column(page, 3).locator("[data-at]").first
    first.wait_for()
    at = int(first.get_attribute("data-at"))
    first.focus()
    page.keyboard.press("m")  # the one that is focused
    page.locator("dialog select").wait_for()
    page.locator("dialog select").press_sequentially("4")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    said(page, "into group 4")
    assert Steering("mail-1", store=store).labels[at] == 3
    page.locator("#board [data-at]:focus").wait_for()  # the keyboard stays where it was
    dragged_to(
        page,
        column(page, 5).locator("header"),
        column(page, 6).locator("header"),
        "United group 5 into group 6",
    )
    column(page, 5).wait_for(state="detached")
    page.click("#undo")
    said(page, "Taken back: United group 5 into group 6")
    column(page, 5).wait_for()
    assert "United group 5 into group 6" in page.locator("#log .back").inner_text()
    assert Steering("mail-1", store=store).state.sizes[5] > 0
    dragged = column(page, 5).locator("[data-at]").first
    mark = int(dragged.get_attribute("data-at"))
    dragged_to(page, dragged, column(page, 6), "” into group 6")
    assert Steering("mail-1", store=store).labels[mark] == 5
    column(page, 5).get_by_role("button", name="Lock").click()
    said(page, "Locked group 5")
    column(page, 5).get_by_role("button", name="Unlock").click()
    said(page, "Unlocked group 5")
    column(page, 5).get_by_role("button", name="Lock").wait_for()
    page.click("#ask")
    answer = page.locator("#question [data-said]")
    answer.first.wait_for()
    answer.first.click()
    said(page, "belong together")
    assert Steering("mail-1", store=store).edits()[-1].name == "asked"
    assert "learns from your" in page.locator("#learned").inner_text()
    page.fill("#called", "mended")
    page.click("#begin")
    page.wait_for_url("**/runs/mended-1")
    jobs = Jobs(store)
    assert jobs.of("walk", "mended-1") is not None
    jobs.stop("walk", "mended-1")
    jobs.kill("walk", "mended-1")


def test_two_visitors_follow_each_other(browser: Any, page: Any, address: str):
    page.goto(f"{address}/runs/mail-1/steer")
    column(page, 2).locator("[data-at]").first.wait_for()
    other = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    other.goto(f"{address}/runs/mail-1/groups")
    other.get_by_role("button", name="Rename group 2").click()
    other.fill("dialog input", "seen by both")
    other.keyboard.press("Enter")
    said(other, "Called group 2")
    said(page, "changed elsewhere")
    assert column(page, 2).locator("h3").inner_text().strip() == "2 seen by both"
    other.context.close()
