"""The files about the project agree with it: version, licence, citation, checks before a commit, steps of CI."""

from __future__ import annotations

import re
import tomllib

import pytest

import coterie
from tests.architecture.pages import ROOT

yaml = pytest.importorskip("yaml")

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
LOCKED = re.compile(r"[a-z0-9-]+==[\w.+!]+")
HOST = re.compile(r"\w+://|--(?:extra-)?index-url|@ ")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_is_of_this_version_and_names_five_works():
    cited = yaml.safe_load(read("CITATION.cff"))
    assert cited["version"] == coterie.__version__
    assert cited["license"] == "MIT"
    assert len(cited["references"]) == 5
    for work in cited["references"]:
        assert {"type", "title", "authors"} <= set(work)


def test_the_licence_is_in_the_distribution():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert project["version"] == coterie.__version__
    assert project["license-files"] == ["LICENSE"]
    assert "the coterie authors" in read("LICENSE")


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    found = LINK.findall(read(name))
    assert found
    assert not [link for link in found if not (ROOT / link).exists()]


def test_checks_before_a_commit_fetch_nothing():
    repos = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert [one["repo"] for one in repos] == ["local"]
    entries = [hook["entry"] for one in repos for hook in one["hooks"]]
    assert {entry.split()[0] for entry in entries} == {".venv/bin/ruff", ".venv/bin/mypy"}


def test_the_lock_names_versions_and_no_host():
    text = read("constraints.txt")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not LOCKED.fullmatch(line)] == []
    assert not HOST.search(text)
    assert {"numpy", "scikit-learn", "pytest"} <= {line.split("==")[0] for line in lines}


def test_steps_that_contributors_are_told_of_are_targets():
    makefile = read("Makefile")
    told = re.search(r"^    make (format .*?)  ", read("CONTRIBUTING.md"), flags=re.MULTILINE)
    assert told is not None
    steps = told[1].split()
    assert [step for step in steps if not re.search(rf"^{step}:", makefile, re.MULTILINE)] == []
    run = re.search(r"^test:\n((?:\t.*\n)+)", makefile, flags=re.MULTILINE)
    assert run is not None
    assert [step for step in steps if not re.search(rf"\b{step}\b", run[1])] == []
