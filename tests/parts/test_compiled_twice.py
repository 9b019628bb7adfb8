"""The first run, which compiles, and the next, which takes compiled code from the cache, give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import hashlib, warnings
import numpy as np
import scipy.sparse as sp
from coterie._kernels.hmm_training import all_shares
from coterie._kernels.measured_rows import squares
from coterie.core.workplace import using
from coterie.represent.lda import LDA
from coterie.represent.plsa import PLSA

warnings.simplefilter("ignore")

def say(name, *arrays):
    mark = hashlib.blake2b(digest_size=8)
    for array in arrays:
        mark.update(np.ascontiguousarray(array).tobytes())
    print(name, mark.hexdigest())

with using(n_jobs=1):
    rng = np.random.default_rng(0)
    laws = rng.dirichlet(np.full(200, 0.05), size=12)
    counts = sp.csr_array(np.array([rng.multinomial(80 + d % 60, laws[d % 12]) for d in range(60)], dtype=float))
    for topics in (5, 50):  # loops of few lanes, and of many
        plsa = PLSA(n_topics=topics, max_iter=20, tol=0.0, random_state=0).fit(counts)
        say(f"PLSA {topics}", plsa.shares_, plsa.topics_, plsa.history_)
        say(f"PLSA {topics} folded in", plsa.transform(counts))
        say(f"PLSA {topics} kernel", plsa.kernel(counts[:20]).values)
        lda = LDA(n_topics=topics, passes=5, random_state=0).fit(counts)
        say(f"LDA {topics}", lda.topics_, lda.transform(counts))
    for states in (7, 24):
        offsets = np.array([0, 30, 71])
        logs = rng.normal(scale=3.0, size=(offsets[-1], states))
        start, links = rng.dirichlet(np.ones(states), size=1), rng.dirichlet(np.ones(states), size=(1, states))
        out = [np.zeros_like(logs), np.zeros_like(logs), np.zeros(2), np.zeros(2)]
        turned = np.ascontiguousarray(links.transpose(0, 2, 1))
        all_shares(logs, offsets, np.array([1, 0]), np.zeros(2, np.int64), start, links, turned, *out)
        say(f"HMM {states}", logs, *out)
    rows = rng.normal(size=(50, 101))
    apart = np.zeros((50, 5))
    squares(rows, np.zeros(0, bool), rng.integers(0, 50, size=(50, 5)), 0, apart)
    say("distances", apart)
"""


def test_the_first_run_and_the_next_give_the_same_bits(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines())
    assert list(tmp_path.rglob("*.nbc"))
    assert len(said[0]) == 11
    assert said[0] == said[1]
