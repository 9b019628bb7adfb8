"""Mail: an archive without folders becomes folders, and next month's mail goes into them.

You have years of mail in one mailbox and never sorted it. You want to know what is in it, make folders of it, and have new
messages go where they belong. Needs no extra: `pip install coterie`.

    python mail.py                   on generated mail
    python mail.py --data DIR        on the SpamAssassin mail corpus, as DIR/spamassassin_mail/mail.parquet
"""

from __future__ import annotations

import email.utils
import mailbox
import re
from collections import Counter
from email.message import EmailMessage
from pathlib import Path

import numpy as np
from story import Story

import coterie
from coterie import show
from coterie.collect.samples import write_mailbox
from coterie.core.findings import Grid
from coterie.run import Steering
from coterie.run.questions import add
from coterie.show import grid, map

READ = 3  # messages of each group that the person reads


def main() -> None:
    story = Story("mail", __doc__)
    older, newer, lists = (
        small_world(story)
        if (folder := story.data("spamassassin_mail")) is None
        else corpus(story, folder)
    )

    # What is in the mailbox?
    found = coterie.explore(older, store=story.out / "runs", name="mail", **story.choices(k=6))
    story.say(*_without_names(found), place="seen")
    story.picture("map", map.draw(found.findings.map, found.labels, numbers=True))

    # You read three messages of each group, say what it is about, and unite groups of one name.
    steering = Steering(found.run)
    folders = {}
    for group in found.findings.groups:
        read = [lists[found.findings.ids[at]] for at in group.typical[:READ]]
        name = Counter(read).most_common(1)[0][0]
        number = group.label + 1
        if name in folders:
            steering.merge(folders[name], number)
        else:
            steering.rename(number, name)
            folders[name] = number
    state = steering.state
    put = {
        member: state.names[at]
        for member, at in zip(steering.ids, state.labels.tolist(), strict=True)
        if at >= 0
    }

    # The mail of the next weeks goes into the folders.
    placed = add(found.run.name, newer, store=story.out / "runs")
    later = {member: name for member, name, _, _ in placed.rows()}

    strangers = [
        member for (member, *_), fits in zip(placed.rows(), placed.fits, strict=True) if not fits
    ]
    tell(story, found, lists, put, later, strangers)
    show.write(steering.steered(), story.out / "report.html")
    story.end()


def tell(story: Story, found, lists, put, later, strangers: list[str]) -> None:
    """Tables and pictures of what was found, beside the mailing lists that the messages came from."""
    ids = list(found.findings.ids)
    labels = found.labels
    names = sorted({lists[member] for member in ids})
    shares = np.array([[lists[m] == name for name in names] for m in ids], dtype=float)
    rows = np.array([shares[labels == group.label].mean(axis=0) for group in found.findings.groups])
    numbers = tuple(f"group {group.label + 1}" for group in found.findings.groups)
    story.picture(
        "lists", grid.draw(Grid("Which lists the groups come from", rows, numbers, tuple(names)))
    )
    plain = _plain_words(found)
    told = [
        (
            group.label + 1,
            group.size,
            ", ".join([w for w, _ in group.telling.get("words", ()) if w in plain][:4]),
            put[ids[group.typical[0]]],
        )
        for group in found.findings.groups
    ]
    story.table("groups", ("group", "messages", "told by", "you call it"), told)
    right = {
        name: np.mean([lists[m] == folder for m, folder in some.items()])
        for name, some in (("old", put), ("new", later))
    }
    story.say(
        f"You read {READ * len(told)} of {len(ids):,} messages and have {len(set(put.values()))} folders of {len(names)} lists.",
        f"{right['old']:.0%} of the messages are in the folder of their list.",
        f"Of {len(later):,} later messages {right['new']:.0%} went into the folder of their list.",
        f"{len(strangers)} of them fit nowhere well; {sum(lists[m] == later[m] for m in strangers)} of these are in the folder "
        "of their list all the same.",
        place="decided",
    )
    story.note(
        members=f"{len(ids):,}", later=f"{len(later):,}", read=READ * len(told), lists=len(names)
    )


def _plain_words(found) -> set[str]:
    """Words that may stand on a page: mostly written small, and no part of an address, so that no person is named."""
    written = Counter(re.findall(r"\w+", " ".join(found.collection.view("text"))))
    people = set(
        re.split(
            r"[^a-z]+", " ".join(found.collection.links["members", "correspondents"].cols).lower()
        )
    )
    small = {
        word
        for word, times in written.items()
        if word.islower() and times > written[word.capitalize()]
    }
    return {
        word for word in small - people if "ufffd" not in word
    }  # which stands for a letter that was lost


def _without_names(found) -> list[str]:
    """The sentences without those that name a group, whose words may be names of people."""
    named = [found.findings.overview.largest, *(group.name for group in found.findings.groups)]
    return [
        sentence
        for sentence in found.sentences()
        if not any(name and name in sentence for name in named)
    ]


# ---- the mail ---------------------------------------------------------------------------------------------------------------


def small_world(story: Story) -> tuple[Path, Path, dict[str, str]]:
    """Generated mail in six circles of people: a mailbox, a later one, and the circle of every message by its id."""
    n, whole = (60, 80) if story.small else (240, 300)
    circles = write_mailbox(story.desk / "whole.mbox", whole)
    lists = {
        f"{at}@example.org": f"circle {circle + 1}" for at, circle in enumerate(circles.tolist())
    }
    box = list(mailbox.mbox(story.desk / "whole.mbox"))
    return (
        _written(story.desk / "older.mbox", box[:n]),
        _written(story.desk / "newer.mbox", box[n:]),
        lists,
    )


def corpus(story: Story, folder: Path) -> tuple[Path, Path, dict[str, str]]:
    """Mail of twelve mailing lists by date: 1,200 messages, the 300 after them, and the list of every message by its id."""
    import pyarrow.parquet as pq

    rows = [
        row
        for row in pq.read_table(folder / "mail.parquet").to_pylist()
        if row["list"] and not int(row["spam"])
    ]
    sizes = Counter(row["list"] for row in rows)
    rows = [row for row in rows if sizes[row["list"]] >= 50]
    drawn = np.random.default_rng(0).permutation(len(rows))[:1500]
    rows = sorted((rows[at] for at in drawn), key=_date)
    box = [_message(at, row) for at, row in enumerate(rows)]
    lists = {f"{at}@archive": row["list"] for at, row in enumerate(rows)}
    return (
        _written(story.desk / "older.mbox", box[:1200]),
        _written(story.desk / "newer.mbox", box[1200:]),
        lists,
    )


def _message(at: int, row: dict[str, str]) -> EmailMessage:
    """One message; the tag of the list in its subject is taken off, so that the list is not simply read off it."""
    message = EmailMessage()
    message["Message-ID"] = f"<{at}@archive>"
    for header, column in (("From", "sender"), ("To", "to"), ("Cc", "cc"), ("Date", "date")):
        if row[column]:
            message[header] = " ".join(row[column].split()).encode("ascii", "ignore").decode()
    message["Subject"] = re.sub(r"\[[^\]]*\]", "", " ".join((row["subject"] or "").split()))
    message.set_content(row["body"] or "")
    return message


def _date(row: dict[str, str]) -> float:
    try:
        return email.utils.parsedate_to_datetime(row["date"]).timestamp()
    except (TypeError, ValueError):
        return 0.0


def _written(path: Path, messages: list) -> Path:
    box = mailbox.mbox(path)
    for message in messages:
        box.add(message)
    box.close()
    return path


if __name__ == "__main__":
    main()
