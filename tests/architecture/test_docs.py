"""The documentation builds without a warning, and its pages load nothing from a network."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.architecture.pages import DOCS, reading

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytest.importorskip("furo")

LOADS = re.compile(
    r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)\s*=\s*[\"'](?:https?:)?//[^\"']+",
    flags=re.IGNORECASE,
)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("html")
    options = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(place / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(place / "html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-4000:]
    return place / "html"


def test_pages_load_nothing_from_a_network(built):
    for page in built.rglob("*.html"):
        found = LOADS.search(page.read_text(encoding="utf-8"))
        assert found is None, f"{page.name} loads {found.group()}"
    for sheet in built.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), (
            sheet.name
        )


def test_reference_shows_every_first_name(built):
    import coterie

    text = (built / "reference.html").read_text(encoding="utf-8")
    for name in reading.public_names(coterie):
        assert f'id="coterie-{name.lower()}"' in text


def test_formulas_are_mathml(built):
    assert "<math" in (built / "rooms" / "judge.html").read_text(encoding="utf-8")
