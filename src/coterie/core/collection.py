"""Collection: the members, the views seen of them, the populations they are tied to, and the truth nobody fits on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from coterie.core.errors import DataError
from coterie.core.links import MEMBERS, Cooccurrence, Links, counted, linked
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text


@runtime_checkable
class View(Protocol):
    """What is seen of the members: one row, text, sequence or picture each, and how such data is analysed.

    `modality` names the workflow (`coterie.workflows.modalities`); `kind` is what a person calls the data.
    """

    @property
    def kind(self) -> str: ...

    @property
    def modality(self) -> str: ...

    def __len__(self) -> int: ...

    def take(self, indices: Any) -> Any: ...


@dataclass(frozen=True, eq=False)
class Collection:
    """Members by id; what is seen of each (views), what they are tied to (links), and truth, read by judge only.

    >>> c = Collection(ids=["a", "b"], views={"text": Text.of(["one", "two"])})
    >>> len(c), c.kind
    (2, 'text')
    """

    ids: Sequence[str]
    views: Mapping[str, View]
    links: Mapping[tuple[str, str], Cooccurrence] = field(default_factory=dict)
    truth: Mapping[str, np.ndarray] = field(default_factory=dict)
    name: str = "collection"
    notes: tuple[str, ...] = ()
    cards: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # columns only to be shown: subject, sender, file

    def __post_init__(self) -> None:
        ids = tuple(str(i) for i in self.ids)
        object.__setattr__(self, "ids", ids)
        if not ids:
            raise DataError(f"The collection '{self.name}' has no members.")
        if len(set(ids)) < len(ids):
            seen: set[str] = set()
            twice = next(i for i in ids if i in seen or seen.add(i))  # type: ignore[func-returns-value]
            raise DataError(
                f"Two members of '{self.name}' have the id '{twice}'; every id must be there once."
            )
        if not self.views and not self.links:
            raise DataError(
                f"The collection '{self.name}' has neither a view nor a link: nothing is known of its members."
            )
        if not all(isinstance(view, View) for view in self.views.values()):
            object.__setattr__(
                self, "views", {name: seen_as(view, name) for name, view in self.views.items()}
            )
        columns: Mapping[str, Sized] = {**self.cards, **self.truth, **self.views}
        for what, rows in columns.items():
            if len(rows) != len(ids):
                raise DataError(
                    f"'{what}' has {len(rows)} rows where the collection '{self.name}' has {len(ids)} members."
                )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def main(self) -> str:
        """The name of the first view: the one a walk takes when none is named."""
        if not self.views:
            raise DataError(
                f"The collection '{self.name}' has links only; name a method that works on links."
            )
        return next(iter(self.views))

    def view(self, name: str | None = None) -> View:
        """A view by name; the first one when no name is given."""
        wanted = self.main if name is None else name
        if wanted not in self.views:
            raise DataError(
                f"The collection '{self.name}' has no view '{wanted}'; it has {', '.join(self.views) or 'none'}."
            )
        return self.views[wanted]

    def of_modality(self, modality: str) -> dict[str, Any]:
        """The views of one modality, by name."""
        return {name: view for name, view in self.views.items() if view.modality == modality}

    def modality(self, view: str) -> str:
        """The modality of a view; empty where there is none of that name."""
        found = self.views.get(view)
        return "" if found is None else found.modality

    @property
    def kind(self) -> str:
        """What the main view is: text, tagged, table, sequences, sets, pictures, or links."""
        return self.view().kind if self.views else "links"

    def take(self, indices: Sequence[int] | np.ndarray) -> Collection:
        """The members at these positions, in this order, with everything that is known of them."""
        chosen = np.asarray(indices, dtype=np.int64)
        kept = set(self.ids)
        return replace(
            self,
            ids=tuple(self.ids[i] for i in chosen),
            views={name: view.take(chosen) for name, view in self.views.items()},
            links={
                pair: (link.take(chosen) if set(link.rows) == kept else link)
                for pair, link in self.links.items()
            },
            truth={name: np.asarray(labels)[chosen] for name, labels in self.truth.items()},
            cards={name: [column[i] for i in chosen] for name, column in self.cards.items()},
        )

    def position(self, member: str) -> int:
        """Where a member stands; the sentence names near ids when there is none."""
        return position(self.ids, member, self.name)

    def describe(self) -> str:
        """One sentence on what is here."""
        parts = [f"{name}: {view!r}" for name, view in self.views.items()]
        parts += [f"{a}-{b}: {link!r}" for (a, b), link in self.links.items()]
        return f"{len(self)} members of '{self.name}' ({'; '.join(parts)})"

    def __repr__(self) -> str:
        return f"Collection({self.describe()})"


def position(ids: Sequence[str], member: str, name: str) -> int:
    """Where an id stands in a list of ids, or a sentence with near ones."""
    try:
        return list(ids).index(member)
    except ValueError:
        import difflib

        near = difflib.get_close_matches(member, ids, n=3)
        hint = f" Near it: {', '.join(near)}." if near else ""
        raise DataError(f"'{name}' has no member '{member}'.{hint}") from None


def seen_as(data: Any, name: str) -> View:
    """A view from what holds one: texts from a list of strings, a table from rows of numbers or a frame, or sequences."""
    if isinstance(data, View):
        return data
    try:
        if _strings(data):
            return Text.of(list(data))
        return Ragged.of(data) if _sequences(data) else Table.of(data)
    except DataError as error:
        raise DataError(f"View '{name}': {error}") from None


def as_view(data: Any, wanted: type[Any] | tuple[type[Any], ...], owner: str) -> Any:
    """Turn what a user passes (arrays, frames, lists, a Collection) into a view a method takes, or say why not.

    Of several kinds a view of any is taken as it is; anything else is read as the first.
    """
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    names = " or ".join(kind.__name__ for kind in kinds)
    if isinstance(data, Collection) and (kinds[0] is Links or (Links in kinds and data.links)):
        return _linked_view(data, owner)
    if isinstance(data, Collection):
        found = [view for view in data.views.values() if isinstance(view, kinds)]
        if not found:
            raise DataError(f"{owner} takes {names}, and '{data.name}' has {data.describe()}.")
        return found[0]
    if isinstance(data, kinds):
        return data
    if kinds[0] is Links:
        return _links(data, owner)
    if isinstance(data, (Table, Text, TaggedText, Ragged, Pictures)):
        raise DataError(f"{owner} takes {names}, and was given {type(data).__name__}.")
    if kinds[0] is Ragged and isinstance(data, np.ndarray) and data.ndim == 2:
        raise DataError(
            "an array of two dimensions may be one sequence or many; pass [array] for one of (steps, values), and a "
            "list or an array of three dimensions for many.",
            owner=owner,
        )
    if Ragged in kinds and _sequences(data):
        return Ragged.of(data)
    if kinds[0] in (Table, Text, Ragged, Pictures):
        return kinds[0].of(data)
    raise DataError(f"{owner} takes {names}, and was given {type(data).__name__}.")


def _links(data: Any, owner: str) -> Links:
    """Links from whatever holds counts; what holds none is named."""
    texts = isinstance(data, (Text, TaggedText, str)) or _strings(data)
    if texts or isinstance(data, (Ragged, Pictures)):
        given = "texts" if texts else "pictures" if isinstance(data, Pictures) else "sequences"
        raise DataError(
            f"{owner} takes links or a table of counts, and was given {given}"
            + (
                "; count their words first, as represent.Terms(weights='tf') does."
                if texts
                else "."
            )
        )
    try:
        return Links.of(data)
    except DataError as error:
        raise DataError(f"{error}", owner=owner) from None


def _linked_view(data: Collection, owner: str) -> Links:
    """The links of a collection, or its first table of numbers as counts."""
    if data.links:
        return linked(data.ids, data.links)
    for name, view in data.views.items():
        if isinstance(view, Table):
            try:
                return Links({(MEMBERS, name): counted(view, data.ids)})
            except DataError as error:
                raise DataError(
                    f"'{data.name}' has no links, and its table '{name}' does not do: {error}",
                    owner=owner,
                ) from None
    return _links(data.view(), owner)


def _strings(data: Any) -> bool:
    """Whether this is a list of strings, or an array of one dimension that holds them."""
    if isinstance(data, (list, tuple)):
        return bool(data) and isinstance(data[0], str)
    return (
        getattr(data, "ndim", 0) == 1
        and len(data) > 0
        and isinstance(np.asarray(data).ravel()[0], str)
    )


def _depth(member: Any) -> int:
    """How many dimensions a member has; 0 where its rows have different lengths."""
    try:
        return np.ndim(member)
    except ValueError:
        return 0


def _sequences(data: Any) -> bool:
    """Whether this is a list of two-dimensional arrays, or one array of three dimensions."""
    if isinstance(data, (list, tuple)) and len(data):
        return _depth(data[0]) == 2 if isinstance(data[0], (np.ndarray, list)) else False
    return isinstance(data, np.ndarray) and data.ndim == 3
