"""Ranking of populations against all orders, F that never falls, what was observed in every form, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import rankings as slow

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.partition import Ranking
from coterie.organize import Rankings
from coterie.organize.comraf.ranking import scores
from coterie.testing import promises

PAIRS = (("members", "actors"), ("members", "directors"), ("actors", "directors"))


def tables(seed, sizes=(5, 4, 3), density=0.7):
    generator = np.random.default_rng(seed)
    size = dict(zip(("members", "actors", "directors"), sizes, strict=True))
    made = {}
    for one, other in PAIRS:
        shape = (size[one], size[other])
        made[one, other] = (
            generator.integers(1, 4, size=shape) * (generator.random(shape) < density)
        ).astype(float)
        made[one, other][0, 0] = 1.0
    return made


def orders(fitted):
    return {name: ranking.order.tolist() for name, ranking in fitted.rankings_.items()}


@pytest.mark.parametrize("promise", promises(Rankings()), ids=str)
def test_promise(promise):
    promise()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([0.4, 0.8]))
def test_f_is_the_slow_one_never_falls_and_no_order_alone_is_better(seed, density):
    made = tables(seed, density=density)
    fitted = Rankings(observed={"members": np.random.default_rng(seed).random(5)}).fit(
        Links.of(made)
    )
    assert np.isclose(fitted.objective_, slow.objective(made, {}, orders(fitted)), atol=1e-12)
    assert np.all(np.diff(fitted.history_) >= -1e-12)
    for name in ("actors", "directors"):
        whole = all(
            (made[pair].sum(axis=1 - pair.index(name)) > 0).all() for pair in PAIRS if name in pair
        )
        if whole:  # else those that meet nothing hold the middle
            assert fitted.objective_ >= slow.best_of_one(made, {}, orders(fitted), name) - 1e-12


def test_often_the_best_of_all_orders():
    hits = 0
    for seed in range(12):
        made = tables(seed, (4, 4, 3), 1.0)
        fitted = Rankings(observed={"members": [4.0, 3.0, 2.0, 1.0]}).fit(Links.of(made))
        best = slow.best_of_all(made, {}, orders(fitted), ["actors", "directors"])
        hits += fitted.objective_ > best - 1e-12
    assert hits >= 9


def test_scores_are_the_gain_of_the_company():
    made = {("members", "actors"): np.array([[2.0, 0.0], [1.0, 1.0]])}
    fitted = Rankings(observed={"members": ["1", "0"]}).fit(Links.of(made))
    # actor 0: movie 0 (gain -1) and movie 1 (gain 1); P(movie|actor) / 2 and P(actor|movie) / 2, half of each
    first = 0.5 * ((2 / 3) / 2 + 1.0 / 2) * -1 + 0.5 * ((1 / 3) / 2 + 0.5 / 2) * 1
    assert np.allclose(fitted.rankings_["actors"].scores, [first, 0.5 * (1 / 2 + 0.5 / 2)])
    assert fitted.rankings_["actors"].order.tolist() == [1, 0]
    assert fitted.ranking_.order.tolist() == [1, 0]


def test_observed_in_every_form():
    links = Links.of(tables(3))
    wanted = [3, 0, 4, 1, 2]
    numbers = np.empty(5)
    numbers[wanted] = [9.0, 7.0, 5.0, 2.0, 1.0]
    forms = [
        [str(i) for i in wanted],
        numbers,
        numbers.tolist(),
        {str(i): numbers[i] for i in range(5)},
    ]
    forms.append(Ranking(np.array(wanted), numbers))
    found = [Rankings(observed={"members": form}).fit(links) for form in forms]
    assert all(orders(one) == orders(found[0]) for one in found)
    assert found[0].ranking_.order.tolist() == wanted


def test_who_is_not_named_or_meets_nothing_is_in_the_middle():
    made = tables(1, density=1.0)
    made["members", "actors"][:, 3] = 0.0
    made["actors", "directors"][3] = 0.0
    fitted = Rankings(observed={"members": ["4", "2"]}).fit(Links.of(made))
    assert fitted.ranking_.order.tolist() == [4, 0, 1, 3, 2]
    assert (
        fitted.rankings_["actors"].order.tolist().index(3) == 2
    )  # of four: two before, one behind
    assert fitted.notes_ == ("1 of 4 actors meet nothing and stand in the middle.",)


def test_without_anything_observed_counts_are_the_start_and_that_is_said():
    counts = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 9.0]])
    fitted = Rankings().fit(Links.of(counts))
    assert "Nothing was observed" in fitted.notes_[0]
    assert np.all(np.diff(fitted.history_) >= -1e-12)
    assert fitted.rankings_["columns"].order[0] == 2
    lone = Rankings(observed={"members": [1, 0]}).fit(
        Links.of({("members", "a"): counts, ("b", "c"): counts})
    )
    assert set(lone.rankings_) == {"members", "a", "b", "c"}


def test_ties_are_in_the_order_of_the_elements():
    fitted = Rankings(observed={"members": [1.0, 1.0, 1.0]}).fit(Links.of(np.ones((3, 4))))
    assert fitted.ranking_.order.tolist() == [0, 1, 2]
    assert fitted.rankings_["columns"].order.tolist() == [0, 1, 2, 3]


def test_weights_and_graph_choose_what_counts():
    made = tables(5)
    links = Links.of(made)
    seen = {"members": [5, 4, 3, 2, 1]}
    none = Rankings(observed=seen, weights={"actors-directors": 0}).fit(links)
    without = Rankings(observed=seen, graph="members-actors, members-directors").fit(links)
    assert orders(none) == orders(without)
    massed = Rankings(observed=seen, weights="mass").fit(links)
    largest = max(table.sum() for table in made.values())
    betas = {pair: table.sum() / largest for pair, table in made.items()}
    assert np.isclose(massed.objective_, slow.objective(made, betas, orders(massed)))
    made_over = Rankings(observed=seen, graph="members-actors, actors-directors").fit(
        Links.of({pair: made[pair] for pair in PAIRS[:2]})
    )
    assert "directors" in made_over.rankings_


def test_populations_that_no_weight_ties_are_in_the_middle_and_that_is_said():
    made = tables(5)
    seen = {"members": [1, 2, 3, 4, 5]}
    fitted = Rankings(observed=seen, weights={"members-actors": 0, "actors-directors": 0}).fit(
        Links.of(made)
    )
    assert fitted.notes_ == (
        "No table with a weight ties the actors: they are in the order they were given.",
    )
    assert fitted.rankings_["actors"].order.tolist() == [0, 1, 2, 3]
    with pytest.raises(
        ParameterError, match="observed names 'actors', which no table with a weight ties"
    ):
        Rankings(
            observed={"actors": [1, 2, 3, 4]}, weights={"members-actors": 0, "actors-directors": 0}
        ).fit(Links.of(made))


def test_members_that_come_later_are_scored_by_what_they_meet():
    made = tables(2)
    fitted = Rankings(observed={"actors": [1.0, 2.0, 3.0, 0.0]}).fit(Links.of(made))
    again = fitted.transform(Links.of({pair: made[pair] for pair in PAIRS[:2]}))
    assert np.allclose(again[:, 0], scores(fitted.ties_, "members", fitted.gains_))
    flipped = Rankings(observed={"actors": [1.0, 2.0, 3.0, 0.0]}).fit(
        Links.of({pair[::-1]: made[pair].T for pair in PAIRS})
    )
    assert np.allclose(flipped.transform(Links.of({pair: made[pair] for pair in PAIRS[:2]})), again)


@pytest.mark.parametrize(
    ("settings", "error", "sentence"),
    [
        ({"observed": ["a"]}, ParameterError, "observed must be a mapping"),
        (
            {"observed": {"films": [1]}},
            ParameterError,
            "observed names 'films', and the populations are members",
        ),
        (
            {"observed": {"members": [1, 2]}},
            DataError,
            r"observed\['members'\] has 2 scores, and there are 5 elements",
        ),
        ({"observed": {"members": ["0", "7"]}}, DataError, "names '7', which is not among the ids"),
        ({"observed": {"members": ["1", "0", "0"]}}, DataError, "names '0' twice"),
        (
            {"observed": {"members": [np.nan] * 5}},
            DataError,
            r"observed\['members'\] holds no score at all",
        ),
        ({"observed": {"members": {}}}, DataError, r"observed\['members'\] holds no score at all"),
        (
            {"observed": {"members": {"0": np.nan}}},
            DataError,
            r"observed\['members'\] holds no score at all",
        ),
        ({"observed": {"members": "0"}}, DataError, "must be ids, best first, or scores"),
        (
            {"observed": {"members": [1, "b", 2, 3, 4]}},
            DataError,
            "must be ids, best first, or one number each",
        ),
        ({"observed": {"members": [1, 2, 3, 4, np.inf]}}, DataError, "one finite number each"),
        ({"weights": "heavy"}, ParameterError, "weights must be one | mass"),
        (
            {"weights": {"members-actors": -1}},
            ParameterError,
            "weight of members-actors must be a number from 0",
        ),
        (
            {
                "weights": dict.fromkeys(
                    ("members-actors", "members-directors", "actors-directors"), 0
                )
            },
            ParameterError,
            "weights are 0",
        ),
        ({"weights": {"members-words": 1}}, ParameterError, "weights must name pairs"),
        (
            {"graph": "members-actors", "weights": {"actors-directors": 1}},
            ParameterError,
            "which is no table of the graph",
        ),
        (
            {"graph": "members-actors", "observed": {"directors": [1, 2, 3]}},
            ParameterError,
            "which no table of the graph ties",
        ),
        ({"max_rounds": 0}, ParameterError, "max_rounds"),
    ],
)
def test_bad_input_is_told_in_a_sentence(settings, error, sentence):
    with pytest.raises(error, match=sentence):
        Rankings(**settings).fit(Links.of(tables(0)))


def test_tables_without_counts_are_refused():
    with pytest.raises(DataError, match="no table holds any count"):
        Rankings().fit(Links.of(np.zeros((3, 2))))
