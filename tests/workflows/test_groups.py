"""Names, confidence, the typical and the doubtful, and what tells a group apart."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Collection, Ragged, Table, Text
from coterie.collect.samples import sample
from coterie.messages.exploration import summarize
from coterie.workflows.attributes import measure_traces
from coterie.workflows.choices import Choices
from coterie.workflows.describe import centrality, confidence_of, snippets
from coterie.workflows.explore import analyse
from coterie.workflows.key_features import key_columns, key_terms, sparks


def test_confidence_is_the_share_of_near_ones_in_the_same_group() -> None:
    labels = np.array([0, 0, 1, -1])
    neighbors = np.array([[1, 2], [0, -1], [0, 1], [0, 1]])
    nearness = np.array([[0.6, 0.2], [0.5, 0.0], [0.3, 0.3], [0.3, 0.3]])
    assert confidence_of(labels, neighbors, nearness) == pytest.approx([0.75, 1.0, 0.0, 0.0])


def test_the_typical_is_near_to_many_of_its_group() -> None:
    labels = np.array([0, 0, 0, 1])
    neighbors = np.array([[1, 3], [0, 2], [1, 3], [1, 0]])
    found = centrality(labels, neighbors, np.full((4, 2), 0.5))
    assert found == pytest.approx([0.5, 1.0, 0.5, 0.0])


def test_words_that_tell() -> None:
    counts = sp.csr_array(np.array([[3, 0, 1], [1, 0, 1], [0, 2, 1], [0, 1, 1]]))
    found = key_terms(counts, ["sea", "hill", "the"], np.array([0, 0, 1, 1]), 2)
    assert [[word for word, _ in group] for group in found] == [["sea", "the"], ["hill", "the"]]
    assert found[0][0][1] == pytest.approx(np.log(1 / (2.5 / 5)))
    assert found[0][1][1] == pytest.approx(np.log(1 / (4.5 / 5)))


def test_columns_that_tell_numbers_and_words() -> None:
    rows = np.array([[1.0, 0], [2.0, 0], [9.0, 1], [np.nan, 1]])
    table = Table(rows, ("size", "color"), {1: ("blue", "red")})
    found = key_columns(table, np.array([0, 0, 1, 1]), 2)
    statements = [[text for text, _ in group] for group in found]
    assert "size is low (1.5 against 9)" in statements[0]
    assert "color is blue (100% against 0%)" in statements[0]
    assert "color is red (100% against 0%)" in statements[1]
    assert key_columns(table, np.zeros(4, dtype=int), 1) == [()]


def test_traces_in_words_and_lines() -> None:
    rows = Ragged.of([np.array([[0.0], [2.0], [0.0]]), np.array([[5.0], [5.0]])])
    table = measure_traces(rows).table
    names = ("length", "mean of value", "spread of value", "change per step of value")
    assert table.names == (*names, "rise of value")
    assert table.values[1].tolist() == [2, 5, 0, 0, 0]
    assert table.values[0] == pytest.approx([3, 2 / 3, np.sqrt(8 / 9), 2, 0])
    (line,) = sparks(rows, np.array([0]))
    assert (line[0], max(line), line[-1]) == (0, pytest.approx(2, abs=0.06), 0)


def test_snippets_of_every_kind() -> None:
    text = Collection(["a"], {"text": Text.of(["  many \n\n words  " + "x" * 500])})
    assert snippets(text, "text")[0].startswith("many words xxx")
    assert len(snippets(text, "text")[0]) == 140
    table = Collection(
        ["a"], {"columns": Table(np.array([[1.5, 0.0]]), ("size", "color"), {1: ("blue",)})}
    )
    assert snippets(table, "columns") == ["size 1.5, color blue"]
    sets = Collection(["a"], {"sets": Ragged.of([np.zeros((3, 2))], ordered=False)})
    assert snippets(sets, "sets") == ["3 vectors of 2"]
    mail = sample("mail", 6)
    assert snippets(mail, "text") == [" ".join(s.split()) for s in mail.cards["subject"]]


def test_groups_of_mail_are_told_by_people_too() -> None:
    findings = analyse(sample("mail", 120), Choices(k=6, nulls=0)).findings
    for group in findings.groups:
        assert set(group.telling) >= {"words", "correspondents"}
        assert group.name == ", ".join(word for word, _ in group.telling["words"][:4])


def test_groups_that_would_share_a_name_are_numbered() -> None:
    findings = analyse(sample("uniform", 60), Choices(k=9, nulls=0)).findings
    names = [group.name for group in findings.groups]
    assert len(set(names)) == 9


def test_one_group_that_was_asked_for_is_one_sentence() -> None:
    findings = analyse(sample("blobs", 60), Choices(k=1, nulls=2)).findings
    assert summarize(findings)[0] == "All 60 rows are in one group, as asked."
    assert not any(
        "1 groups" in sentence or "told by" in sentence for sentence in summarize(findings)
    )
    assert "You asked for 1 group." in summarize(findings)


def test_without_nulls_members_are_cut_and_do_not_fall() -> None:
    summary = summarize(analyse(sample("blobs", 60), Choices(k=5, nulls=0)).findings)
    assert summary[0] == "5 groups in 60 rows."
    assert "Whether the groups are real was not tested (nulls is 0)." in summary


def test_methods_that_cut_a_graph_are_given_one_and_the_others_all_pairs() -> None:
    near = np.repeat(np.arange(3.0) * 10, 12)[:, None] + np.arange(36)[:, None] % 12 / 12
    members = Collection(
        [f"m{at}" for at in range(36)], {"rows": Table(np.hstack([near, -near]), ("a", "b"))}
    )
    steps = {}
    for name in ("Spectral", "Leiden", "MCL", "Medoids", "Density"):
        found = analyse(members, Choices(organize=name, k=3, nulls=0))
        assert len(set(found.findings.labels[:12])) == 1, name
        steps[name] = [type(step).__name__ for step in found.pipeline.steps_]
        placed = found.pipeline.predict(members.view("rows"))
        assert np.array_equal(placed, found.findings.labels), name
    assert ["Neighborhood" in steps[name] for name in steps] == [True, True, False, False, False]
