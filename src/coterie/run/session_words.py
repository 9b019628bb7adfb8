"""A session in words and as files: what was done, what a step changed, and the groups as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from coterie.core.errors import DataError
from coterie.organize.comraf.interactive import Session


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


def groups_csv(session: Session) -> str:
    """The members and their groups as the text of a CSV file; who is in none has no name of a group."""
    groups = session.state.doc_cluster
    names = session.state.group_names
    if not groups:
        raise DataError("Nothing is clustered yet, and there is nothing to write.")
    page = io.StringIO()
    rows = csv.writer(page, lineterminator="\n")
    rows.writerow(["member", "group"])
    rows.writerows([one, names[groups[one]] if one in groups else ""] for one in session.desk.ids)
    return page.getvalue()


def told_changes(changed: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """What a step changed, in sentences.

    >>> told_changes({"first": False, "came": 2, "left": 0, "moved": 3, "flows": [[0, 1, 3]]}, ["good", "bad"])
    ['2 members came in.', '3 members changed their group: 3 from good to bad.']
    """
    if changed.get("first"):
        return []
    came, left, moved = (int(changed.get(key, 0)) for key in ("came", "left", "moved"))
    said = [f"{_members(came)} came in."] if came else []
    said += [f"{_members(left)} went out: no word of a group is in them any more."] if left else []
    if moved:
        flows = [
            f"{count:,} from {names[source]} to {names[to]}"
            for source, to, count in changed.get("flows", ())[:4]
        ]
        more = ", and others" if len(changed.get("flows", ())) > 4 else ""
        said.append(
            f"{_members(moved)} changed {'its' if moved == 1 else 'their'} group: {', '.join(flows)}{more}."
        )
    return said or ["No member came in, went out or changed its group."]


def _members(n: int) -> str:
    return f"{n:,} member{'' if n == 1 else 's'}"
