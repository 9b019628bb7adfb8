"""Fields from declared parameters: what kind each is, what is read back from what was typed, and what is refused."""

from __future__ import annotations

import pytest

from coterie import catalog
from coterie.core.params import Param, params_of
from coterie.web.forms import (
    Wrong,
    chosen_values,
    field_of,
    fields_of,
    method_fields,
    methods,
    text_of,
    typed_in,
    value_of,
    words_of,
)
from coterie.workflows.choices import Choices

EVERY = [
    (room, entry.name)
    for room in ("compare", "organize")
    for part in methods(room)
    for entry in part
]


def test_every_choice_has_a_field_with_its_sentence_and_range() -> None:
    found = {field.name: field for field in fields_of(Choices)}
    assert set(found) == {info.name for info in params_of(Choices)}
    assert found["k"].kind == "whole"
    assert found["segment"].kind == "switch"
    assert found["window"].kind == "number"
    assert found["nulls"].range == "from 0 to 999"
    assert found["nulls"].advanced
    assert found["nulls"].value == "12"
    assert [field.advanced for field in fields_of(Choices)] == sorted(
        field.advanced for field in fields_of(Choices)
    )
    given = {
        field.name: field.value
        for field in fields_of(Choices, values={"k": 7, "views": ["en", "de"]})
    }
    assert (given["k"], given["views"], given["seed"]) == ("7", "en de", "0")


@pytest.mark.parametrize(("room", "name"), EVERY)
def test_every_method_can_be_made_from_its_own_form(room: str, name: str) -> None:
    fields = method_fields(room, name)
    assert not {"random_state", "n_groups"} & {field.name for field in fields}
    assert all(field.sentence for field in fields)
    assert words_of(room, name, {field.name: field.value for field in fields}) == name, (
        "defaults say nothing"
    )


def test_words_of_a_method_come_back_as_they_were_typed() -> None:
    words = words_of(
        "compare",
        "SSD",
        {"variant": "diffusion", "model": "HMM(n_states=3)", "steps": "4", "rows": ""},
    )
    assert words == "SSD(variant='diffusion', model=HMM(n_states=3), steps=4)"
    assert typed_in(words) == (
        "SSD",
        {"variant": "diffusion", "steps": "4", "model": "HMM(n_states=3)"},
    )
    assert catalog.make(str(words)).steps == 4
    assert words_of("organize", "", {"x": "1"}) is None
    assert typed_in(None) == ("", {})
    assert typed_in("Nonsense(") == ("", {})


@pytest.mark.parametrize(
    ("room", "name", "params", "field", "said"),
    [
        (
            "organize",
            "MCL",
            {"inflation": "x"},
            "organize.inflation",
            "Inflation must be a number above 1 and at most 30, and was 'x'.",
        ),
        ("organize", "MCL", {"inflation": "99"}, "organize.inflation", "above 1 and at most 30"),
        ("organize", "MCL", {"inflation": "nan"}, "organize.inflation", "above 1"),
        ("organize", "MCL", {"keep": "2.5"}, "organize.keep", "whole number"),
        ("organize", "MCL", {"keep": "9" * 40}, "organize.keep", "digits"),
        ("organize", "MCL", {"clean": "perhaps"}, "organize.clean", "yes or no"),
        ("organize", "MCL", {"nothing": "1"}, "organize", "no parameter"),
        (
            "organize",
            "Agglomerative",
            {"linkage": "nearest"},
            "organize.linkage",
            "single or complete",
        ),
        ("compare", "Gaussian", {"width": "-1"}, "compare.width", "idth"),
        (
            "compare",
            "SIC",
            {"diverter": "__import__('os').system('true')"},
            "compare.diverter",
            "plain values",
        ),
        ("compare", "SIC", {"diverter": "1) or MCL("}, "compare.diverter", "plain values"),
        ("compare", "SIC", {"stop": "x" * 400}, "compare.stop", "longer"),
        ("organize", "Core", {}, "organize", "cannot be chosen"),
        ("organize", "Cosine", {}, "organize", "cannot be chosen"),
        ("organize", "Nope", {}, "organize", "no method"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(
    room: str, name: str, params: dict[str, str], field: str, said: str
) -> None:
    with pytest.raises(Wrong) as refused:
        words_of(room, name, params)
    assert refused.value.field == field
    assert said in str(refused.value)


def test_all_that_is_wrong_with_the_choices_is_said_at_once() -> None:
    values, wrong = chosen_values(
        {"k": "0", "seed": "-1", "segment": "maybe", "nulls": "1.5", "max_k": "12"}
    )
    assert values == {"max_k": 12}
    assert [one.field for one in wrong] == [
        "choices.k",
        "choices.seed",
        "choices.segment",
        "choices.nulls",
    ]
    assert str(wrong[0]) == "Number of groups must be at least 1, and was 0."


def test_an_empty_field_is_the_default() -> None:
    given = {info.name: info for info in params_of(Choices)}
    assert value_of(given["k"], "  ") is None
    assert value_of(given["seed"], "") == 0
    assert value_of(Param("b", False, "A switch.", "bool"), "On") is True
    assert value_of(Param("w", "auto", "A width.", "float | str", choices=("auto",)), "2") == 2
    assert (
        field_of(Param("w", "auto", "A width.", "float | str", choices=("auto",))).kind == "mixed"
    )
    assert text_of(1e-05) == "1e-05"
    assert text_of(2.0) == "2"


def test_methods_are_sorted_by_the_kind_of_members() -> None:
    fits, others = methods("compare", "sequences")
    assert "SSD" in [e.name for e in fits]
    assert "Cosine" in [e.name for e in others]
    fits, others = methods("compare", "text")
    assert "Cosine" in [e.name for e in fits]
    assert "SSD" in [e.name for e in others]
    assert "HMMMixture" in [e.name for e in methods("organize", "text")[1]]
