"""Categorize: labels found again, settings by cross-validation, thresholds, categories with too few members, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.thresholds import auc

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.core.workplace import using
from coterie.organize import Categorize
from coterie.organize.categorize import ranked, unseen
from coterie.organize.classifiers import (
    KINDS,
    grid,
    learn,
    machine,
    mean_square,
    ready,
    said,
    squares,
)
from coterie.parts.folds import dealt

NAMES = np.array(["river", "piano", "engine"])


def blobs(n=90, seed=0, spread=0.4):
    """Three clouds of non-negative rows, in random order, and which each row is of."""
    generator = stream(seed)
    truth = generator.integers(3, size=n)
    rows = np.array([[5.0, 0.2, 0.1, 1.0], [0.1, 5.0, 0.2, 1.0], [0.2, 0.1, 5.0, 1.0]])[truth]
    return np.abs(rows + spread * generator.normal(size=rows.shape)), truth


@pytest.mark.parametrize("classifier", KINDS)
def test_labels_are_found_again_from_a_few(classifier):
    rows, truth = blobs()
    model = Categorize(classifier=classifier).fit(rows[:20], NAMES[truth[:20]])
    assert (model.predict(rows[20:]) == NAMES[truth[20:]]).mean() > 0.95
    assert model.classes_.tolist() == ["engine", "piano", "river"]
    assert model.scores(rows).shape == (90, 3)


@pytest.mark.parametrize(
    ("classifier", "kernel"),
    [("svm", "linear"), ("svm", "rbf"), ("knn", "linear"), ("bayes", "linear")],
)
def test_sparse_rows_are_dense_rows(classifier, kernel):
    rows, truth = blobs(60)
    one = Categorize(classifier=classifier, kernel=kernel).fit(rows, truth)
    other = Categorize(classifier=classifier, kernel=kernel).fit(sp.csr_array(rows), truth)
    assert one.setting_ == other.setting_
    assert np.allclose(one.scores(rows), other.scores(sp.csr_array(rows)), atol=1e-5)


def test_members_without_a_label_are_left_out():
    rows, truth = blobs(60)
    labels = [NAMES[t] if at < 25 else None for at, t in enumerate(truth)]
    some = Categorize().fit(rows, labels)
    alone = Categorize().fit(rows[:25], labels[:25])
    assert np.array_equal(some.scores(rows), alone.scores(rows))
    assert some.validated_.max() < 25


def test_two_labels_are_one_model_and_scores_mirror():
    rows, truth = blobs(60)
    model = Categorize().fit(rows, truth == 0)
    scores = model.scores(rows)
    assert len(model.models_) == 1
    assert np.array_equal(scores[:, 0], -scores[:, 1])
    assert np.array_equal(model.decision_function(rows), scores[:, 1])
    assert model.predict(rows).dtype == bool


def test_several_labels_each_with_thresholds_from_validation():
    rows, truth = blobs(120, spread=1.5)
    table = np.stack([truth == 0, truth != 2, np.arange(120) < 120], axis=1).astype(int)
    table[:, 2] = (truth == 2) | (rows[:, 3] > 1.5)
    for rule in ("zero", "f1", "bep"):
        model = Categorize(threshold=rule).fit(rows[:80], table[:80])
        found = model.predict(rows[80:])
        assert found.shape == (40, 3)
        assert (found == table[80:]).mean() > 0.8
        assert (model.thresholds_ == 0).all() == (rule == "zero")
    lists = [[name for name, there in zip("abc", row, strict=True) if there] for row in table]
    assert isinstance(Categorize().fit(rows[:80], lists[:80]).predict(rows[80:])[0], tuple)


def test_one_category_as_a_table_is_a_yes_or_no():
    rows, truth = blobs(60)
    model = Categorize(threshold="zero").fit(rows, (truth == 1)[:, None].astype(int))
    assert model.predict(rows).ravel().tolist() == (truth == 1).astype(int).tolist()


def test_categories_nobody_or_everybody_is_in_are_reported_and_not_learned():
    rows, truth = blobs(40)
    table = np.stack([truth == 0, np.zeros(40), np.ones(40), np.arange(40) == 3], axis=1).astype(
        int
    )
    model = Categorize().fit(rows, table)
    found = model.predict(rows)
    assert found[:, 1].sum() == 0
    assert found[:, 2].sum() == 40
    assert "No labeled member is in 1: not learned, and never given." in model.notes_
    assert "Every labeled member is in 2: not learned, and always given." in model.notes_
    assert "Fewer than 3 labeled members are in 3: too few to be validated." in model.notes_
    assert model.thresholds_[3] == 0.0


def test_validation_scores_are_of_models_that_did_not_see_the_member():
    """A member whose label is a lie is told by the others: its validation score speaks against the lie."""
    rows, truth = blobs(60)
    labels = truth == 0
    liar = int(np.flatnonzero(labels)[0])
    labels = labels.copy()
    labels[liar] = False
    model = Categorize(classifier="knn").fit(rows, labels)
    assert model.validation_scores_[model.validated_.tolist().index(liar), 1] > 0


def test_validation_by_precomputed_distances_is_validation_by_rows():
    rows, truth = blobs(45)
    yes = np.stack([truth == k for k in range(3)], axis=1)
    fold = dealt(yes, 5, stream(0))
    setting = {"C": 10.0, "width": 2.0}
    quick = unseen("svm", rows, yes, fold, squares(rows, rows), setting)
    for part in range(5):
        train = np.flatnonzero(fold != part)
        test = np.flatnonzero(fold == part)
        slow = learn("svm", setting, rows[train], yes[train, 1]).scores(rows[test])
        assert np.allclose(quick[test, 1], slow, atol=1e-9)


def test_gaussian_machine_is_scikit_learns():
    from sklearn.svm import SVC

    rows, truth = blobs(50)
    gaps = squares(rows, rows)
    yes = truth == 0
    scale = mean_square(gaps)
    own = machine(gaps, rows, yes, {"C": 3.0, "width": 0.5}, scale).scores(rows)
    assert np.allclose(
        own, SVC(C=3.0, gamma=1.0 / (0.5 * scale)).fit(rows, yes).decision_function(rows), atol=1e-6
    )


def test_bayes_is_scikit_learns():
    from sklearn.naive_bayes import MultinomialNB

    counts = np.floor(blobs(50)[0])
    yes = blobs(50)[1] == 0
    own = learn("bayes", {"pseudo_count": 0.1}, counts, yes).scores(counts)
    law = MultinomialNB(alpha=0.1).fit(counts, yes).predict_log_proba(counts)
    assert np.allclose(own, law[:, 1] - law[:, 0])


def test_many_labels_of_a_gaussian_machine_are_validated_on_a_part(monkeypatch):
    monkeypatch.setattr("coterie.organize.categorize._CHOICE", 30)
    rows, truth = blobs(90)
    model = Categorize(kernel="rbf").fit(rows, truth)
    assert len(model.validated_) == 30
    assert (model.predict(rows) == truth).mean() > 0.95


def test_same_seed_same_bits_and_workers_change_nothing():
    rows, truth = blobs(60, spread=2.0)
    with using(n_jobs=1):
        one = Categorize(random_state=3).fit(rows, truth).scores(rows)
    with using(n_jobs=2):
        two = Categorize(random_state=3).fit(rows, truth).scores(rows)
    assert np.array_equal(one, two)


def test_ranks_are_the_area_under_the_curve():
    generator = stream(2)
    scores = np.round(generator.normal(size=(20, 2)), 1)
    yes = generator.random((20, 2)) < 0.4
    assert ranked(scores, yes) == pytest.approx(
        np.mean([auc(scores[:, k], yes[:, k]) for k in range(2)])
    )


def test_grids_and_words():
    assert grid("knn", "linear", None, 4) == [{"neighbors": 1.0}]
    assert grid("svm", "linear", 5.0, 100) == [{"C": 5.0}]
    assert said({"C": 10.0, "width": 0.5}) == "C 10, width 0.5"
    assert np.allclose(np.linalg.norm(ready(blobs()[0], "svm", True), axis=1), 1)
    assert ready(np.zeros((2, 3)), "svm", True).tolist() == np.zeros((2, 3)).tolist()


@pytest.mark.parametrize(
    ("settings", "labels", "sentence"),
    [
        ({"kernel": "rbf", "classifier": "knn"}, None, "kernel is of classifier='svm'"),
        ({"C": 1.0, "classifier": "bayes"}, None, "C is of svm and logistic"),
        ({"classifier": "oracle"}, None, "classifier must be"),
        ({}, ["a"] * 30, "all labeled members have one label"),
        ({}, ["a", "b"], "there are 30 members and 2 labels"),
        ({}, [["a"], *[None] * 29], "at least 2 labeled members, and 1 of 30"),
    ],
)
def test_what_cannot_be_is_one_sentence(settings, labels, sentence):
    rows, truth = blobs(30)
    with pytest.raises((DataError, ParameterError), match=sentence):
        Categorize(**settings).fit(rows, truth if labels is None else labels)


def test_labels_must_be_given_and_counts_of_bayes_positive():
    rows, truth = blobs(30)
    with pytest.raises(DataError, match="requires y to be passed"):
        Categorize().fit(rows)
    with pytest.raises(DataError, match="takes counts or other values from 0"):
        Categorize(classifier="bayes").fit(-rows, truth)


def test_too_many_labels_for_a_gaussian_machine(monkeypatch):
    monkeypatch.setattr("coterie.organize.classifiers._MACHINE", 20)
    rows, truth = blobs(30)
    with pytest.raises(
        DataError, match="at most 20 labeled members, and there are 30; use 'linear'"
    ):
        Categorize(kernel="rbf").fit(rows, truth)


@pytest.mark.parametrize("C", [1e-300, 1e300])
def test_a_setting_with_which_no_machine_ever_ends_is_refused(C) -> None:
    with pytest.raises(ParameterError, match="Categorize: C must be from"):
        Categorize(C=C).fit(np.eye(6), [0, 1] * 3)


@pytest.mark.parametrize("size", [1e-300, 1e90])
def test_rows_on_which_no_machine_ever_ends_are_refused(size) -> None:
    rows = np.random.default_rng(0).normal(size=(8, 3)) * size
    with pytest.raises(DataError, match="Categorize: the largest value of some labeled members"):
        Categorize(normalize=False).fit(rows, [0, 1] * 4)
    assert len(Categorize().fit(rows, [0, 1] * 4).predict(rows)) == 8
