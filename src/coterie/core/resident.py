"""How much memory this process holds of its own, asked of the system where it can say."""

from __future__ import annotations

import os

_STATM = "/proc/self/statm"  # pages: all, in memory, of those backed by files, ...


def resident() -> int:
    """Bytes in memory that are this process's own; 0 where the system does not say.

    Pages of files (libraries, memory maps) are left out: the system takes them back whenever it needs them.
    """
    try:
        with open(_STATM, encoding="ascii") as file:
            _, inside, of_files, *_ = file.read().split()
        return (int(inside) - int(of_files)) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0
