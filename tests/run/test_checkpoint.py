"""Pieces survive kills, spoilt files count as absent, and any key has a file of its own."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import DataError, StoreError
from coterie.core.workplace import Keeper
from coterie.run.stored import Pieces

WRITER = """
import sys
import numpy as np
from coterie.run.stored import Pieces
pieces = Pieces(sys.argv[1])
sys.stdout.write("ready\\n"); sys.stdout.flush()
turn = 0
while True:
    turn += 1
    key = f"scope/tile-{turn % 7}"
    pieces.put(key, {"turn": np.array(turn), "values": np.full((50, turn % 400 + 1), turn, dtype=float)})
"""


def whole(found: dict[str, np.ndarray]) -> bool:
    turn = int(found["turn"])
    return found["values"].shape == (50, turn % 400 + 1) and bool((found["values"] == turn).all())


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_writer_killed_at_any_moment_leaves_whole_pieces(tmp_path: Path) -> None:
    chance = random.Random(4)
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.uniform(0.0, 0.15))
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        pieces = Pieces(tmp_path)
        assert not list(tmp_path.glob(".part-*"))  # opening removed what the killed writer left
        files = len(pieces)
        found = [pieces.get(f"scope/tile-{k}") for k in range(7)]
        assert sum(piece is not None for piece in found) == files  # nothing had to be thrown away
        assert all(whole(piece) for piece in found if piece is not None)
    assert files > 0


def test_it_is_a_keeper_and_costs_nothing_before_the_first_piece(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path / "not" / "there")
    assert isinstance(pieces, Keeper)
    assert pieces.get("x") is None
    assert len(pieces) == 0
    pieces.clear()
    assert not (tmp_path / "not").exists()


def test_every_dtype_comes_back(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)
    arrays = {
        "bool": np.array([True, False]),
        "int": np.arange(5, dtype=np.int16),
        "big": np.arange(3, dtype=">i8"),
        "float": np.array([np.nan, np.inf, -0.0]),
        "half": np.ones(2, np.float16),
        "complex": np.array([1j]),
        "text": np.array(["é", "\u2603\u2603"]),
        "bytes": np.array([b"a"]),
        "time": np.array(["2020-01-01"], "M8[s]"),
        "none": np.empty((0, 4)),
        "scalar": np.array(3.5),
        "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "fields": np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    }
    pieces.put("k", arrays)
    found = pieces.get("k")
    assert found is not None
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].tobytes() == array.tobytes()
        assert found[name].shape == array.shape
        assert found[name].flags.writeable


def test_odd_keys_have_files_of_their_own(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)
    keys = [
        "a/b",
        "a-b",
        "A-b",
        "a b",
        "../../etc",
        "",
        ".",
        "x" * 3000,
        "é",
        "\u2603",
        "a\0b",
        "CON",
        "\ud800",
    ]
    for number, key in enumerate(keys):
        pieces.put(key, {"n": np.array(number)})
    assert [int(pieces.get(key)["n"]) for key in keys] == list(range(len(keys)))  # type: ignore[index]
    assert len(pieces) == len(keys) == len({path.name.lower() for path in tmp_path.iterdir()})
    assert all(path.parent == tmp_path for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_piece_counts_as_absent_and_goes(tmp_path: Path, share: float) -> None:
    pieces = Pieces(tmp_path)
    pieces.put("k", {"a": np.arange(1000.0), "b": np.ones(3)})
    path = pieces.path("k")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert pieces.get("k") is None
    assert not path.exists()


def test_a_piece_with_one_spoilt_byte_is_either_right_or_absent(tmp_path: Path) -> None:
    chance = random.Random(0)
    pieces = Pieces(tmp_path)
    arrays = {"a": np.arange(40.0), "b": np.arange(7)}
    pieces.put("k", arrays)
    data = pieces.path("k").read_bytes()
    path = pieces.path("k")
    absent = 0
    for _ in range(400):
        spoilt = bytearray(data)
        spoilt[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(spoilt)
        found = pieces.get("k")
        absent += found is None
        if found is not None:
            assert set(found) == set(arrays)
            assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    assert absent > 200


def test_a_pickle_is_never_read(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)
    np.savez(pieces.path("k"), a=np.array([{"x": 1}], dtype=object), allow_pickle=True)
    assert pieces.get("k") is None
    with pytest.raises(DataError, match="Python objects"):
        pieces.put("k", {"a": np.array([{}], dtype=object)})


def test_a_piece_that_cannot_be_opened_is_not_thrown_away(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)
    pieces.path("k").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be read"):
        pieces.get("k")
    assert pieces.path("k").exists()


def test_threads_share_it(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path)
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(15):
            pieces.put(
                "same",
                {
                    "turn": np.array(turn),
                    "values": np.full((50, turn % 400 + 1), turn, dtype=float),
                },
            )
            found = pieces.get("same")
            if found is None or not whole(found):
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_clear_forgets_and_pieces_can_be_kept_again(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path / "p")
    pieces.put("k", {"a": np.ones(2)})
    pieces.clear()
    assert pieces.get("k") is None
    assert not (tmp_path / "p").exists()
    pieces.put("k", {"a": np.ones(2)})
    (tmp_path / "p").rename(tmp_path / "q")  # the folder vanishes under us
    pieces.put("k", {"a": np.ones(2)})
    assert pieces.get("k") is not None


def test_pieces_of_another_version_are_not_taken_up(tmp_path: Path) -> None:
    Pieces(tmp_path, by="1.0").put("part-1", {"x": np.arange(3)})
    assert Pieces(tmp_path, by="1.1").get("part-1") is None
    found = Pieces(tmp_path, by="1.0").get("part-1")
    assert found is not None
    assert found["x"].tolist() == [0, 1, 2]
    Pieces(tmp_path, by="1.1").clear()  # a run that is done leaves none behind, whoever made them
    assert Pieces(tmp_path, by="1.0").get("part-1") is None
