"""The outside of a page: like the report in head and style, nothing loaded, texts cannot break out, tables scroll."""

from __future__ import annotations

import base64
import hashlib
import re

from coterie.show.shell import scrolled, sheet, shell


def test_the_page_is_styled_like_the_report_and_loads_nothing() -> None:
    page = shell("<t>", "<h>", "<v>", ["<p>"], "<p>body</p>")
    assert all(f"&lt;{part}&gt;" in page for part in "thvp")
    assert 'class="mark"' in page
    assert 'class="verdict"' in page
    assert "--paper: #f7f6f2" in page
    assert "prefers-color-scheme:dark" in page
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    assert digest in page.replace("&#x27;", "'")
    assert "http://" not in page
    assert "<script" not in page


def test_sheets_and_tables() -> None:
    assert sheet("Curves", "said", "") == ""
    assert sheet("A & b", "so", "<p>x</p>", "notes").startswith(
        '<section class="sheet" id="notes">'
    )
    assert "A &amp; b" in sheet("A & b", "", "<p>x</p>")
    table = scrolled("<table></table>", 'the "table"')
    assert 'tabindex="0"' in table
    assert "&quot;table&quot;" in table
