"""The map in a real browser: 50,000 members drawn, lassoed and colored without a stall; and what a hand can do on it."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra 'web' is not installed")

from coterie import Collection, Store, Text
from tests.show import made
from tests.web.kept import kept
from tests.web.serving import server

CHROMIUM = os.environ.get("COTERIE_CHROMIUM", "/usr/bin/chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium on this machine"),
]
ARGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
MANY = 50_000
STALL = 1500  # ms; far above what is seen, because the machine of a test may be busy


@dataclass
class Place:
    """A server with a large run (many-1) and a small one with texts (few-1)."""

    address: str
    store: Path
    browser: Any

    def open(self, path: str, **options: Any) -> Visit:
        return Visit(self, path, **options)


class Visit:
    """An open map, and everything that went wrong in it."""

    def __init__(self, place: Place, path: str, **options: Any) -> None:
        self.context = place.browser.new_context(
            **({"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options)
        )
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.troubles.append(said.text) if said.type == "error" else None,
        )
        self.page.goto(place.address + path)
        self.page.wait_for_selector("#stage[data-ready]", timeout=30_000)

    def told(self, name: str) -> float:
        return float(self.page.get_attribute("#stage", f"data-{name}") or "nan")

    def until(self, true: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 15
        while not true():
            assert time.monotonic() < deadline, what
            self.page.wait_for_timeout(30)

    def lasso(self, share: float = 0.3) -> None:
        """Draw a circle around the middle of the map."""
        self.page.check('input[value="lasso"]', force=True)
        box = self.page.locator("#over").bounding_box()
        x = box["x"] + box["width"] / 2
        y = box["y"] + box["height"] / 2
        r = share * box["height"]
        self.page.mouse.move(x + r, y)
        self.page.mouse.down()
        for step in range(1, 41):
            self.page.mouse.move(
                x + r * math.cos(step * math.pi / 20), y + r * math.sin(step * math.pi / 20)
            )
        self.page.mouse.up()

    def close(self) -> None:
        assert self.troubles == []
        self.context.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    store = tmp_path_factory.mktemp("maps")
    kept(store, made.findings(MANY, 12), title="many")
    few = made.findings(80, 3)
    texts = Text.of([f"{line} <img src=x onerror=window.owned=1>" for line in few.snippets])
    kept(store, few, Collection(few.ids, {"text": texts}), "few")
    with server(store) as address, playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield Place(address, store, browser)
        browser.close()


def test_fifty_thousand_members_are_drawn_lassoed_and_colored_without_a_stall(
    place: Place, capsys
) -> None:
    visit = place.open("/runs/many-1/map")
    assert (
        visit.page.get_attribute("#stage", "data-painter") == "flat"
    )  # the GL here only pretends, and is passed over
    paint = visit.told("first-paint")
    visit.lasso()
    visit.until(
        lambda: visit.page.locator("#selection ol li").count() > 0, "the selection is listed"
    )
    lasso = visit.told("lasso-ms")
    many = int(re.sub(r"\D", "", visit.page.inner_text("#selection h2")))
    recolor = []
    for value in ("confidence", "column:0", "column:1", "group"):
        visit.page.select_option("#color", value)
        visit.until(lambda: (visit.page.text_content("#now") or "").startswith("Colored by"), value)
        recolor.append(visit.told("recolor-ms"))
        visit.page.evaluate("document.getElementById('now').textContent = ''")
    with capsys.disabled():
        print(
            f"\n  50,000 members: first paint {paint:.0f} ms, lasso {lasso:.0f} ms, recolor {max(recolor):.0f} ms"
        )
    assert paint < 6000
    assert lasso < STALL
    assert max(recolor) < STALL
    inside = circle_of(visit, MANY)
    assert abs(many - inside) <= 0.02 * inside
    visit.close()


def circle_of(visit: Visit, n: int) -> int:
    """How many members stand inside the circle of `lasso`, counted from the places alone."""
    box = visit.page.locator("#over").bounding_box()
    where = made.findings(n, 12).map
    low = where.min(axis=0)
    high = where.max(axis=0)
    scale = min((box["width"] - 88) / (high - low)[0], (box["height"] - 88) / (high - low)[1])
    return int(
        (np.linalg.norm((where - (low + high) / 2) * scale, axis=1) < 0.3 * box["height"]).sum()
    )


def test_both_painters_draw_the_same_picture(place: Place) -> None:
    shots = {}
    for painter in ("flat", "webgl"):
        visit = place.open(f"/runs/few-1/map?painter={painter}")
        if visit.page.get_attribute("#stage", "data-painter") != painter:
            pytest.skip("this browser has no WebGL at all")
        visit.page.wait_for_timeout(200)
        shots[painter] = pixels(visit)
        visit.close()
    colored = {name: (np.ptp(shot, axis=2) > 40) for name, shot in shots.items()}
    both = colored["flat"] & colored["webgl"]
    either = colored["flat"] | colored["webgl"]
    assert colored["flat"].sum() > 500
    assert both.sum() > 0.7 * either.sum()


def pixels(visit: Visit) -> np.ndarray:
    """The map as it is on the screen."""
    image = pytest.importorskip("PIL.Image")
    import io

    return np.asarray(
        image.open(io.BytesIO(visit.page.locator("#stage").screenshot())).convert("RGB")
    ).astype(int)


def test_keys_choose_members_and_neighbors_lead_on(place: Place) -> None:
    visit = place.open("/runs/few-1/map")
    visit.page.focus("#over")
    visit.page.keyboard.press("ArrowRight")
    visit.until(lambda: visit.page.locator("#card h2").count() == 1, "the card is open")
    first = visit.page.inner_text("#card h2")
    assert first in (visit.page.text_content("#now") or "")
    assert "<img" in visit.page.inner_text("#card .excerpt")
    assert visit.page.evaluate("window.owned") is None
    near = visit.page.locator("#card .who-line").first
    name = near.locator(".name").inner_text()
    near.click()
    visit.until(lambda: visit.page.inner_text("#card h2") == name, "the neighbor's card")
    visit.page.focus("#over")
    visit.page.keyboard.press("Space")
    visit.until(
        lambda: "One member selected" in visit.page.inner_text("#selection"), "selected by key"
    )
    visit.page.keyboard.press("Escape")
    assert visit.page.locator("#card").is_hidden()
    visit.page.keyboard.press("Escape")
    assert visit.page.locator("#selection").is_hidden()
    assert visit.page.locator("#keys").is_visible()
    visit.close()


def test_search_lights_members_up_and_the_legend_hides_them(place: Place) -> None:
    visit = place.open("/runs/few-1/map")
    findings = Store(place.store).open("few-1").findings()
    word = findings.snippets[0].split()[2].strip(",")
    visit.page.keyboard.press("/")
    visit.page.keyboard.type(word)
    lines = zip(findings.ids, findings.snippets, *findings.cards.values(), strict=True)
    hits = sum(word in "\n".join(cells) for cells in lines)
    visit.until(lambda: f"{hits} members found" in visit.page.inner_text("#found"), "found")
    visit.page.click("#found button:has-text('Select them')")
    assert visit.page.inner_text("#selection h2") == f"{hits} members selected"
    visit.page.focus("#search")
    visit.page.keyboard.press("Escape")
    visit.until(lambda: visit.page.locator("#found").is_hidden(), "the search is over")
    visit.page.locator("#legend button").first.focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#legend button").first.get_attribute("aria-pressed") == "false"
    assert visit.page.locator("#legend .all").is_visible()
    visit.page.click("#in-view")
    shown = len(findings) - findings.groups[0].size
    assert visit.page.inner_text("#selection h2") == f"{shown} members selected"
    visit.close()


def test_a_selection_becomes_a_group_and_a_file(place: Place) -> None:
    visit = place.open("/runs/few-1/map#members=1,2,3")
    visit.until(
        lambda: "3 members selected" in visit.page.inner_text("#selection"),
        "asked for by the address",
    )
    with visit.page.expect_download() as saved:
        visit.page.click("#selection button:has-text('Download')")
    assert saved.value.suggested_filename == "few-1-selection.csv"
    assert Path(saved.value.path()).read_text().count("\n") == 4
    visit.page.fill("#selection input", "My three")
    visit.page.click("#selection button:has-text('Make them a group')")
    visit.until(
        lambda: "My three" in visit.page.inner_text("#legend"), "the new group is in the legend"
    )
    assert visit.page.locator("#selection").is_hidden()
    visit.close()


def test_the_map_can_be_moved_on_a_small_dark_screen(place: Place) -> None:
    visit = place.open(
        "/runs/few-1/map",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
        has_touch=True,
    )
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    before = pixels(visit)
    visit.page.click("#closer")
    visit.page.wait_for_timeout(150)
    assert (before != pixels(visit)).mean() > 0.005
    assert before.mean() < 80
    visit.close()
