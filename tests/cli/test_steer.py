"""coterie steer and coterie replay: a session line by line, lines as options, and what is refused."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from coterie import Store
from coterie.cli.editing import HELP, edit_run
from coterie.cli.main import COMMANDS
from coterie.run.questions import add
from coterie.run.steering import Steering
from tests.cli.running import coterie, refused
from tests.run.steered_runs import notes, stored


@pytest.fixture(autouse=True)
def _commands(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("steer", "replay"):
        monkeypatch.setitem(COMMANDS, name, (f"coterie.cli.{name}", "A sentence."))


@pytest.fixture
def run() -> str:
    return stored().run.name


def session(run: str, lines: Iterable[str]) -> str:
    said: list[str] = []
    edit_run(Steering(run), lines, said.append)
    return "\n".join(said)


def written(tmp_path: Path, seed: int, each: int = 5) -> Path:
    path = tmp_path / f"notes{seed}.csv"
    told = notes(seed, each)
    path.write_text(
        "\n".join(
            [
                "id,said",
                *(f"{i},{text}" for i, text in zip(told.ids, told.view("text"), strict=True)),
            ]
        )
    )
    return path


def test_a_session_says_what_it_does_and_keeps_it(run: str) -> None:
    said = session(
        run,
        [
            "merge 1 2",
            'rename 1 "Tea and sea"',
            "lock 1",
            "undo",
            "log",
            "show",
            "group 3",
            "",
            "quit",
            "merge 1 3",
        ],
    )
    assert "Done: group 2 united into group 1. Groups now: 2." in said
    assert "Done: group 1 called 'Tea and sea'." in said
    assert "Taken back: group 1 locked." in said
    assert "1  20  Tea and sea" in said
    assert said.endswith(f"Every edit is kept; go on with: coterie steer {run}")
    assert [edit.kind for edit in Steering(run).edits()] == [
        "merge",
        "rename",
    ]  # what follows quit is not read


def test_every_command_of_the_help_is_there_and_bad_lines_are_sentences(run: str) -> None:
    wrong = [
        "merge 1",
        "merge 1 x",
        "move tea0-0",
        "rename 1",
        "split",
        "lock 9",
        "together tea0-0",
        "label tea0-0",
        'rename 1 "x',
        "refit a b",
        "export groups.txt",
        "group",
        "murge 1 2",
        "apart tea0-0 nobody",
    ]
    for line in wrong:
        answer = session(run, [line]).splitlines()
        assert len(answer) == 6, (line, answer)  # greeting, three groups, one sentence, goodbye
        assert answer[4].strip(), line
    assert not Steering(run).log()
    said = session(run, ["help"])
    assert all(usage in said for usage in HELP)
    assert "Did you mean merge?" in session(run, ["murge 1 2"])


def test_edits_on_members_and_questions(run: str) -> None:
    steering = Steering(run)
    tea, law = (
        int(steering.labels[steering.ids.index(member)]) + 1 for member in ("tea0-0", "law0-0")
    )
    said = session(
        run,
        [
            f"move tea0-0 tea0-1 {law}",
            "together tea0-0 tea0-1",
            f"split {tea} tea0-2",
            "apart law0-0 law0-1",
            "label sea0-1 sea0-2 ships",
            "question",
            "skip",
        ],
    )
    assert f"Done: tea0-0, tea0-1 moved into group {law}." in said
    assert f"group 4 made of 1 from group {tea}." in said
    assert "sea0-1, sea0-2 labeled 'ships'." in said
    assert "Nothing is left to ask" in said or "belong together?" in said
    assert [edit.kind for edit in Steering(run).edits()] == [
        "move",
        "together",
        "split",
        "apart",
        "label",
    ]


def test_a_question_is_answered_in_one_word() -> None:
    run = stored(k=5, organize="MDC(runs=3, restarts=1)").run.name
    said = session(run, ["question", "together", "together"])
    assert "Answer with together, apart or skip." in said
    assert "belong together. Groups now: " in said
    assert "It is said so: together ID ID" in said  # no question is open any more
    assert len(Steering(run).edits()) == 1


def test_refit_goes_on_with_the_new_run(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = session(
        run, ["merge 1 2", "refit", "rename 1 again", f"export {tmp_path / 'groups.csv'}"]
    )
    assert "From here on edits are on notes-2." in said
    assert "Run:    notes-2" in capsys.readouterr().out
    assert [edit.kind for edit in Steering("notes-2").edits()] == ["rename"]
    assert "again" in (tmp_path / "groups.csv").read_text()


def test_refit_says_who_is_left_out(run: str) -> None:
    add(run, notes(3, 1))
    said = session(run, ["merge 1 2", "refit", "rename 1 again", "refit"])
    assert (
        said.count("The 3 members added later are not part of it.") == 1
    )  # the second refit is of the new run
    assert "From here on edits are on notes-3." in said


def test_groups_are_called_by_their_names_and_the_log_says_what_was_taken_back(run: str) -> None:
    said = session(
        run,
        [
            "rename 1 Tea",
            "rename 2 Sea",
            "move law0-0 tea",
            "lock SEA",
            "undo",
            "undo",
            "log",
            "help",
        ],
    )
    assert "Done: group 2 locked." in said
    lines = said.splitlines()
    assert "    5  taken back: group 2 locked" in lines
    assert "    6  taken back: law0-0 moved into group 1" in lines
    assert "group 1 here is 0 there" in said
    said = session(run, ["merge Tea Sea", "label law0-1 3"])
    assert "Done: group 2 united into group 1." in said
    assert (
        "That is a group called '3'; to put members into group 3, say undo and then move." in said
    )


def test_a_stopped_refit_does_not_end_the_session(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coterie.core.errors import Interrupted

    def stops(collection: object, settings: object, hints: object) -> None:
        raise Interrupted("Stopped as asked.")

    monkeypatch.setattr("coterie.run.engine.analyse", stops)
    said = session(run, ["rename 1 Tea", "refit", "rename 2 Sea"])
    assert "Go on with: coterie resume notes-2" in said
    assert "Done: group 2 called 'Sea'." in said
    assert said.endswith(f"Every edit is kept; go on with: coterie steer {run}")


def test_stopped_at_the_prompt_says_that_edits_are_kept(run: str) -> None:
    def lines() -> Iterable[str]:
        yield "rename 1 Tea"
        raise KeyboardInterrupt

    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        edit_run(Steering(run), lines(), said.append)
    assert said[-1].startswith("Every edit is kept; go on with")


def test_a_replayed_run_shows_its_own_members(run: str, tmp_path: Path) -> None:
    from coterie.run.replaying import replay

    found = replay(run, notes(1, 5))
    said = session(found.run.name, ["show", f"export {tmp_path / 'g.csv'}"])
    assert "15 members, and 30 of another run that stand for groups." in said
    assert [line.split()[1] for line in said.splitlines()[1:4]] == ["5", "5", "5"]
    assert len((tmp_path / "g.csv").read_text().splitlines()) == 16
    assert "k must be at least 3, and was 1" in refused(
        "replay", run, written(tmp_path, 2), "--k", "1"
    )


def test_lines_as_options_and_lines_from_a_file(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = coterie("steer", run, "--do", "merge 1 2", "--do", "show")
    assert said.code == 0, said.err
    assert "Groups now: 2." in said.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("undo\nlog\n"))
    said = coterie("steer", run)
    assert said.code == 0, said.err
    assert "Taken back" in said.out
    assert ">" not in said.out  # no marks where nobody types


def test_what_is_refused(run: str, tmp_path: Path) -> None:
    assert refused("steer", run, "--do", "merge 1 9") == "There is no group 9; there are 1, 2, 3."
    assert "There is no run 'nothing'" in refused("steer", "nothing")
    assert "--session is for a path" in refused("steer", run, "--session", "x.json")
    assert "--do is for stored runs" in refused("steer", written(tmp_path, 0), "--do", "show")
    assert "There is no run 'nothing'" in refused("replay", "nothing", tmp_path)
    assert "nowhere.csv" in refused("replay", run, tmp_path / "nowhere.csv")


def test_replay_finds_the_groups_again(tmp_path: Path) -> None:
    made = coterie(
        "explore",
        written(tmp_path, 0, 10),
        "--text",
        "said",
        "--k",
        3,
        "--nulls",
        0,
        "--progress",
        "silent",
    )
    assert coterie("steer", made.run, "--do", "rename 1 first", "--do", "merge 2 3").code == 0
    said = coterie("replay", made.run, written(tmp_path, 1), "--progress", "silent")
    assert said.code == 0, said.err
    assert (
        "15 new members were grouped by 30 that stand for 2 groups; 2 of these were found again."
        in said.out
    )
    assert "first   " in said.out
    newest = Store().latest
    assert newest is not None
    again = coterie(
        "replay", made.run, written(tmp_path, 1), "--progress", "silent", "--name", "twice"
    )
    other = Store().latest
    assert other is not None
    assert other.name == "twice-1"
    assert (newest.path / "labels.csv").read_bytes() == (other.path / "labels.csv").read_bytes()
    assert again.code == 0


def test_resume_tells_the_names_as_they_are_now(run: str) -> None:
    session(run, ['rename 1 "Tea and sea"'])
    assert "Tea and sea" in coterie("resume", run, "--progress", "silent").out
