"""Walks on a similarity learned by SIC: mentions, sound, sequences as they are; their nulls, names and reasons."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Ragged, TaggedText
from coterie.collect.mentions import tagged_mentions
from coterie.collect.samples import sample
from coterie.compare import SIC
from coterie.judge import adjusted_rand
from coterie.messages.exploration import describe_steps, summarize
from coterie.workflows.attributes import measure_sound
from coterie.workflows.choices import Choices
from coterie.workflows.describe import gather_features
from coterie.workflows.explore import analyse
from coterie.workflows.modalities import modality_of
from coterie.workflows.modalities.sets import share_one_unit
from coterie.workflows.modalities.tagged import shuffled_surroundings
from coterie.workflows.prepared import PreparedCollection


def _tones(n: int = 24, rate: float = 4000.0, steady: bool = False) -> Collection:
    """Three kinds of short sounds: rising, falling, and up and down again; or steady low, high and middle ones."""
    generator = np.random.default_rng(0)
    waves = []
    for i in range(n):
        time = np.arange(int(generator.integers(1000, 1600))) / rate
        way = time / time[-1]
        pitch = 300 + 1200 * (way, 1 - way, 1 - np.abs(2 * way - 1))[i % 3]
        pitch = np.full_like(time, (300, 1300, 700)[i % 3]) if steady else pitch
        phase = 2 * np.pi * np.cumsum(pitch) / rate
        waves.append(0.4 * np.sin(phase) + 0.02 * generator.normal(size=len(time)))
    lengths = [len(wave) for wave in waves]
    sound = Ragged(
        np.concatenate(waves)[:, None],
        np.concatenate([[0], np.cumsum(lengths)]),
        names=("amplitude",),
        rate=rate,
    )
    return Collection(
        [f"tone-{i:02d}" for i in range(n)],
        {"sound": sound},
        truth={"kind": np.arange(n) % 3},
        name="tones",
    )


@pytest.fixture(scope="module")
def heard():
    return analyse(_tones(), Choices(k=3, nulls=0)).findings


def test_recordings_are_grouped_by_what_is_heard(heard) -> None:
    assert adjusted_rand(heard.labels, np.arange(24) % 3) > 0.8
    assert summarize(heard)[0].endswith("in 24 recordings.")
    assert heard.snippets[0].endswith("s of sound")
    assert len({group.name for group in heard.groups}) == 3
    for group in heard.groups:
        if group.naming.by == "exemplar":
            assert group.naming.parts == (heard.ids[group.typical[0]],)
        else:
            assert [trait.word for trait in group.naming.traits] == list(group.naming.parts)
            assert all(abs(trait.effect) >= 0.5 for trait in group.naming.traits)
    assert all(not group.spark for group in heard.groups)


def test_every_group_says_why(heard) -> None:
    for group in heard.groups:
        assert "get one label in" in group.why[0]
        assert group.why[1].startswith("The classifiers leaned on: ")
    assert {"Mean entropy of the similarity", "Reliability (odd against even iterations)"} <= set(
        heard.curves
    )
    assert any(
        "SIC" in sentence and "random labels" in sentence
        for sentence in describe_steps(heard.steps)
    )


def test_sound_is_told_by_length_loudness_and_brightness() -> None:
    tones = _tones(steady=True).view()
    assert tones.is_sound
    assert not sample("traces").view().is_sound
    table = measure_sound(tones).table
    assert np.allclose(table.values[:, 0], tones.lengths / 4000.0)
    low, high = (table.values[kind::3] for kind in (0, 1))
    for measured in (2, 3):  # pitch and center of gravity of a low tone
        assert 270 < low[:, measured].mean() < 330
    assert high[:, 3].mean() > 3 * low[:, 3].mean()
    loud = 10 * np.log10(np.mean(tones[1] ** 2))
    assert table.values[1, 1] == pytest.approx(loud)


def test_mentions_are_grouped_and_told_by_words_and_surroundings() -> None:
    collection = tagged_mentions(cue=1.0, sentences=120, random_state=1)
    found = analyse(collection, Choices(k=6, nulls=0)).findings
    assert (
        adjusted_rand(found.labels, np.unique(collection.truth["type"], return_inverse=True)[1])
        > 0.2
    )
    assert {"words", "surroundings"} <= set(found.groups[0].telling)
    assert any("before" in words for words, _ in found.groups[0].telling["surroundings"])
    own = gather_features(collection, "mentions", found.labels, 6, None)
    assert own[0]["words"] == found.groups[0].telling["words"]


def test_the_null_of_mentions_keeps_every_place_and_breaks_their_ties() -> None:
    view = tagged_mentions(sentences=80, random_state=0).view()
    assert isinstance(view, TaggedText)
    (draw,) = shuffled_surroundings(view).values()
    null = draw(np.random.default_rng(0))
    assert len(null) == len(view)
    before = sorted(str(view.tokens[first]) for first, _ in view.spans)
    after = sorted(str(null.tokens[first]) for first, _ in null.spans)
    assert before == after  # the same words in the mentions, dealt to other surroundings
    tie = {(str(view.tokens[a]), str(view.features["pos"][a])) for a, _ in view.spans}
    broken = {(str(null.tokens[a]), str(null.features["pos"][a])) for a, _ in null.spans}
    assert broken - tie


def _prepared(collection: Collection, **choices: object) -> PreparedCollection:
    view = collection.main
    return modality_of(collection.view(view)).prepare(collection, view, Choices(**choices))


def test_sequences_are_taken_as_they_are_by_a_comparer_that_can() -> None:
    traces = sample("traces", 40)
    (comparer,) = _prepared(traces, compare="SIC(n_iterations=20)").pipeline.steps
    assert isinstance(comparer, SIC)
    assert len(_prepared(traces).pipeline.steps) == 2


def _of(sets: Ragged) -> Collection:
    return Collection([str(i) for i in range(len(sets))], {"sets": sets})


def test_sets_are_compared_as_they_are_unless_gaps_or_units_forbid_it() -> None:
    rng = np.random.default_rng(0)
    sets = Ragged.of([rng.normal(size=(12, 2)) for _ in range(10)], ordered=False)
    assert share_one_unit(sets)
    assert repr(_prepared(_of(sets)).comparer) == "MMD()"
    assert not share_one_unit(sets.with_values(sets.values * [1.0, 100.0]))
    gappy = sets.values.copy()
    gappy[3, 1] = np.nan
    assert not share_one_unit(sets.with_values(gappy))
    many = Ragged(rng.normal(size=(10_001, 2)), np.array([0, 4000, 7000, 10_001]), ordered=False)
    assert _prepared(_of(many), seed=7).comparer.features == 1000
