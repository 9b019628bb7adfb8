"""The page Words without a browser: every transition over the API, versions, work as jobs, and sentences on misuse."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from coterie import explore
from tests.web.serving import Visitor

TOPICS = {
    "tea": "kettle leaf cup brew pot steep green oolong mint sugar",
    "sea": "wave boat harbor tide sail salt anchor gull reef storm",
}
NASTY = "<script>alert('kettle')</script>"
TEXTS = [
    " ".join(words.split()[(i * step + at) % 10] for at, step in enumerate((1, 2, 3, 5, 7)))
    for words in TOPICS.values()
    for i in range(20)
]
AT = "/api/runs/drinks-1/words"


@pytest.fixture(scope="module")
def drinks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words") / "store"
    explore([f"{NASTY} {TEXTS[0]}", *TEXTS[1:]], store=folder, name="drinks", k=2, nulls=0)
    return folder


@pytest.fixture
def seat(drinks: Path, tmp_path: Path) -> Any:
    import shutil

    with Visitor(Path(shutil.copytree(drinks, tmp_path / "store"))) as visitor:
        yield Seat(visitor)


class Seat:
    """Somebody at a session: says things on the version last seen, and waits for work."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.now: dict[str, Any] = {}
        self.look()

    def look(self) -> dict[str, Any]:
        self.now = self.patient(lambda: self.visitor.get(AT)).json()
        return self.now

    def patient(self, ask: Any) -> Any:
        for _ in range(200):
            found = ask()
            if found.status_code != 409:
                return found
            time.sleep(0.05)
        raise AssertionError("it is being prepared for ever")

    def ask(self, do: str, **more: Any) -> Any:
        return self.patient(
            lambda: self.visitor.change(AT, {"do": do, "on": self.now["version"], **more})
        )

    def say(self, do: str, **more: Any) -> dict[str, Any]:
        found = self.ask(do, **more)
        assert found.status_code == 200, found.text
        self.now = found.json()
        return self.now

    def wait(self) -> dict[str, Any]:
        for _ in range(600):
            if not self.patient(lambda: self.visitor.get(f"{AT}/pulse")).json()["work"]["going"]:
                return self.look()
            time.sleep(0.1)
        raise AssertionError("the work does not end")

    def seeded(self) -> Seat:
        self.say("groups", k=2, names=["tea", "<b>sea</b>"])
        self.say("types", types=["words"])
        self.say("put", type="words", features=["kettle", "cup"], to=1)
        self.say("put", type="words", features=["wave", "boat"], to=2)
        return self


def words_of(now: dict[str, Any]) -> list[list[str]]:
    return [[word["word"] for word in group] for group in now["boards"][0]["groups"]]


def test_the_page(seat: Seat) -> None:
    page = seat.visitor.get("/runs/drinks-1/words")
    assert page.status_code == 200
    assert 'id="session"' in page.text
    assert "words.js" in page.text
    assert "style=" not in page.text
    assert "onclick" not in page.text


def test_a_run_without_words_says_so(looking: Visitor) -> None:
    page = looking.get("/runs/traces-1/words")
    assert page.status_code == 200
    assert "goes by words, tags or counts" in page.text
    assert "words.js" not in page.text
    assert looking.get("/api/runs/traces-1/words").status_code == 422


def test_looking_changes_nothing(seat: Seat) -> None:
    assert seat.now["status"] == "k"
    assert seat.now["members"] == 40
    assert seat.now["undo"] == ""
    seat.visitor.get(f"{AT}/pulse")
    assert not (seat.visitor.store.folder / "drinks-1" / "session.json").exists()


def test_a_whole_session_with_two_edits_an_undo_and_a_run_of_its_own(seat: Seat) -> None:
    seat.seeded()
    assert seat.now["covered"] > 0
    assert words_of(seat.now) == [["kettle", "cup"], ["wave", "boat"]]
    assert seat.say("seeds")["work"]["going"]
    assert seat.wait()["status"] == "review"
    assert seat.now["sizes"]
    assert seat.now["points"][0]["iteration"] == 1
    gone = next(word["word"] for word in seat.now["boards"][0]["groups"][0] if word["new"])
    seat.say("delete", type="words", features=[gone])
    assert gone not in words_of(seat.now)[0]
    other = next(word for word in words_of(seat.now)[0] if word != gone)
    seat.say("move", type="words", features=[other], to=2)
    assert other in words_of(seat.now)[1]
    seat.say("undo")
    assert other in words_of(seat.now)[0]
    assert gone not in words_of(seat.now)[0]
    accepted = seat.now["version"]
    seat.say("accept")
    once = seat.visitor.change(
        AT, {"do": "accept", "on": accepted}
    ).json()  # a second click, or a reload
    assert once["log"] == seat.now["log"]
    now = seat.wait()
    assert now["status"] in ("review", "done")
    assert now["changed"]
    if now["status"] == "review":
        seat.say("stop")
    assert seat.now["status"] == "done"
    listed = seat.visitor.get(f"{AT}/members", params={"group": 1}).json()
    assert listed["total"] == seat.now["sizes"][0]
    assert listed["members"][0]["text"]
    assert seat.visitor.get(f"{AT}/groups.csv").text.startswith("member,group\n0,")
    assert seat.visitor.get(f"{AT}/session.json").json()["status"] == "done"
    made = [
        seat.visitor.change(f"{AT}/run", {"on": seat.now["version"]}).json()["run"]
        for _ in range(2)
    ]
    assert made[0] == made[1] == "drinks-2"
    seat.say("reopen")
    assert seat.now["status"] == "review"


def test_before_types_are_chosen_none_is_said_to_be(seat: Seat) -> None:
    now = seat.say("groups", k=2, names=["tea", "sea"])
    assert now["sentences"] == ["2 groups: tea, sea."]
    assert not any(kind["chosen"] for kind in now["types"])


def test_a_persons_own_words_come_first(seat: Seat) -> None:
    seat.seeded()
    seat.say("seeds")
    seat.wait()
    assert [set(group[:2]) for group in words_of(seat.now)] == [{"kettle", "cup"}, {"wave", "boat"}]
    some = seat.visitor.get(f"{AT}?shown=5").json()
    assert all(
        len(group) == 5 and group[0]["given"] and group[1]["given"]
        for group in some["boards"][0]["groups"]
    )


def test_stopped_the_session_is_where_it_was_asked_for(seat: Seat) -> None:
    seat.seeded()
    seat.say("seeds")
    stopped = seat.visitor.change(f"{AT}/cancel", {"on": seat.now["version"]})
    assert stopped.status_code == 200
    now = seat.wait()
    assert now["status"] == "seeds"
    assert words_of(now) == [["kettle", "cup"], ["wave", "boat"]]


def test_nothing_is_said_into_running_work(seat: Seat) -> None:
    seat.seeded()
    seat.say("seeds")
    refused = seat.visitor.change(AT, {"do": "undo", "on": seat.now["version"]})
    assert refused.status_code == 422
    assert "being worked on" in refused.json()["detail"]
    seat.wait()


def test_two_tabs_lose_nothing(seat: Seat) -> None:
    seat.seeded()
    seen = seat.now["version"]
    for word, group in (("leaf", 1), ("tide", 2)):
        body = {"do": "put", "on": seen, "type": "words", "features": [word], "to": group}
        assert seat.visitor.change(AT, body).status_code == 200
    assert words_of(seat.look()) == [["kettle", "cup", "leaf"], ["wave", "boat", "tide"]]
    refused = seat.visitor.change(AT, {"do": "seeds", "on": seen})
    assert refused.status_code == 422
    assert "gone on since" in refused.json()["detail"]


def test_candidates_and_places(seat: Seat) -> None:
    seat.seeded()
    found = seat.visitor.get(
        f"{AT}/candidates", params={"type": "words", "search": "ket", "every": True}
    ).json()
    assert [(one["word"], one["group"]) for one in found["words"]] == [("kettle", 1)]
    by_name = seat.visitor.get(
        f"{AT}/candidates", params={"type": "words", "sort": "name", "most": 5}
    ).json()
    names = [one["word"] for one in by_name["words"]]
    assert names == sorted(names)
    assert len(names) == 5
    assert by_name["total"] > 5
    places = seat.visitor.get(f"{AT}/places", params={"type": "words", "word": "kettle"}).json()[
        "places"
    ]
    assert places
    assert all("kettle" in place for place in places)
    assert (
        seat.visitor.get(f"{AT}/places", params={"type": "words", "word": "nothing"}).status_code
        == 422
    )


def test_what_people_wrote_is_data_and_never_markup(seat: Seat) -> None:
    seat.seeded()
    answer = seat.visitor.get(AT)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["names"][1] == "<b>sea</b>"
    assert "<b>sea</b>" not in seat.visitor.get("/runs/drinks-1/words").text


MISUSE: list[dict[str, Any]] = [
    {"do": "groups", "k": 1},
    {"do": "groups", "k": 10**30},
    {"do": "groups", "k": 2, "names": ["a", "a"]},
    {"do": "groups", "k": 2, "names": ["a", "\x00"]},
    {"do": "groups", "k": 2, "names": ["a", "x" * 81]},
    {"do": "types", "types": ["words"]},
    {"do": "put", "type": "words", "features": ["kettle"], "to": 1},
    {"do": "undo"},
    {"do": "explode"},
    {"do": "reopen"},
    {"do": "settle", "tie": 3},
    {"do": "groups", "on": "1-" + "0" * 16, "k": 2},
]


def test_misuse_is_a_sentence_and_changes_nothing(seat: Seat) -> None:
    for body in MISUSE:
        answer = seat.patient(
            lambda body=body: seat.visitor.change(AT, {"on": seat.now["version"], **body})
        )
        assert answer.status_code == 422, body
        assert answer.json()["detail"].endswith("."), body
    assert seat.look()["status"] == "k"


def test_a_damaged_session_can_be_begun_anew(seat: Seat) -> None:
    place = seat.visitor.store.folder / "drinks-1" / "session.json"
    place.write_text('{"log": 3}', encoding="utf-8")
    answer = seat.patient(lambda: seat.visitor.get(AT))
    assert answer.status_code == 422
    assert "no session" in answer.json()["detail"]
    assert str(place) not in answer.text
    assert seat.visitor.change(AT, {"on": ""}, method="DELETE").status_code == 200
    assert seat.look()["status"] == "k"


def test_begun_anew_by_the_one_who_saw_it(seat: Seat) -> None:
    seat.seeded()
    assert seat.visitor.change(AT, {"on": "1-0"}, method="DELETE").status_code == 422
    assert seat.visitor.change(AT, {"on": seat.now["version"]}, method="DELETE").status_code == 200
    assert seat.look()["status"] == "k"


def test_no_such_run(looking: Visitor) -> None:
    assert looking.get("/api/runs/nobody-1/words").status_code == 404
    assert looking.get("/runs/nobody-1/words").status_code == 404
