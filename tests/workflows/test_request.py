"""What a run is asked: one model that checks its values, says which field is wrong, and comes back from JSON as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from coterie.core.errors import CoterieError, ParameterError
from coterie.core.params import params_of
from coterie.organize import MCL
from coterie.workflows.choices import Choices
from coterie.workflows.request import (
    Constraints,
    Copy,
    ExploreRequest,
    New,
    Origin,
    Reading,
    Refit,
    Replay,
    ask,
)

REPLAY = Replay(run="mail-1", source="new.mbox", standing=(40, 55))
ORIGINS: list[Origin] = [
    New(),
    New(planned=True),
    Copy(run="mail-1"),
    REPLAY,
    Refit(run="mail-1"),
    Refit(run="mail-2", by="session"),
    Refit(run="mail-2", replay=REPLAY),
]


@pytest.mark.parametrize("origin", ORIGINS, ids=repr)
def test_it_comes_back_from_json(origin: Origin) -> None:
    request = ask(
        "post",
        truth="author",
        links={"cites": "cites.csv"},
        words=True,
        views=("en", "de"),
        organize=MCL(inflation=3.0),
        window=None,
        seed=np.int64(7),
        name="post",
    ).but(origin=origin, constraints=Constraints(labels=3, scheme="seeded"))
    said = json.loads(json.dumps(request.to_json()))
    assert ExploreRequest.of_json(said) == request
    assert request.choices.organize == "MCL(inflation=3.0)"
    assert request.reading.views == ("en", "de")


def test_a_path_that_is_not_utf8_comes_back() -> None:
    odd = os.fsdecode(b"caf\xe9.csv")
    request = ask(odd)
    assert ExploreRequest.of_json(json.loads(json.dumps(request.to_json()))) == request
    assert request.source == odd


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {"k": 3},
        {"choices": {"k": 0}},
        {"choices": {"colour": 1}},
        {"origin": {"kind": "stolen"}},
        {"reading": {"truth": 3}},
        {"constraints": "many"},
        {"path": 5},
    ],
    ids=repr,
)
def test_what_is_no_request_is_none(said: Any) -> None:
    assert ExploreRequest.of_json(said) is None


@pytest.mark.parametrize(
    ("given", "field", "sentence"),
    [
        ({"k": 0}, "k", "Choices: k must be at least 1, and was 0."),
        ({"k": 2.5}, "k", "Choices: k must be a whole number, at least 1, and was 2.5."),
        ({"window": "long"}, "window", "Choices: window must be a number above 0, and was 'long'."),
        ({"segment": "yes"}, "segment", "Choices: segment must be True or False, and was 'yes'."),
        ({"views": ["en"]}, "views", "views must name at least two views, or be all"),
        ({"views": []}, "views", "views must be names of views"),
        ({"views": "en de", "view": "en"}, "view", "say one of the two"),
        ({"views": "en de", "segment": True}, "segment", "does not go with views"),
        ({"pieces": 3}, "pieces", "it needs segment beside it"),
        ({"window": 3}, "window", "it needs segment beside it"),
        ({"compare": "Nothing"}, "compare", "Nothing"),
        ({"organize": "Core"}, "organize", "makes no groups"),
        ({"organize": "MCL(inflation=0)"}, "organize", "inflation"),
        ({"organize": "KMeans(n_groups=4)", "k": 3}, "k", "say one of the two"),
        ({"name": "a b"}, "name", "name must be letters"),
    ],
    ids=str,
)
def test_what_is_wrong_names_its_field(given: dict[str, Any], field: str, sentence: str) -> None:
    with pytest.raises(CoterieError, match=sentence.replace(".", r"\.")) as error:
        ask("post", **given)
    assert error.value.parameter == field


def test_a_word_that_is_no_option_is_refused_with_the_near_one() -> None:
    with pytest.raises(ParameterError, match="did you mean truth"):
        ask("post", truht="author")


def test_it_never_changes() -> None:
    request = ask("post", k=3)
    with pytest.raises(ValidationError):
        request.choices.k = 4  # type: ignore[misc]
    assert request.but(source="other").choices is request.choices


def test_the_schema_has_the_ranges_and_sentences_of_the_options() -> None:
    schema = Choices.model_json_schema()["properties"]
    for info in params_of(Choices):
        assert schema[info.name]["description"] == info.sentence
    assert schema["nulls"]["maximum"] == 999
    assert [info.name for info in params_of(Choices) if info.advanced] == [
        "duplicates",
        "download",
        "max_k",
        "nulls",
    ]


def test_readings_are_the_keywords_of_read(tmp_path: Path) -> None:
    assert Reading().options() == {
        "kind": None,
        "text": None,
        "id": None,
        "time": None,
        "truth": [],
    }
    assert Reading(id=0, truth="kind", words=("text",)).options() == {
        "kind": None,
        "text": None,
        "id": "0",
        "time": None,
        "truth": ["kind"],
        "words": ["text"],
    }
