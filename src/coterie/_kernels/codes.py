"""Compiled counts over codes: in how many iterations two members got one code, weighted or not, and the k nearest by it.

Rows and columns are arrays (iterations, members) of one unsigned type. What is missing is coded differently on the two
sides (the largest value among the columns, the one below it among the rows), so that a plain == never counts it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

_inside: Any = intrinsic  # both are without types
_building: Any = cgutils

_LINE = 64  # bytes of codes of one panel
_VECTOR = 32  # bytes compared at once; half a panel, so that eight counters fit the registers of most machines
_QUAD = 4  # rows that share one load of the columns
_CHUNK = 64  # iterations whose columns are sorted by code at once
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


@_inside
def _bits_of(typingctx: Any, word: Any) -> Any:
    """The number of ones in a word, as one machine instruction that vectorizes."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return word(word), emit


@_inside
def _count_quad(typingctx: Any, quads: Any, panel: Any, first: Any, last: Any, sums: Any) -> Any:
    """sums[r, j] = number of iterations in first..last with quads[i, r] == panel[i, j]; the four sums stay in registers."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = signature.args[0].dtype.bitwidth // 8
        lanes = _LINE // size
        some = _VECTOR // size
        word = ir.IntType(8 * size)
        vector = ir.VectorType(word, some)
        left, right, total = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip((quads, panel, sums), (args[0], args[1], args[4]), strict=True)
        )
        begun = args[2]
        places = [(r, h) for r in range(_QUAD) for h in range(0, lanes, some)]
        counts = {
            place: _building.alloca_once_value(builder, ir.Constant(vector, [0] * some))
            for place in places
        }
        spread = ir.Constant(ir.VectorType(ir.IntType(32), some), [0] * some)

        def at(base: Any, row: Any, width: int, column: int) -> Any:
            offset = builder.add(
                builder.mul(row, ir.Constant(row.type, width)), ir.Constant(row.type, column)
            )
            return builder.gep(base, [offset])

        with _building.for_range(builder, builder.sub(args[3], begun)) as loop:
            i = builder.add(begun, loop.index)
            for h in range(0, lanes, some):
                codes = builder.load(
                    builder.bitcast(at(right, i, lanes, h), vector.as_pointer()), align=size
                )
                for r in range(_QUAD):
                    code = builder.load(at(left, i, _QUAD, r))
                    one = builder.insert_element(
                        ir.Constant(vector, ir.Undefined), code, ir.Constant(ir.IntType(32), 0)
                    )
                    equal = builder.icmp_unsigned(
                        "==", codes, builder.shuffle_vector(one, one, spread)
                    )
                    count = counts[r, h]
                    builder.store(
                        builder.sub(builder.load(count), builder.sext(equal, vector)), count
                    )
        for (r, h), count in counts.items():
            place = builder.gep(total, [ir.Constant(begun.type, r * lanes + h)])
            builder.store(
                builder.load(count), builder.bitcast(place, vector.as_pointer()), align=size
            )
        return context.get_dummy_value()

    return types.void(quads, panel, first, last, sums), emit


@njit(cache=True, nogil=True)
def _in_quads(rows: np.ndarray) -> np.ndarray:
    """Rows in groups of four, each group iteration by iteration; the last group repeats the last row."""
    n, b = rows.shape
    out = np.empty(((b + _QUAD - 1) // _QUAD, n, _QUAD), rows.dtype)
    for g in range(out.shape[0]):
        for i in range(n):
            for r in range(_QUAD):
                out[g, i, r] = rows[i, min(_QUAD * g + r, b - 1)]
    return out


@njit(cache=True, nogil=True)
def _take_panel(cols: np.ndarray, start: int, panel: np.ndarray) -> int:
    """Copy one line of columns from each iteration; gives how many columns there were."""
    width = min(panel.shape[1], cols.shape[1] - start)
    for i in range(cols.shape[0]):
        line = cols[
            i, start : start + width
        ]  # a slice, so that no position can be negative and the loop vectorizes
        for j in range(width):
            panel[i, j] = line[j]
        for j in range(width, panel.shape[1]):
            panel[i, j] = 0
    return width


@njit(cache=True, nogil=True)
def _count_panel(
    quads: np.ndarray, panel: np.ndarray, most: int, sums: np.ndarray, out: np.ndarray
) -> None:
    """out[row, j] = equal codes of a row and column j of the panel; counters as wide as a code, emptied before they run over."""
    n = panel.shape[0]
    out[:] = 0
    first = 0
    while first < n:
        last = min(first + most, n)
        for g in range(quads.shape[0]):
            _count_quad(quads[g], panel, first, last, sums)
            for r in range(_QUAD):
                line = out[_QUAD * g + r]
                for j in range(line.shape[0]):
                    line[j] += sums[r, j]
        first = last


@njit(cache=True, nogil=True)
def equal_counts(rows: np.ndarray, cols: np.ndarray, out: np.ndarray) -> None:
    """out[p, q] = number of iterations in which row p and column q have one code."""
    n, b = rows.shape
    size = rows.itemsize
    lanes = _LINE // size
    most = min((1 << (8 * size)) - 1, 1 << 30)
    quads = _in_quads(rows)
    panel = np.empty((n, lanes), rows.dtype)
    sums = np.empty((_QUAD, lanes), rows.dtype)
    counts = np.empty((_QUAD * quads.shape[0], lanes), np.int32)
    for start in range(0, cols.shape[1], lanes):
        width = _take_panel(cols, start, panel)
        _count_panel(quads, panel, most, sums, counts)
        for p in range(b):
            line = out[p, start : start + width]
            for j in range(width):
                line[j] = counts[p, j]


@njit(cache=True, nogil=True)
def both_counts(rows: np.ndarray, cols: np.ndarray, out: np.ndarray) -> None:
    """out[p, q] = number of bits set in both; rows are (members, words), columns (words, members)."""
    for p in range(rows.shape[0]):
        line = out[p]
        line[:] = 0
        for w in range(rows.shape[1]):
            word = rows[p, w]
            for q in range(cols.shape[1]):
                line[q] += _bits_of(word & cols[w, q])


@njit(cache=True, nogil=True)
def equal_sums(
    rows: np.ndarray, cols: np.ndarray, n_codes: int, weight: np.ndarray, out: np.ndarray
) -> None:
    """Add to out[p, q] the weights of the iterations in which both have one code below n_codes, in their order.

    The columns of an iteration are sorted by code, so that only the equal ones are touched.
    """
    n, b = rows.shape
    m = cols.shape[1]
    order = np.empty((_CHUNK, m), np.uint32)
    starts = np.empty((_CHUNK, n_codes + 1), np.int32)
    for first in range(0, n, _CHUNK):
        last = min(first + _CHUNK, n)
        for i in range(first, last):
            _sort_by_code(cols[i], n_codes, order[i - first], starts[i - first])
        for p in range(b):
            line = out[p]
            for i in range(first, last):
                code = int(rows[i, p])
                if code < n_codes:
                    value = weight[i]
                    for s in range(starts[i - first, code], starts[i - first, code + 1]):
                        line[order[i - first, s]] += value


@njit(cache=True, nogil=True)
def _sort_by_code(codes: np.ndarray, n_codes: int, order: np.ndarray, starts: np.ndarray) -> None:
    """Positions grouped by code; starts[c]:starts[c + 1] are those of code c. Codes from n_codes are left out."""
    starts[:] = 0
    for q in range(codes.shape[0]):
        if codes[q] < n_codes:
            starts[codes[q] + 1] += 1
    for c in range(n_codes):
        starts[c + 1] += starts[c]
    for q in range(codes.shape[0]):
        if codes[q] < n_codes:
            order[starts[codes[q]]] = q
            starts[codes[q]] += 1
    for c in range(n_codes, 0, -1):
        starts[c] = starts[c - 1]
    starts[0] = 0


@njit(cache=True, nogil=True)
def both_sums(rows: np.ndarray, cols: np.ndarray, table: np.ndarray, out: np.ndarray) -> None:
    """Add to out[p, q] the weights of the iterations that tested both: `table[w, byte]` is the sum of eight of them.

    Rows are (members, bytes), columns (bytes, members).
    """
    for p in range(rows.shape[0]):
        line = out[p]
        for w in range(rows.shape[1]):
            byte = rows[p, w]
            for q in range(cols.shape[1]):
                line[q] += table[w, byte & cols[w, q]]


@njit(cache=True, nogil=True)
def _mixed(word: np.uint64) -> np.uint64:
    """The finishing steps of splitmix64: every bit of the word changes about half of the bits of the result."""
    word = (word ^ (word >> np.uint64(30))) * _MIX1
    word = (word ^ (word >> np.uint64(27))) * _MIX2
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True)
def coin_sums(
    rows: np.ndarray,
    cols: np.ndarray,
    at: np.ndarray,
    beside: np.ndarray,
    levels: np.ndarray,
    limit: np.ndarray,
    key: tuple[int, int],
    out: np.ndarray,
) -> None:
    """Add levels[i, 0] for one code; for two codes levels[i, 0] when the pair's coin falls below limit[i], else levels[i, 1].

    The coin of an iteration and a pair is a 53-bit number that depends on the seed, i, and the two positions only.
    `key` is the seed and the code of a missing column.
    """
    seed, missing = key
    m = cols.shape[1]
    keys = np.empty(m, np.uint64)
    start = _mixed(np.uint64(seed) + _GOLDEN)
    for p in range(rows.shape[1]):
        line = out[p]
        for q in range(m):
            low = np.uint64(min(at[p], beside[q]))
            high = np.uint64(max(at[p], beside[q]))
            keys[q] = _mixed(_mixed(start + low * _GOLDEN) + high * _GOLDEN)
        for i in range(rows.shape[0]):
            code = rows[i, p]
            if code == missing - 1:
                continue
            step = np.uint64(i + 1) * _GOLDEN
            high_level = levels[i, 0]
            low_level = levels[i, 1]
            for q in range(m):
                other = cols[i, q]
                heads = (other == code) | ((_mixed(keys[q] + step) >> np.uint64(11)) < limit[i])
                value = high_level if heads else low_level
                line[q] += value if other != missing else 0.0
