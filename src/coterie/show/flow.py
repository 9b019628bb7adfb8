"""Where members went between two groupings, as a picture: groups on either side, bands between them, wide as many they carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from coterie.show.markup import clip, color, coordinate, count, esc, outline, slot

BAR = 14
GAP = 14
# height of a group at least, and of one of mean size
_LEAST = 12.0
_TALL = 26.0
# letters of a name that is said; a band is never thinner
_NAME = 34
_THIN = 0.75


@dataclass(frozen=True, slots=True)
class Band:
    """Members from a group of the left side to one of the right; `stays` where nobody of them moved."""

    left: int
    right: int
    members: int
    stays: bool


@dataclass(frozen=True, slots=True)
class Size:
    """How wide the picture is, how much of it the names have on either side, and how many letters of a name are drawn."""

    width: int = 1000
    side: int = 300
    letters: int = 34


WIDE = Size()
NARROW = Size(380, 118, 10)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a group stands: its top and its height."""

    top: float
    height: float


def flow(
    bands: Sequence[Band],
    left: Callable[[int], str],
    right: Callable[[int], str],
    *,
    title: str,
    size: Size = WIDE,
    link: Callable[[Band], str] | None = None,
) -> str:
    """The picture as SVG; groups are numbers from 0, -1 is in none; `link` says where a band leads to."""
    sizes = _sizes(bands, "left"), _sizes(bands, "right")
    order = sorted(sizes[0], key=lambda g: (g < 0, -sizes[0][g], g))
    other = _facing(bands, order, sizes[1])
    total = max(sum(sizes[0].values()), 1)
    most = max(len(order), len(other), 1)
    scale = _TALL * most / total
    one = _stacked(order, sizes[0], scale)
    two = _stacked(other, sizes[1], scale)
    height = (
        max([place.top + place.height for place in (*one.values(), *two.values())], default=0.0) + 6
    )
    drawn = [*_bands(bands, (one, two), (order, other), (left, right), scale, size, link)]
    drawn += [_group(g, one[g], left(g), sizes[0][g], size, first=True) for g in order]
    drawn += [_group(g, two[g], right(g), sizes[1][g], size, first=False) for g in other]
    return (
        f'<svg class="flow" viewBox="0 0 {size.width} {coordinate(height)}" role="group" aria-label="{esc(title)}">'
        f"<title>{esc(title)}</title>{''.join(drawn)}</svg>"
    )


def _sizes(bands: Sequence[Band], side: str) -> dict[int, int]:
    found = dict[int, int]()
    for band in bands:
        group = getattr(band, side)
        found[group] = found.get(group, 0) + band.members
    return found


def _facing(bands: Sequence[Band], order: Sequence[int], sizes: Mapping[int, int]) -> list[int]:
    """The groups of the right side, each as near as can be to where its members were: few bands cross."""
    place = {g: at for at, g in enumerate(order)}
    middle = dict[int, float]()
    for band in bands:
        middle[band.right] = middle.get(band.right, 0.0) + place[band.left] * band.members
    stays = {band.right: place[band.left] for band in bands if band.stays}
    return sorted(sizes, key=lambda g: (g < 0, stays.get(g, middle[g] / sizes[g]), g))


def _stacked(order: Sequence[int], sizes: Mapping[int, int], scale: float) -> dict[int, Place]:
    found = dict[int, Place]()
    top = 4.0
    for group in order:
        room = max(sizes[group] * scale, _LEAST)
        found[group] = Place(top, room)
        top += room + GAP
    return found


def _bands(
    bands: Sequence[Band],
    places: tuple[Mapping[int, Place], Mapping[int, Place]],
    order: tuple[Sequence[int], Sequence[int]],
    names: tuple[Callable[[int], str], Callable[[int], str]],
    scale: float,
    size: Size,
    link: Callable[[Band], str] | None,
) -> list[str]:
    """The bands, those who stayed first, so that moves lie above them."""
    rank = [{g: at for at, g in enumerate(side)} for side in order]
    begin = dict[Band, float]()
    end = dict[Band, float]()
    used = [dict.fromkeys(side, 0.0) for side in order]
    for band in sorted(bands, key=lambda b: (rank[0][b.left], rank[1][b.right])):
        begin[band] = places[0][band.left].top + used[0][band.left]
        used[0][band.left] += band.members * scale
    for band in sorted(bands, key=lambda b: (rank[1][b.right], rank[0][b.left])):
        end[band] = places[1][band.right].top + used[1][band.right]
        used[1][band.right] += band.members * scale
    found = []
    for band in sorted(bands, key=lambda b: (not b.stays, -b.members)):
        wide = max(band.members * scale, _THIN)
        way = f"from {clip(names[0](band.left), _NAME)} to {clip(names[1](band.right), _NAME)}"
        said = f"{count(band.members, 'member').capitalize()} {way}"
        kind = "stays" if band.stays else "moves"
        curve = _curve(begin[band], end[band], wide, size)
        path = f'<path class="band {slot(band.left)} {kind}" d="{curve}"'
        drawn = f'{path} fill="{color(band.left)}"><title>{esc(said)}</title></path>'
        found.append(
            f'<a href="{esc(link(band))}" aria-label="{esc(said)}">{drawn}</a>'
            if link is not None
            else drawn
        )
    return found


def _curve(top: float, far: float, wide: float, size: Size) -> str:
    a = float(size.side + BAR)
    b = float(size.width - size.side - BAR)
    m = (a + b) / 2
    c = coordinate
    there = f"M{c(a)} {c(top)}C{c(m)} {c(top)} {c(m)} {c(far)} {c(b)} {c(far)}"
    return f"{there}V{far + wide:.2f}C{c(m)} {far + wide:.2f} {c(m)} {top + wide:.2f} {c(a)} {top + wide:.2f}Z"


def _group(label: int, place: Place, name: str, members: int, size: Size, *, first: bool) -> str:
    """A bar with the marker, the name and the size of a group beside it."""
    x = size.side if first else size.width - size.side - BAR
    middle = place.top + place.height / 2
    spot, start = (x - 12, x - 24) if first else (x + BAR + 12, x + BAR + 24)
    tall = f'y="{coordinate(place.top)}" width="{BAR}" height="{coordinate(place.height)}"'
    bar = f'<rect class="{slot(label)}" x="{x}" {tall} rx="2"'
    dot = (
        f'<path class="{slot(label)}" d="{outline(label, spot, middle, 6)}" fill="{color(label)}"/>'
    )
    number = f'<tspan class="n" dx="6">{members:,}</tspan>'
    said = f"<tspan>{esc(clip(name, size.letters))}</tspan>{number}"
    return (
        f'{bar} fill="{color(label)}"/>{dot}<text class="name" x="{start}" y="{coordinate(middle)}" dy=".35em" '
        f'text-anchor="{"end" if first else "start"}">{said}</text>'
    )
