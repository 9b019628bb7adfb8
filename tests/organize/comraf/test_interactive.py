"""Sessions of interactive clustering: every transition, what each refuses, and what is proposed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import interactive as twin
from tests.oracles.interactive import begun, reviews, seeded

from coterie.core.errors import DataError, ParameterError
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_state import STATUSES
from coterie.organize.comraf.interactive_steps import (
    SessionSettings,
    cluster_features,
    cluster_members,
    occurrences,
)


def truth(session: Session) -> np.ndarray:
    return np.arange(len(session.desk.ids)) % 2


# ---- every row of the table ------------------------------------------------------------------------------------------------


def test_a_whole_session_goes_through_every_status():
    seen = []
    session = begun()
    seen.append(session.status)
    assert "60 members" in session.tell()[0]
    session.choose_groups(2, ["praise", "blame"])
    seen.append(session.status)
    session.choose_types("words")
    seen.append(session.status)
    assert session.tell() == ["words: 16 features, in 60 of 60 members."]
    session.seed([["good", "great"], ["bad"]])
    while session.status != "review":
        seen.append(session.status)
        session.advance()
    seen.append(session.status)
    covered = len(session.state.covered)
    assert 0 < covered < 60
    session.accept(1)
    assert session.state.iteration == 2
    session.run()
    while session.status != "done":
        session.accept().run()
    seen.append(session.status)
    assert set(seen) == set(STATUSES) - {
        "new",
        "default",
    }  # "new" lasts no longer than the constructor
    assert session.coverage[0] == covered
    assert session.coverage[-1] == 60
    assert session.labels.tolist() == truth(session).tolist()
    assert session.unassigned == []


def test_without_seeds_members_are_clustered_as_they_are():
    session = begun().choose_groups(2).choose_types("words", "marks").skip()
    assert session.status == "default"
    assert session.advance().status == "done"
    same = session.labels == truth(session)
    assert same.all() or not same.any()
    with pytest.raises(ParameterError, match="clustered without seeds"):
        session.reopen()


def test_check_ends_when_nobody_came_in():
    session = seeded().run()
    for group in (1, 2):  # only seeds stay, so that nobody can come in
        session.delete(*[one.feature for one in session.review()[group - 1] if not one.given])
    assert session.accept().run().status == "done"
    assert session.coverage[0] == session.coverage[1]
    assert len(session.unassigned) == 60 - session.coverage[0] > 0
    assert any("are in no group" in sentence for sentence in session.tell())


def test_check_ends_at_the_last_iteration():
    assert seeded(settings=SessionSettings(max_iter=1)).run().status == "done"


def test_stop_and_reopen():
    session = seeded()
    with pytest.raises(ParameterError, match="Nothing is clustered yet"):
        session.stop()
    session.advance()  # members
    assert session.stop().status == "done"
    assert session.stop().status == "done"  # said twice
    assert session.reopen().status == "review"
    assert session.reopen().status == "review"
    assert session.review()[0][0].feature in ("good", "great")
    assert session.add("fine", to="praise").accept().run().status in ("review", "done")


def test_several_seeded_types_and_one_that_joins():
    both = begun().choose_groups(2, ["praise", "blame"]).choose_types("words", "marks")
    both.seed({"words": {"praise": ["good"], "blame": ["bad"]}, "marks": {"praise": ["!"]}}).run()
    assert set(both.state.seed_groups) == {"words", "marks"}
    joined = (
        begun()
        .choose_groups(2)
        .choose_types("words", "marks")
        .seed({"words": [["good"], ["bad"]]})
        .run()
    )
    assert set(joined.state.seed_groups) == {"words"}
    held = joined.labels >= 0
    assert (joined.labels[held] == truth(joined)[held]).all()


def test_features_as_columns_and_groups_alone():
    for settings in (SessionSettings(seed_repr="features"), SessionSettings(join=0.0)):
        session = seeded(settings=settings).run()
        held = session.labels >= 0
        assert (session.labels[held] == truth(session)[held]).all()


# ---- what is shown ---------------------------------------------------------------------------------------------------------


def test_candidates_are_of_middle_frequency():
    session = (
        begun(contexts=lambda kind, feature: [f"a {feature} {kind}", "b", "c"])
        .choose_groups(2)
        .choose_types("words")
    )
    found = session.candidates()
    held = {one.feature: one.members for one in found}
    table = reviews()
    for name, column in zip(table.cols, table.counts.toarray().T, strict=True):
        members = int((column > 0).sum())
        assert (name in held) == (3 <= members < 19)
        assert held.get(name, members) == members
    assert [one.members for one in found] == sorted(held.values(), reverse=True)
    assert [one.feature for one in session.candidates(sort="name", low=1, high=99)] == sorted(
        table.cols
    )
    assert {one.feature for one in session.candidates(search="OO", low=1, high=99)} == {
        "poor",
        "good",
    }
    assert session.candidates(most=1, examples=2)[0].contexts[1] == "b"
    with pytest.raises(ParameterError, match="sort must be one of"):
        session.candidates(sort="size")


def test_review_marks_what_is_new_and_where_it_stands():
    session = seeded().run()
    table = reviews()
    rows = table.counts.toarray().tolist()
    for group in session.review():
        for one in group:
            assert one.new == (one.feature not in ("good", "great", "bad"))
            assert one.given == (not one.new)
            assert one.shares == pytest.approx(
                twin.shares(rows, table.cols, one.feature, session.labels.tolist(), 2)
            )
    often = [sum(row[table.cols.index(one.feature)] for row in rows) for one in session.review()[0]]
    assert often == sorted(often, reverse=True)
    assert len(session.review(most=1)[0]) == 1


def test_members_and_examples_and_export():
    session = seeded().run().stop()
    found = session.export()
    assert sum(map(len, found["members"].values())) + len(found["unassigned"]) == 60
    assert found["features"]["words"]["praise"] == list(session.state.seed_groups["words"][0])
    assert set(session.examples("praise")) <= set(found["members"]["praise"])
    assert session.partition.names == ("praise", "blame")
    with pytest.raises(ParameterError, match="Nothing is clustered yet"):
        _ = begun().partition


# ---- computations against their twins --------------------------------------------------------------------------------------


def test_counts_of_groups():
    table = reviews()
    groups = [["good", "bad"], [], ["film"]]
    assert occurrences(table, groups).toarray().tolist() == twin.occurrences(
        table.counts.toarray().tolist(), table.cols, groups
    )


def test_clusters_are_named_by_their_seeds():
    for groups in ([["good"], ["bad"]], [["bad"], ["good"]]):
        found = cluster_members({"words": reviews()}, {"words": groups}, 2, SessionSettings(), 0)
        counts = twin.occurrences(reviews().counts.toarray().tolist(), reviews().cols, groups)
        assert all(
            (label < 0) == (sum(row) == 0) for label, row in zip(found.labels, counts, strict=True)
        )
        assert all(
            row[label] > 0 for label, row in zip(found.labels, counts, strict=True) if label >= 0
        )
        assert found.lifts[0, 0] > 1 > found.lifts[0, 1]


def test_proposals_are_those_of_the_twin():
    session = seeded(settings=SessionSettings(feature_clusters=3)).run()
    table = session.desk.table("words")
    given = session.state.given["words"]
    clusters = [session.state.feature_cluster["words"].get(name, -1) for name in table.cols]
    groups, ties = twin.proposed(table.cols, clusters, given, ())
    assert [set(group) for group in session.state.seed_groups["words"]] == groups
    assert [(list(tie["groups"]), set(tie["features"])) for tie in session.state.ties] == ties


def test_features_in_no_covered_member_are_in_no_cluster():
    labels = np.array([0, 1] + [-1] * 58)
    found, counts = cluster_features(reviews(), labels, 2, SessionSettings(), 0)
    there = (reviews().counts.toarray()[:2] > 0).any(axis=0)
    assert ((found >= 0) == there).all()
    assert counts.sum() == reviews().counts.toarray()[:2].sum()


def test_ties_are_asked_about():
    settings = SessionSettings(feature_clusters=2)
    session = (
        Session({"words": reviews()}, settings=settings).choose_groups(3).choose_types("words")
    )
    session.seed([["good"], ["great"], ["bad"]]).run()
    assert session.state.ties, session.state.feature_cluster
    tie = session.state.ties[0]
    assert any(sentence.startswith("Open 1: ") for sentence in session.tell())
    session.settle(1, to=1)
    assert set(tie["features"]) <= set(session.state.seed_groups["words"][0])
    log = len(session.log)
    session.settle(1, to=1)  # said twice
    assert len(session.log) == log
    session.settle(1, to=2)
    assert not set(tie["features"]) & set(session.state.seed_groups["words"][0])
    session.settle(1)
    assert not any(sentence.startswith("Open") for sentence in session.tell())
    with pytest.raises(ParameterError, match="number 9 is none of them"):
        session.settle(9, to=1)


def test_no_more_than_asked_for_is_proposed_and_own_seeds_stay():
    session = seeded(settings=SessionSettings(proposed=3)).run()
    for group, given in zip(
        session.state.seed_groups["words"], session.state.given["words"], strict=True
    ):
        assert len(group) <= 3
        assert set(given) <= set(group)


# ---- edits -----------------------------------------------------------------------------------------------------------------


def test_edits_hold_in_the_next_iteration():
    session = seeded(settings=SessionSettings(max_iter=9)).run()
    new = next(one.feature for one in session.review()[0] if one.new)
    session.delete(new).move("great", to="blame").add("film", to=1)
    assert "great" in session.state.seed_groups["words"][1]
    assert "film" in session.state.given["words"][0]
    session.accept().run()
    for groups in (session.state.seed_groups["words"], session.state.given["words"]):
        assert not any(new in group for group in groups)
        assert "great" in groups[1]
        assert "film" in groups[0]


def test_added_features_are_proposed_again_after_a_deletion():
    session = seeded().run()
    session.delete("great").add("great", to=2)
    assert session.state.rejected["words"] == []
    assert "great" in session.state.seed_groups["words"][1]


def test_nothing_left_is_refused():
    session = seeded().run()
    session.delete(*(one for group in session.state.seed_groups["words"] for one in group))
    with pytest.raises(DataError, match="All features were deleted"):
        session.accept()
