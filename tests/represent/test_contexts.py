"""Contexts and Attributes: bags around mentions, categories by place, new mentions in the same columns."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import TaggedText
from coterie.collect.mentions import plain, tagged_mentions
from coterie.compare import Cosine, Hamming
from coterie.core.errors import DataError, ParameterError
from coterie.judge import retrieval
from coterie.parts.pairwise import dense
from coterie.parts.windows import attributes
from coterie.represent import Attributes, Contexts

TEXT = TaggedText(
    np.array(["in", "Paris", "today", ".", "from", "Rome", "today", ".", "Paris", "fell"]),
    np.array([0, 4, 8, 10]),
    np.array([[1, 2], [5, 6], [8, 9]]),
    {"pos": np.array(["P", "N", "A", ".", "P", "N", "A", ".", "N", "V"])},
)


def row_of(contexts: Contexts, values, member: int) -> dict[str, float]:
    return {str(contexts.terms_[j]): float(v) for j, v in zip(*_cells(values, member), strict=True)}


def _cells(values, member: int):
    part = values[[member]]
    return part.indices, part.data


def test_counts_around_a_mention() -> None:
    contexts = Contexts(width=1)
    values = contexts.fit_transform(TEXT)
    assert row_of(contexts, values, 0) == {"in": 1, "Paris": 1, "today": 1}
    assert row_of(contexts, values, 2) == {"Paris": 1, "fell": 1}
    bare = Contexts(width=1, inside=False, columns=None)
    assert row_of(bare, bare.fit_transform(TEXT), 1) == {
        "from": 1,
        "today": 1,
        "pos P": 1,
        "pos A": 1,
    }


def test_tfidf_and_the_least_frequency() -> None:
    contexts = Contexts(width=1, weights="tfidf", min_df=2)
    values = contexts.fit_transform(TEXT)
    assert contexts.terms_.tolist() == ["Paris", "today"]
    assert values.toarray()[0] == pytest.approx(np.log(1.5))
    assert contexts.represent(TEXT).names == ("Paris", "today")
    with pytest.raises(DataError, match="min_df=9"):
        Contexts(min_df=9).fit(TEXT)


def test_new_mentions_and_several_occurrences() -> None:
    contexts = Contexts(width=1).fit(TEXT)
    new = TaggedText(np.array(["in", "Oslo", "today"]), np.array([0, 3]), np.array([[1, 2]]))
    assert row_of(contexts, contexts.transform(new), 0) == {"in": 1, "today": 1}
    forms = TEXT.by_form()
    bag = Contexts(width=1)
    assert row_of(bag, bag.fit_transform(forms), 0) == {"in": 1, "Paris": 2, "today": 1, "fell": 1}
    with pytest.raises(ParameterError, match="no column 'pos'"):
        Contexts(columns=("pos",)).fit(TEXT).transform(new)


def test_attributes_are_categories_by_place() -> None:
    representer = Attributes(offsets=(-1, 0), columns=("word",)).fit(TEXT)
    table = representer.represent(TEXT)
    assert table.names == ("word -1", "word")
    shown = [[table.level(j, code) for j, code in enumerate(row)] for row in table.values]
    assert shown == [["in", "Paris"], ["from", "Rome"], ["(outside)", "Paris"]]
    assert (representer.fit_transform(TEXT) == table.values).all()
    new = TaggedText(np.array(["in", "Oslo"]), np.array([0, 2]), np.array([[1, 2]]))
    other = representer.represent(new)
    assert [other.level(j, code) for j, code in enumerate(other.values[0])] == ["in", "(new)"]
    with pytest.raises(DataError, match="several occurrences; use Contexts"):
        Attributes().fit(TEXT.by_form())


def test_hamming_over_attributes_counts_common_attributes() -> None:
    view = plain(tagged_mentions(sentences=40)).view()
    table = Attributes().fit(view).represent(view)
    matrix, _ = attributes(view)
    same = (matrix @ matrix.T).toarray()
    assert np.allclose(dense(Hamming().fit(table).affinity_).values, 1 - same / table.shape[1])


def test_cues_are_found_by_the_bag_of_words() -> None:
    made = plain(tagged_mentions(cue=1.0, sentences=150))
    truth = made.truth["type"]
    close = {
        w: retrieval(
            Cosine().fit(Contexts(weights=w).fit(made).represent(made)).affinity_, truth
        ).mean_ap
        for w in ("tf", "tfidf")
    }
    none = plain(tagged_mentions(cue=0.0, sentences=150))
    base = retrieval(
        Cosine().fit(Contexts().fit(none).represent(none)).affinity_, none.truth["type"]
    ).mean_ap
    assert close["tfidf"] > close["tf"] > base
