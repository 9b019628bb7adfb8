"""Sentences and tokens of running text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.collect.tokens import sentences, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Ann B. Hill left. She ran!", ["Dr. Ann B. Hill left .", "She ran !"]),
        ('He said "No." Then he left.', ["He said `` No . ''", "Then he left ."]),
        ("See No. 5 on p. 7, e.g. the U.S. one.", ["See No. 5 on p. 7 , e.g. the U.S. one ."]),
        (
            "It cost $4.5 million (50% more) in 1987.",
            ["It cost $ 4.5 million ( 50% more ) in 1987 ."],
        ),
        ("Really?! Yes... Well.", ["Really ? !", "Yes ...", "Well ."]),
        ("one line\nand the next\n\nA new paragraph", ["one line and the next", "A new paragraph"]),
        ("We shouldn’t've; they'll. cannot", ["We should n't 've ; they 'll . can not"]),
        ("Ann's well-known O'Neil's", ["Ann 's well-known O'Neil 's"]),
        (
            "Mail ann@x.org or see http://x.org/a?b=c, please.",
            ["Mail ann@x.org or see http://x.org/a?b=c , please ."],
        ),
        ("Ça va? Über alles.", ["Ça va ?", "Über alles ."]),
        ("你好。世界！", ["你好 。", "世界 ！"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [" ".join(row) for row in sentences(text)] == expected


@given(st.text())
def test_no_token_is_empty_and_no_letter_is_lost(text: str) -> None:
    rows = sentences(text)
    assert all(row and all(token and not token.isspace() for token in row) for row in rows)
    kept = "".join(c for row in rows for token in row for c in token if c.isalnum())
    assert kept == "".join(c for c in text if c.isalnum())


@pytest.mark.parametrize(
    "piece", [".", "!", "! ", "a.", "A.b", "a-", "'s", '"', "a@", "www.", "\n", "1,"]
)
def test_long_nonsense_takes_no_time(piece: str) -> None:
    start = time.process_time()
    sentences(piece * 20_000)
    assert time.process_time() - start < 2


def test_quotes_open_and_close_in_turn() -> None:
    assert tokens('"a" "b" “c”') == ["``", "a", "''", "``", "b", "''", "``", "c", "''"]
