"""Runs that were grouped by what members are tied to: kept, loaded, gone on with, added to, explained and judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import coterie
from coterie.collect.mail import read_mail
from coterie.collect.samples import sample, write_mailbox
from coterie.core.errors import DataError, Interrupted
from coterie.judge import adjusted_rand
from coterie.run import engine, questions
from coterie.run.engine import Exploration, load, resume
from coterie.workflows.explore import analyse

from .examples import same


@pytest.fixture(scope="module")
def box(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("mail")
    write_mailbox(folder / "inbox.mbox", 90)
    return folder / "inbox.mbox"


@pytest.fixture(scope="module")
def found(box: Path) -> Exploration:
    """The first 70 of 90 messages, stored."""
    mail = read_mail(box)
    return coterie.explore(
        mail.take(range(70)), k=6, nulls=0, store=box.parent / "runs", name="box"
    )


def test_a_loaded_run_is_the_same(found: Exploration) -> None:
    again = load("box-1", store=found.run.path.parent)
    assert again.labels.tobytes() == found.labels.tobytes()
    same(list(found.findings.populations), list(again.findings.populations))
    same(list(found.findings.meetings), list(again.findings.meetings))
    one = found.analysis.pipeline.steps_[-1]
    two = again.analysis.pipeline.steps_[-1]
    assert one.objective_ == two.objective_
    assert list(one.partitions_) == list(two.partitions_)


def test_new_messages_go_where_their_words_and_people_are(box: Path, found: Exploration) -> None:
    mail = read_mail(box)
    again = load("box-1", store=found.run.path.parent)
    late = mail.take(range(70, 90))
    for run in (found, again):
        placed = run.place(late)
        truth = sample("mail", 90).truth["group"]
        assert adjusted_rand(placed.labels, truth[70:]) > 0.8
        assert placed.fits.mean() > 0.7
    assert found.place(late).labels.tolist() == again.place(late).labels.tolist()


def test_words_of_a_single_new_message_count(box: Path, found: Exploration) -> None:
    late = read_mail(box).take(range(70, 90))
    together = found.place(late).labels
    alone = [found.place(late.take([i])).labels[0] for i in range(20)]
    assert alone == together.tolist()


def test_the_fitted_ones_are_placed_where_they_are(box: Path, found: Exploration) -> None:
    mail = read_mail(box)
    renamed = type(mail)(
        [f"x{i}" for i in range(70)],
        mail.take(range(70)).views,
        _renamed(mail),
        cards=mail.take(range(70)).cards,
    )
    assert np.mean(found.place(renamed).labels == found.labels) > 0.9


def _renamed(mail):
    from coterie.core.links import Cooccurrence

    ids = [f"x{i}" for i in range(70)]
    return {
        pair: Cooccurrence(table.counts[:70], ids, table.cols) for pair, table in mail.links.items()
    }


def test_texts_of_which_nothing_is_known_are_in_no_group(found: Exploration) -> None:
    placed = found.place(["zzqx wwkv plokijuh", "qqqq"])
    assert placed.labels.tolist() == [-1, -1]
    assert not placed.fits.any()
    assert placed.confidence.tolist() == [0.0, 0.0]
    assert [row[1] for row in placed.rows()] == ["in no group"] * 2


def test_added_messages_grow_the_groups(box: Path, tmp_path: Path) -> None:
    mail = read_mail(box)
    coterie.explore(mail.take(range(70)), k=6, nulls=0, store=tmp_path, name="box")
    placed = questions.add("box-1", mail, store=tmp_path)
    assert (len(placed.ids), placed.skipped) == (20, 70)
    grown = load("box-1", store=tmp_path).findings
    assert len(grown) == 90
    assert sum(group.size for group in grown.groups) == int((grown.labels >= 0).sum())
    assert len(grown.populations) == 3
    assert 'id="populations"' in (placed.path.parent / "report.html").read_text(encoding="utf-8")


def test_members_and_groups_are_explained(found: Exploration) -> None:
    one, two = np.flatnonzero(found.labels == 0)[:2]
    ids = found.findings.ids
    said = questions.explain("box-1", [ids[one], ids[two]], store=found.run.path.parent)
    assert said[0].startswith(f"{ids[one]} and {ids[two]} are in one group: ")
    assert any(sentence.startswith("They share words: ") for sentence in said)
    group = found.explain(group=1)
    assert any(sentence.startswith("By correspondents: ") for sentence in group)
    assert group == load("box-1", store=found.run.path.parent).explain(group=1)
    with pytest.raises(DataError, match="has no member 'nobody'"):
        found.explain("nobody", ids[0])


def test_the_run_is_judged(found: Exploration) -> None:
    assert found.judge(sample("mail", 90).truth["group"][:70]).measures["nmi"] > 0.8


def test_a_stopped_run_goes_on(
    box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Exploration
) -> None:
    def stopping(collection, settings, hints):
        analyse(collection, settings, hints)
        raise Interrupted("Stopped as asked.")

    mail = read_mail(box).take(range(70))
    monkeypatch.setattr(engine, "analyse", stopping)
    with pytest.raises(Interrupted, match="Go on with: coterie resume"):
        coterie.explore(mail, k=6, nulls=0, store=tmp_path, name="box")
    monkeypatch.undo()
    assert resume("box-1", store=tmp_path).labels.tobytes() == found.labels.tobytes()
