"""Counts of common codes by bit planes in torch against the compiled counts: equal to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from coterie._kernels import codes as kernels
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.scores import Binary, top
from coterie.core.workplace import using
from coterie.parts.pairwise import dense

torch = pytest.importorskip("torch")

from coterie.parts.gpu import counts, near_codes  # noqa: E402


def labels(n, members, classes, missing=0.0, seed=0):
    random = np.random.default_rng(seed)
    found = random.integers(0, classes, (n, members)).astype(np.int32)
    found[random.random(found.shape) < missing] = -1
    return found


@pytest.mark.parametrize(
    ("n", "classes", "kind"),
    [(1, 2, np.uint8), (32, 3, np.uint8), (45, 200, np.uint8), (70, 900, np.uint16)],
)
def test_counts_are_those_of_the_compiled_kernel(n, classes, kind):
    codes = labels(n, 300, classes).astype(kind)
    rows = np.ascontiguousarray(codes[:, 40:110])
    known = np.empty((70, 300), dtype=np.int32)
    kernels.equal_counts(rows, codes, known)
    left, right = counts.planes_for(rows, codes, "cpu")
    np.testing.assert_array_equal(counts.equal_counts(left, right).numpy(), known)
    assert left.bits.shape[1] == int(codes.max()).bit_length()
    part = counts.equal_counts(left[13:29], right[100:300]).numpy()
    np.testing.assert_array_equal(part, known[13:29, 100:])


def test_who_was_tested_when_is_counted():
    tested = labels(77, 60, 5, missing=0.4) >= 0
    from coterie.compare.sic.tiles import packed

    planes = counts.tested_planes(packed(tested), 77, "cpu")
    np.testing.assert_array_equal(
        counts.both_counts(planes[:20], planes).numpy(),
        tested.T[:20].astype(int) @ tested.astype(int),
    )


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.97])
@pytest.mark.parametrize("classes", [4, 300])
def test_nearest_and_shares_are_the_same_to_the_bit(stand_in, missing, classes):
    codes = Codes(labels(37, 310, classes, missing))
    queries = Codes(labels(37, 41, classes + 3, missing, seed=1))
    for asked in (None, queries):
        here = *top(codes, 6, asked), dense(Binary().affinity(codes, asked)).values
        with using(device="cuda"):
            there = *top(codes, 6, asked), dense(Binary().affinity(codes, asked)).values
        for one, other in zip(here, there, strict=True):
            np.testing.assert_array_equal(one, other)


def test_ties_go_to_the_lower_position():
    codes = np.zeros((5, 9), dtype=np.uint8)
    near, share = near_codes.nearest_on("cpu", codes, codes, None, 3, True)
    assert near[0].tolist() == [1, 2, 3]
    assert near[4].tolist() == [0, 1, 2]
    assert (share == 1.0).all()


def test_bands_change_nothing(monkeypatch):
    codes = labels(20, 90, 7).astype(np.uint8)
    whole = near_codes.nearest_on("cpu", codes, codes, None, 4, True)
    monkeypatch.setattr(near_codes, "_PAIRS", 90 * 7)
    for one, other in zip(
        whole, near_codes.nearest_on("cpu", codes, codes, None, 4, True), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_keys_too_large_for_32_bits_are_made_of_64(monkeypatch):
    codes = labels(20, 90, 7).astype(np.uint8)
    whole = near_codes.nearest_on("cpu", codes, codes, None, 4, True)
    monkeypatch.setattr(near_codes, "_MOST", 100)
    np.testing.assert_array_equal(
        whole[0], near_codes.nearest_on("cpu", codes, codes, None, 4, True)[0]
    )


def test_a_full_card_takes_smaller_bands(monkeypatch):
    codes = labels(20, 90, 7).astype(np.uint8)
    whole = near_codes.nearest_on("cpu", codes, codes, None, 4, True)
    real = near_codes._band
    heights = []

    def small(library, left, right, tested, some, k, own):
        heights.append(some.stop - some.start)
        if heights[-1] > 11:
            raise torch.OutOfMemoryError("full")
        return real(library, left, right, tested, some, k, own)

    monkeypatch.setattr(near_codes, "_band", small)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    found = near_codes.nearest_on("cpu", codes, codes, None, 4, True)
    np.testing.assert_array_equal(found[0], whole[0])
    assert heights[0] == 90
    assert max(heights[4:]) <= 11


def test_a_card_that_is_too_small_leaves_the_work_here(stand_in, monkeypatch):
    codes = Codes(labels(20, 90, 7))
    known = top(codes, 4)

    def full(*given):
        raise torch.OutOfMemoryError("full")

    monkeypatch.setattr(near_codes, "_band", full)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    with (
        using(device="cuda"),
        pytest.warns(UserWarning, match="does not fit the memory of the device"),
    ):
        found = top(codes, 4)
    np.testing.assert_array_equal(found[0], known[0])
