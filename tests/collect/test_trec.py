"""Topics, judgements and runs of TREC: the forms they come in, and what is refused in one sentence."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from coterie.collect.trec import read_qrels, read_run, read_topics, run_text
from coterie.core.errors import DataError
from coterie.workflows.system_files import grades

SGML = """
<top>
<num> Number: 051
<title> Topic: Airbus  subsidies &amp; trade

<desc> Description:
Documents that mention aid
to Airbus.
<narr> Narrative: None.
</top>
<top><num>52</num><title>steel</title><desc>Any steel</desc></top>
"""


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_topics_of_trec(written):
    path = written("topics.txt", SGML)
    assert read_topics(path) == {"51": "Airbus subsidies & trade", "52": "steel"}
    assert (
        read_topics(path, ("title", "desc"))["51"]
        == "Airbus subsidies & trade Documents that mention aid to Airbus."
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.txt", "007\tgrey cats\n8\tdogs\n"),
        ("q.txt", "7: grey cats\n\n8: dogs\n"),
        ("q.csv", "id,query\n7,grey cats\n8,dogs\n"),
        ("q.tsv", "7\tgrey cats\n8\tdogs\n"),
        ("q.jsonl", '{"id": "7", "query": "grey cats"}\n{"id": "8", "query": "dogs"}\n'),
    ],
)
def test_topics_in_lines_and_tables(written, name, text):
    assert {k: v.strip() for k, v in read_topics(written(name, text)).items()} == {
        "7": "grey cats",
        "8": "dogs",
    }


def test_qrels(written):
    four = written("a.qrels", "051 0 AP-1 1\n51 0 AP-2 0\n52 0 AP-1 2\n")
    assert read_qrels(four) == {"51": {"AP-1": 1, "AP-2": 0}, "52": {"AP-1": 2}}
    three = written("b.tsv", "query-id\tcorpus-id\tscore\nq1\td9\t1\n")
    assert read_qrels(three) == {"q1": {"d9": 1}}


def test_runs_go_out_and_come_back(written):
    rankings = {"51": [("a", 2.5), ("b", 1.25)], "7": [("c", -0.5)]}
    text = run_text(rankings, "ours")
    assert text.splitlines()[1] == "51 Q0 b 2 1.25 ours"
    assert read_run(written("out.run", text)) == rankings


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (read_topics, "", "has no topic"),
        (read_topics, "<top><title>x</top>", "Topic 1 of 'bad.txt' has no <num>"),
        (
            read_topics,
            "<top><num>1<title></top>",
            "Topic '1' of 'bad.txt' has no words in its title",
        ),
        (read_topics, "1\ta\n1\tb\n", "has two topics '1'"),
        (read_topics, "1\n", "Line 1 of 'bad.txt' has no query after its number"),
        (read_qrels, "1 0 a\n1 0 a b c\n", "Line 1 of 'bad.txt'|Line 2 of 'bad.txt' has 5 words"),
        (read_qrels, "1 0 a 1\n1 0 b yes\n", "Line 2 of 'bad.txt' ends in 'yes'"),
        (read_qrels, "\n", "has no judgement"),
        (
            read_qrels,
            "1\ttea leaves\n2\tviolin\n",
            "holds no judgements .* but what looks like topics; are both swapped",
        ),
        (
            read_qrels,
            "<top> <num> Number: 1 <title> tea </top>",
            "what looks like topics; are both swapped",
        ),
        (
            read_topics,
            "1 0 a 1\n1 0 b 0\n",
            "holds judgements .* where topics belong; are both swapped",
        ),
        (read_run, "1 Q0 a 1 2.0\n", "Line 1 of 'bad.txt' has 5 words where a run has 6"),
        (read_run, "1 Q0 a 1 high x\n", "the score 'high', which is no number"),
        (read_run, "", "has no line of a run"),
        (
            read_run,
            "1 Q0 a 1 nan x\n",
            "Line 1 of 'bad.txt' has the score 'nan', which is no number",
        ),
        (
            read_qrels,
            "1 0 a 1\n1 0 b inf\n",
            "Line 2 of 'bad.txt' has the relevance 'inf', which is no finite number",
        ),
        (read_qrels, "1 0 a nan\n", "Line 1 of 'bad.txt' has the relevance 'nan'"),
    ],
)
def test_bad_files_are_one_sentence(written, read, text, said):
    with pytest.raises(DataError, match=said):
        read(written("bad.txt", text))


def test_other_refusals(tmp_path, written):
    with pytest.raises(DataError, match="There is no file or folder"):
        read_topics(tmp_path / "none.txt")
    with pytest.raises(DataError, match="is a folder"):
        read_qrels(tmp_path)
    with pytest.raises(DataError, match="no 'summary'"):
        read_topics(written("t.txt", SGML), ("summary",))
    with pytest.raises(DataError, match="the member 'a b' has one in its id"):
        run_text({"1": [("a b", 1.0)]})


@pytest.mark.parametrize("gap", [1e-9, 1e-15])
def test_small_scores_keep_their_order(written, gap):
    rankings = {
        "1": [("z", gap * 3), ("y", gap * 2), ("x", gap)],
        "2": [("b", 0.5 + 2.0**-50), ("a", 0.5)],
    }
    text = run_text(rankings)
    assert [line.split()[3] for line in text.splitlines()] == ["1", "2", "3", "1", "2"]
    found = read_run(written("out.run", text))
    assert [[document for document, _ in rows] for rows in found.values()] == [
        ["z", "y", "x"],
        ["b", "a"],
    ]
    for rows in found.values():
        assert all(one[1] > other[1] for one, other in pairwise(rows))


def test_a_run_goes_from_the_best_score_to_the_least():
    for rows, said in (
        ([("a", 1.0), ("b", 2.0)], "at rank 2 it has 2.0"),
        ([("a", float("nan"))], "at rank 1 it has nan"),
    ):
        with pytest.raises(
            DataError, match=f"topic '7' must go from the best score to the least, and {said}"
        ):
            run_text({"7": rows})
    assert run_text({"7": [("a", 1.0), ("b", 1.0)]}).splitlines()[1] == "7 Q0 b 2 1 coterie"


def test_any_grade_above_0_is_relevant(written):
    found = read_qrels(written("a.qrels", "1 0 a 0.5\n1 0 b 0\n1 0 c 1.0\n1 0 d -1\n1 0 e -0.5\n"))[
        "1"
    ]
    assert found == {"a": 1, "b": 0, "c": 1, "d": -1, "e": 0}
    assert grades(np.array(["0.5", "0", "1.0", "-1", "-0.5"], dtype=object)).tolist() == [
        one > 0 for one in found.values()
    ]
