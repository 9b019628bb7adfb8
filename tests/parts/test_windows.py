"""Windows: places around spans stay inside the sentence, attributes match a slow twin, new text keeps the known columns."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import TaggedText
from coterie.core.errors import ParameterError
from coterie.parts.windows import OUTSIDE, attributes, columns_of, in_words, surroundings, window

WORDS = [["The", "cat", "saw", "Ann", "Lee"], ["Ann", "ran"]]
TEXT = TaggedText(
    np.array([word for words in WORDS for word in words]),
    np.array([0, 5, 7]),
    np.array([[1, 2], [3, 5], [5, 6]]),
    {"pos": np.array(["D", "N", "V", "", "P", "P", "V"]), "flag": np.array([0, 0, 0, 1, 1, 1, 0])},
)


def slow_attributes(
    text: TaggedText, offsets: tuple[int, ...], columns: tuple[str, ...]
) -> list[set[str]]:
    found = []
    for first, _ in text.spans:
        sentence = int(np.searchsorted(text.offsets, first, side="right")) - 1
        here = set()
        for column in columns:
            for step in offsets:
                at = first + step
                if not text.offsets[sentence] <= at < text.offsets[sentence + 1]:
                    here.add(in_words(column, step, ""))
                else:
                    value = str(text.tokens[at] if column == "word" else text.features[column][at])
                    here |= {in_words(column, step, value)} if value else set()
        found.append(here)
    return found


def names_of(matrix, names) -> list[set[str]]:
    return [
        {names[j] for j in matrix.indices[a:b]}
        for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    ]


def test_window_never_leaves_the_sentence() -> None:
    seen = window(TEXT, (-1, 0, 1), ("word",))
    assert seen.places == (("word", -1), ("word", 0), ("word", 1))
    words = [
        [str(seen.levels["word"][code]) if code != OUTSIDE else None for code in row]
        for row in seen.codes
    ]
    assert words == [["The", "cat", "saw"], ["saw", "Ann", "Lee"], [None, "Ann", "ran"]]


@pytest.mark.parametrize("offsets", [(0,), (-2, -1, 0, 1, 2), (-4, 3)])
def test_attributes_as_one_by_one(offsets: tuple[int, ...]) -> None:
    matrix, names = attributes(TEXT, offsets)
    assert names_of(matrix, names) == slow_attributes(TEXT, offsets, ("word", "pos", "flag"))
    assert len(set(names)) == len(names) == matrix.shape[1]
    assert (matrix.data == 1).all()
    assert matrix.has_sorted_indices


def test_new_text_keeps_the_columns_and_drops_what_is_unknown() -> None:
    matrix, names = attributes(TEXT)
    known = {name: at for at, name in enumerate(names)}
    again, _ = attributes(TEXT.take([2, 0]), known=known)
    assert (again.toarray() == matrix.toarray()[[2, 0]]).all()
    other = TaggedText(
        np.array(["Bob", "ran"]),
        np.array([0, 2]),
        np.array([[0, 1]]),
        {"pos": np.array(["P", "V"]), "flag": np.array([0, 0])},
    )
    row, _ = attributes(other, known=known)
    assert row.shape == (1, len(names))
    assert "word 1 after is 'ran'" in names_of(row, names)[0]
    assert not any("Bob" in name for name in names_of(row, names)[0])


def test_words_of_an_attribute() -> None:
    assert in_words("word", -2, "van") == "word 2 before is 'van'"
    assert in_words("pos", 0, "N") == "pos is 'N'"
    assert in_words("word", 1, "") == "word 1 after is outside the sentence"


def test_columns_are_checked() -> None:
    assert columns_of(TEXT) == ("word", "pos", "flag")
    assert columns_of(TEXT, ("pos", "pos")) == ("pos",)
    with pytest.raises(ParameterError, match="no column 'lemma'; it has word, pos, flag"):
        columns_of(TEXT, ("lemma",))
    with pytest.raises(ParameterError, match="at least one column"):
        columns_of(TEXT, ())
    with pytest.raises(ParameterError, match="offsets must be whole numbers"):
        window(TEXT, ())


@pytest.mark.parametrize("inside", [True, False])
def test_surroundings_as_one_by_one(inside: bool) -> None:
    for owners in (None, np.array([0, 1, 1])):
        text = TaggedText(TEXT.tokens, TEXT.offsets, TEXT.spans, TEXT.features, owners)
        counts, names = surroundings(text, 2, ("word", "pos"), inside)
        slow = np.zeros((len(text), len(names)))
        for at, (first, end) in enumerate(text.spans):
            sentence = int(np.searchsorted(text.offsets, first, side="right")) - 1
            for t in range(
                max(text.offsets[sentence], first - 2), min(text.offsets[sentence + 1], end + 2)
            ):
                if inside or not first <= t < end:
                    slow[
                        at if owners is None else owners[at], names.index(str(text.tokens[t]))
                    ] += 1
                    if text.features["pos"][t]:
                        slow[
                            at if owners is None else owners[at],
                            names.index(f"pos {text.features['pos'][t]}"),
                        ] += 1
        assert (counts.toarray() == slow).all()
        known = {name: at for at, name in enumerate(names[1:])}
        assert (
            surroundings(text, 2, ("word", "pos"), inside, known)[0].toarray() == slow[:, 1:]
        ).all()
