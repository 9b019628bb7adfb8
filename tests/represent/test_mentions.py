"""SpellingByContext: against a full decomposition, what it sees of a mention, forms, occurrences, order."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import mentions as slow

from coterie.core.errors import DataError
from coterie.core.text import TaggedText
from coterie.represent import SpellingByContext, SpellingCounts
from coterie.represent.mentions import context_features, form_of, shape_of, spelling_features
from coterie.testing import promises

PLACES = ("Oslo", "Bergen", "Ghent", "Aalst", "Hamar")
PEOPLE = ("J. Smith", "A. Jones", "K. Brown", "L. Davis", "M. Evans")


def tagged(n: int = 60, seed: int = 0) -> tuple[TaggedText, np.ndarray]:
    """Places after 'in' and people before 'said', each name several times."""
    random = np.random.default_rng(seed)
    tokens: list[str] = []
    offsets = [0]
    spans = []
    truth = random.integers(0, 2, size=n)
    for group in truth:
        name = str(random.choice(PEOPLE if group else PLACES)).split()
        before = ["today", "Mr"] if group else ["they", str(random.choice(["live", "work"])), "in"]
        after = ["said", "so", "."] if group else ["since", "1990", "."]
        first = len(tokens) + len(before)
        tokens += [*before, *name, *after]
        spans.append((first, first + len(name)))
        offsets.append(len(tokens))
    return TaggedText(np.array(tokens), np.array(offsets), np.array(spans)), truth


@pytest.mark.parametrize(
    "promise", [*promises(SpellingByContext()), *promises(SpellingCounts())], ids=str
)
def test_promise(promise):
    promise()


def test_places_are_those_of_a_full_decomposition():
    text, _ = tagged(40)
    method = SpellingByContext(n_components=3, by_form=False).fit(text)
    left = [spelling_features(text, span) for span in range(40)]
    right = [context_features(text, span, at) for span, at in enumerate(text.sentence_of())]
    values, rows = slow.analyzed(left, right, method.spellings_, method.contexts_, 5.0, 3)
    assert np.allclose(method.singular_values_, values)
    found = method.transform(text)
    apart = values[0] - values[1] > 1e-6 * values[0]
    assert apart
    for column in (0, 3):  # the first axis of either side; which way it points is a convention
        sign = np.sign(found[0, 0] * rows[0, 0])
        assert np.allclose(found[:, column] * sign, rows[:, column])
    alike = found[:, :3] @ found[:, :3].T
    assert np.allclose(
        alike, rows[:, :3] @ rows[:, :3].T
    )  # turning axes of one value changes nothing


def test_kinds_of_names_lie_apart():
    text, truth = tagged(80)
    first = SpellingByContext(n_components=3).fit_transform(text)[:, 0]
    low, high = sorted((first[truth == 0].mean(), first[truth == 1].mean()))
    assert (
        first[truth == truth[np.argmax(first)]].min()
        > first[truth != truth[np.argmax(first)]].max()
    )
    assert high > low


def test_what_is_seen_of_a_mention():
    text = TaggedText(
        np.array(["Mr", "J.-P.", "O'Neil", "said"]), np.array([0, 4]), np.array([[1, 3]])
    )
    seen = spelling_features(text, 0)
    assert {"all j.-p. o'neil", "first j.-p.", "last o'neil", "ends eil", "hyphen True"} <= set(
        seen
    )
    assert "shape X.-X._X'Xx" in seen
    around = context_features(text, 0, 0)
    assert {"-1 mr", "+1 said", "-2 <s>", "+2 </s>", "-1+1 mr said"} <= set(around)
    assert form_of(text) == ["j.-p. o'neil"]
    assert shape_of("1999-2000") == "d-d"


def test_sides_and_singular_values():
    text, _ = tagged(50)
    both = SpellingByContext(n_components=4).fit_transform(text)
    left = SpellingByContext(n_components=4, side="spelling").fit_transform(text)
    right = SpellingByContext(n_components=4, side="context").fit_transform(text)
    assert np.allclose(both, np.concatenate([left, right], axis=1))
    plain = SpellingByContext(n_components=4, side="spelling", principal=False).fit(text)
    assert np.allclose(plain.transform(text) * plain.singular_values_, left)


def test_mentions_of_one_form_share_a_row_also_later():
    text, _ = tagged(60)
    method = SpellingByContext().fit(text)
    rows = method.transform(text)
    forms = np.array(form_of(text))
    for form in set(forms):
        assert np.ptp(rows[forms == form], axis=0).max() < 1e-12
    assert np.array_equal(method.transform(text.take([7])), rows[[7]])
    apart = SpellingByContext(by_form=False).fit_transform(text)
    assert any(np.ptp(apart[forms == form], axis=0).max() > 1e-9 for form in set(forms))


def test_members_with_several_occurrences_have_their_mean():
    text, _ = tagged(60)
    by_form = text.by_form()
    rows = SpellingByContext(by_form=False).fit_transform(text)
    found = SpellingByContext(by_form=False).fit_transform(by_form)
    assert found.shape[0] == len(by_form) < 60
    owners = text.forms()
    for member in range(len(by_form)):
        assert np.allclose(found[member], rows[owners == member].mean(axis=0), atol=1e-9)


def test_rows_do_not_depend_on_their_order():
    text, _ = tagged(60)
    order = np.random.default_rng(2).permutation(60)
    rows = SpellingByContext(n_components=6).fit_transform(text)
    turned = SpellingByContext(n_components=6).fit_transform(text.take(order))
    assert np.allclose(turned, rows[order], atol=1e-8)


def test_too_few_mentions_are_refused():
    text, _ = tagged(2)
    with pytest.raises(DataError, match="shared by min_df=3 mentions"):
        SpellingByContext().fit(text)


def test_counts_are_those_of_all_mentions_of_the_same_words():
    text, _ = tagged(40)
    method = SpellingCounts(min_df=4).fit(text)
    rows = method.transform(text).toarray()
    names = method.get_feature_names_out().tolist()
    forms = form_of(text)
    held = [
        {f"is {one}" for one in spelling_features(text, span)}
        | set(context_features(text, span, at))
        for span, at in enumerate(text.sentence_of())
    ]
    assert set(names) == {
        one for row in held for one in row if sum(one in other for other in held) >= 4
    }
    for i, form in enumerate(forms):
        alike = [row for row, other in zip(held, forms, strict=True) if other == form]
        assert rows[i].tolist() == [sum(name in row for row in alike) for name in names]
    assert np.array_equal(method.transform(text.take([3])).toarray(), rows[[3]])
    alone = SpellingCounts(min_df=4, by_form=False).fit_transform(text).toarray()
    assert alone[0].tolist() == [float(name in held[0]) for name in names]


def test_counts_of_members_with_several_occurrences_are_added():
    text, _ = tagged(60)
    rows = SpellingCounts(by_form=False).fit_transform(text).toarray()
    found = SpellingCounts(by_form=False).fit_transform(text.by_form()).toarray()
    owners = text.forms()
    for member in range(len(found)):
        assert np.array_equal(found[member], rows[owners == member].sum(axis=0))
    with pytest.raises(DataError, match="shared by min_df=9 mentions"):
        SpellingCounts(min_df=9).fit(tagged(2)[0])
