"""coterie categorize PATH --labels FILE: labels of some members given to all others, and how well that works."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.core import check_out, write_rows
from coterie.cli.options import reading, working
from coterie.workflows.request import Reading

if TYPE_CHECKING:
    from coterie.workflows.categorizing import Categorized

FEATURES = (
    "auto",
    "tfidf",
    "counts",
    "lsa",
    "plsa",
    "lda",
    "ttmm",
)  # those of walks.text_features, too heavy for --help
CLASSIFIERS = ("svm", "logistic", "knn", "bayes", "centroid")
_MOST = 10  # members and labels listed
_SURE = "sure: the estimated chance that the label is right; labels as clear as this were right so often on members held back."
_FEATURES = (
    "What texts are told by: words (tfidf, counts), or what is learned from all texts without labels (lsa, plsa, lda, ttmm). "
    "auto takes lsa where at most a tenth is labeled, and tfidf otherwise."
)


@click.command("categorize")
@click.argument("path")
@click.option(
    "--labels",
    required=True,
    metavar="FILE",
    help="A table of members (their ids) and labels, for some of them.",
)
@click.option(
    "--label-column",
    metavar="COLUMN",
    default=None,
    help="The column of labels, where the table has more than two.",
)
@click.option(
    "--separator",
    metavar="MARK",
    default=None,
    help="What parts several labels of one member, such as ';'.",
)
@click.option(
    "--features", type=click.Choice(FEATURES), default="auto", show_default=True, help=_FEATURES
)
@click.option(
    "--classifier",
    type=click.Choice(CLASSIFIERS),
    default="svm",
    show_default=True,
    help="How labels are learned.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Parts of the labeled members, held back in turn.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all that is random."
)
@click.option(
    "--out",
    default=None,
    metavar="FILE",
    help="Write all members with label and confidence to this .csv.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@reading
@working
def command(
    path: str,
    labels: str,
    label_column: str | None,
    separator: str | None,
    features: str,
    classifier: str,
    folds: int,
    seed: int,
    out: str | None,
    as_json: bool,
    reading: Reading,
    jobs: int | None,
    progress: str,
    memory: str | None,
) -> None:
    """Learn from the labeled members of PATH, label all the others, and say how well that works.

    The measures are of labeled members that were held back, each from the model that labels it. Doubtful labels are listed
    first to be looked at; so are given labels that the other members speak against.
    """
    from coterie.cli.say import working_as
    from coterie.collect.hints import read_labels
    from coterie.collect.worded import read_with_text
    from coterie.workflows.categorizing import categorized
    from coterie.workflows.given_labels import check_labels

    if out is not None:
        check_out(out)
    if separator is not None and not separator.strip():
        raise click.UsageError(
            "--separator is the mark between two labels of a member, and must not be blank."
        )
    if reading.text is not None and reading.text == label_column:
        raise click.UsageError(
            f"--text and --label-column both name '{reading.text}'; the labels stand in another column."
        )
    aside = [
        *reading.truth,
        *(
            [label_column]
            if label_column and _same(path, labels) and label_column not in reading.truth
            else []
        ),
    ]
    called = f"'{Path(labels).name}'" + (f" (column '{label_column}')" if label_column else "")
    with working_as(jobs, progress, memory):
        known = parted(read_labels(labels, label_column), separator)
        check_labels(list(known.values()), called)
        collection = read_with_text(path, **reading.options() | {"truth": aside})
        found = categorized(
            collection,
            known,
            features=features,
            classifier=classifier,
            folds=folds,
            seed=seed,
            labels_name=called,
        )
    if out is not None:
        write_rows(out, found.rows())
    _tell(found, out, as_json)


def parted(labels: dict[str, str], separator: str | None) -> dict[str, Any]:
    """Labels as they are, or cut at the separator into several."""
    if separator is None:
        return dict(labels)
    return {
        member: [part.strip() for part in said.split(separator) if part.strip()]
        for member, said in labels.items()
    }


def _same(one: str, other: str) -> bool:
    """Whether the labels stand in the file that is read: then their column is no feature."""
    paths = [Path(name).expanduser() for name in (one, other)]
    return all(path.exists() for path in paths) and paths[0].samefile(paths[1])


def _tell(found: Categorized, out: str | None, as_json: bool) -> None:
    """The measures, the categories, and what to look at."""
    import json

    from coterie.cli.say import cut, shown, table, tell_first

    if as_json:
        click.echo(json.dumps(found.record(), indent=1))
        return
    tell_first(found.sentences, found.notes)
    new = {
        name: sum(name in found.labels[at] for at in found.found)
        for name, *_ in found.measures.categories
    }
    rows = [
        [f"{n:,}", f"{new[name]:,}", _two(precision), _two(recall), f"{f1:.2f}", name]
        for name, n, precision, recall, f1 in found.measures.categories
    ]
    click.echo(table(["labeled", "new", "precision", "recall", "F1", "category"], rows))
    doubtful = found.doubtful[:_MOST]
    if len(doubtful):
        click.echo(
            f"\nLook at these first, of the most doubtful tenth of the new labels ({len(found.doubtful):,} of {len(found):,}):"
        )
        lines = [
            [
                f"{found.confidence[at]:.0%}",
                _joined(found.labels[at]),
                str(found.ids[at]),
                cut(str(found.snippets[at]), 70),
            ]
            for at in doubtful
        ]
        click.echo(table(["sure", "label", "member", "what it is"], lines))
        click.echo(click.style(_SURE, dim=True))
    if found.odd:
        click.echo("\nGiven labels that the other members speak against:")
        lines = [
            [
                _joined(found.labels[at]),
                _joined(other),
                str(found.ids[at]),
                cut(str(found.snippets[at]), 70),
            ]
            for at, other in found.odd[:_MOST]
        ]
        click.echo(table(["given", "others say", "member", "what it is"], lines))
    if out is not None:
        click.echo(f"\nAll {len(found.ids):,} members: {shown(Path(out).expanduser())}")
    elif len(found):
        click.echo("\nAll labels: --out FILE.csv writes them.")


def _joined(labels: tuple[str, ...]) -> str:
    return "; ".join(labels) or "-"


def _two(number: float) -> str:
    return "-" if number != number else f"{number:.2f}"
