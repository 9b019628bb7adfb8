"""The walk that cuts: pieces as members, times in their names, the evidence of random orders, and every refusal."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.collect import read
from coterie.collect.spoken import conversation
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Strips
from coterie.core.partition import Segmentation
from coterie.judge import segmentation_error
from coterie.messages.exploration import summarize
from coterie.workflows.choices import Choices
from coterie.workflows.segments import analyse_segments, cut_into, when


def trace(seed: int = 0, levels=(0, 6, 0, -6), size: int = 150) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return np.concatenate([level + generator.normal(size=(size, 2)) for level in levels])


def members(*traces: np.ndarray):
    return read(list(traces))


def test_pieces_are_the_members_and_sources_the_groups():
    walked = analyse_segments(members(trace()), Choices(segment=True, seed=1))
    found = walked.findings
    assert len(found) == 4
    assert found.labels[0] == found.labels[2]
    assert len(set(found.labels.tolist())) == 3
    (strips,) = found.strips
    assert strips.of_groups
    assert np.abs(strips.pieces[0].boundaries - [0, 150, 300, 450, 600]).max() <= 2
    assert "changes 3 times: 4 pieces of 3 sources" in summarize(found)[0]
    assert found.evidence.structured
    assert found.evidence.p_value == pytest.approx(0.01)
    assert all(group.name.startswith("source ") for group in found.groups)
    assert sum(group.size for group in found.groups) == 4


def test_nothing_that_changes_is_one_piece():
    found = analyse_segments(
        members(np.random.default_rng(3).normal(size=(400, 2))), Choices(segment=True)
    ).findings
    assert len(found) == 1
    assert "No change was found" in summarize(found)[0]
    assert not found.evidence.structured


def test_choices_are_kept():
    found = analyse_segments(
        members(trace()), Choices(segment=True, pieces=2, k=2, window=20)
    ).findings
    assert len(found) == 2
    assert not found.evidence.chosen
    several = analyse_segments(
        members(trace(0), trace(1, (6, 0))), Choices(segment=True, k=3, window=15)
    ).findings
    assert [len(cut.labels) for cut in several.strips[0].pieces] == [4, 2]
    assert set(several.cards["from"]) == set(several.strips[0].names)
    classical = analyse_segments(
        members(trace()), Choices(segment=True, organize="Segmentation(cost='l2', n_segments=4)")
    ).findings
    assert len(classical) == 4
    assert not any(
        word in sentence
        for sentence in summarize(classical)
        for word in ("windows", "sources is the largest", "BIC")
    )


def test_a_comparer_of_windows_may_be_named():
    found = analyse_segments(
        members(trace()), Choices(segment=True, compare="Likelihood(model=Gaussian())", k=3)
    ).findings
    assert (
        segmentation_error(
            found.strips[0].pieces[0], Segmentation(np.arange(5) * 150, np.arange(4))
        )
        < 0.02
    )


def test_sound_is_cut_at_its_turns_and_told_in_seconds():
    collection, true = conversation(2, 6, 4.0, random_state=11)
    found = analyse_segments(collection, Choices(segment=True)).findings
    steps = found.strips[0].pieces[0].per_step()
    truth = true.per_step()[np.minimum(np.arange(len(steps)) * 80, true.boundaries[-1] - 1)]
    assert max(np.mean(steps == truth), np.mean(steps != truth)) > 0.9
    assert found.ids[0].startswith("conversation 0:00.00-0:")
    assert " s; windows of 1.5 s" in " ".join(summarize(found))


def test_pieces_hold_what_lies_between_their_boundaries():
    collection = members(np.arange(10.0)[:, None], np.arange(4.0)[:, None])
    cuts = (
        Segmentation(np.array([0, 6, 10]), np.array([0, 1])),
        Segmentation(np.array([0, 4]), np.array([0])),
    )
    pieces = cut_into(collection, collection.main, Strips("cut", tuple(collection.ids), cuts))
    assert [part[:, 0].tolist() for part in pieces.view()] == [
        list(range(6)),
        [6, 7, 8, 9],
        [0, 1, 2, 3],
    ]
    assert pieces.ids[1].endswith("6-10")
    assert when(250, 100.0) == "0:02.50"


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"organize": "MCL", "segment": True}, "goes with organize='Segmentation"),
        ({"segment": True, "window": 5000}, "window must be from 1 to 600"),
        ({"segment": True, "pieces": 900}, "n_segments must be from 1 to"),
        ({"pieces": 3}, "needs segment"),
        ({"organize": "Segmentation"}, "say segment=True"),
    ],
)
def test_choices_that_do_not_fit_are_refused_in_a_sentence(choices, said):
    settings = Choices(**choices)
    with pytest.raises(ParameterError, match=said):
        settings.check_params()
        analyse_segments(members(trace()), settings)


def test_the_rows_of_a_table_are_the_steps_of_one_sequence(tmp_path):
    rows = trace()
    path = tmp_path / "day.csv"
    path.write_text(
        "time,x,y\n" + "".join(f"{t},{x:.3f},{y:.3f}\n" for t, (x, y) in enumerate(rows))
    )
    found = analyse_segments(read(path), Choices(segment=True, k=3)).findings
    assert np.abs(found.strips[0].pieces[0].boundaries - [0, 150, 300, 450, 600]).max() <= 2
    assert found.strips[0].names == ("day",)
    assert found.ids[0] == "day 0-150"


def test_what_is_no_sequence_is_refused():
    with pytest.raises(DataError, match="cuts sequences"):
        analyse_segments(read(["one text", "another", "a third"]), Choices(segment=True))
    with pytest.raises(DataError, match="cuts sequences"):
        analyse_segments(read([{"a": "x"}, {"a": "y"}, {"a": "x"}]), Choices(segment=True))
