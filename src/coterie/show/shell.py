"""The outside of a page that needs no network: head, the line with the mark, the opening, sheets; styled like the report."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from coterie.show import markup
from coterie.show.markup import bullets, clip, esc, user

_COLORS = 16  # curves that have a color of their own on light and on dark paper
_MORE = """
main, .top, footer { max-width: 1040px; }
.scroll { overflow-x: auto; scrollbar-width: thin; scrollbar-color: var(--muted) transparent; padding-bottom: 4px; }
.scroll table { width: auto; min-width: min(100%, 420px); table-layout: auto; font-variant-numeric: tabular-nums; }
.scroll th, .scroll td { width: auto; white-space: nowrap; font: inherit; padding: 6px 22px 6px 0; }
.scroll thead th { border-top: 0; font-weight: 600; vertical-align: bottom; } .scroll tbody th { color: var(--ink); }
.scroll tbody th { position: sticky; left: 0; background: var(--sheet); }
.scroll td.n, .scroll th.n { text-align: end; } .scroll td.best { font-weight: 650; } .scroll .small { font-weight: 400; }
.scroll td.wrap { white-space: normal; min-width: 220px; }
.sheet > p, .sheet details { margin-top: 14px; max-width: 74ch; } .sheet summary { cursor: pointer; color: var(--accent); }
.sheet details { max-width: none; min-width: 0; font-size: .875rem; }
.figures details { margin-top: 0; } .sheet details .scroll { margin-top: 8px; }
.sheet h3 { margin: 22px 0 6px; } .sheet-head + h3 { margin-top: 0; }
.figures figcaption { display: block; }
.sheet-head + .figures { margin-top: 0; }
.figures figcaption b { color: var(--ink); } .c-paper { fill: var(--sheet); } .c-ink { fill: var(--ink); }
#notes ul { list-style: none; }
@media (max-width: 620px) { .scroll .small { display: block; } .scroll th, .scroll td { padding-right: 14px; } }
"""


def shell(title: str, heading: str, verdict: str, prose: Sequence[str], body: str) -> str:
    """A whole page: a small heading, what was found in large letters, some sentences, and the sheets given as markup."""
    style = (
        (files("coterie.show") / "assets" / "report.css").read_text(encoding="utf-8")
        + _colors()
        + _MORE
    )
    policy = f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{esc(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f'<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>{esc(clip(title, 200))}</title>'
        f'<style>{style}</style></head><body><header class="top">'
        '<span class="mark" aria-hidden="true"><i></i><i></i><i></i></span><span class="brand">coterie</span></header>'
        f'<main><section class="opening"><h1>{user(heading, 200)}</h1><p class="verdict" dir="auto">{user(verdict, 300)}</p>'
        f'<div class="prose">{bullets(prose)}</div></section>{body}</main><footer>Made by coterie</footer></body></html>\n'
    )


def sheet(heading: str, said: str, body: str, name: str = "") -> str:
    """One sheet of a page: its heading, a sentence under it, and its markup; nothing where there is no markup."""
    if not body:
        return ""
    told = f"<p>{esc(said)}</p>" if said else ""
    called = f' id="{esc(name)}"' if name else ""
    return f'<section class="sheet"{called}><div class="sheet-head"><h2>{esc(heading)}</h2>{told}</div>{body}</section>'


def scrolled(table: str, name: str) -> str:
    """A table that scrolls by itself where the screen is narrow, also with the keyboard."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(clip(name, 120))}">{table}</div>'


def _colors() -> str:
    """The colors of curves for light and for dark paper, and the classes that wear them."""
    light, dark = (
        ";".join(f"--g{i}:{markup.color(i, night)}" for i in range(_COLORS))
        for night in (False, True)
    )
    worn = "".join(
        f".c-line{i}{{stroke:var(--g{i})}}.c-dot{i},.p-band{i},.g{i}{{fill:var(--g{i})}}"
        for i in range(_COLORS)
    )
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n{worn}\n"


def _hash(text: str) -> str:
    return (
        "'sha256-"
        + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        + "'"
    )
