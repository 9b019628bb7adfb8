"""Invented words: pronounceable vocabularies, documents drawn from planted topics, and messages between invented people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import streams

_SOUNDS = {  # what a syllable begins with, and its vowel
    "north": ("b d f g h k l m n r s t v br dr gr kl st", "a e i o u ei"),
    "south": ("c ch j ll p q sh th w x y z pl tw zh", "aa ie oa oo ue y"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Speech:
    """A language of planted topics: word lists of each topic and the words all topics share."""

    topics: Sequence[Sequence[str]]
    shared: Sequence[str]

    def document(
        self, topic: int, length: int, generator: np.random.Generator, own: float = 0.5
    ) -> list[str]:
        """`length` words, a share `own` of them from the topic, frequent ones first in each list."""
        mine = generator.random(length) < own
        theirs = self.topics[topic]
        common = self.shared
        picked = np.where(
            mine, _zipf(generator, len(theirs), length), _zipf(generator, len(common), length)
        )
        return [
            theirs[i] if own_word else common[i] for i, own_word in zip(picked, mine, strict=True)
        ]


def speech(
    n_topics: int, generator: np.random.Generator, sounds: str = "north", n_words: int = 60
) -> Speech:
    """Vocabularies of `n_topics` topics without a common word, beside 120 shared words."""
    words = vocabulary(n_topics * n_words + 120, generator, sounds)
    cut = [words[k * n_words : (k + 1) * n_words] for k in range(n_topics)]
    return Speech(cut, words[n_topics * n_words :])


def vocabulary(n: int, generator: np.random.Generator, sounds: str = "north") -> list[str]:
    """`n` different words of two or three syllables."""
    onsets, vowels = (row.split() for row in _SOUNDS[sounds])
    found: dict[str, None] = {}
    while len(found) < n:
        syllables = int(generator.integers(2, 4))
        parts = zip(
            generator.integers(len(onsets), size=syllables),
            generator.integers(len(vowels), size=syllables),
            strict=True,
        )
        found["".join(onsets[a] + vowels[b] for a, b in parts)] = None
    return list(found)


def _zipf(generator: np.random.Generator, n: int, size: int) -> np.ndarray:
    weights = 1.0 / np.arange(2, n + 2)
    return generator.choice(n, size=size, p=weights / weights.sum())


def prose(words: Sequence[str], generator: np.random.Generator) -> str:
    """Words as sentences with capitals and full stops."""
    sentences = []
    at = 0
    while at < len(words):
        step = int(generator.integers(6, 14))
        sentences.append(" ".join(words[at : at + step]).capitalize() + ".")
        at += step
    return " ".join(sentences)


def messages(
    n: int = 200, n_groups: int = 6, random_state: Any = 0
) -> list[tuple[EmailMessage, int]]:
    """Mail between the people of `n_groups` circles, each with its own theme; every third message answers an earlier one."""
    if n < n_groups:
        raise ParameterError(f"n must be at least the number of groups, {n_groups}, and was {n}.")
    words, who, what = streams(random_state, 3)
    tongue = speech(n_groups, words)
    people = vocabulary(8 * n_groups, words)
    groups = who.permutation(np.arange(n) % n_groups)
    start = datetime(2001, 1, 1, 8, tzinfo=UTC)
    found: list[tuple[EmailMessage, int]] = []
    last: dict[int, EmailMessage] = {}
    for index, group in enumerate(groups.tolist()):
        circle = people[8 * group : 8 * group + 8]
        pair = who.choice(8, size=2, replace=False)
        message = EmailMessage()
        message["From"], message["To"] = (
            f"{circle[i].capitalize()} <{circle[i]}@example.org>" for i in pair
        )
        subject = " ".join(tongue.document(group, 4, what, own=0.7))
        body = prose(tongue.document(group, int(what.integers(30, 90)), what), what)
        before = last.get(group)
        if before is not None and index % 3 == 0:
            subject = "Re: " + str(before["Subject"]).removeprefix("Re: ")
            message["In-Reply-To"] = str(before["Message-ID"])
        message["Subject"] = subject
        message["Date"] = start + timedelta(minutes=37 * index)
        message["Message-ID"] = f"<{index}@example.org>"
        message.set_content(body)
        found.append((message, group))
        last[group] = message
    return found


def write_mailbox(
    path: str | Path, n: int = 200, n_groups: int = 6, random_state: Any = 0
) -> np.ndarray:
    """Write invented mail as one mbox file that must not exist yet; the circle of every message is returned."""
    import mailbox

    if Path(path).exists():
        raise DataError(f"'{path}' is already there; nothing is written over it.")
    made = messages(n, n_groups, random_state)
    box = mailbox.mbox(str(path))
    try:
        for index, (message, _) in enumerate(made):
            entry = mailbox.mboxMessage(message)
            entry.set_from(f"{index}@example.org Mon Jan 01 08:00:00 2001")
            box.add(entry)
        box.flush()
    finally:
        box.close()
    return np.array([group for _, group in made])
