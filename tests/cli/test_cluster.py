"""`coterie cluster`: labels and pairs from files, the command that makes it again, and what cannot be used."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from coterie.collect.samples import sample
from coterie.run.engine import load

from .made import TRUTH, numbers
from .running import coterie, refused


@pytest.fixture
def labels(tmp_path):
    found = sample("corpus")
    path = tmp_path / "labels.csv"
    with path.open("w", newline="") as file:
        rows = list(zip(found.ids, found.truth["group"], strict=True))[:30]
        csv.writer(file).writerows([["id", "label"], *((i, f"topic {t}") for i, t in rows)])
    return path


def clustered(*words):
    return coterie("cluster", "sample:corpus", "--nulls", 0, "--progress", "silent", *words)


def test_labels_name_the_groups_and_are_kept_with_the_run(labels):
    said = clustered("--labels", labels, "--label-weight", 0.5)
    assert said.code == 0, said.err
    assert "topic 3" in said.out
    found = load(said.run)
    assert found.judge("group").measures["nmi"] > 0.9
    assert found.findings.command == (
        f"coterie cluster sample:corpus --labels {labels} --label-weight 0.5 --nulls 0 --seed 0"
    )
    assert found.run.get_json("hints")["label_weight"] == 0.5
    again = coterie(*found.findings.command.split()[1:], "--progress", "silent")
    assert load(again.run).labels.tolist() == found.labels.tolist()


def test_pairs_are_laws_unless_they_have_a_weight(tmp_path):
    ids = sample("corpus").ids
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(f"one,other\n{ids[0]},{ids[1]}\n")
    apart = load(clustered("--apart", pairs, "--k", 5).run)
    together = load(clustered("--together", pairs, "--k", 5).run)
    assert apart.labels[0] != apart.labels[1]
    assert together.labels[0] == together.labels[1]


@pytest.mark.parametrize(
    "organizer", ["Spectral", "MCL", "Leiden", "Propagation", "Medoids", "Agglomerative"]
)
def test_members_apart_that_are_far_from_each_other(tmp_path, organizer):
    table = numbers(tmp_path)
    found = sample("blobs", 60)
    far = int(np.flatnonzero(found.truth["group"] != found.truth["group"][0])[0])
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(f"one,other\n{found.ids[0]},{found.ids[far]}\n")
    words = ("--id", "id", "--nulls", 0, "--k", 3, "--progress", "silent", "--organize", organizer)
    said = coterie("cluster", table, "--truth", TRUTH, "--apart", pairs, *words)
    assert said.code == 0, said.err
    run = load(said.run)
    assert run.labels[0] != run.labels[far]


def test_what_cannot_be_used_is_one_sentence(tmp_path, labels):
    assert "say what is known, with --labels FILE" in refused("cluster", "sample:corpus")
    strange = tmp_path / "strange.csv"
    strange.write_text("id,label\nnobody,x\n")
    assert "labels name nobody, who is not a member" in refused(
        "cluster", "sample:corpus", "--labels", strange, "--progress", "silent"
    )
    assert "must be a number from 0" in refused(
        "cluster", "sample:corpus", "--labels", labels, "--label-weight", -1, "--progress", "silent"
    )
    assert "no file of labels" in refused(
        "cluster",
        "sample:corpus",
        "--apart",
        strange,
        "--label-column",
        "x",
        "--progress",
        "silent",
    )


def test_the_schemes_are_those_of_hints():
    from coterie.cli import cluster
    from coterie.core import hints

    assert cluster.SCHEMES == hints.SCHEMES


def test_weights_that_would_change_nothing_are_refused(tmp_path, labels):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("one,other\na,b\n")
    for words, said in (
        (("--labels", labels, "--pair-weight", 1), "needs --together FILE or --apart FILE"),
        (("--apart", pairs, "--label-weight", 0.3), "need --labels FILE"),
        (("--apart", pairs, "--scheme", "seeded"), "need --labels FILE"),
        (
            ("--labels", labels, "--scheme", "seeded", "--label-weight", 0.3),
            "changes nothing with --scheme seeded",
        ),
    ):
        assert said in refused("cluster", "sample:corpus", *words)
