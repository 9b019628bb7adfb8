"""Words of a seeding session: what can be said, what was done in plain words, and the groups as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.organize.comraf.interactive import Session

HELP = {
    "k N [NAME ...]": "how many groups there are, and what they are called",
    "types [TYPE ...]": "the types of features there are; with names: members are clustered by these",
    "words [TYPE] [PART] [by name|rare]": "features of middle frequency to choose from, also those that hold PART",
    "where FEATURE [in TYPE]": "some places where a feature stands",
    "seeds GROUP FEATURE ... [in TYPE]": "write down the seeds of a group; seeds alone shows all",
    "cluster": "cluster the members: by the seeds, or again by the groups of features as they are now",
    "skip": "cluster the members without any seed",
    "review [GROUP] [in TYPE]": "the features of every group, or all of one; * is new, ! was given by you",
    "delete FEATURE ... [in TYPE]": "take features out; they are not proposed again",
    "move FEATURE ... GROUP [in TYPE]": "put features into another group",
    "add FEATURE ... GROUP [in TYPE]": "put more features into a group",
    "settle N GROUP|none": "say to which group an open cluster of features belongs",
    "accept": "the same as cluster, in a review",
    "stop": "end with the groups there are",
    "reopen": "review the features again after the end",
    "show": "where the session stands, with some members of every group",
    "undo": "take back the last choice and what followed from it",
    "log": "all that was done so far",
    "export FILE": "write the groups to a .csv file, or everything to a .json file",
    "quit": "end; the session is kept after every step",
}


def write_groups(session: Session, path: Path) -> None:
    """The members and their groups as a .csv file, or all that the session has as a .json file."""
    from coterie.core.errors import DataError
    from coterie.run.atomic import write_text

    groups, names = session.state.doc_cluster, session.state.group_names
    if not groups:
        raise DataError("Nothing is clustered yet, and there is nothing to write.")
    if path.suffix == ".json":
        write_text(path, json.dumps(session.export(), indent=1, ensure_ascii=False) + "\n")
    elif path.suffix == ".csv":
        page = io.StringIO()
        rows = csv.writer(page, lineterminator="\n")
        rows.writerow(["member", "group"])
        rows.writerows([one, names[groups[one]] if one in groups else ""] for one in session.desk.ids)
        write_text(path, page.getvalue())
    else:
        raise DataError(f"Groups are written to a .csv file and everything to a .json file, and '{path.name}' is neither.")


def told_entry(entry: Mapping[str, Any], names: Sequence[str]) -> str:
    """One line of the log in words.

    >>> told_entry({"do": "move", "type": "words", "features": ["fine"], "to": 0}, ["good", "bad"])
    'moved to good: fine (words)'
    """
    to = entry.get("to")
    group = "no group" if to is None else names[to] if to < len(names) else f"group {to + 1}"
    features = f"{', '.join(entry.get('features', ()))} ({entry.get('type')})"
    return {
        "begin": "begun",
        "groups": f"{entry.get('k')} groups {', '.join(entry.get('names', ()))}".rstrip(),
        "types": f"types {', '.join(entry.get('types', ()))}",
        "draft": f"seeds of {group}: {features}",
        "seeds": "seeds given" if entry.get("groups") else "no seeds",
        "default": "members clustered without seeds",
        "cluster-members": "members clustered",
        "check": "looked for new members",
        "cluster-features": "features clustered",
        "delete": f"deleted: {features}",
        "move": f"moved to {group}: {features}",
        "add": f"added to {group}: {features}",
        "settle": f"open cluster {entry.get('tie', 0) + 1} settled: {group}",
        "accept": f"review {entry.get('iteration')} accepted",
        "stop": "stopped",
        "reopen": "review reopened",
        "undo": f"{entry.get('back')} step{'' if entry.get('back') == 1 else 's'} taken back",
    }[entry["do"]]
