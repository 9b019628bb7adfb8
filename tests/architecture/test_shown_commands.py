"""Every command line that README and the pages show is run, in a folder with small stand-ins for the files it names."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
import time
from pathlib import Path

import click
import pytest

from coterie.cli.main import COMMANDS, door
from tests.architecture.desk import lay_out
from tests.architecture.pages import DOCS
from tests.architecture.shown import Line, command_lines, shown
from tests.cli.running import coterie

MOST = 240  # seconds of one core: about 35 where kernels are compiled already, 90 where none is, more beside other work

# What is shown with a word in place of a name, and what is typed instead.
INSTEAD = {
    "explore PATH": "explore articles",
    "explore PATH --k 8 --seed 3": "explore articles --k 8 --seed 3",
    "explore PATH --compare SIC": "explore table.csv --compare SIC",
    "explore PATH --compare SSD": "explore recordings.npz --compare SSD",
    "explore PATH --organize Comraf": "explore mail.mbox --organize Comraf",
    "explore PATH --organize MDC(restarts=10)": "explore mail.mbox --organize 'MDC(restarts=10)'",
    "explore PATH --organize Comraf(graph='members-words, members-correspondents')": (
        "explore mail.mbox --organize \"Comraf(graph='members-words, members-correspondents')\""
    ),
    "explore PATH --segment": "explore day.npz --segment",
    "explore --organize": "explore table.csv --organize Medoids",
    "explore --memory 4GB": "explore table.csv --memory 4GB",
    "runs": "runs",
    "report RUN": "report mail-1",
    "resume RUN": "resume topics-1",
    "resume NAME": "resume topics-1",
    "add RUN PATH": "add topics-1 next_month",
    "add RUN more.mbox": "add mail-1 more.mbox",
    "add RUN newer.npz": "add recordings-1 newer.npz",
    "add NAME NEW_PATH": "add topics-1 next_month",
    "add topics NEW_PATH": "add topics later",
    "add RUN new.csv --vectors new.npy": "add topics-1 next_month",
    "explore recordings/ --vectors birdnet/": "explore texts.csv --vectors emb.npy",
    "neighbors RUN ID": "neighbors topics-1 topics-007",
    "explain RUN ID ID": "explain mail-1 mail:0 mail:1",
    "explain RUN MEMBER MEMBER": "explain mail-1 mail:0 mail:1",
    "explain RUN MESSAGE-ID MESSAGE-ID": "explain mail-1 mail:0 mail:1",
    "explain RUN --group 2": "explain mail-1 --group 2",
    "compare RUN RUN": "compare mail-1 mail-2",
    "judge RUN --truth COLUMN": "judge topics-1 --truth group",
    "search PATH": "search articles",
    "search PATH < queries.txt": "search articles < queries.txt",
    "search PATH space shuttle launch": "search articles 'space shuttle launch'",
    "search PATH a query": "search articles 'a query'",
    "search PATH --topics topics.txt --qrels qrels.txt": "search articles --topics topics.txt --qrels qrels.txt",
    "search PATH --topics FILE --qrels FILE --scorer NAME": "search articles --topics topics.txt --qrels qrels.txt --scorer bm25",
    "search PATH --with lsa --topics test.txt --qrels test.qrels --dev-topics dev.txt --dev-qrels dev.qrels": (
        "search articles --with lsa --topics test.txt --qrels test.qrels --dev-topics dev.txt --dev-qrels dev.qrels"
    ),
    "categorize PATH --labels labels.csv": "categorize articles --labels labels.csv",
    "categorize PATH --labels labels.csv --out predicted.csv": "categorize articles --labels labels.csv --out predicted.csv",
    "cluster PATH --labels FILE": "cluster articles --labels labels.csv",
    "cluster mails.mbox --labels labels.csv": "cluster mails.mbox --labels mail_labels.csv",
    "core PATH": "core pages",
    "divergence A B --test": "divergence A.csv B.csv --test",
    "compare-systems A.csv B.csv": "compare-systems svm.csv bayes.csv",
    "replay RUN next_month/": "replay topics-1 next_month/",
    "replay NAME month2.csv": "replay notes-1 month2.csv",
    "steer": "steer notes-1",
    "steer RUN": "steer topics-1",
    "steer PATH": "steer reviews",
    "steer NAME --do merge 1 3 --do rename 1 Tea": "steer notes-1 --do 'merge 1 2' --do 'rename 1 Tea'",
    "methods [NAME]": "methods",
    "methods NAME": "methods SSD",
    "reproduce NAME": "reproduce rankings",
    "reproduce NAME --data DIR": "reproduce rankings --data .",
    "reproduce NAME --page FILE": "reproduce rankings --page page.html",
    "reproduce NAME --quick": "reproduce rankings --quick",
    "reproduce NAME --check FILE": "reproduce rankings --check coterie_runs/reproduced/rankings.json",
    "reproduce --evidence FOLDER PAGE": "reproduce --evidence evidence page.md",
    "COMMAND --help": "explore --help",
}
# What stands for such a word in lines that are not listed above.
USUALLY = {
    "PATH": "articles",
    "RUN": "topics-1",
    "NAME": "topics-1",
    "ID": "topics-007",
    "COLUMN": "group",
    "DIR": "elsewhere",
}
# What is told to commands that ask.
TYPED = {"steer": "show\nquit\n", "search": "kettle\n\n"}
# What is not run as it is shown, and why; its words and options are read as they would be.
NOT_RUN = {
    "serve": "a server does not end by itself",
    "reproduce": "an experiment takes minutes, or data that is not here",
    "--cluster": "there are no workers at that address",
    "--device": "there is no such device here",
    "--embed": "there is no model of that name here",
}
# What must have been run before others.
FIRST = (
    "reproduce rankings",
    "explore sample:topics",
    "explore mail.mbox",
    "explore notes.csv --text said",
    "explore letters --views en de fr",
    "explore photos/",
    "explore recordings.npz",
    "explore mail.mbox --organize Comraf",
)
# Options that make a command quick and leave what it does.
QUICK = {
    "explore": ("--nulls", "0"),
    "cluster": ("--nulls", "0"),
    "divergence": ("--permutations", "20"),
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch) -> Path:
    """A folder with everything that is named, which is the present one; the store is in it."""
    place = tmp_path / "desk"
    lay_out(place)
    (place / "evidence").mkdir()
    shutil.copy(DOCS / "evidence" / "rankings.json", place / "evidence")
    monkeypatch.chdir(place)
    monkeypatch.delenv("COTERIE_STORE", raising=False)
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    return place


def instead(line: Line) -> list[str]:
    """The words that are typed for a line as it is shown."""
    if line.page.endswith("how-to/mail.md") and line.text == "explore PATH":
        return ["explore", "mail.mbox"]
    if line.text in INSTEAD:
        return shlex.split(INSTEAD[line.text])
    return [USUALLY.get(word, word) for word in line.words]


def read_only(words: list[str]) -> None:
    """Read the words of a command as it would, without doing what it says."""
    command = door.get_command(click.Context(door), words[0])
    assert command is not None
    command.make_context(words[0], list(words[1:]), resilient_parsing=False)
    if words[0] == "reproduce" and words[1:] and not words[1].startswith("-"):
        from coterie_papers.experiments import find

        find(words[1])


def told_short(words: list[str]) -> list[str]:
    """The words with what makes the command quick, unless it is said."""
    more = QUICK.get(words[0], ())
    if words[:2] == ["reproduce", "rankings"] and "--check" not in words:
        more = ("--quick",)
    return [*words, *more] if more and more[0] not in words else words


def test_every_shown_command_runs(desk: Path, monkeypatch) -> None:
    lines = shown()
    assert len(lines) > 80
    typed = {line.text: instead(line) for line in lines}
    order = [*(shlex.split(text) for text in FIRST), *typed.values()]
    done: dict[str, str] = {}
    begun = time.process_time()
    for words in order:
        called = shlex.join(words)
        if called not in done:
            done[called] = _run(words, desk, monkeypatch)
    spent = time.process_time() - begun
    failed = {called: said for called, said in done.items() if said}
    assert not failed, "\n\n".join(f"coterie {called}\n{said}" for called, said in failed.items())
    assert spent < MOST, f"the shown commands take {spent:.0f} s of one core"


def _run(words: list[str], desk: Path, monkeypatch) -> str:
    """Run one, and give what is wrong with it; nothing where it went well."""
    if any(word in NOT_RUN for word in words) and not _able(words):
        try:
            read_only(words)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""
    words = [_named(word) for word in words]
    text = TYPED.get(words[0], "")
    if "<" in words:
        text = (desk / words[words.index("<") + 1]).read_text(encoding="utf-8")
        words = words[: words.index("<")]
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    said = coterie(*told_short(words))
    kept = desk / "coterie_runs" / "reproduced" / "rankings.json"
    if words[:2] == ["reproduce", "rankings"] and said.code == 0 and not kept.exists():
        shutil.copy(
            kept.with_name("rankings.quick.json"), kept
        )  # a whole result would have this name
    return (
        ""
        if said.code == 0 and "Traceback" not in said.err
        else f"status {said.code}\n{said.out[-600:]}{said.err[-600:]}"
    )


def _able(words: list[str]) -> bool:
    """Whether a command of those that are not run can be run after all."""
    return words[0] == "reproduce" and (
        len(words) == 1 or words[1] in ("rankings", "--evidence", "--coverage")
    )


def _named(word: str) -> str:
    """A member of the run on mail, where one is meant by its place."""
    if not word.startswith("mail:"):
        return word
    from coterie.run.store import Store

    return str(Store().open("mail-1").collection().ids[int(word[5:])])


def test_lines_are_read_from_blocks_and_sentences() -> None:
    page = (
        "```python\nimport coterie\n```\ntext `coterie add` and `coterie runs --help` here\n\n"
        '```\n$ coterie judge mail --truth "my column"     how good\nother line\n```\n\n    coterie steer RUN   # edits\n'
    )
    assert command_lines(page) == [
        ["runs", "--help"],
        ["judge", "mail", "--truth", "my column"],
        ["steer", "RUN"],
    ]


def test_stand_ins_are_of_lines_that_are_shown() -> None:
    texts = {line.text for line in shown()}
    assert set(INSTEAD) <= texts, sorted(set(INSTEAD) - texts)
    assert {name for name in NOT_RUN if not name.startswith("-")} <= set(COMMANDS)
    assert all(reason for reason in NOT_RUN.values())
