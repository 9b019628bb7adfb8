"""Sentiment by seeds: the list made from a small WordNet, and the whole experiment on tiny collections."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie_papers.experiment import Ledger, Trial
from coterie_papers.interactive_sentiment import (
    EXPERIMENT,
    Task,
    _movies,
    _sentences,
    adverb,
    run,
    sentiment_list,
)

HEAD = "synset\tpos\tlexfile\tlemmas\thypernyms\tholonyms_meronyms\tsimilar\tgloss\n"
SYNSETS = (
    "1.a\ta\t00\tgood\t\t\t2.s|3.s\tof quality\n"
    "2.s\ts\t00\tgreat|bang-up\t\t\t1.a\tvery good\n"
    "3.s\ts\t00\tfine\t\t\t1.a\tgood\n"
    "4.a\ta\t00\tbad|lousy\t\t\t5.s\tnot good\n"
    "5.s\ts\t00\tterrible\t\t\t4.a\tbad\n"
    "6.s\ts\t00\tgood|beneficial\t\t\t7.a\tpromoting\n"
    "7.a\ta\t00\thelpful\t\t\t6.s\tgiving help\n"
    "8.a\ta\t00\tgreat|large\t\t\t\tin size\n"
    "9.n\tn\t00\tgood|goodness\t\t\t\tthat which is good\n"
)
PRAISE = ["good", "great", "fine", "beneficial", "helpful"]
BLAME = ["bad", "terrible", "lousy", "awful", "weak"]


def written(folder):
    """Tiny data sets of the three names."""
    random = np.random.default_rng(0)
    for name in ("movie_reviews", "subjectivity"):
        rows = []
        for at in range(120):
            own = random.choice(PRAISE if at % 2 else BLAME, 2, replace=False)
            rows.append(
                " ".join(
                    [
                        *own,
                        *random.choice(
                            ["film", "plot", "the", "he", "it", "actor", "scene", "role"], 4
                        ),
                    ]
                )
            )
        table = pa.table({"label": ["pos" if at % 2 else "neg" for at in range(120)], "text": rows})
        (folder / name).mkdir()
        pq.write_table(table, folder / name / f"{name}.parquet")
    (folder / "wordnet").mkdir()
    (folder / "wordnet" / "synsets.tsv.gz").write_bytes(gzip.compress((HEAD + SYNSETS).encode()))
    return folder


def test_the_list_is_one_step_from_the_words_it_starts_from(tmp_path):
    found = sentiment_list(written(tmp_path) / "wordnet" / "synsets.tsv.gz")
    assert {
        "good",
        "great",
        "fine",
        "bad",
        "lousy",
        "terrible",
        "beneficial",
        "helpful",
        "terribly",
        "badly",
    } <= found
    assert not found & {"large", "goodness", "bang-up", "largely"}


@pytest.mark.parametrize(
    ("word", "made"),
    [("nice", "nicely"), ("happy", "happily"), ("horrible", "horribly"), ("epic", "epically")],
)
def test_adverbs(word, made):
    assert adverb(word) == made


def test_the_whole_experiment_on_tiny_data(tmp_path):
    found = EXPERIMENT.conduct(quick=True, folder=written(tmp_path))
    micro = {
        (row.data.split(",")[0], row.method): row.ours
        for row in found.rows
        if row.measure == "micro accuracy %"
    }
    assert micro["movie reviews", "interactive"] > 90
    assert micro["subjectivity", "interactive"] > 90
    assert {name for data, name in micro if data == "movie reviews"} > {
        "k-means",
        "LDA",
        "MDC",
        "MDC, sentiment list",
    }
    assert all(0 <= value <= 100 for value in micro.values())
    texts = [relation.text for relation in found.relations]
    assert sum(text.startswith("R12") for text in texts) == 3
    assert sum("clearly above" in text for text in texts) == 4
    papers = {row.method: row.paper for row in found.rows if row.paper is not None}
    assert papers["interactive"] == 47.1


@pytest.mark.parametrize(("tell", "points"), [(_movies, 5), (_sentences, 2)])
def test_clearly_is_a_margin_that_is_said(tell, points):
    task = Task({}, np.zeros(4), "some texts", ("words", "stop-words"))
    for ahead in (points - 0.5, points + 0.5):
        names = (
            "MDC",
            "k-means",
            "MDC, sentiment list",
            "MDC, words and stop-words",
            "simulated classification",
        )
        micro = {name: np.array([70.0, 70.0]) for name in names}
        ledger = Ledger()
        tell(ledger, task, {**micro, "interactive": np.array([70.0, 70.0]) + ahead})
        clear = {
            relation.text: relation.holds
            for relation in ledger.relations
            if "clearly" in relation.text
        }
        assert list(clear.values()) == [ahead > points] * 2
        assert all(f"margin fixed before the run: {points} points" in text for text in clear)


def test_data_that_is_not_there_is_said(tmp_path, monkeypatch):
    monkeypatch.delenv("COTERIE_DATA", raising=False)
    ledger = Ledger()
    run(Trial(1, True, tmp_path), ledger)
    assert len(ledger.skipped) == 2
    assert not ledger.rows
