"""Sessions of a run: the file is the state, changes hold once and lose nothing, steps are kept whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coterie.core.errors import CoterieError, DataError, Interrupted, ParameterError
from coterie.core.workplace import using
from coterie.run import sessions
from coterie.run.engine import explore, resume
from coterie.run.live import Live
from coterie.run.session_changes import Change, cancel, said
from coterie.run.session_runs import prepared
from coterie.run.session_words import groups_csv, told_changes
from coterie.run.sessions import (
    FILE,
    LAST,
    Sitting,
    Stale,
    later,
    long_undo,
    remove,
    session_at,
    version_of,
)
from coterie.run.store import Store
from coterie.run.stored import Run

TOPICS = {
    "tea": "kettle leaf cup brew pot steep green oolong mint sugar",
    "sea": "wave boat harbor tide sail salt anchor gull reef storm",
}
TEXTS = [
    " ".join(words.split()[(i * step + at) % 10] for at, step in enumerate((1, 2, 3, 5, 7)))
    for words in TOPICS.values()
    for i in range(20)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sessions") / "store"
    explore(TEXTS, store=folder, name="drinks", k=2, nulls=0)
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Run:
    return Store(shutil.copytree(made, tmp_path / "store")).open("drinks-1")


def say(sitting: Sitting, do: Any, on: str | None = None, **more: Any) -> Any:
    """Say one thing on the session as it stands (or on an older version)."""
    on = version_of(sitting.session().log) if on is None else on
    return said(sitting, Change(do=do, on=on, **more), lambda: None, lambda session, long: None)


def seeded(run: Run) -> Sitting:
    sitting = Sitting(run)
    say(sitting, "groups", k=2, names=("tea", "sea"))
    say(sitting, "types", types=("words",))
    say(sitting, "put", type="words", features=("kettle", "cup"), to=1)
    say(sitting, "put", type="words", features=("wave", "boat"), to=2)
    return sitting


def clustered(run: Run) -> Sitting:
    sitting = seeded(run)
    say(sitting, "seeds")
    sessions.step(run.folder.parent, run.name)
    return sitting


def draft(sitting: Sitting) -> list[list[str]]:
    return [list(group) for group in sitting.session().state.draft["words"]]


def test_nothing_is_kept_before_something_is_said(run: Run) -> None:
    assert Sitting(run).session().status == "k"
    assert not (run.folder / FILE).exists()


def test_what_one_sitting_says_another_sees(run: Run) -> None:
    one = Sitting(run)
    other = Sitting(run)
    say(one, "groups", k=2, names=("tea", "sea"))
    assert other.session().status == "types"
    say(other, "types", types=("words",))
    assert one.session().status == "seeds"


def test_a_choice_said_twice_holds_once(run: Run) -> None:
    sitting = Sitting(run)
    begun = version_of(sitting.session().log)
    say(sitting, "groups", k=2, names=("tea", "sea"))
    log = list(sitting.session().log)
    say(sitting, "groups", on=begun, k=2, names=("tea", "sea"))
    assert sitting.session().log == log


def test_another_choice_on_an_older_version_is_refused(run: Run) -> None:
    sitting = Sitting(run)
    begun = version_of(sitting.session().log)
    say(sitting, "groups", k=2, names=("tea", "sea"))
    before = (run.folder / FILE).read_bytes()
    with pytest.raises(Stale, match="gone on since"):
        say(sitting, "groups", on=begun, k=3)
    with pytest.raises(Stale):
        say(sitting, "types", on="2-0000000000000000", types=("words",))
    assert (run.folder / FILE).read_bytes() == before


def test_edits_of_two_tabs_are_both_kept(run: Run) -> None:
    sitting = seeded(run)
    seen = version_of(sitting.session().log)
    say(sitting, "put", on=seen, type="words", features=("leaf",), to=1)
    say(sitting, "put", on=seen, type="words", features=("tide",), to=2)
    assert draft(sitting) == [["kettle", "cup", "leaf"], ["wave", "boat", "tide"]]


def test_an_edit_after_a_step_of_another_tab_is_refused(run: Run) -> None:
    sitting = seeded(run)
    seen = version_of(sitting.session().log)
    say(sitting, "seeds")
    with pytest.raises(Stale):
        say(sitting, "put", on=seen, type="words", features=("leaf",), to=1)


def test_a_seed_that_is_moved_comes_back_with_one_undo(run: Run) -> None:
    sitting = seeded(run)
    say(sitting, "put", type="words", features=("cup",), to=2)
    assert draft(sitting) == [["kettle"], ["wave", "boat", "cup"]]
    say(sitting, "undo")
    assert draft(sitting) == [["kettle", "cup"], ["wave", "boat"]]
    say(sitting, "take", type="words", features=("wave",))
    assert draft(sitting) == [["kettle", "cup"], ["boat"]]
    say(sitting, "undo")
    assert draft(sitting)[1] == ["wave", "boat"]


@pytest.mark.parametrize(
    ("do", "more", "sentence"),
    [
        ("put", {"type": "words", "features": ("ketle",), "to": 1}, "Near it: kettle"),
        ("put", {"type": "words", "features": ("leaf",), "to": 3}, "no group 3"),
        ("put", {"type": "marks", "features": ("!",), "to": 1}, "was not chosen"),
        ("accept", {}, "waits for seeds"),
        ("delete", {"type": "words", "features": ("kettle",)}, "waits for seeds"),
        ("stop", {}, "waits for seeds"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    run: Run, do: str, more: dict[str, Any], sentence: str
) -> None:
    sitting = seeded(run)
    before = (run.folder / FILE).read_bytes()
    with pytest.raises(CoterieError, match=sentence):
        say(sitting, do, **more)
    assert (run.folder / FILE).read_bytes() == before


def test_seeds_need_a_seed(run: Run) -> None:
    sitting = Sitting(run)
    say(sitting, "groups", k=2)
    say(sitting, "types", types=("words",))
    with pytest.raises(DataError, match="no seeds yet"):
        say(sitting, "seeds")
    say(sitting, "skip")
    sessions.step(run.folder.parent, run.name)
    assert sitting.session().status == "done"


def test_a_step_is_kept_and_said_what_changed(run: Run) -> None:
    sitting = clustered(run)
    state = sitting.session().state
    assert state.status == "review"
    assert state.doc_cluster["0"] == 0
    assert state.doc_cluster["20"] == 1
    first = sitting.run.get_json(sessions.CHANGED)
    assert first["first"]
    assert first["on"] == version_of(sitting.session().log)
    say(sitting, "accept")
    sessions.step(run.folder.parent, run.name)
    assert not sitting.run.get_json(sessions.CHANGED)["first"]
    before = (run.folder / FILE).read_bytes()
    sessions.step(run.folder.parent, run.name)  # nothing goes on by itself here
    assert (run.folder / FILE).read_bytes() == before


def test_no_more_words_are_proposed_than_a_person_reads(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Sitting(run).session().desk.settings.proposed == sessions.PROPOSED
    monkeypatch.setattr(sessions, "PROPOSED", 4)
    sitting = clustered(run)
    for group, own in zip(
        sitting.session().state.seed_groups["words"],
        (("kettle", "cup"), ("wave", "boat")),
        strict=True,
    ):
        assert len(group) == 4
        assert set(own) <= set(group)


def test_a_stopped_step_changes_nothing_and_cancel_goes_back(run: Run, tmp_path: Path) -> None:
    sitting = seeded(run)
    say(sitting, "seeds")
    asked = version_of(sitting.session().log)
    watch = Live(tmp_path / "live")
    watch.ask_stop()
    with pytest.raises(Interrupted), using(watch=watch):
        sessions.step(run.folder.parent, run.name)
    assert version_of(Sitting(run).session().log) == asked
    stopped: list[bool] = []
    cancel(sitting, asked, lambda: stopped.append(True))
    assert stopped
    assert sitting.session().status == "seeds"
    assert draft(sitting)[0] == ["kettle", "cup"]
    cancel(sitting, asked, lambda: None)  # said twice: it stays where it is
    assert sitting.session().status == "seeds"


def test_work_on_a_session_that_went_on_is_not_kept(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = seeded(run)
    say(sitting, "seeds")

    class Meddled(Sitting):
        def keep(self, before: Any, after: Any) -> None:
            say(Sitting(run), "undo")
            super().keep(before, after)

    monkeypatch.setattr(sessions, "Sitting", Meddled)
    with pytest.raises(DataError, match="nothing of it was kept"):
        sessions.step(run.folder.parent, run.name)
    assert Sitting(run).session().status == "seeds"


def test_a_long_undo_is_a_job_and_ends_where_the_choice_was(run: Run) -> None:
    sitting = clustered(run)
    assert not long_undo(sitting.session().log)
    review = sitting.session().state
    say(sitting, "accept")
    sessions.step(run.folder.parent, run.name)
    assert long_undo(sitting.session().log)
    asked: list[bool] = []
    change = Change(do="undo", on=version_of(sitting.session().log))
    said(sitting, change, lambda: None, lambda session, long: asked.append(long))
    assert asked == [True]
    assert sitting.session().log[-1]["do"] != "undo"
    sessions.back(run.folder.parent, run.name)
    assert sitting.session().state == review


def test_refused_before_anything_is_done(run: Run) -> None:
    sitting = seeded(run)
    log = list(sitting.session().log)

    def no() -> None:
        raise ParameterError("not now")

    with pytest.raises(ParameterError, match="not now"):
        said(sitting, Change(do="seeds", on=version_of(log)), no, lambda session, long: None)
    assert sitting.session().log == log


def test_begun_anew_only_on_the_session_that_is_meant(run: Run) -> None:
    sitting = seeded(run)
    with pytest.raises(Stale):
        remove(run, "1-0000000000000000")
    kept = (run.folder / FILE).read_bytes()
    remove(run, version_of(sitting.session().log))
    assert sitting.session().status == "k"
    assert (run.folder / LAST).read_bytes() == kept
    (run.folder / FILE).write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read as JSON"):
        Sitting(run).session()
    remove(run, "whatever")
    assert Sitting(run).session().status == "k"


def test_versions_are_prefixes_of_the_log() -> None:
    log = [{"do": "begin"}, {"do": "groups", "k": 2, "names": []}]
    assert later(log, version_of(log[:1])) == log[1:]
    assert later(log, version_of(log)) == []
    for strange in ("", "-", "3-aa", "1-aa", "٣-aa", "-1-aa", "9" * 30 + "-aa"):
        assert later(log, strange) is None


def test_the_groups_become_a_run_with_their_names(run: Run) -> None:
    sitting = clustered(run)
    say(sitting, "stop")
    made = prepared(run, sitting.session())
    assert made.status == "new"
    assert made.request.constraints
    found = resume(made.name, store=run.folder.parent)
    assert sorted(group.name for group in found.findings.groups) == ["sea", "tea"]
    labels = {
        member: found.findings.groups[label].name
        for member, label in zip(found.findings.ids, found.labels, strict=True)
    }
    assert labels["0"] == "tea"
    assert labels["39"] == "sea"


def test_a_run_needs_groups(run: Run) -> None:
    with pytest.raises(DataError, match="Nothing is clustered yet"):
        prepared(run, seeded(run).session())


def test_groups_as_a_table(run: Run) -> None:
    lines = groups_csv(clustered(run).session()).splitlines()
    assert lines[0] == "member,group"
    assert lines[1] == "0,tea"
    assert len(lines) == 41


def test_no_groups_no_table(run: Run) -> None:
    with pytest.raises(DataError, match="Nothing is clustered yet"):
        groups_csv(Sitting(run).session())


def test_changes_in_words() -> None:
    none = {"first": False, "came": 0, "left": 0, "moved": 0, "flows": []}
    assert told_changes(none, ["a", "b"]) == ["No member came in, went out or changed its group."]
    assert told_changes({**none, "first": True}, ["a", "b"]) == []
    assert told_changes({**none, "left": 1}, ["a", "b"])[0].startswith("1 member went out")


def test_a_session_beside_the_runs(tmp_path: Path, made: Path) -> None:
    collection = Store(made).open("drinks-1").collection()
    place = tmp_path / "deep" / "one.session.json"
    session, begun, texts = session_at(place, collection)
    assert not begun
    assert place.exists()
    assert texts["0"] == TEXTS[0]
    session.choose_groups(2)
    again, begun, _ = session_at(place, collection)
    assert begun
    assert again.status == "types"
    assert json.loads(place.read_text(encoding="utf-8"))["k"] == 2


def test_types_are_counted_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    real = sessions.features_of

    def features(collection: Any) -> dict[str, Callable[[], Any]]:
        found = real(collection)
        return {
            kind: lambda kind=kind, count=count: counted.append(kind) or count()
            for kind, count in found.items()
        }

    monkeypatch.setattr(sessions, "features_of", features)
    sitting = seeded(run)
    Path(run.folder / FILE).touch()  # as if another process had written it
    assert sitting.session().status == "seeds"
    assert counted == ["words"]


def test_a_run_of_a_session_that_ended_before_its_members_were_kept_says_where_to_make_it_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(self: Run, collection: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as there, pytest.raises(KeyboardInterrupt):
        there.setattr(Run, "save_collection", dies)
        prepared(run, clustered(run).session())
    left = Store(run.folder.parent).runs()[0].name
    with pytest.raises(
        DataError, match=f"delete it, and make it again from the run '{run.name}' on its page Words"
    ):
        resume(left, store=run.folder.parent)
