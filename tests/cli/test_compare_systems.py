"""coterie compare-systems: what it prints and writes for each kind of file, and one sentence for each bad input."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from coterie.cli import main as door
from coterie.judge import average_precision, mcnemar

from .running import coterie, refused

FAST = ("--replicates", 200)
WORDS = ("coterie.cli.compare_systems", "Compare systems.")


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(
        door.COMMANDS, "compare-systems", door.COMMANDS.get("compare-systems", WORDS)
    )


def write(path, header, *columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header.split(","), *zip(*columns, strict=True)])
    return path


def compare(*words):
    said = coterie("compare-systems", *words, *FAST)
    assert said.code == 0, said.err
    assert said.err == ""
    return said.out


@pytest.fixture
def made():
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.4
    scores = [np.round(rng.normal(size=200) + gap * truth, 2) for gap in (3.0, 1.0)]
    return [f"d{i}" for i in range(200)], truth.astype(int), scores


def test_predictions_are_tested_by_the_measure(tmp_path, made):
    ids, truth, scores = made
    files = [
        write(tmp_path / f"{n}.csv", "id,truth,prediction", ids, truth, (s > 1).astype(int))
        for n, s in zip("ab", scores, strict=True)
    ]
    out = compare(*files)
    assert out.splitlines()[0].startswith("2 systems on 200 members, ")
    assert "a is better than b: " in out
    assert "bootstrap percentile test, because F1 is no mean over members" in out
    told = compare(*files, "--measure", "accuracy")
    p = mcnemar((scores[0] > 1) == truth, (scores[1] > 1) == truth).p_value
    assert p < 0.001
    assert "< 0.001" in told
    assert "McNemar's test" in told


def test_order_of_rows_and_other_names_do_not_matter(tmp_path, made):
    ids, truth, scores = made
    one = write(tmp_path / "a.csv", "id,truth,score", ids, truth, scores[0])
    order = np.random.default_rng(1).permutation(200)
    other = write(
        tmp_path / "b.csv",
        "doc,gold,how sure",
        np.array(ids)[order],
        truth[order],
        scores[1][order],
    )
    plain = write(tmp_path / "b2.csv", "id,truth,score", ids, truth, scores[1])
    record = json.loads(compare(one, plain, "--json", "-"))
    assert record["main"] == "average precision"
    assert record["measures"]["average precision"][1]["value"] == pytest.approx(
        average_precision(scores[1], truth)
    )
    assert "name one of them (--prediction)" in refused("compare-systems", one, other)
    write(
        tmp_path / "b.csv", "doc,gold,score", np.array(ids)[order], truth[order], scores[1][order]
    )
    again = json.loads(compare(one, other, "--json", "-"))
    assert again["measures"]["AUC"][1]["value"] == pytest.approx(
        record["measures"]["AUC"][1]["value"]
    )


def test_thresholds_come_from_development_rows_and_curves_are_drawn(tmp_path, made):
    ids, truth, scores = made
    split = np.where(np.arange(200) < 100, "dev", "test")
    files = [
        write(tmp_path / f"{n}.csv", "id,truth,score,split", ids, truth, s, split)
        for n, s in zip("ab", scores, strict=True)
    ]
    out = compare(*files, "--html", tmp_path / "page.html", "--json", tmp_path / "x.json")
    assert "on 100 members" in out
    assert "largest F1 on the development part" in out
    page = (tmp_path / "page.html").read_text()
    assert page.count("<figure>") == 5
    assert "Expected performance: F1" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert json.loads((tmp_path / "x.json").read_text())["n"] == 100
    scores_only = compare(
        *(
            write(tmp_path / f"{n}.csv", "id,truth,score", ids, truth, s)
            for n, s in zip("ab", scores, strict=True)
        )
    )
    assert "F1 and the like need a threshold" in scores_only
    assert "system  F1 (" in compare(tmp_path / "a.csv", tmp_path / "b.csv", "--threshold", 1)


def test_development_and_test_must_be_apart(tmp_path, made):
    ids, truth, scores = made
    split = np.where(np.arange(200) < 100, "dev", "test")
    truth[150] = truth[0]
    twice = ["d0" if i == 150 else name for i, name in enumerate(ids)]
    files = [
        write(tmp_path / f"{n}.csv", "id,truth,score,split", twice, truth, s, split)
        for n, s in zip("ab", scores, strict=True)
    ]
    assert refused("compare-systems", *files) == (
        "The member 'd0' is both in the development part and in the test part, so that thresholds would be tuned on the test; "
        "allow_overlap lets it pass (--allow-overlap)."
    )
    assert "the numbers flatter" in compare(*files, "--allow-overlap")
    texts = ["the same words" if i in (3, 160) else f"text {i}" for i in range(200)]
    files = [
        write(tmp_path / f"{n}.csv", "id,truth,score,split,text", ids, truth, s, split, texts)
        for n, s in zip("ab", scores, strict=True)
    ]
    assert "A text of 'd160' is both" in refused("compare-systems", *files)


def test_queries_categories_and_labels(tmp_path, made):
    ids, truth, scores = made
    query = [f"q{i % 10}" for i in range(200)]
    files = [
        write(tmp_path / f"{n}.csv", "query,id,relevance,score", query, ids, truth, s)
        for n, s in zip("ab", scores, strict=True)
    ]
    out = compare(*files)
    assert out.startswith("2 systems on 10 queries.")
    assert "Wilcoxon's signed-rank test" in out
    document = [f"d{i // 4}" for i in range(200)]
    category = [f"c{i % 4}" for i in range(200)]
    files = [
        write(
            tmp_path / f"{n}.csv",
            "id,category,truth,prediction",
            document,
            category,
            truth,
            (s > 1).astype(int),
        )
        for n, s in zip("ab", scores, strict=True)
    ]
    assert compare(*files).startswith("2 systems on 50 documents in 4 categories.")
    words = np.array(["ham", "spam"])
    files = [
        write(
            tmp_path / f"{n}.csv",
            "id,truth,prediction",
            ids,
            words[truth],
            words[(s > 1).astype(int)],
        )
        for n, s in zip("ab", scores, strict=True)
    ]
    out = compare(*files)
    assert "with 2 labels" in out
    assert "positive spam gives precision" in out
    assert "% of them positive" in compare(*files, "--positive", "spam")


def told_and_page(tmp_path, *words):
    out = compare(*words, "--html", tmp_path / "page.html")
    return out, (tmp_path / "page.html").read_text()


def spam(tmp_path):
    truth = np.array(["spam" if i % 4 == 0 else "ham" for i in range(200)])
    said = np.where(np.arange(200) % 25 == 0, np.where(truth == "ham", "spam", "ham"), truth)
    one = write(tmp_path / "yes.csv", "id,truth,prediction", range(200), truth, said)
    other = write(
        tmp_path / "yes2.csv",
        "id,truth,prediction",
        range(200),
        truth,
        np.where(truth == "ham", "hamm", truth),
    )
    return one, other, truth


def test_labels_are_those_of_the_truth(tmp_path):
    one, other, truth = spam(tmp_path)
    note = "'yes2.csv' predicts 'hamm' 150 times, which the truth never has"
    out = compare(one, other, "--positive", "spam")
    assert f"{note}: that counts as not spam." in out
    assert "1.000* (no interval)" in out
    assert "There is no interval for F1 of yes2" in out
    out = compare(one, other)
    assert out.startswith("2 systems on 200 members with 2 labels.")
    assert f"{note}: that counts as wrong." in out
    assert "yes is better than yes2" in out
    shout = write(
        tmp_path / "shout.csv", "id,truth,prediction", range(200), truth, np.char.upper(truth)
    )
    assert "and nothing else; the truth has ham, spam" in refused("compare-systems", one, shout)
    assert "--positive must be one of ham, spam" in refused(
        "compare-systems", one, other, "--positive", "hamm"
    )


def test_main_measure_and_accuracy_may_disagree(tmp_path):
    truth = np.arange(200) < 20
    bold = truth | (np.arange(200) >= 185)  # all found, 15 false alarms
    shy = np.arange(200) < 9  # nearly nothing found, no alarm: less F1, more accuracy
    files = [
        write(
            tmp_path / f"{name}.csv",
            "id,truth,prediction",
            range(200),
            truth.astype(int),
            said.astype(int),
        )
        for name, said in (("bold", bold), ("shy", shy))
    ]
    assert (
        "F1 and accuracy disagree: bold is ahead in F1 and shy in accuracy (0.925 and 0.945)."
        in compare(*files)
    )


def test_the_page_of_queries_labels_and_categories(tmp_path, made):
    ids, truth, scores = made
    query = [f"q{i % 40}" for i in range(200)]
    files = [
        write(tmp_path / f"{n}.csv", "query,id,relevance,score", query, ids, truth, s)
        for n, s in zip("ab", scores, strict=True)
    ]
    out, page = told_and_page(tmp_path, f"BM25={files[0]}", f"with topics={files[1]}")
    assert "with topics" in out
    assert "they differ on" not in out
    for part in (
        "Average precision per query",
        "BM25 less with topics",
        "ahead on",
        "Precision at eleven levels of recall",
        "q39",
    ):
        assert part in page, part
    one, other, _ = spam(tmp_path)
    _, page = told_and_page(tmp_path, one, other)
    for part in (
        "F1 per class",
        "Confusions",
        "hamm",
        "taken for",
        "they differ on",
        "no interval",
    ):
        assert part in page, part
    document = [f"d{i // 4}" for i in range(200)]
    category = [f"c{i % 4}" for i in range(200)]
    columns = [(document, category, truth, s) for s in scores]
    files = [
        write(tmp_path / f"{n}.csv", "id,category,truth,score", *c)
        for n, c in zip("ab", columns, strict=True)
    ]
    out, page = told_and_page(tmp_path, *files)
    assert "macro average precision" in out
    assert "F1 and the like need a threshold" in out
    for part in ("Average precision per category", "AUC per category"):
        assert part in page, part
    assert "F1 per category" not in page
    out, page = told_and_page(tmp_path, *files, "--threshold", 1)
    assert "F1 per category" in page
    assert "system  micro F1" in out
    record = json.loads(compare(*files, "--measure", "auc", "--json", "-"))
    assert record["main"] == "macro AUC"
    assert record["pairs"][0]["differ_on"] is None
    assert [part["measure"] for part in record["parts"]] == ["average precision", "AUC"]


def test_the_page_looks_like_the_others_and_holds_against_bad_names(tmp_path, made):
    ids, truth, scores = made
    files = [
        write(tmp_path / f"{n}.csv", "id,truth,score", ids, truth, s)
        for n, s in zip("ab", scores, strict=True)
    ]
    out, page = told_and_page(tmp_path, f"<b>x={files[0]}", files[1], "--level", 0.9)
    assert "90% interval" in out
    assert "difference of average precision" in out
    assert "<b>x" not in page
    for part in (
        'class="mark"',
        'class="verdict"',
        "With 90% intervals",
        'class="scroll"',
        "&lt;b&gt;x",
    ):
        assert part in page, part
    assert refused("compare-systems", f"x={files[0]}", f"x={files[1]}").startswith(
        "Two systems are called 'x'"
    )
    assert refused("compare-systems", f"x={tmp_path / 'no.csv'}", files[1]).startswith(
        "There is no file"
    )


def test_lists_of_other_documents_count_what_they_lack(tmp_path):
    one = write(
        tmp_path / "a.csv", "query,id,truth,score", ["q"] * 3, ["x", "y", "z"], [1, 0, 1], [3, 2, 1]
    )
    other = write(tmp_path / "b.csv", "query,id,truth,score", ["q"] * 2, ["x", "w"], [1, 0], [2, 1])
    record = json.loads(compare(one, other, "--json", "-"))
    values = [row["value"] for row in record["measures"]["mean average precision"]]
    assert values == pytest.approx([(1 + 2 / 3) / 2, 1 / 2])
    assert any("count 0" in note for note in record["notes"])


def test_bad_input_is_one_sentence(tmp_path, made):
    ids, truth, scores = made
    a = write(tmp_path / "a.csv", "id,truth,score", ids, truth, scores[0])
    b = write(tmp_path / "b.csv", "id,truth,score", ids, truth, scores[1])
    assert refused("compare-systems", a).startswith(
        "A comparison needs the files of at least two systems"
    )
    assert refused("compare-systems", a, a).startswith("The same file is given twice")
    assert refused("compare-systems", a, tmp_path / "no.csv").startswith("There is no file")
    short = write(tmp_path / "short.csv", "id,truth,score", ids[:-2], truth[:-2], scores[1][:-2])
    assert refused("compare-systems", a, short) == (
        "'d198' (and 1 more) is in 'a.csv' and not in 'short.csv'; systems are compared on the same members."
    )
    other = write(tmp_path / "other.csv", "id,truth,score", ids, 1 - truth, scores[1])
    assert "systems are compared with one truth" in refused("compare-systems", a, other)
    twice = write(tmp_path / "twice.csv", "id,truth,score", [*ids[:-1], "d0"], truth, scores[1])
    assert refused("compare-systems", a, twice).startswith(
        "Rows 1 and 200 of 'twice.csv' are both about 'd0'"
    )
    gap = write(
        tmp_path / "gap.csv",
        "id,truth,score",
        ids,
        truth,
        ["" if i == 4 else s for i, s in enumerate(scores[1])],
    )
    assert refused("compare-systems", a, gap).startswith("Row 5 of 'gap.csv' has no score")
    words = write(tmp_path / "words.csv", "id,truth,score", ids, truth, ["high"] * 200)
    assert "Row 1 of 'words.csv' has 'high' in the column 'score', which is no score" in refused(
        "compare-systems", a, words
    )
    assert "has no column 'x' (named as truth)" in refused("compare-systems", a, b, "--truth", "x")
    assert "--measure map cannot be told from these files; they allow ap, auc" in refused(
        "compare-systems", a, b, "--measure", "map"
    )
    assert "--positive must be one of 0, 1" in refused(
        "compare-systems", a, b, "--positive", "spam"
    )
    named = write(
        tmp_path / "named.csv", "id,truth,score", ids, np.array(["ham", "spam"])[truth], scores[1]
    )
    same = write(
        tmp_path / "same.csv", "id,truth,score", ids, np.array(["ham", "spam"])[truth], scores[0]
    )
    assert "say which value they are for (--positive)" in refused("compare-systems", named, same)
    bare = [write(tmp_path / f"bare{n}.csv", "id,score", ids, s) for n, s in enumerate(scores)]
    assert refused("compare-systems", *bare).startswith("None of the files has a column of truth")
    one_sided = [
        write(tmp_path / f"one{n}.csv", "id,truth,score", ids, 0 * truth, s)
        for n, s in enumerate(scores)
    ]
    assert "All members are negative" in refused("compare-systems", *one_sided)
    assert "there is no folder" in refused(
        "compare-systems", a, b, "--html", tmp_path / "none" / "x.html"
    )
    said = [
        write(tmp_path / f"said{n}.csv", "id,truth,prediction", ids, truth, truth) for n in range(2)
    ]
    assert "has predictions and no scores" in refused("compare-systems", said[0], a)
