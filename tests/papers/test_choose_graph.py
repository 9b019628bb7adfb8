"""Choosing a graph without labels: every graph is scored and judged, the rows name the right ones, and relations can fail."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.links import MEMBERS, Links
from coterie_papers import choose_graph
from coterie_papers.choose_graph import ALL, ALONE, BEST, CHOSEN
from coterie_papers.experiment import Ledger
from coterie_papers.text_data import MICRO, NMI, Tied, hasty, part_of


@pytest.fixture(scope="module")
def tied() -> Tied:
    """Forty members of two groups: words that tell them, people that tell them less, and rooms that tell nothing."""
    random = np.random.default_rng(0)
    group = np.arange(40) % 2
    tables = {
        (MEMBERS, "words"): random.poisson(np.where(group[:, None] == np.arange(30) % 2, 1.5, 0.2)),
        (MEMBERS, "people"): random.poisson(
            np.where(group[:, None] == np.arange(12) % 2, 0.6, 0.2)
        ),
    }
    return Tied(Links.of(tables), group.astype(str), "toy")


def test_every_graph_is_scored_and_judged(tied):
    found = choose_graph.tried(tied, ("mass", "one"), 0)
    assert found["score"].shape == (
        10,
    )  # six graphs, and those of two tables or more by two rules of weight
    assert found["judged"].shape == (10, 2)
    assert (found["judged"] >= 0).all()
    assert (found["judged"] <= 100).all()
    assert found["judged"][int(found[ALONE]), 0] > 80
    assert {int(found[name]) for name in (CHOSEN, ALONE, ALL)} <= set(range(10))
    assert int(found[ALONE]) != int(found[ALL])


def _runs(score, nmi, chosen):
    judged = np.column_stack([nmi, nmi])
    return [
        {
            "score": np.array(score),
            "judged": judged,
            CHOSEN: np.array(chosen),
            ALONE: np.array(2),
            ALL: np.array(1),
        }
    ]


def test_rows_and_relations_are_those_of_the_graphs():
    ledger = Ledger()
    choose_graph.tell(ledger, "toy", _runs([0.9, 0.6, 0.3], [70.0, 60.0, 50.0], 0))
    values = {(row.method, row.measure): row.ours for row in ledger.rows}
    assert values["score of a graph", f"Spearman with {NMI}"] == pytest.approx(1)
    assert values["score of a graph", f"Spearman with {MICRO}"] == pytest.approx(1)
    assert [values[name, NMI] for name in (CHOSEN, ALONE, ALL, BEST)] == [70, 50, 60, 70]
    assert [relation.holds for relation in ledger.relations] == [True, True, True]
    ledger = Ledger()
    choose_graph.tell(ledger, "toy", _runs([0.3, 0.6, 0.9], [40.0, 60.0, 50.0], 0))
    assert [relation.holds for relation in ledger.relations] == [False, False, False]
    assert "(chosen graph 40.0, best 60.0)" in ledger.relations[2].text


def test_parts_are_drawn_by_their_seed(tied):
    one, other = (part_of(tied, 20, seed) for seed in (0, 1))
    assert len(one.truth) == len(other.truth) == 20
    assert list(one.links.tables[MEMBERS, "words"].rows) != list(
        other.links.tables[MEMBERS, "words"].rows
    )
    assert part_of(tied, 40) is tied
    quick = hasty(type("Quick", (), {"quick": True})(), tied, 20)
    assert list(quick.links.tables[MEMBERS, "words"].rows) == list(
        one.links.tables[MEMBERS, "words"].rows
    )


def test_what_is_not_here_is_said(tmp_path):
    result = choose_graph.EXPERIMENT.conduct(quick=True, folder=tmp_path)
    assert result.rows == []
    assert len(result.skipped) == 2
