"""RandomLabels(balance=(least, most)): the cap and the floor on occurrences hold, and rare members meet at last."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.ova import Bayes

from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.estimator import SIC
from coterie.compare.sic.roles import Draw
from coterie.compare.sic.samples import Samples
from coterie.core.errors import ParameterError
from coterie_papers.words import zipf_words


@pytest.fixture(scope="module")
def words():
    return zipf_words(1, n_words=120, n_groups=6, n_spans=3000)


def tasks(words, n=20, train_size=0.02, **settings):
    """Annotations of some iterations, and the member of every sample."""
    samples = Samples.of(words.text)
    draw = Draw(train_size, lambda n: (n, n), 1)
    annotator = RandomLabels(**settings)
    return [
        annotator.annotate(words.text, samples, draw, np.random.default_rng(i)) for i in range(n)
    ], samples.owner


@pytest.mark.parametrize("most", [1, 3, 8])
def test_no_member_is_tested_or_trained_on_more_often_than_the_cap(words, most):
    found, owner = tasks(words, balance=(1, most))
    for task in found:
        assert np.bincount(owner[task.test]).max() == most
        assert np.bincount(owner[task.train]).max() <= most


@pytest.mark.parametrize("least", [1, 2])
def test_every_member_has_its_floor_whatever_number_is_tested(words, least):
    found, owner = tasks(words, balance=(least, 5), test=10)
    for task in found:
        left = np.bincount(np.delete(owner, task.train), minlength=120)
        tested = np.bincount(owner[task.test], minlength=120)
        assert (tested >= np.minimum(left, least)).all()
        assert tested.max() <= 5


def test_without_balance_frequent_members_fill_the_test_and_rare_ones_are_missed(words):
    plain, owner = tasks(words, test=150)
    balanced, _ = tasks(words, test=150, balance=(1, 2))
    rare = np.flatnonzero(words.counts <= np.median(words.counts))

    def missed(found):
        return np.mean(
            [np.mean(np.bincount(owner[t.test], minlength=120)[rare] == 0) for t in found]
        )

    assert missed(plain) > 0.3
    assert missed(balanced) < 0.02
    assert np.mean([np.bincount(owner[t.test]).max() for t in plain]) > 15


def test_what_is_trained_on_is_never_tested_and_draws_differ(words):
    found, _ = tasks(words, balance=(1, 4))
    assert all(not set(t.train) & set(t.test) for t in found)
    assert len({t.train.tobytes() for t in found}) == len(found)
    assert len({t.test.tobytes() for t in found}) == len(found)


def test_training_is_spread_over_members(words):
    plain, owner = tasks(words, train_size=0.02)
    balanced, _ = tasks(words, train_size=0.02, balance=(1, 1))
    spread = [
        np.mean([len(set(owner[t.train])) / len(t.train) for t in found])
        for found in (plain, balanced)
    ]
    assert spread[1] == 1.0
    assert spread[0] < 0.8


@pytest.mark.parametrize("balance", [(3, 2), (-1, 2), (0, 0), (1, 2, 3)])
def test_a_floor_above_the_cap_is_refused(balance):
    with pytest.raises(ParameterError, match="balance must be two whole numbers"):
        RandomLabels(balance=balance).check_params()


def test_pairs_of_rare_members_are_scored_only_when_draws_are_balanced(words):
    def missing(**settings):
        annotator = RandomLabels(test=150, **settings)
        model = SIC(
            diverter=Bayes(),
            annotator=annotator,
            n_iterations=10,
            train_size=0.02,
            scoring="occurrence",
            random_state=0,
        )
        found = model.fit(words.text).affinity_
        return np.isnan(found.block(slice(0, 120), slice(0, 120))).mean()

    assert missing(balance=(1, 2)) == 0
    assert missing() > 0.02
