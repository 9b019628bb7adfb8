"""What a result was made on, as far as last digits hang on it: the kind of processor, the BLAS, and the versions of packages."""

from __future__ import annotations

import sys
from importlib.metadata import version

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
_ASKED_FOR = ("torch",)  # told of where it was loaded


def machine() -> str:
    """The kind of processor that kernels are compiled for, what BLAS takes it for, and versions, in words."""
    from threadpoolctl import threadpool_info

    from coterie._kernels.probe import processor

    pools = [pool for pool in threadpool_info() if pool.get("user_api") == "blas"]
    kinds = dict.fromkeys(
        f"{pool.get('internal_api', 'BLAS')} for {pool.get('architecture', 'any')}"
        for pool in pools
    )
    packages = [*_PACKAGES, *(name for name in _ASKED_FOR if name in sys.modules)]
    return ", ".join([processor(), *kinds, *(f"{name} {version(name)}" for name in packages)])
