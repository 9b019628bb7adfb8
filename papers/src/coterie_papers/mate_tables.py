"""Tables of mates of Hardoon and Pelckmans beside ours: all combinations of languages, untuned and tuned, and what must hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coterie_papers.experiment import Ledger, Row, Trial
from coterie_papers.view_data import (
    EUROPARL,
    TITLES,
    Sheet,
    combos,
    drawn,
    read_lines,
    sentences_of,
)
from coterie_papers.view_ways import (
    ABS,
    CHOSEN,
    COSINE,
    OURS,
    PLAIN,
    UNIT,
    UNTUNED,
    WAYS,
    Way,
    best,
    curves,
    over,
    settings,
    tell,
    tuned,
)

# average precision by language, over all pairs and over all triples (11,968 documents; 5,000 and 2,000 candidates)
_COLUMNS = ("da", "de", "en", "es", "it", "nl", "pt", "sv", "mean")
_PRINTED = {
    (2, PLAIN): (0.4174, 0.3839, 0.4979, 0.4243, 0.4572, 0.4023, 0.4939, 0.4714, 0.4435),
    (2, OURS): (0.4294, 0.4416, 0.4747, 0.4344, 0.4368, 0.4111, 0.4679, 0.4716, 0.4459),
    (3, PLAIN): (0.3687, 0.3290, 0.3930, 0.3742, 0.3792, 0.3501, 0.3917, 0.3909, 0.3721),
    (3, OURS): (0.5407, 0.5155, 0.5427, 0.5394, 0.5310, 0.5246, 0.5406, 0.5504, 0.5356),
}
PAPER = {key: dict(zip(_COLUMNS, values, strict=True)) for key, values in _PRINTED.items()}
SIZES = {2: "pairs", 3: "triples"}
_BY_LANGUAGE = f"{ABS}, by language"
_TRAIN = 500
_POOL = 2000
_QUICK = (300, 600)
_TUNING = 3  # combinations that tuning looks at
_FEW = (OURS, UNIT, PLAIN, "KCCA correlation")  # ways of a quick run
# untuned PWCA beside untuned KCCA, and tuned beside the best of all
MORE = 1.2
NEAR = 0.01


@dataclass(frozen=True, eq=False)
class Table:
    """One data set and size of combination: means by measure and way, untuned and tuned, and the draws they are of."""

    title: str
    sheets: list[Sheet]
    chosen: list[tuple[str, ...]]
    plain: Mapping[str, Mapping[str, float]]
    best: Mapping[str, Mapping[str, float]]


def counted(many: int, size: int) -> str:
    """So many pairs or triples, in words."""
    return f"{many} {SIZES[size]}" if many != 1 else f"1 {SIZES[size].removesuffix('s')}"


def ways(quick: bool) -> dict[str, Way]:
    """All of them, or a few in haste."""
    return {name: way for name, way in WAYS.items() if not quick or name in _FEW}


def sheets(
    trial: Trial, ledger: Ledger, data: str, pool: int | None = None, *, whole_lines: bool = False
) -> list[Sheet]:
    """One draw per seed, with as many members to be searched as both tables have; none where the data is not here.

    Of Europarl these are sentences, as lines (72 words on average) leave little room above the simplest ways.
    """
    lines = read_lines(trial, ledger, data)
    if lines is None:
        return []
    if data == EUROPARL and not whole_lines:
        lines = sentences_of(lines)
    title = "Europarl lines" if whole_lines else TITLES[data]
    train, test = _QUICK if trial.quick else (_TRAIN, pool or _POOL)
    names = list(lines)[:3] if trial.quick else list(lines)
    return [
        drawn(title, {n: lines[n] for n in names}, seed, train, test) for seed in range(trial.seeds)
    ]


def table(trial: Trial, ledger: Ledger, where: str, draws: Sequence[Sheet], size: int) -> Table:
    """Every way on all combinations of that size, untuned and tuned: rows, the paper's numbers beside them, and relations."""
    most = _POOL if not trial.quick else None
    draws = [sheet.only(sheet.views, most) for sheet in draws]
    chosen = combos(draws[0].views, size, 1 if trial.quick else None)
    known = ways(trial.quick)
    pool = next(iter(draws[0].test.values())).shape[0]
    title = f"{draws[0].name}, {counted(len(chosen), size)}, {pool:,} candidates"
    place = f"{where}/{draws[0].name}/{size}/{'quick' if trial.quick else 'whole'}"
    runs = []
    after = []
    chosen_settings = []
    for seed, sheet in enumerate(draws):
        runs.append(over(f"{place}/untuned", sheet, chosen, settings(known, None), seed))
        tries = tuned(
            f"{place}/tuning",
            sheet,
            combos(sheet.views, size, 1 if trial.quick else _TUNING, seed),
            known,
            seed,
        )
        if not seed:
            ledger.draw(curves(f"{sheet.name}, {SIZES[size]}", tries))
        last = settings(known, tries)
        after.append(over(f"{place}/tuned", sheet, chosen, last, seed))
        chosen_settings.append({name: best(tries[name]) for name in known})
    for name in known:
        ledger.add(f"{name}, tuned", "setting", title, [one[name] for one in chosen_settings])
    plain = tell(ledger, title, list(known), runs, "")
    found = tell(ledger, title, list(last), after, ", tuned")
    _columns(ledger, draws[0].name, size, chosen, runs, list(known))
    _relations(ledger, title, plain, found)
    return Table(draws[0].name, list(draws), chosen, plain, found)


def _columns(
    ledger: Ledger,
    data: str,
    size: int,
    chosen: Sequence[tuple[str, ...]],
    runs: Sequence[Mapping[str, np.ndarray]],
    names: Sequence[str],
) -> None:
    """The columns of the paper: the mean of all combinations that hold a language, by |inner product| as the paper ranks."""
    printed = data == TITLES[EUROPARL]
    for name in (OURS, PLAIN):
        values = np.mean([run[ABS][:, names.index(name)] for run in runs], axis=0)
        for language in sorted({view for views in chosen for view in views}):
            held = np.array([language in views for views in chosen])
            paper = PAPER[size, name].get(language) if printed else None
            ledger.rows.append(
                Row(
                    name,
                    _BY_LANGUAGE,
                    f"{data}, {SIZES[size]}, {language}",
                    values[held].mean(),
                    0.0,
                    paper,
                )
            )
        paper = PAPER[size, name]["mean"] if printed else None
        ledger.rows.append(
            Row(name, _BY_LANGUAGE, f"{data}, {SIZES[size]}, mean", values.mean(), 0.0, paper)
        )


def by_language(ledger: Ledger, data: str, size: int) -> dict[tuple[str, str], float]:
    """The columns of the paper as they stand in the rows of a table, by way and language."""
    start = f"{data}, {SIZES[size]}, "
    columns = [
        row for row in ledger.rows if row.measure == _BY_LANGUAGE and row.data.startswith(start)
    ]
    found = {(row.method, row.data.removeprefix(start)): row.ours for row in columns}
    return {
        (name, language): value for (name, language), value in found.items() if language != "mean"
    }


def well_above(ledger: Ledger, title: str, measure: str, ours: float, theirs: float) -> None:
    """Whether untuned PWCA is well above untuned KCCA."""
    text = f"{title}: untuned (tau {UNTUNED}, all components) {OURS} is at least {MORE} times {PLAIN} by {measure}"
    ledger.relate(
        f"{text} ({ours:.3f} and {theirs:.3f}, {ours / theirs:.2f} times)", ours >= MORE * theirs
    )


def _relations(
    ledger: Ledger,
    title: str,
    plain: Mapping[str, Mapping[str, float]],
    found: Mapping[str, Mapping[str, float]],
) -> None:
    """Untuned PWCA is well above KCCA, tuned it is beside the best, and the cosine is above |inner product| throughout."""
    for measure in (COSINE, ABS):
        well_above(ledger, title, measure, plain[measure][OURS], plain[measure][PLAIN])
    if UNIT in plain[COSINE]:
        one = plain[COSINE][UNIT]
        other = plain[COSINE][PLAIN]
        text = f"{title}: with equal weights and all components PWCA and KCCA find the same space untuned, to 0.02"
        ledger.relate(f"{text} ({UNIT} {one:.3f}, {PLAIN} {other:.3f})", abs(one - other) <= 0.02)
    baselines = {
        name: value for name, value in found[COSINE].items() if not name.startswith("PWCA")
    }
    top = max(baselines, key=baselines.__getitem__)
    ours = found[COSINE][CHOSEN]
    text = f"{title}: tuned, {CHOSEN} is within {NEAR} of the best baseline or above"
    beside = f"{ours:.3f}, {OURS} {found[COSINE][OURS]:.3f}, and {top} {baselines[top]:.3f}"
    ledger.relate(f"{text} ({beside})", ours >= baselines[top] - NEAR)
    below = [
        f"{name}{how} {values[COSINE][name]:.3f} and {values[ABS][name]:.3f}"
        for how, values in (("", plain), (", tuned", found))
        for name in values[COSINE]
        if values[COSINE][name] <= values[ABS][name]
    ]
    text = f"{title}: the cosine is above |inner product| for every way, untuned and tuned"
    ledger.relate(
        f"{text} (all of {len(plain[COSINE]) + len(found[COSINE])})"
        if not below
        else f"{text} (not {'; '.join(below)})",
        not below,
    )
