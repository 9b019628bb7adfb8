"""What is said to the page about edits and groups, and what it answers: the shapes of the API's requests and replies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[int, Field(ge=0, le=1_000_000)]  # of a group, from 1; 0 is none
At = Annotated[int, Field(ge=0, le=100_000_000)]  # where a member stands
Id = Annotated[str, Field(min_length=1, max_length=4_000)]
Order = Literal["sure", "doubtful", "odd", "read"]


class Asking(BaseModel):
    """What is sent; anything else beside it is refused."""

    model_config = ConfigDict(extra="forbid")


class EditAsked(Asking):
    """One edit. Members are ids (text) or positions (numbers); groups are numbers from 1, where 0 is none."""

    kind: Literal[
        "merge", "split", "move", "lock", "unlock", "rename", "together", "apart", "label"
    ]
    groups: list[Number] = Field(default=[], max_length=1_000)
    members: list[At | Id] = Field(default=[], max_length=100_000)
    name: str = Field(default="", max_length=200)


class UndoAsked(Asking):
    """An undo; `seen` is how many lines of the log the person knew, so that nobody takes back what another just did."""

    seen: int | None = Field(default=None, ge=0, le=100_000_000)


class Answer(Asking):
    """What a person says of the two members of a question."""

    members: tuple[At, At]
    said: Literal["together", "apart", "skip"]


class RefitAsked(Asking):
    """A new run with what the edits teach; left out, it has as many groups as there are now."""

    k: int | None = Field(default=None, ge=1, le=10_000)
    name: str = Field(default="", max_length=60)


class GroupNow(BaseModel):
    """A group as it stands."""

    number: int
    name: str
    size: int
    share: float
    confidence: float
    locked: bool
    made: bool  # by hand, so that the run knows nothing else of it
    changed: int  # members who came or went since it was found


class StateNow(BaseModel):
    """The groups of a run as they stand, and what the last edit did."""

    run: str
    said: str  # what was done last, in words; empty where nothing was
    lines: int  # of the log
    edits: int  # that hold
    undo: str  # what an undo would take back, in words; empty where there is nothing
    members: int
    moved: int  # members in another group than the one they were found in
    alone: int  # members in no group
    since: (
        str  # how far it is from what the run found, in a sentence; empty where nothing was changed
    )
    groups: list[GroupNow]


class Line(BaseModel):
    """One line of the log."""

    number: int
    kind: str
    sentence: str
    back: bool  # taken back since


class Change(BaseModel):
    """What became of a group since it was found."""

    number: int
    name: str
    before: int | None  # members when it was found; None where it was made by hand
    now: int | None  # None where it is gone
    sentence: str


class EditsNow(StateNow):
    """The same with every line of the log and what changed since the run."""

    log: list[Line]
    changes: list[Change]


class Member(BaseModel):
    """A member in a list."""

    at: int
    id: str
    title: str  # what it is called: its subject or title, its id where it has none
    line: str
    picture: str  # where its picture is; empty where there is none
    sound: str  # where it can be heard; empty where it cannot
    confidence: float
    group: int
    elsewhere: int  # the group most of its other neighbors are in; 0 where there is none


class Judged(Member):
    """A member with so much of its text that a person can judge it."""

    text: str


class Members(BaseModel):
    """A page of members."""

    total: int
    page: int
    pages: int
    members: list[Member]


class Column(GroupNow):
    """A group with its first members."""

    found: int  # members that fit what is searched for
    first: list[Member]


class Board(BaseModel):
    """All groups side by side; the last one, number 0, holds those in none where there are any."""

    lines: int
    columns: list[Column]


class Half(BaseModel):
    """One part of a group that may be split."""

    size: int
    first: list[Member]


class Halves(BaseModel):
    """The two parts of a group that have least to do with each other; the second would be the new group."""

    group: int
    stays: Half
    goes: Half
    next: int  # number of the new group
    proposed: str = (
        ""  # what it may be called, by what tells it from the rest; empty where nothing does
    )


class QuestionNow(BaseModel):
    """The pair of members whose answer would change most; none where nothing is left to ask."""

    members: list[Judged]
    sentence: str
    pays: bool
    gain: float
    lines: int


class Begun(BaseModel):
    """The new run, and where its page is."""

    run: str
    address: str
    left_out: str = ""  # that members added later are not part of it, in a sentence
