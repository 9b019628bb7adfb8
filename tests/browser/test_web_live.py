"""Live progress in a real browser: two tabs follow one run, one of them pauses it, the other lets it go on to its end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from coterie import Store
from tests.planning import plan
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
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with playwright.sync_playwright() as session:
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield running
        running.close()


def until(page, true: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait for something; the page's policy forbids what playwright would do in it."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what
        page.wait_for_timeout(50)


def test_two_tabs_follow_one_run_through_pause_and_resume(browser, tmp_path: Path) -> None:
    run = plan("sample:mail", store=Store(tmp_path), name="slow", nulls=60, max_k=10)
    troubles: list[str] = []
    with server(tmp_path) as address:
        context = browser.new_context(reduced_motion="reduce")
        one = context.new_page()
        other = context.new_page()
        for tab in (one, other):
            tab.on("pageerror", lambda error: troubles.append(str(error)))
            tab.on(
                "console", lambda said: troubles.append(said.text) if said.type == "error" else None
            )
            tab.goto(f"{address}/runs/{run.name}")

        def stands(tab) -> str:
            return tab.get_attribute("#live", "data-state") or ""

        assert stands(one) == stands(other) == "new"
        one.click("#resume")
        for tab in (one, other):
            until(tab, lambda tab=tab: stands(tab) == "working", "both tabs see it begin")
            until(
                tab,
                lambda tab=tab: tab.locator('#steps progress[aria-label="Explore"]').count() > 0,
                "both see its steps",
            )
        until(
            one,
            lambda: len(Store(tmp_path).open(run.name).pieces()) > 0,
            "something is finished before the pause",
        )
        one.click("#pause")
        for tab in (one, other):
            until(tab, lambda tab=tab: stands(tab) == "paused", "both tabs see it paused")
            assert tab.inner_text("#headline") == "Paused"
        assert Store(tmp_path).open(run.name).status == "stopped"
        kept = len(Store(tmp_path).open(run.name).pieces())
        assert kept > 0, "what was finished is kept"
        other.click("#resume")
        for tab in (one, other):
            until(
                tab,
                lambda tab=tab: tab.locator("#overview").count() == 1,
                "both tabs see what was found",
                90,
            )
            assert "groups" in tab.inner_text(".verdict")
        context.close()
    assert not troubles
