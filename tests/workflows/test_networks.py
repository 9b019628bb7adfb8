"""Tables that are networks: groups by modularity beyond rewired ties, none in random networks, and what a network is."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from coterie.core.collection import Collection
from coterie.core.table import Table
from coterie.workflows import null_models
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie.workflows.modalities.table import is_network, modularity


def network(n: int = 90, k: int = 3, inside: float = 0.3, between: float = 0.02, seed: int = 0):
    """Members tied more often inside their groups than between them."""
    random = np.random.default_rng(seed)
    groups = np.arange(n) % k
    rates = np.where(groups[:, None] == groups[None], inside, between)
    upper = np.triu(random.random((n, n)) < rates, 1).astype(float)
    return sp.csr_array(upper + upper.T), groups


def collection(ties) -> Collection:
    return Collection([f"m{i}" for i in range(ties.shape[0])], {"ties": Table.of(ties)})


def test_groups_of_a_network_are_found() -> None:
    ties, groups = network()
    findings = analyse(collection(ties), Choices(nulls=6)).findings
    assert findings.evidence.measure == "modularity"
    assert findings.evidence.null_models == ("rewired",)
    assert findings.evidence.structured
    assert len(findings.groups) == 3
    assert adjusted_rand_score(groups, findings.labels) > 0.95


def test_a_random_network_has_none() -> None:
    ties, _ = network(inside=0.1, between=0.1)
    findings = analyse(collection(ties), Choices(nulls=6)).findings
    assert not findings.evidence.structured
    assert len(findings.groups) == 1


def test_without_null_models_the_modularity_says_how_many() -> None:
    ties, _ = network()
    findings = analyse(collection(ties), Choices(nulls=0)).findings
    assert findings.evidence.measure == "modularity"
    assert len(findings.groups) == 3


def test_rewired_ties_keep_their_numbers_and_weights() -> None:
    ties, groups = network(seed=2)
    ties = sp.csr_array(sp.triu(ties))
    ties.data = np.random.default_rng(0).integers(1, 4, size=ties.nnz).astype(float)
    ties = sp.csr_array(ties + ties.T)
    drawn = null_models.rewired(ties)(np.random.default_rng(1))
    assert is_network(Table.of(drawn))
    assert drawn.diagonal().sum() == 0
    assert np.array_equal(np.diff(drawn.indptr), np.diff(ties.indptr))
    assert np.array_equal(np.sort(drawn.data), np.sort(ties.data))
    assert modularity(ties, groups) > 0.4 > 0.15 > modularity(drawn, groups)


def test_modularity_is_that_of_the_definition() -> None:
    ties, groups = network(30)
    dense = ties.toarray()
    degrees = dense.sum(axis=1)
    total = degrees.sum()
    expected = sum(
        dense[i, j] / total - degrees[i] * degrees[j] / total**2
        for i in range(30)
        for j in range(30)
        if groups[i] == groups[j]
    )
    assert np.isclose(modularity(ties, groups), expected)


def test_what_a_network_is() -> None:
    ties, _ = network(30)
    assert is_network(Table.of(ties))
    assert not is_network(Table.of(ties.toarray()))
    one_way = ties.tolil()
    one_way[0, 1] = 7.0
    assert not is_network(Table.of(sp.csr_array(one_way)))
    assert not is_network(Table.of(sp.csr_array(ties[:, :20])))
    assert not is_network(Table.of(-ties))
    assert not is_network(Table.of(sp.csr_array((30, 30))))
