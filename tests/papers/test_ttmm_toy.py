"""The toy of TTMM: documents as they are told, every relation holds, and its pictures are drawn on the page."""

from __future__ import annotations

import numpy as np

from coterie.parts import ttmm
from coterie_papers import page, ttmm_toy


def test_documents_of_two_letters() -> None:
    counts = ttmm_toy.letters().toarray()
    assert counts.shape == (9, 4)
    assert counts.sum() == 54
    assert [tuple(row) for row in counts].count((3, 3, 0, 0)) == 3


def test_letters_as_topics_explain_the_kinds() -> None:
    state = ttmm_toy.by_letters(own=1.0)
    themes, _ = ttmm.posteriors(ttmm_toy.letters(), state)
    np.testing.assert_allclose(themes, np.eye(3)[[0, 0, 0, 1, 1, 2, 2, 2, 2]], atol=1e-12)


def test_every_relation_holds_and_the_page_shows_it(monkeypatch) -> None:
    monkeypatch.setattr(ttmm_toy, "STARTS", 12)
    found = ttmm_toy.EXPERIMENT.conduct(quick=True)
    assert [r.text for r in found.relations if not r.holds] == []
    best = {row.method: row.ours for row in found.rows if row.measure == "best log-likelihood"}
    assert round(best["J = 3, K = 3"], 4) == -46.9777
    text = page.page(ttmm_toy.EXPERIMENT, found)
    assert text.count('class="chart bars"') == 2
    assert "Letters of each theme" in text
