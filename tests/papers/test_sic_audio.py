"""The audio experiment on a small folder of generated words: every row and relation is there, and what must be true is."""

from __future__ import annotations

import wave

import numpy as np
import pytest

from coterie.collect.spoken import spoken_words
from coterie.core.affinity import Dense
from coterie_papers import sic_audio
from coterie_papers.experiments import find

_WORDS = 4
_SPEAKERS = 3
_TAKES = 3


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """Recordings as .wav files beside an index, in the place of the real ones, and what the experiment says of them."""
    root = tmp_path_factory.mktemp("data")
    place = root / sic_audio.DATA
    place.mkdir()
    made = spoken_words(_WORDS, _SPEAKERS, _TAKES, 0)
    lines = ["file,digit,speaker,take"]
    digit = np.unique(made.truth["group"], return_inverse=True)[1]
    for i, sound in enumerate(made.view()):
        with wave.open(str(place / f"{i:02d}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, len(sound), "NONE", ""))
            file.writeframes((sound[:, 0] * 32767).astype("<i2").tobytes())
        lines.append(f"{i:02d}.wav,{digit[i]},{made.cards['speaker'][i]},{i % _TAKES}")
    (place / "index.csv").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sic_audio, "_iterations", lambda trial: 20
        )  # the tables need no more to have their rows
        return find("sic-audio").conduct(quick=True, folder=root)


def test_every_part_has_its_rows(result):
    assert not result.skipped
    n = _WORDS * _SPEAKERS * _TAKES
    assert {row.data for row in result.rows} == {f"digits ({n})"}
    assert all(np.isfinite(row.ours) for row in result.rows)
    methods = {row.method for row in result.rows}
    assert {f"{who}, '{digit}'" for who in ("SIC", "DTW") for digit in range(_WORDS)} <= methods
    assert {
        "SIC by default",
        "SIC by default, mean left in",
        "SIC as published, no differences",
    } <= methods
    assert {
        f"SIC as published, {kind} states"
        for kind in ("type 1 or 2, 14", "type 1, 5 to 14", "type 2, 14")
    } <= methods
    for family, wanted in (("MFCC", 44.85), ("LPC", 15.83), ("ALL", 39.24)):
        rows = {
            row.measure: row for row in result.rows if row.method == f"SIC as published, {family}"
        }
        assert set(rows) == {"mAP", "P@1", "F@50", "ARI", "V", "NMI", "adjusted purity", "groups"}
        assert rows["mAP"].paper == wanted
    assert len(result.relations) == 17


def _papers(result, method: str) -> list[float | None]:
    return [row.paper for row in result.rows if row.method == method]


def test_published_numbers_stand_beside_what_they_measure(result):
    assert _papers(result, "SIC, HMM, 177 iterations") == [
        45.745,
        None,
        None,
        0.408,
        0.609,
        0.602,
        0.549,
        22,
    ]
    large = ["mAP", "P@1", "F@100", "ARI", "V", "NMI", "adjusted purity", "groups"]
    type_2 = [row for row in result.rows if row.method == "SIC as published, type 2, 14 states"]
    assert [row.measure for row in type_2] == large
    assert [row.paper for row in type_2] == [20.20, 62.44, 17.02, 0.153, 0.621, 0.608, 0.539, 545]
    assert [
        row.measure
        for row in result.rows
        if row.method == "SIC as published, type 1 or 2, 3 states"
    ] == large[:3]
    assert _papers(result, "SIC as published, type 1 or 2, 3 states") == [None] * 3
    assert _papers(result, "DTW (beside words distinct)") == [
        3.00,
        13.17,
        4.37,
        0.002,
        0.185,
        0.161,
        0.104,
        597,
    ]
    assert _papers(result, "SIC as published, 14 states (beside homonyms merged)")[:4] == [
        20.61,
        62.86,
        17.28,
        0.135,
    ]


def test_one_run_tells_the_same_in_every_table(result):
    ours: dict[str, dict[str, float]] = {}
    for row in result.rows:
        ours.setdefault(row.method, {})[row.measure] = row.ours
    usual = ours["SIC as published, MFCC"]
    seven = ours["SIC as published, type 1 or 2, 7 states"]
    assert {name: seven[name] for name in seven if name != "F@100"} == {
        name: usual[name] for name in usual if name != "F@50"
    }
    many = ours["SIC as published, type 1 or 2, 14 states"]
    for reading in ("words distinct", "homonyms merged"):
        assert ours[f"SIC as published, 14 states (beside {reading})"] == many
    warped = ours["DTW (beside homonyms merged)"]
    assert {name: warped[name] for name in ours["DTW, number of groups tuned"]} == ours[
        "DTW, number of groups tuned"
    ]
    relation = next(relation for relation in result.relations if "table 6" in relation.text)
    assert relation.holds == all(
        many[name] > warped[name] for name in many if name not in ("P@1", "groups")
    )


def test_words_are_found(result):
    mine = next(
        row for row in result.rows if row.method.startswith("SIC, HMM") and row.measure == "mAP"
    )
    assert mine.ours > 60, "words by three speakers are found far above chance (a quarter)"
    mean = next(relation for relation in result.relations if "taking the mean out" in relation.text)
    assert mean.holds, mean.text


def test_words_are_judged_as_defined():
    truth = np.array(["a", "a", "b", "b"])
    position = np.array(
        [0.0, 1.0, 1.9, 5.0]
    )  # the second stands nearer to the third than to its own
    found = sic_audio.Words(spoken_words(2, 1, 2, 0).view(), truth, "four").judged(
        Dense(np.abs(position[:, None] - position), "distance")
    )
    assert found.mean_ap == pytest.approx(np.mean([1, 1 / 2, 1 / 3, 1]))
    assert set(found.f_at) == {1, 50, 100}
    grouped = sic_audio.grouped(Dense((truth[:, None] == truth).astype(float), "similarity"), truth)
    assert grouped == {"ARI": 1.0, "V": 1.0, "NMI": 1.0, "adjusted purity": 1.0, "groups": 2.0}


def test_without_data_words_are_generated(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    found = find("sic-audio").conduct(quick=True, folder=tmp_path)
    assert len(found.skipped) == 1
    assert sic_audio.DATA in found.skipped[0]
    assert {row.data for row in found.rows} == {"generated words (128)"}
    assert all(relation.holds for relation in found.relations), found.relations
