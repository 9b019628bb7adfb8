"""The kernel that follows all paths of hidden Markov models, a sequence and a block of models at a time, for Triton.

Importing this file needs triton, which the builds of torch for NVIDIA cards bring.
"""
# Triton compiles what stands here, so that types and names are those of its language.
# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

NONE = tl.constexpr(-1e300)  # stands for the logarithm of zero
FAINT = tl.constexpr(1e-150)  # shares below this may be lost on the way
LN2 = tl.constexpr(0.6931471805599453)


@triton.jit
def power_of(total):
    """The power of two in an ordinary number above 0; -1023 for 0."""
    return (total.to(tl.int64, bitcast=True) >> 52) - 1023


@triton.jit
def two_to(power):
    """Two to that power."""
    return ((power + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def forward_kernel(
    b,
    offsets,
    start,
    links,
    fell,
    out,
    n_models,
    states: tl.constexpr,
    follow: tl.constexpr,
    block: tl.constexpr,
):
    """out[n, m] = the log-likelihood of sequence n under model m.

    `b` is (frames, states, models) of log-densities, `start` (states, models), `links` (states, states, models) from the first to
    the second. Shares are rescaled at every frame by a power of two. With `follow`, the states of largest density may have no
    share, and `fell` is filled as `gone` of the compiled recursion is.
    """
    n = tl.program_id(0)
    m = tl.program_id(1) * block + tl.arange(0, block)
    inside = m < n_models
    first = tl.load(offsets + n)
    last = tl.load(offsets + n + 1)
    size = tl.zeros((block,), dtype=tl.float64)
    power = tl.zeros((block,), dtype=tl.int64)
    gone = tl.zeros((block,), dtype=tl.float64)
    total = tl.zeros((block,), dtype=tl.float64)
    place = out + n.to(tl.int64) * n_models + m
    if follow:
        gone += tl.load(fell + n.to(tl.int64) * n_models + m, mask=inside, other=0.0)
    shares = ()
    for k in tl.static_range(states):
        shares = shares + (tl.load(start + k * n_models + m, mask=inside, other=1.0),)
    row = b + first * states * n_models + m
    for t in range(first, last):
        if t > first:
            moved = ()
            for k in tl.static_range(states):
                link = links + k * n_models + m
                into = shares[0] * tl.load(link, mask=inside, other=1.0)
                for s in tl.static_range(1, states):
                    into += shares[s] * tl.load(
                        link + s * states * n_models, mask=inside, other=1.0
                    )
                moved = moved + (into,)
            shares = moved
        densities = ()
        for k in tl.static_range(states):
            densities = densities + (tl.load(row + k * n_models, mask=inside, other=0.0),)
        row += states * n_models
        top = tl.full((block,), NONE, tl.float64)
        most = tl.full((block,), NONE, tl.float64)
        on = tl.zeros((block,), tl.int32)
        for k in tl.static_range(states):
            if follow:
                top = tl.maximum(top, tl.where(shares[k] > 0.0, densities[k], NONE))
                most = tl.maximum(most, densities[k])
                on += ((shares[k] > 0.0) & (densities[k] > float("-inf"))).to(tl.int32)
            else:
                top = tl.maximum(top, densities[k])
        weighed = ()
        total = tl.zeros((block,), dtype=tl.float64)
        for k in tl.static_range(states):
            share = shares[k] * tl.exp(tl.minimum(densities[k] - top, 0.0))
            total += share
            weighed = weighed + (share,)
        two = power_of(total)
        scale = two_to(-two)
        shares = ()
        for k in tl.static_range(states):
            share = weighed[k] * scale
            if follow:
                on -= (share >= FAINT).to(tl.int32)
            shares = shares + (share,)
        if follow:
            further = tl.minimum(two.to(tl.float64) - (most - top) / LN2, 0.0) - 1e-9
            gone = tl.where((gone < 0.0) | (on > 0), gone + further, gone)
        size += top
        power += two
        total = total * scale
    found = size + power.to(tl.float64) * LN2 + tl.log(total)
    found = tl.where(total > 0.0, found, float("-inf"))
    tl.store(place, tl.where(last > first, found, 0.0), mask=inside)
    if follow:
        tl.store(fell + n.to(tl.int64) * n_models + m, gone, mask=inside)
