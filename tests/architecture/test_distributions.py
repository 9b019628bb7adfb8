"""Two distributions: a user of coterie carries no experiments, and `coterie reproduce` finds them by an entry point."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import click
import pytest

from coterie.cli import main
from coterie.core.errors import MissingExtra
from tests.architecture.pages import PAPERS, ROOT, SOURCE
from tests.cli.running import coterie

NAMES = {"coterie": (ROOT, SOURCE), "coterie-papers": (ROOT / "papers", PAPERS)}


def project(name: str) -> dict:
    folder, _ = NAMES[name]
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_a_wheel_has_the_files_of_its_own_package_and_no_others(name):
    builders = pytest.importorskip("hatchling.builders.wheel")
    folder, package = NAMES[name]
    files = [
        Path(one.distribution_path)
        for one in builders.WheelBuilder(str(folder)).recurse_included_files()
    ]
    assert {path.parts[0] for path in files} == {package.name}
    written = {path.relative_to(package.parent) for path in package.rglob("*.py")}
    assert {path for path in files if path.suffix == ".py"} == written


def test_papers_are_of_the_release_that_they_ask_for():
    ours = project("coterie")["project"]["version"]
    theirs = project("coterie-papers")["project"]
    assert theirs["version"] == ours
    assert theirs["dependencies"] == [f"coterie=={ours}"]


def test_the_entry_point_names_the_command():
    named = project("coterie-papers")["project"]["entry-points"][main.ENTRY_POINTS]
    elsewhere = {name for name, (where, _) in main.COMMANDS.items() if "." not in where}
    assert set(named) == elsewhere
    for name, value in named.items():
        command = metadata.EntryPoint(name, value, main.ENTRY_POINTS).load()
        assert isinstance(command, click.Command)
        assert command.name == name


def test_a_command_is_found_by_the_metadata_of_what_is_installed(tmp_path, monkeypatch):
    """A distribution as pip lays it down: a folder with its metadata beside its code."""
    (tmp_path / "greeting.py").write_text(
        "import click\n\n\n@click.command('greet')\ndef command():\n    click.echo('good day')\n",
        encoding="utf-8",
    )
    info = tmp_path / "coterie_greeting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: coterie-greeting\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        f"[{main.ENTRY_POINTS}]\ngreet = greeting:command\n", encoding="utf-8"
    )
    monkeypatch.setitem(main.COMMANDS, "greet", ("coterie-greeting", "Greet."))
    with pytest.raises(MissingExtra, match="pip install coterie-greeting"):
        main.door.get_command(click.Context(main.door), "greet")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert coterie("greet").out == "good day\n"


@pytest.mark.parametrize("words", [("reproduce",), ("reproduce", "rankings"), ("reproduce", "-h")])
def test_without_papers_one_sentence_says_how_to_install_them(words, monkeypatch):
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())
    said = coterie(*words)
    assert said.code == 2
    assert said.out == ""
    assert said.err == (
        "coterie: `coterie reproduce` comes with coterie-papers, which is not installed; "
        "bring it with: pip install coterie-papers (from a clone: pip install -e papers).\n"
    )
