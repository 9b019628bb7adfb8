"""Members of any of several parts: what they lack is empty, and who lacks what is one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection, Ragged, Table
from coterie.collect import texts
from coterie.collect.united import spread_out, united, who_lacks
from coterie.core.errors import DataError
from coterie.core.pictures import Pictures


def test_what_a_part_lacks_is_empty() -> None:
    words = texts(["x", "y"], ["a", "b"], truth={"kind": ["p", "q"]}, cards={"file": ["1", "2"]})
    rows = Collection(
        ["b", "c"], {"columns": Table.of([[1.0, 2.0], [3.0, 4.0]])}, cards={"file": ["2", "3"]}
    )
    found = united({"words": words, "rows": rows}, name="two")
    assert found.ids == ("a", "b", "c")
    assert list(found.view("words")) == ["x", "y", ""]  # type: ignore[arg-type]
    np.testing.assert_array_equal(found.view("rows").values, [[np.nan] * 2, [1, 2], [3, 4]])  # type: ignore[union-attr]
    assert found.truth["kind"].tolist() == ["p", "q", ""]
    assert list(found.cards["file"]) == ["1", "2", "3"]


def test_sequences_and_sparse_rows_and_what_cannot_be() -> None:
    at = np.array([-1, 1, 0])
    traces = spread_out(Ragged.of([[[1.0], [2.0]], [[3.0]]]), at, "traces")
    assert [len(one) for one in traces] == [0, 1, 2]  # type: ignore[union-attr]
    sparse = pytest.importorskip("scipy.sparse").csr_array(np.array([[1.0, 0.0], [0.0, 2.0]]))
    held = spread_out(Table.of(sparse), at, "counts").values.toarray()  # type: ignore[union-attr]
    np.testing.assert_array_equal(held, [[0, 0], [0, 2], [1, 0]])
    pictures = Pictures.of([np.zeros((4, 4, 3), dtype=np.uint8)] * 2)
    with pytest.raises(DataError, match="Some members lack the view 'faces'"):
        spread_out(pictures, at, "faces")


def test_who_lacks_what_in_one_sentence() -> None:
    parts = {
        name: texts(list(ids), list(ids))
        for name, ids in (("en", "abcdef"), ("de", "af"), ("fr", "abg"))
    }
    said = "1 of 7 members is in all three views; 6 are left out (b lacks de, c lacks de and fr, d lacks de and fr, ...)."
    assert who_lacks(parts, ["a"]) == (said,)
    assert who_lacks({"en": parts["en"], "again": parts["en"]}, list("abcdef")) == ()
