"""The page Words in a browser: a whole session with two edits and an undo, a second tab, and a run of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
TOPICS = {
    "tea": "kettle leaf cup brew pot steep green oolong mint sugar",
    "sea": "wave boat harbor tide sail salt anchor gull reef storm",
    "law": "court judge appeal jury clause statute verdict bail brief oath",
}
NASTY = "<script>document.title = 'broken'</script><img src=x>"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words") / "store"
    texts = [
        " ".join(words.split()[(i * step + at) % 10] for at, step in enumerate((1, 2, 3, 5, 7, 9)))
        for words in TOPICS.values()
        for i in range(24)
    ]
    explore([f"{NASTY} {texts[0]}", *texts[1:]], store=folder, name="month", k=3, nulls=0)
    return folder


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    from tests.web.serving import server

    with server(store) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as session:
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield running
        running.close()


class Tab:
    """A page of the session, with everything that went wrong on it."""

    def __init__(self, browser: Any, address: str) -> None:
        self.page = browser.new_context(
            viewport={"width": 1280, "height": 1000}, reduced_motion="reduce"
        ).new_page()
        self.page.set_default_timeout(60_000)
        self.troubles: list[str] = []
        self.page.on(
            "console",
            lambda m: self.troubles.append(m.text) if m.type in ("error", "warning") else None,
        )
        self.page.on("pageerror", lambda e: self.troubles.append(str(e)))
        self.page.goto(f"{address}/runs/month-1/words")

    def headline(self, words: str) -> None:
        self.page.locator("#headline", has_text=words).wait_for()

    def group(self, number: int) -> Any:
        return self.page.locator(f'.w-group[data-at="{number}"]')

    def words(self, number: int) -> list[str]:
        found: list[str] = (
            self.group(number)
            .locator(".w-word")
            .evaluate_all("all => all.map(one => one.dataset.word)")
        )
        return found

    def has(self, number: int, word: str) -> None:
        self.group(number).locator(f'[data-word="{word}"]').wait_for()

    def press(self, word: str, key: str, within: str = ".w-pool") -> None:
        """Go to a word and press a key on it."""
        self.page.locator(f'{within} [data-word="{word}"]').focus()
        self.page.keyboard.press(key)


def begin(tab: Tab) -> None:
    tab.headline("Which groups")
    tab.page.fill("#k", "3")
    for number, name in enumerate(TOPICS, 1):
        tab.page.fill(f'[data-key="name {number}"]', name)
    tab.page.keyboard.press("Enter")
    tab.headline("What tells")
    tab.page.get_by_role("button", name="Go on").click()
    tab.headline("Name a few")
    tab.page.locator(".w-pool .w-word").first.wait_for()


def seed(tab: Tab) -> None:
    for number, topic in enumerate(TOPICS.values(), 1):
        for word in topic.split()[:3]:
            tab.press(word, str(number))
            tab.has(number, word)


def test_a_whole_session(browser: Any, address: str) -> None:
    tab = Tab(browser, address)
    begin(tab)
    tab.page.fill(".w-pool input[type=search]", "kett")
    tab.page.locator(".w-pool .w-word").nth(1).wait_for(state="detached")
    assert tab.page.locator(".w-pool .w-word").evaluate_all(
        "all => all.map(one => one.dataset.word)"
    ) == ["kettle"]
    tab.page.fill(".w-pool input[type=search]", "")
    tab.page.locator('.w-pool [data-word="wave"]').wait_for()
    seed(tab)
    assert (
        tab.page.evaluate("document.activeElement.dataset.word") == "appeal"
    )  # hands stay where they were
    tab.page.locator('.w-group [data-word="kettle"]').click()
    tab.page.locator("#word .places li bdi", has_text="kettle").first.wait_for()
    tab.page.keyboard.press("Escape")
    tab.page.get_by_role("button", name="Cluster the members").click()
    tab.headline("Are these the right words")

    moved, gone = proposed(tab)
    tab.press(gone, "Delete", '.w-group[data-at="1"]')  # the first edit, by keyboard
    tab.page.locator(f'.w-group[data-at="1"] [data-word="{gone}"]').wait_for(state="detached")
    tab.page.locator(f'.w-group [data-word="{moved}"]').drag_to(tab.group(2))  # the second, by drag
    tab.has(2, moved)
    tab.page.reload()  # nothing is lost, and nothing said twice
    tab.headline("Are these the right words")
    tab.has(2, moved)
    tab.page.locator('[data-key="undo"]').click()
    tab.has(1, moved)
    assert gone not in tab.words(1)

    other = Tab(browser, address)  # a second tab on the same session
    other.headline("Are these the right words")
    other.press(moved, "3", '.w-group[data-at="1"]')
    other.has(3, moved)
    tab.has(3, moved)  # the first follows
    tab.page.get_by_role("button", name="Cluster again").click()
    tab.page.locator("#headline", has_text="Clustering").wait_for()
    tab.page.locator("#headline", has_text="Are these").or_(
        tab.page.locator("#headline", has_text="by your words")
    ).wait_for()
    if "Are these" in tab.page.inner_text("#headline"):
        tab.page.get_by_role("button", name="I am done").click()
    tab.headline("3 groups, by your words")
    other.headline("3 groups, by your words")

    tab.page.locator('[data-key="members 1"]').click()
    tab.page.locator(".members li", has_text="kettle").first.wait_for()
    with tab.page.expect_download() as file:
        tab.page.get_by_role("link", name="Groups as CSV").click()
    assert Path(file.value.path()).read_text(encoding="utf-8").startswith("member,group\n")
    tab.page.get_by_role("button", name="Make it a run").click()
    tab.page.wait_for_url("**/runs/month-2")
    assert other.troubles == []
    assert [one for one in tab.troubles if "month-2" not in one] == []
    assert other.page.title() != "broken"


def proposed(tab: Tab) -> tuple[str, str]:
    """Two words of the first group that were proposed."""
    own = [word for word in tab.words(1) if word not in TOPICS["tea"].split()[:3]]
    return own[0], own[1]
