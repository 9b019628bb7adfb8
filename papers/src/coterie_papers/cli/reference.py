"""One kind of processor for all experiments, so that a table has the same digits wherever it is made.

Compiled kernels, BLAS, numpy and torch each look at the processor and choose how wide they sum; what they choose changes last
digits, and with them ties, groups near a border, and tables. The reference has AVX2 and fused multiply-add, as most processors
since 2013 have, and wider ones do without the rest of what they can.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Mapping, MutableMapping

_ASKED = (
    "avx2",
    "fma",
    "bmi2",
    "f16c",
    "lzcnt",
    "movbe",
)  # what the reference has of the instructions that compilers use
_WIDER = "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"  # numpy names them so, old and new
REFERENCE = {
    "NUMBA_CPU_NAME": "znver3",  # whose costs the compiler weighs; most stored results were made on one
    "NUMBA_CPU_FEATURES": "-sse4a",  # which not all makers have
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": _WIDER,
    "ATEN_CPU_CAPABILITY": "avx2",  # torch, and below what it multiplies with
    "MKL_CBWR": "COMPATIBLE",  # the one that is the same on processors of all makers
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}
_EARLY = ("numpy", "numba", "torch")  # they look at the environment when they are loaded


def settle(
    has: Mapping[str, bool], environment: MutableMapping[str, str], loaded: Container[str]
) -> bool:
    """Name the reference in the environment; not where the processor lacks what it has, where somebody chose, or too late.

    >>> settle({name: True for name in _ASKED}, here := {}, ()), here["OPENBLAS_CORETYPE"]
    (True, 'Haswell')
    >>> settle({"neon": True}, here := {}, ()), here
    (False, {})
    """
    if any(name in loaded for name in _EARLY) or any(name in environment for name in REFERENCE):
        return False
    if not all(has.get(name, False) for name in _ASKED):
        return False
    environment.update(REFERENCE)
    return True


def as_reference() -> None:
    """Let this process and those that it starts compute as the reference does, where this processor can."""
    if any(name in sys.modules for name in _EARLY):
        return
    from llvmlite import binding

    settle(binding.get_host_cpu_features(), os.environ, sys.modules)
