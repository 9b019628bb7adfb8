"""Notes on an exploration: a sentence for a person, with the fact beside it as a code and its values; and pieces of sentences.

Whoever wants to know what a note is about looks at `code` and `values`; nothing reads the sentence again. Pieces are counts with
their nouns, and names in a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.core.findings import Naming


def count_groups(k: int) -> str:
    """A number of groups.

    >>> count_groups(1), count_groups(3)
    ('1 group', '3 groups')
    """
    return "1 group" if k == 1 else f"{k} groups"


def count_things(count: int, one: str, more: str = "") -> str:
    """A number of things.

    >>> count_things(1, "value"), count_things(2000, "category", "categories")
    ('1 value', '2,000 categories')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def singular(plural: str) -> str:
    """The singular of what members are called: texts, rows, recordings.

    >>> singular("messages")
    'message'
    """
    return plural.removesuffix("s")


def join_names(names: Sequence[str]) -> str:
    """Names in a row.

    >>> join_names(["en"]), join_names(["en", "de", "fr"])
    ('en', 'en, de and fr')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_STRANGERS = 8  # members that fit nowhere and are named


class Note(str):
    """A sentence that knows what it says.

    >>> note = note_unused_links(["citations"])
    >>> note.code, note.values
    ('unused_links', {'names': ('citations',)})
    """

    __slots__ = ("code", "values")
    code: str
    values: Mapping[str, Any]

    def __new__(cls, sentence: str, code: str, **values: Any) -> Note:
        note = super().__new__(cls, sentence)
        note.code = code
        note.values = values
        return note

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, Any]]:
        return (str(self), self.code), dict(self.values)


def code_of(note: str) -> str:
    """What a note is about; empty for one that a reader or a method wrote in its own words."""
    return note.code if isinstance(note, Note) else ""


def note_of_part(name: str, note: str) -> Note:
    """A note on one of several parts, which is named; it is about the same."""
    values = note.values if isinstance(note, Note) else {}
    return Note(f"{name}: {note}", code_of(note), **values)


def note_empty(count: int, whole: int, column: str) -> Note:
    """Members have an empty text."""
    said = f"{count} of {whole} members have an empty '{column}'."
    return Note(said, "empty", count=count, column=column)


def note_answers(names: Sequence[str]) -> Note:
    """Columns look like answers, and members were not compared by them."""
    if len(names) == 1:
        said = f"Column '{names[0]}' looks like an answer, so members are not compared by it"
        return Note(f"{said}; name it in 'use' to take it.", "like_truth", names=tuple(names))
    them = ", ".join(f"'{name}'" for name in names)
    said = f"Columns {them} look like answers, so members are not compared by them"
    return Note(f"{said}; name one in 'use' to take it.", "like_truth", names=tuple(names))


def note_unused_links(names: Sequence[str]) -> Note:
    """Links were read and do not count, because the members have columns."""
    them = ", ".join(f"'{name}'" for name in names)
    return Note(
        f"Members are grouped by their columns, and not by {them}; organize MDC groups them by "
        "what they are tied to.",
        "unused_links",
        names=tuple(names),
    )


def note_one_view(view: str, names: Sequence[str]) -> Note:
    """One of several views of a kind was analyzed, and nobody chose it."""
    every = "both" if len(names) == 2 else "all of them"
    return Note(
        f"Walked on '{view}' alone; views {' '.join(names)} groups by {every}.",
        "one_view",
        view=view,
        names=tuple(names),
    )


def note_vectors(
    dimension: int, shortest: float, longest: float, is_unit: bool, zeros: int
) -> Note:
    """Vectors were given: how many numbers they have, and how long they are."""
    long = "of length one" if is_unit else f"of lengths from {shortest:.3g} to {longest:.3g}"
    zero = f"; {zeros:,} of them {'is' if zeros == 1 else 'are'} zero" if zeros else ""
    return Note(
        f"Vectors of {dimension:,} numbers, {long}{zero}; near means a small angle between them.",
        "vectors",
        dimension=dimension,
        shortest=shortest,
        longest=longest,
        zeros=zeros,
    )


def note_unused_vectors(count: int, where: str) -> Note:
    """Vectors were given of ids that no member has."""
    are = "1 vector is" if count == 1 else f"{count:,} vectors are"
    return Note(
        f"{are} in '{where}' whose ids no member has; not used.", "unused_vectors", count=count
    )


def note_try_word_vectors() -> Note:
    """Words alone found nothing, and vectors of words, which may find more, are not installed."""
    return Note(
        "Words alone found nothing; vectors of words may (pip install 'coterie[embed]'), or vectors of your own given as "
        "vectors.",
        "try_word_vectors",
    )


def note_blank(count: int) -> Note:
    """Members hold nothing that is compared, and are in no group."""
    said = (
        "1 document holds no word that another holds"
        if count == 1
        else f"{count:,} documents hold no word that others hold"
    )
    return Note(f"{said}: in no group.", "blank", count=count)


def note_blank_in_view(view: str, count: int) -> Note:
    """Members hold nothing that is compared in one of several views."""
    who = "1 member holds" if count == 1 else f"{count:,} members hold"
    return Note(f"{who} no word in '{view}' that others hold.", "blank", view=view, count=count)


def note_same_views(one: str, other: str, share: float) -> Note:
    """Two views hold the same for most members."""
    return Note(
        f"The views '{one}' and '{other}' hold the same for {share:.0%} of the members, and agree "
        "by that alone; are they the same view twice?",
        "same_views",
        views=(one, other),
        share=share,
    )


def note_disagreement(count: int, some: Sequence[str]) -> Note:
    """Views put members into different groups; a few are named."""
    who = "1 member is" if count == 1 else f"{count:,} members are"
    named = ", ".join(some) + (", ..." if count > len(some) else "")
    return Note(
        f"{who} put into different groups by the views, each by itself: {named}.",
        "views_disagree",
        count=count,
        some=tuple(some),
    )


def note_broken_pairs(count: int, total: int, one: str, other: str) -> Note:
    """Pairs that a person gave were not kept; one is named."""
    are = "is" if count == 1 else "are"
    pairs = f"{total:,} pair{'' if total == 1 else 's'}"
    return Note(
        f"{count} of {pairs} {are} not kept, such as {one} and {other}.",
        "broken_pairs",
        count=count,
        total=total,
        first=(one, other),
    )


def note_lacking(kept: int, whole: int, lost: int, some: Sequence[str], every: str) -> Note:
    """Members that some view lacks are left out; a few are named, with what they lack."""
    verb = "is" if kept == 1 else "are"
    told = ", ".join([*some, *(["..."] if lost > len(some) else [])])
    gone = f"{lost:,} {'is' if lost == 1 else 'are'} left out ({told})"
    return Note(
        f"{kept:,} of {whole:,} members {verb} in {every} views; {gone}.",
        "lacking",
        kept=kept,
        lost=lost,
    )


def note_put_back(group: str, count: int, before: str) -> Note:
    """New members were put into a group by the members that stand for it."""
    who, were = ("1 new member is", "was") if count == 1 else (f"{count:,} new members are", "were")
    return Note(
        f"{who} nearest to members that stand for {group} and {were} put there, though found with "
        f"{before}.",
        "put_back",
        group=group,
        count=count,
    )


def note_added(count: int, strangers: Sequence[str]) -> Note:
    """Members were placed later; those that fit nowhere are named."""
    said = f"{count:,} members were added later" if count > 1 else "1 member was added later"
    if strangers:
        some = ", ".join(strangers[:_STRANGERS]) + (" ..." if len(strangers) > _STRANGERS else "")
        fit = "fits" if len(strangers) == 1 else "fit"
        said = f"{said}; {len(strangers):,} of them {fit} nowhere well: {some}"
    return Note(f"{said}.", "added", count=count, strangers=len(strangers))


def write_name(naming: Naming, label: int) -> str:
    """The name of a group, from what it is made of and its number from 0.

    >>> from coterie.core.findings import Naming
    >>> write_name(Naming("traits", ("alcohol low", "hue high")), 0), write_name(Naming(), 2)
    ('alcohol low, hue high', 'group 3')
    """
    if naming.by == "exemplar":
        return f"like {naming.parts[0]}"
    return ", ".join(naming.parts) or f"group {label + 1}"
