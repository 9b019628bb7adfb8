"""Sessions on disk: killed between any two steps, gone on with, replayed to the same bytes, undone, and stopped halfway."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from tests.oracles.interactive import begun, marks, reviews, seeded

from coterie.core.errors import DataError, Interrupted, StoreError
from coterie.core.workplace import Silent, using
from coterie.organize.comraf import interactive_file, interactive_moves
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_state import effective
from coterie.organize.comraf.interactive_steps import SessionSettings

DATA = {"words": reviews(), "marks": marks()}
SCRIPT = (
    lambda s: s.choose_groups(2, ["praise", "blame"]),
    lambda s: s.choose_types("words", "marks"),
    lambda s: s.draft("good", "great", to=1, type="words"),
    lambda s: s.draft("bad", to=2, type="words"),
    lambda s: s.seed(),
    lambda s: s.advance(),
    lambda s: s.advance(),
    lambda s: s.advance(),
    lambda s: s.delete("great"),
    lambda s: s.move("good", to=2),
    lambda s: s.undo(),
    lambda s: s.add("film", to=2),
    lambda s: s.accept(1),
    lambda s: s.advance(),
    lambda s: s.undo(step=True),
    lambda s: s.run(),
    lambda s: s.stop(),
    lambda s: s.reopen(),
    lambda s: s.accept(),
    lambda s: s.run(),
)


def whole(path=None) -> Session:
    session = Session(DATA, path=path)
    for step in SCRIPT:
        step(session)
    return session


@pytest.fixture(scope="module")
def text() -> str:
    return whole().to_json()


def test_a_kill_between_any_two_steps_loses_nothing(tmp_path, text):
    path = tmp_path / "session.json"
    Session(DATA, path=path)
    for step in SCRIPT:
        session = Session.load(path, DATA)  # what was in memory is gone
        step(session)
        assert path.read_text(encoding="utf-8") == session.to_json()
    assert path.read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["session.json"]


def test_a_process_killed_in_a_step_leaves_the_step_before(tmp_path):
    path = tmp_path / "session.json"
    seeded(path=path)
    before = path.read_text(encoding="utf-8")
    program = f"""
        import os, signal
        from coterie.organize.comraf import interactive_moves
        from coterie.organize.comraf.interactive import Session
        from tests.oracles.interactive import marks, reviews
        def killed(*given):
            os.kill(os.getpid(), signal.SIGKILL)
        interactive_moves.cluster_members = killed
        Session.load({str(path)!r}, {{"words": reviews(), "marks": marks()}}).run()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    assert path.read_text(encoding="utf-8") == before
    assert Session.load(path, DATA).run().status == "review"


def test_a_write_that_fails_leaves_the_file_before(tmp_path, monkeypatch):
    path = tmp_path / "session.json"
    session = begun(path=path)
    before = path.read_bytes()

    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(interactive_file.os, "replace", full)
    with pytest.raises(
        StoreError, match=r"No space left on device.*what was saved before is untouched"
    ):
        session.choose_groups(2)
    assert path.read_bytes() == before == session.to_json().encode()
    assert os.listdir(tmp_path) == ["session.json"]


def test_replay_gives_the_same_bytes(text):
    log = json.loads(text)["log"]
    assert Session.of_log(DATA, log).to_json() == text
    for n_jobs in (1, 2):
        with using(n_jobs=n_jobs):
            assert Session.of_log(DATA, log).to_json() == text


def test_every_step_can_be_undone(text):
    session = Session.of_log(DATA, json.loads(text)["log"])
    entries = effective(session.log)
    while len(effective(session.log)) > 1:
        session.undo(step=True)
        entries = entries[:-1]
        assert effective(session.log) == entries
        again = Session.of_log(DATA, entries)
        assert session.state == again.state
    assert session.status == "k"


def test_undo_takes_back_a_choice_with_what_followed():
    session = seeded().run()
    assert session.status == "review"
    assert session.undo().status == "seeds"
    assert session.undo().status == "types"
    session.choose_types("words").seed([["good"], ["bad"]]).run()
    assert session.status == "review"


def test_undo_after_a_load_works_from_the_log(tmp_path):
    path = tmp_path / "session.json"
    seeded(path=path).run().delete("great")
    session = Session.load(path, DATA).undo()
    assert "great" in session.state.seed_groups["words"][0]
    assert session.state == seeded().run().state


def test_undo_of_a_choice_after_a_load_clusters_nothing_anew(tmp_path, monkeypatch):
    path = tmp_path / "session.json"
    for step in SCRIPT[:8]:
        step(session := Session(DATA, path=path) if not path.exists() else Session.load(path, DATA))
    before = session.state
    session.delete("great").add("film", to=2).accept()
    monkeypatch.setattr(
        interactive_moves, "cluster_members", lambda *given: pytest.fail("clustered anew")
    )
    monkeypatch.setattr(
        interactive_moves, "cluster_features", lambda *given: pytest.fail("clustered anew")
    )
    for _ in range(3):
        session = Session.load(path, DATA).undo()  # what was in memory is gone
    assert session.state == before
    with pytest.raises(pytest.fail.Exception):
        session.undo(step=True)  # a step itself is done again
    assert (
        Session.load(path, DATA).undo().status == "seeds"
    )  # the first clustering needs none before it


def test_a_session_is_not_begun_over_another(tmp_path):
    path = tmp_path / "session.json"
    text = seeded(path=path).run().to_json()
    with pytest.raises(
        DataError,
        match=r"There is a session at '.*session\.json' already; go on with it by Session\.load",
    ):
        begun(path=path)
    assert path.read_text(encoding="utf-8") == text
    assert Session.load(path, DATA).status == "review"


def test_types_stay_in_the_order_they_were_chosen(tmp_path):
    path = tmp_path / "session.json"
    session = begun(path=path).choose_groups(2).choose_types("words", "marks")
    session.draft("!", to=1, type="marks").draft("good", to=1, type="words").draft(
        "bad", to=2, type="words"
    ).seed()
    assert session.tell()[0].startswith("Seeds among the words")
    assert Session.load(path, DATA).tell() == session.tell()
    session.run()
    assert Session.load(path, DATA).tell() == session.tell()


def test_a_stopped_step_leaves_everything_as_it_was():
    class Impatient(Silent):
        def wants_stop(self) -> bool:
            return True

    session = seeded()
    before = session.to_json()
    with using(watch=Impatient(), n_jobs=1), pytest.raises(Interrupted):
        session.advance()
    assert session.to_json() == before
    assert session.run().status == "review"


def test_the_file_has_the_keys_of_a_state(text):
    record = json.loads(text)
    wanted = {
        "collection_id",
        "k",
        "feature_types",
        "seed_groups",
        "group_names",
        "iteration",
        "covered",
        "doc_cluster",
        "feature_cluster",
        "history",
        "rng_seed",
        "status",
    }
    assert wanted <= record.keys()
    assert record["settings"] == SessionSettings().record()


def test_files_that_are_no_session_of_this_data(tmp_path):
    path = tmp_path / "session.json"
    with pytest.raises(DataError, match="There is no session"):
        Session.load(path, DATA)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read as JSON"):
        Session.load(path, DATA)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="is no session: it lacks"):
        Session.load(path, DATA)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="cannot be read"):
        Session.load(path, DATA)
    path.unlink()
    seeded(path=path)
    with pytest.raises(DataError, match="is of other members"):
        Session.load(path, {"words": reviews(58), "marks": marks(58)})
    with pytest.raises(DataError, match="The counts of 'words' are not those"):
        Session.load(path, {"words": reviews(seed=1), "marks": marks()})
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**record, "format": 9}), encoding="utf-8")
    with pytest.raises(DataError, match="format 9"):
        Session.load(path, DATA)
