"""A file is there whole or not at all, and a failing disk is one sentence."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import DataError, StoreError
from coterie.run import bundle


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_bytes_and_text_are_written_and_replaced(tmp_path: Path) -> None:
    bundle.write_text(tmp_path / "a.txt", "Zürich \u2603")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "Zürich \u2603"
    bundle.write_bytes(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    "name", ["x", "file", "a/b", "../up", "", "%41", "é\u2603", "\ud800", "self", "x" * 150]
)
def test_any_array_name_comes_back(tmp_path: Path, name: str) -> None:
    array = np.arange(6.0).reshape(2, 3)
    bundle.write_arrays(tmp_path / "p.npz", {name: array, "other": np.array(7)})
    found = bundle.read_arrays(tmp_path / "p.npz")
    assert set(found) == {name, "other"}
    np.testing.assert_array_equal(found[name], array)
    assert found["other"].shape == ()
    assert names(tmp_path) == ["p.npz"]


def test_objects_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'bad' holds Python objects"):
        bundle.write_arrays(tmp_path / "p.npz", {"bad": np.array([{}], dtype=object)})
    with pytest.raises(DataError, match="Python objects"):
        bundle.write_array(tmp_path / "p.npy", np.array([None]))
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "is full"),
        (errno.EDQUOT, "quota"),
        (errno.EFBIG, "larger than files"),
        (errno.EROFS, "may not be written to"),
        (errno.EACCES, "may not be written to"),
        (errno.EIO, "failed"),
    ],
)
@pytest.mark.parametrize("where", ["replace", "fsync"])
def test_a_failing_disk_is_a_sentence_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str, where: str
) -> None:
    path = tmp_path / "kept.npz"
    bundle.write_arrays(path, {"a": np.ones(3)})
    before = path.read_bytes()

    def fail(*args: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, where, fail)
    with pytest.raises(StoreError, match=words) as caught:
        bundle.write_arrays(path, {"a": np.zeros(3)}, then="run: coterie resume mail-1")
    sentence = str(caught.value)
    assert "kept.npz was not saved; what was saved before is untouched" in sentence
    assert sentence.endswith("run: coterie resume mail-1.")
    assert path.read_bytes() == before
    assert names(tmp_path) == ["kept.npz"]


LIMITED = """
import resource, sys
import numpy as np
from coterie.core.errors import StoreError
from coterie.run import bundle
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
failed = 0
for write in (lambda: bundle.write_bytes(sys.argv[1] + "/b", b"x" * 200_000),
              lambda: bundle.write_array(sys.argv[1] + "/b.npy", np.ones(50_000)),
              lambda: bundle.write_arrays(sys.argv[1] + "/b.npz", {"a": np.ones(50_000)})):
    try:
        write()
    except StoreError as error:
        failed += "larger than files" in str(error)
print(failed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on file sizes there")
def test_a_real_limit_on_file_sizes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "3", done.stderr
    assert names(tmp_path) == []


def test_a_really_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True
        ).returncode
    ):
        pytest.skip("mounting a small disk is not permitted here")
    try:
        bundle.write_arrays(disk / "first.npz", {"a": np.ones(1000)})
        for name, write in (
            ("big.npz", lambda: bundle.write_arrays(disk / "big.npz", {"a": np.ones(100_000)})),
            ("big.npy", lambda: bundle.write_array(disk / "big.npy", np.ones(100_000))),
            ("first.npz", lambda: bundle.write_bytes(disk / "first.npz", bytes(1_000_000))),
        ):
            with pytest.raises(StoreError, match=f"is full: {name} was not saved"):
                write()
        assert names(disk) == ["first.npz"]
        np.testing.assert_array_equal(bundle.read_arrays(disk / "first.npz")["a"], np.ones(1000))
        bundle.write_arrays(
            disk / "small.npz", {"a": np.ones(1000)}
        )  # the space of the failed ones is free again
    finally:
        subprocess.run(["umount", str(disk)], check=True)


READ_ONLY = """
import os, sys
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    bundle.write_text(sys.argv[1] + "/a", "text")
except StoreError as error:
    sys.stdout.write(str(error))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions there")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    place = tmp_path / "closed"
    place.mkdir()
    own = [
        folder
        for folder in (tmp_path, *tmp_path.parents)
        if folder.name.startswith(("pytest-", "test_"))
    ]
    modes = [folder.stat().st_mode for folder in own]
    code = (
        "from coterie.core.errors import StoreError\nfrom coterie.run import bundle\n" + READ_ONLY
    )
    try:
        for folder in own:
            folder.chmod(0o711)
        place.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", code, str(place)], capture_output=True, text=True, timeout=60
        )
    finally:
        place.chmod(0o755)
        for folder, mode in zip(own, modes, strict=True):
            folder.chmod(mode)
    if done.returncode:
        pytest.skip("this user may not become another one")
    assert "may not be written to: a was not saved" in done.stdout


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"There is no folder .*nowhere"):
        bundle.write_text(tmp_path / "nowhere" / "a", "text")


def test_leftovers_of_dead_writers_go_and_those_of_the_living_stay(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    host = bundle.host()
    (tmp_path / f".part-{host}-{dead.pid}-abc").touch()
    (tmp_path / f".part-{host}-{os.getpid()}-abc").touch()
    (tmp_path / ".part-elsewhere-1-abc").touch()
    old = tmp_path / ".part-elsewhere-2-abc"
    old.touch()
    os.utime(old, (time.time() - 200_000,) * 2)
    (tmp_path / "kept").touch()
    assert bundle.sweep(tmp_path) == 2
    assert names(tmp_path) == [".part-elsewhere-1-abc", f".part-{host}-{os.getpid()}-abc", "kept"]
    assert bundle.sweep(tmp_path / "nowhere") == 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_process_is_known_by_its_birth() -> None:
    assert bundle.alive(os.getpid(), bundle.birth(os.getpid()))
    assert not bundle.alive(os.getpid(), "1")
    assert not bundle.alive(0)
