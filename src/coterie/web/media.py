"""What can be heard and seen of members: sounds as WAV in any part asked for, pictures as PNG, traces drawn as SVG.

Everything is made from the arrays in the store; no file outside of it is ever opened.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse

from coterie.core.collection import View
from coterie.core.findings import Group
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.show.map import png
from coterie.show.markup import coordinate, esc, figure, slot
from coterie.web.desk import Desk, NotThere
from coterie.web.maps import Name, seen
from coterie.web.portraits import group_of, is_heard, place_in

router = APIRouter()
At = Annotated[int, Path(ge=0, le=10_000_000, description="The position of a member, from 0.")]
Number = Annotated[int, Path(ge=0, le=1000, description="The number of a view, from 0.")]
HEADER = 44  # bytes before the samples of a WAV file
DIMENSIONS = 8  # of a trace that are drawn
_PIECE = 131_072  # samples made at a time
_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")
_WIDE = 640
_TALL = 84
_POINTS = 480
_LINE = "#3d86c6"  # where no style sheet says otherwise: can be seen on light and on dark paper
_STORED = {"cache-control": "private, max-age=3600"}


@router.get("/media/{name}/{at}/{number}.wav", tags=["members"], response_class=Response)
def sound(request: Request, name: Name, at: At, number: Number) -> Response:
    """A member's sound as a WAV file of 16 bits; a part of it where a Range is asked for."""
    view, here, _ = _view(request, name, at, number)
    if not isinstance(view, Ragged) or not is_heard(view):
        raise NotThere("This is no sound.")
    wave = view[here][:, 0]
    total = HEADER + 2 * len(wave)
    told = {"accept-ranges": "bytes", "content-type": "audio/wav", **_STORED}
    asked = _asked(request.headers.get("range", ""), total)
    if asked is None:
        return StreamingResponse(
            wav(wave, view.rate, 0, total), headers={**told, "content-length": str(total)}
        )
    first, last = asked
    if first >= last:
        return Response(status_code=416, headers={**told, "content-range": f"bytes */{total}"})
    told |= {
        "content-range": f"bytes {first}-{last - 1}/{total}",
        "content-length": str(last - first),
    }
    return StreamingResponse(wav(wave, view.rate, first, last), status_code=206, headers=told)


@router.get("/media/{name}/{at}/{number}.png", tags=["members"], response_class=Response)
def picture(request: Request, name: Name, at: At, number: Number) -> Response:
    """A member's picture as PNG."""
    view, here, _ = _view(request, name, at, number)
    if not isinstance(view, Pictures):
        raise NotThere("This is no picture.")
    return Response(png(view[here]), media_type="image/png", headers=_STORED)


@router.get("/media/{name}/{at}/{number}.svg", tags=["members"], response_class=Response)
def drawing(request: Request, name: Name, at: At, number: Number) -> Response:
    """A member's trace, drawn; a sound is drawn as its envelope."""
    view, here, group = _view(request, name, at, number)
    if not isinstance(view, Ragged):
        raise NotThere("This cannot be drawn.")
    rows = panels(view, here, group)
    inner = "".join(
        f'<g transform="translate(0 {i * _TALL})">{body}</g>' for i, (_, body) in enumerate(rows)
    )
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_TALL * max(len(rows), 1)}">{inner}</svg>'
    return Response(text, media_type="image/svg+xml", headers={"cache-control": "no-store"})


def drawn(view: Ragged, here: int, group: Group | None) -> list[tuple[str, str]]:
    """Names and pictures of the dimensions of a trace, to be put into a page."""
    return [
        (
            name,
            f'<svg class="trace" viewBox="0 0 {_WIDE} {_TALL}" preserveAspectRatio="none" role="img" '
            f'aria-label="{esc(name)}">{body}</svg>',
        )
        for name, body in panels(view, here, group)
    ]


def panels(view: Ragged, here: int, group: Group | None) -> list[tuple[str, str]]:
    """The dimensions of a trace as SVG: the member over the mean of its group; of a sound, its envelope; of a set, its points."""
    values = np.nan_to_num(np.asarray(view[here], dtype=np.float64), posinf=0.0, neginf=0.0)
    css = f"line-{slot(group.label)}" if group else "c-main"
    color = _LINE
    if is_heard(view):
        return [("the sound over time", _envelope(values[:, 0], css, color))]
    if not view.ordered:
        return [("the first two values of each vector", _points(values, color))]
    found = []
    for d in range(min(view.dim, DIMENSIONS)):
        mean = (
            np.asarray(group.spark[d], dtype=np.float64)
            if group and d < len(group.spark)
            else np.zeros(0)
        )
        mean = mean[np.isfinite(mean)]
        both = np.concatenate([values[:, d], mean, [0.0] if not len(values) else []])
        low = float(both.min())
        high = float(both.max())
        behind = (
            _line(mean, low, high, "c-null", "#8a8f98", ' stroke-dasharray="4 4"')
            if len(mean) > 1
            else ""
        )
        name = view.names[d] if view.names else f"dimension {d + 1}" if view.dim > 1 else "value"
        found.append(
            (
                f"{name}, from {figure(low)} to {figure(high)}",
                behind + _line(values[:, d], low, high, css, color),
            )
        )
    return found


def _line(trace: np.ndarray, low: float, high: float, css: str, color: str, more: str = "") -> str:
    if len(trace) > _POINTS:
        trace = trace[np.linspace(0, len(trace) - 1, _POINTS).astype(int)]
    span = (high - low) or 1.0
    across = 2 + (_WIDE - 4) * np.arange(len(trace)) / max(len(trace) - 1, 1)
    down = _TALL - 6 - (_TALL - 12) * (trace - low) / span
    points = " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in zip(across, down, strict=True))
    return (
        f'<polyline class="{css}" points="{points}" fill="none" stroke="{color}" stroke-width="1.8" '
        f'stroke-linejoin="round" vector-effect="non-scaling-stroke"{more}/>'
    )


def _envelope(wave: np.ndarray, css: str, color: str) -> str:
    pieces = [
        piece for piece in np.array_split(wave, min(_POINTS, max(len(wave), 1))) if len(piece)
    ]
    peak = max((float(np.abs(piece).max()) for piece in pieces), default=0.0) or 1.0
    middle = _TALL / 2
    half = _TALL / 2 - 4
    path = []
    for i, piece in enumerate(pieces):
        x = 2 + (_WIDE - 4) * i / max(len(pieces) - 1, 1)
        top = middle - half * float(piece.max()) / peak
        low = middle - half * float(piece.min()) / peak
        path.append(f"M{coordinate(x)} {coordinate(top - 0.4)}V{coordinate(low + 0.4)}")
    return f'<path class="wave {css}" d="{"".join(path)}" stroke="{color}" stroke-width="1.2" fill="none"/>'


def _points(values: np.ndarray, color: str) -> str:
    if not len(values):
        return ""
    both = (
        values[:2000, :2]
        if values.shape[1] > 1
        else np.column_stack([np.arange(len(values[:2000])), values[:2000, 0]])
    )
    low = both.min(axis=0)
    span = np.ptp(both, axis=0)
    scaled = (both - low) / np.where(span > 0, span, 1.0)
    dots = "".join(
        f'<circle cx="{coordinate(6 + (_WIDE - 12) * float(x))}" cy="{coordinate(_TALL - 6 - (_TALL - 12) * float(y))}" r="3.2"/>'
        for x, y in scaled
    )
    return f'<g fill="{color}">{dots}</g>'


def wav(wave: Sequence[float] | np.ndarray, rate: float, first: int, last: int) -> Iterator[bytes]:
    """The bytes from `first` up to `last` of a WAV file of these samples (-1 to 1), piece by piece."""
    samples = np.asarray(wave)
    size = 2 * len(samples)
    hertz = round(rate)
    head = (
        b"RIFF"
        + struct.pack("<I", min(36 + size, 2**32 - 1))
        + b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, hertz, 2 * hertz, 2, 16)
        + b"data"
        + struct.pack("<I", min(size, 2**32 - 1))
    )
    if first < HEADER:
        yield head[first : min(last, HEADER)]
    begin = max(first, HEADER) - HEADER
    end = last - HEADER
    while begin < end:
        a = begin // 2
        b = min((end + 1) // 2, begin // 2 + _PIECE)
        piece = np.clip(np.nan_to_num(np.asarray(samples[a:b], dtype=np.float64)), -1.0, 1.0)
        raw = np.rint(piece * 32767).astype("<i2").tobytes()
        yield raw[begin - 2 * a : min(end, 2 * b) - 2 * a]
        begin = 2 * b


def _asked(header: str, total: int) -> tuple[int, int] | None:
    """The part that a Range header asks for; None for the whole, an empty one for a part that is not there."""
    found = _RANGE.fullmatch(header.strip())
    if found is None or not (found[1] or found[2]):
        return None  # several parts at once, or other units: the whole is a fair answer
    if not found[1]:
        return max(0, total - int(found[2])), total
    first = int(found[1])
    last = min(total, int(found[2]) + 1) if found[2] else total
    return (first, last) if first < last else (0, 0)


def _view(request: Request, name: str, at: int, number: int) -> tuple[View, int, Group | None]:
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    findings = desk.findings(run)
    collection = seen(desk, run)
    here = place_in(collection, findings, at) if at < len(findings) else None
    if collection is None or here is None or number >= len(collection.views):
        raise NotThere("There is nothing to be seen here.")
    return list(collection.views.values())[number], here, group_of(findings, at)
