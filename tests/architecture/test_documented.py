"""Every public name has a docstring and a place in the reference; every method of the catalog has a true line and a page."""

from __future__ import annotations

import importlib
import inspect
import re

import click
import pytest

import coterie
from coterie.catalog import ENTRIES
from coterie.cli.main import COMMANDS, door
from tests.architecture.pages import DOCS, PACKAGES, ROOMS, ROOT, pages, reading
from tests.architecture.shown import command_lines

OF_PAPERS = tuple(
    f"coterie_papers.{name}" for name in ("experiments", "measures", "substitution", "reuters")
)
MODULES = (
    "coterie",
    *(f"coterie.{room}" for room in ROOMS),
    "coterie.organize.retrieval",
    *OF_PAPERS,
)


@pytest.mark.parametrize("module", MODULES)
def test_public_names_have_docstrings(module):
    room = importlib.import_module(module)
    for name in reading.public_names(room):
        try:
            thing = getattr(room, name)
        except ImportError as error:
            pytest.fail(f"{module}.{name} cannot be imported: {error}")
        if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing):
            said = reading.own_doc(thing)
            assert said, f"{module}.{name} has no docstring of its own"
            assert said.split("\n\n")[0].endswith((".", "?", ":")), (
                f"{module}.{name} does not begin with a sentence"
            )


@pytest.mark.parametrize("module", MODULES)
def test_module_is_in_the_reference(module):
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    assert re.search(rf"^```{{coterie-room}} {re.escape(module)}$", text, flags=re.MULTILINE)
    assert reading.own_doc(importlib.import_module(module)), f"{module} does not say what is in it"


def test_reference_names_modules_that_exist():
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    for module in re.findall(r"^```{coterie-room} (\S+)$", text, flags=re.MULTILINE):
        assert reading.public_names(importlib.import_module(module)), module


def test_rooms_list_what_they_have():
    for room in ROOMS[:7]:
        assert reading.public_names(importlib.import_module(f"coterie.{room}")), (
            f"coterie.{room} has no public names"
        )


@pytest.mark.parametrize("room", ROOMS[:7])
def test_room_has_a_page(room):
    assert (DOCS / "rooms" / f"{room}.md").exists()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
class TestCatalog:
    def test_line_is_true(self, entry):
        kind = entry.load()
        taken = " | ".join(one.__name__ for one in (kind.takes, *kind.also))
        assert (taken, kind.gives.__name__) == (entry.takes, entry.gives)
        assert kind.__name__ == entry.name
        assert entry.where.split(".")[1] == entry.room

    def test_sentence_is_the_docstring(self, entry):
        assert reading.own_doc(entry.load()).split("\n")[0] == entry.sentence

    def test_is_a_public_name_of_its_room(self, entry):
        assert entry.name in reading.public_names(importlib.import_module(f"coterie.{entry.room}"))

    def test_has_a_page_with_its_parameters(self, entry):
        page = DOCS / "methods" / f"{entry.name.lower()}.md"
        assert page.exists(), f"there is no {page.relative_to(DOCS)}"
        assert f"{{coterie-params}} {entry.where}" in page.read_text(encoding="utf-8")


def test_every_method_page_is_of_a_method():
    rooms = [
        importlib.import_module(f"coterie.{room}") for room in ("represent", "compare", "organize")
    ]
    known = {name.lower() for room in rooms for name in reading.public_names(room)}
    others = {"sic-corrections", "f-divergences", "interactive", "retriever", "mates"}
    assert {page.stem for page in (DOCS / "methods").glob("*.md")} <= known | others


@pytest.mark.parametrize("name", COMMANDS)
def test_command_and_its_options_have_help(name):
    command = door.get_command(click.Context(door), name)
    assert command is not None
    assert command.help
    assert COMMANDS[name][1].endswith(".")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"coterie {name} {option.opts[0]} has no help"


def test_every_command_file_is_reached():
    written = {
        f"{package.name}.cli.{path.stem}"
        for package in PACKAGES
        for path in (package / "cli").glob("*.py")
        if re.search(r"^def command\(", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    }
    context = click.Context(door)
    reached = {door.get_command(context, name).callback.__module__ for name in COMMANDS}
    assert written == reached


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{target} is not there"


def test_first_names_resolve():
    for name in coterie.__all__:
        assert getattr(coterie, name).__name__ == name


@pytest.mark.parametrize(
    "page", [*pages(), ROOT / "README.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_commands_in_pages_exist_with_their_options(page):
    for words in command_lines(page.read_text(encoding="utf-8")):
        name = words[0]
        given = [word.split("=")[0] for word in words[1:] if word.startswith("--")]
        if name.startswith("-") or name == "COMMAND":
            continue
        assert name in COMMANDS, f"coterie {name} is no command"
        command = door.get_command(click.Context(door), name)
        known = {
            option for one in command.params for option in (*one.opts, *one.secondary_opts)
        } | {"--help"}
        assert set(given) <= known, f"coterie {name} has no {sorted(set(given) - known)}"
