"""Tagged text: spans of BIO, IOB1 and IOBES, columns, errors by line, the guess by content; generated mentions."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from coterie import TaggedText
from coterie.collect import read_tagged
from coterie.collect.mentions import CLASSES, LISTS, plain, tagged_mentions
from coterie.collect.tagged import looks_tagged
from coterie.core.errors import DataError, ParameterError

BIO = "-DOCSTART-\t_\tO\n\nAnn\tN\tB-PER\nLee\tN\tI-PER\nsaw\tV\tO\nRome\tN\tB-LOC\n\nBob\tN\tB-PER\nParis\tN\tB-LOC\n"
IOB1 = (
    BIO.replace("Bob\tN\tB-PER", "Bob\tN\tI-PER")
    .replace("Ann\tN\tB-PER", "Ann\tN\tI-PER")
    .replace("Rome\tN\tB-", "Rome\tN\tI-")
)
IOBES = (
    BIO.replace("Lee\tN\tI", "Lee\tN\tE")
    .replace("Rome\tN\tB", "Rome\tN\tS")
    .replace("Bob\tN\tB", "Bob\tN\tS")
)


def view_of(path: Path) -> TaggedText:
    view = read_tagged(path).view()
    assert isinstance(view, TaggedText)
    return view


@pytest.mark.parametrize(
    ("marks", "gz"), [(BIO, False), (IOB1, False), (IOBES, False), (BIO, True)]
)
def test_spans_types_and_features(tmp_path: Path, marks: str, gz: bool) -> None:
    path = tmp_path / ("a.tsv.gz" if gz else "a.tsv")
    path.write_bytes(gzip.compress(marks.encode()) if gz else marks.encode())
    assert looks_tagged(path)
    found = read_tagged(path)
    view = found.view("mentions")
    assert view.spans.tolist() == [[0, 2], [3, 4], [4, 5], [5, 6]]
    assert view.offsets.tolist() == [0, 4, 6]
    assert found.truth["type"].tolist() == ["PER", "LOC", "PER", "LOC"]
    assert set(view.features) == {"pos", "bio"}
    assert view.features["bio"].tolist() == ["B", "I", "O", "B", "B", "B"]
    assert found.ids[0] == "a:3 Ann Lee"
    assert found.cards["sentence"][:2] == ["[Ann Lee] saw Rome", "Ann Lee saw [Rome]"]
    assert found.kind == "tagged"


def test_types_are_in_no_feature(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(BIO)
    view = view_of(tmp_path / "a.conll")
    for column in view.features.values():
        assert not any("PER" in str(value) or "LOC" in str(value) for value in column)


def test_columns_by_spaces_and_by_number(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(
        "U.N. NNP I-NP I-ORG\nofficial NN I-NP O\nEkeus NNP I-NP I-PER\nheads VBZ I-VP O\n. . O O\n"
    )
    view = view_of(tmp_path / "a.conll")
    assert list(view.features) == ["pos", "column 3", "bio"]
    assert view.features["column 3"].tolist() == ["I-NP", "I-NP", "I-NP", "I-VP", "O"]
    (tmp_path / "b.bio").write_text("Ann B\nran O\n\nBob B\n")
    bare = read_tagged(tmp_path / "b.bio")
    assert dict(bare.truth) == {}
    assert list(bare.view().features) == ["bio"]


def test_windows_line_ends_and_a_type_that_changes(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_bytes(b"Ann\tB-PER\r\nRome\tI-LOC\r\nBay\tI-LOC\r\n\r\n")
    found = read_tagged(tmp_path / "a.conll")
    assert found.view().spans.tolist() == [[0, 1], [1, 3]]
    assert found.truth["type"].tolist() == ["PER", "LOC"]


def test_long_sentences_are_shortened(tmp_path: Path) -> None:
    words = [f"w{i} O" for i in range(30)]
    words[15] = "Ann B-PER"
    (tmp_path / "a.conll").write_text("\n".join(words))
    shown = read_tagged(tmp_path / "a.conll").cards["sentence"][0]
    assert shown.startswith("… w3 ")
    assert "[Ann]" in shown
    assert shown.endswith("w27 …")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "Ann\tN\tB-PER\nran\tO\n",
            "Line 2 of 'a.conll' has 2 columns where the first line has 3.",
        ),
        ("Ann\tN\tO\n", "'a.conll' marks no span"),
        ("Ann\tN\tPER\n", "Line 1 of 'a.conll' ends with 'PER'"),
        ("Ann\n", "Line 1 of 'a.conll' has one column"),
        ("\n\n", "'a.conll' is empty"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a.conll").write_text(content)
    with pytest.raises(DataError) as caught:
        read_tagged(tmp_path / "a.conll")
    assert said in str(caught.value)


def test_tables_and_prose_are_not_taken_for_tagged_text(tmp_path: Path) -> None:
    for name, content in {
        "a.tsv": "name\tage\nAnn\t3\n",
        "b.txt": "A line of prose.\n\nAnother B-side.\n",
        "c.tsv": "x\tO\ny\tO\n",
        "d.csv": "Ann,B-PER\n",
        "e.txt": "",
    }.items():
        (tmp_path / name).write_text(content)
        assert not looks_tagged(tmp_path / name)
    (tmp_path / "f.tsv.gz").write_bytes(b"no gzip")
    (tmp_path / "g.tsv").write_bytes(bytes(range(256)))
    assert not looks_tagged(tmp_path / "f.tsv.gz")
    assert not looks_tagged(tmp_path / "g.tsv")


def test_generated_mentions() -> None:
    made = tagged_mentions()
    view = made.view("mentions")
    assert len(view.offsets) == 701
    assert 1100 < len(made) < 1700
    assert set(made.truth["type"]) == set(CLASSES)
    two = np.diff(view.spans, axis=1).ravel() == 2
    assert 0.2 < two.mean() < 0.4
    listed = np.stack([view.features[name][view.spans[:, 0]] == "yes" for name in LISTS])
    assert 0.5 < listed.any(axis=0).mean() < 0.7
    right = listed[[CLASSES.index(kind) for kind in made.truth["type"]], np.arange(len(made))]
    assert 0.75 < right[listed.any(axis=0)].mean() < 1
    again = tagged_mentions()
    assert again.ids == made.ids
    assert tagged_mentions(random_state=1).ids != made.ids
    assert set(plain(made).view().features) == {"pos", "bio"}
    for wrong in ({"cue": 2}, {"sentences": 0}):
        with pytest.raises(ParameterError):
            tagged_mentions(**wrong)


def test_cues_stand_beside_the_names_of_their_class() -> None:
    made = tagged_mentions(cue=1.0, sentences=200)
    view = made.view()
    before = view.tokens[view.spans[:, 0] - 1]
    kinds = {
        word: {str(k) for k in made.truth["type"][before == word]} for word in np.unique(before)
    }
    assert all(len(found) == 1 for found in kinds.values())
