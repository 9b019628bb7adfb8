"""A kernel that shows whether kernels work here: it compiles or is loaded, gives the right number, and says where it is kept."""

from __future__ import annotations

import numba as nb
import numpy as np


@nb.njit(cache=True, nogil=True)
def weighed(values: np.ndarray) -> float:
    """The sum of i times the i-th value, in order."""
    total = 0.0
    for i in range(len(values)):
        total += i * values[i]
    return total


def kept_in() -> str:
    """The folder in which compiled kernels are kept from one process to the next."""
    return str(weighed.stats.cache_path)


def processor() -> str:
    """The kind of processor that kernels are compiled for, as the compiler calls it."""
    from llvmlite import binding
    from numba.core import config

    return str(getattr(config, "CPU_NAME", None) or binding.get_host_cpu_name())
