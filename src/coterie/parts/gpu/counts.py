"""Counts of equal codes on a card: codes as bit planes, 32 iterations in a word, so that one operation compares 32 of them.

Two codes differ where any of their bits does: over the planes of a word, `apart |= a ^ b`, and the zeros that are left are
counted. What is missing was coded differently on the two sides (see `coterie._kernels.codes`), and so is never equal.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import need

# members of a tile of the kernel, its warps, and rows of tiles that run together
HIGH = 32
WIDE = 128
WARPS = 4
BAND = 16
WHOLE = 256  # planes are filled up to a multiple of so many members, and once more, so that any part can be read in tiles
_WORD = 32
_AT_ONCE = 2**26  # codes that become planes at once


@dataclass(frozen=True, eq=False)
class Planes:
    """Codes of members as words of bits on a device: (words, planes, members), with room behind the last."""

    bits: Any
    n_members: int
    n_iterations: int

    @classmethod
    def of(cls, codes: np.ndarray, n_planes: int, filler: int, device: Any) -> Planes:
        """From codes (iterations, members) of an unsigned type; `filler` is a bit that stands where no iteration is left."""
        torch = need("torch", extra="neural")
        n, m = codes.shape
        words = -(-n // _WORD)
        wide = (m // WHOLE + 2) * WHOLE
        bits = torch.zeros((words, n_planes, wide), dtype=torch.int32, device=device)
        shift = torch.arange(_WORD, dtype=torch.int32, device=device)[:, None]
        step = max(1, _AT_ONCE // (max(m, 1) * _WORD))
        for first in range(0, words, step):
            some = codes[first * _WORD : (first + step) * _WORD]
            held = torch.as_tensor(
                some if some.dtype == np.uint8 else some.astype(np.int32), device=device
            ).to(torch.int32)
            missing = -len(some) % _WORD
            if missing:
                held = torch.cat(
                    [held, torch.full((missing, m), filler, dtype=torch.int32, device=device)]
                )
            held = held.reshape(-1, _WORD, m)
            for plane in range(n_planes):
                bits[first : first + len(held), plane, :m] = _packed(
                    torch, (held >> plane) & 1, shift
                )
        return cls(bits, m, n)

    def as_rows(self) -> Planes:
        """The same codes of columns as rows: where no iteration is left the two must differ."""
        bits = self.bits.clone()
        if self.n_iterations % _WORD:
            bits[-1, 0] &= (1 << self.n_iterations % _WORD) - 1
        return Planes(bits, self.n_members, self.n_iterations)

    def __getitem__(self, members: slice) -> Planes:
        """Some of the members that follow each other; what lies behind them may be read and is not used."""
        first, last, _ = members.indices(self.n_members)
        return Planes(self.bits[:, :, first:], last - first, self.n_iterations)


def _packed(torch: Any, bits: Any, shift: Any) -> Any:
    """Zeros and ones (words, 32, members) as words; the sum of 32 different powers of two, which may be negative."""
    return (bits << shift).sum(dim=1, dtype=torch.int32)


def planes_for(rows: np.ndarray, cols: np.ndarray, device: Any) -> tuple[Planes, Planes]:
    """Codes of rows and columns (iterations, members), coded as the compiled counts take them, as planes.

    Where nothing is missing the largest code decides how many planes there are.
    """
    most = max(int(rows.max(initial=0)), int(cols.max(initial=0)))
    n_planes = max(1, most.bit_length())
    right = Planes.of(cols, n_planes, 1, device)
    return right.as_rows() if rows is cols else Planes.of(rows, n_planes, 0, device), right


def tested_planes(bits: np.ndarray, n_iterations: int, device: Any) -> Planes:
    """Who was tested when, from the packed bits of members (members, words of 64), as one plane with ones for who was not."""
    tested = np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=1, count=n_iterations)
    return Planes.of(np.ascontiguousarray(1 - tested.T), 1, 1, device)


def equal_counts(rows: Planes, cols: Planes) -> Any:
    """In how many iterations a row and a column have one code: a tensor (rows, columns) of whole numbers."""
    return _counts(rows, cols, either=False)


def both_counts(rows: Planes, cols: Planes) -> Any:
    """In how many iterations both were tested, from planes of who was not."""
    return _counts(rows, cols, either=True)


def _counts(rows: Planes, cols: Planes, either: bool) -> Any:
    torch = need("torch", extra="neural")
    out = torch.empty((rows.n_members, cols.n_members), dtype=torch.int32, device=rows.bits.device)
    if has_kernel(rows.bits.device):
        return launched(rows, cols, out, either=either)
    return plain(rows, cols, out, either=either)


def has_kernel(device: Any) -> bool:
    """Whether the compiled kernel runs on this device."""
    return device.type == "cuda" and importlib.util.find_spec("triton") is not None


def launched(
    rows: Planes,
    cols: Planes,
    out: Any,
    *,
    either: bool = False,
    high: int = HIGH,
    wide: int = WIDE,
    warps: int = WARPS,
    band: int = BAND,
    hardware: bool = True,
) -> Any:
    """The counts by the kernel, which fills `out`; the shape of its tiles changes the time and nothing else."""
    from coterie.parts.gpu.count_kernel import unequal_kernel

    words, planes, _ = rows.bits.shape
    tiles = -(-rows.n_members // high) * -(-cols.n_members // wide)
    if tiles:
        with need("torch", extra="neural").cuda.device_of(out):
            unequal_kernel[(tiles,)](
                rows.bits,
                cols.bits,
                out,
                rows.n_members,
                cols.n_members,
                rows.bits.stride(1),
                cols.bits.stride(1),
                words,
                planes=planes,
                high=high,
                wide=wide,
                band=band,
                either=either,
                hardware=hardware,
                num_warps=warps,
            )
    return out


def plain(rows: Planes, cols: Planes, out: Any, *, either: bool = False) -> Any:
    """The same in torch's own words, for a processor or where there is no Triton."""
    words, planes, _ = rows.bits.shape
    out.fill_(words * _WORD)
    for word in range(words):
        apart = 0
        for plane in range(planes):
            a = rows.bits[word, plane, : rows.n_members, None]
            b = cols.bits[word, plane, None, : cols.n_members]
            apart = apart | ((a | b) if either else (a ^ b))
        out -= _ones(apart)
    return out


def _ones(word: Any) -> Any:
    """The number of ones in each word of 32 bits."""
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    word = word + (word >> 8)
    return (word + (word >> 16)) & 0x3F
