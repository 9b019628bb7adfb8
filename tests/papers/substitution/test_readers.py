"""Reading of substitutions: tables in any order, CoInCo with its own candidates and with synonyms, senses, and bad rows."""

from __future__ import annotations

import gzip

import pytest

from coterie.core.errors import DataError, ParameterError
from coterie_papers.substitution.readers import read_coinco, read_substitutions
from coterie_papers.substitution.senses import read_senses

TABLE = """sentence,position,candidate,label
the bright bulb,1,shiny,1
a dim bulb,1,faint,yes
the bright bulb,1,clever,0
"""


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_of_one_place_are_gathered(tmp_path):
    found = read_substitutions(written(tmp_path / "a.csv", TABLE))
    assert found.candidates == ("shiny", "clever", "faint")
    assert found.owners.tolist() == [0, 0, 1]
    assert found.labels.tolist() == [True, False, True]
    assert found.targets == ("bright", "dim")
    assert found.contexts() == ["the bulb", "a bulb"]


def test_label_target_and_part_of_speech_may_be_there_or_not(tmp_path):
    text = "sentence\tposition\tcandidate\ttarget\tpos\nhe went off\t1\tleave\tgo\tV\n"
    found = read_substitutions(written(tmp_path / "a.tsv", text))
    assert (found.targets, found.kinds, found.labels) == (("go",), ("v",), None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sentence,position,label\na b,0,1\n", "no column 'candidate'"),
        ("sentence,position,candidate,label\na b,2,c,1\n", "position 2 in a sentence of 2"),
        ("sentence,position,candidate,label\na b,first,c,1\n", "position 'first'"),
        ("sentence,position,candidate,label\na b,0,c,1\na b,0,d,maybe\n", "Row 1 .* label 'maybe'"),
        (
            "sentence,position,candidate\na b,0,c\na b,0.7,d\n",
            r"Row 1 .* position 0\.7; it must be a whole number",
        ),
        ("sentence,position,candidate\na b,0,c\n,0,d\n", "Row 1 .* has no sentence"),
        ("sentence,position,candidate\na b,0,c\na b,0,\n", "Row 1 .* has no candidate"),
        ('sentence,position,candidate\na b,0,c\na b,0," "\n', "Row 1 .* has no candidate"),
    ],
)
def test_bad_rows_are_named(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_substitutions(written(tmp_path / "a.csv", text))


@pytest.fixture
def coinco(tmp_path):
    folder = tmp_path / "coinco"
    folder.mkdir()
    rows = [
        "target\tid\tposition\tsentence\tsubstitutes",
        "war.N\t1\t2\tend a war\tfight 3;armed fight 2;battle 1;",
        "bright.J\t2\t1\tthe bright bulb\tshiny 1;",
        "bulb.N\t3\t2\tthe bright bulb\t",
        "end.V\t4\t0\tend a war\tstop 2;",
    ]
    with gzip.open(folder / "instances.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    written(
        folder / "candidates.txt",
        "war.N::battle;fight;armed fight;war;peace\nbright.J::clever;shiny\nbulb.N::lamp\n",
    )
    return folder


def test_coinco_with_its_candidates(coinco):
    found = read_coinco(coinco)
    assert found.candidates == ("battle", "fight", "peace", "clever", "shiny")
    assert found.labels.tolist() == [True, True, False, False, True]
    assert (found.targets, found.kinds) == (("war", "bright"), ("n", "a"))
    assert found.sentence.tolist() == [0, 1]
    assert found.notes == (
        "1 places without a substitute and 1 without a candidate were left out.",
    )
    assert read_coinco(coinco, least=2).labels.tolist() == [False, True, False, False, False]
    assert "armed fight" in read_coinco(coinco, phrases=True).candidates
    with pytest.raises(ParameterError, match="least must be from 1"):
        read_coinco(coinco, least=0)


def test_coinco_with_synonyms_and_counted_senses(coinco, tmp_path):
    table = (
        "synset\tpos\tlemmas\n1.n\tn\tWar|fight\n2.n\tn\twar|state_of_war\n3.s\ts\tbright|vivid\n"
    )
    synsets = written(tmp_path / "synsets.tsv", table)
    senses = read_senses(synsets)
    found = read_coinco(coinco, senses)
    assert found.candidates == ("fight", "vivid")
    assert found.labels.tolist() == [True, False]
    counts = written(tmp_path / "counts.csv", "word,sense,count\nwar,1.n,3\nWar,1.n,1\nwar,2.n,1\n")
    assert read_senses(synsets, counts).shared("war", "fight", "n") == pytest.approx(0.8)
    assert senses.shared("war", "state of war", "n") == 0.5
    with pytest.raises(DataError, match=r"counts the sense '9\.n'"):
        read_senses(synsets, written(tmp_path / "wrong.csv", "word,sense,count\nwar,9.n,3\n"))
    with pytest.raises(DataError, match="no column 'synset'"):
        read_senses(counts)


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(DataError, match=r"has no file candidates\.txt\.gz"):
        read_coinco(tmp_path)


def test_an_empty_target_is_the_token(tmp_path):
    text = "sentence,position,candidate,target\nhe went off,1,leave,\nhe ran off,1,leave,run\n"
    assert read_substitutions(written(tmp_path / "a.csv", text)).targets == ("went", "run")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "war.N\t1\t2\tend a war\tfight;",
            "Line 2 .* has the substitute 'fight'; it must be a word and a number",
        ),
        ("war.N\t1\t2\tend a war\tfight x;", "Line 2 .* has the substitute 'fight x'"),
        ("war.N\t1\t2\tend a war\tfight 1.5;", "the substitute 'fight 1.5'"),
        ("war.N\t1\t9\tend a war\tfight 1;", "Line 2 .* position 9 in a sentence of 3 tokens"),
        ("war.N\t1\t1.5\tend a war\tfight 1;", "Line 2 .* position '1.5'"),
    ],
)
def test_bad_lines_of_coinco_are_named(tmp_path, row, said):
    written(tmp_path / "instances.tsv", f"target\tid\tposition\tsentence\tsubstitutes\n{row}\n")
    written(tmp_path / "candidates.txt", "war.N::fight\n")
    with pytest.raises(DataError, match=said):
        read_coinco(tmp_path)


def test_bad_rows_of_senses_are_named(tmp_path):
    synsets = written(tmp_path / "synsets.csv", "synset,lemmas\n1.n,war|fight\n")
    for number in ("many", "-1", "inf"):
        counts = written(
            tmp_path / "counts.csv", f"word,sense,count\nwar,1.n,1\nwar,1.n,{number}\n"
        )
        with pytest.raises(
            DataError, match=r"Row 1 of 'counts\.csv' has the count .*; it must be a number from 0"
        ):
            read_senses(synsets, counts)
    for row, lacks in ((",war", "synset"), ("2.n,", "lemmas")):
        with pytest.raises(DataError, match=f"Row 1 of 'wrong.csv' has no {lacks}"):
            read_senses(written(tmp_path / "wrong.csv", f"synset,lemmas\n1.n,war\n{row}\n"))


def test_a_count_without_its_word_names_no_substitute(tmp_path):
    written(
        tmp_path / "instances.tsv",
        "target\tid\tposition\tsentence\tsubstitutes\nwar.N\t1\t2\tend a war\tfight 2;; 1;\n",
    )
    written(tmp_path / "candidates.txt", "war.N::fight;peace\n")
    assert read_coinco(tmp_path).labels.tolist() == [True, False]
