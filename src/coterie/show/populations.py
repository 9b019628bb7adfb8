"""What each group is tied to, as a part of the report: words and people side by side, and how often groups and clusters meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.core.errors import DataError
from coterie.core.findings import Cluster, Findings, Group, Meeting, Population
from coterie.show import markup
from coterie.show.markup import clip, esc, figure, marker, percent, user

NAMES = 6  # telling elements of a cluster that are written out
LEVELS = (
    1.25,
    1.75,
    2.5,
    3.5,
    5.0,
    8.0,
    14.0,
)  # times as often as by chance from which a cell is one shade stronger
ROOM = 64  # letters of the elements of a cluster that are written out
WIDE = 9  # columns above which a table takes the whole width
COLUMNS = 40  # groups that a table of meetings can hold


def section(findings: Findings) -> str:
    """The whole part, or nothing where members were not grouped by what they are tied to."""
    groups = [group for group in findings.groups if group.label >= 0]
    populations = [one for one in findings.populations if one.clusters]
    if not populations or not groups:
        return ""
    for one in populations:
        _check(one.name, one.lift, len(one.clusters))
    for meeting in findings.meetings:
        _check(meeting.title, meeting.lift, len(meeting.rows), len(meeting.columns))
    names = _listed([clip(one.name, 40) for one in populations])
    words = f"Each group beside the {names} that belong to it more often than by chance; elements that tell most come first."
    tables = "".join(_heat(one, groups) for one in populations) if len(groups) <= COLUMNS else ""
    meetings = "".join(_meeting(one) for one in findings.meetings if len(one.columns) <= COLUMNS)
    return (
        '<section class="sheet" id="populations" aria-labelledby="populations-title"><div class="sheet-head">'
        f'<h2 id="populations-title">What the groups are tied to</h2><p>{esc(words)}</p></div>'
        f'{_beside(populations, groups)}<div class="heats">{tables}</div>{meetings}</section>'
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _check(name: str, lift: np.ndarray, rows: int, columns: int | None = None) -> None:
    shape = np.shape(lift)
    if len(shape) != 2 or shape[0] != rows or columns not in (None, shape[1]):
        wanted = f"{rows} clusters" if columns is None else f"{rows} by {columns} clusters"
        raise DataError(
            f"'{clip(name, 60)}' has {wanted}, and its meetings have the shape {shape}."
        )


def _beside(populations: Sequence[Population], groups: Sequence[Group]) -> str:
    """One row per group: its own cluster of every population, side by side."""
    heads = "".join(
        f'<th scope="col">{user(one.name.capitalize(), 60)}</th>' for one in populations
    )
    rows = []
    for group in groups:
        cells = "".join(f"<td>{_elements(one.hottest(group.label))}</td>" for one in populations)
        rows.append(
            f'<tr><th scope="row"><a href="#group-{group.label}">{marker(group.label)} <b>{markup.letter(group.label)}</b></a> '
            f"{user(group.name, 90)}</th>{cells}</tr>"
        )
    return (
        '<div class="beside-frame"><table class="beside"><caption class="sr">Groups and what belongs to them</caption>'
        f'<thead><tr><th scope="col">Group</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _elements(cluster: Cluster | None, most: int = NAMES) -> str:
    if cluster is None:
        return '<span class="small">none more than others</span>'
    names = [clip(name, 60) for name, _ in cluster.telling[:most]]
    while len(names) > 2 and len(", ".join(names)) > ROOM:
        names.pop()
    return ", ".join(user(name) for name in names) or "–"


def _heat(population: Population, groups: Sequence[Group]) -> str:
    """One row per cluster, one column per group, and how many times as often as by chance they meet."""
    lift = np.asarray(population.lift, dtype=np.float64)
    shown = [group for group in groups if group.label < lift.shape[1]]
    heads = "".join(
        f'<th scope="col" title="{esc(clip(group.name, 120))}">{marker(group.label)}<br>{markup.letter(group.label)}'
        f'<span class="sr"> {esc(clip(group.name, 60))}</span></th>'
        for group in shown
    )
    rows = []
    for cluster, row in zip(population.clusters, lift, strict=True):
        cells = "".join(_cell(float(row[group.label])) for group in shown)
        full = esc(", ".join(clip(name, 60) for name, _ in cluster.telling))
        size = f'<span class="n" title="{figure(cluster.size)} elements, {percent(cluster.share)} of all occurrences">'
        rows.append(
            f'<tr><th scope="row" title="{full}">{_elements(cluster, 5)} {size}{figure(cluster.size)}</span></th>{cells}</tr>'
        )
    return (
        f'<figure class="heat{" wide" if len(shown) > WIDE else ""}"><h3>{user(population.name.capitalize(), 60)}</h3>'
        f'<p class="said">{user(population.sentence, 400)}</p>'
        f'<div class="heat-frame"><table><caption class="sr">{user(population.name, 60)} by group</caption><thead><tr>'
        f'<th scope="col">Cluster and its size</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div></figure>'
    )


def level(lift: float) -> int:
    """How strongly a meeting is shaded: 0 as by chance or less, up to 7.

    >>> level(1.0), level(2.0), level(100.0)
    (0, 2, 7)
    """
    return sum(lift >= least for least in LEVELS)


def times(lift: float) -> str:
    """A ratio to what chance would give, as short as it can be read.

    >>> times(12.34), times(2.0), times(0.02)
    ('12', '2.0', '0')
    """
    if not np.isfinite(lift):
        return "–"
    return f"{lift:.0f}" if lift >= 9.95 or lift < 0.05 else f"{lift:.1f}"


def _cell(lift: float) -> str:
    strength = level(lift) if np.isfinite(lift) else 0
    return f'<td class="{f"h{strength}" if strength else "cool"}">{times(lift)}</td>'


def _meeting(meeting: Meeting) -> str:
    """Clusters of two populations against each other."""
    heads = "".join(
        f'<th scope="col"><span class="turned">{user(name, 40)}</span></th>'
        for name in meeting.columns
    )
    rows = "".join(
        f'<tr><th scope="row">{user(name, 80)}</th>{"".join(_cell(float(value)) for value in row)}</tr>'
        for name, row in zip(meeting.rows, np.asarray(meeting.lift, dtype=np.float64), strict=True)
    )
    return (
        f'<figure class="heat meeting"><h3>{user(meeting.title, 120)}</h3><p class="said">{user(meeting.sentence, 600)}</p>'
        f'<div class="heat-frame"><table><caption class="sr">{user(meeting.title, 120)}</caption><thead><tr><td></td>{heads}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div></figure>"
    )
