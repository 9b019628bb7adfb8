"""Questions to a stored run from Python: neighbors, judgement, and members added."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.collect.samples import sample
from coterie.core.errors import DataError
from coterie.judge import judge_partition
from coterie.messages.exploration import summarize
from coterie.run.engine import load
from coterie.run.questions import add, judged, neighbors


@pytest.fixture
def run(tmp_path) -> str:
    return coterie.explore(sample("blobs", 80), store=True, k=5, nulls=0).run.name


def test_neighbors(run: str) -> None:
    rows = neighbors(run, "blobs-03", most=3)
    assert [set(row) for row in rows] == [{"id", "nearness", "group", "snippet"}] * 3
    assert rows == sorted(rows, key=lambda row: -row["nearness"])
    assert len(neighbors(None, "blobs-03", most=99)) == 12
    with pytest.raises(DataError, match="has no member 'blobs-3'"):
        neighbors(run, "blobs-3")


def test_brackets_around_the_id_of_a_message_do_not_matter(run: str) -> None:
    assert neighbors(run, "<blobs-03>") == neighbors(run, "blobs-03")
    with pytest.raises(DataError, match="has no member '<blobs-3>'"):
        neighbors(run, "<blobs-3>")


def test_new_members_bring_their_own_links(tmp_path) -> None:
    words = ["grammar", "parser", "treebank", "syntax", "image", "pixel", "camera", "texture"]
    draw = np.random.default_rng(0)
    texts = [f"p{i}," + " ".join(draw.choice(words, 3, replace=False)) for i in range(40)]
    cites = [(f"p{i}", f"c{3 * (i % 2) + i % 3}") for i in range(40)]
    (tmp_path / "papers.csv").write_text("\n".join(["id,abstract", *texts]))
    (tmp_path / "cites.csv").write_text("paper,cited\n" + "\n".join(map(",".join, cites)))
    found = coterie.explore(
        tmp_path / "papers.csv",
        text="abstract",
        links={"citations": tmp_path / "cites.csv"},
        k=2,
        nulls=0,
        store=True,
    )
    (tmp_path / "new.csv").write_text(
        "id,abstract\n" + "\n".join(f"n{i},grammar camera syntax image" for i in range(2))
    )
    (tmp_path / "theirs.csv").write_text("paper,cited\nn0,c0\nn0,c1\nn0,c2\nn1,c3\nn1,c4\nn1,c5\n")
    with pytest.raises(
        DataError, match="has no population 'cites' to tie new members to; it has citations"
    ):
        add(found.run.name, tmp_path / "new.csv", links={"cites": tmp_path / "theirs.csv"})
    bare = found.place(tmp_path / "new.csv")
    assert any(
        "Placed without 'citations'" in note and "link citations=FILE" in note
        for note in bare.notes
    )
    assert not any("was left out" in note for note in bare.notes)
    placed = add(found.run.name, tmp_path / "new.csv", links={"citations": tmp_path / "theirs.csv"})
    assert not any("citations" in note for note in placed.notes)
    assert placed.labels[0] != placed.labels[1]
    assert (
        f"--link citations={tmp_path / 'theirs.csv'}" in load(found.run.name).findings.command
        or not found.findings.command
    )


def test_judged_against_the_truth_kept_aside(run: str) -> None:
    found = load(run)
    measured = judged(run)
    assert measured.measures == judge_partition(found.labels, found.collection.truth["group"])
    assert sum(int(row[1]) for row in measured.breakdown) == 80
    assert measured.sentence().startswith(f"Against 'group', the groups of {run} share ")
    assert measured.record()["measures"] == dict(measured.measures)


def test_several_columns_of_truth_must_be_told_apart(tmp_path) -> None:
    small = sample("blobs", 40)
    two = coterie.Collection(
        small.ids, small.views, truth={"a": small.truth["group"], "b": np.arange(40) % 2}
    )
    run = coterie.explore(two, store=True, k=5, nulls=0).run.name
    with pytest.raises(DataError, match="has several columns of truth: a, b; name one"):
        judged(run)
    assert judged(run, "a").measures["nmi"] > judged(run, "b").measures["nmi"]


def test_answers_with_gaps(run: str, tmp_path) -> None:
    truth = sample("blobs", 80).truth["group"].tolist()
    lines = [f"blobs-{i:02d},{g if i % 4 else ''}" for i, g in enumerate(truth)]
    (tmp_path / "a.csv").write_text("\n".join(["id,kind", *lines]))
    found = judged(run, "kind", file=str(tmp_path / "a.csv"))
    assert (found.members, found.unknown) == (60, 20)
    assert "(20 members without an answer left out)" in found.sentence()
    (tmp_path / "b.csv").write_text("id,kind\nzz,1\nyy,2\n")
    with pytest.raises(
        DataError, match=r"by its column 'id', and no id there, such as 'zz', .* such as 'blobs-00'"
    ):
        judged(run, "kind", file=str(tmp_path / "b.csv"))
    (tmp_path / "c.csv").write_text("id,kind\nblobs-00,\nyy,2\n")
    with pytest.raises(DataError, match="has no answer for any member"):
        judged(run, "kind", file=str(tmp_path / "c.csv"))


def test_brackets_around_ids_do_not_matter(run: str, tmp_path) -> None:
    truth = sample("blobs", 80).truth["group"].tolist()
    (tmp_path / "a.csv").write_text(
        "\n".join(["id,kind", *(f"<blobs-{i:02d}>,{g}" for i, g in enumerate(truth))])
    )
    assert judged(run, "kind", file=str(tmp_path / "a.csv")).measures == judged(run).measures


def test_adding_twice_keeps_everything_aligned(run: str) -> None:
    before = load(run).findings
    for at in (1, 2):
        others = sample("blobs", 30, random_state=at)
        placed = add(
            run, coterie.Collection([f"{at}-{i}" for i in range(30)], others.views, name="new")
        )
        assert placed.path is not None
        assert len(placed.rows()) == 30
    after = load(run).findings
    assert (
        len(after.ids)
        == len(after.labels)
        == len(after.map)
        == len(after.neighbors)
        == len(after.snippets)
        == 140
    )
    assert after.labels[:80].tobytes() == before.labels.tobytes()
    assert after.map[:80].tobytes() == before.map.tobytes()
    assert after.matrix.tobytes() == before.matrix.tobytes()
    assert [g.name for g in after.groups] == [g.name for g in before.groups]
    assert sum(g.size for g in after.groups) == 140
    assert judged(run).members == 80
    assert (
        judged(run)
        .sentence()
        .endswith(" 80 members were judged; the 60 members added later have no answer.")
    )
    assert summarize(after)[0] == summarize(before)[0].removesuffix(".") + "; 60 were added later."
    assert load(run).run.record().summary == summarize(after)[0]
    largest = max(after.groups, key=lambda group: group.size)
    assert any(
        said.startswith("Largest: ") and f"({largest.size:,} " in said for said in summarize(after)
    )
    assert neighbors(run, "2-7")[0]["id"].startswith("blobs-")


def test_sentences_of_one_member(run: str) -> None:
    row = sample("blobs", 80).view().values[0]
    placed = add(run, coterie.Collection(["lone"], {"columns": coterie.Table.of(row[None])}))
    assert placed.sentences() == ["1 new member was placed into 1 of 5 groups."]
    assert summarize(load(run).findings)[0].endswith("; 1 was added later.")
    with pytest.raises(DataError, match=r"The only member of '.*' is in the run already"):
        add(run, coterie.Collection(["lone"], {"columns": coterie.Table.of(row[None])}))


def test_the_only_column_of_a_table_needs_no_name(run: str, tmp_path) -> None:
    truth = sample("blobs", 80).truth["group"]
    rows = [f"blobs-{i:02d},{truth[i]}" for i in range(80)]
    (tmp_path / "one.csv").write_text("\n".join(["id,kind", *rows]) + "\n")
    found = judged(run, file=str(tmp_path / "one.csv"))
    assert found.truth == "kind"
    assert found.measures == judged(run, "kind", file=str(tmp_path / "one.csv")).measures
    (tmp_path / "two.csv").write_text(
        "\n".join(["id,kind,size", *(f"{row},1" for row in rows)]) + "\n"
    )
    with pytest.raises(
        DataError,
        match="has the columns kind, size; name the one that holds the answers",
    ):
        judged(run, file=str(tmp_path / "two.csv"))
