"""MixtureConsensus: the vote of three, the number of groups, any order of rows, samples, and new members."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.golden import materials as made

from coterie import read
from coterie.core.errors import DataError, ParameterError
from coterie.organize import MixtureConsensus, mixture_consensus
from coterie.parts.voting import majority_vote


@pytest.fixture(scope="module")
def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Five groups, stretched and skewed."""
    return np.exp(made.vectors(300, 5, 6, seed=2) / 8), made.planted(300, 5, 2)


@pytest.fixture(scope="module")
def free(clouds) -> MixtureConsensus:
    return MixtureConsensus(random_state=0).fit(clouds[0])


def test_the_number_of_groups_is_found(clouds, free):
    _, truth = clouds
    assert free.partition_.n_groups == 5
    assert adjusted_rand_score(truth, free.labels_) > 0.95
    assert free.agreement_ > 0.9
    assert free.candidates_ == [2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 28]
    assert set(free.scores_) == {"bic", "agreement", "stability", "rank_sum"}
    assert all(len(values) == 12 for values in free.scores_.values())


def test_ranks_are_added_up(free):
    def ranks(values):
        return [
            sum(other < one for other in values) + sum(other == one for other in values) / 2 + 0.5
            for one in values
        ]

    scores = [-free.scores_["bic"], free.scores_["agreement"], free.scores_["stability"]]
    total = np.sum([ranks(values) for values in scores], axis=0)
    assert np.array_equal(free.scores_["rank_sum"], total)
    assert free.candidates_[int(np.argmax(total))] == free.models_.k


def test_groups_at_every_number_that_was_looked_at(clouds, free):
    for k in free.candidates_:
        assert 1 < len(np.unique(free.at(k))) <= k
    assert np.array_equal(free.at(5), free.labels_)
    with pytest.raises(ParameterError) as refused:
        free.at(9)
    assert refused.value.parameter == "k"


def test_labels_are_the_vote_of_the_three(clouds):
    rows, _ = clouds
    model = MixtureConsensus(n_groups=7, random_state=2).fit(rows)
    order = mixture_consensus.content_order(rows)
    table = model.scaling_.table(mixture_consensus.Table.of(rows[order]), "test")
    mixed = model.coding_.rows(table, "test")
    points = model.coding_.points(mixed)
    three = model.models_
    apart = ((points[:, None] - three.centers[None]) ** 2).sum(axis=2)
    labelings = [apart.argmin(axis=1)]
    for mixture in (three.tied, three.shrunk):
        labelings.append(mixture.responsibilities(mixed)[0].argmax(axis=1))
    vote = majority_vote(labelings, labelings[2]).labels
    assert adjusted_rand_score(vote, model.labels_[order]) == 1.0


def test_the_order_of_the_rows_changes_no_bit(clouds, free):
    rows, _ = clouds
    other = np.random.default_rng(4).permutation(len(rows))
    again = MixtureConsensus(random_state=0).fit(rows[other])
    assert np.array_equal(free.labels_[other], again.labels_)
    assert free.partition_.confidence[other].tobytes() == again.partition_.confidence.tobytes()
    assert free.scores_["bic"].tobytes() == again.scores_["bic"].tobytes()


def test_new_members_and_confidence(clouds):
    rows, truth = clouds
    model = MixtureConsensus(n_groups=5, random_state=0).fit(rows[::2])
    assert np.array_equal(model.predict(rows[::2]), model.labels_)
    assert adjusted_rand_score(truth[1::2], model.predict(rows[1::2])) > 0.9
    sure = model.partition_.confidence
    assert ((sure > 0) & (sure <= 1 + 1e-12)).all()
    between = (rows[truth == 0].mean(axis=0) + rows[truth == 1].mean(axis=0)) / 2
    assert model.predict(between[None]).shape == (1,)


def test_many_rows_are_placed_by_a_sample(clouds, monkeypatch):
    rows, truth = clouds
    monkeypatch.setattr(mixture_consensus, "_WHOLE", 120)
    monkeypatch.setattr(mixture_consensus, "_LOOKED_AT", 100)
    model = MixtureConsensus(random_state=0).fit(rows)
    assert len(model.labels_) == 300
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert all(len(model.at(k)) == 300 for k in model.candidates_)


def test_mixed_columns_with_missing_values():
    table = read(made.frame(200), id="id", truth="class")
    view = table.view(table.main)
    model = MixtureConsensus(n_groups=3, random_state=0).fit(view)
    assert adjusted_rand_score(table.truth["class"], model.labels_) > 0.95
    assert np.array_equal(model.predict(view), model.labels_)


def test_columns_may_be_taken_as_they_are():
    rows = made.vectors(90, 3, 4) * [100, 1e-6, 1e-6, 1e-6]
    plain = MixtureConsensus(n_groups=3, scale=False, random_state=0).fit(rows)
    assert plain.scaling_ is None
    assert len(plain.models_.centers[0]) == 4


def test_few_rows_and_candidates():
    rows = made.vectors(10, 2, 3)
    assert MixtureConsensus().fit(rows).candidates_ == [2]
    assert MixtureConsensus(candidates=(3, 4)).fit(made.vectors(60, 3, 3)).partition_.n_groups == 3
    with pytest.raises(ParameterError) as refused:
        MixtureConsensus(candidates=(0, 2)).fit(rows)
    assert refused.value.parameter == "candidates"


def test_equal_rows_only():
    with pytest.raises(DataError, match="single value"):
        MixtureConsensus(n_groups=3).fit(np.ones((20, 2)))
