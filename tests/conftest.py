"""Shared by all tests: one BLAS thread per process, no waiting for disks, and a store in a folder of the test's own."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads of peers that wait give the core to the other workers

import pytest
from hypothesis import settings

os.fsync = lambda handle: None  # nothing here outlives a loss of power; processes that tests start do wait

settings.register_profile("coterie", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("coterie")


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_STORE", str(tmp_path / "runs"))
