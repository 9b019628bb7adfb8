"""Parameters are written once and refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.compare import Minkowski
from coterie.core.errors import MissingExtra, ParameterError, need
from coterie.core.params import Param, Settings, param, params_of
from coterie.organize.retrieval import Index


class Job(Settings):
    """A job."""

    k: int = param(3, "How many.", ge=1, le=9)
    width: float | str = param("median", "Width.", gt=0, choices=("median",))
    mode: str = param("fast", "Mode.", choices=("fast", "slow"))
    name: str | None = param(None, "Name.")
    seeds: list = param([1, 2], "Seeds.")
    reach: float = param(0.0, "Reach.")
    power: float = param(1.0, "Power; infinity takes the largest.", ge=1, infinite=True)


def test_defaults_and_repr():
    assert repr(Job()) == "Job()"
    assert repr(Job(k=4, mode="slow")) == "Job(k=4, mode='slow')"
    assert [p.name for p in params_of(Job)] == [
        "k",
        "width",
        "mode",
        "name",
        "seeds",
        "reach",
        "power",
    ]
    first = Job()
    second = Job()
    first.seeds.append(3)
    assert second.seeds == [1, 2]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"k": 0}, "Job: k must be from 1 to 9, and was 0."),
        ({"k": 2.5}, "k must be a whole number from 1 to 9, and was 2.5"),
        ({"k": "many"}, "k must be a number from 1 to 9, and was 'many'"),
        ({"k": None}, "k must be from 1 to 9, and was None"),
        ({"k": float("nan")}, "k must be from 1 to 9"),
        ({"width": 0.0}, "width must be above 0, and was 0.0"),
        ({"width": float("inf")}, "Job: width must be finite and above 0, and was inf."),
        ({"reach": float("-inf")}, "Job: reach must be finite, and was -inf."),
        ({"width": "wide"}, "width must be median or a number, and was 'wide'"),
        ({"mode": "quick"}, r"mode must be fast \| slow, and was 'quick'"),
    ],
)
def test_refused_by_name(given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Job(**given).check_params()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"ge": 2, "le": 9}, "from 2 to 9"),
        ({"gt": 0}, "above 0"),
        ({"gt": 1, "le": 30}, "above 1 and at most 30"),
        ({"ge": 0, "lt": 1}, "from 0 and below 1"),
        ({"le": 3}, "at most 3"),
    ],
)
def test_ranges_in_words(limits, words):
    assert Param("p", 1, "A number.", **limits).range == words


def test_accepted():
    Job(k=9, width=2.0, mode="slow", name="x").check_params()
    Job(power=float("inf")).check_params()


def test_methods_refuse_infinity_unless_it_has_a_meaning():
    with pytest.raises(
        ParameterError, match="Index: k1 must be finite and at least 0, and was inf"
    ):
        Index(k1=float("inf")).check_params()
    Minkowski(p=float("inf")).check_params()


def test_missing_library_names_the_extra():
    with pytest.raises(MissingExtra, match=r"pip install 'coterie\[maps\]'"):
        need("no_such_library_at_all", extra="maps")


class Typed(Settings):
    """One parameter of each plain kind."""

    n: int = param(3, "How many.", ge=1)
    share: float | None = param(None, "How much.", gt=0, le=1)
    way: str = param("up", "Where to.", choices=("up", "down"))
    width: float | str = param("median", "How wide.", choices=("median",), gt=0)
    loud: bool = param(False, "Whether.")
    often: bool | str = param("auto", "When.", choices=("auto",))
    pair: tuple[int, int] = param((1, 2), "Two.")
    by_name: dict[str, float] | None = param(None, "Some.")
    random_state: int | None = param(None, "Seed.")


NOTHING = [object(), [], {}, b"no", np.array([1, 2]), 2 + 1j]


@pytest.mark.parametrize("wrong", NOTHING, ids=lambda wrong: type(wrong).__name__)
@pytest.mark.parametrize("name", ["n", "share", "way", "width", "loud", "often"])
def test_a_value_of_another_type_is_refused_by_name(name, wrong) -> None:
    with pytest.raises(ParameterError, match=f"Typed: {name} must be") as refused:
        Typed(**{name: wrong}).check_params()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "told",
    [
        {"n": np.int64(2), "share": np.float32(0.5), "loud": np.bool_(True), "often": True},
        {
            "loud": 1,
            "width": 2,
            "pair": [1, 2],
            "by_name": {"a": 1.0},
            "random_state": np.random.default_rng(0),
        },
        {"pair": np.array([1, 2])},
    ],
)
def test_values_of_the_kind_pass(told) -> None:
    Typed(**told).check_params()


@pytest.mark.parametrize(
    "told",
    [{"pair": 3}, {"pair": "ab"}, {"by_name": [1]}, {"way": 3}, {"n": 10**400}, {"n": -(10**400)}],
)
def test_lists_words_and_numbers_beyond_all_are_told_apart(told) -> None:
    with pytest.raises(ParameterError, match=f"Typed: {next(iter(told))} must be"):
        Typed(**told).check_params()
