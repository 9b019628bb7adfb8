"""The stories run on generated data and write what they promise; their pages and the guide show what was written, and no more."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from coterie_papers.experiments import MODULES
from tests.architecture.pages import DOCS, EXAMPLES, ROOT
from tests.architecture.test_examples import limited

STORIES = EXAMPLES / "stories"
PAGES = DOCS / "stories"
# What each story draws.
NAMES = {
    "mail": {"map.svg", "lists.svg"},
    "spoken_words": {"map.svg", "matrix.png", "sure.svg"},
    "machines": {"map.svg", "first.svg", "traces.svg"},
    "two_languages": {"map.svg", "mates.png"},
    "captioned_pictures": {"map.svg", "colours.svg"},
}
LARGEST = 150_000  # bytes of a picture of a page
SECONDS = (
    240  # of one story in its small form, which takes a few; a busy machine makes many of them
)
MARKED = re.compile(r"<!-- from the (?:script: [\w-]+|tool) -->.*?<!-- end -->", flags=re.DOTALL)


def loaded(path: Path, name: str) -> ModuleType:
    """A script as a module, without running it."""
    loader = SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


STORY = loaded(STORIES / "story.py", "coterie_story")
FIGURE = loaded(ROOT / "tools" / "decision-figure", "coterie_decision_figure")


def run(name: str, monkeypatch, *options: str) -> None:
    monkeypatch.syspath_prepend(str(STORIES))
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *options])
    monkeypatch.delitem(sys.modules, "story", raising=False)
    with limited(SECONDS):
        runpy.run_path(str(STORIES / f"{name}.py"), run_name="__main__")


def test_every_story_is_listed():
    assert {path.stem for path in STORIES.glob("*.py")} == {*NAMES, "story"}
    assert {path.stem for path in PAGES.glob("*.md")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_story_runs_on_generated_data(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    page = tmp_path / f"{name}.md"
    page.write_text((PAGES / f"{name}.md").read_text(encoding="utf-8"), encoding="utf-8")
    run(name, monkeypatch, "--small", "--out", "told", "--page", str(page))
    said = capsys.readouterr().out
    assert said.strip().split("\n")[-1] == "Pictures and the report are in told"
    assert "the members are generated" in said
    assert not re.search(r"\bnan\b", said)
    assert {path.name for path in Path("told").iterdir()} - {"runs"} == NAMES[name] | {
        "report.html"
    }
    kept = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert not kept["real"]
    text = page.read_text(encoding="utf-8")
    assert text == STORY.filled((PAGES / f"{name}.md").read_text(encoding="utf-8"), kept["places"])
    for picture in re.findall(r"\]\(([\w-]+\.(?:svg|png))\)", text):
        assert (tmp_path / picture).stat().st_size > 500


def test_small_wins_over_data_that_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    (tmp_path / "libreoffice_help").mkdir()
    run("two_languages", monkeypatch, "--small")
    assert "the members are generated" in capsys.readouterr().out
    assert (tmp_path / "story_two_languages" / "report.html").exists()


def test_data_is_found_by_option_and_by_the_environment(tmp_path, monkeypatch):
    for folder in ("given", "named"):
        (tmp_path / folder / "sequences").mkdir(parents=True)
    (tmp_path / "named" / "europarl7").mkdir()
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path / "named"))
    monkeypatch.setattr(
        sys, "argv", ["a.py", "--data", str(tmp_path / "given"), "--out", str(tmp_path / "out")]
    )
    story = STORY.Story("a", "A story.")
    assert story.data("sequences") == tmp_path / "given" / "sequences"
    assert story.data("europarl7") == tmp_path / "named" / "europarl7"
    assert story.real
    assert story.data("elsewhere") is None
    assert not story.real


@pytest.mark.parametrize("name", NAMES)
class TestPage:
    def test_marked_places_are_those_of_the_real_run(self, name):
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        kept = json.loads((PAGES / f"{name}.json").read_text(encoding="utf-8"))
        assert kept["real"], "the page was made from generated data"
        assert kept["story"] == name
        assert text == STORY.filled(text, kept["places"])
        assert set(kept["places"]) == {found[1] for found in STORY.PLACE.findall(text)}, (
            "a place is not shown"
        )

    def test_no_number_is_typed(self, name):
        assert _typed((PAGES / f"{name}.md").read_text(encoding="utf-8")) == []

    def test_marks_inside_sentences_begin_no_line(
        self, name
    ):  # such a line would not be read as a part of its paragraph
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert not re.search(r"^<!-- from the script: [\w-]+ -->\S", text, flags=re.MULTILINE)

    def test_shows_every_picture_and_none_is_large(self, name):
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert set(re.findall(rf"\]\({name}-([\w.]+)\)", text)) == NAMES[name]
        for picture in NAMES[name]:
            place = PAGES / f"{name}-{picture}"
            assert 500 < place.stat().st_size < LARGEST
            if place.suffix == ".svg":
                assert ElementTree.parse(place).getroot().get("role") == "img"

    def test_page_names_its_script_and_extras(self, name):
        text, script = (
            (folder / f"{name}{end}").read_text(encoding="utf-8")
            for folder, end in ((PAGES, ".md"), (STORIES, ".py"))
        )
        assert f"examples/stories/{name}.py" in text
        said = script.split('"""')[1]
        for extra in re.findall(r"coterie\[(\w+)\]", said):
            assert f"extra `{extra}`" in text
        assert "Needs no extra" in said or "coterie[" in said


def _typed(text: str) -> list[str]:
    """Numbers of a page outside of marked places, code and links."""
    text = re.sub(r"```.*?```", "", MARKED.sub("", text), flags=re.DOTALL)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)
    return re.findall(r"(?<![\w-])\d[\d.,%]*", text)


def test_typed_numbers_are_seen():
    page = "a <!-- from the script: b -->12<!-- end --> c 97% of Flickr8k\n```\n3\n```\n[x](y.md#3) `k=8`"
    assert _typed(page) == ["97%"]


def test_a_place_that_the_script_does_not_know_is_an_error():
    with pytest.raises(KeyError):
        STORY.filled("<!-- from the script: a -->1<!-- end -->", {"b": "2"})


class TestGuide:
    page = DOCS / "how-to" / "which-method.md"

    def test_figure_and_table_are_what_the_tool_gives(self):
        assert FIGURE.FIGURE.read_text(encoding="utf-8") == FIGURE.drawn()
        assert FIGURE.filled(self.page.read_text(encoding="utf-8")) == self.page.read_text(
            encoding="utf-8"
        )

    def test_figure_is_readable_for_all(self):
        figure = ElementTree.fromstring(FIGURE.drawn())
        title, described = (
            figure.find(f"{{http://www.w3.org/2000/svg}}{name}") for name in ("title", "desc")
        )
        assert title.text == "Which method for my data"
        assert all(kind in described.text for kind in FIGURE.KINDS)
        assert "prefers-color-scheme:dark" in FIGURE.drawn()
        assert all(len(kind) <= 29 for kind in FIGURE.KINDS)  # what fits into a box
        assert all(
            len(told) <= 36 and len(take) <= 30
            for choices in FIGURE.KINDS.values()
            for told, take, _ in choices
        )

    def test_no_number_is_typed(self):
        assert _typed(self.page.read_text(encoding="utf-8")) == []

    def test_links_to_evidence_lead_to_an_experiment(self):
        text = "".join(
            path.read_text(encoding="utf-8") for path in [self.page, *PAGES.glob("*.md")]
        )
        named = set(re.findall(r"evidence\.md#([\w-]+)", text))
        assert len(named) > 25
        assert named <= set(MODULES)
