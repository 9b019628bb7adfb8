"""Docstrings of packages that lie in a folder made for the test, and of the ones that are really here."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from coterie.collect import read_installed
from coterie.collect.docstrings import documented
from coterie.core.errors import DataError, ParameterError

DOC = '''    """Turn the {noun} of {name} by an angle.

    The {noun} is given in degrees and `madeup.{part}.{name}` gives it back in the unit that was asked for, which is
    the one that other people use when they speak of a {noun} and of what can be done to it on a quiet day at home.

    Parameters
    ----------
    angle : float
        How far.

    See Also
    --------
    other_{part} : Does the rest.
    madeup.{part}.far, near

    Examples
    --------
    >>> {name}(1, zanzibar=2)
    """
'''


def source(part: str, noun: str, count: int) -> str:
    lines = ["raise SystemExit('this package must never be imported')\n"]
    for i in range(count):
        name = f"{part}_{i}"
        lines.append(
            f"def {name}(angle, *, unit_{part}=1, **kwargs):\n"
            + DOC.format(name=name, noun=noun, part=part)
        )
    lines.append("def _private(angle):\n" + DOC.format(name="_private", noun=noun, part=part))
    lines.append('def short():\n    """Too short."""\n')
    return "\n".join(lines)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "madeup"
    for part, noun, count in (
        ("_alpha", "wheel", 45),
        ("beta", "sail", 60),
        ("small", "cup", 5),
        ("tests", "test", 99),
    ):
        (package / part).mkdir(parents=True)
        (package / part / "__init__.py").write_text("")
        (package / part / "_impl.py").write_text(source(part.strip("_"), noun, count))
    (package / "__init__.py").write_text("raise SystemExit('never imported')")
    (package / "beta" / "broken.py").write_text('def f(:\n    """' + "x" * 300 + '"""')
    (package / "beta" / "latin.py").write_bytes(
        b'"""caf\xe9 ' + b"x" * 300 + b'"""\ndef f():\n    pass\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_large_modules_are_read_and_small_ones_and_tests_are_not(site: Path) -> None:
    c = read_installed(["madeup"])
    assert "madeup" not in sys.modules
    assert len(c) == 105
    assert c.ids[0] == "madeup._alpha._impl.alpha_0"
    assert sorted(set(c.truth["module"].tolist())) == ["madeup.alpha", "madeup.beta"]
    assert set(c.truth["package"].tolist()) == {"madeup"}
    assert c.notes == ("Docstrings of madeup (version unknown).",)
    assert c.cards["name"][0] == "alpha_0"


def test_prose_has_neither_the_name_nor_the_place_nor_code(site: Path) -> None:
    c = read_installed(["madeup"])
    for name, text in zip(c.cards["name"], c.view("text"), strict=True):
        assert name not in text
        assert "madeup" not in text
        assert "zanzibar" not in text
        assert "other_" not in text
        assert "degrees" in text


def test_links(site: Path) -> None:
    c = read_installed(["madeup"])
    assert list(c.links[("members", "parameters")].cols) == ["angle", "unit_alpha", "unit_beta"]
    assert list(c.links[("members", "see also")].cols) == [
        "far",
        "near",
        "other_alpha",
        "other_beta",
    ]
    assert {"wheel", "sail"} <= set(c.links[("members", "words")].cols)
    assert "the" not in c.links[("members", "words")].cols


def test_the_pick_is_balanced_and_depends_on_the_seed_only(site: Path) -> None:
    c = read_installed(["madeup"], most=60)
    assert len(c) == 60
    assert (c.truth["module"] == "madeup.alpha").sum() == 30
    assert c.ids == read_installed(["madeup"], most=60).ids
    assert c.ids != read_installed(["madeup"], most=60, random_state=1).ids
    assert len(read_installed(["madeup"], most=1)) == 1


def test_at_most_150_of_a_module(site: Path) -> None:
    (site / "madeup" / "beta" / "more.py").write_text(source("more", "rope", 200))
    c = read_installed(["madeup"])
    assert (c.truth["module"] == "madeup.beta").sum() == 150


def test_sentences_for_what_cannot_be(site: Path) -> None:
    (site / "tiny.py").write_text(source("tiny", "cup", 3))
    for packages, words in (
        (["no_such_package_here"], "not installed"),
        (["a.b"], "not installed"),
        (["tiny"], "name larger packages"),
    ):
        with pytest.raises(DataError, match=words):
            read_installed(packages)
    with pytest.raises(ParameterError, match="most"):
        read_installed(["madeup"], most=0)
    with pytest.raises(ParameterError, match="put it in a list"):
        read_installed("madeup")


def test_one_real_package_with_its_version() -> None:
    start = time.process_time()
    c = read_installed(["numpy"])
    assert time.process_time() - start < 10
    assert len(c) >= 200
    assert "numpy.lib" in set(c.truth["module"].tolist())
    import numpy as np

    assert np.__version__ in c.notes[0]


def test_the_standard_library_by_its_name() -> None:
    found = read_installed(["python"])
    assert all(module.startswith("python.") for module in found.truth["module"])
    assert sys.version.split()[0] in found.notes[0]


def test_classes_conditions_and_doubles() -> None:
    doc = '"""' + "A long sentence about things. " * 10 + '"""'
    text = f"""
if True:
    class Box(object):
        {doc}
        def __init__(self, width, *sizes, depth=1, _secret=2):
            pass
else:
    class Box:
        {doc}
try:
    async def later(when, /, *, how):
        {doc}
except ImportError:
    pass
class _Hidden:
    {doc}
"""
    found = documented(text)
    assert [(item.name, item.parameters) for item in found] == [
        ("Box", ("width", "depth", "sizes")),
        ("later", ("when", "how")),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def f(:",
        "\0",
        "def f():\n" + '    """' + "x" * 300,
        "(" * 500 + '"""' + "x" * 300 + '"""\ndef f(): 1',
    ],
)
def test_sources_that_cannot_be_parsed_give_nothing(text: str) -> None:
    assert documented(text) == []
