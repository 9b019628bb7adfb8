"""The board: the default answer on labelled collections of every kind, beside simple rivals on the same rows.

    python benchmarks/quality/board.py DIR [--only NAME ...] [--kind text ...] [--half choose] [--modes free k]
                                           [--no-rivals] [--once] [--generated] [--limit 600] [--jobs 2]
                                           [--json FILE] [--page FILE] [--record FILE]

DIR holds a folder a collection with a meta.json beside its data (name, family, kind, file, read, label_column, labels,
classes, tags); any folder in that form will do. Every answer is made in a process of its own with a time limit:
coterie free and with the number of classes given, each in two orders of the rows and with two seeds (`--once`: in one order, with one seed),
and the rivals of that kind of data in the same run. The labels are read only to measure.

Families are in the choose half or in the report half (`HALVES`): defaults are chosen on the first and reported on the second.
A family that is not named there belongs to the report half. Means are taken inside families first.

`--only-rivals` makes the answers of the rivals alone, and `--merge FILE ...` puts files of several runs together instead of
making any answer.

`--generated` adds twenty generated collections without structure (`board_nothing`).

Prints a line a collection, the means, and the bars (`board_bars`), each as its figure, what it should reach, and whether it does;
`board.py DIR --merge run.json` prints them for an earlier run. `--json` keeps everything, `--page` writes the page (Markdown, and HTML
beside it), `--record` what each verdict meant, by modality, for the sentence under an answer.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from board_bars import Bar, as_json, average, correlate, is_within_two, measure_bars  # noqa: E402
from board_nothing import write_nothing  # noqa: E402

LIMIT = 600.0  # seconds an answer may take
MODES = ("free", "k")
# The runs of coterie: (order of the rows, seed). The second has another order, the third another seed.
RUNS = ((0, 0), (1, 0), (0, 1))
# Fixed by the names of the families, two by two in alphabetical order within the kind that most of their collections have;
# nobody had seen a result when this was written, and no result changes it.
HALVES = {
    "choose": (
        "abc",
        "anes96_944",
        "audio_mnist_600",
        "bbc",
        "conll2002",
        "cora",
        "corel5k",
        "debian",
        "emoji",
        "gtzan_180",
        "indian_pines_pixels",
        "japanese-vowels",
        "karate_club",
        "lee_50",
        "m10",
        "mv_100leaves",
        "mv_msrc_v5",
        "pendigits",
        "sentiment",
        "seq_basic_motions",
        "seq_epilepsy",
        "seq_gun_point",
        "seq_osuleaf",
        "seq_synthetic_control",
        "sklearn-digits",
        "tagged_eng_3000",
        "tagged_wikigold",
    ),
    "report": (
        "authors",
        "breast_cancer",
        "brown",
        "esc10_150",
        "europarl",
        "flickr8k_1000",
        "generated",
        "iris",
        "libreoffice",
        "mfeat",
        "mv_movies",
        "mv_reuters_1200",
        "newsgroups",
        "omniglot",
        "seq_char_traj100",
        "seq_ering",
        "seq_libras",
        "seq_racket_sports",
        "spamassassin",
        "spoken-digits",
        "tagged_europeana_2500",
        "wine",
        "wordnet_glosses_2000",
    ),
}
MODALITIES = {  # how the means are cut, by the kind that a collection is read as
    "text": "text",
    "mail": "text",
    "slashed": "text",
    "table": "tables",
    "sequences": "sequences",
    "sets": "sets",
    "audio": "recordings",
    "pictures": "pictures",
    "tagged": "tagged names",
    "views": "views",
}


@dataclass(frozen=True)
class Case:
    """One collection of the board."""

    name: str
    folder: Path
    family: str
    kind: str
    members: int
    classes: int  # 0 where there are none
    tags: tuple[str, ...] = ()

    @property
    def half(self) -> str:
        """The half that the family belongs to."""
        return "choose" if self.family in HALVES["choose"] else "report"

    @property
    def modality(self) -> str:
        """The row of the means it counts for."""
        if self.kind == "table" and {"vectors", "embedding"} & set(self.tags):
            return "vectors"
        return MODALITIES[self.kind]

    @property
    def is_structureless(self) -> bool:
        """Whether no answer but "no groups" is right."""
        return "structureless" in self.tags


@dataclass
class Answer:
    """What one process said of one collection."""

    who: str  # coterie, or the rival
    mode: str  # free, or k
    order: int = 0
    seed: int = 0
    labels: list[int] = field(default_factory=list)  # in the order of the file
    ari: float = float("nan")
    nmi: float = float("nan")
    groups: int = 0
    levels: list[int] = field(default_factory=list)  # numbers of groups on all levels shown
    largest: float = float("nan")  # share of the largest group
    is_grouped: bool = True  # whether it says that there are groups
    verdict: str = ""  # strong, moderate, weak or none
    judged_as: str = ""  # the modality that the verdict is calibrated for
    stability: float = float("nan")
    unstable: float = float("nan")  # share of the groups
    witnesses: dict[str, float] = field(default_factory=dict)
    seconds: float = float("nan")  # of grouping, without reading
    peak: float = float("nan")  # bytes
    problem: str = ""


def read_cases(folder: Path) -> list[Case]:
    """Every collection in a folder, by name."""
    found = []
    for path in sorted(folder.glob("*/meta.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        found.append(
            Case(
                name=said["name"],
                folder=path.parent,
                family=said["family"],
                kind=said["kind"],
                members=int(said["n"]),
                classes=int(said["classes"] or 0),
                tags=tuple(said.get("tags", ())),
            )
        )
    return found


def read_collection(folder: Path) -> tuple[Any, list[str | None]]:
    """The members, and the class of each (None where it has none)."""
    import csv

    from coterie import read

    said = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    reading = dict(said["read"])
    if "links" in reading:
        reading["links"] = {name: str(folder / path) for name, path in reading["links"].items()}
    truth = [said["label_column"], *said["other_labels"]] if said["label_column"] else []
    collection = read(str(folder / said["file"]), kind=said["kind"], truth=truth, **reading)
    if said["label_column"]:
        classes = [str(one) for one in collection.truth[said["label_column"]].tolist()]
        return collection, [None if one in ("", "None", "nan") else one for one in classes]
    if said["labels"]:
        with (folder / said["labels"]).open(encoding="utf-8", newline="") as file:
            known = {row["id"]: row["label"] for row in csv.DictReader(file)}
        return collection, [known.get(member) for member in collection.ids]
    return collection, [None] * len(collection)


# ---- in a process of its own --------------------------------------------------------------------------------------


def answer_one(folder: Path, who: str, mode: str, order: int, seed: int) -> Answer:
    """Group one collection and measure the groups; with order 1 the rows are shuffled before anything sees them."""
    import numpy as np

    collection, classes = read_collection(folder)
    n = len(collection)
    rows = np.arange(n) if order == 0 else np.random.default_rng(1234 + order).permutation(n)
    if order:
        collection = collection.take(rows)
    known = len({one for one in classes if one is not None})
    k = known if mode == "k" else None
    answer = Answer(who, mode, order, seed)
    begun = time.perf_counter()
    if who == "coterie":
        labels = _group_by_coterie(collection, k, seed, answer)
    else:
        import board_rivals

        kind = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["kind"]
        labels = board_rivals.group(who, collection, k, seed, kind)
    answer.seconds = time.perf_counter() - begun
    back = np.empty(n, dtype=np.int64)
    back[rows] = labels
    answer.labels = back.tolist()
    sizes = np.bincount(back[back >= 0]) if (back >= 0).any() else np.zeros(1)
    answer.groups = int((sizes > 0).sum())
    answer.largest = float(sizes.max() / n)
    if known:
        answer.ari, answer.nmi = agreement(back, classes)
    answer.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
    return answer


def _group_by_coterie(collection: Any, k: int | None, seed: int, answer: Answer) -> Any:
    import coterie

    found = coterie.explore(collection, k=k, seed=seed)
    evidence = found.findings.evidence
    answer.is_grouped = bool(evidence.structured)
    answer.verdict = evidence.verdict
    answer.judged_as = evidence.modality
    answer.stability = float(evidence.stability)
    answer.unstable = statistics.fmean([group.is_unstable for group in found.findings.groups])
    answer.witnesses = dict(evidence.witnesses)
    answer.levels = [len(level.names) for level in found.findings.levels]
    return found.labels


def agreement(labels: Sequence[int] | Any, classes: Sequence[Any]) -> tuple[float, float]:
    """ARI and NMI over the members whose class is known; a member in no group is a group of its own."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labels = np.array(labels, dtype=np.int64)
    alone = labels < 0
    labels[alone] = labels.max(initial=0) + 1 + np.arange(int(alone.sum()))
    seen = np.array([one is not None for one in classes])
    ours, theirs = labels[seen], np.array([one for one in classes if one is not None])
    return (
        float(adjusted_rand_score(theirs, ours)),
        float(normalized_mutual_info_score(theirs, ours)),
    )


def _work(words: Sequence[str]) -> int:
    """The process of one answer: prints it as JSON."""
    folder, who, mode, order, seed = words
    answer = answer_one(Path(folder), who, mode, int(order), int(seed))
    Path(os.environ["BOARD_ANSWER"]).write_text(json.dumps(asdict(answer)), encoding="utf-8")
    return 0


# ---- the run ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """One answer that is wanted."""

    case: Case
    who: str
    mode: str
    order: int = 0
    seed: int = 0


def list_tasks(
    cases: Iterable[Case], modes: Sequence[str], rivals: bool, once: bool, ours: bool = True
) -> list[Task]:
    """Every answer that is wanted; with no known number of classes k cannot be given."""
    import board_rivals

    tasks = []
    for case in cases:
        for mode in modes:
            if mode == "k" and not case.classes:
                continue
            runs = RUNS[:1] if once else RUNS
            if ours:
                tasks += [Task(case, "coterie", mode, order, seed) for order, seed in runs]
            if rivals and case.classes:
                tasks += [Task(case, who, mode) for who in board_rivals.names(case.kind, mode)]
    return tasks


def run_task(task: Task, limit: float) -> Answer:
    """An answer from a process of its own, or what was wrong."""
    words = [str(task.case.folder.resolve()), task.who, task.mode, str(task.order), str(task.seed)]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "answer.json"
        environment = {**os.environ, "BOARD_ANSWER": str(path), "COTERIE_STORE": place}
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--answer", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=place,
            start_new_session=True,
        )
        try:
            _, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return _failed(task, f"not done within {limit:.0f} s", time.perf_counter() - begun)
        if process.returncode or not path.exists():
            last = next((line for line in reversed(said.splitlines()) if line.strip()), "ended")
            return _failed(task, last.strip()[:300], time.perf_counter() - begun)
        return Answer(**json.loads(path.read_text(encoding="utf-8")))


def _failed(task: Task, problem: str, seconds: float) -> Answer:
    return Answer(
        task.who,
        task.mode,
        task.order,
        task.seed,
        is_grouped=False,
        seconds=seconds,
        problem=problem,
    )


@dataclass
class Row:
    """One collection in one mode: ours beside the best rival."""

    name: str
    family: str
    half: str
    modality: str
    mode: str
    members: int
    classes: int
    structureless: bool
    ari: float  # mean over the runs
    nmi: float
    groups: int
    largest: float
    is_grouped: bool
    verdict: str
    stability: float
    orders: float  # ARI between two orders of the rows
    seeds: float  # ARI between two seeds
    seconds: float
    peak: float
    rivals: dict[str, float]  # ARI by name
    best: str
    regret: float  # the best rival's ARI less ours; negative where ours is better
    problems: list[str]
    tags: list[str] = field(default_factory=list)
    judged_as: str = ""
    unstable: float = float("nan")
    witnesses: dict[str, float] = field(default_factory=dict)
    levels: list[int] = field(default_factory=list)  # numbers of groups on all levels shown


def summarize(case: Case, mode: str, answers: Sequence[Answer]) -> Row:
    """One row from all answers to a collection in one mode."""
    ours = [one for one in answers if one.who == "coterie"]
    done = [one for one in ours if not one.problem]
    first = done[0] if done else ours[0] if ours else Answer("coterie", mode, is_grouped=False)
    rivals = {one.who: one.ari for one in answers if one.who != "coterie" and not one.problem}
    ari = _mean_of([0.0 if one.problem else one.ari for one in ours])
    best = max(rivals, key=lambda name: rivals[name], default="")
    by_run = {(one.order, one.seed): one for one in done}
    return Row(
        name=case.name,
        family=case.family,
        half=case.half,
        modality=case.modality,
        mode=mode,
        members=case.members,
        classes=case.classes,
        structureless=case.is_structureless,
        ari=ari,
        nmi=_mean_of([0.0 if one.problem else one.nmi for one in ours]),
        groups=first.groups,
        largest=first.largest,
        is_grouped=first.is_grouped,
        verdict=first.verdict,
        stability=first.stability,
        orders=_between(by_run, RUNS[0], RUNS[1]),
        seeds=_between(by_run, RUNS[0], RUNS[2]),
        seconds=statistics.median([one.seconds for one in ours] or [float("nan")]),
        peak=max([one.peak for one in done], default=float("nan")),
        rivals=rivals,
        best=best,
        regret=rivals[best] - ari if best else float("nan"),
        problems=[
            f"{one.who} ({one.mode}, order {one.order}, seed {one.seed}): {one.problem}"
            for one in answers
            if one.problem
        ],
        tags=list(case.tags),
        judged_as=first.judged_as,
        unstable=first.unstable,
        witnesses=first.witnesses,
        levels=first.levels,
    )


def _mean_of(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else float("nan")


def merge_rows(parts: Iterable[Row]) -> list[Row]:
    """Rows of several runs, one a collection and mode: ours from where it was run, and the rivals of all."""
    found: dict[tuple[str, str], Row] = {}
    for row in parts:
        key = (row.name, row.mode)
        if key not in found:
            found[key] = row
            continue
        ours, other = (row, found[key]) if row.groups else (found[key], row)
        rivals = {**other.rivals, **ours.rivals}
        best = max(rivals, key=lambda name: rivals[name], default="")
        regret = rivals[best] - ours.ari if best else float("nan")
        problems = list(dict.fromkeys([*ours.problems, *other.problems]))
        found[key] = replace(ours, rivals=rivals, best=best, regret=regret, problems=problems)
    return list(found.values())


def _between(by_run: Mapping[tuple[int, int], Answer], one: Any, other: Any) -> float:
    if one not in by_run or other not in by_run:
        return float("nan")
    return agreement(by_run[one].labels, by_run[other].labels)[0]


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The means and shares that the bars ask for, by modality, mode and half."""
    found: dict[str, Any] = {}
    labelled = [row for row in rows if row.classes]
    for mode in MODES:
        for half in ("all", "choose", "report"):
            inside = [row for row in labelled if row.mode == mode and half in ("all", row.half)]
            for modality in ("everything", *dict.fromkeys(row.modality for row in inside)):
                some = [row for row in inside if modality in ("everything", row.modality)]
                if not some:
                    continue
                names = sorted({name for row in some for name in row.rivals})
                found[f"{mode}/{half}/{modality}"] = {
                    "collections": len(some),
                    "families": len({row.family for row in some}),
                    "ari": average(some, lambda row: row.ari),
                    "nmi": average(some, lambda row: row.nmi),
                    "best_rival": average(some, lambda row: row.rivals.get(row.best, float("nan"))),
                    "rivals": {
                        name: average(
                            some, lambda row, name=name: row.rivals.get(name, float("nan"))
                        )
                        for name in names
                    },
                    "orders": average(some, lambda row: row.orders),
                    "seeds": average(some, lambda row: row.seeds),
                    "within_factor_two": statistics.fmean([is_within_two(row) for row in some]),
                    "stability_and_ari": correlate(some),
                    "giants": sum(row.largest > 0.8 for row in some),
                    "seconds": statistics.median([row.seconds for row in some]),
                }
    free = [row for row in rows if row.mode == "free"]
    grouped = [row for row in free if row.structureless and row.is_grouped]
    found["structureless"] = {
        "collections": sum(row.structureless for row in free),
        "called_grouped": sorted(row.name for row in grouped),
    }
    missed = [
        row.name
        for row in free
        if row.classes and not row.is_grouped and max(_with_k(rows, row), default=0.0) >= 0.4
    ]
    found["missed"] = sorted(missed)
    found["verdicts"] = measure_verdicts(free)
    return found


def measure_verdicts(free: Sequence[Row]) -> dict[str, Any]:
    """What each verdict meant: on labelled collections, on those without classes, and the rank correlation of stability with ARI."""
    found: dict[str, Any] = {}
    for verdict in ("strong", "moderate", "weak", "none"):
        some = sorted(row.ari for row in free if row.verdict == verdict and row.classes)
        found[verdict] = {
            "collections": len(some),
            "below_.3": sum(ari < 0.3 for ari in some),
            "median_ari": statistics.median(some) if some else float("nan"),
            "structureless": sorted(
                row.name for row in free if row.verdict == verdict and row.structureless
            ),
        }
    known = [row for row in free if row.classes and row.stability == row.stability]
    found["spearman"] = {"collections": len(known), "stability_and_ari": correlate(known)}
    return found


ENOUGH = 10  # collections from which a modality has a record of its own for a verdict


def record_verdicts(free: Sequence[Row]) -> dict[str, dict[str, dict[str, int]]]:
    """Of each verdict the labelled collections that got it and those that agreed with their classes by .3 or more.

    Over all ("all"), and for a modality in the words of coterie where at least ten got that verdict.
    """

    def count(rows: Sequence[Row], least: int) -> dict[str, dict[str, int]]:
        found = {}
        for verdict in ("strong", "moderate", "weak"):
            some = [row for row in rows if row.verdict == verdict and row.classes]
            if len(some) >= least:
                agreed = sum(row.ari >= 0.3 for row in some)
                found[verdict] = {"collections": len(some), "agreed": agreed}
        return found

    kinds = sorted({row.judged_as for row in free if row.judged_as})
    by_kind = {
        kind: count([row for row in free if row.judged_as == kind], ENOUGH) for kind in kinds
    }
    return {"all": count(free, 1), **{kind: said for kind, said in by_kind.items() if said}}


def _with_k(rows: Sequence[Row], row: Row) -> list[float]:
    """What rivals reach on a collection when they are given the number of classes."""
    return [
        value
        for other in rows
        if other.name == row.name and other.mode == "k"
        for value in other.rivals.values()
    ]


def run(
    cases: Sequence[Case],
    modes: Sequence[str],
    *,
    rivals: bool,
    once: bool,
    limit: float,
    jobs: int,
    tell: Any,
    ours: bool = True,
) -> tuple[list[Row], list[Answer]]:
    """Make every answer and summarize collection by collection, in their order."""
    tasks = list_tasks(cases, modes, rivals, once, ours)
    rows: list[Row] = []
    everything: list[Answer] = []
    with ThreadPoolExecutor(jobs) as pool:
        made = [pool.submit(run_task, task, limit) for task in tasks]
        at = 0
        while at < len(tasks):
            case, mode = tasks[at].case, tasks[at].mode
            end = at
            while end < len(tasks) and (tasks[end].case, tasks[end].mode) == (case, mode):
                end += 1
            answers = [one.result() for one in made[at:end]]
            rows.append(summarize(case, mode, answers))
            everything += answers
            tell(rows[-1])
            at = end
    return rows, everything


def tell_row(row: Row) -> None:
    """One line on a collection."""
    rival = f"{row.best} {row.rivals[row.best]:.2f}" if row.best else ""
    levels = f" levels {' '.join(map(str, row.levels))}" if row.levels else ""
    ari = f"ARI {row.ari:.2f}" if row.classes else ("GROUPED" if row.is_grouped else "none")
    print(
        f"{row.name:<28} {row.mode:<5} {ari:<9} groups {row.groups:>3}/{row.classes:<3}{levels} largest {row.largest:4.0%} "
        f"orders {row.orders:5.2f} seeds {row.seeds:5.2f} {row.seconds:6.1f} s  {rival}"
        + "".join(f"\n    {one}" for one in row.problems),
        flush=True,
    )


def tell_bars(bars: Sequence[Bar]) -> None:
    """The bars, a line each, and how many are held."""
    print()
    for bar in bars:
        print(bar.line())
    known = [bar for bar in bars if bar.is_measured]
    held = sum(bar.is_held for bar in known)
    print(f"{held} of {len(known)} bars are held; {len(bars) - len(known)} were not measured.")


def tell_means(measured: Mapping[str, Any]) -> None:
    """The means, a line a modality."""
    for name, said in measured.items():
        if isinstance(said, Mapping) and "ari" in said:
            top = sorted(said["rivals"].items(), key=lambda item: -item[1])[:3]
            rivals = ", ".join(f"{who} {value:.3f}" for who, value in top)
            print(
                f"{name:<28} {said['collections']:>3} collections  ARI {said['ari']:.3f}  NMI {said['nmi']:.3f}  "
                f"factor 2 {said['within_factor_two']:4.0%}  giants {said['giants']}  "
                f"stability and ARI {said['stability_and_ari']:5.2f}   {rivals}"
            )
    nothing = measured["structureless"]
    print(
        f"structureless: {len(nothing['called_grouped'])} of {nothing['collections']} called grouped: "
        f"{', '.join(nothing['called_grouped']) or 'none of them'}"
    )
    for verdict, said in measured["verdicts"].items():
        print(f"{verdict}: {said}")
    print(f"missed though a rival with k reaches .4: {', '.join(measured['missed']) or 'none'}")


def rows_from(text: str) -> list[Row]:
    """The rows of a file that `--json` wrote."""
    names = {one.name for one in fields(Row)}
    return [
        Row(**{name: row[name] for name in names if name in row})
        for row in json.loads(text)["rows"]
    ]


def main() -> int:
    if sys.argv[1:2] == ["--answer"]:
        return _work(sys.argv[2:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--merge", nargs="+", type=Path, default=[], metavar="FILE")
    parser.add_argument("--only-rivals", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--kind", nargs="*", default=[], metavar="KIND")
    parser.add_argument("--half", choices=("all", "choose", "report"), default="all")
    parser.add_argument("--modes", nargs="*", choices=MODES, default=list(MODES))
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--once", action="store_true", help="one order and one seed")
    parser.add_argument(
        "--generated",
        action="store_true",
        help="twenty generated collections without structure too",
    )
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE")
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="what each verdict meant, for the messages (src/coterie/messages/verdicts.json)",
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        known = read_cases(asked.folder)
        if asked.generated:
            write_nothing(Path(place))
            known += read_cases(Path(place))
        return _answer(parser, asked, known)


def _answer(
    parser: argparse.ArgumentParser, asked: argparse.Namespace, known: Sequence[Case]
) -> int:
    """Make the answers that were asked for, or take those of earlier runs, and tell of them."""
    cases = [
        case
        for case in known
        if (not asked.only or case.name in asked.only)
        and (not asked.kind or case.kind in asked.kind)
        and asked.half in ("all", case.half)
    ]
    if asked.merge:
        parts = [row for file in asked.merge for row in rows_from(file.read_text(encoding="utf-8"))]
        return _tell(merge_rows(parts), [], asked)
    if not cases:
        parser.error(
            f"There is no collection with a meta.json in {asked.folder} that was asked for."
        )
    rows, answers = run(
        cases,
        asked.modes,
        rivals=not asked.no_rivals,
        once=asked.once,
        limit=asked.limit,
        jobs=asked.jobs,
        tell=tell_row,
        ours=not asked.only_rivals,
    )
    return _tell(rows, answers, asked)


def _tell(rows: Sequence[Row], answers: Sequence[Answer], asked: argparse.Namespace) -> int:
    """Print the means, and write what was asked for."""
    measured = measure(rows)
    bars = measure_bars(rows)
    tell_means(measured)
    tell_bars(bars)
    if asked.json:
        slim = [{**asdict(one), "labels": []} for one in answers]
        said = {
            "rows": [asdict(row) for row in rows],
            "measured": measured,
            "bars": as_json(bars),
            "answers": slim,
        }
        asked.json.write_text(json.dumps(said, indent=1), encoding="utf-8")
    if asked.record:
        kept = record_verdicts([row for row in rows if row.mode == "free"])
        asked.record.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if asked.page:
        from board_page import write_page

        write_page(rows, measured, bars, asked.page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
