"""The verdict: limits of the witnesses, and no praise where groups are not found again, one holds nearly all, or many are unstable."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.findings import Evidence
from coterie.workflows.evidence import is_structured, judge

EVEN = np.repeat([0, 1, 2], 20)


def evidence(**given):
    said = {"n_groups": 3, "chosen": True, "structured": True, "p_value": float("nan")}
    witnesses = {"agreement": 0.9, "halves": 0.8, "information": 0.3}
    return Evidence(**{**said, "witnesses": witnesses, "stability": 0.9, **given})


@pytest.mark.parametrize(
    ("agreement", "halves", "said"),
    [(0.9, 0.8, "strong"), (0.6, 0.3, "moderate"), (0.5, 0.1, "weak")],
)
def test_witnesses_of_an_ensemble_decide(agreement, halves, said):
    found = evidence(witnesses={"agreement": agreement, "halves": halves, "information": 0.3})
    assert judge(found, "text", EVEN) == said


@pytest.mark.parametrize(
    ("modality", "agreement", "stability", "said"),
    [
        ("sequences", 0.9, 0.75, "strong"),
        ("sequences", 1.0, 0.57, "moderate"),  # the mean would be strong
        ("sound", 0.35, 0.73, "weak"),
        ("table", 1.0, 0.57, "strong"),  # by the mean
    ],
)
def test_where_spaces_vote_the_weakest_evidence_counts(modality, agreement, stability, said):
    found = evidence(witnesses={"agreement": agreement}, stability=stability)
    assert judge(found, modality, EVEN) == said


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        ({"stability": 0.4}, EVEN),
        ({}, np.array([0] * 55 + [1] * 3 + [2] * 2)),
        ({"overlaps": (0.9, 0.4, 0.9)}, EVEN),
    ],
)
def test_there_is_no_praise_where_other_evidence_contradicts(given, labels):
    assert judge(evidence(**given), "text", labels) == "weak"


def test_an_affinity_is_judged_by_its_stability():
    for stability, said in ((0.95, "strong"), (0.7, "moderate"), (0.55, "weak")):
        found = evidence(witnesses={}, stability=stability, n_nulls=12)
        assert judge(found, "table", EVEN) == said


def test_nothing_is_said_where_nothing_was_looked_at():
    found = evidence(witnesses={}, stability=float("nan"), n_nulls=0)
    assert judge(found, "text", EVEN) == ""
    assert judge(evidence(structured=False), "text", EVEN) == "none"


@pytest.mark.parametrize(
    ("excess", "halves", "agreement", "said"),
    [
        (0.04, 0.9, 0.9, False),
        (0.1, 0.02, 0.1, False),
        (0.1, 0.02, 0.3, True),
        (0.1, 0.05, 0.1, True),
    ],
)
def test_texts_have_groups_beyond_shuffled_words(excess, halves, agreement, said):
    witnesses = {"information": excess, "halves": halves, "agreement": agreement}
    assert is_structured("text", witnesses) is said
