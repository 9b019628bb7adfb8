"""What a group is called: facts, made once, no two the same."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Ragged, Table
from coterie.core.findings import Naming
from coterie.core.pictures import Pictures
from coterie.messages.notes import write_name
from coterie.workflows.attributes import measure_pictures, measure_traces
from coterie.workflows.choices import Choices
from coterie.workflows.describe import choose_names
from coterie.workflows.explore import analyse
from coterie.workflows.key_features import key_columns


def test_names_grow_until_they_differ_and_end_with_an_exemplar() -> None:
    same = {"words": tuple((word, 1.0) for word in ("a", "b", "c", "d", "e"))}
    other = {"words": tuple((word, 1.0) for word in ("a", "b", "c", "d", "f"))}
    found = choose_names([same, other, {}, {}], ["x", "y", "z", ""])
    assert [naming.by for naming in found] == ["terms", "terms", "exemplar", "number"]
    assert found[0].parts == ("a", "b", "c", "d", "e")
    assert found[1].parts == ("a", "b", "c", "d", "f")
    names = [write_name(naming, at) for at, naming in enumerate(found)]
    assert names[2:] == ["like z", "group 4"]
    twice = choose_names([same, same], ["x", "y"])
    assert [naming.parts[-1] for naming in twice] == ["like x", "like y"]


def test_tables_are_named_by_traits_with_their_effect() -> None:
    generator = np.random.default_rng(0)
    group = np.repeat([0, 1], 40)
    rows = np.column_stack(
        [
            generator.normal(size=80) + 3 * group,
            generator.normal(size=80),
            (group + (generator.random(80) < 0.1)) % 2,
        ]
    )
    rows = np.column_stack([rows, rows[:, 0] * 2 + 1])
    table = Table(rows, ("color_intensity", "noise", "kind", "twice"), {2: ("plain", "fine")})
    first, second = key_columns(table, group, 2)
    words = [trait.word for trait in second.traits]
    assert words[:2] == ["color intensity high", "kind fine"]  # twice says the same as the first
    assert len(words) == 2
    trait = second.traits[0]
    inside, rest = rows[group == 1, 0], rows[group == 0, 0]
    assert trait.effect == pytest.approx((inside.mean() - rest.mean()) / rows[:, 0].std())
    assert (trait.inside, trait.rest) == pytest.approx((inside.mean(), rest.mean()))
    share = second.traits[1]
    assert (share.category, share.inside) == ("fine", pytest.approx(rows[group == 1, 2].mean()))
    assert [trait.word for trait in first.traits] == ["color intensity low", "kind plain"]


def test_the_name_of_a_group_is_the_same_fact_everywhere() -> None:
    generator = np.random.default_rng(1)
    rows = np.vstack([generator.normal(at, 1, size=(30, 3)) for at in (0, 6)])
    table = Collection([f"r{at}" for at in range(60)], {"table": Table(rows, ("a", "b", "c"))})
    findings = analyse(table, Choices(k=2, nulls=0)).findings
    for group in findings.groups:
        assert group.naming.by == "traits"
        assert group.name == write_name(group.naming, group.label)
        assert len(group.naming.traits) == len(group.naming.parts)
    assert len({group.name for group in findings.groups}) == 2
    assert findings.overview.largest == findings.groups[0].name


def test_pictures_are_named_by_what_is_seen() -> None:
    generator = np.random.default_rng(2)
    made = []
    for at in range(24):
        picture = np.full((24, 24, 3), 20 if at % 2 else 200, dtype=np.uint8)
        if at % 2:
            picture[4:20, 10:14] = (40, 60, 230)  # a long blue bar on black
        else:
            picture[8:16, 8:16] = 120
        made.append(np.clip(picture + generator.integers(-5, 5, picture.shape), 0, 255))
    pictures = Pictures.of([one.astype(np.uint8) for one in made])
    measured = measure_pictures(pictures)
    column = dict(zip(measured.table.names, measured.table.values.T, strict=True))
    assert column["brightness"][1::2].max() < column["brightness"][::2].min()
    assert column["elongation"][1::2].min() > column["elongation"][::2].max()
    assert column["share of blue"][1::2] == pytest.approx(16 * 4 / 24**2)
    assert column["height to width"][1::2].min() > 0.3
    collection = Collection([f"p{at}" for at in range(24)], {"pictures": pictures})
    groups = analyse(collection, Choices(k=2, nulls=0)).findings.groups
    assert all(group.naming.by == "traits" for group in groups)
    known = {word for pair in measured.words.values() for word in pair}
    assert {part for group in groups for part in group.naming.parts} <= known


def test_sequences_rise_and_fall() -> None:
    time = np.linspace(0, 1, 30)[:, None]
    rows = Ragged.of([time, 1 - time, np.zeros((30, 1))])
    found = measure_traces(rows)
    rise = found.table.values[:, found.table.names.index("rise of value")]
    assert rise == pytest.approx([1, -1, 0])
    assert found.words["rise of value"] == ("falling", "rising")


def test_a_name_that_a_person_gave_is_known_as_such() -> None:
    assert write_name(Naming("given", ("mine",)), 0) == "mine"
