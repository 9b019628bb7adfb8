"""Sessions of interactive clustering: choices said twice, choices said wrongly, and what a person is told of them."""

from __future__ import annotations

import pytest
from tests.oracles.interactive import begun, marks, reviews, seeded

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_steps import SessionSettings


def test_choices_said_twice_change_nothing():
    session = begun()
    for choice in (
        lambda: session.choose_groups(2, ["praise", "blame"]),
        lambda: session.choose_types("words"),
        lambda: session.seed([["good"], ["bad"]]),
        lambda: session.advance("cluster-members"),
        lambda: session.advance("check"),
        lambda: session.advance("cluster-features"),
        lambda: session.delete("good"),
        lambda: session.add("film", to="praise"),
        lambda: session.move("film", to="blame"),
        lambda: session.accept(1),
        lambda: session.stop(),
        lambda: session.reopen(),
    ):
        choice()
        once = session.to_json()
        choice()
        assert session.to_json() == once


def test_an_old_page_accepts_nothing_new():
    session = seeded(settings=SessionSettings(max_iter=9)).run().accept(1).run()
    if session.status == "done":
        session.reopen()
    before = session.to_json()
    assert session.accept(1).to_json() == before


@pytest.mark.parametrize(
    ("say", "sentence"),
    [
        (lambda s: s.choose_groups(1), "whole number from 2 to 60"),
        (lambda s: s.choose_groups(61), "and was 61"),
        (lambda s: s.choose_groups(2.5), "and was 2.5"),
        (lambda s: s.choose_groups(2, ["a"]), "2 groups need 2 different names"),
        (lambda s: s.choose_groups(2, ["a", "a"]), "different names"),
        (lambda s: s.choose_types("words"), "waits for the number of groups"),
        (
            lambda s: s.choose_groups(2).choose_types(),
            "Choose one type of features or more of words, marks",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("tags"),
            "There is no type 'tags'; there are words, marks",
        ),
        (lambda s: s.choose_groups(3).choose_types("marks"), "No chosen type has 3 features"),
        (lambda s: s.choose_groups(2).choose_types("words").seed([["goood"], []]), "Near it: good"),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed([["good"], ["good"]]),
            "a seed of one group only",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed([["good"]]),
            "There are 2 groups, and 1 lists",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed(["good", "bad"]),
            "must be 2 lists of features",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed({"x": ["good"]}),
            "There is no group 'x'",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed({"marks": [["!"], []]}),
            "'marks' was not chosen",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words", "marks").seed([["good"], []]),
            "Say of which type",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed([["good"], 5]),
            "must be 2 lists of features",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").seed({"group 1": "good"}),
            "must be 2 lists of features",
        ),
        (lambda s: s.choose_groups(2).choose_types("words").seed(5), "must be 2 lists of features"),
        (
            lambda s: s.choose_groups(2).choose_groups(3),
            "'choose_groups' does not fit here: the session waits for the types",
        ),
        (
            lambda s: s.choose_groups(2).choose_types("words").draft("good", to=3),
            "There is no group '3'",
        ),
        (lambda s: s.choose_groups(2).choose_types("words").delete("good"), "waits for seeds"),
        (lambda s: s.accept(), "does not fit here"),
        (lambda s: s.advance(), "Nothing goes on by itself"),
        (lambda s: s.undo(), "nothing to undo"),
        (lambda s: seeded().run().delete("film"), "is in no group"),
        (lambda s: seeded().run().move("film", to=1), "add it"),
        (lambda s: seeded().run().add("bad", to=1), "in the group 'blame' already; move it"),
        (lambda s: seeded().run().add("!", to=1, type="marks"), "has no seeds here"),
    ],
)
def test_every_mistake_is_one_sentence_and_changes_nothing(say, sentence):
    session = begun()
    before = session.to_json()
    with pytest.raises((DataError, ParameterError), match=sentence) as caught:
        say(session)
    assert str(caught.value).count("\n") == 0
    if session.status == "k":
        assert session.to_json() == before


def test_an_empty_group_is_allowed_and_said():
    session = (
        begun().choose_groups(2, ["praise", "blame"]).choose_types("words").seed([["good"], []])
    )
    told = " ".join(session.tell())
    assert "No seeds: blame." in told
    assert "Seeds of one group alone" in told


def test_a_group_without_seeds_is_said_after_the_clustering_too():
    session = (
        begun()
        .choose_groups(3, ["praise", "blame", "rest"])
        .choose_types("words")
        .seed([["good"], ["bad"], []])
        .run()
    )
    told = " ".join(session.tell())
    assert told.count("No seeds: rest.") == 1
    assert "rest: its own seeds" not in told
    alone = (
        begun()
        .choose_groups(2, ["praise", "blame"])
        .choose_types("words")
        .seed([["good", "film"], []])
        .run()
    )
    told = " ".join(alone.tell())
    assert told.count("No seeds: blame.") == 1
    assert told.count("Seeds of one group alone") == 1
    assert "own seeds are not more frequent" not in told
    assert "No seeds" not in " ".join(seeded().run().tell())


def test_seeds_of_another_type_are_seeds():
    session = begun().choose_groups(2, ["praise", "blame"]).choose_types("words", "marks")
    session.seed({"words": [["good"], []], "marks": [[], ["."]]})
    assert "No seeds" not in " ".join(session.tell())
    assert "No seeds" not in " ".join(session.run().tell())


def test_a_name_that_may_not_fit_is_said():
    session = seeded().run()
    line = {**session.state.history[-1], "lifts": [1.5, 0.9]}
    session.state = session.state.changed(history=[line])
    assert (
        "blame: its own seeds are not more frequent there than elsewhere; the name may not fit."
        in session.tell()
    )


def test_open_clusters_are_there_again_after_a_reopening():
    session = (
        Session({"words": reviews()}, settings=SessionSettings(feature_clusters=2))
        .choose_groups(3)
        .choose_types("words")
    )
    session.seed([["good"], ["great"], ["bad"]]).run()
    ties = session.state.ties
    assert ties
    assert not any(sentence.startswith("Open") for sentence in session.stop().tell())
    assert session.reopen().state.ties == ties


def test_a_type_with_too_few_features_is_left_out_and_said():
    session = begun().choose_groups(3).choose_types("words", "marks")
    assert session.state.feature_types == ["words"]
    assert "marks: left out, with fewer features than groups." in session.tell()


def test_too_few_covered_members_is_a_sentence_and_the_status_stays():
    table = Cooccurrence.of(
        [(0, "a", 1.0), (1, "b", 1.0), (2, "c", 1.0), (3, "d", 1.0)], list("wxyz")
    )
    session = (
        Session({"words": table}).choose_groups(3).choose_types("words").seed([["a"], ["b"], []])
    )
    with pytest.raises(DataError, match="Only 2 of 4 members have a seed feature"):
        session.run()
    assert session.status == "cluster-members"
    assert session.undo().status == "seeds"


def test_tables_are_made_when_they_are_chosen():
    asked = []

    def words() -> Cooccurrence:
        asked.append("words")
        return reviews()

    session = Session(
        {"words": words, "marks": lambda: pytest.fail("not chosen")}, ids=reviews().rows
    )
    session.choose_groups(2)
    assert asked == []
    session.choose_types("words").seed([["good"], ["bad"]]).run()
    assert asked == ["words"]


def test_data_that_cannot_be_a_session():
    with pytest.raises(DataError, match="no type of features"):
        Session({})
    with pytest.raises(ParameterError, match="ids must name the members"):
        Session({"words": reviews})
    with pytest.raises(DataError, match="has other members"):
        Session({"words": reviews}, ids=["a", "b"]).choose_groups(2).choose_types("words")
    with pytest.raises(
        DataError, match=r"The function of 'words' must give a table of counts .*, and gave a list"
    ):
        Session({"words": lambda: [1]}, ids=["a", "b"]).choose_groups(2).choose_types("words")
    with pytest.raises(
        DataError,
        match="'words' must be a table of counts or a function that makes one, and was a list",
    ):
        Session({"words": [1]}, ids=["a", "b"])
    with pytest.raises(ParameterError, match="max_iter must be at least 1"):
        Session({"words": reviews()}, settings=SessionSettings(max_iter=0))


def test_links_are_types():
    session = Session(Links({("members", "words"): reviews(), ("members", "marks"): marks()}))
    assert list(session.desk.sources) == ["words", "marks"]
