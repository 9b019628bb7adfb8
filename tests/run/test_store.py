"""The store: names, order, many processes, versions, damage, and a run whose process is gone."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import DataError, StoreError
from coterie.messages.exploration import headline
from coterie.run import index
from coterie.run.store import Store, fingerprint_of, slug_of
from coterie.workflows.request import ask

from .examples import random_collection, random_findings, same

REQUEST = ask("inbox", truth="folder", k=np.int64(3), views=("en", "de"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def test_a_store_is_not_made_by_looking(store: Store) -> None:
    assert store.runs() == []
    assert store.latest is None
    assert not store.folder.exists()
    with pytest.raises(StoreError, match="is empty"):
        store.open("mail-1")


def test_names_are_readable_and_the_newest_is_first(store: Store) -> None:
    names = [
        store.create(source="old/mail/inbox.mbox").name,
        store.create("Inbox").name,
        store.create("Boîte").name,
    ]
    assert names == ["inbox-1", "inbox-2", "boite-1"]
    assert [record.name for record in store.runs()] == names[::-1]
    assert store.latest is not None
    assert store.latest.name == "boite-1"
    store.open("inbox-1").update(summary="changed")
    assert [record.name for record in store] == names[::-1]
    assert len(store) == 3
    assert "inbox-2" in store


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COTERIE_STORE", raising=False)
    assert Store().folder == tmp_path / "coterie_runs"
    monkeypatch.setenv("COTERIE_STORE", str(tmp_path / "other"))
    assert Store().folder == tmp_path / "other"
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="is a file and not a folder"):
        Store(tmp_path / "file")


def test_a_run_is_opened_by_a_clear_beginning(store: Store) -> None:
    for title in ("mail", "mail", "birds"):
        store.create(title)
    assert store.open("b").name == "birds-1"
    assert store.open("mail-1").name == "mail-1"
    assert store.open("latest").name == store.open().name == "birds-1"
    with pytest.raises(StoreError, match="'mail' could be any of mail-2, mail-1"):
        store.open("mail")
    with pytest.raises(StoreError, match=r"no run 'bird-1' .*near it: birds-1"):
        store.open("bird-1")


def test_a_deleted_run_is_gone_and_its_name_is_not_given_again(store: Store) -> None:
    store.create("mail")
    run = store.create("mail")
    run.put_json("x", 1)
    store.delete("mail-2")
    assert not run.folder.exists()
    assert [record.name for record in store.runs()] == ["mail-1"]
    assert store.create("mail").name == "mail-3"
    with pytest.raises(StoreError, match="no longer in the store"):
        run.update(title="x")
    with pytest.raises(StoreError, match="no run 'mail-2'"):
        store.delete("mail-2")


def test_the_record_and_the_manifest_say_the_same(store: Store) -> None:
    run = store.create(
        "mail",
        source="inbox",
        request=REQUEST,
        fingerprint="f",
    )
    run.update(
        status="failed",
        problem="No é.",
        seconds=2.5,
        kind="text",
        members=4,
        groups=2,
        summary="Two.",
    )
    record = Store(store.folder).open("mail-1").record()
    assert record.request == REQUEST
    assert (record.status, record.problem, record.seconds, record.members, record.groups) == (
        "failed",
        "No é.",
        2.5,
        4,
        2,
    )
    assert record.created <= record.updated
    manifest = run.manifest
    assert {name: manifest[name] for name in record.plain()} == record.plain()
    assert manifest["fingerprint"] == "f"
    assert "numpy" in manifest["versions"]


@pytest.mark.parametrize("seed", range(4))
def test_findings_and_collections_come_back_exactly(store: Store, seed: int) -> None:
    run = store.create("pile")
    with pytest.raises(StoreError, match="has no findings yet"):
        run.findings()
    assert not run.has_findings
    assert not run.has_collection
    findings = random_findings(seed)
    collection = random_collection(seed)
    run.save_findings(findings)
    run.save_collection(collection)
    run.save_findings(findings)
    again = Store(store.folder).open("pile-1")
    same(findings, again.findings())
    same(collection, again.collection())
    assert again.has_findings
    assert again.has_collection
    assert again.record().groups == 3
    assert again.record().summary == headline(findings)


def test_models_json_and_arrays(store: Store) -> None:
    run = store.create("pile")
    model = {"weights": np.ones((2, 2)), "names": ("a", "b"), "inner": {"k": 3}}
    run.save_model("gmm", model)
    same(model, run.model("gmm"))
    run.put_json("order", {"a": [1, 2]})
    run.put_arrays("order", {"file": np.arange(3)})
    assert run.get_json("order") == {"a": [1, 2]}
    same({"file": np.arange(3)}, run.get_arrays("order"))
    assert run.get_json("absent", default=0) == 0
    assert run.get_arrays("absent") is None
    for name in ("../x", "", "a/b", ".hidden"):
        with pytest.raises(StoreError, match="must be letters"):
            run.put_json(name, 1)
    with pytest.raises(DataError, match="cannot be written as JSON"):
        run.put_json("x", {"a": object()})


def test_labels_as_csv_and_parquet(store: Store, tmp_path: Path) -> None:
    run = store.create("pile")
    findings = random_findings(5)
    run.save_findings(findings)
    path = run.export_labels()
    assert path == run.folder / "labels.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["group"]) for row in rows] == findings.labels.tolist()
    assert [float(row["confidence"]) for row in rows] == findings.confidence.tolist()
    assert {row["group_name"] for row in rows if row["group"] == "0"} == {"mail \u2603"}
    clean = [i for i, member in enumerate(findings.ids) if not any(c in member for c in "\r\ud83d")]
    assert [rows[i]["id"] for i in clean] == [findings.ids[i] for i in clean]
    import pyarrow.parquet as pq

    table = pq.read_table(run.export_labels(tmp_path / "out.parquet"))
    assert table["group"].to_pylist() == findings.labels.tolist()
    with pytest.raises(DataError, match=r"\.csv or \.parquet"):
        run.export_labels("labels.txt")


CREATE = """
import sys
from coterie.run.store import Store
sys.stdin.readline()
store = Store(sys.argv[1])
for _ in range(8):
    run = store.create("mail", source=sys.argv[2])
    run.start()
    run.finish("done", seconds=1.0)
    sys.stdout.write(run.name + "\\n")
"""


def test_processes_create_runs_at_once(store: Store) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", CREATE, str(store.folder), str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(3)
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said = [worker.communicate(timeout=60) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0], said
    names = [name for out, _ in said for name in out.split()]
    assert sorted(names, key=lambda name: int(name[5:])) == [f"mail-{k}" for k in range(1, 25)]
    assert {record.status for record in store.runs()} == {"done"}
    assert len(store) == 24


KILLED = """
import sys
import time
from coterie.run.store import Store
store = Store(sys.argv[1])
run = store.create("mail")
run.start()
sys.stdout.write("ready\\n"); sys.stdout.flush()
turn = 0
while True:
    turn += 1
    run.update(summary=f"turn {turn}")
    time.sleep(0.005)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_shows_as_interrupted_and_can_be_taken_up(store: Store) -> None:
    for turn, wait in enumerate((0.0, 0.02, 0.11), start=1):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(store.folder)], stdout=subprocess.PIPE
        ) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            run = store.open(f"mail-{turn}")
            assert run.status == "running"
            with pytest.raises(StoreError, match="being worked on"):
                run.start()
            with pytest.raises(StoreError, match="being worked on"):
                store.delete(run.name)
            run.update(title="Renamed by another process")
            assert run.record().pid == worker.pid
            time.sleep(wait)
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        again = Store(store.folder)
        assert again.runs()[0].status == "interrupted"
        assert run.manifest["name"] == run.name
        run.start()
        assert run.status == "running"
        run.finish("stopped")
    assert [record.status for record in store.runs()] == ["stopped"] * 3
    with pytest.raises(StoreError, match="was to be 'tired'"):
        run.update(status="tired")
    store.delete("mail-1")


def test_a_newer_store_is_refused_with_both_versions(store: Store) -> None:
    store.create("mail")
    with sqlite3.connect(store.folder / "index.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(
        StoreError, match=r"newer coterie \(store version 99, this one reads up to 2\)"
    ):
        Store(store.folder).runs()


def test_an_older_store_is_migrated(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.create("mail")
    monkeypatch.setattr(
        index,
        "MIGRATIONS",
        (*index.MIGRATIONS, "ALTER TABLE runs ADD COLUMN color TEXT DEFAULT 'red'"),
    )
    assert [record.name for record in Store(store.folder).runs()] == ["mail-1"]
    with sqlite3.connect(store.folder / "index.sqlite") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,)
        assert db.execute("SELECT color FROM runs").fetchall() == [("red",)]
    monkeypatch.undo()
    with pytest.raises(StoreError, match="store version 3"):
        Store(store.folder).runs()


def test_a_failed_migration_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.create("mail")
    monkeypatch.setattr(
        index, "MIGRATIONS", (*index.MIGRATIONS, "ALTER TABLE runs ADD COLUMN color TEXT; NONSENSE")
    )
    with pytest.raises(StoreError):
        Store(store.folder).runs()
    monkeypatch.undo()
    assert len(Store(store.folder)) == 1


def test_a_damaged_index_is_a_sentence_and_can_be_built_again(store: Store) -> None:
    store.create("mail", request=REQUEST)
    store.create("mail").finish("done")
    store.create("birds")
    broken = store.folder / "index.sqlite"
    for leftover in store.folder.glob("index.sqlite-*"):
        leftover.unlink()
    broken.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match=r"is damaged .*move that file away"):
        Store(store.folder).runs()
    broken.rename(store.folder / "index.old")
    again = Store(store.folder)
    assert [record.name for record in again.runs()] == ["birds-1", "mail-2", "mail-1"]
    assert again.open("mail-1").request == REQUEST
    assert again.open("mail-2").status == "done"
    assert again.create("mail").name == "mail-3"


@pytest.mark.parametrize(
    "spoilt",
    [
        {"created": None},
        {"members": 10**30},
        {"request": []},
        {"request": {"choices": {"k": "many"}, "origin": {}}},
        {"pid": "x"},
        {"title": "\ud800"},
    ],
)
def test_one_run_that_says_nonsense_of_itself_does_not_close_the_store(
    store: Store, spoilt: dict
) -> None:
    store.create("mail")
    path = store.create("birds").folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | spoilt))
    (store.folder / "index.sqlite").unlink()
    again = Store(store.folder)
    assert {record.name for record in again.runs()} == {"mail-1", "birds-1"}
    again.delete("birds-1")
    assert [record.name for record in again.runs()] == ["mail-1"]


def test_file_names_that_are_not_utf8_are_kept(store: Store, tmp_path: Path) -> None:
    import coterie

    name = os.fsdecode(b"caf\xe9.csv")
    try:
        (tmp_path / name).write_text("a,b\n" + "".join(f"{i % 3 * 10},{i}\n" for i in range(12)))
    except OSError:
        pytest.skip("this file system takes no such names")
    run = coterie.explore(tmp_path / name, k=3, nulls=0, store=store).run
    assert run.record().source.endswith("caf\\udce9.csv")
    assert Path(run.request.path) == tmp_path / name
    assert store.check() == []


def test_leftovers_are_cleaned_on_opening(store: Store) -> None:
    store.create("mail")
    (store.folder / ".trash-abc" / "deep").mkdir(parents=True)
    Store(store.folder)
    assert not (store.folder / ".trash-abc").exists()


def test_a_full_disk_keeps_what_was_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.create("mail")
    findings = random_findings(1)
    run.save_findings(findings)
    real = os.replace

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(
        StoreError, match=r"is full: .* Free some space and run: coterie resume mail-1"
    ):
        run.save_findings(random_findings(2))
    with pytest.raises(StoreError, match="is full"):
        run.update(status="done")
    with pytest.raises(StoreError, match="is full"):
        store.create("mail")
    monkeypatch.setattr(os, "replace", real)
    same(findings, run.findings())
    assert run.status == "new"
    assert run.manifest["status"] == "new"
    assert not (store.folder / "mail-2").exists()
    assert len(store) == 1


def test_a_store_on_a_really_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    try:
        store = Store(disk / "runs")
        made = 0
        with pytest.raises(StoreError, match="is full"):
            for _ in range(1000):
                run = store.create("mail", source="x" * 20_000)
                made += 1
                run.put_arrays("a", {"a": np.ones(1000)})
        assert made > 1
        again = Store(disk / "runs")
        assert len(again) == made
        assert again.open("mail-1").get_arrays("a") is not None
        (disk / "runs" / "mail-1" / "values" / "a.npz").unlink()
        (disk / "runs" / "mail-2" / "values" / "a.npz").unlink()
        again.delete("mail-1")
        assert len(again) == made - 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_store_on_a_read_only_disk_can_be_read(store: Store) -> None:
    store.create("mail").save_findings(random_findings(3))
    if subprocess.run(
        ["mount", "--bind", "-o", "ro", str(store.folder), str(store.folder)], capture_output=True
    ).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        if os.access(store.folder, os.W_OK):
            pytest.skip("read-only bind mounts are not honoured here")
        again = Store(store.folder)
        assert [record.name for record in again.runs()] == ["mail-1"]
        same(random_findings(3), again.open("mail-1").findings())
        with pytest.raises(StoreError, match="may not be written to"):
            again.create("mail")
        with pytest.raises(StoreError, match="may not be written to"):
            again.open("mail-1").put_json("x", 1)
    finally:
        subprocess.run(["umount", str(store.folder)], check=True)


def test_slugs() -> None:
    assert slug_of("E-Mail 2024!") == "e-mail-2024"
    assert slug_of("日本") == "run"
    assert slug_of("a/b/") == "b"
    assert slug_of("x" * 200) == "x" * 40
    assert slug_of("C:\\mail\\in.mbox") == "in"


def test_fingerprints_change_with_the_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    first = fingerprint_of(tmp_path)
    assert fingerprint_of(tmp_path) == first
    (tmp_path / "b").write_text("two")
    second = fingerprint_of(tmp_path)
    (tmp_path / "b").write_text("three")
    assert len({first, second, fingerprint_of(tmp_path)}) == 3
    assert (
        fingerprint_of("sample:mail")
        == fingerprint_of("sample:mail")
        != fingerprint_of("sample:birds")
    )


def test_the_store_imports_without_anything_heavy() -> None:
    heavy = ("sklearn", "scipy", "numba", "rich", "pandas", "pyarrow")
    code = f"import sys, coterie.run.store, coterie.run.using; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_run_json_is_plain_json(store: Store) -> None:
    run = store.create("Grüße \u2603")
    said = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))
    assert said["title"] == "Grüße \u2603"
    assert "Grüße" in (run.folder / "run.json").read_text(encoding="utf-8")


SAVING = """
import sys
from coterie.run.store import Store
from tests.run.examples import random_findings
run = Store(sys.argv[1]).open("mail-1")
pair = [random_findings(1), random_findings(2)]
sys.stdout.write("ready\\n"); sys.stdout.flush()
turn = 0
while True:
    turn += 1
    run.save_findings(pair[turn % 2])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_findings_are_whole_after_a_kill_at_any_moment(store: Store) -> None:
    run = store.create("mail")
    run.save_findings(random_findings(1))
    known = {len(random_findings(seed)): random_findings(seed) for seed in (1, 2)}
    assert len(known) == 2
    root = Path(__file__).parents[2]
    for wait in (0.013, 0.05, 0.087, 0.16):
        with subprocess.Popen(
            [sys.executable, "-c", SAVING, str(store.folder)], stdout=subprocess.PIPE, cwd=root
        ) as worker:
            assert worker.stdout is not None
            assert worker.stdout.readline() == b"ready\n"
            time.sleep(wait)
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        found = Store(store.folder).open("mail-1").findings()
        same(known[len(found)], found)
