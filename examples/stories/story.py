"""What the stories share: their options, where data is found, what is said, and the places of a page that they fill."""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PLACE = re.compile(r"(<!-- from the script: ([\w-]+) -->).*?(<!-- end -->)", flags=re.DOTALL)


class Story:
    """One run of a story: it prints what a person sees, writes pictures into a folder, and can fill a page with both."""

    def __init__(self, name: str, about: str) -> None:
        lines = argparse.RawDescriptionHelpFormatter
        reader = argparse.ArgumentParser(description=about, formatter_class=lines)
        reader.add_argument(
            "--data", type=Path, help="folder with one sub-folder per data set  [or COTERIE_DATA]"
        )
        reader.add_argument(
            "--out",
            type=Path,
            default=Path(f"story_{name}"),
            help="folder for pictures and the report",
        )
        reader.add_argument(
            "--small",
            action="store_true",
            help="few generated members, to see in seconds that it runs",
        )
        reader.add_argument(
            "--page", type=Path, help="a page whose marked places are filled; pictures go beside it"
        )
        given = reader.parse_args()
        if given.data is not None and not given.data.is_dir():
            reader.error(f"--data names '{given.data}', which is not a folder")
        self.name = name
        self.out = given.out
        self.small = given.small
        self.page = given.page
        self.roots = [Path(root) for root in (given.data, os.environ.get("COTERIE_DATA")) if root]
        self.out.mkdir(parents=True, exist_ok=True)
        self._desk = tempfile.TemporaryDirectory(prefix="coterie-story-")
        self.desk = Path(self._desk.name)  # for files of this run only; it is removed at the end
        self.places: dict[str, str] = {}
        self.pictures: dict[str, str | bytes] = {}
        self.real = False
        self.begun = time.perf_counter(), time.process_time()

    def data(self, name: str) -> Path | None:
        """The folder of a data set, or None where it is not here and a generated collection takes its place."""
        found = (
            None
            if self.small
            else next((root / name for root in self.roots if (root / name).is_dir()), None)
        )
        self.real = found is not None
        if found is None:
            self.say(f"The data set '{name}' is not used: the members are generated.")
        return found

    def choices(self, k: int, asked: bool = False) -> dict[str, int]:
        """How many groups: as coterie chooses, or as you ask; where it has to be quick, so many and without the evidence."""
        return {"k": k, "nulls": 0} if self.small else {"k": k} if asked else {}

    def say(self, *sentences: str, place: str = "") -> None:
        """Print sentences; under the name of a place they stand on the page too."""
        print(*sentences, "", sep="\n")
        if place:
            self._keep(
                place, "\n\n" + "\n".join(f"> - {sentence}" for sentence in sentences) + "\n\n"
            )

    def note(self, **numbers: object) -> None:
        """Keep single figures for the page."""
        for name, value in numbers.items():
            self._keep(name.replace("_", "-"), str(value))

    def table(self, place: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table and keep it for the page."""
        cells = [[str(cell) for cell in row] for row in [head, *rows]]
        widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
        print(
            *(
                "  ".join(
                    cell.ljust(width) for cell, width in zip(row, widths, strict=True)
                ).rstrip()
                for row in cells
            ),
            sep="\n",
        )
        print()
        lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in cells]
        self._keep(
            place, "\n\n" + "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]]) + "\n\n"
        )

    def _keep(self, place: str, text: str) -> None:
        if place in self.places:
            raise ValueError(f"The story fills the place '{place}' twice.")
        self.places[place] = text

    def picture(self, name: str, drawn: str | bytes) -> None:
        """Keep a picture: SVG as text, PNG as bytes."""
        self.pictures[f"{name}.{'svg' if isinstance(drawn, str) else 'png'}"] = drawn

    def end(self) -> None:
        """Write the pictures, fill the page where one was named, and say where everything is."""
        wall = time.perf_counter() - self.begun[0]
        work = time.process_time() - self.begun[1]
        self.note(took=f"{wall / 60:.1f} minutes ({work:.0f} seconds of processor time)")
        for name, drawn in self.pictures.items():
            _put(self.out / name, drawn)
        if self.page is not None:
            for name, drawn in self.pictures.items():
                _put(self.page.with_name(f"{self.name}-{name}"), drawn)
            kept = {"story": self.name, "real": self.real, "places": self.places}
            _put(
                self.page.with_suffix(".json"),
                json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
            )
            _put(self.page, filled(self.page.read_text(encoding="utf-8"), self.places))
        self._desk.cleanup()
        print(
            f"It took {self.places['took']}.",
            f"Pictures and the report are in {self.out}",
            sep="\n",
        )


def filled(page: str, places: Mapping[str, str]) -> str:
    """A page with every marked place as the script gives it; a place the script does not know is an error."""
    return PLACE.sub(lambda found: found[1] + places[found[2]] + found[3], page)


def figure(value: float) -> str:
    """A figure with two digits; in its small form a story leaves some out."""
    return f"{value:.2f}" if value == value else "not looked at"


def _put(path: Path, drawn: str | bytes) -> None:
    path.write_bytes(drawn.encode() if isinstance(drawn, str) else drawn)
