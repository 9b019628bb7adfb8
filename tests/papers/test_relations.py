"""What experiments ask of their numbers is what the works say: not the better of two where it is both, and not near misses."""

from __future__ import annotations

import numpy as np
import pytest

from coterie_papers import (
    comraf_genre,
    comraf_papers,
    core_rerank,
    genres,
    semi_supervised,
    smyth_hmms,
    speakers,
    view_clusters,
)
from coterie_papers.core_data import OTHERS
from coterie_papers.experiment import Ledger


def asked(relate, *given) -> dict[str, bool]:
    """What is asked, by its sentence without the numbers in brackets."""
    ledger = Ledger()
    relate(ledger, *given)
    return {relation.text.split(" (")[0]: relation.holds for relation in ledger.relations}


@pytest.mark.parametrize(("still", "holds"), [(42.0, True), (39.0, False)])
def test_stationary_laws_must_be_near_chance_and_not_only_behind(still, holds) -> None:
    row = dict.fromkeys(smyth_hmms.FAMILY, 41.0) | {
        "SSD": 17.0,
        "PPK": 45.0,
        "SSD, stationary": still,
    }
    found = asked(smyth_hmms._two, "x", 50, row)
    assert found["x: stationary laws alone are near chance, at 40% or more"] is holds
    assert found["x: SSD"]
    assert not asked(smyth_hmms._two, "x", 50, {**row, "KL-LL": 29.0})["x: SSD"]


def test_distances_must_agree_where_sequences_are_long() -> None:
    row = dict.fromkeys(smyth_hmms.FAMILY, 1.5) | {"SSD": 1.4, "PPK": 45.0, "SSD, stationary": 42.0}
    said = "x: SSD and all likelihood distances are within 2 points of each other"
    assert asked(smyth_hmms._two, "x", 200, row)[said]
    assert not asked(smyth_hmms._two, "x", 200, {**row, "POR": 4.0})[said]


def test_each_of_two_estimates_must_fail_by_its_error() -> None:
    found = asked(genres._failing, "x", {"NN-J": 0.0, "Wang-J": 5.3, "bound-J": 67.5})
    assert found == {"Wang-J": False, "bound-J": True}


def test_the_thesis_first_method_is_asked_to_be_first() -> None:
    assert list(asked(speakers._lowest, "x", {"bound-J": 5.6, "EL": 3.3, "MMD": 9.0}).values()) == [
        False
    ]
    assert list(
        asked(speakers._lowest, "x", {"bound-J": 5.6, "GLDS": 3.3, "MMD": 9.0}).values()
    ) == [True]  # GLDS is not there


def test_intrinsic_must_be_above_constrained_by_more_than_its_error() -> None:
    micro = {
        "unsupervised": [60.0, 61.0],
        "constrained": [70.0, 74.0],
        "intrinsic": [71.0, 75.0],
        "seeded": [60.0, 61.0],
    }
    values = {name: np.array(one) for name, one in micro.items()}
    order = "R10: unsupervised < constrained < intrinsic, x"
    assert not asked(semi_supervised._relations, values, "x")[order]
    assert asked(semi_supervised._relations, {**values, "intrinsic": np.array([81.0, 85.0])}, "x")[
        order
    ]


def test_one_strong_population_must_be_above_whatever_two_weak_ones_give() -> None:
    weak = {
        name: np.array([value])
        for name, value in zip(
            ("titles", "citations", "tree", "loopy"), (30.0, 31, 40, 45), strict=True
        )
    }
    assert list(
        asked(comraf_papers._one, "Cora", np.array([50.0]), weak, "citations").values()
    ) == [True]
    assert list(
        asked(comraf_papers._one, "Cora", np.array([44.0]), weak, "citations").values()
    ) == [False]


def test_words_and_tags_must_be_above_each_and_not_only_as_good() -> None:
    micro = {name: np.array([50.0, 52.0]) for name in comraf_genre.WAYS}
    found = asked(comraf_genre._relations, micro)
    assert found["words and tag bigrams together are at least as good as the better of the two"]
    assert not found["R8: words and tag bigrams together are above each alone"]
    assert not found["single tags are below pairs of them"]


def test_a_core_must_be_above_every_method_of_others() -> None:
    values = {name: np.array([50.0]) for name in OTHERS} | {"OCCC": np.array([56.0])}
    assert list(asked(core_rerank._ahead, "x", values, "OCCC").values()) == [True]
    assert list(
        asked(core_rerank._ahead, "x", {**values, "OC-SVM, rbf": np.array([53.0])}, "OCCC").values()
    ) == [False]


def test_at_least_on_most_sets_allows_no_standard_error() -> None:
    names = dict(zip(("PWCA", "KCCA"), ("ours", "theirs"), strict=True))
    sets = {
        f"set {at}": {
            name: np.array([80.0, 84.0])
            for name in ("theirs", view_clusters.PLAIN, view_clusters.EVEN)
        }
        for at in range(3)
    }
    ours = (np.array([81.9, 81.9]), np.array([82.0, 82.0]), np.array([83.0, 83.0]))
    found = {
        name: {**values, "ours": one}
        for (name, values), one in zip(sets.items(), ours, strict=True)
    }
    assert all(asked(view_clusters._majority, found, names, "x").values())
    found["set 1"]["ours"] = np.array([81.9, 81.9])
    assert not any(asked(view_clusters._majority, found, names, "x").values())
