"""An oracle in place of a person: seeds read off known classes, whole sessions without edits, and a classifier beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence, Links
from coterie.core.partition import Partition
from coterie.core.workplace import steady
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_state import DONE
from coterie.organize.comraf.interactive_steps import SessionSettings


def oracle_seeds(
    data: Links | Cooccurrence,
    truth: Any,
    lexicon: Collection[str] | None = None,
    most: int = 25,
    clear: float = 1.0,
    type: str = "words",
) -> dict[str, list[str]]:
    """Seeds of every class: its `most` most frequent features of the lexicon (all when left out) that are most of all its own.

    A feature is of the class in whose occurrences of all features it has the largest share. With `clear` above 1 that share
    must be so many times the mean of its shares over the classes: who is careful gives only clear features.

    >>> table = Cooccurrence.of([(0, "good", 3), (1, "good", 1), (0, "film", 2), (1, "film", 2), (1, "bad", 2)], ["a", "b"])
    >>> oracle_seeds(table, ["+", "-"], most=1, clear=1.2)
    {'+': ['good'], '-': ['bad']}
    """
    table = data if isinstance(data, Cooccurrence) else data.between(data.target, type)
    if table is None:
        raise DataError(f"the members have no table of '{type}'.", owner="oracle_seeds")
    known = Partition.of(truth)
    if len(known) != len(table.rows):
        raise DataError(
            f"there are {len(known)} classes for {len(table.rows)} members.", owner="oracle_seeds"
        )
    if most < 1 or not clear >= 1:
        raise ParameterError(
            f"most and clear must be from 1, and were {most} and {clear}.", owner="oracle_seeds"
        )
    inside = np.flatnonzero(known.labels >= 0)
    of = sp.csr_array(
        (np.ones(len(inside)), (known.labels[inside], inside)), shape=(known.n_groups, len(known))
    )
    counts = (of @ table.counts).toarray()
    often = counts.sum(axis=0)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    own = shares.argmax(axis=0)
    mean = shares.mean(axis=0)
    words = None if lexicon is None else set(lexicon)
    allowed = np.array([words is None or name in words for name in table.cols], dtype=bool)
    allowed &= (often > 0) & (shares.max(axis=0) >= clear * mean)
    found = {}
    for at, name in enumerate(known.names):
        mine = np.flatnonzero(allowed & (own == at))
        found[name] = [table.cols[j] for j in mine[np.argsort(-often[mine], kind="stable")][:most]]
    return found


def run_oracle(
    data: Any,
    truth: Any,
    lexicon: Collection[str] | Mapping[str, Collection[str] | None] | None = None,
    types: Sequence[str] = ("words",),
    *,
    most: int = 25,
    clear: float = 1.0,
    settings: SessionSettings | None = None,
    random_state: Any = 0,
) -> Session:
    """A whole session with seeds of an oracle and no edits: everything that is proposed is accepted, up to the end.

    All `types` get seeds; `lexicon` is one for all of them, or a mapping of type to lexicon.
    """
    session = Session(data, random_state=random_state, settings=settings)
    names = Partition.of(truth).names
    session.choose_groups(len(names), names).choose_types(*types)
    seeds = {}
    for kind in session.state.feature_types:
        words = lexicon.get(kind) if isinstance(lexicon, Mapping) else lexicon
        seeds[kind] = oracle_seeds(session.desk.table(kind), truth, words, most, clear)
    session.seed(seeds).run()
    while session.status != DONE:
        session.accept().run()
    return session


def simulated_classification(session: Session, types: Sequence[str] | None = None) -> np.ndarray:
    """Groups of all members by a linear SVM that was trained on the groups of the first iteration of a session.

    Rows are tf-idf of all features of the types (those of the session when left out).
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    first = np.array([session.state.first.get(one, -1) for one in session.desk.ids], dtype=np.int64)
    known = np.flatnonzero(first >= 0)
    if len(np.unique(first[known])) < 2:
        raise DataError(
            "A classifier needs members of two groups, and the first iteration has fewer."
        )
    tables = [
        session.desk.table(kind)
        for kind in (session.state.feature_types if types is None else types)
    ]
    rows = sp.csr_array(sp.hstack([table.counts for table in tables], format="csr"))
    rows.indices = rows.indices.astype(np.int32)
    rows.indptr = rows.indptr.astype(np.int32)
    with steady():
        weighed = TfidfTransformer(sublinear_tf=True).fit_transform(rows)
        model = LinearSVC(random_state=session.desk.rng_seed % 2**31).fit(
            weighed[known], first[known]
        )
        return np.asarray(model.predict(weighed), dtype=np.int64)
