"""Members in lists: pictures seen, sounds played, one title everywhere, colors as squares, and the way back in the header."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coterie import Collection, Ragged, Text
from coterie.core.pictures import Pictures
from coterie.show.markup import strengths, swatches
from coterie.web.desk import Desk
from coterie.web.faces import line_of, text_of, title_of
from coterie.web.pages import environment
from coterie.web.settings import Serving
from tests.show import made
from tests.web.kept import around, kept
from tests.web.serving import Visitor

N = 12
EVIL = "<script>alert(1)</script>"


def filled(folder: Path) -> None:
    """Runs of pictures, of recordings, and of texts with subjects."""
    ids = [f"m{i:02d}" for i in range(N)]
    images = [np.full((6, 8, 3), 20 * i, dtype=np.uint8) for i in range(N)]
    seen = Collection(
        ids,
        {
            "caption": Text.of([f"caption {i} of a dog" for i in range(N)]),
            "pictures": Pictures.of(images),
        },
    )
    kept(folder, around(seen), seen, "seen")
    flat = Ragged.of([np.sin(np.arange(32_000) * 0.03 * (i + 1))[:, None] for i in range(N)])
    heard = Collection(
        ids, {"sound": Ragged(flat.values, flat.offsets, True, ("amplitude",), 8000.0)}
    )
    kept(folder, around(heard), heard, "heard")
    cards = {"subject": [*(f"Subject {i}" for i in range(N - 2)), EVIL, ""]}
    mail = Collection(
        ids,
        {"text": Text.of([f"Subject {i}\n{'long text of it ' * 60}" for i in range(N)])},
        cards=cards,
    )
    kept(
        folder,
        replace(around(mail), cards=cards, snippets=[f"Subject {i}: and more" for i in range(N)]),
        mail,
        "mail",
    )


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("faces")
    filled(folder)
    with Visitor(folder) as visitor:
        yield visitor


@pytest.mark.parametrize("path", ["groups", "groups/1", "search?q=dog", "search?like=0"])
def test_pictures_are_seen_where_members_are_listed(guest: Visitor, path: str) -> None:
    page = guest.get(f"/runs/seen-1/{path}").text
    found = re.findall(
        r'<img src="(/media/seen-1/\d+/1\.png)" loading="lazy" width="56" height="56" alt="">', page
    )
    assert found
    assert guest.get(found[0]).headers["content-type"] == "image/png"
    assert "style=" not in page


@pytest.mark.parametrize("path", ["groups", "groups/2", "search?like=0"])
def test_recordings_can_be_played_where_members_are_listed(guest: Visitor, path: str) -> None:
    page = guest.get(f"/runs/heard-1/{path}").text
    found = re.findall(
        r'data-sound="(/media/heard-1/(\d+)/0\.wav)" aria-pressed="false" aria-label="Play m(\d\d)"',
        page,
    )
    assert found
    assert all(int(at) == int(name) for _, at, name in found)
    assert guest.get(found[0][0]).headers["content-type"] == "audio/wav"
    assert "playing.js" in page


def test_the_board_says_where_members_are_seen_and_heard(guest: Visitor) -> None:
    first = guest.get("/api/runs/seen-1/board").json()["columns"][0]["first"][0]
    assert (first["picture"], first["sound"]) == (f"/media/seen-1/{first['at']}/1.png", "")
    first = guest.get("/api/runs/heard-1/board").json()["columns"][0]["first"][0]
    assert (first["picture"], first["sound"]) == ("", f"/media/heard-1/{first['at']}/0.wav")
    first = guest.get("/api/runs/mail-1/board").json()["columns"][0]["first"][0]
    assert (first["picture"], first["sound"]) == ("", "")


def test_members_added_later_have_no_picture(guest: Visitor, tmp_path: Path) -> None:
    images = [np.zeros((4, 4, 3), dtype=np.uint8)] * 6
    few = Collection([f"m{i:02d}" for i in range(6)], {"pictures": Pictures.of(images)})
    run = kept(
        tmp_path,
        around(Collection([f"m{i:02d}" for i in range(8)], {"note": Text.of(["a"] * 8)})),
        few,
        "more",
    )
    with Visitor(tmp_path) as visitor:
        rows = visitor.get(f"/api/runs/{run.name}/groups/2/members?order=read").json()["members"]
    assert [(row["id"], bool(row["picture"])) for row in rows] == [
        ("m04", True),
        ("m05", True),
        ("m06", False),
        ("m07", False),
    ]


def test_a_member_is_called_by_its_subject_and_its_id_stands_beside(guest: Visitor) -> None:
    page = guest.get("/runs/mail-1/groups/1").text
    assert re.search(
        r'<a href="/runs/mail-1/members/3" title="Subject 3"><bdi>Subject 3</bdi></a> <span class="id" title="m03">',
        page,
    )
    assert "and more" in page
    assert "Subject 3: and more" not in page  # the title is not said twice
    page = guest.get("/runs/mail-1/groups/2").text
    assert EVIL not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert (
        '<a href="/runs/mail-1/members/11" title="m11"><bdi>m11</bdi></a></p>' in page
    )  # it has no subject
    members = guest.get("/api/runs/mail-1/groups/2/members?order=read").json()["members"]
    assert [one["title"] for one in members] == [
        *(f"Subject {i}" for i in range(6, 10)),
        EVIL,
        "m11",
    ]


def test_titles_and_lines() -> None:
    own = made.findings(20, 2)
    found = replace(
        own,
        cards={"title": ["  ", "One\u0000", *[""] * 18]},
        snippets=["", "One\u0000", *own.snippets[2:]],
    )
    assert title_of(found, 0) == str(found.ids[0])
    assert title_of(found, 1) == "One\ufffd"
    assert line_of(found, 1)["line"] == ""
    assert line_of(found, 2)["line"]


def test_as_much_text_as_one_needs_to_judge(guest: Visitor) -> None:
    desk = Desk(Serving(guest.store.folder))
    run = desk.run("mail-1")
    text = text_of(desk, run, desk.findings(run), 3)
    assert 400 < len(text) <= 500
    assert text.startswith("long text")
    assert text_of(desk, desk.run("heard-1"), desk.findings(desk.run("heard-1")), 3) == ""


def test_no_share_for_members_in_no_group(guest: Visitor, tmp_path: Path) -> None:
    own = around(Collection([f"m{i}" for i in range(8)], {"note": Text.of(["a"] * 8)}))
    labels = np.asarray(own.labels).copy()
    labels[6:] = -1
    run = kept(tmp_path, replace(own, labels=labels), None, "alone")
    with Visitor(tmp_path) as visitor:
        page = visitor.get(f"/runs/{run.name}/groups/0").text
        inside = visitor.get(f"/runs/{run.name}/groups/1").text
    assert "m6" in page
    assert 'class="share"' not in page
    assert "Confidence" not in page
    assert 'class="share"' in inside
    assert "Confidence" in inside


def test_colors_are_shown_as_squares() -> None:
    assert swatches("#ea6a6a, #C04040").count("<rect") == 2
    assert 'fill="#c04040"' in swatches("#C04040")
    for plain in ("issue #123456789", "a#ea6a6a", "no color", '#ea6a6" onload="x', "&#123456;"):
        assert swatches(plain) == ""
    html = strengths([("#ea6a6a", 1.0), ("red", 0.5)])
    assert html.count("<svg") == 3  # two bars and a square
    assert html.count('class="swatch"') == 1
    assert "style=" not in html


def test_the_header_says_where_one_is(guest: Visitor) -> None:
    for path, tab in (
        ("groups", '/groups" aria-current="page"'),
        ("members/0", '/groups" aria-current="true"'),
    ):
        page = guest.get(f"/runs/mail-1/{path}").text
        assert '<a href="/runs" aria-current="true">Runs</a>' in page
        assert f'<a href="/runs/mail-1{tab}>Groups</a>' in page
        assert page.count("aria-current") - page.count('aria-current="true">Surest') <= 4
    assert '<a href="/runs" aria-current="page">Runs</a>' in guest.get("/runs").text
    assert '<a href="/runs">Runs</a>' in guest.get("/collections").text


def test_what_was_changed_since_is_said_by_the_state_and_the_page(tmp_path: Path) -> None:
    filled(tmp_path)
    with Visitor(tmp_path) as visitor:
        assert visitor.get("/api/runs/mail-1/groups").json()["since"] == ""
        assert "As the run found them" in visitor.get("/runs/mail-1/groups").text
        state = visitor.change(
            "/api/runs/mail-1/edits", {"kind": "rename", "groups": [1], "name": "mine"}
        ).json()
        assert (
            state["since"]
            == "One edit by hand since the run; every member is still in the group it was found in."
        )
        state = visitor.change(
            "/api/runs/mail-1/edits", {"kind": "move", "groups": [1], "members": [11]}
        ).json()
        assert (
            state["since"]
            == "Two edits by hand since the run; one member is in another group than the one found."
        )
        assert state["since"] in visitor.get("/runs/mail-1/groups").text


def test_templates_stay_of_the_version_of_the_program() -> None:
    assert environment().auto_reload is False


def test_mates_are_seen(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    kinds = [("a red dog runs", 200), ("a blue boat sails", 20), ("green grass grows", 110)]
    images = [
        np.clip(rng.normal(kinds[i % 3][1], 20, (24, 24, 3)), 0, 255).astype(np.uint8)
        for i in range(36)
    ]
    texts = Text.of([f"{kinds[i % 3][0]} {('here', 'there')[i % 2]}" for i in range(36)])
    both = Collection(
        [f"m{i:02d}" for i in range(36)], {"caption": texts, "pictures": Pictures.of(images)}
    )
    run = kept(tmp_path, around(both), both, "both")
    with Visitor(tmp_path) as visitor:
        for _ in range(100):
            page = visitor.get(
                f"/runs/{run.name}/mates?by=member&source=caption&target=pictures&member=m03"
            ).text
            if "data-preparing" not in page:
                break
            time.sleep(0.1)
    assert "Mates of" in page
    rows = page.split('class="members hits mates-list"')[1].split("</ol>")[0]
    assert rows.count("<img ") == rows.count('class="rank"') == 10
    assert (
        "line of m" in rows
    )  # a picture says nothing in words, so what else is told of it stands there
