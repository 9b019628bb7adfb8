"""How long `import coterie` and `coterie --help` take, as a multiple of an empty Python process on the same machine."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

TIMES = 5
DOOR = "import sys; sys.argv = {words!r}; from coterie.cli.main import main; main()"
WORK = {
    "python -c pass": "pass",
    "import coterie": "import coterie",
    "coterie --help": DOOR.format(words=["coterie", "--help"]),
    "coterie explore --help": DOOR.format(words=["coterie", "explore", "--help"]),
    "import sklearn.cluster (for scale)": "import sklearn.cluster",
}


def seconds(code: str) -> float:
    """Wall-clock seconds of one fresh process."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    for code in WORK.values():
        seconds(code)  # files into the page cache, bytecode written
    rounds = [{name: seconds(code) for name, code in WORK.items()} for _ in range(TIMES)]  # in turn, so that load hits all
    base = statistics.median(found["python -c pass"] for found in rounds)
    print(f"{'median of ' + str(TIMES):36} {'seconds':>8} {'x empty':>8}")
    for name in WORK:
        middle = statistics.median(found[name] for found in rounds)
        print(f"{name:36} {middle:8.3f} {middle / base:8.2f}")


if __name__ == "__main__":
    main()
