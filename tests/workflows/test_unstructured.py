"""Where no groups are found: likely reasons, the best cut as a hint, and what to try next, with its command."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

import coterie
from coterie.core.findings import Remark, Unstructured
from coterie.messages.exploration import REMARK_CODES

LETTERS = list("bcdfgklmnprst")


def short_texts(n: int = 60) -> list[str]:
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(LETTERS, 5)) for _ in range(12)]
    return [" ".join(rng.choice(words, 4, replace=False)) for _ in range(n)]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("none")
    path = folder / "short.csv"
    path.write_text("said\n" + "\n".join(short_texts()))
    return coterie.explore(path, store=folder / "runs")


def codes(remarks) -> list[str]:
    return [one.code for one in remarks]


def test_short_texts_say_why_show_the_best_cut_and_go_on(texts):
    findings = texts.findings
    assert not findings.evidence.structured
    found = findings.unstructured
    assert codes(found.reasons) == ["short_texts"]
    assert found.reasons[0].values["words"] == 4
    assert sum(size for _, size in found.best_cut) <= len(findings)
    assert len(found.best_cut) == min(findings.evidence.best, 8)
    [cut] = [one for one in found.advice if one.code == "cut"]
    assert cut.values["changes"] == {"k": findings.evidence.best}
    words = shlex.split(cut.values["command"])
    assert words[:2] == ["coterie", "explore"]
    assert words[words.index("--k") + 1] == str(findings.evidence.best)


def test_it_stands_in_summary_report_and_run(texts):
    said = texts.sentences()
    assert said[0] == "No group structure was found in these 60 texts."
    [hint] = [sentence for sentence in said if sentence.startswith("A hint, not a finding:")]
    name, _ = texts.findings.unstructured.best_cut[0]
    assert name in hint
    report = (texts.run.path / "report.html").read_text(encoding="utf-8")
    assert "A hint, not a finding" in report
    assert "To try next" in report
    assert texts.run.findings().unstructured == texts.findings.unstructured
    assert texts.labels.tolist() == [0] * 60  # the hint is no grouping


def test_a_table_names_the_columns_that_say_nothing():
    rows = np.random.default_rng(2).normal(size=(40, 8))
    found = coterie.explore(rows).findings
    assert found.unstructured is not None
    assert codes(found.unstructured.reasons)[0] == "few_members"
    assert "bent" in codes(found.unstructured.advice)
    said = " ".join(coterie.explore(rows).sentences())
    assert "explore(..., k=" in said  # no command reads what was in memory
    assert {*codes(found.unstructured.reasons), *codes(found.unstructured.advice)} <= REMARK_CODES


def test_a_run_with_groups_or_a_number_of_them_says_nothing_of_it():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(40, 3)), rng.normal(size=(40, 3)) + 9])
    assert coterie.explore(rows).findings.unstructured is None
    assert coterie.explore(short_texts(40), k=3).findings.unstructured is None


def test_every_remark_has_words():
    from coterie.messages import exploration

    values = {
        "members": 3,
        "words": 2.0,
        "share": 0.2,
        "columns": ("a", "b"),
        "of": 3,
        "wanted": 50,
    }
    changes = {"k": 3, "view": "v", "text": "t"}
    for code in REMARK_CODES:
        remark = Remark(code, {**values, "changes": changes})
        words = exploration._ADVICE.get(code) or exploration._REASONS[code]
        given = (remark.values,) if code in exploration._ADVICE else (remark.values, "texts")
        assert words(*given)
    assert Unstructured() == Unstructured()
