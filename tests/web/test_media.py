"""Sounds, pictures and drawings of members: exact bytes, any part of them, and nothing else than what the store holds."""

from __future__ import annotations

import io
import wave
import xml.etree.ElementTree as tree
import zlib
from collections.abc import Iterator

import numpy as np
import pytest

from coterie import Collection, Ragged, Text
from coterie.core.pictures import Pictures
from coterie.web.media import HEADER
from coterie.web.portraits import is_heard
from tests.web.kept import around, kept
from tests.web.serving import Visitor

RATE = 8000.0
WAVES = [np.sin(np.arange(900 + 37 * i) * 0.05 * (i + 1))[:, None] for i in range(4)]
IMAGES = [
    np.random.default_rng(i).integers(0, 256, (9, 12 + i, 3)).astype(np.uint8) for i in range(4)
]


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("media")
    flat = Ragged.of(WAVES)
    sound = Ragged(flat.values, flat.offsets, True, ("amplitude",), RATE)
    ids = [f"call {i}.wav" for i in range(4)]
    both = Collection(
        ids, {"sound": sound, "picture": Pictures.of(IMAGES), "note": Text.of(["a"] * 4)}
    )
    kept(folder, around(both), both, "media")
    with Visitor(folder) as visitor:
        yield visitor


def test_a_sound_is_a_wav_file_of_its_samples(heard: Visitor) -> None:
    answer = heard.get("/media/media-1/2/0.wav")
    assert answer.headers["content-type"] == "audio/wav"
    assert answer.headers["accept-ranges"] == "bytes"
    with wave.open(io.BytesIO(answer.content)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 8000)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    assert np.array_equal(samples, np.rint(np.clip(WAVES[2][:, 0], -1, 1) * 32767))
    assert (
        len(answer.content) == HEADER + 2 * len(WAVES[2]) == int(answer.headers["content-length"])
    )


@pytest.mark.parametrize(
    "part", ["0-", "0-0", "10-99", "43-44", "44-45", "45-45", "101-304", "-7", "500-999999", "1-1"]
)
def test_any_part_of_it_can_be_asked_for(heard: Visitor, part: str) -> None:
    whole = heard.get("/media/media-1/1/0.wav").content
    answer = heard.get("/media/media-1/1/0.wav", headers={"range": f"bytes={part}"})
    first, last = part.split("-")
    expected = (
        whole[-int(last) :]
        if not first
        else whole[int(first) : int(last) + 1]
        if last
        else whole[int(first) :]
    )
    assert answer.status_code == 206
    assert answer.content == expected
    begin = len(whole) - int(last) if not first else int(first)
    assert (
        answer.headers["content-range"] == f"bytes {begin}-{begin + len(expected) - 1}/{len(whole)}"
    )


@pytest.mark.parametrize(
    ("part", "status"),
    [
        ("bytes=999999-", 416),
        ("bytes=5-2", 416),
        ("bytes=-0", 416),
        ("bytes=-", 200),
        ("lines=1-2", 200),
        ("bytes=0-1,5-6", 200),
        ("bytes=" + "9" * 40 + "-", 200),
        ("", 200),
        ("bytes=a-b", 200),
    ],
)
def test_parts_that_are_not_there_are_refused_and_odd_ones_get_the_whole(
    heard: Visitor, part: str, status: int
) -> None:
    assert heard.get("/media/media-1/0/0.wav", headers={"range": part}).status_code == status


def test_a_picture_has_its_own_pixels(heard: Visitor) -> None:
    answer = heard.get("/media/media-1/3/1.png")
    assert answer.headers["content-type"] == "image/png"
    data = answer.content
    begin = data.index(b"IDAT") + 4
    size = int.from_bytes(data[begin - 8 : begin - 4], "big")
    rows = np.frombuffer(zlib.decompress(data[begin : begin + size]), np.uint8).reshape(9, -1)
    assert np.array_equal(rows[:, 1:].reshape(9, 15, 3), IMAGES[3])


def test_drawings_are_well_formed(heard: Visitor, looking: Visitor) -> None:
    assert tree.fromstring(heard.get("/media/media-1/0/0.svg").text).tag.endswith("svg")
    drawn = looking.get("/media/traces-1/7/0.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    lines = [one for one in tree.fromstring(drawn.text).iter() if one.tag.endswith("polyline")]
    steps = len(looking.store.open("traces-1").collection().view()[7])
    assert len(lines) == 4
    assert len(lines[1].attrib["points"].split()) == steps


@pytest.mark.parametrize(
    "path",
    [
        "media-1/0/1.wav",
        "media-1/0/0.png",
        "media-1/0/2.svg",
        "media-1/0/3.wav",
        "media-1/4/0.wav",
        "nobody-1/0/0.wav",
        "..%2f..%2fetc/0/0.wav",
        "media-1/0/..%2frun.json",
        "media-1/0/0.json",
    ],
)
def test_nothing_else_is_given(heard: Visitor, path: str) -> None:
    assert heard.get(f"/media/{path}").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "media-1/-1/0.wav",
        "media-1/0/-1.wav",
        "media-1/x/0.wav",
        "media-1/99999999999999999999/0.wav",
    ],
)
def test_numbers_that_are_none_are_refused(heard: Visitor, path: str) -> None:
    assert heard.get(f"/media/{path}").status_code == 422


def test_the_page_plays_and_shows_them(heard: Visitor) -> None:
    page = heard.get("/runs/media-1/members/2").text
    assert 'src="/media/media-1/2/0.wav"' in page
    assert 'src="/media/media-1/2/1.png"' in page
    assert 'class="wave line-g' in page
    assert "14 × 9 pixels" in page
    assert "0.12 seconds" in page


@pytest.mark.parametrize(("rate", "heard"), [(2500.0, False), (3500.0, True)])
def test_what_the_run_takes_for_sound_is_heard_where_browsers_can_play_it(
    rate: float, heard: bool
) -> None:
    flat = Ragged.of(WAVES)
    view = Ragged(flat.values, flat.offsets, True, ("amplitude",), rate)
    assert view.is_sound
    assert is_heard(view) is heard
