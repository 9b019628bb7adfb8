"""Why members lie together in what views share: the words of every language, columns, and sentences on what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Table
from coterie.collect.samples import sample
from coterie.core.errors import DataError
from coterie.core.findings import Group
from coterie.workflows.key_features import key_terms
from coterie.workflows.view_reasons import alike_by_views, group_by_views
from coterie.workflows.view_space import SeenViews, SharedSpace


@pytest.fixture(scope="module")
def fitted():
    letters = sample("letters_in_two_languages", 90)
    seen = SeenViews({name: letters.view(name) for name in ("north", "south")})
    groups = [Group(g, f"name {g}", 1, 1.0, (), ()) for g in range(6)]
    return SharedSpace().fit(seen), seen, letters, groups


def test_words_of_every_language_hold_a_group(fitted) -> None:
    space, seen, letters, groups = fitted
    labels = np.asarray(letters.truth["group"], dtype=np.int64)
    said = group_by_views(space, seen, 2, labels, groups)
    assert said[0].startswith(
        f"The {(labels == 2).sum()} members of 'name 2' go together by what the views north, south share"
    )
    for sentence, name in zip(said[1:], ("north", "south"), strict=True):
        assert sentence.startswith(f"In {name} they are pulled together by: ")
        words = {part.split(" (")[0] for part in sentence.split(": ")[1].rstrip(".").split(", ")}
        terms = space.steps_[name][0]
        telling = key_terms(terms.counts(seen.views[name]), list(terms.terms_), labels, 6, 12)[2]
        assert len(words & {word for word, _ in telling}) >= 3


def test_two_members_each_with_its_own_words(fitted) -> None:
    space, seen, letters, groups = fitted
    labels = np.asarray(letters.truth["group"], dtype=np.int64)
    one, other = np.flatnonzero(labels == 1)[:2].tolist()
    said = alike_by_views(space, seen, [one, other], letters.ids, labels, groups)
    assert said[0] == f"{letters.ids[one]} and {letters.ids[other]} are in one group: name 1."
    assert "nearest to" in said[1]
    assert said[2].startswith(f"In north they are pulled to where they lie: {letters.ids[one]} by ")
    words = said[2].split(f"{letters.ids[one]} by ")[1].split(";")[0].split(", ")
    assert all(word in seen.views["north"][one].lower() for word in words)
    assert len(alike_by_views(space, seen, range(5), letters.ids, labels, groups)) == 3
    with pytest.raises(DataError, match="two different members"):
        alike_by_views(space, seen, [one, one], letters.ids, labels, groups)


def test_columns_are_high_or_low() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    rows = {}
    for name in ("one", "two"):
        rows[name] = rng.normal(size=(60, 3))
        rows[name][:, 1] += 8 * labels
    seen = SeenViews({name: Table(values, ("a", "b", "c")) for name, values in rows.items()})
    groups = [Group(g, str(g), 30, 1.0, (), ()) for g in range(2)]
    said = group_by_views(SharedSpace().fit(seen), seen, 1, labels, groups)
    assert said[1].startswith("In one they are pulled together by: b is high")
