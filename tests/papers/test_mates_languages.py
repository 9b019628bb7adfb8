"""The tables of mates on tiny texts of the same form: ways, tuning on fitted members alone, rows and relations."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie.core.workplace import using
from coterie.judge.mates import mate_table
from coterie.represent.pwca import PWCA
from coterie.run.progress import Lines
from coterie_papers import mate_tables, mates_three_languages, mates_two_languages, view_ways
from coterie_papers.experiment import Ledger, Row, Trial
from coterie_papers.view_data import EUROPARL, LIBRE, TITLES, Sheet, generated
from coterie_papers.view_ways import (
    ABS,
    CHOSEN,
    COSINE,
    HELD,
    OURS,
    PLAIN,
    WAYS,
    Procrustes,
    best,
    measured,
    placed,
    settings,
    tuned,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def texts(languages, n=240):
    """Documents of one line each: the same themes in every language, each with words of its own."""
    rng = np.random.default_rng(0)
    letters = "abcdefghijklmnopqrstuvwxyzäöüßéè"
    themes = rng.integers(30, size=(n, 6))
    return {
        language: [
            f"{language} zeile {i} " + " ".join(f"{language}wort{letters[theme]}" for theme in row)
            for i, row in enumerate(themes)
        ]
        for language in languages
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    for data, languages in ((EUROPARL, ("de", "en", "it")), (LIBRE, ("da", "en", "sv"))):
        (root / data).mkdir()
        columns = {f"text_{language}": lines for language, lines in texts(languages).items()}
        pq.write_table(pa.table(columns), root / data / f"{data}.parquet")
    return root


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(mate_tables, "_QUICK", (60, 120))
    monkeypatch.setattr(mates_two_languages, "POOLS", (60, 120))


@pytest.mark.parametrize("way", list(WAYS))
def test_every_way_finds_mates_far_above_chance(way):
    sheet = generated(0, test=100)
    rows = placed(WAYS[way].make(25 if len(WAYS[way].grid) == 5 else 1.0), sheet)
    table = mate_table(rows)
    assert table.average_precision > 3 * table.chance
    mixed = Sheet(
        "mixed",
        {name: np.roll(part, at, axis=0) for at, (name, part) in enumerate(sheet.train.items())},
        sheet.test,
    )
    assert (
        mate_table(
            placed(WAYS[way].make(25 if len(WAYS[way].grid) == 5 else 1.0), mixed)
        ).average_precision
        < 2 * table.chance
    )


def test_rotated_views_are_turned_onto_the_first():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 6))
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    model = Procrustes(6).fit({"a": rows, "b": rows @ turn})
    np.testing.assert_allclose(
        model.transform_view("a", rows), model.transform_view("b", rows @ turn), atol=1e-8
    )


def test_far_regularization_is_pca_of_all_columns():
    sheet = generated(1, test=0)
    scores = PWCA(n_components=4, tau=view_ways.FAR, scale="unit").fit(sheet.train).factors_
    beside = np.hstack(
        [
            (rows - rows.mean(axis=0)) / np.sqrt(rows.var(axis=0).sum())
            for rows in sheet.train.values()
        ]
    )
    left = np.linalg.svd(beside, full_matrices=False)[0][:, :4]
    np.testing.assert_allclose(np.linalg.svd(left.T @ scores, compute_uv=False), 1, atol=1e-4)


def test_tuning_looks_at_fitted_members_alone():
    sheet = generated(0, test=50)
    ways = {name: WAYS[name] for name in (OURS, PLAIN)}
    spoiled = Sheet(
        sheet.name,
        sheet.train,
        {name: np.full_like(rows, np.nan) for name, rows in sheet.test.items()},
    )
    found = tuned("here", spoiled, [("view 1", "view 2")], ways, 0)
    assert found == tuned("there", sheet, [("view 1", "view 2")], ways, 0)
    assert {tuple(tries) for tries in found.values()} == {view_ways.GRID}
    made = settings(ways, found)
    assert list(made) == [OURS, PLAIN, CHOSEN, HELD]
    assert made[OURS]().tau == made[CHOSEN]().tau == best(found[OURS])
    values = measured(sheet.only(("view 1", "view 2")), {OURS: made[OURS]})
    assert values["cosine"][0] == pytest.approx(
        mate_table(placed(made[OURS](), sheet.only(("view 1", "view 2")))).average_precision
    )


@pytest.mark.usefixtures("tiny")
def test_two_languages(folder, monkeypatch):
    monkeypatch.setattr(mates_two_languages, "made", lambda trial, ledger: None)
    monkeypatch.setattr(mates_two_languages, "certified", lambda ledger, sheet: None)
    found = mates_two_languages.EXPERIMENT.conduct(quick=True, folder=folder)
    printed = {(row.data, row.method): row.paper for row in found.rows if row.paper is not None}
    assert printed[f"{TITLES[EUROPARL]}, pairs, de", OURS] == 0.4416
    assert printed[f"{TITLES[EUROPARL]}, pairs, mean", PLAIN] == 0.4435
    assert not any(TITLES[LIBRE] in data for data, _ in printed)
    assert {row.measure for row in found.rows} >= {COSINE, ABS, "setting"}
    kinds = (
        "at least 1.2 times",
        "within 0.01 of the best baseline",
        "cosine is above",
        "on whole lines",
        "candidates instead of",
        "are level by",
    )
    for kind in kinds:
        assert any(kind in relation.text for relation in found.relations), kind
    assert found.skipped == []
    assert len(found.pictures) == 2


def test_level_on_pairs_as_the_paper_has_it():
    ledger = Ledger()
    for name, values in ((OURS, (0.6, 0.5, 0.2)), (PLAIN, (0.5, 0.4, 0.4))):
        for language, value in zip(("de", "en", "it"), values, strict=True):
            ledger.rows.append(Row(name, f"{ABS}, by language", f"toy, pairs, {language}", value))
        ledger.rows.append(Row(name, f"{ABS}, by language", "toy, pairs, mean", 0.9))
    found = mate_tables.Table("toy", [], [], {ABS: {OURS: 0.44, PLAIN: 0.43}}, {})
    mates_two_languages.level(ledger, found)
    assert [relation.holds for relation in ledger.relations] == [True, True]
    assert "(0.440 and 0.430; 0.446 and 0.444 in the paper)" in ledger.relations[0].text
    assert "(2 of 3; 5 of 8 in the paper)" in ledger.relations[1].text
    mates_two_languages.level(ledger, replace(found, plain={ABS: {OURS: 0.5, PLAIN: 0.43}}))
    assert not ledger.relations[2].holds


@pytest.mark.usefixtures("tiny")
def test_three_languages_beside_pairs_with_the_same_candidates(folder):
    shown = io.StringIO()
    with using(watch=Lines(shown)):
        found = mates_three_languages.EXPERIMENT.conduct(quick=True, folder=folder)
    steps = {
        event["name"]: event["total"]
        for event in map(json.loads, shown.getvalue().splitlines())
        if "total" in event
    }
    assert steps["tuning"] == len(mate_tables.ways(quick=True))
    assert steps[f"{TITLES[LIBRE]}, 2 views at a time"] == 3
    sizes = {row.data.rsplit(", ", 1)[1] for row in found.rows if row.data.endswith("candidates")}
    assert sizes == {"120 candidates"}
    assert sum("third language gives" in relation.text for relation in found.relations) == 4
    printed = [
        row.paper
        for row in found.rows
        if row.method == OURS and row.data.endswith("triples, mean") and row.paper
    ]
    assert printed == [0.5356]


def test_the_generated_part_and_the_certificate():
    ledger = Ledger()
    mates_two_languages.made(Trial(1, True), ledger)
    mates_two_languages.certified(ledger, generated(0))
    assert [relation.holds for relation in ledger.relations] == [True, True, True]
    shares = {
        (row.method, row.measure): row.ours
        for row in ledger.rows
        if row.method.startswith("certificate")
    }
    for by in ("risk", "ratio"):
        name = f"certificate of PWCA by {by}"
        assert shares[name, "contradicted %"] < shares[name, "bound %"] < shares[name, "chance %"]
        assert shares[name, "coverage bound %"] < shares[name, "covered %"]


def test_what_is_not_here_is_said(tmp_path):
    ledger = Ledger()
    assert mate_tables.sheets(Trial(1, True, tmp_path), ledger, EUROPARL) == []
    assert "'europarl7' is not here" in ledger.skipped[0]
