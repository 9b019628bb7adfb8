"""Hints in a walk: names of labels, at least as many groups as labels, refusals, and what is said and kept."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie import Hints
from coterie.collect.samples import sample
from coterie.core.errors import DataError, ParameterError
from coterie.messages.exploration import describe_steps, explain_evidence
from coterie.run.engine import load


def corpus_hints(n=40):
    found = sample("corpus")
    return found, {
        "labels": {
            i: f"topic {t}" for i, t in list(zip(found.ids, found.truth["group"], strict=True))[:n]
        }
    }


def test_texts_with_labels_are_grouped_by_words_and_named_by_labels(tmp_path):
    texts, hints = corpus_hints()
    found = coterie.explore(texts, hints=hints, nulls=0, store=tmp_path, name="taught")
    assert found.judge("group").measures["nmi"] > 0.9
    names = [group.name for group in found.findings.groups]
    for group in found.findings.groups:
        truth = np.asarray(texts.truth["group"])[found.labels == group.label]
        assert group.name == f"topic {np.bincount(truth).argmax()}"
    assert len(set(names)) == len(names) == 10
    given = list(found.findings.cards["given label"])
    assert given[:2] == [f"topic {texts.truth['group'][0]}", f"topic {texts.truth['group'][1]}"]
    assert given[-1] == ""
    assert any(
        "40 members were labeled (10 labels: an observed population" in line
        for line in describe_steps(found.findings.steps)
    )
    assert found.run.get_json("hints")["labels"] == hints["labels"]
    assert load("taught", store=tmp_path).labels.tolist() == found.labels.tolist()


def test_there_are_at_least_as_many_groups_as_labels_and_that_is_said():
    rows = [[float(x), 0.0] for x in (*range(6), *range(20, 26))]
    hints = Hints.of(12, ["a", "", "b", "", "", "", "c", "", "", "", "", "d"], scheme="constrained")
    found = coterie.explore(rows, hints=hints, nulls=0)
    assert len(found.findings.groups) == 4
    assert (
        "There are 4 groups because 4 labels were given"
        in explain_evidence(found.findings.evidence)[0]
    )
    assert {group.name for group in found.findings.groups} == {"a", "b", "c", "d"}


def test_pairs_guide_a_table():
    rows = np.concatenate([np.random.default_rng(0).normal(c, 0.3, (20, 2)) for c in (0.0, 4.0)])
    free = coterie.explore(rows, k=2, nulls=0)
    held = coterie.explore(
        rows, k=2, nulls=0, hints={"together": [("0", "39")], "apart": [("0", "1")]}
    )
    assert free.labels[0] != free.labels[39]
    assert held.labels[0] == held.labels[39] != held.labels[1]
    assert any(
        "1 pair together and 1 pair apart given, as laws" in line
        for line in describe_steps(held.findings.steps)
    )


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (
            {"hints": {"labels": {"nobody": "x"}}},
            DataError,
            "labels name nobody, who is not a member",
        ),
        (
            {"hints": {"label": {}}},
            ParameterError,
            "hold labels, together and apart, and not 'label'",
        ),
        ({"hints": [1, 2]}, ParameterError, "hints must be Hints, or a mapping"),
        ({"hints": Hints.of(3, [0, 1, 1])}, DataError, "The hints are on 3 members"),
        (
            {"hints": {"apart": [("0", "1")]}, "organize": "Density"},
            DataError,
            "Density takes no hints; Comraf, MDC",
        ),
    ],
)
def test_hints_that_do_not_fit_are_one_sentence(given, kind, words):
    with pytest.raises(kind, match=words):
        coterie.explore([[float(x)] for x in range(12)], nulls=0, **given)


def test_nothing_said_changes_nothing():
    rows = [[float(x)] for x in (*range(6), *range(20, 26))]
    assert (
        coterie.explore(rows, nulls=0, hints={}).labels.tolist()
        == coterie.explore(rows, nulls=0).labels.tolist()
    )


def test_a_pipeline_hands_hints_to_its_last_step():
    from coterie.compare import Euclidean
    from coterie.organize import Density, Spectral

    rows = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]
    hints = Hints.of(6, apart=[(0, 1)])
    found = coterie.Pipeline([Euclidean(), Spectral(n_groups=2, random_state=0)]).fit_predict(
        rows, hints=hints
    )
    assert found[0] != found[1]
    with pytest.raises(ParameterError, match="the last step, Density, takes no hints"):
        coterie.Pipeline([Euclidean(), Density()]).fit(rows, hints=hints)


def test_laws_are_refused_and_never_dropped_with_one_group():
    rows = [[float(x)] for x in (*range(6), *range(20, 26))]
    for hints in (
        {"apart": [("0", "1")]},
        {"labels": {"0": "a", "7": "b"}, "scheme": "constrained"},
    ):
        with pytest.raises(DataError, match="group"):
            coterie.explore(rows, k=1, nulls=0, hints=hints)
        with pytest.raises(DataError, match="only 1 group was asked for"):
            coterie.explore(sample("corpus"), k=1, nulls=0, hints=_by_name(hints))


def _by_name(hints):
    ids = sample("corpus").ids
    named = dict(hints)
    if "apart" in hints:
        named["apart"] = [(ids[int(one)], ids[int(other)]) for one, other in hints["apart"]]
    if "labels" in hints:
        named["labels"] = {ids[int(member)]: label for member, label in hints["labels"].items()}
    return named


def test_a_label_used_once_does_not_spoil_the_stability():
    texts = sample("corpus", 60)
    labels = {
        member: "odd" if at == 0 else f"topic {t}"
        for at, (member, t) in enumerate(zip(texts.ids, texts.truth["group"]))
    }
    for seed in range(2):
        found = coterie.explore(
            texts, hints={"labels": labels, "scheme": "constrained"}, nulls=2, seed=seed
        )
        assert len({found.labels[0], *found.labels[1:]}) == len(set(labels.values()))


def test_members_that_all_belong_apart_ask_for_as_many_groups():
    rows = [[float(x)] for x in (*range(6), *range(20, 26))]
    apart = [(str(i), str(j)) for i in range(4) for j in range(i)]
    found = coterie.explore(rows, nulls=0, hints={"apart": apart})
    assert len({int(found.labels[i]) for i in range(4)}) == 4
    assert "4 members all belong apart" in explain_evidence(found.findings.evidence)[0]


def test_weighted_pairs_that_are_not_kept_are_said():
    rows = np.concatenate([np.random.default_rng(0).normal(c, 0.3, (20, 2)) for c in (0.0, 4.0)])
    found = coterie.explore(
        rows, k=2, nulls=0, hints={"together": [("0", "39")], "pair_weight": 1e-6}
    )
    assert "1 of 1 pair is not kept, such as '0' and '39'." in list(found.findings.notes)


def test_a_recipe_with_many_hints_names_the_run_that_holds_them(tmp_path):
    texts, hints = corpus_hints(60)
    found = coterie.explore(texts, hints=hints, nulls=0, store=tmp_path, name="many")
    assert "hints = coterie.Store().open('many-1').get_json(\"hints\")" in found.findings.python
    assert "hints=hints" in found.findings.python
