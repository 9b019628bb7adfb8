"""The kernel that counts equal codes of two blocks of members by their bit planes, for Triton; read on a card only.

Importing this file needs triton, which the builds of torch for NVIDIA cards bring.
"""
# Triton compiles what stands here, so that types and names are those of its language.
# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def ones_in(word, hardware: tl.constexpr):
    """The number of ones in each word of 32 bits."""
    if hardware:
        return tl.inline_asm_elementwise(
            "popc.b32 $0, $1;", "=r,r", [word], dtype=tl.int32, is_pure=True, pack=1
        )
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    word = word + (word >> 8)
    return (word + (word >> 16)) & 0x3F


@triton.jit
def unequal_kernel(
    rows,
    cols,
    out,
    n_rows,
    n_cols,
    row_step,
    col_step,
    n_words,
    planes: tl.constexpr,
    high: tl.constexpr,
    wide: tl.constexpr,
    band: tl.constexpr,
    either: tl.constexpr,
    hardware: tl.constexpr,
):
    """out[p, q] = 32 n_words less the number of bits in which any plane of row p differs from that of column q.

    With `either`, less the number of bits that are set in one of the two.

    Planes lie as (words, planes, members), members filled up to whole tiles. Tiles are taken in bands of rows, so that those
    that run together share what they read.
    """
    tile = tl.program_id(0)
    down = tl.cdiv(n_rows, high)
    across = tl.cdiv(n_cols, wide)
    first = tile // (band * across) * band
    within = min(down - first, band)
    tile = tile % (band * across)
    r = (first + tile % within) * high + tl.arange(0, high)
    c = (tile // within) * wide + tl.arange(0, wide)
    left = rows + r
    right = cols + c
    unequal = tl.zeros((high, wide), dtype=tl.int32)
    for _ in range(n_words):
        apart = tl.zeros((high, wide), dtype=tl.int32)
        for _plane in tl.static_range(planes):
            a = tl.load(left)[:, None]
            b = tl.load(right)[None, :]
            apart |= (a | b) if either else (a ^ b)
            left += row_step
            right += col_step
        unequal += ones_in(apart, hardware)
    place = out + r.to(tl.int64)[:, None] * n_cols + c[None, :]
    tl.store(place, n_words * 32 - unequal, mask=(r < n_rows)[:, None] & (c < n_cols)[None, :])
