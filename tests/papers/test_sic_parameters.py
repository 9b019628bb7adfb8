"""sic-parameters on a few digits: the two kinds of pairs by the truth and by EM, drawn and told as they are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from coterie.core.table import Table
from coterie_papers import sic_parameters
from coterie_papers.experiments import find
from coterie_papers.sic_collections import Bed, whole


@pytest.fixture(scope="module")
def bed() -> Bed:
    rows, classes = load_digits(return_X_y=True)
    return Bed(
        "digits",
        Table.of(rows[:150]),
        classes[:150],
        {"diverter": "nearest", "train_size": 0.1, "n_labels": 20},
    )


@pytest.fixture(scope="module")
def result(bed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sic_parameters, "beds", lambda trial, ledger: [bed])
        return find("sic-parameters").conduct(quick=True)


def test_values_go_to_the_nearest_step_and_laws_overlap_by_what_they_share() -> None:
    assert sic_parameters._steps(np.array([0.0, 0.1, 0.3, 1.0]), 4).tolist() == [
        0.5,
        0.25,
        0.0,
        0.0,
        0.25,
    ]
    one = np.array([3.0, 1.0, 0.0])
    other = np.array([0.0, 0.1, 0.1])
    assert sic_parameters._overlap(one, one / 7) == pytest.approx(1)
    assert sic_parameters._overlap(one, other) == pytest.approx(0.25)
    assert sic_parameters._overlap(one, np.array([0.0, 0.0, 5.0])) == 0


def test_kinds_are_shares_of_all_pairs(bed) -> None:
    fit = whole(bed, 20, 0)
    found = sic_parameters._kinds(bed, fit)
    one, other = np.triu_indices(len(bed.truth), 1)
    labels = fit.codes_.labels
    times = (labels[:, one] == labels[:, other]).sum(axis=0)
    same = bed.truth[one] == bed.truth[other]
    n = labels.shape[0]
    np.testing.assert_allclose(found["all pairs"], np.bincount(times, minlength=n + 1) / len(one))
    np.testing.assert_allclose(
        found["like, truth"], np.bincount(times[same], minlength=n + 1) / len(one)
    )
    assert found["like, EM"].sum() == pytest.approx(fit.mixture_.pi1)
    assert found["unlike, EM"].sum() == pytest.approx(fit.mixture_.pi0)


def test_em_sees_the_kinds_further_apart_than_they_are(result) -> None:
    shared = {
        row.method: row.ours for row in result.rows if row.measure == "overlap of the two kinds"
    }
    assert 0 < shared["EM"] < shared["truth"] < 1
    relation = next(one for one in result.relations if "(figure 6)" in one.text)
    assert relation.holds
    assert f"{shared['truth']:.3f}" in relation.text


def test_sigma_only_changes_the_spread(result) -> None:
    rows = {
        (row.method[-1], row.measure): row.ours
        for row in result.rows
        if row.method.startswith("weighted, randomized")
    }
    assert rows["2", "spread of unlike pairs"] == pytest.approx(
        2 * rows["1", "spread of unlike pairs"]
    )
    far = "distance of unlike pairs from a normal law"
    assert rows["2", far] == pytest.approx(rows["1", far])
    assert next(one for one in result.relations if "sigma only" in one.text).holds


def test_figures_5_to_7_are_drawn(result) -> None:
    drawn = {
        picture.title.rpartition("(as in ")[2].rstrip(")"): picture for picture in result.pictures
    }
    assert set(drawn) == {"figure 5", "figure 6", "figure 7"}
    six = drawn["figure 6"].lines
    seven = drawn["figure 7"].lines
    assert list(six) == ["all pairs", "like, truth", "like, EM", "unlike, truth", "unlike, EM"]
    assert sum(six["all pairs"]) == pytest.approx(1, abs=0.01)
    assert [sum(line) for line in seven.values()] == [pytest.approx(1)] * 4
    middle = {name: np.dot(drawn["figure 7"].x, line) for name, line in seven.items()}
    assert (
        middle["like, EM"] - middle["unlike, EM"] > middle["like, k/t"] - middle["unlike, k/t"] > 0
    )
