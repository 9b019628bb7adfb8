"""The experiment on lexical substitution on a small stand-in: every row, the tests, the relations, and what is skipped."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from coterie.core.errors import MissingExtra
from coterie_papers import lexical_substitution as experiment
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.substitution_data import examples_of, sentences, unlabeled

_COLORS = ("red", "blue", "green")
_FOODS = ("bread", "soup", "cheese")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sentences in which colors stand beside walls and foods beside plates, and places that ask for one of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    root = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    text = [
        f"the {rng.choice(_COLORS)} wall {i} was painted. he ate {rng.choice(_FOODS)} from the plate {i}."
        for i in range(200)
    ]
    (root / "abc_news").mkdir()
    pq.write_table(pa.table({"text": text}), root / "abc_news" / "abc_news.parquet")
    (root / "wordnet").mkdir()
    with gzip.open(root / "wordnet" / "synsets.tsv.gz", "wt") as file:
        file.write(
            "synset\tpos\tlexfile\tlemmas\n1.a\ta\t0\tred|blue\n2.a\ta\t0\tred|green|soup\n3.n\tn\t0\tbread|cheese\n"
        )
    (root / "lexsub_coinco").mkdir()
    rows = ["target\tid\tposition\tsentence\tsubstitutes"]
    for i in range(40):
        rows.append(f"red.J\t{i}\t1\tthe red wall {i} was painted\tblue 2;green 1;")
        rows.append(f"bread.N\t{i}\t2\the ate bread {i} from the plate\tcheese 1;")
    with gzip.open(root / "lexsub_coinco" / "instances.tsv.gz", "wt") as file:
        file.write("\n".join(rows) + "\n")
    with gzip.open(root / "lexsub_coinco" / "candidates.txt.gz", "wt") as file:
        file.write("red.J::blue;green;soup;plate\nbread.N::cheese;blue;painted\n")
    return root


def _without_torch(monkeypatch):
    from coterie.represent.nntr import NNTR

    def refuse(self, X, y=None):
        raise MissingExtra("This needs the library 'torch'.")

    monkeypatch.setattr(NNTR, "fit", refuse)


def test_rows_tests_and_relations(folder, monkeypatch):
    _without_torch(monkeypatch)
    ledger = Ledger()
    experiment.run(Trial(1, True, folder), ledger)
    assert ledger.skipped == ["nntr: This needs the library 'torch'."]
    own = {
        (row.method, row.measure): row.ours
        for row in ledger.rows
        if row.data.startswith("candidates of CoInCo")
    }
    assert {m for m, _ in own} >= {
        "bayes",
        "similarity",
        "frequency",
        "senses of WordNet",
        "chance",
        "bounds",
        "data",
    }
    assert own["bayes", "accuracy"] == 1.0  # a wall that is painted is blue and not soup
    assert own["similarity", "accuracy"] == 1.0
    assert own["similarity", "average precision"] > own["chance", "average precision, 95% level"]
    assert 0 < own["bayes - frequency", "average precision, p (bootstrap over sentences)"] <= 1
    assert own["bounds", "accuracy, most"] == 1.0
    assert any(
        row.data.startswith("synonyms of WordNet") and row.method == "similarity"
        for row in ledger.rows
    )
    said = [relation.text for relation in ledger.relations]
    assert len(said) == len(set(said)) == 8
    assert any("similarity (AP" in text and "ranks above frequency" in text for text in said)


def test_halves_share_no_sentence(folder):
    trial = Trial(1, True, folder)
    judged = examples_of(trial, None)
    chosen = examples_of(trial, None, development=True)
    own = {" ".join(judged.sentences[i]) for i in judged.sentence}
    others = {" ".join(chosen.sentences[i]) for i in chosen.sentence}
    assert own
    assert others
    assert not own & others
    assert judged.n_places + chosen.n_places == 80
    assert examples_of(trial, None, most=7).n_places == 7


def test_text_is_cut_and_each_sentence_is_there_once(folder):
    found, name = unlabeled(Trial(1, True, folder))
    assert name == "ABC news"
    assert len(found) == len(set(found)) == 400
    assert list(sentences("a b c! D e f.\n\nshort one")) == ["a b c!", "D e f."]


def test_what_is_missing_is_said(tmp_path):
    ledger = Ledger()
    experiment.run(Trial(1, True, tmp_path), ledger)
    assert not ledger.rows
    assert "lexsub_coinco, wordnet, abc_news are not here" in ledger.skipped[0]
