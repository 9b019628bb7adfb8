"""`coterie add`: new members find their groups by name of column; groups keep their names, strangers and known ones are said."""

from __future__ import annotations

import csv
import json

import pytest

from coterie.collect.samples import sample
from coterie.run.engine import load

from .made import TRUTH, jsonl, mbox, mixed, npz, numbers, texts
from .running import coterie, explored, refused


def _groups(run: str) -> dict[str, str]:
    with (load(run).run.path / "labels.csv").open(newline="") as file:
        return {row["id"]: row["group_name"] for row in csv.DictReader(file)}


def _rewritten(path, target, change) -> None:
    """A table file whose rows went through `change`; a row that becomes None is left out."""
    with path.open(newline="") as file:
        rows = [change(row) for row in csv.DictReader(file)]
    rows = [row for row in rows if row is not None]
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_groups_keep_their_names_and_grow(tmp_path) -> None:
    path = numbers(tmp_path)
    new = tmp_path / "new.csv"
    run = explored(path, "--truth", TRUTH, "--k", 5).run
    before = load(run)
    was = _groups(run)
    _rewritten(
        path, new, lambda row: {**row, "id": "new-" + row["id"], "x0": float(row["x0"]) + 0.01}
    )
    said = coterie("add", run, new, "--progress", "silent")
    assert said.code == 0, said.err
    assert said.out.splitlines()[0] == "60 new members were placed into 5 of 5 groups."
    assert f"  new-blobs-00: {was['blobs-00']}   100%" in said.out.splitlines()
    after = load(run)
    now = _groups(run)
    assert [group.name for group in after.findings.groups] == [
        group.name for group in before.findings.groups
    ]
    assert [group.size for group in after.findings.groups] == [
        2 * group.size for group in before.findings.groups
    ]
    assert {member: now[member] for member in was} == was
    assert {member: now["new-" + member] for member in was} == was
    assert after.run.record().members == 120
    assert "60 members were added later." in after.findings.notes
    assert after.run.record().summary.endswith("; 60 were added later.")
    assert after.findings.command == f"{before.findings.command}\ncoterie add {run} {new}"
    assert after.findings.python == f"{before.findings.python}\nfound.place({str(new)!r})"
    assert "new-blobs-00" in (after.run.path / "report.html").read_text()
    assert coterie("neighbors", run, "new-blobs-00").out.splitlines()[2].split()[1] == "blobs-00"
    assert coterie("judge", run).out.startswith(f"Against '{TRUTH}'")


def test_members_that_are_there_are_left_as_they_are(tmp_path) -> None:
    path = numbers(tmp_path)
    new = tmp_path / "new.csv"
    run = explored(path, "--truth", TRUTH, "--nulls", 0).run
    with_one = path.read_text() + "stranger,99,99,99,-99,none\n"
    new.write_text(with_one)
    said = coterie("add", run, new, "--progress", "silent").out
    assert "1 new member was placed into 1 of" in said
    assert "1 of them fits nowhere well: stranger." in said
    assert "60 members were in the run already and left as is." in said
    assert "stranger: " in said
    assert "(fits nowhere well)" in said
    assert "1 member was added later; 1 of them fits nowhere well: stranger." in " ".join(
        load(run).findings.notes
    )
    assert (
        refused("add", run, new, "--progress", "silent")
        == "All 61 members of 'new' are in the run already."
    )


def test_texts_that_share_nothing_are_said(tmp_path) -> None:
    run = explored(jsonl(tmp_path), "--nulls", 0).run
    rows = [{"id": "x", "text": "zzqx wwkv plokijuh"}, {"id": "y", "text": ""}]
    (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines = coterie("add", run, tmp_path / "new.jsonl", "--progress", "silent").out.splitlines()
    assert any("empty" in line for line in lines if line.startswith("  note: "))
    marked = [line for line in lines if line.startswith("  x: ")]
    assert len(marked) == 1
    assert marked[0].endswith("   0%   (fits nowhere well)")


def test_columns_are_found_by_name(tmp_path) -> None:
    path = mixed(tmp_path)
    new = tmp_path / "new.csv"
    run = explored(path, "--truth", TRUTH, "--nulls", 0).run
    was = _groups(run)
    _rewritten(
        path,
        new,
        lambda row: {
            k: v if k != "id" else "new-" + v for k, v in reversed(row.items()) if k != TRUTH
        },
    )
    assert coterie("add", run, new, "--progress", "silent").code == 0
    now = _groups(run)
    assert {member: now["new-" + member] for member in was} == was
    alike = {"color": "blue", "size": "large"}
    _rewritten(
        path,
        new,
        lambda row: {**row, "id": "like-" + row["id"]} if alike.items() <= row.items() else None,
    )
    assert coterie("add", run, new, "--progress", "silent").code == 0
    now = _groups(run)
    assert {
        member.removeprefix("like-"): now[member] for member in now if member.startswith("like-")
    }.items() <= was.items()


def test_what_cannot_be_placed(tmp_path) -> None:
    path = numbers(tmp_path)
    new = tmp_path / "new.csv"
    run = explored(path, "--truth", TRUTH, "--nulls", 0).run
    was = (load(run).run.path / "labels.csv").read_bytes()
    _rewritten(path, new, lambda row: {k: v for k, v in row.items() if k != "x2"})
    assert (
        refused("add", run, new)
        == "'new.csv' has no column 'x2', by which the members before it were compared."
    )
    _rewritten(path, new, lambda row: {**row, "id": "n" + row["id"], "x2": "high"})
    assert (
        refused("add", run, new) == "Column 'x2' holds words in 'new.csv' and held numbers before."
    )
    assert "no file or folder" in refused("add", run, tmp_path / "nowhere")
    (tmp_path / "texts").mkdir()
    assert "The run was made on the view 'columns', and the new members have text." in refused(
        "add", run, texts(tmp_path / "texts")
    )
    assert (load(run).run.path / "labels.csv").read_bytes() == was


@pytest.mark.parametrize("make", [texts, jsonl, mbox, npz], ids=lambda make: make.__name__)
def test_every_kind_is_placed_where_it_was(make, tmp_path) -> None:
    path = make(tmp_path)
    run = explored(path, "--nulls", 0).run
    before = load(run)
    placed = (
        before.place(path) if make is npz else None
    )  # the others have ids of their own and are known
    if placed is not None:
        assert (placed.labels == before.labels).mean() > 0.9
        assert placed.ids[0] == str(len(before.collection))
        return
    assert "are in the run already" in refused("add", run, path)
    (tmp_path / "more").mkdir()
    kind = sample("mail", 90) if make is mbox else sample("topics", 90)
    lines = [json.dumps({"id": f"x{i}", "text": text}) for i, text in enumerate(kind.view())]
    (tmp_path / "more" / "more.jsonl").write_text("\n".join(lines))
    said = coterie("add", run, tmp_path / "more" / "more.jsonl", "--progress", "silent")
    assert said.code == 0, said.err
    assert "90 new members were placed" in said.out


def test_rows_without_ids_get_the_next_numbers(tmp_path) -> None:
    rows = sample("blobs", 60).view().values
    (tmp_path / "a.csv").write_text(
        "a,b,c,d\n" + "\n".join(",".join(map(str, row)) for row in rows)
    )
    (tmp_path / "b.csv").write_text(
        "a,b,c,d\n" + "\n".join(",".join(map(str, row)) for row in rows[:2])
    )
    run = explored(tmp_path / "a.csv", "--nulls", 0).run
    was = load(run).labels
    for count in (62, 64):
        assert coterie("add", run, tmp_path / "b.csv", "--progress", "silent").code == 0
        found = load(run).findings
        assert list(found.ids) == [str(i) for i in range(count)]
        assert found.labels[-2:].tolist() == was[:2].tolist()
