"""The page of results: what is on it, that texts cannot break out of it, and that it loads nothing."""

from __future__ import annotations

import re

from coterie.core.hits import Hit, Hits
from coterie.show import results


def found(query="cat", **more):
    hits = (
        Hit(
            1,
            "a<b>",
            0,
            3.5,
            (("the ", False), ("<cat>", True)),
            (("On ", False), ("cats", True)),
            (("sender", "ann & bob"),),
        ),
        Hit(2, "z", 1, 1.0, (("nothing", False),), words=False),
    )
    return Hits(
        query,
        "pets",
        10,
        1,
        hits,
        (("cat", 1),),
        ("kitten",),
        ("No member holds 'dgo'.",),
        "Okapi BM25",
        **more,
    )


def test_page_of_one_query():
    page = results.render([found()])
    assert "<mark>&lt;cat&gt;</mark>" in page
    assert "On <mark>cats</mark>" in page
    assert "a&lt;b&gt;" in page
    assert "ann &amp; bob" in page
    assert "holds no word of the query" in page
    assert "Words added to the query: kitten." in page
    assert "No member holds" in page
    assert page.count("<li><span") == 2


def test_page_of_many_queries_with_measures():
    page = results.render(
        [found("one"), found("two")],
        measures=[["measure", "BM25"], ["mean average precision", "0.5000"]],
    )
    assert "Two queries on pets" in page
    assert "<td>0.5000</td>" in page
    assert page.count('<section class="sheet">') == 3


def test_nothing_is_loaded_and_nothing_runs(tmp_path):
    path = results.write(tmp_path / "page.html", [found("<script>alert(1)</script>")])
    page = path.read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["'](?!data:,)""", page)
    assert "default-src &#x27;none&#x27;" in page


def test_no_hits():
    page = results.render([Hits("q", "pets", 3, 0, (), how="Okapi BM25")])
    assert "Nothing in &#x27;pets&#x27; matches &#x27;q&#x27;." in page
    assert '<ol class="hits">' not in page
