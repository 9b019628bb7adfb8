"""What vectors add on the board: texts with vectors of their words beside the same without, and texts with vectors beside.

    python benchmarks/quality/vectors.py DIR [--only NAME ...] [--half choose] [--modes free k] [--most 2300] [--beside] [--json FILE]

DIR is a folder of collections as `board.py` reads it. Every collection of plain texts with known classes and at most `--most`
members is grouped by words alone and with `coterie[embed]`; the labels are read only to measure. With `--beside` the texts have
vectors as `coterie explore texts --vectors emb.npy` takes them: those of DIR (`vec_NAME`), and for others the vectors of
their words, made here and stored nowhere; answers by words, by vectors and by both stand beside UMAP and HDBSCAN on the same
vectors, where UMAP is installed.

`--merge FILE ...` prints the means of answers that were kept, and makes none.

Prints a line a collection and the means, families first, by half and by length (up to 12 tokens, as `Terms` counts them, or more).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import board
import board_rivals

SHORT = 12  # tokens up to which a text is short
WORDS, EMBED = "words", "embed"
TEXT, VECTORS, BOTH, RIVAL = "text", "vectors", "both", "umap+hdbscan"


@dataclass
class Answer:
    """The agreement of one answer with the classes."""

    name: str
    family: str
    half: str
    tokens: float
    classes: int
    mode: str
    who: str
    ari: float
    groups: int
    seconds: float


def cases_in(folder: Path, names: Sequence[str], half: str, most: int) -> list[board.Case]:
    """Collections of plain texts with classes, and not too many members."""
    found = []
    for case in board.read_cases(folder):
        said = json.loads((case.folder / "meta.json").read_text(encoding="utf-8"))
        is_plain = case.kind == "text" and not {"links", "views"} & set(said["read"])
        if names and case.name not in names:
            continue
        if is_plain and case.classes and case.members <= most and half in ("", case.half):
            found.append(case)
    return found


def group(collection: Any, k: int | None, **choices: Any) -> np.ndarray:
    """The groups of `coterie explore`, without what it says of them; one group where it claims none."""
    from coterie.workflows.choices import Choices
    from coterie.workflows.evidence import is_structured
    from coterie.workflows.modalities import modality_for

    asked = Choices(**choices)
    view = asked.view or collection.main
    prepared = modality_for(collection, view, asked).prepare(collection, view, asked)
    if k is None:
        organizer = prepared.ensemble(None, asked).organizer_
        if not is_structured(prepared.modality, prepared.witnesses(organizer, asked)):
            return np.zeros(len(collection), dtype=np.int64)
        k = organizer.partition_.n_groups
    return np.asarray(prepared.ensemble(k, asked).partition_.labels)


def vectors_of(folder: Path, case: board.Case, collection: Any) -> np.ndarray:
    """The vectors that lie beside a collection, or those of the words of its texts."""
    from coterie.represent import WordVectors

    kept = folder / f"vec_{case.name}" / f"vec_{case.name}.npy"
    if kept.exists():
        return np.load(kept).astype(np.float64)
    return WordVectors().fit_transform(collection.view())


def answers_of(folder: Path, case: board.Case, modes: Sequence[str], beside: bool) -> list[Answer]:
    """All answers to one collection."""
    from coterie.collect.vectors import with_vectors
    from coterie.represent import Terms

    collection, classes = board.read_collection(case.folder)
    tokens = float(Terms(min_df=2, max_df=0.5, weights="tf").fit_transform(collection.view()).sum())
    tokens /= len(collection)
    known = len({one for one in classes if one is not None})
    if beside:
        rows = vectors_of(folder, case, collection)
        both = with_vectors(collection, rows)
        asked: dict[str, Any] = {
            TEXT: lambda k: group(collection, k, embed="none"),
            VECTORS: lambda k: group(both, k, view="vectors"),
            BOTH: lambda k: group(both, k, embed="none"),
        }
        if importlib.util.find_spec("umap") is not None:
            asked[RIVAL] = lambda k: board_rivals.umap_hdbscan(rows, 0, "cosine")
    else:
        asked = {
            WORDS: lambda k: group(collection, k, embed="none"),
            EMBED: lambda k: group(collection, k, embed="wordllama"),
        }
    found = []
    for mode in modes:
        for who, answer in asked.items():
            begun = time.perf_counter()
            labels = answer(known if mode == "k" else None)
            seconds = time.perf_counter() - begun
            ari, _ = board.agreement(labels, classes)
            groups = len(set(labels.tolist()) - {-1})
            found.append(
                Answer(
                    case.name,
                    case.family,
                    case.half,
                    tokens,
                    known,
                    mode,
                    who,
                    ari,
                    groups,
                    seconds,
                )
            )
    return found


def by_family(answers: Sequence[Answer]) -> dict[str, float]:
    """The mean agreement of each family."""
    families = sorted({one.family for one in answers})
    return {
        name: statistics.fmean([one.ari for one in answers if one.family == name])
        for name in families
    }


def say(answers: Sequence[Answer], mode: str) -> None:
    """The means by half and by length, and the family that lost most."""
    whos = list(dict.fromkeys(one.who for one in answers))
    for half in ("choose", "report"):
        for length, kept in (
            ("all", lambda one: True),
            ("short", lambda one: one.tokens <= SHORT),
            ("long", lambda one: one.tokens > SHORT),
        ):
            some = [one for one in answers if one.mode == mode and one.half == half and kept(one)]
            if not some:
                continue
            means = {
                who: statistics.fmean(by_family([one for one in some if one.who == who]).values())
                for who in whos
            }
            many = len({one.name for one in some})
            told = "  ".join(f"{who} {value:.3f}" for who, value in means.items())
            print(f"{mode:<5}{half:<7} {length:<6}{many:>3} collections  {told}")
        some = [one for one in answers if one.mode == mode and one.half == half]
        if WORDS in whos and some:
            before, after = (by_family([o for o in some if o.who == who]) for who in (WORDS, EMBED))
            told = ", ".join(f"{name} {after[name] - before[name]:+.3f}" for name in before)
            print(f"{mode:<5}{half:<7} by family: {told}")
        if BOTH in whos and some:
            rows = {
                name: {o.who: o.ari for o in some if o.name == name}
                for name in {o.name for o in some}
            }
            good = sum(row[BOTH] >= max(row[TEXT], row[VECTORS]) - 0.005 for row in rows.values())
            print(
                f"{mode:<5}{half:<7} both at least as good as the better one: {good} of {len(rows)}"
            )


def main() -> int:
    """Group, measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--half", choices=("choose", "report"), default="")
    parser.add_argument("--modes", nargs="*", choices=("free", "k"), default=["k"])
    parser.add_argument("--most", type=int, default=2300)
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--merge", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    if asked.merge:
        kept = [json.loads(file.read_text(encoding="utf-8")) for file in asked.merge]
        answers = [Answer(**one) for some in kept for one in some]
        for mode in dict.fromkeys(one.mode for one in answers):
            say(answers, mode)
        return 0
    answers = list[Answer]()
    for case in cases_in(asked.folder, asked.only, asked.half, asked.most):
        own = answers_of(asked.folder, case, asked.modes, asked.beside)
        answers += own
        for mode in asked.modes:
            told = "  ".join(
                f"{o.who} {o.ari:.2f} ({o.groups}; {o.seconds:.0f} s)"
                for o in own
                if o.mode == mode
            )
            print(f"{case.name:<24}{case.half:<7}{mode:<5}{own[0].classes:>3}  {told}", flush=True)
        if asked.json:
            kept = json.dumps([asdict(one) for one in answers], indent=1)
            asked.json.write_text(kept, encoding="utf-8")
    for mode in asked.modes:
        say(answers, mode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
