"""Groups: all of them on one page, each on a page of its own with its members, and the two parts it may be split into."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from coterie.core.findings import Findings, Group, is_flat
from coterie.show import curves, markup
from coterie.show.markup import bar, clip, count, slot, swatches, telling
from coterie.web.desk import Desk, NotThere
from coterie.web.edit_models import Halves, Members, Order, StateNow
from coterie.web.halving import parts_of
from coterie.web.listing import fitting, group_now, half, member, ordered, paged, state_now
from coterie.web.pages import run_page
from coterie.web.retold import at_hand, proposed, retold
from coterie.web.standing import Standing, standing_of
from coterie.workflows.key_features import KeyFeatures

router = APIRouter()
Numbered = Annotated[int, Path(ge=0, le=1_000_000)]
ORDERS = {
    "sure": ("Surest", "those the group is surest of first"),
    "doubtful": ("Most doubtful", "those that could as well be elsewhere first"),
    "odd": ("Not like the others", "those whose nearest members are mostly in other groups first"),
    "read": ("As read", "in the order in which they were read"),
}
SORTS = {
    "found": "As found",
    "size": "Largest",
    "confidence": "Surest",
    "stability": "Found again most",
}
SHOWN = 5
PAGE = 50
SPARKS = 6


# ---- the API ----------------------------------------------------------------------------------------------------------


@router.get("/api/runs/{name}/groups", tags=["groups"], response_model=StateNow)
def list_groups(request: Request, name: str) -> StateNow:
    """All groups of a run as they stand after every edit."""
    desk: Desk = request.app.state.desk
    return state_now(standing_of(desk, desk.finished(name)))


@router.get("/api/runs/{name}/groups/{number}/members", tags=["groups"], response_model=Members)
def list_members(
    request: Request,
    name: str,
    number: Numbered,
    order: Order = "sure",
    find: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=500)] = PAGE,
) -> Members:
    """Members of a group (0: those in none), a page at a time; `find` keeps those that have every word."""
    desk: Desk = request.app.state.desk
    standing = standing_of(desk, desk.finished(name))
    return paged(standing, fitting(standing, standing.inside(number), find), order, page, size)


@router.get("/api/runs/{name}/groups/{number}/halves", tags=["groups"], response_model=Halves)
def preview_split(request: Request, name: str, number: Numbered) -> Halves:
    """The two parts of a group that have least to do with each other; 409 while they are looked for. Nothing is changed."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    stays, goes = parts_of(desk, run, number)
    standing = standing_of(desk, run)
    parts = (half(standing, stays), half(standing, goes))
    name = proposed(desk, run, standing, goes, number)
    return Halves(
        group=number, stays=parts[0], goes=parts[1], next=standing.state.last + 1, proposed=name
    )


# ---- the pages --------------------------------------------------------------------------------------------------------


@router.get("/runs/{name}/groups", include_in_schema=False)
async def all_groups(request: Request, name: str, sort: str = "found") -> Response:
    sort = sort if sort in SORTS else "found"

    def context(desk: Desk, run: Any) -> dict[str, Any]:
        standing = standing_of(desk, run)
        ranges = curves.spark_ranges(standing.found.groups)
        words = retold(desk, run, standing)
        cards = [card(standing, number, ranges, words) for number in standing.groups]
        flat = is_flat(standing.found) and not standing.held
        return {
            "cards": [] if flat else _sorted(cards, sort),
            "flat": flat,
            "state": state_now(standing),
            "sort": sort,
            "sorts": SORTS,
            "steerable": not _cut(standing.found),
            "scripts": ("groups.js", "playing.js"),
            "styles": ("groups.css", "member_line.css"),
        }

    return await run_page(
        request,
        name,
        "groups",
        "groups.html",
        context,
        more=("groups", sort, at_hand(request, name)),
    )


@router.get("/runs/{name}/groups/{number}", include_in_schema=False)
async def one_group(
    request: Request,
    name: str,
    number: Numbered,
    order: str = "sure",
    page: str = "1",
    find: str = "",
) -> Response:
    wanted: Order = order if order in ORDERS else "sure"  # type: ignore[assignment]
    at = (
        max(1, min(int(page), 10_000_000))
        if page.isascii() and page.isdigit() and len(page) < 9
        else 1
    )
    find = " ".join(find[:200].split())

    def context(desk: Desk, run: Any) -> dict[str, Any]:
        standing = standing_of(desk, run)
        if number and number - 1 not in standing.state.names:
            raise NotThere(
                f"There is no group {number} in this run{' any more' if number <= standing.state.last else ''}."
            )
        inside = standing.inside(number)
        numbers = list(standing.groups)
        place = numbers.index(number) if number else -1
        ranges = curves.spark_ranges(standing.found.groups)
        return {
            "card": card(standing, number, ranges, retold(desk, run, standing)),
            "state": state_now(standing),
            "listed": paged(standing, fitting(standing, inside, find), wanted, at, PAGE),
            "order": wanted,
            "orders": ORDERS,
            "find": find,
            "total": len(inside),
            "steerable": not _cut(standing.found),
            "before": numbers[place - 1] if place > 0 else None,
            "after": numbers[place + 1] if 0 <= place < len(numbers) - 1 else None,
            "called": {n: standing.called(n) for n in [*numbers, 0]},
            "scripts": ("group.js", "playing.js"),
            "styles": ("groups.css", "member_line.css"),
        }

    more = ("group", number, wanted, at, find, at_hand(request, name))
    return await run_page(request, name, "groups", "group.html", context, more=more)


def card(
    standing: Standing,
    number: int,
    ranges: Sequence[tuple[float, float]],
    words: Mapping[int, Mapping[str, KeyFeatures]],
) -> dict[str, Any]:
    """All that is shown of one group; `words` tell those that are not as they were found."""
    now = group_now(standing, number)
    group = (
        standing.groups[number] if number else Group(-1, now.name, now.size, now.confidence, (), ())
    )
    inside = standing.inside(number)
    typical = _known(group.typical, inside) or ordered(standing, inside, "sure")[:SHOWN].tolist()
    doubtful = (
        _known(group.doubtful, inside) or ordered(standing, inside, "doubtful")[:SHOWN].tolist()
    )
    typical = typical[:SHOWN]
    doubtful = [at for at in doubtful if at not in typical][:SHOWN]
    bars = {"size": now.share, "sure": now.confidence, "again": group.stability}
    return {
        "now": now,
        "label": number - 1,
        "letter": markup.letter(number - 1) if number else "",
        "stability": group.stability if math.isfinite(group.stability) else None,
        "unstable": group.is_unstable,
        "bars": {name: bar(share, slot(number - 1)) for name, share in bars.items()},
        "telling": telling(words.get(number, group.telling)),
        "why": group.why,
        "sparks": sparks(group, ranges),
        "more_sparks": max(0, len(group.spark) - SPARKS),
        "tied": tied(standing.found, number - 1),
        "typical": [member(standing, int(at)) for at in typical],
        "doubtful": [member(standing, int(at)) for at in doubtful],
        "size": count(now.size, "member"),
    }


def sparks(group: Group, ranges: Sequence[tuple[float, float]]) -> list[str]:
    """The mean trace of a group in each dimension, as small pictures."""
    line = f"line-{slot(group.label)}"
    edge = markup.edge(group.label)
    shown = list(zip(group.spark[:SPARKS], ranges, strict=False))
    return [
        curves.spark(trace, low, high, line, edge, f"mean trace {d}")
        for d, (trace, (low, high)) in enumerate(shown, 1)
    ]


def tied(found: Findings, label: int) -> list[tuple[str, str, str]]:
    """Of every population the cluster a group meets most above chance: the population, the cluster, and colors it names."""
    clusters = [(population.name, population.hottest(label)) for population in found.populations]
    return [
        (name, clip(cluster.name, 120), swatches(cluster.name))
        for name, cluster in clusters
        if cluster is not None
    ]


def _known(places: tuple[int, ...], inside: Any) -> list[int]:
    here = set(inside.tolist())
    return [int(place) for place in dict.fromkeys(places) if place in here]


def _sorted(cards: list[dict[str, Any]], sort: str) -> list[dict[str, Any]]:
    keys: dict[str, Any] = {
        "found": lambda one: 0,
        "size": lambda one: -one["now"].size,
        "confidence": lambda one: -one["now"].confidence,
        "stability": lambda one: -(one["stability"] or 0.0),
    }
    return sorted(cards, key=keys[sort])


def _cut(found: Findings) -> bool:
    return any(strips.of_groups for strips in found.strips)
