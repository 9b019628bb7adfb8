"""The report in a real browser: no request, no console error, and everything a hand can do with it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coterie import show
from coterie.core.findings import Grid, Strips
from coterie.core.partition import Segmentation
from tests.show import made

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("reports")


class Visit:
    """An open report, with everything that went wrong and everything that was asked of the network."""

    def __init__(self, browser, path: Path, **options) -> None:
        self.context = browser.new_context(
            **({"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options)
        )
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page.on(
            "console",
            lambda m: self.troubles.append(m.text) if m.type in ("error", "warning") else None,
        )
        self.page.on("pageerror", lambda e: self.troubles.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("#list .row")

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def settle(self) -> None:
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def until(self, condition: str) -> None:
        """Wait for a condition; the page's own policy forbids what playwright would do in it."""
        deadline = time.monotonic() + 10
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, condition
            self.page.wait_for_timeout(20)

    def find_a_point(self) -> None:
        """Move over the map until a member is named."""
        self.page.evaluate("document.getElementById('map').scrollIntoView()")
        box = self.page.locator("#over").bounding_box()
        for fx in range(4, 97, 3):
            for fy in (30, 38, 46, 54, 62, 70):
                self.page.mouse.move(
                    box["x"] + box["width"] * fx / 100, box["y"] + box["height"] * fy / 100
                )
                if self.page.locator("#tip").is_visible():
                    return
        raise AssertionError("no member was found on the map")


@pytest.fixture
def five(browser, folder) -> Iterator[Visit]:
    path = folder / "five.html"
    if not path.exists():
        show.write(made.findings(), path)
    visit = Visit(browser, path)
    yield visit
    assert visit.troubles == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [path.as_uri()]
    visit.context.close()


def test_pointing_names_a_member_and_choosing_opens_its_card(five):
    five.find_a_point()
    tip = five.text("#tip")
    name = re.search(r"letter-\d+\.eml", tip)[0]
    assert "confidence" in tip
    assert five.text("#card") == ""
    five.page.mouse.down()
    five.page.mouse.up()
    card = five.text("#card")
    assert card.startswith(name)
    for word in ("About the", "year", "from", "Nearest members"):
        assert word in card
    other = five.page.locator("#card .near").first
    expected = other.locator(".name").inner_text()
    other.click()
    assert five.text("#card").startswith(expected)
    five.page.keyboard.press("Escape")
    assert five.text("#card") == ""


def test_lines_to_the_nearest_members_are_drawn(five):
    drawn = "document.getElementById('over').toDataURL().length"
    for at in range(5):  # letters away, so that only rings and lines are left
        five.page.locator("#legend button").nth(at).click()
    five.settle()
    empty = five.page.evaluate(drawn)
    five.page.click("#all")
    five.page.locator("#list .row").first.click()
    five.settle()
    assert five.page.evaluate(drawn) > empty + 300


def test_search_filters_as_one_types(five):
    five.page.keyboard.press("/")
    assert five.page.evaluate("document.activeElement.id") == "search"
    five.page.keyboard.type("SOURDOUGH crust")
    five.until(
        "[...document.querySelectorAll('#list .row')].every((row) => row.textContent.includes('crust'))"
    )
    rows = five.page.locator("#list .row .line").all_inner_texts()
    assert rows
    assert all("sourdough" in row and "crust" in row for row in rows)
    five.page.keyboard.press("Enter")
    assert "sourdough" in five.text("#card")
    five.page.keyboard.press("Escape")
    five.until("document.getElementById('count').textContent === '300 members'")
    five.page.fill("#search", "nobody writes this")
    five.page.wait_for_selector("#list .empty")


def test_keys_walk_through_a_group(five):
    five.page.keyboard.press("j")
    first = five.text("#card")
    five.page.keyboard.press("j")
    second = five.text("#card")
    assert first != second
    assert "A Road and rail" in first
    assert "A Road and rail" in second
    five.page.keyboard.press("k")
    assert five.text("#card") == first
    five.page.keyboard.press("k")
    assert "A Road and rail" in five.text("#card")
    five.page.focus("#over")
    five.page.keyboard.press("ArrowRight")
    assert "B Harvest" in five.text("#card")


def test_legend_filters_and_colours_change(five):
    button = five.page.locator("#legend button").nth(1)
    size = int(button.locator(".n").inner_text())
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert five.text("#count").startswith(str(300 - size))
    five.page.click("#all")
    assert five.text("#count") == "300 members"
    five.page.select_option("#color", label="has attachment")
    assert five.page.locator("#legend button .name").all_inner_texts() == ["no", "yes"]
    five.page.select_option("#color", label="Confidence")
    assert five.page.locator("#legend .ramp").count() == 1
    options = five.page.locator("#color option").all_inner_texts()
    assert "year" in options
    assert "from" not in options  # it has too many values to be a colour


def test_groups_lead_to_the_map(five):
    link = five.page.locator("#group-2 .people a").first
    name = link.locator(".who").inner_text()
    link.click()
    assert five.text("#card").startswith(name)
    five.page.locator("#group-3 .to-map").click()
    assert five.page.locator("#legend button[aria-pressed=true]").count() == 1
    assert five.text("#count").startswith("59 of")


def test_matrix_names_the_pair(five):
    five.page.evaluate("document.getElementById('matrix').scrollIntoView()")
    box = five.page.locator("#heat").bounding_box()
    five.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.9)
    pair = five.text("#pair")
    assert len(re.findall(r"letter-\d+\.eml", pair)) == 2
    assert "In different groups." in pair
    assert re.match(r"0\.\d\d", pair)


def test_a_click_on_the_matrix_chooses_the_row_that_was_pointed_at(five):
    five.page.evaluate("document.getElementById('matrix').scrollIntoView()")
    for share in (0.2, 0.3019, 0.4137, 0.5243, 0.6361, 0.7477, 0.8331, 0.9113):
        box = five.page.locator("#heat").bounding_box()
        five.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * share)
        row = five.page.locator("#pair b").first.inner_text()
        five.page.mouse.down()
        five.page.mouse.up()
        assert five.text("#card").startswith(row)
        five.page.evaluate("document.getElementById('matrix').scrollIntoView()")


def test_keys_move_through_the_matrix(five):
    five.page.focus("#heat")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        five.page.keyboard.press(key)
    one, two = five.page.locator("#pair b").all_inner_texts()
    assert one != two
    members = five.page.evaluate("""() => {
        const raw = atob(JSON.parse(document.getElementById("data").textContent).matrix.members);
        return [8, 4].map((i) => raw.charCodeAt(i) + 256 * raw.charCodeAt(i + 1));
    }""")
    assert [one, two] == [
        f"letter-{m:05d}.eml" for m in members
    ]  # the third row and the second column
    five.page.keyboard.press("Enter")
    assert five.text("#card").startswith(one)


def test_a_long_legend_is_two_rows_until_it_is_asked_for(browser, folder):
    found = made.findings(400, 24)
    found = replace(
        found,
        cards={
            "truth: topic": [f"topic {g % 13}" for g in found.labels],
            "year": found.cards["year"],
        },
    )
    visit = Visit(browser, show.write(found, folder / "many.html"))
    rows = "new Set([...document.querySelectorAll('#legend button')].filter((b) => !b.hidden).map((b) => b.offsetTop)).size"
    more = visit.page.locator("#legend .more")
    assert visit.page.evaluate(rows) == 2
    assert more.inner_text() == "Show all 24 groups"
    more.focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#legend button[data-key]:visible").count() == 24
    assert more.get_attribute("aria-expanded") == "true"
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate(rows) == 2
    visit.page.select_option("#color", label="truth: topic")
    assert visit.page.locator("#legend button[data-key]").count() == 13
    visit.page.locator("#list .row").first.click()
    assert "truth: topic" in visit.text("#card")
    visit.page.select_option("#color", label="year")
    assert not more.is_visible()
    assert visit.troubles == []
    visit.context.close()


def test_dark_and_light(five):
    paper = "getComputedStyle(document.body).backgroundColor"
    light = five.page.evaluate(paper)
    five.page.click("#theme")
    assert five.page.evaluate(paper) != light
    assert five.text("#theme") == "Light"
    five.page.click("#theme")
    assert five.page.evaluate(paper) == light


def test_copy_button_and_zoom(five):
    five.context.grant_permissions(["clipboard-read", "clipboard-write"])
    five.page.locator("[data-copy]").first.click()
    five.until("document.querySelector('[data-copy]').textContent === 'Copied'")
    before = five.page.evaluate("document.getElementById('points').toDataURL()")
    five.page.click("#zoom-in")
    five.page.wait_for_timeout(300)
    assert five.page.evaluate("document.getElementById('points').toDataURL()") != before
    five.page.click("#zoom-fit")
    five.page.wait_for_timeout(300)
    assert five.page.evaluate("document.getElementById('points').toDataURL()") == before


def test_print_is_a_document_with_still_pictures(five):
    five.page.emulate_media(media="print")
    assert five.page.locator("svg.still-map").is_visible()
    assert five.page.locator("svg.still-matrix").is_visible()
    assert not five.page.locator("#over").is_visible()
    content = five.page.pdf(prefer_css_page_size=True)
    assert content.startswith(b"%PDF")
    assert len(content) > 30_000


def test_without_scripts_there_is_a_picture(browser, folder):
    path = show.write(made.findings(80, 3), folder / "bare.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("svg.still-map").is_visible()
    assert not page.locator("#stage").is_visible()
    context.close()


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_nothing_sticks_out_at_any_width(browser, folder, width):
    path = folder / "hostile.html"
    if not path.exists():
        show.write(made.hostile(), path)
    visit = Visit(browser, path, viewport={"width": width, "height": 800})
    visit.page.locator("#list .row").nth(2).click()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.evaluate("window.owned") is None
    assert visit.page.locator("img, iframe, object").count() == 0
    assert visit.troubles == []
    visit.context.close()


def test_twenty_thousand_members_answer_within_a_second(browser, folder):
    path = show.write(made.findings(20_000, 24), folder / "big.html")
    visit = Visit(browser, path)
    page = visit.page
    spent = page.evaluate("""async () => {
        const begun = performance.now();
        document.querySelector("#list .row").click();
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        return performance.now() - begun;
    }""")
    assert spent < 1000
    assert visit.text("#card").startswith("letter-")
    page.click("#zoom-fit")
    page.wait_for_timeout(400)
    times = []
    for _ in range(3):
        page.click("#zoom-fit")
        page.wait_for_timeout(250)
        times.append(float(page.evaluate("document.getElementById('points').dataset.drawMs")))
    assert min(times) < 100
    visit.find_a_point()
    page.fill("#search", "nebula comet")
    visit.until("document.getElementById('count').textContent.includes('of')")
    assert page.locator("#list .row").count() < 60
    assert visit.troubles == []
    visit.context.close()


def test_without_structure_nothing_speaks_of_groups(browser, folder):
    visit = Visit(
        browser, show.write(made.findings(60, 1, structured=False, cards={}), folder / "plain.html")
    )
    assert not visit.page.locator("#legend").is_visible()
    assert not visit.page.locator("#color").is_visible()
    assert not visit.page.locator("#groups").is_visible()
    assert "%" not in visit.text("#list")
    visit.find_a_point()
    assert "confidence" not in visit.text("#tip")
    visit.page.mouse.down()
    visit.page.mouse.up()
    assert "Nearest members" in visit.text("#card")
    assert "confidence" not in visit.text("#card")
    assert "group" not in visit.text("#card")
    visit.page.keyboard.press("j")
    assert visit.troubles == []
    visit.context.close()


def test_no_structure_and_sequences_open_quietly(browser, folder):
    for name, found in {
        "flat": made.findings(60, 1, structured=False),
        "sequences": made.sequences(),
    }.items():
        visit = Visit(browser, show.write(found, folder / f"{name}.html"), color_scheme="dark")
        assert visit.troubles == []
        visit.context.close()


def moving():
    """A cut recording, state timelines with hundreds of pieces, and grids of 2 to 60 states, some with long names."""
    rng = np.random.default_rng(4)

    def cut(steps: int, n: int, k: int) -> Segmentation:
        inner = np.sort(rng.choice(np.arange(1, steps), n - 1, replace=False))
        return Segmentation(np.concatenate([[0], inner, [steps]]), rng.integers(-1, k, n))

    long = "a recording with a very long name " * 4
    strips = [
        Strips(
            "The recording",
            ("meeting.wav",),
            (cut(18_000, 25, 4),),
            rate=100.0,
            sentence="Four sources take turns.",
        ),
        Strips(
            "States",
            tuple(f"{long}{i}" for i in range(6)),
            tuple(cut(4000, 60 * (i + 1), 20) for i in range(6)),
            rate=50.0,
        ),
        Strips("Steps", (), (cut(90, 7, 3), cut(60, 5, 3))),
    ]
    grids = [
        Grid(f"{k} states", rng.dirichlet(np.ones(k), k), sentence="Mean moves.")
        for k in (2, 8, 8, 8, 40, 60)
    ]
    named = Grid("Named", rng.random((3, 5)), (long, "b", "c"), (long, "v", "w", "x", long))
    return made.findings(60, 3, strips=strips, grids=[*grids, named])


@pytest.fixture(scope="module")
def in_time(folder) -> Path:
    return show.write(moving(), folder / "time.html")


@pytest.mark.parametrize(
    ("width", "scheme"), [(400, "light"), (400, "dark"), (1280, "dark"), (1600, "light")]
)
def test_strips_and_grids_open_quietly_and_fit(browser, in_time, width, scheme):
    visit = Visit(browser, in_time, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert visit.page.locator("#time").is_visible()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.locator("#time svg.strip").count() == 9
    assert visit.page.locator("#time svg.shaded").count() == 7
    inside = """() => {
        const box = (e) => e.getBoundingClientRect();
        return [...document.querySelectorAll("svg.strip-axis")].every((axis) => [...axis.querySelectorAll("text")].every((t) =>
            box(t).width === 0 || (box(t).left >= box(axis).left - 30 && box(t).right <= box(axis).right + 30)));
    }"""
    assert visit.page.evaluate(inside)
    crowded = """() => [...document.querySelectorAll("svg.strip-axis")].filter((axis) => {
        const boxes = [...axis.querySelectorAll("text")].map((t) => t.getBoundingClientRect()).filter((b) => b.width);
        boxes.sort((a, b) => a.left - b.left);
        return boxes.some((b, i) => i && b.left < boxes[i - 1].right + 2);
    }).length"""
    assert visit.page.evaluate(crowded) == 0
    spilling = """() => [...document.querySelectorAll("svg.strip text")].filter((t) => {
        const inner = t.getBoundingClientRect(), outer = t.previousElementSibling.getBoundingClientRect();
        return inner.width && (inner.left < outer.left || inner.right > outer.right);
    }).length"""
    assert visit.page.evaluate(spilling) == 0
    assert visit.troubles == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [in_time.as_uri()]
    visit.context.close()


def test_strips_take_the_colors_of_the_paper(browser, in_time):
    fills = []
    for scheme in ("light", "dark"):
        visit = Visit(browser, in_time, color_scheme=scheme)
        style = "(e) => [getComputedStyle(e).fill, getComputedStyle(e).stroke]"
        fills.append(
            [
                visit.page.locator(css).first.evaluate(style)
                for css in ("svg.strip rect.g0", ".cells rect", ".v-low")
            ]
        )
        visit.context.close()
    for light, dark in zip(*fills, strict=True):
        assert light[0] != dark[0]
        assert "none" not in (light[0], dark[0])
    assert fills[0][0][1] == "rgb(255, 255, 255)"  # pieces are parted by the sheet's own color


def test_pieces_open_in_a_table_and_print(browser, in_time):
    visit = Visit(browser, in_time)
    table = visit.page.locator("table.pieces").first
    assert not table.is_visible()
    visit.page.locator(".listed summary").first.click()
    assert table.is_visible()
    assert table.locator("tbody tr").count() == 25
    assert re.fullmatch(
        r"\d:\d\d\.\d", table.locator("tbody tr").nth(1).locator("td").nth(1).inner_text()
    )
    visit.page.emulate_media(media="print")
    assert visit.page.locator("svg.strip").first.is_visible()
    assert not table.is_visible()
    assert visit.page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    assert visit.troubles == []
    visit.context.close()
