"""An oracle in place of a person: its seeds against the slow way, whole sessions, and the classifier beside them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import interactive as twin
from tests.oracles.interactive import BAD, GOOD, marks, reviews

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.organize.comraf.interactive_steps import SessionSettings
from coterie.organize.comraf.oracle import oracle_seeds, run_oracle, simulated_classification

TRUTH = ["praise" if at % 2 == 0 else "blame" for at in range(60)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("lexicon", "most", "clear"),
    [(None, 3, 1.0), ({"w1", "w4", "w7", "w8"}, 2, 1.0), (None, 9, 1.2)],
)
def test_seeds_are_those_of_the_slow_way(seed, lexicon, most, clear):
    random = np.random.default_rng(seed)
    counts = random.poisson(0.7, (30, 12))
    truth = random.choice(list("abc"), 30).tolist()
    cols = [f"w{j}" for j in range(12)]
    table = Cooccurrence(counts, [str(i) for i in range(30)], cols)
    found = oracle_seeds(table, truth, lexicon, most, clear)
    slow = twin.oracle_seeds(counts.tolist(), cols, truth, lexicon, most, clear)
    assert found == slow


def test_members_without_a_class_do_not_count():
    table = Cooccurrence(np.array([[3, 0], [0, 3], [9, 0]]), list("abc"), ["x", "y"])
    assert oracle_seeds(table, ["one", "two", None]) == {"one": ["x"], "two": ["y"]}


def test_mistakes_are_sentences():
    with pytest.raises(DataError, match="59 classes for 60 members"):
        oracle_seeds(reviews(), TRUTH[1:])
    with pytest.raises(DataError, match="no table of 'tags'"):
        oracle_seeds(Links({("members", "words"): reviews()}), TRUTH, type="tags")
    with pytest.raises(ParameterError, match="must be from 1"):
        oracle_seeds(reviews(), TRUTH, most=0)


def test_a_whole_session_of_the_oracle():
    session = run_oracle({"words": reviews()}, TRUTH, {*GOOD[:3], *BAD[:3]}, most=2)
    assert session.status == "done"
    assert session.partition.names == ("blame", "praise")
    assert [session.partition.names[label] for label in session.labels] == TRUTH
    assert session.coverage[0] < session.coverage[-1] == 60
    assert not {entry["do"] for entry in session.log} & {"delete", "move", "add", "settle", "undo"}


def test_a_lexicon_for_every_type():
    session = run_oracle(
        {"words": reviews(), "marks": marks()},
        TRUTH,
        {"words": {"good", "bad"}},
        ("words", "marks"),
    )
    assert session.state.given["words"] == [["bad"], ["good"]]
    assert session.state.given["marks"] == [["."], ["!"]]


def test_a_classifier_goes_beyond_the_first_iteration():
    session = run_oracle(
        {"words": reviews()}, TRUTH, {"good", "bad"}, settings=SessionSettings(max_iter=1)
    )
    assert 0 < len(session.unassigned) < 60
    found = simulated_classification(session)
    assert (found >= 0).all()
    first = session.labels >= 0
    assert (found == session.labels)[first].mean() > 0.9
    assert simulated_classification(session).tolist() == found.tolist()
