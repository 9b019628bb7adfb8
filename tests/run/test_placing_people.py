"""New mail in a stored run: people who write from another of their addresses are the people the run knows."""

from __future__ import annotations

from pathlib import Path

import coterie
from coterie.collect.mail import read_mail
from coterie.run.engine import load
from coterie.run.placing import read_alike

PLUMS = "apple pear plum cherry orchard ripe fruit basket"
SHIPS = "harbor anchor sail mast rope deck captain crew"


def mailbox(path: Path, *mails: tuple[str, str, str]) -> Path:
    """Messages of (key, sender, words)."""
    top = "From x@y Thu Jan  1 00:00:00 2004\n"
    form = "From: {}\nTo: bob@z.org\nSubject: hello\nMessage-ID: <{}@z>\nDate: Thu, 01 Jan 2004 00:00:00 +0000\n\n{}\n\n"
    path.write_text(
        "".join(top + form.format(sender, key, words) for key, sender, words in mails),
        encoding="utf-8",
    )
    return path


def test_a_known_person_is_known_by_another_address(tmp_path: Path) -> None:
    ann = [
        (f"a{i}", f"Ann Hill <{'ah@y.org' if i % 3 == 0 else 'ann@x.org'}>", PLUMS)
        for i in range(12)
    ]
    cy = [(f"c{i}", "Cy Low <cy@x.org>", SHIPS) for i in range(12)]
    box = mailbox(tmp_path / "a.mbox", *ann, *cy)
    new = mailbox(
        tmp_path / "b.mbox", ("n1", "ah@y.org", "words nobody knows"), ("n2", "dan@x.org", SHIPS)
    )
    assert "ah@y.org" in read_mail(new).links["members", "correspondents"].cols
    found = coterie.explore(box, k=2, nulls=0, store=tmp_path / "runs", name="box")
    for run in (found, load("box-1", store=tmp_path / "runs")):
        for source in (new, read_mail(new)):
            people = read_alike(run, source).links["members", "correspondents"]
            assert list(people.cols) == ["ann@x.org", "bob@z.org", "dan@x.org"]
        assert run.place(new).labels.tolist() == [found.labels[0], found.labels[12]]
