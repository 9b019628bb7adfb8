"""The stemmer against the pairs printed with the rules in Porter's paper of 1980."""

from __future__ import annotations

import pytest

from coterie.represent import tokens as porter

STEPS = {
    "_plurals": "caresses caress ponies poni ties ti caress caress cats cat",
    "_past": """feed feed agreed agree plastered plaster bled bled motoring motor sing sing conflated conflate troubled trouble
        sized size hopping hop tanned tan falling fall hissing hiss fizzed fizz failing fail filing file""",
    "_final_y": "happy happi sky sky",
    "_step2": """relational relate conditional condition rational rational valenci valence hesitanci hesitance digitizer digitize
        conformabli conformable radicalli radical differentli different vileli vile analogousli analogous
        vietnamization vietnamize predication predicate operator operate feudalism feudal decisiveness decisive
        hopefulness hopeful callousness callous formaliti formal sensitiviti sensitive sensibiliti sensible""",
    "_step3": """triplicate triplic formative form formalize formal electriciti electric electrical electric hopeful hope
        goodness good""",
    "_step4": """revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop adjustable adjust
        defensible defens irritant irrit replacement replac adjustment adjust dependent depend adoption adopt
        homologou homolog communism commun activate activ angulariti angular homologous homolog effective effect
        bowdlerize bowdler""",
    "_final_e": "probate probat rate rate cease ceas controll control roll roll",
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_as_printed(step):
    flat = STEPS[step].split()
    for word, expected in zip(flat[::2], flat[1::2], strict=True):
        assert getattr(porter, step)(word) == expected, word


def test_whole_words_of_the_paper():
    assert {
        porter.stem(w)
        for w in ["connect", "connected", "connecting", "connection", "connections", "connectivity"]
    } == {"connect"}
    assert porter.stem("generalizations") == "gener"
    assert porter.stem("oscillators") == "oscil"


@pytest.mark.parametrize(
    ("word", "m"),
    [
        ("tr", 0),
        ("ee", 0),
        ("y", 0),
        ("trouble", 1),
        ("oats", 1),
        ("ivy", 1),
        ("troubles", 2),
        ("oaten", 2),
    ],
)
def test_measure(word, m):
    assert porter._measure(word) == m


def test_short_and_foreign_words_stay():
    assert [porter.stem(w) for w in ("is", "a", "cafés", "größten")] == [
        "is",
        "a",
        "cafés",
        "größten",
    ]
