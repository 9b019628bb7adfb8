"""Search, mates and compare in a real browser: asked without leaving the page, waited for, by mouse and by keyboard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from coterie import explore
from tests.browser.test_report import ARGS

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = os.environ.get("COTERIE_CHROMIUM", "/usr/bin/chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium on this machine"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    from tests.web.serving import server

    store = tmp_path_factory.mktemp("web") / "store"
    explore(
        "sample:letters_in_two_languages", store=store, name="letters", views="all", nulls=0, k=6
    )
    explore(
        "sample:letters_in_two_languages", store=store, name="letters", views="all", nulls=0, k=4
    )
    with server(store) as found:
        yield found


@pytest.fixture
def page(address: str) -> Iterator:
    with playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        one = browser.new_context(
            viewport={"width": 1200, "height": 900}, reduced_motion="reduce"
        ).new_page()
        one.troubles = []
        one.on(
            "console",
            lambda m: one.troubles.append(m.text) if m.type in ("error", "warning") else None,
        )
        one.on("pageerror", lambda e: one.troubles.append(str(e)))
        yield one
        assert one.troubles == []
        browser.close()


def test_search_marks_narrows_and_shows_more_like_one(page, address: str):
    page.goto(f"{address}/runs/letters-1/search")
    page.evaluate("window.stayed = true")
    page.keyboard.type("klubuke vasteima")  # the field has the focus
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits mark")
    assert page.evaluate(
        "document.activeElement.matches('#found h2')"
    )  # what was found is read out and reached at once
    assert "q=klubuke+vasteima" in page.url
    everybody = page.inner_text("#found h2")
    page.check("input[value=lsa]")
    page.wait_for_selector(".pager:has-text('LSA')")
    page.click(".chips a.chip >> nth=1")
    page.wait_for_selector(".chips a[aria-current=true]:has(svg)")
    page.click("text=More like this >> nth=0")
    page.wait_for_selector("text=% alike")
    page.click("text=Back to what was found")
    page.wait_for_selector(".hits mark")
    assert everybody == page.inner_text("#found h2")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.evaluate("window.stayed") is True


def test_mates_of_any_member_and_back(page, address: str):
    page.goto(f"{address}/runs/letters-1/mates")
    page.wait_for_selector("text=How well it works")
    page.click("#any")
    page.wait_for_selector(".mates-list li.itself")
    member = page.input_value("#member")
    assert member in page.inner_text("#found h2")
    page.click("text=And back >> nth=0")
    page.wait_for_selector("#found h2:has-text('in north')")
    assert page.input_value("select[name=source]") == "south"  # the form follows
    page.click("#turn")
    page.wait_for_selector("#found h2:has-text('in south')")
    page.check("#by-text")
    assert not page.is_visible("#member")
    page.fill("#text", "zzzz qqqq")
    page.click(".for-text button")
    page.wait_for_selector("text=No mate was found")
    page.check("#by-member")
    page.fill("#member", "a few words")
    page.evaluate("document.querySelector('#text').value = ''")
    page.check("#by-text")
    assert page.input_value("#text") == "a few words"  # what was typed goes along


def test_compare_leads_from_a_band_to_its_members(page, address: str):
    page.goto(f"{address}/compare")
    page.click("text=letters-1 and letters-2")
    page.wait_for_selector(".flow-wide .band.moves")
    page.focus(".flow-wide a:has(.band.moves)")
    words = page.get_attribute(".flow-wide a:has(.band.moves)", "aria-label")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Members that went this way")
    assert words.split()[0].lower() in (
        page.inner_text("#moved h2 .n"),
        _word(page.inner_text("#moved h2 .n")),
    )
    page.select_option("form.filter select[name=to]", "")
    page.wait_for_selector("#moved h2:has-text('Members that moved')")
    page.click("#turn")
    page.wait_for_url("**/compare?first=letters-2&second=letters-1")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.is_visible(".flow-narrow svg")
    assert not page.is_visible(".flow-wide svg")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _word(number: str) -> str:
    from coterie.show.markup import count

    return count(int(number.replace(",", "")))
