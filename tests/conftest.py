"""Shared by all tests: one BLAS thread per process, no waiting for disks, kernels compiled once, a store of the test's own."""

from __future__ import annotations

import gc
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault(
    "OMP_WAIT_POLICY", "PASSIVE"
)  # threads of peers that wait give the core to the other workers

import pytest
from hypothesis import settings

from tests.compiling import compile_once

compile_once()
gc.set_threshold(
    20_000, 20, 20
)  # a worker holds millions of objects that stay: looking at them all again takes its time
os.fsync = lambda handle: (
    None
)  # nothing here outlives a loss of power; processes that tests start do wait

settings.register_profile("coterie", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("coterie")


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_STORE", str(tmp_path / "runs"))
