"""SIC as a whole: the same bits whatever happens, going on, new members, failures, edge cases, and explanations."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.run.examples import stored_again

from coterie import Ragged, Table
from coterie.compare import SIC
from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.convergence import Reliability
from coterie.compare.sic.iterations import BATCH
from coterie.compare.sic.roles import Diverter
from coterie.compare.sic.scores import Weighted
from coterie.compare.sic.sequential import Sequential
from coterie.core.affinity import Dense
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.judge import retrieval
from coterie.parts.pairwise import dense, graph
from coterie.run.stored import Pieces


def _blobs(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return generator.normal(size=(n, 4)) * 0.4 + np.array(
        [[0, 0, 3, 1], [3, 0, 0, 2], [0, 3, 0, 3]]
    )[truth], truth


def _sic(**settings: Any) -> SIC:
    return SIC(**{"n_iterations": 30, "random_state": 0, "stop": None, **settings})


class Moody(Diverter):
    """Fails in some iterations, and says words."""

    takes: ClassVar[tuple[type, ...]] = (Table,)
    bad: ClassVar[float] = 0  # of ten

    def prepare(self, view: Any, like: Any = None) -> Any:
        return view.values

    def train(
        self, data: Any, members: Any, labels: Any, drawn: Any, generator: Any, contrast: Any = None
    ) -> Any:
        if generator.random() < self.bad / 10:
            raise RuntimeError("no mood for this")
        return data[members].mean()

    def apply(self, trained: Any, data: Any, members: Any) -> np.ndarray:
        return np.where(data[members, 0] > 1.5, "high", "low").astype(object)


class Counting(Moody):
    """Counts how often it was trained."""

    trained: ClassVar[int] = 0

    def train(
        self, data: Any, members: Any, labels: Any, drawn: Any, generator: Any, contrast: Any = None
    ) -> Any:
        type(self).trained += 1
        return super().train(data, members, labels, drawn, generator, contrast)


class Rarely(Moody):
    """Fails now and then."""

    bad: ClassVar[float] = 0.4


class Often(Moody):
    """Fails half the time."""

    bad: ClassVar[float] = 5


def test_members_of_one_blob_are_alike() -> None:
    rows, truth = _blobs()
    found = _sic(n_iterations=80).fit(rows)
    assert retrieval(found.affinity_, truth).mean_ap > 0.95
    assert found.affinity_.kind == "similarity"
    assert np.allclose(np.diag(dense(found.affinity_).values), 1.0)


def test_more_iterations_later_are_the_same_as_at_once() -> None:
    rows, _ = _blobs()
    late = _sic(n_iterations=12).fit(rows).extend(37)
    once = _sic(n_iterations=37).fit(rows)
    assert np.array_equal(late.codes_.labels, once.codes_.labels)
    assert dense(late.affinity_).values.tobytes() == dense(once.affinity_).values.tobytes()


def test_a_second_fit_of_the_same_uses_what_exists() -> None:
    rows, _ = _blobs()
    found = _sic(n_iterations=12, diverter=Counting()).fit(rows)
    Counting.trained = 0
    again = found.set_params(n_iterations=20).fit(rows)
    assert Counting.trained == 8
    assert np.array_equal(
        again.codes_.labels, _sic(n_iterations=20, diverter=Counting()).fit(rows).codes_.labels
    )
    Counting.trained = 0
    found.set_params(n_iterations=7).fit(rows)
    assert (found.codes_.n_iterations, Counting.trained) == (7, 0)
    found.fit(rows[:50])
    assert Counting.trained == 7  # other members: nothing is used again


@pytest.mark.parametrize("annotator", [None, Sequential(warm_up=10, round=10)])
def test_workers_change_nothing(annotator: Any) -> None:
    rows, _ = _blobs()
    found = []
    for n_jobs in (1, 2):
        with using(n_jobs=n_jobs):
            found.append(_sic(annotator=annotator, n_iterations=42).fit(rows))
    assert np.array_equal(found[0].codes_.labels, found[1].codes_.labels)
    assert np.array_equal(found[0].codes_.control, found[1].codes_.control)


def test_an_interrupted_run_goes_on_from_what_is_kept(tmp_path: Any) -> None:
    rows, _ = _blobs()

    class Tired(Pieces):
        kept = 0

        def put(self, key: str, arrays: Any) -> None:
            if type(self).kept == 3:
                raise KeyboardInterrupt
            type(self).kept += 1
            super().put(key, arrays)

    with pytest.raises(KeyboardInterrupt), using(n_jobs=1, keeper=Tired(tmp_path)):
        _sic().fit(rows)
    pieces = Pieces(tmp_path)
    assert len(pieces) == 3
    with using(n_jobs=1, keeper=pieces):
        resumed = _sic().fit(rows)
    assert len(pieces) == 30 // BATCH
    assert np.array_equal(resumed.codes_.labels, _sic().fit(rows).codes_.labels)


def test_pieces_of_other_data_or_settings_are_never_taken(tmp_path: Any) -> None:
    rows, _ = _blobs()
    with using(keeper=Pieces(tmp_path)):
        _sic().fit(rows)
    for other, settings in (
        (rows + 1.0, {}),
        (rows, {"train_size": 0.2}),
        (rows, {"random_state": 1}),
    ):
        with using(keeper=Pieces(tmp_path)):
            taken = _sic(**settings).fit(other)
        assert np.array_equal(taken.codes_.labels, _sic(**settings).fit(other).codes_.labels)


def test_new_members_are_near_their_own_kind() -> None:
    rows, truth = _blobs(90)
    found = _sic(n_iterations=60).fit(rows[:60])
    queries = found.compare(rows[60:])
    assert queries.shape == (30, 60)
    nearest = dense(queries).values.argmax(axis=1)
    assert np.mean(truth[:60][nearest] == truth[60:]) > 0.95


def test_a_classifier_made_again_says_what_it_said() -> None:
    rows, _ = _blobs()
    found = _sic(annotator=Sequential(warm_up=10, round=10)).fit(rows)
    again = found.codes_of(Table.of(rows))
    tested = found.codes_.labels >= 0
    assert np.array_equal(again.labels[tested], found.codes_.labels[tested])


def test_a_stored_model_says_the_same_of_new_members() -> None:
    rows, _ = _blobs()
    found = _sic().fit(rows)
    found.explain(0, 3)
    for copy in (pickle.loads(pickle.dumps(found)), stored_again(found)):
        assert (
            dense(copy.compare(rows[:7])).values.tobytes()
            == dense(found.compare(rows[:7])).values.tobytes()
        )
        assert np.array_equal(
            copy.extend(40).codes_.labels, _sic(n_iterations=40).fit(rows).codes_.labels
        )


def test_another_score_costs_no_training() -> None:
    rows, _ = _blobs()
    found = _sic().fit(rows)
    found.__dict__["members_"] = None  # nothing can be trained now
    for score in ("binary", "weighted", "em"):
        assert found.similarity(score).shape == (60, 60)
    with pytest.raises(ParameterError):
        found.similarity("no such score")


def test_any_scikit_learn_classifier_will_do() -> None:
    from sklearn.naive_bayes import GaussianNB

    rows, truth = _blobs()
    found = _sic(diverter=GaussianNB(), train_size=0.3, n_labels=3, n_iterations=60).fit(rows)
    assert retrieval(found.affinity_, truth).mean_ap > 0.6
    with pytest.raises(ParameterError, match="fit and predict"):
        _sic(diverter=3).fit(rows)
    with pytest.raises(ParameterError, match="diverter must be one of"):
        _sic(diverter="oracle").fit(rows)


def test_words_from_a_classifier_are_codes_like_any() -> None:
    rows, _ = _blobs()
    found = _sic(diverter=Moody()).fit(rows)
    assert found.codes_.classes[0].tolist() == ["high", "low"]
    values = dense(found.affinity_).values
    high = rows[:, 0] > 1.5
    assert np.array_equal(values == 1.0, high[:, None] == high[None, :])
    assert np.array_equal(dense(found.compare(rows)).values == 1.0, values == 1.0)


def test_a_failed_iteration_is_recorded_and_left_out() -> None:
    rows, _ = _blobs()
    found = _sic(diverter=Rarely(), n_iterations=100, random_state=1).fit(rows)
    failed = [i for i, record in enumerate(found.codes_.records) if "failed" in record]
    assert failed
    assert all((found.codes_.labels[i] == -1).all() for i in failed)
    assert "no mood" in found.codes_.records[failed[0]]["failed"]
    assert found.compare(rows[:4]).shape == (4, 60)


def test_too_many_failures_end_the_run_with_the_first_reason() -> None:
    with pytest.raises(
        DataError,
        match=r"SIC: \d+ of \d+ iterations failed; the first because RuntimeError: no mood",
    ):
        _sic(diverter=Often()).fit(_blobs()[0])


def test_it_stops_by_itself_and_always_at_the_same_place() -> None:
    rows, _ = _blobs()
    stops = [
        SIC(n_iterations=400, random_state=0, stop=Reliability(level=0.9)).fit(rows)
        for _ in range(2)
    ]
    assert stops[0].codes_.n_iterations == stops[1].codes_.n_iterations < 400
    assert stops[0].converged_
    assert not _sic().fit(rows).converged_
    with pytest.raises(ParameterError, match="stop must be"):
        SIC(stop="soon").fit(rows)


def test_neighbors_without_the_whole_matrix() -> None:
    found = _sic().fit(_blobs()[0])
    quick = found.graph(7)
    slow = graph(found.affinity_, 7)
    assert np.array_equal(quick.values.toarray(), slow.values.toarray())
    found.score_ = Weighted()
    found.affinity_ = found.similarity()
    assert found.graph(7).shape == (60, 60)


def test_the_stop_rule_holds_for_members_with_several_occurrences_too() -> None:
    from coterie.collect.mentions import tagged_mentions

    words = tagged_mentions(sentences=80, random_state=0).view().by_form()
    rule = Reliability(level=0.3, least=10)
    stopped = SIC(n_iterations=60, stop=rule, random_state=0).fit(words)
    assert stopped.converged_
    assert stopped.codes_.n_iterations < 60
    again = stopped.set_params(n_iterations=50).fit(words)
    assert again.codes_.n_iterations == stopped.codes_.n_iterations


def test_labels_may_come_as_numpy_numbers() -> None:
    rows, _ = _blobs()
    plain, numpy = (_sic(n_labels=n).fit(rows).codes_.labels for n in (9, np.int64(9)))
    assert np.array_equal(plain, numpy)


def test_exact_duplicates_are_fully_alike() -> None:
    rows, _ = _blobs()
    twice = np.vstack([rows, rows[:5]])
    values = dense(_sic().fit(twice).affinity_).values
    assert np.all(values[np.arange(5), 60 + np.arange(5)] == 1.0)


def test_few_members() -> None:
    rows, _ = _blobs(6)
    for n in (0, 1, 2, 3):  # of three, two are trained on and one is tested: no pair ever meets
        with pytest.raises(DataError, match=r"4 members|0 sample"):
            _sic().fit(rows[:n])
    four = _sic(n_iterations=60).fit(rows[:4])
    assert not np.isnan(dense(four.affinity_).values).any()
    with pytest.raises(DataError, match="no two members were ever tested together"):
        _sic(n_iterations=20, train_size=0.999).fit(rows)


def test_pairs_that_never_met_are_noted() -> None:
    notes: list[str] = []

    class Listening:
        def begin(self, name: str, total: Any) -> Any:
            return self

        def advance(self, steps: int = 1) -> None:
            return None

        def end(self, task: Any) -> None:
            return None

        def note(self, sentence: str) -> None:
            notes.append(sentence)

        def measure(self, name: str, step: int, value: float) -> None:
            measured.append((step, value))

        def wants_stop(self) -> bool:
            return False

    measured: list[tuple[int, float]] = []
    rows, _ = _blobs()
    with using(watch=Listening(), n_jobs=1):
        found = _sic(n_iterations=4, annotator=RandomLabels(test=20)).fit(rows)
        assert found.unmet_ > 0.01
        assert any("never tested together" in note for note in notes)
        SIC(n_iterations=40, random_state=0).fit(rows)
    assert [step for step, _ in measured] == list(range(5, 41, 5))
    near = graph(found.affinity_, 5)
    assert np.isfinite(near.values.data).all()
    lonely = dense(found.affinity_).values
    lonely[3, :3] = lonely[3, 4:] = lonely[:3, 3] = lonely[4:, 3] = np.nan
    alone = graph(Dense(lonely, "similarity"), 5).values
    assert alone[[3]].nnz == 0  # not even itself


def test_columns_of_new_members_must_be_those_of_the_fitted() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(_blobs()[0], columns=["a", "b", "c", "d"])
    found = _sic().fit(frame)
    with pytest.raises(DataError, match="feature names"):
        found.compare(frame[["d", "c", "b", "a"]])


def test_what_a_classifier_may_not_say() -> None:
    class Silent(Moody):
        def apply(self, trained: Any, data: Any, members: Any) -> np.ndarray:
            return np.full(len(members), np.nan)

    class Short(Moody):
        def apply(self, trained: Any, data: Any, members: Any) -> np.ndarray:
            return np.zeros(3)

    with pytest.raises(DataError, match="the classifier said NaN"):
        _sic(diverter=Silent()).fit(_blobs()[0])
    with pytest.raises(DataError, match=r"asked for \d+ labels and gave \(3,\)"):
        _sic(diverter=Short()).fit(_blobs()[0])


def test_classifiers_of_ones_own_need_only_fit_and_predict() -> None:
    class Plain:
        def fit(self, rows: Any, labels: Any) -> Any:
            self.limit = float(np.mean(rows[:, 0]))
            return self

        def predict(self, rows: Any) -> np.ndarray:
            return np.where(rows[:, 0] > self.limit, 1, 0)

    assert _sic(diverter=Plain()).fit(_blobs()[0]).affinity_.shape == (60, 60)
    with pytest.raises(ParameterError, match=r"give an instance, Plain\(\)"):
        _sic(diverter=Plain).fit(_blobs()[0])


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"n_labels": (9, 3)}, "n_labels"),
        ({"n_labels": 1}, "n_labels"),
        ({"n_labels": (2, 3, 4)}, "n_labels"),
        ({"n_labels": "many"}, "n_labels"),
        ({"train_size": (0.1, 0.5)}, "train_size"),
        ({"train_size": 1.5}, "train_size"),
        ({"n_iterations": 0}, "n_iterations"),
        ({"annotator": 3}, "annotator"),
        ({"scoring": "best"}, "best"),
    ],
)
def test_wrong_settings_are_one_sentence(settings: dict, named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        _sic(**settings).fit(_blobs()[0])


def test_what_it_was_fitted_on_is_what_it_compares() -> None:
    found = _sic().fit(_blobs()[0])
    with pytest.raises(DataError, match="SIC takes Table, and was given Ragged"):
        found.compare(Ragged.of([np.zeros((3, 4))]))
    with pytest.raises(DataError, match="expecting 4 features"):
        found.compare(np.zeros((2, 3)))


def test_why_two_are_alike() -> None:
    rows, truth = _blobs()
    found = _sic(n_iterations=60, diverter="tree").fit(rows)
    alike = found.explain(0, 3, names=[f"row {i}" for i in range(60)])
    apart = found.explain(0, 1)
    assert len(alike.together) > len(apart.together)
    assert len(alike.together) == round(dense(found.affinity_).values[0, 3] * alike.tested)
    assert "row 0 and row 3 got one label in" in alike.sentences[0]
    assert alike.reasons
    assert 0 < sum(weight for _, weight in alike.reasons) <= 1 + 1e-9
    assert "x" in alike.reasons[0][0]  # names a column
    for member, _ in alike.near_misses:
        assert member not in (0, 3)
    group = found.explain([int(m) for m in np.flatnonzero(truth == 0)])
    assert all(truth[m] != 0 for m, _ in group.near_misses)
    assert str(group).startswith("Two of these 20 members get one label in")


def test_what_cannot_be_explained() -> None:
    found = _sic().fit(_blobs()[0])
    for wrong in ((0, 99), (3, 3)):
        with pytest.raises(DataError):
            found.explain(*wrong)
    for odd in (4, "ab", [0.5, 1], [True, False]):
        with pytest.raises(ParameterError, match="explain takes"):
            found.explain(odd)
    with pytest.raises(ParameterError, match="1 names for 60"):
        found.explain(0, 1, names=["a"])
    for wrong_count in (10, "x"):
        with pytest.raises(ParameterError, match="extend takes a whole number from 30"):
            found.extend(wrong_count)
    mask = np.arange(60) < 20
    assert found.explain(mask).members == tuple(range(20))


def test_confidence_threshold_and_curves() -> None:
    rows, truth = _blobs(90)
    found = _sic(n_iterations=60).fit(rows)
    assert set(found.confidence_) >= {"max", "variance", "skewness", "bimodality"}
    assert all(len(values) == 90 for values in found.confidence_.values())
    limit = found.threshold(risk=0.01)
    values = dense(found.affinity_).values
    same = truth[:, None] == truth[None, :]
    assert np.mean(values[~same] > limit.value) < 0.15 < 0.5 < np.mean(values[same] > limit.value)
    assert found.convergence_.entropy[-1] > 0
    found.extend(80)
    assert len(found.convergence_.entropy) == 80 // 5
