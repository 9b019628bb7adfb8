"""Tables of mates against counting, and methods side by side over pairs and triples."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.judge import by_view, mate_board, mate_table
from coterie.judge.mates import FIRST, MEDIAN, PRECISION, TEN
from tests.oracles import mates as slow


def views(seed=0, noise=0.4, names=("en", "de", "fr"), n=30):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 6))
    return {name: shared + noise * rng.normal(size=shared.shape) for name in names}


def test_every_ordered_pair_is_counted():
    given = views()
    table = mate_table(given)
    assert set(table.ranks) == {(a, b) for a in given for b in given if a != b}
    for (one, other), found in table.ranks.items():
        assert found.average_precision == pytest.approx(
            slow.average_precision(given[one], given[other]), abs=1e-12
        )
    values = [found.average_precision for found in table.ranks.values()]
    assert table.average_precision == pytest.approx(np.mean(values))
    assert table.between("de", "en") == pytest.approx(
        (table.ranks["en", "de"].average_precision + table.ranks["de", "en"].average_precision) / 2
    )
    assert table.chance == pytest.approx(np.mean(1 / np.arange(1, 31)))
    assert table.recall(1) <= table.recall(10) <= 1
    assert [record["asks"] for record in table.records()] == ["en", "en", "de", "de", "fr", "fr"]
    text = table.to_text()
    assert "all pairs" in text
    assert "30 candidates, ranked by cosine" in text


def test_shuffled_mates_are_found_by_chance():
    given = views(noise=0.05)
    given["de"] = given["de"][np.random.default_rng(3).permutation(30)]
    table = mate_table(given)
    assert table.between("en", "fr") > 0.9
    assert table.between("en", "de") < 2 * table.chance + 0.05


def test_the_board_pairs_methods_by_combination():
    good = [
        mate_table(views(seed, 0.1, names))
        for seed, names in enumerate((("a", "b"), ("a", "c"), ("a", "b", "c")))
    ]
    bad = [
        mate_table(views(seed, 2.0, names))
        for seed, names in enumerate((("a", "b"), ("a", "c"), ("a", "b", "c")))
    ]
    board = mate_board({"good": good, "bad": bad}, "mates")
    assert board.data == ["2 views", "3 views"]
    assert board.measures == [PRECISION, FIRST, TEN, MEDIAN]
    assert board.best(PRECISION, "2 views") == "good"
    assert board.best(MEDIAN, "3 views") == "good"
    assert set(board.values("bad", PRECISION, "2 views")) == {"a - b", "a - c"}
    columns = by_view(good[:2])
    assert columns["a"] == pytest.approx(
        (good[0].average_precision + good[1].average_precision) / 2
    )
    assert columns["b"] == pytest.approx(good[0].average_precision)


def test_combinations_that_come_again_are_further_runs():
    runs = [mate_table(views(seed, 0.1, ("a", "b"))) for seed in range(3)]
    board = mate_board(
        {"good": runs, "bad": [mate_table(views(seed, 2.0, ("a", "b"))) for seed in range(3)]}
    )
    found = board.values("good", PRECISION, "2 views")
    assert found == dict(
        zip(
            ("a - b", "a - b, run 2", "a - b, run 3"),
            (one.average_precision for one in runs),
            strict=True,
        )
    )
    assert "?" not in board.to_text().splitlines()[-2]  # enough runs to test


def test_whole_numbers_are_ranked_as_numbers():
    counts = {"en": np.arange(12).reshape(4, 3), "de": np.arange(12).reshape(4, 3)[::-1]}
    given = {name: rows.astype(float) for name, rows in counts.items()}
    assert mate_table(counts).values() == mate_table(given).values()


def test_what_cannot_be_compared_is_refused():
    bad = np.ones((600, 3))
    bad[550] = np.inf
    with pytest.raises(DataError, match="Row 550 of view 'de' is not finite"):
        mate_table({"en": np.ones((600, 3)), "de": bad})
    with pytest.raises(
        DataError, match="View 'en' must be members x factors, and does not hold numbers"
    ):
        mate_table({"en": [["a"], ["b"]], "de": [["a"], ["b"]]})
    with pytest.raises(DataError, match="two views or more, and 1 was given"):
        mate_table({"en": np.eye(3)})
    with pytest.raises(DataError, match="equally many factors"):
        mate_table({"en": np.eye(3), "de": np.ones((3, 2))})
    with pytest.raises(DataError, match="must be members x factors"):
        mate_table({"en": np.eye(3), "de": np.ones(3)})
    with pytest.raises(DataError, match="3 and 4 rows"):
        mate_table({"en": np.eye(3), "de": np.ones((4, 3))})
    with pytest.raises(DataError, match="no mates of 'en' and 'fr'"):
        mate_table({"en": np.eye(3), "de": np.eye(3)}).between("en", "fr")
    pools = [mate_table(views(0, 0.1, ("a", "b"), n)) for n in (20, 30)]
    with pytest.raises(DataError, match="30 of them, and before there were 20"):
        mate_board({"one": pools[:1], "other": pools[1:]})
