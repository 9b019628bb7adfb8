"""What tells a group apart: words, columns, dates, traces."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from coterie import Ragged, Table
from coterie.collect.samples import sample
from coterie.workflows.attributes import measure_traces
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie.workflows.key_features import key_columns, key_terms, readable

LABELS = np.repeat([0, 1], 10)


def test_words_that_only_one_group_has_come_first() -> None:
    counts = np.ones((20, 3))
    counts[:10, 0] = 0
    counts[10:, 1] = 0
    first, second = key_terms(sp.csr_array(counts), ["right", "left", "both"], LABELS, 2)
    assert first[0][0] == "left"
    assert second[0][0] == "right"
    assert "both" not in [word for word, strength in first if strength > 0.1]


def test_columns_say_numbers_dates_and_categories_as_people_do() -> None:
    day = 86_400.0
    values = np.column_stack(
        [
            np.where(LABELS == 0, 23_250.0, 1_000.0),
            np.where(LABELS == 0, 18_000 * day, 17_000 * day),
            LABELS.astype(float),
        ]
    )
    table = Table(values, ("income", "joined", "color"), {2: ("red", "blue")}, frozenset({1}))
    said = " | ".join(statement for statement, _ in key_columns(table, LABELS, 2)[0])
    assert "income is high (23,250 against 1,000)" in said
    assert "joined is late (2019-04-14 against 2016-07-18)" in said
    assert "color is red (100% against 0%)" in said
    assert [table.level(j, values[0, j]) for j in range(3)] == ["23,250", "2019-04-14", "red"]
    assert table.level(0, np.nan) == "-"
    assert readable(0.12345) == "0.123"


def test_traces_are_told_by_the_names_of_their_values() -> None:
    sequences = Ragged.of([np.full((5, 2), float(i)) for i in range(3)])
    assert measure_traces(sequences).table.names[:3] == (
        "length",
        "mean of dimension 1",
        "mean of dimension 2",
    )
    named = Ragged(sequences.values, sequences.offsets, True, ("ax", "ay"))
    assert measure_traces(named).table.names[1] == "mean of ax"
    assert measure_traces(named).table.values[2, 1] == 2.0


def test_groups_of_sets_are_told_without_an_order() -> None:
    found = analyse(sample("bags_of_vectors", 40), Choices(k=4, nulls=0)).findings
    assert all(group.telling.get("sets") for group in found.groups)
    words = " ".join(word for group in found.groups for word, _ in group.telling["sets"])
    assert "step" not in words
    assert "spread of" in words or "mean of" in words
    assert not any(group.name.startswith("group") for group in found.groups)
