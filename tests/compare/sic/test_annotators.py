"""Random labels: splits by unit, one label per form, rare labels dropped, balanced occurrences; and the sequential form."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import TaggedText
from coterie.compare.sic.annotators import RandomLabels
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.roles import Draw
from coterie.compare.sic.samples import Samples
from coterie.compare.sic.sequential import Sequential, linked_groups
from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream


def _draw(share: float = 0.25, low: int = 5, high: int = 9, least: int = 1) -> Draw:
    return Draw(share, lambda n: (low, high), least)


def _tagged() -> TaggedText:
    words = np.array(["a", "b", "c", "a", "d", "b", "a", "c", "e", "a", "f", "b"])
    spans = np.array([[0, 1], [1, 2], [3, 4], [5, 6], [6, 7], [7, 8], [9, 10], [11, 12]])
    return TaggedText(words, np.array([0, 3, 6, 9, 12]), spans)


def test_train_and_test_share_nobody_and_the_share_is_kept() -> None:
    samples = Samples(40, 40)
    task = RandomLabels().annotate(None, samples, _draw(), stream(0, 0))
    assert len(task.train) == 10
    assert set(task.train) | set(task.test) == set(range(40))
    assert not set(task.train) & set(task.test)
    assert 5 <= task.notes["offered"] <= 9
    assert task.labels.max() < task.notes["offered"]


def test_another_generator_makes_another_task_and_the_same_one_the_same() -> None:
    samples = Samples(40, 40)
    one, again, other = (
        RandomLabels().annotate(None, samples, _draw(), stream(0, i)) for i in (1, 1, 2)
    )
    assert np.array_equal(one.train, again.train)
    assert np.array_equal(one.labels, again.labels)
    assert not np.array_equal(one.train, other.train)


def test_at_least_two_are_trained_on() -> None:
    task = RandomLabels().annotate(None, Samples(5, 5), _draw(0.05, 50, 60), stream(0, 0))
    assert len(task.train) == 2
    assert len(task.test) == 3


def test_sentences_are_on_one_side_and_forms_have_one_label() -> None:
    text = _tagged()
    samples = Samples.of(text)
    for i in range(20):
        task = RandomLabels().annotate(text, samples, _draw(0.5, 50, 60), stream(1, i))
        sentence = text.sentence_of()
        assert not set(sentence[task.train]) & set(sentence[task.test])
        form = samples.form[task.train]
        assert all(len(set(task.labels[form == f])) == 1 for f in set(form))


def test_all_mentions_of_a_form_are_on_one_side_where_there_are_many_forms() -> None:
    words = np.array([f"w{i % 14}" for i in range(60)])
    each = np.arange(60)
    text = TaggedText(words, np.arange(0, 61, 5), np.stack([each, each + 1], axis=1))
    form = text.forms()
    for i in range(10):
        task = RandomLabels().annotate(text, Samples.of(text), _draw(0.3, 50, 60), stream(1, i))
        assert not set(form[task.train]) & set(form[task.test])
        task = RandomLabels(split="unit").annotate(
            text, Samples.of(text), _draw(0.3, 50, 60), stream(1, i)
        )
        assert set(form[task.train]) & set(form[task.test])
        assert not set(text.sentence_of()[task.train]) & set(text.sentence_of()[task.test])


def test_forms_may_have_several_labels_when_asked() -> None:
    text = _tagged()
    found = [
        RandomLabels(same_form=False).annotate(
            text, Samples.of(text), _draw(0.75, 90, 99), stream(1, i)
        )
        for i in range(9)
    ]
    form = Samples.of(text).form
    assert any(
        len(set(task.labels[form[task.train] == f])) > 1
        for task in found
        for f in set(form[task.train])
    )


def test_groups_of_members_are_on_one_side() -> None:
    names = list("aabbccdd")
    for i in range(10):
        task = RandomLabels(groups=names).annotate(
            None, Samples(8, 8), _draw(0.5, 20, 30), stream(2, i)
        )
        assert not {names[p] for p in task.train} & {names[p] for p in task.test}
    with pytest.raises(ParameterError, match="groups has 3 names for 8 members"):
        RandomLabels(groups=list("abc")).annotate(None, Samples(8, 8), _draw(), stream(2, 0))


def test_rare_labels_go_with_their_samples() -> None:
    task = RandomLabels(min_per_label=3).annotate(
        None, Samples(60, 60), _draw(0.5, 6, 6), stream(3, 0)
    )
    counts = np.bincount(task.labels)
    assert counts[counts > 0].min() >= 3
    assert set(task.train) & set(task.test) == set()


def test_too_rare_labels_are_one_sentence() -> None:
    with pytest.raises(DataError, match="no two labels had 9 samples"):
        RandomLabels(min_per_label=9).annotate(
            None, Samples(12, 12), _draw(0.5, 6, 6), stream(3, 0)
        )


def test_who_is_tested() -> None:
    every = RandomLabels(test="all").annotate(None, Samples(30, 30), _draw(), stream(4, 0))
    some = RandomLabels(test=6).annotate(None, Samples(30, 30), _draw(), stream(4, 0))
    assert np.array_equal(every.test, np.arange(30))
    assert len(some.test) == 6
    assert not set(some.test) & set(some.train)


@pytest.mark.parametrize(
    "wrong",
    [{"test": "none"}, {"test": 1}, {"balance": (3, 2)}, {"balance": (1,)}, {"min_per_label": 0}],
)
def test_wrong_settings_are_refused_by_name(wrong: dict) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        RandomLabels(**wrong).check_params()


def _planted(n: int, n_iterations: int, seed: int = 0) -> tuple[Codes, np.ndarray]:
    """Codes in which pairs (0, 1), (2, 3), ... nearly always agree and all others by luck."""
    generator = np.random.default_rng(seed)
    pair = np.arange(n) // 2
    labels = generator.integers(12, size=(n_iterations, n // 2 + 1))[:, pair]
    noise = generator.random((n_iterations, n)) < 0.1
    return Codes(np.where(noise, generator.integers(12, size=labels.shape), labels)), pair


def test_members_that_agree_beyond_chance_are_linked_and_no_others() -> None:
    codes, pair = _planted(60, 40)
    group = linked_groups(codes, 1e-3)
    together = group[:, None] == group[None, :]
    assert np.array_equal(together, pair[:, None] == pair[None, :])


def test_nothing_is_linked_where_codes_mean_nothing() -> None:
    codes = Codes(np.random.default_rng(5).integers(6, size=(50, 80)))
    assert len(np.unique(linked_groups(codes, 1e-3))) == 80


def test_a_group_that_would_be_too_large_is_let_go() -> None:
    codes = Codes(np.repeat(np.random.default_rng(0).integers(9, size=(40, 4)), 10, axis=1))
    assert np.bincount(linked_groups(codes, 1e-3)).max() <= max(2, 0.05 * 40)


def test_linked_members_share_a_label_and_the_column_is_marked() -> None:
    samples = Samples(60, 60)
    annotator = Sequential(plain=0.01)
    group = np.arange(60) // 2
    tasks = [
        annotator.annotate(None, samples, _draw(0.5, 500, 600), stream(6, i), learned=group)
        for i in range(12)
    ]
    assert any(task.linked for task in tasks)
    for task in (t for t in tasks if t.linked):
        mine = group[task.train]
        assert all(len(set(task.labels[mine == g])) == 1 for g in set(mine))


def test_some_iterations_stay_plain_and_all_do_without_links() -> None:
    annotator = Sequential()
    tasks = [
        annotator.annotate(None, Samples(60, 60), _draw(), stream(7, i), learned=np.arange(60) // 2)
        for i in range(200)
    ]
    plain = np.mean([not task.linked for task in tasks])
    assert 0.1 < plain < 0.3
    assert not annotator.annotate(None, Samples(60, 60), _draw(), stream(7, 0), learned=None).linked


def test_rounds_do_not_depend_on_how_many_follow() -> None:
    short = Sequential().rounds(60)
    long = Sequential().rounds(110)
    assert [(r.start, r.stop) for r in short] == [(0, 25), (25, 50), (50, 60)]
    assert [r.start for r in long][:3] == [0, 25, 50]
    assert [i for part in long for i in part] == list(range(110))


def test_linking_ends_when_the_control_stream_drifts_away() -> None:
    """Control columns say one thing all along; linked columns agree at first, then say another, more of them each round."""
    generator = np.random.default_rng(0)
    n = 40
    control = np.ones(125, dtype=bool)
    fours = np.arange(n) // 4
    tens = np.arange(n) % 10
    labels = np.empty((125, n), dtype=np.int64)
    for i in range(125):
        control[i] = i < 25 or i % 25 >= 20
        own = fours if control[i] or i < 50 else tens
        labels[i] = np.where(generator.random(n) < 0.5, own, 10 + generator.integers(30, size=n))
    assert Sequential().learn(Codes(labels, control=control)) is None
    assert Sequential().learn(Codes(labels[:50], control=control[:50])) is not None
