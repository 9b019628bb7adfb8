"""Parameters are written once and refused by name."""

from __future__ import annotations

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
    assert [p.name for p in params_of(Job)] == ["k", "width", "mode", "name", "seeds", "reach", "power"]
    first, second = Job(), Job()
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
    with pytest.raises(ParameterError, match="Index: k1 must be finite and from 0, and was inf"):
        Index(k1=float("inf")).check_params()
    Minkowski(p=float("inf")).check_params()


def test_missing_library_names_the_extra():
    with pytest.raises(MissingExtra, match=r"pip install 'coterie\[maps\]'"):
        need("no_such_library_at_all", extra="maps")
