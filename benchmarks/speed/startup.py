"""How long `import coterie` and `coterie --help` take, as a multiple of an empty Python process on the same machine."""

from __future__ import annotations

import subprocess
import sys

from timing import OURS, Row, race, report

EMPTY = "python -c pass"
SCALE = "import sklearn.cluster"
DOOR = "import sys; sys.argv = {words!r}; from coterie.cli.main import main; main()"
WORK = {
    EMPTY: "pass",
    OURS: "import coterie",
    "coterie --help": DOOR.format(words=["coterie", "--help"]),
    "coterie explore --help": DOOR.format(words=["coterie", "explore", "--help"]),
    SCALE: "import sklearn.cluster",
}


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    found = race({name: lambda code=code: run(code) for name, code in WORK.items()}, 5, wall=True)
    for name in WORK:
        note = f"{found.taken(name) / found.taken(EMPTY):.2f} times an empty process"
        if name == OURS:
            report(
                found.row(
                    "startup",
                    "import coterie",
                    "a process of its own",
                    peer=SCALE,
                    note=note,
                    peak=None,
                )
            )
        elif name.startswith("coterie "):
            report(
                Row(
                    "startup",
                    name,
                    "a process of its own",
                    ours=found.taken(name),
                    unit="wall s",
                    note=note,
                )
            )


if __name__ == "__main__":
    main()
