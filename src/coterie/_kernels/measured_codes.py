"""Groups of members measured by their codes: minus the share of equal codes among the iterations that tested both.

Codes are (members, iterations) of one unsigned type, filled up with zeros to whole vectors of `WHOLE` bytes; the largest value is
"missing". Two members are compared along their rows. What both are filled up with, and what is missing in both, looks equal and
is taken off again: `bits` are (members, words) of who was tested when, without words where everybody was tested always.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from coterie._kernels.codes import _bits_of

_inside: Any = intrinsic  # both are without types
_building: Any = cgutils
WHOLE = 32  # bytes compared at once
_NEVER = np.float32(np.inf)


@_inside
def _equal_at(typingctx: Any, codes: Any, a: Any, b: Any, first: Any, last: Any) -> Any:
    """How many codes of rows a and b are equal from vector `first` to vector `last`; fewer vectors than a code has values."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = signature.args[0].dtype.bitwidth // 8
        lanes = WHOLE // size
        array = context.make_array(codes)(context, builder, args[0])
        _, width = _building.unpack_tuple(builder, array.shape)
        vector = ir.VectorType(ir.IntType(8 * size), lanes)
        wide = ir.VectorType(ir.IntType(32), lanes)
        left, right = (
            builder.bitcast(builder.gep(array.data, [builder.mul(row, width)]), vector.as_pointer())
            for row in args[1:3]
        )
        count = _building.alloca_once_value(builder, ir.Constant(vector, [0] * lanes))
        with _building.for_range(builder, builder.sub(args[4], args[3])) as loop:
            at = builder.add(args[3], loop.index)
            one, two = (builder.load(builder.gep(side, [at]), align=size) for side in (left, right))
            equal = builder.icmp_unsigned("==", one, two)
            builder.store(builder.sub(builder.load(count), builder.sext(equal, vector)), count)
        total = builder.load(count)
        if size < 4:
            total = builder.zext(total, wide)
        kind = ir.FunctionType(ir.IntType(32), [wide])
        summed = _building.get_or_insert_function(
            builder.module, kind, f"llvm.vector.reduce.add.v{lanes}i32"
        )
        return builder.zext(builder.call(summed, [total]), ir.IntType(64))

    return types.int64(codes, types.int64, types.int64, types.int64, types.int64), emit


@njit(cache=True, nogil=True, inline="always")
def _common(codes: np.ndarray, a: int, b: int) -> int:
    """Places at which two rows are equal, counters emptied before they run over."""
    lanes = WHOLE // codes.itemsize
    most = min((1 << (8 * codes.itemsize)) - 1, 1 << 24)
    found = 0
    last = codes.shape[1] // lanes
    for first in range(0, last, most):
        found += _equal_at(
            codes, np.int64(a), np.int64(b), np.int64(first), np.int64(min(first + most, last))
        )
    return found


@njit(cache=True, nogil=True, inline="always")
def _both(bits: np.ndarray, a: int, b: int) -> Any:
    both = np.int64(0)
    for w in range(bits.shape[1]):
        both += np.int64(_bits_of(bits[a, w] & bits[b, w]))
    return both


@njit(cache=True, nogil=True, inline="always")
def _share(
    codes: np.ndarray, bits: np.ndarray, tested: np.ndarray, n: int, a: int, b: int
) -> float:
    """The share of equal codes among the iterations that tested both; below zero where there is none."""
    found = _common(codes, a, b) - (codes.shape[1] - n)
    if bits.shape[1] == 0:
        return found / n
    both = _both(bits, a, b)
    return (found - (n - tested[a] - tested[b] + both)) / both if both else -1.0


@njit(cache=True, nogil=True)
def measure(
    codes: np.ndarray,
    bits: np.ndarray,
    tested: np.ndarray,
    n: int,
    members: np.ndarray,
    sizes: np.ndarray,
    n_new: np.ndarray,
    out: np.ndarray,
) -> None:
    """out[g, a, b] for the first n_new[g] members a of group g and those after them; infinite where no iteration tested both."""
    for g in range(sizes.shape[0]):
        for a in range(n_new[g]):
            for b in range(a + 1, sizes[g]):
                share = _share(codes, bits, tested, n, members[g, a], members[g, b])
                out[g, a, b] = -np.float32(share) if share >= 0.0 else _NEVER


@njit(cache=True, nogil=True)
def margins(
    codes: np.ndarray,
    bits: np.ndarray,
    tested: np.ndarray,
    n: int,
    order: np.ndarray,
    starts: np.ndarray,
    pivots: np.ndarray,
    out: np.ndarray,
) -> None:
    """How much nearer every member of a node is to the first pivot of the node than to the second; nodes without pivots stay."""
    for g in range(starts.shape[0] - 1):
        a, b = pivots[g]
        if a < 0:
            continue
        for m in range(starts[g], starts[g + 1]):
            p = order[m]
            out[m] = _share(codes, bits, tested, n, p, a) - _share(codes, bits, tested, n, p, b)


@njit(cache=True, nogil=True)
def shares(
    codes: np.ndarray,
    bits: np.ndarray,
    tested: np.ndarray,
    n: int,
    near: np.ndarray,
    first: int,
    out: np.ndarray,
) -> None:
    """The values of the members listed for rows `first`, first + 1, ...; NaN where none is listed or no iteration tested both."""
    for r in range(near.shape[0]):
        for s in range(near.shape[1]):
            out[r, s] = np.nan
            if near[r, s] >= 0:
                share = _share(codes, bits, tested, n, first + r, near[r, s])
                if share >= 0.0:
                    out[r, s] = share
