"""The desk: runs by their exact names, what is kept at hand, what takes long, and sentences without places."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from coterie.core.errors import DataError
from coterie.web.desk import Desk, Kept, NotThere, NotYet, without_paths
from coterie.web.settings import Serving
from tests.planning import plan


@pytest.fixture
def desk(store: Path) -> Desk:
    return Desk(Serving(store))


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "topics",
        "topics-",
        "latest",
        "TOPICS-1",
        "topics-1\n",
        "topics-1\x00",
        "topics-1/",
        "/topics-1",
        "../store/topics-1",
        "topics-1/../mail-1",
        "index.sqlite",
        ".jobs",
        ".web-secret",
        "uploads",
        "-1",
        "a" * 81,
        "tòpics-1",
        "topics_1",
        " topics-1",
    ],
)
def test_a_run_has_one_name(desk: Desk, name: str) -> None:
    with pytest.raises(NotThere) as error:
        desk.run(name)
    assert str(error.value) == "There is no such run here."


def test_a_run_that_is_there(desk: Desk) -> None:
    assert desk.finished("topics-1").name == "topics-1"
    assert {record.name for record in desk.runs()} == {
        "topics-1",
        "mail-1",
        "mixed-1",
        "traces-1",
        "letters-1",
    }
    run = plan("sample:topics", store=desk.store, k=2)
    with pytest.raises(NotYet, match=f"{run.name} is not finished"):
        desk.finished(run.name)


def test_a_run_that_changes_its_state_or_goes_is_seen_at_once(desk: Desk) -> None:
    run = desk.finished("topics-1")
    run.update(status="stopped")
    with pytest.raises(NotYet):
        desk.finished("topics-1")
    run.update(status="done")
    assert desk.finished("topics-1").name == "topics-1"
    desk.store.delete("topics-1")
    with pytest.raises(NotThere):
        desk.finished("topics-1")
    (
        desk.store.folder / "mail"
    ).mkdir()  # a folder that calls itself a run, and whose name begins another's
    (desk.store.folder / "mail" / "run.json").write_text("{}")
    with pytest.raises(NotThere):
        desk.run("mail")


def test_findings_are_read_once_and_again_after_an_edit(desk: Desk) -> None:
    from coterie.run.steering import Steering

    run = desk.finished("topics-1")
    first = desk.findings(run)
    assert desk.findings(run) is first
    assert desk.collection(run) is desk.collection(run)
    before = desk.version(run)
    Steering(run.name, store=desk.store.folder).rename(1, "Renamed by hand")
    assert desk.version(run) != before
    assert "Renamed by hand" in {group.name for group in desk.findings(run).groups}
    assert "Renamed by hand" not in {group.name for group in first.groups}


def test_what_is_kept_is_made_once_and_the_oldest_goes() -> None:
    kept = Kept(2)
    made = []

    def make(value: int) -> int:
        made.append(value)
        time.sleep(0.02)
        return value

    threads = [threading.Thread(target=lambda: kept.get("a", lambda: make(1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    kept.get("b", lambda: make(2))
    kept.get("a", lambda: make(3))
    kept.get("c", lambda: make(4))
    assert made == [1, 2, 4]
    assert kept.peek("b") is None
    assert kept.peek("a") == 1


def test_what_could_not_be_made_leaves_nothing_behind() -> None:
    kept = Kept(2)
    for number in range(20):
        with pytest.raises(ZeroDivisionError):
            kept.get(number, lambda: 1 / 0)
    assert kept._locks == {}
    assert kept.get(3, lambda: "made") == "made"


def test_what_takes_long_is_made_beside_the_request(desk: Desk) -> None:
    let = threading.Event()
    made = []

    def make() -> str:
        made.append(1)
        let.wait(20)
        return "there"

    begun = time.monotonic()
    for _ in range(2):
        with pytest.raises(NotYet):
            desk.warm("key", make)
    assert time.monotonic() - begun < 10
    let.set()
    deadline = time.monotonic() + 10
    while True:
        try:
            assert desk.warm("key", make) == "there"
            break
        except NotYet:
            assert time.monotonic() < deadline
    assert made == [1]


def test_what_takes_long_and_fails_says_why_and_may_be_tried_again(desk: Desk) -> None:
    def fail() -> str:
        raise DataError("There is no text in it.")

    for _ in range(2):
        with pytest.raises(DataError, match="no text"):
            desk.warm("key", fail)
    assert desk.warm("key", lambda: "there") == "there"
    assert desk._failed == {}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("There is no file /var/mail/inbox.mbox here.", "There is no file inbox.mbox here."),
        ("The store /srv/ann/runs is full.", "The store is full."),
        (
            "Go on with: coterie resume mail-1 --store /srv/ann/runs",
            "Go on with: coterie resume mail-1",
        ),
        ("'/a/b/c.txt' and \"/a/b/d.txt\", (/e/f)", "'c.txt' and \"d.txt\", (f)"),
        (r"C:\Users\ann\x.csv is empty.", "x.csv is empty."),
        ("3/4 of them, and/or none; 1 / 2", "3/4 of them, and/or none; 1 / 2"),
        ("/" * 50_000, "/" * 50_000),
        (
            "There is no readable mail in '/srv/John Smith/mail box/in.mbox'.",
            "There is no readable mail in 'in.mbox'.",
        ),
        ("/srv/John Smith/mail box/in.mbox is damaged.", "in.mbox is damaged."),
        ("It is at /srv/O'Brien/my mail (old)/in.mbox.", "It is at in.mbox."),
        ("'/srv/O'Brien/a b.csv' is empty.", "'a b.csv' is empty."),
        ("/data/x.csv and b/c, or /data/my y.csv", "x.csv and b/c, or my y.csv"),
        (
            "see file:///srv/ann/x%20y.csv and 'file:///srv/ann/x y.csv'",
            "see x%20y.csv and 'x y.csv'",
        ),
        (
            "see ~/mail/in.mbox, ../a/b.csv; at https://example.org/a/b",
            "see in.mbox, b.csv; at https://example.org/a/b",
        ),
        ("source '/srv/ann/runs/uploads/x-1/files/x/bad.parquet'", "source 'bad.parquet'"),
        ("in /srv/ann/runs/uploads/x-1/bad.parquet", "in bad.parquet"),
        ("in /srv/ann/runs2/x, in /srv/ann/runs.", "in x, in the store."),
        (r"\\\\host\share\my files\x.csv is empty.", "x.csv is empty."),
        ("'/srv/John Smith/x.csv is cut", "'x.csv is cut"),
        ("resume a-1 --store '/srv/John Smith/runs'. Then", "resume a-1. Then"),
        ("'/" * 20_000, "'/" * 20_000),
        ("/a b" * 20_000, "a b"),
        ("a", "a"),
    ],
)
def test_places_are_named_by_their_last_part(sentence: str, said: str) -> None:
    assert without_paths(sentence, Path("/srv/ann/runs")) == said


def test_work_is_asked_for_once_and_told_below_the_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coterie.run.jobs.Jobs._start", lambda self, job: None)
    run = plan("sample:topics", store=desk.store, k=2)
    assert desk.job(run) is None
    job = desk.work(run)
    assert desk.work(run).id == job.id
    assert desk.job(run).folder.split("/") == [run.name, "work", "walk"]
    assert desk.job(run, "core") is None
