"""Classifier: clones of any scikit-learn classifier, seeds, varied parameters, gaps, words, ready-made ones and reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from coterie import Table
from coterie.compare import SIC
from coterie.compare.sic.classifiers import Classifier, ready
from coterie.compare.sic.diverters import MAKERS
from coterie.core.errors import DataError, ParameterError


def numbers(n: int = 60, width: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, width))


def trained(
    diverter: Classifier, table: Table, train: np.ndarray, labels: np.ndarray, seed: int = 0
) -> tuple[Any, Any]:
    data = diverter.prepare(table)
    generator = np.random.default_rng(seed)
    return diverter.train(data, train, labels, diverter.draw(data, generator), generator), data


def test_is_the_classifier_itself() -> None:
    values = numbers()
    train = np.arange(20)
    for given in (
        KNeighborsClassifier(3),
        SVC(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ):
        model, data = trained(Classifier(estimator=given), Table.of(values), train, train % 3)
        wanted = given.fit(values[train], train % 3).predict(values)
        assert np.array_equal(Classifier(estimator=given).apply(model, data, np.arange(60)), wanted)


def test_numbers_go_in_as_they_are() -> None:
    counts = np.random.default_rng(1).poisson(2.0, size=(30, 5)).astype(float)
    model, data = trained(
        Classifier(estimator=MultinomialNB()), Table.of(counts), np.arange(30), np.arange(30) % 2
    )
    assert np.array_equal(data.rows, counts)
    assert np.array_equal(
        model.predict(counts), MultinomialNB().fit(counts, np.arange(30) % 2).predict(counts)
    )


def test_every_random_state_is_seeded_by_the_iteration() -> None:
    pipe = make_pipeline(StandardScaler(), SGDClassifier(random_state=3))
    seeds = [
        trained(
            Classifier(estimator=pipe), Table.of(numbers()), np.arange(30), np.arange(30) % 2, seed
        )[0][-1].random_state
        for seed in (0, 0, 1)
    ]
    assert seeds[0] == seeds[1] != seeds[2]
    assert pipe[-1].random_state == 3


def test_parameters_are_varied() -> None:
    diverter = Classifier(
        estimator=SVC(), vary={"C": (0.01, 100.0), "degree": (2, 4), "kernel": ["rbf", "linear"]}
    )
    diverter.check_params()
    data = diverter.prepare(Table.of(numbers()))
    drawn = [diverter.draw(data, np.random.default_rng(seed)) for seed in range(60)]
    assert {d["degree"] for d in drawn} == {2, 3, 4}
    assert {d["kernel"] for d in drawn} == {"rbf", "linear"}
    assert np.median([d["C"] for d in drawn]) < 10
    model = diverter.train(
        data, np.arange(20), np.arange(20) % 2, drawn[0], np.random.default_rng(0)
    )
    assert model.get_params()["C"] == drawn[0]["C"]
    for vary, words in (
        ({"D": (1, 2)}, "has no parameter 'D'"),
        ({"C": (2, 1)}, "must be"),
        ({"C": 3}, "a pair"),
    ):
        with pytest.raises(ParameterError, match=words):
            Classifier(estimator=SVC(), vary=vary).check_params()
    with pytest.raises(ParameterError, match="fit and predict"):
        Classifier(estimator=3).check_params()


def test_gaps_are_refused_filled_or_passed_on() -> None:
    values = numbers()
    values[4, 2] = np.nan
    with pytest.raises(DataError, match="SVC does not read gaps, and row 4, column 'x2'"):
        Classifier(estimator=SVC()).prepare(Table.of(values))
    filled = Classifier(estimator=SVC(), gaps="fill")
    data = filled.prepare(Table.of(values))
    assert data.rows[4, 2] == pytest.approx(np.nanmean(values[:, 2]))
    own = Classifier(estimator=HistGradientBoostingClassifier(max_iter=2))
    model, data = trained(own, Table.of(values), np.arange(30), np.arange(30) % 2)
    assert np.isnan(own._rows(data, np.arange(60))[4, 2])
    assert len(own.apply(model, data, np.arange(60))) == 60


def test_sparse_tables_where_the_classifier_reads_them() -> None:
    dense = np.random.default_rng(2).poisson(0.6, size=(40, 9)).astype(float)
    table = Table.of(sp.csr_array(dense))
    model, data = trained(
        Classifier(estimator=MultinomialNB()), table, np.arange(20), np.arange(20) % 3
    )
    said = Classifier(estimator=MultinomialNB()).apply(model, data, np.arange(40))
    assert np.array_equal(said, MultinomialNB().fit(dense[:20], np.arange(20) % 3).predict(dense))
    with pytest.raises(DataError, match="does not take sparse input"):
        Classifier(estimator=HistGradientBoostingClassifier()).prepare(table)


class Plugin(ClassifierMixin, BaseEstimator):
    """Says a word for every member: no numbers, and words never trained on."""

    def fit(self, X: Any, y: Any) -> Plugin:
        self.middle_ = float(np.median(X[:, 0]))
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.where(X[:, 0] > self.middle_, "high", "low").astype(object)


def test_plugins_may_say_anything() -> None:
    values = numbers()
    sic = SIC(diverter=Plugin(), n_iterations=20, train_size=0.3, stop=1e-15, random_state=0).fit(
        values
    )
    order = np.argsort(values[:, 0])
    assert (
        sic.affinity_.block(slice(order[0], order[0] + 1), slice(order[1], order[1] + 1))[0, 0]
        == 1.0
    )
    assert (
        sic.affinity_.block(slice(order[0], order[0] + 1), slice(order[-1], order[-1] + 1))[0, 0]
        == 0.0
    )


@pytest.mark.parametrize("name", MAKERS)
def test_ready_made_ones_find_groups_in_a_mixed_table(name: str) -> None:
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], 30)
    values = np.column_stack([6 * group + rng.normal(size=60), 1e4 * rng.normal(size=60), group])
    values[rng.random((60, 3)) < 0.05] = np.nan
    table = Table(values, ("height", "noise", "color"), {2: ("blue", "red")})
    sic = SIC(
        diverter=ready(name), n_iterations=25, train_size=0.15, stop=1e-15, random_state=0
    ).fit(table)
    s = sic.affinity_.block(slice(0, 60), slice(0, 60))
    same = group[:, None] == group[None, :]
    off = ~np.eye(60, dtype=bool)
    assert np.nanmean(s[same & off]) > np.nanmean(s[~same]) + 0.15
    with pytest.raises(ParameterError, match="one of svm, kernel-svm"):
        ready("oracle")


def test_duplicates_share_their_code() -> None:
    rng = np.random.default_rng(4)
    which = rng.integers(8, size=90)
    table = Table.of(numbers(8)[which])
    for name in MAKERS:
        model, data = trained(ready(name), table, np.arange(30), rng.integers(9, size=30))
        said = ready(name).apply(model, data, np.arange(90))
        assert all(len(set(said[which == row])) == 1 for row in range(8))


def test_reasons_of_linear_models_and_of_importances() -> None:
    rng = np.random.default_rng(5)
    group = np.repeat([0, 1, 2], 20)
    values = np.column_stack([rng.normal(size=60), 8.0 * group, rng.normal(size=60)])
    table = Table(values, ("noise", "height", "more"))
    for diverter in (
        ready("logistic"),
        ready("svm"),
        Classifier(estimator=make_pipeline(StandardScaler(), LogisticRegression())),
    ):
        model, data = trained(diverter, table, np.arange(60), group)
        assert diverter.reasons(model, data, np.arange(20))[0][0] == "height"
    two, data = trained(ready("logistic"), table, np.arange(40), group[:40])
    assert ready("logistic").reasons(two, data, np.arange(10))[0][0] == "height"
    tree = Classifier(estimator=DecisionTreeClassifier())
    model, data = trained(tree, table, np.arange(60), group)
    assert tree.reasons(model, data, np.arange(5)) == (("height", 1.0),)
    knn = ready("knn")
    model, data = trained(knn, table, np.arange(60), group)
    assert knn.reasons(model, data, np.arange(5)) == ()
