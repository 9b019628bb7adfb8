"""`coterie explore` on real little files of every kind, from the path to the report."""

from __future__ import annotations

import csv
import html
import re
import shlex

import pytest

from coterie import catalog
from coterie.messages.exploration import describe_steps, summarize
from coterie.run.engine import load

from .made import KINDS, TRUTH, jsonl, mixed, numbers, talk
from .running import coterie, explored, refused


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_kind_goes_end_to_end(make, tmp_path) -> None:
    kind, guess = KINDS[make]
    path = make(tmp_path)
    said = explored(path)
    assert guess in said.out
    found = load(said.run)
    record = found.run.record()
    assert (record.status, record.kind, record.members) == ("done", kind, len(found.collection))
    page = (found.run.path / "report.html").read_text(encoding="utf-8")
    assert f"<title>{found.findings.title}" in page
    assert html.escape(found.findings.ids[0]) in page
    assert said.out.strip().splitlines()[0] == summarize(found.findings)[0]
    with (found.run.path / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == list(found.findings.ids)
    assert [int(row["group"]) for row in rows] == found.labels.tolist()


def test_the_guess_is_said_at_once_where_progress_is_shown(tmp_path) -> None:
    said = coterie("explore", numbers(tmp_path), "--nulls", 0)
    assert said.err.splitlines()[0] == "A .csv of numbers and categories: read as a table."


def test_kind_overrides_the_guess(tmp_path) -> None:
    path = jsonl(tmp_path)
    lines = path.read_text().splitlines()
    (tmp_path / "posts.txt").write_text("\n".join(lines))
    assert load(explored(tmp_path / "posts.txt").run).collection.kind == "text"
    table = numbers(tmp_path)
    sets = explored(table, "--kind", "sets", "--id", TRUTH, "--nulls", 0)
    assert load(sets.run).collection.kind == "sets"
    assert "read as a table" not in sets.out


def test_k_fixes_the_number_and_says_what_would_be_chosen(tmp_path) -> None:
    said = explored(numbers(tmp_path), "--k", 3, "--nulls", 3)
    found = load(said.run)
    assert len(found.findings.groups) == 3
    assert set(found.labels.tolist()) == {0, 1, 2}
    assert "You asked for 3 groups" in said.out
    assert re.search(r"3 .*groups in 60 rows", said.out)


def test_truth_is_kept_aside(tmp_path) -> None:
    found = load(explored(mixed(tmp_path), "--truth", TRUTH, "--nulls", 0).run)
    assert TRUTH not in found.collection.view().names
    assert list(found.collection.truth) == [TRUTH]
    assert TRUTH not in str(found.findings.groups)


def test_the_run_says_the_command_that_makes_it_again(tmp_path) -> None:
    path = numbers(tmp_path)
    first = load(
        explored(
            path, "--k", 4, "--seed", 7, "--truth", TRUTH, "--organize", "Medoids(n_init=2)"
        ).run
    )
    words = first.findings.command
    assert words.startswith(f"coterie explore {path} --truth {TRUTH} ")
    assert all(
        part in words
        for part in ("--k 4", "--seed 7", "--organize 'Medoids(n_init=2)'", "--nulls 2")
    )
    assert "--max-k" not in words
    again = coterie(*shlex.split(words)[1:], "--progress", "silent")
    assert load(again.run).labels.tolist() == first.labels.tolist()
    assert first.findings.settings["seed"] == 7


def test_a_name_of_its_own(tmp_path) -> None:
    run = explored(numbers(tmp_path), "--name", "My_Flowers", "--nulls", 0).run
    assert run == "my-flowers-1"
    assert all(load(name).run.name == run for name in ("My_Flowers", "MY-FLOWERS-1", "my-f"))
    assert "--name must be letters, digits, dots" in refused(
        "explore", tmp_path / "flowers.csv", "--name", "My Flowers"
    )


@pytest.mark.parametrize(
    "name", [entry.name for entry in catalog.room("organize") if entry.takes == "Affinity"]
)
def test_every_organizer_can_be_named(name: str, tmp_path) -> None:
    found = load(explored("sample:blobs", "--organize", name, "--nulls", 0).run)
    assert len(found.findings.groups) > 1
    assert name in describe_steps(found.findings.steps)[-2]


@pytest.mark.parametrize(
    "name", ["Cosine", "Minkowski(p=1)", "Gower", "Gaussian", "Laplacian", "Mahalanobis"]
)
def test_comparers_can_be_named_and_new_members_are_compared_by_them(name: str, tmp_path) -> None:
    path = numbers(tmp_path)
    found = load(explored(path, "--compare", name, "--truth", TRUTH, "--k", 5, "--nulls", 0).run)
    assert f"compared by {name.split('(')[0]}" in " ".join(describe_steps(found.findings.steps))
    rows = path.read_text().splitlines()
    path.write_text("\n".join([rows[0], *("new-" + row for row in rows[1:])]))
    placed = found.place(path)
    assert (placed.labels == found.labels).mean() > 0.95


def test_unequal_seeds_and_equal_seeds(tmp_path) -> None:
    one, two = (
        load(explored("sample:uniform", "--k", 6, "--seed", 5, "--nulls", 0).run).findings
        for _ in range(2)
    )
    assert one.map.tobytes() == two.map.tobytes()
    assert one.labels.tobytes() == two.labels.tobytes()
    other = load(explored("sample:uniform", "--k", 6, "--seed", 6, "--nulls", 0).run).findings
    assert other.map.tobytes() != one.map.tobytes()


def test_a_recording_is_cut_and_its_pieces_are_kept(tmp_path) -> None:
    path = talk(tmp_path)
    said = explored(path, "--segment", "--k", 2)
    assert "pieces of 2 sources" in said.out
    assert "| add" not in said.out
    found = load(said.run)
    assert (
        len(found.collection)
        == len(found.findings)
        == len(found.findings.strips[0].pieces[0].labels)
    )
    page = (found.run.path / "report.html").read_text(encoding="utf-8")
    assert page.index("How they go in time") < page.index("The map of members")
    again = shlex.split(found.findings.command)
    assert "--segment" in again
    assert "True" not in again
    assert "where they change, say segment=True (--segment)" in coterie("explore", path).err
    assert "cut sequences into pieces" in refused("add", said.run, path)


def test_states_in_time_are_shown_where_the_comparer_has_them(tmp_path) -> None:
    found = load(
        explored(
            "sample:traces", "--compare", "SSD(n_states=4, n_models=1)", "--nulls", 0, "--k", 4
        ).run
    )
    assert len(found.findings.grids) == 4
    assert found.findings.strips[0].names[0].startswith("group A: ")
    assert "How they go in time" in (found.run.path / "report.html").read_text(encoding="utf-8")
