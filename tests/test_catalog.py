"""The catalog says of every method what its class says, finds names whatever their capitals, and makes methods from words."""

from __future__ import annotations

import importlib

import pytest

from coterie import catalog
from coterie.core.errors import ParameterError
from coterie.core.estimator import Estimator
from coterie.core.params import params_of


@pytest.mark.parametrize("entry", catalog.ENTRIES, ids=lambda entry: entry.name)
def test_entry_says_what_the_class_says(entry) -> None:
    kind = entry.load()
    assert kind.__name__ == entry.name
    taken = " | ".join(one.__name__ for one in (kind.takes, *kind.also))
    assert (taken, kind.gives.__name__) == (entry.takes, entry.gives)
    assert kind.__module__.split(".")[1] == entry.room
    assert entry.sentence == (kind.__doc__ or "").strip().split("\n")[0]
    assert entry.sentence.endswith(".")


def test_names_are_there_once() -> None:
    assert len({name.lower() for name in catalog.NAMES}) == len(catalog.ENTRIES)
    assert [entry.name for entry in catalog.room("organize")] == [
        e.name for e in catalog.ENTRIES if e.room == "organize"
    ]


@pytest.mark.parametrize("room", ["represent", "compare", "organize"])
def test_every_method_a_room_shows_has_an_entry(room: str) -> None:
    shown = importlib.import_module(f"coterie.{room}")
    parts = {name: getattr(shown, name) for name in shown.__all__}
    methods = {
        name
        for name, part in parts.items()
        if isinstance(part, type) and issubclass(part, Estimator)
    }
    roles = {"Representer", "Comparer", "Organizer"}
    assert methods - roles == {entry.name for entry in catalog.room(room)}


def test_find_takes_any_capitals_and_names_near_ones() -> None:
    assert catalog.find("mcl") is catalog.find("MCL")
    with pytest.raises(ParameterError, match=r"no method 'Euclidan'. Near it: Euclidean"):
        catalog.find("Euclidan")
    with pytest.raises(ParameterError, match=r"There are Terms, LSA"):
        catalog.find("zzzzzzzz")


def test_make_from_words() -> None:
    made = catalog.make("medoids(n_groups=4, n_init=2)", n_groups=9, random_state=1, nothing=3)
    assert repr(made) == "Medoids(n_groups=4, n_init=2, random_state=1)"
    assert catalog.make("Euclidean").get_params() == {}
    assert (
        catalog.make(" MCL(inflation=-1) ").inflation == -1
    )  # checked when fit starts, as for every estimator


def test_settings_made_of_words_are_made_too() -> None:
    made = catalog.make(
        "Likelihood(distance='bp', model=HMM(n_states=3, emissions='full'))", random_state=1
    )
    assert (
        repr(made)
        == "Likelihood(distance='bp', model=HMM(n_states=3, emissions='full'), random_state=1)"
    )
    assert repr(catalog.make(repr(made))) == repr(made)
    cut = catalog.make("Segmentation(comparer=SSD(n_states=4))")
    assert type(cut.comparer).__name__ == "SSD"
    assert (
        type(catalog.make("SIC(diverter=HMM(n_states=3))").diverter).__module__
        == "coterie.compare.sic.hmm"
    )
    with pytest.raises(ParameterError, match=r"has no 'HMN'; it has GMM, Gaussian, HMM"):
        catalog.make("Likelihood(model=HMN)")
    with pytest.raises(ParameterError, match="HMM has no parameter 'states'"):
        catalog.make("Likelihood(model=HMM(states=3))")


@pytest.mark.parametrize(
    "words",
    ["", "MCL(", "MCL(3)", "MCL.fit", "MCL(inflation=open('x'))", "1 + 1", "[MCL]", "MCL(**{})"],
)
def test_what_is_no_method_is_refused_and_nothing_is_run(words: str) -> None:
    with pytest.raises(ParameterError):
        catalog.make(words)


def test_a_wrong_parameter_is_named_with_those_there_are() -> None:
    known = ", ".join(sorted(info.name for info in params_of(catalog.find("Medoids").load())))
    with pytest.raises(ParameterError, match=f"Medoids has no parameter 'k'; it has {known}."):
        catalog.make("Medoids(k=3)")
