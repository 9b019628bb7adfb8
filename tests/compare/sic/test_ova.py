"""OneVersusAll against its slow twin: the forms, both directions as one, what is empty or missing; and frequent members."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.oracles.ova import Bayes, forms, symmetric

from coterie.compare.sic.ova import OneVersusAll
from coterie.compare.sic.references import FORMS, Layout, recognized, scored
from coterie.compare.sic.roles import Diverter
from coterie.compare.sic.samples import Samples
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.judge.rankings import tie_blocks
from coterie.parts.pairwise import dense
from coterie_papers.words import zipf_words


@pytest.fixture(scope="module")
def small():
    return zipf_words(3, n_words=24, n_groups=4, n_spans=400, cue=0.5)


@pytest.fixture(scope="module")
def fitted(small):
    return OneVersusAll(diverter=Bayes(), n_iterations=4, references=[0, 5, 7], random_state=1).fit(
        small.text
    )


def by_hand(model, text, x):
    """(member, taken for the reference) of every tested occurrence, iteration by iteration."""
    course = model.course()
    said = []
    for i in range(model.n_iterations):
        classifier, test = course.trained(x, i)
        answers = course.diverter.apply(classifier, course.data, test)
        said.append(
            [
                (int(text.owners[at]), bool(answer == 1))
                for at, answer in zip(test, answers, strict=True)
            ]
        )
    return said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", ["mean", "max", "min"])
def test_rows_and_symmetric_values_are_those_of_the_loops(small, fitted, form, how):
    rows = {x: forms(by_hand(fitted, small.text, x), len(small.names))[form] for x in (0, 5, 7)}
    assert np.allclose(
        fitted.votes_.rows(form), [rows[x] for x in (0, 5, 7)], atol=1e-12, equal_nan=True
    )
    found = dense(fitted.similarity(form, how)).values
    assert np.allclose(found, symmetric(rows, len(small.names), how), atol=1e-12, equal_nan=True)
    assert np.isnan(found[1, 2])  # neither had a run
    assert not np.isnan(found[1, 0])  # one direction had


def test_the_default_is_the_occurrence_form_made_symmetric_by_the_mean(fitted):
    assert np.array_equal(fitted.rows_, fitted.votes_.rows("occurrence"), equal_nan=True)
    assert np.array_equal(
        dense(fitted.affinity_).values,
        dense(fitted.similarity("occurrence", "mean")).values,
        equal_nan=True,
    )


def test_an_iteration_in_which_nobody_is_recognized_counts_as_empty_and_divides_by_nothing():
    samples = Samples(4, 3, np.array([0, 0, 1, 2]))
    tested, share = recognized(samples, np.array([0, 1, 2]), np.zeros(3, dtype=bool))
    assert tested.tolist() == [True, True, False]
    assert all((value == 0).all() for value in scored(share, 0, 0.0).values())


def test_a_vote_is_split_evenly_among_those_recognized():
    votes = scored(np.array([0.5, 0.0, 1.0]), 2, 1.5)
    assert votes["share"].tolist() == [0.5, 0.0, 0.5]
    assert votes["raw"].tolist() == [1.0, 0.0, 1.0]
    assert votes["occurrence-share"].sum() == pytest.approx(1.0)


class Never(Bayes):
    """Takes nothing for the reference."""

    def apply(self, trained, data, members):
        return np.zeros(len(members))


class Broken(Bayes):
    """Cannot be trained."""

    def train(self, data, members, labels, drawn, generator, contrast=None):
        raise ValueError("the classifier is out of order")


class Leaves(Bayes):
    """Answers with something else than the labels."""

    def apply(self, trained, data, members):
        return members


def test_empty_iterations_are_reported(small):
    with pytest.warns(UserWarning, match="in 6 of 6 iterations; ask for fewer negatives"):
        model = OneVersusAll(
            diverter=Never(), n_iterations=3, references=[0, 1], random_state=0
        ).fit(small.text)
    assert model.empty_.tolist() == [3, 3]
    assert np.nanmax(model.rows_) == 0
    values = dense(model.affinity_).values
    assert values[0, 1] == 0
    assert values[0, 0] == 1


def test_failing_classifiers_end_the_run_with_the_reason(small):
    with pytest.raises(
        DataError,
        match="4 of 4 iterations failed; the first because the classifier is out of order",
    ):
        OneVersusAll(diverter=Broken(), n_iterations=2, references=[0, 1], random_state=0).fit(
            small.text
        )


def test_a_classifier_with_other_answers_is_refused(small):
    with pytest.raises(ParameterError, match="must answer with the two labels"):
        OneVersusAll(diverter=Leaves(), n_iterations=2, references=[0], random_state=0).fit(
            small.text
        )


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"references": [99]}, "reference 99 is not one of the 24 members"),
        ({"references": []}, "references must be positions"),
        ({"most": (0, 3)}, "most must be two whole numbers"),
        ({"form": "odd"}, "form must be"),
        ({"negatives": 0}, "negatives must be above 0"),
    ],
)
def test_bad_settings_are_one_sentence(small, settings, sentence):
    with pytest.raises(ParameterError, match=sentence):
        OneVersusAll(diverter=Bayes(), n_iterations=1, random_state=0, **settings).fit(small.text)


def test_tasks_hold_ratio_and_caps_and_never_test_a_sentence_trained_on(small):
    layout = Layout.of(Samples.of(small.text), 0)
    owner = small.text.owners
    unit = small.text.sentence_of()
    for i in range(20):
        train, labels, test = layout.task(0, 3.0, (6, 4), np.random.default_rng(i))
        assert (owner[train[labels == 1]] == 0).all()
        assert (labels == 1).sum() == 6  # of far more than twelve
        assert (owner[train[labels == 0]] != 0).all()
        assert (labels == 0).sum() == 18
        assert np.bincount(owner[test]).max() <= 4
        assert not set(unit[test]) & set(unit[train])
        assert len(set(test.tolist())) == len(test)


def test_every_occurrence_is_tested_now_and_then(small):
    layout = Layout.of(Samples.of(small.text), 0)
    seen = [layout.task(0, 3.0, (6, 4), np.random.default_rng(i))[2] for i in range(400)]
    assert len(np.unique(np.concatenate(seen))) == len(small.text.spans)


def test_the_same_bits_for_any_number_of_workers_and_after_a_stop(small):
    class Kept(dict):
        def get(self, key):
            return dict.get(self, key)

        def put(self, key, arrays):
            self[key] = dict(arrays)

    def run():
        return OneVersusAll(diverter=Bayes(), n_iterations=3, random_state=5).fit(small.text)

    with using(n_jobs=1):
        alone = run()
    kept = Kept()
    with using(n_jobs=3, keeper=kept):
        together = run()
    assert len(kept) == 24
    for name in list(kept)[:10]:
        del kept[name]
    with using(n_jobs=2, keeper=kept):
        again = run()
    for other in (together, again):
        assert np.array_equal(alone.rows_, other.rows_, equal_nan=True)
        assert np.array_equal(alone.votes_.sizes, other.votes_.sizes)


def test_new_members_find_their_group(small):
    model = OneVersusAll(diverter=Bayes(), n_iterations=5, random_state=2).fit(small.text)
    new = zipf_words(3, n_words=24, n_groups=4, n_spans=400, cue=0.5).text.take([0, 1, 2, 3])
    found = pickle.loads(pickle.dumps(model)).compare(new)
    assert found.shape == (4, 24)
    values = dense(found).values
    for at in range(4):
        same = small.neighbors[at].copy()
        other = ~same
        other[at] = False
        assert values[at, same].mean() > 1.3 * values[at, other].mean()


def test_members_that_are_no_reference_have_no_column(small, fitted):
    values = dense(fitted.compare(small.text.take([3]))).values
    assert np.flatnonzero(~np.isnan(values[0])).tolist() == [0, 5, 7]


class Closer(Diverter):
    """The label of the nearest trained row of a table."""

    def prepare(self, view, like=None):
        return view.values

    def train(self, data, members, labels, drawn, generator, contrast=None):
        return data[members], labels

    def apply(self, trained, data, members):
        gaps = ((data[members][:, None] - trained[0][None]) ** 2).sum(axis=2)
        return trained[1][gaps.argmin(axis=1)]


def test_rows_of_a_table_are_members_with_one_sample_each():
    generator = np.random.default_rng(0)
    rows = np.concatenate([generator.normal(size=(15, 3)), generator.normal(size=(15, 3)) + 6])
    model = OneVersusAll(diverter=Closer(), n_iterations=20, random_state=0).fit(rows)
    values = dense(model.affinity_).values
    assert np.array_equal(model.votes_.rows("raw"), model.votes_.rows("occurrence"), equal_nan=True)
    assert np.nanmean(values[:15, :15]) > 5 * np.nanmean(values[:15, 15:])


def top(values, words, r=10):
    """Share of the first r places held by neighbors, and by the most frequent one percent."""
    frequent = words.frequent()
    n = len(words.names)
    hits = []
    for x in range(n):
        others = np.arange(n) != x
        scores = values[x, others]
        hits.append(
            [
                tie_blocks(scores, marks[others]).hits(r) / r
                for marks in (words.neighbors[x], frequent)
            ]
        )
    return np.mean(hits, axis=0)


def test_frequent_members_lose_their_places_by_the_occurrence_form_and_by_a_cap():
    words = zipf_words(0, n_words=200, n_groups=10, n_spans=4000, cue=0.2)
    free = OneVersusAll(diverter=Bayes(), n_iterations=6, most=(30, 10**6), random_state=0).fit(
        words.text
    )
    found = {form: top(dense(free.similarity(form)).values, words) for form in FORMS}
    for plain in ("raw", "share"):  # to split the vote does not help, to count occurrences does
        assert found[plain][1] > 0.03
        for better in ("occurrence", "occurrence-share"):
            assert found[better][1] <= found[plain][1] / 3
            assert found[better][0] >= 1.5 * found[plain][0]
    capped = OneVersusAll(diverter=Bayes(), n_iterations=6, most=(30, 10), random_state=0).fit(
        words.text
    )
    few = top(dense(capped.similarity("raw")).values, words)
    assert few[1] <= found["raw"][1] / 2
    assert few[0] > found["raw"][0]
