"""The doctor on the store: whether it can be read and written, what is left on its disk, and whether every run is whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from coterie.run.doctor import Line, size

# bytes left on a disk: nothing can be kept, or soon
_SCARCE = 100_000_000
_FEW = 2_000_000_000
_FAR = (
    "nfs",
    "cifs",
    "smb",
    "fuse.sshfs",
    "9p",
    "afs",
    "fuse.s3fs",
)  # file systems of other machines
_MOST = 20  # lines of one kind
_SKEW = 60.0  # seconds that the clock of a disk may be off


def _place(store: str | None) -> Path:
    from coterie.run.stored import default_folder

    return Path(store).expanduser().absolute() if store else default_folder()


def disk(store: str | None) -> Iterator[Line]:
    """Whether the store may be written to, and how much fits."""
    place = _place(store)
    above = next(folder for folder in (place, *place.parents) if folder.exists())
    if not above.is_dir():
        yield Line(
            "wrong",
            f"{above} is a file, and the store was to be a folder.",
            "Choose another place with --store.",
        )
        return
    left = shutil.disk_usage(above).free
    what = f"The disk that holds {place} has {size(left)} left"
    if left < _SCARCE:
        yield Line(
            "wrong",
            f"{what}: too little for a run.",
            "Free some space, or choose another place with --store.",
        )
    elif left < _FEW:
        yield Line("note", f"{what}.", "Free some space before a large run.")
    else:
        yield Line("ok", f"{what}.")
    yield from _written(place, above)
    kind = _file_system(above)
    if kind.startswith(_FAR):
        yield Line(
            "note",
            f"The store is on a disk of another machine ({kind}), where several processes at once may spoil the index.",
            "Use it from one machine at a time, or choose a disk of this one with --store.",
        )


def _written(place: Path, above: Path) -> Iterator[Line]:
    """A small file written, read and removed."""
    try:
        with tempfile.TemporaryFile(dir=above) as file:
            file.write(b"coterie" * 1000)
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            same = file.read() == b"coterie" * 1000
            skew = os.fstat(file.fileno()).st_mtime - time.time()
    except OSError as error:
        todo = "Runs there can be looked at. To keep new ones, allow writing there, or choose another place with --store."
        yield Line("wrong", f"{above} cannot be written to ({error.strerror}).", todo)
        return
    if not same:
        yield Line(
            "wrong",
            f"What is written to {above} is not what is read there.",
            "Do not trust that disk; look at it.",
        )
    elif place.exists():
        yield Line("ok", f"The store {place} can be written to.")
    else:
        yield Line("ok", f"There is no store {place} yet; it can be made there.")
    if abs(skew) > _SKEW:
        yield Line(
            "note",
            f"The clock of that disk is off by {abs(skew):.0f} s.",
            "Set the clocks of both machines.",
        )


def _file_system(folder: Path) -> str:
    """The kind of file system a folder is on; empty where it cannot be asked."""
    best = ("", "")
    with contextlib.suppress(OSError):
        for line in Path("/proc/mounts").read_text().splitlines():
            words = line.split()
            point = words[1].replace("\\040", " ")
            if len(point) >= len(best[0]) and folder.resolve().is_relative_to(point):
                best = (point, words[2])
    return best[1]


def store(given: str | None) -> Iterator[Line]:
    """Whether every run is whole, and what killed processes left."""
    from coterie.run.integrity import check

    place = _place(given)
    if not place.exists():
        return
    flaws = check(place)
    for wrong in (True, False):
        these = [flaw for flaw in flaws if flaw.wrong is wrong]
        for flaw in these[:_MOST]:
            yield Line("wrong" if wrong else "note", flaw.what, flaw.todo)
        if len(these) > _MOST:
            yield Line(
                "wrong" if wrong else "note",
                f"And {len(these) - _MOST} more of this kind in {place}.",
            )
    if not any(flaw.wrong for flaw in flaws):
        count = sum(1 for _ in place.glob("[!.]*/run.json"))
        yield Line(
            "ok",
            f"The store {place} is whole: {count} run{'' if count == 1 else 's'}, every file read.",
        )
