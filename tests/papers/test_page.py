"""The page of an experiment: table, relations and figures, without any address of a network."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie.core.findings import Bars, Grid, Lines
from coterie_papers import page
from coterie_papers.experiment import Experiment, Ledger, Row, Trial


def drawn(trial: Trial, ledger: Ledger) -> None:
    ledger.add("NN & co", "error %", "toy", [1.0, 3.0], paper=2.5)
    ledger.relate("one is below two", True)
    ledger.relate("two is below one", False)
    ledger.skip("the music is not here")
    ledger.draw(Lines("Curves", (1.0, 2.0), {"ours": (0.5, 0.25)}))
    ledger.draw(Grid("Confusion", np.eye(2), ("a", "b"), ("1", "2"), "All in their places."))


EXPERIMENT = Experiment("toy", "A <toy>", "Sets", "table 0", (), 0.1, 2, drawn)


def test_everything_is_on_the_page(tmp_path: Path) -> None:
    written = page.write(
        EXPERIMENT, EXPERIMENT.conduct(), tmp_path / "deep" / "toy.html"
    ).read_text()
    for part in (
        "A &lt;toy&gt;",
        "NN &amp; co",
        "2 ± 1",
        "2.5",
        "-0.5",
        "holds",
        "FAILS",
        "the music",
        "Curves",
        "All in",
    ):
        assert part in written, part
    assert written.count("<svg") == 2
    assert "1 of 2 relations hold." in written
    assert '<section class="sheet" id="relations">' in written  # the look of the report
    assert "Content-Security-Policy" in written
    assert "http://" not in written.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in written


def test_cells_are_what_the_terminal_prints() -> None:
    row = EXPERIMENT.conduct().rows[0]
    assert page.cells(row) == ["toy", "NN & co", "error %", "2 ± 1", "2.5", "-0.5"]


def test_the_page_of_a_quick_run_says_so() -> None:
    assert "quick: smaller settings" in page.page(EXPERIMENT, EXPERIMENT.conduct(quick=True))
    assert "quick" not in page.page(EXPERIMENT, EXPERIMENT.conduct())


def test_themes_wear_other_colors_than_topics() -> None:
    def bars(trial: Trial, ledger: Ledger) -> None:
        for what in ("topic", "theme"):
            ledger.draw(Bars(what, {f"{what} {k}": (("a", 0.5),) for k in (1, 2)}))

    written = page.page(
        EXPERIMENT, Experiment("toy", "toy", "Sets", "table 0", (), 0.1, 2, bars).conduct()
    )
    colors = re.findall(r'class="chip [^"]*"[^>]*fill="([^"]+)"', written)
    assert len(set(colors)) == 4


def test_numbers_of_other_data_say_so_wherever_they_are_shown() -> None:
    other = replace(EXPERIMENT, beside="paper, on other toys")
    assert "2.5 (paper, on other toys)" in page.page(other, other.conduct())
    rows = [Row("a", "b", "c", 1.0, paper=2.0, beside="pilot"), Row("a", "b", "c", 1.0)]
    assert [row.beside for row in other.told(rows)] == [
        "pilot",
        "",
    ]  # a row knows better, and none says nothing
