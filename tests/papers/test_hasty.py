"""Quick runs on a part of a collection: the same part every time, and nothing tied to it that is not in it."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from coterie.core.links import MEMBERS, Cooccurrence, Links
from coterie_papers.experiment import Trial
from coterie_papers.text_data import Tied, hasty


def tied() -> Tied:
    counts = sp.csr_array(np.eye(20) + np.eye(20, k=1))
    members = [f"m{i}" for i in range(20)]
    words = [f"w{i}" for i in range(20)]
    between = Cooccurrence(sp.csr_array(np.ones((20, 3))), words, ["a", "b", "c"])
    people = Cooccurrence(sp.csr_array(np.ones((20, 3))), members, ["a", "b", "c"])
    tables = {
        (MEMBERS, "words"): Cooccurrence(counts, members, words),
        (MEMBERS, "people"): people,
        ("words", "people"): between,
    }
    return Tied(Links(tables), np.arange(20) % 4, "toys")


def test_a_whole_run_has_everybody() -> None:
    whole = tied()
    assert hasty(Trial(1, False), whole, 5) is whole
    assert hasty(Trial(1, True), whole, 20) is whole


def test_a_quick_run_has_a_part_and_what_is_tied_to_it() -> None:
    part = hasty(Trial(1, True), tied(), 6)
    table = part.links.tables[MEMBERS, "words"]
    assert table.counts.shape[0] == len(part.truth) == 6
    assert (np.asarray(table.counts.sum(axis=0)) > 0).all()
    assert [int(name[1:]) % 4 for name in table.rows] == part.truth.tolist()
    assert list(part.links.tables["words", "people"].rows) == list(table.cols)
    assert part.name == "toys, 6 of them"
    assert list(hasty(Trial(1, True), tied(), 6).links.tables[MEMBERS, "words"].rows) == list(
        table.rows
    )
