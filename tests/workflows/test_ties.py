"""What members are grouped by unless a person says otherwise: citations beside texts, captions beside pictures, links alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coterie import Collection, Cooccurrence, Table
from coterie.collect.captions import singular
from coterie.collect.samples import sample
from coterie.messages.exploration import describe_steps, summarize
from coterie.organize import MDC, ComrafStar, Spectral
from coterie.pipeline import by_links
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse
from coterie.workflows.populations import links_of, placed, used, with_view


@pytest.fixture(scope="module")
def papers() -> Collection:
    """Members that have links only."""
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 20)
    ids = [f"p{i}" for i in range(60)]
    links = {}
    for name, width in (("citations", 30), ("words", 45)):
        counts = generator.poisson(
            np.where(np.arange(width)[None, :] % 3 == groups[:, None], 1.5, 0.1)
        )
        links["members", name] = Cooccurrence(counts, ids, [f"{name[0]}{j}" for j in range(width)])
    return Collection(ids, {}, links, truth={"group": groups}, name="papers")


def test_citations_given_beside_texts_count_by_default() -> None:
    texts = sample("topics", 60)
    themes = np.unique(texts.truth["group"], return_inverse=True)[1]
    cites = Cooccurrence.of(
        [(i, f"c{3 * theme + i % 3}", 1.0) for i, theme in enumerate(themes)], list(texts.ids)
    )
    cited = replace(texts, links={("members", "citations"): cites})
    found = analyse(cited, Choices(k=int(themes.max()) + 1, nulls=0))
    organizer = found.pipeline.steps_[-1]
    assert isinstance(organizer, MDC)
    assert organizer.weights == "mass"
    assert {one.name for one in found.findings.populations} == {"citations", "words"}
    assert "Comraf groups the members by their citations and words at once" in " ".join(
        describe_steps(found.findings.steps)
    )
    few = Cooccurrence.of([(0, "c1", 1.0), (1, "c1", 1.0)], list(texts.ids))
    for links in ({}, {("members", "citations"): few}):
        found = analyse(replace(texts, links=links), Choices(k=3, nulls=0))
        assert not by_links(found.pipeline.steps_[-1])


def test_members_with_links_only_are_grouped_by_them(papers: Collection) -> None:
    found = analyse(with_view(papers), Choices(k=3, nulls=0))
    assert isinstance(found.pipeline.steps_[-1], MDC)
    words = replace(papers, links={("members", "words"): papers.links["members", "words"]})
    alone = analyse(with_view(words), Choices(k=3, nulls=0))
    assert not by_links(alone.pipeline.steps_[-1])


def test_links_beside_a_table_are_said_not_to_count(papers: Collection) -> None:
    table = Table(np.random.default_rng(0).normal(size=(60, 3)), ("x", "y", "z"))
    both = replace(papers, views={"table": table})
    found = analyse(both, Choices(k=3, nulls=0))
    assert not by_links(found.pipeline.steps_[-1])
    assert any("not by 'citations'; organize MDC" in note for note in found.findings.notes)
    assert not any(
        "organize MDC" in note
        for note in analyse(both, Choices(k=3, nulls=0, organize="MDC")).findings.notes
    )


def test_captions_and_colours_group_pictures_together() -> None:
    made = sample("scenes", 80)
    found = analyse(made, Choices(view="caption", k=8, nulls=0))
    organizer = found.pipeline.steps_[-1]
    alone = analyse(made, Choices(k=8, nulls=0)).pipeline.steps_[-1]
    assert isinstance(organizer, ComrafStar)
    assert organizer.weights == "one"
    assert not by_links(alone) or made.main == "caption"
    assert {one.name for one in found.findings.populations} == {"caption words", "colours"}
    assert found.findings.kind == "pictures"
    assert summarize(found.findings)[0].endswith("in 80 pictures.")
    assert found.findings.snippets[0] == made.view("caption").documents[0]
    assert not any(group.name.startswith("group ") for group in found.findings.groups)
    assert set(found.findings.groups[0].telling) <= {"words"}
    later = links_of(made.take([0]), "caption", "ComrafStar", new=True)
    assert set(later.ids["caption words"]) == {
        singular(word) for word in made.view("caption").documents[0].split()
    }
    assert (placed(found.pipeline, later) >= 0).all()


def test_populations_that_were_left_out_are_not_reported(papers: Collection) -> None:
    found = analyse(
        with_view(papers), Choices(k=3, nulls=0, organize="Comraf(graph='members-citations')")
    )
    assert [one.name for one in found.findings.populations] == ["citations"]
    links = links_of(with_view(papers), "words", "Comraf")
    assert used(found.pipeline.steps_[-1], links).populations == ("members", "citations")
    assert used(Spectral(), links) is links
