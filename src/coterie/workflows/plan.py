"""Which walk for which kind of data: the steps, how many neighbors, the nulls, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.compare.vectors import Chord, Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.parts import term_weights as weighting
from coterie.parts.pairwise import distance, submatrix
from coterie.represent.lsa import LSA
from coterie.represent.scaling import Scaling
from coterie.represent.shapes import Shapes
from coterie.represent.terms import Terms
from coterie.workflows import nulls
from coterie.workflows.choices import Choices, method
from coterie.workflows.telling import is_sound

LSA_DIMENSIONS = 50
_COMMON = 0.5  # words in more than this share of the documents say nothing
_RARE = 2
_BESIDE = {
    "SpherePacking": "MMD",
    "HMMMixture": "Likelihood",
}  # organizers of members, and comparers that see them alike


@dataclass(frozen=True, eq=False)
class Plan:
    """The steps before the neighborhood, and how the question of structure is asked on this kind of data."""

    represent: list[Any]
    comparer: Any
    neighbors_of: Callable[[int], int] = field(
        repr=False
    )  # number of members -> neighbors of each in the graph
    scale: int  # whose distance is a member's own width
    sentences: list[str]
    form: Callable[[np.ndarray], Any] = field(
        repr=False
    )  # positions of members -> what `compare` and the nulls take
    compare: Callable[[Any], Affinity] = field(repr=False)
    families: Callable[[Any], Mapping[str, nulls.Draw]] = field(repr=False)
    most: int = 2000  # members the evidence is read off
    adopt: Callable[[Any], None] = field(
        default=lambda fitted: None, repr=False
    )  # what the fitted comparer found out, for nulls
    shared: Any = field(
        default=None, repr=False
    )  # of several views at once: what they share (walks.views)


def plan_for(collection: Collection, view: str, choices: Choices) -> Plan:
    """The default walk for this view (or for several at once), with the person's own comparer where one is named."""
    if choices.views:
        from coterie.workflows.views import together

        return together(collection, choices)
    data = collection.view(view)
    named = choices.compare or (
        _BESIDE.get(_name_of(choices), "") if isinstance(data, Ragged) else ""
    )
    comparer = method(named, "compare", random_state=choices.seed) if named else None
    if isinstance(data, Text):
        return _text(data, comparer)
    if isinstance(data, Table):
        if comparer is not None and comparer.takes is Ragged:
            raise DataError(
                f"{type(comparer).__name__} compares sequences, and '{collection.name}' was read as a table; if its rows are "
                "steps of several sequences, say --kind long --id COLUMN --time COLUMN."
            )
        return _table(data, comparer)
    if isinstance(data, Pictures):
        return _pictures(data, comparer)
    from coterie.workflows import learned  # the methods behind it take a moment to import

    whole = comparer is not None and type(data) in (comparer.takes, *comparer.also)
    if isinstance(data, TaggedText):
        if comparer is not None and not whole:
            raise DataError(
                f"{type(comparer).__name__} does not compare mentions in tagged text; SIC does."
            )
        return learned.tagged(data, comparer, choices.seed)
    if is_sound(data) and (comparer is None or whole):
        from coterie.workflows import music

        return (
            music.pieces(data, comparer)
            if music.is_music(data, comparer)
            else learned.sound(data, comparer, choices.seed)
        )
    if comparer is None and learned.are_whole_sets(data):
        return learned.sets(data, choices.seed)
    return learned.as_it_is(data, comparer) if whole else _ragged(data, comparer)


def _name_of(choices: Choices) -> str:
    return type(method(choices.organize, "organize")).__name__ if choices.organize else ""


def _text(data: Text, comparer: Any) -> Plan:
    comparer = comparer or Chord()
    terms = (
        Terms(sublinear=True, max_df=_COMMON, min_df=_RARE)
        if len(data) > 3
        else Terms(sublinear=True, min_df=1)
    )
    lsa = LSA(n_components=LSA_DIMENSIONS, normalize=True)
    counts = Terms(min_df=1, weights="tf").fit(data).counts(data)
    if not len(_speaking(counts)):
        apart = "each is in one of them alone, or in more than half of them"
        raise DataError(f"No word tells these {len(data):,} texts apart: {apart}.")

    def compare(part: Any) -> Affinity:
        rows = LSA(n_components=LSA_DIMENSIONS, normalize=True).fit_transform(_weighted(part))
        return distances(comparer, rows)

    return Plan(
        represent=[terms, lsa],
        comparer=comparer,
        neighbors_of=lambda n: min(40, max(10, n // 50)),
        scale=7,
        sentences=[
            "Words (runs of letters, no function words, in at least two and at most half of the documents) weigh by tf-idf.",
            f"Latent semantic analysis keeps {LSA_DIMENSIONS} directions; rows are brought to length one.",
            compared(comparer),
        ],
        form=lambda chosen: counts[chosen],
        compare=compare,
        families=nulls.of_counts,
    )


def _pictures(data: Pictures, comparer: Any) -> Plan:
    """Pictures by the colours of their pixels, brought to a few directions."""
    from coterie.represent.colours import Colours

    if comparer is not None and comparer.takes is not Table:
        raise DataError(
            f"{type(comparer).__name__} does not compare pictures; take one of tables, such as Cosine or ChiSquare."
        )
    counts = Colours().fit(data).represent(data)

    def form(chosen: np.ndarray) -> Any:
        return LSA(n_components=LSA_DIMENSIONS, normalize=True).fit_transform(counts.take(chosen))

    return Plan(
        represent=[Colours(), LSA(n_components=LSA_DIMENSIONS, normalize=True)],
        comparer=comparer or Chord(),
        neighbors_of=_ten,
        scale=3,
        sentences=[
            "Pictures are counts of their pixels in 216 colours; rows are brought to length one.",
            f"The counts are reduced to {LSA_DIMENSIONS} directions.",
            compared(comparer or Chord()),
        ],
        form=form,
        compare=lambda part: distances(comparer or Chord(), part),
        families=_table_families,
    )


def _weighted(counts: Any) -> Any:
    """The weighting of the walk on bare counts: the null is filtered and weighted as the collection is."""
    kept = _speaking(counts)
    kept = (
        kept if len(kept) else np.arange(counts.shape[1])
    )  # words of two halves, dealt out anew, are in more than half
    rows = counts[:, kept]
    factor = weighting.inverse_frequency(
        np.bincount(counts.indices, minlength=counts.shape[1])[kept], counts.shape[0]
    )
    return weighting.unit_length(weighting.by_column(weighting.dampened(rows), factor))


def _speaking(counts: Any) -> np.ndarray:
    """The words that are neither in one document alone nor in most of them."""
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.flatnonzero(
        (frequency >= _RARE) & (frequency <= max(_COMMON * counts.shape[0], _RARE))
    )


def _table(data: Table, comparer: Any) -> Plan:
    mixed = bool(data.categories) or (not data.sparse and bool(np.isnan(data.values).any()))
    raw = (
        comparer is not None and (comparer.categories or not mixed) and (comparer.gaps or not mixed)
    )
    reduce = [LSA(n_components=LSA_DIMENSIONS)] if data.sparse else []
    represent: list[Any] = [] if raw else reduce or [Scaling()]
    scaled = Scaling().fit(data) if not data.sparse and not raw else None

    def form(chosen: np.ndarray) -> Any:
        part = data.take(chosen)
        if mixed or raw:
            return part
        return (
            LSA(n_components=LSA_DIMENSIONS).fit_transform(part)
            if scaled is None
            else scaled.transform(part)
        )

    def compare(part: Any) -> Affinity:
        return distances(
            comparer, part if raw or not isinstance(part, Table) else Scaling().fit_transform(part)
        )

    said = "Rows are compared as they are." if raw else _scaling_said(scaled, data)
    return Plan(
        represent,
        comparer or Euclidean(),
        _ten,
        3,
        [said, compared(comparer)],
        form,
        compare,
        _table_families,
    )


def _ten(n: int) -> int:
    return 10


def _table_families(part: Any) -> Mapping[str, nulls.Draw]:
    if isinstance(part, Table):
        return nulls.of_columns(part)
    return nulls.of_points(np.asarray(part))


def _scaling_said(scaled: Scaling | None, data: Table) -> str:
    if scaled is None:
        return f"The sparse columns are reduced to {LSA_DIMENSIONS} directions."
    how = (
        "standardized, since their spreads differ much"
        if scaled.method_ == "standard"
        else "centered and keep their units, since their spreads are alike"
    )
    said = f"Numeric columns are {how}" if len(data.numeric) else "There are no numeric columns"
    if data.categories:
        said += "; each category becomes a column of its own"
    if float(np.max(scaled.gaps_)) > 0:
        said += "; gaps take the median of their column"
    return said + "."


def _ragged(data: Ragged, comparer: Any) -> Plan:
    def compare(part: Ragged) -> Affinity:
        return distances(comparer, Shapes().fit_transform(part))

    what = "the mean, covariance and fourth moment of their vectors"
    if data.ordered:
        what = "their course at 20 moments, and the mean, covariance, autocovariances and fourth moment of their steps"
    return Plan(
        represent=[Shapes()],
        comparer=comparer or Euclidean(),
        neighbors_of=_ten,
        scale=3,
        sentences=[f"Members are described by {what}.", compared(comparer)],
        form=data.take,
        compare=compare,
        families=_ragged_families,
    )


def _ragged_families(part: Ragged) -> Mapping[str, nulls.Draw]:
    if part.ordered:
        return nulls.of_sequences(part, Shapes().points)
    return {"vectors dealt anew": nulls.dealt(part)}


def distances(comparer: Any, rows: Any) -> Affinity:
    """Distances between rows by a comparer like this one."""
    from sklearn.base import clone

    return apart(
        (clone(comparer) if comparer is not None else Euclidean()).fit(rows).affinity_,
        type(comparer).__name__,
    )


def apart(affinity: Affinity, name: str) -> Affinity:
    """Distances from what a comparer gave; similarities above one have none, and that is said."""
    if affinity.kind == "similarity":
        some = np.linspace(0, affinity.shape[0] - 1, min(affinity.shape[0], 200)).astype(np.int64)
        most = float(np.nanmax(submatrix(affinity, some, some), initial=0.0))
        if most > 1 + 1e-6:
            raise DataError(
                f"{name} gives similarities above one here ({most:.3g}), which say no distance; take one that "
                "stays below (Cosine, Gaussian, SIC with scoring='binary' or 'posterior') or a distance."
            )
    return distance(affinity)


def compared(comparer: Any) -> str:
    """How members are compared, in one sentence."""
    if hasattr(comparer, "explain"):
        from coterie.workflows.learned import said_of

        return said_of(comparer)
    return f"Members are compared by {type(comparer or Euclidean()).__name__}."
