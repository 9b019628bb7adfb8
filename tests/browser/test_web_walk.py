"""A whole walk in a real browser: files are sent, groups found, a server dies on the way, a group gets a name and goes home."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from coterie import Store
from coterie.collect.samples import sample
from coterie.run.jobs import Jobs
from tests.planning import plan
from tests.web.processes import Served, held

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
NAME = 'Tea & <b>"kettles"</b>'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as session:
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield running
        running.close()


class Tab:
    """An open page, with everything that went wrong and every foreign address it asked for."""

    def __init__(self, context: Any, home: str) -> None:
        self.page = context.new_page()
        self.troubles = []
        self.foreign = []
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.troubles.append(said.text) if said.type == "error" else None,
        )
        self.page.on(
            "request",
            lambda sent: (
                None
                if sent.url.startswith((home, "data:", "blob:"))
                else self.foreign.append(sent.url)
            ),
        )

    def until(self, true: Callable[[], Any], what: str, seconds: float = 90) -> None:
        """Wait for something; the page's policy forbids what playwright would do in it."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, (what, self.page.url, self.troubles)
            self.page.wait_for_timeout(60)

    def state(self) -> str:
        """The state the page shows; empty while it is being drawn anew."""
        found = self.page.locator("#live")
        try:
            return (
                (found.first.get_attribute("data-state", timeout=1000) or "")
                if found.count()
                else "done"
            )
        except playwright.Error:
            return ""

    def press(self, button: str, wanted: str) -> None:
        """Press until the page shows what was wanted: a page that follows a server may be drawn anew under the hand."""
        deadline = time.monotonic() + 60
        while self.state() != wanted:
            assert time.monotonic() < deadline, (button, wanted, self.state(), self.troubles)
            try:
                self.page.click(button, timeout=2000)
            except playwright.Error:
                continue
            self.page.wait_for_timeout(500)


@pytest.fixture
def letters(tmp_path: Path) -> list[Path]:
    """Texts as files; one of them is all script."""
    folder = tmp_path / "letters"
    folder.mkdir()
    collection = sample("topics", 60)
    for member, text in zip(collection.ids, collection.view(), strict=True):
        (folder / f"{member}.txt").write_text(
            f"{text} <script>window.owned = 1</script><img src=x onerror=window.owned=1>",
            encoding="utf-8",
        )
    return sorted(folder.iterdir())


def test_files_become_groups_with_names_that_go_home(
    browser: Any, letters: list[Path], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    with Served(store) as served:
        context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
        tab = Tab(context, served.address)
        page = tab.page
        page.goto(served.address)
        assert page.url.endswith("/collections")
        page.set_input_files("#files", letters)
        tab.until(lambda: "/collections/" in page.url, "the collection opens")
        tab.until(lambda: page.locator("#collection[data-state=ready]").count(), "it was looked at")
        assert "60 texts" in page.inner_text("#collection")
        page.click("text=Find groups")
        tab.until(lambda: page.locator("#new-run").count(), "the form opens")
        page.fill("#choices-k, [name=k], #k", "4")
        page.click("#new-run button[type=submit]")
        tab.until(lambda: "/runs/" in page.url, "the run opens")
        name = page.url.rpartition("/")[2].partition("#")[0].partition("?")[0]
        tab.until(lambda: Store(store).open(name).status == "done", "it is done")
        page.click("text=Open the map", timeout=30_000)  # the page says so by itself
        page.wait_for_selector("#stage[data-ready]", timeout=30_000)
        page.goto(f"{served.address}/runs/{name}/groups/1")
        renamed(tab, NAME)
        page.reload()
        assert NAME in page.inner_text("h1")
        page.goto(f"{served.address}/runs/{name}/members/0")
        assert "<script>" in page.inner_text("main")
        page.goto(f"{served.address}/runs/{name}/export")
        with page.expect_download() as kept:
            page.click("#csv")
        with open(kept.value.path(), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 60
        assert {row["group_name"] for row in rows if row["group"] == "0"} == {NAME}
        assert page.evaluate("window.owned") is None
        assert tab.troubles == []
        assert tab.foreign == []
        context.close()


def renamed(tab: Tab, name: str) -> None:
    """Give the open group a name, as a person does."""
    page = tab.page
    page.locator(".acts").get_by_role("button", name="Rename").first.click()
    field = page.locator(
        "dialog[open] input[type=text], .acts input[type=text], h1 input, main input[type=text]:focus"
    ).first
    field.fill(name)
    field.press("Enter")
    tab.until(lambda: name in page.inner_text("h1"), "it has its name")


def test_the_server_dies_in_the_middle_and_two_tabs_go_on(browser: Any, tmp_path: Path) -> None:
    store = tmp_path / "store"
    run = plan("sample:topics", store=Store(store), name="slow", nulls=120, max_k=9)
    with Served(store) as served:
        context = browser.new_context(reduced_motion="reduce")
        one = Tab(context, served.address)
        other = Tab(context, served.address)
        for tab in (one, other):
            tab.page.goto(f"{served.address}/runs/{run.name}")
        one.page.click("#resume")
        for tab in (one, other):
            tab.until(lambda tab=tab: tab.state() == "working", "both see it begin")
        jobs = Jobs(store)
        one.until(lambda: jobs.live(jobs.of("walk", run.name)).get("tasks"), "it works")
        with held(jobs.of("walk", run.name).pid):
            served.kill()
            assert jobs.of("walk", run.name).status == "working"  # without a server
            one.page.wait_for_timeout(500)
            served.start()
            one.until(lambda: one.state() == "working", "it is followed again")
            one.press("#pause", "pausing")
        one.until(lambda: one.state() == "paused", "it pauses")
        other.until(lambda: other.state() == "paused", "both see it paused")
        other.page.click("#resume")
        for tab in (one, other):
            tab.until(lambda tab=tab: tab.state() == "done", "both see it done", 150)
        assert Store(store).open(run.name).status == "done"
        for tab in (one, other):  # what the consoles say of a server that was away is its due
            assert [
                said for said in tab.troubles if "ERR_" not in said and "Failed to load" not in said
            ] == []
            assert tab.foreign == []
        context.close()
