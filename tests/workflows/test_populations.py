"""Groups by what members are tied to: mail by default, any collection by a named organizer, and what is said without counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from coterie import Collection, Cooccurrence
from coterie.collect import read_mail
from coterie.collect.samples import sample
from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.pictures import Pictures
from coterie.core.workplace import using
from coterie.judge import adjusted_rand
from coterie.messages.exploration import describe_steps, explain_evidence, summarize
from coterie.organize import (
    ITCC,
    MDC,
    AgglomerativeIB,
    Comraf,
    ComrafStar,
    KMeans,
    SequentialIB,
    Spectral,
    Topics,
)
from coterie.pipeline import by_links
from coterie.workflows import populations
from coterie.workflows.choices import Choices
from coterie.workflows.explore import Analysis, analyse
from coterie.workflows.populations import again, links_of, placed, steps_of, with_view


@pytest.fixture(scope="module")
def mail() -> Collection:
    return sample("mail", 90)


@pytest.fixture(scope="module")
def walked(mail: Collection) -> Analysis:
    return analyse(mail, Choices(k=6, nulls=2))


def counted(groups: np.ndarray, width: int, generator: np.random.Generator) -> np.ndarray:
    return generator.poisson(np.where(np.arange(width)[None, :] % 3 == groups[:, None], 1.5, 0.1))


@pytest.fixture(scope="module")
def papers() -> Collection:
    """Members that have links only."""
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 20)
    ids = [f"p{i}" for i in range(60)]
    tables = {
        name: counted(groups, width, generator)
        for name, width in (("citations", 30), ("words", 45))
    }
    links = {
        ("members", name): Cooccurrence(
            table, ids, [f"{name[0]}{j}" for j in range(table.shape[1])]
        )
        for name, table in tables.items()
    }
    return Collection(ids, {}, links, truth={"group": groups}, name="papers")


def test_mail_is_grouped_by_words_and_people_at_once(mail: Collection, walked: Analysis) -> None:
    assert isinstance(walked.pipeline.steps_[-1], MDC)
    found = walked.findings
    assert adjusted_rand(found.labels, mail.truth["group"]) > 0.9
    assert {one.name for one in found.populations} == {"words", "correspondents"}
    said = " ".join(describe_steps(found.steps))
    assert "Comraf groups the members by their correspondents and words at once" in said
    assert "spectral" not in said
    assert [meeting.title for meeting in found.meetings] == ["Who writes about what"]
    assert len(found.curves["Information kept (nats) by iteration"]) > 3


def test_tables_weigh_the_root_of_their_share(mail: Collection, walked: Analysis) -> None:
    links = links_of(mail, "text", "Comraf")
    there = {
        name: links.between("members", name).counts.nnz for name in ("words", "correspondents")
    }
    organizer = walked.pipeline.steps_[-1]
    found = {organizer.net_.called(edge): edge.beta for edge in organizer.net_.edges}
    assert organizer.weights == "root"
    assert found == pytest.approx(
        {f"members-{name}": np.sqrt(count / there["words"]) for name, count in there.items()}
    )
    share = f"{np.sqrt(there['correspondents'] / there['words']):.2g}"
    said = (
        "The weight of each table, the root of its counts over those of the main one, at most one"
    )
    assert f"{said}: correspondents {share}, words 1." in describe_steps(walked.findings.steps)
    few = Cooccurrence.of([(i, f"tag{i % 2}", 1.0) for i in range(4)], list(mail.ids))
    tagged = links_of(
        replace(mail, links={**mail.links, ("members", "tags"): few}), "text", "Comraf"
    )
    assert ("members", "tags") not in populations.mail_organizer(6, tagged, 0).graph


def test_it_is_found_again_with_the_same_organizer(walked: Analysis) -> None:
    evidence = walked.findings.evidence
    assert evidence.stability > 0.8
    assert len(evidence.overlaps) == 6
    assert any("random samples of 80%" in sentence for sentence in explain_evidence(evidence))


@pytest.mark.parametrize("choice", [{"organize": "Spectral"}, {"compare": "Chord"}])
def test_what_a_person_names_is_taken_instead(mail: Collection, choice: dict[str, str]) -> None:
    found = analyse(mail, Choices(k=6, nulls=0, **choice))
    assert isinstance(found.pipeline.steps_[-1], Spectral)
    assert not found.findings.populations


def test_mail_without_people_takes_the_walk_of_texts(mail: Collection) -> None:
    found = analyse(replace(mail, links={}), Choices(k=6, nulls=0))
    assert not by_links(found.pipeline.steps_[-1])


def test_mail_without_groups_is_called_so() -> None:
    texts = sample("one_topic", 60)
    people = np.random.default_rng(1).integers(0, 9, 60)
    link = Cooccurrence.of([(i, f"p{who}", 1.0) for i, who in enumerate(people)], list(texts.ids))
    found = analyse(replace(texts, links={("members", "correspondents"): link}), Choices(nulls=8))
    assert summarize(found.findings)[0].startswith("No group structure was found")
    assert not found.grouped
    assert not found.findings.populations
    assert set(found.findings.labels.tolist()) == {0}


@pytest.mark.parametrize("organize", ["Comraf", "MDC(restarts=2)", "SequentialIB"])
def test_any_collection_with_links_can_be_grouped_by_them(
    papers: Collection, organize: str
) -> None:
    found = analyse(with_view(papers), Choices(k=3, nulls=0, organize=organize)).findings
    assert adjusted_rand(found.labels, papers.truth["group"]) == 1.0
    assert {one.name for one in found.populations} == {"citations", "words"}
    assert f"{organize} groups the members by their citations and words at once" in " ".join(
        describe_steps(found.steps)
    )
    assert found.snippets[0].startswith("w")


def test_words_are_counted_where_a_text_has_no_links() -> None:
    texts = sample("topics", 60)
    links = links_of(texts, "text", "Comraf")
    assert links.populations == ("members", "words")
    table = links.between("members", "words")
    assert table is not None
    assert (np.asarray((table.counts > 0).sum(axis=0)) >= 2).all()
    one = next(i for i, word in enumerate(table.cols) if word in texts.view().documents[0])
    assert table.counts[[0], [one]][0] == texts.view().documents[0].lower().replace(
        ",", " "
    ).replace(".", " ").split().count(table.cols[one])


def test_words_stand_beside_the_links_there_are(mail: Collection) -> None:
    assert set(links_of(mail, "text", "Comraf").populations) == {
        "members",
        "correspondents",
        "words",
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "blobs",
            r"^Comraf needs counts \(whole numbers from 0\), and 'blobs' has -?\d.* in the column 'x\d' of 'blobs-",
        ),
        (
            "mixed",
            r"^Comraf needs counts .* has words in the column 'color'; take another organizer",
        ),
        (
            "traces",
            r"^Comraf groups members by counts of what they are tied to .* 'traces' has no links; its members are sequences",
        ),
    ],
)
def test_what_holds_no_counts_is_refused_at_once(name: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        analyse(sample(name, 40), Choices(k=3, organize="Comraf"))


def test_a_table_of_counts_is_taken() -> None:
    import coterie

    groups = np.repeat(np.arange(3), 15)
    table = counted(groups, 24, np.random.default_rng(3))
    found = coterie.explore(table.astype(float), organize="Comraf", k=3, nulls=0)
    assert adjusted_rand(found.labels, groups) == 1.0
    assert found.findings.populations[0].name == "columns"


def test_pictures_are_tied_to_their_colours() -> None:
    generator = np.random.default_rng(0)
    groups = np.arange(24) % 3
    means = np.array([[220, 30, 30], [30, 220, 30], [30, 30, 220]])[groups]
    made = [
        np.clip(mean + generator.normal(0, 40, (8, 9, 3)), 0, 255).astype(np.uint8)
        for mean in means
    ]
    photos = Collection([f"p{i}" for i in range(24)], {"pictures": Pictures.of(made)})
    for organize in (None, "MDC(restarts=1)"):
        found = analyse(photos, Choices(k=3, nulls=0, organize=organize)).findings
        assert adjusted_rand(found.labels, groups) == 1.0
        assert summarize(found)[0].startswith("3 groups in 24 pictures")
    assert [one.name for one in found.populations] == ["colours"]


def test_of_very_many_members_a_part_is_clustered_and_the_others_placed(
    mail: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(populations, "WHOLE", 60)
    found = analyse(mail, Choices(k=6, nulls=0))
    assert found.pipeline.steps_[-1].sample == 60
    assert adjusted_rand(found.findings.labels, mail.truth["group"]) > 0.8
    assert (
        "60 members drawn at random were clustered; the other 30 were placed among their groups."
        in describe_steps(found.findings.steps)
    )
    assert sum(group.size for group in found.findings.groups) == 90


def test_parts_are_clustered_cheaply(mail: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(populations, "_AGAIN", 50)
    links = links_of(mail, "text", "Comraf")
    chosen, cluster = again(MDC(n_groups=6, runs=3, restarts=5, random_state=0), links, 3)
    assert len(chosen) == 50
    labels = cluster(np.arange(0, 50, 2))
    assert len(labels) == 25
    once = MDC(n_groups=6, runs=1, restarts=1, random_state=3).fit(links.take(chosen[::2])).labels_
    assert adjusted_rand(labels, once) == 1.0


@pytest.mark.parametrize(
    "method",
    [
        MDC(n_groups=3),
        Comraf(n_groups=3),
        ComrafStar(n_groups=3),
        ComrafStar(n_groups=3, first={"words": 6}),
        SequentialIB(n_groups=3),
        AgglomerativeIB(n_groups=3),
        ITCC(n_groups=3, n_columns=6),
        Topics(n_groups=3, passes=10),
        KMeans(n_groups=3),
    ],
    ids=repr,
)
def test_groups_are_found_again_as_they_were_found(papers: Collection, method: Any) -> None:
    links = links_of(papers, "", "Comraf")
    chosen, cluster = again(method, links, 0)
    part = np.flatnonzero(np.arange(60) % 5)
    assert np.array_equal(chosen, np.arange(60))
    assert adjusted_rand(cluster(part), papers.truth["group"][part]) > 0.9


@pytest.mark.parametrize("organize", ["ITCC(n_columns=6)", "AgglomerativeIB"])
def test_stability_is_that_of_the_method_named(papers: Collection, organize: str) -> None:
    found = analyse(with_view(papers), Choices(k=3, nulls=2, organize=organize)).findings
    assert found.evidence.stability > 0.8


def test_weights_that_were_used_are_said(papers: Collection) -> None:
    links = links_of(papers, "", "Comraf")
    for weights, said in (
        ("one", ", the same for all: citations 1, words 1."),
        ({"members-words": 0.25}, ": citations 1, words 0.25."),
    ):
        fitted = MDC(n_groups=3, weights=weights, runs=1, random_state=0).fit(links)
        assert f"The weight of each table{said}" in describe_steps(steps_of(fitted, links, "MDC"))
    alone = MDC(n_groups=3, graph="members-words", runs=1, random_state=0).fit(links)
    assert not any(
        "weight" in sentence for sentence in describe_steps(steps_of(alone, links, "MDC"))
    )


@pytest.mark.parametrize(
    "method",
    [MDC(n_groups=2, runs=1), Topics(n_groups=2, restarts=1, passes=3), KMeans(n_groups=2)],
    ids=repr,
)
def test_members_of_whom_nothing_is_known_fit_nowhere(papers: Collection, method: Any) -> None:
    links = links_of(papers, "", "Comraf")
    fitted = clone(method).set_params(random_state=0).fit(links)
    assert placed(fitted, Links.of({("members", "other"): np.ones((2, 3))})).tolist() == [-1, -1]
    assert (placed(fitted, links.take([0, 1])) >= 0).all()


def test_new_mail_is_counted_as_mail_is_read(tmp_path: Path) -> None:
    body = "See <b class='tea'>kettle</b> &amp; kettle http teapot\n" + "Q" * 70 + "\nthe spoon"
    for at in range(3):
        text = f"From: a{at}@x.org\nTo: b@y.org\nSubject: kettle news\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\n{body}\n"
        (tmp_path / f"{at}.eml").write_text(text)
    mail = read_mail(tmp_path)
    fitted, new = (
        links_of(mail, "text", "Comraf", new=new).between("members", "words")
        for new in (False, True)
    )
    assert list(new.cols) == list(fitted.cols)
    assert {"kettle", "teapot", "spoon"} <= set(new.cols)
    assert np.array_equal(new.counts.toarray(), fitted.counts.toarray())
    spelled = replace(
        mail, cards={**mail.cards, "subject": ["Kettle  news"] * 3}
    )  # not as in the text
    other = links_of(spelled, "text", "Comraf", new=True).between("members", "words")
    assert np.array_equal(other.counts.toarray(), fitted.counts.toarray())


def test_same_bits_for_any_number_of_workers(mail: Collection, walked: Analysis) -> None:
    with using(n_jobs=2):
        other = analyse(mail, Choices(k=6, nulls=2)).findings
    assert other.labels.tobytes() == walked.findings.labels.tobytes()
    for one, two in zip(walked.findings.populations, other.populations, strict=True):
        assert one.lift.tobytes() == two.lift.tobytes()
        assert one.clusters == two.clusters


def test_a_view_of_members_that_have_links_only(papers: Collection) -> None:
    seen = with_view(papers)
    assert list(seen.views) == ["words"]
    rows = seen.view().values.toarray()
    counts = papers.links["members", "words"].counts.toarray()
    assert np.allclose(rows**2, counts / counts.sum(axis=1, keepdims=True))
    new = Collection(
        ["a"],
        {},
        {
            ("members", "words"): Cooccurrence(
                np.array([[3.0, 1.0, 5.0]]), ["a"], ["w7", "odd", "w0"]
            )
        },
    )
    later = with_view(new, seen).view()
    assert later.names == seen.view().names
    assert later.values.toarray()[0, [0, 7]].tolist() == pytest.approx(
        np.sqrt([5 / 8, 3 / 8]).tolist()
    )
    assert with_view(seen) is seen
