"""SIC killed (SIGKILL) at random moments and started again each time ends with the codes of an undisturbed run.

    python benchmarks/quality/kill_sic.py [--kills 20] [--iterations 400] [--seed 0]

Tables (trees, random labels and sequential) and sequences (hidden Markov models), 1 and 2 workers. Ends with status 1 when a
code differs.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FORMS = ("tree", "sequential", "hmm")


def main() -> int:
    """Run the whole bar and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", nargs=3, metavar=("FORM", "FOLDER", "JOBS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        return work(given.worker[0], Path(given.worker[1]), int(given.worker[2]), given.iterations)
    moments, failed = random.Random(given.seed), 0
    print(f"{'form':<12}{'workers':>8}{'kills':>7}{'alone s':>9}  result")
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            for jobs in (1, 2):
                place = Path(folder) / f"{form}-{jobs}"
                begun = time.monotonic()
                alone = finished(form, place / "alone", jobs, given.iterations, None)
                seconds = time.monotonic() - begun
                kills, codes = 0, ""
                while not codes:
                    limit = moments.uniform(0.05, 0.35) * seconds + 1.5 if kills < given.kills else None
                    codes = finished(form, place / "killed", jobs, given.iterations, limit)
                    kills += not codes
                    if codes and kills < given.kills:  # it got through: once more from nothing
                        failed += codes != alone
                        place, codes = place.with_name(f"{place.name}-again"), ""
                failed += codes != alone
                said = "same codes" if codes == alone else "DIFFERS"
                print(f"{form:<12}{jobs:>8}{kills:>7}{seconds:>9.1f}  {said}", flush=True)
    return 1 if failed else 0


def finished(form: str, folder: Path, jobs: int, iterations: int, limit: float | None) -> str:
    """The hash of the codes, or nothing when the process was killed before it was through."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--iterations", str(iterations), "--worker", form, str(folder), str(jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, problem = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return ""
    if process.returncode:
        raise SystemExit(problem.decode())
    return out.decode().strip()


def work(form: str, folder: Path, jobs: int, iterations: int) -> int:
    """One run over the pieces in a folder; prints the hash of its codes."""
    from sklearn.datasets import load_digits

    from coterie.collect.samples import sample
    from coterie.compare.sic import SIC, Sequential
    from coterie.core.workplace import using
    from coterie.run.checkpoint import Pieces

    settings = {"n_iterations": iterations, "stop": None, "random_state": 0}
    if form == "hmm":
        data, sic = sample("traces").view(), SIC(diverter="hmm", **settings)
    else:
        annotator = Sequential() if form == "sequential" else None
        data, sic = load_digits().data[:600], SIC(diverter="tree", annotator=annotator, train_size=0.2, **settings)
    with using(n_jobs=jobs, keeper=Pieces(folder)):
        labels = sic.fit(data).codes_.labels
    print(hashlib.sha256(np.ascontiguousarray(labels).tobytes() + str(labels.shape).encode()).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
