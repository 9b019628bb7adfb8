"""Groups of members by what they are tied to: the links of a collection, the organizer of mail, parts of large collections."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.collect.captions import caption_words
from coterie.collect.mail import STOP
from coterie.collect.words import FUNCTION_WORDS, count_words, link_words
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Step
from coterie.core.hints import Hints
from coterie.core.links import COLUMNS, MEMBERS, Cooccurrence, Links, linked
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.messages.notes import note_unused_links
from coterie.pipeline import Pipeline, by_links
from coterie.workflows.choices import Choices, method

WORDS = "words"
PEOPLE = "correspondents"
CAPTIONS = "caption words"
COLOURS = "colours"
WHOLE = 8000  # members that are clustered together; the others of a larger collection are placed
_AGAIN = 2000  # members on which groups are found again
_RUNS = 3000  # members up to which four runs are brought to one result; two runs above that
_LEAST = 10  # ties of a population that is taken into account


def is_mail(collection: Collection, view: str) -> bool:
    """Whether these are messages with words and correspondents, which are grouped by both at once."""
    people = collection.links.get((MEMBERS, PEOPLE))
    return collection.modality(view) == "text" and people is not None and _enough(people)


def is_captioned(collection: Collection, view: str) -> bool:
    """Whether these are pictures seen by their captions, which are grouped by caption words and colours at once."""
    said = collection.links.get((MEMBERS, CAPTIONS))
    seen = _has_pictures(collection)
    return collection.modality(view) == "text" and seen and said is not None and _enough(said)


def _has_pictures(collection: Collection) -> bool:
    return any(collection.modality(name) == "pictures" for name in collection.views)


def told_ties(collection: Collection) -> list[str]:
    """What members are tied to besides plain words, and often enough to be grouped by: citations, people, tags."""
    tied = {pair[1]: table for pair, table in collection.links.items() if pair[0] == MEMBERS}
    return [name for name, table in tied.items() if not name.endswith(WORDS) and _enough(table)]


def is_tied(collection: Collection, view: str) -> bool:
    """Whether members are grouped by what they are tied to unless a person says otherwise."""
    if is_mail(collection, view) or is_captioned(collection, view):
        return True
    known = collection.modality(view) == "text" or (MEMBERS, view) in collection.links
    return known and bool(told_ties(collection))


def unused_ties(collection: Collection, view: str, choices: Choices) -> list[str]:
    """A note on links that were read and do not count, where a person did not choose that."""
    names = told_ties(collection)
    if choices.organize or choices.compare or not names or collection.modality(view) != "table":
        return []
    return [note_unused_links(names)]


def _enough(table: Cooccurrence) -> bool:
    """Whether a table says something of the members, also of a random part of them."""
    return len(table.cols) > 1 and bool(table.counts.nnz >= max(_LEAST, len(table.rows) // 20))


def tied_organizer(n_groups: int, links: Links, seed: int) -> Any:
    """The organizer of members by what they are tied to: ComrafStar of pictures with captions, else MDC.

    Caption words and colours weigh alike, since pixels are many and words few. Tables of mail weigh as in `mail_organizer`, and
    others by their share of the counts, so that a population that tells nothing does no harm.
    """
    if PEOPLE in links.populations or COLOURS not in links.populations:
        found = mail_organizer(n_groups, links, seed)
        return found if PEOPLE in links.populations else found.set_params(weights="mass")
    from coterie.organize.comraf.star import ComrafStar

    graph = [pair for pair, table in links.tables.items() if MEMBERS in pair and _enough(table)]
    tries = 10 if len(links) <= _RUNS else 4
    return ComrafStar(
        n_groups=n_groups, graph=graph, weights="one", restarts=tries, random_state=seed
    )


def mail_organizer(n_groups: int, links: Links, seed: int) -> Any:
    """The organizer of mail: Comraf by its ready-made schedule, with fewer runs where there are many messages.

    A table weighs the square root of its counts over those of the main one: with weight one the few names of people would
    outweigh all words, and with as little as their share of the counts they would not be heard.
    """
    from coterie.organize.comraf.estimator import MDC

    n = len(links)
    graph = [pair for pair, table in links.tables.items() if _enough(table)]
    runs = 4 if n <= _RUNS else 2
    some = WHOLE if n > WHOLE else None
    return MDC(
        n_groups=n_groups,
        graph=graph,
        weights="root",
        runs=runs,
        restarts=2,
        sample=some,
        random_state=seed,
    )


def wanted_links(
    collection: Collection, view: str, choices: Choices, hinted: bool = False
) -> Links | None:
    """What members are tied to, where that is what they are grouped by: by a named organizer, or by default.

    Texts of which a person knows something are grouped by their words, since labels teach the words too.
    """
    if choices.organize:
        named = method(choices.organize, "organize", n_groups=min(choices.k or 2, len(collection)))
        if not by_links(named):
            return None
        links = links_of(collection, view, type(named).__name__)
        _check_graph(named, links)
        return links
    tied = is_tied(collection, view) or (hinted and collection.modality(view) == "text")
    return links_of(collection, view, "Comraf") if choices.compare is None and tied else None


def _check_graph(organizer: Any, links: Links) -> None:
    """Refuse a graph, weights or numbers of groups that do not fit these links before anything is computed."""
    if hasattr(organizer, "net_for"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            organizer.net_for(links)


def links_of(collection: Collection, view: str, owner: str, *, new: bool = False) -> Links:
    """What members are tied to: the links of the collection, the words of a text, the colours of pictures, a table of counts.

    Of new members every word is counted; those the run knows are found by name.
    """
    seen: Any = collection.views.get(view)
    modality = collection.modality(view)
    if new and modality == "text" and (MEMBERS, CAPTIONS) in collection.links:
        every = caption_words(seen, list(collection.ids), 1)
        collection = replace(collection, links={**collection.links, (MEMBERS, CAPTIONS): every})
    if new and modality == "text" and (MEMBERS, WORDS) in collection.links:
        collection = replace(
            collection, links={**collection.links, (MEMBERS, WORDS): _every_word(collection, seen)}
        )
    if modality == "text" and not any(
        name.endswith(WORDS) for pair in collection.links for name in pair
    ):
        least = 2 if len(collection) >= 10 and not new else 1
        try:
            collection = link_words(collection, view, WORDS, least, FUNCTION_WORDS)
        except DataError:
            if not collection.links and not new:
                raise
    shown = next(
        (name for name in collection.views if collection.modality(name) == "pictures"), None
    )
    if (
        shown is not None
        and modality in ("pictures", "text")
        and (MEMBERS, COLOURS) not in collection.links
    ):
        from coterie.workflows.picture_links import picture_links

        collection = picture_links(
            collection, (COLOURS,), view=view if modality == "pictures" else shown
        )
    if collection.links:
        return linked(collection.ids, collection.links)
    if modality == "table":
        return linked(collection.ids, {(MEMBERS, COLUMNS): _counts(seen, collection, owner)})
    if modality == "text":
        return _nothing(collection)
    raise DataError(
        f"{owner} groups members by counts of what they are tied to (words, people, tags), and '{collection.name}' has no "
        f"links; its members are {collection.kind}."
    )


def _every_word(collection: Collection, text: Text) -> Cooccurrence:
    """All words, also those of one member only; of mail those below the subject, counted as where messages are read."""
    subjects = collection.cards.get("subject") if "sender" in collection.cards else None
    if subjects is None:
        return count_words(text, list(collection.ids), 1, FUNCTION_WORDS)
    bodies = (_body(document, str(line)) for document, line in zip(text, subjects, strict=True))
    return count_words(bodies, list(collection.ids), 1, STOP, clean=True)


def _body(document: str, subject: str) -> str:
    """A message without the subject above it, also where the two are not spelled alike."""
    if not subject or document.startswith(subject):
        return document.removeprefix(subject).lstrip("\n")
    return document.partition("\n\n")[2]


def with_view(collection: Collection, like: Collection | None = None) -> Collection:
    """A collection that has links only, with a view of the largest of them: the square roots of each member's shares.

    Distances of such rows are those of Hellinger. `like` names the view and its columns, for members that come later.
    """
    tied = {
        pair[1]: table
        for pair, table in collection.links.items()
        if pair[0] == MEMBERS and table.counts.nnz
    }
    if collection.views or not tied:
        return collection
    from coterie.core.links import on_columns

    known = [name for name in (like.views if like is not None else ()) if name in tied]
    name = known[0] if known else max(tied, key=lambda one: tied[one].total)
    table = linked(collection.ids, {(MEMBERS, name): tied[name]}).tables[MEMBERS, name]
    names: Sequence[str] = table.cols
    counts = table.counts
    if like is not None and known:
        wanted = like.view(name)
        names = getattr(wanted, "names", names)
        counts = on_columns(table, names, len(table.rows))
    shares = counts.multiply(1.0 / np.maximum(counts.sum(axis=1), 1e-300)[:, None]).tocsr()
    return replace(collection, views={name: Table(np.sqrt(shares), tuple(names))})


def _nothing(collection: Collection) -> Links:
    """Links of new members in which not one word is found."""
    import scipy.sparse as sp

    return linked(
        collection.ids,
        {
            (MEMBERS, WORDS): Cooccurrence(
                sp.csr_array((len(collection), 0)), list(collection.ids), []
            )
        },
    )


def _counts(table: Table, collection: Collection, owner: str) -> Cooccurrence:
    """A table of whole numbers from zero as links to its columns; anything else is named."""
    import scipy.sparse as sp

    needs = f"{owner} needs counts (whole numbers from 0), and '{collection.name}'"
    hint = "take another organizer, such as Spectral, or give links"
    if table.categories:
        raise DataError(
            f"{needs} has words in the column '{table.names[int(table.categorical[0])]}'; {hint}."
        )
    values = sp.coo_array(table.values)
    wrong = ~np.isfinite(values.data) | (values.data < 0) | (values.data != np.rint(values.data))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        row = collection.ids[int(values.coords[0][at])]
        col = table.names[int(values.coords[1][at])]
        raise DataError(
            f"{needs} has {values.data[at]:g} in the column '{col}' of '{row}'; {hint}."
        )
    return Cooccurrence(sp.csr_array(values), list(collection.ids), list(table.names))


def placed(organizer: Any, links: Links) -> np.ndarray:
    """The group of each member by the fitted organizer (or a pipeline that ends in it); -1 where nothing of it is known."""
    last = organizer.steps_[-1] if isinstance(organizer, Pipeline) else organizer
    known = {name: set(ids) for name, ids in _populations(last).items()}
    shared = any(
        known.get(name, set()) & set(ids) for name, ids in links.ids.items() if name != links.target
    )
    if known and not shared:
        return np.full(len(links), -1, dtype=np.int64)
    return np.asarray(organizer.predict(links), dtype=np.int64).copy()


def _populations(organizer: Any) -> dict[str, list[str]]:
    """Names and ids of the populations it was fitted on, where it says so."""
    net = getattr(organizer, "net_", None)
    if net is not None:
        return {node.name: list(node.ids) for at, node in enumerate(net.nodes) if at != net.target}
    found = dict[str, list[str]]()
    for name, column in getattr(organizer, "columns_", ()):
        found.setdefault(name, []).append(column)
    return found


def used(organizer: Any, links: Links) -> Links:
    """The links without the tables of populations that the organizer was not fitted on."""
    known = {links.target, *_populations(organizer)}
    tables = {pair: table for pair, table in links.tables.items() if known.issuperset(pair)}
    return Links(tables, links.target) if any(links.target in pair for pair in tables) else links


def again(
    organizer: Any, links: Links, seed: int, hints: Hints | None = None
) -> tuple[np.ndarray, Any]:
    """The members on which groups are found again, and how: the same organizer with a single run and as few attempts as do."""
    n = len(links)
    chosen = (
        np.arange(n) if n <= _AGAIN else np.sort(stream(seed, 9).choice(n, _AGAIN, replace=False))
    )
    quick = clone(organizer)
    known = quick.get_params()
    fewest = {
        "runs": 1,
        "restarts": min(getattr(quick, "attempts", 1), known.get("restarts", 1)),
        "random_state": seed,
    }
    quick.set_params(**{name: value for name, value in fewest.items() if name in known})

    def cluster(indices: np.ndarray) -> np.ndarray:
        part = links.take(chosen[indices])
        if not hasattr(quick, "groups_of"):
            return np.asarray(clone(quick).fit(part).labels_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on a part, which nobody asked about
            try:
                return np.asarray(
                    quick.groups_of(
                        part, seed, None if hints is None else hints.take(chosen[indices])
                    )
                )
            except DataError:  # a part may hold too little of what was said to be grouped by it
                return np.asarray(quick.groups_of(part, seed))

    return chosen, cluster


def steps_of(organizer: Any, links: Links, asked: str) -> list[Step]:
    """How the groups were made of links."""
    others = list(_populations(organizer))
    others = others or [name for name in links.populations if name != links.target]
    n = len(links)
    name = asked or ("ComrafStar" if type(organizer).__name__ == "ComrafStar" else "Comraf")
    steps = [Step("links", {"method": name, "populations": others}), *_weights(organizer)]
    some = getattr(organizer, "sample", None)
    if some and n > some:
        steps.append(Step("sample", {"sampled": some, "placed": n - some}))
    return [*steps, Step("affinity_beside")]


def _weights(organizer: Any) -> list[Step]:
    """What each table weighed, where there were several."""
    net = getattr(organizer, "net_", None)
    if net is None or len(net.edges) < 2:
        return []
    rule: Any = getattr(organizer, "weights", None)
    weights = {net.called(edge).removeprefix(MEMBERS + "-"): float(edge.beta) for edge in net.edges}
    values = {"rule": rule if isinstance(rule, str) else "", "weights": weights}
    return [Step("table_weights", values)]
