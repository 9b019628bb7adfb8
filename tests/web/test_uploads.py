"""Files that are sent: names that may be, limits that hold, and bytes that land below the store or nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from coterie.core.errors import DataError
from coterie.web.uploads import Tally, TooMuch, measured, receive, safe_path

BAD = [
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a/..",
    "a//b",
    "a/",
    "./a",
    "a\\b",
    "..\\x",
    "C:/x",
    "a\0b",
    "a\nb",
    "CON",
    "nul.txt",
    "x/com1.csv",
    "lpt9",
    " a",
    "a ",
    "a.",
    "a/b./c",
    ".part-host-1-x",
    "\ud800",
    "a" * 201,
    "é" * 101,
    "/".join("a" * 21),
    "a/" * 500 + "b",
]


@pytest.mark.parametrize("name", BAD)
def test_a_name_that_may_not_be_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(DataError) as refused:
        safe_path(name)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    "name",
    [
        "a.txt",
        "en/1.txt",
        "Maildir/cur/12:2,S",
        "Grüße/naïve.eml",
        "a b/c (1).csv",
        "conference/nullable.txt",
    ],
)
def test_ordinary_names_pass(name: str) -> None:
    assert "/".join(safe_path(name)) == name


async def _bytes(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def _broken(chunk: bytes) -> AsyncIterator[bytes]:
    yield chunk
    raise ConnectionError("gone")


def _place(tmp_path: Path) -> tuple[Path, Path]:
    files = tmp_path / "files" / "c"
    aside = tmp_path / "arriving"
    files.mkdir(parents=True)
    aside.mkdir()
    return files, aside


def test_a_file_lands_whole_and_is_counted(tmp_path: Path) -> None:
    files, aside = _place(tmp_path)
    tally = Tally(files, 100, 2)
    size = asyncio.run(receive(_bytes(b"one ", b"two"), files, ("en", "1.txt"), tally, aside))
    assert size == 7
    assert (files / "en" / "1.txt").read_bytes() == b"one two"
    assert (tally.files, tally.bytes) == (1, 7) == measured(files)
    asyncio.run(receive(_bytes(b"again"), files, ("en", "1.txt"), tally, aside))
    assert (tally.files, tally.bytes) == (1, 5) == measured(files)
    assert not list(aside.iterdir())


def test_what_is_too_much_or_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    files, aside = _place(tmp_path)
    tally = Tally(files, 10, 1)
    with pytest.raises(TooMuch, match="0 MB"):
        asyncio.run(receive(_bytes(b"x" * 6, b"x" * 6), files, ("big.txt",), tally, aside))
    with pytest.raises(ConnectionError):
        asyncio.run(receive(_broken(b"half"), files, ("half.txt",), tally, aside))
    assert (tally.files, tally.bytes) == (0, 0)
    assert not list(files.iterdir())
    assert not list(aside.iterdir())
    asyncio.run(receive(_bytes(b"x"), files, ("a.txt",), tally, aside))
    with pytest.raises(TooMuch, match="1 files"):
        asyncio.run(receive(_bytes(b"x"), files, ("b.txt",), tally, aside))


def test_a_link_on_the_way_does_not_lead_out(tmp_path: Path) -> None:
    files, aside = _place(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (files / "door").symlink_to(outside)
    with pytest.raises(DataError, match="lead out"):
        asyncio.run(receive(_bytes(b"x"), files, ("door", "x.txt"), Tally(files, 10, 10), aside))
    assert not list(outside.iterdir())


def test_one_name_is_not_a_file_and_a_folder(tmp_path: Path) -> None:
    files, aside = _place(tmp_path)
    tally = Tally(files, 100, 10)
    asyncio.run(receive(_bytes(b"x"), files, ("a",), tally, aside))
    with pytest.raises(DataError, match="both a file and a folder"):
        asyncio.run(receive(_bytes(b"x"), files, ("a", "b"), tally, aside))
    assert tally.files == 1
