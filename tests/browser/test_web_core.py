"""The page Core in a browser: a core is asked for, its edge moves under the slider and the keyboard, and its words follow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from coterie import explore

CHROMIUM = os.environ.get("COTERIE_CHROMIUM", "/usr/bin/chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
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
CORE = ["kettle", "leaf", "cup", "brew", "pot", "steep", "oolong", "mint"]
OTHER = [
    f"{one}{two}"
    for one in ("ba", "ko", "mi", "ru", "ze")
    for two in ("lan", "por", "tik", "vum", "sed", "gra", "nol", "fis")
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from tests.web.serving import server

    folder = tmp_path_factory.mktemp("core") / "store"
    texts = [" ".join(CORE[(i + at) % 8] for at in range(6)) for i in range(12)]
    texts += [" ".join(OTHER[(7 * i + 3 * at * at) % 40] for at in range(6)) for i in range(28)]
    explore(
        [f"<script>document.title = 'broken'</script> {texts[0]}", *texts[1:]],
        store=folder,
        name="pile",
        k=2,
        nulls=0,
    )
    with server(folder) as found:
        yield found


def test_the_edge_moves_without_work(address: str) -> None:
    with playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        troubles: list[str] = []
        page.on(
            "console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda e: troubles.append(str(e)))
        page.goto(f"{address}/runs/pile-1/core")
        page.locator(".empty", has_text="Not looked for").wait_for()
        page.select_option("#background", "uniform")
        page.click("#find")
        page.locator("#slider").wait_for()
        page.locator(".c-words .chip").first.wait_for()
        page.locator("#slider").focus()
        page.keyboard.press("Home")
        page.locator("output", has_text="1 of 40 members").wait_for()
        for _ in range(11):
            page.keyboard.press("ArrowRight")
        page.locator("output", has_text="12 of 40 members").wait_for()
        page.locator(".c-edges section", has_text="The first outside").locator(
            ".marks", has_text="number 13"
        ).wait_for()
        page.locator(".c-words[aria-busy]").wait_for(state="detached")
        told = page.locator(".c-words .chip").evaluate_all("all => all.map(one => one.textContent)")
        assert set(told) & set(CORE)
        page.reload()  # the core is kept: nothing is asked for again
        page.select_option("#background", "uniform")
        page.locator("#slider").wait_for()
        with page.expect_download() as file:
            page.get_by_role("link", name="Download as CSV").click()
        assert Path(file.value.path()).read_text(encoding="utf-8").startswith("id,rank,core,score")
        page.get_by_role("button", name="Make it a group").click()
        page.get_by_label("Name").fill("tea time")
        page.locator("dialog button.main").click()
        page.wait_for_url("**/groups/*")
        assert "tea time" in page.inner_text("h1")
        assert troubles == []
        assert page.title() != "broken"
        browser.close()
