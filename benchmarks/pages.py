"""The table of the last run as a Markdown page for the docs and as an HTML page that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from table import OVER, SECTIONS, Row, amount

HEADS = (
    "What",
    "Size",
    "coterie",
    "Peer",
    "Its time",
    "Ratio",
    "Goal",
    "Outcome",
    "Apart",
    "Peak",
    "Remark",
)
COLORS = {"reached": "#2e8540", "missed": "#c0392b", "not measured": "#8a6d00", "no goal": ""}
_NUMBERS = {2, 4, 5, 8, 9}
STYLE = """
:root { --paper: #f7f6f2; --sheet: #ffffff; --ink: #1d1f23; --muted: #575d68; --line: #e2e0d9; color-scheme: light;
  --reached: #1d6b34; --missed: #a82315; --not-measured: #775c00;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --paper: #101215; --sheet: #181b20; --ink: #e9e7e2; --muted: #a4abb6;
  --line: #2c3037; --reached: #7fd49a; --missed: #ff9b8c; --not-measured: #e3c15c; color-scheme: dark; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); }
main { max-width: 1500px; margin: 0 auto; padding: 24px clamp(14px, 3vw, 40px); }
section { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; margin: 18px 0; }
h1 { font-size: 1.7rem; margin: 0 0 6px; } h2 { font-size: 1.15rem; margin: 0 0 10px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--muted); font-weight: 600; } th, td { padding: 5px 10px 5px 0; vertical-align: top; }
tr + tr td, thead + tbody tr:first-child td { border-top: 1px solid var(--line); }
.reached { color: var(--reached); } .missed { color: var(--missed); font-weight: 600; }
.not-measured { color: var(--not-measured); }
.number { white-space: nowrap; }
"""


def rows_of(results: dict[str, Any]) -> list[Row]:
    """All rows, in the order of the sections."""
    found = [
        Row.of(one | {"script": name})
        for name, script in results["scripts"].items()
        for one in script["rows"]
    ]
    return sorted(found, key=lambda row: list(SECTIONS).index(row.section))


def cells(row: Row) -> tuple[str, ...]:
    """What stands in the columns."""
    ratio = ""
    if row.ratio is not None:
        ratio = f"{row.ratio:.3g}"
        if row.low is not None and row.high is not None and row.low < row.high:
            ratio += f" ({row.low:.3g} to {row.high:.3g})"
    peak = "" if row.peak is None else amount(row.peak)
    if row.budget:
        peak += f" of {amount(row.budget)}" + (
            f" ({row.peak / row.budget:.2f})" if row.peak is not None else ""
        )
    quality = "" if row.quality is None else f"{row.quality_of} {row.quality:.5g}"
    return (
        row.name,
        row.size,
        "" if row.ours is None else f"{row.ours:.3g} {row.unit}",
        row.peer,
        "" if row.theirs is None else f"{row.theirs:.3g} {row.unit}",
        ratio,
        "; ".join(words for words, _ in row.goals()),
        row.verdict(),
        "" if row.error is None else f"{row.error:.0e}",
        peak,
        "; ".join(part for part in (quality, row.note) if part),
    )


def outcome(row: Row) -> str:
    """The first word of the verdict, which chooses the color."""
    return next(word for word in COLORS if row.verdict().startswith(word))


def sections(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows by section; those without any are left out."""
    found = {key: [row for row in rows if row.section == key] for key in SECTIONS}
    return {SECTIONS[key]: some for key, some in found.items() if some}


def said(results: dict[str, Any]) -> list[str]:
    """What the machine was, how noisy it was, and how many goals are reached: one sentence or two each."""
    machine = results["machine"]
    noise = results["noise"]
    rows = rows_of(results)
    counts = {word: sum(outcome(row) == word for row in rows) for word in COLORS}
    sharing = "" if noise["waited"] < 1.2 else " It was shared with other work."
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    small = (
        " **Small sizes (`--quick`): the goals are those of the full sizes.**"
        if results["quick"]
        else ""
    )
    reached = f"{counts['reached']} rows reach their goals, {counts['missed']} miss one, {counts['not measured']} were not measured"
    others = {name: script["on"] for name, script in results["scripts"].items() if script.get("on")}
    abroad = "".join(
        f" `{name}` was measured on another machine: {where}." for name, where in others.items()
    )
    absent = (
        f" Not measured in this table: {', '.join(results['missing'])}."
        if results["missing"]
        else ""
    )
    return [
        f"{reached}, and {counts['no goal']} have no goal.{absent}{small}",
        f"Machine: {machine['processor']}, {machine['cores']} cores, {machine['memory'] / 2**30:.0f} GiB, {machine['system']}; "
        f"the load was {machine['load_before']:.1f} at the beginning and {machine['load_after']:.1f} at the end."
        f"{sharing}{abroad}",
        f"Noise: the same piece of work, measured before every script, took from {noise['least']:.3f} to {noise['most']:.3f} CPU "
        f"seconds ({noise['most'] / noise['least']:.2f} times), and {noise['waited']:.1f} times as long on the clock as on the "
        "processor (median). A ratio is only as good as its spread, which stands behind it in brackets.",
        f"{results['begun']} to {results['ended']}, {results['minutes']:.0f} minutes, commit {results['commit']}, {versions}.",
    ]


HOW = (
    "Every line was measured by `make bench`, coterie and its peer by turns in the same run, "
    "median of three turns unless it is said otherwise. *CPU s* are seconds of one thread; *wall s* are seconds on the clock. "
    "The ratio is the peer's time over ours, turn by turn. *Apart* is the largest difference of the results. The peak is that of "
    "the whole process during our turns, libraries and data included; under a declared budget it is what the work itself adds, "
    f'and it may be {OVER:g} times the budget. A peer that "ran on a part" computed a sample, and its time was multiplied by the '
    "number given."
)


def markdown(results: dict[str, Any]) -> str:
    """The page of the docs."""
    lines = [
        "# Benchmarks",
        "",
        "<!-- Written by benchmarks/run.py from benchmarks/results/last.json: do not edit. -->",
        "",
        HOW,
        "",
    ]
    for sentence in said(results):
        lines += [sentence, ""]
    if missed := [row for row in rows_of(results) if outcome(row) in ("missed", "not measured")]:
        lines += ["Missed or not measured:", "", *(f"- {_plain(row.line())}" for row in missed), ""]
    for title, some in sections(rows_of(results)).items():
        used = _used(some)
        lines += [f"## {title}", "", _piped([HEADS[i] for i in used]), _piped(["---"] * len(used))]
        for row in some:
            texts = list(cells(row))
            color = COLORS[outcome(row)]
            texts = [_plain(text) for text in texts]
            if color:
                texts[7] = f'<span style="color: {color}">{texts[7]}</span>'
            lines.append(_piped([texts[i] for i in used]))
        lines.append("")
    lines += [
        "## The scripts",
        "",
        _piped(["Script", "Begun", "Seconds", "CPU seconds", "Peak of its processes", "Load"]),
        _piped(["---"] * 6),
    ]
    for name, script in results["scripts"].items():
        begun = script["begun"]
        if script.get("on"):
            begun += f", on {script['on']}, commit {script['commit']}"
        elif script["alone"]:
            begun += f", measured again alone, commit {script['commit']}"
        some = [
            f"`{name}`",
            begun,
            f"{script['seconds']:.0f}",
            f"{script['cpu']:.0f}",
            amount(script["peak"]),
            f"{script['load']:.1f}",
        ]
        lines.append(_piped(some))
    return "\n".join(lines) + "\n"


def page(results: dict[str, Any]) -> str:
    """The same as one HTML file."""
    plain: Callable[[str], str] = lambda text: html.escape(text).replace("*", "").replace("`", "")  # noqa: E731
    parts = [
        f"<h1>Benchmarks of coterie</h1><p>{plain(HOW)}</p>",
        *(f"<p>{plain(one)}</p>" for one in said(results)),
    ]
    missed = [row for row in rows_of(results) if outcome(row) in ("missed", "not measured")]
    if missed:
        parts.append(_section("Missed or not measured", missed))
    parts += [_section(title, some) for title, some in sections(rows_of(results)).items()]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Benchmarks</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body><main>\n'
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _used(rows: list[Row]) -> list[int]:
    """The columns in which something stands."""
    texts = [cells(row) for row in rows]
    return [i for i in range(len(HEADS)) if any(text[i] for text in texts)]


def _plain(text: str) -> str:
    """Words that Markdown leaves as they are."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")


def _piped(texts: list[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _section(title: str, rows: list[Row]) -> str:
    used = _used(rows)
    heads = "".join(f"<th>{HEADS[i]}</th>" for i in used)
    body = []
    for row in rows:
        texts = cells(row)
        kind = outcome(row).replace(" ", "-")
        marked = [
            f'<td class="{kind}">' if i == 7 else '<td class="number">' if i in _NUMBERS else "<td>"
            for i in used
        ]
        body.append(
            "<tr>"
            + "".join(
                f"{mark}{html.escape(texts[i])}</td>" for mark, i in zip(marked, used, strict=True)
            )
            + "</tr>"
        )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return f'<section><h2>{html.escape(title)}</h2><div class="wide">{table}</div></section>'
