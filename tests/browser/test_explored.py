"""The report of a real exploration in a real browser: no console error, no request but the file, the map answers."""

from __future__ import annotations

import pytest

from coterie import explore
from tests.browser.test_report import Visit, browser, pytestmark  # noqa: F401


@pytest.mark.parametrize(
    "source", ["sample:topics", "sample:traces", "sample:mixed", "sample:uniform"]
)
def test_a_stored_run_opens_and_answers(source, browser, tmp_path):  # noqa: F811
    found = explore(source, store=tmp_path / "runs", nulls=2, max_k=9)
    path = found.run.path / "report.html"
    visit = Visit(browser, path)
    visit.find_a_point()
    visit.page.mouse.down()
    visit.page.mouse.up()
    assert "Nearest members" in visit.text("#card")
    assert (
        "No group structure was found" in visit.text("body")
    ) is not found.findings.evidence.structured
    assert visit.troubles == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [path.as_uri()]
    visit.context.close()
