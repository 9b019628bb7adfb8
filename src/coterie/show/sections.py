"""The parts of a report as HTML: verdict, figures, groups, evidence, and how it was made."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.findings import Evidence, Findings, Group, is_flat
from coterie.messages.exploration import (
    describe_measure,
    describe_nulls,
    describe_steps,
    explain_evidence,
    list_levels,
    name_groups,
    summarize,
)
from coterie.show import curves, markup
from coterie.show.markup import (
    bar,
    bullets,
    clip,
    count,
    ended,
    esc,
    figure,
    marker,
    percent,
    slot,
    telling,
    user,
)

SHOWN = 5  # typical and doubtful members per group
SPARKS = 6


def verdict(findings: Findings) -> str:
    """The result in one line: how many groups, and how well they stand apart."""
    if not findings.evidence.structured:
        return "No group structure was found"
    n = sum(1 for group in findings.groups if group.label >= 0)
    if n <= 1:
        return "One group holds everybody together"
    return name_groups(n, findings.evidence.verdict)


def summary(findings: Findings, without: Sequence[str] = ()) -> str:
    """The plain sentences under the verdict, less those left out and a first one that only repeats it."""
    said = summarize(findings)
    said = [sentence for sentence in said if sentence not in set(without)]
    repeats = findings.segments is None and not findings.added and not findings.edits
    return bullets(said[1:] if repeats else said)


def banner(findings: Findings) -> str:
    """A calm warning where the groups are no better than those of null collections."""
    if findings.evidence.structured:
        return ""
    if is_flat(findings):
        return (
            '<aside class="banner" role="note"><p><strong>No groups are shown, because none stood out.</strong> Any data can be '
            "cut into groups; here no cut stood clearly above those of null collections, where nothing belongs together. The "
            "map and the nearest members below still hold.</p></aside>"
        )
    return (
        '<aside class="banner" role="note"><p><strong>Any data can be cut into groups.</strong> The groups below are not clearly '
        "better than those of null collections, where nothing belongs together. Use them to sort and browse, "
        "and do not conclude that they exist.</p></aside>"
    )


def seed(settings: Mapping[str, Any]) -> str:
    """The seed named in the settings, under either of its usual names."""
    for name in ("seed", "random_state"):
        if settings.get(name) is not None:
            return clip(settings[name], 24)
    return "none"


def duration(seconds: float) -> str:
    """Seconds as a person would say them.

    >>> duration(0.42), duration(12.3), duration(200)
    ('0.4 s', '12 s', '3 min 20 s')
    """
    if not math.isfinite(seconds) or seconds <= 0:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def key_figures(findings: Findings) -> str:
    """Members, groups, kind, seed and time as a row of figures."""
    flat = is_flat(findings)
    alone = 0 if flat else int(np.sum(np.asarray(findings.labels) < 0))
    rows = [
        ("Members", figure(len(findings))),
        ("Groups", "none" if flat else figure(sum(1 for g in findings.groups if g.label >= 0))),
        *([("In no group", figure(alone))] if alone else []),
        ("Kind", clip(_kind(findings), 40) or "–"),
        ("Seed", seed(findings.settings)),
        ("Time", duration(findings.seconds)),
    ]
    return "".join(
        f"<div><dt>{esc(name)}</dt><dd><bdi>{esc(value)}</bdi></dd></div>" for name, value in rows
    )


def _kind(findings: Findings) -> str:
    """What the members are, and by how many views they were grouped where there were several."""
    if findings.shared is None:
        return findings.kind
    return f"{findings.kind}, {len(findings.shared.names)} views"


def legend(groups: Sequence[Group]) -> str:
    """Marker, letter, name and size of every group, for the still pictures."""
    items = [
        f"<li>{marker(g.label)} <b>{markup.letter(g.label)}</b> {user(g.name, 60)} ({g.size}{', unstable' if g.is_unstable else ''})</li>"
        for g in groups
    ]
    return "" if not items else f'<ul class="still-legend">{"".join(items)}</ul>'


def _valid(findings: Findings, places: Sequence[int]) -> list[int]:
    """Positions that exist, each once, in the order given."""
    return [place for place in dict.fromkeys(int(p) for p in places) if 0 <= place < len(findings)]


def _members(findings: Findings, places: Sequence[int], title: str, hint: str) -> str:
    items = []
    for place in places:
        snippet = clip(ended(findings.snippets[place]), 141)
        name = clip(findings.ids[place], 60)
        items.append(
            f'<li><a href="#map" data-member="{place}"><span class="who">{user(name)}</span>'
            f'<span class="share" title="confidence">{percent(float(findings.confidence[place]))}</span>'
            + (f'<span class="line">{user(snippet)}</span>' if snippet != name else "")
            + "</a></li>"
        )
    return (
        ""
        if not items
        else f'<div class="people"><h4 title="{esc(hint)}">{title}</h4><ul>{"".join(items)}</ul></div>'
    )


def _sparks(group: Group, ranges: Sequence[tuple[float, float]]) -> str:
    if not group.spark:
        return ""
    rows = [
        curves.spark(
            trace,
            *ranges[d],
            f"line-{slot(group.label)}",
            markup.edge(group.label),
            f"mean trace {d + 1}",
        )
        for d, trace in enumerate(group.spark[:SPARKS])
    ]
    more = len(group.spark) - SPARKS
    after = f'<p class="small">and {count(more, "more dimension")}</p>' if more > 0 else ""
    return f'<div class="sparks"><h4>Mean trace</h4><div class="spark-row">{"".join(rows)}</div>{after}</div>'


def group_panel(findings: Findings, group: Group, ranges: Sequence[tuple[float, float]]) -> str:
    """One group as a panel: name, size, confidence, what sets it apart, who is typical and who is doubtful."""
    share = group.size / max(len(findings), 1)
    typical = _valid(findings, group.typical)[:SHOWN]
    doubtful = [place for place in _valid(findings, group.doubtful) if place not in typical][:SHOWN]
    return (
        f'<article class="group" id="group-{group.label}"><header><h3>{marker(group.label, 20)}'
        f'<span class="letter">{markup.letter(group.label)}</span> {user(group.name, 120)}</h3>'
        f'<a class="to-map" href="#map" data-group="{group.label}">Show on the map</a></header>'
        f'<dl class="meters"><div><dt>Size</dt><dd>{bar(share, slot(group.label))}'
        f"<span>{figure(group.size)} ({percent(share)})</span></dd></div>"
        f"<div><dt>Confidence</dt><dd>{bar(group.confidence, slot(group.label))}"
        f"<span>{percent(group.confidence)}</span></dd></div>{_found_again(group)}</dl>"
        f"{_sparks(group, ranges)}{telling(group.telling)}{_why(group)}"
        f'<div class="both">{_members(findings, typical, "Typical members", "closest to the middle of the group")}'
        f"{_members(findings, doubtful, 'Doubtful members', 'those that could as well be elsewhere')}</div></article>"
    )


def _why(group: Group) -> str:
    """Why its members are alike, in the words of the comparer, where it has any."""
    if not group.why:
        return ""
    rows = "".join(f"<li>{user(sentence, 400)}</li>" for sentence in group.why)
    return f'<div class="why"><h4>Why these are alike</h4><ul>{rows}</ul></div>'


def _found_again(group: Group) -> str:
    """How well the group was found again on random parts of the members, where that was looked at."""
    if not math.isfinite(group.stability):
        return ""
    word = ", unstable" if group.is_unstable else ""
    return (
        f"<div><dt>Stability</dt><dd>{bar(group.stability, slot(group.label))}"
        f"<span>{percent(group.stability)}{word}</span></dd></div>"
    )


def group_panels(findings: Findings) -> str:
    """All groups, in the order given."""
    ranges = curves.spark_ranges(findings.groups)
    return "".join(group_panel(findings, group, ranges) for group in findings.groups)


def levels_part(findings: Findings) -> str:
    """The groups that divide into finer ones, or that coarser ones unite, as nested lists; nothing without levels."""
    rows = list_levels(findings)
    if not rows:
        return ""
    items = "".join(
        f"<li>{user(name, 120)}<ul>{''.join(f'<li>{user(one, 140)}</li>' for one in below)}</ul></li>"
        for name, below in rows
    )
    return f'<div class="levels"><h3>Nested groups</h3><ul>{items}</ul></div>'


def _beaten(evidence: Evidence) -> int:
    """How many null collections there were, where none of them was as grouped, so that p is at its floor; else 0."""
    n = evidence.n_nulls
    return n if n and abs(evidence.p_value * (n + 1) - 1) < 1e-9 else 0


def chance(evidence: Evidence) -> str:
    """The p-value in words."""
    p = evidence.p_value
    if evidence.witnesses:
        return ""
    nulls = esc(describe_nulls(evidence))
    if not math.isfinite(p):
        return f"Whether {nulls} would look as grouped was not tested."
    if p <= 0:
        return f"None of the {nulls} was as grouped as this."
    n = _beaten(evidence)
    if n:
        if n == 1:
            return f"The one of the {nulls} was not as grouped (with only one, p cannot be below {figure(p, 2)})."
        floor = f"with {figure(n)} of them p cannot be below {figure(p, 2)}"
        return f"None of the {figure(n)} {nulls} was as grouped ({floor})."
    if p >= 0.5:
        return f"Most {nulls} were at least as grouped as this (p = {figure(p, 2)})."
    return f"At most about one in {figure(round(1 / p))} {nulls} would look as grouped as this (p = {figure(p, 2)})."


def evidence_part(findings: Findings) -> str:
    """The curve of scores with its null band, the spectrum, and the sentences that explain them."""
    flat = is_flat(findings)
    found = replace(findings.evidence, n_groups=0) if flat else findings.evidence
    who = "chosen by coterie" if found.chosen else "fixed by you"
    number = (
        "No groups are claimed." if flat else f"The number of groups, {found.n_groups}, was {who}."
    )
    said = [number, chance(found), *explain_evidence(findings.evidence)]
    said = [sentence for sentence in dict.fromkeys(said) if sentence]
    chart = curves.evidence(found)
    figures = []
    if chart:
        band = (
            '<span class="key k-null">null collections, mean and twice their deviation</span>'
            if found.null_mean
            else ""
        )
        pick = (
            '<span class="key k-pick">number of groups used</span>'
            if found.n_groups in found.ks
            else ""
        )
        figures.append(
            f"<figure><h3>{esc(describe_measure(found)).capitalize()}</h3>{chart}<figcaption>"
            f'<span class="key k-main">this collection</span>{band}{pick}</figcaption></figure>'
        )
    if found.eigenvalues:
        one = f"a drop after the colored ones speaks for {count(found.n_groups, 'group')}"
        drop = "a clear drop after some of them would speak for groups" if flat else one
        figures.append(
            f"<figure><h3>Eigenvalues</h3>{curves.spectrum(found.eigenvalues, found.n_groups)}"
            f"<figcaption>the first {min(len(found.eigenvalues), 40)} in order; {drop}</figcaption></figure>"
        )
    return f'<div class="prose">{bullets(said)}</div><div class="figures">{"".join(figures)}</div>'


def _title(findings: Findings, name: str) -> str:
    """The name of a curve, with the level of chance where it has one."""
    axis = findings.axes.get(name)
    known = axis is not None and math.isfinite(axis.chance)
    return f"{name} (chance {axis.chance:.2f})" if axis is not None and known else name


def further_curves(findings: Findings) -> str:
    """Objectives and other curves met on the way."""
    charts = [
        (_title(findings, name), curves.chart_curve(pairs, clip(name, 80), findings.axes.get(name)))
        for name, pairs in findings.curves.items()
    ]
    parts = [
        f"<figure><h3>{user(name, 100)}</h3>{chart}</figure>" for name, chart in charts if chart
    ]
    if not parts:
        return ""
    return f'<section class="sheet" id="curves"><h2>Further curves</h2><div class="figures">{"".join(parts)}</div></section>'


def table(rows: Mapping[str, Any], caption: str) -> str:
    """Names and values as a table; nested values as one line of JSON."""
    if not rows:
        return ""
    body = []
    for name, value in rows.items():
        plain = (
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        )
        body.append(f'<tr><th scope="row">{user(name, 120)}</th><td>{user(plain, 500)}</td></tr>')
    return f"<table><caption>{esc(caption)}</caption><tbody>{''.join(body)}</tbody></table>"


def snippet(code: str, title: str, name: str) -> str:
    """Lines to copy, with a button that copies them."""
    if not code:
        return ""
    return (
        f'<div class="code"><div class="code-head"><h3>{esc(title)}</h3><button type="button" class="quiet" '
        f'data-copy="{name}">Copy</button></div><pre tabindex="0" aria-label="{esc(title)}"><code id="{name}">{esc(code)}'
        "</code></pre></div>"
    )


def _said(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that say something: those left to coterie are left out, but for the number of groups."""
    named = {
        name: "chosen by coterie" if value is None and name == "k" else value
        for name, value in settings.items()
    }
    return {name: value for name, value in named.items() if value is not None}


def matrix_words(flat: bool) -> str:
    """How to read the matrix."""
    order = "" if flat else ", ordered so that a group stands together"
    block = (
        "a group that holds together would be a block"
        if flat
        else "groups that hold together are blocks"
    )
    strong = f"The stronger the color, the more alike the pair; {block} on the diagonal."
    return f"Every row and every column is a member{order}. {strong}"


def making(findings: Findings, notes: Sequence[str]) -> str:
    """What was done, what went wrong on the way, and how to make it again."""
    troubles = [*findings.notes, *notes]
    parts = []
    steps = describe_steps(findings.steps)
    if steps:
        parts.append(
            f'<section class="sheet" id="walk"><h2>What was done</h2>{bullets(steps, "ol")}</section>'
        )
    if troubles:
        parts.append(
            f'<section class="sheet" id="notes"><h2>Notes</h2>{bullets(troubles)}</section>'
        )
    again = (
        snippet(findings.command, "On the command line", "again-command")
        + snippet(findings.python, "In Python", "again-python")
        + f'<div class="tables">{table(_said(findings.settings), "Settings")}{table(findings.versions, "Versions")}</div>'
    )
    return (
        "".join(parts)
        + f'<section class="sheet" id="again"><h2>Make it again</h2>{again}</section>'
    )
