"""Pipeline: checked before any work, fitted step by step, one estimator among scikit-learn's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coterie
from coterie import Pipeline
from coterie.collect.samples import sample
from coterie.compare import MMD, Cosine, Euclidean, Gaussian, Neighborhood
from coterie.core.errors import DataError, ParameterError
from coterie.judge import adjusted_rand
from coterie.organize import (
    MCL,
    MDC,
    HMMMixture,
    Medoids,
    RepresentationVote,
    Spectral,
    SpherePacking,
)
from coterie.represent import LSA, Scaling, Shapes, Terms


@pytest.fixture(scope="module")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    collection = sample("blobs", 100)
    return collection.view().values, collection.truth["group"]


class _NeverFitted(Scaling):
    """A step that must not be reached."""

    def fit(self, X, y=None):
        raise AssertionError("work was begun")


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([_NeverFitted(), PCA(2), MCL()], "MCL takes Affinity, PCA gives Table."),
        ([_NeverFitted(), Medoids()], "Medoids takes Affinity, _NeverFitted gives Table."),
        ([Terms(), Shapes()], "Shapes takes Ragged, Terms gives Table."),
        ([Euclidean(), LSA()], "LSA takes Table, Euclidean gives Affinity."),
        (
            [Euclidean(), Spectral(), Neighborhood()],
            "Neighborhood takes Affinity, Spectral gives Partition.",
        ),
        ([_NeverFitted(), KMeans(2), Euclidean()], "Euclidean takes Table"),
    ],
)
def test_what_does_not_fit_is_said_before_any_work(steps: list, sentence: str) -> None:
    if isinstance(steps[1], KMeans):  # it has a transform, so it may also stand in the middle
        assert Pipeline([Scaling(), *steps[1:], Medoids()]).check_chain() is None
        return
    with pytest.raises(ParameterError) as caught:
        Pipeline(steps).fit(np.random.default_rng(0).normal(size=(9, 3)))
    assert str(caught.value) == sentence


@pytest.mark.parametrize("steps", [[], None, "Euclidean", [3], [Euclidean]])
def test_what_is_no_list_of_estimators(steps) -> None:
    with pytest.raises((ParameterError, TypeError)):
        Pipeline(steps).fit([[1.0], [2.0]])


def test_fit_predict_and_place(blobs) -> None:
    rows, truth = blobs
    pipeline = Pipeline(
        [Scaling(), Euclidean(), Neighborhood(), Spectral(n_groups=5, random_state=0)]
    )
    labels = pipeline.fit_predict(rows)
    assert adjusted_rand(labels, truth) > 0.95
    assert pipeline.partition_.n_groups == 5
    assert pipeline.predict(rows[::7] + 1e-4).tolist() == labels[::7].tolist()
    assert pipeline.affinity_.shape == (100, 100)
    assert pipeline.compare(rows[:3]).shape == (3, 100)
    assert pipeline.relate(rows[:3]).shape == (3, 100)
    assert not hasattr(pipeline.steps[0], "n_features_in_"), (
        "the steps given were fitted, and not copies of them"
    )


def test_clone_pickle_and_repeat(blobs) -> None:
    rows, _ = blobs
    pipeline = Pipeline([Euclidean(), Medoids(n_groups=5, random_state=0)]).fit(rows)
    again = clone(pipeline)
    assert not hasattr(again, "steps_")
    assert again.fit(rows).labels_.tolist() == pipeline.labels_.tolist()
    assert (
        pickle.loads(pickle.dumps(pipeline)).predict(rows).tolist()
        == pipeline.predict(rows).tolist()
    )


def test_steps_of_scikit_learn(blobs) -> None:
    rows, truth = blobs
    ours = Pipeline(
        [StandardScaler(), PCA(2), Euclidean(), Medoids(n_groups=5, random_state=0)]
    ).fit(rows)
    assert adjusted_rand(ours.labels_, truth) > 0.6
    assert ours.predict(rows).shape == (100,)
    theirs = Pipeline([StandardScaler(), KMeans(5, n_init=3, random_state=0)]).fit(rows)
    assert adjusted_rand(theirs.labels_, truth) > 0.6
    assert theirs.predict(rows).tolist() == theirs.labels_.tolist()


@pytest.mark.parametrize(
    "before", [[StandardScaler()], [Scaling(), PCA(3)]], ids=["theirs", "both"]
)
def test_inside_a_pipeline_of_scikit_learn(blobs, before: list) -> None:
    rows, truth = blobs
    last = SpectralClustering(5, affinity="precomputed", random_state=0, n_init=3)
    pipeline = make_pipeline(*before, Gaussian(width=1.0), last)
    assert adjusted_rand(pipeline.fit_predict(rows), truth) > 0.9
    assert clone(pipeline).fit_predict(rows).tolist() == pipeline[-1].labels_.tolist()


def test_texts_sequences_and_collections() -> None:
    topics = sample("topics", 80)
    walk = Pipeline(
        [
            Terms(),
            LSA(n_components=20, normalize=True),
            Cosine(),
            Spectral(n_groups=8, random_state=0),
        ]
    )
    one = walk.fit_predict(topics)
    two = clone(walk).fit_predict(list(topics.view()))
    assert one.tolist() == two.tolist()
    assert adjusted_rand(one, topics.truth["group"]) > 0.8
    traces = sample("traces", 40)
    assert Pipeline([Shapes(), Euclidean(), Medoids(n_groups=4, random_state=0)]).fit(
        list(traces.view())
    ).labels_.shape == (40,)


def test_what_is_given_must_fit_the_first_step() -> None:
    with pytest.raises(DataError, match="Terms takes Text, and there is none in"):
        Pipeline([Terms(), Cosine()]).fit(sample("blobs", 30))
    with pytest.raises(DataError, match=r"Spectral takes an Affinity; say what a square array is"):
        Pipeline([Spectral()]).fit(np.eye(4))
    square = coterie.Affinity.of(
        np.abs(np.subtract.outer([0.0, 1, 9, 10], [0.0, 1, 9, 10])), kind="distance"
    )
    assert Pipeline([Medoids(n_groups=2, random_state=0)]).fit_predict(square).tolist() == [
        0,
        0,
        1,
        1,
    ]


def test_a_pipeline_that_makes_no_groups(blobs) -> None:
    rows, _ = blobs
    fitted = Pipeline([Scaling(), Euclidean()]).fit(rows)
    with pytest.raises(DataError, match="the last step, Euclidean, makes no groups"):
        fitted.partition_
    with pytest.raises(DataError, match="the last step, Euclidean, places no new members"):
        fitted.predict(rows)
    with pytest.raises(DataError, match="no step compares the members"):
        Pipeline([Scaling()]).fit(rows).affinity_
    with pytest.raises(DataError, match="no step compares the members"):
        Pipeline([Scaling()]).fit(rows).compare(rows)


def test_an_organizer_of_the_members_themselves_may_follow_a_comparer() -> None:
    generator = np.random.default_rng(0)
    sets = [generator.normal(size=(12, 2)) + 6 * (i % 2) for i in range(20)]
    walk = Pipeline([MMD(), SpherePacking(n_groups=2)]).fit(sets)
    assert adjusted_rand(walk.labels_, np.arange(20) % 2) == 1.0
    assert walk.affinity_.shape == (20, 20)
    assert walk.predict(sets[:5]).tolist() == walk.labels_[:5].tolist()
    assert walk.compare(sets[:5]).shape == (5, 20)
    with pytest.raises(ParameterError, match="HMMMixture takes Ragged, Cosine gives Affinity"):
        Pipeline([Cosine(), HMMMixture(n_groups=2)]).check_chain()


def test_an_organizer_that_represents_members_is_given_them_as_they_were_read() -> None:
    generator = np.random.default_rng(0)
    members = [generator.normal(size=(30, 2)) + 6 * (i % 2) for i in range(20)]
    vote = RepresentationVote(n_groups=2, random_state=0)
    walk = Pipeline([Shapes(), Euclidean(), vote]).fit(members)
    alone = RepresentationVote(n_groups=2, random_state=0).fit(members)
    assert np.array_equal(walk.labels_, alone.labels_)
    assert adjusted_rand(walk.labels_, np.arange(20) % 2) == 1.0
    assert np.array_equal(walk.predict(members[:5]), alone.predict(members[:5]))
    with pytest.raises(ParameterError, match="RepresentationVote takes Ragged or Pictures"):
        Pipeline([Scaling(), Euclidean(), vote]).check_chain()


def test_an_organizer_of_links_may_end_any_walk() -> None:
    mail = sample("mail", 60)
    walk = Pipeline(
        [Terms(), LSA(n_components=10), Cosine(), MDC(n_groups=6, restarts=1, random_state=0)]
    ).fit(mail)
    alone = Pipeline([MDC(n_groups=6, restarts=1, random_state=0)]).fit(mail)
    assert walk.labels_.tolist() == alone.labels_.tolist()
    assert walk.affinity_.shape == (60, 60)
    assert walk.compare(mail.view().take([0, 1])).shape == (2, 60)
    assert walk.predict(mail.take(range(5))).tolist() == alone.predict(mail.take(range(5))).tolist()


def test_an_organizer_of_links_takes_a_table_of_counts_from_a_representer() -> None:
    texts = sample("topics", 60)
    walk = Pipeline(
        [Terms(weights="tf", min_df=2), MDC(n_groups=8, restarts=2, random_state=0)]
    ).fit(texts)
    assert adjusted_rand(walk.labels_, texts.truth["group"]) > 0.8
    assert np.mean(walk.predict(list(texts.view())[:20]) == walk.labels_[:20]) > 0.9


def test_steps_that_put_members_in_order_end_a_pipeline():
    from coterie.core.links import Links
    from coterie.organize import Core, Rankings

    counts = np.random.default_rng(0).poisson(1.0, (30, 12))
    for step in (Core(size=10, background="uniform", min_df=1), Rankings()):
        found = Pipeline([step]).fit(Links.of(counts))
        assert sorted(found.ranking_.order.tolist()) == list(range(30))
        assert found.output_ is found.ranking_
    with pytest.raises(DataError, match="Rankings, makes no groups"):
        found.labels_
    with pytest.raises(DataError, match="Medoids, puts nothing in order"):
        Pipeline([Euclidean(), Medoids(n_groups=2)]).fit([[0.0], [1.0], [9.0]]).ranking_
