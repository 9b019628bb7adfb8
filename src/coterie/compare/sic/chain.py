"""The whole chain of a conditional random field: trained by python-crfsuite, decoded with null and in imposed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.core.text import TaggedText

NULL = "null"
IN = "in"
# what stands beside the first token of a mention
_NONE = 0
_NULL = 1
_IN = 2
_MENTION = 3


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Weights of label pairs: rows of `enter` (what stands before) and `leave` (what follows) by the codes above."""

    enter: np.ndarray  # (4, labels)
    leave: np.ndarray  # (4, labels)
    between: np.ndarray  # (labels, labels): a mention right after another of one token


def kinds_of(text: TaggedText) -> np.ndarray:
    """For every token: outside a mention (null), continuing one (in), or the first of one."""
    kinds = np.full(len(text.tokens), _NULL, dtype=np.int64)
    for first, end in text.spans:
        kinds[first:end] = _IN
    kinds[text.spans[:, 0]] = _MENTION
    return kinds


def neighbors_of(text: TaggedText) -> tuple[np.ndarray, np.ndarray]:
    """What stands right before and right after the first token of every span, inside its sentence."""
    kinds = kinds_of(text)
    first = text.spans[:, 0]
    sentence = text.sentence_of()
    before = np.where(first > text.offsets[sentence], kinds[np.maximum(first - 1, 0)], _NONE)
    inside = first + 1 < text.offsets[sentence + 1]
    return before, np.where(inside, kinds[np.minimum(first + 1, len(kinds) - 1)], _NONE)


def decoded(scores: np.ndarray, before: np.ndarray, after: np.ndarray, edges: Edges) -> np.ndarray:
    """The best label of every span (spans in the order of the text) under the constraints.

    A mention beside fixed labels is decided alone; a run of one-token mentions side by side by the best path through it.
    """
    own = scores + edges.enter[before] + edges.leave[after]
    best = own.argmax(axis=1)
    follows = before == _MENTION
    for start in np.flatnonzero(~follows & np.append(follows[1:], False)):
        end = start + 1
        while end < len(own) and follows[end]:
            end += 1
        best[start:end] = _path(own[start:end], edges.between)
    return np.asarray(best)


def _path(own: np.ndarray, between: np.ndarray) -> np.ndarray:
    """The labels with the largest sum of own and pair scores (Viterbi)."""
    reached = own[0]
    came = []
    for row in own[1:]:
        through = reached[:, None] + between
        came.append(through.argmax(axis=0))
        reached = through.max(axis=0) + row
    labels = [int(reached.argmax())]
    for back in reversed(came):
        labels.append(int(back[labels[-1]]))
    return np.array(labels[::-1])


def trained_chain(
    text: TaggedText,
    tokens: Any,
    members: np.ndarray,
    codes: np.ndarray,
    c2: float,
    max_iterations: int,
) -> tuple[np.ndarray, np.ndarray, Edges]:
    """Attributes used, their weights for each label, and the weights of label pairs, from the sentences of these mentions.

    `tokens` has a row of attributes for every token of the text. The model file lives in a folder that is gone afterwards.
    """
    crfsuite = need("pycrfsuite", extra="crf")
    trainer = crfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": c2,
            "max_iterations": max_iterations,
            "feature.possible_transitions": False,
        }
    )
    for items, names in chains(text, tokens, members, codes):
        trainer.append(items, names)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "model")
        trainer.train(file)
        tagger = crfsuite.Tagger()
        with tagger.open(file):
            info = tagger.info()
    return _read(info.state_features, info.transitions, int(codes.max()) + 1)


def chains(
    text: TaggedText, tokens: Any, members: np.ndarray, codes: np.ndarray
) -> Iterator[tuple[list[list[str]], list[str]]]:
    """The sentences of these mentions as (attributes, label) per token; cut where a mention has no label."""
    kinds = kinds_of(text)
    label = {int(text.spans[m, 0]): str(c) for m, c in zip(members, codes.tolist(), strict=True)}
    for sentence in np.unique(text.sentence_of()[members]):
        items: list[list[str]] = []
        names: list[str] = []
        skipped = False
        for at in range(int(text.offsets[sentence]), int(text.offsets[sentence + 1])):
            skipped = kinds[at] != _NULL and (at not in label if kinds[at] == _MENTION else skipped)
            if not skipped:
                items.append(
                    [str(a) for a in tokens.indices[tokens.indptr[at] : tokens.indptr[at + 1]]]
                )
                names.append(NULL if kinds[at] == _NULL else IN if kinds[at] == _IN else label[at])
            elif names:
                yield items, names
                items = []
                names = []
        if names:
            yield items, names


def _read(
    states: Mapping[tuple[str, str], float], pairs: Mapping[tuple[str, str], float], width: int
) -> tuple[np.ndarray, np.ndarray, Edges]:
    """What crfsuite calls its weights, as arrays; those of null and in alone play no part in a decision."""
    told = {key: weight for key, weight in states.items() if key[1] not in (NULL, IN)}
    used = np.unique(np.array([int(attribute) for attribute, _ in told], dtype=np.int64))
    values = np.zeros((len(used), width))
    for (attribute, name), weight in told.items():
        values[np.searchsorted(used, int(attribute)), int(name)] = weight
    edges = Edges(np.zeros((4, width)), np.zeros((4, width)), np.zeros((width, width)))
    fixed = {NULL: _NULL, IN: _IN}
    for (one, other), weight in pairs.items():
        if one in fixed and other not in fixed:
            edges.enter[fixed[one], int(other)] = weight
        elif other in fixed and one not in fixed:
            edges.leave[fixed[other], int(one)] = weight
        elif one not in fixed:
            edges.between[int(one), int(other)] = weight
    return used, values, edges
