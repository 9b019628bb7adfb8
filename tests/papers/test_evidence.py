"""The page of evidence: it is what the stored results give, has every experiment, marks quick results, and explains its reds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from coterie.core.errors import DataError
from coterie.core.findings import Bars
from coterie_papers import evidence, experiments, reds
from coterie_papers.coverage import COVERAGE, OWN
from coterie_papers.experiment import OWN as OUR_WORK
from coterie_papers.experiment import Relation, Result, Row
from coterie_papers.results import Results
from coterie_papers.works import WORKS
from tests.cli.running import coterie, refused

DOCS = Path(__file__).resolve().parents[2] / "docs"
STORED = evidence.stored(DOCS / "evidence")


def test_the_page_is_what_the_results_give() -> None:
    written = (DOCS / "evidence.md").read_text(encoding="utf-8")
    assert written == evidence.page(STORED), (
        "make it again: coterie reproduce --evidence docs/evidence docs/evidence.md"
    )


def test_the_figures_are_what_the_results_give() -> None:
    figures = evidence.drawn(STORED)
    folder = DOCS / "evidence" / evidence.FIGURES
    assert {path.name for path in folder.iterdir()} == set(figures)
    for file, svg in figures.items():
        assert (folder / file).read_text(encoding="utf-8") == svg, (
            "make it again: coterie reproduce --evidence ..."
        )
    written = (DOCS / "evidence.md").read_text(encoding="utf-8")
    assert all(written.count(f"](evidence/figures/{file})") == 1 for file in figures)


@pytest.mark.parametrize("experiment", experiments.every(), ids=lambda one: one.name)
def test_what_shows_a_figure_of_a_work_draws_one(experiment) -> None:
    result = STORED[experiment.name]
    if "figure" in experiment.table:
        assert result.pictures
    of_rows = (
        [repr(picture) for picture in experiment.figures(result.rows)] if experiment.figures else []
    )
    assert of_rows == [
        repr(picture) for picture in result.pictures[len(result.pictures) - len(of_rows) :]
    ]


@pytest.mark.parametrize("experiment", experiments.every(), ids=lambda one: one.name)
def test_every_experiment_is_on_the_page(experiment) -> None:
    written = (DOCS / "evidence.md").read_text(encoding="utf-8")
    parts = written.split(f"\n### {experiment.name}\n")
    assert len(parts) == 2
    rest = parts[1]
    own = rest.split("\n### ")[0]
    result = STORED.get(experiment.name)
    if result is None:
        assert evidence.NOT_YET in own
    else:
        assert ("**Quick:" in own) == result.quick
        beside = sum(row.paper is not None for row in result.rows)
        tables = (beside > 0) + (beside < len(result.rows))
        assert own.count("<tr>") == len(result.rows) + tables
        assert (f"{beside} row" in own and "<details open>" in own) == (beside > 0)
        assert own.count("coterie-fails") == len(result.relations) - result.held


def test_results_are_of_their_files_and_say_when_and_by_what_they_were_made() -> None:
    assert STORED
    for result in STORED.values():
        assert Results(DOCS / "evidence").place(result.experiment, result.quick).exists()
        assert result.version
        assert result.date
        assert result.rows


def test_minutes_are_about_those_that_were_measured() -> None:
    for name, result in STORED.items():
        if (
            not result.quick and result.seconds > 60
        ):  # below it trials may have been kept from another run
            one = experiments.find(name)
            share = one.minutes * 60 * result.seeds / one.seeds / result.seconds
            assert 1 / 4 < share < 4, (
                f"{name}: {result.seconds / 60:.0f} minutes with {result.seeds} seeds"
            )


def test_pages_point_to_whole_results_alone() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        for name in re.findall(r"evidence\.md#([a-z0-9-]+)", page.read_text(encoding="utf-8")):
            assert not STORED[name].quick, (
                f"{page.name} rests on {name}, of which there is a quick result only"
            )


def test_coverage_names_every_experiment_and_no_other() -> None:
    shown = {name for one in COVERAGE for name in one.by} | set(OWN)
    assert shown == set(experiments.MODULES)
    for one in COVERAGE:
        assert one.by or (one.note and not one.here), one.what


def test_sentences_on_reds_are_of_experiments_and_in_words_alone() -> None:
    for name, told in reds.WHY.items():
        assert name in experiments.MODULES
        assert all(sentence.endswith(".") for sentence in told.values())


def test_what_is_not_the_papers_number_says_what_it_is() -> None:
    """Our own experiments are after no paper, so each number beside theirs says whose it is."""
    for name, result in STORED.items():
        one = experiments.find(name)
        if one.work == OUR_WORK:
            assert all(row.beside for row in one.told(result.rows) if row.paper is not None), name


def test_the_page_names_the_works_and_puts_ours_last() -> None:
    written = (DOCS / "evidence.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", written, flags=re.MULTILINE)
    assert heads == ["What is shown where", *WORKS, "Our own"]
    for title in WORKS.values():
        assert f"\n{title}.\n" in written


def _toy(**changes) -> Result:
    rows = [
        Row("SIC", "mAP", "a_b | c", 58.4, 0.6, 45.2),
        Row("SIC", "mAP", "d", 1.0, 0.0, 1.5, "reference run"),
    ]
    relations = [Relation("SIC is above DTW", True), Relation("SIC is far above DTW", False)]
    return replace(
        Result("rankings", rows, relations, ["<b>"], 1.0, 2, version="1", date="2026-01-31"),
        **changes,
    )


def test_a_red_without_a_sentence_is_refused(monkeypatch) -> None:
    with pytest.raises(
        DataError,
        match=r"1 relation fails without a sentence in coterie_papers/reds.py: rankings: SIC is far above",
    ):
        evidence.page({"rankings": _toy()})
    evidence.page({"rankings": _toy(quick=True)})  # quick results may fail
    monkeypatch.setattr(
        reds, "WHY", {"rankings": {"far above": "It is too near.", "never": "Nobody knows."}}
    )
    page = evidence.page({"rankings": _toy()})
    assert (
        '<span class="coterie-fails">fails</span> SIC is far above DTW<br><span class="coterie-why">It is too near.</span>'
        in page
    )
    assert '<span class="coterie-holds">holds</span> SIC is above DTW' in page
    assert (
        "<td>a&#95;b &#124; c</td><td>SIC</td><td>mAP</td><td>58.4</td><td>0.6</td><td>45.2</td><td>+13.2</td>"
        in page
    )
    assert "<td>1</td><td></td><td>1.5 (reference run)</td><td>-0.5</td>" in page
    assert (
        f"1 of {len(experiments.MODULES)} experiments were run in their whole form; 1 of their 2 relations hold."
        in page
    )
    assert "Left out: &lt;b&gt;" in page
    assert reds.unused([_toy()]) == ["rankings: never"]
    assert reds.unused([_toy(quick=True)]) == []


def test_whole_results_come_before_quick_ones(tmp_path: Path) -> None:
    for result in (_toy(quick=True, seeds=1), _toy()):
        Results(tmp_path).keep(result)
    assert not evidence.stored(tmp_path)["rankings"].quick
    Results(tmp_path).keep(_toy(experiment="nothing"))
    with pytest.raises(DataError, match="'nothing', which is no experiment"):
        evidence.stored(tmp_path)


def test_the_command_writes_the_page(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        reds, "WHY", {"rankings": {"far above": "It is too near.", "never": "Nobody knows."}}
    )
    Results(tmp_path / "results").keep(
        _toy(pictures=[Bars("How [far]", {"d": (("SIC", 1.0),)}, "Over a_b.")])
    )
    figures = tmp_path / "results" / "figures"
    figures.mkdir()
    for name in ("rankings-2.svg", "mine.svg"):
        (figures / name).write_text("<svg/>", encoding="utf-8")
    said = coterie("reproduce", "--evidence", tmp_path / "results", tmp_path / "page.md")
    assert said.code == 0, said.err
    assert said.out == f"Written: {tmp_path / 'page.md'} (1 result, 1 figure)\n"
    assert sorted(path.name for path in figures.iterdir()) == ["mine.svg", "rankings-1.svg"]
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert (
        "![How far](results/figures/rankings-1.svg)\n\n**How &#91;far&#93;.** Over a&#95;b.\n"
        in text
    )
    assert "rankings: never" in said.err
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("# Evidence\n")
    assert "which is not a folder" in refused(
        "reproduce", "--evidence", tmp_path / "none", tmp_path / "page.md"
    )
    assert "there is no folder" in refused(
        "reproduce", "--evidence", tmp_path / "results", tmp_path / "no" / "page.md"
    )


def test_coverage_on_the_command_line() -> None:
    said = coterie("reproduce", "--coverage").out
    for one in COVERAGE:
        assert one.what in said
        assert one.note in said
