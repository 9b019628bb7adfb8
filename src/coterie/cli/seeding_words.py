"""Words of a seeding session: what can be said, and the groups as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

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
    from coterie.run.bundle import write_text
    from coterie.run.session_words import groups_csv

    if path.suffix not in (".csv", ".json"):
        raise DataError(
            f"Groups are written to a .csv file and everything to a .json file, and '{path.name}' is neither."
        )
    text = groups_csv(session)  # refused where nothing is clustered yet
    write_text(
        path,
        text
        if path.suffix == ".csv"
        else json.dumps(session.export(), indent=1, ensure_ascii=False) + "\n",
    )
