"""Trials with few labels: who is labeled, which labels are wrong, and that only the unlabeled are judged."""

from __future__ import annotations

import numpy as np

from coterie.collect.planted import corpus
from coterie.core.links import linked
from coterie_papers import label_noise, semi_supervised
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.few_labels import Told, accuracy_of, labels_of
from coterie_papers.text_data import Tied


def small():
    found = corpus(120, 4, random_state=3)
    return Tied(
        linked(found.ids, found.links),
        np.array([f"class {t}" for t in found.truth["group"]]),
        "generated",
    )


def test_the_same_members_are_labeled_whatever_the_scheme_and_some_wrongly():
    truth = small().truth
    right = labels_of(truth, Told(0.5), 1)
    wrong = labels_of(truth, Told(0.5, "constrained", wrong=0.3), 1)
    assert (right >= 0).sum() == 60
    assert ((right >= 0) == (wrong >= 0)).all()
    codes = np.unique(truth, return_inverse=True)[1]
    assert (right[right >= 0] == codes[right >= 0]).all()
    assert (wrong[wrong >= 0] != codes[wrong >= 0]).sum() == 18
    assert (labels_of(truth, Told(0.5), 2) != right).any()


def test_accuracy_is_that_of_the_unlabeled_members():
    tied = small()
    told = Told(0.5, weight=30.0)
    assert accuracy_of("here", tied, Told(0.2), 2, runs=1).min() > 90
    scrambled = Tied(tied.links, np.random.default_rng(0).permutation(tied.truth), "scrambled")
    # with labels that mean nothing the labeled ones are kept as told, and the others are at chance
    assert accuracy_of("there", scrambled, told, 2, runs=1).max() < 60


def test_without_its_data_an_experiment_says_what_is_missing(tmp_path):
    for module in (semi_supervised, label_noise):
        ledger = Ledger()
        module.run(Trial(1, True, tmp_path), ledger)
        assert any("newsgroups20" in sentence for sentence in ledger.skipped)
