"""Few labels and features learned without them: splits, the crossing, the tasks, and the tables on tiny data of the test."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie.show.lines import draw
from coterie_papers import label_trials, reuters_features
from coterie_papers.experiment import Ledger, Trial
from coterie_papers.label_trials import (
    TTMM_,
    crossing,
    features,
    split,
    stocked,
    tried,
    weighted,
)
from coterie_papers.reuters import read_reuters
from tests.letters import NOISE, letters
from tests.papers.test_reuters import story, written

LABELS = ("sci.space", "comp.graphics", "talk.politics.guns", "rec.autos")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """160 letters in the form of 20 Newsgroups; every third is about tea, and those are of sci.space."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "newsgroups20").mkdir()
    rng = np.random.default_rng(0)
    texts = [f"Subject: {text}\n\n{text} {' '.join(rng.choice(NOISE, 5))}" for text in letters(160)]
    names = [LABELS[0] if at % 3 == 0 else LABELS[1 + at % 2] for at in range(160)]
    table = pa.table({"label": names, "id": [str(at) for at in range(160)], "text": texts})
    pq.write_table(table, folder / "newsgroups20" / "newsgroups20.parquet")
    return folder


@pytest.fixture
def small(monkeypatch):
    """Few topics, so that the models take no time."""
    monkeypatch.setattr(label_trials, "TOPICS", 4)
    monkeypatch.setattr(reuters_features, "QUICK_SHARES", (5.0, 20.0, 50.0))


def test_splits_hold_their_shares_and_never_meet():
    yes = np.arange(400) % 20 == 0
    for share in (0.01, 0.05, 0.5):
        labeled, test = split(yes, share, seed=1)
        assert not set(labeled) & set(test)
        assert len(test) == 200
        assert int(yes[test].sum()) == 10
        assert int(yes[labeled].sum()) == max(2, round(share * 20))
    assert np.array_equal(split(yes, 0.05, 1)[1], split(yes, 0.5, 1)[1])
    assert not np.array_equal(split(yes, 0.05, 1)[1], split(yes, 0.05, 2)[1])


def test_crossings():
    assert crossing((1, 10, 100), (0.9, 0.9, 0.9), (0.8, 0.88, 0.98)) == pytest.approx(
        10 ** (1 + 0.2)
    )
    assert np.isnan(crossing((1, 10), (0.9, 0.9), (0.8, 0.8)))
    assert np.isnan(crossing((1, 10), (0.8, 0.8), (0.9, 0.9)))
    assert crossing((1, 10, 100, 1000), (0.5,) * 4, (0.4, 0.6, 0.4, 0.6)) > 100  # for good


def test_weights_are_tfidf_of_length_one():
    stock = stocked("letters", letters(60), {"tea": np.arange(60) % 3 == 0})
    assert list(stock.tasks) == ["tea (33%)"]
    assert np.allclose(
        np.sqrt(np.asarray(weighted(stock.counts).multiply(weighted(stock.counts)).sum(axis=1))),
        1.0,
    )


@pytest.mark.usefixtures("small")
def test_every_representation_is_there_and_tells_tea():
    yes = np.arange(120) % 3 == 0
    stock = stocked("letters", letters(120), {"tea": yes})
    rows = features(stock, "here", quick=True)
    assert set(rows) == {"TFIDF", "LSA", "PLSA", "LDA", *TTMM_}
    for name, values in rows.items():
        assert values.shape[0] == 120
        if name != "TFIDF":
            assert values.shape[1] == 4
    for kernel in ("rbf", "linear"):
        found = tried(rows["TFIDF"], yes, 0.4, seed=0, kernel=kernel)
        assert found["accuracy"] > 0.9
        assert found["f1"] > 0.85


@pytest.mark.usefixtures("small")
def test_the_experiment_on_tiny_data(data):
    ledger = Ledger()
    reuters_features.run(Trial(1, True, data), ledger)
    assert any("reuters21578" in sentence for sentence in ledger.skipped)
    assert {row.measure for row in ledger.rows} >= {"accuracy, 5% labeled", "F1, 50% labeled"}
    assert all(
        0 <= row.ours <= 1 for row in ledger.rows if not row.measure.startswith("TFIDF overtakes")
    )
    assert (
        sum("above TFIDF in mean accuracy" in relation.text for relation in ledger.relations) == 1
    )
    each = [
        relation.text
        for relation in ledger.relations
        if "above TFIDF by more than a standard error" in relation.text
    ]
    assert [text.split(": ")[1].split(" above")[0] for text in each] == [
        "LSA",
        "LDA",
        "PLSA",
        "TTMM predictive",
    ]
    assert "<svg" in draw(ledger.pictures[0])


def test_each_representation_must_be_above_by_more_than_its_standard_error():
    tfidf = np.array([0.70, 0.74, 0.72])
    far = np.array([0.90, 0.88, 0.92])
    near = np.array([0.71, 0.75, 0.73])
    tasks = {
        task: {
            "TFIDF": {1.0: tfidf + up},
            "LSA": {1.0: far + up},
            "PLSA": {1.0: near + up},
            TTMM_[0]: {1.0: tfidf + up},
        }
        for task, up in (("one", 0.0), ("other", 0.02))
    }
    ledger = Ledger()
    reuters_features._each(ledger, "made", tasks, 1.0, ("LSA", "PLSA", TTMM_[0]))
    assert [relation.holds for relation in ledger.relations] == [True, False, False]
    assert (
        "LSA above TFIDF by more than a standard error (+0.180, standard error 0.016, 3 splits)"
        in ledger.relations[0].text
    )


def test_a_picture_has_what_was_measured_and_tells_where_tfidf_overtakes():
    stock = stocked("letters", letters(60), {"tea": np.arange(60) % 3 == 0})
    shares = (1.0, 10.0, 100.0)
    flat = {1.0: np.array([0.9]), 10.0: np.array([0.9]), 100.0: np.array([0.9])}
    rising = {
        share: np.array([value]) for share, value in zip(shares, (0.8, 0.88, 0.98), strict=True)
    }
    curves = {"TFIDF": rising, **dict.fromkeys(("LSA", "PLSA", "LDA", *TTMM_), flat)}
    picture = reuters_features._picture(stock, "tea", "Gaussian", "accuracy", curves)
    assert picture.x == shares  # what was measured and nothing between
    assert set(picture.lines) == set(curves)
    assert picture.lines["TFIDF"] == (0.8, 0.88, 0.98)
    assert "LSA at 16%" in picture.sentence
    drawn = draw(picture)
    assert all(f">{share:g}%<" in drawn for share in shares)
    assert "power" not in drawn


def test_reuters_counts_and_tasks(tmp_path):
    stories = "".join(
        story(
            at,
            labels=("earn",) if at % 3 == 0 else ("grain", "wheat") if at % 5 == 0 else (),
            body=text,
            split="TEST" if at % 4 == 0 else "TRAIN",
        )
        for at, text in enumerate(letters(60), 1)
    )
    collection = read_reuters(written(tmp_path / "reuters21578", stories))
    ledger = Ledger()
    reuters_features._checked(ledger, collection)
    rows = {row.measure: row for row in ledger.rows}
    assert rows["stories to train"].ours == 45
    assert rows["stories to train"].paper == 9603
    assert rows["topics in both"].ours == 3
    assert [relation.holds for relation in ledger.relations] == [False, False]
    stock = reuters_features.reuters_tasks(collection, quick=True)
    assert len(stock) == 45
    assert [name.split(" ")[0] for name in stock.tasks] == ["grain", "earn"]
