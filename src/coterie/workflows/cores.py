"""The one coherent core of a collection: which members share a topic among others that do not, by which words, and how sure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, ParameterError
from coterie.core.links import Cooccurrence, Links
from coterie.core.random import stream
from coterie.parts.workers import in_order
from coterie.workflows.describe import snippets
from coterie.workflows.key_features import key_terms
from coterie.workflows.populations import links_of

# random parts of the members on which the core is found again, and how large they are
PARTS = 10
_SHARE = 0.8
_WORDS = 12  # telling words kept
# of the core found again, beyond chance: above it is stable, below it is not
_SURE = 0.8
_UNSURE = 0.6
_BY_BACKGROUND = ("occc", "ltb", "kl")
METHODS = {
    "occc": "One-class co-clustering",
    "ltb": "The model of a topic and a background",
    "kl": "The mean score of all words",
    "min-entropy": "The frequency of all words",
    "ocsvm": "The one-class support vector machine",
    "ocib": "The one-class information ball",
}


@dataclass(frozen=True, eq=False)
class Cored:
    """The core of a collection, as plain values; members by position everywhere."""

    name: str
    ids: Sequence[str]
    snippets: Sequence[str]
    order: np.ndarray  # all members, those most of the core first
    inside: np.ndarray  # whether each member is in the core
    scores: np.ndarray  # per member, higher is more of the core
    posterior: (
        np.ndarray | None
    )  # per member the probability to be in the core, where the method has one
    again: np.ndarray  # per member the share of random parts in which it is in the core again; NaN where none was looked at
    words: tuple[tuple[str, float], ...]  # what tells the core, the most telling first
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    stands_out: bool = (
        True  # False where the size was left to the data, and these told no core from a rest
    )

    def __len__(self) -> int:
        return int(self.inside.sum())

    @property
    def members(self) -> np.ndarray:
        """Positions of the core's members, the surest first."""
        return self.order[self.inside[self.order]]

    @property
    def sure(self) -> float:
        """The mean share of random parts in which a member of the core is in it again; NaN where none was looked at."""
        return _mean_again(self.inside, self.again)

    def rows(self) -> list[dict[str, Any]]:
        """One row per member, those most of the core first: id, rank, core, score, probability, again."""
        found = []
        for rank, at in enumerate(self.order.tolist(), 1):
            row = {
                "id": self.ids[at],
                "rank": rank,
                "core": int(self.inside[at]),
                "score": _plain(self.scores[at]),
            }
            if self.posterior is not None:
                row["probability"] = _plain(self.posterior[at])
            found.append({**row, "again": _plain(self.again[at])})
        return found

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        words = [[word, float(score)] for word, score in self.words]
        said = {
            "name": self.name,
            "size": len(self),
            "sure": _plain(self.sure),
            "sentences": list(self.sentences),
        }
        said["stands_out"] = self.stands_out
        return {**said, "notes": list(self.notes), "words": words, "members": self.rows()}

    def __repr__(self) -> str:
        return f"Cored({len(self)} of {len(self.ids)} members of '{self.name}')"


def core_of(
    source: Any,
    *,
    size: float | str = "auto",
    method: str = "ltb",
    background: Any = "bundled",
    view: str | None = None,
    parts: int = PARTS,
    seed: int = 0,
) -> Cored:
    """The core of a collection, of links, of a table of counts, or of texts.

    `size` is a number of members, a share of them, or "auto". `background` says how frequent words are elsewhere: "bundled" (a
    list of general English), "uniform", a mapping of words to counts, or other members (whatever `read` takes). The core is
    found again on `parts` random parts of the members; 0 leaves that out.
    """
    from coterie.organize.core_of import Core

    collection = source if isinstance(source, (Collection, Links)) else read(source)
    links, name, snippets = _linked(collection, view)
    model = Core(method=method, size=size, background=frequencies(background), random_state=seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(links)
    inside = np.asarray(model.labels_) == 0
    again = found_again(model, links, parts, seed)
    said = (
        (*collection.notes, *_only(collection, view)) if isinstance(collection, Collection) else ()
    )
    words = told(links, inside)
    return Cored(
        name=name,
        ids=list(links.ids[links.target]),
        snippets=snippets,
        order=np.asarray(model.ranking_.order, dtype=np.int64),
        inside=inside,
        scores=np.asarray(model.scores_, dtype=np.float64),
        posterior=None
        if model.posterior_ is None
        else np.asarray(model.posterior_, dtype=np.float64),
        again=again,
        words=words,
        sentences=_sentences(name, model, inside, again, words),
        notes=_notes([*said, *map(str, model.notes_)], [str(one.message) for one in caught]),
        stands_out=model.stands_out_,
    )


def frequencies(background: Any) -> Any:
    """What `Core` takes as background: a name or a mapping as it is, and of other members the counts of all they are tied to."""
    if background is None:
        return "bundled"
    if isinstance(background, Mapping) or (
        isinstance(background, str) and background in ("bundled", "uniform")
    ):
        return background
    from coterie.organize.background import background_of

    links, _, _ = _linked(
        background if isinstance(background, (Collection, Links)) else read(background),
        None,
        every=True,
    )
    return background_of(links)


def found_again(model: Any, links: Links, parts: int, seed: int) -> np.ndarray:
    """Per member the share of the random parts with it in which it is in the core; the core has the same share of each."""
    if parts < 0:
        raise ParameterError(f"parts must be from 0, and was {parts}.", owner="core_of")
    n = len(links)
    size = max(2, round(_SHARE * n))
    k = max(1, min(round(int(model.size_) * size / n), size - 1))

    def part(at: int) -> tuple[np.ndarray, np.ndarray]:
        chosen = np.sort(stream(seed, 7, at).choice(n, size, replace=False))
        try:
            return chosen, np.asarray(model.sized(k).fit(links.take(chosen)).labels_) == 0
        except CoterieError:  # too little is left of a very small collection
            return chosen[:0], np.zeros(0, dtype=bool)

    seen = np.zeros(n)
    held = np.zeros(n)
    with (
        warnings.catch_warnings()
    ):  # here and not in `part`: filters belong to the whole process, and parts run side by side
        warnings.simplefilter("ignore")
        for chosen, inside in in_order(part, list(range(parts if n > 2 else 0)), "found again"):
            seen[chosen] += 1
            held[chosen[inside]] += 1
    return np.where(seen > 0, held / np.maximum(seen, 1), np.nan)


def told(links: Links, inside: np.ndarray) -> tuple[tuple[str, float], ...]:
    """What tells the core from the rest, of the population with the most counts, the most telling first.

    `Core.words_` is another list: what the core was found by, against the background. A word of everyone here that is rare
    elsewhere is high on that list and tells no member of the core from the others, so that a person is shown this one, which
    is also how the groups of an exploration are told.
    """
    tables = [table for other in links.populations if (table := _beside(links, other)) is not None]
    table = max(tables, key=lambda one: one.total)
    return key_terms(table.counts, table.cols, np.where(inside, 0, -1), 1, most=_WORDS)[0]


def _beside(links: Links, other: str) -> Cooccurrence | None:
    return None if other == links.target else links.between(links.target, other)


def by_background(method: str) -> bool:
    """Whether a method sets words against how frequent they are elsewhere."""
    return method in _BY_BACKGROUND


def core_first(inside: np.ndarray | Sequence[bool]) -> np.ndarray:
    """Positions with the core first and the rest after it, each in the order they had: a list of results ranked again.

    >>> core_first([False, True, False, True]).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(~np.asarray(inside, dtype=bool), kind="stable")


def _linked(
    found: Collection | Links, view: str | None, every: bool = False
) -> tuple[Links, str, list[str]]:
    """What members are tied to, what to call them, and a line on each; with `every`, words of one member count too."""
    if isinstance(found, Links):
        return found, "links", [str(member) for member in found.ids[found.target]]
    seen = view if view is not None else (found.main if found.views else "")
    if seen:
        found.view(seen)
    return links_of(found, seen, "Core", new=every), found.name, snippets(found, seen)


def _only(found: Collection, view: str | None) -> list[str]:
    """A note where the core is looked for in one of several views of the same kind that nobody chose."""
    others = [
        name
        for name, seen in found.views.items()
        if name != found.main and type(seen) is type(found.view())
    ]
    if view is not None or not others:
        return []
    return [
        f"The core is that of '{found.main}' alone; {', '.join(others)} {'does' if len(others) == 1 else 'do'} not count."
    ]


def _plain(number: float) -> float | None:
    """A number, or nothing where it is not finite."""
    return float(number) if np.isfinite(number) else None


def _sentences(
    name: str,
    model: Any,
    inside: np.ndarray,
    shares: np.ndarray,
    words: Sequence[tuple[str, float]],
) -> tuple[str, ...]:
    """What was found, how, and how sure it is."""
    by = METHODS.get(str(model.method), str(model.method))
    chosen = ", as many as the data suggest" if model.size == "auto" else ""
    size = int(inside.sum())
    n = len(inside)
    said = [f"{size} of {n} members are the core of '{name}'{chosen}."]
    if not model.stands_out_:
        said = [f"No core stands out in '{name}': {size} of {n} members were taken all the same."]
    if words:
        said.append(f"What tells them: {', '.join(word for word, _ in words[:8])}.")
    general = str(model.background_)[:1].lower() + str(model.background_)[1:].rstrip(".")
    said.append(
        f"{by} ranked the members"
        + (f", against {general}." if by_background(model.method) else ".")
    )
    sure = _mean_again(inside, shares)
    if model.stands_out_ and not np.isnan(sure):
        beyond = (sure - size / n) / (1 - size / n)
        stable = (
            "it is stable"
            if beyond >= _SURE
            else "look at it with care"
            if beyond >= _UNSURE
            else "do not rely on it"
        )
        again = f"{sure:.0%} of the core is found again, where chance would find {size / n:.0%}"
        said.append(f"On random parts of the members {again}: {stable}.")
    return tuple(said)


def verdict(record: Mapping[str, Any]) -> str:
    """Whether there is a core, from what `Cored.record` gave: by whether it stands out, and how surely it is found again."""
    size = int(record["size"])
    n = len(record["members"])
    sure = record.get("sure")
    some = f"{size:,} of {n:,} members"
    if not record.get("stands_out", True):
        return f"No core stands out: {some} come first in the ranking, and nothing says that they share one topic."
    if sure is None or size >= n:
        return f"{some} may share one topic; how surely they are found again was not looked at."
    chance = size / n
    beyond = (float(sure) - chance) / (1 - chance)
    if beyond >= _SURE:
        return f"{some} share one topic."
    if beyond >= _UNSURE:
        return f"{some} seem to share one topic; look at them with care."
    return f"No core that could be relied on: {some} come first, but on random parts of the members others do."


def _notes(said: Sequence[str], warned: Sequence[str]) -> tuple[str, ...]:
    """Every note once: what a method both notes and warns of, under its name, is one."""
    known = {f"core: {note}".casefold() for note in said}
    return tuple(dict.fromkeys([*said, *(one for one in warned if one.casefold() not in known)]))


def _mean_again(inside: np.ndarray, again: np.ndarray) -> float:
    known = again[inside & ~np.isnan(again)]
    return float(known.mean()) if len(known) else float("nan")
