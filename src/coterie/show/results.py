"""The results of searches as one HTML page that needs no network: hits with their words marked, and measures where there are."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from coterie.core.hits import Hit, Hits, Piece
from coterie.show.markup import bar, bullets, count, esc, figure, put, user

_MORE = """
:root { --g0: #0072b2; --g1: #d55e00; --g2: #009e73; }
main { max-width: 860px; } .top { max-width: 860px; }
.hits { list-style: none; } .hits > li { padding: 16px 0; border-top: 1px solid var(--line); }
.hits > li { display: grid; column-gap: 14px; grid-template-columns: 2.2em minmax(0, 1fr); }
.hits > li:first-child { border-top: 0; padding-top: 0; }
.rank { font-size: 1.125rem; color: var(--muted); text-align: end; font-variant-numeric: tabular-nums; }
.hits h3 { font-size: 1.0625rem; overflow-wrap: anywhere; } .snippet { margin-top: 6px; overflow-wrap: anywhere; }
.meta { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: .8125rem; color: var(--muted); margin-top: 3px; }
.meta .bar { width: 72px; height: 6px; vertical-align: 1px; margin-right: 6px; }
mark { background: var(--calm); color: inherit; border-bottom: 2px solid var(--calm-edge); padding: 0 1px; font-weight: 600; }
table.measures { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.measures th, .measures td { text-align: end; padding: 5px 0 5px 28px; border-bottom: 1px solid var(--line); font-weight: 400; }
.measures th:first-child { text-align: start; padding-left: 0; } .measures thead th { font-weight: 600; vertical-align: bottom; }
"""


def render(
    searches: Sequence[Hits],
    *,
    title: str = "",
    measures: Sequence[Sequence[str]] = (),
    sentences: Sequence[str] = (),
) -> str:
    """The whole page: a sheet of measures (a header row and rows) where there are any, and a sheet per query."""
    one = searches[0] if len(searches) == 1 else None
    name = searches[0].name if searches else ""
    heading = title or (
        one.query
        if one is not None
        else f"{count(len(searches), 'query', 'queries').capitalize()} on {name}"
    )
    style = (files("coterie.show") / "assets" / "report.css").read_text(encoding="utf-8") + _MORE
    policy = f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    said = [] if one is None else [one.sentence()]
    body = _measures(measures) + "".join(_sheet(found, alone=one is not None) for found in searches)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{esc(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f'<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>{esc(heading)}</title>'
        f'<style>{style}</style></head><body><header class="top">'
        '<span class="mark" aria-hidden="true"><i></i><i></i><i></i></span>'
        f'<span class="brand">coterie</span></header><main><section class="opening"><h1>Search in {user(name, 200)}</h1>'
        f'<p class="verdict" dir="auto">{user(heading, 300)}</p><div class="prose">{bullets([*sentences, *said])}</div></section>'
        f"{body}</main></body></html>\n"
    )


def write(
    path: str | Path,
    searches: Sequence[Hits],
    *,
    title: str = "",
    measures: Sequence[Sequence[str]] = (),
    sentences: Sequence[str] = (),
) -> Path:
    """Write the page aside and rename it into place; the path is given back."""
    return put(path, render(searches, title=title, measures=measures, sentences=sentences))


def _sheet(found: Hits, alone: bool) -> str:
    """A query and what it found."""
    head = (
        ""
        if alone
        else f'<div class="sheet-head"><h2 dir="auto">{user(found.query, 300)}</h2><p>{esc(found.sentence())}</p></div>'
    )
    known = ", ".join(f"{word} ({figure(n)})" for word, n in found.words)
    words = [f"Members that hold each word: {known}."] if known else []
    words += [f"Words added to the query: {', '.join(found.added)}."] if found.added else []
    top = max((hit.score for hit in found.hits), default=0.0)
    rows = "".join(_hit(hit, top) for hit in found.hits)
    listed = f'<ol class="hits">{rows}</ol>' if rows else ""
    return f'<section class="sheet">{head}{listed}<div class="small">{bullets([*words, *found.notes])}</div></section>'


def _hit(hit: Hit, top: float) -> str:
    name = _marked(hit.title) if hit.title else user(hit.id, 200)
    about = [f"<span><bdi>{esc(hit.id)}</bdi></span>"] if hit.title else []
    about += [f"<span>{esc(key)}: {user(value, 120)}</span>" for key, value in hit.about]
    about += [] if hit.words else ["<span>holds no word of the query</span>"]
    about += [f"<span>{user(hit.copies(), 120)}</span>"] if hit.repeats else []
    share = hit.score / top if top > 0 else 0.0
    return (
        f'<li><span class="rank">{hit.rank}</span><div><h3 dir="auto">{name}</h3>'
        f'<p class="meta"><span>{bar(share)}{figure(hit.score, 4)}</span>{"".join(about)}</p>'
        f'<p class="snippet" dir="auto">{_marked(hit.snippet)}</p></div></li>'
    )


def _marked(pieces: Sequence[Piece]) -> str:
    return "".join(f"<mark>{esc(text)}</mark>" if mark else esc(text) for text, mark in pieces)


def _measures(rows: Sequence[Sequence[str]]) -> str:
    """A header row and rows of measures as a table."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{esc(cell)}</th>' for cell in rows[0])
    body = "".join(
        f'<tr><th scope="row">{esc(row[0])}</th>'
        + "".join(f"<td>{esc(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows[1:]
    )
    return (
        '<section class="sheet"><div class="sheet-head"><h2>Measures</h2></div>'
        f'<table class="measures"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></section>'
    )


def _hash(text: str) -> str:
    return (
        "'sha256-"
        + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        + "'"
    )
