"""Generated mentions in tagged text: six classes of names in a made-up language, with cue words beside them and name lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.collect.invented import vocabulary
from coterie.collect.tagged import sentences_around
from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.random import streams
from coterie.core.text import TaggedText

CLASSES = ("person", "place", "firm", "date", "amount", "product")
LISTS = tuple(f"list of {name}s" for name in CLASSES)  # the feature columns that make the text rich
# common words, their parts of speech, cue words per class and side
_FILLER = 3000
_TAGS = 8
_CUES = 8
# share of the forms on a list, and of these on the wrong one
_KNOWN = 0.6
_WRONG = 0.05
# forms shared with the next class, forms of two tokens, names with the usual tag
_SHARED = 0.1
_TWO = 0.3
_VAGUE = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class _Language:
    """Forms of each class with how often each is used and its list, cue words before and after, and common words."""

    forms: Sequence[Sequence[tuple[str, ...]]]
    usage: Sequence[np.ndarray]
    share: np.ndarray  # how often each class is met: as it has forms
    listed: dict[tuple[str, ...], int]  # form -> the list it is on
    cues: Sequence[Sequence[Sequence[str]]]  # side, class, word
    filler: Sequence[str]
    tags: np.ndarray  # of the common words


def tagged_mentions(cue: float = 0.7, sentences: int = 700, random_state: Any = 0) -> Collection:
    """Names of six classes in sentences of common words; a cue word of the class stands before a name with chance `cue`.

    One stands after it with chance 0.6 `cue`. Features are pos, bio, and one column per name list ("yes" for the forms on
    it, empty for all others); leave those out for the plain text. The truth "type" is the class.

    >>> tagged_mentions(sentences=50).kind
    'tagged'
    """
    if not 0 <= cue <= 1:
        raise ParameterError(f"cue must be from 0 to 1, and was {cue!r}.")
    if sentences < 1:
        raise ParameterError(f"sentences must be at least 1, and was {sentences!r}.")
    words, what = streams(random_state, 2)
    tongue = _language(words)
    rows: list[tuple[str, str, str, int]] = []  # token, tag, bio, list
    offsets = [0]
    spans = []
    kinds = []
    for _ in range(sentences):
        rows += _common(tongue, int(what.integers(1, 5)), what)
        for _ in range(int(what.integers(1, 4))):
            kind = int(what.choice(len(CLASSES), p=tongue.share))
            rows += _cue(tongue, 0, kind, what) if what.random() < cue else []
            form = tongue.forms[kind][what.choice(len(tongue.usage[kind]), p=tongue.usage[kind])]
            spans.append((len(rows), len(rows) + len(form)))
            kinds.append(CLASSES[kind])
            rows += _name(form, kind, tongue, what)
            rows += _cue(tongue, 1, kind, what) if what.random() < 0.6 * cue else []
            rows += _common(tongue, int(what.integers(2, 6)), what)
        rows.append((".", "punctuation", "O", -1))
        offsets.append(len(rows))
    return _collected(rows, offsets, spans, kinds)


def plain(collection: Collection) -> Collection:
    """The same mentions without the columns of the name lists."""
    view = collection.view("mentions")
    assert isinstance(view, TaggedText)
    features = {name: column for name, column in view.features.items() if name not in LISTS}
    return replace(collection, views={"mentions": replace(view, features=features)})


def _collected(
    rows: list[tuple[str, str, str, int]],
    offsets: list[int],
    spans: list[tuple[int, int]],
    kinds: list[str],
) -> Collection:
    tokens, tags, bio, lists = (np.array(column) for column in zip(*rows, strict=True))
    features = {
        "pos": tags,
        "bio": bio,
        **{name: np.where(lists == at, "yes", "") for at, name in enumerate(LISTS)},
    }
    view = TaggedText(tokens, np.array(offsets), np.array(spans), features)
    width = len(str(len(spans) - 1))
    return Collection(
        [f"{at:0{width}d} {view.surface(at)}" for at in range(len(spans))],
        {"mentions": view},
        truth={"type": np.array(kinds)},
        name="mentions",
        cards={
            "mention": [view.surface(at) for at in range(len(spans))],
            "sentence": sentences_around(view),
        },
    )


def _language(generator: np.random.Generator) -> _Language:
    """Words, forms, lists and cues."""
    n_cues = 2 * len(CLASSES) * _CUES
    words = vocabulary(_FILLER + n_cues + 2400, generator)
    filler = words[:_FILLER]
    cue_words = words[_FILLER : _FILLER + n_cues]
    names = iter(words[_FILLER + n_cues :])
    forms: list[list[tuple[str, ...]]] = []
    for _ in CLASSES:
        size = int(generator.integers(60, 161))
        forms.append(
            [
                tuple(next(names).capitalize() for _ in range(1 + (generator.random() < _TWO)))
                for _ in range(size)
            ]
        )
    listed: dict[tuple[str, ...], int] = {}
    for kind, own in enumerate(forms):
        for form in own:
            if generator.random() < _KNOWN:
                listed[form] = (
                    int(generator.integers(len(LISTS))) if generator.random() < _WRONG else kind
                )
    both = [
        own + after[: round(_SHARED * len(own))]
        for own, after in zip(forms, [*forms[1:], forms[0]], strict=True)
    ]
    usage = [generator.dirichlet(np.full(len(own), 0.5)) for own in both]
    cues = np.array(cue_words).reshape(2, len(CLASSES), _CUES).tolist()
    sizes = np.array([len(own) for own in forms])
    return _Language(
        both,
        usage,
        sizes / sizes.sum(),
        listed,
        cues,
        filler,
        generator.integers(_TAGS, size=_FILLER),
    )


def _common(
    tongue: _Language, n: int, generator: np.random.Generator
) -> list[tuple[str, str, str, int]]:
    """Common words, frequent ones often."""
    chance = 1.0 / np.arange(1, _FILLER + 1)
    drawn = generator.choice(_FILLER, size=n, p=chance / chance.sum())
    return [(tongue.filler[i], f"tag {tongue.tags[i]}", "O", -1) for i in drawn.tolist()]


def _cue(
    tongue: _Language, side: int, kind: int, generator: np.random.Generator
) -> list[tuple[str, str, str, int]]:
    """One cue word of the class; two or three classes share its tag."""
    word = tongue.cues[side][kind][int(generator.integers(_CUES))]
    return [(word, f"cue {kind // 2 if side == 0 else kind % 2}", "O", -1)]


def _name(
    form: tuple[str, ...], kind: int, tongue: _Language, generator: np.random.Generator
) -> list[tuple[str, str, str, int]]:
    """The tokens of a name; its tag tells its class now and then."""
    tag = "name" if generator.random() < _VAGUE else f"name {kind % 3}"
    known = tongue.listed.get(form, -1)
    return [(token, tag, "B" if at == 0 else "I", known) for at, token in enumerate(form)]
