"""The core of a collection: what is found, told and refused; and a list with its core first."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from coterie import Collection, Table, using
from coterie.collect import texts
from coterie.collect.planted import pool, pool_background
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.workflows.cores import core_first, core_of, frequencies, verdict
from tests.letters import NOISE, TOPIC
from tests.letters import letters as made_letters


@pytest.fixture(scope="module")
def letters() -> Collection:
    """60 texts, of which every third is about tea; the others speak of anything."""
    return texts(
        made_letters(60, 0, "the", "of", "and"),
        [f"letter {at}" for at in range(60)],
        name="letters",
    )


@pytest.fixture(scope="module")
def tea() -> np.ndarray:
    return np.arange(60) % 3 == 0


def test_the_core_is_found_and_told(letters, tea):
    found = core_of(letters, size=20)
    assert (found.inside == tea).mean() > 0.9
    assert {word for word, _ in found.words[:4]} <= set(TOPIC)
    assert len(found) == 20
    assert set(found.members.tolist()) == set(np.flatnonzero(found.inside).tolist())
    assert found.sentences[0] == "20 of 60 members are the core of 'letters'."
    assert "bundled counts of English words" in found.sentences[2]
    assert 0.8 < found.sure <= 1.0
    assert found.sentences[-1].endswith("found again, where chance would find 33%: it is stable.")


def test_rows_and_record_are_whole(letters):
    found = core_of(letters, size=20, parts=0)
    rows = found.rows()
    assert [row["rank"] for row in rows] == list(range(1, 61))
    assert sum(row["core"] for row in rows) == 20
    assert {row["id"] for row in rows} == set(letters.ids)
    assert all(0 <= row["probability"] <= 1 and row["again"] is None for row in rows)
    assert np.isnan(found.sure)
    assert len(found.sentences) == 3
    assert found.record()["members"] == rows
    assert "probability" not in core_of(letters, size=20, method="occc", parts=0).rows()[0]


def test_a_share_and_a_size_from_the_data(letters, tea):
    assert len(core_of(letters, size=0.25, parts=0)) == 15
    learned = core_of(letters, parts=0)
    assert learned.sentences[0].endswith("as many as the data suggest.")
    assert 10 <= len(learned) <= 30


def test_the_background_may_be_counts_or_other_members(letters, tea):
    other = texts([" ".join(np.random.default_rng(at).choice(NOISE, 8)) for at in range(40)])
    counts = frequencies(other)
    assert counts["words"]["engine"] > 3
    assert "kettle" not in counts["words"]
    for background in (other, counts["words"], counts):
        assert (
            core_of(letters, size=20, background=background, parts=0).inside == tea
        ).mean() > 0.9
    assert frequencies(None) == "bundled"
    assert frequencies("uniform") == "uniform"


def test_without_a_core_little_is_found_again():
    rng = np.random.default_rng(3)
    noise = texts([" ".join(rng.choice(NOISE, 4)) for _ in range(80)])
    found = core_of(noise, size=16, background="uniform", method="occc")
    assert found.sure < 0.8
    assert "stable" not in found.sentences[-1]


def noise(n: int) -> Collection:
    """Texts of nothing in particular."""
    rng = np.random.default_rng(1)
    return texts([" ".join(rng.choice(NOISE, 8)) for _ in range(n)], name="noise")


def test_where_no_core_stands_out_that_is_said_first_and_no_verdict_is_given():
    found = core_of(noise(60))
    assert not found.stands_out
    assert not found.record()["stands_out"]
    assert (
        found.sentences[0]
        == f"No core stands out in 'noise': {len(found)} of 60 members were taken all the same."
    )
    assert not any(
        "stable" in sentence or "found again" in sentence for sentence in found.sentences
    )
    assert sum("no core beside a rest" in note for note in found.notes) == 1
    assert core_of(noise(60), size=20, parts=0).stands_out


def test_what_is_found_again_is_set_against_chance():
    rng = np.random.default_rng(3)
    short = texts([" ".join(rng.choice(NOISE, 4)) for _ in range(80)])
    found = core_of(short, size=72, background="uniform", method="occc")
    assert found.sure > 0.9
    assert found.sentences[-1].endswith("where chance would find 90%: do not rely on it.")


def test_every_note_is_said_once():
    found = core_of(
        texts(
            ["чай и вода", "чай и хлеб", "чай и мед", "вода и хлеб", "мед и хлеб", "вода и мед"] * 4
        ),
        size=5,
        parts=0,
    )
    (note,) = [note for note in found.notes if "know 0 of the" in note]
    assert note.startswith("The bundled counts are of English words")


def test_words_tell_the_core_from_the_rest_and_not_from_english():
    from coterie.organize import Core
    from coterie.workflows.populations import links_of

    everywhere = texts(made_letters(60, 0, "marmoset"))  # rare in English, and in every letter
    by = Core(method="occc", size=20).fit(links_of(everywhere, everywhere.main, "Core")).words_
    told = core_of(everywhere, size=20, parts=0).words
    assert "marmoset" in [word for word, _ in by[:6]]
    assert "marmoset" not in [word for word, _ in told]


def test_links_and_tables_of_counts_have_cores_too():
    made = pool(200, random_state=1)
    truth = made.truth["group"] == 0
    found = core_of(Links(made.links), size=int(truth.sum()), background=pool_background(), parts=0)
    assert truth[found.inside].mean() > 0.85
    table = made.links["members", "words"]
    kept = np.flatnonzero(np.bincount(table.counts.indices) >= 20)
    counts = Collection(
        made.ids,
        {"counts": Table(table.counts[:, kept], tuple(table.cols[j] for j in kept))},
        name="counts",
    )
    found = core_of(counts, size=int(truth.sum()), background=pool_background(), parts=0)
    assert truth[found.inside].mean() > 0.8


def test_the_same_bits_for_any_number_of_workers(letters):
    one = core_of(letters, size=20, seed=3)
    two = None
    with using(n_jobs=2):
        two = core_of(letters, size=20, seed=3)
    assert np.array_equal(one.scores, two.scores)
    assert np.array_equal(one.again, two.again, equal_nan=True)


def test_filters_of_warnings_are_as_they_were_whatever_the_workers(letters):
    before = list(warnings.filters)
    for _ in range(3):
        with using(n_jobs=4):
            core_of(letters, size=20)
        assert list(warnings.filters) == before


def test_refusals_are_sentences(letters):
    with pytest.raises(DataError, match="60 members; a core leaves at least one"):
        core_of(letters, size=60)
    with pytest.raises(ParameterError, match="parts must be from 0"):
        core_of(letters, size=20, parts=-1)
    with pytest.raises(DataError, match="no view 'title'"):
        core_of(letters, view="title")
    with pytest.raises(DataError, match="Core needs counts"):
        core_of(np.random.default_rng(0).normal(size=(20, 3)))


def test_core_first_keeps_both_orders():
    inside = np.array([False, True, False, False, True, True])
    assert core_first(inside).tolist() == [1, 4, 5, 0, 2, 3]
    assert core_first([]).tolist() == []


def test_one_of_several_views_is_said(letters):
    two = Collection(letters.ids, {"en": letters.view(), "de": letters.view()})
    note = "The core is that of 'en' alone; de does not count."
    assert note in core_of(two, size=5, parts=0).notes
    assert note not in core_of(two, size=5, parts=0, view="en").notes


@pytest.mark.parametrize(
    ("sure", "stands_out", "said"),
    [
        (0.98, True, "30 of 100 members share one topic."),
        (0.8, True, "30 of 100 members seem to share one topic; look at them with care."),
        (0.5, True, "No core that could be relied on: 30 of 100 members come first"),
        (0.99, False, "No core stands out: 30 of 100 members come first"),
        (None, True, "30 of 100 members may share one topic"),
    ],
)
def test_the_verdict_goes_by_what_stands_out_and_is_found_again(
    sure: float | None, stands_out: bool, said: str
) -> None:
    record = {"size": 30, "members": [{}] * 100, "sure": sure, "stands_out": stands_out}
    assert verdict(record).startswith(said)
