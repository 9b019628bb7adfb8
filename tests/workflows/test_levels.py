"""Levels of nested groups: themes of topics in texts, told, shown, stored, written as columns, and dropped after edits."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.core.edits import started
from coterie.core.findings import level_of
from coterie.messages.exploration import list_levels, summarize
from coterie.run.steered import as_steered
from coterie.show.report import render

THEMES, TOPICS, EACH = 3, 9, 26


def _word(kind, owner, number):
    """A word of letters alone."""
    return kind + "".join(chr(ord("a") + part) for part in (owner, *divmod(int(number), 26)))


@pytest.fixture(scope="module")
def texts():
    """Texts of nine topics, three to a theme: words of the theme, words of the topic, and words of all."""
    random = np.random.default_rng(3)
    topic = np.repeat(np.arange(TOPICS), EACH)
    found = []
    for one in topic:
        words = [
            *(_word("theme", one // THEMES, w) for w in random.integers(40, size=12)),
            *(_word("topic", one, w) for w in random.integers(20, size=10)),
            *(_word("any", 0, w) for w in random.integers(60, size=6)),
        ]
        found.append(" ".join(words))
    return found, topic


@pytest.fixture(scope="module")
def found(texts, tmp_path_factory):
    return coterie.explore(texts[0], store=str(tmp_path_factory.mktemp("levels")), name="topics")


def test_levels_are_one_tree_with_the_groups_in_it(found, texts):
    findings = found.findings
    numbers = [len(level.names) for level in findings.levels]
    assert len(numbers) >= 2
    assert numbers == sorted(set(numbers))
    at = level_of(findings)
    np.testing.assert_array_equal(findings.levels[at].labels, findings.labels)
    assert list(findings.levels[at].names) == [group.name for group in findings.groups]
    best = [adjusted_rand_score(texts[1] // THEMES, level.labels) for level in findings.levels]
    assert max(best) > 0.95
    assert findings.levels[0].parents == ()
    for above, level in zip(findings.levels[:-1], findings.levels[1:], strict=True):
        for group, parent in enumerate(level.parents):
            assert set(above.labels[level.labels == group]) == {parent}
        assert sum(level.sizes) == len(findings)


def test_levels_are_told_and_shown(found):
    findings = found.findings
    others = [len(level.names) for level in findings.levels if level is not _own(findings)]
    said = [sentence for sentence in summarize(findings) if "nest" in sentence]
    assert len(said) == 1
    assert all(str(many) in said[0] for many in others)
    rows = list_levels(findings)
    assert rows
    assert all(len(below) > 1 for _, below in rows)
    page = render(findings)
    assert 'class="levels"' in page


def test_levels_are_stored_and_columns_of_the_exports(found):
    findings = found.findings
    again = found.run.findings()
    for one, other in zip(findings.levels, again.levels, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
        assert (one.names, one.parents) == (other.names, other.parents)
    with (found.run.path / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = found.frame("pandas")
    at = level_of(findings)
    for place, level in enumerate(findings.levels):
        name = "group" if place == at else "coarse_group" if place < at else "fine_group"
        assert [int(row[name]) for row in rows] == level.labels.tolist()
        assert frame[name].tolist() == level.labels.tolist()


def test_a_number_that_was_asked_for_has_no_levels(texts):
    assert coterie.explore(texts[0], k=3).findings.levels == ()


def test_moved_members_leave_no_levels(found):
    findings = found.findings
    state = started(findings.labels, [group.name for group in findings.groups])
    assert as_steered(findings, state).levels
    state.labels[0] = (state.labels[0] + 1) % len(findings.groups)
    assert as_steered(findings, state).levels == ()


def _own(findings):
    return findings.levels[level_of(findings)]
