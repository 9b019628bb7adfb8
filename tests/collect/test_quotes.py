"""Quoted replies, attribution lines, copied headers and signatures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.collect.quotes import own_words


@pytest.mark.parametrize(
    "attribution",
    [
        "On Mon, 6 Jan 2020 at 10:00, Ann <ann@example.org> wrote:",
        "On Mon, 6 Jan 2020 at 10:00, Ann Longname\n<ann@example.org> wrote:",
        "On Mon, 6 Jan 2020 at 10:00,\nAnn Longname of the Long Names\n<ann@example.org> wrote:",
        "Ann wrote:",
        "ann@example.org writes:",
        "Am 06.01.2020 um 10:00 schrieb Ann:",
        "Am Montag, 6. Januar 2020 schrieb Ann <ann@example.org>:",
        "Le lun. 6 janv. 2020 à 10:00, Ann <ann@example.org> a écrit :",
        "El lun, 6 ene 2020 a las 10:00, Ann (<ann@example.org>) escribió:",
        "Il giorno lun 6 gen 2020 alle ore 10:00 Ann ha scritto:",
        "Op ma 6 jan. 2020 om 10:00 schreef Ann:",
        "Em seg., 6 de jan. de 2020, Ann escreveu:",
        "Den 6 jan. 2020 skrev Ann:",
        "W dniu 6.01.2020 o 10:00 Ann napisał(a):",
        "пн, 6 янв. 2020 г. в 10:00, Анна написала:",
    ],
)
def test_attributions_and_the_quote_below_them_go(attribution: str) -> None:
    assert (
        own_words(f"Fine with me.\n\n{attribution}\n> Shall we meet?\n>\n> Ann\n")
        == "Fine with me."
    )


def test_an_attribution_in_prose_stays() -> None:
    text = "This is what the committee wrote:\nnothing at all."
    assert own_words(text) == text


def test_answers_between_quotes_stay() -> None:
    assert own_words("> one?\nYes.\n\n> two?\nNo.\n") == "Yes.\n\nNo."


@pytest.mark.parametrize(
    "block",
    [
        "-----Original Message-----\nFrom: Ann\nOld words",
        "-----Ursprüngliche Nachricht-----\nVon: Ann\nOld words",
        "----- Message d'origine -----\nOld words",
        "________________________________\nFrom: Ann\nSent: Monday\nTo: Bob\nSubject: x\n\nOld words",
        "Von: Ann\nGesendet: Montag\nAn: Bob\nBetreff: x\n\nOld words",
        "*De :* Ann\n*Envoyé :* lundi\n*À :* Bob\n*Objet :* x\n\nOld words",
    ],
)
def test_copied_messages_go(block: str) -> None:
    assert own_words(f"New words.\n\n{block}") == "New words."


def test_a_quoted_original_message_line_does_not_end_the_mail() -> None:
    assert own_words("> -----Original Message-----\n> old\nMy answer below.") == "My answer below."


def test_from_alone_is_not_a_block_of_headers() -> None:
    text = "From: the desk of the chair\nwe greet you."
    assert own_words(text) == text


@pytest.mark.parametrize("signature", ["-- \nBob\nACME", "--\nBob"])
def test_signatures_are_cut(signature: str) -> None:
    assert own_words(f"Words.\n{signature}") == "Words."


def test_two_dashes_high_up_are_not_a_signature() -> None:
    text = "a\n--\n" + "\n".join("line" for _ in range(20))
    assert own_words(text) == text


@pytest.mark.parametrize(
    "body", ["> only\n> quotes", "-- \nonly a signature", "-----Original Message-----\nonly a copy"]
)
def test_a_mail_of_nothing_else_keeps_it(body: str) -> None:
    assert "only" in own_words(body)


@given(st.text(alphabet="ab>|-: \nOnwrte0@_"))
def test_letters_are_never_lost_altogether(body: str) -> None:
    if any(c.isalpha() for c in body):
        assert own_words(body)
