"""The walk finds what was planted, says so in words, and says when there is nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coterie import Collection, Table, TaggedText, Text
from coterie.collect.samples import sample
from coterie.core.errors import DataError, Interrupted, ParameterError
from coterie.core.workplace import Silent, using
from coterie.judge import adjusted_rand
from coterie.messages.exploration import describe_steps, summarize
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse


@pytest.mark.parametrize("name", ["uniform", "one_gaussian", "one_topic", "one_process"])
def test_what_has_no_groups_is_called_so_in_words(name: str) -> None:
    findings = analyse(sample(name, random_state=100), Choices()).findings
    assert summarize(findings)[0].startswith(
        f"No group structure was found in these {len(findings)} "
    )
    assert not findings.evidence.structured
    assert len(findings.groups) == findings.evidence.n_groups == 1
    assert set(findings.labels.tolist()) == {0}
    assert findings.unstructured is not None
    assert "cut" in [remark.code for remark in findings.unstructured.advice]


@pytest.mark.parametrize(
    ("name", "n", "k"),
    [("blobs", 150, 5), ("moons", 300, 2), ("rings", 300, 3), ("topics", 240, 8)],
)
def test_what_was_planted_is_found(name: str, n: int, k: int) -> None:
    collection = sample(name, n, random_state=1)
    bent = {"organize": "Spectral"} if name in ("moons", "rings") else {}  # no cloud each
    findings = analyse(collection, Choices(**bent)).findings
    assert findings.evidence.structured
    assert len(findings.groups) == k
    assert adjusted_rand(findings.labels, collection.truth["group"]) > 0.9
    assert summarize(findings)[0].startswith(f"{k} clear groups in {n} ")


@pytest.mark.parametrize(
    "name", ["mixed", "mail", "traces", "bags_of_vectors", "letters_in_two_languages"]
)
def test_with_k_given_every_kind_of_planted_group_is_found(name: str) -> None:
    collection = sample(name)
    k = len(np.unique(collection.truth["group"]))
    findings = analyse(collection, Choices(k=k, nulls=0)).findings
    assert len(findings.groups) == k
    assert adjusted_rand(findings.labels, collection.truth["group"]) > 0.8


def test_asked_for_groups_where_there_are_none_it_cuts_and_warns() -> None:
    findings = analyse(sample("one_gaussian", random_state=3), Choices(k=4)).findings
    assert len(findings.groups) == 4
    assert (
        "4 groups in 200 rows, as asked; there is no evidence that they are real."
        in summarize(findings)[0]
    )


def test_findings_hold_together() -> None:
    collection = sample("blobs", 90)
    findings = analyse(collection, Choices(k=4, nulls=0)).findings
    n = len(collection)
    assert findings.ids == collection.ids
    assert sum(group.size for group in findings.groups) == n
    assert [group.size for group in findings.groups] == np.bincount(findings.labels).tolist()
    assert findings.map.shape == (n, 2)
    assert np.abs(findings.map).max() <= 1
    assert not (findings.neighbors == np.arange(n)[:, None]).any()
    assert (np.diff(findings.nearness, axis=1) <= 0).all()
    assert ((findings.nearness >= 0) & (findings.nearness <= 1)).all()
    assert ((findings.confidence >= 0) & (findings.confidence <= 1)).all()
    assert sorted(findings.matrix_members.tolist()) == list(range(n))
    assert np.allclose(findings.matrix, findings.matrix.T)
    assert np.allclose(np.diagonal(findings.matrix), 1)
    for group in findings.groups:
        assert {int(findings.labels[i]) for i in (*group.typical, *group.doubtful)} == {group.label}
        assert group.name
    assert len({group.name for group in findings.groups}) == 4


def test_matrix_is_the_nearness_of_its_members() -> None:
    findings = analyse(sample("blobs", 60), Choices(k=3, nulls=0)).findings
    place = {int(member): at for at, member in enumerate(findings.matrix_members)}
    for member in range(60):
        for other, value in zip(findings.neighbors[member], findings.nearness[member], strict=True):
            assert findings.matrix[place[member], place[int(other)]] == pytest.approx(value)


@pytest.mark.parametrize("name", ["Gaussian", "Cosine"])
def test_matrix_of_a_similarity_too(name: str) -> None:
    findings = analyse(sample("blobs", 60), Choices(k=3, nulls=0, compare=name)).findings
    place = {int(member): at for at, member in enumerate(findings.matrix_members)}
    at = place[7]
    near = place[int(findings.neighbors[7, 0])]
    assert findings.matrix[at, near] == pytest.approx(findings.nearness[7, 0])
    assert findings.matrix.shape == (60, 60)


def test_order_of_members_does_not_matter() -> None:
    collection = sample("blobs", 120)
    order = np.random.default_rng(0).permutation(120)
    one = analyse(collection, Choices(k=5, nulls=0)).findings
    two = analyse(collection.take(order), Choices(k=5, nulls=0)).findings
    assert adjusted_rand(two.labels, one.labels[order]) == 1.0


def test_truth_is_never_looked_at() -> None:
    collection = sample("mixed", 80)
    blind = replace(collection, truth={})
    choices = Choices(k=4, nulls=0)
    assert (
        analyse(collection, choices).findings.labels.tobytes()
        == analyse(blind, choices).findings.labels.tobytes()
    )


def test_a_view_can_be_named() -> None:
    letters = sample("letters_in_two_languages", 60)
    north, south = (
        analyse(letters, Choices(view=view, k=6, nulls=0)) for view in ("north", "south")
    )
    assert (north.view, south.view) == ("north", "south")
    words = [
        {word for group in walked.findings.groups for word, _ in group.telling["words"]}
        for walked in (north, south)
    ]
    assert not words[0] & words[1]
    with pytest.raises(DataError, match="has no view 'west'; it has north, south"):
        analyse(letters, Choices(view="west"))


@pytest.mark.parametrize("n", [3, 4, 5, 8, 9])
@pytest.mark.parametrize("nulls", [0, 1])
def test_very_few_members(n: int, nulls: int) -> None:
    points = np.random.default_rng(n).normal(size=(n, 2))
    collection = Collection([str(i) for i in range(n)], {"columns": Table.of(points)})
    findings = analyse(collection, Choices(nulls=nulls)).findings
    assert len(findings.labels) == n
    assert np.isfinite(findings.map).all()
    assert np.isfinite(findings.nearness).all()


@pytest.mark.parametrize("k", [1, 2, 5, 6])
def test_any_k_up_to_the_number_of_members(k: int) -> None:
    collection = Collection(
        [str(i) for i in range(6)], {"columns": Table.of(np.arange(12.0).reshape(6, 2) ** 2)}
    )
    assert len(analyse(collection, Choices(k=k, nulls=0)).findings.groups) == k


def test_members_that_are_all_alike_in_pairs() -> None:
    rows = np.repeat(np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0]]), 15, axis=0)
    collection = Collection([str(i) for i in range(45)], {"columns": Table.of(rows)})
    findings = analyse(collection, Choices(k=3, nulls=0)).findings
    assert adjusted_rand(findings.labels, np.repeat([0, 1, 2], 15)) == 1.0
    assert np.isfinite(findings.map).all()
    assert np.isfinite(findings.confidence).all()


def test_what_cannot_be_walked() -> None:
    few = Collection(["a", "b"], {"columns": Table.of([[1.0], [2.0]])}, name="pair")
    with pytest.raises(DataError, match="'pair' has 2 members; grouping needs at least 3"):
        analyse(few, Choices())
    with pytest.raises(DataError, match="k is 99 and there are only 50 members"):
        analyse(sample("blobs", 50), Choices(k=99))
    tagged = TaggedText(
        np.array(["a", "b", "c"]),
        np.array([0, 3]),
        np.array([[0, 1], [1, 2], [2, 3]]),
        {"tag": np.arange(3)},
    )
    with pytest.raises(DataError, match="SIC needs at least 4 members"):
        analyse(Collection(["a", "b", "c"], {"mentions": tagged}), Choices())
    with pytest.raises(
        DataError, match="Euclidean does not compare mentions in tagged text; SIC does"
    ):
        analyse(Collection(["a", "b", "c"], {"mentions": tagged}), Choices(compare="Euclidean"))


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"compare": "Nope"}, "no method 'Nope'"),
        ({"nulls": -1}, "nulls"),
    ],
)
def test_wrong_choices_are_refused_first(words: dict, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        Choices(**words).check_params()


@pytest.mark.parametrize(
    ("organize", "name"),
    [
        ("SpherePacking", "bags_of_vectors"),
        ("HMMMixture", "traces"),
        ("RepresentationVote", "traces"),
        ("RepresentationVote", "bags_of_vectors"),
    ],
)
def test_organizers_of_the_members_themselves(organize: str, name: str) -> None:
    collection = sample(name, 40)
    found = analyse(collection, Choices(k=4, nulls=0, organize=organize))
    assert adjusted_rand(found.findings.labels, collection.truth["group"]) > (
        0.6 if name == "bags_of_vectors" else 0.2
    )
    assert any(
        f"{organize} groups the members by what they are" in said
        for said in describe_steps(found.findings.steps)
    )
    again = found.pipeline.predict(collection.view().take([0, 5, 9]))
    assert again.tolist() == found.pipeline.labels_[[0, 5, 9]].tolist()


def test_two_numbers_of_groups_are_one_too_many() -> None:
    with pytest.raises(ParameterError, match=r"k is 2 and organize asks for n_groups=4"):
        analyse(sample("bags_of_vectors", 30), Choices(k=2, organize="SpherePacking(n_groups=4)"))


def test_an_organizer_of_sets_on_rows_of_a_table_needs_sets() -> None:
    with pytest.raises(
        DataError,
        match=r"HMMMixture groups sequences or sets of vectors, and here members are .* a table",
    ):
        analyse(sample("blobs", 30), Choices(k=3, nulls=0, organize="HMMMixture"))


def test_a_table_is_none_of_what_is_represented() -> None:
    with pytest.raises(DataError, match=r"groups Ragged, Pictures, TaggedText, and .* a Table"):
        analyse(sample("blobs", 30), Choices(k=3, nulls=0, organize="RepresentationVote"))


def test_a_stop_is_heard_between_nulls() -> None:
    class Impatient(Silent):
        asked = 0

        def wants_stop(self) -> bool:
            self.asked += 1
            return self.asked > 3

    watch = Impatient()
    with using(watch=watch, n_jobs=1), pytest.raises(Interrupted):
        analyse(sample("blobs", 60), Choices(nulls=3))
    assert watch.asked < 40


def test_documents_without_a_known_word_are_in_no_group_and_said() -> None:
    made = sample("topics", 120)
    texts = [*made.view().documents[:118], "zzyzx", ""]
    found = analyse(
        Collection(ids=made.ids, views={"text": Text.of(texts)}), Choices(k=4, nulls=0)
    ).findings
    assert found.labels[-2:].tolist() == [-1, -1]
    assert (found.labels[:-2] >= 0).all()
    assert "2 documents hold no word that others hold: in no group." in found.notes
    assert not {118, 119} & {i for group in found.groups for i in (*group.typical, *group.doubtful)}


def test_texts_of_two_halves_are_grouped_though_their_words_dealt_anew_are_in_more_than_half() -> (
    None
):
    halves = ("football goal match team player", "oven bread flour recipe butter")
    texts = Collection(
        [str(i) for i in range(40)], {"text": Text([halves[i % 2] for i in range(40)])}
    )
    found = analyse(texts, Choices(nulls=1, max_k=3))
    assert [group.size for group in found.findings.groups] == [20, 20]
