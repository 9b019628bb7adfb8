"""Collections and new runs in a real browser: files are sent, looked at, and a form says at its fields what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.test_report import ARGS, CHROMIUM

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
serving = pytest.importorskip("tests.web.serving", reason="the extra 'web' is not installed")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium on this machine"),
]
KINDS = (
    "a red vessel of fired clay found near the river",
    "an iron tool of the smith with a long handle",
)
ROWS = "id,title,kind\n" + "".join(
    f"m{i},{KINDS[i % 2]} number {i},{'ab'[i % 2]}\n" for i in range(20)
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    with (
        serving.server(tmp_path_factory.mktemp("page") / "store") as address,
        playwright.sync_playwright() as session,
    ):
        running = session.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        found = running.new_context(base_url=address, reduced_motion="reduce").new_page()
        found.troubles = []
        found.on(
            "console",
            lambda m: found.troubles.append(m.text) if m.type in ("error", "warning") else None,
        )
        found.on("pageerror", lambda e: found.troubles.append(str(e)))
        yield found
        running.close()


def test_files_are_sent_looked_at_and_a_run_is_asked_for(page, tmp_path: Path) -> None:
    place = tmp_path / "museum.csv"
    place.write_text(ROWS)
    page.goto("/collections")
    page.set_input_files("#files", str(place))
    page.wait_for_url("**/collections/museum-*", timeout=30_000)
    page.get_by_text("20 texts").wait_for(timeout=30_000)
    page.get_by_role("link", name="Find groups").click()
    page.wait_for_url("**/new?collection=museum-*")

    page.select_option("#organize", "MCL")
    page.get_by_text("Its 7 parameters").click()
    page.fill("#organize-inflation", "99")
    page.fill("#choices-k", "many")
    page.locator("#choices-k").press("Tab")
    page.locator("#choices-k-problem").get_by_text("must be a whole number").wait_for()
    page.get_by_role("button", name="Find the groups").click()
    page.locator("#organize-inflation-problem").get_by_text("above 1 and at most 30").wait_for()
    assert page.locator("#choices-k").evaluate("one => one === document.activeElement"), (
        "the first wrong field is led to"
    )
    assert page.locator("#organize-inflation").get_attribute("aria-invalid") == "true"

    page.fill("#choices-k", "2")
    page.fill("#organize-inflation", "3")
    page.get_by_role("button", name="Find the groups").click()
    page.wait_for_url("**/runs/museum-1", timeout=30_000)
    assert not [trouble for trouble in page.troubles if "404" not in trouble], page.troubles


def test_a_folder_with_an_archive_and_a_hidden_file_leaves_them_out(page, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    for i in range(6):
        (folder / f"{i}.txt").write_text(
            f"letter {i} about {'gardens and seeds' if i % 2 else 'ships and harbors'}"
        )
    (folder / ".hidden").write_text("x")
    (folder / "old.zip").write_bytes(b"PK")
    page.goto("/collections")
    page.set_input_files("#folder", str(folder))
    page.wait_for_url("**/collections/letters-*", timeout=30_000)
    page.get_by_text("6 texts").wait_for(timeout=30_000)
    assert "6" in page.locator(".key-figures").inner_text()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.locator("#sure-yes").click()
    page.wait_for_url("**/collections")
    assert page.get_by_role("link", name="letters").count() == 0


def test_a_path_that_is_not_there_is_said_beside_the_field(page) -> None:
    page.goto("/collections")
    page.fill("#path", "/there/is/nothing")
    page.keyboard.press("Enter")
    page.locator("#path-problem").get_by_text("There is no file or folder").wait_for()
