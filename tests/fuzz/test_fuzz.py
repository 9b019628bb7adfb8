"""Any input gives one of our sentences or a finite result: every method of the catalog against hypothesis.

Within `make test` each method meets a few examples; `make fuzz` (COTERIE_FUZZ=nightly) gives each many more.
COTERIE_FUZZ_SEED=7 draws others.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, note, reject, seed, settings
from hypothesis import strategies as st

from coterie import Affinity, Hints, Partition
from coterie.catalog import ENTRIES
from coterie.catalog.entries import Entry
from coterie.compare import SIC, OneVersusAll
from coterie.compare.sic.scores import Randomized, Weighted
from coterie.core.errors import MissingExtra
from coterie.core.partition import Ranking, Segmentation
from coterie.core.views import Views
from coterie.core.workplace import using
from coterie.organize import Categories
from tests.fuzz import judging, parameters, rows, strategies

NIGHTLY = os.environ.get("COTERIE_FUZZ") == "nightly"
# What is odd of an example, and how many there are of it: mostly one thing at a time, so that refusals do not hide what lies
# behind them.
PLANS = {
    "usual": 10,
    "odd data": 8,
    "odd settings": 5,
    "odd hints": 2,
    "odd labels": 2,
    "both": 2,
    "wrong": 3,
}
TIMES = 16 if NIGHTLY else 1
EACH = sum(PLANS.values()) * TIMES
# What is learned where NaN says that there is nothing: pairs that were not compared, members that no model could validate.
NAN_MEANS_NOTHING = frozenset({"OneVersusAll.rows_", "Categorize.validation_scores_"})
LEAST = 10_000 if NIGHTLY else 1_000
SEED = int(os.environ.get("COTERIE_FUZZ_SEED", "0"))
FITTED = 0.2  # share of the examples that must come to a result, so that refusals alone pass nobody


@dataclass(frozen=True, repr=False)
class Case:
    """One method, its parameters, what it is fitted on and what comes later."""

    told: dict[str, Any]
    first: rows.Given
    later: rows.Given | None
    labels: Any
    hints: Any

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.told.items())
        return f"({said}) on {self.first!r}, then {self.later!r}, labels {self.labels!r}, hints {self.hints!r}"


@st.composite
def cases(draw: Any, owner: type[Any], plan: str) -> Case:
    """A method with some parameters, data of some kind, and new members."""
    kind = "wrong" if plan == "wrong" else "odd" if plan in ("odd data", "both") else "usual"
    first = draw(strategies.inputs(owner, kind))
    told = draw(parameters.settings_of(owner, odd=plan in ("odd settings", "both")))
    labels = (
        draw(strategies.labels(first.rows, odd=plan == "odd labels"))
        if owner.gives is Categories
        else None
    )
    guided = getattr(owner, "guided", False) and (
        plan == "odd hints" or draw(st.integers(0, 5)) == 5
    )
    hints = draw(hinted(first.rows, odd=plan == "odd hints")) if guided else None
    return Case(told, first, draw(strategies.later(owner, first)), labels, hints)


@st.composite
def hinted(draw: Any, n: int, odd: bool) -> Any:
    """What is said of some members: as it should be, of others, or no hints at all."""
    if odd and draw(st.booleans()):
        return draw(st.sampled_from((3, "nonsense", Hints.of(n + 2, {0: "a"}))))
    known = draw(
        st.dictionaries(st.integers(0, max(n - 1, 0)), st.sampled_from(("a", "b")), max_size=3)
    )
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0))), max_size=2
        )
    )
    try:
        return Hints.of(n, known, together=pairs, apart=draw(st.sampled_from(([], pairs))))
    except judging.REFUSALS:
        return None


def made(given: rows.Given) -> Any:
    """The data; what cannot be made outside of the house is no example."""
    try:
        with warnings.catch_warnings():  # of the forms themselves
            warnings.simplefilter("ignore")
            return given.make()
    except judging.REFUSALS:
        raise
    except Exception as error:
        if judging.ours(error):
            raise
        raise judging.Elsewhere from error


def fitted(method: Any, case: Case, data: Any) -> Any:
    if case.hints is not None:
        return method.fit(data, hints=case.hints)
    if method.get_params(deep=False).get("unlabeled_weight"):
        return method.fit(
            data, case.labels, unlabeled=data, owners=np.arange(_count(method, data)) // 2
        )
    return (
        method.fit(data, case.labels)
        if method.__sklearn_tags__().target_tags.required
        else method.fit(data)
    )


def arguments(data: Any, case: Case) -> list[Any]:
    """All that was given to a method, as it stands now."""
    return [judging.seen(one) for one in (data, case.told, case.labels, case.hints)]


def judge(entry: Entry, case: Case) -> str:
    """One example: 'refused', 'absent' (an extra is not installed) or 'fitted'."""
    method = entry.load()(**case.told)
    try:
        data = made(case.first)
        kept = arguments(data, case)
        try:
            with judging.quiet():
                assert fitted(method, case, data) is method, (
                    "fit gives something else than the method"
                )
                after_fit(method, data)
        finally:
            assert arguments(data, case) == kept, "fit changed an argument"
    except MissingExtra as error:
        return "absent" if judging.told(error) else ""
    except judging.REFUSALS as error:
        return "refused" if judging.told(error) else ""
    try:
        new = data if case.later is None else made(case.later)
        kept = judging.seen(new), arguments(data, case)
        try:
            with judging.quiet():
                after_new(method, new)
        finally:
            assert (judging.seen(new), arguments(data, case)) == kept, (
                "an argument was changed later"
            )
    except judging.REFUSALS as error:
        judging.told(error)
    return "fitted"


def after_fit(method: Any, data: Any) -> None:
    """What fit learned is whole and finite."""
    n = _count(method, data)
    judging.no_nan(method, but=NAN_MEANS_NOTHING)
    if method.gives is Affinity:
        judging.right_affinity(
            method.affinity_, (n, n), "the affinity", square=True, unmet=_unmet(method)
        )
    elif method.gives is Partition:
        judging.right_partition(method.partition_, n, "the groups")
    elif method.gives is Segmentation:
        judging.right_cuts(method.segmentations_, method.members_.lengths, "the cut")
        judging.right_partition(method.partition_, len(method.owners_), "the sources")
    elif method.gives is Ranking:
        judging.right_ranking(method.ranking_, n, "the ranking")
    elif method.gives is Categories:
        assert len(method.classes_) == len(method.thresholds_)
        judging.finite(method.thresholds_, "the thresholds")


def _unmet(method: Any) -> np.ndarray | None:
    """Pairs that were never compared, which alone may be NaN (docs/design.md, point 28)."""
    if isinstance(method, SIC):
        tested = method.codes_.tested[_used(method)].astype(int)
        return ~(tested.T @ tested).astype(bool)
    if isinstance(method, OneVersusAll):
        rows = np.full(method.affinity_.shape, np.nan)
        rows[method.references_] = method.rows_
        return np.isnan(rows) & np.isnan(rows.T)
    return None


def _used(method: SIC) -> np.ndarray:
    """The iterations that a score reads: weighted ones leave out those that put everyone together, or no two members."""
    rates = method.codes_.rates()
    return (
        (rates > 0) & (rates < 1)
        if isinstance(method.score_, (Weighted, Randomized))
        else np.ones(len(rates), dtype=bool)
    )


def after_new(method: Any, new: Any) -> None:
    """What a fitted method says of new members is whole and finite."""
    given: dict[type, Callable[[Any, Any], None]] = {
        Affinity: _compared,
        Partition: _placed,
        Segmentation: _cut,
        Ranking: _ranked,
        Categories: _labeled,
    }
    given.get(method.gives, _represented)(method, new)


def _count(method: Any, new: Any) -> int:
    if isinstance(new, Affinity):
        return len(new)
    return len(
        Views.of(new)
        if method.takes is Views
        else method._as_taken([new] if _one(method, new) else new)
    )


def _one(method: Any, data: Any) -> bool:
    """Whether this is one long sequence, which only a segmentation takes as it is."""
    return (
        method.gives is Segmentation
        and isinstance(data, np.ndarray)
        and data.ndim <= 2
        and data.dtype != object
    )


def _represented(method: Any, new: Any) -> None:
    found = method.transform(new)
    judging.right_table(found, _count(method, new), "what transform gives")
    judging.right_table(method.represent(new), _count(method, new), "what represent gives")


def _compared(method: Any, new: Any) -> None:
    shape = _count(method, new), method.affinity_.shape[1]
    never = None
    if isinstance(method, SIC):
        never = ~method.codes_.tested[_used(method)].any(axis=0)[None]
    if isinstance(method, OneVersusAll):
        never = ~np.isin(np.arange(shape[1]), method.references_)[None]
    judging.right_affinity(
        method.compare(new), shape, "what compare gives", square=False, unmet=never
    )


def _placed(method: Any, new: Any) -> None:
    judging.right_labels(
        method.predict(new), _count(method, new), method.partition_.n_groups, "what predict gives"
    )


def _cut(method: Any, new: Any) -> None:
    found = method.predict(new)
    lengths = method._as_taken([new] if _one(method, new) else new).lengths
    judging.right_cuts(found, lengths, "what predict gives")


def _ranked(method: Any, new: Any) -> None:
    if hasattr(method, "transform"):
        judging.right_table(method.transform(new), _count(method, new), "what transform gives")
    else:
        judging.right_labels(method.predict(new), _count(method, new), None, "what predict gives")


def _labeled(method: Any, new: Any) -> None:
    n = _count(method, new)
    assert len(method.predict(new)) == n
    scores = np.asarray(method.scores(new))
    assert scores.shape == (n, len(method.classes_))
    assert not np.isnan(scores).any(), "a score is NaN"


def meet(entry: Entry, plan: str, examples: int) -> Counter[str]:
    """So many examples of one plan; how many came to a result, were refused, or need an extra."""
    count: Counter[str] = Counter()

    @seed(crc32(f"{entry.name} {plan}".encode()) + SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink) if NIGHTLY else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(cases(entry.load(), plan))
    def example(case: Case) -> None:
        try:
            with judging.limited(judging.LIMIT, f"{entry.name}{case!r}"), using(n_jobs=1):
                count[judge(entry, case)] += 1
        except judging.Elsewhere:
            reject()
        except judging.TooLong as late:
            raise AssertionError(str(late)) from None
        except BaseException:
            note(f"{entry.name}{case!r}")
            raise

    example()
    return count


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_any_input_gives_a_sentence_or_a_finite_result(entry: Entry) -> None:
    counts = {plan: meet(entry, plan, part * TIMES) for plan, part in PLANS.items()}
    count = sum(counts.values(), Counter())
    total = sum(count.values())
    print(f"{total} examples: {dict(count)}")  # pytest -rP shows it
    assert total >= EACH, f"only {total} examples of {EACH} were run"
    if count["absent"] < total / 4:  # else the extra that this method stands on is not installed
        assert count["fitted"] >= FITTED * total, (
            f"only {count['fitted']} of {total} examples came to a result"
        )
    assert count["refused"], "not one example was refused"


def test_the_examples_of_all_methods_are_enough() -> None:
    """Each test above fails unless its method met all its examples, so that their sum is what was run."""
    assert EACH * len(ENTRIES) >= LEAST
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)
